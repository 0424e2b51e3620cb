"""What ``import evaluator`` offers: boards, rankings, predictions and results for notebooks."""

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
