"""``steelyard browser-check``: make browser copies of models, and compare them with the models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.asked_model import work_option
from evaluator.cli.options import check_known, completes, project_options, writable_store
from evaluator.cli.printing import note, print_json, summarise

if TYPE_CHECKING:
    from evaluator.records.browser import BrowserCheck


@click.command("browser-check")
@click.argument("models", nargs=-1, shell_complete=completes("models"))
@click.option(
    "--examples",
    type=click.IntRange(min=500),
    help="Ask about the first so many examples of each dataset, 500 or more.  [default: all]",
)
@work_option
@project_options
def command(
    models: tuple[str, ...],
    examples: int | None,
    board_file: Path,
    data: Path | None,
    results: Path | None,
    work: Path | None,
    as_json: bool,
) -> int:
    """Copy MODELS for the browser, ask the copies about stored examples, and keep how far they agree.

    Without MODELS it takes those of browser_models under [site] in the board file. The copies run in
    Node.js, by the files that pages load; they stay in the work folder, where build finds them. Exits with 1
    if a model cannot run in a page or its copy agrees on less than 99 %.

    \b
    Example:
      steelyard browser-check vader tfidf-logreg
    """
    from evaluator.records.errors import UserError
    from evaluator.score.reading import read_boards
    from evaluator.tryit.checking import check_model

    boards = read_boards(board_file)
    for name in models:
        check_known("MODELS", name, [model.id for model in boards.models], "the board file has no such model")
    chosen = models or boards.site.browser_models
    if not chosen:
        raise click.UsageError(
            f"MODELS: none is given, and [site] browser_models in {board_file} is empty; name some"
        )
    root, store = board_file.parent, writable_store(board_file, boards, results)
    data, work = data or root / boards.data, work or root / ".steelyard"
    checks: list[BrowserCheck] = []
    problems = 0
    for model in (model for model in boards.models if model.id in chosen):
        try:
            for check in check_model(model, boards, store, root, data, work, examples):
                checks.append(check)
                if not as_json:
                    summarise(_line(check))
        except UserError as error:
            problems += 1
            note(f"{model.id}: {error}")
    if as_json:
        print_json([check.plain() for check in checks])
    return 1 if problems or not all(check.offered for check in checks) else 0


def _line(check: BrowserCheck) -> str:
    worst = check.largest_difference
    apart = "" if worst is None else f"; probabilities differ by at most {worst:.1g}"
    left = "" if check.offered else "; under 99 %, so the site does not offer it"
    counts = f"agrees on {check.agreed} of {check.asked}"
    return f"{check.model} on {check.dataset}: {counts}, {check.size / 1e6:.1f} MB{apart}{left}"
