"""Scores that got worse than a caller allows: ``accuracy drops by 1``, ``memory above 2``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluator.records.board.cells import doubtful_timing
from evaluator.records.result import Result, Score

#: How a condition compares what a score is with what it was, or with a number.
FORMS = "METRIC drops by N, METRIC rises by N, METRIC below N or METRIC above N"
_CONDITION = re.compile(r"([a-z0-9][a-z0-9.-]*) +(drops by|rises by|below|above) +(-?\d+(?:\.\d+)?) *(%?)")


class ConditionError(ValueError):
    """A condition that cannot be read; the message says how one is written."""


@dataclass(frozen=True)
class Condition:
    """A metric, how it is compared, and with what: in its own unit, or per cent of what it was."""

    text: str
    metric: str
    how: str
    limit: float
    relative: bool

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read a condition. Raises `ConditionError`."""
        found = _CONDITION.fullmatch(text.strip())
        if found is None:
            raise ConditionError(f"{text!r} is no condition; write {FORMS}, such as: accuracy drops by 1")
        metric, how, number, relative = found.groups()
        if relative and not how.endswith(" by"):
            raise ConditionError(f"{text!r}: only a change can be in per cent; leave the % out")
        return cls(text.strip(), metric, how, float(number), bool(relative))

    def met_by(self, old: Result | None, new: Result) -> str | None:
        """How the new result meets the condition, in words; None if it does not, or lacks the number.

        A timing that is invalid is no number.
        """
        score = self._score(new)
        if score is None:
            return None
        if not self.how.endswith(" by"):
            met = score.value < self.limit if self.how == "below" else score.value > self.limit
            return f"{self.metric} is {_shown(score.value)} {score.unit}" if met else None
        before = self._score(old) if old else None
        if before is None or before.version != score.version:
            return None
        change = (score.value - before.value) * (-1 if self.how == "drops by" else 1)
        allowed = self.limit * abs(before.value) / 100 if self.relative else self.limit
        if change <= 0 or change < allowed:
            return None
        went = "fell" if self.how == "drops by" else "rose"
        return f"{self.metric} {went} from {_shown(before.value)} to {_shown(score.value)} {score.unit}"

    def _score(self, result: Result) -> Score | None:
        doubt = doubtful_timing(result, [self.metric])
        return None if doubt and doubt.verdict == "invalid" else result.scores.get(self.metric)


def _shown(value: float) -> str:
    return f"{value:.4g}"
