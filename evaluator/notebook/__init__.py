"""The Python API: boards, rankings, predictions and results for notebooks.

``import evaluator`` offers all of it (`evaluator.Leaderboard`, `evaluator.evaluate`,
`evaluator.results_frame`). Rankings are made by the code of ``steelyard rank`` and of every page; frames and
plots need the extra ``notebook``, which nothing else does.
"""

from evaluator.notebook.comparison import ModelComparison
from evaluator.notebook.evaluating import FunctionEvaluation, evaluate
from evaluator.notebook.leaderboard import Leaderboard, OpenBoard
from evaluator.notebook.predictions import ModelPredictions
from evaluator.notebook.ranking import SureRanking
from evaluator.notebook.results import results_frame

__all__ = [
    "FunctionEvaluation",
    "Leaderboard",
    "ModelComparison",
    "ModelPredictions",
    "OpenBoard",
    "SureRanking",
    "evaluate",
    "results_frame",
]
