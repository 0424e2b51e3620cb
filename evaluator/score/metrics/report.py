"""One report: predictions and references of a task, a list of metrics, their values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from evaluator.score.metrics.base import Metric, MetricError, MetricKind, Report, Value
from evaluator.score.metrics.entities import tagged
from evaluator.score.metrics.labelled import labelled
from evaluator.score.metrics.multilabel import multi_labelled
from evaluator.score.metrics.registry import check_kind, get_metric
from evaluator.score.metrics.texts import as_texts


def report(
    predictions: Any,
    references: Any,
    task: str,
    metrics: Sequence[str | Metric],
    *,
    labels: Sequence[str] | None = None,
    probabilities: Any = None,
    distributions: Any = None,
    validated: Any = None,
    unvalidated: int = 0,
    over_references: str | None = None,
    over_predictions: str | None = None,
    sources: Any = None,
    workers: int = 1,
    no_answer: Any = None,
) -> Report:
    """Score n predictions against n references, which are read and tokenised once for all `metrics`.

    `task` is the kind of task and says what they are:

    - classification: labels, as strings or as whole numbers indexing `labels`; a prediction that is
      None, -1 or a string that is no label is no valid answer, and wrong. `probabilities` (n, k) are
      the model's (a row of NaN: none given), `distributions` (n, k) the annotators' shares,
      `validated` (n,) whether a human confirmed the item, `unvalidated` how many further examples
      nobody validated.
    - multi-label: lists of labels, strings or whole numbers indexing `labels`; each label counts once. A
      prediction of None, or one that has something that is no label, is not right.
    - sequence-labelling: lists of BIO tags; None or [] is no answer.
    - generation, qa: texts, or lists of several; a prediction of None is "" and wrong, and a reference of
      "" says that there is no answer. `no_answer` (n,) is how likely the model takes that to be. Several
      are reduced by `over_references`, then `over_predictions`: "max", "min" or "mean"; by default,
      max, and min for error rates. Corpus metrics (BLEU, chrF, TER) have their own rules for this.
      `sources` (n,) are the texts that were answered, for metrics that compare with them.

    `workers` metrics are computed at the same time, in threads: that helps where they leave Python, as
    networks and large arrays do. The numbers are the same. Nothing given is changed.

    Raises `MetricError` where a metric does not exist, does not fit the task or lacks what it needs, and
    where the inputs do not belong together.
    """
    kind = check_kind(task)
    _check_listed("metrics", metrics)
    if workers < 1:
        raise MetricError(f"workers: {workers} is less than one")
    given = {"probabilities": probabilities, "distributions": distributions, "validated": validated}
    chosen = [metric if isinstance(metric, Metric) else get_metric(metric) for metric in metrics]
    if not chosen:
        raise MetricError("metrics: none asked for")
    more = {**given, "no_answer": no_answer, "sources": sources}
    known = {name for name, value in more.items() if value is not None}
    known |= {"unanswerable"} if _says_nothing(references) else set()
    for metric in chosen:
        _check_fit(metric, kind, known)
    _check_listed("predictions", predictions)
    _check_listed("references", references)
    inputs: Any
    if kind == "classification":
        inputs = labelled(predictions, references, labels, **given, unvalidated=unvalidated)
    elif kind == "multi-label":
        inputs = multi_labelled(predictions, references, labels)
    elif kind == "sequence-labelling":
        inputs = tagged(predictions, references)
    else:
        inputs = as_texts(predictions, references, over_references, over_predictions, no_answer, sources)
    return Report(kind, _values(chosen, kind, inputs, workers))


def _values(chosen: Sequence[Metric], kind: MetricKind, inputs: Any, workers: int) -> dict[str, Value]:
    names = [metric.name for metric in chosen]
    if workers == 1:
        return {name: _value(metric, kind, inputs) for name, metric in zip(names, chosen, strict=True)}
    with ThreadPoolExecutor(workers) as pool:
        values = pool.map(lambda metric: _value(metric, kind, inputs), chosen)
        return dict(zip(names, values, strict=True))


def _says_nothing(references: Any) -> bool:
    """Whether the reference of any item is "", as of a question without an answer."""
    if not isinstance(references, Iterable):
        return False
    # Numbers cannot be "": a million of them are not looked at one by one.
    kinds = {kind for kind in set(map(type, references)) if issubclass(kind, str | list | tuple)}
    return bool(kinds) and any(type(one) in kinds and one in ("", [""], ("",)) for one in references)


def _check_listed(name: str, column: Any) -> None:
    """A text or an object would be taken apart where a list is meant."""
    if isinstance(column, str | bytes | Mapping) or not hasattr(column, "__len__"):
        raise MetricError(f"{name}: a {type(column).__name__} is no list; give one entry for each")


def _check_fit(metric: Metric, kind: MetricKind, given: set[str]) -> None:
    if kind not in metric.tasks:
        raise MetricError(f"{metric.name}: fits {' and '.join(metric.tasks)}, not {kind}")
    if missing := [name for name in metric.needs if name not in given]:
        raise MetricError(f"{metric.name}: needs {' and '.join(missing)}")


def _value(metric: Metric, kind: MetricKind, inputs: Any) -> Value:
    scored = metric.compute[kind](inputs)
    if not math.isfinite(scored.value):
        raise MetricError(f"{metric.name}: came out as {scored.value}, which is no score")
    value = float(scored.value)
    return Value(value, metric.unit, metric.version, scored.per_item, scored.parts, scored.influences)
