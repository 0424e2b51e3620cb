"""How often the rank sets of `evaluator.rank.rank_sets` hold the true ranks, on simulated boards.

Run from the repository: python benchmarks/coverage.py [--boards N] [--only TEXT] [--ranges] [--seed N]
Every model answers the same examples: it is right where its skill, the example's difficulty and chance sum
to more than 0, so models are paired, and the values of the whole source are known exactly. Truth is the
score at these values and at the exchange rates of each simulated board, as the rates are held fixed. A set
covers its model if it has all true ranks: from 1 + models truly above it to M - models truly below it. Of
models that tie that is the strict reading: they must not be set apart. In brackets, where it differs, is
the lax one: the share of sets that have just one of these ranks.

Beside the rank sets are the percentile bootstrap of ranks (examples, or clusters, and passes drawn again;
models that tie share the better rank, as on a board) and sets from z tests at Bonferroni's level over all
pairs, without the pseudo-example. The column behind each method is the mean width of its sets in ranks. Of
10 models five times, and of 2 models ten times as many boards are made as of 50. Where clusters are few, each
model has strengths of its own in each, or answers all examples of a cluster alike. Of cross-entropy
every other model is now and then certain and wrong, else better than the steady ones: means are equal. The
error is the standard error of the rank sets' coverage over boards: it is 0 where every set covers. "Pairs" is
the share of boards on which every pair that is said to be separated is in the right order, all at once.

With `--ranges` there is a line for each of `KINDS` of conditions: the lowest and the highest coverage.
`benchmarks/coverage_datasets.py` simulates ranks on another dataset.

Five rows have the text of each question and go together as its answers do; they are noticed by the code that
notices them in a dataset, or taken for five examples. With a floor, one model gives a constant answer, and
those that are not separated from it come last, in truth too.

A judge errs in 15 of 100 verdicts and prefers every fifth model by 15 points; people labelled some answers,
the same of all models.

Of published numbers the rank sets see shares and n, or standard errors, and no answers, which the two other
methods see still. Answers go together, vary on their own, or go against one another: what is hard for half of
the models is easy for the others. Where a number is given, nothing says how it varies, and the truth has it
as it is: that of all models, or of every other one while those of the others are of examples.
"""

from __future__ import annotations

import argparse
import itertools
import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from statistics import NormalDist
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets import DatasetSource, read_dataset
from evaluator.rank.difficulty import Samples
from evaluator.rank.difficulty_order import DifficultyQuestion
from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.published import WITHOUT_EXAMPLES, Stated
from evaluator.rank.rank_sets import Certainty, RankSets, Sampled
from evaluator.rank.significance import CONFIDENCE
from evaluator.records.board import TrialsSpec
from evaluator.score.judges import Verdicts, weight_of
from evaluator.score.metrics import METRICS, report
from evaluator.score.metrics.probability import BINS
from evaluator.score.passes import chances, pass_runs
from evaluator.score.runs import Runs, run_variances

Floats = npt.NDArray[np.float64]
Chance = np.random.Generator

#: Models of a board, and how many times as many boards are made of so many.
MODELS = {2: 10, 10: 5, 50: 1}
EXAMPLES = (50, 200, 1000, 5000)
#: Share of the variance of an answer that all models have in common.
SHARED = 0.5
CLUSTER = 5
#: Share of the variance of an answer that is a model's strength in a cluster, and how many clusters are few.
OWN = 0.1
CLUSTERS, ALIKE = (10, 20, 50), (1, 2, 4, 6, 10)
#: So many examples are in few clusters, and so many are few examples.
IN_FEW, FEW_EXAMPLES = (1000,), (1, 2, 5, 10, 20)
#: Of so many examples are boards of conditions that take long, or that need some.
UP_TO_1000, MIDDLING = (50, 200, 1000), (200, 1000)
#: Gold labels of the classes of macro-F1.
CLASSES = np.array([0.7, 0.22, 0.08])
#: How often a judge errs, and the share of their answers by which it prefers some models.
JUDGE_ERRS, PREFERRED = 0.15, 0.15
#: By how many points a whole run is better or worse, as a training seed makes it.
SEED_EFFECT = 1.5
#: A model is timed in so few blocks, whose standard deviation is from the one to the other.
BLOCKS, BLOCK_NOISE = 6, (0.01, 0.2)
RESAMPLES = 200
#: More than any two scores differ by, so that models with so much less come last.
LAST = 1e9
METHODS = ("rank sets", "bootstrap", "Bonferroni")

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


