"""``steelyard diff``: which models moved between two snapshots, and why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.options import board_option, json_option, results_directory, results_option
from evaluator.cli.printing import BAD, GOOD, print_json, print_table, printable, summarise
from evaluator.score.recomputed import counted

if TYPE_CHECKING:
    from evaluator.publish.snapshots.differing import Difference, Move
    from evaluator.records.references import Removal
    from evaluator.records.snapshot import Snapshot

#: A smaller change of a score comes from rounding.
NOTHING = 1e-9
REWEIGHED = (
    "the old numbers were ranked again at the new weights, since scores at different weights cannot be"
    " compared; changes are from there"
)


@click.command("diff")
@click.argument("old")
@click.argument("new")
@board_option
@results_option
@json_option
def command(old: str, new: str, board_file: Path, results: Path | None, as_json: bool) -> None:
    """Say which models moved between the snapshots OLD and NEW of a board, and why.

    OLD and NEW are ids, or as much of their beginnings as tells them apart, or folders.

    Where the weights changed, the numbers of OLD are ranked again at the weights of NEW, and models move
    from there: scores at different weights cannot be compared. Then the old board becomes the new one step
    by step: models come and go, results change, then the board's terms. A change that a step causes by
    itself is credited to it; one that comes from the exchange rates that it moves is credited to the rates.
    The parts sum to the whole change.

    \b
    Example:
      steelyard diff 20261121T120000Z-0f3a 20261201T120000Z-5b1d
    """
    from evaluator.publish.snapshots import difference

    before, after = (_snapshot(name, board_file, results) for name in (old, new))
    found = difference(before, after, _removals(board_file))
    if as_json:
        print_json(found.to_dict())
        return
    for line in _lines(found, before, after):
        click.echo(printable(line))
    _print_moves(found)


def _snapshot(name: str, board_file: Path, results: Path | None) -> Snapshot:
    from evaluator.publish.snapshots import folder_of, load, load_folder, whole_id
    from evaluator.records.board import load_boards

    if Path(name).is_dir():
        return load_folder(Path(name))
    root = results or results_directory(board_file, load_boards(board_file), None)
    return load(folder_of(root), whole_id(folder_of(root), name))


def _removals(board_file: Path) -> dict[str, Removal]:
    """Which models the board file says were removed; none where there is no board file, as beside folders."""
    from evaluator.records.board import load_boards

    if not board_file.exists():
        return {}
    return {model.id: model.removed for model in load_boards(board_file).models if model.removed}


def _lines(found: Difference, old: Snapshot, new: Snapshot) -> Iterator[str]:
    from evaluator.records.references import left

    yield f"{new.board['title']}: {old.created} to {new.created}"
    labels = {**old.data.labels["models"], **new.data.labels["models"]}
    if found.added:
        yield f"new models: {', '.join(labels.get(model, model) for model in found.added)}"
    for model in found.removed:
        yield left(labels.get(model, model), found.removals.get(model))
    if found.cells:
        models = sorted({labels.get(cell.model, cell.model) for cell in found.cells})
        yield f"changed results: {counted(len(found.cells), 'cell')}, of {', '.join(models)}"
    for name, (before, after) in found.terms.items():
        yield f"changed terms: {name}: {_term(before)} to {_term(after)}"
    for kind, pairs in found.weights.items():
        for name, (was, is_) in pairs.items():
            yield f"changed weight of {kind.removesuffix('s')} {name}: {was:.1%} to {is_:.1%}"
    if found.reweighed:
        yield REWEIGHED
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
    from evaluator.publish.snapshots.differing import REASONS
    from evaluator.publish.snapshots.noise import RULE

    parts = [_parts(move) for move in found.moves]
    shown = [reason for reason in REASONS if any(abs(part.get(reason, 0)) > NOTHING for part in parts)]
    gone = any(move.is_new or move.is_gone for move in found.moves)
    if not shown and not gone and not found.weights:
        click.echo("no model moved, and no score changed")
        return
    noise = any(move.within_noise is not None for move in found.moves)
    first = ["was", "rank at the new weights"] if found.reweighed else ["rank"]
    change = ["change"] if found.same_scale else []
    header = [*first, *["move"] * noise, "model", "score", *change, *(f"by {reason}" for reason in shown)]
    rows = [_row(move, shown, noise, found) for move in found.moves]
    colours = {0: ["", *map(_colour, found.moves)]}
    print_table([header, *rows], set(range(len(first) + noise)), colours)
    if noise:
        summarise(f"\n{RULE}")


def _parts(move: Move) -> dict[str, float]:
    """What each reason did: to the score, or to the rank where scores cannot be compared."""
    return {**(move.ranks or {})} if move.scores is None else move.scores


def _colour(move: Move) -> str:
    """Green for a model that rose, red for one that fell."""
    old, new = move.reweighed.rank, move.new.rank
    if old is None or new is None or old == new:
        return ""
    return GOOD if new < old else BAD


def _row(move: Move, shown: list[str], noise: bool, found: Difference) -> list[str]:
    from evaluator.publish.snapshots.noise import WORDS

    old, new, label = move.reweighed.rank, move.new.rank, printable(move.label)
    rank = f"{_place(old)} -> {_place(new)}" if old != new else f"{_place(new)}"
    score = "-" if move.new.score is None else f"{move.new.score:.2f}"
    known = move.within_noise
    was = [_place(move.old.rank)] if found.reweighed else []
    first = [*was, rank, *["" if known is None else WORDS[known]] * noise, label, score]
    parts, sign = _parts(move), _signed if found.same_scale else _places
    if not parts:
        return [*first, *[""] * (found.same_scale + len(shown))]
    change = [_signed(sum(parts.values()))] if found.same_scale else []
    return [*first, *change, *(sign(parts[reason]) for reason in shown)]


def _place(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def _places(change: float) -> str:
    """Places that a model rose or fell."""
    return f"{'up' if change < 0 else 'down'} {abs(change):.0f}" if change else "."


def _signed(change: float) -> str:
    return f"{change:+.2f}" if abs(change) > NOTHING else "."
