"""A ranking in words: why a model has its score, what exchange rates say, who leads, how many fit a search.

Standard library only: a page asks this after each movement of a weight, in the words that its build wrote.
No score is computed here. A text is a list of pieces: a string, or a pair of a kind and a string, where the
kind is "name" (a name from the results), "strong" or the class of what the piece is about.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from evaluator.rank.dynascore import Board, Column, Columns, Question, Trade
from evaluator.rank.formats import (
    MINUS,
    counted,
    fixed,
    isolated,
    listed,
    number,
    percent,
    shortened,
    significant,
    top_three,
    weight,
)
from evaluator.rank.prices import COST, prices_words

#: Pieces of a text, see above.
Text = list[str | tuple[str, str]]
#: A metric as people see it: name, label, unit, decimals, `amounts` (the unit of a difference), `one` (a
#: difference of one unit in words), `cost` (less is better), `cap` (None: the largest value on the board);
#: maybe `one_answer`, the models of which it says nothing, since they answer the same to everything.
Metric = Mapping[str, Any]
#: Models that a comparison of two orders lists.
LISTED = 10
#: Models outside limits are named that are beyond them by no more than this part of them, so many at most.
NEAR, NAMED = 0.1, 3
#: What models are ranked by, in words.
NAMES = {
    "dynascore": "Dynascore",
    "mean": "weighted mean",
    "z_score": "mean z-score",
    "trades": "trade-off score",
}
#: What exchange rates follow from, in words.
ESTIMATORS = {"mean": "mean of slopes", "ratio": "ratio of sums"}


class Shown:
    """A board under a question, with what people call its parts.

    `about` has the board's ``id``, ``title``, the time ``updated`` of its newest result (None without any),
    ``metrics`` (see `Metric`) in the order of its columns, and ``datasets``, labels by id.
    """

    def __init__(self, board: Board, question: Question, about: Mapping[str, Any]) -> None:
        self.board, self.question, self.about = board, question, about
        self.metrics: Sequence[Metric] = about["metrics"]

    @cached_property
    def columns(self) -> Columns:
        return self.board.columns(self.question)

    @property
    def ranked(self) -> list[int]:
        """The models that have a rank, in its order."""
        return [model for model in self.columns.order if not math.isnan(self.columns.ranks[model])]

    @cached_property
    def base(self) -> Metric:
        return self.metric(self.question.base or self.board.base)

    @cached_property
    def trades(self) -> Mapping[str, Trade] | None:
        """What the metrics beside the base metric are traded for, in the order of its columns; None where
        models are not ranked by trade-offs."""
        if self.columns.by != "trades":
            return None
        trades, base = self.columns.scale.trades or {}, self.base["name"]
        return {m["name"]: trades[m["name"]] for m in self.metrics if m["name"] in trades.keys() - {base}}

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """The weight of each metric."""
        return self.question.metrics or self.board.default_weights()

    @property
    def counting(self) -> Mapping[str, float]:
        """The metrics that count, with their weights; each counts alike by trade-offs."""
        return (
            self.weights
            if self.trades is None
            else {self.base["name"]: 1.0, **dict.fromkeys(self.trades, 1.0)}
        )

    @cached_property
    def shares(self) -> Mapping[str, float]:
        """What each metric that takes part weighs; together they weigh 1, but each does by trade-offs."""
        scale, shares = self.columns.scale, self.board.metric_shares(self.question.metrics)
        if scale.trades is not None:
            return self.board.taking_part(scale, {})
        return self.board.taking_part(scale, shares) if shares and scale.rates else {}

    def metric(self, name: str) -> Metric:
        """Raises KeyError where the board shows no metric of that name."""
        found = next((metric for metric in self.metrics if metric["name"] == name), None)
        if found is None:
            raise KeyError(f"metric: this board has none called {name}")
        return found

    def label(self, model: int) -> str:
        return self.board.model_label(self.board.models[model])

    def name(self, model: int) -> tuple[str, str]:
        """A model's name as a piece of a text."""
        return "name", shortened(self.label(model), 60)

    def value(self, metric: Metric, model: int) -> float | None:
        """In the metric's own unit."""
        return known(self.columns.scale.values.get(metric["name"]), model)

    def compared(self, metric: Metric) -> Column:
        """The values of all models in the metric's own unit; NaN where there is none or it says nothing."""
        column = self.columns.scale.values.get(metric["name"]) or [math.nan] * len(self.board.models)
        silent = metric.get("one_answer", ())
        return [math.nan if model in silent else value for model, value in enumerate(column)]

    def values(self, metric: Metric) -> list[float]:
        """Those of the models that can be compared by it."""
        return [value for value in self.compared(metric) if value == value]


