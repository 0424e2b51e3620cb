"""``steelyard import-predictions``: score predictions made elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.options import (
    OneOf,
    check_known,
    checked_link,
    completes,
    dataset_of,
    project_options,
    results_directory,
)
from evaluator.cli.printing import detail, print_json, printable, summarise
from evaluator.rank.formats import counted

if TYPE_CHECKING:
    from evaluator.records.board import Boards
    from evaluator.records.references import Source
    from evaluator.records.result import Failure
    from evaluator.score.importing import Imported, Submission
    from evaluator.score.predictions import PredictionsFile


def _pairs(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """``NAME=VALUE`` options as a dict; the first ``=`` separates."""
    for value in values:
        _text(context, parameter, value)
        if "=" not in value:
            raise click.BadParameter(f"{value!r}: write it as NAME=VALUE")
    return {name: value for name, _, value in (pair.partition("=") for pair in values)}


def _text(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A value that can be stored: what the terminal did not give as UTF-8 cannot."""
    from evaluator.data.tasks import is_text, show

    if value is not None and not is_text(value):
        raise click.BadParameter(f"{show(value)} is not text; give valid UTF-8")
    return value


@click.command("import-predictions")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--task", help="The dataset's task; checked where given.")
@click.option(
    "--dataset", shell_complete=completes("datasets"), help="The dataset of the board file that FILE answers."
)
@click.option(
    "--model",
    shell_complete=completes("models"),
    help="The id of the model, with which it appears on boards.",
)
@click.option(
    "--label", callback=_text, help="Its name for people; default: what the board file says, else the id."
)
@click.option("--format", "form", type=OneOf(["csv", "tsv", "jsonl", "json"]), help="Default: by the suffix.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    callback=_pairs,
    metavar="NAME=COLUMN",
    help="Which column holds id, label (or answer), confidence, probabilities or model.",
)
@click.option(
    "--map-label",
    "label_map",
    multiple=True,
    callback=_pairs,
    metavar="THEIRS=OURS",
    help="What a label of the file means.",
)
@click.option(
    "--suite",
    help="FILE answers the variants of this suite, which perturb --variants writes; the model's own answers"
    " must have been imported before.",
)
@click.option(
    "--na-prob",
    "no_answer",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A second file, {id: number}: how likely each question has no answer (SQuAD v2). Adds the best"
    " scores over all thresholds.",
)
@click.option("--citation", callback=_text, help="Where the predictions were published.")
@click.option("--link", callback=checked_link, help="Where they can be found.")
@project_options
def command(
    file: Path | None,
    task: str | None,
    dataset: str | None,
    model: str | None,
    label: str | None,
    form: str | None,
    columns: dict[str, str],
    label_map: dict[str, str],
    suite: str | None,
    no_answer: Path | None,
    citation: str | None,
    link: str | None,
    data: Path | None,
    board_file: Path,
    results: Path | None,
    as_json: bool,
) -> None:
    """Score the predictions in FILE (CSV, TSV, JSON lines, or SQuAD's {id: answer}) against a dataset.

    Without FILE, what the board file lists under [[predictions]] is imported, narrowed down by
    --dataset and --model. An answer that is no label and an example without an answer count as wrong and
    are reported; anything else that is wrong with a file is reported, and nothing of it is stored.

    With --suite, FILE has the model's answers to a suite's variants: how far they are those to the originals
    is its fairness or robustness.

    \b
    Examples:
      steelyard import-predictions answers.json --task qa --dataset xquad-en --model mine
      steelyard import-predictions dev.json --dataset squad-2 --model mine --na-prob na_prob.json
      steelyard import-predictions labels.csv --dataset sst-2 --model mine --map-label 1=positive
      steelyard import-predictions perturbed.csv --dataset sst-2 --model mine --suite robustness
    """
    from evaluator.records.references import Source
    from evaluator.score.importing import declared
    from evaluator.score.predictions import PredictionsFile
    from evaluator.score.reading import read_boards

    boards = read_boards(board_file)
    folder = data or board_file.parent / boards.data
    _check_selection(boards, task, dataset)
    stored = results_directory(board_file, boards, results)
    if suite is not None:
        about = {"label": label, "na-prob": no_answer, "citation": citation, "link": link}
        answers = _answers_to_variants(boards, file, dataset, model, suite, about)
        given = PredictionsFile(answers, form, columns, label_map)
        one = _submission(boards, given, str(dataset), str(model), None, None)
        _import_variants(one, suite, boards, folder, stored, board_file.parent / ".steelyard", as_json)
        return
    if file is None:
        found = _chosen(declared(boards, folder), task, dataset, model)
    elif dataset is None or model is None:
        raise click.UsageError("--dataset and --model: say what FILE answers, and whose answers it has")
    else:
        source = Source(citation=citation, link=link) if citation else None
        given = PredictionsFile(file, form, columns, label_map, no_answer)
        found = [_submission(boards, given, dataset, model, source, label)]
    _import(found, boards, folder, stored, as_json)


