"""How ``steelyard rank`` prints a ranking and how sure it is: a table with notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from evaluator.cli.printing import GOOD, decimal, is_quiet, note, print_table, printable

if TYPE_CHECKING:
    from evaluator.cli.rank import Table
    from evaluator.rank.dynascore import Board, Columns
    from evaluator.score.certainty import BoardRankSets

#: Beside a number whose timing is suspect.
SUSPECT = "?"


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
