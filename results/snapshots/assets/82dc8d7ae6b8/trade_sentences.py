"""Trade-offs that a visitor declares: what the board's own exchange rates make of them, to begin with.

Standard library only: a page asks this when the base metric or the weights of datasets are others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evaluator.rank.score_sentences import Metric, Shown

#: Metrics in these units are speeds, of which people think in per cent.
SPEED = "/s"


def trades_offered(shown: Shown) -> dict[str, dict[str, Any]]:
    """What one unit of the base metric is worth by the exchange rates, for each other metric.

    ``units`` in the metric's own unit and ``percent`` of the median model's value, both to two digits, None
    where there is no rate, or no value above 0; ``percent_first`` says that the latter is what is offered.
    """
    question = replace(shown.question, by="dynascore")
    scale, base = shown.board.scale(question), question.base or shown.board.base
    found = {}
    for metric in shown.metrics:
        rate = scale.rates.get(metric["name"])
        if metric["name"] != base:
            values = sorted(value for value in scale.values.get(metric["name"], ()) if value == value)
            found[metric["name"]] = _offer(metric, rate.rate if rate else None, values)
    return found


def _offer(metric: Metric, rate: float | None, values: list[float]) -> dict[str, Any]:
    median = values[len(values) // 2] if values else 0.0
    return {
        "units": _two_digits(rate) if rate else None,
        "percent": _two_digits(100.0 * rate / median) if rate and median > 0 else None,
        "percent_first": metric["unit"].endswith(SPEED),
    }


def _two_digits(value: float) -> float:
    return float(f"{value:.1e}")
