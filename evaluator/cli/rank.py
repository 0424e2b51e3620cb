"""``steelyard rank``: a board, or any table of numbers, ranked in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.difficulty_rank import SCORES, difficulty_options, rank_by_difficulty, refuse
from evaluator.cli.options import (
    Assignment,
    OneOf,
    board_option,
    check_known,
    completes,
    json_option,
    results_option,
)
from evaluator.cli.printing import print_json
from evaluator.cli.rank_printing import print_ranking
from evaluator.cli.rank_source import STDIN, Table, Threshold, numbers_table, stored_table

#: Files that hold tables of numbers.
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
#: Options that mean nothing to a ranking by a difficulty.
OF_SCORES = {
    "base": "base",
    "weights": "weight",
    "dataset_weights": "dataset-weight",
    "costs": "lower-is-better",
    "caps": "cap",
    "epsilon": "epsilon",
    "epsilon_absolute": "epsilon-absolute",
    "rate": "rate",
    "missing": "missing",
}

if TYPE_CHECKING:
    from evaluator.rank.dynascore import Columns, Question


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
    " wood or wmprob, which the options from --dataset on are about.  [default: dynascore]",
)
@difficulty_options
@board_option
@results_option
@json_option
def command(
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
    board_file: Path,
    results: Path | None,
    as_json: bool,
    **difficulty: Any,
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
      steelyard rank anli --dataset anli-r1 --by wmprob --splits 5
    """
    if by not in SCORES:
        _rank_by_difficulty(table, by, difficulty, board_file, results, as_json)
        return
    refuse(difficulty, by)
    from evaluator.rank.dynascore import EPSILON, Question
    from evaluator.rank.significance import CONFIDENCE
    from evaluator.score.certainty import Doubts, ranking_document, sure_of

    if epsilon is not None and epsilon_absolute is not None:
        raise click.UsageError("--epsilon and --epsilon-absolute: give one of them")
    threshold = _threshold(epsilon, epsilon_absolute)
    if _is_file(table):
        if confidence is not None:
            raise click.UsageError("--confidence: a file does not say how its numbers vary; rank a board")
        limits = threshold or (EPSILON, "relative")
        found = numbers_table(table, base, costs, dict(caps), limits, missing or "unranked")
    elif costs or caps:
        raise click.UsageError("--lower-is-better and --cap are for files; a board's are in board.toml")
    else:
        found = stored_table(table, board_file, results, base, threshold, missing)
    _check_weights(found, weights, dataset_weights)
    question = Question(
        dict(weights) or found.weights,
        dict(dataset_weights) or found.dataset_weights,
        by=by.replace("-", "_"),
        rate=rate,
    )
    columns = _ranked(found, question)
    level = confidence or CONFIDENCE
    sure = sure_of(found.certainty, question, columns, level) if found.certainty else None
    if as_json:
        doubts = {model: Doubts.of(entry) for model, entry in found.entries.items()}
        print_json(ranking_document(found.board, found.board.ranking(question), sure, doubts))
    else:
        print_ranking(found, columns, by, sure)


def _check_weights(
    table: Table, weights: tuple[tuple[str, float], ...], dataset_weights: tuple[tuple[str, float], ...]
) -> None:
    for name, _ in weights:
        check_known("--weight", name, table.board.metrics, "the board has no such metric")
    for name, _ in dataset_weights:
        check_known("--dataset-weight", name, table.board.values, "the board has no such dataset")


def _rank_by_difficulty(
    table: str, by: str, difficulty: dict[str, Any], board_file: Path, results: Path | None, as_json: bool
) -> None:
    """Rank a board by a difficulty; a CSV has none, and weights mean nothing to it."""
    if _is_file(table):
        raise click.UsageError(f"--by {by}: a file has no difficulties; use {' or '.join(SCORES)}")
    given = click.get_current_context().params
    for name, option in OF_SCORES.items():
        if given[name] not in (None, ()):
            raise click.UsageError(f"--{option} is for {' and '.join(SCORES)}, and --by is {by}")
    rank_by_difficulty(table, by, difficulty, board_file, results, as_json)


def _threshold(epsilon: float | None, absolute: float | None) -> Threshold | None:
    if absolute is not None:
        return absolute, "absolute"
    return None if epsilon is None else (epsilon, "relative")


def _is_file(table: str) -> bool:
    path = Path(table)
    return table == STDIN or table.lower().endswith(SUFFIXES) or (path.exists() and not path.is_dir())


def _ranked(table: Table, question: Question) -> Columns:
    try:
        return table.board.columns(question)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
