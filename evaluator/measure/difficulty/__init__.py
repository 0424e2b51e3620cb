"""Where the difficulty of samples comes from: computed from their texts, or values published elsewhere.

How rankings are made of it is in `evaluator.rank.difficulty`.
"""
