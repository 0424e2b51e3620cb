"""The project that commands work on, and options that several of them share."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from evaluator.records.errors import nearest_file, or_one_of

if TYPE_CHECKING:
    from evaluator.data.datasets import Dataset
    from evaluator.records.board import Boards, BoardSpec, DatasetSpec
    from evaluator.records.references import Source
    from evaluator.records.store import Store


class ExistingPath(click.Path):
    """A path that is there, or an error that names the closest one."""

    def __init__(self, dir_okay: bool = True, file_okay: bool = True) -> None:
        super().__init__(exists=True, dir_okay=dir_okay, file_okay=file_okay, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            near = "" if Path(value).exists() else nearest_file(Path(value))
            if not near:
                raise
            raise click.BadParameter(error.message.removesuffix(".") + near, ctx, param) from None


Command = TypeVar("Command", bound=Callable[..., Any])
Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

_FOLDER = click.Path(file_okay=False, path_type=Path)
#: Options of commands that work on a project, in the order in which help lists them.
PROJECT_OPTIONS = {
    "data": click.option(
        "--data",
        type=_FOLDER,
        envvar="STEELYARD_DATA",
        help="Where dataset paths start; default: what the board file says.",
    ),
    "board": click.option(
        "--board",
        "board_file",
        type=click.Path(dir_okay=False, path_type=Path),
        default=Path("board.toml"),
        show_default=True,
        help="The file that describes the boards.",
    ),
    "results": click.option(
        "--results", type=_FOLDER, help="Where results are; default: what the board file says."
    ),
    "work": click.option(
        "--work",
        type=_FOLDER,
        help="Where prepared models, suites and interrupted runs are; default: .steelyard beside the board"
        " file.",
    ),
    "json": click.option("--json", "as_json", is_flag=True, help="Print JSON."),
}
#: For commands that work on no project.
json_option = PROJECT_OPTIONS["json"]


@dataclass(frozen=True)
class Project:
    """A board file with its folders, as a command was given them; None where it is what the file says."""

    board_file: Path = Path("board.toml")
    given_data: Path | None = None
    given_results: Path | None = None
    given_work: Path | None = None
    as_json: bool = False

    @cached_property
    def boards(self) -> Boards:
        """What the board file says, read when it is first asked for. Raises `UserError`.

        Datasets whose malformed rows were left out by an evaluation are read so by every command.
        """
        from evaluator.records.board import load_boards
        from evaluator.records.store import Store

        boards = load_boards(self.board_file)
        return boards.skipping_malformed(Store(self.given_results or self.root / boards.results).skipped)

    @cached_property
    def scoring_boards(self) -> Boards:
        """The same; metrics read the weights that it names from now on. Raises `UserError`."""
        from evaluator.score.metrics import use_checkpoints

        use_checkpoints(self.boards.checkpoints, self.root)
        return self.boards

    @property
    def root(self) -> Path:
        """The folder of the board file, where its paths start."""
        return self.board_file.parent

    @property
    def data(self) -> Path:
        """Where the paths of datasets start."""
        return self.given_data or self.root / self.boards.data

    @property
    def work(self) -> Path:
        """What can be made again: prepared models, suites, interrupted runs."""
        return self.given_work or self.root / ".steelyard"

    @cached_property
    def store(self) -> Store:
        """The results."""
        from evaluator.records.store import Store

        return Store(self.given_results or self.root / self.boards.results)

    def writable_store(self) -> Store:
        """The results of a command that will write there. Raises `UserError` before any work is done."""
        from evaluator.records.scratch import ready_to_write

        ready_to_write(self.store.root)
        return self.store

    def dataset(self, name: str, what: str = "DATASET") -> Dataset:
        """The dataset of that id, read. Raises `click.UsageError` that suggests one, and `UserError`."""
        from evaluator.data.datasets import read_dataset
        from evaluator.score.examples import dataset_source

        return read_dataset(dataset_source(dataset_of(self.boards, name, what), self.data))


def project_options(*names: str) -> Callable[[Command], Command]:
    """Add these options of `PROJECT_OPTIONS`; the command gets them all as one `Project`, its first argument.

    It is the innermost decorator, so that these options come last.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_project(**given: Any) -> Any:
            folders = {f"given_{name}": given.pop(name, None) for name in ("data", "results", "work")}
            others = {name: given.pop(name) for name in ("board_file", "as_json") if name in given}
            return command(Project(**folders, **others), **given)

        for name in reversed(PROJECT_OPTIONS):
            if name in names:
                PROJECT_OPTIONS[name](with_project)
        return cast(Command, with_project)

    return decorate


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


