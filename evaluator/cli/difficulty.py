"""``steelyard difficulty``: how difficult a dataset's examples are, and results' scores by it.

``steelyard rank BOARD --by DIFFICULTY``: models ranked by that, and how much of it is chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.options import (
    OneOf,
    Project,
    Setting,
    board_of,
    check_known,
    completes,
    dataset_of,
    named_option,
    project_options,
    source_option,
)
from evaluator.cli.printing import (
    TerminalProgress,
    decimal,
    note,
    print_json,
    print_table,
    report,
    summarise,
)
from evaluator.rank.formats import counted
from evaluator.records.errors import did_you_mean, printable

if TYPE_CHECKING:
    from evaluator.data.datasets import Dataset
    from evaluator.measure.difficulty.making import DifficultyRequest
    from evaluator.rank.difficulty import DifficultyRanking, Samples
    from evaluator.rank.difficulty_order import DifficultyQuestion
    from evaluator.rank.difficulty_rows import DifficultyRow
    from evaluator.records.board import Boards, BoardSpec, DatasetSpec
    from evaluator.records.datasets import Difficulty, Examples
    from evaluator.records.references import Source
    from evaluator.records.result import Result
    from evaluator.records.store import Store

#: Not computed: every model's own confidence, where it is stored.
WMPROB = "wmprob"
#: Of the algorithms, with the type that `DifficultyRequest` has them in.
SETTINGS = {"encoder": str, "percentages": tuple, "rounds": int, "seed": int, "similarity": str}
#: What a ranking may be by, besides the name of a difficulty.
SCORES = ("dynascore", "mean", "z-score", "trades")


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
@named_option(
    "--set",
    "settings",
    Setting(),
    "Of the algorithms: encoder (minilm, tfidf, or the folder of a transformers encoder), seed, rounds"
    " of wsbias-1, similarity (cosine, angular or euclidean) and percentages of wood; name, if it is to be"
    " another than the algorithm's.",
)
@click.option(
    "--import",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Take the values from a table instead, whose column id has the examples' ids.",
)
@click.option(
    "--column",
    metavar="NAME=COLUMN",
    help="What the difficulty is called, and which column of the table has it, from 0 (hard) to 1 (easy).",
)
@source_option
@project_options("data", "board", "results", "work", "json")
def command(
    project: Project,
    dataset: str,
    algorithms: tuple[str, ...],
    train: str | None,
    settings: tuple[tuple[str, Any], ...],
    file: Path | None,
    column: str | None,
    source: Source | None,
) -> None:
    """Store how difficult the examples of DATASET are, and score its results by that.

    Shortcuts (wsbias) are what simple classifiers get right; distance (wood) is from the training samples;
    values published elsewhere are imported. Rankings by it: steelyard rank BOARD --by NAME.

    \b
    Examples:
      steelyard difficulty sst-2 --train sst-2-train
      steelyard difficulty sst-2-dev --import bias.csv --column wsbias-1=bias_algo1 \\
        --source "Mishra and Arunkumar 2021"
      steelyard difficulty anli-r1 --algorithm wmprob
    """
    from evaluator.score.difficulty import is_by_difficulty, score_results, table_of
    from evaluator.score.examples import check_ids, keep_examples
    from evaluator.score.keeping import keep_covariances

    boards = project.scoring_boards
    spec = dataset_of(boards, dataset)
    store = project.writable_store()
    read = project.dataset(dataset)
    check_ids(read, spec)
    if file is not None:
        if algorithms or train or settings:
            raise click.UsageError("--import takes values from a file; leave --algorithm, --train, --set out")
        found = [_imported(file, column, source, read, boards)]
    else:
        if column or source:
            raise click.UsageError("--column and --source: are about a file; give it with --import")
        trained = project.dataset(train, "--train") if train else None
        computed = _to_compute(algorithms, trained is not None, boards, dict(settings))
        _check_published([one.name for one in computed if one.algorithm != "wood"], spec)
        found = _made(computed, read, trained, store, project.work)
    written = [store.save_difficulty(difficulty) for difficulty in found]
    keep_examples(read, spec, store)
    scored = score_results(read, store, [WMPROB] if WMPROB in algorithms else [])
    keep_covariances(read, boards, store)
    if scored:
        store.save_record(table_of(read, store))
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
    }
    report(project.as_json, summary, _lines(summary))


def _imported(
    file: Path, column: str | None, source: Source | None, dataset: Dataset, boards: Boards
) -> Difficulty:
    from evaluator.measure.difficulty.making import check_name, import_values

    name, sign, values = (column or "").rpartition("=")
    if not sign or source is None:
        missing = "--column, such as wsbias-1=bias" if not sign else "--source, which says who published them"
        raise click.UsageError(f"--import needs {missing}")
    check_name(name, boards)
    _check_published([name], dataset_of(boards, dataset.id))
    return import_values(file, values, name, source, dataset)


def _to_compute(
    algorithms: tuple[str, ...], trained: bool, boards: Boards, settings: dict[str, Any]
) -> list[DifficultyRequest]:
    """The difficulties to compute, in the order of the algorithms."""
    from evaluator.measure.difficulty.making import ALGORITHMS, TRAINED, DifficultyRequest, check_name

    chosen = [
        one for one in ALGORITHMS if (one in algorithms if algorithms else trained or one not in TRAINED)
    ]
    name = settings.pop("name", None)
    if name is not None:
        if len(chosen) != 1:
            raise click.UsageError("--set name: is for one difficulty; ask for one --algorithm")
        check_name(str(name), boards)
    for setting, value in settings.items():
        check_known("--set", setting, ("name", *SETTINGS), "it is no setting")
        least = {"rounds": 1, "seed": 0}.get(setting)
        if least is not None and (not isinstance(value, int) or value < least):
            raise click.UsageError(f"--set {setting}: {value!r} is not a whole number from {least}")
        settings[setting] = SETTINGS[setting](value)
    return [DifficultyRequest(one, str(name or one), **settings) for one in chosen]


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

    if names and not spec.show_gold:
        reveals = f"{names[0]} says on which examples classifiers are right, which reveals gold labels"
        fix = "set show_gold = true for the dataset if these may be published, or ask for --algorithm wood"
        raise UserError(spec.id, reveals, fix)


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


def rank_by_difficulty(project: Project, board_id: str, by: str, settings: Mapping[str, Any]) -> None:
    """Print a board's ranking by a difficulty of a dataset; `settings` are fields of the question, and which
    dataset."""
    from evaluator.rank.difficulty import Samples
    from evaluator.rank.difficulty_order import DifficultyQuestion, QuestionError
    from evaluator.records.board import named

    board = board_of(project.boards, board_id, "TABLE")
    given = dict(settings)
    dataset = given.pop("dataset", None)
    if "case" not in given and {"reward", "penalty"} & given.keys():
        given["case"] = None
    examples, results = _answered(board, project.boards, project.store, dataset, by)
    difficulties = project.store.difficulties(examples.task, examples.dataset, examples.revision)
    kept = {result.model.id: project.store.predictions(result) for result in results}
    samples = Samples.read(
        examples.plain(),
        # No example is simply right or wrong of a model that answered it several times.
        {model: one.plain() for model, one in kept.items() if one.trials == 1},
        [difficulty.plain() for difficulty in difficulties],
        {result.model.id: result.model.label for result in named(results, project.boards)},
    )
    several = [model for model, one in kept.items() if one.trials > 1]
    if several and not project.as_json:
        note(f"left out, as no single answer of several runs is right or wrong: {', '.join(several)}")
    check_known(
        "--by",
        by,
        (*SCORES, *samples.metrics()),
        f"it is neither a score nor a difficulty of {examples.dataset}",
    )
    sharing = [
        result.model.id
        for difficulty in difficulties
        for result in results
        if difficulty.name == by and difficulty.shares_encoder(result.model)
    ]
    try:
        question = DifficultyQuestion.read({"metric": by, **given})
        answer = samples.answer(question)
        noise = samples.noise(question)
    except QuestionError as error:
        raise click.UsageError(f"--set {error.field}: {error.problem}") from None
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"--set: {error}") from None
    if project.as_json:
        where = {"board": board_id, "dataset": examples.dataset, "revision": examples.revision}
        print_json(where | answer.plain() | {"noise": noise, "built_on_its_encoder": sharing})
    else:
        _print_ranking(examples, samples, question, answer, noise)
        for model in sharing:
            note(
                f"{samples.label(model)} is built on the encoder of {by}, so its place is no fair comparison"
            )


def _answered(
    board: BoardSpec, boards: Boards, store: Store, named: str | None, by: str
) -> tuple[Examples, Sequence[Result]]:
    """The dataset of that name, or the only one there is, whose gold labels are published, and the results
    with predictions on the revision that most models answered."""
    if named is not None:
        check_known("--set dataset", named, board.datasets, f"{board.id} has no such dataset")
    found = []
    for name in [named] if named else board.datasets:
        task = boards.dataset(name).task
        kept = [
            result
            for result in store.results_on(task, name)
            if result.predictions and result.dataset.revision and result.status == "complete"
        ]
        counts = Counter(str(result.dataset.revision) for result in kept)
        for revision, _ in counts.most_common(1):
            examples = store.examples(task, name, revision)
            if examples is not None and examples.gold is not None:
                found.append((examples, [one for one in kept if one.dataset.revision == revision]))
    if not found:
        raise ValueError(
            f"{board.id}: {named or ', '.join(board.datasets)}: no predictions with published gold labels,"
            f" which --by {by} needs{did_you_mean(by, SCORES)}; set show_gold = true for the dataset in the"
            " board file, then run: steelyard evaluate"
        )
    if len(found) > 1:
        known = ", ".join(examples.dataset for examples, _ in found)
        raise click.UsageError(
            f"--set dataset: board {board.id} has several with gold labels, {known}; say which"
        )
    return found[0]


def _print_ranking(
    examples: Examples,
    samples: Samples,
    question: DifficultyQuestion,
    answer: DifficultyRanking,
    noise: dict[str, Any],
) -> None:
    header = ["rank", "model", question.metric, "95 % interval", "by order of ties", "W = 1"]
    header += ["accuracy", "rank by it", "accuracy on scored", "scored"]
    summarise(printable(noise["lead"]))
    print_table([header, *(_cells(row, samples, noise) for row in answer.rows)], left={1})
    reward, penalty = question.terms
    terms = f"in per cent; reward {reward:g}, penalty {penalty:g}"
    summarise(f"\n{examples.dataset}: {counted(len(samples.ids), 'example')}, {terms}")
    for line in (*answer.counts(), *noise["sentences"]):
        summarise(line)
    for line in answer.notes:
        note(line)


def _cells(row: DifficultyRow, samples: Samples, noise: dict[str, Any]) -> list[str]:
    found = noise["models"].get(row.model, {})
    return [
        "-" if row.rank is None else str(row.rank),
        samples.label(row.model),
        decimal(row.value),
        _range(found.get("value")),
        _range((row.lowest, row.highest) if row.ties["groups"] else None),
        decimal(row.baseline),
        decimal(row.accuracy),
        "-" if row.accuracy_rank is None else str(row.accuracy_rank),
        decimal(row.accuracy_scored),
        str(row.scored),
    ]


def _range(ends: Sequence[float | None] | None) -> str:
    return "-" if ends is None or None in ends else " to ".join(map(decimal, ends))
