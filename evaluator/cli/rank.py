"""``steelyard rank``: a board, or any CSV table, ranked in the terminal."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.difficulty_rank import difficulty_options, rank_by_difficulty, refuse
from evaluator.cli.options import Assignment, board_option, json_option, results_directory, results_option
from evaluator.cli.printing import decimal, print_json, print_table, printable

#: Beside a number whose timing is suspect.
SUSPECT = "?"
#: What a rank set is about.
TARGET = "other examples from the same source, at the exchange rates shown"
#: What a ranking may be by, besides the name of a difficulty.
SCORES = ("dynascore", "z-score")
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
    from evaluator.board import BoardEntry
    from evaluator.dynascore import Board, Question, RankedMetric, Ranking, RankingRow
    from evaluator.rank_sets import Certainty


@dataclass(frozen=True)
class Table:
    """What to rank, its default weights, and how many decimals to show.

    `entries` say of a board's models which numbers are kept apart or in doubt, and `certainty` how sure
    their ranks are; a CSV has neither.
    """

    board: Board
    weights: dict[str, float]
    dataset_weights: dict[str, float]
    decimals: dict[str, int]
    entries: Mapping[str, BoardEntry] = field(default_factory=dict)
    certainty: Certainty | None = None


@dataclass(frozen=True)
class Sure:
    """How sure a board's ranks are, by the ids of its models; see `evaluator.rank_sets`."""

    confidence: float
    sets: dict[str, tuple[int, int] | None]
    reasons: dict[str, str]
    leads: dict[str, float]
    separated: list[tuple[str, str]]
    smallest_gap: float | None


@click.command("rank")
@click.argument("table")
@click.option("--base", help="The base metric; for a CSV the first column of numbers unless given.")
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
    type=click.Choice(["mean", "ratio"]),
    help="Exchange rates: the mean of the pairs' slopes, or the ratio of the sums of differences.",
)
@click.option("--missing", type=click.Choice(["unranked", "worst"]), help="What an empty cell does.")
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
    """Rank TABLE: the id of a board, or a CSV file with a first column "model" and metrics beside it.

    Without --weight, half of the weight is on the base metric and the rest is shared equally (for a
    board: the board's own weights). On a board, a number of an invalid timing counts as missing, and one
    of a suspect timing has a "?" behind it; notes say why.

    Beside each rank of a board is its rank set: the ranks that the model may hold under other examples from
    the same source. It is unknown for numbers that were published without examples, as all of a CSV are.

    \b
    Examples:
      steelyard rank sst-2 --weight accuracy=4 --weight memory=1
      steelyard rank table.csv --base perf --weight perf=4 --weight memory=1 --cap memory=32
      steelyard rank anli --dataset anli-r1 --by wmprob --splits 5
    """
    if by not in SCORES:
        _rank_by_difficulty(table, by, difficulty, board_file, results, as_json)
        return
    refuse(difficulty, by)
    from evaluator.dynascore import EPSILON, Question
    from evaluator.significance import CONFIDENCE

    if epsilon is not None and epsilon_absolute is not None:
        raise click.UsageError("--epsilon and --epsilon-absolute: give one of them")
    threshold = _threshold(epsilon, epsilon_absolute)
    if _is_csv(table):
        path, limits = Path(table), threshold or (EPSILON, "relative")
        found = _csv_table(path, base, costs, dict(caps), limits, missing or "unranked")
        if confidence is not None:
            raise click.UsageError("--confidence: a CSV does not say how its numbers vary; rank a board")
    elif costs or caps:
        raise click.UsageError("--lower-is-better and --cap are for CSV tables; a board's are in board.toml")
    else:
        found = _stored_table(table, board_file, results, base, threshold, missing)
    question = Question(
        dict(weights) or found.weights,
        dict(dataset_weights) or found.dataset_weights,
        by=by.replace("-", "_"),
        rate=rate,
    )
    ranking = _ranked(found.board, question)
    sure = _sure(found.certainty, question, confidence or CONFIDENCE) if found.certainty else None
    print_json(_document(found, ranking, sure)) if as_json else _print(found, ranking, by, sure)


def _rank_by_difficulty(
    table: str, by: str, difficulty: dict[str, Any], board_file: Path, results: Path | None, as_json: bool
) -> None:
    """Rank a board by a difficulty; a CSV has none, and weights mean nothing to it."""
    if _is_csv(table):
        raise click.UsageError(f"--by {by}: a CSV has no difficulties; use {' or '.join(SCORES)}")
    given = click.get_current_context().params
    for name, option in OF_SCORES.items():
        if given[name] not in (None, ()):
            raise click.UsageError(f"--{option} is for {' and '.join(SCORES)}, and --by is {by}")
    rank_by_difficulty(table, by, difficulty, board_file, results, as_json)


