"""The page on which a visitor asks a board's models, which run in the page."""

from __future__ import annotations

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
            "revision": self.checks[0].revision,
        }


@dataclass(frozen=True)
class ModelsPage:
    """A page that runs models: which, why others are not among them, and what runs them."""

    models: tuple[TriedModel, ...]
    others: tuple[tuple[str, str], ...]
    published: PublishedCopies

    @property
    def networks(self) -> PublishedNetworks | None:
        """What runs networks, None where no model on this page has one."""
        return self.published.networks if any(model.copy.has_network for model in self.models) else None

    @property
    def megabytes(self) -> str:
        """What Python takes, in words."""
        return size_words(self.published.size)

    def urls(self, urls: Urls) -> dict[str, Any]:
        """The island that starts Python."""
        return {
            "runtime": urls.runtime(),
            "scorer": urls.scorer(),
            "modules": [OPENER],
            "bundle": urls.from_root(self.published.bundle),
            "library": urls.from_root(self.published.library),
        }

    def island(self, urls: Urls) -> dict[str, Any]:
        """What the page's script starts from; sizes are in bytes."""
        networks = self.networks and {
            **{name: urls.from_root(path) for name, path in self.networks.addresses.items()},
            "size": self.networks.size,
        }
        models = [model.island(urls) for model in self.models]
        return {"models": models, "networks": networks, "size": self.published.size}


@dataclass(frozen=True)
class TryPage(ModelsPage):
    """The page on which a visitor asks a board's models, about texts of these fields."""

    fields: tuple[str, ...]

    @property
    def network_megabytes(self) -> str:
        """What runs networks takes, in words; empty where there is none."""
        return size_words(self.networks.size) if self.networks else ""

    def island(self, urls: Urls) -> dict[str, Any]:
        """That of every such page, with what is asked about, and the list that variants need."""
        found = self.published.misspellings
        listed = found and {
            "path": found.path,
            "address": urls.from_root(found.address),
            "size": found.size,
        }
        task = self.models[0].copy.task
        return {**super().island(urls), "task": task, "fields": list(self.fields), "misspellings": listed}


def size_words(size: int) -> str:
    """Bytes as megabytes of 10**6, or less than a tenth of one."""
    return f"{number(size / MEGABYTE, 1)} MB" if size >= MEGABYTE / 10 else "under 0.1 MB"


def tried_models(view: BoardView, published: PublishedCopies | None) -> tuple[TriedModel, ...]:
    """The models of a board whose copies are in the site, in the order of the ranking."""
    if published is None:
        return ()
    found = []
    for entry in [row.entry for row in view.rows]:
        checked = {
            one.dataset: (one.copy, one.check)
            for one in published.candidates
            if one.model == entry.id and one.task == view.task and one.copy and one.check
        }
        known = [checked[dataset] for dataset in view.spec.datasets if dataset in checked]
        if known:
            # Labels may differ between datasets, and so may copies: the first dataset's is the one.
            copy, hash_ = known[0][0], known[0][1].copy_sha256
            checks = tuple(check for _, check in known if check.copy_sha256 == hash_)
            found.append(TriedModel(entry.id, entry.label, copy, checks, published.folders[hash_]))
    return tuple(found)


def write_try(site: Site, view: BoardView) -> None:
    """Write the page on which visitors ask a board's models."""
    assert site.published is not None
    models, others = site.tried(view), []
    tried = {model.id for model in models}
    for entry in [row.entry for row in view.rows if row.entry.id not in tried]:
        reasons = [one.why for one in site.published.candidates if one.model == entry.id and one.why]
        others.append((entry.label, reasons[0] if reasons else "it has no browser copy"))
    page = TryPage(models, tuple(others), site.published, get_task(models[0].copy.task).fields)
    collections = site.collections(view)
    site.write(f"{view.spec.id}/try/index.html", "try.html", 2, view=view, page=page, collections=collections)
