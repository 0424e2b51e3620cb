"""One report of any metrics over predictions and references, and the metrics by name.

A metric of ours stands at the end of the module that computes it, in its `METRICS`; here are those that mean
something for several kinds of task. A package adds a metric by an entry point of the group
`steelyard.metrics` that names a `Metric`, or something that is called without arguments and returns one; its
name is the entry point's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from evaluator.records.board import CheckpointSpec
from evaluator.records.errors import UserError
from evaluator.score.metrics import (
    bleu,
    classification,
    edits,
    meteor,
    probability,
    rouge,
    sequences,
    squad,
)
from evaluator.score.metrics.base import KINDS, Metric, MetricKind, Report, Value, for_texts
from evaluator.score.metrics.classification import AverageMeasure, average
from evaluator.score.metrics.neural import NEURAL, with_weights
from evaluator.score.metrics.texts import as_texts
from evaluator.score.metrics.wordless import wordless

GROUP = "steelyard.metrics"

#: Ways to average over labels or types of entities.
AVERAGES: dict[Any, str] = {
    "micro": "all labels or types of entities counted together",
    "macro": "the mean over labels or types of entities",
    "weighted": "the mean over labels or types of entities, weighted by how often each is gold",
    "samples": "the mean over items with several labels",
}
MEASURES: dict[AverageMeasure, str] = {"precision": "precision", "recall": "recall", "f1": "F1"}


def _averages() -> list[Metric]:
    """Precision, recall and F1 averaged in each way, and what the plain names mean.

    That is: of labels the macro average, of entities the micro average, of texts that of their tokens.
    """
    found = []
    for measure, label in MEASURES.items():
        plain: dict[MetricKind, Any] = {
            "classification": average(measure, "macro"),
            "multi-label": average(measure, "macro"),
            "sequence-labelling": average(measure, "micro"),
            **for_texts(squad.token_measure(measure)),
        }
        about = "macro average over labels, micro average over entities, or of the tokens of texts"
        about += " as SQuAD" if measure == "f1" else ""
        found.append(Metric(measure, label[:1].upper() + label[1:], f"{measure}-2", plain, description=about))
    for how, about in AVERAGES.items():
        for measure, label in MEASURES.items():
            compute: dict[MetricKind, Any] = {"multi-label": classification.over_items(measure)}
            if how != "samples":
                kinds: tuple[MetricKind, ...] = ("classification", "multi-label", "sequence-labelling")
                compute = dict.fromkeys(kinds, average(measure, how))
            name = f"{how}-{measure}"
            title = f"{how.capitalize()}-{label}"
            found.append(Metric(name, title, f"{name}-1", compute, description=f"{label}, {about}"))
    return found


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "accuracy",
            "Accuracy",
            "accuracy-1",
            {
                "classification": classification.accuracy,
                "multi-label": classification.subset_accuracy,
                "sequence-labelling": sequences.token_accuracy,
            },
            description="share of right answers: items with all labels right, tokens with the right tag",
        ),
        *_averages(),
        *classification.METRICS,
        *probability.METRICS,
        *squad.METRICS,
        Metric(
            "token-f1",
            "Token F1",
            "token-f1-2",
            {"sequence-labelling": sequences.token_f1, **for_texts(squad.token_measure("f1"))},
            description="micro F1 of tokens with a tag other than O; of the tokens of texts, as SQuAD's",
        ),
        *sequences.METRICS,
        *bleu.METRICS,
        *rouge.METRICS,
        *meteor.METRICS,
        *edits.METRICS,
        *NEURAL.values(),
    )
}


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

    Nothing given is changed. Raises `UserError` where a metric does not exist, does not fit the task or lacks
    what it needs, and where the inputs do not belong together.
    """
    kind = check_kind(task)
    _check_listed("metrics", metrics)
    given = {"probabilities": probabilities, "distributions": distributions, "validated": validated}
    chosen = [metric if isinstance(metric, Metric) else get_metric(metric) for metric in metrics]
    if not chosen:
        raise UserError("metrics", "none asked for")
    more = {**given, "no_answer": no_answer, "sources": sources}
    known = {name for name, value in more.items() if value is not None}
    known |= {"unanswerable"} if _says_nothing(references) else set()
    for metric in chosen:
        _check_fit(metric, kind, known)
    _check_listed("predictions", predictions)
    _check_listed("references", references)
    inputs: Any
    if kind == "classification":
        inputs = classification.labelled(predictions, references, labels, **given, unvalidated=unvalidated)
    elif kind == "multi-label":
        inputs = classification.multi_labelled(predictions, references, labels)
    elif kind == "sequence-labelling":
        inputs = sequences.tagged(predictions, references)
    else:
        inputs = as_texts(predictions, references, over_references, over_predictions, no_answer, sources)
    values = {metric.name: _value(metric, kind, inputs) for metric in chosen}
    texts = inputs.form(None) if kind in ("generation", "qa") else []
    return Report(kind, values, tuple(wordless(texts, values)))


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
        raise UserError(name, f"a {type(column).__name__} is no list", "give one entry for each")


