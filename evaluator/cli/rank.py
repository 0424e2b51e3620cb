"""``steelyard rank``: a board with its stored results, or any table of numbers, ranked in the terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.difficulty_rank import SCORES, Setting, rank_by_difficulty
from evaluator.cli.options import (
    Assignment,
    OneOf,
    Project,
    board_of,
    check_known,
    completes,
    project_options,
    refuse_options_of_others,
)
from evaluator.cli.printing import print_json
from evaluator.cli.rank_printing import print_ranking

if TYPE_CHECKING:
    from evaluator.rank.dynascore import Board, RankedMetric
    from evaluator.rank.rank_sets import Certainty
    from evaluator.records.board import BoardEntry

#: What stands for standard input, and what messages call it.
STDIN, STDIN_NAME = "-", "standard input"
#: What may be between cells; the one that is most frequent in the header is.
DELIMITERS = ",\t;"
#: What a cell without a number may say in place of nothing.
MISSING = ("", "-", "–", "—")
#: How far apart two models must be on the base metric to count, and whether that is "relative" or "absolute".
Threshold = tuple[float, str]


@dataclass(frozen=True)
class Table:
    """What to rank, its default weights, and how many decimals to show.

    `entries` say of a board's models which numbers are kept apart or in doubt, and `certainty` how sure
    their ranks are; a table has neither.
    """

    board: Board
    weights: dict[str, float]
    dataset_weights: dict[str, float]
    decimals: dict[str, int]
    entries: Mapping[str, BoardEntry] = field(default_factory=dict)
    certainty: Certainty | None = None


def stored_table(
    project: Project, board_id: str, base: str | None, threshold: Threshold | None, missing: str | None
) -> Table:
    """A board of the board file with its stored results. Raises `click.UsageError` for names it lacks."""
    from evaluator.rank.dynascore import Board
    from evaluator.rank.rank_sets import Certainty
    from evaluator.score.certainty import assemble_board, sampled

    spec = board_of(project.boards, board_id, "TABLE", "no file is of that name, and no board of that id")
    if base is not None:
        check_known(
            "--base", base, [metric.name for metric in spec.metrics], f"{board_id} has no such metric"
        )
    store = project.store
    assembled = assemble_board(spec, project.boards, store, store.results())
    if not assembled.entries:
        raise ValueError(f"board {board_id} has no results in {store.root}; run: steelyard evaluate")
    changes = {"base": base, "missing": missing}
    if threshold:
        changes |= {"epsilon": threshold[0], "epsilon_kind": threshold[1]}  # type: ignore[dict-item]
    data = assembled.data | {name: value for name, value in changes.items() if value is not None}
    board = Board.from_dict(data)
    return Table(
        board,
        assembled.metric_weights,
        assembled.dataset_weights,
        {metric.name: metric.decimals for metric in spec.metrics},
        assembled.entries,
        Certainty.from_dict(board, sampled(assembled, store)),
    )


def numbers_table(
    source: str,
    base: str | None,
    costs: tuple[str, ...],
    caps: dict[str, float],
    threshold: Threshold,
    missing: str,
) -> Table:
    """A table of numbers, from a file or ``-``. Raises `click.UsageError` for columns it lacks."""
    from evaluator.rank.dynascore import Board

    where, models, columns = read_numbers(source)
    names = list(columns)
    for option, given in (("--lower-is-better", costs), ("--cap", caps), ("--base", [base] if base else ())):
        for name in given:
            check_known(option, name, names, f"{where} has no such column")
    metrics = [_metric(name, name in costs or name in caps, caps.get(name)) for name in names]
    epsilon, kind = threshold
    board = Board(
        models,
        metrics,
        {"": columns},
        base or names[0],
        epsilon=epsilon,
        epsilon_kind=kind,
        missing=missing,
    )
    return Table(board, board.default_weights(), {"": 1.0}, dict.fromkeys(names, 2))


def _metric(name: str, cost: bool, cap: float | None) -> RankedMetric:
    from evaluator.rank.dynascore import RankedMetric

    return RankedMetric(name, -1, cap) if cost else RankedMetric(name)


def read_numbers(source: str) -> tuple[str, list[str], dict[str, list[float | None]]]:
    """The table in a file, or in standard input for ``-``: what messages call it, the models in its first
    column, and for each metric their numbers, None where a cell is empty.

    Commas, tabs or semicolons are between the cells of texts; a number beside semicolons may have a comma for
    the decimal point, as in much of the world. Raises `UserError` naming file, line and column.
    """
    from evaluator.data.tables import FORMS, content, decoded, form_of, read_table
    from evaluator.records.errors import UserError

    where = STDIN_NAME if source == STDIN else source
    file = sys.stdin.buffer.read() if source == STDIN else Path(source)
    form, delimiter = form_of(source), ","
    if form not in FORMS or form == "tsv":
        form = "csv"
    if form == "csv":
        header = decoded(content(file, where), where).partition("\n")[0]
        delimiter = max(DELIMITERS, key=header.count)
    table = read_table(file, form, where, delimiter=delimiter)
    table.refuse_bad()
    frame = table.frame.rename(columns=lambda name: str(name).strip())
    names = list(frame.columns)
    if len(names) < 2 or names[0].lower() != "model":
        found = ", ".join(map(repr, names)) or "nothing"
        raise UserError(f"{where}:1", f'the header must be "model" and at least one metric, not {found}')
    if "" in names:
        raise UserError(f"{where}:1", "a column has no name", "give every column one")
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise UserError(f"{where}:1", f"column {repeated!r} occurs more than once", "give each its own name")
    if frame.empty:
        raise UserError(where, "no models", "give it at least one row under the header")
    models = frame[names[0]].map(str)
    for line, model in models.items():
        if not model.strip():
            raise UserError(f"{where}:{line}: model", "missing", "give every row a name")
    for line, model in models[models.duplicated()].items():
        first = models.index[models == model][0]
        raise UserError(f"{where}:{line}: model", f"{model!r} is on line {first} too", "keep one of them")
    columns = {
        name: [
            _number(cell, delimiter == ";", f"{where}:{line}: {name}") for line, cell in frame[name].items()
        ]
        for name in names[1:]
    }
    return where, models.tolist(), columns


def _number(cell: Any, has_commas: bool, place: str) -> float | None:
    import pandas as pd

    from evaluator.data.tasks import show
    from evaluator.rank.dynascore import LARGEST
    from evaluator.records.errors import UserError

    if cell is None or cell is pd.NA or (isinstance(cell, str) and cell.strip() in MISSING):
        return None
    try:
        value = float(cell.replace(",", ".") if has_commas and isinstance(cell, str) else cell)
    except (TypeError, ValueError):
        raise UserError(place, f"{show(cell)} is not a number", "leave a missing value empty") from None
    if math.isnan(value) or not abs(value) <= LARGEST:
        problem = f"{show(cell)} is not a finite number up to {LARGEST:g}"
        raise UserError(place, problem, "correct it or leave it empty")
    return value


#: Files that hold tables of numbers.
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
#: Options that are for some rankings alone.
OF_DIFFICULTIES = {"dataset", "settings"}
OF_SCORES = {"base", "weights", "dataset_weights", "costs", "caps", "epsilon", "epsilon_absolute", "rate"}
OF_SCORES |= {"missing"}
BY = {"dynascore and z-score": OF_SCORES, "a difficulty": OF_DIFFICULTIES}
FILES, BOARDS = "files (a board's are in board.toml)", "boards (a file does not say how its numbers vary)"
OF = {FILES: {"costs", "caps"}, BOARDS: {"confidence"}}


@click.command("rank")
@click.argument("table", shell_complete=completes("boards"))
@click.option("--base", help="The base metric; for a file the first column of numbers unless given.")
@click.option(
    "--weight", "weights", type=Assignment(), multiple=True, help="A metric's weight; others weigh 0."
)
@click.option(
    "--dataset-weight", "dataset_weights", type=Assignment(), multiple=True, help="A dataset's weight."
)
@click.option("--lower-is-better", "costs", multiple=True, metavar="METRIC", help="A cost; see --cap.")
@click.option(
    "--cap",
    "caps",
    type=Assignment(),
    multiple=True,
    help="A cost enters as cap - value, else as max - value.",
)
@click.option("--epsilon", type=float, help="Relative threshold for near-equal pairs.  [default: 0.0001]")
@click.option("--epsilon-absolute", type=float, help="Absolute threshold, instead of --epsilon.")
@click.option(
    "--rate",
    type=OneOf(["mean", "ratio"]),
    help="Exchange rates: the mean of the pairs' slopes, or the ratio of the sums of differences.",
)
@click.option("--missing", type=OneOf(["unranked", "worst"]), help="What an empty cell does.")
@click.option(
    "--confidence",
    type=click.FloatRange(0.5, 1, max_open=True),
    help="Of a board's rank sets: each holds the model's rank with this probability.  [default: 0.95]",
)
@click.option(
    "--by",
    metavar="NAME",
    default="dynascore",
    help="dynascore, z-score (the weighted mean of z-scores), or the name of a difficulty, such as wsbias-1,"
    " wood or wmprob, which --dataset and --set are about.  [default: dynascore]",
)
@click.option(
    "--dataset",
    shell_complete=completes("datasets"),
    help="Which of the board's datasets, where several have difficulties.",
)
@click.option(
    "--set",
    "settings",
    type=Setting(),
    multiple=True,
    help="How to rank by a difficulty: kind, splits, thresholds, case (or reward and penalty), scale,"
    " weights, ties, zeros, clip, factor, percents of WOOD; resamples and seed of the intervals.",
)
@project_options("board", "results", "json")
def command(
    project: Project,
    table: str,
    base: str | None,
    weights: tuple[tuple[str, float], ...],
    dataset_weights: tuple[tuple[str, float], ...],
    costs: tuple[str, ...],
    caps: tuple[tuple[str, float], ...],
    epsilon: float | None,
    epsilon_absolute: float | None,
    rate: str | None,
    missing: str | None,
    confidence: float | None,
    by: str,
    dataset: str | None,
    settings: tuple[tuple[str, Any], ...],
) -> None:
    """Rank TABLE: the id of a board, or a file with a first column "model" and metrics beside it.

    The file has commas, tabs or semicolons between its cells (with semicolons, numbers may have decimal
    commas), and may be in UTF-16 or a .gz; "-" is standard input. An empty cell is a missing number.

    Without --weight, half of the weight is on the base metric and the rest is shared equally (for a
    board: the board's own weights). On a board, a number of an invalid timing counts as missing, and one
    of a suspect timing has a "?" behind it; notes say why.

    Beside each rank of a board is its rank set: the ranks that the model may hold under other examples from
    the same source. It is unknown for numbers that were published without examples, as all of a file are.

    \b
    Examples:
      steelyard rank sst-2 --weight accuracy=4 --weight memory=1
      steelyard rank table.csv --base perf --weight perf=4 --weight memory=1 --cap memory=32
      cut -f 1-4 results.tsv | steelyard rank - --lower-is-better memory
      steelyard rank anli --dataset anli-r1 --by wmprob --set splits=5
    """
    kind = "dynascore and z-score" if by in SCORES else "a difficulty"
    refuse_options_of_others(BY, [kind], f"--by is {by}")
    if by not in SCORES:
        if _is_file(table):
            raise click.UsageError(f"--by {by}: a file has no difficulties; use {' or '.join(SCORES)}")
        rank_by_difficulty(project, table, by, dataset, dict(settings))
        return
    from evaluator.rank.dynascore import EPSILON, Question
    from evaluator.rank.significance import CONFIDENCE
    from evaluator.score.certainty import Doubts, board_rank_sets, ranking_document

    if epsilon is not None and epsilon_absolute is not None:
        raise click.UsageError("--epsilon and --epsilon-absolute: give one of them")
    threshold: Threshold | None = None
    if epsilon is not None:
        threshold = epsilon, "relative"
    elif epsilon_absolute is not None:
        threshold = epsilon_absolute, "absolute"
    is_file = _is_file(table)
    ranked, this = (FILES, "a file") if is_file else (BOARDS, "a board")
    refuse_options_of_others(OF, [ranked], f"{table} is {this}")
    if is_file:
        limits = threshold or (EPSILON, "relative")
        found = numbers_table(table, base, costs, dict(caps), limits, missing or "unranked")
    else:
        found = stored_table(project, table, base, threshold, missing)
    for name, _ in weights:
        check_known("--weight", name, found.board.metrics, "the board has no such metric")
    for name, _ in dataset_weights:
        check_known("--dataset-weight", name, found.board.values, "the board has no such dataset")
    question = Question(
        dict(weights) or found.weights,
        dict(dataset_weights) or found.dataset_weights,
        by=by.replace("-", "_"),
        rate=rate,
    )
    try:
        columns = found.board.columns(question)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    level = confidence or CONFIDENCE
    rank_sets = board_rank_sets(found.certainty, question, columns, level) if found.certainty else None
    if project.as_json:
        doubts = {model: Doubts.of(entry) for model, entry in found.entries.items()}
        print_json(ranking_document(found.board, found.board.ranking(question), rank_sets, doubts))
    else:
        print_ranking(found, columns, by, rank_sets)


def _is_file(table: str) -> bool:
    path = Path(table)
    return table == STDIN or table.lower().endswith(SUFFIXES) or (path.exists() and not path.is_dir())
