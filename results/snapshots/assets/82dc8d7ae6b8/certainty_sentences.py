"""What is certain of a ranking in words: who is above whom, what puts a model first, who depends on whom.

Standard library only. What is said here was found by `rank_sets`, `rank_answers` and `what_if`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluator.rank.formats import count, counted, isolated, number, percent, shortened, signed, weight
from evaluator.rank.published import FROM_PUBLISHED, exact_words
from evaluator.rank.rank_sets import Certainty, Comparison
from evaluator.rank.score_sentences import Shown, Text, amount_words
from evaluator.rank.significance import CONFIDENCE

#: How many moves of others a line names.
LISTED = 4


def rank_set_words(found: Sequence[int] | None) -> str:
    """The ranks that a model may hold: "1", "2–5", "unknown"."""
    if found is None:
        return "unknown"
    best, worst = found
    return str(best) if best == worst else f"{best}–{worst}"


# Two models


def pairs_compared(shown: Shown, certainty: Certainty | None, chosen: Sequence[int]) -> dict[str, Any]:
    """The first of some models beside each of the others: a heading and a paragraph for each pair.

    `certainty` None: nothing is known of how their scores vary.
    """
    first, *others = chosen
    pairs = [(other, first) if _is_above(shown, other, first) else (first, other) for other in others]
    (higher, lower), *more = pairs
    title: Text = ["Is ", shown.name(higher), " really above ", shown.name(lower), "?"]
    if more:
        title = ["Which of these are really above others?"]
    return {"title": title, "paragraphs": [_compared(shown, certainty, *pair) for pair in pairs]}


def _is_above(shown: Shown, one: int, other: int) -> bool:
    """By the score where one of them has no rank."""
    columns = shown.columns
    ranks = columns.ranks[one], columns.ranks[other]
    scores = columns.scores if columns.z_scores is None else columns.z_scores
    return scores[one] > scores[other] if any(map(math.isnan, ranks)) else ranks[0] < ranks[1]


def _compared(shown: Shown, certainty: Certainty | None, higher: int, lower: int) -> Text:
    above, below, models = shown.name(higher), shown.name(lower), shown.board.models
    found = certainty.compare(models[higher], models[lower], shown.question) if certainty else None
    if found is None or found.interval is None or math.isnan(found.difference):
        why = ", as nothing tells how their scores vary at these weights."
        return [above, " and ", below, ": ", ("strong", "unknown"), why]
    if found.difference < 0:
        return [below, " has the higher score, but is ranked last, as no better than a constant answer."]
    unit = "" if shown.columns.by == "z_score" else " points"
    low, high = (number(end, 1) for end in found.interval)
    names = [isolated(shortened(shown.label(model), 60)) for model in (higher, lower)]
    verdict = f"{names[0]} is really above {names[1]}" if found.interval[0] > 0 else "these data cannot tell"
    gap = (
        f"Difference {number(found.difference)}{unit}, {_confidence()} interval {low} to {high}{_of(found)}: "
    )
    text: Text = [gap, ("strong", verdict), "."]
    for name, (one, other) in found.alone.items():
        text += [
            " On ",
            ("name", shown.board.metric_label(name)),
            f" alone, {count(one)} examples are right only for ",
        ]
        text += [above, f" and {count(other)} only for ", below, _exact_test(found, name)]
    return text


def _of(found: Comparison) -> str:
    """What an interval is from, where that is not only the examples of both."""
    words = [*([FROM_PUBLISHED] if found.published else []), *filter(None, [exact_words(found.given)])]
    return f" ({'; '.join(words)})" if words else ""


def _exact_test(found: Comparison, metric: str) -> str:
    p_value = found.p_values.get(metric)
    if p_value is None:
        return "; as some share a source, no exact test fits."
    return f" (exact McNemar test, p {p_words(p_value)})."


def p_words(value: float) -> str:
    """ "= 0.012", "< 0.001"."""
    return "< 0.001" if value < 0.001 else f"= {number(value, 3)}"


def _confidence() -> str:
    return f"{round(100 * CONFIDENCE)} %"


def difference_sentence(difference: float, found: Comparison | None) -> str:
    """How far a model's score is from its neighbour's in the ranking, and whether they are told apart."""
    text = f"Its score is {number(abs(difference))} {'below' if difference < 0 else 'above'} this rival's"
    if difference == 0:
        text = "Its score is that of this rival"
    if found is None or found.interval is None:
        return f"{text}; how much of that is chance is unknown."
    low, high = found.interval
    told = "more than chance" if low > 0 or high < 0 else "these data cannot tell which is better"
    return f"{text}, {_confidence()} interval {signed(low)} to {signed(high)}{_of(found)}: {told}."


def alone_sentence(label: str, own: int, others: int, p_value: float | None) -> str:
    """On how many examples one of two models alone is right, and what McNemar's exact test says of it."""
    text = f"{label}: only this model gets {counted(own, 'example')} right, only the other {count(others)}"
    if p_value is None:
        return f"{text}. The examples share sources, so they are no independent tests."
    verdict = "may be chance" if p_value >= 1 - CONFIDENCE else "is more than chance"
    return f"{text}, which {verdict} (exact McNemar test, p {p_words(p_value)})."


