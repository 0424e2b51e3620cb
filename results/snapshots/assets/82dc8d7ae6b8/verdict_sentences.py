"""The verdict on a ranking: who leads it or ties, what would end that, and how often the leader leads.

Standard library only. It stands above a table, and is what people copy, share and cite, so nothing in it may
be more than the numbers say: without rank sets a leader only leads.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.rank.certainty_sentences import says_nothing, share_words
from evaluator.rank.citations import plain, view_terms
from evaluator.rank.formats import isolated, visible, weight
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.score_sentences import Shown, Text, amount_words
from evaluator.rank.significance import lead_words, number_words

#: Rank sets of all models, [best, worst], None where one is unknown.
Sets = Sequence[Sequence[int] | None]
#: What ends the part of a label that says whether it is a plural, and the ends of words that are none.
OF = re.compile(r" (?:by|for|in|of|on|per|to|with)\b")
SINGULAR = ("ss", "us", "is", "as")
#: A word without its signs and digits.
WORD = re.compile(r"[^\W\d_]+")


def verdict(shown: Shown, sets: Sets | None, found: Mapping[str, Any] | None) -> dict[str, Any]:
    """What stands above a table.

    ``lead`` is who leads, ``change`` what would end that, ``shares`` how often it leads of all weightings.
    ``set`` is the metric and the weight, or the trade-off, of the change; None where there is none. `sets`
    are None where they are not found yet, as is `found`, what `what_if.FirstPlace` says of the leader.
    """
    by_change = found["change"] if found and found["leads"] else None
    if by_change and says_nothing(shown, by_change):
        by_change = None
    amount = "amount" if shown.trades is not None else "weight"
    return {
        "lead": _lead(shown, sets, at_words(shown)),
        "change": _change(shown, found) if found else [],
        "shares": _shares(shown, found) if found else [],
        "set": [by_change["metric"], by_change[amount]] if by_change else None,
    }


def verdict_sentence(
    shown: Shown, sets: Sets | None, found: Mapping[str, Any] | None, where: str | None = None
) -> str:
    """The same as plain text, of the weights that `where` names."""
    said = verdict(shown, sets, found)
    lead = _lead(shown, sets, where or at_words(shown))
    return " ".join(filter(None, map(_read, (lead, said["change"], said["shares"]))))


def copied(
    shown: Shown,
    sets: Sets | None,
    found: Mapping[str, Any] | None,
    view: Mapping[str, Any],
    first: Mapping[str, Any],
    address: str,
) -> str:
    """The verdict as it is pasted elsewhere: with its weights, its board, the time and the address."""
    said = verdict_sentence(shown, sets, found, view_terms(shown, view, first))
    time = f", results of {shown.about['updated'][:10]}" if shown.about["updated"] else ""
    return f"{said} ({plain(shown.about['title'])}{time}) {address}"


def at_words(shown: Shown, which: str = "these") -> str:
    """ "at these weights", or by which trade-offs."""
    return f"by {which} trade-offs" if shown.trades is not None else f"at {which} weights"


def _lead(shown: Shown, sets: Sets | None, where: str) -> Text:
    ranked = shown.ranked
    ranks = [(shown.columns.ranks[model], shown.name(model)[1]) for model in ranked]
    return lead_words(ranks, [sets[model] for model in ranked] if sets else None, where)


def chosen_lead(shown: Shown, certainty: Certainty | None, chosen: Sequence[int]) -> Text:
    """Who leads the chosen models, as their pairs tell; nothing where not two of them are ranked."""
    ranks = shown.columns.ranks
    ranked = sorted((model for model in chosen if ranks[model] == ranks[model]), key=ranks.__getitem__)
    if len(ranked) < 2:
        return []
    sets: list[list[int] | None] | None = None
    if certainty:
        others = [_held(shown, certainty, ranked[0], model, len(ranked)) for model in ranked[1:]]
        # Of whom nothing is known may be first, too.
        sets = [[1, 1 + sum(held is None or held[0] == 1 for held in others)], *others]
    named = [(ranks[model], shown.name(model)[1]) for model in ranked]
    return lead_words(named, sets, at_words(shown), f"these {number_words(len(ranked))}")


def _held(shown: Shown, certainty: Certainty, leader: int, model: int, worst: int) -> list[int] | None:
    """The best and the worst place of a model beside the leader of so many; None where that is unknown."""
    models = shown.board.models
    found = certainty.compare(models[leader], models[model], shown.question)
    if found.interval is None or math.isnan(found.difference):
        return None
    # What is no better than a constant answer is ranked last, whatever its score.
    return [2 if found.interval[0] > 0 or found.difference < 0 else 1, worst]


def _change(shown: Shown, found: Mapping[str, Any]) -> Text:
    """What would make another model lead; nothing where several lead, which any change may end."""
    change = found["change"]
    if not found["leads"] or len(shown.metrics) < 2 or (change and says_nothing(shown, change)):
        return []
    traded = shown.trades is not None
    if not change:
        return [f"No {'trade-off' if traded else 'weight'} of one metric alone ends this lead."]
    metric = shown.metric(change["metric"])
    label = isolated(metric["label"])
    if traded and change["amount"] is not None:
        base = f"{shown.base['one']} of {isolated(shown.base['label'])}"
        before = amount_words(change["before"], metric)
        condition = f"{base} is worth {amount_words(change['amount'], metric)} of {label} (now {before})"
    elif traded or change["weight"] == 0.0:
        condition = f"{label} {'do' if _is_plural(metric['label']) else 'does'} not count"
    else:
        now = shown.weights.get(change["metric"], 0.0)
        counts = "count" if _is_plural(metric["label"]) else "counts"
        condition = f"{label} {counts} {_range_words(change, now)} (now {weight(now)})"
    return [shown.name(change["leader"]), f" leads if {condition}."]


def _range_words(change: Mapping[str, Any], now: float) -> str:
    """The weights at which another model leads: "1.7 or more", "1.7 to 20", or one of them alone."""
    nearest, furthest = change["weight"], change["until"]
    if change["beyond"]:
        return f"{weight(nearest)} or {'more' if nearest > now else 'less'}"
    ends = dict.fromkeys(map(weight, sorted((nearest, furthest))))
    return " to ".join(ends)


def _is_plural(label: str) -> bool:
    """Whether a label is of many things, such as "Calls" and "Gender swaps", as far as its end says it."""
    words = WORD.findall(OF.split(label)[0])
    # Units, such as those of "Tokens/s" and "latency_ms", are shorter.
    return bool(words) and len(words[-1]) > 3 and words[-1].endswith("s") and not words[-1].endswith(SINGULAR)


def _shares(shown: Shown, found: Mapping[str, Any]) -> Text:
    """Of all ways to weigh the metrics, those under which the leader leads."""
    if not found["leads"] or found["weighed"] < 2 or found["share"] is None:
        return []
    weighed = found["weighed"]
    of = "" if weighed == len(shown.metrics) else f" of the {weighed} metrics that count"
    return [shown.name(shown.ranked[0]), f" leads in {share_words(found['share'])} of all weightings{of}."]


def _read(text: Text) -> str:
    """Pieces as one line, without the marks around names, of which a copy has no need."""
    joined = "".join(piece if isinstance(piece, str) else piece[1] for piece in text)
    return visible(joined.replace("\u2068", "").replace("\u2069", ""))
