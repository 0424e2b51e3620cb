"""Conditions on scores, such as "accuracy drops by 1": what a result must not do after it was made again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from evaluator.records.base import TIMING
from evaluator.records.board import Boards
from evaluator.records.board.cells import doubtful_timings
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

    def applies_to(self, old: Result | None, new: Result, boards: Boards) -> bool:
        """Whether a result has the metric, had it, or should have it, as a board shows it for its dataset."""
        if self.metric in new.scores or (old is not None and self.metric in old.scores):
            return True
        timed = boards.dataset(new.dataset.id).role == "scoring"
        return self.metric in boards.metrics_of(new.dataset.id) and (timed or self.metric not in TIMING)

    def failed_by(self, old: Result | None, new: Result) -> str | None:
        """How a new result meets the condition, or why that cannot be judged; None if it does not meet it."""
        try:
            score = self._number(new)
            if not self.how.endswith(" by"):
                met = score.value < self.limit if self.how == "below" else score.value > self.limit
                return f"{self.metric} is {score.value:.4g} {score.unit}" if met else None
            before = self._number(old, "before, ")
            if before.version != score.version:
                raise _UnjudgedError(f"it was computed by {before.version} and now by {score.version}")
        except _UnjudgedError as why:
            return f"{self.metric} cannot be judged: {why}"
        change = (score.value - before.value) * (-1 if self.how == "drops by" else 1)
        allowed = self.limit * abs(before.value) / 100 if self.relative else self.limit
        if change <= 0 or change < allowed:
            return None
        went = "fell" if self.how == "drops by" else "rose"
        return f"{self.metric} {went} from {before.value:.4g} to {score.value:.4g} {score.unit}"

    def _number(self, result: Result | None, when: str = "") -> Score:
        if result is None or self.metric not in result.scores:
            raise _UnjudgedError(f"{when}there was no number" if when else "there is no number")
        for doubt in doubtful_timings(result, [self.metric]):
            if doubt.verdict == "invalid":
                raise _UnjudgedError(f"{when}its timing {'was' if when else 'is'} invalid: {doubt.why}")
        return result.scores[self.metric]


class _UnjudgedError(Exception):
    """There is nothing to judge a condition by."""
