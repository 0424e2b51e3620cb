"""A board of models whose answers took tokens: scored by example, with what each answer cost at prices of a day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluator.records.board import Boards, load_boards
from evaluator.records.references import ModelCard, ModelRef, Source
from evaluator.records.store import Store
from evaluator.score.keeping import keep_covariances
from evaluator.score.values import ScoredExamples, keep_values

#: Another dataset, on which there may be results, too.
MORE = """
[[datasets]]
id = "more"
label = "More tasks"
task = "scored"
"""
#: Of a million tokens: sent, kept from before, written.
DAY: Mapping[str, tuple[float, float, float]] = {
    "a": (2.0, 0.5, 10.0),
    "b": (1.0, 1.0, 4.0),
    "c": (0.5, 0.1, 1.0),
    "d": (3.0, 1.5, 6.0),
}
EXAMPLES = 150
BOARD = """
title = "T"

[[datasets]]
id = "tasks"
label = "Tasks"
task = "scored"
MORE
[[boards]]
id = "b"
title = "B"
task = "scored"
base = "solved"
rate = "ratio"
datasets = ["tasks"MORE_ID]
metrics = [
  { name = "solved", label = "Solved", unit = "%" },
  { name = "quality", label = "Quality", unit = "" },
  { name = "cost", label = "Cost", unit = "USD", direction = "lower", cap = "max", decimals = 6RANGE },
  { name = "input_tokens", label = "Sent", unit = "tokens", direction = "lower", cap = "max" },
  { name = "cached_tokens", label = "Cached", unit = "tokens", direction = "lower", cap = "max" },
  { name = "output_tokens", label = "Written", unit = "tokens", direction = "lower", cap = "max" },
]
weights = { solved = 2, quality = 1, cost = 2 }
"""


def priced_board(
    folder: Path,
    prices: Mapping[str, Sequence[float]] = DAY,
    *,
    unpriced: Sequence[str] = (),
    trials: int = 1,
    clusters: int = 0,
    range_: str = "",
    datasets: Sequence[str] = ("tasks",),
    cards: Mapping[str, ModelCard] | None = None,
) -> tuple[Boards, Store]:
    """The board and its results in a folder. Models in `unpriced` have no cost. Harder examples take more
    tokens of all models, and are solved less often; one is always refused, and took nothing that is known. `range_` is more of the metric cost."""
    more = len(datasets) > 1
    text = BOARD.replace("RANGE", range_).replace("MORE_ID", ', "more"' if more else "")
    (folder / "board.toml").write_text(text.replace("MORE", MORE if more else ""))
    boards, store = load_boards(folder / "board.toml"), Store(folder / "results")
    for dataset in datasets:
        chance = np.random.default_rng([5, *dataset.encode()])
        hard = chance.random((EXAMPLES, 1))
        texts = np.rint(200 + 400 * hard)
        groups = tuple(f"passage {at % clusters}" for at in range(EXAMPLES)) if clusters else ()
        about = ScoredExamples(dataset, dataset, tuple(f"t-{at}" for at in range(EXAMPLES)), {}, groups)
        for place, model in enumerate(DAY):
            size = (EXAMPLES, trials)
            solved = 100.0 * (chance.random(size) < 0.9 - 0.1 * place - 0.4 * hard)
            sent = texts + np.rint(20 * chance.random(size))
            cached = np.rint(sent * (0.5 * (place % 2)))
            written = np.rint(50 * (4 - place) * (hard + chance.random(size)))
            for column in (sent, cached, written):
                column[0, :] = np.nan
                column[1, 1:] = np.nan
            quality = solved / 100 + chance.random(size)
            values = {"solved": solved, "quality": quality}
            values |= {"input_tokens": sent, "cached_tokens": cached, "output_tokens": written}
            if model not in unpriced:
                values["cost"] = cost(prices[model], sent, cached, written)
            rates = dict(zip(("input", "cached", "output"), DAY[model], strict=True))
            price = {"currency": "USD", "source": "board.toml", **rates}
            asked = {"endpoint": "local", "model": model, "from": "2026-11-01", "to": "2026-11-02"}
            made_from = {"asked": {**asked, **({} if model in unpriced else {"price": price})}}
            card = (cards or {}).get(model, ModelCard())
            keep_values(
                about,
                ModelRef(id=model, label=model.upper(), made_from=made_from, card=card),
                values,
                boards,
                store,
                source=Source(citation="The makers of Tasks"),
                created="2026-11-26T00:00:00Z",
            )
        keep_covariances(about.dataset(), boards, store)
    return boards, store


def cost(
    price: Sequence[float],
    sent: npt.NDArray[np.float64],
    cached: npt.NDArray[np.float64],
    written: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """What answers cost, in USD."""
    return (price[0] * (sent - cached) + price[1] * cached + price[2] * written) / 1e6
