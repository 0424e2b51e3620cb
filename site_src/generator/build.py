"""``steelyard build``: from board.toml and results to a static site.

Only what depends on a change is made again: see `last_build`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from evaluator.records.board import Assembled, Boards, BoardSpec, load_boards
from evaluator.records.canonical import digest
from evaluator.records.garbage import uncollected
from evaluator.records.result import Result
from evaluator.records.scratch import remove_leftovers
from evaluator.records.snapshot import Snapshot
from evaluator.records.store import COPIES, SUITE_CARDS, Store
from evaluator.records.suites import SuiteCard
from evaluator.score.floor import assemble_floored
from site_src.generator import browser_copies, collecting, parallel, runtime
from site_src.generator.assets import publish_shared
from site_src.generator.distribution import cache_folder
from site_src.generator.files import sitemap
from site_src.generator.inputs import SiteInputs, belongs, hashed, inputs_of
from site_src.generator.last_build import KeptPart, LastBuild
from site_src.generator.output import Kept, check_ours, replace, unchanged
from site_src.generator.pages import index_page, snapshot_page
from site_src.generator.pages.index_page import BoardSummary
from site_src.generator.pages.model_result import TagPlaces, shared_line
from site_src.generator.site import POLICIES, Site, environment_of_templates
from site_src.generator.views.board import BoardView, board_view
from site_src.generator.views.certainty import Varied

#: The folder of the documentation.
METHOD = "method"
Loaded = TypeVar("Loaded")


@dataclass(frozen=True)
class BuildReport:
    """What a build did. `unchanged`: the output was already made from these very inputs; `warnings` are for
    whoever keeps the boards, none then."""

    output: Path
    boards: int
    models: int
    files: int
    size: int
    unchanged: bool
    reduced_runtime: bool
    warnings: tuple[str, ...] = ()


def build(
    boards_file: Path, results: Path, output: Path, cache: Path | None = None, work: Path | None = None
) -> BuildReport:
    """Build the site of `boards_file` from the results under `results`.

    `work` is where browser-check left copies of models, by default ``.steelyard`` beside the board file.
    The output ends up complete or as it was. Raises `output.ForeignFolderError`,
    `distribution.RuntimeUnavailableError`, and what reading boards and results raises.
    """
    check_ours(output)
    remove_leftovers(output.parent)
    boards, store = load_boards(boards_file), Store(results)
    cache = cache or cache_folder()
    files = runtime.runtime_files(cache)
    copies = (work or boards_file.parent / ".steelyard") / COPIES
    tried = browser_copies.candidates(boards, store, copies)
    collected = collecting.open_collections(boards, boards_file.parent, tried)
    offered = [*(one.line for one in tried), *(one.line for one in collected)]
    inputs = inputs_of(boards, results, files.values(), offered)
    known = unchanged(output, inputs.all)
    site = _Work(boards, store, inputs, cache, output, copies, tried, collected)
    sizes = known or replace(output, inputs.all, site.write)
    models = {(path.parts[-3], path.stem) for path in store.paths()}
    return BuildReport(
        output=output,
        boards=len(boards.boards),
        models=len(models),
        files=len(sizes),
        size=sum(sizes.values()),
        unchanged=known is not None,
        reduced_runtime=files[runtime.STDLIB].parent == cache,
        warnings=tuple(site.warnings),
    )


def frozen_files(
    snapshot: Snapshot, assembled: Assembled, boards: Boards, varied: Varied | None = None
) -> dict[str, bytes]:
    """The files of a snapshot's page, as `publish.snapshots.save` takes them; see `snapshot_files`."""
    environment = environment_of_templates()

    def render(template: str, **context: Any) -> str:
        return environment.get_template(template).render(**context)

    return snapshot_page.snapshot_files(snapshot, assembled, boards, render, POLICIES, varied)


