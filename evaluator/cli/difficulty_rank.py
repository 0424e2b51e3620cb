"""``steelyard rank BOARD --by DIFFICULTY``: models ranked by difficulty, and how much of it is chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.options import Project, board_of, check_known
from evaluator.cli.printing import decimal, note, print_json, print_table, summarise
from evaluator.rank.formats import counted
from evaluator.records.names import did_you_mean

if TYPE_CHECKING:
    from evaluator.rank.difficulty import DifficultyRanking, Samples
    from evaluator.rank.difficulty_order import DifficultyQuestion
    from evaluator.rank.difficulty_rows import DifficultyRow
    from evaluator.records.board import BoardSpec
    from evaluator.records.datasets import Difficulty, Examples
    from evaluator.records.result import Result
    from evaluator.records.store import Store

#: What a ranking may be by, besides the name of a difficulty.
SCORES = ("dynascore", "z-score")
#: What is said with --set beside the fields of `DifficultyQuestion`: of the intervals.
OF_INTERVALS = {"resamples": 1000, "seed": 0}
#: Fields that are lists of numbers.
LISTS = ("percentages", "percents", "thresholds", "weights")


class Setting(click.ParamType[tuple[str, Any]]):
    """``field=value``: a number, numbers with commas between them, or a word."""

    name = "field=value"

    def convert(
        self, value: str, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[str, Any]:
        name, sign, given = value.partition("=")
        if not sign:
            self.fail(f"{value!r}: write it as field=value, such as splits=5")
        try:
            numbers = [float(part) if "." in part or "e" in part else int(part) for part in given.split(",")]
        except ValueError:
            if name in LISTS:
                self.fail(f"{given!r} is not numbers; write them with commas between, such as 0.3,0.6")
            return name, given
        return name, numbers if name in LISTS or len(numbers) > 1 else numbers[0]


@dataclass(frozen=True)
class Stored:
    """A dataset of a board whose gold labels are published, and its results that keep predictions."""

    examples: Examples
    results: Sequence[Result]


def rank_by_difficulty(
    project: Project, board_id: str, by: str, dataset: str | None, settings: Mapping[str, Any]
) -> None:
    """Print a board's ranking by a difficulty of a dataset; `settings` are fields of the question."""
    from evaluator.rank.difficulty_order import DifficultyQuestion, QuestionError

    board = board_of(project.boards, board_id, "TABLE")
    given = OF_INTERVALS | dict(settings)
    resamples, seed = given.pop("resamples"), given.pop("seed")
    if "case" not in given and {"reward", "penalty"} & given.keys():
        given["case"] = None
    stored = _stored(board, project.store, dataset, by)
    examples = stored.examples
    difficulties = project.store.difficulties(examples.task, examples.dataset, examples.revision)
    samples = _samples(project.store, stored, difficulties)
    check_known(
        "--by",
        by,
        (*SCORES, *samples.metrics()),
        f"it is neither a score nor a difficulty of {examples.dataset}",
    )
    sharing = [
        result.model.id
        for difficulty in difficulties
        for result in stored.results
        if difficulty.name == by and difficulty.shares_encoder(result.model)
    ]
    try:
        question = DifficultyQuestion.read({"metric": by, **given})
        answer = samples.answer(question)
        noise = samples.noise(question, resamples, seed) if resamples else None
    except QuestionError as error:
        raise click.UsageError(f"--set {error.field}: {error.problem}") from None
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"--set: {error}") from None
    if project.as_json:
        where = {"board": board_id, "dataset": examples.dataset, "revision": examples.revision}
        print_json(where | answer.plain() | {"noise": noise, "built_on_its_encoder": sharing})
    else:
        _print(examples, samples, question, answer, noise)
        for model in sharing:
            note(
                f"{samples.label(model)} is built on the encoder of {by}, so its place is no fair comparison"
            )


def _stored(board: BoardSpec, store: Store, named: str | None, by: str) -> Stored:
    """The dataset of that name, or the only one there is, to rank by a difficulty of it."""
    if named is not None:
        check_known("--dataset", named, board.datasets, f"{board.id} has no such dataset")
    names = [named] if named else list(board.datasets)
    found = [one for name in names if (one := _published(board, name, store))]
    if not found:
        raise ValueError(
            f"{board.id}: {', '.join(names)}: no predictions with published gold labels, which --by {by}"
            f" needs{did_you_mean(by, SCORES)}; set show_gold = true for the dataset in the board"
            " file, then run: steelyard evaluate"
        )
    if len(found) > 1:
        known = ", ".join(one.examples.dataset for one in found)
        raise click.UsageError(
            f"--dataset: board {board.id} has several with gold labels, {known}; say which"
        )
    return found[0]


def _published(board: BoardSpec, dataset: str, store: Store) -> Stored | None:
    """The revision of a dataset that most models answered, if its gold labels are published."""
    kept = [
        result
        for result in store.results_on(board.task, dataset)
        if result.predictions and result.dataset.revision and result.status == "complete"
    ]
    counts = Counter(str(result.dataset.revision) for result in kept)
    for revision, _ in counts.most_common(1):
        examples = store.examples(board.task, dataset, revision)
        if examples is not None and examples.gold is not None:
            return Stored(examples, [result for result in kept if result.dataset.revision == revision])
    return None


def _samples(store: Store, stored: Stored, difficulties: Sequence[Difficulty]) -> Samples:
    from evaluator.rank.difficulty import Samples

    return Samples.read(
        stored.examples.plain(),
        {result.model.id: store.predictions(result).plain() for result in stored.results},
        [difficulty.plain() for difficulty in difficulties],
        {result.model.id: result.model.label for result in stored.results},
    )


def _print(
    examples: Examples,
    samples: Samples,
    question: DifficultyQuestion,
    answer: DifficultyRanking,
    noise: dict[str, Any] | None,
) -> None:
    header = ["rank", "model", question.metric, "95 % interval", "by order of ties", "W = 1"]
    header += ["accuracy", "rank by it", "accuracy on scored", "scored"]
    print_table([header, *(_cells(row, samples, noise) for row in answer.rows)], left={1})
    reward, penalty = question.terms
    terms = f"in per cent; reward {reward:g}, penalty {penalty:g}"
    summarise(f"\n{examples.dataset}: {counted(len(samples.ids), 'example')}, {terms}")
    for line in (*answer.counts(), *(noise["sentences"] if noise else ())):
        summarise(line)
    for line in answer.notes:
        note(line)


def _cells(row: DifficultyRow, samples: Samples, noise: dict[str, Any] | None) -> list[str]:
    intervals = noise["models"].get(row.model, {}) if noise else {}
    return [
        "-" if row.rank is None else str(row.rank),
        samples.label(row.model),
        decimal(row.value),
        _range(intervals.get("value")),
        _range((row.lowest, row.highest) if row.ties["groups"] else None),
        decimal(row.baseline),
        decimal(row.accuracy),
        "-" if row.accuracy_rank is None else str(row.accuracy_rank),
        decimal(row.accuracy_scored),
        str(row.scored),
    ]


def _range(ends: Sequence[float | None] | None) -> str:
    return "-" if ends is None or None in ends else " to ".join(map(decimal, ends))
