"""Sequence labelling: entities equal seqeval's reading of BIO tags, tokens scikit-learn's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from evaluator.records.errors import UserError
from evaluator.score.metrics import report

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B", "I", "B-per-son"]
#: seqeval itself is published as a source archive that not every pip can install any more.
SEQEVAL = json.loads((Path(__file__).parent.parent / "golden" / "entities-seqeval.json").read_bytes())[
    "cases"
]
Pair = tuple[list[str], list[str]]


def pairs() -> st.SearchStrategy[list[Pair]]:
    tag = st.sampled_from(TAGS)
    one = st.lists(st.tuples(tag, tag), min_size=1, max_size=9).map(
        lambda rows: tuple(map(list, zip(*rows, strict=True)))
    )
    return st.lists(one, min_size=1, max_size=4)  # type: ignore[arg-type]


def scores(items: list[Pair], metrics: list[str]) -> dict[str, float]:
    predictions, references = map(list, zip(*items, strict=True))
    return {
        name: value.value
        for name, value in report(predictions, references, "sequence-labelling", metrics).scores.items()
    }


@pytest.mark.parametrize("case", SEQEVAL, ids=range(len(SEQEVAL)))
def test_entities_are_seqevals(case: dict[str, Any]) -> None:
    """Micro, macro and weighted precision, recall and F1 of entities equal what seqeval gave for them."""
    items = [
        (predicted.split(), gold.split())
        for predicted, gold in zip(case["predictions"], case["references"], strict=True)
    ]
    found = scores(items, list(case["expected"]))
    assert {name: value / 100 for name, value in found.items()} == pytest.approx(case["expected"], abs=1e-9)


@settings(deadline=None)
@given(pairs())
def test_plain_names_mean_entities(items: list[Pair]) -> None:
    """Precision, recall, F1 and entity F1 are the micro averages over entities."""
    found = scores(
        items, ["precision", "recall", "f1", "entity-f1", "micro-precision", "micro-recall", "micro-f1"]
    )
    assert found["f1"] == found["entity-f1"] == found["micro-f1"]
    assert (found["precision"], found["recall"]) == (found["micro-precision"], found["micro-recall"])


@settings(deadline=None)
@given(pairs())
def test_tokens_are_scikit_learns(items: list[Pair]) -> None:
    """Token accuracy and F1 of the tags but O are those of all tokens end to end."""
    flat = [(ours, theirs) for pair in items for ours, theirs in zip(*pair, strict=True)]
    predicted, gold = zip(*flat, strict=True)
    found = scores(items, ["token-accuracy", "accuracy", "token-f1"])
    assert found["accuracy"] == found["token-accuracy"]
    assert found["accuracy"] / 100 == pytest.approx(sum(p == g for p, g in flat) / len(flat))
    expected = f1_score(gold, predicted, labels=TAGS[1:], average="micro", zero_division=0)
    assert found["token-f1"] / 100 == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("predicted", "gold", "f1"),
    [
        ("B-A I-A O", "B-A I-A O", 100.0),
        ("B-A I-A O", "B-A O O", 0.0),
        ("B-A B-A O", "B-A I-A O", 0.0),
        ("I-A I-A O", "B-A I-A O", 100.0),
        ("B-A I-B O", "B-A B-B O", 100.0),
        ("B-A O B-B", "B-A O B-A", 50.0),
        ("O O O", "O O O", 0.0),
    ],
)
def test_cases_by_hand(predicted: str, gold: str, f1: float) -> None:
    """An entity is right where its type, beginning and end are; an I tag may begin one."""
    assert scores([(predicted.split(), gold.split())], ["entity-f1"])["entity-f1"] == f1


@pytest.mark.parametrize("nothing", [None, []])
def test_a_sequence_without_an_answer_is_wrong(nothing: object) -> None:
    """All its tokens and entities are missed, and stay in the denominators."""
    tags = ["B-A", "O"]
    found = report([nothing, tags], [tags, tags], "sequence-labelling", ["accuracy", "entity-f1"]).scores
    assert found["accuracy"].value == 50.0
    assert found["accuracy"].per_item is not None
    assert found["accuracy"].per_item.tolist() == [0.0, 100.0]
    assert found["entity-f1"].value == pytest.approx(200 / 3)
    assert found["entity-f1"].parts == pytest.approx({"A": 200 / 3})


@pytest.mark.parametrize(
    ("predicted", "gold", "message"),
    [
        ([["O"]], [], "1 predictions for 0 references"),
        ([], [], "no examples to score"),
        ([["O", "O"]], [["O"]], r"predictions\[0\]: 2 tags for 1 tokens"),
        ([["PER"]], [["O"]], r"predictions\[0\]: 'PER' is not a BIO tag"),
        ([["O"]], [["S-PER"]], r"references\[0\]: 'S-PER' is not a BIO tag"),
        (["O"], [["O"]], r"predictions\[0\]: 'O' is not a list of tags"),
    ],
)
def test_sequences_that_do_not_fit_say_why(predicted: list, gold: list, message: str) -> None:
    """Another number of tags, and tags of another scheme, are errors."""
    with pytest.raises(UserError, match=message):
        report(predicted, gold, "sequence-labelling", ["accuracy"])
