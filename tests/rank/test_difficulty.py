"""Rankings by difficulty against the definition written out slowly, and against the paper's identities."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from difficulty_cases import MODELS, documents, drawn, rows, samples_of
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluator.rank.difficulty import Samples, open_samples, points_json
from evaluator.rank.difficulty_order import CASES, FIXED, SCALES, DifficultyQuestion

GOLDEN = Path(__file__).parents[1] / "golden" / "difficulty-answer.json"

metrics = st.sampled_from(["wsbias-1", "wmprob"])
#: The cases that say reward and penalty only; the later ones are tested by themselves.
cases = st.sampled_from(sorted(set(CASES) - set(FIXED)))
own_terms = st.tuples(st.floats(0.01, 5), st.floats(-5, 0))


@st.composite
def questions(draw: st.DrawFn, metric: st.SearchStrategy[str] = metrics, **fixed: Any) -> DifficultyQuestion:
    """Any question about splits."""
    splits = draw(st.integers(2, 7))
    cuts = draw(
        st.none()
        | st.lists(st.sampled_from([0, 0.125, 0.3, 0.5, 0.75, 1]), min_size=splits - 1, max_size=splits - 1)
    )
    reward, penalty = draw(own_terms)
    terms: dict[str, Any] = {
        "metric": draw(metric),
        "kind": draw(st.sampled_from(["equal", "thresholds"])),
        "splits": splits,
        "thresholds": sorted(cuts) if cuts else None,
        "case": draw(st.none() | cases),
        "reward": reward,
        "penalty": penalty,
        "scale": draw(st.sampled_from(sorted(SCALES))),
        "weights": draw(
            st.none() | st.lists(st.sampled_from([0, 0.5, 1, 3, 10]), min_size=splits, max_size=splits)
        ),
        "ties": draw(st.sampled_from(["mean", "stable"])),
        "factor": draw(st.sampled_from(["one", "confidence", "difficulty"])),
    }
    return DifficultyQuestion(**(terms | fixed))


def confidences(records: dict[str, Any], model: str) -> list[float | None]:
    return list(records["predictions"][model]["exact_confidence"])


def difficulties(records: dict[str, Any], question: DifficultyQuestion, model: str) -> list[float | None]:
    stored: list[float | None] = records["difficulties"][0]["values"]
    return confidences(records, model) if question.metric == "wmprob" else stored


def split_of(question: DifficultyQuestion, order: list[int], values: Sequence[Any], at: int) -> int:
    """The split of the example at a place of an order, by the words of the definition."""
    if question.kind == "equal":
        sizes = [
            len(order) // question.splits + (s < len(order) % question.splits) for s in range(question.splits)
        ]
        return next(s for s in range(question.splits) if at < sum(sizes[: s + 1]))
    above = sum(values[order[at]] > cut for cut in question.cuts)
    return above if question.metric == "wmprob" else question.count - 1 - above


def by_definition(
    records: dict[str, Any], question: DifficultyQuestion, model: str, order: list[int] | None = None
) -> Fraction | None:
    """The metric, example by example, in fractions; `order` takes the place of the dataset's for ties."""
    values, sure = difficulties(records, question, model), confidences(records, model)
    sign = 1 if question.metric == "wmprob" else -1
    known = order or [row for row, value in enumerate(values) if value is not None]
    known = sorted(known, key=lambda row: sign * values[row])  # type: ignore[operator]
    weights = {
        row: Fraction(question.split_weights[split_of(question, known, values, at)])
        for at, row in enumerate(known)
    }
    if question.ties == "mean" and order is None:
        alike = {row: [other for other in known if values[other] == values[row]] for row in known}
        weights = {row: sum((weights[o] for o in alike[row]), Fraction(0)) / len(alike[row]) for row in known}
    silent = all(one is None for one in sure)
    certain = [(0.0 if silent else 1.0) if one is None else one for one in sure]
    factors = {
        "one": [1.0] * len(values),
        "confidence": certain,
        "difficulty": values,
        "inverse": [1 / Fraction(value) if value else None for value in values],
    }[question.factor]
    counted = {row: weights[row] * Fraction(factors[row] or 0) for row in known}
    if question.metric == "wmprob" and not silent:
        highest = Fraction(max(question.split_weights))
        counted |= {row: highest for row, one in enumerate(sure) if one is None}
    answers = records["predictions"][model]["predicted"]
    right = {
        row: answers[row] == 1 and not (question.uses_confidence and sure[row] is None) for row in counted
    }
    reward, penalty = map(Fraction, question.terms)
    whole = sum(counted.values()) * (reward or -penalty)
    gained = sum(counted[row] * (reward if right[row] else penalty) for row in counted)
    return 100 * gained / whole if whole else None


