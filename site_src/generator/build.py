"""``steelyard build``: from board.toml and results to a static site."""

from __future__ import annotations

import gc
import importlib.resources
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jinja2

from evaluator.board import Boards, assemble, load_boards
from evaluator.records import SuiteCard
from evaluator.store import Store
from site_src.generator import (
    charts,
    compare_page,
    dataset_page,
    drawing,
    formats,
    index_page,
    model_page,
    parallel,
    provenance,
    runtime,
    suite_page,
    suites,
    tags,
)
from site_src.generator.assets import SOURCE, publish_shared
from site_src.generator.board_page import BoardView, RowView, board_view
from site_src.generator.datasets import DatasetView
from site_src.generator.inputs import inputs_of
from site_src.generator.output import check_ours, replace, unchanged
from site_src.generator.urls import RESERVED, Shared, Urls

HERE = Path(__file__).parent
#: The method pages' Markdown.
DOCS = HERE.parent / "docs"
POLICIES = {
    "unranked": "a model without a value for a metric that has weight is shown but not ranked",
    "worst": "a missing value counts as the worst on the board",
}


class BuildError(RuntimeError):
    """A site that cannot be built; the message names the board and the mend."""


@dataclass(frozen=True)
class BuildReport:
    """What a build did. `unchanged`: the output was already made from these very inputs."""

    output: Path
    boards: int
    models: int
    files: int
    size: int
    unchanged: bool
    reduced_runtime: bool


def build(boards_file: Path, results: Path, output: Path, cache: Path | None = None) -> BuildReport:
    """Build the site of `boards_file` from the results under `results`.

    The output ends up complete or as it was. Raises `BuildError`, `output.ForeignFolderError`,
    `runtime.RuntimeUnavailableError`, and what reading boards and results raises.
    """
    check_ours(output)
    boards, store = load_boards(boards_file), Store(results)
    _check_ids(boards)
    cache = cache or runtime.cache_folder()
    files = runtime.runtime_files(cache)
    inputs = inputs_of(boards, results, [*_own_sources(), *files.values()])
    known = unchanged(output, inputs)
    sizes = known or replace(output, inputs, lambda folder: _write_site(folder, boards, store, cache))
    models = {(path.parts[-3], path.stem) for path in store.paths()}
    return BuildReport(
        output=output,
        boards=len(boards.boards),
        models=len(models),
        files=len(sizes),
        size=sum(sizes.values()),
        unchanged=known is not None,
        reduced_runtime=files[runtime.STDLIB].parent == cache,
    )


def _check_ids(boards: Boards) -> None:
    for board in boards.boards:
        if board.id in RESERVED:
            raise BuildError(f"board {board.id!r}: the site has a folder of that name; choose another id")


def _own_sources() -> list[Path]:
    """The files of this program that make a site of results."""
    code = [(HERE, "*.py"), (runtime.EVALUATOR, "*.py")]
    folders = [*code, (SOURCE, "*"), (DOCS, "*"), (templates_folder(), "**/*")]
    return [path for folder, pattern in folders for path in sorted(folder.glob(pattern)) if path.is_file()]


def templates_folder() -> Path:
    """``templates/``: beside `site_src` in the repository, inside it in an installed wheel."""
    installed = Path(str(importlib.resources.files("site_src"))) / "templates"
    return installed if installed.is_dir() else HERE.parent.parent / "templates"


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the search for unreachable cycles: over a large site's data it takes a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_uncollected()
def _write_site(folder: Path, boards: Boards, store: Store, cache: Path) -> None:
    results, cards = list(store.results()), list(store.suite_cards())
    site = _Site(folder, boards, publish_shared(folder, cache), store)
    views = [board_view(assemble(board, boards, results), boards, cards) for board in boards.boards]
    site.write("index.html", "index.html", 0, index=index_page.index_view(views))
    site.write_docs(index_page.updated(views))
    site.write("404.html", "404.html", 0)
    parallel.run_all([job for view in views for job in site.jobs(view)])
    (folder / ".nojekyll").touch()


class _Site:
    """Renders templates into a folder."""

    def __init__(self, folder: Path, boards: Boards, shared: Shared, store: Store) -> None:
        self.folder, self.boards, self.shared, self.store = folder, boards, shared, store
        self.environment = _environment()

    def write(self, path: str, template: str, depth: int, **context: Any) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        page = self.environment.get_template(template)
        urls = Urls(depth, self.shared)
        target.write_text(page.render(site=self.boards, urls=urls, **context), encoding="utf-8")

    def write_docs(self, updated: str) -> None:
        # MkDocs takes a while to import, which a build that changes nothing need not wait for.
        from site_src.generator.docs import publish_docs

        context = {"site": self.boards, "updated": updated}
        publish_docs(DOCS, self.folder, templates_folder(), self.environment, self.shared, context)

    def jobs(self, view: BoardView) -> Iterator[parallel.Job]:
        """What is to be written of a board; every job writes files of its own."""
        yield partial(self.write_board, view)
        if view.rows:
            yield partial(self.write_comparison, view)
        for dataset in view.datasets:
            yield partial(self.write_dataset, view, dataset)
            yield from (partial(self.write_suite, view, dataset, card) for card in dataset.suites)
        yield from (partial(self.write_model, view, row) for row in view.rows)

    def write_board(self, view: BoardView) -> None:
        self.write(f"{view.spec.id}/index.html", "board.html", 1, view=view, policies=POLICIES)

    def write_model(self, view: BoardView, row: RowView) -> None:
        path = f"{view.spec.id}/models/{row.entry.id}/index.html"
        self.write(path, "model.html", 3, view=view, model=model_page.model_view(view, row))

    def write_dataset(self, view: BoardView, dataset: DatasetView) -> None:
        path = f"{view.spec.id}/datasets/{dataset.spec.id}/index.html"
        page = dataset_page.dataset_page(view, dataset, self.store)
        self.write(path, "dataset.html", 3, view=view, page=page, sizes=dataset_page)

    def write_comparison(self, view: BoardView) -> None:
        page = compare_page.compare_page(view, self.store)
        self.write(f"{view.spec.id}/compare/index.html", "compare.html", 2, view=view, page=page)
        for name, content in page.files.items():
            target = self.folder / view.spec.id / "predictions" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.read_bytes())

    def write_suite(self, view: BoardView, dataset: DatasetView, card: SuiteCard) -> None:
        path = f"{view.spec.id}/suites/{dataset.spec.id}/{card.name}/index.html"
        self.write(path, "suite.html", 4, view=view, page=suite_page.suite_page(view, dataset, card))


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_folder()),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        short=suites.short,
        shortened=formats.shortened,
        number=formats.number,
        signed=formats.signed,
        significant=formats.significant,
        percent=formats.percent,
        weight=formats.weight,
        counted=formats.counted,
        listed=formats.listed,
        duration=formats.duration,
        moment=formats.moment,
        isolated=formats.isolated,
        island=formats.island,
    )
    environment.tests.update(link=formats.is_link, long=formats.is_long)
    environment.globals.update(
        drawing=drawing, charts=charts, chart=model_page, tags=tags, meanings=provenance.MEANINGS
    )
    return environment
