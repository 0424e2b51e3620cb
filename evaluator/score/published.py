"""What sources say of how published numbers vary: standard errors, or of how many examples a share is.

`evaluator.rank.published` makes bounds of it, for the pairs of models one of which has a number without
examples. There the other needs the same of its own numbers, also where its answers are kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.data.tasks import get_task
from evaluator.rank.published import ALONE
from evaluator.records.base import TIMING
from evaluator.records.board import DEFAULT_SUITES, Assembled, MetricSpec
from evaluator.records.board.score import SCORE, MainMetric
from evaluator.records.result import Result
from evaluator.score.means import MEAN, is_share
from evaluator.score.metrics import METRICS

#: The version of numbers that are what a table printed.
AS_PUBLISHED = "as-published"
#: Metrics of this program that are means over examples, each from 0 to 100; of questions F1 is one, too.
MEANS = ("accuracy", "exact-match")
#: Numbers that differ by less are the same.
TOLERANCE = 1e-6
#: A standard error that is larger than that of a share by more than its digits says that examples are not
#: independent, or that more varies than they do.
ROUNDED = 1.01


def stated(assembled: Assembled, sampled: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """By scoring dataset and metric what `rank.published.Stated.from_dict` takes, beside what examples say.

    `sampled` is by dataset what they say, in its plain form. Empty where no number of the board needs it:
    all have examples, or nothing says how those without vary.
    """
    names = [metric.name for metric in assembled.board.metrics if metric.name not in TIMING]
    columns = {
        (dataset, name): _Column(assembled, dataset, name, known)
        for dataset, known in sampled.items()
        for name in names
    }
    if not any(column.decides for column in columns.values()):
        return {}
    found: dict[str, dict[str, Any]] = {}
    for (dataset, name), column in columns.items():
        if any(column.known):
            found.setdefault(dataset, {})[name] = column.plain
    return found


def with_stated(
    name: str, results: Sequence[Result | None], known: Sequence[float | None]
) -> list[float | None]:
    """The `known` relative variances of a timing, and those of published ones that have a standard error.

    Timings of two models vary independently, so that no bound is needed: each has its own variance.
    """
    found = list(known)
    for model, result in enumerate(results):
        score = result.scores.get(name) if result and result.provenance == "reported" else None
        if score is not None and score.standard_error and score.value and found[model] is None:
            found[model] = (score.standard_error / score.value) ** 2
    return found


class _Column:
    """One metric on one dataset, by model."""

    def __init__(self, assembled: Assembled, dataset: str, name: str, known: Mapping[str, Any]) -> None:
        results = [entry.results.get(dataset) for entry in assembled.entries.values()]
        spec = next(metric for metric in assembled.board.metrics if metric.name == name)
        reasons: dict[int, str] = {}
        for reason, models in known["unknown"].get(name, ()):
            reasons |= dict.fromkeys(models, reason)
        self.without = [
            model in reasons and _is_published(result, reasons[model]) for model, result in enumerate(results)
        ]
        grouped = known["clusters"] < known["examples"]
        self.errors: list[float | None] = [None] * len(results)
        self.examples = [0] * len(results)
        for model, result in enumerate(results):
            if result is not None and self.without[model]:
                of_source = _of_source(result, spec, assembled.mains.get(dataset), grouped)
                self.errors[model], self.examples[model] = of_source
            elif result is not None and model not in reasons and name in known["right"] and not grouped:
                counts = known["right"][name][model], known["examples"]
                value = result.scores[name].value
                self.errors[model], self.examples[model] = _of_counts(*counts, value, known["unit"][name])
        self.positive = assembled.board.correlation == "positive"

    @property
    def known(self) -> list[bool]:
        """Of which models something says how their numbers vary."""
        pairs = zip(self.errors, self.examples, strict=True)
        return [error is not None or examples > 1 for error, examples in pairs]

    @property
    def decides(self) -> bool:
        """Whether that is so of a number without examples."""
        return any(known and without for known, without in zip(self.known, self.without, strict=True))

    @property
    def plain(self) -> dict[str, Any]:
        return {"errors": self.errors, "examples": self.examples, "positive": self.positive}


def _is_published(result: Result | None, reason: str) -> bool:
    """Whether a number is known by itself only: reported, or the only one whose answers are kept."""
    return result is not None and (result.provenance == "reported" or reason == ALONE)


def _of_counts(right: int, examples: int, value: float, unit: float) -> tuple[float | None, int]:
    """The same of a metric of right and wrong answers, which is a share in per cent or has another `unit`."""
    share = right / examples
    if abs(value - 100.0 * share) < TOLERANCE or examples < 2:
        return None, examples
    return unit * math.sqrt(share * (1.0 - share) / (examples - 1)) or None, 0


def _of_source(
    result: Result, spec: MetricSpec, main: MainMetric | None, grouped: bool
) -> tuple[float | None, int]:
    """The standard error of a number, and of how many independent examples it is a mean in per cent; 0: none.

    A standard error of 0 says nothing: no sample is certain. `grouped`: some examples share a source.
    """
    score = result.scores.get(spec.name)
    if score is None:
        return None, 0
    examples = 0 if grouped or not _is_mean(result, spec, main) else result.dataset.examples or 0
    error = score.standard_error or None
    if error is not None and examples > 1:
        most = math.sqrt(score.value * (100.0 - score.value) / (examples - 1))
        examples = examples if error <= ROUNDED * most else 0
    return error, examples


def _is_mean(result: Result, spec: MetricSpec, main: MainMetric | None) -> bool:
    """Whether a number in per cent is a mean over examples, each from 0 to 100.

    So is a metric of a table that the program does not define: who gives n beside it says so. Of numbers of
    other tools nobody does, and of perturbations it is not known how many examples have variants.
    """
    score, name = result.scores[spec.name], spec.name
    if name == SCORE and main is not None:
        if main.ends not in (None, (0.0, 100.0)):
            return False
        name = main.name
    if score.unit != "%" or not is_share(spec) or not 0.0 <= score.value <= 100.0:
        return False
    if name in METRICS or name in DEFAULT_SUITES:
        return name in MEANS or (name == "f1" and get_task(result.task).kind == "qa")
    whole = score.version.endswith(MEAN) and not score.settings
    return whole or score.version.endswith(AS_PUBLISHED)
