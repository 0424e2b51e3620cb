"""Boards of several tasks: a score made of each dataset's main metric, its groups, and how sure its ranks are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import forked_command
import numpy as np
import numpy.typing as npt
import pytest

from evaluator.data.tasks import TASKS
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_sets import Certainty
from evaluator.records.base import CANONICAL
from evaluator.records.board import Assembled, BoardSpec, DatasetSpec, load_boards
from evaluator.records.board.score import MainMetric, default_dataset_weights, main_metrics, with_score
from evaluator.records.errors import UserError
from evaluator.records.references import DatasetRef, ModelRef, Source
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_board, board_results, sampled

#: Share of right answers of each model.
SKILL = {"one": 0.9, "two": 0.75, "three": 0.6}
LABELS = ["entailed", "neutral", "contradictory"]
PAIRS, QUESTIONS = 90, 60
BOARD = """
title = "T"

[[datasets]]
id = "pairs"
label = "Pairs"
task = "nli"
path = "pairs.jsonl"
format = "jsonl"
columns = { id = "id", context = "context", hypothesis = "hypothesis", label = "label" }
labels = ["entailed", "neutral", "contradictory"]

[[datasets]]
id = "questions"
label = "Questions"
task = "qa"
path = "questions.jsonl"
format = "jsonl"
columns = { id = "id", context = "context", question = "question", answers = "answers" }

