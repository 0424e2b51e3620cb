"""What was understood of files of results, as a table that a person can check, and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from evaluator.exchange.results.arranging import STAR, shown
from evaluator.exchange.results.example_values import TakenExamples
from evaluator.exchange.results.judging import JudgedColumn
from evaluator.exchange.results.planning import Plan
from evaluator.exchange.results.reading import FILE, FIRST, KEY, RUN
from evaluator.exchange.results.taking import Taken
from evaluator.exchange.results.told import Unsure
from evaluator.exchange.results.understanding import Understood
from evaluator.exchange.results.words import last_part

#: How many names are listed.
NAMED = 3
ROWS = {"models": "a model", "values": "a number of a model", "examples": "an example that a model was asked"}
HEADS = ("metric", "unit", "better", "numbers", "least", "most", "from", "why")


def sections(plan: Plan) -> Iterator[tuple[list[str], list[tuple[str, ...]], list[str]]]:
    """For each table: lines about it, its metrics as rows of a table, and lines about what is left out."""
    for understood, taken in zip(plan.understood, plan.taken, strict=True):
        rows = [HEADS, *(_metric(one, understood) for one in understood.judged)]
        yield list(_about(understood, taken)), rows if len(rows) > 1 else [], list(_left_out(understood))


def _about(one: Understood, taken: Taken) -> Iterator[str]:
    spec, number = one.spec, len(one.table.frame)
    yield f"{one.table.where}: {number:,} row{'s' * (number != 1)}, each {ROWS[spec.rows]}"
    models = [model.label for model in taken.models.values()]
    yield f"  models: {len(models):,} by {_column(spec.model)}: {_some(models)}"
    if spec.label and spec.label != (spec.model,):
        yield f"  names of models: {', '.join(map(_column, spec.label))}"
    names = list(dict.fromkeys([*taken.reported, *taken.examples]))
    by = f" by {_column(spec.datasets.column)}" if spec.datasets else ""
    if names:
        yield f"  datasets: {_some(names, 8)}{by}"
    for dataset, examples in taken.examples.items():
        trials = f", {examples.trials} trials each" if examples.trials > 1 else ""
        yield f"  examples of {dataset}: {len(examples.ids):,} by {_column(str(spec.example))}{trials}"
        yield from _missing(examples)
    for name, read in spec.metrics.items():
        if read.human and not read.column:
            yield f"  labels of people, which correct a judge's {name}: {_column(read.human)}"
    if spec.trial:
        yield f"  repeats by {_column(spec.trial)}" + (
            "" if taken.examples else ", of which the mean is taken"
        )
    if spec.cluster:
        yield f"  examples of one {spec.cluster} count as one source"
    if spec.examples:
        yield f"  how many examples a number is from: {_column(str(spec.examples))}"
    for tag, column in spec.tags.items():
        yield f"  tag {tag} of examples: {_column(column)}"
    if spec.card:
        facts = (f"{field.removeprefix('tags.')} from {_column(name)}" for field, name in spec.card.items())
        yield f"  of each model: {', '.join(facts)}"
    if spec.missing:
        yield f"  no number: {', '.join(spec.missing)}"


def _missing(examples: TakenExamples) -> Iterator[str]:
    """Which models have no value of some examples, by metric."""
    for metric in dict.fromkeys(name for values in examples.values.values() for name in values):
        counts = {
            model: int(np.isnan(values[metric]).all(axis=1).sum())
            for model, values in examples.values.items()
            if metric in values
        }
        lacking = [f"{model} ({number})" for model, number in counts.items() if number]
        if lacking:
            yield f"    no {metric} on some examples, so kept apart: {_some(lacking)}"


def _column(name: str) -> str:
    special = {FIRST: "the first column", FILE: "the name of the file", RUN: "the number of the file"}
    special |= {KEY: "the keys", STAR: "the keys at *"}
    return special.get(name) or f"column {name}"


def _some(names: list[str], number: int = NAMED) -> str:
    more = f" and {len(names) - number:,} more" if len(names) > number else ""
    return ", ".join(names[:number]) + more


def _metric(one: JudgedColumn, understood: Understood) -> tuple[str, ...]:
    names = {column.column: name for name, column in understood.spec.metrics.items()}
    metric, scale = one.metric, f" x {one.column.scale:g}" if one.column.scale != 1 else ""
    why = [one.why]
    if one.column.standard_error:
        half = "half of a 95 % interval" if one.column.half_width else "standard error"
        why.append(f"{half}: {one.column.standard_error}")
    if one.column.human:
        why.append(f"a judge's, corrected by what people said: {one.column.human}")
    if one.column.interval:
        why.append(f"95 % interval: {' to '.join(one.column.interval)}")
    name = names[one.column.column]
    better = "?" if name in understood.weightless else metric.direction
    return (
        name,
        metric.unit or "-",
        better,
        f"{one.numbers:,}",
        f"{one.least:.4g}",
        f"{one.most:.4g}",
        one.column.column + scale,
        "; ".join(filter(None, why)),
    )


def _left_out(one: Understood) -> Iterator[str]:
    """Columns that are left out, those with the same reason together; of keys within keys the uppermost."""
    by_reason: dict[str, dict[str, int]] = {}
    for column, why in one.left_out.items():
        names = by_reason.setdefault(why if len(one.left_out) < 12 else why.partition(":")[0], {})
        top = f"{column.partition('.')[0]}.*" if last_part(column) != column else column
        names[top] = names.get(top, 0) + 1
    for why, names in by_reason.items():
        listed = [f"{name} ({number} columns)" if number > 1 else name for name, number in names.items()]
        yield f"  left out: {_some(listed, 12)}: {why}"


def unsure(plan: Plan) -> list[Unsure]:
    """All that is not certain."""
    return [one for understood in plan.understood for one in understood.unsure]


def board_lines(plan: Plan) -> Iterator[str]:
    """What the board will be ranked by, where that is not everything, and what published numbers are."""
    for column, metric in plan.published.items():
        yield f"  {column} is what the source published of {metric}, and is checked against the examples"
    labels = {metric.name: metric.label for metric in plan.metrics}
    base = f"ranked by {labels[plan.base]} first (base in board.toml)"
    if plan.weights:
        idle = [name for name in labels if name not in plan.weights]
        why = "too few models have it, or it is not known which way is better"
        base += f"; no weight at first: {', '.join(idle)} ({why})"
    yield f"board: {base}"
    if plan.split:
        tag, parts = plan.split
        column = next(one.spec.tags[tag] for one in plan.understood if tag in one.spec.tags)
        leave_out = f"--leave-out {shown(column.partition('^')[0])} leaves it whole"
        yield f"  split by {tag} into {parts} parts, which visitors weigh; {leave_out}"
    if plan.dataset_weights:
        idle = [name for name in plan.datasets if name not in plan.dataset_weights]
        yield f"  datasets without weight at first, which too few models have: {', '.join(idle)}"


def unsure_lines(found: list[Unsure]) -> Iterator[str]:
    """Each guess that is not certain, and the options that settle it."""
    for one in found:
        yield f"  {one.about}? {one.taken} is taken"
        yield f"    {' | '.join(one.options)}"


def plain(plan: Plan) -> dict[str, Any]:
    """The plan as plain data."""
    return {
        "tables": [
            {
                "files": [str(path) for path in one.table.files],
                "mapping": one.spec.model_dump(mode="json", exclude_defaults=True, exclude={"path"}),
                "models": len(taken.models),
                "left_out": dict(one.left_out),
                "unsure": [
                    {"about": each.about, "taken": each.taken, "options": list(each.options)}
                    for each in one.unsure
                ],
            }
            for one, taken in zip(plan.understood, plan.taken, strict=True)
        ],
        "metrics": [metric.model_dump(mode="json", exclude_defaults=True) for metric in plan.metrics],
        "datasets": list(plan.datasets),
        "base": plan.base,
        "published": dict(plan.published),
    }