def _threshold(epsilon: float | None, absolute: float | None) -> tuple[float, str] | None:
    if absolute is not None:
        return absolute, "absolute"
    return None if epsilon is None else (epsilon, "relative")


def _is_csv(table: str) -> bool:
    path = Path(table)
    return table.endswith(".csv") or (path.exists() and not path.is_dir())


def _ranked(board: Board, question: Question) -> Ranking:
    try:
        return board.rank(question.metrics, question.datasets, by=question.by, rate=question.rate)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _sure(certainty: Certainty, question: Question, confidence: float) -> Sure:
    board = certainty.board
    columns = board.columns(question)
    found = certainty.sets(question, columns, confidence)
    leads = certainty.leading(question, columns, found)
    models = board.models
    return Sure(
        confidence,
        dict(zip(models, found.sets, strict=True)),
        {models[index]: reason for index, reason in found.reasons.items()},
        {models[index]: share for index, share in leads.items()},
        [(models[higher], models[lower]) for higher, lower in found.separated],
        certainty.smallest_gap(question, confidence),
    )


def _stored_table(
    board_id: str,
    board_file: Path,
    results: Path | None,
    base: str | None,
    threshold: tuple[float, str] | None,
    missing: str | None,
) -> Table:
    from evaluator.board import load_boards
    from evaluator.dynascore import Board
    from evaluator.rank_sets import Certainty
    from evaluator.scoring.certainty import sampled
    from evaluator.scoring.floor import assemble_floored
    from evaluator.store import Store

    boards = load_boards(board_file)
    found = {board.id: board for board in boards.boards}
    if board_id not in found:
        raise click.UsageError(f"{board_id!r} is neither a CSV file nor one of the boards {', '.join(found)}")
    store = Store(results_directory(board_file, boards, results))
    assembled = assemble_floored(found[board_id], boards, store, store.results())
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
        {metric.name: metric.decimals for metric in found[board_id].metrics},
        assembled.entries,
        Certainty.from_dict(board, sampled(assembled, store)),
    )


def _csv_table(
    path: Path,
    base: str | None,
    costs: tuple[str, ...],
    caps: dict[str, float],
    threshold: tuple[float, str],
    missing: str,
) -> Table:
    from evaluator.dynascore import Board

    names, models, columns = _read_csv(path)
    for name in (*costs, *caps, *([base] if base else [])):
        if name not in names:
            raise click.UsageError(f"{name!r} is no column of {path}; it has {', '.join(names)}")
    metrics = [_metric(name, name in costs or name in caps, caps.get(name)) for name in names]
    epsilon, kind = threshold
    board = Board(
        models, metrics, {"": columns}, base or names[0], epsilon=epsilon, epsilon_kind=kind, missing=missing
    )
    return Table(board, board.default_weights(), {"": 1.0}, dict.fromkeys(names, 2))


def _metric(name: str, cost: bool, cap: float | None) -> RankedMetric:
    from evaluator.dynascore import RankedMetric

    return RankedMetric(name, -1, cap) if cost else RankedMetric(name)


def _read_csv(path: Path) -> tuple[list[str], list[str], dict[str, list[float | None]]]:
    """Column names, models, and a column of numbers for each name; None for an empty cell."""
    rows = _rows(path)
    _, header = next(rows, (1, []))
    names = header[1:]
    _check_header(path, header)
    models: list[str] = []
    columns: dict[str, list[float | None]] = {name: [] for name in names}
    for line, row in rows:
        if len(row) != len(header):
            raise ValueError(f"{path}:{line}: {len(row)} cells for {len(header)} columns")
        models.append(row[0])
        for name, cell in zip(names, row[1:], strict=True):
            columns[name].append(_number(cell, f"{path}:{line}: {name}"))
    if not models:
        raise ValueError(f"{path}: no models; give it at least one row under the header")
    return names, models, columns


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines of a CSV file that are not empty, each with its number."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        try:
            yield from ((reader.line_num, row) for row in reader if row)
        except UnicodeDecodeError:
            raise ValueError(f"{path}: has bytes that are not UTF-8; save the file as UTF-8") from None
        except csv.Error as error:
            raise ValueError(f"{path}:{reader.line_num}: {error}; correct the line") from None


