"""``steelyard snapshot``: boards frozen as they are, to be cited; snapshots verified and compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.options import (
    Assignment,
    Project,
    TradeOff,
    board_of,
    check_known,
    completes,
    declared_trades,
    named_option,
    project_options,
)
from evaluator.cli.printing import (
    BAD,
    DOUBT,
    GOOD,
    in_colour,
    is_quiet,
    note,
    print_json,
    print_table,
    summarise,
)
from evaluator.rank.formats import counted
from evaluator.records.errors import did_you_mean, printable

if TYPE_CHECKING:
    from evaluator.publish.snapshots.differing import Difference, Move
    from evaluator.publish.snapshots.verifying import Verified
    from evaluator.records.board import Assembled
    from evaluator.records.snapshot import Snapshot

#: A smaller change of a score comes from rounding.
NOTHING = 1e-9
REWEIGHED = (
    "the old numbers were ranked again at the new weights, since scores at different weights cannot be"
    " compared; changes are from there"
)


class _FreezesAlone(click.Group):
    """A group that takes what is no command of it for what its command freeze is given."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        word, *more = arguments or [""]
        # Before another word it may be a command with an error in it.
        misspelt = bool(more) and not more[0].startswith("-") and did_you_mean(word, self.commands)
        if word not in self.commands and word not in context.help_option_names and not misspelt:
            arguments = ["freeze", *arguments]
        return super().parse_args(context, arguments)


@click.group("snapshot", cls=_FreezesAlone)
def command() -> None:
    """Freeze boards to be cited, verify snapshots, say who moved between two.

    Without the name of a command, steelyard snapshot freezes.

    \b
    Examples:
      steelyard snapshot
      steelyard snapshot sst-2 --weight accuracy=2 --weight memory=1 --note "As in our paper"
      steelyard snapshot verify
      steelyard snapshot diff 20261121T120000Z-0f3a 20261201T120000Z-5b1d
    """


@command.command("freeze")
@click.argument("board_ids", metavar="[BOARD]...", nargs=-1, shell_complete=completes("boards"))
@named_option(
    "--weight", "weights", Assignment(), "A metric's weight; others weigh 0.  [default: the board's own]"
)
@named_option("--dataset-weight", "dataset_weights", Assignment(), "A dataset's weight; others weigh 0.")
@named_option(
    "--trade",
    "trades",
    TradeOff(),
    "Freeze it as ranked by trade-offs: how much of a metric one unit of the base metric is worth, such"
    ' as memory="100 MB"; metrics without one do not count.',
)
@click.option("--note", help="A sentence for the snapshot's page.")
@project_options("data", "board", "results", "json")
def freeze_command(
    project: Project,
    board_ids: tuple[str, ...],
    weights: tuple[tuple[str, float], ...],
    dataset_weights: tuple[tuple[str, float], ...],
    trades: tuple[tuple[str, str], ...],
    note: str | None,
) -> None:
    """Freeze BOARDs, or every board with results, in results/snapshots: commit these and build the site.

    A snapshot holds all numbers, weights, ranks and the scorer itself, and never changes again. Only
    results that are valid and committed are frozen, and none of a model that changed since. Results that
    are stale for another reason are, with the reason. Its time is UTC from the clock, or SOURCE_DATE_EPOCH.

    \b
    Examples:
      steelyard snapshot
      steelyard snapshot sst-2 --weight accuracy=2 --weight memory=1 --note "As in our paper"
      steelyard snapshot sst-2 --trade throughput="10 %" --trade memory="100 MB"
    """
    from evaluator.publish.snapshots.freezing import (
        boards_to_freeze,
        by_trades,
        certainty_bytes,
        freeze,
        now,
        used_weights,
    )
    from evaluator.publish.snapshots.repository import folder_of, save
    from evaluator.records.errors import UserError
    from evaluator.score.certainty import sampled
    from evaluator.score.inputs import GivenInputs
    from site_src.generator import runtime
    from site_src.generator.build import frozen_files

    boards, store = project.boards, project.writable_store()
    ids = {board_of(boards, id_).id for id_ in board_ids}
    chosen = boards_to_freeze(boards, store, ids, GivenInputs(boards, project.root, project.data))
    if trades and weights:
        raise click.UsageError("--weight: by trade-offs no metric has a weight; leave it, or --trade, out")
    if trades:
        chosen = [by_trades(one, _trades(one, trades)) for one in chosen]
    given, moment = (dict(weights) or None, dict(dataset_weights) or None), now()
    fields: dict[str, Any] = {"note": note, "licence": boards.site.licence, "runtime": runtime.pinned()}
    try:
        for board in chosen if any(given) else ():
            used_weights(board, *given)
    except UserError as error:
        raise click.UsageError(str(error)) from None
    varied = [sampled(board, store) for board in chosen]
    frozen = [
        freeze(board, boards, store, *given, **fields, certainty=certainty_bytes(vary), clock=lambda: moment)
        for board, vary in zip(chosen, varied, strict=True)
    ]
    root = folder_of(store.root)
    known = {snapshot.id for snapshot in frozen if (root / snapshot.id).exists()}
    for snapshot, board, vary in zip(frozen, chosen, varied, strict=True):
        save(root, snapshot, frozen_files(snapshot, board, boards, vary))
    notes = {one.id: _notes(one, board) for one, board in zip(frozen, chosen, strict=True)}
    if project.as_json:
        summaries = [_summary(snapshot, root, snapshot.id in known) for snapshot in frozen]
        print_json([{**one, "notes": notes[one["id"]]} for one in summaries])
    else:
        _print_frozen(frozen, root, known, notes)


