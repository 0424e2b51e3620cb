"""Metrics that ask a network: each needs weights, which a board file names under ``[[checkpoints]]``.

They need the extra `transformers`, which is imported when something is scored, and fetch nothing. Texts are
scored in batches of similar length, each item on its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from evaluator.score.metrics.base import Metric, MetricError, MetricKind, Scored
from evaluator.score.metrics.neural.bertscore import BertScore
from evaluator.score.metrics.neural.bleurt import Bleurt
from evaluator.score.metrics.neural.checkpoint import Checkpoint
from evaluator.score.metrics.neural.comet import Comet
from evaluator.score.metrics.neural.likelihood import bartscore, prism
from evaluator.score.metrics.neural.perplexity import Perplexity

#: What makes each metric's function from its weights; its `settings` are part of the version.
MAKERS: dict[str, Callable[[Checkpoint], Any]] = {
    "bertscore": BertScore,
    "bleurt": Bleurt,
    "comet": Comet,
    "bartscore": bartscore,
    "prism": prism,
    "perplexity": Perplexity,
}
#: By how much a score may differ between machines, relative or absolute: they add in another order.
TOLERANCE = 1e-4


def with_weights(checkpoint: Checkpoint) -> Metric:
    """The metric that `checkpoint` is for, which `report` takes in place of a name.

    Its version names the weights and the settings, so that other weights are another metric. Raises
    `MetricError` for a metric without weights, weights that are not there and options that do not fit;
    when it scores, where the weights or a package are missing or broken.
    """
    if checkpoint.metric not in MAKERS:
        raise MetricError(f"checkpoints: {checkpoint.metric!r} is none of {', '.join(MAKERS)}")
    compute = MAKERS[checkpoint.metric](checkpoint)
    plain = NEURAL[checkpoint.metric]
    version = f"{plain.version}-{checkpoint.identity}{compute.settings}"
    return replace(plain, version=version, compute=dict.fromkeys(plain.compute, compute))


def _needs_weights(name: str) -> Callable[[Any], Scored]:
    def compute(_: Any) -> Scored:
        raise MetricError(
            f"{name}: needs weights; name a folder, or a model of the hub and its revision, in a"
            f' [[checkpoints]] of board.toml with metric = "{name}"'
        )

    return compute


def _neural(name: str, label: str, *kinds: MetricKind, **more: Any) -> Metric:
    compute = dict.fromkeys(kinds, _needs_weights(name))
    return Metric(name, label, f"{name}-1", compute, tolerance=TOLERANCE, **more)


NEURAL: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        _neural(
            "bertscore",
            "BERTScore",
            "generation",
            "qa",
            description="F1 of each token's most similar token, by an encoder's vectors",
        ),
        _neural(
            "bleurt",
            "BLEURT",
            "generation",
            "qa",
            unit="",
            description="rating of an answer beside its reference by a fine-tuned encoder",
        ),
        _neural(
            "comet",
            "COMET",
            "generation",
            unit="",
            needs=("sources",),
            description="rating of a translation beside its source and reference by a fine-tuned encoder",
        ),
        _neural(
            "bartscore",
            "BARTScore",
            "generation",
            "qa",
            unit="nats",
            description="log-probability a token of answer and reference given each other, by a BART",
        ),
        _neural(
            "prism",
            "Prism",
            "generation",
            "qa",
            unit="nats",
            description="the same by a translation model that paraphrases",
        ),
        _neural(
            "perplexity",
            "Perplexity",
            "generation",
            "qa",
            unit="",
            better="lower",
            description="of the answers under a language model, whatever the references say",
        ),
    )
}
