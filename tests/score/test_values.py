"""Values that a source gives by example: stored, averaged, compared, and never taken for more than they say."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from evaluator.measure.run.evaluate import rescore_stored
from evaluator.notebook.predictions import ModelPredictions
from evaluator.rank.rank_sets import Certainty
from evaluator.records.board import Boards, load_boards
from evaluator.records.datasets import Covariances
from evaluator.records.errors import UserError
from evaluator.records.references import ModelRef, Source
from evaluator.records.result import Result
from evaluator.records.store import EXAMPLES, Store
from evaluator.score.certainty import assemble_board, sampled
from evaluator.score.checking import metric_problems, stored_problems
from evaluator.score.importing import Imported
from evaluator.score.keeping import keep_covariances
from evaluator.score.recomputing import recompute
from evaluator.score.run_sentences import noise_of, run_sentences, runs_of
from evaluator.score.runs import Runs, run_variances
from evaluator.score.standard_errors import standard_errors
from evaluator.score.values import ScoredExamples, keep_values, known_examples

IDS = tuple(f"app__{number}" for number in range(6))
BOARD = """
title = "T"

[[datasets]]
id = "fixes"
label = "Fixes"
task = "scored"

[[boards]]
id = "b"
title = "B"
task = "scored"
base = "solved"
datasets = ["fixes"]
metrics = [
  { name = "solved", label = "Solved", unit = "%" },
  { name = "cost", label = "Cost", unit = "USD", direction = "lower", cap = "max" },
  { name = "refused", label = "Refused", unit = "", direction = "lower", cap = 1, range = [0, 1] },
]
"""
#: What pages call the metrics.
LABELS = {"solved": "Solved", "cost": "Cost"}
#: Six examples: solved or not, and what it took, of three models.
SOLVED = {"a": [1, 1, 1, 0, 1, 0], "b": [1, 0, 1, 0, 0, 0], "c": [0, 0, 1, 1, 0, 0]}
COST = {"a": [1.5, 2, 4, 9, 1, 3], "b": [0.5, 2, 1, 1, 1, 2.5], "c": [0.25, 0.5, 1, 0.75, 0.25, 0.25]}
TAGS = {"app": ("x", "x", "y", "y", "y", "y")}


@pytest.fixture
def boards(tmp_path: Path) -> Boards:
    (tmp_path / "board.toml").write_text(BOARD)
    return load_boards(tmp_path / "board.toml")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


def examples(**changed: Any) -> ScoredExamples:
    return ScoredExamples(**{"id": "fixes", "label": "Fixes", "ids": IDS, "tags": TAGS} | changed)


def column(values: Any) -> npt.NDArray[np.float64]:
    """Values an example, or lists of them, one a trial."""
    array = np.array(values, dtype=float)
    return array if array.ndim == 2 else array[:, None]


def keep(boards: Boards, store: Store, model: str, values: dict[str, Any], **more: Any) -> Imported:
    about = more.pop("about", examples())
    return keep_values(
        about,
        ModelRef(id=model, label=model.upper()),
        {name: column(each) for name, each in values.items()},
        boards,
        store,
        source=Source(citation="The makers of Fixes"),
        created="2026-11-26T00:00:00Z",
        **more,
    )


def keep_all(boards: Boards, store: Store, **more: Any) -> Covariances:
    for model in SOLVED:
        values = {"solved": [100 * one for one in SOLVED[model]], "cost": COST[model]}
        keep(boards, store, model, values, **more)
    dataset = more.get("about", examples()).dataset()
    keep_covariances(dataset, boards, store)
    kept = store.covariances("scored", "fixes", dataset.revision)
    assert kept is not None
    return kept


def found(kept: Covariances, first: str, second: str) -> list[float]:
    [pair] = [one for one in kept.pairs if (one.first, one.second) == (first, second)]
    return [pair.step * part for part in pair.parts]


def expected(first: Any, second: Any, models: str = "abc") -> list[float]:
    """NumPy's covariances of the differences of two means over the examples, of every pair of models."""
    pairs = [(i, j) for at, i in enumerate(models) for j in models[:at]]
    one, two = ({m: np.array(each[m], dtype=float) for m in models} for each in (first, second))
    return [float(np.cov(one[i] - one[j], two[i] - two[j])[0, 1]) / len(IDS) for i, j in pairs]


