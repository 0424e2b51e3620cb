"""An evaluation: units of work (model x dataset) planned, driven, stored and resumed."""

from evaluator.measure.run.evaluate import Progress, evaluate, rescore_stored
from evaluator.measure.run.plan import Unit, plan
from evaluator.measure.run.unit import Outcome

__all__ = ["Outcome", "Progress", "Unit", "evaluate", "plan", "rescore_stored"]
