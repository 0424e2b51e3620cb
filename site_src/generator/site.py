"""The pages and files of a site, written into a folder."""

from __future__ import annotations

import importlib.resources
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jinja2

from evaluator.rank import moves as noise
from evaluator.rank.formats import visible
from evaluator.records.board import Boards
from evaluator.records.datasets import SuiteCard
from evaluator.records.store import Store
from site_src.generator import parallel
from site_src.generator.browser_copies import PublishedCopies
from site_src.generator.collecting import OpenCollection
from site_src.generator.files import badges, described, documents, embed, endpoints, feeds, not_found, social
from site_src.generator.pages import (
    collect_page,
    compare_page,
    dataset_page,
    difficulty_page,
    examples_page,
    index_page,
    model_page,
    model_result,
    newest_citation,
    quality_page,
    snapshots_page,
    suite_page,
    try_page,
)
from site_src.generator.pages.index_page import BoardSummary
from site_src.generator.urls import Shared, Urls
from site_src.generator.views import (
    formats,
    provenance,
    strengths,
    suites,
    tags,
)
from site_src.generator.views.board import BoardView
from site_src.generator.views.datasets import DatasetView
from site_src.generator.views.examples import Verdicts
from site_src.generator.views.rows import RowView

POLICIES = {
    "unranked": "a model without a value for a metric that has weight is shown but not ranked",
    "worst": "a missing value counts as the worst on the board",
}
#: What templates write values with, by the names of the functions.
FILTERS = (
    *(suites.short, visible),
    *(formats.shortened, formats.number, formats.signed, formats.significant, formats.percent),
    *(formats.weight, formats.counted, formats.listed, formats.duration, formats.moment),
    *(formats.isolated, formats.island, formats.short_id, formats.anchor),
)


HERE = Path(__file__).parent


