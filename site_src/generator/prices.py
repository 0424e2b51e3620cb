"""What visitors may price again: the tokens of a board's models, and the prices of their day."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluator.rank.prices import BOXES, KINDS
from evaluator.records.base import dump
from evaluator.records.board import COST, Assembled, MetricSpec
from evaluator.records.datasets import Covariances, TokenUse
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.certainty import column_source
from evaluator.score.covariances import source
from evaluator.score.taken import asked_of, days_asked, rates_asked
from site_src.generator import formats
from site_src.generator.urls import hashed


@dataclass(frozen=True)
class PricedModel:
    """A model whose answers can be priced again; `words`: what they took, and where its prices are from."""

    id: str
    label: str
    rates: tuple[float, ...] | None
    words: str

    @property
    def boxes(self) -> list[tuple[str, str]]:
        """What each box is called, and the price of the day in it, empty where that is not known."""
        shown = [formats.weight(rate) for rate in self.rates] if self.rates else [""] * len(KINDS)
        return list(zip(BOXES, shown, strict=True))


@dataclass(frozen=True)
class PriceView:
    """The prices of a board. `content` is the file that says how tokens vary, which a page asks for once a
    price is another."""

    metric: MetricSpec
    models: tuple[PricedModel, ...]
    tokens: Mapping[str, Any] = field(repr=False)
    content: bytes = field(repr=False)

    @property
    def file(self) -> str:
        """Its name, beside the board's page."""
        return hashed("tokens", self.content)

    @property
    def island(self) -> dict[str, Any]:
        """What the page's scripts, and `rank.prices`, take."""
        return {
            "metric": self.metric.name,
            "currency": self.metric.unit,
            "day": {model.id: model.rates for model in self.models},
            "tokens": self.tokens,
            "file": self.file,
        }


def price_view(assembled: Assembled, store: Store) -> PriceView | None:
    """What is known of a board's tokens; None of a board without costs or tokens, or that weighs parts of
    datasets, of which nothing says what answers took there."""
    metric = next((one for one in assembled.board.metrics if one.name == COST), None)
    names = assembled.data["models"]
    if metric is None or assembled.parts:
        return None
    tokens: dict[str, Any] = {}
    crossed: dict[str, Any] = {}
    for dataset in assembled.data["datasets"]:
        results = [assembled.entries[name].results.get(dataset) for name in names]
        kept = _kept(results, store)
        if kept is None or kept.tokens is None:
            continue
        places = _compared([_place(result, kept) for result in results], kept.tokens.without)
        means, most = (
            {kind: _chosen(of[kind], places) for kind in KINDS} for of in (kept.tokens.mean, kept.tokens.most)
        )
        tokens[dataset] = means
        crossed[dataset] = {"most": most, "crossed": _pairs(kept.tokens, assembled, dataset, places)}
    if not tokens:
        return None
    models = [_model(assembled, at, name, tokens, metric) for at, name in enumerate(names)]
    found = tuple(model for model in models if model is not None)
    return PriceView(metric, found, tokens, dump(crossed, compact=True)) if found else None


def _kept(results: Sequence[Result | None], store: Store) -> Covariances | None:
    """What is kept of the revision that most results are about."""
    about = [
        (result.task, result.dataset.id, result.dataset.revision)
        for result in results
        if result and result.predictions and result.dataset.revision
    ]
    return store.covariances(*max(about, key=lambda one: (about.count(one), one))) if about else None


def _place(result: Result | None, kept: Covariances) -> int | None:
    """Where a result is in what is kept; None where that is of other answers."""
    if result is None or kept.models.get(result.model.id) != source(result):
        return None
    return [*kept.models].index(result.model.id)


def _compared(places: Sequence[int | None], without: Sequence[str | None]) -> list[int | None]:
    """The places without those whose tokens are means of other examples than most models' are."""
    said = [without[place] for place in places if place is not None and without[place] is not None]
    usual = max(said, key=said.count, default=None)
    return [None if place is None or without[place] != usual else place for place in places]


def _chosen(column: Sequence[float | None], places: Sequence[int | None]) -> list[float | None]:
    return [None if place is None else column[place] for place in places]


def _pairs(
    use: TokenUse, assembled: Assembled, dataset: str, places: Sequence[int | None]
) -> list[list[Any]]:
    """The covariances in the order of the board's models, with the board's columns."""
    size = math.isqrt(len(use.crossed[0].parts))
    made_of: dict[str, tuple[str, float]] = {kind: (kind, 1.0) for kind in KINDS}
    for metric in assembled.board.metrics:
        main = column_source(assembled, dataset, metric.name)
        made_of[metric.name] = main.name, main.factor
    found = []
    for column, (name, factor) in made_of.items():
        for one in (one for one in use.crossed if one.second == name):
            pairs = itertools.product(places, places)
            parts = [0 if i is None or j is None else one.parts[i * size + j] for i, j in pairs]
            found.append([one.first, column, one.step * factor, parts])
    return found


def _is_tiered(asked: Mapping[str, Any], unit: str) -> bool:
    """Whether prices in a currency were known that depend on how many tokens there are."""
    return asked.get("price", {}).get("currency") == unit and rates_asked(asked, unit) is None


def _model(
    assembled: Assembled, at: int, name: str, tokens: Mapping[str, Any], metric: MetricSpec
) -> PricedModel | None:
    """A model of which some dataset knows the tokens."""
    entry = assembled.entries[name]
    known = [dataset for dataset, of in tokens.items() if of["fresh"][at] is not None]
    if not known:
        return None
    asked = [asked_of(entry.results[dataset]) for dataset in known]
    rates = {rates_asked(one, metric.unit) for one in asked}
    # Of datasets that were asked at different prices, none is the price.
    [rate] = rates if len(rates) == 1 else [None]
    sent, written = (
        math.fsum(tokens[dataset][kind][at] for dataset in known for kind in kinds) / len(known)
        for kinds in (KINDS[:2], KINDS[2:])
    )
    sent_words, written_words = (formats.number(one, 0 if one >= 10 else 1) for one in (sent, written))
    words = f"{sent_words} tokens sent and {written_words} written per answer"
    days = formats.listed(list(dict.fromkeys(filter(None, map(days_asked, asked)))))
    if rate is not None:
        words += f"; prices of {days} by {asked[0]['price']['source']}"
    elif len(rates - {None}) > 1:
        words += "; its prices changed while it was asked"
    elif any(_is_tiered(one, metric.unit) for one in asked):
        words += "; its price is not one rate for each kind of token"
    elif len(rates) > 1:
        words += f"; a price in {metric.unit} is known of some of its answers only"
    else:
        words += f"; no price in {metric.unit} is known"
    return PricedModel(name, entry.label, rate, words)