[[boards]]
id = "b"
title = "B"
base = "score"
datasets = ["pairs", "questions"]
metrics = [
  { name = "score", label = "Score", unit = "%" },
  { name = "exact-match", label = "Exact match", unit = "%" },
]
dataset_weights = { pairs = 3, questions = 1 }
"""


def answers() -> dict[str, tuple[list[str], list[str]]]:
    """By model, its labels of the pairs and its answers to the questions."""
    chance = np.random.default_rng(5)
    found = {}
    for model, skill in SKILL.items():
        labels = [LABELS[(row + int(chance.random() > skill)) % 3] for row in range(PAIRS)]
        words = [
            f"{row} people" if chance.random() < skill else f"{row} ships" if row % 2 else "a river"
            for row in range(QUESTIONS)
        ]
        found[model] = labels, words
    return found


def of_pairs(model: str) -> npt.NDArray[np.float64]:
    """100 where a label is right, else 0, which is what accuracy is the mean of."""
    return np.array([100.0 * (label == LABELS[row % 3]) for row, label in enumerate(answers()[model][0])])


def of_questions(model: str) -> npt.NDArray[np.float64]:
    """Token F1 with "N people": 100 for the same, 50 for one word of two, else 0."""
    return np.array(
        [
            100.0 if word == f"{row} people" else 50.0 if word == f"{row} ships" else 0.0
            for row, word in enumerate(answers()[model][1])
        ]
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board of two tasks with the answers of three models imported."""
    root = tmp_path_factory.mktemp("several")
    (root / "board.toml").write_text(BOARD)
    pairs = [
        {"id": f"p{row}", "context": f"C {row}", "hypothesis": "H", "label": LABELS[row % 3]}
        for row in range(PAIRS)
    ]
    questions = [
        {"id": f"q{row}", "context": f"{row} people", "question": "How many?", "answers": [f"{row} people"]}
        for row in range(QUESTIONS)
    ]
    for name, rows in (("pairs", pairs), ("questions", questions)):
        (root / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for model, (labels, words) in answers().items():
        for dataset, column, given in (("pairs", "label", labels), ("questions", "answer", words)):
            lines = [f"{dataset[0]}{row},{answer}\n" for row, answer in enumerate(given)]
            (root / f"{model}.csv").write_text(f"id,{column}\n" + "".join(lines))
            named = ("--dataset", dataset, "--model", model)
            done = forked_command.run("import", f"{model}.csv", *named, cwd=root)
            assert done.returncode == 0, done.stdout + done.stderr
    return root


def assembled_of(folder: Path, change: Callable[[str], str] = lambda text: text) -> tuple[Assembled, Store]:
    file = folder / "changed.toml"
    file.write_text(change(BOARD))
    boards, store = load_boards(file), Store(folder / "results")
    [spec] = boards.boards
    return assemble_board(spec, boards, store, board_results(spec, boards, store)), store


def test_a_score_is_the_mean_of_the_main_metrics_at_the_dataset_weights(folder: Path) -> None:
    assembled, _ = assembled_of(folder)
    board = Board.from_dict(assembled.data)
    means = board.means("score", assembled.dataset_weights)
    expected = [
        (3 * of_pairs(model).mean() + of_questions(model).mean()) / 4 for model in assembled.data["models"]
    ]
    assert assembled.tasks == ("nli", "qa")
    assert means == pytest.approx(expected, abs=1e-9)


def test_a_score_varies_as_the_examples_of_all_datasets_do(folder: Path) -> None:
    # A pair's variance by numpy, from the answers: the sum over independent datasets of share^2 S^2 / n.
    assembled, store = assembled_of(folder)
    board = Board.from_dict(assembled.data)
    certainty = Certainty.from_dict(board, sampled(assembled, store))
    question = Question({"score": 1.0}, assembled.dataset_weights)
    variances = certainty.variances(question, board.columns(question))
    pairs = [(i, j) for i in range(3) for j in range(i)]
    for at, (i, j) in enumerate(pairs):
        first, second = (assembled.data["models"][index] for index in (i, j))
        apart = [of(first) - of(second) for of in (of_pairs, of_questions)]
        expected = sum(
            share**2 * gap.var(ddof=1) / len(gap) for share, gap in zip((0.75, 0.25), apart, strict=True)
        )
        # Covariances are kept in steps of a hundredth of a per cent.
        found = sum(factor * column[at] for factor, column in variances.factors)
        assert found == pytest.approx(expected, rel=1e-3)
    assert certainty.sets(question).sets == [(1, 1), (3, 3), (2, 2)]


def test_two_columns_of_one_metric_vary_together(folder: Path) -> None:
    # Of the pairs' accuracy counts alone are kept; a score of it is the very same number.
    assembled, store = assembled_of(folder, lambda text: text.replace('"exact-match"', '"accuracy"'))
    [*_, found] = [
        parts
        for first, second, step, parts in sampled(assembled, store)["pairs"]["covariances"]
        if (first, second) == ("score", "accuracy") and step > 0
    ]
    board = Board.from_dict(assembled.data)
    certainty = Certainty.from_dict(board, sampled(assembled, store)).sampled["pairs"]
    assert found
    for pair in (("score", "score"), ("score", "accuracy"), ("accuracy", "accuracy")):
        own = certainty.covariances["accuracy", "accuracy"]
        assert certainty.covariances[pair] == pytest.approx(own, rel=1e-3)


def test_right_answers_are_counted_only_where_a_score_is_made_of_nothing_else(folder: Path) -> None:
    assembled, store = assembled_of(folder)
    board = Board.from_dict(assembled.data)
    certainty = Certainty.from_dict(board, sampled(assembled, store))
    both = certainty.compare("one", "two", Question({"score": 1.0}, {"pairs": 1.0, "questions": 1.0}))
    pairs = certainty.compare("one", "two", Question({"score": 1.0}, {"pairs": 1.0}))
    right = [of_pairs(model) > 0 for model in ("one", "two")]
    assert "score" not in both.alone
    assert pairs.alone["score"] == (int((right[0] & ~right[1]).sum()), int((~right[0] & right[1]).sum()))


def test_a_metric_of_which_less_is_better_counts_from_its_worst_value(folder: Path) -> None:
    turned = 'task = "qa"\nmain = "f1"\nrange = [100.0, 0.0]'
    assembled, store = assembled_of(folder, lambda text: text.replace('task = "qa"', turned))
    scores = dict(zip(assembled.data["models"], assembled.data["values"]["questions"]["score"], strict=True))
    varied = sampled(assembled, store)["questions"]
    crossed = {tuple(names): step for *names, step, _ in varied["covariances"]}
    assert scores == pytest.approx({model: 100 - of_questions(model).mean() for model in SKILL})
    assert crossed["score", "exact-match"] < 0 < crossed["score", "score"]


def reported(dataset: str, task: str, **scores: tuple[float, str]) -> Result:
    return Result(
        task=task,
        model=ModelRef(id="m", label="M"),
        dataset=DatasetRef(id=dataset),
        provenance="reported",
        scores={
            name.replace("_", "-"): Score(value=value, unit=unit, version="as-published")
            for name, (value, unit) in scores.items()
        },
        source=Source(citation="Somebody 2020"),
        created="2026-11-26T10:00:00Z",
        tool="test",
    )


def dataset(id_: str, task: str, **more: object) -> DatasetSpec:
    return DatasetSpec.model_validate({"id": id_, "label": id_.title(), "task": task, **more})


def test_a_number_in_another_unit_counts_in_per_cent_of_its_range() -> None:
    specs = [dataset("a", "qa"), dataset("b", "generation", main="rating", range=(1.0, 5.0))]
    results = [reported("a", "qa", f1=(80.0, "%")), reported("b", "generation", rating=(4.0, "points"))]
    mains = main_metrics(specs, results)
    scores = [with_score(one, mains[one.dataset.id]).scores["score"] for one in results]
    assert [(score.value, score.unit) for score in scores] == [(80.0, "%"), (75.0, "%")]


def test_numbers_in_one_unit_are_taken_as_they_are() -> None:
    specs = [dataset("a", "qa", main="rating"), dataset("b", "nli", main="rating")]
    results = [reported(one.id, one.task, rating=(4.0, "points")) for one in specs]
    scores = [with_score(one, main_metrics(specs, results)[one.dataset.id]) for one in results]
    assert [one.scores["score"].unit for one in scores] == ["points", "points"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "datasets: b: range: its main metric rating is in points, .* give range"),
        ({"range": (1.0, 3.0)}, "datasets: b: range: rating of M is 4, outside 1 to 3"),
    ],
    ids=["another unit without a range", "a value outside the range"],
)
def test_what_has_no_per_cent_is_an_error_that_names_it(more: dict[str, object], said: str) -> None:
    specs = [dataset("a", "qa"), dataset("b", "generation", main="rating", **more)]
    results = [reported("a", "qa", f1=(80.0, "%")), reported("b", "generation", rating=(4.0, "points"))]
    with pytest.raises(UserError, match=said):
        main_metrics(specs, results)


