"""``steelyard rank``: a board with its stored results, or any table of numbers, ranked in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.difficulty import SCORES, rank_by_difficulty
from evaluator.cli.options import (
    Assignment,
    OneOf,
    Project,
    Setting,
    board_of,
    check_known,
    completes,
    project_options,
    refuse_options_of_others,
)
from evaluator.cli.printing import GOOD, decimal, is_quiet, note, print_json, print_table, printable

if TYPE_CHECKING:
    from evaluator.rank.dynascore import Board, Columns
    from evaluator.rank.rank_sets import Certainty
    from evaluator.records.board import BoardEntry
    from evaluator.score.certainty import BoardRankSets

#: What stands for standard input.
STDIN = "-"
#: Beside a number whose timing is suspect.
SUSPECT = "?"
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
    from evaluator.data.numbers import read_numbers
    from evaluator.rank.dynascore import Board, RankedMetric

    where, models, columns = read_numbers(source)
    names = list(columns)
    for option, given in (("--lower-is-better", costs), ("--cap", caps), ("--base", [base] if base else ())):
        for name in given:
            check_known(option, name, names, f"{where} has no such column")
    metrics = [
        RankedMetric(name, -1, caps.get(name)) if name in costs or name in caps else RankedMetric(name)
        for name in names
    ]
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


#: Files that hold tables of numbers.
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
#: Options that are for some rankings alone.
OF_SCORES = {"base", "weights", "dataset_weights", "costs", "caps", "epsilon", "epsilon_absolute", "rate"}
OF_SCORES |= {"missing"}
BY = {"dynascore and z-score": OF_SCORES, "a difficulty": {"settings"}}
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
    " wood or wmprob, which --set is about.  [default: dynascore]",
)
@click.option(
    "--set",
    "settings",
    type=Setting(),
    multiple=True,
    help="How to rank by a difficulty: dataset, where the board has several; kind, splits, thresholds, case"
    " (or reward and penalty), scale, weights, ties, zeros, clip, factor, percents of WOOD; resamples and"
    " seed of the intervals.",
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
      steelyard rank anli --by wmprob --set dataset=anli-r1 --set splits=5
    """
    kind = "dynascore and z-score" if by in SCORES else "a difficulty"
    refuse_options_of_others(BY, [kind], f"--by is {by}")
    if by not in SCORES:
        if _is_file(table):
            raise click.UsageError(f"--by {by}: a file has no difficulties; use {' or '.join(SCORES)}")
        rank_by_difficulty(project, table, by, dict(settings))
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


def print_ranking(table: Table, columns: Columns, by: str, rank_sets: BoardRankSets | None) -> None:
    """Print the models by rank; unless --quiet was given, exchange rates and notes too.

    A rank set that begins at 1 is green, as any of these models may lead.
    """
    from evaluator.rank.significance import set_words

    board, order = table.board, columns.order
    ranks = [None if rank != rank else int(rank) for rank in (columns.ranks[index] for index in order)]
    shown = [["rank", *("-" if rank is None else str(rank) for rank in ranks)]]
    models = [board.models[index] for index in order]
    first = ["", *(GOOD if _leads(rank_sets, *one) else "" for one in zip(models, ranks, strict=True))]
    if rank_sets:
        shown.append(
            [
                f"{100 * rank_sets.confidence:.4g} % set",
                *(set_words(rank_sets.sets[model]) for model in models),
            ]
        )
    left = len(shown)
    shown.append(["model", *(printable(board.model_label(model)) for model in models)])
    shown.append(["Dynascore", *_in_order(columns.scores, order)])
    if columns.z_scores is not None:
        shown.append(["z-score", *_in_order(columns.z_scores, order)])
    shown += [
        [printable(board.metric_label(name)), *_figures(table, columns, name)] for name in board.metrics
    ]
    colours = dict.fromkeys(range(left), first)
    print_table(list(zip(*shown, strict=True)), {left}, colours)
    if not is_quiet():
        _print_rates(board, columns)
        for line in (
            *columns.notes,
            *_notes(table),
            *(_rank_set_notes(board, models, by, rank_sets) if rank_sets else ()),
        ):
            note(printable(line))


def _leads(rank_sets: BoardRankSets | None, model: str, rank: int | None) -> bool:
    """Whether a model may be the first; where nothing is known of that, whether it is."""
    if rank_sets is None:
        return rank == 1
    found = rank_sets.sets[model]
    return found is not None and found[0] == 1


def _in_order(column: list[float], order: list[int], decimals: int = 2) -> list[str]:
    """Numbers of a column by rank; "-" for NaN, which differs from itself."""
    form = f"%.{decimals}f"
    return ["-" if (value := column[index]) != value else form % value for index in order]


def _figures(table: Table, columns: Columns, name: str) -> list[str]:
    """A metric's numbers by rank. Where one of them has a mark, every other leaves room for it."""
    figures = _in_order(columns.scale.values[name], columns.order, table.decimals[name])
    marked = {
        model for model, entry in table.entries.items() if any(name in one.metrics for one in entry.suspect)
    }
    if not marked:
        return figures
    models = [table.board.models[index] for index in columns.order]
    return [
        figure + (SUSPECT if model in marked and figure != "-" else " ")
        for model, figure in zip(models, figures, strict=True)
    ]


def _print_rates(board: Board, columns: Columns) -> None:
    rates = columns.scale.rates
    click.echo(
        f"\nExchange rates: units that trade for 1 unit of {printable(board.metric_label(board.base))}"
    )
    if rates:
        rows = [[printable(board.metric_label(name)), decimal(rate.rate, 4)] for name, rate in rates.items()]
        print_table(rows, left={0})


def _rank_set_notes(board: Board, models: Sequence[str], by: str, rank_sets: BoardRankSets) -> Iterator[str]:
    """What the rank sets say, and of which models nothing is known."""
    from evaluator.score.certainty import TARGET

    heat = [model for model in models if _leads(rank_sets, model, None)]
    if len(heat) > 1:
        names = ", ".join(board.model_label(model) for model in heat)
        yield (f"dead heat for the first rank, for {TARGET}: {names}")
    if rank_sets.smallest_gap is not None:
        unit = "" if by == "z-score" else " points"
        yield f"these examples tell apart gaps of {rank_sets.smallest_gap:.2g}{unit} and more"
    by_reason: dict[str, list[str]] = {}
    for model, reason in rank_sets.reasons.items():
        by_reason.setdefault(reason, []).append(board.model_label(model))
    for reason, models in by_reason.items():
        yield (f"rank set unknown, {reason}: {', '.join(models)}")


def _notes(table: Table) -> Iterator[str]:
    """Why numbers of a board's models are kept apart, or in doubt."""
    for entry in table.entries.values():
        for line in (*entry.kept_apart, *map(str, entry.suspect)):
            yield f"{entry.label}: {line}"