def stored(store: Store, model: str) -> Result:
    result = store.find("scored", "fixes", model)
    assert result is not None
    return result


def test_values_are_stored_beside_their_means(boards: Boards, store: Store) -> None:
    """A result has the mean of each metric, of all examples and of those with each value of a tag."""
    keep(boards, store, "a", {"solved": [100, 100, 100, 0, 100, 0], "cost": COST["a"]})
    result = stored(store, "a")
    assert result.provenance == "reported"
    assert result.dataset.examples == 6
    assert {name: (one.value, one.unit) for name, one in result.scores.items()} == {
        "solved": (400 / 6, "%"),
        "cost": (20.5 / 6, "USD"),
    }
    assert {v: (one.examples, one.scores) for v, one in result.tags["app"].items()} == {
        "x": (2, {"solved": 100.0, "cost": 1.75}),
        "y": (4, {"solved": 50.0, "cost": 4.25}),
    }
    values = store.predictions(result).values
    assert values == {"solved": (100, 100, 100, 0, 100, 0), "cost": tuple(COST["a"])}
    assert known_examples("fixes", "Fixes", store) == examples()


def test_what_is_stored_already_is_not_written_again(boards: Boards, store: Store) -> None:
    """The same values under another date change no file; another value changes the result."""
    keep_all(boards, store)
    before = {path: path.read_bytes() for path in store.root.rglob("*.json")}
    assert {path.name.partition(".")[2] for path in before} > {"json"}
    keep_all(boards, store)
    assert {path: path.read_bytes() for path in store.root.rglob("*.json")} == before
    assert keep(boards, store, "a", {"cost": [9.0] * 6}).status == "imported"
    assert set(stored(store, "a").scores) == {"cost"}


def test_values_vary_together_as_numpy_says(boards: Boards, store: Store) -> None:
    """Right and wrong answers are counted; other values have the covariances of the models' differences."""
    kept = keep_all(boards, store)
    assert kept.right == {"solved": (4, 2, 2)}
    assert kept.apart == {"solved": (2, 4, 2)}
    assert kept.unit == {"solved": 100.0, "cost": 8.75}  # a range, and the largest less the smallest seen
    percent = {model: 100 * np.array(each) for model, each in SOLVED.items()}
    assert found(kept, "cost", "cost") == pytest.approx(expected(COST, COST), rel=1e-5)
    assert found(kept, "solved", "cost") == pytest.approx(expected(percent, COST), rel=1e-5)


def test_examples_of_one_source_are_summed(boards: Boards, store: Store) -> None:
    """With clusters the covariances are of their sums, and nothing is counted as independent."""
    about = examples(clusters=("p", "p", "q", "q", "", ""))
    kept = keep_all(boards, store, about=about)
    assert kept.clusters == 4
    assert kept.sources is not None
    groups = np.array([0, 0, 1, 1, 2, 3])
    moved = {m: np.bincount(groups, np.array(each) - np.mean(each)) for m, each in COST.items()}
    gaps = [moved[i] - moved[j] for i, j in ("ba", "ca", "cb")]
    assert found(kept, "cost", "cost") == pytest.approx([(g @ g) * 4 / 3 / 36 for g in gaps], rel=1e-5)
    assert known_examples("fixes", "Fixes", store).dataset() == about.dataset()  # type: ignore[union-attr]


