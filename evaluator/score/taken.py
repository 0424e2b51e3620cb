"""What each answer of a model behind an endpoint took: tokens, seconds, and from these its cost."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.records.board import COST, TAKEN, Boards
from evaluator.records.references import ModelRef, PredictionSet
from evaluator.records.result import Result, Score
from evaluator.score.means import by_trial, mean_score
from evaluator.score.prices import Cost, cost

#: The metrics that depend on where and when a model was asked, so that they compare only within both.
SECONDS = ("first_token_s", "answer_s")
#: What a result calls the prices of a million tokens, in the order of `rank.prices.KINDS`.
RATES = ("input", "cached", "output")


def with_taken(predictions: PredictionSet, each: Sequence[Mapping[str, float | None]]) -> PredictionSet:
    """Predictions with what each took beside them, as far as anything is known of it."""
    columns = {name: tuple(one[name] for one in each) for name in TAKEN}
    known = {name: column for name, column in columns.items() if any(one is not None for one in column)}
    return predictions.model_copy(update={"values": known or None})


def with_costs(
    predictions: PredictionSet, asked: Mapping[str, Any], boards: Boards
) -> tuple[PredictionSet, dict[str, Any]]:
    """Predictions with what each cost by the prices of the day it was asked, and `asked` with where the price
    is from. Where no price is known there is no cost."""
    values = {name: column for name, column in (predictions.values or {}).items() if name != COST}
    found = _costs(values, asked, boards)
    known = [one for one in found if one is not None]
    rest = {name: value for name, value in asked.items() if name != "price"}
    if not known:
        return predictions.model_copy(update={"values": values or None}), rest
    values[COST] = tuple(None if one is None else one.amount for one in found)
    price: dict[str, Any] = {"currency": known[0].currency, "source": known[0].source}
    if known[0].rates is not None:
        price |= dict(zip(RATES, known[0].rates, strict=True))
    return predictions.model_copy(update={"values": values}), {**rest, "price": price}


def _costs(
    values: Mapping[str, Sequence[float | None]], asked: Mapping[str, Any], boards: Boards
) -> list[Cost | None]:
    names = ("input_tokens", "cached_tokens", "output_tokens")
    if not asked.get("from") or not {names[0], names[2]} <= values.keys():
        return []
    day = datetime.date.fromisoformat(asked["from"])
    columns = [values.get(name) or [None] * len(values[names[0]]) for name in names]
    return [
        cost(
            boards,
            asked["endpoint"],
            asked["model"],
            {name: None if value is None else int(value) for name, value in zip(names, row, strict=True)},
            day,
        )
        for row in zip(*columns, strict=True)
    ]


def taken_scores(predictions: PredictionSet, asked: Mapping[str, Any], boards: Boards) -> dict[str, Score]:
    """The means of what answers took, for the metrics of boards with the dataset."""
    found: dict[str, Score] = {}
    for name in predictions.values or {}:
        spec = boards.metric_of(predictions.dataset, name)
        if spec is None or (name == COST and spec.unit != asked["price"]["currency"]):
            continue
        score = mean_score(by_trial(predictions, name), spec.unit)
        if score is not None:
            where = {"endpoint": asked["endpoint"], "day": days_asked(asked)} if name in SECONDS else {}
            found[name] = score.model_copy(update={"settings": {**score.settings, **where}})
    return found


def rates_asked(asked: Mapping[str, Any], unit: str) -> tuple[float, ...] | None:
    """The prices of a million tokens on the day, in a currency; None where they are not known in it."""
    price = asked.get("price", {})
    if price.get("currency") != unit or not price.keys() >= {*RATES}:
        return None
    return tuple(price[name] for name in RATES)


def days_asked(asked: Mapping[str, Any]) -> str:
    """The first and the last day on which a model was asked; empty where nothing was answered."""
    return " to ".join(dict.fromkeys(asked[day] for day in ("from", "to") if day in asked))


def asked_of(result: Result) -> Mapping[str, Any]:
    """Where and when the model of a recorded result was asked."""
    asked: Mapping[str, Any] = result.model.made_from.get("asked", {})
    return asked


def with_asked(model: ModelRef, asked: Mapping[str, Any]) -> ModelRef:
    """The model, with where and when it was asked."""
    return model.model_copy(update={"made_from": {**model.made_from, "asked": dict(asked)}})