def _trades(assembled: Assembled, given: Sequence[tuple[str, str]]) -> dict[str, float | str]:
    units = {metric.name: metric.unit for metric in assembled.board.metrics}
    return declared_trades(given, units, assembled.board.base)


def _notes(snapshot: Snapshot, assembled: Assembled) -> list[str]:
    """What takes no part in a frozen ranking, and which of its results are stale."""
    from evaluator.rank.dynascore import Board, Question
    from evaluator.score.inputs import outdated_lines

    question = Question(snapshot.weights.metrics, snapshot.weights.datasets)
    everyone = (*assembled.entries.values(), *assembled.people.values())
    outdated = [one for entry in everyone for one in entry.outdated]
    notices = Board.from_dict(snapshot.data.plain()).columns(question).notices
    return [*notices, *outdated_lines(outdated)]


def _print_frozen(
    frozen: list[Snapshot], root: Path, known: set[str], notes: Mapping[str, Sequence[str]]
) -> None:
    if is_quiet():
        click.echo("\n".join(snapshot.id for snapshot in frozen))
        return
    for snapshot in frozen:
        ranked = sum(rank is not None for rank in snapshot.ranking.ranks)
        models = counted(len(snapshot.models), "model")
        what = f"{models}, {ranked} ranked, on {', '.join(snapshot.data.datasets)}"
        click.echo(f"{snapshot.id}  {snapshot.board['title']}: {what}")
        if snapshot.data.by == "trades":
            trades = (f"{name} {amount}" for name, amount in snapshot.data.trades.items())
            click.echo(f"  trades   {', '.join(trades)} for 1 of {snapshot.data.base}")
        else:
            click.echo(f"  weights  {_weights(snapshot.weights.metrics)}")
        if len(snapshot.weights.datasets) > 1:
            click.echo(f"  datasets {_weights(snapshot.weights.datasets)}")
        there = " (is there already, unchanged)" if snapshot.id in known else ""
        click.echo(f"  folder   {root / snapshot.id}{there}")
        click.echo(f"  address  snapshots/{snapshot.id}/")
        click.echo(f"  SHA-256  {_sha256(snapshot)}")
        for line in notes[snapshot.id]:
            note(printable(f"{snapshot.board['id']}: {line}"))
    if any(snapshot.id not in known for snapshot in frozen):
        click.echo(f"commit {root}, then run: steelyard build")