def test_an_example_with_trials_counts_by_their_mean(boards: Boards, store: Store) -> None:
    """Five trials are one example; one of them that is missing is noted, and the mean is of the others."""
    trials = {model: np.array([[100.0 * one] * 5 for one in SOLVED[model]]) for model in SOLVED}
    trials["b"][:, 1:3] = 100 - trials["b"][:, 1:3]
    trials["c"][0, 4] = math.nan
    for model in SOLVED:
        keep(boards, store, model, {"solved": trials[model]})
    dataset = examples().dataset()
    keep_covariances(dataset, boards, store)
    kept = store.covariances("scored", "fixes", dataset.revision)
    assert kept is not None
    assert not kept.right
    assert kept.examples == 6
    means = {model: np.nanmean(each, axis=1) for model, each in trials.items()}
    assert found(kept, "solved", "solved") == pytest.approx(expected(means, means), rel=1e-5)
    assert stored(store, "b").scores["solved"].value == pytest.approx(100 * (2 * 3 + 4 * 2) / 30)
    assert stored(store, "c").scores["solved"].settings == {}
    assert stored(store, "c").source.note == "Solved: 1 of 30 trials are missing"  # type: ignore[union-attr]
    assert store.predictions(stored(store, "c")).examples == 6


def test_trials_that_only_other_models_have_are_none(boards: Boards, store: Store) -> None:
    """A model that was run once has one trial, in whatever table it stands."""
    values = np.full((6, 3), math.nan)
    values[:, 1] = SOLVED["a"]
    keep(boards, store, "a", {"solved": 100 * values})
    kept = store.predictions(stored(store, "a"))
    assert (kept.trials, (kept.values or {})["solved"]) == (1, tuple(100.0 * one for one in SOLVED["a"]))
    assert stored(store, "a").source.note is None  # type: ignore[union-attr]


def test_whole_runs_that_differ_are_the_models_own_noise(boards: Boards, store: Store) -> None:
    """What they add is kept by model and metric, in rank sets and standard errors, and checked."""
    chance, runs = np.random.default_rng(3), {}
    for model in "abc":
        cost = chance.normal(5, 1, (6, 1)) + chance.normal(0, 0.1, (6, 4)) + chance.normal(0, 2, 4)
        runs[model] = {"cost": cost[:, : 1 if model == "c" else 4]}
        keep(boards, store, model, runs[model])
    dataset = examples().dataset()
    keep_covariances(dataset, boards, store)
    kept = store.covariances("scored", "fixes", dataset.revision)
    assert kept is not None
    assert kept.own.keys() == {"cost"}
    by_model = {model: Runs.of(each["cost"]) for model, each in runs.items()}
    assert list(kept.own["cost"]) == run_variances(by_model, frozenset())
    assert kept.own["cost"][2] > 3 * min(kept.own["cost"][:2]) > 0
    assert [stored(store, model).predictions.trials for model in "abc"] == [4, 4, 1]  # type: ignore[union-attr]
    assembled = assemble_board(boards.boards[0], boards, store, store.results())
    assert sampled(assembled, store)["fixes"]["own"] == {"cost": list(kept.own["cost"])}
    errors = standard_errors([*store.results()], ["cost"], dataset, boards, store)
    for model, of_runs in zip("abc", kept.own["cost"], strict=True):
        each = runs[model]["cost"].mean(axis=1)
        found = errors["cost", model]
        assert found.value == pytest.approx(math.sqrt(each.var(ddof=1) / 6 + of_runs), rel=1e-5)
        within = 0 if model == "c" else runs[model]["cost"].var(axis=1, ddof=1).mean() / 6 / 4
        wanted = 0.0 if model == "c" else (within + of_runs) / found.value**2
        assert kept.within["cost"]["abc".index(model)] == pytest.approx(wanted, rel=1e-4)
    assert recompute(store, boards, {}).problems == []
    assert list(stored_problems(store, boards)) == []
    changed(store.path("scored", "fixes", "a"), lambda document: document["predictions"].pop("trials"))
    [problem] = stored_problems(store, boards)
    assert "predictions: trials: 1 is stored, but 4 answers or values of each example are kept" in problem
    changed(store.record_path(kept), lambda document: document["own"]["cost"].reverse())
    [problem] = recompute(store, boards, {}).problems
    assert "own: cost: is not what the predictions give" in problem


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        (0.0, "The model's own share of the variance is 0 % for Cost: "),
        (1e-6, "The model's own share of the variance is under 1 % for Cost: "),
        (1e6, "The model's own share of the variance is 100 % for Cost: "),
    ],
)
def test_the_models_own_share_of_the_noise_is_said(
    boards: Boards, store: Store, moves: float, said: str
) -> None:
    """Of a number that is the mean of several runs; of one run nothing is said."""
    cost = [[1.0 + at, 1.0 + at + moves] for at in range(6)]
    keep(boards, store, "a", {"cost": cost})
    keep(boards, store, "b", {"cost": [1.0, 2.0, 3.0, 4.0, 5.0, 5.0]})
    keep_covariances(examples().dataset(), boards, store)
    kept = store.covariances("scored", "fixes", examples().dataset().revision)
    several, once = stored(store, "a"), stored(store, "b")
    first, second = run_sentences(several, noise_of(kept, several), LABELS)
    assert first == "Means of 2 runs of each example."
    assert second.startswith(said)
    assert run_sentences(several, noise_of(None, several), LABELS) == [first]
    assert run_sentences(once, noise_of(kept, once), LABELS) == []
    assert [runs_of([several]), runs_of([once]), runs_of([several, once])] == ["2 runs", "", "1 to 2 runs"]


