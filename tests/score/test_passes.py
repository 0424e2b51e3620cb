"""pass^k and pass@k: metrics of several trials of each example that are right or wrong."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.records.board import TrialsSpec, load_boards
from evaluator.records.errors import UserError
from evaluator.records.references import ModelRef, Source
from evaluator.records.store import Store
from evaluator.score.checking import metric_problems
from evaluator.score.keeping import keep_covariances
from evaluator.score.passes import chances
from evaluator.score.recomputing import recompute
from evaluator.score.rescoring import vary_again
from evaluator.score.runs import Runs, run_variances
from evaluator.score.values import ScoredExamples, keep_values

BOARD = """
title = "T"

[[datasets]]
id = "shop"
label = "Shop"
task = "scored"

[[boards]]
id = "b"
title = "B"
base = "solved"
datasets = ["shop"]
metrics = [
  { name = "solved", label = "Solved", unit = "%" },
  { name = "cost", label = "Cost", unit = "USD", direction = "lower", cap = "max" },
MORE]
"""
ALL = '  { name = "pass-all-3", label = "pass^3", unit = "%", trials = { of = "solved", all = 3 } },\n'
ANY = '  { name = "pass-any-2", label = "pass@2", unit = "%", trials = { of = "solved", any = 2 } },\n'
ABOUT = ScoredExamples("shop", "Shop", tuple(f"t{at}" for at in range(40)), {})

Floats = npt.NDArray[np.float64]


def drawn(seed: int, trials: int) -> Floats:
    """1 or 0 for each trial of 40 examples, some of which are easy."""
    chance = np.random.default_rng(seed)
    found: Floats = (chance.random((40, trials)) < chance.random((40, 1))).astype(float)
    return found


def expected(right: Floats, all_of: int | None, any_of: int | None) -> Floats:
    """The mean over all ways to draw so many trials."""
    size = all_of or any_of or 1
    draws = [right[:, list(one)] for one in itertools.combinations(range(right.shape[1]), size)]
    each = [one.all(axis=1) if all_of else one.any(axis=1) for one in draws]
    return 100.0 * np.mean(each, axis=0)


@given(st.integers(0, 10**6), st.integers(1, 6), st.data())
def test_a_chance_is_the_mean_over_all_draws(seed: int, trials: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, trials))
    right = drawn(seed, trials)
    every = chances(right, TrialsSpec(of="solved", all=size))
    some = chances(right, TrialsSpec(of="solved", any=size))
    np.testing.assert_allclose(every, expected(right, size, None))
    np.testing.assert_allclose(some, expected(right, None, size))


def test_an_example_with_fewer_trials_than_are_drawn_has_no_value() -> None:
    right = np.array([[1, 1, math.nan], [1, 1, 1], [math.nan, math.nan, math.nan]])
    found = chances(right, TrialsSpec(of="solved", all=3))
    assert np.isnan(found).tolist() == [True, False, True]
    assert chances(right, TrialsSpec(of="solved", any=2)).tolist()[:2] == [100.0, 100.0]


def world(folder: Path, more: str = ALL + ANY) -> tuple[Path, Store]:
    (folder / "board.toml").write_text(BOARD.replace("MORE", more))
    return folder / "board.toml", Store(folder / "results")


def keep(folder: Path, more: str = ALL + ANY, trials: int = 5) -> tuple[Path, Store]:
    """Models a and b in five trials, and c in one."""
    path, store = world(folder, more)
    boards = load_boards(path)
    for at, (model, size) in enumerate((("a", trials), ("b", trials), ("c", 1))):
        keep_values(
            ABOUT,
            ModelRef(id=model, label=model),
            {"solved": 100 * drawn(at, size), "cost": np.ones((40, size)) + at},
            boards,
            store,
            source=Source(citation="The shop"),
            created="2026-11-26T00:00:00Z",
            settings={"solved": {"temperature": "1"}},
        )
    keep_covariances(ABOUT.dataset(), boards, store)
    return path, store


def scores(store: Store) -> dict[str, dict[str, float]]:
    return {
        one.model.id: {name: score.value for name, score in one.scores.items()} for one in store.results()
    }


def test_results_have_what_their_trials_say_and_rank_sets_hold_by_example(tmp_path: Path) -> None:
    """A model of one trial has no number, and settings of the trials are those of the number."""
    path, store = keep(tmp_path)
    found = scores(store)
    assert found["a"]["pass-all-3"] == pytest.approx(expected(drawn(0, 5), 3, None).mean())
    assert found["b"]["pass-any-2"] == pytest.approx(expected(drawn(1, 5), None, 2).mean())
    assert found["c"].keys() == {"solved", "cost"}
    result = store.find("scored", "shop", "a")
    assert result is not None
    assert result.scores["pass-all-3"].settings == {"temperature": "1"}
    kept = store.covariances("scored", "shop", ABOUT.dataset().revision)
    assert kept is not None
    each = [expected(drawn(at, 5), 3, None) for at in (0, 1)]
    [pair] = [one for one in kept.pairs if (one.first, one.second) == ("pass-all-3", "pass-all-3")]
    assert pair.step * pair.parts[0] == pytest.approx(np.var(each[0] - each[1], ddof=1) / 40, rel=1e-4)
    assert kept.unknown["pass-all-3"] == {"c": "no value that compares"}
    assert recompute(store, load_boards(path), {}).problems == []
    assert list(metric_problems(load_boards(path), {"shop"}, {"solved", "cost"})) == []


def test_a_run_that_is_a_little_better_moves_the_chance_by_its_slope(tmp_path: Path) -> None:
    """Of all k right by k times the chance of k - 1: what runs add to the mean, so much steeper."""
    _, store = keep(tmp_path)
    kept = store.covariances("scored", "shop", ABOUT.dataset().revision)
    assert kept is not None
    for name, slope in (
        ("pass-all-3", [3 * expected(drawn(at, 5), 2, None).mean() / 100 for at in (0, 1)]),
        ("pass-any-2", [2 * (1 - drawn(at, 5).mean()) for at in (0, 1)]),
    ):
        runs: dict[str, Runs | None] = {"c": None}
        for model, at in (("a", 0), ("b", 1)):
            values = 100 * drawn(at, 5) * slope[at]
            noise = values.var(axis=1, ddof=1).mean() / 40
            runs[model] = Runs(5, values.mean(axis=0).var(ddof=1), noise)
        wanted = run_variances({model: runs[model] for model in "abc"}, frozenset("c"))
        assert list(kept.own[name]) == pytest.approx(wanted, rel=1e-4)
        assert max(kept.own[name]) > 0.0


def test_a_board_that_shows_another_number_of_trials_needs_no_import(tmp_path: Path) -> None:
    """Evaluating computes what is new, and takes away what no board shows."""
    path, store = keep(tmp_path, ANY)
    (tmp_path / "board.toml").write_text(BOARD.replace("MORE", ALL))
    vary_again("shop", load_boards(path), store)
    found = scores(store)
    assert found["a"].keys() == {"solved", "cost", "pass-all-3"}
    kept = next(iter(store.results()))
    store_path = store.path("scored", "shop", kept.model.id)
    document = json.loads(store_path.read_text())
    document["scores"]["pass-all-3"]["value"] += 1
    store_path.write_text(json.dumps(document))
    [problem] = recompute(store, load_boards(path), {}).problems
    assert "scores: pass-all-3: " in problem


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('{ name = "p", label = "P", unit = "%", trials = { of = "solved" } },', "give exactly one of them"),
        ('{ name = "p", label = "P", unit = "%", trials = { of = "cost", any = 2 } },', "is a cost"),
        ('{ name = "p", label = "P", unit = "", trials = { of = "solved", any = 2 } },', 'unit = "%"'),
        ('{ name = "p", label = "P", unit = "%", trials = { of = "sold", any = 2 } },', "sold"),
    ],
)
def test_what_makes_no_sense_names_the_field(tmp_path: Path, more: str, message: str) -> None:
    path, _ = world(tmp_path, more)
    with pytest.raises(UserError, match=r"metrics.*trials") as error:
        load_boards(path)
    assert message in str(error.value)


def test_values_that_are_not_right_or_wrong_give_no_chance(tmp_path: Path) -> None:
    path, store = world(tmp_path)
    values = 100 * drawn(1, 5)
    values[3, 2] = 50.0
    about = {"source": Source(citation="The shop"), "created": "2026-11-26T00:00:00Z"}
    keep_values(ABOUT, ModelRef(id="a", label="a"), {"solved": values}, load_boards(path), store, **about)
    keep_covariances(ABOUT.dataset(), load_boards(path), store)
    assert scores(store)["a"].keys() == {"solved"}