@given(rows, questions())
def test_an_answer_is_what_the_definition_says(found: list[Any], question: DifficultyQuestion) -> None:
    """Values from prefix sums equal those computed example by example, for every model and question."""
    records = drawn(found)
    answer = samples_of(records).answer(question)
    assert {row.model for row in answer.rows} == set(MODELS)
    for row in answer.rows:
        expected = by_definition(records, question, row.model)
        if expected is None or row.value is None:
            # Factors count in parts of 10**9: less than half a part is none.
            assert row.value is None
        else:
            assert row.value == pytest.approx(float(expected), rel=1e-5, abs=1e-5)


@given(rows, metrics, cases, st.sampled_from(["drop", "clip"]))
def test_continuous_weights_are_inverse_difficulty_or_confidence(
    found: list[Any], metric: str, case: int, zeros: str
) -> None:
    """W is 1 / B, or B for "wmprob"; B = 0 is dropped and counted, or lifted to the least value."""
    records = drawn(found)
    question = DifficultyQuestion(metric, kind="continuous", case=case, zeros=zeros, clip=0.2)
    for row in samples_of(records).answer(question).rows:
        values = difficulties(records, question, row.model)
        kept = [(at, b) for at, b in enumerate(values) if b is not None]
        zero, low = sum(b == 0 for _, b in kept), sum(b < 0.2 for _, b in kept)
        if metric == "wmprob":
            weights = {at: Fraction(b) for at, b in kept}
        elif zeros == "clip":
            weights = {at: 1 / Fraction(max(b, 0.2)) for at, b in kept}
        else:
            weights = {at: 1 / Fraction(b) for at, b in kept if b}
        shared = metric != "wmprob"
        if metric == "wmprob" and kept:
            weights |= {at: Fraction(1) for at, b in enumerate(values) if b is None}
        assert row.left_out == {
            "no_difficulty": 0 if metric == "wmprob" and kept else len(values) - len(kept),
            "zero": zero if shared and zeros == "drop" else 0,
            "clipped": low if shared and zeros == "clip" else 0,
        }
        assert row.scored == len(weights)
        answers = records["predictions"][row.model]["predicted"]
        reward, penalty = map(Fraction, question.terms)
        whole = sum(weights.values()) * (reward or -penalty)
        right = {at: answers[at] and not (metric == "wmprob" and values[at] is None) for at in weights}
        gained = sum(weight * (reward if right[at] else penalty) for at, weight in weights.items())
        assert (row.value is None) == (whole == 0)
        if whole:
            assert row.value == pytest.approx(float(100 * gained / whole), rel=1e-9, abs=1e-8)


@given(rows, questions(factor="one", metric=st.just("wsbias-1"), weights=None))
def test_cases_1_to_5_rank_alike(found: list[Any], question: DifficultyQuestion) -> None:
    """On the same examples reward and penalty change values, not ranks, for the case without reward too."""
    samples = samples_of(drawn(found))
    ranked = {
        case: [(row.model, row.rank) for row in samples.answer(replace(question, case=case)).rows]
        for case in range(1, 6)
    }
    assert all(order == ranked[1] for order in ranked.values())


@given(rows, questions(ties="mean"), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter_where_ties_share(
    found: list[Any], question: DifficultyQuestion, chance: random.Random
) -> None:
    """Tie-averaged answers are the same to the last bit however the dataset is ordered."""
    mixed = list(found)
    chance.shuffle(mixed)
    assert (
        samples_of(drawn(mixed)).answer(question).plain() == samples_of(drawn(found)).answer(question).plain()
    )


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.booleans()), min_size=1, max_size=6),
    questions(metric=st.just("wsbias-1")),
)
def test_tie_limits_are_those_of_all_orders(
    found: list[tuple[float, bool]], question: DifficultyQuestion
) -> None:
    """The least and the greatest value are those that some order of equal difficulties gives."""
    assume(question.factor != "confidence")
    records = documents([b for b, _ in found], {"one": [r for _, r in found]}, {"one": [1.0] * len(found)})
    orders = itertools.permutations(range(len(found)))
    values = {
        by_definition(records, replace(question, ties="stable"), "one", list(order)) for order in orders
    }
    [row] = samples_of(records).answer(question).rows
    if None in values:
        assert row.value is None
        return
    known = [float(value) for value in values if value is not None]
    assert row.lowest == pytest.approx(min(known), abs=1e-7)
    assert row.highest == pytest.approx(max(known), abs=1e-7)


