"""The Python API: boards, rankings, predictions and results for notebooks.

``import evaluator`` offers all of it (`evaluator.Leaderboard`, `evaluator.evaluate`,
`evaluator.results_frame`). Rankings are made by the code of ``steelyard rank`` and of every page; plots need
the extra ``notebook``, which nothing else does.
"""

from evaluator.notebook.board import OpenBoard
from evaluator.notebook.leaderboard import Leaderboard, results_frame
from evaluator.notebook.predictions import FunctionEvaluation, ModelPredictions, evaluate
from evaluator.notebook.ranking import BoardRanking, ModelComparison

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
