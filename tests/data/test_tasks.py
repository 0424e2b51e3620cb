import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.tasks import FieldError, Prediction, get_task

BINARY = ("negative", "positive")
TERNARY = ("negative", "neutral", "positive")
task = get_task("sentiment")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(BINARY),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(), inner)
        | st.fixed_dictionaries({"label": inner}, optional={"confidence": inner, "probabilities": inner})
        | st.fixed_dictionaries(dict.fromkeys(BINARY, inner))
    ),
)


def message(output: Any) -> str:
    with pytest.raises(FieldError) as caught:
        task.check_output(output, BINARY)
    return str(caught.value)


def test_unknown_task_lists_the_known_ones() -> None:
    """A task name that does not exist is answered with those that do."""
    with pytest.raises(
        FieldError, match=r"'sentimant' is not a task; did you mean sentiment\? There are nli, qa, sentiment"
    ):
        get_task("sentimant")


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_mock_examples_are_valid_and_survive_json(seed: int) -> None:
    """Every mock example passes the task's own check and comes back from UTF-8 JSON unchanged."""
    examples = task.mock_examples(seed)
    for number, example in enumerate(examples):
        task.check_example(example, f"mock {number}")
    assert json.loads(json.dumps(examples, ensure_ascii=False).encode()) == examples


def test_mock_examples_hold_every_kind_of_trouble() -> None:
    """The mock examples include empty, blank, NUL, right-to-left, emoji and very long texts."""
    texts = [example["statement"] for example in task.mock_examples(0)]
    assert {"", " ", "\n"} <= set(texts)
    assert max(map(len, texts)) > 10_000
    for trouble in ("\x00", "\u202e", "😍", "ا", "<script>"):
        assert any(trouble in text for text in texts)


def test_example_of_the_wrong_type_is_named() -> None:
    """A statement that is no string is reported with place, field, value, type and fix."""
    with pytest.raises(FieldError) as caught:
        task.check_example({"statement": 42}, "test.jsonl:3")
    assert str(caught.value) == (
        "test.jsonl:3: statement: 42 is an int, not a string; give the text as a string"
    )
    assert (caught.value.field, caught.value.value) == ("statement", "42")


@pytest.mark.parametrize("example", [None, [], "text", {}, {"text": "a"}, {"statement": "\ud800"}])
def test_bad_examples_are_field_errors(example: Any) -> None:
    """Anything but an object with a statement of valid text is refused."""
    with pytest.raises(FieldError):
        task.check_example(example, "here")


def test_inputs_leave_the_id_behind() -> None:
    """A model sees the input fields of an example only."""
    assert task.inputs({"id": "7", "statement": "fine", "label": "positive"}) == {"statement": "fine"}


@pytest.mark.parametrize("labels", [("positive", "negative"), ("a", "b"), (), ("negative",)])
def test_other_label_sets_are_refused(labels: tuple[str, ...]) -> None:
    """Labels that are not one of the task's sets, in its order, are refused."""
    with pytest.raises(FieldError, match="use negative, positive or negative, neutral, positive"):
        task.check_labels(labels)


def test_a_plain_label_is_an_answer() -> None:
    """A label string alone is an answer without confidence."""
    assert task.check_output("neutral", TERNARY) == Prediction(1)


def test_a_full_answer_keeps_the_order_of_labels() -> None:
    """Probabilities come out in the order of the labels, whatever order they came in."""
    answer = {"label": "positive", "confidence": 0.75, "probabilities": {"positive": 0.75, "negative": 0.25}}
    assert task.check_output(answer, BINARY) == Prediction(1, 0.75, (0.25, 0.75))


WRONG = {
    "nothing": (None, "output: the model returned nothing; return one of negative, positive"),
    "nan": (math.nan, "output: the model returned NaN; return one of"),
    "list": (["positive"], "output: ['positive'] is a list, not a label or an object; return one of"),
    "bool": (True, "output: True is a bool, not a label"),
    "index": (1, "output: 1 is an int, not a label"),
    "unknown": ("good", "output: 'good' is not a label; return one of negative, positive"),
    "empty": ({}, "output.label: missing"),
    "null label": ({"label": None}, "output.label: the model returned nothing"),
    "label index": ({"label": 0}, "output.label: 0 is an int, not a label"),
    "extra key": ({"label": "positive", "score": 1}, "output.score: is not a key of an answer; return only"),
    "confidence": ({"label": "positive", "confidence": 80}, "output.confidence: 80 is outside 0 to 1"),
    "bool number": (
        {"label": "positive", "confidence": True},
        "output.confidence: True is a bool, not a number",
    ),
    "nan confidence": (
        {"label": "positive", "confidence": math.nan},
        "output.confidence: NaN is not a number",
    ),
    "probability list": ({"label": "positive", "probabilities": [0.5, 0.5]}, "is a list, not an object"),
    "uncovered": (
        {"label": "positive", "probabilities": {"positive": 1}},
        "output.probabilities.negative: missing",
    ),
    "strange": (
        {"label": "positive", "probabilities": {"positive": 1, "negative": 0, "x": 0}},
        "output.probabilities: 'x' is not a label",
    ),
    "sum": (
        {"label": "positive", "probabilities": {"positive": 0.9, "negative": 0.3}},
        "output.probabilities: they sum to 1.2, not to 1; normalise them",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_each_wrong_answer_has_its_own_message(name: str) -> None:
    """The error for a wrong answer says what it is and what to return instead."""
    output, expected = WRONG[name]
    assert expected in message(output)


@pytest.mark.parametrize("output", ["x" * 1_000_000, {"label": "x" * 1_000_000}, {"x" * 1_000_000: 1}])
def test_a_megabyte_is_cut_in_the_message(output: Any) -> None:
    """A huge wrong value is shown by its ends only."""
    assert len(message(output)) < 250


@given(json_values)
def test_arbitrary_json_is_an_answer_or_a_field_error(output: Any) -> None:
    """Whatever JSON a model returns is either a valid prediction or a `FieldError`."""
    try:
        prediction = task.check_output(output, BINARY)
    except FieldError:
        return
    assert prediction.label in (0, 1)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_probabilities_must_sum_to_one_within_a_thousandth(shares: list[float]) -> None:
    """Three shares are accepted exactly when they sum to 1 within 0.001."""
    answer = {"label": "neutral", "probabilities": dict(zip(TERNARY, shares, strict=True))}
    if abs(math.fsum(shares) - 1) <= 1e-3:
        assert task.check_output(answer, TERNARY).probabilities == tuple(shares)
    else:
        with pytest.raises(FieldError):
            task.check_output(answer, TERNARY)