def test_ties_are_counted_and_shared_or_kept_in_order() -> None:
    """Three equal examples across a boundary share its weights; "stable" goes by the dataset's order."""
    records = documents([0.5, 0.5, 0.5, 0.9], {"one": [True, False, False, True]})
    samples = samples_of(records)
    [mean], [stable] = (
        samples.answer(DifficultyQuestion("wsbias-1", splits=2, ties=t)).rows for t in ("mean", "stable")
    )
    assert mean.ties == stable.ties == {"groups": 1, "examples": 3, "rounded": 0}
    assert mean.value == pytest.approx(100 * (1 + 5 / 3 - 2 * 5 / 3) / 6)
    assert (stable.value, stable.lowest, stable.highest) == (
        pytest.approx(-100 / 3),
        pytest.approx(-100 / 3),
        0.0,
    )
    assert [split.right for split in mean.splits] == [pytest.approx(4 / 3), pytest.approx(2 / 3)]
    assert [(split.right, split.wrong) for split in stable.splits] == [(2, 0), (0, 2)]


def test_an_invalid_answer_is_wrong_and_coarser_gold_labels_are_merged() -> None:
    """-1 is wrong; an answer that counts as a coarser gold label is right where that is gold."""
    examples = {
        "dataset": "d",
        "ids": ["a", "b", "c"],
        "labels": ["yes", "no"],
        "gold": [1, 1, 0],
        "merge": {"perhaps": "no"},
    }
    predictions = {"m": {"labels": ["perhaps", "yes"], "predicted": [0, -1, 1], "resolution": 10}}
    samples = Samples.read(examples, predictions, [{"name": "s", "values": [0.1, 0.2, 0.3]}])
    assert samples.points(DifficultyQuestion("s"))["right"] == {"m": "101"}


def test_wood_has_a_column_for_each_percentage() -> None:
    """The percentage asked for decides, or B is the mean over some of them; one that is not stored is named."""
    records = documents([None] * 3, {"one": [True, False, True]})
    columns = {"1": [0.9, 0.1, 0.5], "2.5": [0.1, 0.2, 0.3], "10": [0.2, 0.6, None]}
    records["difficulties"] = [{"name": "wood", "values": None, "percentages": columns}]
    samples = samples_of(records)
    assert samples.metrics() == {"wood": [1, 2.5, 10]}
    values = [samples.answer(DifficultyQuestion("wood", percent=p, splits=2)).rows[0].value for p in (1, 10)]
    assert values == [pytest.approx(0), pytest.approx(100 / 3)]
    question = DifficultyQuestion("wood", percents=[1, 2.5], splits=2)
    assert samples.points(question)["difficulty"] == pytest.approx([0.5, 0.15, 0.4])
    assert samples.points(replace(question, percents=[1, 10]))["difficulty"][2] is None
    assert samples.points(replace(question, percents=[2.5]))["difficulty"] == columns["2.5"]
    for one in (replace(question, percents=[1, 5]), DifficultyQuestion("wood", percent=5)):
        with pytest.raises(ValueError, match=r"percent: 5 is none of those stored, 1, 2.5, 10"):
            samples.answer(one)


def test_equal_values_share_a_rank_and_models_without_one_come_last() -> None:
    """Ranks by the metric, by accuracy and by accuracy on the examples that count."""
    right = {"b": [True, True, False], "a": [True, True, False], "c": [True, True, True], "d": [False] * 3}
    records = documents([0.9, 0.1, None], right)
    rows = samples_of(records).answer(DifficultyQuestion("wsbias-1", splits=2)).rows
    assert [(row.model, row.rank) for row in rows] == [("a", 1), ("b", 1), ("c", 1), ("d", 4)]
    assert [(row.accuracy_rank, row.accuracy_scored_rank) for row in rows] == [(2, 1), (2, 1), (1, 1), (4, 4)]
    records = documents([0.5], {"sure": [False], "unsure": [True]}, {"sure": [0.001], "unsure": [None]})
    answer = samples_of(records).answer(DifficultyQuestion("wmprob"))
    assert [(row.model, row.rank, row.value) for row in answer.rows] == [
        ("sure", 1, -100.0),
        ("unsure", None, None),
    ]
    assert answer.notes == ["unsure gives no confidence for any answer, and so has no value."]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "metric: None is not the name of a difficulty"),
        ({"metric": "x", "split": 3}, "question: 'split' is not one of its fields; use metric, percent"),
        ({"metric": "x", "kind": "even"}, "kind: 'even' is none of equal, thresholds, continuous"),
        ({"metric": "x", "thresholds": [0.5, 0.4]}, "thresholds: .* are not ascending numbers from 0 to 1"),
        ({"metric": "x", "case": 7}, "case: 7 is not for x; its like there is 6"),
        (
            {"metric": "x", "case": 6, "kind": "thresholds"},
            "kind: 'thresholds' is not for case 6, where it is",
        ),
        ({"metric": "x", "case": 8, "factor": "difficulty"}, "factor: 'difficulty' is not for case 8"),
        ({"metric": "x", "percent": 0}, "percent: 0 is not over 0 and at most 100"),
        ({"metric": "x", "reward": -1}, "reward: -1 is not a number of 0 or more"),
        ({"metric": "x", "penalty": float("nan")}, "penalty: nan is not a number of 0 or less"),
        (
            {"metric": "x", "case": None, "reward": 0, "penalty": 0},
            "reward: 0 and a penalty of 0 leave nothing",
        ),
        ({"metric": "x", "weights": [1, 2]}, "weights: .* are not 7 numbers of 0 or more"),
    ],
)
def test_an_impossible_question_says_what_is_wrong(fields: dict[str, Any], message: str) -> None:
    """Errors name the field, the value and the fix."""
    with pytest.raises(ValueError, match=message):
        DifficultyQuestion.read(fields)


