"""Metrics of a board for which no model has a number: left off the page, and named there."""

from __future__ import annotations

from dataclasses import replace

from evaluator.records.board import Assembled, MetricSpec


def without_absent(assembled: Assembled) -> tuple[Assembled, tuple[MetricSpec, ...]]:
    """The board without metrics that nobody has a number for, and these metrics.

    Only metrics without weight are left out, such as the throughput of models known by their
    predictions, so that no score changes; and only once there is some result.
    """
    absent = tuple(metric for metric in assembled.board.metrics if _is_absent(assembled, metric.name))
    if not absent:
        return assembled, ()
    return _without(assembled, {metric.name for metric in absent}), absent


def _is_absent(assembled: Assembled, metric: str) -> bool:
    everyone = [*assembled.entries.values(), *assembled.people.values()]
    results = [result for entry in everyone for result in entry.results.values()]
    weighs = metric == assembled.board.base or assembled.metric_weights[metric] > 0
    return bool(results) and not weighs and not any(metric in result.scores for result in results)


def _without(assembled: Assembled, names: set[str]) -> Assembled:
    """The same cells without some metrics. Presets that weigh one of them go too."""
    board, data = assembled.board, assembled.data
    metrics = tuple(metric for metric in board.metrics if metric.name not in names)
    presets = tuple(p for p in board.presets if not any(p.weights.get(name) for name in names))
    values = {
        dataset: {name: column for name, column in columns.items() if name not in names}
        for dataset, columns in data["values"].items()
    }
    labels = {**data["labels"], "metrics": {metric.name: metric.label for metric in metrics}}
    kept = [metric for metric in data["metrics"] if metric["name"] not in names]
    return replace(
        assembled,
        board=board.model_copy(update={"metrics": metrics, "presets": presets}),
        data={**data, "metrics": kept, "values": values, "labels": labels},
        metric_weights={name: w for name, w in assembled.metric_weights.items() if name not in names},
    )