@dataclass(frozen=True)
class Found:
    """Of one board by method: shares of sets that cover, that meet, and their mean width in ranks.

    `pairs` says whether all separated pairs are in the right order.
    """

    covers: dict[str, float]
    meets: dict[str, float]
    width: dict[str, float]
    pairs: bool


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


def judged(labels: int | None) -> Simulation:
    """Accuracy by a judge, which errs and prefers every fifth model by `PREFERRED`, and so many labels.

    With None there are none, and the judge's verdicts are taken for the truth.
    """

    def simulation(chance: Chance, skill: Floats, examples: int) -> Simulated:
        right = answers(chance, skill, chance.standard_normal(examples))
        said = np.where(chance.random(right.shape) < JUDGE_ERRS, ~right, right)
        # Of what the judge would call wrong, so much of a preferred model's is called right.
        often = PREFERRED / (1 - shares(skill) - JUDGE_ERRS * (1 - 2 * shares(skill)))
        said |= chance.random(right.shape) < (often * (np.arange(len(skill)) % 5 == 0))[:, None]
        name, truth = "accuracy", shares(skill)
        if labels is None:
            return of_mean(name, truth, said.astype(float))
        asked = np.isin(np.arange(examples), chance.choice(examples, labels, replace=False))
        models = [
            Verdicts.of(verdicts[:, None], np.where(asked, label, np.nan)[:, None])
            for verdicts, label in zip(100.0 * said, 100.0 * right, strict=True)
        ]
        weight = weight_of(models)

        def again(drawn: Floats) -> Floats:
            rest = (100.0 * (right - weight * said) * asked).T
            found: Floats = 100.0 * weight * (drawn @ said.T) / examples
            return found + (drawn @ rest) / np.maximum(1, drawn @ asked)[:, None]

        return Simulated(
            {name: 100 * truth},
            {name: np.array([one.value(weight, None) for one in models])},
            {name: np.stack([one.moved(weight) for one in models])},
            {name: again},
            unit={name: 100.0 * (examples + 2) / (labels + 2)},
            scarce={name: labels},
        )

    return simulation


def distribution(values: Floats) -> Floats:
    found: Floats = np.vectorize(normal.cdf)(values)
    return found


def runs(count: int, effect: float, metrics: int = 1, unlike: bool = False) -> Simulation:
    """Accuracy over so many whole runs, each of which is better or worse by `effect` points; and an agreement
    that moves with it. Of `unlike` models every other one has no such effect, and others twice the variance.
    """

    def simulation(chance: Chance, skill: Floats, examples: int) -> Simulated:
        models = len(skill)
        moved = effect / (100 * normal.pdf(normal.inv_cdf(0.75)))
        width = moved * (math.sqrt(2) * (np.arange(models) % 2) if unlike else np.ones(models))
        shifts = width[:, None] * chance.standard_normal((models, count))
        found = []
        for name, more in (("accuracy", 0.0), ("agreement", 0.4))[:metrics]:
            common = math.sqrt(SHARED) * chance.standard_normal((1, examples, 1))
            own = math.sqrt((1 - SHARED) / 2) * chance.standard_normal((models, examples, 1))
            each = math.sqrt((1 - SHARED) / 2) * chance.standard_normal((models, examples, count))
            # As good on average as without runs that differ.
            middle = (skill + more) * np.sqrt(1 + width**2)
            right = (middle[:, None] + shifts)[:, None] + common + own + each > 0
            by_model = {str(at): Runs.of(values) for at, values in enumerate(100.0 * right)}
            drawn = of_mean(name, shares(skill + more), right.mean(axis=2))
            found.append(replace(drawn, own={name: run_variances(by_model, frozenset()) or []}))
        return merged(found)

    return simulation


