"""Every model by every difficulty, case and kind of splits: the numbers that are stored as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evaluator.rank.difficulty import DEFINITION, Samples
from evaluator.rank.difficulty_order import (
    BY_CONFIDENCE,
    CASES,
    CHOICES,
    CONFIDENCE,
    FIXED,
    DifficultyQuestion,
)
from evaluator.rank.difficulty_rows import per_cent


def full_table(samples: Samples) -> dict[str, Any]:
    """Every model by every difficulty, percentage, case, kind of splits and handling of ties.

    Columns are in the order of `models`: values and tie limits in per cent, ranks; None where undefined.
    Splits are 7 equal ones or none ("continuous", which ties do not touch); the scale is linear. A WOOD with
    several percentages has rows by their mean too, whose `percents` are all of them. Cases 6 to 9 are by
    their numbers, so that case 1 without splits is case 6, or 7 by confidence.
    """
    models = sorted(samples.models)
    table = [_table_row(samples, question, models) for question in _all_questions(samples)]
    accuracy = [per_cent(samples.models[model].correct, len(samples.ids)) for model in models]
    return {"definition": DEFINITION, "models": models, "accuracy": accuracy, "rows": table}


def _all_questions(samples: Samples) -> Iterator[DifficultyQuestion]:
    for metric, percents in samples.metrics().items():
        columns: list[dict[str, Any]] = [{"percent": percent} for percent in percents] or [{}]
        columns += [{"percents": percents}] if len(percents) > 1 else []
        for column in columns:
            for case in CASES:
                if case not in FIXED or (case in BY_CONFIDENCE) == (metric == CONFIDENCE):
                    yield from _by_case(metric, case, column)


def _by_case(metric: str, case: int, column: dict[str, Any]) -> Iterator[DifficultyQuestion]:
    if FIXED.get(case, {}).get("kind") != "continuous":
        for ties in CHOICES["ties"]:
            yield DifficultyQuestion(metric, case=case, ties=ties, **column)
    if case > 1 and "kind" in FIXED.get(case, {"kind": ""}):
        yield DifficultyQuestion(metric, case=case, kind="continuous", **column)


def _table_row(samples: Samples, question: DifficultyQuestion, models: Sequence[str]) -> dict[str, Any]:
    by_model = {row.model: row for row in samples.answer(question).rows}
    rows = [by_model[model] for model in models]
    several = question.percents is not None
    return {
        "metric": question.metric,
        "percent": question.percent if samples.metrics()[question.metric] and not several else None,
        **({"percents": list(question.percents or ())} if several else {}),
        "case": question.case,
        "kind": question.kind,
        "ties": question.ties if question.kind == "equal" else None,
        "scored": [row.scored for row in rows],
        **{name: [getattr(row, name) for row in rows] for name in ("value", "rank", "lowest", "highest")},
    }
