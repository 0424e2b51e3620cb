"""A function of the notebook as a model: scored as a model's predictions are, and nothing more is claimed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import forked_command
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import Leaderboard, evaluate
from evaluator.data.datasets import Dataset, DatasetSource, read_dataset
from evaluator.records.errors import UserError
from evaluator.records.store import Store
from evaluator.score.metrics import report

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "examples" / "demo" / "board.toml"


@pytest.fixture(scope="module")
def reviews() -> Dataset:
    """The demo's reviews."""
    return Leaderboard.open(DEMO).dataset("reviews")


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """A dataset that is answered in words."""
    path = tmp_path_factory.mktemp("qa") / "qa.jsonl"
    rows = [
        {"context": f"The {thing} is {colour}.", "question": f"What is the {thing}?", "answers": [colour]}
        for thing, colour in (("sky", "blue"), ("grass", "green"), ("sun", "bright yellow"))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    columns = {"context": "context", "question": "question", "answers": "answers"}
    return read_dataset(DatasetSource("colours", "qa", path, "jsonl", columns=columns))


def by_length(example: dict[str, Any]) -> str:
    """A model: long reviews are negative."""
    return "negative" if len(example["statement"]) > 50 else "positive"


def test_the_scores_are_those_of_the_same_predictions_imported(reviews: Dataset, tmp_path: Path) -> None:
    """What `steelyard import` stores of the function's answers has the same numbers and columns."""
    found = evaluate(by_length, reviews)
    frame = found.to_pandas()
    path = tmp_path / "answers.csv"
    frame[["id", "predicted"]].rename(columns={"predicted": "label"}).to_csv(path, index=False)
    command = ["import", str(path), "--dataset", "reviews", "--model", "mine", "--board", str(DEMO)]
    done = forked_command.run(*command, "--results", str(tmp_path / "results"), cwd=ROOT)
    assert done.returncode == 0, done.stderr
    store = Store(tmp_path / "results")
    stored = store.find("sentiment", "reviews", "mine")
    assert stored is not None
    assert {name: found.scores[name] for name in stored.scores} == stored.scores
    assert store.predictions(stored).predicted == found.predictions.predictions.predicted
    assert frame.correct.mean() * 100 == pytest.approx(stored.scores["accuracy"].value)


@given(answers=st.lists(st.sampled_from(["negative", "positive", "neither"]), min_size=120, max_size=120))
def test_every_example_has_its_answer_its_value_and_what_is_wrong(
    reviews: Dataset, answers: list[str]
) -> None:
    """Whatever a function says: rows in the dataset's order, invalid answers wrong, and the registry's numbers."""
    if set(answers) == {"neither"}:
        return
    replies = iter(answers)
    found = evaluate(lambda example: next(replies), reviews)
    frame = found.to_pandas()
    assert list(frame.statement) == [example["statement"] for example in reviews.examples]
    assert [one if isinstance(one, str) else "neither" for one in frame.predicted] == answers
    assert list(frame.correct) == [one == gold for one, gold in zip(answers, reviews.gold, strict=True)]
    assert list(frame["accuracy (%)"]) == [100.0 * right for right in frame.correct]
    assert list(frame.failure.notna()) == [one == "neither" for one in answers]
    expected = report(
        answers, list(reviews.gold), "classification", list(found.scores), labels=reviews.labels
    )
    assert {name: one.value for name, one in found.scores.items()} == {
        name: one.value for name, one in expected.scores.items()
    }
    assert sum(failure.count for failure in found.failures) == answers.count("neither")


def test_probabilities_are_kept_and_scored(reviews: Dataset) -> None:
    """A function may say how sure it is; calibration is then scored too, and each share is in the frame."""

    def sure(example: dict[str, Any]) -> dict[str, Any]:
        share = 0.9 if "not" in example["statement"] else 0.25
        label = "negative" if share > 0.5 else "positive"
        return {"label": label, "probabilities": {"negative": share, "positive": 1 - share}}

    found = evaluate(sure, reviews)
    assert {"calibration-error", "brier"} <= set(found.scores)
    frame = found.to_pandas()
    assert set(frame["probability/negative"].round(6)) == {0.9, 0.25}
    assert set(frame.confidence) == {0.9, 0.75}
    scores = found.scores_to_pandas().set_index("metric")
    assert scores.loc["brier", "value"] == found.scores["brier"].value
    assert scores.loc["accuracy", "unit"] == "%"


def test_an_exception_is_a_wrong_answer(reviews: Dataset) -> None:
    """It is counted and described, and the other examples are scored."""

    def fragile(example: dict[str, Any]) -> str:
        if "garden" in example["statement"]:
            raise KeyError("<garden>")
        return "positive"

    found = evaluate(fragile, reviews)
    frame = found.to_pandas()
    gardens = frame.statement.str.contains("garden")
    assert frame.failure.notna().equals(gardens)
    assert not frame.correct[gardens].any()
    [failure] = found.failures
    assert (failure.kind, failure.count) == ("raised", int(gardens.sum()))
    assert "KeyError" in failure.message
    html = found._repr_html_()
    assert "&lt;garden&gt;" in html
    assert "nothing was timed" in html


def test_what_a_function_does_to_its_example_changes_nothing(reviews: Dataset) -> None:
    """Each call gets an object of its own, without an id or a right answer."""
    seen: list[set[str]] = []

    def careless(example: dict[str, Any]) -> str:
        seen.append(set(example))
        example.clear()
        return "positive"

    frame = evaluate(careless, reviews).to_pandas()
    assert seen == [{"statement"}] * len(reviews.examples)
    assert frame.statement.str.len().min() > 0


def test_answers_in_words_have_scores_of_their_own(questions: Dataset) -> None:
    """Each text, and how right it is by each metric that scores one."""
    found = evaluate(lambda example: example["context"].split(" is ")[1].strip("."), questions)
    frame = found.to_pandas()
    assert list(frame.answer) == ["blue", "green", "bright yellow"]
    assert found.scores["exact-match"].value == 100
    found = evaluate(lambda example: "yellow", questions)
    frame = found.to_pandas()
    assert list(frame["exact-match (%)"]) == [0, 0, 0]
    assert list(frame["f1 (%)"].round(1)) == [0, 0, 66.7]
    assert frame.gold.iloc[2] == ("bright yellow",)


def test_metrics_of_the_registry_can_be_asked_for(questions: Dataset) -> None:
    """Beside those of the task; one that does not exist, or does not fit, is an error."""
    assert "rouge-l" in evaluate(lambda example: "blue", questions, metrics=["rouge-l"]).scores
    for name in ("rouge-9", "macro-f1"):
        with pytest.raises(UserError, match=name):
            evaluate(lambda example: "blue", questions, metrics=[name])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            lambda example: "good",
            "model: no answer is valid: 120 of invalid-answer, such as output: 'good' is not",
        ),
        (lambda: "positive", "model: no answer is valid: 120 of raised, such as TypeError"),
        (lambda example: None, "the model returned nothing"),
    ],
)
def test_a_function_without_any_valid_answer_is_an_error(
    reviews: Dataset, model: Callable[..., Any], message: str
) -> None:
    """It says what is wrong with the first one, rather than scoring nothing."""
    with pytest.raises(ValueError, match=re.escape(message)):
        evaluate(model, reviews)


def test_predictions_fit_the_dataset_that_was_answered_only(reviews: Dataset, questions: Dataset) -> None:
    """Another dataset's texts are not put beside them."""
    found = evaluate(by_length, reviews)
    with pytest.raises(ValueError, match=r"dataset: colours sha256:\w+ is not reviews sha256:\w+; read"):
        found.predictions.to_pandas(questions)
