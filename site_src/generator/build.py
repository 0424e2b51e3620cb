"""``steelyard build``: from board.toml and results to a static site. Every build makes all of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evaluator.records.board import Assembled, Boards, BoardSpec, load_boards, named
from evaluator.records.browser import COPIES
from evaluator.records.errors import UserError
from evaluator.records.scratch import write_atomic
from evaluator.records.snapshot import Snapshot
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_board, sampled
from evaluator.score.inputs import GivenInputs, outdated_lines, outdated_results
from site_src.generator import browser_copies, documents, parallel, runtime
from site_src.generator.distribution import cache_folder
from site_src.generator.feeds import write_sitemap
from site_src.generator.output import replace
from site_src.generator.pages.board import BoardView, board_view, write_board
from site_src.generator.pages.collect import open_collections, write_collect
from site_src.generator.pages.collect import warnings as collecting_warnings
from site_src.generator.pages.compare import write_comparison
from site_src.generator.pages.dataset import write_dataset
from site_src.generator.pages.difficulty import write_difficulty
from site_src.generator.pages.docs import write_docs
from site_src.generator.pages.examples import write_examples
from site_src.generator.pages.index import updated, write_index
from site_src.generator.pages.model import write_model
from site_src.generator.pages.not_found import page as not_found_page
from site_src.generator.pages.quality import write_quality
from site_src.generator.pages.single import single_page
from site_src.generator.pages.snapshot import snapshot_files
from site_src.generator.pages.snapshots import diff_jobs, write_snapshots
from site_src.generator.pages.suite import write_suite
from site_src.generator.pages.try_ import write_try
from site_src.generator.prices import price_view
from site_src.generator.runtime import publish_shared
from site_src.generator.scripts import SOURCE
from site_src.generator.site import Site, environment_of_templates
from site_src.generator.table import Varied
from site_src.generator.urls import Shared

#: What keeps pages for a visitor's next visit.
SERVICE_WORKER = "service-worker.js"


@dataclass(frozen=True)
class BuildReport:
    """What a build made; `size` in bytes. `warnings` are for whoever keeps the boards."""

    output: Path
    boards: int
    models: int
    files: int
    size: int
    reduced_runtime: bool
    warnings: tuple[str, ...] = ()


def build(
    boards_file: Path,
    results: Path,
    output: Path,
    cache: Path | None = None,
    work: Path | None = None,
    data: Path | None = None,
    with_method: bool = False,
) -> BuildReport:
    """Build the site of `boards_file` from the results under `results`.

    `work` is where check --browser left copies of models, by default ``.steelyard`` beside the board file.
    `data` is where paths of datasets start, if not where the board file says: their hashes tell which results
    are stale. `with_method`: with the method pages, which do not depend on the boards. The output ends up
    complete or as it was. Raises `UserError`, and what reading boards and results raises.
    """
    store, cache = Store(results), cache or cache_folder()
    boards = load_boards(boards_file).skipping_malformed(store.skipped)
    copies = (work or boards_file.parent / ".steelyard") / COPIES
    warnings: list[str] = []
    pages: list[int] = []

    def write(folder: Path) -> None:
        tried = browser_copies.candidates(boards, store, copies)
        collected = open_collections(boards, boards_file.parent, tried)
        given = GivenInputs(boards, boards_file.parent, data or boards_file.parent / boards.data)
        views = list(_views(boards.boards, boards, store, given))
        pages.extend(len(view.rows) for view in views)
        published = browser_copies.publish_copies(folder, tried, copies, cache)
        site = Site(folder, boards, publish_shared(folder, cache), store, cache, published, collected)
        write_snapshots(site)
        site.put("404.html", not_found_page(site.environment, boards, site.shared))
        for name, schema in documents.schemas().items():
            site.put(f"{documents.FOLDER}/{name}", schema)
        write_index(site, views)
        jobs = [*diff_jobs(site), *(job for view in views for job in _jobs(site, view))]
        if with_method:
            # The longest job: as the first one nothing waits for it at the end.
            jobs.insert(0, partial(write_docs, site, updated(views)))
        parallel.run_all(jobs)
        (folder / ".nojekyll").touch()
        # A service worker works for the folder it lies in, and those below.
        site.put(SERVICE_WORKER, (SOURCE / "base" / SERVICE_WORKER).read_bytes())
        write_sitemap(folder, boards.site.url)
        warnings.extend(_warnings(views))
        warnings.extend(browser_copies.warnings(tried, copies))
        warnings.extend(collecting_warnings(collected))

    sizes = replace(output, write)
    return BuildReport(
        output=output,
        boards=len(boards.boards),
        models=sum(pages),
        files=len(sizes),
        size=sum(sizes.values()),
        reduced_runtime=runtime.is_reduced(cache),
        warnings=tuple(warnings),
    )


def build_single(
    boards_file: Path,
    board: BoardSpec,
    results: Path,
    output: Path,
    data: Path | None = None,
) -> BuildReport:
    """Build one board as one HTML file, which needs no server; see `build`.

    Raises `UserError` for a board that has no results yet, and what `build` raises.
    """
    store, cache = Store(results), cache_folder()
    boards = load_boards(boards_file).skipping_malformed(store.skipped)
    given = GivenInputs(boards, boards_file.parent, data or boards_file.parent / boards.data)
    [view] = _views([board], boards, store, given)
    if not view.rows:
        raise UserError(
            board.id, "has no results, so there is nothing to weigh", "evaluate or import some first"
        )
    page = single_page(Site(output.parent, boards, Shared("", "", ""), store, cache), view).encode()
    write_atomic(output, page)
    return BuildReport(
        output=output,
        boards=1,
        models=len(view.rows),
        files=1,
        size=len(page),
        reduced_runtime=runtime.is_reduced(cache),
        warnings=tuple(_warnings([view])),
    )


def _warnings(views: Iterable[BoardView]) -> Iterator[str]:
    """What whoever keeps these boards should know of their numbers."""
    views = list(views)
    yield from (pair.warning(view.spec.id) for view in views for pair in view.overlaps)
    yield from outdated_lines({one: None for view in views for one in view.outdated})


def _jobs(site: Site, view: BoardView) -> Iterator[parallel.BuildJob]:
    """What is to be written of a board; every job writes files of its own."""
    yield partial(write_board, site, view)
    yield partial(write_quality, site, view)
    if view.rows:
        yield partial(write_comparison, site, view)
    if site.tried(view):
        yield partial(write_try, site, view)
    yield from (partial(write_collect, site, view, one) for one in site.collections(view))
    for dataset in view.datasets:
        yield partial(write_dataset, site, view, dataset)
        yield partial(write_examples, site, view, dataset)
        if dataset.spec.id in site.difficult(view):
            yield partial(write_difficulty, site, view, dataset)
        yield from (partial(write_suite, site, view, dataset, card) for card in dataset.suites)
    yield from (partial(write_model, site, view, row) for row in view.rows)


def frozen_files(
    snapshot: Snapshot, assembled: Assembled, boards: Boards, varied: Varied | None = None
) -> dict[str, bytes]:
    """The files of a snapshot's page, as `publish.snapshots.save` takes them; see `snapshot_files`."""
    return snapshot_files(snapshot, assembled, boards, environment_of_templates(), varied)


def _views(
    chosen: Iterable[BoardSpec], boards: Boards, store: Store, given: GivenInputs
) -> Iterator[BoardView]:
    """The chosen boards ranked and laid out, from records that are read once."""
    results, cards = named(store.results(), boards), list(store.suite_cards())
    outdated = outdated_results(results, given)
    for board in chosen:
        assembled = assemble_board(board, boards, store, results, outdated)
        varied, prices = sampled(assembled, store), price_view(assembled, store)
        yield board_view(assembled, boards, cards, varied, results, prices)
