"""What tasks ask for, and what they accept as an example, as labels and as an answer."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.datasets import DatasetSource, read_dataset
from evaluator.data.tasks import FieldError, Prediction, get_task
from evaluator.data.tasks.known import NLI_LABELS, NLI_WORDS
from evaluator.measure.models.base import map_labels
from evaluator.rank.own_predictions import WORDS as OWN_WORDS
from evaluator.rank.own_predictions import read_own
from evaluator.records.errors import UserError

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


@pytest.mark.parametrize(
    ("example", "said"),
    [
        ({"statement": 42}, "here: statement: 42 is an int, not a string; give the text as a string"),
        ({"statement": "\ud800"}, "half a surrogate pair"),
        ({"text": "a"}, "here: statement: missing"),
        (None, "here: example: None is a NoneType, not an object"),
    ],
)
def test_an_example_that_is_none_is_named(example: Any, said: str) -> None:
    """Anything but an object with a statement of valid text is refused, with place, field and fix."""
    with pytest.raises(FieldError, match=said):
        task.check_example(example, "here")


@pytest.mark.parametrize("labels", [("positive", "negative"), ("a", "b"), (), ("negative",)])
def test_other_label_sets_are_refused(labels: tuple[str, ...]) -> None:
    """Labels that are not one of the task's sets, in its order, are refused."""
    with pytest.raises(FieldError, match="use negative, positive or negative, neutral, positive"):
        task.check_labels(labels)


def test_a_full_answer_keeps_the_order_of_labels() -> None:
    """Probabilities come out in the order of the labels, whatever order they came in; a label alone is an answer."""
    assert task.check_output("neutral", TERNARY) == Prediction(1)
    answer = {"label": "positive", "confidence": 0.75, "probabilities": {"positive": 0.75, "negative": 0.25}}
    assert task.check_output(answer, BINARY) == Prediction(1, 0.75, (0.25, 0.75))


PLAIN = {"label": "positive"}
WRONG: list[tuple[Any, str]] = [
    (None, "output: the model returned nothing; return one of negative, positive"),
    (math.nan, "output: the model returned NaN; return one of"),
    (["positive"], "output: ['positive'] is a list, not a label or an object; return one of"),
    (True, "output: True is a bool, not a label"),
    ("good", "output: 'good' is not a label; return one of negative, positive"),
    ({}, "output.label: missing"),
    ({"label": None}, "output.label: the model returned nothing"),
    ({"label": 0}, "output.label: 0 is an int, not a label"),
    (PLAIN | {"score": 1}, "output.score: is not a key of an answer; return only"),
    (PLAIN | {"confidence": 80}, "output.confidence: 80 is outside 0 to 1"),
    (PLAIN | {"confidence": True}, "output.confidence: True is a bool, not a number"),
    (PLAIN | {"confidence": math.nan}, "output.confidence: NaN is not a number"),
    (PLAIN | {"probabilities": [0.5, 0.5]}, "is a list, not an object"),
    (PLAIN | {"probabilities": {"positive": 1}}, "output.probabilities.negative: missing"),
    (
        PLAIN | {"probabilities": {"positive": 1, "negative": 0, "x": 0}},
        "output.probabilities: 'x' is not a label",
    ),
    (
        PLAIN | {"probabilities": {"positive": 0.9, "negative": 0.3}},
        "they sum to 1.2, not to 1; normalise them",
    ),
]


@pytest.mark.parametrize(("output", "expected"), WRONG, ids=[expected for _, expected in WRONG])
def test_each_wrong_answer_has_its_own_message(output: Any, expected: str) -> None:
    """The error for a wrong answer says what it is and what to return instead."""
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


# Other words for the labels of inference are understood wherever a label is read

NLI = get_task("nli")
THEIRS = ("ENTAILMENT", "n", "Contradiction")
SHARES = (0.5, 0.3, 0.2)


@pytest.mark.parametrize("word", NLI_WORDS)
def test_a_model_may_answer_in_other_words(word: str) -> None:
    """Alone, in an object, and as the name of a probability."""
    label = NLI_LABELS.index(NLI_WORDS[word])
    assert NLI.check_output(word, NLI_LABELS).label == label
    output = {"label": word, "probabilities": dict(zip(THEIRS, SHARES, strict=True))}
    found = NLI.check_output(output, NLI_LABELS)
    assert (found.label, found.probabilities) == (label, SHARES)


def test_words_that_mean_nothing_or_one_label_twice_are_refused() -> None:
    """It is not known which of two probabilities is meant; words of inference mean nothing to sentiment."""
    shares = {"entailment": 0.3, "entailed": 0.3, "neutral": 0.2, "contradictory": 0.2}
    with pytest.raises(FieldError, match="'entailment' is not a label"):
        NLI.check_output({"label": "neutral", "probabilities": shares}, NLI_LABELS)
    with pytest.raises(FieldError, match="'e' is not a label"):
        task.check_output("e", BINARY)


def test_a_file_of_any_columns_may_use_them(tmp_path: Path) -> None:
    """Without a label map, and in the labels and the map themselves."""
    path = tmp_path / "pairs.tsv"
    path.write_text("p\th\tg\n" + "".join(f"a {word}\tb\t{word}\n" for word in THEIRS))
    columns = {"context": "p", "hypothesis": "h", "label": "g"}
    source = DatasetSource("pairs", "nli", path, "tsv", columns, labels=NLI_LABELS)
    read = read_dataset(source)
    assert read.gold == NLI_LABELS
    assert read.label_map == {label: label for label in NLI_LABELS}
    meant = {"e": "entailment", "n": "n", "c": "Contradiction"}
    assert read_dataset(replace(source, label_map=meant, labels=THEIRS)).labels == NLI_LABELS


def test_a_models_classes_may_have_other_names() -> None:
    """As those of networks on the hub do; a label map goes before."""
    assert map_labels("config.json", THEIRS, {}, "nli", NLI_LABELS) == NLI_LABELS
    mapped = {"label_map": {"ENTAILMENT": "contradictory", "Contradiction": "entailed"}}
    assert map_labels("config.json", THEIRS, mapped, "nli", NLI_LABELS) == NLI_LABELS[::-1]
    with pytest.raises(UserError, match="do not stand for"):
        map_labels("config.json", THEIRS, {}, "sentiment", BINARY)


def test_a_visitors_file_may_use_them() -> None:
    """In the label and in both forms of probabilities; the page knows the same words as the task."""
    assert {word.lower(): label for word, label in NLI_WORDS.items()} == OWN_WORDS
    rows = [
        {"id": "1", "label": "ENTAILMENT", "probabilities": json.dumps({"entailment": 0.9, "n": 0.1})},
        {"id": "2", "label": "c", "probabilities.Contradiction": 0.7},
    ]
    own = read_own("\n".join(map(json.dumps, rows)), "mine.jsonl", ["1", "2"], NLI_LABELS)
    assert (own.record["predicted"], own.invalid) == ([0, 2], 0)
    assert own.record["exact_confidence"] == [0.9, 0.7]