def passes(count: int, drawn: int) -> Simulation:
    """The chance that all of `drawn` trials are right, from so many whole runs of models that are equal."""

    def simulation(chance: Chance, skill: Floats, examples: int) -> Simulated:
        models, width = len(skill), SEED_EFFECT / (100 * normal.pdf(normal.inv_cdf(0.75)))
        shifts = width * chance.standard_normal((models, 1, count))
        common = math.sqrt(SHARED) * chance.standard_normal((1, examples, 1))
        each = math.sqrt(1 - SHARED) * chance.standard_normal((models, examples, count))
        right = (skill[:, None, None] + shifts + common + each > 0).astype(float)
        spec = TrialsSpec(of="accuracy", all=drawn)
        found = [chances(one, spec) for one in right]
        by_model = {str(at): pass_runs(one, spec) for at, one in enumerate(right)}
        drawn_of = of_mean("pass", np.full(models, 0.5), np.array(found) / 100)
        return replace(drawn_of, own={"pass": run_variances(by_model, frozenset()) or []})

    return simulation


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


def repeated(noticed: bool) -> Simulation:
    """Accuracy of five runs of each question, a row each: one example as the rows' texts are the same."""

    def simulation(chance: Chance, skill: Floats, examples: int) -> Simulated:
        questions = examples // CLUSTER
        difficulty = np.repeat(chance.standard_normal(questions), CLUSTER)
        own = np.repeat(chance.standard_normal((len(skill), questions)), CLUSTER, axis=1)
        noise = math.sqrt(0.1) * chance.standard_normal((len(skill), examples))
        common = math.sqrt(SHARED) * difficulty + math.sqrt(1 - SHARED - 0.1) * own
        right = (skill[:, None] + common + noise > 0).astype(float)
        texts = [f"question {row // CLUSTER}" for row in range(examples)]
        groups = np.array(same_texts(texts) if noticed else range(examples))
        units = np.stack([np.bincount(groups, one) / np.bincount(groups) for one in right])
        return of_mean("accuracy", shares(skill), units)

    return simulation


def same_texts(texts: Sequence[str]) -> tuple[int, ...]:
    """The group of each row of a dataset with these texts, by the reader of datasets."""
    lines = ["statement\tlabel", *(f"{text}\tpositive" for text in texts)]
    with TemporaryDirectory() as folder:
        path = Path(folder, "d.tsv")
        path.write_text("\n".join(lines) + "\n", "utf-8")
        columns = {"statement": "statement", "label": "label"}
        source = DatasetSource("d", "sentiment", path, "tsv", columns, labels=("negative", "positive"))
        return read_dataset(source).clusters


def by_difficulty(chance: Chance, skill: Floats, examples: int) -> Simulated:
    """The share of right answers by weight, where harder fifths of the examples weigh up to five times."""
    difficulty = chance.standard_normal(examples)
    right = answers(chance, skill, difficulty).astype(float)
    weight = 1.0 + np.argsort(np.argsort(-difficulty)) * 5 // examples
    part = weight / weight.mean()
    values = (right * part).mean(axis=1)

    def again(drawn: Floats) -> Floats:
        found: Floats = 100 * (drawn @ (right * weight).T) / (drawn @ weight)[:, None]
        return found

    # The middles of so many equal parts of the difficulties, from the hardest on.
    middles = (np.arange(1000) + 0.5) / 1000
    grid, heavy = np.vectorize(normal.inv_cdf)(middles), 5.0 - np.floor(5 * middles)
    often = distribution((skill[:, None] + math.sqrt(SHARED) * grid) / math.sqrt(1 - SHARED))
    truth = (often * heavy).sum(axis=1) / heavy.sum()
    name = "by difficulty"
    return Simulated(
        {name: 100 * truth},
        {name: 100 * values},
        {name: 100 * part * (right - values[:, None])},
        {name: again},
        unit={name: 100 * float(part.max())},
    )


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


def published(together: float, by: Literal["n", "errors"], metrics: int = 1) -> Simulation:
    """Accuracy, and with two metrics an agreement that moves with it: shares and n, or standard errors.

    `together` is the share of an answer's variance that its example decides; under 0 it does so in opposite
    directions for every other model.
    """

    def simulation(chance: Chance, skill: Floats, examples: int) -> Simulated:
        sides = np.where(np.arange(len(skill)) % 2, math.copysign(1.0, together), 1.0)[:, None]
        common = math.sqrt(abs(together)) * sides * chance.standard_normal(examples)
        noise = math.sqrt(1 - abs(together)) * chance.standard_normal((len(skill), examples))
        found = []
        for name, more in (("accuracy", 0.0), ("agreement", 0.4))[:metrics]:
            right = (skill[:, None] + more + common + noise > 0).astype(float)
            drawn = of_mean(name, shares(skill + more), right)
            found.append(replace(drawn, stated={name: stated(drawn.values[name], examples, by)}))
        return merged(found)

    return simulation