def _check_selection(boards: Boards, task: str | None, dataset: str | None) -> None:
    if dataset is not None:
        tasks = {dataset_of(boards, dataset, "--dataset").task}
    else:
        tasks = {spec.task for spec in boards.datasets if spec.readable}
    if task is not None and task not in tasks:
        where = f"{dataset} is a dataset for" if dataset is not None else "the board file has datasets for"
        raise click.UsageError(f"--task {task}: {where} {', '.join(sorted(tasks)) or 'none'}")


def _submission(
    boards: Boards,
    file: PredictionsFile,
    dataset: str,
    model: str,
    source: Source | None,
    label: str | None,
) -> Submission:
    """The file with its model; `click.UsageError` for a column or an id that cannot be."""
    from dataclasses import replace

    from evaluator.data.tasks import FieldError, get_task
    from evaluator.score.importing import submission
    from evaluator.score.predictions import check_columns

    try:
        check_columns(file.columns, get_task(boards.dataset(dataset).task))
        one = submission(boards, file, dataset, model, source)
    except FieldError as error:
        raise click.UsageError(f"--{error.field}: {error.problem}; {error.fix}") from None
    return replace(one, label=label) if label else one


def _chosen(
    declared: Sequence[Submission], task: str | None, dataset: str | None, model: str | None
) -> list[Submission]:
    given = (task, dataset, model)
    found = [
        one
        for one in declared
        if all(
            a in (None, b) for a, b in zip(given, (one.dataset.task, one.dataset.id, one.model), strict=True)
        )
    ]
    if not found:
        raise click.UsageError("FILE: missing, and the board file has no such [[predictions]]; name a file")
    return found


def _answers_to_variants(
    boards: Boards,
    file: Path | None,
    dataset: str | None,
    model: str | None,
    suite: str,
    about_the_model: Mapping[str, object],
) -> Path:
    """The file of answers, once it is clear what they answer. Raises `click.UsageError`."""
    if file is None or dataset is None or model is None:
        raise click.UsageError("--suite: give FILE, --dataset and --model, whose answers to it FILE has")
    for name, value in about_the_model.items():
        if value is not None:
            raise click.UsageError(f"--{name}: is about the model's own answers; leave it out with --suite")
    tried = [spec.id for spec in boards.suites_of(dataset)]
    check_known("--suite", suite, tried, f"the board file names no such suite for {dataset}")
    return file


def _import_variants(
    one: Submission, suite: str, boards: Boards, data: Path, results: Path, work: Path, as_json: bool
) -> None:
    from evaluator.data.datasets import read_dataset
    from evaluator.records.scratch import ready_to_write
    from evaluator.records.store import Store
    from evaluator.score.covariances import keep_covariances
    from evaluator.score.importing import import_variants
    from evaluator.score.reading import dataset_source

    ready_to_write(results)
    store, spec = Store(results), boards.known_suites[suite]
    dataset = read_dataset(dataset_source(one.dataset, data))
    done = import_variants(one.file, one.model, spec, one.dataset, dataset, store, work)
    keep_covariances(dataset, boards, store)
    if as_json:
        print_json([_plain(done)])
        return
    found = done.result.suites[suite]
    variants = counted(found.variants, "variant")
    summarise(f"{one.model} on {dataset.id}: {done.status}: {suite} {found.agreement:.4g} % of {variants}")
    _print_failures(found.failures)


def _import(found: Sequence[Submission], boards: Boards, data: Path, results: Path, as_json: bool) -> None:
    """Import everything, in order; what was imported before a bad file stays."""
    from evaluator.data.datasets import Dataset, read_dataset
    from evaluator.records.scratch import ready_to_write
    from evaluator.records.store import Store
    from evaluator.score.covariances import keep_covariances
    from evaluator.score.importing import import_predictions
    from evaluator.score.reading import dataset_source

    ready_to_write(results)
    store = Store(results)
    read: dict[str, Dataset] = {}
    done = []
    for one in found:
        if one.dataset.id not in read:
            source = dataset_source(one.dataset, data)
            read[one.dataset.id] = read_dataset(source)
        dataset = read[one.dataset.id]
        done.append(import_predictions(one, dataset, store))
        if not as_json:
            _print(done[-1])
    for dataset in read.values():
        keep_covariances(dataset, boards, store)
    if as_json:
        print_json(list(map(_plain, done)))


def _plain(imported: Imported) -> dict[str, Any]:
    return {
        "status": imported.status,
        "result": imported.result.plain(),
        "lost_suites": list(imported.lost),
    }


def _print(imported: Imported) -> None:
    from evaluator.score.scores import lost_line, scores_line

    result = imported.result
    summarise(f"{result.model.id} on {result.dataset.id}: {imported.status}: {scores_line(result)}")
    for path in imported.written:
        detail(f"  {path}")
    for name, score in result.scores.items():
        if score.threshold is not None:
            summarise(f"  {name} is at the threshold {score.threshold:g}")
    for suite in imported.lost:
        summarise(lost_line(suite))
    _print_failures(result.failures)


def _print_failures(failures: Iterable[Failure]) -> None:
    from evaluator.score.scores import failure_line

    for failure in failures:
        summarise(printable(failure_line(failure)))
