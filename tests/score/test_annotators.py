"""Human performance, majorities and shares from annotators' responses."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from evaluator.records.errors import UserError
from evaluator.score.metrics import human_performance, label_shares

LABELS = ("negative", "neutral", "positive")
votes = st.lists(
    st.lists(st.sampled_from([*LABELS, "mixed"]), min_size=5, max_size=5), min_size=1, max_size=20
)


def test_annotators_who_agree_with_gold_are_perfect() -> None:
    """Where every response is the gold label, every synthetic annotator scores 100."""
    found = human_performance([["negative"] * 5, ["neutral"] * 5], ["negative", "neutral"], LABELS)
    assert (found.accuracy, found.precision, found.recall, found.f1) == (100.0, 100.0, 100.0, 100.0)
    assert found.per_class_f1 == {"negative": 100.0, "neutral": 100.0, "positive": 0.0}
    assert (found.annotators, found.examples) == (5, 2)


@settings(deadline=None)
@given(votes, st.integers(0, 5))
def test_accuracy_is_the_share_of_right_responses(responses: list[list[str]], seed: int) -> None:
    """Averaged over annotators, accuracy is the share of responses equal to gold, whatever the shuffle."""
    gold = [max(LABELS, key=each.count) for each in responses]
    found = human_performance(responses, gold, LABELS, seed)
    right = sum(vote == label for each, label in zip(responses, gold, strict=True) for vote in each)
    assert found.accuracy == pytest.approx(100 * right / (5 * len(gold)))
    assert found == human_performance(responses, gold, LABELS, seed)


def test_one_annotator_is_scored_as_scikit_learn_scores() -> None:
    """With one response an example, the figures are those of that column of answers; "mixed" is wrong."""
    answers, gold = (
        ["negative", "mixed", "positive", "neutral"],
        ["negative", "negative", "positive", "positive"],
    )
    found = human_performance([[answer] for answer in answers], gold, LABELS)
    precision, recall, f1, _ = precision_recall_fscore_support(gold, answers, labels=LABELS, zero_division=0)
    assert (found.precision, found.recall, found.f1) == pytest.approx(
        (100 * precision.mean(), 100 * recall.mean(), 100 * f1.mean())
    )


def test_another_seed_shuffles_otherwise() -> None:
    """The seed decides who gets which response, so macro F1 differs with it."""
    responses = [["negative"] * 3 + ["positive"] * 2, ["neutral"] * 3 + ["positive"] * 2] * 5
    gold = ["negative", "neutral"] * 5
    assert len({human_performance(responses, gold, LABELS, seed).f1 for seed in range(8)}) > 1


def test_unequal_responses_give_as_many_annotators_as_the_fewest() -> None:
    """An example with three responses allows three annotators."""
    responses = [["negative"] * 5, ["neutral"] * 3]
    assert human_performance(responses, ["negative", "neutral"], LABELS).annotators == 3


@pytest.mark.parametrize(
    ("responses", "gold", "message"),
    [
        ([["negative"]], [], "votes: 1 for 0 gold labels"),
        ([], [], "votes: no examples"),
        ([["negative"], []], ["negative", "negative"], r"votes\[1\]: nobody responded"),
        ([["negative"]], ["mixed"], r"references\[0\]: 'mixed' is none of"),
    ],
)
def test_responses_that_cannot_be_scored_say_why(responses: list, gold: list, message: str) -> None:
    """Columns of different lengths, no responses and a gold label that is none are errors."""
    with pytest.raises(UserError, match=message):
        human_performance(responses, gold, LABELS)


def test_shares_are_of_the_responses_that_are_labels() -> None:
    """A response that is no label has no share; without any label there are none."""
    assert label_shares(["negative", "negative", "positive", "mixed"], LABELS).tolist() == [2 / 3, 0, 1 / 3]
    assert all(math.isnan(share) for share in label_shares(["mixed"], LABELS))


def test_intervals_cover_what_other_examples_would_give() -> None:
    """Over many samples of one population, about 95 % of the intervals hold its value."""
    chance = random.Random(4)
    right = [chance.random() for _ in range(4000)]
    population = [[("a" if chance.random() < share else "b") for _ in range(5)] for share in right]
    truth = human_performance(population, ["a", "b"] * 2000, ("a", "b"))
    held = {"accuracy": 0, "f1": 0}
    for _ in range(200):
        drawn = chance.sample(range(4000), 150)
        found = human_performance([population[i] for i in drawn], ["ab"[i % 2] for i in drawn], ("a", "b"))
        for name in held:
            low, high = found.intervals[name]
            assert 0 <= low <= getattr(found, name) <= high <= 100
            held[name] += low <= getattr(truth, name) <= high
    assert all(180 <= times <= 199 for times in held.values()), held
