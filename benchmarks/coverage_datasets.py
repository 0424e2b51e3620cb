"""How often models' ranks on another dataset are in the sets of `evaluator.rank.another_dataset`.

Run from the repository: python benchmarks/coverage_datasets.py [--boards N] [--seed N]
A model's skill on a dataset is its own, and a part that is drawn for the dataset: datasets are draws of one
kind. Each board has so many of them, and one more is drawn, on which models get a rank by as many examples,
at the exchange rates of the board. "promised" is the probability that so many datasets allow, and "held" the
share of sets that have the rank that is seen on the other dataset (all ranks that tied models share);
"true" is the share that have the rank there by all examples that it could have.

Beside them are quantiles of rank sets on each dataset, as in Neuhof and Benjamini 2026, and the board's own
rank sets, which are about other examples of the same datasets and no promise for another one.
"""

from __future__ import annotations

import argparse
import itertools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from coverage import ends, ranks, triangle

from evaluator.rank.another_dataset import on_another_dataset
from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_sets import Certainty, Sampled

Floats = npt.NDArray[np.float64]
Chance = np.random.Generator

MODELS = 10
DATASETS = (6, 12, 40)
EXAMPLES = (50, 1000)
#: By name: how far skills are spread over models, how far over datasets, and whether costs count too.
SCENARIOS = {
    "spread out, datasets much alike": (0.5, 0.1, False),
    "spread out, datasets unlike": (0.5, 0.4, False),
    "all equal but for datasets": (0.0, 0.4, False),
    "all equal everywhere": (0.0, 0.0, False),
    "accuracy and cost, datasets unlike": (0.5, 0.4, True),
}
METHODS = ("elsewhere", "sets of each dataset", "rank sets")


@dataclass(frozen=True)
class Drawn:
    """Accuracies in per cent: true ones and those seen (datasets, models), with the answers behind them, and
    costs. The last dataset is the other one."""

    truth: Floats
    seen: Floats
    answers: list[Floats]
    cost: Floats | None


def draw(chance: Chance, name: str, datasets: int, examples: int) -> Drawn:
    """A board and another dataset. Costs rise with skill, and by a factor of a dataset's own."""
    spread, apart, costs = SCENARIOS[name]
    skill = chance.permutation(np.linspace(-spread, spread, MODELS))
    own = skill + apart * chance.standard_normal((datasets + 1, MODELS))
    usual = 0.7 + 0.3 * chance.standard_normal((datasets + 1, 1))
    truth = np.vectorize(lambda one: 50 * (1 + math.erf(one / math.sqrt(2))))(own + usual)
    answers = []
    for line in own + usual:
        difficulty = math.sqrt(0.5) * chance.standard_normal(examples)
        noise = math.sqrt(0.5) * chance.standard_normal((MODELS, examples))
        answers.append(100.0 * (line[:, None] + difficulty + noise > 0))
    seen = np.array([one.mean(axis=1) for one in answers])
    cost = np.exp(skill + chance.normal(0, 0.3, (datasets + 1, 1)) + chance.normal(0, 0.2, truth.shape))
    return Drawn(truth, seen, answers, cost if costs else None)


def board_of(drawn: Drawn, places: range) -> tuple[Board, Certainty]:
    """The board of some of the datasets, whose costs are exact."""
    names = [f"d{place}" for place in places]
    metrics = [RankedMetric("accuracy"), RankedMetric("cost", -1, None)][: 1 if drawn.cost is None else 2]
    values, sampled = {}, {}
    for name, place in zip(names, places, strict=True):
        values[name] = {"accuracy": drawn.seen[place].tolist()}
        moved = drawn.answers[place] - drawn.seen[place][:, None]
        varies = {("accuracy", "accuracy"): triangle(moved, moved)}
        exact: dict[str, list[float]] = {}
        if drawn.cost is not None:
            values[name]["cost"] = drawn.cost[place].tolist()
            exact = {"cost": [0.0] * MODELS}
        examples = moved.shape[1]
        sampled[name] = Sampled(examples, examples, {"accuracy": 100.0}, varies, exact, {}, {}, {})
    board = Board([f"m{i}" for i in range(MODELS)], metrics, values, "accuracy", rate="ratio")
    return board, Certainty(board, sampled)


