"""Boards to make words of, with whatever names are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.score_sentences import Shown

#: Names that would be obeyed by some program if they were not text there.
HOSTILE = [
    "=cmd|' /C calc'!A0",
    '"><script>alert(1)</script>',
    "\u202eevil\u2066",
    "a\r\nUR  - https://example.org",
    "{}\\input{x} & 50 % of #1_$^~",
    "| a | `b` | [c](d) |",
    "yes: - no",
]
WEIGHTS = {"acc": 4.0, "memory": 1.0}


def shown_board(
    models: Sequence[str] = ("BERT", "SVM", "Rules"),
    values: Sequence[Sequence[float | None]] = ((80.0, 70.0, 60.0), (2.0, 1.0, 0.5)),
    *,
    labels: tuple[str, str] = ("Accuracy", "Memory"),
    dataset: str = "SST-2",
    title: str = "Sentiment",
    **asked: Any,
) -> Shown:
    """A board of an accuracy and a memory; `values` are by metric."""
    ids = [f"m{at}" for at in range(len(models))]
    board = Board(
        ids,
        [RankedMetric("acc"), RankedMetric("memory", -1, None)],
        {"sst": dict(zip(("acc", "memory"), map(list, values), strict=True))},
        "acc",
        labels={
            "models": dict(zip(ids, models, strict=True)),
            "metrics": dict(zip(("acc", "memory"), labels, strict=True)),
        },
    )
    about = {
        "id": "sentiment",
        "title": title,
        "updated": "2026-11-21T15:20:00Z",
        "metrics": [
            _metric("acc", labels[0], "%", "points", "1 point", cost=False),
            _metric("memory", labels[1], "GB", "GB", "1 GB", cost=True),
        ],
        "datasets": {"sst": dataset},
    }
    return Shown(board, Question(**{"metrics": WEIGHTS, "datasets": {"sst": 1.0}, **asked}), about)


def _metric(name: str, label: str, unit: str, amounts: str, one: str, cost: bool) -> dict[str, Any]:
    facts = {"name": name, "label": label, "unit": unit, "amounts": amounts, "one": one}
    return {**facts, "decimals": 2, "colour": int(cost), "cost": cost, "cap": None}


def view_of(shown: Shown, **other: Any) -> dict[str, Any]:
    """What a visitor looks at who has changed nothing but what is given."""
    defaults: Mapping[str, Any] = {
        "metrics": WEIGHTS,
        "datasets": {"sst": 1.0},
        "base": "acc",
        "threshold": {"kind": "relative", "epsilon": 0.0001},
        "rate": "mean",
        "by": shown.question.by,
        "sort": {"column": ".rank", "direction": "up"},
        "search": "",
        "filters": [],
        "limits": [],
        "among": "all",
        "pinned": [],
        "hidden": [],
    }
    return {**defaults, **other}


def read(text: Sequence[str | Sequence[str]]) -> str:
    """Pieces as they are read, without the marks that keep the direction of names."""
    joined = "".join(piece if isinstance(piece, str) else piece[1] for piece in text)
    return joined.replace("\u2068", "").replace("\u2069", "")
