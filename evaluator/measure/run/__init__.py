"""An evaluation: units of work (model x dataset) planned, driven, stored and resumed."""

from evaluator.measure.run.evaluate import Progress, evaluate
from evaluator.measure.run.outcome import Outcome
from evaluator.measure.run.plan import Unit, plan
from evaluator.score.errors import PlanError

__all__ = ["Outcome", "PlanError", "Progress", "Unit", "evaluate", "plan"]