def differences(unit: str) -> dict[str, str]:
    """What values of a unit differ by: ``amounts``, of which per cent are points, and ``one`` of these in
    words: "1 point", "1 character", "1 GB"."""
    amounts = "points" if unit == "%" else unit
    plural = amounts.isalpha() and len(amounts) > 3 and amounts.endswith("s")
    return {"amounts": amounts, "one": f"1 {amounts.removesuffix('s') if plural else amounts}".rstrip()}


def known(column: Column | None, model: int) -> float | None:
    """A model's number; None where it has none."""
    value = column[model] if column else math.nan
    return None if math.isnan(value) else value


# Why this score


def score_explained(shown: Shown, model: int | None) -> dict[str, Any]:
    """How a model's Dynascore comes about; `model` None is the leader.

    ``model`` is the index, ``name`` the label; ``rows`` has by metric the texts of value, rate, converted
    value, share and contribution, and whether it is ``idle``, without weight; ``formula`` is the sum in
    numbers, or why there is none. Without a model these are empty.
    """
    if model is None:
        model = shown.ranked[0] if shown.ranked else None
    base = {"base": shown.base["label"], "model": model}
    if model is None:
        return {**base, "name": "", "score": "", "formula": [], "rows": {}, "question": []}
    terms = [_Term(shown, metric, model) for metric in shown.metrics]
    score = known(shown.columns.scores, model)
    return {
        **base,
        "name": shortened(shown.label(model), 60),
        "score": number(score),
        "formula": _formula(shown, model, score, terms),
        "rows": {term.metric["name"]: term.cells() for term in terms},
        "question": _question(shown, model),
    }


def _question(shown: Shown, model: int) -> Text:
    """Nothing of the leader: what would end its lead is in the verdict above the table."""
    if [model] == [index for index in shown.ranked if shown.columns.ranks[index] == 1.0]:
        return []
    return ["What would put ", shown.name(model), " first?"]


