"""``steelyard verify``: whether snapshots are what they were."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.options import board_option, json_option, results_directory, results_option
from evaluator.cli.printing import counted, print_json, printable

if TYPE_CHECKING:
    from evaluator.snapshots.reporting import Verified
    from evaluator.snapshots.reranking import Trust


@click.command("verify")
@click.argument("where", metavar="[URL|FOLDER]", required=False)
@click.option("--run-scorer", is_flag=True, help="Run scorers that this program does not know, too.")
@board_option
@results_option
@json_option
def command(
    where: str | None, run_scorer: bool, board_file: Path, results: Path | None, as_json: bool
) -> int:
    """Check every byte of a snapshot by its hash, and every rank by the scorer that is in it.

    URL is the address of a published snapshot, FOLDER that of one or of all; without either, all in
    results/snapshots are checked. Exits 1 if anything was changed, added, removed or renamed, or is not
    what the scorer gives to the last bit.

    A scorer is somebody's program. It is run in a process without network or files (where the system can
    do that), and only if its SHA-256 is known: that of this program, of its history, or of a snapshot that
    is committed here. --run-scorer runs any other; read it first.

    \b
    Examples:
      steelyard verify
      steelyard verify results/snapshots/20261121T120000Z-0f3a5c7e
      steelyard verify https://example.org/steelyard/snapshots/20261121T120000Z-0f3a5c7e/
    """
    from evaluator.snapshots.trust import known_scorers

    own = _own_results(board_file, results, needed=where is None)
    found = _verified(where, own, (lambda _: True) if run_scorer else known_scorers(own))
    if as_json:
        problems = [{"file": problem.file, "message": problem.message} for problem in found.problems]
        counts = {"snapshots": found.snapshots, "files": found.files, "ranked": found.ranked}
        print_json({**counts, "problems": problems})
    else:
        for problem in found.problems:
            click.echo(printable(str(problem)))
        checked = f"{counted(found.snapshots, 'snapshot')}, {counted(found.files, 'file')}"
        outcome = counted(len(found.problems), "problem") if found.problems else "no problems"
        click.echo(f"{checked}, {found.ranked} ranked again: {outcome}")
    return 1 if found.problems else 0


def _own_results(board_file: Path, results: Path | None, needed: bool) -> Path | None:
    """The results of this leaderboard, whose snapshots are known; None where there is none."""
    from evaluator.board import load_boards

    if results is not None:
        return results
    if not needed and not board_file.exists():
        return None
    return results_directory(board_file, load_boards(board_file), None)


def _verified(where: str | None, own: Path | None, trust: Trust) -> Verified:
    from evaluator.snapshots import folder_of, verify, verify_all
    from evaluator.snapshots.repository import VERSIONS
    from evaluator.snapshots.sources import Folder, WebSnapshot

    if where is None:
        assert own is not None
        return verify_all(folder_of(own), trust)
    if where.startswith(("http://", "https://")):
        return verify(WebSnapshot(where), trust)
    path = Path(where)
    if not path.is_dir():
        raise click.UsageError(f"{where!r} is neither a folder nor an address that begins with http")
    return verify_all(path, trust) if (path / VERSIONS).exists() else verify(Folder(path), trust)
