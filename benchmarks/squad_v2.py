"""SQuAD v2's scores, from the definition in Rajpurkar et al. (2018) and what its published script prints.

Written out a second time, question by question; it shares no code with the product.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

#: By id, the answers that are right; none where the question has no answer.
Gold = Mapping[str, Sequence[str]]
#: The score, 0 to 1, of what is said against a right answer.
Measure = Callable[[str, str], float]


def words(text: str) -> list[str]:
    kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


def exact(said: str, answer: str) -> float:
    return float(words(said) == words(answer))


def f1(said: str, answer: str) -> float:
    ours, theirs = words(said), words(answer)
    if not ours or not theirs:
        return float(ours == theirs)
    shared = sum((Counter(ours) & Counter(theirs)).values())
    return 2 * shared / (len(ours) + len(theirs))


def each(gold: Gold, said: Mapping[str, str], measure: Measure) -> dict[str, float]:
    """The score of every question: that of the best of its answers that have words."""
    found = {}
    for name, answers in gold.items():
        worded = [answer for answer in answers if words(answer)] or [""]
        found[name] = max(measure(said[name], answer) for answer in worded)
    return found


def mean(scores: Mapping[str, float], names: Sequence[str]) -> float | None:
    return 100 * sum(scores[name] for name in names) / len(names) if names else None


def best(
    gold: Gold, said: Mapping[str, str], sure: Mapping[str, float], measure: Measure
) -> tuple[float, float]:
    """The best score where only the k surest answers are taken, for any k, and the first best threshold.

    An answer to a question without one is wrong once it is taken, and right if it is empty.
    """
    scores = each(gold, said, measure)
    order = sorted(gold, key=lambda name: sure[name])
    found = (float("-inf"), 0.0)
    for many in range(len(order) + 1):
        total = 0.0
        for place, name in enumerate(order):
            if gold[name]:
                total += scores[name] if place < many else 0.0
            else:
                total += 1.0 if place >= many or not said[name] else 0.0
        if total > found[0] + 1e-9:
            found = total, sure[order[many - 1]] if many else 0.0
    return 100 * found[0] / len(order), found[1]
