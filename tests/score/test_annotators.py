"""What annotators' responses say: shares, human performance, and how far they agree beyond chance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from evaluator.records.errors import UserError
from evaluator.score.metrics import human_performance, label_shares
from evaluator.score.metrics.annotators import krippendorff_alpha

LABELS = ("negative", "neutral", "positive")
votes = st.lists(
    st.lists(st.sampled_from([*LABELS, "mixed"]), min_size=5, max_size=5), min_size=1, max_size=20
)


@given(votes, st.integers(0, 5))
def test_accuracy_is_the_share_of_right_responses(responses: list[list[str]], seed: int) -> None:
    """Averaged over annotators, accuracy is the share of responses equal to gold, whatever the shuffle."""
    gold = [max(LABELS, key=each.count) for each in responses]
    found = human_performance(responses, gold, LABELS, seed)
    right = sum(vote == label for each, label in zip(responses, gold, strict=True) for vote in each)
    assert found.accuracy == pytest.approx(100 * right / (5 * len(gold)))
    assert found == human_performance(responses, gold, LABELS, seed)


def test_one_annotator_is_scored_as_scikit_learn_scores() -> None:
    """With one response an example, the figures are those of that column of answers; "mixed" is wrong. There are
    as many annotators as the fewest responses."""
    assert (
        human_performance([["negative"] * 5, ["neutral"] * 3], ["negative", "neutral"], LABELS).annotators
        == 3
    )
    answers, gold = (
        ["negative", "mixed", "positive", "neutral"],
        ["negative", "negative", "positive", "positive"],
    )
    found = human_performance([[answer] for answer in answers], gold, LABELS)
    precision, recall, f1, _ = precision_recall_fscore_support(gold, answers, labels=LABELS, zero_division=0)
    assert (found.precision, found.recall, found.f1) == pytest.approx(
        (100 * precision.mean(), 100 * recall.mean(), 100 * f1.mean())
    )


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


#: Four observers, twelve units, not all of them observed by all: Krippendorff (2011), section C, 0.743.
KRIPPENDORFF = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""


def test_the_published_value() -> None:
    """The example gives what is printed for it."""
    observers = [row.split() for row in KRIPPENDORFF.split("\n") if row]
    units = zip(*observers, strict=True)
    alpha = krippendorff_alpha([[label for label in unit if label != "."] for unit in units])
    assert alpha is not None
    assert alpha.value == pytest.approx(0.743, abs=5e-4)
    assert alpha.items == 11


def test_the_interval_is_that_of_resampled_items() -> None:
    """Half the width is about 1.96 standard deviations of the values of resampled items."""
    chance = np.random.default_rng(0)
    right = chance.integers(0, 3, 200)
    votes = [
        [str(label if chance.random() < 0.7 else chance.integers(0, 3)) for _ in range(4)] for label in right
    ]
    found = krippendorff_alpha(votes)
    assert found is not None
    again = [krippendorff_alpha([votes[at] for at in chance.integers(0, 200, 200)]) for _ in range(200)]
    spread = 1.96 * np.std([one.value for one in again if one])
    assert (found.interval[1] - found.interval[0]) / 2 == pytest.approx(spread, rel=0.2)


def test_what_cannot_be_said_is_not_said() -> None:
    """No two responses to an item, or one label everywhere: undefined; all agree on two labels: 1."""
    for votes in ([], [["a"], ["b"]], [["a", "a"], ["a", "a"]]):
        assert krippendorff_alpha(votes) is None
    whole = krippendorff_alpha([["a", "a"], ["b", "b"]])
    assert whole is not None
    assert whole.value == pytest.approx(1)