def test_a_model_that_always_answers_the_same_says_how_that_is_known(boards: Boards, store: Store) -> None:
    keep(boards, store, "b", {"cost": [1.0, 2.0, 3.0, 4.0, 5.0, 5.0]})
    same = stored(store, "b").model_copy(update={"same_again": 50})
    assert run_sentences(same, {}, LABELS) == [
        "Asked once, as it always answers the same: 50 examples that were asked again showed it."
    ]


def test_a_mean_of_fewer_examples_is_kept_apart(boards: Boards, store: Store) -> None:
    """A model that lacks an example has its number, which says of how many it is, and is not ranked by it."""
    keep_all(boards, store)
    keep(boards, store, "d", {"solved": [100, math.nan, 100, 100, 0, 0], "cost": COST["c"]})
    result = stored(store, "d")
    assert result.scores["solved"].value == 60.0
    assert result.scores["solved"].settings["examples"] == "5 of 6"
    assert result.tags["app"]["x"].scores.keys() == {"cost"}
    board = assemble_board(boards.boards[0], boards, store, store.results())
    assert board.data["values"]["fixes"]["solved"][3] is None
    assert board.data["values"]["fixes"]["cost"][3] == 0.5
    [why] = board.entries["d"].kept_apart
    assert why == "solved on fixes is of 5 of 6 examples"


def test_means_of_as_many_but_other_examples_do_not_compare(boards: Boards, store: Store) -> None:
    """Models that lack the same example are ranked together, with rank sets; one that lacks another is not."""
    lacking = {"a": 2, "b": 2, "c": 4}
    for model, missing in lacking.items():
        values = [100.0 * one for one in SOLVED[model]]
        values[missing] = math.nan
        keep(boards, store, model, {"solved": values})
    dataset = examples().dataset()
    keep_covariances(dataset, boards, store)
    assembled = assemble_board(boards.boards[0], boards, store, store.results())
    assert assembled.data["values"]["fixes"]["solved"] == [60.0, 20.0, None]
    assert [*map(str, assembled.entries["c"].kept_apart)] == ["solved on fixes is of 5 of 6 examples"]
    kept = store.covariances("scored", "fixes", dataset.revision)
    assert kept is not None
    there = [at for at in range(6) if at != 2]
    gaps = np.array([100.0 * (SOLVED["b"][at] - SOLVED["a"][at]) for at in there])
    # As of five examples, except that the unbiased variance takes six of them for independent.
    wanted = float(np.var(gaps)) / 5 * 6 / 5
    assert found(kept, "solved", "solved")[0] == pytest.approx(wanted, rel=1e-5)