def _weights(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {weight:g}" for name, weight in weights.items())


def _sha256(snapshot: Snapshot) -> str:
    """The hash that citations carry, of ``snapshot.json``."""
    from evaluator.publish.snapshots.repository import record_bytes
    from evaluator.publish.snapshots.scorers import file_hash

    return file_hash(record_bytes(snapshot)).removeprefix("sha256:")


def _summary(snapshot: Snapshot, root: Path, known: bool) -> dict[str, Any]:
    return {
        "id": snapshot.id,
        "sha256": _sha256(snapshot),
        "board": snapshot.board["id"],
        "created": snapshot.created,
        "models": len(snapshot.models),
        "weights": snapshot.weights.plain(),
        "folder": str(root / snapshot.id),
        "address": f"snapshots/{snapshot.id}/",
        "new": not known,
    }


@command.command("verify")
@click.argument("where", metavar="[ID|URL|FOLDER]", required=False)
@click.option("--sha256", metavar="HEX", help="The SHA-256 that a citation of the snapshot gives.")
@project_options("board", "results", "json")
def verify_command(project: Project, where: str | None, sha256: str | None) -> int:
    """Check every byte of a snapshot by its hash, and every rank by the scorer that is in it.

    ID is one in results/snapshots, or as much of its beginning as tells it apart; URL is the address of a
    published snapshot, FOLDER that of one or of all, also in a built site; without any, all in
    results/snapshots are checked. Exits 1 if anything was changed, added, removed or renamed, or is not
    what the scorer gives to the last bit; or if this program does not know the scorer, which is not run then.

    With --sha256 the snapshot must be that very one, whoever has written the hashes beside it: a citation
    gives the hash of snapshot.json, and that of manifest.json, which pins every file, is taken too.

    \b
    Examples:
      steelyard snapshot verify
      steelyard snapshot verify 20261121T120000Z-0f3a --sha256 "$(cat cited.sha256)"
      steelyard snapshot verify build/snapshots
      steelyard snapshot verify https://example.org/steelyard/snapshots/20261121T120000Z-0f3a5c7e/
    """
    cited = None
    if sha256 is not None:
        cited = sha256.lower().removeprefix("sha256:")
        if not re.fullmatch(r"[0-9a-f]{64}", cited):
            raise click.UsageError(f"--sha256: {sha256!r} is not a SHA-256, which has 64 digits from 0 to f")
    found = _verified(project, where, cited)
    if project.as_json:
        problems = [{"file": problem.file, "message": problem.message} for problem in found.problems]
        counts = {"snapshots": found.snapshots, "files": found.files, "ranked": found.ranked}
        more = {"not_ranked": found.not_ranked, "not_covered": found.not_covered}
        print_json({**counts, "problems": problems, **more})
    else:
        for line in (*map(str, found.problems), *found.not_ranked):
            click.echo(printable(line))
        checked = f"{counted(found.snapshots, 'snapshot')}, {counted(found.files, 'file')}"
        count = counted(len(found.problems), "problem") if found.problems else "no problems"
        outcome = in_colour(count, BAD if found.problems else DOUBT if found.not_ranked else GOOD)
        summarise(f"{checked}, {found.ranked} ranked again: {outcome}")
        for line in found.not_covered:
            summarise(f"not covered: {line}")
    return 1 if found.problems or found.not_ranked else 0


def _verified(project: Project, where: str | None, cited: str | None) -> Verified:
    from evaluator.publish.snapshots.repository import VERSIONS, folder_of
    from evaluator.publish.snapshots.sources import Folder, WebSnapshot
    from evaluator.publish.snapshots.verifying import verify, verify_all
    from site_src.generator.runtime import pinned

    if where is not None and where.startswith(("http://", "https://")):
        return verify(WebSnapshot(where), pinned(), cited)
    root = folder_of(project.store.root) if where is None else Path(where)
    if where is not None and not (root / VERSIONS).exists():
        return verify(Folder(_folder(project, where)), pinned(), cited)
    if cited is not None:
        raise click.UsageError("--sha256: is of one snapshot; say which, by its ID, its FOLDER or its URL")
    return verify_all(root, pinned())


def _folder(project: Project, where: str) -> Path:
    """The folder of a snapshot, which was given by it or by the beginning of its id."""
    from evaluator.publish.snapshots.repository import folder_of, whole_id
    from evaluator.records.errors import UserError

    if Path(where).is_dir():
        return Path(where)
    if project.given_results is None and not project.board_file.exists():
        raise click.UsageError(f"{where!r} is neither a folder nor an address that begins with http")
    root = folder_of(project.store.root)
    try:
        return root / whole_id(root, where)
    except UserError as error:
        raise click.UsageError(str(error)) from None


@command.command("diff")
@click.argument("names", nargs=-1, metavar="[OLD NEW|BOARD]")
@project_options("board", "results", "json")
def diff_command(project: Project, names: tuple[str, ...]) -> None:
    """Say which models moved between the snapshots OLD and NEW of a board, and why.

    OLD and NEW are ids, or as much of their beginnings as tells them apart, or folders. Without them these
    are the newest two of BOARD, or of the only board that has two.

    Where the weights changed, models move from their ranks in OLD at the weights of NEW. Then the old board
    becomes the new one step by step: models come and go, results change, then the board's terms. What comes
    from the exchange rates that a step moves is credited to these. The parts sum to the whole change.

    \b
    Examples:
      steelyard snapshot diff
      steelyard snapshot diff 20261121T120000Z-0f3a 20261201T120000Z-5b1d
    """
    from evaluator.publish.changes import renames
    from evaluator.publish.snapshots.differing import difference
    from evaluator.publish.snapshots.repository import load_folder

    if len(names) > 2:
        raise click.UsageError(f"{names[2]}: two snapshots are compared; leave it out")
    folders = [_folder(project, name) for name in names] if len(names) == 2 else _newest(project, *names)
    before, after = map(load_folder, folders)
    # Folders may be compared where there is no board file.
    boards = project.boards if project.board_file.exists() else None
    models = boards.models if boards else ()
    removals = {model.id: model.removed for model in models if model.removed}
    found = difference(before, after, removals, renames(boards) if boards else {})
    if project.as_json:
        print_json(found.to_dict())
        return
    for line in _changes(found, before, after):
        click.echo(printable(line))
    _print_moves(found)


def _newest(project: Project, chosen: str | None = None) -> tuple[Path, Path]:
    """The folders of the newest two snapshots of a board, which a note names."""
    from evaluator.publish.snapshots.repository import folder_of, listed
    from evaluator.records.errors import UserError

    root = folder_of(project.store.root)
    by_board: dict[str, list[str]] = {}
    for entry in sorted(listed(root), key=lambda entry: (entry.created, entry.id)):
        by_board.setdefault(entry.board, []).append(entry.id)
    if chosen is not None:
        check_known("BOARD", chosen, by_board, "no board of that id has a snapshot")
    several = [board for board, ids in by_board.items() if len(ids) > 1 and chosen in (None, board)]
    if not several:
        counts = ", ".join(f"{board} has {len(ids)}" for board, ids in by_board.items()) or "there is none"
        fix = "freeze the board again once its numbers have changed: steelyard snapshot"
        raise UserError(root, f"it takes two snapshots of a board to compare, and {counts}", fix)
    if len(several) > 1:
        raise click.UsageError(f"which board? Several snapshots have {', '.join(several)}")
    old, new = by_board[several[0]][-2:]
    if not project.as_json:
        note(f"{old} is compared with {new}, the newest two of {several[0]}")
    return root / old, root / new


def _changes(found: Difference, old: Snapshot, new: Snapshot) -> Iterator[str]:
    """What changed on the board, a line each."""
    from evaluator.records.references import left

    yield f"{new.board['title']}: {old.created} to {new.created}"
    labels = {**old.data.labels["models"], **new.data.labels["models"]}
    labels |= {move.model: move.label for move in found.moves}
    for former, model in found.renamed.items():
        yield f"renamed: {former} is {model} now"
    if found.added:
        yield f"new models: {', '.join(labels.get(model, model) for model in found.added)}"
    for model in found.removed:
        yield left(labels.get(model, model), found.removals.get(model))
    if found.cells:
        models = sorted({labels.get(cell.model, cell.model) for cell in found.cells})
        yield f"changed results: {counted(len(found.cells), 'cell')}, of {', '.join(models)}"
    if found.timed_anew:
        yield found.timed_anew
    for name, (before, after) in found.terms.items():
        yield f"changed terms: {name}: {_term(before)} to {_term(after)}"
    for kind, pairs in found.weights.items():
        for name, (was, is_) in pairs.items():
            yield f"changed weight of {kind.removesuffix('s')} {name}: {was:.1%} to {is_:.1%}"
    if found.reweighed:
        yield REWEIGHED
    for name, rates in found.rates.items():
        if rates[0] != rates[-1]:
            shown = ("undefined" if rate is None else f"{rate:.4g}" for rate in (rates[0], rates[-1]))
            yield f"changed exchange rate of {name}: {' to '.join(shown)}"
    yield ""


def _term(term: object) -> str:
    if isinstance(term, dict):
        return ", ".join(f"{name} {value}" for name, value in term.items())
    if isinstance(term, list):
        return ", ".join(map(str, term))
    return "none" if term is None else str(term)


def _print_moves(found: Difference) -> None:
    from evaluator.publish.snapshots.differing import REASONS
    from evaluator.rank.moves import RULE

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
    from evaluator.rank.moves import WORDS

    was, old, new = (
        "-" if place.rank is None else str(place.rank) for place in (move.old, move.reweighed, move.new)
    )
    score = "-" if move.new.score is None else f"{move.new.score:.2f}"
    known = move.within_noise
    first = [was] if found.reweighed else []
    first += [f"{old} -> {new}" if old != new else new, *["" if known is None else WORDS[known]] * noise]
    parts, sign = _parts(move), _signed if found.same_scale else _places
    first += [printable(move.label), score]
    if not parts:
        return [*first, *[""] * (found.same_scale + len(shown))]
    change = [_signed(sum(parts.values()))] if found.same_scale else []
    return [*first, *change, *(sign(parts[reason]) for reason in shown)]


def _places(change: float) -> str:
    """Places that a model rose or fell."""
    return f"{'up' if change < 0 else 'down'} {abs(change):.0f}" if change else "."


def _signed(change: float) -> str:
    return f"{change:+.2f}" if abs(change) > NOTHING else "."