class _Term:
    """One metric's part of a score: a cost enters as `cap` less its value, and counts 0 without a rate."""

    def __init__(self, shown: Shown, metric: Metric, model: int) -> None:
        name = metric["name"]
        self.metric, self.value = metric, shown.value(metric, model)
        self.share = shown.shares.get(name, 0.0)
        self.cap: float | None = None
        self.by_trades = shown.trades is not None
        self.trade = (shown.trades or {}).get(name)
        if metric["cost"] and not self.by_trades:
            self.cap = metric["cap"] if metric["cap"] is not None else max(shown.values(metric), default=0.0)
        rate = shown.columns.scale.rates.get(name)
        self.rate = rate.rate if rate else None
        parts = shown.columns.contributions.get(name)
        self.contribution = known(parts, model) if self.share > 0 else None

    @property
    def good(self) -> float | None:
        """The value as something of which more is better."""
        return self.value if self.cap is None or self.value is None else self.cap - self.value

    @property
    def converted(self) -> float | None:
        """What the value is worth in units of the base metric."""
        if self.by_trades:
            return self.contribution if self.share else 0.0
        if self.good is None:
            # A missing cell that the board counts as the worst has a contribution all the same.
            return self.contribution / self.share if self.contribution is not None else None
        return self.good / self.rate if self.rate else 0.0

    @property
    def weighs(self) -> bool:
        return self.share > 0 and self.converted is not None

    def cells(self) -> dict[str, Any]:
        return {
            "idle": self.share == 0,
            "value": self._value(),
            "rate": self._rate(),
            "converted": number(self.converted),
            "share": "" if self.by_trades else percent(self.share),
            "contribution": number(self.contribution if self.share else 0.0),
        }

    def _rate(self) -> str:
        if self.by_trades and self.share == 0:
            return "none"
        if self.trade and self.trade.per_cent:
            return _per_cent(self.trade)
        return "undefined" if self.rate is None else significant(self.rate)

    def _value(self) -> Text:
        if self.value is None:
            return ["missing" if self.contribution is None else "missing, the worst counts"]
        decimals = self.metric["decimals"]
        if self.cap is None:
            return [number(self.good, decimals)]
        difference = f"{number(self.cap, decimals)} − {number(self.value, decimals)} ="
        return [("muted", difference), " ", number(self.good, decimals)]


def _formula(shown: Shown, model: int, score: float | None, terms: Sequence[_Term]) -> Text:
    name = "strong", shortened(shown.label(model), 60)
    if score is None:
        lacking = [isolated(t.metric["label"]) for t in terms if t.share > 0 and t.value is None]
        why = f"it has no value for {', '.join(lacking)}" if lacking else "nothing has weight"
        zeros = [t for t in terms if t.trade and t.trade.per_cent and t.value is not None and t.value <= 0]
        if zeros and not lacking:
            labels = ", ".join(isolated(term.metric["label"]) for term in zeros)
            why = f"a trade-off in per cent takes a value above 0 of {labels}"
        return [name, f" is not ranked: {why}."]
    parts: Text = []
    for term in terms:
        if term.weighs and term.by_trades:
            part = term.converted or 0.0
            sign = "" if not parts and part >= 0 else MINUS if not parts else " − " if part < 0 else " + "
            parts += [sign, (f"why-term m{term.metric['colour']}", number(abs(part)))]
        elif term.weighs:
            product = f"{percent(term.share)} × {number(term.converted)}"
            parts += [" + "] * bool(parts) + [(f"why-term m{term.metric['colour']}", product)]
    scored = NAMES["dynascore" if shown.columns.by == "z_score" else shown.columns.by]
    return [
        f"{scored[0].upper()}{scored[1:]} of ",
        name,
        " = ",
        *parts,
        " = ",
        ("strong", number(score)),
        " ",
        ("muted", shown.base["unit"]),
    ]


# Exchange rates


def rates_explained(shown: Shown, model: int | None = None) -> dict[str, Any]:
    """The panel of exchange rates, the sentence on what units are worth, the notices above the ranking
    and the notes under it.

    ``about`` says what rates are; ``rows`` has by metric: the ``rate``, its ``unit``, what each unit is
    ``worth``, which pair ``drives`` the rate or why there is none, whether it is ``fragile`` (one pair makes
    most of it) or ``flagged`` (there is a note), and how the values ``spread``, with that of a `model` among
    them. All are texts.
    """
    at = "at these weights" if shown.trades is None else "by these trade-offs"
    notes, notices = (
        list(shown.columns.notes),
        [f"{notice[0].upper()}{notice[1:]}." for notice in shown.columns.notices],
    )
    return {
        "about": _about_rates(shown),
        "rows": {metric["name"]: _rate_row(shown, metric, model) for metric in shown.metrics},
        "worth": _worth_sentence(shown),
        "notices": notices,
        "notes": notes,
        "count": f" · {counted(len(notes), 'note')} {at}" if notes else "",
    }