def test_a_board_of_values_has_rank_sets(boards: Boards, store: Store) -> None:
    """Every metric that came by example has its rank set; right and wrong answers are told apart exactly."""
    keep_all(boards, store)
    assembled = assemble_board(boards.boards[0], boards, store, store.results())
    plain = sampled(assembled, store)["fixes"]
    assert plain["unknown"] == {"solved": [], "cost": [], "refused": [["no value", [0, 1, 2]]]}
    from evaluator.rank.dynascore import Board, Question

    certainty = Certainty.from_dict(Board.from_dict(assembled.data), {"fixes": plain})
    for metric in ("solved", "cost"):
        sets = certainty.sets(Question({metric: 1.0}, {"fixes": 1.0}))
        assert all(sets.sets)
        assert not sets.reasons
    compared = certainty.compare("a", "c", Question({"solved": 1.0}, {"fixes": 1.0}))
    assert compared.alone == {"solved": (3, 1)}


def test_of_a_metric_that_is_better_lower_no_answer_is_right(boards: Boards, store: Store) -> None:
    """0 and 1 are counted as right answers only where more is better."""
    for model, each in SOLVED.items():
        keep(boards, store, model, {"refused": each})
    dataset = examples().dataset()
    keep_covariances(dataset, boards, store)
    kept = store.covariances("scored", "fixes", dataset.revision)
    assert kept is not None
    assert not kept.right
    assert kept.unit == {"refused": 1.0}


REFUSED = [
    (
        {"solved": [100, 0, -1, 0, 0, 0]},
        {},
        r"solved of a on 'app__2' of fixes: -1 is no number from 0 to 100",
    ),
    ({"cost": [1, 2, math.inf, 0, 0, 0]}, {}, r"cost of a on 'app__2' of fixes: inf is no number;"),
    ({"refused": [[0, 0]] * 5 + [[0, 2]]}, {}, r"on 'app__5' of fixes, trial 2: 2 is no number from 0 to 1"),
    ({"tests": [1] * 6}, {}, r"no board shows its metric 'tests'; add it to \[\[boards.metrics\]\]"),
    ({"solved": [math.nan] * 6}, {}, r"a on fixes: has no value of any metric"),
    (
        {"solved": [100, 0, 0, 0, 0, 0]},
        {"published": {"solved": 52.8}},
        r"Solved: stored examples imply 16.6667, published 52.8; .*--accept-differences",
    ),
    ({"solved": [0] * 6}, {"about": examples(ids=("a b", *IDS[1:]))}, r"'a b' may be text of the dataset"),
    ({"solved": [0] * 6}, {"about": examples(ids=("x", "x", *IDS[2:]))}, "ids: 'x' is there more than once"),
    ({"solved": [0] * 6}, {"about": examples(tags={"app": ("x",)})}, "tags.app: 1 values for 6 examples"),
]


@pytest.mark.parametrize(("values", "more", "message"), REFUSED)
def test_what_cannot_be_a_value_is_refused_and_nothing_is_written(
    boards: Boards, store: Store, values: dict[str, Any], more: dict[str, Any], message: str
) -> None:
    """The message names metric, example, trial and value, and what to do."""
    with pytest.raises(UserError, match=message):
        keep(boards, store, "a", values, **more)
    assert not store.root.exists()


def test_examples_that_were_rounded_may_imply_a_little_less(boards: Boards, store: Store) -> None:
    """Values with three decimals have a mean that may be off by half of the third; whole numbers are exact."""
    cost = [0.123, 0.456, 0.789, 0.111, 0.222, 0.333]
    keep(boards, store, "a", {"cost": cost}, published={"cost": 0.33935})
    with pytest.raises(UserError, match=r"imply 0\.339, published 0\.3396"):
        keep(boards, store, "a", {"cost": cost}, published={"cost": 0.3396})


@pytest.mark.parametrize("printed", [16.7, "16.67", "17", 17, 50 / 3])
def test_a_published_number_is_compared_to_the_digits_printed(
    boards: Boards, store: Store, printed: float | str
) -> None:
    """One solved of six is 16.7, and 17."""
    keep(boards, store, "a", {"solved": [100, 0, 0, 0, 0, 0]}, published={"solved": printed})
    assert stored(store, "a").source == Source(citation="The makers of Fixes")


