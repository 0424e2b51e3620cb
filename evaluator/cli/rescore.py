"""``steelyard rescore``: compute new metrics from stored predictions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.options import completes, dataset_of, project_options, writable_store
from evaluator.cli.printing import print_json, summarise
from evaluator.score.recomputed import counted

if TYPE_CHECKING:
    from evaluator.records.result import Result


@click.command("rescore")
@click.argument("datasets", nargs=-1, shell_complete=completes("datasets"))
@project_options
def command(
    datasets: tuple[str, ...], data: Path | None, board_file: Path, results: Path | None, as_json: bool
) -> None:
    """Compute what metrics the results on DATASETS lack; by default on all datasets with stored predictions.

    No model runs: measured and imported results alike are scored from their predictions.

    \b
    Example:
      steelyard rescore anli-r1 anli-r2
    """
    from evaluator.score.reading import read_boards
    from evaluator.score.report import scores_line
    from evaluator.score.rescoring import rescore

    boards = read_boards(board_file)
    chosen = [dataset_of(boards, name, "DATASETS") for name in datasets]
    store = writable_store(board_file, boards, results)
    kept = {result.dataset.id for result in store.results() if result.predictions is not None}
    rescored: list[Result] = []
    for spec in chosen or [spec for spec in boards.datasets if spec.readable and spec.id in kept]:
        for result, new in rescore(spec, boards, data or board_file.parent / boards.data, store):
            if not new:
                continue
            rescored.append(result)
            if not as_json:
                summarise(f"{result.model.id} on {spec.id}: {scores_line(result)}")
    if as_json:
        print_json([result.plain() for result in rescored])
    else:
        summarise(f"{counted(len(rescored), 'result')} rescored")
