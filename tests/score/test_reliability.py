"""Fleiss' kappa and Krippendorff's alpha are those of the papers, and their intervals those of resampling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.score.metrics.annotators import fleiss_kappa, krippendorff_alpha

#: Ten items, fourteen raters, five categories: the worked example for Fleiss (1971) in common use, 0.210.
FLEISS = """
0 0 0 0 14
0 2 6 4 2
0 0 3 5 6
0 3 9 2 0
2 2 8 1 1
7 7 0 0 0
3 2 6 3 0
2 5 3 2 2
6 5 2 1 0
0 2 2 3 7
"""
#: Four observers, twelve units, not all of them observed by all: Krippendorff (2011), section C, 0.743.
KRIPPENDORFF = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""
Votes = list[list[str]]


def fleiss() -> Votes:
    rows = [list(map(int, row.split())) for row in FLEISS.split("\n") if row]
    return [[str(label) for label, times in enumerate(row) for _ in range(times)] for row in rows]


def krippendorff() -> Votes:
    observers = [row.split() for row in KRIPPENDORFF.split("\n") if row]
    return [[label for label in unit if label != "."] for unit in zip(*observers, strict=True)]


def test_the_published_values() -> None:
    """Both examples give what is printed for them."""
    kappa, alpha = fleiss_kappa(fleiss()), krippendorff_alpha(krippendorff())
    assert kappa is not None
    assert kappa.value == pytest.approx(0.210, abs=5e-4)
    assert alpha is not None
    assert alpha.value == pytest.approx(0.743, abs=5e-4)
    assert alpha.items == 11


@pytest.mark.parametrize("measure", [fleiss_kappa, krippendorff_alpha])
def test_intervals_are_those_of_resampled_items(measure) -> None:  # type: ignore[no-untyped-def]
    """Half the width is about 1.96 standard deviations of the values of resampled items."""
    chance = np.random.default_rng(0)
    right = chance.integers(0, 3, 200)
    votes = [
        [str(label if chance.random() < 0.7 else chance.integers(0, 3)) for _ in range(4)] for label in right
    ]
    found = measure(votes)
    again = [measure([votes[at] for at in chance.integers(0, 200, 200)]).value for _ in range(400)]
    assert (found.interval[1] - found.interval[0]) / 2 == pytest.approx(1.96 * np.std(again), rel=0.15)


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=8), st.randoms(use_true_random=False))
def test_neither_names_nor_order_matter(votes: Votes, chance) -> None:  # type: ignore[no-untyped-def]
    """Other names for labels and other orders of items and of responses give the same value."""
    other = [["zxy"["abc".index(label)] for label in chance.sample(each, len(each))] for each in votes]
    chance.shuffle(other)
    for measure in (fleiss_kappa, krippendorff_alpha):
        one, two = measure(votes), measure(other)
        assert (one is None) == (two is None)
        if one is not None and two is not None:
            assert one.value == pytest.approx(two.value, abs=1e-9)
            assert one.interval[0] <= one.value <= one.interval[1] + 1e-12


def test_what_cannot_be_said_is_not_said() -> None:
    """No two responses to an item, or one label everywhere: undefined; all agree on two labels: 1."""
    for measure in (fleiss_kappa, krippendorff_alpha):
        assert measure([]) is None
        assert measure([["a"], ["b"]]) is None
        assert measure([["a", "a"], ["a", "a"]]) is None
        whole = measure([["a", "a"], ["b", "b"]])
        assert whole is not None
        assert whole.value == pytest.approx(1)
