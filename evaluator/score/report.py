"""Results in a line of text, for terminals and commit messages."""

from __future__ import annotations

from evaluator.records.result import Failure, Result


def scores_line(result: Result) -> str:
    """``accuracy 81.55 %, throughput 1122 examples/s``: every score, to four significant digits."""
    parts = (f"{name} {_rounded(score.value)} {score.unit}" for name, score in result.scores.items())
    return ", ".join(map(str.rstrip, parts))


def lost_line(suite: str) -> str:
    """That a result has lost a suite as its answers are others now, and what to do."""
    return (
        f"  {suite} was about other answers, and is gone; import answers to its variants again, with --suite"
    )


def failure_line(failure: Failure) -> str:
    """How many answers were none, why, and where first. Ids and messages may hold any characters."""
    ids = ", ".join(failure.first_ids)
    return f"  {failure.count} {failure.kind}, counted as wrong: {failure.message} (first: {ids})"


def _rounded(value: float) -> str:
    """Four significant digits, without an exponent."""
    return f"{value:.4g}" if 0.001 <= abs(value) < 10_000 else f"{value:.0f}"
