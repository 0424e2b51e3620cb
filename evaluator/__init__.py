"""Steelyard's evaluator: everything that runs a model or computes a number.

`Leaderboard`, `evaluate` and `results_frame` are for notebooks and programs; see `evaluator.notebook`. They
are imported when they are first asked for, so that commands start at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluator.notebook import BoardRanking as BoardRanking
    from evaluator.notebook import FunctionEvaluation as FunctionEvaluation
    from evaluator.notebook import Leaderboard as Leaderboard
    from evaluator.notebook import ModelComparison as ModelComparison
    from evaluator.notebook import ModelPredictions as ModelPredictions
    from evaluator.notebook import OpenBoard as OpenBoard
    from evaluator.notebook import evaluate as evaluate
    from evaluator.notebook import results_frame as results_frame

__version__ = "1.0.0"

#: What notebooks use, all of it in `evaluator.notebook`.
__all__ = [
    "BoardRanking",
    "FunctionEvaluation",
    "Leaderboard",
    "ModelComparison",
    "ModelPredictions",
    "OpenBoard",
    "evaluate",
    "results_frame",
]


def __getattr__(name: str) -> Any:
    """A name of `evaluator.notebook`, imported now (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("evaluator.notebook"), name)


def __dir__() -> list[str]:
    """What completion offers."""
    return sorted({*globals(), *__all__})
