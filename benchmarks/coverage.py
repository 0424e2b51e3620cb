"""How often the rank sets of `evaluator.rank.rank_sets` hold the true ranks, on simulated boards.

Run from the repository: python benchmarks/coverage.py [--boards N] [--only TEXT] [--ranges] [--seed N]
Boards are those of `simulations` and `simulated_sources`. Truth is the score at the values of the whole
source and at the exchange rates of each simulated board, as the rates are held fixed. A set covers its model
if it has all true ranks: from 1 + models truly above it to M - models truly below it. Of models that tie that
is the strict reading: they must not be set apart. In brackets, where it differs, is the lax one: the share of
sets that have just one of these ranks.

Beside the rank sets is the percentile bootstrap of ranks (examples, or clusters, and passes drawn again;
models that tie share the better rank, as on a board). The column behind each method is the mean width of its
sets in ranks. Of 10 models five times, and of 2 models ten times as many boards are made as of 50. The error
is the standard error of the rank sets' coverage over boards: it is 0 where every set covers. "Pairs" is the
share of boards on which every pair that is said to be separated is in the right order, all at once.

With `--ranges` there is a line for each of `KINDS` of conditions: the lowest and the highest coverage.
`benchmarks/coverage_datasets.py` simulates ranks on another dataset.
"""

from __future__ import annotations

import argparse
import itertools
import math
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import simulated_sources as sources
import simulations
from simulations import BLOCKS, Chance, Floats, Simulated, Simulation, skills

from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.published import WITHOUT_EXAMPLES
from evaluator.rank.rank_sets import Certainty, RankSets, Sampled
from evaluator.rank.significance import CONFIDENCE

#: Models of a board, and how many times as many boards are made of so many.
MODELS = {2: 10, 10: 5, 50: 1}
EXAMPLES = (50, 200, 1000, 5000)
RESAMPLES = 200
#: More than any two scores differ by, so that models with so much less come last.
LAST = 1e9
METHODS = ("rank sets", "bootstrap")

#: How many clusters are few, and how many are answered alike.
CLUSTERS, ALIKE = (10, 20, 50), (1, 2, 4, 6, 10)
#: So many examples are in few clusters, and so many are few examples.
IN_FEW, FEW_EXAMPLES = (1000,), (1, 2, 5, 10, 20)
#: Of so many examples are boards of conditions that take long, or that need some.
UP_TO_1000, MIDDLING = (50, 200, 1000), (200, 1000)


@dataclass(frozen=True)
class Found:
    """Of one board by method: shares of sets that cover, that meet, and their mean width in ranks.

    `pairs` says whether all separated pairs are in the right order.
    """

    covers: dict[str, float]
    meets: dict[str, float]
    width: dict[str, float]
    pairs: bool


#: How answers go together, by the share of their variance that an example decides.
TOGETHER = {"together": 0.9, "on their own": 0.0, "against one another": -0.9}


@dataclass(frozen=True)
class Condition:
    """How boards are made, the range of true accuracies, and of how many examples some are made."""

    name: str
    make: Simulation
    low: float
    high: float
    examples: tuple[int, ...] = EXAMPLES


def equal(name: str, make: Simulation, examples: tuple[int, ...] = EXAMPLES) -> Condition:
    return Condition(f"{name}, all equal", make, 0.75, 0.75, examples)


def both(name: str, make: Simulation, examples: tuple[int, ...] = EXAMPLES) -> tuple[Condition, Condition]:
    """Of models that are spread out, and of equal ones."""
    return Condition(f"{name}, spread out", make, 0.6, 0.9, examples), equal(name, make, examples)


