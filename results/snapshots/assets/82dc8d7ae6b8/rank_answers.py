"""What a page asks of rank sets: all of a board's, row by row.

Standard library only, as `rank.rank_sets`, whose numbers these are. A browser answers other questions
between two steps of a `Sweep`, so that a new ranking never waits for the sets of the one before.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from evaluator.rank.another_dataset import on_another_dataset
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.formats import counted
from evaluator.rank.published import exact_words, given_words, published_words
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.rate_factor import FACTOR, Corners
from evaluator.rank.significance import (
    CONFIDENCE,
    NO_TIE,
    RankedLast,
    Rivals,
    smallest,
    tie_words,
    too_few_words,
)

#: Pairs of models that a step looks at: a few thousandths of a second in a browser.
STEP = 1200


class Sweep:
    """The rank sets under a question, found a few rows at a time; the same as `Certainty.sets` finds.

    `rows` are the models whose sets are wanted, all if None. Only then each pair is looked at once, and
    the smallest gap is known.
    """

    def __init__(
        self,
        certainty: Certainty,
        question: Question,
        rows: Sequence[int] | None = None,
        confidence: float = CONFIDENCE,
    ) -> None:
        columns = certainty.board.columns(question)
        self.board, self.by, self.size = certainty.board, columns.by, len(columns.ranks)
        self.scores = columns.key
        self.reasons = certainty.reasons(question, columns)
        self.published = sorted(certainty.published(question, columns).difference(self.reasons))
        self.given = certainty.given(question, columns)
        self.variances = certainty.variances(question, columns)
        self.ranks = columns.ranks
        ranked = [index for index, rank in enumerate(columns.ranks) if rank == rank]
        self.ranked, self.ranked_last = len(ranked), RankedLast(self.board.floored, ranked)
        self.whole = rows is None
        self.rivals = Rivals(self.ranked, confidence, self.variances.evidence)
        corners = Corners(self.board, question, columns, FACTOR, certainty, self.rivals)
        self.corners = corners if corners.names else None
        self.elsewhere = on_another_dataset(certainty, question, columns, confidence)
        self.too_few = too_few_words(self.variances.evidence, confidence)
        self.todo = [index for index in range(self.size) if index not in self.reasons]
        if rows is not None:
            self.todo = [index for index in rows if index not in self.reasons]
        self.wanted = list(self.todo)
        self.rows = frozenset(self.todo)
        #: Told apart at the rates shown, and not yet looked at where these are off.
        self.pairs: list[tuple[float, int, int]] = []
        self.above, self.below, self.above_within, self.below_within = (
            [list[float]() for _ in range(self.size)] for _ in range(4)
        )
        self.seen: list[tuple[float, float]] = []

    def step(self) -> bool:
        """Look at some more rows; whether that was all."""
        left = STEP
        while self.todo and left > 0:
            model = self.todo.pop()
            self._look(model, range(model), self.variances.before(model))
            left -= model + 1
            if not self.whole:
                self._look(model, range(model + 1, self.size), self.variances.after(model))
                left -= self.size - model
        if self.corners:
            self._look_within(self.corners)
        return not self.todo

    def _look(self, model: int, others: range, variances: Sequence[float]) -> None:
        """Note who may be significantly above and below the model, and the others if all are wanted."""
        score, scores, reasons, least = self.scores[model], self.scores, self.reasons, self.rivals.least
        bias = self.variances.bias if self.variances.too_high else None
        for other, variance in zip(others, variances, strict=True):
            if other in reasons:
                continue
            gap, off = score - scores[other], 0.0
            if bias:
                off = bias(model, other) if gap > 0 else bias(other, model)
            if self.whole and variance < math.inf:
                self.seen.append((variance, off))
            if self.ranked_last.divides(model, other):
                continue
            beyond = abs(gap) - off
            ratio = 0.0 if beyond <= 0.0 else beyond / math.sqrt(variance) if variance else math.inf
            if ratio > least:
                own, others_own = (self.below, self.above) if gap > 0 else (self.above, self.below)
                own[model].append(ratio)
                if self.whole:
                    others_own[other].append(ratio)
                if self.corners and (self.whole or other < model or other not in self.rows):
                    self.pairs.append((ratio, model, other) if gap > 0 else (ratio, other, model))

    def _look_within(self, corners: Corners) -> None:
        """Note who of the pairs differs as much at exchange rates that are off."""
        for ratio, higher, lower in corners.least(self.pairs):
            self.below_within[higher].append(ratio)
            self.above_within[lower].append(ratio)
        self.pairs = []

    def answer(self) -> dict[str, Any]:
        """After the last step, for a page.

        ``sets`` are [best, worst] by model, None where unknown or not wanted; ``within`` the same with every
        exchange rate off by up to `FACTOR`, None where rates decide nothing; ``given`` says of those that
        take numbers as exact which; ``gap`` is the smallest gap that can be told, None where it is unknown;
        ``words`` say in sentences what a reader should know. ``elsewhere`` has the sets on another dataset,
        what they are called and what they are in words; None on a board with too few datasets for that.
        """
        sets = self._sets(self.above, self.below)
        within = self._sets(self.above_within, self.below_within) if self.corners else None
        gap = smallest(self.seen, self.rivals.clear)
        given = {str(index): exact_words([*words.values()]) for index, words in self.given.items()}
        words, elsewhere = self._words(sets, gap), self._elsewhere()
        found = {"sets": sets, "within": within, "given": given, "gap": gap, "words": words}
        return {**found, "elsewhere": elsewhere}

    def _sets(self, above: Sequence[list[float]], below: Sequence[list[float]]) -> list[list[int] | None]:
        sets: list[list[int] | None] = [None] * self.size
        for index in self.wanted:
            over, under = (self.rivals.significant(side[index]) for side in (above, below))
            sets[index] = [*self.ranked_last.rank_set(index, over, under)]
        return sets

    def _elsewhere(self) -> dict[str, Any] | None:
        found = self.elsewhere
        if found is None:
            return None
        return {"sets": found.sets, "label": found.label, "words": found.words}

    def json(self) -> str:
        """The answer as text, for the worker of a page."""
        return json.dumps(self.answer(), allow_nan=False)

    def _words(self, sets: Sequence[Sequence[int] | None], gap: float | None) -> str:
        tied = [rank for rank, found in zip(self.ranks, sets, strict=True) if found and found[0] == 1]
        sentences = []
        if self.too_few:
            sentences.append(self.too_few)
        elif len(tied) > 1 and (1.0 in tied or not self.whole):
            sentences.append(tie_words(len(tied), self.whole))
        elif tied == [1.0] and self.whole:
            sentences.append(NO_TIE)
        if gap is not None:
            unit = "" if self.by == "z_score" else " points"
            sentences.append(f"Gaps under {_plain(gap)}{unit} are often too small to tell who is better.")
        labels = [self.board.model_label(self.board.models[index]) for index in self.published]
        known = self.size - len(self.reasons)
        exact = [
            (self.board.model_label(self.board.models[index]), words.values())
            for index, words in self.given.items()
        ]
        sentences += [published_words(labels, known), given_words(exact, known)]
        return " ".join([*filter(None, sentences), *self._unknown()])

    def _unknown(self) -> list[str]:
        """Of whom it is not known how sure the rank is, once for each reason."""
        counts: dict[str, int] = {}
        for index, reason in self.reasons.items():
            if not math.isnan(self.scores[index]):
                counts[reason] = counts.get(reason, 0) + 1
        if counts and sum(counts.values()) == self.ranked:
            reasons = dict.fromkeys(map(self._without_metric, counts))
            return [f"How sure these ranks are is unknown: {'; '.join(reasons)}."]
        return [f"Unknown for {counted(count, 'model')}: {reason}." for reason, count in counts.items()]

    def _without_metric(self, reason: str) -> str:
        labels = (f"{self.board.metric_label(name)}: " for name in self.board.metrics)
        return next((reason.removeprefix(label) for label in labels if reason.startswith(label)), reason)


def rank_answer(
    certainty: Certainty, question: Question, rows: Sequence[int] | None = None
) -> dict[str, Any]:
    """A `Sweep`'s answer, at once."""
    sweep = Sweep(certainty, question, rows)
    while not sweep.step():
        pass
    return sweep.answer()


# For the worker of a page: what it has opened, and JSON in and out.


def open_certainty(board: Board, text: str) -> Certainty:
    """How the values of a board vary, from the JSON text of the file beside its page."""
    return Certainty.from_dict(board, json.loads(text))


def open_sweep(certainty: Certainty, text: str) -> Sweep:
    """A sweep of ``{"question": {...}, "rows": [...] or null}``."""
    given = json.loads(text)
    return Sweep(certainty, Question(**given["question"]), given["rows"])


def _plain(gap: float) -> str:
    """Two significant digits, without an exponent."""
    decimals = 0 if gap >= 10 else 1 if gap >= 1 else 2 if gap >= 0.1 else 3
    return f"{gap:.{decimals}f}"
