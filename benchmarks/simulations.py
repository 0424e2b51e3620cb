"""Boards with known ranks, by metric: what `benchmarks/coverage.py` draws.

Every model answers the same examples: it is right where its skill, the example's difficulty and chance sum
to more than 0, so models are paired, and the values of the whole source are known exactly. Where clusters
are few, each model has strengths of its own in each, or answers all examples of a cluster alike. Of
cross-entropy every other model is now and then certain and wrong, else better than the steady ones: means
are equal. With a floor, one model gives a constant answer, and those that are not separated from it come
last, in truth too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from evaluator.rank.published import Stated
from evaluator.score.metrics import METRICS, report
from evaluator.score.metrics.probability import BINS

Floats = npt.NDArray[np.float64]
Chance = np.random.Generator

#: Share of the variance of an answer that all models have in common.
SHARED = 0.5
CLUSTER = 5
#: Share of the variance of an answer that is a model's strength in a cluster.
OWN = 0.1
#: Gold labels of the classes of macro-F1.
CLASSES = np.array([0.7, 0.22, 0.08])
#: A model is timed in so few blocks, whose standard deviation is from the one to the other.
BLOCKS, BLOCK_NOISE = 6, (0.01, 0.2)

normal = NormalDist()
Simulation = Callable[[Chance, Floats, int], "Simulated"]


@dataclass(frozen=True)
class Simulated:
    """A board's numbers by metric: the true and the measured values (models,), in the metric's unit.

    `moved` are influence values (models, units), and `again` gives the values (draws, models) of units that
    were drawn again so many times (draws, units). `relative` is what `Sampled` takes of throughput. Where
    `stated` says how published values vary each by itself, it is all that the rank sets see, unless numbers
    are given: `exact` has by metric the models of these. `unit` is what one example can move a metric by,
    where that is not 100; `bias`, `scarce` and `own` are what `Sampled` takes. `floor` has by metric the
    model whose answer is constant. Where there are `trades`, models are ranked by them. `off` are factors by
    which exchange rates may be off, the same for all metrics but the base: sets are to hold the ranks at all
    such rates then.
    """

    truth: dict[str, Floats]
    values: dict[str, Floats]
    moved: dict[str, Floats]
    again: dict[str, Callable[[Floats], Floats]]
    relative: dict[str, Floats] = field(default_factory=dict)
    stated: dict[str, Stated] = field(default_factory=dict)
    unit: dict[str, float] = field(default_factory=dict)
    bias: dict[str, list[float]] = field(default_factory=dict)
    scarce: dict[str, int] = field(default_factory=dict)
    own: dict[str, list[float]] = field(default_factory=dict)
    floor: dict[str, int] = field(default_factory=dict)
    exact: dict[str, list[int]] = field(default_factory=dict)
    trades: dict[str, float | str] = field(default_factory=dict)
    off: dict[str, float] = field(default_factory=dict)
    freedom: dict[str, list[int]] = field(default_factory=dict)


def skills(low: float, high: float, models: int) -> Floats:
    """Skills (models,) whose true accuracies lie evenly from `low` to `high`."""
    return np.array([normal.inv_cdf(share) for share in np.linspace(low, high, models)])


def shares(skill: Floats) -> Floats:
    return np.array([normal.cdf(one) for one in skill])


def answers(chance: Chance, skill: Floats, difficulty: Floats) -> npt.NDArray[np.bool_]:
    """Where each model is right (models, examples)."""
    noise = chance.standard_normal((len(skill), len(difficulty)))
    return skill[:, None] + math.sqrt(SHARED) * difficulty + math.sqrt(1 - SHARED) * noise > 0


def of_mean(name: str, truth: Floats, units: Floats) -> Simulated:
    """A metric in per cent that is the mean of `units` (models, units)."""
    means = units.mean(axis=1)

    def again(drawn: Floats) -> Floats:
        found: Floats = 100 * (drawn @ units.T) / units.shape[1]
        return found

    return Simulated(
        {name: 100 * truth}, {name: 100 * means}, {name: 100 * (units - means[:, None])}, {name: again}
    )


def accuracy(chance: Chance, skill: Floats, examples: int) -> Simulated:
    right = answers(chance, skill, chance.standard_normal(examples))
    return of_mean("accuracy", shares(skill), right.astype(float))


def cross_entropy(chance: Chance, skill: Floats, examples: int) -> Simulated:
    """Half a nat of all models: of every other one much of it is from one example in two samples."""
    often, most = 0.5 / examples, METRICS["cross-entropy"].bound
    lost = (chance.random((len(skill), examples)) < often) & (np.arange(len(skill)) % 2 == 0)[:, None]
    usual = np.where(np.arange(len(skill)) % 2, 0.5, (0.5 - often * most) / (1 - often))[:, None]
    units = np.where(lost, most, usual * chance.uniform(0.8, 1.2, examples))
    drawn = of_mean("cross-entropy", np.full(len(skill), 0.005), units / 100)
    return replace(drawn, unit={"cross-entropy": most})


def calibration(chance: Chance, skill: Floats, examples: int) -> Simulated:
    """Calibration error of models that are right less often than they say; as often where skill is 0.95.

    Every other model is always nearly certain, so that its error is in one bin.
    """
    over = 0.95 - shares(skill)[:, None]
    lowest = np.where(np.arange(len(skill)) % 2, 0.5, 0.97)[:, None]
    said = 1 - (1 - lowest) * chance.random((len(skill), examples))
    # Right where a uniform number, which goes together for models, is under the share of right answers.
    together = math.sqrt(SHARED) * chance.standard_normal(examples)
    uniform = distribution(together + math.sqrt(1 - SHARED) * chance.standard_normal(said.shape))
    right = uniform < said - over
    place = np.digitize(said, np.linspace(0, 1, BINS + 1)[1:-1], right=True)
    gaps = (place[:, :, None] == np.arange(BINS)) * (right - said)[:, :, None]

    def again(drawn: Floats) -> Floats:
        return np.stack([100 * np.abs(drawn @ one).sum(axis=1) / examples for one in gaps], axis=1)

    name, units = "calibration-error", np.arange(examples)
    found = [
        report(np.zeros(examples, int), 1 - own, "classification", [name], labels=["x", "y"], probabilities=p)
        for own, p in (
            (own.astype(int), np.column_stack([s, 1 - s])) for own, s in zip(right, said, strict=True)
        )
    ]
    scores = [one.scores[name] for one in found]
    return Simulated(
        {name: 100 * over[:, 0]},
        {name: np.array([one.value for one in scores])},
        {name: np.stack([one.influence() for one in scores if one.influence])},
        {name: again},
        bias={name: [one.bias(units) for one in scores if one.bias]},
    )


def auroc(positives: int) -> Simulation:
    """AUROC where so many examples have the label that it is about."""

    def simulation(chance: Chance, skill: Floats, examples: int) -> Simulated:
        positive = np.arange(examples) < positives
        common = math.sqrt(SHARED) * chance.standard_normal(examples)
        noise = math.sqrt(1 - SHARED) * chance.standard_normal((len(skill), examples))
        given = math.sqrt(2) * skill[:, None] * positive + common + noise

        def again(drawn: Floats) -> Floats:
            return np.stack([weighted_area(drawn, positive, one) for one in given], axis=1)

        name, said = "auroc", distribution(given)
        answers = np.zeros(examples, int), positive.astype(int)
        scores = [
            report(
                *answers,
                "classification",
                [name],
                labels=["x", "y"],
                probabilities=np.column_stack([1 - s, s]),
            ).scores[name]
            for s in said
        ]
        return Simulated(
            {name: 100 * shares(skill)},
            {name: np.array([one.value for one in scores])},
            {name: np.stack([one.influence() for one in scores if one.influence])},
            {name: again},
            scarce={name: min(int(side.sum()) for side in scores[0].sides)},
        )

    return simulation


def weighted_area(drawn: Floats, positive: npt.NDArray[np.bool_], given: Floats) -> Floats:
    """AUROC in per cent (draws,) of examples that count so many times (draws, examples)."""
    order = np.argsort(given)
    weights, is_positive = drawn[:, order], positive[order]
    below = np.cumsum(weights * ~is_positive, axis=1)
    both = weights[:, is_positive].sum(axis=1) * below[:, -1]
    area = (weights * is_positive * below).sum(axis=1)
    found: Floats = 100 * np.divide(area, both, out=np.full(len(drawn), 0.5), where=both > 0)
    return found


def distribution(values: Floats) -> Floats:
    found: Floats = np.vectorize(normal.cdf)(values)
    return found


def few_clusters(count: int, alike: bool = False) -> Simulation:
    """Accuracy on so many clusters, each of which suits some models; or with all answers of one `alike`."""

    def simulation(chance: Chance, skill: Floats, examples: int) -> Simulated:
        size = examples // count
        rows = 1 if alike else size
        difficulty = np.repeat(chance.standard_normal(count), rows)
        own = np.repeat(chance.standard_normal((len(skill), count)), rows, axis=1)
        noise = chance.standard_normal(own.shape)
        parts = (skill[:, None], math.sqrt(SHARED) * difficulty, math.sqrt(OWN) * own)
        right = sum(parts, math.sqrt(1 - SHARED - OWN) * noise) > 0
        return of_mean("accuracy", shares(skill), right.reshape(len(skill), count, rows).mean(axis=2))

    return simulation


def clustered(chance: Chance, skill: Floats, examples: int) -> Simulated:
    """Accuracy where examples of a cluster share their difficulty: the clusters are the units."""
    difficulty = np.repeat(chance.standard_normal(examples // CLUSTER), CLUSTER)
    right = answers(chance, skill, difficulty)
    return of_mean("accuracy", shares(skill), right.reshape(len(skill), -1, CLUSTER).mean(axis=2))


def floored(chance: Chance, skill: Floats, examples: int) -> Simulated:
    """Accuracy of models near a constant answer, which is right on three of four examples."""
    drawn = accuracy(chance, skill, examples)
    place, constant = int(chance.integers(len(skill))), chance.random(examples) < 0.75
    units = np.array(drawn.moved["accuracy"] + drawn.values["accuracy"][:, None]) / 100
    units[place] = constant
    truth = shares(skill)
    truth[place] = 0.75
    return replace(of_mean("accuracy", truth, units), floor={"accuracy": place})


def macro_f1(chance: Chance, skill: Floats, examples: int) -> Simulated:
    """Macro-F1 over unbalanced classes, by the values without each kind of answer."""
    cells = answered(chance, skill, chance.standard_normal(examples))
    kinds = np.arange(CLASSES.size**2)
    each = (cells[:, :, None] == kinds).astype(float)
    counts = each.sum(axis=1)
    without = f1_of(counts[:, None] - np.eye(kinds.size))
    left_out = np.take_along_axis(without, cells, axis=1)
    moved = (examples - 1) * (left_out.mean(axis=1, keepdims=True) - left_out)

    def again(drawn: Floats) -> Floats:
        return np.stack([f1_of(drawn @ of_model) for of_model in each], axis=1)

    truth = f1_of(np.array([true_cells(share) for share in shares(skill)]))
    name = "macro-f1"
    return Simulated({name: truth}, {name: f1_of(counts)}, {name: moved}, {name: again})


def answered(chance: Chance, skill: Floats, difficulty: Floats) -> npt.NDArray[np.int64]:
    """Gold class times the number of classes plus the answer (models, examples)."""
    right = answers(chance, skill, difficulty)
    gold = chance.choice(CLASSES.size, size=len(difficulty), p=CLASSES)
    others = np.array([[other for other in range(CLASSES.size) if other != label] for label in gold])
    first = CLASSES[others[:, 0]] / CLASSES[others].sum(axis=1)
    wrong = np.where(chance.random(right.shape) < first, others[:, 0], others[:, 1])
    return np.asarray(gold * CLASSES.size + np.where(right, gold, wrong))


def true_cells(share: float) -> Floats:
    """The shares of gold class and answer (classes squared,) of a model that is right in `share`."""
    wrong = np.outer(CLASSES / (1 - CLASSES), CLASSES) * (1 - share)
    np.fill_diagonal(wrong, CLASSES * share)
    return wrong.ravel()


def f1_of(counts: Floats) -> Floats:
    """Macro-F1 in per cent of counts (..., classes squared), over the classes that occur."""
    table = counts.reshape(*counts.shape[:-1], CLASSES.size, CLASSES.size)
    right = np.diagonal(table, axis1=-2, axis2=-1)
    over = table.sum(axis=-1) + table.sum(axis=-2)
    each = np.divide(2 * right, over, out=np.zeros_like(over), where=over > 0)
    found: Floats = 100 * each.sum(axis=-1) / np.maximum(1, (over > 0).sum(axis=-1))
    return found


def composite(chance: Chance, skill: Floats, examples: int) -> Simulated:
    """Accuracy, the share of answers that stay the same on the same examples, and throughput.

    Better models are slower, and equal ones equally fast.
    """
    difficulty = chance.standard_normal(examples)
    right = of_mean("accuracy", shares(skill), answers(chance, skill, difficulty).astype(float))
    steady = answers(chance, skill + 0.4, difficulty).astype(float)
    same = of_mean("agreement", shares(skill + 0.4), steady)
    speed = timed(chance, 100 * np.exp(-2 * (skill - skill.mean())))
    return merged([right, same, speed])


def traded(chance: Chance, skill: Floats, examples: int) -> Simulated:
    """The same, ranked by trade-offs: a point of accuracy is worth two of agreement, or 5 % of speed."""
    drawn = composite(chance, skill, examples)
    return replace(drawn, trades={"agreement": 2.0, "throughput": "5 %"})


def off(simulation: Simulation, factor: float) -> Simulation:
    """The same, with sets that hold at all rates within a factor."""

    def simulated(chance: Chance, skill: Floats, examples: int) -> Simulated:
        drawn = simulation(chance, skill, examples)
        return replace(drawn, off=dict.fromkeys([*drawn.values][1:], factor))

    return simulated


def opposed(factor: float) -> Simulation:
    """What better models gain by accuracy they lose by a noisy metric that is worth so many times more."""

    def simulation(chance: Chance, skill: Floats, examples: int) -> Simulated:
        right = answers(chance, skill, chance.standard_normal(examples)).astype(float)
        lost = -shares(skill) / factor
        noise = lost[:, None] + chance.standard_normal((len(skill), examples))
        drawn = merged([of_mean("accuracy", shares(skill), right), of_mean("noisy", lost, noise)])
        return replace(drawn, trades={"noisy": 1.0})

    return off(simulation, factor)


def merged(parts: Sequence[Simulated]) -> Simulated:
    """Several metrics of one board."""
    found = [
        {name: value for part in parts for name, value in getattr(part, what).items()}
        for what in (part.name for part in fields(Simulated))
    ]
    return Simulated(*found)


def timed(chance: Chance, truth: Floats) -> Simulated:
    """Throughput: the geometric mean of blocks whose lognormal noise is not that of the other models."""
    noise = np.geomspace(*BLOCK_NOISE, len(truth))[:, None]
    logs = np.log(truth)[:, None] + chance.permutation(noise) * chance.standard_normal((len(truth), BLOCKS))
    relative = logs.var(axis=1, ddof=1) / BLOCKS

    def again(drawn: Floats) -> Floats:
        picked = chance.integers(BLOCKS, size=(len(drawn), len(truth), BLOCKS))
        found: Floats = np.exp(np.mean(logs[np.arange(len(truth))[:, None], picked], axis=2))
        return found

    name, values, freedom = "throughput", np.exp(logs.mean(axis=1)), [BLOCKS - 1] * len(truth)
    return Simulated(
        {name: truth}, {name: values}, {}, {name: again}, {name: relative}, freedom={name: freedom}
    )


def throughput(chance: Chance, skill: Floats, examples: int) -> Simulated:
    """Throughput alone; models of one skill are equally fast."""
    return timed(chance, 100 * np.exp(skill))
