"""The standard error of each number on its own, and the interval of a share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.data.datasets import Dataset, DatasetError, read_dataset
from evaluator.records.base import TIMING
from evaluator.records.board import Boards, DatasetSpec
from evaluator.records.errors import UserError
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.covariances import InfluenceColumns, source
from evaluator.score.examples import dataset_source, kept_dataset
from evaluator.score.groups import Groups
from evaluator.score.means import is_share
from evaluator.score.suites import RemadeSuites
from evaluator.score.timing_variances import relative_variances

#: Two-sided 95 % of a standard normal distribution.
Z_95 = 1.959963984540054


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a share, as two shares of 1 (Wilson 1927, "Probable Inference").

    Raises ValueError unless 0 <= successes <= trials and trials > 0.
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"{successes} of {trials} is no share")
    share, z = successes / trials, Z_95
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    return max(0.0, middle - half), min(1.0, middle + half)


#: How standard errors are found: of shares of right answers, of other metrics of examples, of timings, and of
#: numbers whose source states them.
SHARE = "of a share of right answers: sqrt(p (1 - p) / (n - 1))"
BY_EXAMPLES = "influence values of examples, summed over those that share a source"
BY_PASSES = "delta method over timing blocks, from the variance of their logarithms"
AS_STATED = "as the source of the number states it"


@dataclass(frozen=True)
class StandardError:
    """That of one number: `value` in the number's unit, over `units` independent examples or passes.

    `units` is None where a source states no more than the value. `interval` is Wilson's at 95 %, in per cent,
    of a share of examples that are independent.
    """

    value: float
    method: str
    units: int | None
    interval: tuple[float, float] | None = None


#: By metric and model.
StandardErrors = dict[tuple[str, str], StandardError]


def dataset_at_hand(spec: DatasetSpec, data: Path, revisions: Iterable[str | None]) -> Dataset | None:
    """The dataset from its own file; None where there is none, or of another revision than these."""
    if spec.path is None or not (data / spec.path).is_file():
        return None
    try:
        dataset = read_dataset(dataset_source(spec, data))
    except (DatasetError, UserError):
        return None
    return dataset if dataset.revision in set(revisions) else None


def standard_errors(
    results: Sequence[Result], metrics: Sequence[str], dataset: Dataset | None, boards: Boards, store: Store
) -> StandardErrors:
    """Those of `metrics` of all results on one dataset, as far as anything says how they vary.

    `dataset` is the one from its file. Without it, gold labels and counts that the store keeps say it of
    some.
    """
    found: StandardErrors = {}
    for name in metrics:
        variances = relative_variances(name, results) if name in TIMING else [None] * len(results)
        for result, variance in zip(results, variances, strict=True):
            score, key = result.scores.get(name), (name, result.model.id)
            if score is not None and score.standard_error is not None:
                found[key] = StandardError(score.standard_error, AS_STATED, None)
            if score is not None and variance is not None and result.measurement is not None:
                passes = len(result.measurement.repeats)
                found[key] = StandardError(score.value * math.sqrt(variance), BY_PASSES, passes)
    names = [name for name in metrics if name not in TIMING]
    for revision in {result.dataset.revision for result in results if result.predictions}:
        same = [one for one in results if one.predictions and one.dataset.revision == revision]
        read = dataset if dataset and dataset.revision == revision else kept_dataset(same[0], store)
        found |= _of_examples(same, names, read, boards, store) if read else _of_counts(same, names, store)
    return found


def _of_examples(
    results: Sequence[Result], names: Sequence[str], dataset: Dataset, boards: Boards, store: Store
) -> StandardErrors:
    groups, found = Groups.of(dataset), StandardErrors()
    if groups.count < 2:  # one unit says nothing of how a number varies
        return found
    columns = InfluenceColumns(dataset, boards, store, RemadeSuites(boards, trusted=True))
    for name, version in sorted({(n, r.scores[n].version) for r in results for n in names if n in r.scores}):
        same = [r for r in results if name in r.scores and r.scores[name].version == version]
        [column] = columns.of(same, {name: version})
        always_same = frozenset(result.model.id for result in same if result.same_again)
        of_runs = column.run_variances(always_same) or [0.0] * len(column.by_model)
        share = not groups.number and is_share(boards.metric_of(dataset.id, name))
        for (model, one), run in zip(column.by_model.items(), of_runs, strict=True):
            if isinstance(one, str):
                continue
            if share and one.right is not None and not run:
                found[name, model] = _share(int(one.right.sum()), len(one.right))
                continue
            value = math.hypot(groups.standard_error(one.moved), math.sqrt(run))
            found[name, model] = StandardError(value, BY_EXAMPLES, groups.count)
    return found


def _of_counts(results: Sequence[Result], names: Sequence[str], store: Store) -> StandardErrors:
    """What counts of right answers say, which are kept also where gold labels are not."""
    about, found = results[0], StandardErrors()
    kept = store.covariances(about.task, about.dataset.id, about.dataset.revision or "")
    if kept is None or kept.sources is not None or kept.examples < 2:
        return found
    for name in (name for name in names if name in kept.right):
        for result in results:
            model, score = result.model.id, result.scores.get(name)
            # It must be of these predictions, and of this version of the metric.
            same = score is not None and score.version == kept.versions[name]
            if same and kept.models.get(model) == source(result) and model not in kept.unknown.get(name, {}):
                found[name, model] = _share(kept.right[name][[*kept.models].index(model)], kept.examples)
    return found


def _share(right: int, examples: int) -> StandardError:
    share = right / examples
    error = 100.0 * math.sqrt(share * (1.0 - share) / max(1, examples - 1))
    low, high = wilson(right, examples)
    return StandardError(error, SHARE, examples, (100.0 * low, 100.0 * high))
