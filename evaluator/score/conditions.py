"""Conditions on scores, such as "accuracy drops by 1": what a result must not do after it was made again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from evaluator.records.board.cells import doubtful_timing
from evaluator.records.errors import UserError, or_one_of
from evaluator.records.result import Result, Score

FORMS = "METRIC drops by N, METRIC rises by N, METRIC below N or METRIC above N"
_CONDITION = re.compile(r"([a-z0-9][a-z0-9.-]*) +(drops by|rises by|below|above) +(-?\d+(?:\.\d+)?) *(%?)")


@dataclass(frozen=True)
class Condition:
    """A metric, how it is compared, and with what: in its own unit, or per cent of what it was."""

    text: str
    metric: str
    how: str
    limit: float
    relative: bool

    @classmethod
    def parse(cls, text: str, known: Iterable[str]) -> Condition:
        """Read a condition on one of the `known` metrics. Raises `UserError`."""
        found = _CONDITION.fullmatch(text.strip())
        if found is None:
            example = f"write {FORMS}, such as: accuracy drops by 1"
            raise UserError("--fail-on", f"{text!r} is no condition", example)
        metric, how, number, relative = found.groups()
        if relative and not how.endswith(" by"):
            raise UserError("--fail-on", f"{text!r}: only a change can be in per cent", "leave the % out")
        if metric not in known:
            nothing = f"{text!r}: nothing computes {metric}{or_one_of(metric, sorted(known))}"
            raise UserError("--fail-on", nothing)
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
            return f"{self.metric} is {score.value:.4g} {score.unit}" if met else None
        before = self._score(old) if old else None
        if before is None or before.version != score.version:
            return None
        change = (score.value - before.value) * (-1 if self.how == "drops by" else 1)
        allowed = self.limit * abs(before.value) / 100 if self.relative else self.limit
        if change <= 0 or change < allowed:
            return None
        went = "fell" if self.how == "drops by" else "rose"
        return f"{self.metric} {went} from {before.value:.4g} to {score.value:.4g} {score.unit}"

    def _score(self, result: Result) -> Score | None:
        doubt = doubtful_timing(result, [self.metric])
        return None if doubt and doubt.verdict == "invalid" else result.scores.get(self.metric)