# What would put a model first


def first_place(shown: Shown, found: Mapping[str, Any]) -> dict[str, Any]:
    """What `what_if.FirstPlace` found of a model that does not lead: a text, another on the shares of
    weightings, and ``set``. What would end a lead is in `verdict_sentences`.

    ``set`` are a metric and the weight of it that makes the change, or its trade-off, None for none at all;
    None where no such thing does.
    """
    change = found["change"]
    if change and says_nothing(shown, change):
        label = isolated(shown.metric(change["metric"])["label"])
        text: Text = [f"Only {label}, which says nothing of it: it answers the same to everything."]
        return {"change": text, "shares": "", "set": None}
    if shown.trades is not None:
        to = [change["metric"], change["amount"]] if change else None
        return {"change": _trade_change(shown, found), "shares": "", "set": to}
    return {
        "change": _change(shown, found),
        "shares": _shares(found),
        "set": [change["metric"], change["weight"]] if change else None,
    }


def says_nothing(shown: Shown, change: Mapping[str, Any]) -> bool:
    """Whether the metric of a change says nothing of the model that would lead by it."""
    return change["leader"] in shown.metric(change["metric"]).get("one_answer", ())


def _change(shown: Shown, found: Mapping[str, Any]) -> Text:
    change = found["change"]
    if not change and found["floored"]:
        return ["No weight: it is no better than a constant answer, so it is ranked last."]
    if not change:
        return ["No weight of one metric alone does."]
    label = isolated(shown.metric(change["metric"])["label"])
    before = weight(shown.weights.get(change["metric"], 0.0))
    return [("strong", f"{label} at {weight(change['weight'])} instead of {before}"), ". "]


def _trade_change(shown: Shown, found: Mapping[str, Any]) -> Text:
    change = found["change"]
    if not change and found["floored"]:
        return ["No trade-off: it is no better than a constant answer, so it is ranked last."]
    if not change:
        return ["No trade-off of one metric alone does."]
    metric = shown.metric(change["metric"])
    label, one, base = isolated(metric["label"]), shown.base["one"], isolated(shown.base["label"])
    if change["amount"] is None:
        return [("strong", f"{label} not counting"), ". "]
    said = f"{one} of {base} worth {amount_words(change['amount'], metric)} of {label}"
    return [("strong", said), f", instead of {amount_words(change['before'], metric)}. "]


def _shares(found: Mapping[str, Any]) -> str:
    """Of all ways to weigh the metrics, those under which the model leads."""
    weighed, share, level = found["weighed"], found["share"], found["level"]
    if weighed < 2 or share is None:
        return ""
    leads = f"it leads in {share_words(share)}" if share else "it never leads"
    heat = "" if share == 1 else _level(level, share > 0)
    return f"Of all ways to weigh these {weighed} metrics, {leads}{heat}."


def _level(level: float | None, leads: bool) -> str:
    if level is None:
        return "; how often it ties with the leader is unknown"
    if level == 0:
        return ", and never ties with another leader"
    return f", and ties with the leader in {share_words(level)}{' more' if leads else ''}"


def share_words(share: float) -> str:
    """A part of all weightings, of which a small one does not become 0, nor a large one all."""
    if share < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < share < 1 else percent(share, 0)


# Who depends on whom


def leaving_lines(shown: Shown, moves: Mapping[int, Sequence[Sequence[int]]]) -> list[Text]:
    """What changes once each model leaves, by rank: see `what_if.leaving`."""
    lines = [_leaving(shown, model, moves[model]) for model in shown.columns.order if model in moves]
    return lines or [["Whichever model leaves, no other changes place."]]


def _leaving(shown: Shown, model: int, moves: Sequence[Sequence[int]]) -> Text:
    def pieces() -> Iterator[str | tuple[str, str]]:
        for at, (other, before, after) in enumerate(moves[:LISTED]):
            yield ", " if at else ""
            yield shown.name(other)
            yield f" from {before} to {after}"

    more = f" and {len(moves) - LISTED} more" if len(moves) > LISTED else ""
    return ["Without ", shown.name(model), ": ", *pieces(), f"{more}."]