def _about_rates(shown: Shown) -> str:
    if shown.columns.by == "mean":
        return "By the plain weighted mean, one unit of any metric counts as much as one of another."
    if shown.trades is not None:
        base = f"{shown.base['one']} of {isolated(shown.base['label'])}"
        return f"How much of each metric {base} is declared to be worth."
    base = f"{shown.base['one']} of {isolated(shown.base['label'])}"
    return f"What these models give up of a metric for {base}, and what each unit is worth at these weights."


def _rate_row(shown: Shown, metric: Metric, model: int | None) -> dict[str, Any]:
    rate, own = shown.columns.scale.rates.get(metric["name"]), metric is shown.base
    worth = _worth(shown, metric)
    drives = (rate.note if rate else None) or ""
    if rate and rate.largest_pair:
        one, other = (isolated(shown.board.model_label(id_)) for id_ in rate.largest_pair)
        drives = f"{percent(rate.largest_share or 0.0, 0)} from {one} and {other}"
    flagged = rate is not None and rate.note is not None
    if shown.trades is not None:
        return _trade_row(shown, metric, worth, _spread(shown, metric, model))
    return {
        "rate": significant(rate.rate if rate else None),
        "unit": "base" if own else metric["amounts"],
        "worth": "" if own or worth is None else f"each worth {significant(worth)} {shown.base['amounts']}",
        "drives": drives,
        "flagged": flagged,
        "fragile": flagged and rate is not None and rate.largest_pair is not None,
        "spread": _spread(shown, metric, model),
    }


def _trade_row(shown: Shown, metric: Metric, worth: float | None, spread: str) -> dict[str, Any]:
    own, trade = metric is shown.base, (shown.trades or {}).get(metric["name"])
    rate, unit = "none", "it does not count"
    if own or trade:
        rate, unit = significant(trade.amount if trade else 1.0), "base" if own else metric["amounts"]
    if trade and trade.per_cent:
        rate, unit = _per_cent(trade), "of its value"
    each = f"each worth {significant(worth)} {shown.base['amounts']}" if worth is not None and not own else ""
    said = {"worth": each, "drives": "", "flagged": False, "fragile": False}
    return {"rate": rate, "unit": unit, **said, "spread": spread}


def _per_cent(trade: Trade) -> str:
    return f"{weight(trade.amount)} %"


def amount_words(amount: float | str, metric: Metric) -> str:
    """ "0.1 GB", "1 point", "10 %"; an amount is a number of the metric's units, or a text in per cent."""
    trade = Trade.of(metric["name"], amount)
    if trade.per_cent:
        return _per_cent(trade)
    return (
        str(metric["one"]) if trade.amount == 1.0 else f"{weight(trade.amount)} {metric['amounts']}".rstrip()
    )


def trades_words(shown: Shown) -> str:
    """ "1 point of Accuracy is worth 10 % of Throughput and 0.1 GB of Memory"."""
    amounts = []
    for name, trade in (shown.trades or {}).items():
        metric = shown.metric(name)
        amounts.append(f"{amount_words(trade.plain, metric)} of {metric['label']}")
    one = f"{shown.base['one']} of {shown.base['label']}"
    return f"{one} is worth {listed(amounts)}" if amounts else f"only {shown.base['label']} counts"


def _worth(shown: Shown, metric: Metric) -> float | None:
    """What one unit is worth in units of the base metric; None where that has no answer."""
    if shown.trades is not None:
        trade = shown.trades.get(metric["name"])
        return None if trade is None or trade.per_cent else 1.0 / trade.amount
    rate, base = shown.columns.scale.rates.get(metric["name"]), shown.weights.get(shown.base["name"], 0.0)
    return (
        shown.weights.get(metric["name"], 0.0) / (rate.rate * base) if rate and rate.rate and base else None
    )