def _check_fit(metric: Metric, kind: MetricKind, given: set[str]) -> None:
    if kind not in metric.tasks:
        raise UserError(metric.name, f"fits {' and '.join(metric.tasks)}, not {kind}")
    if missing := [name for name in metric.needs if name not in given]:
        raise UserError(metric.name, f"needs {' and '.join(missing)}")


def _value(metric: Metric, kind: MetricKind, inputs: Any) -> Value:
    scored = metric.compute[kind](inputs)
    if not math.isfinite(scored.value):
        raise UserError(metric.name, f"came out as {scored.value}, which is no score")
    value = float(scored.value)
    return Value(
        value,
        metric.unit,
        metric.version,
        scored.per_item,
        scored.parts,
        scored.influences,
        scored.bias,
        scored.sides,
    )


def definition(name: str) -> Metric:
    """What the metric called `name` is, ours or a package's, whatever weights it may read.

    Raises `UserError` naming those that exist.
    """
    known = _all()
    if name not in known:
        raise UserError("metric", f"{name!r} is none of {', '.join(known)}")
    return known[name]


def get_metric(name: str) -> Metric:
    """The metric called `name`, with the weights in use if it reads any.

    Raises `UserError` naming those that exist, and where the weights are missing.
    """
    return _chosen(name) or definition(name)


def use_checkpoints(specs: Iterable[CheckpointSpec] = (), root: Path = Path()) -> None:
    """From now on, metrics read these weights, whose paths start at `root`, and no others.

    The weights are looked at when a metric is asked for. Raises `UserError` for a metric that reads none.
    """
    _checkpoints.clear()
    for one in specs:
        if one.metric not in NEURAL:
            raise UserError("checkpoints", f"{one.metric!r} is none of {', '.join(NEURAL)}")
        _checkpoints[one.metric] = one, root
    _chosen.cache_clear()


_checkpoints: dict[str, tuple[CheckpointSpec, Path]] = {}


@cache
def _chosen(name: str) -> Metric | None:
    """The metric with the weights in use, opened once; None where none are."""
    return with_weights(*_checkpoints[name]) if name in _checkpoints else None


def names_for(task: str) -> tuple[str, ...]:
    """The names of all metrics that fit a kind of task, ours first; none where its numbers are given.

    Raises `UserError` for another kind.
    """
    if task == "scored":
        return ()
    return tuple(name for name, metric in _all().items() if check_kind(task) in metric.tasks)


def check_kind(task: str) -> MetricKind:
    """`task`, if it is a kind of task. Raises `UserError` if not."""
    for kind in KINDS:
        if task == kind:
            return kind
    raise UserError("task", f"{task!r} is none of {', '.join(KINDS)}")


def _all() -> dict[str, Metric]:
    return METRICS | _plugins()


@cache
def _plugins() -> dict[str, Metric]:
    """The metrics of installed packages. Raises `UserError` naming the package that is at fault."""
    found: dict[str, Metric] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        by = f"metric {point.name!r} of package {point.dist.name if point.dist else point.value}"
        if point.name in METRICS or point.name in found:
            raise UserError(by, "the name is taken", "a metric needs one of its own")
        found[point.name] = _loaded(point, by)
    return found


def _loaded(point: Any, by: str) -> Metric:
    try:
        metric = point.load()
        metric = metric if isinstance(metric, Metric) else metric()
    except Exception as error:  # a package may fail in any way
        raise UserError(f"{by} does not load", f"{type(error).__name__}: {error}") from error
    if not isinstance(metric, Metric) or metric.name != point.name:
        raise UserError(by, f"{point.value} is no Metric of that name")
    return metric
