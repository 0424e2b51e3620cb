"""Nobody gains by not answering: an invalid answer is wrong, and hides nothing of the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from difficulty_cases import documents, samples_of, sureness
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.datasets import Dataset
from evaluator.data.suites.make import Counts, Suite, Variant
from evaluator.data.tasks import Prediction
from evaluator.rank.difficulty_order import SCALES, DifficultyQuestion
from evaluator.records.errors import UserError
from evaluator.score.answers import prediction_set
from evaluator.score.metrics import report
from evaluator.score.suites import perturbed, suite_scores

values = st.sampled_from([0.0, 0.125, 0.25, 0.5, 1.0]) | st.floats(0.01, 1)
#: Of each example its difficulty, whether it is answered right and how surely; and whether that answer is
#: withheld, and its confidence with it.
answers = st.lists(
    st.tuples(values, st.booleans(), sureness, st.booleans(), st.booleans()), min_size=1, max_size=30
)


@st.composite
def any_question(draw: st.DrawFn) -> DifficultyQuestion:
    """Any question with weights that rise to the hardest examples."""
    metric = draw(st.sampled_from(["wsbias-1", "wmprob"]))
    case = draw(st.sampled_from([1, 2, 3, 4, 5, *([7, 9] if metric == "wmprob" else [6, 8])]))
    terms: dict[str, Any] = {"metric": metric, "case": case, "splits": draw(st.integers(2, 7))}
    terms |= {
        "scale": draw(st.sampled_from(sorted(SCALES))),
        "ties": draw(st.sampled_from(["mean", "stable"])),
    }
    if case < 6:
        terms["kind"] = draw(st.sampled_from(["equal", "thresholds", "continuous"]))
        inverse = ["inverse"] if metric != "wmprob" else []
        terms["factor"] = draw(st.sampled_from(["one", "confidence", "difficulty", *inverse]))
    return DifficultyQuestion(**terms)


@given(answers, any_question())
def test_withholding_right_answers_raises_no_difficulty_metric(
    found: list[Any], question: DifficultyQuestion
) -> None:
    """Whether the answers withheld keep their confidence, lose it or never had one."""
    right = {name: [one[1] for one in found] for name in ("whole", "withheld")}
    sure = {"whole": [one[2] for one in found]}
    sure["withheld"] = [None if one[1] and one[3] and one[4] else one[2] for one in found]
    records = documents([one[0] for one in found], right, sure)
    for row, (_, is_right, _, withheld, _) in enumerate(found):
        if is_right and withheld:
            records["predictions"]["withheld"]["predicted"][row] = -1
    rows = {row.model: row for row in samples_of(records).answer(question).rows}
    whole, less = rows["whole"].value, rows["withheld"].value
    assert whole is None or less is None or less <= whole + 1e-6
    assert rows["withheld"].accuracy <= rows["whole"].accuracy


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.lists(st.integers(1, 9), min_size=3, max_size=3), st.booleans()),
        min_size=2,
        max_size=40,
    )
)
def test_withholding_right_answers_improves_no_metric_over_probabilities(found: list[Any]) -> None:
    """Calibration, ranking and distance: answers withheld come without probabilities."""
    gold = [one[0] for one in found]
    shares = np.array([one[1] for one in found], dtype=np.float64)
    shares /= shares.sum(axis=1, keepdims=True)
    said = shares.argmax(axis=1)
    withheld = np.array([one[2] for one in found]) & (said == gold)
    if withheld.all():
        return
    less = np.where(withheld[:, None], np.nan, shares)
    for metric, sign in {"calibration-error": -1, "brier": -1, "auroc": 1, "accuracy": 1}.items():
        before, after = (
            _score(metric, predicted, gold, given)
            for predicted, given in ((said, shares), (np.where(withheld, -1, said), less))
        )
        assert before is None or after is None or sign * after <= sign * before + 1e-9, metric


def _score(metric: str, predicted: Any, gold: list[int], given: Any) -> float | None:
    options: dict[str, Any] = {"labels": ["a", "b", "c"], "probabilities": given}
    try:
        return report(list(predicted), gold, "classification", [metric], **options).scores[metric].value
    except UserError:
        return None  # all of one label: there is no area


labels = st.integers(0, 1)


@given(st.lists(st.tuples(labels, labels, labels, st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_withholding_right_answers_raises_no_agreement_and_no_fairness_share(found: list[Any]) -> None:
    """On the originals or on the variants: agreement, worst case and the task's metric fall or stay."""
    before, after = (
        _suite_scores(
            [one[0] for one in found],
            [-1 if cut and one[3] and one[1] == one[0] else one[1] for one in found],
            [-1 if cut and one[4] and one[2] == one[0] else one[2] for one in found],
        )
        for cut in (False, True)
    )
    assert after.agreement <= before.agreement + 1e-9
    assert after.worst <= before.worst + 1e-9
    assert after.score <= before.score + 1e-9


def _suite_scores(gold: list[int], said: list[int], of_variants: list[int]) -> Any:
    dataset = _dataset(gold)
    variants = tuple(Variant(row, "Names", {"statement": f"variant {row}"}) for row in range(len(gold)))
    digest = dataset.revision
    counts = {"Names": Counts(len(gold), 0, 0)}
    suite = Suite(digest, "fairness", "fairness", {}, 0, dataset.id, digest, counts, variants)
    before, after = (
        prediction_set(dataset, "m", [Prediction(one) for one in column], 1000)
        for column in (said, of_variants)
    )
    return suite_scores(suite, (dataset, before), (perturbed(dataset, suite), after), [])


def _dataset(gold: list[int]) -> Dataset:
    return Dataset(
        id="made",
        task="sentiment",
        labels=("negative", "positive"),
        examples=tuple({"id": str(at), "statement": f"text {at}"} for at in range(len(gold))),
        gold=tuple(("negative", "positive")[one] for one in gold),
        revision="sha256:" + "0" * 64,
    )