def stated(values: Floats, examples: int, by: Literal["n", "errors"]) -> Stated:
    """What a source says of shares in per cent (models,)."""
    errors = np.sqrt(values * (100 - values) / (examples - 1)).tolist()
    if by == "n":
        return Stated([None] * len(errors), [examples] * len(errors))
    return Stated([error or None for error in errors], [0] * len(errors))


def given(whose: Literal["all", "every other"]) -> Simulation:
    """Accuracy, and a number without anything behind it; of the other models it is a share of examples."""

    def simulation(chance: Chance, skill: Floats, examples: int) -> Simulated:
        difficulty, name = chance.standard_normal(examples), "agreement"
        right = answers(chance, skill, difficulty).astype(float)
        first = of_mean("accuracy", shares(skill), right)
        exact = list(range(0, len(skill), 1 if whose == "all" else 2))
        varies = of_mean(name, shares(skill + 0.4), answers(chance, skill + 0.4, difficulty).astype(float))
        number = varies.values[name].copy()
        number[exact] = chance.uniform(70, 95, len(exact))

        def again(drawn: Floats) -> Floats:
            found = varies.again[name](drawn)
            found[:, exact] = number[exact]
            return found

        truth, moved = varies.truth[name].copy(), varies.moved[name].copy()
        truth[exact], moved[exact] = number[exact], 0.0
        second = Simulated({name: truth}, {name: number}, {name: moved}, {name: again}, exact={name: exact})
        counts = [0 if model in exact else examples for model in range(len(skill))]
        known = {"accuracy": [examples] * len(skill), name: counts}
        stated = {metric: Stated([None] * len(n), n) for metric, n in known.items() if any(n)}
        return replace(merged([first, second]), stated=stated)

    return simulation


