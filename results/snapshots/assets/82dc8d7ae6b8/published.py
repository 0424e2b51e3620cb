"""Rank sets of numbers that were published without examples: how far two of them may differ by chance.

Standard library only, and the same bits everywhere, as `rank.rank_sets`, which asks this.

Nobody knows how two published numbers vary together, that is, whether the same examples were hard for both
models. So the variance of their difference is only bounded, by what it is in the worst case, and sets from
these bounds are at least as wide as those that examples would give:

* From standard errors. Var(x - y) = se_x^2 + se_y^2 - 2 r se_x se_y for some correlation r, which is -1 at
  least: so (se_x + se_y)^2 at most. Where a board declares that no r is negative, se_x^2 + se_y^2.
* From n, of means over examples of values from 0 to 1, such as shares p of right answers. Of the values x and
  y of two models on one example, (x - y)^2 <= |x - y| <= min(x + y, 2 - x - y). So the mean of x - y has the
  variance [min(p_x + p_y, 2 - p_x - p_y) - (p_x - p_y)^2] / n at most, estimated with n - 1 for n. Numbers of
  equal n are taken to be of the same examples: of others, x and y are independent, which is a case of these.
* Of a score, which is a sum of such numbers. The standard deviation of a sum is the sum of its parts' at most
  (the triangle inequality), however metrics and datasets depend on one another.

A number of which nothing at all says how it varies is taken as exact, beside others that vary: then the rank
set is of these, given that number, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.rank.formats import listed

#: What is said wherever published numbers decide.
FROM_PUBLISHED = "from published numbers, at least this wide"
#: Why it is not known how a number varies, where its source gives no more than the number.
WITHOUT_EXAMPLES, WITHOUT_PASSES = "published without examples", "published without passes"
#: The same where nothing that is kept here can say it, nor could anything that was done again.
ALONE = "no other model keeps its answers, to be compared with"
UNTIMED = "no passes are kept that say how it varies"
UNMOVED = "does not say what each example moves it by"
NO_EXAMPLES = "no metric of single examples"
#: Numbers of which this is so are taken as exact. Of all others something is out of date, or cannot be read.
TAKEN_AS_EXACT = frozenset({WITHOUT_EXAMPLES, WITHOUT_PASSES, ALONE, UNTIMED, UNMOVED, NO_EXAMPLES})
#: How many models a sentence names.
NAMED = 3


@dataclass(frozen=True)
class Stated:
    """How the values of one metric on one dataset vary each by itself, by model.

    `errors` are standard errors in the metric's unit, None where none is stated. `examples` are the n of
    values that are means in per cent over n independent examples, each from 0 to 100; 0 where they are not
    known to be. `positive`: no two values are taken to vary against one another.
    """

    errors: Sequence[float | None]
    examples: Sequence[int]
    positive: bool = False

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Stated:
        """The plain form: ``errors``, ``examples`` and ``positive``."""
        return cls(data["errors"], data["examples"], data["positive"])

    def is_known(self, model: int) -> bool:
        """Whether anything says how the value of a model varies."""
        return self.errors[model] is not None or self.examples[model] > 1

    def deviations(self, values: Sequence[float | None], exact: Container[int] = ()) -> list[float]:
        """At most the standard deviation of the difference of each pair of `values`, infinite where unknown.

        Pairs (i, j) with j < i are at i (i - 1) / 2 + j. As for examples, one pseudo-example each way is
        added of means of n. Values of the models `exact` do not vary.
        """
        own = [0.0 if model in exact else self._variance(model, value) for model, value in enumerate(values)]
        roots = [math.sqrt(variance) for variance in own]
        guards = [10000.0 / ((n + 2) * (n + 2)) if n > 1 else 0.0 for n in self.examples]
        found: list[float] = []
        for i, (n, value) in enumerate(zip(self.examples, values, strict=True)):
            for j in range(i):
                other = values[j]
                together = roots[i] + roots[j]
                bound = own[i] + own[j] if self.positive else together * together
                if n > 1 and n == self.examples[j] and value is not None and other is not None:
                    both, gap = value + other, value - other
                    bound = min(bound, (100.0 * min(both, 200.0 - both) - gap * gap) / (n - 1))
                found.append(math.sqrt(bound + guards[i] + guards[j]))
        return found

    def _variance(self, model: int, value: float | None) -> float:
        """Of a value by itself; of a share it is the largest that values from 0 to 100 can have."""
        error, n = self.errors[model], self.examples[model]
        if error is not None:
            return error * error
        return math.inf if n < 2 or value is None else value * (100.0 - value) / (n - 1)


@dataclass(frozen=True)
class PublishedPairs:
    """The pairs of models that published numbers decide, and how far their scores may differ by chance.

    They are all pairs of one of `models`, which have a number with weight that came without examples, where
    that of others varies.
    `parts` are what a unit of a number moves the score by, and the deviations of its differences, None where
    nothing is known of them. `passes` is what those of each model add, which vary independently.
    """

    models: frozenset[int]
    parts: Sequence[tuple[float, Sequence[float] | None]]
    passes: Sequence[float]

    def instead(self, model: int, others: range, paired: Callable[[], list[float]]) -> list[float]:
        """The variances of a model's differences from `others`: the `paired` ones, but for these pairs."""
        if model in self.models:
            return self._bounds(model, others)
        if not self.models or self.models.isdisjoint(others):
            return paired()
        found = zip(others, self._bounds(model, others), paired(), strict=True)
        return [bound if other in self.models else variance for other, bound, variance in found]

    def of(self, pairs: Sequence[tuple[int, int]]) -> list[float]:
        """The variances of some of these pairs; the second model of each is before the first."""
        total = [0.0] * len(pairs)
        places = [model * (model - 1) // 2 + other for model, other in pairs]
        for worth, column in self.parts:
            row = [math.inf] * len(pairs) if column is None else [column[place] for place in places]
            total = [before + worth * deviation for before, deviation in zip(total, row, strict=True)]
        passes = self.passes
        found = zip(total, pairs, strict=True)
        return [deviation * deviation + (passes[i] + passes[j]) for deviation, (i, j) in found]

    def _bounds(self, model: int, others: range) -> list[float]:
        total = [0.0] * len(others)
        for worth, column in self.parts:
            row = _row(column, model, others)
            total = [before + worth * deviation for before, deviation in zip(total, row, strict=True)]
        own = self.passes[model]
        pairs = zip(total, self.passes[others.start : others.stop], strict=True)
        return [deviation * deviation + (own + passes) for deviation, passes in pairs]


def published_words(labels: Sequence[str], known: int) -> str:
    """Which pairs are told apart from published numbers: those of the models `labels`, of `known` ones."""
    if not labels:
        return ""
    if len(labels) == known:
        return f"These rank sets are {FROM_PUBLISHED}."
    named = listed(labels[:NAMED], len(labels) - NAMED)
    return f"Pairs with {named} are told apart {FROM_PUBLISHED}; all others by their examples."


def exact_words(metrics: Sequence[str]) -> str:
    """That a rank set takes numbers as exact: "given the published cost and the throughput"."""
    return f"given {listed(metrics)}" if metrics else ""


def given_words(models: Iterable[tuple[str, Iterable[str]]], known: int) -> str:
    """Which rank sets, of `known` ones, take numbers as exact: by label, what `exact_words` takes."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for label, metrics in models:
        groups.setdefault(tuple(metrics), []).append(label)
    return " ".join(_given_sentence(labels, metrics, known) for metrics, labels in groups.items())


def _given_sentence(labels: Sequence[str], metrics: Sequence[str], known: int) -> str:
    named = listed(labels[:NAMED], len(labels) - NAMED)
    sets = "set" if len(labels) == 1 else "sets"
    whose = f"These rank {sets}" if len(labels) == known else f"The rank {sets} of {named}"
    if len(metrics) == 1:
        why = "nothing says how that varies, so it is taken as exact"
    else:
        why = "nothing says how these vary, so they are taken as exact"
    return f"{whose} {'is' if len(labels) == 1 else 'are'} {exact_words(metrics)}: {why}."


def _row(column: Sequence[float] | None, model: int, others: range) -> Sequence[float]:
    """Of a triangle, the numbers of a model and others, which are all before it or all after it."""
    if column is None:
        return [math.inf] * len(others)
    if others.stop <= model:
        start = model * (model - 1) // 2
        return column[start + others.start : start + others.stop]
    return [column[other * (other - 1) // 2 + model] for other in others]