#: Conditions by their kind.
KINDS: dict[str, Sequence[Condition]] = {
    "right or wrong": [
        *both("accuracy", simulations.accuracy),
        Condition("accuracy, near the ceiling", simulations.accuracy, 0.98, 0.995),
    ],
    "1 to 20 examples": [equal("few examples", simulations.accuracy, FEW_EXAMPLES)],
    "clusters of 5": both("clusters of 5", simulations.clustered),
    "10 to 50 clusters": [
        one
        for count in CLUSTERS
        for one in both(f"{count} clusters", simulations.few_clusters(count), IN_FEW)
    ],
    "clusters answered alike": [
        equal(
            f"{count} cluster{'s'[: count > 1]} answered alike", simulations.few_clusters(count, True), IN_FEW
        )
        for count in ALIKE
    ],
    "repeated rows, noticed": [equal("five rows of a question, noticed", sources.repeated(True), MIDDLING)],
    "repeated rows, unnoticed": [
        equal("five rows of a question, unnoticed", sources.repeated(False), MIDDLING)
    ],
    "macro-F1": both("macro-F1, unbalanced", simulations.macro_f1),
    "several metrics": both("composite", simulations.composite),
    "by trade-offs": both("by trade-offs", simulations.traded, UP_TO_1000),
    "rates that are off": [
        *both("rates off by up to 2", simulations.off(simulations.composite, 2.0)),
        *(
            Condition(f"rates off by up to {factor}, level at one end", simulations.opposed(factor), 0.6, 0.9)
            for factor in (2, 4)
        ),
    ],
    "cross-entropy": [equal("cross-entropy", simulations.cross_entropy, UP_TO_1000)],
    "calibration error": [
        Condition("calibration error, all calibrated", simulations.calibration, 0.95, 0.95),
        Condition("calibration error, all equally off", simulations.calibration, 0.85, 0.85),
        Condition("calibration error, spread out", simulations.calibration, 0.8, 0.95),
    ],
    # Of so many blocks a model.
    "throughput": both("throughput", simulations.throughput, (BLOCKS,)),
    "AUROC": [
        equal(f"AUROC of {count} positives", simulations.auroc(count), MIDDLING) for count in (4, 10, 50)
    ],
    "by difficulty": [
        *both("by difficulty", sources.by_difficulty),
        *(
            equal(f"difficulty page, case {case}", sources.difficulty_page(case), UP_TO_1000)
            for case in (1, 6)
        ),
    ],
    "with a floor": [Condition("with a floor, spread out", simulations.floored, 0.7, 0.8)],
    "several runs": [
        *(
            one
            for count in (2, 5)
            for one in (
                equal(f"{count} runs, seed effect 0", sources.runs(count, 0.0), MIDDLING),
                *both(
                    f"{count} runs, seed effect {sources.SEED_EFFECT}",
                    sources.runs(count, sources.SEED_EFFECT),
                    MIDDLING,
                ),
                equal(
                    f"{count} runs, unlike seed effects",
                    sources.runs(count, sources.SEED_EFFECT, unlike=True),
                    MIDDLING,
                ),
            )
        ),
        *(
            equal(
                f"pass^{drawn} of 5 runs, seed effect {sources.SEED_EFFECT}",
                sources.passes(5, drawn),
                MIDDLING,
            )
            for drawn in (2, 5)
        ),
        equal(
            "5 runs, seed effect in two metrics", sources.runs(5, sources.SEED_EFFECT, metrics=2), MIDDLING
        ),
    ],
    "a judge and labels": [
        one
        for count in (4, 10, 30, 100, 300)
        for one in both(f"a judge and {count} labels", sources.judged(count), (1000,))
    ],
    "a judge alone": [equal("a judge alone", sources.judged(None), (1000,))],
    "published numbers": [
        *(
            one
            for by in ("n", "errors")
            for how, share in TOGETHER.items()
            for one in both(f"published {by}, answers {how}", sources.published(share, by), UP_TO_1000)
        ),
        *(
            equal(
                f"two metrics published, answers {how}", sources.published(share, "n", metrics=2), UP_TO_1000
            )
            for how, share in TOGETHER.items()
        ),
    ],
    "given a number": [
        one
        for whose in ("all", "every other")
        for one in both(f"accuracy, given a number of {whose}", sources.given(whose), UP_TO_1000)
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--boards", type=int, default=20, help="boards of 50 models a condition (20)")
    parser.add_argument("--only", default="", help="conditions whose name has this text (all)")
    parser.add_argument("--ranges", action="store_true", help="a line for each kind of conditions")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other boards (1)")
    given = parser.parse_args()
    if given.ranges:
        print_ranges(given.boards, given.seed, given.only)
        return
    print(f"| condition | models | n | {' | width | '.join(METHODS)} | width | error | pairs |")
    print("|---|--:|--:|" + "--:|" * (2 * len(METHODS) + 2))
    conditions = (one for of_kind in KINDS.values() for one in of_kind if given.only in one.name)
    for condition, models, examples in sized(conditions):
        boards = made(condition, models, examples, given.boards, given.seed)
        print(row(condition.name, models, examples, boards), flush=True)


def made(condition: Condition, models: int, examples: int, boards: int, seed: int) -> list[Found]:
    """The boards of a condition, which has its own stream: a change of one leaves the others as they are."""
    chance = np.random.default_rng([seed, zlib.crc32(condition.name.encode()), models, examples])
    return [simulate(chance, condition, models, examples) for _ in range(boards * MODELS[models])]


def print_ranges(boards: int, seed: int, only: str) -> None:
    """The lowest and the highest coverage of rank sets and the bootstrap in each kind of conditions."""
    print(f"| kind | {' | '.join(METHODS)} |")
    print("|---|" + "--:|" * len(METHODS))
    for kind, of_kind in KINDS.items():
        if only in kind:
            all_ = [made(*one, boards, seed) for one in sized(of_kind)]
            cells = [span([mean_of(found, method) for found in all_]) for method in METHODS]
            print(f"| {' | '.join([kind, *cells])} |", flush=True)


def mean_of(boards: Sequence[Found], method: str) -> float:
    return float(np.mean([board.covers[method] for board in boards]))


def span(values: Sequence[float]) -> str:
    """``0.94–1.00``."""
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low}–{high}"


def sized(conditions: Iterable[Condition]) -> Iterator[tuple[Condition, int, int]]:
    """Each condition with the numbers of models and of examples of its boards."""
    for one in conditions:
        yield from ((one, models, examples) for models in MODELS for examples in one.examples)


def row(name: str, models: int, examples: int, boards: list[Found]) -> str:
    """A line of the table: for each method coverage (and how many meet, if that is another) and width."""
    cells = [name, str(models), f"{examples:,}"]
    for method in METHODS:
        covers, meets, width = (
            np.mean([getattr(board, what)[method] for board in boards])
            for what in ("covers", "meets", "width")
        )
        cells += [f"{covers:.3f}" + (f" ({meets:.3f})" if meets > covers else ""), f"{width:.1f}"]
    error = np.std([board.covers[METHODS[0]] for board in boards]) / math.sqrt(len(boards))
    pairs = np.mean([board.pairs for board in boards])
    return f"| {' | '.join([*cells, f'{error:.3f}', f'{pairs:.3f}'])} |"


def simulate(chance: Chance, condition: Condition, models: int, examples: int) -> Found:
    """One board, and what each method says of it."""
    skill = chance.permutation(skills(condition.low, condition.high, models))
    drawn = condition.make(chance, skill, examples)
    board = board_of(drawn)
    worth, entered = worths(board), as_entered(board, drawn)
    truth = total(entered.truth, worth)
    board, found = certain(board, drawn, examples)
    best, worst = ranks(truth - LAST * np.isin(np.arange(models), [*board.floored]))
    if drawn.off:
        best, worst = ranks_at_all(entered.truth, worth, drawn.off)
    sets = {
        "rank sets": ends(found.sets),
        "bootstrap": bootstrap(chance, entered, worth),
    }
    covers = {m: float(np.mean((low <= best) & (high >= worst))) for m, (low, high) in sets.items()}
    meets = {m: float(np.mean((low <= worst) & (high >= best))) for m, (low, high) in sets.items()}
    width = {m: float(np.mean(high - low + 1)) for m, (low, high) in sets.items()}
    return Found(covers, meets, width, all(truth[higher] > truth[lower] for higher, lower in found.separated))


def board_of(drawn: Simulated) -> Board:
    base = next(iter(drawn.values))
    names = [f"m{place}" for place in range(len(drawn.values[base]))]
    values = {name: column.tolist() for name, column in drawn.values.items()}
    by = "trades" if drawn.trades else "dynascore"
    metrics = [RankedMetric(name) for name in values]
    return Board(names, metrics, {"d": values}, base, by=by, trades=drawn.trades)


def worths(board: Board) -> dict[str, float]:
    """What a unit of each metric, or of its logarithm, adds to the score: at the default weights and this
    board's rates, or by its trade-offs."""
    scale = board.columns(Question()).scale
    if scale.trades is not None:
        given = {name: trade.amount for name, trade in scale.trades.items()}
        logs = {
            name: math.log1p(amount / 100) for name, amount in given.items() if scale.trades[name].per_cent
        }
        return {name: 1 / amount for name, amount in (given | logs).items()}
    rates = scale.rates
    weights = board.metric_shares(None) or {}
    return {name: share / (rates[name].rate or math.inf) for name, share in weights.items()}


def as_entered(board: Board, drawn: Simulated) -> Simulated:
    """With logarithms in the place of values where a trade-off is in per cent."""
    trades = board.columns(Question()).scale.trades or {}
    for name in (name for name, trade in trades.items() if trade.per_cent):
        values, again = np.log(drawn.values[name]), drawn.again[name]
        drawn = replace(
            drawn,
            truth=drawn.truth | {name: np.log(drawn.truth[name])},
            values=drawn.values | {name: values},
            again=drawn.again | {name: lambda units, again=again: np.log(again(units))},
            relative=drawn.relative | {name: drawn.relative[name] / values**2},
        )
    return drawn


def total(values: Mapping[str, Floats], worth: Mapping[str, float]) -> Floats:
    """Scores (models,), or (draws, models). Rounded, so that equal models tie whatever the order of sums."""
    return np.round(sum((worth[name] * column for name, column in values.items()), np.zeros(1)), 9)


def ranks(scores: Floats) -> tuple[Floats, Floats]:
    """The first and the last rank (..., models) that each model may be given."""
    models = scores.shape[-1]
    return 1.0 + models - _upto(scores, "right"), 1.0 * models - _upto(scores, "left")


def ranks_at_all(
    truth: Mapping[str, Floats], worth: Mapping[str, float], off: Mapping[str, float]
) -> tuple[Floats, Floats]:
    """The same at all rates that are off by these factors: models are above others if so at each corner."""
    ends = itertools.product(*((1 / factor, factor) for factor in off.values()))
    corners = (
        total(truth, {**worth, **{n: worth[n] * m for n, m in zip(off, at, strict=True)}}) for at in ends
    )
    above = np.min([scores[:, None] - scores for scores in corners], axis=0) > 0
    return 1.0 + above.sum(axis=0), 1.0 * len(above) - above.sum(axis=1)


def _upto(scores: Floats, side: Literal["left", "right"]) -> npt.NDArray[np.int64]:
    """How many models are below each (left), or not above it (right)."""
    lines = scores.reshape(-1, scores.shape[-1])
    return np.array([np.searchsorted(np.sort(line), line, side) for line in lines]).reshape(scores.shape)


def certain(board: Board, drawn: Simulated, examples: int) -> tuple[Board, RankSets]:
    """The rank sets of the evaluator, and the board with those last that are no better than its floor."""
    names = [*drawn.moved]
    units = drawn.moved[names[0]].shape[1] if names else examples
    triangles = {
        (first, second): triangle(drawn.moved[first], drawn.moved[second])
        for place, first in enumerate(names)
        for second in names[place:]
    }
    relative = {name: column.tolist() for name, column in drawn.relative.items()}
    unit = {name: drawn.unit.get(name, 100.0) for name in names}
    one = Sampled(examples, units, unit, triangles, relative, {}, {}, {})
    one = replace(one, bias=drawn.bias, scarce=drawn.scarce, own=drawn.own, freedom=drawn.freedom)
    if drawn.exact:
        unknown = {name: dict.fromkeys(models, WITHOUT_EXAMPLES) for name, models in drawn.exact.items()}
        one = replace(one, unknown=unknown, stated=drawn.stated if len(drawn.stated) > 1 else {})
    elif drawn.stated:
        nobody = {name: dict.fromkeys(range(len(board.models)), "published") for name in names}
        one = Sampled(0, 0, {}, {}, relative, {}, {}, nobody, drawn.stated)
    certainty = Certainty(board, {"d": one})
    for metric, place in drawn.floor.items():
        better = certainty.better_than(board.models[place], Question({metric: 1.0}))
        last = [model for model in board.models if model not in better]
        metrics = list(board.metrics.values())
        board = Board(board.models, metrics, board.values, board.base, floored=last)
        certainty = Certainty(board, {"d": one})
    return board, certainty.sets(Question(), factor=max(drawn.off.values(), default=1.0))


def ends(sets: Sequence[tuple[int, int] | None]) -> tuple[Floats, Floats]:
    """Of a standard error of 0 nothing is known, so that any rank is possible."""
    low, high = np.array([each or (1, len(sets)) for each in sets], dtype=float).T
    return low, high


def triangle(first: Floats, second: Floats) -> list[float]:
    """The covariance of the differences of two metrics, of each pair of models."""
    units = first.shape[1]
    shared = first @ second.T / (units * max(1, units - 1))
    own = np.diagonal(shared)
    found = own[:, None] + own - shared - shared.T
    flat: list[float] = found[np.tril_indices(len(own), -1)].tolist()
    return flat


def bootstrap(chance: Chance, drawn: Simulated, worth: Mapping[str, float]) -> tuple[Floats, Floats]:
    """The percentiles of each model's rank when units and passes are drawn again."""
    # Of throughput alone only the blocks are drawn again.
    units = next((moved.shape[1] for moved in drawn.moved.values()), 1)
    picked = chance.integers(units, size=(RESAMPLES, units)) + units * np.arange(RESAMPLES)[:, None]
    times = np.bincount(picked.ravel(), minlength=RESAMPLES * units).reshape(RESAMPLES, units)
    again = {name: values(times.astype(float)) for name, values in drawn.again.items()}
    best, _ = ranks(total(again, worth))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(best, [tail, 1 - tail], axis=0, method="closest_observation")
    return low, high


if __name__ == "__main__":
    main()
