"""Files of results as people have them, and what is read from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evaluator.exchange.results.planning import Plan, planned
from evaluator.exchange.results.reading import read_results
from evaluator.exchange.results.told import Told


def write(folder: Path, name: str, content: Any) -> Path:
    """A file: a text as it is, anything else as JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def plan_of(folder: Path, name: str, content: Any, **told: Any) -> Plan:
    """What one file is understood as."""
    return planned(read_results([write(folder, name, content)]), Told(**told), "mine")


def numbers(plan: Plan) -> dict[str, dict[str, dict[str, float]]]:
    """The reported numbers by dataset, model and metric."""
    return {
        dataset: {
            model: {metric: one.value for metric, one in scores.items()} for model, scores in models.items()
        }
        for taken in plan.taken
        for dataset, models in taken.reported.items()
    }


def examples_csv(rows: dict[str, list[int]], more: str = "") -> str:
    """A row an example and model, with whether it was solved."""
    lines = [
        f"{model},q{at},{right}{more}" for model, column in rows.items() for at, right in enumerate(column)
    ]
    return "\n".join(["model,question_id,solved" + (",extra" if more else ""), *lines]) + "\n"
