"""What an answer of a model behind an endpoint costs: stored tokens times the price of a day.

Prices are those of the board file's [[prices]], else those that the package genai-prices keeps, with their
history. What has no price has no cost: it is missing, never 0.
"""

from __future__ import annotations

import datetime
import importlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from types import ModuleType
from typing import Any

from evaluator.rank.prices import MILLION
from evaluator.records.board import Boards, EndpointSpec, PriceSpec


@dataclass(frozen=True)
class Cost:
    """What something costs, in units of a `currency`, and where the price is from.

    `rates` are the prices of a million tokens: of those that are sent, of these where they were kept from
    before, and of those that are written. None where they depend on how many there are.
    """

    amount: float
    currency: str
    source: str
    rates: tuple[float, float, float] | None = None


def cost(
    boards: Boards, endpoint: str, model: str, tokens: Mapping[str, int | None], day: datetime.date
) -> Cost | None:
    """What the tokens of an answer, ``input_tokens`` and ``output_tokens``, cost on a day; of the former
    ``cached_tokens`` may cost less. None where tokens are not counted, or no price is known."""
    sent, written = tokens.get("input_tokens"), tokens.get("output_tokens")
    if sent is None or written is None:
        return None
    cached = min(sent, tokens.get("cached_tokens") or 0)
    if (own := _own_price(boards, endpoint, model, day)) is not None:
        kept = own.input if own.cached is None else own.cached
        prices = (Decimal(str(price)) for price in (own.input, kept, own.output))
        counts = (sent - cached, cached, written)
        total = sum((count * price for count, price in zip(counts, prices, strict=True)), Decimal(0))
        rates = (own.input, kept, own.output)
        return Cost(float(total / MILLION), own.currency, "board.toml", rates)
    return _listed(boards.endpoint(endpoint), model, (sent, cached, written), day)


def _own_price(boards: Boards, endpoint: str, model: str, day: datetime.date) -> PriceSpec | None:
    """The last line of the board file that holds on a day."""
    lines = [
        one
        for one in boards.prices
        if (one.endpoint, one.model) == (endpoint, model) and (one.since is None or one.since <= day)
    ]
    return max(lines, key=lambda one: one.since or datetime.date.min, default=None)


def _listed(
    endpoint: EndpointSpec | None, model: str, counts: tuple[int, int, int], day: datetime.date
) -> Cost | None:
    prices = _package()
    if endpoint is None or prices is None:
        return None
    sent, cached, written = counts
    usage = prices.Usage(input_tokens=sent, cache_read_tokens=cached, output_tokens=written)
    moment = datetime.datetime.combine(day, datetime.time(12), datetime.UTC)
    if endpoint.provider is not None:
        where = {"provider_id": endpoint.provider}
    else:
        where = {"provider_api_url": endpoint.url}
    try:
        found = prices.calc_price(usage, model, genai_request_timestamp=moment, **where)
    except LookupError:
        return None
    total, rates = float(found.total_price), _rates(found.model_price)
    if rates is not None and not _is_sum(total, counts, rates):
        # Each request costs something too, or other things than tokens do.
        rates = None
    return Cost(total, "USD", f"genai-prices {prices.__version__}", rates)


def _is_sum(total: float, counts: tuple[int, int, int], rates: tuple[float, float, float]) -> bool:
    """Whether a cost is that of its tokens sent, cached and written; cached ones are among those sent."""
    sent, cached, written = counts
    by_kind = zip((sent - cached, cached, written), rates, strict=True)
    return math.isclose(total, math.fsum(count * rate for count, rate in by_kind) / MILLION, rel_tol=1e-9)


def _rates(price: Any) -> tuple[float, float, float] | None:
    """The list's prices of a million tokens; None where they are in tiers."""
    sent, cached, written = (
        getattr(price, name, None) for name in ("input_mtok", "cache_read_mtok", "output_mtok")
    )
    cached = sent if cached is None else cached
    if isinstance(sent, Decimal) and isinstance(cached, Decimal) and isinstance(written, Decimal):
        return float(sent), float(cached), float(written)
    return None


@cache
def _package() -> ModuleType | None:
    """The list of prices, where it is installed."""
    try:
        return importlib.import_module("genai_prices")
    except ModuleNotFoundError:
        return None
