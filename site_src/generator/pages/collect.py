"""The pages on which visitors write for a collection."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.records.board import Boards, CollectSpec
from evaluator.records.board.specs import UNLIKE
from evaluator.records.errors import UserError
from evaluator.rounds.collection import Collection
from site_src.generator.browser_copies import Candidate
from site_src.generator.pages.try_ import ModelsPage, TriedModel, size_words
from site_src.generator.urls import Urls

if TYPE_CHECKING:
    from site_src.generator.pages.board import BoardView
    from site_src.generator.site import Site

_GITHUB = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+?(?:\.git)?/?", re.ASCII)


@dataclass(frozen=True)
class OpenCollection:
    """A collection with ``site = true``; `why` says why it has no page, and is "" for one that has.

    `loop` has the models that answer on the page, each with its copy; `absent` says of the others why not.
    """

    collection: Collection
    loop: tuple[Candidate, ...] = ()
    absent: tuple[tuple[str, str], ...] = ()
    why: str = ""

    @property
    def spec(self) -> CollectSpec:
        """Its table of the board file."""
        return self.collection.spec


@dataclass(frozen=True)
class CollectPage(ModelsPage):
    """The page of a collection; `repository` is the address on GitHub where tries may be sent, if any."""

    collection: Collection
    repository: str | None

    @property
    def megabytes(self) -> str:
        """What Python, the models and what runs their networks take, in words."""
        networks = self.networks.size if self.networks else 0
        return size_words(self.published.size + sum(model.copy.size for model in self.models) + networks)

    def island(self, urls: Urls) -> dict[str, Any]:
        """What the page's script starts from: what a local page is told, and what its server knows."""
        spec = self.collection.spec
        return {
            **self.collection.describe(),
            **super().island(urls),
            "id": spec.id,
            "task": spec.task,
            "tries": spec.tries,
            "threshold": UNLIKE,
            "named": spec.prompts is not None,
            "list": [prompt.plain() for prompt in self.collection.prompts.values()],
            "repository": self.repository,
        }


def open_collections(boards: Boards, root: Path, tried: Sequence[Candidate]) -> tuple[OpenCollection, ...]:
    """The collections of a board file in the folder `root` that get a page, in its order."""
    data = root / boards.data
    return tuple(_opened(Collection(spec, boards, root, data), tried) for spec in boards.collect if spec.site)


def _opened(collection: Collection, tried: Sequence[Candidate]) -> OpenCollection:
    try:
        labels, _ = collection.labels, collection.prompts
    except UserError as error:
        return OpenCollection(collection, why=str(error))
    loop, absent = [], []
    for name in collection.spec.models:
        mine = [one for one in tried if one.model == name]
        alike = [one for one in mine if one.copy and one.check and sorted(one.copy.labels) == sorted(labels)]
        reasons = [one.why for one in mine if one.why]
        if alike:
            loop.append(alike[0])
        elif mine and not reasons:
            absent.append((name, f"its copy has other labels than {', '.join(labels)}"))
        else:
            absent.append((name, (reasons or ["it has no browser copy"])[0]))
    why = "" if loop else "; ".join(f"{name}: {reason}" for name, reason in absent)
    return OpenCollection(collection, tuple(loop), tuple(absent), why)


def warnings(found: Sequence[OpenCollection]) -> Iterator[str]:
    """A line of each collection that visitors cannot write for though the board file says that they may."""
    for one in found:
        if one.why:
            yield f"{one.spec.id} has no page to collect for it: {one.why}"


def write_collect(site: Site, view: BoardView, collected: OpenCollection) -> None:
    """Write the page of a collection."""
    assert site.published is not None
    labels, models = {model.id: model.label for model in site.boards.models}, []
    for one in collected.loop:
        assert one.copy is not None
        assert one.check is not None
        folder = site.published.folders[one.check.copy_sha256]
        models.append(TriedModel(one.model, labels[one.model], one.copy, (one.check,), folder))
    others = tuple((labels[name], why) for name, why in collected.absent)
    source = site.boards.site.source or ""
    repository = source.rstrip("/").removesuffix(".git") if _GITHUB.fullmatch(source) else None
    page = CollectPage(tuple(models), others, site.published, collected.collection, repository)
    at = f"{view.spec.id}/collect/{collected.spec.id}/index.html"
    site.write(at, "collect.html", 3, view=view, page=page)