def test_a_difference_that_is_accepted_is_marked(boards: Boards, store: Store) -> None:
    """The mean of the examples is stored, the note has both numbers, and boards keep the mean apart."""
    keep_all(boards, store)
    values = {"solved": [100, 0, 0, 0, 0, 0], "cost": COST["a"]}
    published = {"solved": 52.8, "cost": 3.417}
    keep(boards, store, "a", values, published=published, accept_differences=True)
    result = stored(store, "a")
    assert result.scores["solved"].value == 100 / 6
    assert result.scores["solved"].settings["published"] == "52.8"
    assert result.source is not None
    assert result.source.note == (
        "accepted although they differ: Solved: stored examples imply 16.6667, published 52.8"
    )
    board = assemble_board(boards.boards[0], boards, store, store.results())
    assert board.data["values"]["fixes"]["solved"][0] is None
    assert board.data["values"]["fixes"]["cost"][0] is not None
    [why] = board.entries["a"].kept_apart
    assert why == "solved on fixes: 52.8 was published, but its examples imply 16.6667"


def test_a_result_that_came_about_otherwise_is_not_replaced(boards: Boards, store: Store) -> None:
    """Values take the place of reported numbers alone; other numbers of the model stay beside them."""
    keep(boards, store, "a", {"solved": [0] * 6})
    old = stored(store, "a")
    size = old.scores["solved"].model_copy(update={"value": 7.0, "unit": "B", "version": "as-published"})
    store.save(old.model_copy(update={"scores": old.scores | {"size": size}}), store.predictions(old))
    keep(boards, store, "a", {"solved": [100] * 6})
    assert stored(store, "a").scores["size"] == size
    store.save(stored(store, "a").model_copy(update={"provenance": "predictions"}))
    with pytest.raises(UserError, match="holds a result that is predictions; import under another"):
        keep(boards, store, "a", {"solved": [0] * 6})


def test_results_on_other_examples_are_kept_apart(boards: Boards, store: Store) -> None:
    """When the examples of a source changed, a model that was left out there is not ranked with the rest."""
    keep(boards, store, "old", {"solved": [100] * 5}, about=examples(ids=IDS[:5], tags={}))
    keep_all(boards, store)
    board = assemble_board(boards.boards[0], boards, store, store.results())
    assert board.data["values"]["fixes"]["solved"] == [400 / 6, 200 / 6, 200 / 6, None]
    assert "is of other examples" in board.entries["old"].kept_apart[0]


def changed(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def raised(document: dict[str, Any]) -> None:
    document["scores"]["solved"]["value"] += 1


def more_examples(document: dict[str, Any]) -> None:
    document["scores"]["solved"]["settings"] = {"examples": "5 of 6"}


def without_values(document: dict[str, Any]) -> None:
    document["scores"]["refused"] = document["scores"]["solved"]


def other_tags(document: dict[str, Any]) -> None:
    document["tags"]["app"]["x"]["scores"]["cost"] = 9.0


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (raised, "scores: solved: 67.66666666666667 is stored, but recomputed it is 66.66666666666667"),
        (more_examples, "scores: solved: is said to be of 5 of 6 examples, but it is of all"),
        (without_values, "scores: refused: no values are stored that give it"),
        (other_tags, "tags: app: x: cost: 9.0 is stored, but recomputed it is 1.75"),
    ],
)
def test_a_check_computes_means_again(
    boards: Boards, store: Store, change: Callable[[dict[str, Any]], None], problem: str
) -> None:
    """What is stored beside the values is what these give, which needs no data."""
    keep_all(boards, store)
    assert recompute(store, boards, {}).problems == []
    assert recompute(store, boards, {}).notes == []
    changed(store.path("scored", "fixes", "a"), change)
    [found] = recompute(store, boards, {}).problems
    assert problem in found
    assert "import its numbers again" in found