class Site:
    """Renders templates into a folder."""

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
        self.published, self.collected = published, [one for one in collected if not one.why]
        self.folder, self.boards, self.shared, self.store = folder, boards, shared, store
        self.cache, self.environment = cache, environment_of_templates()
        self._difficult: dict[str, frozenset[str]] = {}
        self._verdicts: dict[tuple[str, str], Verdicts | None] = {}
        self._beside: dict[str, model_page.Beside] = {}
        self._examples: dict[str, dict[str, compare_page.KeptExamples]] = {}
        self._folders: set[str] = set()

    def write(self, path: str, template: str, depth: int, **context: Any) -> None:
        urls = Urls(depth, self.shared, path.removesuffix("index.html"), self.boards.site.url)
        page = self.environment.get_template(template)
        self.put(path, page.render(site=self.boards, urls=urls, **context))

    def put(self, path: str, content: str | bytes) -> None:
        # As texts: paths as objects would take longer than the writing, for tens of thousands of files.
        parent, _, name = f"{self.folder}/{path}".rpartition("/")
        if parent not in self._folders:
            os.makedirs(parent, exist_ok=True)
            self._folders.add(parent)
        with open(f"{parent}/{name}", "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def write_snapshots(self) -> None:
        """The snapshots as they are, where their pages find what changes, and the list of them."""
        snapshots_page.publish_snapshots(self.store.root, self.folder)
        self.put("runtime/current.json", json.dumps({"runtime": f"{self.shared.runtime}/"}) + "\n")
        self.newest = snapshots_page.newest(self.store.root)
        self.frozen_boards = snapshots_page.frozen_boards(self.boards, self.store.root)
        self.write("snapshots/index.html", "snapshots.html", 1, frozen_boards=self.frozen_boards, noise=noise)

    def diff_jobs(self) -> Iterator[parallel.BuildJob]:
        for board in self.frozen_boards:
            pairs = [(item.before, item.id) for item in board.items if item.before]
            yield from (partial(self.write_diff, board, *pair) for pair in pairs)

    def write_diff(self, board: snapshots_page.BoardSnapshots, old: str, new: str) -> None:
        view = snapshots_page.diff_view(board, old, new, self.store.root, self.boards)
        path = f"snapshots/diff/{old}..{new}/index.html"
        words = {
            "reason_names": snapshots_page.REASON_NAMES,
            "reason_meanings": snapshots_page.REASON_MEANINGS,
            "noise": noise,
        }
        self.write(path, "snapshot_diff.html", 3, diff=view, **words)

    def write_feed(self) -> None:
        feed = feeds.snapshot_feed(self.boards, self.store.root)
        self.environment.globals["has_feed"] = feed is not None
        if feed is not None:
            self.write("snapshots/feed.xml", "feed.xml", 1, feed=feed)

    def write_index(self, summaries: Mapping[str, BoardSummary], small: Sequence[BoardView]) -> None:
        """The site's first page, of boards by id, of which the `small` ones may be live on it."""
        index = index_page.index_view(self.boards.boards, summaries, small, self.frozen_boards)
        self.write("index.html", "index.html", 0, index=index, data_file="index.json")
        self.put("index.json", endpoints.index_json(self.boards, summaries))

    def write_documents(self) -> None:
        self.put("404.html", not_found.page(self.environment, self.boards, self.shared))
        for name, schema in documents.schemas().items():
            self.put(f"{documents.FOLDER}/{name}", schema)

    def jobs(self, view: BoardView) -> Iterator[parallel.BuildJob]:
        """What is to be written of a board; every job writes files of its own."""
        yield partial(self.write_board, view)
        yield partial(self.write_quality, view)
        if view.rows:
            yield partial(self.write_comparison, view)
        if self.tried(view):
            yield partial(self.write_try, view)
        yield from (partial(self.write_collect, view, one) for one in self.collections(view))
        for dataset in view.datasets:
            yield partial(self.write_dataset, view, dataset)
            if dataset.spec.id in self.difficult(view):
                yield partial(self.write_difficulty, view, dataset)
            yield from (partial(self.write_suite, view, dataset, card) for card in dataset.suites)
        yield from (partial(self.write_model, view, row) for row in view.rows)

    def write_quality(self, view: BoardView) -> None:
        snapshots = sum(len(board.items) for board in self.frozen_boards if board.id == view.spec.id)
        page = quality_page.quality_page(self.boards, view, snapshots)
        self.write(f"{view.spec.id}/quality/index.html", "quality.html", 2, view=view, page=page)

    def write_board(self, view: BoardView) -> None:
        at = view.spec.id
        self.write(
            f"{at}/index.html",
            "board.html",
            1,
            view=view,
            policies=POLICIES,
            data_file="board.json",
            latest=self.newest.get(at),
            newest=self.citing(view),
            difficult=self.difficult(view),
            tried=self.tried(view),
            collections=self.collections(view),
        )
        self.put(f"{at}/board.json", endpoints.board_json(self.boards, view, self.newest.get(at)))
        self.write(f"{at}/embed/index.html", "embed.html", 2, view=view, embed=embed.embed_of(view))
        if view.sure.content:
            self.put(f"{at}/{view.sure.file}", view.sure.content)
        # Sites that show a link to the board fetch the picture by its full address.
        if self.boards.site.url:
            picture = social.drawing_of(self.boards, view, self.environment)
            self.put(f"{at}/social.png", social.png(picture, self.cache))

    def citing(self, view: BoardView) -> newest_citation.NewestCitation | None:
        """What citing a view of a board's page takes; None for a board without a snapshot."""
        cited = self.newest.get(view.spec.id)
        if cited is None:
            return None
        address = f"../snapshots/{cited.id}/"
        return newest_citation.newest_citation(self.store.root, cited, view, self.boards.title, address)

    def write_model(self, view: BoardView, row: RowView) -> None:
        at, shown = f"{view.spec.id}/models/{row.entry.id}", badges.badge(view, row)
        model = model_page.model_view(view, row, self.beside(view))
        self.write(
            f"{at}/index.html",
            "model.html",
            3,
            view=view,
            model=model,
            results=model_result.result_views(view, row.entry.results, model.places),
            badge=shown,
            tried=row.entry.id in {one.id for one in self.tried(view)},
            data_file="model.json",
        )
        answers = compare_page.answer_names(view, row, self.examples(view), self.store)
        newest = self.newest.get(view.spec.id)
        self.put(f"{at}/model.json", endpoints.model_json(self.boards, view, row, newest, answers))
        self.put(f"{view.spec.id}/badges/{row.entry.id}.svg", badges.svg(shown))
        self.put(f"{view.spec.id}/badges/{row.entry.id}.json", badges.shields(shown))

    def write_dataset(self, view: BoardView, dataset: DatasetView) -> None:
        at = f"{view.spec.id}/datasets/{dataset.spec.id}"
        known = self.verdicts(view, dataset)
        page, kept = dataset_page.dataset_page(view, dataset, self.store, known), self.examples(view)
        croissant = described.described(self.boards, view, kept.get(dataset.spec.id))
        self.write(
            f"{at}/index.html",
            "dataset.html",
            3,
            view=view,
            page=page,
            sizes=dataset_page,
            difficult=self.difficult(view),
            data_file="dataset.json",
            croissant=croissant,
        )
        self.put(f"{at}/dataset.json", endpoints.dataset_json(page, kept.get(dataset.spec.id)))
        if croissant:
            self.put(f"{at}/{described.FILE}", described.text_of(croissant))
        if known and known.texts:
            listed = examples_page.examples_page(view, dataset, known)
            self.write(f"{at}/examples/index.html", "examples.html", 4, view=view, page=listed)

    def examples(self, view: BoardView) -> dict[str, compare_page.KeptExamples]:
        """The examples of a board's datasets that are published; read once, for all pages of the board."""
        if view.spec.id not in self._examples:
            self._examples[view.spec.id] = compare_page.kept_examples(view, self.store) if view.rows else {}
        return self._examples[view.spec.id]

    def verdicts(self, view: BoardView, dataset: DatasetView) -> Verdicts | None:
        """Which models are right on which example of a dataset; read once, for all pages of the board."""
        key = view.spec.id, dataset.spec.id
        if key not in self._verdicts:
            self._verdicts[key] = dataset_page.verdicts_of(view, dataset, self.store)
        return self._verdicts[key]

    def beside(self, view: BoardView) -> model_page.Beside:
        """What the pages of the board's models share."""
        if view.spec.id not in self._beside:
            found = {dataset.spec.id: self.verdicts(view, dataset) for dataset in view.datasets}
            known = {id_: verdicts for id_, verdicts in found.items() if verdicts}
            self._beside[view.spec.id] = model_page.beside_of(view, known)
        return self._beside[view.spec.id]

    def tried(self, view: BoardView) -> tuple[try_page.TriedModel, ...]:
        """The models of a board that visitors may try in their browser."""
        return try_page.tried_models(view, self.published)

    def write_try(self, view: BoardView) -> None:
        assert self.published is not None
        page = try_page.try_page(view, self.published)
        at, collections = f"{view.spec.id}/try/index.html", self.collections(view)
        self.write(at, "try.html", 2, view=view, page=page, collections=collections)

    def collections(self, view: BoardView) -> list[OpenCollection]:
        """The collections that visitors may write for on a board."""
        return [one for one in self.collected if one.spec.board == view.spec.id]

    def write_collect(self, view: BoardView, collected: OpenCollection) -> None:
        assert self.published is not None
        page = collect_page.collect_page(self.boards, collected, self.published)
        at = f"{view.spec.id}/collect/{collected.spec.id}/index.html"
        self.write(at, "collect.html", 3, view=view, page=page)

    def write_comparison(self, view: BoardView) -> None:
        page = compare_page.compare_page(view, self.store)
        self.write(f"{view.spec.id}/compare/index.html", "compare.html", 2, view=view, page=page)
        self.put_predictions(view, page.files)

    def difficult(self, view: BoardView) -> frozenset[str]:
        """The board's datasets of which it is known how difficult their examples are."""
        if view.spec.id not in self._difficult:
            found = (d for d in view.datasets if difficulty_page.is_difficult(view, d, self.store))
            self._difficult[view.spec.id] = frozenset(dataset.spec.id for dataset in found)
        return self._difficult[view.spec.id]

    def write_difficulty(self, view: BoardView, dataset: DatasetView) -> None:
        page = difficulty_page.difficulty_page(view, dataset, self.store)
        at = f"{view.spec.id}/difficulty/{dataset.spec.id}"
        self.write(f"{at}/index.html", "difficulty.html", 3, view=view, page=page)
        self.put_predictions(view, page.files)

    def put_predictions(self, view: BoardView, files: Mapping[str, Path | bytes]) -> None:
        for name, content in files.items():
            bytes_ = content if isinstance(content, bytes) else content.read_bytes()
            self.put(f"{view.spec.id}/predictions/{name}", bytes_)

    def write_suite(self, view: BoardView, dataset: DatasetView, card: SuiteCard) -> None:
        at = f"{view.spec.id}/suites/{dataset.spec.id}/{card.name}"
        page = suite_page.suite_page(view, dataset, card)
        self.write(f"{at}/index.html", "suite.html", 4, view=view, page=page, data_file="suite.json")
        self.put(f"{at}/suite.json", endpoints.suite_json(page))


def environment_of_templates() -> jinja2.Environment:
    """The templates with the filters and functions that they call.

    They lie beside `site_src` in the repository, inside it in an installed wheel.
    """
    installed = Path(str(importlib.resources.files("site_src"))) / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(installed if installed.is_dir() else HERE.parents[1] / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update({filter_.__name__: filter_ for filter_ in FILTERS})
    environment.tests.update(link=formats.is_link, long=formats.is_long)
    modules = (tags, strengths, badges, social)
    environment.globals.update({module.__name__.rpartition(".")[2]: module for module in modules})
    environment.globals.update(chart=model_result, meanings=provenance.MEANINGS)
    return environment