def _worth_sentence(shown: Shown) -> str:
    if shown.columns.by == "mean":
        return "This ranking is by the plain weighted mean, which does not depend on the other models."
    if shown.trades is not None:
        said = trades_words(shown)
        return f"{said[0].upper()}{said[1:]}. No score depends on the other models."
    base = shown.base
    parts = [
        f"{metric['one']} of {metric['label']} is worth"
        f" {significant(worth)} {base['amounts']} of {base['label']}"
        for metric in shown.metrics
        if metric["cost"] and metric is not base and (worth := _worth(shown, metric))
    ]
    return f"At these weights {'; '.join(parts)}." if parts else ""


def _spread(shown: Shown, metric: Metric, model: int | None) -> str:
    values, label = sorted(shown.values(metric)), metric["label"]
    if not values:
        return f"{label}: no values"
    half = len(values) // 2
    median = values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2
    low, middle, high = (number(value, metric["decimals"]) for value in (values[0], median, values[-1]))
    own = None if model is None else known(shown.compared(metric), model)
    mark = ""
    if model is not None and own is not None:
        mark = f", {isolated(shortened(shown.label(model), 60))} {number(own, metric['decimals'])}"
    return f"{label} of {len(values)} models: {low} to {high}, median {middle}{mark}"


# Orders


def leaders(shown: Shown, sets: Sequence[Sequence[int] | None] | None = None) -> str:
    """Who is first, for those who cannot see it; `sets` are the rank sets of all models where known."""
    ranks, leading = shown.columns.ranks, shown.ranked[:3]
    held = [_held(sets[model]) if sets else "" for model in leading]
    names = [isolated(shown.label(model)) for model in leading]
    return top_three(
        [f"{int(ranks[m])} {name}{may}" for m, name, may in zip(leading, names, held, strict=True)]
    )


def _held(found: Sequence[int] | None) -> str:
    if not found:
        return ""
    best, worst = found
    return f", may be {best if best == worst else f'{best} to {worst}'}"


def orders_compared(shown: Shown) -> dict[str, Any]:
    """The models whose ranks by Dynascore and by mean z-score differ most.

    ``summary`` is a sentence; ``rows`` has a label, both ranks and the mean z-score for each of `LISTED`.
    """
    question = shown.question
    scored, standard = (
        shown.board.columns(Question(**{**vars(question), "by": by})) for by in ("dynascore", "z_score")
    )
    ranked = [model for model in scored.order if not math.isnan(scored.ranks[model])]
    apart = [model for model in ranked if scored.ranks[model] != standard.ranks[model]]
    apart.sort(key=lambda model: -abs(scored.ranks[model] - standard.ranks[model]))
    means = standard.z_scores or []
    rows = [
        (shown.label(model), int(scored.ranks[model]), int(standard.ranks[model]), number(means[model]))
        for model in apart[:LISTED]
    ]
    if not apart:
        return {"summary": f"Both put the {len(ranked)} ranked models in the same order.", "rows": rows}
    more = f" The {LISTED} furthest apart:" if len(apart) > LISTED else ""
    same = len(ranked) - len(apart)
    return {"summary": f"{same} of {len(ranked)} models have the same rank by both.{more}", "rows": rows}


# Limits


def limit_words(shown: Shown, limit: Mapping[str, Any]) -> str:
    """ "Memory at most 0.2 GB"; a limit has ``metric``, ``bound`` (least or most) and ``value``."""
    metric = shown.metric(limit["metric"])
    return f"{metric['label']} at {limit['bound']} {_with_unit(weight(limit['value']), metric)}"


def _with_unit(text: str, metric: Metric) -> str:
    return f"{text} {metric['unit']}" if metric["unit"] else text