def simulate(chance: Chance, name: str, datasets: int, examples: int) -> dict[str, float]:
    """What one board shows: what is promised, and shares and widths by method."""
    drawn = draw(chance, name, datasets, examples)
    board, certainty = board_of(drawn, range(datasets))
    columns = board.columns(Question())
    found = on_another_dataset(certainty, Question(), columns, 0.95)
    assert found is not None
    worth = {one: share / (columns.scale.rates[one].rate or math.inf) for one, share in shares(board).items()}
    costs = 0.0 if drawn.cost is None else worth["cost"] * drawn.cost[-1]
    best, worst = ranks(np.round(worth["accuracy"] * drawn.seen[-1] - costs, 9))
    true_best, true_worst = ranks(np.round(worth["accuracy"] * drawn.truth[-1] - costs, 9))
    each = [certainty_of.sets(Question()).sets for _, certainty_of in alone(drawn, datasets)]
    sets: dict[str, tuple[Floats, Floats]] = {
        "elsewhere": ends(found.sets),
        "sets of each dataset": quantiles(np.array(each, float), 1 - found.confidence),
        "rank sets": ends(certainty.sets(Question(), columns).sets),
    }
    said = {"promised": found.confidence}
    for method, (low, high) in sets.items():
        said[method] = float(np.mean((low <= best) & (high >= worst)))
        said[f"{method}, width"] = float(np.mean(high - low + 1))
    low, high = sets["elsewhere"]
    return {**said, "true": float(np.mean((low <= true_best) & (high >= true_worst)))}


def shares(board: Board) -> dict[str, float]:
    return board.metric_shares(None) or {}


def alone(drawn: Drawn, datasets: int) -> list[tuple[Board, Certainty]]:
    """A board of each dataset."""
    return [board_of(drawn, range(place, place + 1)) for place in range(datasets)]


def quantiles(each: Floats, level: float) -> tuple[Floats, Floats]:
    """Those of both ends of the rank sets (datasets, models, 2), with the paper's correction."""
    tail = level * len(each) / (len(each) + 1) / 2
    low = np.quantile(each[:, :, 0], tail, axis=0, method="lower")
    return low, np.quantile(each[:, :, 1], 1 - tail, axis=0, method="higher")


def table(boards: int, seed: int) -> None:
    print("| condition | datasets | n | promised | held | width | true | error |", end="")
    print("".join(f" {name} | width |" for name in METHODS[1:]))
    print("|---|" + "--:|" * (7 + 2 * len(METHODS[1:])))
    for name, datasets, examples in itertools.product(SCENARIOS, DATASETS, EXAMPLES):
        chance = np.random.default_rng([seed, [*SCENARIOS].index(name), datasets, examples])
        all_ = [simulate(chance, name, datasets, examples) for _ in range(boards)]
        mean = {key: float(np.mean([one[key] for one in all_])) for key in all_[0]}
        error = np.std([one["elsewhere"] for one in all_]) / math.sqrt(boards)
        first = [mean["elsewhere"], mean["elsewhere, width"], mean["true"], error]
        cells = [f"{mean['promised']:.3f}"]
        cells += [f"{one:.{1 if at == 1 else 3}f}" for at, one in enumerate(first)]
        for method in METHODS[1:]:
            cells += [f"{mean[method]:.3f}", f"{mean[f'{method}, width']:.1f}"]
        print(f"| {' | '.join([name, str(datasets), f'{examples:,}', *cells])} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--boards", type=int, default=100, help="boards a condition (100)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other boards (1)")
    given = parser.parse_args()
    table(given.boards, given.seed)


if __name__ == "__main__":
    main()
