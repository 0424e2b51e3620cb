"""What is computed in the browser too: the scorer and all beside it. Standard library only."""

#: The files of this room: what a build publishes for its pages, and a snapshot carries.
FILES = (
    "dynascore.py",
    "tradeoffs.py",
    "significance.py",
    "published.py",
    "rate_factor.py",
    "rank_sets.py",
    "another_dataset.py",
    "rank_answers.py",
    "moves.py",
    "what_if.py",
    "difficulty.py",
    "difficulty_order.py",
    "difficulty_resampling.py",
    "difficulty_rows.py",
    "difficulty_sentences.py",
    "own_predictions.py",
    "formats.py",
    "coverage.py",
    "score_sentences.py",
    "certainty_sentences.py",
    "chart_sentences.py",
    "citations.py",
    "exports.py",
    "page_words.py",
)