def _check_header(path: Path, header: list[str]) -> None:
    if len(header) < 2 or header[0] != "model":
        raise ValueError(f'{path}:1: the header must be "model" and at least one metric, not {header!r}')
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise ValueError(f"{path}:1: column {twice[0]!r} occurs more than once")


def _number(cell: str, where: str) -> float | None:
    if not cell.strip():
        return None
    try:
        return float(cell)
    except ValueError:
        raise ValueError(f"{where}: {cell!r} is not a number; leave a missing value empty") from None


def _document(table: Table, ranking: Ranking, sure: Sure | None) -> dict[str, Any]:
    """The ranking; for a board also how sure it is, and which numbers are kept apart, and which in doubt."""
    document = ranking.to_dict()
    for row in document["models"]:
        if sure is not None:
            row["rank_set"] = sure.sets[row["model"]]
            row["rank_set_unknown"] = sure.reasons.get(row["model"])
            row["leads"] = sure.leads.get(row["model"], 0.0) if row["rank_set"] else None
        if entry := table.entries.get(row["model"]):
            row["reasons"] = list(entry.kept_apart)
            row["floored"] = table.board.models.index(row["model"]) in table.board.floored
            row["suspect"] = [
                {"dataset": timing.dataset, "metrics": timing.metrics, "reasons": timing.reasons}
                for timing in entry.suspect
            ]
    if sure is not None:
        document["confidence"], document["target"] = sure.confidence, TARGET
        document["separated"], document["smallest_gap"] = sure.separated, sure.smallest_gap
    return document


def _print(table: Table, ranking: Ranking, by: str, sure: Sure | None) -> None:
    from evaluator.significance import set_words

    board, z_scores, marked = table.board, by == "z-score", _marked(table)
    scores = ["Dynascore", "z-score"] if z_scores else ["Dynascore"]
    level = [f"{100 * sure.confidence:.4g} % set"] if sure else []
    header = ["rank", *level, "model", *scores, *map(board.metric_label, board.metrics)]
    rows = [
        [
            "-" if row.rank is None else str(row.rank),
            *([set_words(sure.sets[row.model])] if sure else []),
            board.model_label(row.model),
            decimal(row.dynascore),
            *([decimal(row.mean_z_score)] if z_scores else []),
            *(_figure(table, row, name, marked) for name in board.metrics),
        ]
        for row in ranking.rows
    ]
    print_table([header, *rows], left={1 + len(level)})
    rates = [
        [board.metric_label(name), decimal(rate.rate, 4)] for name, rate in ranking.exchange_rates.items()
    ]
    click.echo(f"\nExchange rates: units that trade for 1 unit of {board.metric_label(board.base)}")
    print_table(rates, left={0})
    for note in (*ranking.notes, *_notes(table), *(_sure_notes(board, ranking, by, sure) if sure else ())):
        click.echo(f"note: {note}")


def _sure_notes(board: Board, ranking: Ranking, by: str, sure: Sure) -> Iterator[str]:
    """What the rank sets say, and of which models nothing is known."""
    heat = [row.model for row in ranking.rows if (found := sure.sets[row.model]) and found[0] == 1]
    if len(heat) > 1:
        names = ", ".join(board.model_label(model) for model in heat)
        yield printable(f"dead heat for the first rank, for {TARGET}: {names}")
    if sure.smallest_gap is not None:
        unit = "" if by == "z-score" else " points"
        yield f"these examples tell apart gaps of {sure.smallest_gap:.2g}{unit} and more"
    by_reason: dict[str, list[str]] = {}
    for model, reason in sure.reasons.items():
        by_reason.setdefault(reason, []).append(board.model_label(model))
    for reason, models in by_reason.items():
        yield printable(f"rank set unknown, {reason}: {', '.join(models)}")


def _marked(table: Table) -> dict[str, set[str]]:
    """The models with a suspect number, by metric."""
    return {
        metric: {
            id_ for id_, entry in table.entries.items() if any(metric in t.metrics for t in entry.suspect)
        }
        for metric in table.board.metrics
    }


def _figure(table: Table, row: RankingRow, metric: str, marked: Mapping[str, set[str]]) -> str:
    """A number with its mark; in a column that has a mark every number leaves room for one."""
    figure = decimal(row.values[metric], table.decimals[metric])
    mark = SUSPECT if row.model in marked[metric] and row.values[metric] is not None else " "
    return figure + mark if marked[metric] else figure


def _notes(table: Table) -> Iterator[str]:
    """Why numbers of a board's models are kept apart, or in doubt."""
    for entry in table.entries.values():
        for line in (*entry.kept_apart, *map(str, entry.suspect)):
            yield printable(f"{entry.label}: {line}")
