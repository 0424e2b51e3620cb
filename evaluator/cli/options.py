"""Options that several commands share."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from evaluator.records.names import did_you_mean, or_one_of

if TYPE_CHECKING:
    from evaluator.data.tasks import Task
    from evaluator.records.board import Boards, BoardSpec, DatasetSpec
    from evaluator.records.store import Store

Command = TypeVar("Command", bound=Callable[..., Any])
Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

board_option = click.option(
    "--board",
    "board_file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("board.toml"),
    show_default=True,
    help="The file that describes the boards.",
)
data_option = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="STEELYARD_DATA",
    help="Where dataset paths start; default: what the board file says.",
)
results_option = click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where results are; default: what the board file says.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
work_option = click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where prepared models and interrupted runs are; default: .steelyard beside the board file.",
)


class DefaultGroup(click.Group):
    """A group that takes a word that is no command of it, or an option, for what its command `default` is
    given; `alone`: without any word it runs that command, too."""

    def __init__(self, name: str, *, default: str, alone: bool, **named: Any) -> None:
        super().__init__(name, no_args_is_help=not alone, **named)
        self.default, self.alone = default, alone

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        word, *more = arguments or [""]
        # Before another word it may be a command with an error in it.
        misspelt = bool(more) and not more[0].startswith("-") and did_you_mean(word, tuple(self.commands))
        known = word in self.commands or word in context.help_option_names or misspelt
        if not known and (arguments or self.alone):
            arguments = [self.default, *arguments]
        return super().parse_args(context, arguments)


def project_options(command: Command) -> Command:
    """Add --data, --board, --results and --json: for work on a board's data and results."""
    for option in (json_option, results_option, board_option, data_option):
        command = option(command)
    return command


def completes(*tables: str) -> Completer:
    """Completes ids of these tables of the board file, such as ``models``; else names of files."""

    def complete(context: click.Context, parameter: click.Parameter, start: str) -> list[CompletionItem]:
        try:
            document = tomllib.loads(Path(context.params["board_file"]).read_text(encoding="utf-8"))
            ids = [str(row["id"]) for table in tables for row in document.get(table, ())]
        except (OSError, ValueError, LookupError, TypeError):
            ids = []  # Nobody who presses Tab wants to read what is wrong with a file.
        found = [CompletionItem(one) for one in ids if one.startswith(start)]
        return found or [CompletionItem(start, type="file")]

    return complete


def check_known(what: str, name: str, known: Iterable[str], problem: str) -> None:
    """Raise `click.UsageError` if `name` is not known: where it was given, the problem, and what fits."""
    names = list(known)
    if name not in names:
        raise click.UsageError(f"{what} {name!r}: {problem}{or_one_of(name, names)}")


def board_of(boards: Boards, name: str, what: str = "BOARD") -> BoardSpec:
    """The board of that id. Raises `click.UsageError` that suggests one."""
    known = {board.id: board for board in boards.boards}
    check_known(what, name, known, "the board file has no such board")
    return known[name]


def dataset_of(boards: Boards, name: str, what: str = "DATASET") -> DatasetSpec:
    """The dataset of that id, which can be read. Raises `click.UsageError` that suggests one."""
    readable = [spec.id for spec in boards.datasets if spec.readable]
    check_known(what, name, readable, "the board file has no such dataset to read")
    return boards.dataset(name)


class OneOf(click.Choice[str]):
    """One of a few words; the message about any other suggests the nearest."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        return f"{value!r} is not known{or_one_of(str(value), self.choices)}"


class Assignment(click.ParamType[tuple[str, float]]):
    """``name=number``; names may hold ``=``, the last one separates."""

    name = "name=number"

    def convert(
        self, value: str, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[str, float]:
        name, sign, number = value.rpartition("=")
        try:
            return (name, float(number)) if sign else self.fail(f"{value!r}: write it as name=number")
        except ValueError:
            self.fail(f"{value!r}: {number!r} is not a number; write it as name=number")


def pairs(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """``THEIRS=OURS`` options as a dict; the last ``=`` separates, since ids of ours hold none."""
    found: dict[str, str] = {}
    for value in values:
        theirs, sign, ours = value.rpartition("=")
        if not sign:
            raise click.BadParameter(f"{value!r}: write it as THEIRS=OURS")
        if theirs in found:
            raise click.BadParameter(f"{value!r}: {theirs!r} is given twice; give it once")
        found[theirs] = ours
    return found


def checked_link(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """An address that hides nothing, as records hold them."""
    from evaluator.records.base import check_link

    try:
        return value if value is None else check_link(value)
    except ValueError as error:
        raise click.BadParameter(f"{value!r}: {error}") from None


def results_directory(board_file: Path, boards: Boards, given: Path | None) -> Path:
    """The results directory: as given, else as board.toml says, relative to it."""
    return given if given is not None else board_file.parent / boards.results


def writable_store(board_file: Path, boards: Boards, given: Path | None) -> Store:
    """The results of a command that will write there. Raises `UserError` before any work is done."""
    from evaluator.records.scratch import ready_to_write
    from evaluator.records.store import Store

    store = Store(results_directory(board_file, boards, given))
    ready_to_write(store.root)
    return store


def chosen_labels(task: Task, given: str | None) -> tuple[str, ...]:
    """The labels as given, with commas between them, else the task's first set; checked by the task.

    Raises `click.UsageError` if they do not fit, or if a task without labels of its own gets none.
    """
    from evaluator.data.tasks import FieldError

    labels = task.in_labels(given.split(",")) if given else (task.label_sets or ((),))[0]
    try:
        task.check_labels(labels)
    except FieldError as error:
        raise click.UsageError(f"--{error}") from None
    return labels
