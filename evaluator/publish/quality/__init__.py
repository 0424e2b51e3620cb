"""How good a board is as a benchmark: the criteria of BetterBench, each with its evidence.

The criteria are in `evaluator.records.board.criteria`, since a board file may say how it meets them.
"""

from evaluator.publish.quality.assessing import Assessment, CriterionVerdict, assess, counts
from evaluator.publish.quality.evidence import BoardFacts, Evidence, facts_of

__all__ = [
    "Assessment",
    "BoardFacts",
    "CriterionVerdict",
    "Evidence",
    "assess",
    "counts",
    "facts_of",
]
