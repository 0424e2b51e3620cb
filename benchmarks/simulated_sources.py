"""Boards with known ranks, by where numbers come from: what `benchmarks/coverage.py` draws.

Five rows have the text of each question and go together as its answers do; they are noticed by the code that
notices them in a dataset, or taken for five examples. A judge errs in 15 of 100 verdicts and prefers every
fifth model by 15 points; people labelled some answers, the same of all models.

Of published numbers the rank sets see shares and n, or standard errors, and no answers, which the bootstrap
sees still. Answers go together, vary on their own, or go against one another: what is hard for half of the
models is easy for the others. Where a number is given, nothing says how it varies, and the truth has it as it
is: that of all models, or of every other one while those of the others are of examples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
from simulations import (
    CLUSTER,
    SHARED,
    Chance,
    Floats,
    Simulated,
    Simulation,
    answers,
    distribution,
    merged,
    normal,
    of_mean,
    shares,
)

from evaluator.data.datasets import DatasetSource, read_dataset
from evaluator.rank.difficulty import Samples
from evaluator.rank.difficulty_order import DifficultyQuestion
from evaluator.rank.published import Stated
from evaluator.records.board import TrialsSpec
from evaluator.score.judges import Verdicts, weight_of
from evaluator.score.passes import chances, pass_runs
from evaluator.score.runs import Runs, run_variances

#: How often a judge errs, and the share of their answers by which it prefers some models.
JUDGE_ERRS, PREFERRED = 0.15, 0.15
#: By how many points a whole run is better or worse, as a training seed makes it.
SEED_EFFECT = 1.5


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
