"""The metric registry: one report of any metrics over predictions and references.

`report` scores, `names_for` says what fits a task, `Metric` is what a package adds. An answer that is
empty or not valid is wrong, and never left out; inputs are never changed; nothing is fetched.
"""

from evaluator.score.metrics.annotators import human_performance, label_shares
from evaluator.score.metrics.base import KINDS, Metric, Report, Scored, Value
from evaluator.score.metrics.neural import with_weights
from evaluator.score.metrics.report import (
    METRICS,
    definition,
    get_metric,
    names_for,
    report,
    use_checkpoints,
)

__all__ = [
    "KINDS",
    "METRICS",
    "Metric",
    "Report",
    "Scored",
    "Value",
    "definition",
    "get_metric",
    "human_performance",
    "label_shares",
    "names_for",
    "report",
    "use_checkpoints",
    "with_weights",
]