@dataclass
class _Work:
    """A build that is under way; `warnings` are found on the way, and `results` read, by path."""

    boards: Boards
    store: Store
    inputs: SiteInputs
    cache: Path
    output: Path
    copies: Path
    tried: tuple[browser_copies.Candidate, ...]
    collected: tuple[collecting.OpenCollection, ...]
    warnings: list[str] = field(default_factory=list)
    results: dict[str, Result] = field(default_factory=dict)

    @uncollected()
    def write(self, folder: Path) -> Kept:
        """Write what has changed of the site. Returns the folders to be kept from the last one."""
        shared, last = publish_shared(folder, self.cache), LastBuild(self.output, folder)
        kept = self._kept(last)
        views = self._views(kept)
        made = {id_: index_page.summary_of(view) for id_, view in views.items()}
        summaries = {board.id: kept.get(board.id) or made[board.id] for board in self.boards.boards}
        self.warnings = self._warnings(summaries.values())
        published = browser_copies.publish_copies(folder, self.tried, self.copies, self.cache)
        site = Site(folder, self.boards, shared, self.store, self.cache, published, self.collected)
        site.write_snapshots()
        site.write_feed()
        site.write_documents()
        site.write_index(summaries, list(views.values()))
        docs, pages = self._docs(site, last, summaries), self._pages(site, last, views, made)
        parallel.run_all([*docs, *site.diff_jobs(), *pages])
        self._finish(folder, last)
        return last.kept

    def _warnings(self, summaries: Iterable[BoardSummary]) -> list[str]:
        """What the maintainer should know of boards, of models to try and of collections."""
        overlapping = (warning for summary in summaries for warning in summary.overlapping)
        tried = browser_copies.warnings(self.tried, self.copies)
        return [*overlapping, *tried, *collecting.warnings(self.collected)]

    def _finish(self, folder: Path, last: LastBuild) -> None:
        """Write what is known once all pages are: the list of all addresses, and the record of the parts."""
        (folder / ".nojekyll").touch()
        kept_files = [path for files in last.kept.values() for path in files]
        sitemap.write_sitemap(folder, self.boards.site.url, kept_files)
        last.write()

    def _kept(self, last: LastBuild) -> dict[str, BoardSummary]:
        """What is said of the boards whose pages are kept, by id."""
        parts = {board.id: last.keep(board.id, self.inputs.of_board(board)) for board in self.boards.boards}
        return {id_: part.summary for id_, part in parts.items() if part and part.summary}

    def _views(self, kept: Mapping[str, BoardSummary]) -> dict[str, BoardView]:
        """The boards that are not kept, and those that the first page may show whole, by id."""
        shown = [
            board
            for board in self.boards.boards
            if board.id not in kept or len(kept[board.id].models) <= index_page.LIVE_MODELS
        ]
        rest = [board for board in self.boards.boards if board not in shown]
        self.results = self._needed(self.store.paths(), shown, rest, self.store.load)
        load_card = partial(self.store.load_record, SUITE_CARDS)
        cards = self._needed(self.store.record_paths(SUITE_CARDS), shown, rest, load_card)
        return {board.id: _view(board, self.boards, self.store, self.results, cards) for board in shown}

    def _needed(
        self,
        paths: Iterable[Path],
        shown: Sequence[BoardSpec],
        rest: Sequence[BoardSpec],
        load: Callable[[Path], Loaded],
    ) -> dict[str, Loaded]:
        """The records at paths, by their names, but those that only boards in `rest` depend on."""
        names = {path.relative_to(self.store.root).as_posix(): path for path in paths}
        return {
            name: load(path)
            for name, path in names.items()
            if any(belongs(name, board) for board in shown) or not any(belongs(name, board) for board in rest)
        }

    def _docs(
        self, site: Site, last: LastBuild, summaries: Mapping[str, BoardSummary]
    ) -> Iterator[parallel.BuildJob]:
        """The longest job, to be the first, so that nothing waits for it at the end."""
        updated = index_page.updated(summaries.values())
        inputs = digest([self.inputs.common, updated])
        if last.keep(METHOD, inputs) is None:
            last.made(METHOD, KeptPart(inputs=inputs))
            yield partial(site.write_docs, updated)

    def _pages(
        self,
        site: Site,
        last: LastBuild,
        views: Mapping[str, BoardView],
        summaries: Mapping[str, BoardSummary],
    ) -> Iterator[parallel.BuildJob]:
        """The pages of the boards that are not kept."""
        for board in self.boards.boards:
            if board.id not in last.parts:
                view = views[board.id]
                results = self._results_of(view, site.beside(view).places)
                inputs = self.inputs.of_board(board)
                last.made(board.id, KeptPart(inputs=inputs, summary=summaries[board.id], results=results))
                yield from site.jobs(view, last.pages(board.id, results))

    def _results_of(self, view: BoardView, places: Mapping[str, TagPlaces]) -> dict[str, str]:
        """The hash of what the sections of results on each model's page are made from, by model."""
        shared = hashed(self.inputs.common, shared_line(view, places))
        records: dict[str, list[str]] = {id_: [] for id_ in view.assembled.entries}
        for path, result in self.results.items():
            if belongs(path, view.spec) and result.model.id in records:
                records[result.model.id].append(self.inputs.records[path])
        return {row.entry.id: hashed(shared, row.entry.label, *records[row.entry.id]) for row in view.rows}


def _view(
    board: BoardSpec,
    boards: Boards,
    store: Store,
    results: Mapping[str, Result],
    cards: Mapping[str, SuiteCard],
) -> BoardView:
    # Its modules take a while to import, which a build that changes nothing need not wait for.
    from evaluator.score.certainty import sampled

    own = [result for path, result in results.items() if belongs(path, board)]
    assembled = assemble_floored(board, boards, store, own)
    own_cards = [card for path, card in cards.items() if belongs(path, board)]
    return board_view(assembled, boards, own_cards, sampled(assembled, store), own)
