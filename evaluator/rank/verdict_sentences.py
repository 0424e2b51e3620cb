"""The verdict on a ranking: who leads it or ties, what would end that, and how often the leader leads.

Standard library only. It stands above a table, and is what people copy, share and cite, so nothing in it may
be more than the numbers say: without rank sets a leader only leads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.rank.certainty_sentences import share_words
from evaluator.rank.citations import plain, view_terms
from evaluator.rank.formats import count, isolated, visible, weight
from evaluator.rank.score_sentences import Shown, Text, amount_words

#: Rank sets of all models, [best, worst], None where one is unknown.
Sets = Sequence[Sequence[int] | None]
#: How many models of a tie are named.
NAMED = 4
#: Small numbers as a sentence writes them.
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def verdict(shown: Shown, sets: Sets | None, found: Mapping[str, Any] | None) -> dict[str, Any]:
    """What stands above a table.

    ``lead`` is who leads, ``change`` what would end that, ``shares`` how often it leads of all weightings.
    ``set`` is the metric and the weight, or the trade-off, of the change; None where there is none. `sets`
    are None where they are not found yet, as is `found`, what `what_if.FirstPlace` says of the leader.
    """
    by_change = found["change"] if found and found["leads"] else None
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
    if not ranked:
        return [f"No model is ranked {where}."]
    leader, *shared = [model for model in ranked if shown.columns.ranks[model] == 1.0]
    tied = [model for model in ranked if sets and (held := sets[model]) and held[0] == 1]
    unknown = any(sets[model] is None for model in ranked) if sets else False
    own = sets[leader] if sets else None
    if own and len(tied) > 1:
        least = "at least " if unknown else "all " if len(tied) == len(ranked) > 2 else ""
        return [f"Tie of {least}{_number(len(tied))} {where}: ", *_names(shown, tied), "."]
    if shared:
        return [*_names(shown, [leader, *shared]), f" share the first rank {where}."]
    if len(ranked) == 1:
        return [_strong(shown, leader), f" is the only model that is ranked {where}."]
    sure = ""
    if own and own[1] == 1:
        sure = ", by more than chance"
    elif sets and (own is None or unknown):
        sure = "; how certain that is, is unknown"
    return [_strong(shown, leader), f" leads {where}{sure}."]


def _number(value: int) -> str:
    return NUMBERS[value] if value < len(NUMBERS) else count(value)


def _strong(shown: Shown, model: int) -> tuple[str, str]:
    return "strong", shown.name(model)[1]


def _names(shown: Shown, models: Sequence[int]) -> Text:
    """The first of them in bold."""
    named = models if len(models) <= NAMED else models[: NAMED - 1]
    more = len(models) - len(named)
    text: Text = [_strong(shown, named[0])]
    for model in named[1:]:
        text += [" and " if model == named[-1] and not more else ", ", shown.name(model)]
    return [*text, f" and {count(more)} more"] if more else text


def _change(shown: Shown, found: Mapping[str, Any]) -> Text:
    """What would make another model lead; nothing where several lead, which any change may end."""
    change = found["change"]
    if not found["leads"] or len(shown.metrics) < 2:
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
        condition = f"{label} does not count"
    else:
        now = shown.weights.get(change["metric"], 0.0)
        more = "more" if change["weight"] > now else "less"
        beyond = f" or {more}" if change["beyond"] else ""
        condition = f"{label} counts {weight(change['weight'])}{beyond} (now {weight(now)})"
    return [shown.name(change["leader"]), f" leads if {condition}."]


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
