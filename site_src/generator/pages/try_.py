"""The page on which a visitor asks a board's models, which run in the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluator.data.tasks import get_task
from evaluator.records.browser import BrowserCheck, BrowserCopy
from site_src.generator.browser_copies import MEGABYTE, OPENER, PublishedCopies
from site_src.generator.formats import number
from site_src.generator.networks import PublishedNetworks
from site_src.generator.pages.board import BoardView
from site_src.generator.urls import Urls

if TYPE_CHECKING:
    from site_src.generator.site import Site


@dataclass(frozen=True)
class TriedModel:
    """A model that runs in the page: its copy, how far it agrees on the board's datasets, and its folder."""

    id: str
    label: str
    copy: BrowserCopy
    checks: tuple[BrowserCheck, ...]
    folder: str

    @property
    def agreed(self) -> int:
        """Examples that the copy answered as the measured model did."""
        return sum(check.agreed for check in self.checks)

    @property
    def examples(self) -> int:
        """Examples that both have answered."""
        return sum(check.asked for check in self.checks)

    @property
    def apart(self) -> str:
        """How far its probabilities are from the measured model's, in words; empty if unknown."""
        known = [check.largest_difference for check in self.checks if check.largest_difference is not None]
        if not known:
            return ""
        largest = max(known)
        bound = "less than 0.001" if largest < 0.001 else f"at most {number(largest, 3)}"
        return f"probabilities differ by {bound}" if largest else "with the same probabilities"

    @property
    def megabytes(self) -> str:
        """Its size, in words."""
        return size_words(self.copy.size)

    def island(self, urls: Urls) -> dict[str, Any]:
        """What loads it in a page; its size is in bytes."""
        return {
            "id": self.id,
            "label": self.label,
            "adapter": self.copy.adapter,
            "options": self.copy.options,
            "labels": list(self.copy.labels),
            "folder": f"{urls.from_root(self.folder)}/",
            "files": list(self.copy.files),
            "size": self.copy.size,
        }


@dataclass(frozen=True)
class TryPage:
    """What is on the page: the models that can be asked, and why the board's others cannot."""

    models: tuple[TriedModel, ...]
    others: tuple[tuple[str, str], ...]
    fields: tuple[str, ...]
    published: PublishedCopies

    @property
    def megabytes(self) -> str:
        """What Python takes, in words."""
        return size_words(self.published.size)

    @property
    def networks(self) -> PublishedNetworks | None:
        """What runs networks, None where no model on this page has one."""
        return needed_networks(self.models, self.published)

    @property
    def network_megabytes(self) -> str:
        """What that takes, in words; empty where there is none."""
        return size_words(self.networks.size) if self.networks else ""

    def urls(self, urls: Urls) -> dict[str, Any]:
        """The island that starts Python."""
        return starting(self.published, urls)

    def misspellings(self, urls: Urls) -> dict[str, Any] | None:
        """The list that variants need: its place for Python, its address, and its size in bytes, if any."""
        found = self.published.misspellings
        if found is None:
            return None
        return {"path": found.path, "address": urls.from_root(found.address), "size": found.size}

    def island(self, urls: Urls) -> dict[str, Any]:
        """What the page's script starts from; sizes are in bytes."""
        return {
            "task": self.models[0].copy.task,
            "fields": list(self.fields),
            "size": self.published.size,
            "networks": network_files(self.networks, urls),
            "misspellings": self.misspellings(urls),
            "models": [model.island(urls) for model in self.models],
        }


def needed_networks(models: Iterable[TriedModel], published: PublishedCopies) -> PublishedNetworks | None:
    """What runs networks, None where none of the models has one."""
    return published.networks if any(model.copy.has_network for model in models) else None


def network_files(found: PublishedNetworks | None, urls: Urls) -> dict[str, Any] | None:
    """The addresses of what runs networks, and its size in bytes."""
    if found is None:
        return None
    return {name: urls.from_root(path) for name, path in found.addresses.items()} | {"size": found.size}


def starting(published: PublishedCopies, urls: Urls) -> dict[str, Any]:
    """The addresses of what starts Python for models of visitors."""
    return {
        "runtime": urls.runtime(),
        "scorer": urls.scorer(),
        "modules": [OPENER],
        "bundle": urls.from_root(published.bundle),
        "library": urls.from_root(published.library),
    }


def size_words(size: int) -> str:
    """Bytes as megabytes of 10**6, or less than a tenth of one."""
    return f"{number(size / MEGABYTE, 1)} MB" if size >= MEGABYTE / 10 else "under 0.1 MB"


def tried_models(view: BoardView, published: PublishedCopies | None) -> tuple[TriedModel, ...]:
    """The models of a board whose copies are in the site, in the order of the ranking."""
    return tuple(_tried(view, published)) if published else ()


def _tried(view: BoardView, published: PublishedCopies) -> Iterator[TriedModel]:
    for row in view.rows:
        found = _on_board(view, row.entry.id, published)
        if found:
            # Labels may differ between datasets, and so may copies: the first dataset's is the one.
            copy, hash_ = found[0]
            known = (one.check for one in published.candidates if one.copy and one.model == row.entry.id)
            checks = tuple(
                check
                for check in known
                if check and check.copy_sha256 == hash_ and check.dataset in view.spec.datasets
            )
            yield TriedModel(row.entry.id, row.entry.label, copy, checks, published.folders[hash_])


def _on_board(view: BoardView, model: str, published: PublishedCopies) -> list[tuple[BrowserCopy, str]]:
    found = {
        one.dataset: (one.copy, one.check.copy_sha256)
        for one in published.candidates
        if one.model == model and one.task == view.spec.task and one.copy and one.check
    }
    return [found[dataset] for dataset in view.spec.datasets if dataset in found]


def try_page(view: BoardView, published: PublishedCopies) -> TryPage:
    """Lay out the page of a board that has models to try."""
    models = tried_models(view, published)
    tried = {model.id for model in models}
    others = ((row.entry.id, row.entry.label) for row in view.rows if row.entry.id not in tried)
    return TryPage(
        models, tuple(_with_reasons(others, published)), get_task(view.spec.task).fields, published
    )


def _with_reasons(others: Iterable[tuple[str, str]], published: PublishedCopies) -> Iterator[tuple[str, str]]:
    """The label of each model, and why it is not among those to try."""
    for id_, label in others:
        reasons = [one.why for one in published.candidates if one.model == id_ and one.why]
        yield label, reasons[0] if reasons else "it has no browser copy"


def write_try(site: Site, view: BoardView) -> None:
    """Write the page on which visitors ask a board's models."""
    assert site.published is not None
    page, collections = try_page(view, site.published), site.collections(view)
    site.write(f"{view.spec.id}/try/index.html", "try.html", 2, view=view, page=page, collections=collections)
