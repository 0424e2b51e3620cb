"""What pages are written with, and what several of them need: each kind of page has a module in `pages`."""

from __future__ import annotations

import importlib.resources
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from evaluator.rank.formats import visible
from evaluator.records.board import Boards
from evaluator.records.store import Store
from site_src.generator import breakdowns, embed, formats
from site_src.generator.browser_copies import PublishedCopies
from site_src.generator.datasets import DatasetView
from site_src.generator.pages import compare, difficulty, model, snapshot, snapshots, try_
from site_src.generator.pages import dataset as dataset_page
from site_src.generator.pages.board import BoardView
from site_src.generator.pages.collect import OpenCollection
from site_src.generator.pages.examples import Verdicts
from site_src.generator.scripts import preloaded
from site_src.generator.texts import script_texts
from site_src.generator.urls import Shared, Urls

#: What templates write values with, by the names of the functions.
FILTERS = (
    *(breakdowns.short, visible),
    *(formats.shortened, formats.number, formats.signed, formats.significant, formats.percent),
    *(formats.weight, formats.counted, formats.listed, formats.duration, formats.moment),
    *(formats.isolated, formats.island, formats.short_id, formats.anchor),
)


class Site:
    """Renders templates into a folder. What the pages of a board share is read once, when first asked for."""

    def __init__(
        self,
        folder: Path,
        boards: Boards,
        shared: Shared,
        store: Store,
        cache: Path,
        published: PublishedCopies | None = None,
        collected: Sequence[OpenCollection] = (),
    ) -> None:
        self.published, self._collected = published, [one for one in collected if not one.why]
        self.folder, self.boards, self.shared, self.store = folder, boards, shared, store
        self.cache, self.environment = cache, environment_of_templates()
        self.newest = snapshots.newest(store.root)
        self.frozen_boards = snapshots.frozen_boards(boards, store.root)
        self._difficult: dict[str, frozenset[str]] = {}
        self._verdicts: dict[tuple[str, str], Verdicts | None] = {}
        self._beside: dict[str, model.Beside] = {}
        self._examples: dict[str, dict[str, compare.KeptExamples]] = {}
        self._folders: set[str] = set()

    def write(self, path: str, template: str, depth: int, **context: Any) -> None:
        """Render a template to a path in the site, `depth` folders under its root."""
        urls = Urls(depth, self.shared, path.removesuffix("index.html"), self.boards.site.url)
        page = self.environment.get_template(template)
        self.put(path, page.render(site=self.boards, urls=urls, **context))

    def put(self, path: str, content: str | bytes) -> None:
        """Write a file."""
        # As texts: paths as objects would take longer than the writing, for tens of thousands of files.
        parent, _, name = f"{self.folder}/{path}".rpartition("/")
        if parent not in self._folders:
            os.makedirs(parent, exist_ok=True)
            self._folders.add(parent)
        with open(f"{parent}/{name}", "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def put_predictions(self, view: BoardView, files: Mapping[str, Path | bytes]) -> None:
        """Write files of a board's predictions, copies or contents by name."""
        for name, content in files.items():
            bytes_ = content if isinstance(content, bytes) else content.read_bytes()
            self.put(f"{view.spec.id}/predictions/{name}", bytes_)

    def citing(self, view: BoardView) -> snapshot.NewestCitation | None:
        """What citing a view of a board's page takes; None for a board without a snapshot."""
        cited = self.newest.get(view.spec.id)
        if cited is None:
            return None
        address = f"../snapshots/{cited.id}/"
        return snapshot.newest_citation(self.store.root, cited, view, self.boards.title, address)

    def examples(self, view: BoardView) -> dict[str, compare.KeptExamples]:
        """The examples of a board's datasets that are published, by dataset."""
        if view.spec.id not in self._examples:
            self._examples[view.spec.id] = compare.kept_examples(view, self.store) if view.rows else {}
        return self._examples[view.spec.id]

    def verdicts(self, view: BoardView, dataset: DatasetView) -> Verdicts | None:
        """Which models are right on which example of a dataset."""
        key = view.spec.id, dataset.spec.id
        if key not in self._verdicts:
            self._verdicts[key] = dataset_page.verdicts_of(self.boards, view, dataset, self.store)
        return self._verdicts[key]

    def beside(self, view: BoardView) -> model.Beside:
        """What the pages of the board's models share."""
        if view.spec.id not in self._beside:
            found = {dataset.spec.id: self.verdicts(view, dataset) for dataset in view.datasets}
            known = {id_: verdicts for id_, verdicts in found.items() if verdicts}
            self._beside[view.spec.id] = model.beside_of(view, known, self.store)
        return self._beside[view.spec.id]

    def difficult(self, view: BoardView) -> frozenset[str]:
        """The board's datasets of which it is known how difficult their examples are."""
        if view.spec.id not in self._difficult:
            found = (d for d in view.datasets if difficulty.is_difficult(view, d, self.store))
            self._difficult[view.spec.id] = frozenset(dataset.spec.id for dataset in found)
        return self._difficult[view.spec.id]

    def tried(self, view: BoardView) -> tuple[try_.TriedModel, ...]:
        """The models of a board that visitors may try in their browser."""
        return try_.tried_models(view, self.published)

    def collections(self, view: BoardView) -> list[OpenCollection]:
        """The collections that visitors may write for on a board."""
        return [one for one in self._collected if one.spec.board == view.spec.id]


def environment_of_templates() -> jinja2.Environment:
    """The templates with the filters and functions that they call.

    They lie beside `site_src` in the repository, inside it in an installed wheel.
    """
    installed = Path(str(importlib.resources.files("site_src"))) / "templates"
    folder = installed if installed.is_dir() else Path(__file__).parents[2] / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update({filter_.__name__: filter_ for filter_ in FILTERS})
    environment.tests.update(link=formats.is_link, long=formats.is_long)
    environment.globals.update(
        breakdowns=breakdowns,
        preloaded=preloaded,
        shown_elsewhere=embed,
        script_texts=script_texts,
    )
    return environment