def found_sentences(
    shown: Shown,
    limits: Sequence[Mapping[str, Any]],
    among: str,
    shown_models: int,
    left: int,
    filtered: Sequence[int] | None = None,
) -> str:
    """How many models search, filters and limits leave, who is just outside the limits, and among whom ranks
    are (`among`: all or left).

    `shown_models` are on the page and within the limits; `left` are those that filters and limits leave,
    `filtered` those that filters leave (None: all).
    """
    total = len(shown.board.models)
    if not limits:
        return f"{shown_models} of {total} models. {_ranks(shown, among, left, False)}"
    values = shown.columns.scale.values
    limited = [(limit, values[limit["metric"]]) for limit in limits if values.get(limit["metric"])]
    within = sum(all(_keeps(limit, column[model]) for limit, column in limited) for model in range(total))
    unknown = sum(any(math.isnan(column[model]) for _, column in limited) for model in range(total))
    others = (
        f", {shown_models} of which {'is' if shown_models == 1 else 'are'} shown"
        if shown_models != within
        else ""
    )
    sentences = [f"{within} of {counted(total, 'model')} {_limits_sentence(shown, limits)}{others}"]
    if unknown:
        has = "has" if unknown == 1 else "have"
        sentences.append(f"{unknown} of the others {has} no number for what is limited")
    models = range(total) if filtered is None else filtered
    if among == "all" and (first := _first_within(shown, limited, models)):
        sentences.insert(1, first)
    if near := _just_outside(shown, limited, models):
        sentences.append(near)
    return f"{'. '.join(sentences)}. {_ranks(shown, among, left, True)}"


def _first_within(
    shown: Shown, limited: Sequence[tuple[Mapping[str, Any], Column]], models: Iterable[int]
) -> str:
    """Who of `models` is first within the limits, where that is not who leads all."""
    ranks = shown.columns.ranks
    kept = [model for model in models if all(_keeps(limit, column[model]) for limit, column in limited)]
    best = min((ranks[model] for model in kept if ranks[model] == ranks[model]), default=1.0)
    if best == 1.0:
        return ""
    names = [isolated(shortened(shown.label(model), 60)) for model in kept if ranks[model] == best]
    verb = "is" if len(names) == 1 else "are"
    return f"The first of these {verb} {listed(names[:NAMED], len(names) - NAMED)}, at rank {best:.0f}"


def _just_outside(
    shown: Shown, limited: Sequence[tuple[Mapping[str, Any], Column]], models: Iterable[int]
) -> str:
    """Those of `models` that are beyond no limit by more than `NEAR` of it, the closest ones first.

    Limits come with the values of all models."""
    found: list[tuple[float, int, str]] = []
    for model in models:
        beyond = [(limit, column[model]) for limit, column in limited if not _keeps(limit, column[model])]
        gaps = [abs(value / limit["value"] - 1.0) if limit["value"] else math.inf for limit, value in beyond]
        # A missing value is NaN, which is near nothing.
        if gaps and all(gap <= NEAR for gap in gaps):
            values = ", ".join(_told_apart(shown, limit, value) for limit, value in beyond)
            found.append((max(gaps), model, f"{isolated(shortened(shown.label(model), 60))} ({values})"))
    names = [name for _, _, name in sorted(found)[:NAMED]]
    limits = "limit" if len(limited) == 1 else "limits"
    near = f"Just outside, within {percent(NEAR, 0)} of your {limits}: "
    return near + listed(names, len(found) - len(names)) if names else ""


def _told_apart(shown: Shown, limit: Mapping[str, Any], value: float) -> str:
    """A value with as many decimals as say that it is beyond a limit."""
    metric = shown.metric(limit["metric"])
    for decimals in range(metric["decimals"], 7):
        if not _keeps(limit, float(fixed(value, decimals))):
            return _with_unit(number(value, decimals), metric)
    return _with_unit(number(value, metric["decimals"]), metric)


def _keeps(limit: Mapping[str, Any], value: float) -> bool:
    # A missing value is NaN, which keeps no limit.
    bound: float = limit["value"]
    return value >= bound if limit["bound"] == "least" else value <= bound


