"""``steelyard verify``: whether snapshots are unchanged."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.options import board_option, json_option, results_directory, results_option
from evaluator.cli.printing import BAD, GOOD, in_colour, print_json, printable, summarise
from evaluator.score.recomputed import counted

if TYPE_CHECKING:
    from evaluator.publish.snapshots.reporting import Verified
    from evaluator.publish.snapshots.reranking import Trust
    from evaluator.publish.snapshots.sources import SnapshotFiles


@click.command("verify")
@click.argument("where", metavar="[ID|URL|FOLDER]", required=False)
@click.option("--sha256", metavar="HEX", help="The SHA-256 that a citation of the snapshot gives.")
@click.option("--run-scorer", is_flag=True, help="Run scorers that this program does not know, too.")
@board_option
@results_option
@json_option
def command(
    where: str | None,
    sha256: str | None,
    run_scorer: bool,
    board_file: Path,
    results: Path | None,
    as_json: bool,
) -> int:
    """Check every byte of a snapshot by its hash, and every rank by the scorer that is in it.

    ID is one in results/snapshots, or as much of its beginning as tells it apart; URL is the address of a
    published snapshot, FOLDER that of one or of all, also in a built site; without any, all in
    results/snapshots are checked. Exits 1 if anything was changed, added, removed or renamed, or is not
    what the scorer gives to the last bit. What is not covered is named.

    A citation gives the SHA-256 of snapshot.json. With --sha256 the snapshot must be that very one, whoever
    has written the hashes beside it. The hash of its manifest.json, which pins every file, is taken too.

    A scorer is somebody's program. It is run in a process without network or files (where the system can
    do that), and only if its SHA-256 is known: that of this program, of its history, or of a snapshot that
    is committed here. --run-scorer runs any other; read it first.

    \b
    Examples:
      steelyard verify
      steelyard verify 20261121T120000Z-0f3a5c7e --sha256 "$(cat cited.sha256)"
      steelyard verify build/snapshots
      steelyard verify https://example.org/steelyard/snapshots/20261121T120000Z-0f3a5c7e/
    """
    from evaluator.publish.snapshots.trust import known_scorers

    cited = None if sha256 is None else _digits(sha256)
    own = _own_results(board_file, results, needed=where is None)
    found = _verified(where, own, (lambda _: True) if run_scorer else known_scorers(own), cited)
    if as_json:
        problems = [{"file": problem.file, "message": problem.message} for problem in found.problems]
        counts = {"snapshots": found.snapshots, "files": found.files, "ranked": found.ranked}
        print_json({**counts, "problems": problems, "not_covered": found.not_covered})
    else:
        for problem in found.problems:
            click.echo(printable(str(problem)))
        checked = f"{counted(found.snapshots, 'snapshot')}, {counted(found.files, 'file')}"
        count = counted(len(found.problems), "problem") if found.problems else "no problems"
        outcome = in_colour(count, BAD if found.problems else GOOD)
        summarise(f"{checked}, {found.ranked} ranked again: {outcome}")
        for line in found.not_covered:
            summarise(f"not covered: {line}")
    return 1 if found.problems else 0


def _digits(sha256: str) -> str:
    """The 64 digits of a hash as citations give it."""
    digits = sha256.lower().removeprefix("sha256:")
    if not re.fullmatch(r"[0-9a-f]{64}", digits):
        raise click.UsageError(f"--sha256: {sha256!r} is not a SHA-256, which has 64 digits from 0 to f")
    return digits


def _own_results(board_file: Path, results: Path | None, needed: bool) -> Path | None:
    """The results of this leaderboard, whose snapshots are known; None where there is none."""
    from evaluator.records.board import load_boards

    if results is not None:
        return results
    if not needed and not board_file.exists():
        return None
    return results_directory(board_file, load_boards(board_file), None)


def _verified(where: str | None, own: Path | None, trust: Trust, cited: str | None) -> Verified:
    from evaluator.publish.snapshots import folder_of, verify, verify_all
    from evaluator.publish.snapshots.repository import VERSIONS
    from site_src.generator.runtime import pinned

    known = pinned()
    root = folder_of(own) if where is None and own is not None else Path(where or "")
    whole = where is None or (root / VERSIONS).exists()
    if not whole:
        return verify(_source(where or "", own), trust, known, cited)
    if cited is not None:
        raise click.UsageError("--sha256: is of one snapshot; say which, by its ID, its FOLDER or its URL")
    return verify_all(root, trust, known)


def _source(where: str, own: Path | None) -> SnapshotFiles:
    """One snapshot, by its address, its folder or its id."""
    from evaluator.publish.snapshots import SnapshotError, folder_of, whole_id
    from evaluator.publish.snapshots.sources import Folder, WebSnapshot

    if where.startswith(("http://", "https://")):
        return WebSnapshot(where)
    if Path(where).is_dir():
        return Folder(Path(where))
    try:
        if own is not None:
            return Folder(folder_of(own) / whole_id(folder_of(own), where))
    except SnapshotError as error:
        raise click.UsageError(str(error)) from None
    raise click.UsageError(f"{where!r} is neither a folder nor an address that begins with http")
