"""``steelyard import``: predictions made elsewhere, scored here, and what other evaluation tools wrote."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from evaluator.cli.logs import import_found, import_logs_again, summary, worth_a_line
from evaluator.cli.options import (
    ExistingPath,
    OneOf,
    Project,
    check_known,
    completes,
    dataset_of,
    pairs,
    project_options,
    refuse_options_of_others,
    source_option,
)
from evaluator.cli.printing import detail, report, summarise
from evaluator.cli.results import (
    ONLY_RESULTS,
    ResultOptions,
    import_again,
    import_results,
    result_options,
    with_factor,
)
from evaluator.rank.formats import counted
from evaluator.records.errors import UserError, printable

if TYPE_CHECKING:
    from evaluator.data.datasets import Dataset
    from evaluator.exchange.answer_files import AnswerFile
    from evaluator.exchange.importing import ImportedTask
    from evaluator.exchange.logs.base import EvaluationLog
    from evaluator.exchange.naming import NamedModel
    from evaluator.exchange.recognising import FoundFiles
    from evaluator.exchange.reported import PublishedNumber
    from evaluator.records.board import Boards
    from evaluator.records.references import Source
    from evaluator.records.result import Failure, Result
    from evaluator.score.importing import Imported, Submission
    from evaluator.score.prediction_rows import PredictionsFile


def _columns(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """``NAME=VALUE`` options as a dict; the first ``=`` separates."""
    from evaluator.data.tasks import is_text, show

    for value in values:
        if not is_text(value):
            # What the terminal did not give as UTF-8 cannot be stored.
            raise click.BadParameter(f"{show(value)} is not text; give valid UTF-8")
        if "=" not in value:
            raise click.BadParameter(f"{value!r}: write it as NAME=VALUE")
    return {name: value for name, _, value in (pair.partition("=") for pair in values)}


TOOLS, ANSWERS, RESULTS = "the log of an evaluation tool", "a file of predictions", "a file of results"
#: Options that are for some files alone.
OPTIONS = {
    TOOLS: ("metrics", "examples", "write_data"),
    ANSWERS: ("columns", "label_map"),
    RESULTS: ("metrics", "columns", *ONLY_RESULTS),
}


@click.command("import")
@click.argument("files", nargs=-1, metavar="[FILE]...", type=ExistingPath())
@click.option(
    "--model",
    shell_complete=completes("models"),
    help="The id of the model, with which it appears on boards.  [default: made of its name in the log]",
)
@click.option(
    "--dataset", "datasets", multiple=True, metavar="[TASK=]DATASET", shell_complete=completes("datasets"),
    help="The dataset of the board file that FILE answers, or that a task of the tool is.  [default: the one"
    " that has the ids of FILE, or the name of the task]",
)  # fmt: skip
@click.option(
    "--metric", "metrics", multiple=True, callback=pairs, metavar="METRIC[,FILTER]=OURS[*FACTOR]",
    help="The metric of the board that a metric of the tool, or a column, is, and what its numbers are"
    " multiplied by."
    "  [default: the one of that name; 100 from a share to per cent, else 1]",
)  # fmt: skip
@click.option(
    "--column", "columns", multiple=True, callback=_columns, metavar="NAME=COLUMN",
    help="Which column of FILE holds id, label (or answer), confidence, probabilities or model; of results"
    " model, dataset, example, trial, cluster, metric, value, examples, tag:NAME or human (labels of some of"
    " the answers that a judge rates).",
)  # fmt: skip
@click.option(
    "--map-label", "label_map", multiple=True, callback=_columns, metavar="THEIRS=OURS",
    help="What a label of FILE means.",
)  # fmt: skip
@click.option(
    "--suite",
    help="FILE answers the variants of this suite, which perturb --variants writes; the model's own answers"
    " must have been imported before.",
)
@click.option(
    "--examples", type=OneOf(["answers", "verdicts", "none"]), default="answers", show_default=True,
    help="What is stored of each example of a tool: the model's answer, whether the tool found it right, or"
    " nothing.",
)  # fmt: skip
@click.option(
    "--accept-differences", is_flag=True,
    help="Accept numbers of a tool that differ from what its examples imply, of which the result says so; and"
    " labels most of which are not the most probable class.",
)  # fmt: skip
@click.option(
    "--write-data", is_flag=True, help="Write a dataset's missing data file, from the examples of a tool."
)
@click.option(
    "--skip-malformed", is_flag=True,
    help="Leave out logs in folders and archives that are broken or unfinished, each of them named.",
)  # fmt: skip
@result_options
@source_option
@project_options("data", "board", "results", "json")
def command(
    project: Project,
    files: tuple[Path, ...],
    model: str | None,
    datasets: tuple[str, ...],
    metrics: dict[str, str],
    columns: dict[str, str],
    label_map: dict[str, str],
    suite: str | None,
    examples: Literal["answers", "verdicts", "none"],
    accept_differences: bool,
    write_data: bool,
    skip_malformed: bool,
    source: Source | None,
    **told: Any,
) -> None:
    """Import what was measured elsewhere: a table of results, a model's predictions, or logs of other tools.

    What a FILE is, is found out. Without --model it has results: a row is a model, a number or an example,
    and what columns mean is shown first. Where that is not certain it is asked, or nothing is stored without
    --yes. How a file is read is kept under [[imports]] of the board file.

    With --model it has predictions, which are scored here: a table (CSV, TSV, JSON, JSON lines or Parquet) or
    SQuAD's {id: answer}, beside which a FILE of {id: number} may say how likely each question has no answer.
    An answer that is no label, and an example without one, count as wrong; of a file with any other mistake
    nothing is stored. Without FILE, what the board file lists under [[predictions]] and [[imports]] is
    imported, narrowed down by --dataset and --model.

    Of tools, FILE is a results_*.json of lm-evaluation-harness 0.4 or of lighteval, a .json or .eval log of
    Inspect, the folder of a run of HELM, a task's JSON of MTEB, a document of Every Eval Ever, a results.json
    of promptfoo, a README.md or .eval_results/*.yaml of the Hub; or a folder or archive (.zip, .tar.gz) of
    such files, of several models and tools. A folder of Steelyard's own results, such as one of
    evaluate --share, is taken in as it is. Where the tool kept its examples and the board has the data, the
    answers are scored here, and must give the numbers that the tool published. All that is asked for is
    stored, or nothing.

    \b
    Examples:
      steelyard import labels.csv --model mine --map-label 1=positive
      steelyard import answers.json na_prob.json --dataset squad-2 --model mine
      steelyard import perturbed.csv --dataset sst-2 --model mine --suite robustness
      steelyard import results_2026-01-15T10-30-00.json --model mine --dataset sst2=sst-2
      steelyard import results.json --model mine --metric acc_norm,none=accuracy
      steelyard import results-of-others/
      steelyard import logs.tar.gz --dataset sst2=sst-2
      steelyard import results.csv --lower-is-better latency
    """
    from evaluator.exchange.matching import ImportRequest
    from evaluator.exchange.recognising import recognised
    from evaluator.score.examples import repeat_notes
    from evaluator.score.merging import is_results_folder
    from evaluator.score.prediction_rows import PredictionsFile

    folders = [file for file in files if is_results_folder(file)]
    if folders:
        _import_folders(project, folders, files)
        return
    for file in files:
        if is_results_folder(file / "results"):
            raise UserError(file, "holds more than results", f"import {file / 'results'}")
    boards = project.scoring_boards
    to_read = {one.id for one in boards.datasets if one.readable}
    is_said = model is not None or suite is not None or label_map or not to_read.isdisjoint(datasets)
    found = recognised(files, bool(is_said))
    options = ResultOptions(
        columns, metrics, datasets, accept_differences=accept_differences, source=source, **told
    )
    tables = _answer_tables(project, found, options, label_map) if not (model or suite) else []
    if found.predictions and model is None:
        raise click.UsageError("--model: missing; say whose answers FILE has")
    of_tasks = dict(pair.rsplit("=", 1) for pair in datasets if "=" in pair)
    alone = [name for name in datasets if "=" not in name]
    _check_options(found, tables, alone, of_tasks, suite)
    for name in alone if not found.results else ():
        dataset_of(boards, name, "--dataset")
    names, scales = _scaled(metrics)
    shown: list[dict[str, Any]] = []

    def requested(_: EvaluationLog, model: NamedModel) -> ImportRequest:
        return ImportRequest(
            model.id,
            model.label,
            of_tasks,
            names,
            scales,
            source.citation if source else None,
            source.link if source else None,
            examples,
            accept_differences,
            write_data,
        )

    if skip_malformed and files and not found.logs:
        raise click.UsageError(f"--skip-malformed: is for {TOOLS}, and no FILE is one; leave it out")
    logs = import_found(project, found.logs, model, requested, skip_malformed) if found.logs else []
    if not files:
        logs = import_logs_again(project, skip_malformed)
    left_out = list(dict.fromkeys(line for done in logs for line in done.left_out))
    for done in logs:
        for one in done.tasks:
            compared = {"compared": [_compared(pair) for pair in one.compared]}
            shown.append(_plain(one) | compared | ({"unused": one.unused} if one.unused else {}))
            if not project.as_json and worth_a_line(one, sum(len(log.tasks) for log in logs)):
                _print(one, [*_notes(one, len(logs) == 1), *_word_notes(project, one.result)])
    if len(logs) > 1 and not project.as_json:
        summarise(summary(logs))
    given = [
        _given(
            project,
            PredictionsFile(file, None, columns, label_map, found.no_answer, accept_differences),
            alone,
            str(model),
            source,
        )
        for file in found.predictions
    ]
    if found.results:
        shown += import_results(project, found.results, options)
    for table in tables:
        shown += _import_table(project, table)
    if not files and boards.imports:
        shown += import_again(project, alone)
    if suite is not None:
        shown.append(_import_variants(project, given[0], suite))
    elif found.predictions or (not files and (boards.predictions or not boards.imports)):
        shown += _import(
            project, given or _declared(project, alone, model, accept_differences), project.boards
        )
    about = [(one["result"]["task"], one["result"]["dataset"]) for one in shown]
    notes = repeat_notes(((task, of["id"], of.get("revision")) for task, of in about), project.store)
    report(
        project.as_json,
        {"results": shown, "left_out": left_out},
        [*(f"left out: {line}" for line in left_out), *(f"note: {line}" for line in notes)],
    )


def _import_folders(project: Project, folders: Sequence[Path], files: Sequence[Path]) -> None:
    """Take in the results of others who evaluated by the same board file."""
    from evaluator.records.store import Store
    from evaluator.score.merging import merge_results

    if len(folders) < len(files):
        [other, *_] = [file for file in files if file not in folders]
        raise click.UsageError(f"{other}: is no folder of results as {folders[0]} is; import it by itself")
    shown = []
    for folder in folders:
        counts = dict.fromkeys(("imported", "unchanged", "kept ours"), 0)
        for merged in merge_results(Store(folder), project.store, project.scoring_boards, project.data):
            counts[merged.status] += 1
            shown.append({"status": merged.status, "result": merged.result.plain()})
            if merged.status != "unchanged" and not project.as_json:
                newer = ": ours is as new" if merged.status == "kept ours" else ""
                detail(f"{merged.result.model.id} on {merged.result.dataset.id}: {merged.status}{newer}")
        said = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        if not project.as_json:
            summarise(f"{folder}: {said}")
    report(project.as_json, {"results": shown, "left_out": []}, [])


def _answer_tables(
    project: Project, found: FoundFiles, options: ResultOptions, labels: Mapping[str, str]
) -> list[AnswerFile]:
    """Those of the files that have the answers of several models, which are taken out of the others.

    Raises `UserError`.
    """
    from evaluator.exchange.answer_files import understood

    tables = []
    for files in (found.predictions, found.results):
        for file in list(files):
            table = understood(file, project.scoring_boards, project.data, options.told(), labels)
            if table is not None:
                tables.append(table)
                files.remove(file)
    return tables


def _check_options(
    found: FoundFiles,
    tables: Sequence[AnswerFile],
    datasets: Sequence[str],
    tasks: Mapping[str, str],
    suite: str | None,
) -> None:
    """Raise `click.UsageError` for an option that says nothing of what the files are."""
    of_suite = ["answers to a suite"] if suite is not None else ["a model's own answers"]
    refuse_options_of_others({"a model's own answers": ("source",)}, of_suite, "--suite is given")
    one_file = len(found.predictions) == 1 and not found.logs and not found.no_answer
    if suite is not None and not (one_file and datasets):
        raise click.UsageError("--suite: give one FILE, --dataset and --model, whose answers to it FILE has")
    if found.no_answer is not None and len(found.predictions) != 1:
        fix = "give it beside the one file of answers that it is about"
        raise click.UsageError(f"{found.no_answer}: says how likely questions have no answer; {fix}")
    if not found.results and (len(datasets) > 1 or (datasets and found.logs)):
        fix = "name one, or write it as TASK=DATASET for a task of a tool"
        raise click.UsageError(f"--dataset {datasets[-1]!r}: {fix}")
    # A table of answers has numbers beside them, of which the same is said as of results.
    have = {
        TOOLS: found.logs,
        ANSWERS: [*found.predictions, *tables],
        RESULTS: [*found.results, *tables],
    }
    kinds = [kind for kind, files in have.items() if files]
    refuse_options_of_others(OPTIONS, kinds, "no FILE is one")
    if tasks and not (found.logs or found.results):
        raise click.UsageError(f"--dataset {next(iter(tasks))}=: is for {TOOLS}, and no FILE is one")


def _scaled(metrics: dict[str, str]) -> tuple[dict[str, str], dict[str, float]]:
    """The metric of a board for each metric of a tool, and the factor of each that has one."""
    names: dict[str, str] = {}
    scales: dict[str, float] = {}
    for theirs, ours in metrics.items():
        names[theirs], factor = with_factor(theirs, ours)
        scales |= {names[theirs]: factor} if factor is not None else {}
    return names, scales


def _given(
    project: Project, file: PredictionsFile, datasets: Sequence[str], model: str, source: Source | None
) -> Submission:
    """The file with its dataset and model; `click.UsageError` for a column or an id that cannot be."""
    from evaluator.data.tasks import FieldError, get_task
    from evaluator.score.importing import submission
    from evaluator.score.prediction_rows import check_columns

    dataset = datasets[0] if datasets else _dataset_answered(project, file)
    try:
        check_columns(file.columns, get_task(project.boards.dataset(dataset).task))
        return submission(project.boards, file, dataset, model, source)
    except FieldError as error:
        raise click.UsageError(f"--{error.field}: {error.problem}; {error.fix}") from None


def _dataset_answered(project: Project, file: PredictionsFile) -> str:
    """The one dataset of the board file that has all ids of a file. Raises `click.UsageError`."""
    from evaluator.exchange.recognising import datasets_answered

    fitting, unread = datasets_answered(file, project.boards, project.data)
    if len(fitting) == 1:
        return fitting[0]
    which = f"no dataset here has all ids of {file.path}"
    if fitting:
        which = f"{file.path} has ids of {', '.join(fitting)}"
    elif unread:
        more = f" (and {len(unread) - 1} more)" if len(unread) > 1 else ""
        which += f", and one could not be read{more}: {unread[0]}"
    raise click.UsageError(f"--dataset: {which}; say which dataset it answers")


def _declared(
    project: Project, datasets: Sequence[str], model: str | None, accept_differences: bool
) -> list[Submission]:
    from evaluator.score.importing import declared

    found = [
        one
        for one in declared(project.boards, project.data)
        if (not datasets or one.dataset.id in datasets) and model in (None, one.model)
    ]
    if not found:
        raise click.UsageError("FILE: missing, and the board file has no such [[predictions]]; name a file")
    if accept_differences:
        return [replace(one, file=replace(one.file, accept_differences=True)) for one in found]
    return found


def _import_table(project: Project, table: AnswerFile) -> list[dict[str, Any]]:
    """Import a table with the answers of several models; the board file says from now on how it is read.

    Nothing is written where anything is wrong with it. Raises `UserError`.
    """
    from evaluator.exchange.results.board_file import tried, write_board_file
    from evaluator.score.importing import declared_in

    path = project.board_file
    text = path.read_text("utf-8")
    changed = table.board_file(text, project.scoring_boards)
    boards = tried(path, changed).skipping_malformed(project.store.skipped)
    if not project.as_json:
        for line in table.lines:
            summarise(printable(line))
    shown = _import(project, declared_in(table.spec, boards, project.data), boards)
    write_board_file(path, changed)
    return shown


def _import(project: Project, found: Sequence[Submission], boards: Boards) -> list[dict[str, Any]]:
    """Import everything, in order; of a file whose models are all imported, all or nothing. What was imported
    before a bad file stays."""
    from evaluator.score.importing import import_table
    from evaluator.score.keeping import keep_covariances

    read: dict[str, Dataset] = {}
    shown = []
    for _, group in itertools.groupby(found, lambda one: (one.file, one.dataset.id)):
        of_file = list(group)
        name = of_file[0].dataset.id
        if name not in read:
            read[name] = project.dataset(name)
        for done in import_table(of_file, read[name], project.store):
            shown.append(
                _plain(done) | {"unused_columns": list(done.unused), "unlikely_labels": done.unlikely}
            )
            if not project.as_json:
                _print(done, [*_said_of_file(done), *_word_notes(project, done.result, read[name])])
                for path in done.written:
                    detail(f"  {path}")
    for dataset in read.values():
        keep_covariances(dataset, boards, project.store)
    return shown


def _import_variants(project: Project, one: Submission, suite: str) -> dict[str, Any]:
    from evaluator.score.importing import import_variants
    from evaluator.score.keeping import keep_covariances

    boards, store = project.boards, project.store
    tried = [spec.id for spec in boards.suites_of(one.dataset.id)]
    check_known("--suite", suite, tried, f"the board file names no such suite for {one.dataset.id}")
    dataset, spec = project.dataset(one.dataset.id), boards.known_suites[suite]
    done = import_variants(one.file, one.model, spec, one.dataset, dataset, store, project.work)
    keep_covariances(dataset, boards, store)
    if not project.as_json:
        found = done.result.suites[suite]
        agreement = f"{suite} {found.agreement:.4g} % of {counted(found.variants, 'variant')}"
        summarise(f"{one.model} on {dataset.id}: {done.status}: {agreement}")
        for line in _said_of_file(done):
            summarise(line)
        _print_failures(found.failures)
    return _plain(done) | {"unused_columns": list(done.unused), "unlikely_labels": done.unlikely}


def _plain(done: Imported | ImportedTask) -> dict[str, Any]:
    return {"status": done.status, "result": done.result.plain(), "lost_suites": list(done.lost)}


def _compared(pair: PublishedNumber) -> dict[str, Any]:
    return {
        "metric": pair.metric,
        "implied": pair.implied,
        "published": pair.published,
        "same": pair.is_same,
    }


def _notes(done: ImportedTask, with_source: bool) -> Iterator[str]:
    """How the numbers of a tool compare with its examples, and where they are from."""
    for pair in done.compared:
        yield f"  {pair.words}{'' if pair.is_same else ' (accepted, and marked)'}"
    if done.unused:
        yield f"  {done.unused}"
    if done.result.source and with_source:
        yield f"  source: {done.result.source.citation}"


def _word_notes(project: Project, result: Result, dataset: Dataset | None = None) -> list[str]:
    """Lines about texts in which the tokeniser of a metric finds no words."""
    from evaluator.data.tasks import get_task
    from evaluator.score.scores import word_notes

    if result.predictions is None or result.provenance == "reported":  # values have no texts
        return []
    if get_task(result.task).answer != "text":
        return []
    dataset = dataset or project.dataset(result.dataset.id)
    return [
        f"  note: {line}" for line in word_notes(dataset, project.store.predictions(result), result.scores)
    ]


def _said_of_file(done: Imported) -> Iterator[str]:
    """Lines about the columns of a file that say nothing, and labels that its probabilities speak against."""
    from evaluator.score.importing import said_of_runs
    from evaluator.score.prediction_rows import listed

    for line in said_of_runs(done.result):
        yield f"  {line}"
    if done.unused:
        yield f"  columns that are not used: {listed(done.unused)}"
    if done.unlikely:
        yield f"  {done.unlikely}"


def _print(done: Imported | ImportedTask, notes: Iterable[str]) -> None:
    from evaluator.score.scores import lost_line, scores_line

    result = done.result
    summarise(f"{result.model.id} on {result.dataset.id}: {done.status}: {scores_line(result)}")
    if result.dataset.left_out:
        summarise(f"  left out of {result.dataset.id}: {result.dataset.left_out}")
    for line in notes:
        summarise(line)
    for name, score in result.scores.items():
        if score.threshold is not None:
            summarise(f"  {name} is at the threshold {score.threshold:g}")
    for suite in done.lost:
        summarise(lost_line(suite))
    _print_failures(result.failures)


def _print_failures(failures: Iterable[Failure]) -> None:
    from evaluator.score.scores import failure_line

    for failure in failures:
        summarise(printable(failure_line(failure)))
