"""The inputs of text metrics: every prediction paired with every reference, each tokenised once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np

from evaluator.records.errors import UserError
from evaluator.score.metrics.base import Flags, Floats, Integers, check_pairs
from evaluator.score.metrics.words import Tokens, characters, matches, words

Reduction = Literal["max", "min", "mean"]
Form = Callable[[str], str]


@dataclass(frozen=True, eq=False)
class Texts:
    """n items, each with one or more predictions and one or more references.

    `predictions` and `references` hold all of them, item after item; `prediction_starts` and
    `reference_starts` (n + 1,) say where each item's begin. Reductions are the metric's own (max, or
    min for error rates) unless given. `given` (one a prediction) is False where there was none: it is "",
    but wrong. `no_answer` (n,) is how likely a model takes it that there is no answer. `sources` (n,) is what
    was answered, such as a text to translate.
    """

    predictions: list[str]
    prediction_starts: Integers
    references: list[str]
    reference_starts: Integers
    given: Flags
    over_references: Reduction | None = None
    over_predictions: Reduction | None = None
    no_answer: Floats | None = None
    sources: Sequence[str] | None = None
    _made: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def item(self) -> Integers:
        """The item of each prediction."""
        return np.repeat(np.arange(len(self.prediction_starts) - 1), np.diff(self.prediction_starts))

    @cached_property
    def pair_counts(self) -> Integers:
        """Pairs of each prediction: as many as its item has references."""
        return np.diff(self.reference_starts)[self.item]

    @cached_property
    def left(self) -> Integers:
        """The prediction of each pair, ascending."""
        return np.repeat(np.arange(len(self.predictions)), self.pair_counts)

    @cached_property
    def right(self) -> Integers:
        """The reference of each pair."""
        begins = np.cumsum(self.pair_counts) - self.pair_counts
        return np.repeat(self.reference_starts[self.item] - begins, self.pair_counts) + np.arange(
            len(self.left)
        )

    def form(self, form: Form | None) -> list[str]:
        """All predictions, then all references, each rewritten by `form`; made once a report."""
        if form is None:
            return self.predictions + self.references
        return self.once(("form", form), lambda: list(map(form, self.form(None))))  # type: ignore[no-any-return]

    def words(self, form: Form | None = None) -> Tokens:
        """The whitespace-separated words of the texts in that form; made once a report."""
        return self.once(("words", form), lambda: words(self.form(form)))  # type: ignore[no-any-return]

    def characters(self, form: Form | None = None) -> Tokens:
        """The characters of the texts in that form; made once a report."""
        return self.once(("characters", form), lambda: characters(self.form(form)))  # type: ignore[no-any-return]

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` makes, made once a report; `key` is its name."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def pair_matches(self, tokens: Tokens, orders: int) -> Integers:
        """Clipped n-gram matches (p, orders) of each pair."""
        return matches(
            tokens, self.left, self.right + len(self.predictions), np.arange(len(self.left)), orders
        )

    def pair_lengths(self, tokens: Tokens) -> tuple[Integers, Integers]:
        """Tokens of the prediction and of the reference of each pair."""
        return tokens.lengths[self.left], tokens.lengths[self.right + len(self.predictions)]

    def pair_sequences(self, sequences: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The prediction's and the reference's of each pair, from one for each text."""
        shift = len(self.predictions)
        if len(self.left) == len(self.predictions) == len(self.references):
            return list(sequences[:shift]), list(sequences[shift:])
        return [sequences[i] for i in self.left.tolist()], [sequences[shift + i] for i in self.right.tolist()]

    def reduced(self, scores: Floats, *others: Floats, lower: bool = False) -> list[Floats]:
        """Scores of pairs (p,) reduced over references, then over predictions, to one an item (n,).

        `others` are reduced along: where a pair is chosen they are that pair's, where scores are
        averaged they are averaged too. `lower`: a lower score is better.
        """
        natural: Reduction = "min" if lower else "max"
        columns = [scores, *others]
        columns = _reduced(columns, self.pair_counts, self.over_references or natural)
        return _reduced(columns, np.diff(self.prediction_starts), self.over_predictions or natural)

    def best_prediction(self, scores: Floats, lower: bool = False) -> Integers:
        """For each item the prediction (n,) whose score is best, the first of equals."""
        own = np.arange(len(scores), dtype=np.float64)
        how: Reduction = "min" if lower else "max"
        return _reduced([scores, own], np.diff(self.prediction_starts), how)[1].astype(np.int64)


def _reduced(columns: list[Floats], counts: Integers, how: Reduction) -> list[Floats]:
    """Columns reduced over runs of `counts` rows, by the first column."""
    if len(counts) == len(columns[0]):
        return columns
    starts = np.cumsum(counts) - counts
    if how == "mean":
        return [np.add.reduceat(column, starts) / counts for column in columns]
    ufunc = np.maximum if how == "max" else np.minimum
    best = np.flatnonzero(columns[0] == np.repeat(ufunc.reduceat(columns[0], starts), counts))
    first = best[np.searchsorted(best, starts)]
    return [column[first] for column in columns]


def as_texts(
    predictions: Any,
    references: Any,
    over_references: str | None = None,
    over_predictions: str | None = None,
    no_answer: Any = None,
    sources: Any = None,
) -> Texts:
    """The checked inputs: a prediction is a text, several, or None (""); a reference one or several.

    `sources`, if given, is a text an item.
    """
    check_pairs(predictions, references)
    for name, how in (("over_references", over_references), ("over_predictions", over_predictions)):
        if how is not None and how not in get_args(Reduction):
            raise UserError(name, f"{how!r} is none of {', '.join(get_args(Reduction))}")
    left, left_starts = _flat("predictions", predictions, may_lack=True)
    right, right_starts = _flat("references", references, may_lack=False)
    if sources is not None and (
        len(sources) != len(predictions) or not all(isinstance(text, str) for text in sources)
    ):
        raise UserError("sources", f"not {len(predictions)} texts, one an item")
    return Texts(
        ["" if text is None else text for text in left],
        left_starts,
        [text or "" for text in right],
        right_starts,
        np.array([text is not None for text in left]),
        over_references,  # type: ignore[arg-type]
        over_predictions,  # type: ignore[arg-type]
        None if no_answer is None else _numbers("no_answer", no_answer, len(predictions)),
        sources,
    )


def _numbers(name: str, column: Any, items: int) -> Floats:
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != (items,) or not np.isfinite(numbers).all():
        raise UserError(name, f"not {items} finite numbers, one for each item")
    return numbers


def _flat(name: str, column: Sequence[Any], may_lack: bool) -> tuple[list[str | None], Integers]:
    if set(map(type, column)) == {str}:
        return list(column), np.arange(len(column) + 1)
    rows = [_several(f"{name}[{number}]", each, may_lack) for number, each in enumerate(column)]
    return list(chain.from_iterable(rows)), np.cumsum([0, *map(len, rows)])


def _several(name: str, given: Any, may_lack: bool) -> list[str | None]:
    """One item's texts, at least one; None for a prediction that is not there."""
    if isinstance(given, str):
        return [given]
    if may_lack and (given is None or (isinstance(given, list | tuple) and not given)):
        return [None]
    several = list(given) if isinstance(given, list | tuple) else []
    if not several or not all(isinstance(text, str) or (may_lack and text is None) for text in several):
        raise UserError(name, f"{given!r} is neither a text nor a list of one or more texts")
    return several