def test_records_that_do_not_fit_are_refused() -> None:
    """Missing gold labels, different lengths, other ids and unknown names are errors; nothing is guessed."""
    records = documents([0.5, 0.1], {"one": [True, False]})
    with pytest.raises(ValueError, match="examples of made: gold: missing"):
        Samples.read({**records["examples"], "gold": None}, {})
    samples = samples_of(records)
    with pytest.raises(ValueError, match="models: 'two' is none of one"):
        samples.answer(DifficultyQuestion("wsbias-1", models=["two"]))
    with pytest.raises(ValueError, match="metric: 'wood' is none of the difficulties here, wsbias-1"):
        samples.answer(DifficultyQuestion("wood"))
    with pytest.raises(ValueError, match="predictions of two: predicted: 1 for 2 examples"):
        samples.add("two", {"labels": ["yes"], "predicted": [0], "resolution": 1})
    with pytest.raises(ValueError, match="predictions of two: predicted: missing"):
        samples.add("two", {"answers": [None, None], "resolution": 1})
    first = {**records["difficulties"][0], "ids_sha256": "sha256:1"}
    other = {**records["predictions"]["one"], "ids_sha256": "sha256:2"}
    with pytest.raises(
        ValueError, match="predictions of one: predicted: ids_sha256: sha256:2 is not sha256:1"
    ):
        Samples.read(records["examples"], {"one": other}, [first])


def test_case_8_leaves_out_what_has_no_inverse_or_raises_it() -> None:
    """Worked by hand: B 1, 0.5, 0.25 and 0 in two splits, with the last left out or raised to 0.2."""
    samples = samples_of(documents([1.0, 0.5, 0.25, 0.0], {"one": [True, False, True, False]}))
    [row] = samples.answer(DifficultyQuestion("wsbias-1", case=8, splits=2)).rows
    # Two easy ones weigh 1 / 1 and 1 / 0.5, the hard one 2 / 0.25.
    assert row.value == pytest.approx(100 * (1 - 2 + 8) / 11)
    assert (row.scored, row.left_out["zero"], row.left_out["no_difficulty"]) == (3, 1, 0)
    [row] = samples.answer(DifficultyQuestion("wsbias-1", case=8, splits=2, zeros="clip", clip=0.2)).rows
    assert row.value == pytest.approx(100 * (1 - 2 + 8 - 10) / 21)
    assert (row.scored, row.left_out["zero"], row.left_out["clipped"]) == (4, 0, 1)


def test_case_8_leaves_out_zeros_after_the_splits_are_formed() -> None:
    """Two examples of B = 0 fill the hard split, which then weighs nothing, so that the easy one has both others."""
    samples = samples_of(documents([1.0, 0.5, 0.0, 0.0], {"one": [True, False, True, True]}))
    question = DifficultyQuestion("wsbias-1", case=8, splits=2)
    [row] = samples.answer(question).rows
    assert row.value == pytest.approx(100 * (1 - 2) / 3)
    assert [(split.examples, split.right, split.score) for split in row.splits] == [
        (2, 1, pytest.approx(-100 / 3)),
        (0, 0, None),
    ]
    assert (row.scored, row.accuracy_scored, row.left_out["zero"]) == (2, 50.0, 2)
    assert (row.lowest, row.highest, row.ties["groups"]) == (row.value, row.value, 0)
    assert samples.points(question)["split"] == [0, 0, -1, -1]