def _limits_sentence(shown: Shown, limits: Sequence[Mapping[str, Any]]) -> str:
    """What models do that keep all limits: "use at most 0.2 GB (Memory) and have 70 to 80 % (Accuracy)"."""
    ends: dict[str, dict[str, str]] = {}
    for limit in limits:
        ends.setdefault(limit["metric"], {})[limit["bound"]] = weight(limit["value"])
    parts = []
    for name, of in ends.items():
        metric, least, most = shown.metric(name), of.get("least"), of.get("most")
        both = f"{least} to {most}" if least and most else f"at least {least}" if least else f"at most {most}"
        parts.append(f"{'use' if metric['cost'] else 'have'} {_with_unit(both, metric)} ({metric['label']})")
    return " and ".join(parts)


def _ranks(shown: Shown, among: str, left: int, limited: bool) -> str:
    """Among whom ranks are, and exchange rates where scores are made of these."""
    rates, total = shown.trades is None, len(shown.board.models)
    if among == "all":
        before = "Limits change nobody’s score: ranks" if limited else "Ranks"
        return f"{before}{' and exchange rates' if rates else ''} are among all {total}."
    if not left:
        return "No model is left to be ranked."
    these = f"{'this one' if left == 1 else f'these {left}'} alone"
    if why := shown.columns.scale.kept:
        return f"Ranks are among {these}. {why[0].upper()}{why[1:]}."
    return f"{'Ranks, scores and exchange rates' if rates else 'Ranks'} are among {these}."


def pair_rule(shown: Shown, threshold: Mapping[str, Any]) -> str:
    """Which two models count for the exchange rates: "Accuracy differs by more than 0.1 %"."""
    size = weight(threshold["epsilon"])
    unit = "times the largest value" if threshold["kind"] == "relative" else shown.base["unit"]
    return f"{shown.base['label']} differs by more than {size} {unit}".strip()


def terms(shown: Shown, view: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Under which terms the numbers of a view hold, each by its name."""
    threshold = view["threshold"]
    rates = [
        ("Base metric", shown.metric(view["base"])["label"]),
        ("Threshold", f"{weight(threshold['epsilon'])}, {threshold['kind']}"),
        ("Exchange rates", ESTIMATORS[view["rate"]]),
    ]
    by = view["by"] or shown.board.by
    if by == "trades":
        weights = _weighed(view["datasets"], shown.about["datasets"])
        told = [("Trade-offs", trades_words(shown)), ("Weights of datasets", weights)]
        return [("Ranked by", NAMES[by]), *told, *_narrowed(shown, view)]
    return [
        ("Ranked by", NAMES[by]),
        ("Weights of metrics", _weighed(view["metrics"], {m["name"]: m["label"] for m in shown.metrics})),
        ("Weights of datasets", _weighed(view["datasets"], shown.about["datasets"])),
        *([] if by == "mean" else rates),
        *_narrowed(shown, view),
    ]


def _weighed(weights: Mapping[str, float], labels: Mapping[str, str]) -> str:
    return ", ".join(f"{labels[name]} {weight(value)}" for name, value in weights.items())


def prices_named(shown: Shown, view: Mapping[str, Any]) -> str:
    """The prices that a visitor gave."""
    return prices_words(view["prices"], shown.board.model_label, shown.board.metrics[COST].unit or "")


def _narrowed(shown: Shown, view: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = []
    if view.get("prices"):
        found.append(("Prices", prices_named(shown, view)))
    if search := view["search"].strip():
        found.append(("Searched for", search))
    if view["filters"]:
        kept = [f"{one['kind']} {one['value'] or 'not stated'}" for one in view["filters"]]
        found.append(("Filtered by", ", ".join(kept)))
    if view["limits"]:
        found.append(("Limits", ", ".join(limit_words(shown, limit) for limit in view["limits"])))
    if view["among"] == "left":
        found.append(("Ranked among", "only the models that filters and limits leave"))
    return found
