"""Metrics that ask a network, by name; their weights are those of a ``[[checkpoints]]`` of the board file.

The networks themselves are imported once such a metric is asked for with its weights, torch and transformers
(the extra `transformers`) once something is scored. Nothing is fetched: a model of the hub must be in its
local cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluator.records.board import CheckpointSpec
from evaluator.records.errors import UserError
from evaluator.score.metrics.base import Metric, Scored, for_texts

#: By how much a score may differ between machines, relative or absolute: they add in another order.
TOLERANCE = 1e-4


def with_weights(checkpoint: CheckpointSpec, root: Path = Path()) -> Metric:
    """The metric that `checkpoint` is for, whose path starts at `root`; `report` takes it in place of a name.

    Its version names the weights and the settings, so that other weights are another metric. Raises
    `UserError` for weights that are not there and options that do not fit; when it scores, where the weights
    or a package are missing or broken.
    """
    from evaluator.score.metrics.neural import comet, networks

    kinds: dict[str, type[networks.Network]] = {
        "bertscore": networks.BERTScore,
        "bleurt": networks.BLEURT,
        "comet": comet.COMET,
        "bartscore": networks.BARTScore,
        "prism": networks.Prism,
        "perplexity": networks.Perplexity,
    }
    plain, network = NEURAL[checkpoint.metric], kinds[checkpoint.metric](checkpoint, root)
    version = f"{plain.version}-{network.identity}{network.settings}"
    return replace(plain, version=version, compute=dict.fromkeys(plain.compute, network.scored))


def _needs_weights(name: str) -> Callable[[Any], Scored]:
    def compute(_: Any) -> Scored:
        where = "name a folder, or a model of the hub and its revision, in a [[checkpoints]] of board.toml"
        raise UserError(name, "needs weights", f'{where} with metric = "{name}"')

    return compute


#: Name, label, unit, and a sentence on each.
_NAMED = (
    ("bertscore", "BERTScore", "%", "F1 of each token's most similar token, by an encoder's vectors"),
    ("bleurt", "BLEURT", "", "rating of an answer beside its reference by a fine-tuned encoder"),
    ("comet", "COMET", "", "rating of a translation beside its source and reference by a fine-tuned encoder"),
    ("bartscore", "BARTScore", "nats", "log-probability a token of answer and reference, by a BART"),
    ("prism", "Prism", "nats", "the same by a translation model that paraphrases"),
    ("perplexity", "Perplexity", "", "of the answers under a language model, whatever the references say"),
)
NEURAL: dict[str, Metric] = {
    name: Metric(
        name,
        label,
        f"{name}-1",
        # COMET rates translations, which have a source.
        {"generation": _needs_weights(name)} if name == "comet" else for_texts(_needs_weights(name)),
        unit=unit,
        better="lower" if name == "perplexity" else "higher",
        needs=("sources",) if name == "comet" else (),
        description=description,
        tolerance=TOLERANCE,
    )
    for name, label, unit, description in _NAMED
}
