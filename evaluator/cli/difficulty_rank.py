"""``steelyard rank BOARD --by DIFFICULTY``: models ranked by difficulty, and how much of it is chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.options import Command, OneOf, board_of, check_known, completes, results_directory
from evaluator.cli.printing import decimal, note, print_json, print_table, summarise
from evaluator.rank.difficulty_order import CHOICES
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
#: Fields of a question that have another name here.
OPTIONS = {"metric": "by", "weights": "split-weights", "percents": "percent"}


class DifficultyNumbers(click.ParamType[tuple[float, ...]]):
    """Numbers with commas between them."""

    name = "number,..."

    def convert(
        self, value: str, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[float, ...]:
        try:
            return tuple(float(part) for part in value.split(","))
        except ValueError:
            self.fail(f"{value!r} is not numbers; write them with commas between, such as 0.3,0.6")


_OPTIONS = (
    click.option(
        "--dataset",
        shell_complete=completes("datasets"),
        help="Which of the board's datasets, where several have difficulties.",
    ),
    click.option(
        "--percent",
        "percents",
        type=DifficultyNumbers(),
        help="Per cent of the training set that WOOD looks at; of several, their mean.  [default: 10]",
    ),
    click.option("--kind", type=OneOf(CHOICES["kind"]), help="How examples are split.  [default: equal]"),
    click.option("--splits", type=int, help="How many splits, 2 to 7.  [default: 7]"),
    click.option(
        "--thresholds",
        type=DifficultyNumbers(),
        help="Where splits end, in ascending order, with --kind thresholds.",
    ),
    click.option(
        "--case",
        type=int,
        help="A case of the paper, 1 to 9; 6 to 9 set --kind and --factor, too.  [default: 1]",
    ),
    click.option("--reward", type=float, help="Points for a right answer, in place of --case."),
    click.option("--penalty", type=float, help="Points for a wrong answer, 0 or less, in place of --case."),
    click.option("--scale", type=OneOf(CHOICES["scale"]), help="Weights of splits.  [default: linear]"),
    click.option(
        "--split-weights", type=DifficultyNumbers(), help="A weight for each split, the easiest first."
    ),
    click.option(
        "--ties",
        type=OneOf(CHOICES["ties"]),
        help="Equal difficulties share the mean weight or keep their order.  [default: mean]",
    ),
    click.option(
        "--zeros",
        type=OneOf(CHOICES["zeros"]),
        help="What is done with a difficulty of 0 where weights are 1/B.  [default: drop]",
    ),
    click.option("--clip", type=float, help="What --zeros clip raises 0 to.  [default: 0.01]"),
    click.option(
        "--factor",
        type=OneOf(CHOICES["factor"]),
        help="What the points of an answer are multiplied by.  [default: one]",
    ),
    click.option(
        "--resamples", type=int, help="How many resamples intervals are from; 0 for none.  [default: 1000]"
    ),
    click.option("--seed", type=int, help="The seed of the resamples.  [default: 0]"),
)


def difficulty_options(command: Command) -> Command:
    """Add the options that rank by a difficulty; the command gets them as one dict, None where not given."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def refuse(given: Mapping[str, Any], by: str) -> None:
    """Raise `click.UsageError` if options were given that count for difficulties only."""
    for name, value in given.items():
        if value is not None:
            option = OPTIONS.get(name, name).replace("_", "-")
            raise click.UsageError(f"--{option} is for rankings by a difficulty, and --by is {by}")


@dataclass(frozen=True)
class Stored:
    """A dataset of a board whose gold labels are published, and its results that keep predictions."""

    examples: Examples
    results: Sequence[Result]


def rank_by_difficulty(
    board_id: str, by: str, options: dict[str, Any], board_file: Path, results: Path | None, as_json: bool
) -> None:
    """Print a board's ranking by a difficulty. `options` are None where not given."""
    from evaluator.rank.difficulty_order import DifficultyQuestion, QuestionError
    from evaluator.records.board import load_boards
    from evaluator.records.store import Store

    boards = load_boards(board_file)
    board = board_of(boards, board_id, "TABLE")
    given = {name: value for name, value in options.items() if value is not None}
    resamples, seed = given.pop("resamples", 1000), given.pop("seed", 0)
    store = Store(results_directory(board_file, boards, results))
    stored = _stored(board, store, given.pop("dataset", None), by)
    examples = stored.examples
    difficulties = store.difficulties(examples.task, examples.dataset, examples.revision)
    samples = _samples(store, stored, difficulties)
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
        question = DifficultyQuestion.read({"metric": by, **_terms(given)})
        answer = samples.answer(question)
        noise = samples.noise(question, resamples, seed) if resamples else None
    except QuestionError as error:
        raise click.UsageError(f"--{OPTIONS.get(error.field, error.field)}: {error.problem}") from None
    if as_json:
        where = {"board": board_id, "dataset": examples.dataset, "revision": examples.revision}
        print_json(where | answer.plain() | {"noise": noise, "built_on_its_encoder": sharing})
    else:
        _print(examples, samples, question, answer, noise)
        for model in sharing:
            note(
                f"{samples.label(model)} is built on the encoder of {by}, so its place is no fair comparison"
            )


def _terms(given: Mapping[str, Any]) -> dict[str, Any]:
    """The question's fields; a custom reward or penalty replaces a case."""
    terms = dict(given)
    if "split_weights" in terms:
        terms["weights"] = terms.pop("split_weights")
    if "reward" in terms or "penalty" in terms:
        if "case" in terms:
            raise click.UsageError("--case: says reward and penalty; give it, or --reward and --penalty")
        terms["case"] = None
    return terms


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
