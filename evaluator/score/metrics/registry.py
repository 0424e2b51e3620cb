"""The metrics by name: Steelyard's own, and those that installed packages add.

A package adds a metric by an entry point of the group `steelyard.metrics` that names a `Metric`, or
something that is called without arguments and returns one; its name is the entry point's. The module
is long because every metric has its entry here, where one can be compared with another.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from evaluator.score.metrics import (
    bleu,
    chrf,
    classification,
    edits,
    entities,
    gleu,
    meteor,
    multilabel,
    probability,
    rouge,
    squad,
    ter,
)
from evaluator.score.metrics.averages import average
from evaluator.score.metrics.base import KINDS, Metric, MetricError, MetricKind
from evaluator.score.metrics.neural import NEURAL, with_weights
from evaluator.score.metrics.neural.checkpoint import Checkpoint

GROUP = "steelyard.metrics"

#: Ways to average over labels or types of entities.
AVERAGES = {
    "micro": "all labels or types of entities counted together",
    "macro": "the mean over labels or types of entities",
    "weighted": "the mean over labels or types of entities, weighted by how often each is gold",
    "samples": "the mean over items with several labels",
}
MEASURES = {"precision": "precision", "recall": "recall", "f1": "F1"}


def _text(compute: Any) -> dict[MetricKind, Any]:
    return {"generation": compute, "qa": compute}


def _by_kind(measure: Any) -> dict[MetricKind, Any]:
    """What a plain precision, recall or F1 means: labels macro, entities micro, texts by their tokens."""
    return {
        "classification": average(measure, "macro"),
        "multi-label": average(measure, "macro"),
        "sequence-labelling": average(measure, "micro"),
        **_text(squad.token_measure(measure)),
    }


def _apart() -> list[Metric]:
    """F1 and exact match of the questions that have an answer, and of those that have none, as SQuAD v2."""
    measures = {"f1": ("F1", squad.token_measure("f1")), "exact-match": ("exact match", squad.exact_match)}
    return [
        Metric(
            f"{key}-{name}",
            f"{which} {label}",
            f"{key}-{name}-1",
            {"qa": squad.part(measure, answerable)},
            needs=("unanswerable",),
            description=f"{label} of the questions that have {'an' if answerable else 'no'} answer",
        )
        for key, which, answerable in (("has-ans", "HasAns", True), ("no-ans", "NoAns", False))
        for name, (label, measure) in measures.items()
    ]


def _averages() -> list[Metric]:
    return [
        _average(how, measure, label, about)
        for how, about in AVERAGES.items()
        for measure, label in MEASURES.items()
    ]


def _average(how: Any, measure: Any, label: str, about: str) -> Metric:
    compute: dict[MetricKind, Any] = {"multi-label": multilabel.over_items(measure)}
    if how != "samples":
        compute = dict.fromkeys(("classification", "multi-label", _TAGS), average(measure, how))
    name = f"{how}-{measure}"
    return Metric(name, f"{how.capitalize()}-{label}", f"{name}-1", compute, description=f"{label}, {about}")


_CLASSES: Any = "classification"
_TAGS: Any = "sequence-labelling"

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "accuracy",
            "Accuracy",
            "accuracy-1",
            {
                _CLASSES: classification.accuracy,
                "multi-label": multilabel.subset_accuracy,
                _TAGS: entities.token_accuracy,
            },
            description="share of right answers: items with all labels right, tokens with the right tag",
        ),
        Metric(
            "precision",
            "Precision",
            "precision-2",
            _by_kind("precision"),
            description="macro average over labels, micro average over entities, or of the tokens of texts",
        ),
        Metric(
            "recall",
            "Recall",
            "recall-2",
            _by_kind("recall"),
            description="macro average over labels, micro average over entities, or of the tokens of texts",
        ),
        Metric(
            "f1",
            "F1",
            "f1-2",
            _by_kind("f1"),
            description="macro average over labels, micro over entities, or of the tokens of texts as SQuAD",
        ),
        *_averages(),
        Metric(
            "mcc",
            "MCC",
            "mcc-1",
            {_CLASSES: classification.mcc},
            unit="",
            description="Matthews' correlation coefficient, for any number of labels, -1 to 1",
        ),
        Metric(
            "auroc",
            "AUROC",
            "auroc-1",
            {_CLASSES: probability.auroc},
            needs=("probabilities",),
            description="area under the ROC curve: of the second of two labels, or the mean over all labels",
        ),
        Metric(
            "exact-match",
            "Exact match",
            "exact-match-2",
            _text(squad.exact_match),
            description="share of texts equal to a reference, as SQuAD compares them",
        ),
        *_apart(),
        Metric(
            "best-f1",
            "Best F1",
            "best-f1-1",
            {"qa": squad.best(squad.token_measure("f1"))},
            needs=("no_answer",),
            description="F1 at the best threshold for saying that a question has no answer (SQuAD v2)",
        ),
        Metric(
            "best-exact-match",
            "Best exact match",
            "best-exact-match-1",
            {"qa": squad.best(squad.exact_match)},
            needs=("no_answer",),
            description="exact match at the best threshold for saying that a question has no answer",
        ),
        Metric(
            "token-accuracy",
            "Token accuracy",
            "token-accuracy-1",
            {_TAGS: entities.token_accuracy},
            description="share of tokens with the right tag",
        ),
        Metric(
            "token-f1",
            "Token F1",
            "token-f1-2",
            {_TAGS: entities.token_f1, **_text(squad.token_measure("f1"))},
            description="micro F1 of tokens with a tag other than O; of the tokens of texts, as SQuAD's",
        ),
        Metric(
            "entity-f1",
            "Entity F1",
            "entity-f1-1",
            {_TAGS: average("f1", "micro")},
            description="micro F1 of whole entities, boundaries and type",
        ),
        Metric(
            "bleu",
            "BLEU",
            "bleu-1",
            _text(bleu.bleu),
            description="BLEU of words as written, up to four, without smoothing",
        ),
        Metric(
            "sacrebleu",
            "SacreBLEU",
            "sacrebleu-1",
            _text(bleu.sacrebleu),
            description="BLEU with sacrebleu's tokens and smoothing",
        ),
        Metric(
            "google-bleu",
            "Google-BLEU",
            "google-bleu-1",
            _text(gleu.google_bleu),
            description="n-grams in common with a reference, up to four words, of those of the longer text",
        ),
        Metric(
            "unigram-accuracy",
            "Unigram accuracy",
            "unigram-accuracy-1",
            _text(squad.token_measure("accuracy")),
            description="words in common with a reference, of those of the longer text",
        ),
        Metric(
            "chrf",
            "chrF",
            "chrf-1",
            _text(chrf.chrf),
            description="F-score of character n-grams up to six, recall counting twice",
        ),
        Metric(
            "ter",
            "TER",
            "ter-1",
            _text(ter.ter),
            better="lower",
            description="edits and shifts of words for each word of the references",
        ),
        Metric(
            "rouge-1",
            "ROUGE-1",
            "rouge-1-1",
            _text(rouge.rouge_n(1)),
            description="F1 of words in common with a reference",
        ),
        Metric(
            "rouge-2",
            "ROUGE-2",
            "rouge-2-1",
            _text(rouge.rouge_n(2)),
            description="F1 of pairs of words in common with a reference",
        ),
        Metric(
            "rouge-l",
            "ROUGE-L",
            "rouge-l-1",
            _text(rouge.rouge_l),
            description="F1 of the longest common subsequence of words",
        ),
        Metric(
            "rouge-lsum",
            "ROUGE-Lsum",
            "rouge-lsum-1",
            _text(rouge.rouge_lsum),
            description="the same, sentence by sentence; a sentence ends at a line's end",
        ),
        Metric(
            "meteor",
            "METEOR",
            "meteor-1",
            _text(meteor.meteor),
            description="words aligned as they are, by stem or as synonyms, less a penalty for scatter",
        ),
        Metric(
            "wer",
            "WER",
            "wer-1",
            _text(edits.wer),
            better="lower",
            description="edits of words for each word of the references, over the whole corpus",
        ),
        Metric(
            "cer",
            "CER",
            "cer-1",
            _text(edits.cer),
            better="lower",
            description="edits of characters for each character of the references, over the whole corpus",
        ),
        Metric(
            "calibration-error",
            "Calibration error",
            "calibration-error-2",
            {_CLASSES: probability.calibration_error},
            better="lower",
            needs=("probabilities",),
            description="how far confidence is from accuracy: expected calibration error in 15 bins",
        ),
        Metric(
            "brier",
            "Brier score",
            "brier-1",
            {_CLASSES: probability.brier},
            unit="",
            better="lower",
            needs=("probabilities",),
            description="squared distance of the probabilities from the gold label, 0 to 2",
        ),
        Metric(
            "cross-entropy",
            "Cross-entropy",
            "cross-entropy-1",
            {_CLASSES: probability.cross_entropy},
            unit="nats",
            better="lower",
            needs=("probabilities", "distributions"),
            description="of the probabilities against the annotators' shares",
        ),
        Metric(
            "js-divergence",
            "Jensen-Shannon divergence",
            "js-divergence-1",
            {_CLASSES: probability.js_divergence},
            unit="bits",
            better="lower",
            needs=("probabilities", "distributions"),
            description="Jensen-Shannon divergence of the probabilities from the annotators' shares, 0 to 1",
        ),
        Metric(
            "vmer",
            "Validated model error rate",
            "vmer-1",
            {_CLASSES: classification.vmer},
            better="lower",
            needs=("validated",),
            description="share of all examples on which the model errs and people confirmed the label",
        ),
        *NEURAL.values(),
    )
}


def definition(name: str) -> Metric:
    """What the metric called `name` is, ours or a package's, whatever weights it may read.

    Raises `MetricError` naming those that exist.
    """
    known = _all()
    if name not in known:
        raise MetricError(f"metric: {name!r} is none of {', '.join(known)}")
    return known[name]


def get_metric(name: str) -> Metric:
    """The metric called `name`, with the weights in use if it reads any.

    Raises `MetricError` naming those that exist, and where the weights are missing.
    """
    return _chosen(name) or definition(name)


def use_checkpoints(checkpoints: Iterable[Checkpoint]) -> None:
    """From now on, metrics of these names read these weights; others need some. Replaces those of before.

    The weights are looked at when a metric is asked for. Raises `MetricError` for a name that reads none.
    """
    given = {checkpoint.metric: checkpoint for checkpoint in checkpoints}
    if unknown := sorted(set(given) - set(NEURAL)):
        raise MetricError(f"checkpoints: {unknown[0]!r} is none of {', '.join(NEURAL)}")
    _checkpoints.clear()
    _checkpoints.update(given)
    _chosen.cache_clear()


_checkpoints: dict[str, Checkpoint] = {}


@cache
def _chosen(name: str) -> Metric | None:
    """The metric with the weights in use, opened once; None where none are."""
    return with_weights(_checkpoints[name]) if name in _checkpoints else None


def names_for(task: str) -> tuple[str, ...]:
    """The names of all metrics that fit a kind of task, ours first. Raises `MetricError` for another kind."""
    return tuple(name for name, metric in _all().items() if check_kind(task) in metric.tasks)


def check_kind(task: str) -> MetricKind:
    """`task`, if it is a kind of task. Raises `MetricError` if not."""
    for kind in KINDS:
        if task == kind:
            return kind
    raise MetricError(f"task: {task!r} is none of {', '.join(KINDS)}")


def _all() -> dict[str, Metric]:
    return METRICS | _plugins()


@cache
def _plugins() -> dict[str, Metric]:
    """The metrics of installed packages. Raises `MetricError` naming the package that is at fault."""
    found: dict[str, Metric] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        by = f"metric {point.name!r} of package {point.dist.name if point.dist else point.value}"
        if point.name in METRICS or point.name in found:
            raise MetricError(f"{by}: the name is taken; a metric needs one of its own")
        found[point.name] = _loaded(point, by)
    return found


def _loaded(point: Any, by: str) -> Metric:
    try:
        metric = point.load()
        metric = metric if isinstance(metric, Metric) else metric()
    except Exception as error:  # a package may fail in any way
        raise MetricError(f"{by} does not load: {type(error).__name__}: {error}") from error
    if not isinstance(metric, Metric) or metric.name != point.name:
        raise MetricError(f"{by}: {point.value} is no Metric of that name")
    return metric
