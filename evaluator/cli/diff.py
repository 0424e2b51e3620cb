"""``steelyard diff``: who moved between two snapshots, and why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.options import board_option, json_option, results_directory, results_option
from evaluator.cli.printing import BAD, GOOD, print_json, print_table, printable, summarise
from evaluator.scoring.recomputed import counted

if TYPE_CHECKING:
    from evaluator.records import Snapshot
    from evaluator.snapshots.differing import Difference, Move

#: A smaller change of a score comes from rounding.
NOTHING = 1e-9


@click.command("diff")
@click.argument("old")
@click.argument("new")
@board_option
@results_option
@json_option
def command(old: str, new: str, board_file: Path, results: Path | None, as_json: bool) -> None:
    """Say who moved between the snapshots OLD and NEW of a board, and why.

    OLD and NEW are ids, or as much of their beginnings as tells them apart, or folders.

    The old board becomes the new one step by step: models come and go, results change, then the
    board's terms, then weights. A change that a step causes by itself is credited to it; one that comes
    from the exchange rates that it moves is credited to the rates. The parts sum to the whole change.

    \b
    Example:
      steelyard diff 20261121T120000Z-0f3a 20261201T120000Z-5b1d
    """
    from evaluator.snapshots import difference

    before, after = (_snapshot(name, board_file, results) for name in (old, new))
    found = difference(before, after)
    if as_json:
        print_json(found.to_dict())
        return
    for line in _lines(found, before, after):
        click.echo(printable(line))
    _print_moves(found)


def _snapshot(name: str, board_file: Path, results: Path | None) -> Snapshot:
    from evaluator.board import load_boards
    from evaluator.snapshots import folder_of, load, load_folder, whole_id

    if Path(name).is_dir():
        return load_folder(Path(name))
    root = results or results_directory(board_file, load_boards(board_file), None)
    return load(folder_of(root), whole_id(folder_of(root), name))


def _lines(found: Difference, old: Snapshot, new: Snapshot) -> Iterator[str]:
    yield f"{new.board['title']}: {old.created} to {new.created}"
    labels = {**old.data.labels["models"], **new.data.labels["models"]}
    for what, ids in (("new models", found.added), ("removed models", found.removed)):
        if ids:
            yield f"{what}: {', '.join(labels.get(model, model) for model in ids)}"
    if found.cells:
        models = sorted({labels.get(cell.model, cell.model) for cell in found.cells})
        yield f"changed results: {counted(len(found.cells), 'cell')}, of {', '.join(models)}"
    for name, (before, after) in found.terms.items():
        yield f"changed terms: {name}: {_term(before)} to {_term(after)}"
    for kind, pairs in found.weights.items():
        for name, (was, is_) in pairs.items():
            yield f"changed weight of {kind.removesuffix('s')} {name}: {was:.1%} to {is_:.1%}"
    for name, rates in found.rates.items():
        if rates[0] != rates[-1]:
            yield f"changed exchange rate of {name}: {_rate(rates[0])} to {_rate(rates[-1])}"
    yield ""


def _term(term: object) -> str:
    if isinstance(term, dict):
        return ", ".join(f"{name} {value}" for name, value in term.items())
    if isinstance(term, list):
        return ", ".join(map(str, term))
    return "none" if term is None else str(term)


def _rate(rate: float | None) -> str:
    return "undefined" if rate is None else f"{rate:.4g}"


def _print_moves(found: Difference) -> None:
    from evaluator.snapshots.differing import REASONS
    from evaluator.snapshots.noise import RULE

    changes = [move.scores for move in found.moves if move.scores]
    shown = [reason for reason in REASONS if any(abs(scores[reason]) > NOTHING for scores in changes)]
    if not shown and not any(move.came or move.went for move in found.moves):
        click.echo("no model moved, and no score changed")
        return
    noise = any(move.within_noise is not None for move in found.moves)
    header = ["rank", *["move"] * noise, "model", "score", "change", *(f"by {reason}" for reason in shown)]
    rows = [_row(move, shown, noise) for move in found.moves]
    colours = {0: ["", *map(_colour, found.moves)]}
    print_table([header, *rows], {0, 1, 2} if noise else {0, 1}, colours)
    if noise:
        summarise(f"\n{RULE}")


def _colour(move: Move) -> str:
    """Green for a model that rose, red for one that fell."""
    old, new = move.old.rank, move.new.rank
    if old is None or new is None or old == new:
        return ""
    return GOOD if new < old else BAD


def _row(move: Move, shown: list[str], noise: bool) -> list[str]:
    from evaluator.snapshots.noise import WORDS

    old, new, label = move.old, move.new, printable(move.label)
    rank = f"{_place(old.rank)} -> {_place(new.rank)}" if old.rank != new.rank else f"{_place(new.rank)}"
    score = "-" if new.score is None else f"{new.score:.2f}"
    known = move.within_noise
    first = [rank, *["" if known is None else WORDS[known]] * noise, label, score]
    if move.scores is None:
        return [*first, *[""] * (1 + len(shown))]
    change = sum(move.scores.values())
    return [*first, _signed(change), *(_signed(move.scores[reason]) for reason in shown)]


def _place(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def _signed(change: float) -> str:
    return f"{change:+.2f}" if abs(change) > NOTHING else "."
