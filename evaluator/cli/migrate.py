"""``steelyard migrate``: result files brought up to the newest schema version."""

from __future__ import annotations

from pathlib import Path

import click

from evaluator.cli.options import board_option, json_option, results_directory, results_option, writable_store
from evaluator.cli.printing import print_json, summarise
from evaluator.score.recomputed import counted


@click.command("migrate")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if a file would change.")
@board_option
@results_option
@json_option
def command(check: bool, board_file: Path, results: Path | None, as_json: bool) -> int:
    """Rewrite every stored file that is not at the newest schema version; others stay as they are.

    \b
    Example:
      steelyard migrate --check
    """
    from evaluator.records.board import load_boards
    from evaluator.records.store import Store

    boards = load_boards(board_file)
    if check:
        store = Store(results_directory(board_file, boards, results))
    else:
        store = writable_store(board_file, boards, results)
    changed = store.migrate(write=not check)
    if as_json:
        print_json({"changed": list(map(str, changed)), "written": not check})
        return 1 if check and changed else 0
    for path in changed:
        click.echo(f"{'would change' if check else 'changed'} {path}")
    state = f"{'is' if len(changed) == 1 else 'are'} out of date" if check else "brought up to date"
    summarise(f"{counted(len(changed), 'file')} {state}")
    return 1 if check and changed else 0
