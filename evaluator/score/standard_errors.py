"""How sure each number of a dataset is on its own: its standard error, under other examples or passes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.data.datasets import Dataset, DatasetError, read_dataset
from evaluator.records.base import TIMING
from evaluator.records.board import Boards, DatasetSpec
from evaluator.records.datasets import Covariances
from evaluator.records.errors import UserError
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.certainty import relative_variances
from evaluator.score.covariances import Groups, InfluenceColumns, source
from evaluator.score.examples import dataset_of
from evaluator.score.reading import dataset_source
from evaluator.score.suites import RemadeSuites

#: Two-sided 95 % of a standard normal distribution.
Z_95 = 1.959963984540054


def wilson(successes: int, trials: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval for a share, as two shares of 1 (Wilson 1927, "Probable Inference").

    `z` is the normal quantile of the confidence level. Raises ValueError unless
    0 <= successes <= trials and trials > 0.
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"{successes} of {trials} is no share")
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    return max(0.0, middle - half), min(1.0, middle + half)


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation of pairs, from -1 to 1; equal numbers share the mean of their ranks.

    None where it is not defined: for fewer than two pairs, or if all numbers of a side are equal. Raises
    ValueError for sides of different lengths (Spearman 1904; the mean ranks after Kendall 1945).
    """
    pairs = list(zip(_centred_ranks(first), _centred_ranks(second), strict=True))
    spread = math.fsum(x * x for x, _ in pairs) * math.fsum(y * y for _, y in pairs)
    return math.fsum(x * y for x, y in pairs) / math.sqrt(spread) if spread else None


def _centred_ranks(values: Sequence[float]) -> list[float]:
    """How many values are smaller than each, less how many are larger: twice its rank from the middle."""
    return [float(sum((other < one) - (other > one) for other in values)) for one in values]


#: How standard errors are found: of shares of right answers, of other metrics of examples, of timings, and of
#: numbers whose source states them.
SHARE = "of a share of right answers: sqrt(p (1 - p) / (n - 1))"
BY_EXAMPLES = "influence values of examples, summed over those that share a source"
BY_PASSES = "delta method over timing passes, variance of logarithms pooled over the models of a dataset"
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
    results: Sequence[Result],
    metrics: Sequence[str],
    dataset: Dataset | None,
    boards: Boards,
    store: Store,
) -> StandardErrors:
    """Those of `metrics` of all results on one dataset, as far as anything says how they vary.

    `dataset` is the one from its file. Without it, gold labels and counts that the store keeps say it of
    some.
    """
    found = dict(_stated(results, metrics))
    found |= dict(_of_timings(results, [name for name in metrics if name in TIMING]))
    for revision in {result.dataset.revision for result in results if result.predictions}:
        same = [one for one in results if one.predictions and one.dataset.revision == revision]
        read = dataset if dataset and dataset.revision == revision else _kept(same, store)
        names = [name for name in metrics if name not in TIMING]
        of_examples = _of_examples(same, names, read, boards, store) if read else _counted(same, names, store)
        found |= dict(of_examples)
    return found


def _stated(
    results: Sequence[Result], names: Iterable[str]
) -> Iterator[tuple[tuple[str, str], StandardError]]:
    for name in names:
        for result in results:
            score = result.scores.get(name)
            if score is not None and score.standard_error is not None:
                yield (name, result.model.id), StandardError(score.standard_error, AS_STATED, None)


def _of_timings(
    results: Sequence[Result], names: Iterable[str]
) -> Iterator[tuple[tuple[str, str], StandardError]]:
    for name in names:
        for result, variance in zip(results, relative_variances(name, results), strict=True):
            if variance is not None and result.measurement is not None:
                value = result.scores[name].value * math.sqrt(variance)
                passes = len(result.measurement.repeats)
                yield (name, result.model.id), StandardError(value, BY_PASSES, passes)


def _kept(results: Sequence[Result], store: Store) -> Dataset | None:
    """The dataset as far as the store keeps it; None where its gold labels are not published."""
    about = results[0]
    kept = store.examples(about.task, about.dataset.id, about.dataset.revision or "")
    if kept is None or kept.gold is None:
        return None
    return dataset_of(kept, store.predictions(about).labels)


def _of_examples(
    results: Sequence[Result], names: Sequence[str], dataset: Dataset, boards: Boards, store: Store
) -> Iterator[tuple[tuple[str, str], StandardError]]:
    groups = Groups.of(dataset)
    columns = InfluenceColumns(dataset, store, RemadeSuites(boards, trusted=True))
    for name, version in _versions(results, names):
        same = [result for result in results if _has(result, name, version)]
        [column] = columns.of(same, {name: version})
        for model, one in column.by_model.items():
            if isinstance(one, str):
                continue
            if one.right is not None and not groups.number:
                yield (name, model), _share(int(one.right.sum()), len(one.right))
            else:
                by_examples = StandardError(groups.standard_error(one.moved), BY_EXAMPLES, groups.count)
                yield (name, model), by_examples


def _counted(
    results: Sequence[Result], names: Iterable[str], store: Store
) -> Iterator[tuple[tuple[str, str], StandardError]]:
    """What counts of right answers say, which are kept also where gold labels are not."""
    about = results[0]
    kept = store.covariances(about.task, about.dataset.id, about.dataset.revision or "")
    if kept is None or kept.sources is not None:
        return
    models = list(kept.models)
    for name in names:
        for result in results:
            if name in kept.right and _is_about(kept, result, name):
                right = kept.right[name][models.index(result.model.id)]
                yield (name, result.model.id), _share(right, kept.examples)


def _is_about(kept: Covariances, result: Result, name: str) -> bool:
    """Whether what is kept is of these predictions and of this version of the metric."""
    model = result.model.id
    same = _has(result, name, kept.versions[name]) and kept.models.get(model) == source(result)
    return same and model not in kept.unknown.get(name, {})


def _share(right: int, examples: int) -> StandardError:
    share = right / examples
    error = 100.0 * math.sqrt(share * (1.0 - share) / max(1, examples - 1))
    low, high = wilson(right, examples)
    return StandardError(error, SHARE, examples, (100.0 * low, 100.0 * high))


def _versions(results: Iterable[Result], names: Sequence[str]) -> list[tuple[str, str]]:
    return sorted({(n, r.scores[n].version) for r in results for n in names if n in r.scores})


def _has(result: Result, name: str, version: str) -> bool:
    return name in result.scores and result.scores[name].version == version
