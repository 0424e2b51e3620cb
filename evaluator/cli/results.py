"""What ``steelyard init --results`` and ``steelyard import`` do with files of results: they show what was
understood, ask where that is not certain, and store it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evaluator.cli.options import Project
from evaluator.cli.printing import is_quiet, note, print_table, summarise
from evaluator.rank.formats import listed
from evaluator.records.errors import UserError, printable

if TYPE_CHECKING:
    from evaluator.exchange.results.planning import Plan
    from evaluator.exchange.results.storing import StoredResult
    from evaluator.exchange.results.told import Told
    from evaluator.records.board.imports import ImportSpec
    from evaluator.records.references import Source

Command = TypeVar("Command", bound=Callable[..., Any])

#: Options that are for files of results alone, as parameters.
ONLY_RESULTS = ("lower_is_better", "higher_is_better", "units", "ranges", "leave_out", "missing", "yes")


def result_options(command: Command) -> Command:
    """The options with which guesses about files of results are overruled."""
    options = (
        click.option(
            "--lower-is-better", multiple=True, metavar="METRIC", help="Of results: less of METRIC is better."
        ),
        click.option(
            "--higher-is-better", multiple=True, metavar="METRIC", help="Of results: more of it is better."
        ),
        click.option("--unit", "units", multiple=True, metavar="METRIC=UNIT", help="Of results: its unit."),
        click.option(
            "--range", "ranges", multiple=True, metavar="METRIC=LEAST:MOST",
            help="Of results: what a number can be.  [default: 0:100 of per cent]",
        ),
        click.option(
            "--leave-out", multiple=True, metavar="COLUMN", help="Of results: a column that is no metric."
        ),
        click.option(
            "--missing", multiple=True, metavar="VALUE", help="Of results: what stands for no number, as -1."
        ),
        click.option("--yes", is_flag=True, help="Of results: take what is not certain as it is understood."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True)
class ResultOptions:
    """The options about files of results, as they were given."""

    columns: Mapping[str, str]
    metrics: Mapping[str, str]
    datasets: Sequence[str]
    lower_is_better: Sequence[str] = ()
    higher_is_better: Sequence[str] = ()
    units: Sequence[str] = ()
    ranges: Sequence[str] = ()
    leave_out: Sequence[str] = ()
    missing: Sequence[str] = ()
    yes: bool = False
    accept_differences: bool = False
    source: Source | None = None

    def told(self) -> Told:
        """What they say. Raises `click.UsageError`."""
        from evaluator.exchange.results.told import Told

        alone = [name for name in self.datasets if "=" not in name]
        if len(alone) > 1:
            fix = "name one, or write what a column says as THEIRS=DATASET"
            raise click.UsageError(f"--dataset {alone[1]!r}: {fix}")
        both = {*self.lower_is_better} & {*self.higher_is_better}
        if both:
            raise click.UsageError(f"--lower-is-better {both.pop()}: --higher-is-better has it too; say one")
        return Told(
            columns=dict(self.columns),
            metrics={name: with_factor(name, ours) for name, ours in self.metrics.items()},
            units=dict(_pair("--unit", one) for one in self.units),
            ranges={
                name: _range(name, said) for name, said in (_pair("--range", one) for one in self.ranges)
            },
            lower=frozenset(self.lower_is_better),
            higher=frozenset(self.higher_is_better),
            leave_out=frozenset(self.leave_out),
            missing=tuple(self.missing),
            dataset=next(iter(alone), None),
            datasets=dict(name.rsplit("=", 1) for name in self.datasets if "=" in name),
            source=self.source,
            accept_differences=self.accept_differences,
        )


def _pair(option: str, given: str) -> tuple[str, str]:
    name, sign, value = given.rpartition("=")
    if not sign:
        raise click.UsageError(f"{option} {given!r}: write it as METRIC=VALUE")
    return name, value


def with_factor(name: str, ours: str) -> tuple[str, float | None]:
    """What ``--metric`` says of one: OURS and the factor, if any. Raises `click.UsageError`."""
    metric, sign, factor = ours.partition("*")
    try:
        return metric, float(factor) if sign else None
    except ValueError:
        raise click.UsageError(f"--metric {name}={ours}: {factor!r} is not a number; give one") from None


def _range(name: str, said: str) -> tuple[float, float]:
    try:
        least, most = map(float, said.split(":"))
    except ValueError:
        raise click.UsageError(f"--range {name}={said}: write it as METRIC=LEAST:MOST") from None
    if least >= most:
        raise click.UsageError(f"--range {name}={said}: {least:g} is not less than {most:g}")
    return least, most


def import_results(project: Project, files: Sequence[Path], options: ResultOptions) -> list[dict[str, Any]]:
    """Store what files of results say on the boards of a project, and how they are read in its board file.

    Nothing is written before all is known to fit. Raises `UserError`.
    """
    from evaluator.exchange.results.board_file import (
        import_specs,
        known_specs,
        tried,
        with_plan,
        write_board_file,
    )
    from evaluator.exchange.results.labels import ReadImport
    from evaluator.exchange.results.planning import planned
    from evaluator.exchange.results.reading import read_results
    from evaluator.exchange.results.storing import cited, store_imports
    from evaluator.exchange.results.told import Told
    from evaluator.score.scores import now

    known = known_specs(files, project.boards, project.data)
    if known and options.told() == Told():
        return _read_again(project, known)
    store, path = project.writable_store(), project.board_file
    plan = planned(read_results(files), options.told(), "results", project.boards)
    _confirm(plan, options.yes, project.as_json)
    specs = import_specs(plan, project.data, files)
    text = with_plan(path.read_text("utf-8"), plan, specs, project.boards)
    boards = tried(path, text)
    imports = [
        ReadImport(spec, taken, cited(spec, spec.path)) for spec, taken in zip(specs, plan.taken, strict=True)
    ]
    done = store_imports(imports, boards, store, now())
    write_board_file(path, text)
    return _printed(done, project.as_json)


def import_again(project: Project, datasets: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Store what the files under [[imports]] of the board file say now. Raises `UserError`.

    Files that are not here are named and what is stored of them stays, unless there is nothing else to read.
    """
    specs = [spec for spec in project.boards.imports if spec.rows != "logs"]
    if datasets:
        specs = [spec for spec in specs if spec.dataset is None or spec.dataset in datasets]
    missing = {path for spec in specs for path in map(project.data.joinpath, spec.path) if not path.exists()}
    here = [spec for spec in specs if missing.isdisjoint(map(project.data.joinpath, spec.path))]
    if not here and not project.boards.predictions:
        here = specs  # reading them says what is wrong
    elif missing:
        names = listed([str(path) for path in sorted(missing)])
        note(f"not here, so what is stored of it stays: {names}; --data says where the paths start")
    return _read_again(project, here, datasets) if here else []


