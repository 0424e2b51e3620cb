"""Several whole runs of a model: how far they differ beyond single examples, and what rank sets make of it."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluator.score.runs import Runs, run_variances

Floats = npt.NDArray[np.float64]


def drawn(seed: int, models: int, examples: int, runs: int, effect: float) -> Floats:
    """0 or 100 (models, examples, runs): what a model is right on is partly chance, and runs have a shift."""
    chance = np.random.default_rng(seed)
    skill = chance.normal(0.7, 0.5, (models, examples, 1)) + effect * chance.normal(size=(models, 1, runs))
    return 100.0 * (skill + 0.5 * chance.normal(size=(models, examples, runs)) > 0)


def expected(values: list[Floats]) -> list[float]:
    """The definition with NumPy and scipy, from values (examples, runs) of models with two runs and more."""
    spread = np.array([one.mean(axis=0).var(ddof=1) for one in values])
    noise = np.array([one.var(axis=1, ddof=1).mean() / len(one) for one in values])
    free = np.array([one.shape[1] - 1 for one in values])
    pooled = (free * spread).sum() / free.sum()
    own = np.maximum(pooled, (4 * pooled + free * spread) / (4 + free))
    widened = (stats.t.isf(0.025, free.sum()) / stats.norm.isf(0.025)) ** 2
    found: list[float] = (np.maximum(0, widened * own - noise) / (free + 1)).tolist()
    return found


@given(st.integers(0, 10**6), st.integers(2, 6), st.sampled_from([2, 3, 5]), st.sampled_from([0.0, 0.2, 0.6]))
def test_what_runs_add_is_what_numpy_says(seed: int, models: int, runs: int, effect: float) -> None:
    values = [*drawn(seed, models, 60, runs, effect)]
    values[0] = values[0][:, :2]  # models may have different numbers of runs
    by_model = {f"m{at}": Runs.of(one) for at, one in enumerate(values)}
    found = run_variances(by_model, frozenset())
    assert found == pytest.approx(expected(values), rel=1e-4, abs=1e-9)


def test_a_model_of_one_run_has_the_whole_variance_of_a_run_unless_it_always_says_the_same() -> None:
    values = [*drawn(1, 2, 400, 4, 0.5)]
    by_model = {"a": Runs.of(values[0]), "b": Runs.of(values[1]), "once": None, "fixed": None}
    found = run_variances(by_model, frozenset({"fixed"}))
    assert found is not None
    assert found[3] == 0.0
    assert found[2] > min(found[:2]) * 3
    assert run_variances({"once": None, "other": None}, frozenset()) is None


def test_runs_that_do_not_differ_add_nothing() -> None:
    """Also where they answer every example the same."""
    same = np.repeat(drawn(2, 1, 50, 1, 0.0)[0], 5, axis=1)
    assert Runs.of(same) == Runs(5, 0.0, 0.0)
    assert run_variances({"a": Runs.of(same), "b": None}, frozenset()) == [0.0, 0.0]


def test_examples_that_lack_a_run_leave_the_others_comparable() -> None:
    """A run that was asked the hard half only is no worse run: examples count by how far they are from their
    own mean."""
    values = np.zeros((40, 3))
    values[:20] = 100.0
    values[:20, 2] = math.nan
    assert Runs.of(values) == Runs(3, 0.0, 0.0)
    assert Runs.of(values[:, :1]) is None
    alone = np.full((4, 2), math.nan)
    alone[:2, 0], alone[2:, 1] = 100.0, 0.0
    assert Runs.of(alone) is None
