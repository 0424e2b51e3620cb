"""Metrics that ask a network; imported once one is asked for with its weights.

They need the extra `transformers`, which is imported when something is scored, and fetch nothing. Texts are
scored in batches of similar length, each item on its own.
"""

from __future__ import annotations

from collections.abc import Callable

from evaluator.score.metrics.checkpoints import Checkpoint
from evaluator.score.metrics.neural.comet import comet
from evaluator.score.metrics.neural.encoders import bertscore, bleurt
from evaluator.score.metrics.neural.generators import bartscore, perplexity, prism
from evaluator.score.metrics.neural.network import Made

#: What makes each metric's function from its weights, and says which settings are part of its version.
MAKERS: dict[str, Callable[[Checkpoint], Made]] = {
    "bertscore": bertscore,
    "bleurt": bleurt,
    "comet": comet,
    "bartscore": bartscore,
    "prism": prism,
    "perplexity": perplexity,
}