def test_a_metric_that_is_called_score_itself_stays_what_it_is() -> None:
    spec, result = dataset("a", "qa"), reported("a", "qa", score=(7.0, "points"), f1=(80.0, "%"))
    main = main_metrics([spec], [result])["a"]
    assert main.name == "score"
    assert with_score(result, main) == result


def test_a_metric_that_is_called_score_itself_may_have_a_range_and_stays_of_its_definition() -> None:
    spec, result = dataset("a", "qa", range=(0.0, 10.0)), reported("a", "qa", score=(7.0, "points"))
    score = with_score(result, main_metrics([spec], [result])["a"]).scores["score"]
    assert (score.value, score.unit, score.version) == (70.0, "%", "as-published")


def test_a_result_without_the_main_metric_has_no_score() -> None:
    result = reported("a", "qa", score=(7.0, "points"))
    assert "score" not in with_score(result, MainMetric("a", "f1", None)).scores


def test_the_datasets_of_a_group_share_one_weight() -> None:
    spec = BoardSpec.model_validate(
        {
            "id": "b",
            "title": "B",
            "base": "score",
            "datasets": ("a", "b", "c", "d"),
            "metrics": [{"name": "score", "label": "Score", "unit": "%"}],
            "groups": {"Reading": ("a", "b")},
        }
    )
    # d is for evaluation only.
    assert default_dataset_weights(spec, ["a", "b", "c"]) == {"a": 0.5, "b": 0.5, "c": 1.0}


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ('{ "X" = ["pairs", "nothing"] }', "boards: b: groups: X: 'nothing' is none of pairs, questions"),
        ('{ "X" = ["pairs"], "Y" = ["pairs"] }', "boards: b: groups: 'pairs' is used more than once"),
    ],
)
def test_groups_that_do_not_fit_the_datasets(folder: Path, groups: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        assembled_of(folder, lambda text: text + f"groups = {groups}\n")


def test_tasks_have_the_canonical_metrics_that_scores_are_made_of() -> None:
    assert {name: task.metric for name, task in TASKS.items() if task.metrics} == CANONICAL


def test_a_model_of_numbers_only_may_be_of_several_tasks_and_one_that_runs_not(folder: Path) -> None:
    model = '\n[[models]]\nid = "one"\nlabel = "One"\n'
    assembled, _ = assembled_of(folder, lambda text: text + model)
    assert set(assembled.entries["one"].results) == {"pairs", "questions"}
    with pytest.raises(UserError, match="models: one: task: missing; a model that is run needs one"):
        assembled_of(folder, lambda text: text + model + 'recipe = "majority"\n')


def test_a_removed_model_leaves_boards_of_all_its_tasks(folder: Path) -> None:
    removed = 'removed = { date = "2026-11-01", reason = "withdrawn" }\n'
    assembled, _ = assembled_of(
        folder, lambda text: text + f'\n[[models]]\nid = "one"\nlabel = "One"\n{removed}'
    )
    assert [model.id for model in assembled.removed] == ["one"]
    assert assembled.data["models"] == ["three", "two"]


def test_every_command_works_on_a_board_of_several_tasks(folder: Path) -> None:
    ranked = forked_command.run("rank", "b", "--json", cwd=folder)
    assert [row["model"] for row in json.loads(ranked.stdout)["models"]] == ["one", "two", "three"]
    for command in (("check",), ("export", "b", "--format", "csv"), ("check", "--quality")):
        done = forked_command.run(*command, cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_metrics_of_a_dataset_have_the_one_that_its_score_is_made_of(folder: Path) -> None:
    boards = load_boards(folder / "board.toml")
    assert boards.metrics_of("questions") == ["score", "exact-match", "f1"]


def test_exports_for_others_name_the_metric_that_a_score_is_made_of(folder: Path) -> None:
    exported = forked_command.run("export", "b", "--format", "model-index", "--model", "one", cwd=folder)
    assert exported.returncode == 0, exported.stderr
    assert exported.stdout.count("type: score") == 0
    assert exported.stdout.count("name: accuracy (%)") == exported.stdout.count("name: f1 (%)") == 1
