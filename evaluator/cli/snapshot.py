"""``steelyard snapshot``: boards frozen as they are, to be cited."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.options import (
    Assignment,
    board_of,
    board_option,
    check_known,
    completes,
    json_option,
    results_option,
    writable_store,
)
from evaluator.cli.printing import is_quiet, print_json
from evaluator.score.recomputed import counted

if TYPE_CHECKING:
    from evaluator.records.board import Assembled, Boards, BoardSpec
    from evaluator.records.snapshot import Snapshot
    from evaluator.records.store import Store


@click.command("snapshot")
@click.argument("board_ids", metavar="[BOARD]...", nargs=-1, shell_complete=completes("boards"))
@click.option("--task", help="Freeze every board of this task.")
@click.option(
    "--weights", "--weight", "weights", type=Assignment(), multiple=True,
    help="A metric's weight; others weigh 0.  [default: the board's own]",
)  # fmt: skip
@click.option(
    "--dataset-weights", "--dataset-weight", "dataset_weights", type=Assignment(), multiple=True,
    help="A dataset's weight; others weigh 0.",
)  # fmt: skip
@click.option("--note", help="A sentence for the snapshot's page.")
@board_option
@results_option
@json_option
def command(
    board_ids: tuple[str, ...],
    task: str | None,
    weights: tuple[tuple[str, float], ...],
    dataset_weights: tuple[tuple[str, float], ...],
    note: str | None,
    board_file: Path,
    results: Path | None,
    as_json: bool,
) -> None:
    """Freeze BOARDs, or every board with results, in results/snapshots: commit these and build the site.

    A snapshot holds all numbers, weights, ranks and the scorer itself, and never changes again. Only
    results that are valid and committed are frozen. Its time is UTC from the clock, or SOURCE_DATE_EPOCH.

    \b
    Examples:
      steelyard snapshot
      steelyard snapshot sst-2 --weights accuracy=2 --weights memory=1 --note "As in our paper"
    """
    from evaluator.publish.snapshots import WeightsError, certainty_bytes, folder_of, freeze, now, save
    from evaluator.records.board import load_boards
    from evaluator.score.certainty import sampled
    from site_src.generator import runtime
    from site_src.generator.build import frozen_files

    if board_ids and task:
        raise click.UsageError("BOARD and --task: give one of them")
    boards = load_boards(board_file)
    store = writable_store(board_file, boards, results)
    chosen = _checked(_chosen(boards, board_ids, task), boards, store, by_name=bool(board_ids))
    given, moment = (dict(weights) or None, dict(dataset_weights) or None), now()
    fields: dict[str, Any] = {"note": note, "licence": boards.site.licence, "runtime": runtime.pinned()}
    varied = [sampled(board, store) for board in chosen]
    try:
        frozen = [
            freeze(
                board, boards, store, *given, **fields, certainty=certainty_bytes(vary), clock=lambda: moment
            )
            for board, vary in zip(chosen, varied, strict=True)
        ]
    except WeightsError as error:
        raise click.UsageError(str(error)) from None
    root = folder_of(store.root)
    known = {snapshot.id for snapshot in frozen if (root / snapshot.id).exists()}
    for snapshot, board, vary in zip(frozen, chosen, varied, strict=True):
        save(root, snapshot, frozen_files(snapshot, board, boards, vary))
    _print_frozen(frozen, root, known, as_json)


def _chosen(boards: Boards, ids: tuple[str, ...], task: str | None) -> list[BoardSpec]:
    if task is not None:
        check_known(
            "--task", task, sorted({board.task for board in boards.boards}), "no board is of that task"
        )
    chosen = {board_of(boards, id_).id for id_ in ids}
    return [
        board for board in boards.boards if (not ids or board.id in chosen) and task in (None, board.task)
    ]


def _checked(chosen: list[BoardSpec], boards: Boards, store: Store, by_name: bool) -> list[Assembled]:
    """The boards with their results, which are valid and committed. Boards without any are left out, unless
    they were named."""
    from evaluator.publish.snapshots import FreezeError, check_committed
    from evaluator.score.checking import stored_problems
    from evaluator.score.floor import assemble_floored

    folders = {f"{board.task}/{dataset}" for board in chosen for dataset in board.datasets}
    used = tuple(f"{store.root / folder}/" for folder in folders)
    problems = [problem for problem in stored_problems(store, boards) if problem.startswith(used)]
    if problems:
        raise FreezeError("\n".join([*problems, "these results are not valid; fix them, then freeze"]))
    check_committed(store.root, folders)
    found = []
    for board in chosen:
        results = [result for dataset in board.datasets for result in store.results_on(board.task, dataset)]
        assembled = assemble_floored(board, boards, store, results)
        if assembled.entries or by_name:
            found.append(assembled)
    if not found:
        raise FreezeError(f"{store.root}: no board has results; run: steelyard evaluate")
    return found


def _print_frozen(frozen: list[Snapshot], root: Path, known: set[str], as_json: bool) -> None:
    if as_json:
        print_json([_summary(snapshot, root, snapshot.id in known) for snapshot in frozen])
        return
    if is_quiet():
        click.echo("\n".join(snapshot.id for snapshot in frozen))
        return
    for snapshot in frozen:
        ranked = sum(rank is not None for rank in snapshot.ranking.ranks)
        models = counted(len(snapshot.models), "model")
        what = f"{models}, {ranked} ranked, on {', '.join(snapshot.data.datasets)}"
        click.echo(f"{snapshot.id}  {snapshot.board['title']}: {what}")
        click.echo(f"  weights  {_weights(snapshot.weights.metrics)}")
        if len(snapshot.weights.datasets) > 1:
            click.echo(f"  datasets {_weights(snapshot.weights.datasets)}")
        click.echo(
            f"  folder   {root / snapshot.id}"
            + (" (is there already, unchanged)" if snapshot.id in known else "")
        )
        click.echo(f"  address  snapshots/{snapshot.id}/")
        click.echo(f"  SHA-256  {_sha256(snapshot)}")
    if any(snapshot.id not in known for snapshot in frozen):
        click.echo(f"commit {root}, then run: steelyard build")


def _weights(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {weight:g}" for name, weight in weights.items())


def _sha256(snapshot: Snapshot) -> str:
    """The hash that citations carry, of ``snapshot.json``."""
    from evaluator.publish.snapshots.repository import record_bytes
    from evaluator.publish.snapshots.scoring import file_hash

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