def test_a_check_knows_changed_tags_by_the_revision(boards: Boards, store: Store) -> None:
    """A dataset of values is known by its ids, tags and clusters alone, and has a revision of these."""
    keep_all(boards, store)
    assert list(stored_problems(store, boards)) == []
    [path] = store.record_paths(EXAMPLES)
    changed(path, lambda document: document["tags"]["app"].reverse())
    [found] = stored_problems(store, boards)
    assert "revision: is not that of these ids, tags and clusters; import the values again" in found


def test_a_metric_that_no_source_gave_is_a_problem_once_there_are_results(
    boards: Boards, store: Store
) -> None:
    """Nothing here computes the metrics of such a board; a name that no result has may be a slip."""
    assert list(metric_problems(boards, {"fixes"}, {"solved", "cost", "refused"})) == []
    [found] = metric_problems(boards, {"fixes"}, {"solved", "cost"})
    assert "metrics: refused: nothing computes it; there are cost" in found


def test_a_notebook_has_the_values_of_each_example(boards: Boards, store: Store) -> None:
    """A column a metric, and one a trial; tags are there, as they are published with the values."""
    keep(boards, store, "a", {"refused": [[0, 1], [1, 1], [0, 0], [1, math.nan], [0, 1], [1, 0]]})
    own = store.predictions(stored(store, "a"))
    kept = store.examples("scored", "fixes", own.dataset_revision)
    frame = ModelPredictions(own, kept).to_pandas()
    assert list(frame) == ["id", "tag/app", "refused", "refused/1", "refused/2"]
    assert frame["refused"].tolist() == [0.5, 1, 0, 1, 0.5, 0.5]
    assert frame["refused/2"].isna().tolist() == [False] * 3 + [True] + [False] * 2


def test_evaluating_brings_up_to_date_how_values_vary(boards: Boards, store: Store, tmp_path: Path) -> None:
    """A range that was changed in the board file decides the guard, once evaluate has run; no value changes."""
    revision = keep_all(boards, store).revision
    results = {path: path.read_bytes() for path in store.paths()}
    text = BOARD.replace('unit = "%" }', 'unit = "%", range = [-100, 100] }')
    (tmp_path / "board.toml").write_text(text)
    changed_board = load_boards(tmp_path / "board.toml")
    assert list(rescore_stored([], changed_board, tmp_path, store)) == []
    kept = store.covariances("scored", "fixes", revision)
    assert kept is not None
    assert kept.unit["solved"] == 200.0
    assert not kept.right
    assert {path: path.read_bytes() for path in store.paths()} == results


@pytest.mark.parametrize(
    ("more", "unit", "direction", "bounds"),
    [
        ("", "%", "higher", (0.0, 100.0)),
        ("range = [0, 1]", "", "higher", (0.0, 1.0)),
        ("range = [9, 1]", "", "lower", None),
    ],
)
def test_the_main_metric_of_a_dataset_has_values_too(
    tmp_path: Path, store: Store, more: str, unit: str, direction: str, bounds: tuple[float, float] | None
) -> None:
    """A board of several datasets may show it in its score alone; it is as the dataset's table says."""
    several = BOARD.replace('task = "scored"\n', f'task = "scored"\nmain = "grade"\n{more}\n', 1)
    several = several.replace('base = "solved"', 'base = "score"').replace(
        '{ name = "solved", label = "Solved", unit = "%" }', '{ name = "score", label = "Score", unit = "%" }'
    )
    (tmp_path / "board.toml").write_text(several)
    boards = load_boards(tmp_path / "board.toml")
    found = boards.metric_of("fixes", "grade")
    assert found is not None
    assert (found.unit, found.direction, found.bounds) == (unit, direction, bounds)
    for model in SOLVED:
        keep(boards, store, model, {"grade": SOLVED[model]})
    keep_covariances(examples().dataset(), boards, store)
    kept = store.covariances("scored", "fixes", examples().dataset().revision)
    assert kept is not None
    assert kept.versions.keys() == {"grade"}
    assert bool(kept.right) == (bounds == (0.0, 1.0))
