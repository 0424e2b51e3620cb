"""What files that somebody wants to import are, and which dataset they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.data.datasets import DatasetError, read_dataset
from evaluator.data.tables import form_of, read_json
from evaluator.exchange.logs import is_log, is_of_tool
from evaluator.exchange.logs.finding import is_archive
from evaluator.records.board import Boards
from evaluator.score.examples import dataset_source
from evaluator.score.prediction_rows import PredictionsFile, ids_of


@dataclass
class FoundFiles:
    """What files are: logs of tools, files of predictions, one that says of questions how likely they have no
    answer, and files of results."""

    logs: list[Path] = field(default_factory=list)
    predictions: list[Path] = field(default_factory=list)
    no_answer: Path | None = None
    results: list[Path] = field(default_factory=list)


def recognised(files: Sequence[Path], are_answers: bool = True) -> FoundFiles:
    """What each file is, by its content. Raises `UserError`.

    What no tool wrote has answers where it is said whose or to what, with `are_answers`; else it has results.
    """
    found = FoundFiles()
    for file in files:
        if not are_answers and not is_archive(file) and not is_of_tool(file):
            found.results.append(file)
            continue
        (found.logs if is_archive(file) or is_log(file) else found.predictions).append(file)
    if len(found.predictions) > 1:
        numbers = [file for file in found.predictions if _has_numbers(file)]
        if len(numbers) == 1:
            [found.no_answer] = numbers
            found.predictions.remove(numbers[0])
    return found


def _has_numbers(file: Path) -> bool:
    """Whether a file is {id: number}, if perhaps not throughout."""
    document = read_json(file) if form_of(file.name) == "json" else None
    values = document.values() if isinstance(document, dict) else ()
    return any(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def datasets_answered(file: PredictionsFile, boards: Boards, data: Path) -> tuple[list[str], list[str]]:
    """The datasets of the board file that have all ids of a file, and why others cannot be read here."""
    ids, fitting, unread = ids_of(file), [], []
    for spec in boards.datasets:
        try:
            if not spec.readable:
                continue
            dataset = read_dataset(dataset_source(spec, data))
            if ids.issubset(dataset.left_out.union(dataset.ids)):
                fitting.append(spec.id)
        except DatasetError as error:
            unread.append(str(error))
    return fitting, unread
