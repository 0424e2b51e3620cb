"""The pages on which visitors write for a collection."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.records.board import Boards, CollectSpec
from evaluator.records.board.specs import UNLIKE
from evaluator.records.browser import BrowserCheck, BrowserCopy
from evaluator.records.errors import UserError
from evaluator.rounds.collection import Collection
from site_src.generator.browser_copies import Candidate, PublishedCopies
from site_src.generator.networks import PublishedNetworks
from site_src.generator.pages.try_ import TriedModel, needed_networks, network_files, size_words, starting
from site_src.generator.urls import Urls

if TYPE_CHECKING:
    from site_src.generator.pages.board import BoardView
    from site_src.generator.site import Site


_GITHUB = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+?(?:\.git)?/?", re.ASCII)


@dataclass(frozen=True)
class LoopModel(TriedModel):
    """A model in the loop; `revision` is the hash of the model that its copy was made of."""

    revision: str

    def island(self, urls: Urls) -> dict[str, Any]:
        """What loads it in a page, and what it is called in the lines of tries."""
        return {**super().island(urls), "revision": self.revision}


@dataclass(frozen=True)
class CollectPage:
    """What is on the page: the collection, its models that answer here, and why the others do not.

    `repository` is the address on GitHub where tries may be sent as issues; None where there is none.
    """

    collection: Collection
    models: tuple[LoopModel, ...]
    absent: tuple[tuple[str, str], ...]
    published: PublishedCopies
    repository: str | None

    @property
    def megabytes(self) -> str:
        """What Python, the models and what runs their networks take, in words."""
        networks = self.networks.size if self.networks else 0
        return size_words(self.published.size + sum(model.copy.size for model in self.models) + networks)

    @property
    def networks(self) -> PublishedNetworks | None:
        """What runs networks, None where no model in the loop has one."""
        return needed_networks(self.models, self.published)

    def urls(self, urls: Urls) -> dict[str, Any]:
        """The island that starts Python."""
        return starting(self.published, urls)

    def island(self, urls: Urls) -> dict[str, Any]:
        """What the page's script starts from: what a local page is told, and what its server knows."""
        spec = self.collection.spec
        return {
            **self.collection.describe(),
            "id": spec.id,
            "task": spec.task,
            "models": [model.island(urls) for model in self.models],
            "networks": network_files(self.networks, urls),
            "size": self.published.size,
            "tries": spec.tries,
            "threshold": UNLIKE,
            "named": spec.prompts is not None,
            "list": [prompt.plain() for prompt in self.collection.prompts.values()],
            "repository": self.repository,
        }


def collect_page(boards: Boards, collected: OpenCollection, published: PublishedCopies) -> CollectPage:
    """Lay out the page of a collection that has one."""
    labels = {model.id: model.label for model in boards.models}
    return CollectPage(
        collected.collection,
        tuple(_members(collected.loop, labels, published)),
        tuple((labels[name], why) for name, why in collected.absent),
        published,
        _repository(boards.site.source),
    )


def _members(
    loop: tuple[Candidate, ...], labels: dict[str, str], published: PublishedCopies
) -> Iterator[LoopModel]:
    for one in loop:
        copy, check = _known(one)
        folder = published.folders[check.copy_sha256]
        yield LoopModel(one.model, labels[one.model], copy, (check,), folder, check.revision or "")


def _known(one: Candidate) -> tuple[BrowserCopy, BrowserCheck]:
    assert one.copy is not None
    assert one.check is not None
    return one.copy, one.check


def _repository(source: str | None) -> str | None:
    """The repository's page on GitHub, if that is where the board file says its files are kept."""
    if source is None or not _GITHUB.fullmatch(source):
        return None
    return source.rstrip("/").removesuffix(".git")


@dataclass(frozen=True)
class OpenCollection:
    """A collection with ``site = true``; `why` says why it has no page, and is "" for one that has.

    `loop` has the models that answer on the page, each with its copy; `absent` says of the others why not.
    """

    collection: Collection
    loop: tuple[Candidate, ...]
    absent: tuple[tuple[str, str], ...]
    why: str = ""

    @property
    def spec(self) -> CollectSpec:
        """Its table of the board file."""
        return self.collection.spec


def open_collections(boards: Boards, root: Path, tried: Sequence[Candidate]) -> tuple[OpenCollection, ...]:
    """The collections of a board file in the folder `root` that get a page, in its order."""
    data = root / boards.data
    return tuple(_opened(Collection(spec, boards, root, data), tried) for spec in boards.collect if spec.site)


def _opened(collection: Collection, tried: Sequence[Candidate]) -> OpenCollection:
    try:
        labels, _ = collection.labels, collection.prompts
    except UserError as error:
        return OpenCollection(collection, (), (), str(error))
    found = [(name, *_member(name, labels, tried)) for name in collection.spec.models]
    loop = tuple(one for _, one, _ in found if one is not None)
    absent = tuple((name, why) for name, one, why in found if one is None)
    why = "" if loop else "; ".join(f"{name}: {reason}" for name, reason in absent)
    return OpenCollection(collection, loop, absent, why)


def _member(name: str, labels: tuple[str, ...], tried: Sequence[Candidate]) -> tuple[Candidate | None, str]:
    """A model's copy with these labels; or why there is none."""
    mine = [one for one in tried if one.model == name]
    for one in mine:
        if one.copy and one.check and sorted(one.copy.labels) == sorted(labels):
            return one, ""
    reasons = [one.why for one in mine if one.why]
    if reasons or not mine:
        return None, (reasons or ["it has no browser copy"])[0]
    return None, f"its copy has other labels than {', '.join(labels)}"


def warnings(found: Sequence[OpenCollection]) -> Iterator[str]:
    """A line of each collection that visitors cannot write for though the board file says that they may."""
    for one in found:
        if one.why:
            yield f"{one.spec.id} has no page to collect for it: {one.why}"


def write_collect(site: Site, view: BoardView, collected: OpenCollection) -> None:
    """Write the page of a collection."""
    assert site.published is not None
    page = collect_page(site.boards, collected, site.published)
    at = f"{view.spec.id}/collect/{collected.spec.id}/index.html"
    site.write(at, "collect.html", 3, view=view, page=page)