@given(rows, questions(metric=st.just("wsbias-1"), factor="inverse", weights=None))
def test_inverse_difficulty_weighs_within_splits_of_all_that_have_a_difficulty(
    found: list[Any], question: DifficultyQuestion
) -> None:
    """Example by example: what has no 1 / B has a place in the order, and no weight."""
    records = drawn(found)
    zeros = sum(value == 0 for value, _ in found)
    for row in samples_of(records).answer(question).rows:
        expected = by_definition(records, question, row.model)
        assert (row.value is None) == (expected is None)
        if expected is not None:
            assert row.value == pytest.approx(float(expected), rel=1e-6, abs=1e-6)
        assert row.left_out["zero"] == zeros
        assert sum(split.examples for split in row.splits) == row.scored


def golden_document() -> dict[str, Any]:
    values = [0.9, 0.75, 0.75, 0.5, 0.25, 0.0, None, 1.0]
    right = {"calm": [True] * 5 + [False] * 3, "bold": [False, True] * 4}
    sure = {"calm": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, None], "bold": [0.5] * 8}
    return documents(values, right, sure)


ASKED = (
    {"metric": "wsbias-1", "splits": 3},
    {
        "metric": "wsbias-1",
        "kind": "thresholds",
        "thresholds": [0.25, 0.75],
        "case": 3,
        "factor": "difficulty",
    },
    {"metric": "wsbias-1", "kind": "continuous"},
    {"metric": "wmprob", "splits": 2, "ties": "stable", "scale": "logarithmic"},
)


def test_answers_are_in_their_documented_shape() -> None:
    """The page, the command line and stored tables rely on these very bytes."""
    samples = open_samples(json.dumps(golden_document()))
    found = [
        {
            "question": asked,
            "answer": json.loads(json.dumps(samples.answer(DifficultyQuestion.read(asked)).plain())),
            "points": json.loads(points_json(samples, json.dumps(asked))),
        }
        for asked in ASKED
    ]
    assert found == json.loads(GOLDEN.read_text("utf-8"))


def test_a_model_without_a_value_comes_last_and_leaves_the_ranks_of_others_alone() -> None:
    """Who says of no answer how sure it is has no rank by "wmprob", nor one by accuracy to compare it with."""
    right = {"silent": [True, True, True], "good": [True, True, False], "poor": [True, False, False]}
    sure = {"silent": [None] * 3, "good": [0.9, 0.8, 0.7], "poor": [0.9, 0.8, 0.7]}
    samples = samples_of(documents([0.1, 0.2, 0.3], right, sure))
    rows = samples.answer(DifficultyQuestion("wmprob")).rows
    assert [(row.model, row.rank, row.accuracy_rank) for row in rows] == [
        ("good", 1, 1),
        ("poor", 2, 2),
        ("silent", None, None),
    ]
    # Three examples tell nothing apart, and silence is no rival.
    assert samples.noise(DifficultyQuestion("wmprob"))["models"]["poor"]["moved"] == [-1, 1]


def test_charts_say_what_they_show() -> None:
    """Two splits: the fair model is wrong once in the hard one, the weak one everywhere but on the easiest example."""
    values = [1.0, 0.9, 0.2, 0.1, None]
    right = {"fair": [True, True, True, False, False], "weak": [True, False, False, False, True]}
    samples = samples_of(documents(values, right))
    charts = samples.page_answer(DifficultyQuestion(metric="wsbias-1", splits=2))["words"]["charts"]
    assert charts["ends"] == ["easiest", "hardest"]
    assert charts["swarm"] == (
        "1 of 4 examples are right for all 2 models, 1 for none."
        " Of all errors 75 % are in the hardest of 2 splits, 25 % in the easiest."
    )
    assert charts["suns"] == {
        "fair": "\u2068fair\u2069 is wrong on 1 of 2 examples in the hardest split and on 0 of 2 examples in the"
        " easiest: 100 % of its errors are in the hardest of 2 splits.",
        "weak": "\u2068weak\u2069 is wrong on 2 of 2 examples in the hardest split and on 1 of 2 examples in the"
        " easiest: 67 % of its errors are in the hardest of 2 splits.",
    }
    assert charts["splits"].startswith(
        "From the easiest to the hardest split the mean score of the models falls"
    )
    assert charts["lines"] == "Every model has the same rank by Test-set shortcuts (WSBias 1) as by accuracy."
    smooth = samples.page_answer(DifficultyQuestion(metric="wsbias-1", kind="continuous"))["words"]["charts"]
    assert "no splits" in smooth["suns"]
    assert "no splits" in smooth["splits"]
