"""Where the difficulty of samples comes from: WSBias 1 and 2, WOOD, and values published elsewhere.

After Mishra & Arunkumar 2021, "How Robust are Model Rankings". What a source gives is a number from 0
to 1 a sample, of which 1 is the easiest. How rankings are made of them is in `evaluator.rank.difficulty`.
"""

from evaluator.measure.difficulty_sources.encoders import TextEncoder, open_encoder
from evaluator.measure.difficulty_sources.similarity import SIMILARITIES
from evaluator.measure.difficulty_sources.wood import mean_similarities
from evaluator.measure.difficulty_sources.wsbias import held_out, judged
from evaluator.records.errors import UserError

__all__ = [
    "SIMILARITIES",
    "TextEncoder",
    "UserError",
    "held_out",
    "judged",
    "mean_similarities",
    "open_encoder",
]