def refuse_options_of_others(options: Mapping[str, Iterable[str]], kinds: Iterable[str], this: str) -> None:
    """Raise `click.UsageError` for an option on the command line that says nothing of these `kinds`.

    `options` has the parameters that are for some kinds alone, by kind; `this` says what the command does, as
    in "this checks a round".
    """
    context, kinds = click.get_current_context(), set(kinds)
    for parameter in context.command.params:
        whose = [kind for kind, names in options.items() if parameter.name in names]
        given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if given and whose and kinds.isdisjoint(whose):
            wanted = " and ".join(whose)
            raise click.UsageError(f"{parameter.opts[0]}: is for {wanted}, and {this}; leave it out")


def board_of(
    boards: Boards, name: str, what: str = "BOARD", problem: str = "the board file has no such board"
) -> BoardSpec:
    """The board of that id. Raises `click.UsageError` that suggests one."""
    known = {board.id: board for board in boards.boards}
    check_known(what, name, known, problem)
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


class TradeOff(click.ParamType[tuple[str, str]]):
    """``name=amount``, such as ``memory=100 MB``; names may hold ``=``, the last one separates."""

    name = "name=amount"

    def convert(
        self, value: str, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[str, str]:
        name, sign, amount = value.rpartition("=")
        if not sign:
            self.fail(f'{value!r}: write it as name=amount, such as memory="100 MB" or throughput="10 %"')
        return name, amount


def declared_trades(
    given: Iterable[tuple[str, str]], units: Mapping[str, str | None], base: str
) -> dict[str, float | str]:
    """What ``--trade`` says one unit of the base metric is worth, in the `units` of the metrics.

    Raises `click.UsageError` for a metric that is not there, the base metric, and what is no amount.
    """
    from evaluator.records.amounts import amount

    found: dict[str, float | str] = {}
    for name, text in given:
        check_known("--trade", name, units, "the board has no such metric")
        if name == base:
            problem = "is the base metric, of which one unit is what others are worth; leave it out"
            raise click.UsageError(f"--trade {name}: {problem}")
        try:
            found[name] = amount(text, units[name])
        except ValueError as error:
            raise click.UsageError(f"--trade {name}: {error}") from None
    return found


#: Fields that are lists of numbers.
LISTS = ("percentages", "percents", "thresholds", "weights")


class Setting(click.ParamType[tuple[str, Any]]):
    """``field=value``: a number, numbers with commas between them, or a word."""

    name = "field=value"

    def convert(
        self, value: str, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[str, Any]:
        name, sign, given = value.partition("=")
        if not sign:
            self.fail(f"{value!r}: write it as field=value, such as splits=5")
        try:
            numbers = [float(part) if "." in part or "e" in part else int(part) for part in given.split(",")]
        except ValueError:
            if name in LISTS:
                self.fail(f"{given!r} is not numbers; write them with commas between, such as 0.3,0.6")
            return name, given
        return name, numbers if name in LISTS or len(numbers) > 1 else numbers[0]


def given_once(
    context: click.Context, parameter: click.Parameter, values: tuple[tuple[str, Any], ...]
) -> tuple[tuple[str, Any], ...]:
    """``name=value`` options, each name at most once: the last must not win in silence."""
    names = [name for name, _ in values]
    for name in names:
        if names.count(name) > 1:
            raise click.BadParameter(f"{name!r} is given twice; give it once")
    return values


def named_option(
    option: str, name: str, kind: click.ParamType[Any], about: str
) -> Callable[[Command], Command]:
    """An option that may be given several times, once for each name on its left."""
    return click.option(option, name, type=kind, multiple=True, callback=given_once, help=about)


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


def _source(context: click.Context, parameter: click.Parameter, value: str | None) -> Source | None:
    """A citation, and the address behind it if there is one."""
    from pydantic import ValidationError

    from evaluator.data.tasks import is_text, show
    from evaluator.records.references import Source

    if value is None:
        return None
    text, _, address = value.strip().rpartition(" ")
    if not address.startswith(("https://", "http://")):
        text, address = value, ""
    if not (text.strip() and is_text(value)):
        raise click.BadParameter(f"{show(value)} is no citation; write it as TEXT or TEXT, URL, in UTF-8")
    try:
        return Source(citation=text.strip().rstrip(","), link=address or None)
    except ValidationError as error:
        raise click.BadParameter(f"{address!r}: {error.errors()[0]['ctx']['error']}") from None


source_option = click.option(
    "--source",
    callback=_source,
    metavar="TEXT[, URL]",
    help="Where the numbers or answers were published: a citation, and its address.",
)