def difficulty_page(case: int) -> Simulation:
    """A value by difficulty, of examples that are hard for all where B is low; of models of equal skill."""

    def simulation(chance: Chance, skill: Floats, examples: int) -> Simulated:
        easy, question = np.round(chance.uniform(0.02, 1, examples), 6), DifficultyQuestion("b", case=case)
        right = answers(chance, skill, easy - 0.5 + 0.5 * chance.standard_normal(examples)).astype(float)
        records = {
            f"m{at}": {"labels": ["n", "y"], "predicted": own.astype(int)} for at, own in enumerate(right)
        }
        about = {"ids": range(examples), "labels": ["y", "n"], "gold": [0] * examples}
        samples = Samples.read(about, records, [{"name": "b", "values": easy.tolist()}])
        found = samples.answer(question)
        values = {row.model: row.value or 0.0 for row in found.rows}
        one = samples.influenced(question, found.rows)["value"]
        order, name = [row.model for row in found.rows], "value"
        weights, gained = samples.weighed(question, "m0"), 100 * (2 * right - 1)

        def again(drawn: Floats) -> Floats:
            total: Floats = (drawn * weights) @ gained.T / (drawn @ weights)[:, None]
            return total

        return Simulated(
            {name: np.full(len(skill), 0.0)},
            {name: np.array([values[f"m{at}"] for at in range(len(skill))])},
            {name: np.array([one.moved[order.index(f"m{at}")] for at in range(len(skill))])},
            {name: again},
            unit={name: one.unit},
        )

    return simulation


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
        *both("accuracy", accuracy),
        Condition("accuracy, near the ceiling", accuracy, 0.98, 0.995),
    ],
    "1 to 20 examples": [equal("few examples", accuracy, FEW_EXAMPLES)],
    "clusters of 5": both("clusters of 5", clustered),
    "10 to 50 clusters": [
        one for count in CLUSTERS for one in both(f"{count} clusters", few_clusters(count), IN_FEW)
    ],
    "clusters answered alike": [
        equal(f"{count} cluster{'s'[: count > 1]} answered alike", few_clusters(count, True), IN_FEW)
        for count in ALIKE
    ],
    "repeated rows, noticed": [equal("five rows of a question, noticed", repeated(True), MIDDLING)],
    "repeated rows, unnoticed": [equal("five rows of a question, unnoticed", repeated(False), MIDDLING)],
    "macro-F1": both("macro-F1, unbalanced", macro_f1),
    "several metrics": both("composite", composite),
    "by trade-offs": both("by trade-offs", traded, UP_TO_1000),
    "rates that are off": [
        *both("rates off by up to 2", off(composite, 2.0)),
        *(
            Condition(f"rates off by up to {factor}, level at one end", opposed(factor), 0.6, 0.9)
            for factor in (2, 4)
        ),
    ],
    "cross-entropy": [equal("cross-entropy", cross_entropy, UP_TO_1000)],
    "calibration error": [
        Condition("calibration error, all calibrated", calibration, 0.95, 0.95),
        Condition("calibration error, all equally off", calibration, 0.85, 0.85),
        Condition("calibration error, spread out", calibration, 0.8, 0.95),
    ],
    # Of so many blocks a model.
    "throughput": both("throughput", throughput, (BLOCKS,)),
    "AUROC": [equal(f"AUROC of {count} positives", auroc(count), MIDDLING) for count in (4, 10, 50)],
    "by difficulty": [
        *both("by difficulty", by_difficulty),
        *(equal(f"difficulty page, case {case}", difficulty_page(case), UP_TO_1000) for case in (1, 6)),
    ],
    "with a floor": [Condition("with a floor, spread out", floored, 0.7, 0.8)],
    "several runs": [
        *(
            one
            for count in (2, 5)
            for one in (
                equal(f"{count} runs, seed effect 0", runs(count, 0.0), MIDDLING),
                *both(f"{count} runs, seed effect {SEED_EFFECT}", runs(count, SEED_EFFECT), MIDDLING),
                equal(f"{count} runs, unlike seed effects", runs(count, SEED_EFFECT, unlike=True), MIDDLING),
            )
        ),
        *(
            equal(f"pass^{drawn} of 5 runs, seed effect {SEED_EFFECT}", passes(5, drawn), MIDDLING)
            for drawn in (2, 5)
        ),
        equal("5 runs, seed effect in two metrics", runs(5, SEED_EFFECT, metrics=2), MIDDLING),
    ],
    "a judge and labels": [
        one
        for count in (4, 10, 30, 100, 300)
        for one in both(f"a judge and {count} labels", judged(count), (1000,))
    ],
    "a judge alone": [equal("a judge alone", judged(None), (1000,))],
    "published numbers": [
        *(
            one
            for by in ("n", "errors")
            for how, share in TOGETHER.items()
            for one in both(f"published {by}, answers {how}", published(share, by), UP_TO_1000)
        ),
        *(
            equal(f"two metrics published, answers {how}", published(share, "n", metrics=2), UP_TO_1000)
            for how, share in TOGETHER.items()
        ),
    ],
    "given a number": [
        one
        for whose in ("all", "every other")
        for one in both(f"accuracy, given a number of {whose}", given(whose), UP_TO_1000)
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
    methods = METHODS[:2]
    print(f"| kind | {' | '.join(methods)} |")
    print("|---|" + "--:|" * len(methods))
    for kind, of_kind in KINDS.items():
        if only in kind:
            all_ = [made(*one, boards, seed) for one in sized(of_kind)]
            cells = [span([mean_of(found, method) for found in all_]) for method in methods]
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
        "Bonferroni": bonferroni(entered, worth),
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


def bonferroni(drawn: Simulated, worth: Mapping[str, float]) -> tuple[Floats, Floats]:
    """Sets from z tests of all pairs at once."""
    scores = total(drawn.values, worth)
    moved = sum((worth[name] * column for name, column in drawn.moved.items()), np.zeros((len(scores), 1)))
    spread = moved @ moved.T / (moved.shape[1] * max(1, moved.shape[1] - 1))
    for name, relative in drawn.relative.items():
        spread += np.diag(relative * (worth[name] * drawn.values[name]) ** 2)
    own = np.diagonal(spread)
    deviations = np.sqrt(np.maximum(0, own[:, None] + own - 2 * spread))
    level = -normal.inv_cdf((1 - CONFIDENCE) / (len(scores) * (len(scores) - 1)))
    above = scores - scores[:, None] > level * deviations
    return 1.0 + above.sum(axis=1), 1.0 * len(scores) - above.sum(axis=0)


if __name__ == "__main__":
    main()
