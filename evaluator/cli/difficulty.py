"""``steelyard difficulty``: how difficult a dataset's examples are, and results' scores by it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.difficulty_rank import Setting
from evaluator.cli.options import (
    OneOf,
    Project,
    check_known,
    checked_link,
    completes,
    dataset_of,
    project_options,
)
from evaluator.cli.printing import TerminalProgress, report
from evaluator.rank.formats import counted

if TYPE_CHECKING:
    from evaluator.data.datasets import Dataset
    from evaluator.measure.difficulty.making import DifficultyRequest
    from evaluator.records.board import Boards, DatasetSpec
    from evaluator.records.datasets import Difficulty
    from evaluator.records.store import Store

#: Not computed: every model's own confidence, where it is stored.
WMPROB = "wmprob"


@click.command("difficulty")
@click.argument("dataset", shell_complete=completes("datasets"))
@click.option(
    "--algorithm",
    "algorithms",
    type=OneOf(["wsbias-1", "wsbias-2", "wood", WMPROB]),
    multiple=True,
    help="What to compute, several times if need be; default: all that can be. wmprob: only the scores by"
    " the models' own confidence.",
)
@click.option(
    "--train",
    metavar="DATASET",
    shell_complete=completes("datasets"),
    help="The training set: wsbias-2 and wood need one.",
)
@click.option(
    "--encoder",
    default="minilm",
    show_default=True,
    help="What embeds the texts: minilm, tfidf, or the folder of a transformers encoder.",
)
@click.option(
    "--set",
    "settings",
    type=Setting(),
    multiple=True,
    help="Of the algorithms: similarity (cosine, angular or euclidean) and percentages of wood, rounds of"
    " wsbias-1, seed.",
)
@click.option("--name", help="What the difficulty, and its score, is called; default: as its algorithm.")
@click.option(
    "--import",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Take the values from a CSV file instead.",
)
@click.option("--column", help="Which column of the file has the values, from 0 (hard) to 1 (easy).")
@click.option("--id-column", default="id", show_default=True, help="Which column of the file has the ids.")
@click.option("--citation", help="Where the values of the file were published.")
@click.option("--link", callback=checked_link, help="Where they can be found.")
@click.option("--table", is_flag=True, help="Store the numbers by every difficulty, case and kind of splits.")
@click.option("--replace", is_flag=True, help="Replace what is stored under the name and differs.")
@project_options("data", "board", "results", "work", "json")
def command(
    project: Project,
    dataset: str,
    algorithms: tuple[str, ...],
    train: str | None,
    file: Path | None,
    table: bool,
    replace: bool,
    **options: Any,
) -> None:
    """Store how difficult the examples of DATASET are, and score its results by that.

    WSBias asks simple classifiers; wood measures how similar an example is to the training samples;
    values published elsewhere are imported. Rankings by it: steelyard rank BOARD --by NAME.

    \b
    Examples:
      steelyard difficulty sst-2 --train sst-2-train --table
      steelyard difficulty sst-2-dev --import bias.csv --column bias_algo1 --name wsbias-1 \\
        --citation "Mishra and Arunkumar 2021"
      steelyard difficulty anli-r1 --algorithm wmprob
    """
    from evaluator.score.covariances import keep_covariances
    from evaluator.score.difficulty import is_by_difficulty, score_results
    from evaluator.score.examples import check_ids, keep_examples

    boards = project.scoring_boards
    spec = dataset_of(boards, dataset)
    store = project.writable_store()
    read = project.dataset(dataset)
    check_ids(read, spec)
    if file is not None:
        if algorithms or train:
            raise click.UsageError("--import takes values from a file; leave --algorithm and --train out")
        _check_published([options["name"]], spec)
        found = [_imported(file, read, boards, options)]
    else:
        trained = project.dataset(train, "--train") if train else None
        computed = _to_compute(algorithms, trained is not None, boards, options)
        _check_published([one.name for one in computed if one.algorithm != "wood"], spec)
        found = _made(computed, read, trained, store, project.work)
    written = [store.save_difficulty(difficulty, replace) for difficulty in found]
    keep_examples(read, spec, store)
    scored = score_results(read, store, [WMPROB] if WMPROB in algorithms else [])
    keep_covariances(read, boards, store)
    summary: dict[str, Any] = {
        "dataset": dataset,
        "difficulties": [
            _summary(difficulty) | {"written": path is not None}
            for difficulty, path in zip(found, written, strict=True)
        ],
        "rescored": [result.model.id for result, new in scored if new],
        "scores": {
            result.model.id: {
                name: score.value for name, score in result.scores.items() if is_by_difficulty(score)
            }
            for result, _ in scored
        },
        "table": str(_table(read, store)) if table else None,
    }
    report(project.as_json, summary, _lines(summary))


def _imported(file: Path, dataset: Dataset, boards: Boards, options: dict[str, Any]) -> Difficulty:
    from evaluator.measure.difficulty.making import check_name, import_values
    from evaluator.records.references import Source

    for option in ("column", "name", "citation"):
        if not options[option]:
            raise click.UsageError(f"--import needs --{option} as well")
    check_name(options["name"], boards)
    source = Source(citation=options["citation"], link=options["link"])
    return import_values(file, options["column"], options["id_column"], options["name"], source, dataset)


def _to_compute(
    algorithms: tuple[str, ...], trained: bool, boards: Boards, options: dict[str, Any]
) -> list[DifficultyRequest]:
    """The difficulties to compute, in the order of the algorithms."""
    from evaluator.measure.difficulty.making import ALGORITHMS, TRAINED, DifficultyRequest, check_name

    chosen = [
        one for one in ALGORITHMS if (one in algorithms if algorithms else trained or one not in TRAINED)
    ]
    name = options["name"]
    if name and len(chosen) != 1:
        raise click.UsageError("--name is for one difficulty; ask for one --algorithm")
    if name:
        check_name(name, boards)
    settings = {name: _checked(name, value) for name, value in options["settings"]}
    return [
        DifficultyRequest(algorithm, name or algorithm, encoder=options["encoder"], **settings)
        for algorithm in chosen
    ]


def _checked(name: str, value: Any) -> Any:
    """A setting as `DifficultyRequest` takes it. Raises `click.UsageError`."""
    if name == "similarity":
        check_known("--set similarity", value, ("cosine", "angular", "euclidean"), "it is no similarity")
    elif name == "percentages":
        value = tuple(value)
    elif name in ("rounds", "seed"):
        if not isinstance(value, int) or value < (name == "rounds"):
            raise click.UsageError(
                f"--set {name}: {value!r} is not a whole number from {int(name == 'rounds')}"
            )
    else:
        check_known("--set", name, ("similarity", "percentages", "rounds", "seed"), "it is no setting")
    return value


def _made(
    computed: list[DifficultyRequest], dataset: Dataset, train: Dataset | None, store: Store, work: Path
) -> list[Difficulty]:
    from evaluator.measure.difficulty.making import make

    progress = TerminalProgress()
    try:
        return [make(one, dataset, train, store, work, progress) for one in computed]
    finally:
        progress.close()


def _check_published(names: Sequence[str], spec: DatasetSpec) -> None:
    """Refuse values from which the gold labels could be guessed, where these are not to be published."""
    from evaluator.records.errors import UserError

    for name in names:
        if not spec.show_gold:
            raise UserError(
                f"{spec.id}: {name} says on which examples classifiers are right, which reveals gold labels;"
                " set show_gold = true for the dataset if these may be published, or ask for --algorithm wood"
            )


def _table(dataset: Dataset, store: Store) -> Path:
    from evaluator.score.difficulty import table_of

    table = table_of(dataset, store)
    store.save_record(table)
    return store.record_path(table)


def _summary(difficulty: Difficulty) -> dict[str, Any]:
    """How many examples each column has a value for, and the mean of these."""
    columns = {}
    for name, column in difficulty.columns.items():
        values = [value for value in column if value is not None]
        columns[name] = {"examples": len(column), "scored": len(values), "mean": sum(values) / len(values)}
    return {
        "name": difficulty.name,
        "algorithm": difficulty.algorithm,
        "sha256": difficulty.content_hash(),
        "columns": columns,
    }


def _lines(summary: dict[str, Any]) -> Iterator[str]:
    for difficulty in summary["difficulties"]:
        state = "stored" if difficulty["written"] else "unchanged"
        for percent, column in difficulty["columns"].items():
            name = f"{difficulty['name']} {percent} %" if percent else difficulty["name"]
            scored = f"{column['scored']} of {column['examples']} examples have a value"
            yield f"{name}: {scored}, mean {column['mean']:.4f}, {state}"
    for model, scores in summary["scores"].items():
        listed = ", ".join(f"{name} {value:.2f}" for name, value in scores.items())
        yield f"{model}: {listed or 'no score by difficulty'}"
    yield f"{counted(len(summary['rescored']), 'result')} rescored"
    if summary["table"]:
        yield f"table: {summary['table']}"