def _read_again(
    project: Project, specs: Sequence[ImportSpec], datasets: Sequence[str] = ()
) -> list[dict[str, Any]]:
    from evaluator.exchange.results.storing import read_import, store_imports
    from evaluator.score.scores import now

    store = project.writable_store()
    imports = [read_import(spec, project.boards, project.data) for spec in specs]
    if datasets:
        imports = [one for one in imports if {*one.taken.reported, *one.taken.examples} & {*datasets}]
    return _printed(store_imports(imports, project.boards, store, now()), project.as_json)


@dataclass(frozen=True)
class MadeBoard:
    """A board of files of results: what they say, and the tables of its board file."""

    plan: Plan
    specs: tuple[Any, ...]
    tables: str
    as_json: bool

    @property
    def plain(self) -> dict[str, Any]:
        """What the files say, as plain data."""
        from evaluator.exchange.results.showing import plain

        return plain(self.plan)

    def say(self, done: Sequence[Any]) -> None:
        """Print what was stored, unless JSON is printed."""
        _printed(done, self.as_json)

    def store(self, board_file: bytes, results: Path) -> list[StoredResult]:
        """Store the results in a folder, made if need be, for a board file with the tables.

        Raises `UserError`, and then nothing is written.
        """
        from evaluator.exchange.results.labels import ReadImport
        from evaluator.exchange.results.storing import cited, store_imports
        from evaluator.records.board import load_boards
        from evaluator.records.store import Store
        from evaluator.score.scores import now

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "board.toml"
            path.write_bytes(board_file)
            boards = load_boards(path)
        imports = [
            ReadImport(spec, taken, cited(spec, spec.path))
            for spec, taken in zip(self.specs, self.plan.taken, strict=True)
        ]
        return store_imports(imports, boards, Store(results), now())


def make_board(
    files: Sequence[Path], options: ResultOptions, directory: Path, title: str, as_json: bool
) -> MadeBoard:
    """Show what files of results say, and make the board of it that the folder is to have. `UserError`."""
    from evaluator.exchange.results.board_file import import_specs, new_tables
    from evaluator.exchange.results.planning import planned
    from evaluator.exchange.results.reading import read_results
    from evaluator.records.base import slug

    board = slug(directory.resolve().name).lower()
    plan = planned(read_results(files), options.told(), board)
    _confirm(plan, options.yes, as_json)
    specs = import_specs(plan, directory, files)
    return MadeBoard(plan, tuple(specs), new_tables(plan, specs, board, title), as_json)


def _confirm(plan: Plan, yes: bool, as_json: bool) -> None:
    """Show the plan; ask whether it is right on a terminal, and stop without one if it is not certain."""
    from evaluator.exchange.results import showing

    if not (as_json or is_quiet()):
        for about, rows, left_out in showing.sections(plan):
            for line in about:
                summarise(printable(line))
            if rows:
                print_table([[f"  {row[0]}", *row[1:]] for row in rows], left={0, 1, 2, 6, 7})
            for line in left_out:
                summarise(printable(line))
        for line in showing.board_lines(plan):
            summarise(printable(line))
    found = showing.unsure(plan)
    if yes or not (found or sys.stdin.isatty()):
        for one in found if not as_json else ():
            note(printable(f"{one.about}? {one.taken} is taken"))
        return
    lines = "\n".join(map(printable, showing.unsure_lines(found)))
    if sys.stdin.isatty() and not as_json:
        if lines:
            summarise(f"Not certain:\n{lines}")
        click.confirm("Is this right?", default=not found, abort=True)
        return
    raise UserError(
        "", f"not certain, and nothing was written; say what is right, or take it so with --yes:\n{lines}"
    )


def _printed(done: Sequence[StoredResult], as_json: bool) -> list[dict[str, Any]]:
    from evaluator.exchange.results.storing import summary

    if not as_json:
        summarise(summary(done))
    return [{"status": one.status, "result": one.result.plain(), "lost_suites": []} for one in done]
