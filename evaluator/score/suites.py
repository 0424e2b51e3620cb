"""The suites of a dataset, and how many of a model's predictions stay the same on their variants.

A suite is defined by the board file, made once, and kept under a hash of what decides it.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets import Dataset
from evaluator.data.suites import BACKENDS, transformations
from evaluator.data.suites.base import OURS, Protected
from evaluator.data.suites.make import PLAIN_VERSION, Definition, Suite, make, occurrences, version_for
from evaluator.data.suites.robustness import FACTORIES
from evaluator.data.tasks import get_task
from evaluator.records.board import Boards, SuiteSpec
from evaluator.records.datasets import Made, Sample, SuiteCard
from evaluator.records.errors import UserError, did_you_mean
from evaluator.records.references import PredictionSet
from evaluator.records.result import Failure, Result, Score, SuiteScores, TransformationScores
from evaluator.records.scratch import write_atomic
from evaluator.records.store import reference_to
from evaluator.score.answers import texts
from evaluator.score.metrics import report
from evaluator.score.scores import TOOL, dataset_ref, score

#: Between the id of an example and the transformation that made a variant of it.
MARK = "#"
_CAPITALISED = re.compile(r"\b[^\W\d_a-z][\w'-]+")
#: Variants of each transformation that a page shows, drawn at random by the suite's seed.
SAMPLES = 10


#: No folder: these suites are made here, by this version, and read from nowhere.
NOWHERE = Path()


@dataclass(frozen=True)
class PlannedSuite:
    """A suite to try a dataset with, and its identity on this revision."""

    definition: Definition
    hash: str


def planned_suites(specs: Sequence[SuiteSpec], dataset: Dataset, work: Path) -> list[PlannedSuite]:
    """The suites as defined, not made yet. Raises `UserError`."""
    version = version_for(get_task(dataset.task).perturbable, dataset.examples)
    definitions = [
        # Other backends see texts as they are.
        replace(define(spec, work), version=version if spec.backend == OURS else PLAIN_VERSION)
        for spec in specs
    ]
    return [PlannedSuite(definition, definition.hash(dataset.revision)) for definition in definitions]


def define(spec: SuiteSpec, work: Path) -> Definition:
    """The transformations of a suite of the board file; other backends run in `work`. Raises `UserError`."""
    if spec.backend == OURS:
        known = transformations(spec.kind, spec.options)
    else:
        _check_backend(spec)
        if spec.backend not in BACKENDS:
            fix = "run it from the command line, which has it"
            raise UserError(f"suites: {spec.id}: backend", f"{spec.backend} is not here", fix)
        known = BACKENDS[spec.backend](work)
    _check_names(spec, [transformation.name for transformation in known])
    chosen = [one for one in known if not spec.transformations or one.name in spec.transformations]
    return Definition(spec.id, spec.kind, tuple(chosen), spec.seed)


def check_suite(spec: SuiteSpec) -> None:
    """Raise `UserError` for a suite that cannot be, or that needs a package that is not here.

    Starts nothing: another backend need not be installed.
    """
    if spec.backend == OURS:
        define(spec, NOWHERE)
    else:
        _check_backend(spec)
        _check_names(spec, list(FACTORIES))


def _check_names(spec: SuiteSpec, names: Sequence[str]) -> None:
    for name in spec.transformations:
        if name not in names:
            wrong = f"{name!r} is none of {', '.join(names)}{did_you_mean(name, names)}"
            raise UserError(f"suites: {spec.id}: transformations", wrong)


def _check_backend(spec: SuiteSpec) -> None:
    """Raise `UserError` for what only our own transformations can."""
    if spec.kind != "robustness" or spec.options:
        what = f"kind: {spec.kind!r}" if spec.kind != "robustness" else f"options: {spec.options!r}"
        fix = "it makes robustness suites without options only"
        raise UserError(f"suites: {spec.id}", f"{what} is not for the backend {spec.backend}", fix)


def path_of(suite: PlannedSuite, work: Path) -> Path:
    """The file of a suite once it is made."""
    return work / "suites" / f"{suite.hash.removeprefix('sha256:')}.jsonl"


def suite_of(suite: PlannedSuite, dataset: Dataset, work: Path) -> Suite:
    """The suite itself, from its file in `work` if it was made before.

    Raises `UserError` if that file is broken, or if a variant of an answered question lost the answer.
    """
    path = path_of(suite, work)
    if path.exists():
        return Suite.read(path)
    made = make_suite(suite.definition, dataset)
    write_atomic(path, made.dump().encode())
    return made


def make_suite(definition: Definition, dataset: Dataset) -> Suite:
    """The suite, made anew. Raises `UserError` if a variant of an answered question lost its answer.

    The answers to a question stay where they are in its context; other tasks leave nothing out. Where names
    change, those that the question has stay too: it would ask about somebody else.
    """
    fields, asked = get_task(dataset.task).perturbable, dataset.task == "qa"
    protected: list[Protected] = [{} for _ in dataset.examples]
    if asked:
        for row, example in enumerate(dataset.examples):
            names = [] if definition.kind == "robustness" else _CAPITALISED.findall(example["question"])
            protected[row] = {"context": occurrences([*dataset.gold[row], *names], example["context"])}
    made = make(definition, dataset.id, dataset.revision, fields, dataset.examples, protected)
    for variant in made.variants if asked else ():
        example = dataset.examples[variant.row]
        for answer in dataset.gold[variant.row]:
            if answer in example["context"] and answer not in variant.texts["context"]:
                place = f"{dataset.id}: {example['id']}"
                raise UserError(place, f"{variant.transformation} lost an answer")
    return made


def perturbed(dataset: Dataset, suite: Suite) -> Dataset:
    """The variants as a dataset of their own, in the suite's order, tagged with their transformation.

    So a suite can be predicted, stored and scored like any dataset.
    """
    rows = rows_of(suite)
    originals = {row: dataset.examples[row] for row in set(rows)}
    examples = tuple(
        {**originals[v.row], **v.texts, "id": f"{originals[v.row]['id']}{MARK}{v.transformation}"}
        for v in suite.variants
    )
    return replace(
        dataset,
        examples=examples,
        gold=tuple(dataset.gold[row] for row in rows),
        tags=tuple({"transformation": variant.transformation} for variant in suite.variants),
        votes=tuple(dataset.votes[row] for row in rows) if dataset.votes else (),
        validated=tuple(dataset.validated[row] for row in rows) if dataset.validated else (),
        skipped=(),
        dropped={},
    )


def variants_file(suite: Suite, dataset: Dataset) -> bytes:
    """The variants as JSON lines, to be answered elsewhere: each with its id and the fields of the task."""
    names = ("id", *get_task(dataset.task).fields)
    rows = ({name: example[name] for name in names} for example in perturbed(dataset, suite).examples)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def rows_of(suite: Suite) -> tuple[int, ...]:
    """Which example each variant is of, in the suite's order."""
    return tuple(variant.row for variant in suite.variants)


def card_of(suite: Suite, dataset: Dataset, show_text: bool) -> SuiteCard:
    """What is published of a suite: samples of its texts only where `show_text` allows it."""
    return SuiteCard(
        task=dataset.task,
        dataset=dataset_ref(dataset),
        name=suite.name,
        suite=suite.hash,
        suite_kind=suite.kind,
        seed=suite.seed,
        spec=suite.spec,
        variants=len(suite.variants),
        rows=rows_of(suite),
        transformations={name: Made(**vars(counts)) for name, counts in suite.counts.items()},
        samples=tuple(_samples(suite, dataset)) if show_text else (),
        tool=TOOL,
    )


def _samples(suite: Suite, dataset: Dataset) -> Iterator[Sample]:
    """Some variants of each transformation, drawn at random, in the order of the dataset."""
    for name in suite.counts:
        made = [variant for variant in suite.variants if variant.transformation == name]
        drawn = random.Random(f"{suite.seed}/{name}").sample(range(len(made)), min(SAMPLES, len(made)))
        for variant in [made[place] for place in sorted(drawn)]:
            original = dataset.examples[variant.row]
            for field, after in variant.texts.items():
                about = {"transformation": name, "example": original["id"], "field": field}
                yield Sample(**about, before=original[field], after=after)


class RemadeSuites:
    """Suites by their hashes.

    Unless the board file is `trusted`, suites with options, which may name files, are left out.
    """

    def __init__(self, boards: Boards, trusted: bool) -> None:
        self.boards, self.trusted = boards, trusted
        self._made: dict[str, Suite | str] = {}

    def suite(self, name: str, dataset: Dataset, stored: str) -> Suite | str:
        """The suite of the hash `stored` under a name, or why it cannot be made here."""
        if stored not in self._made:
            self._made[stored] = self._make(name, dataset, stored)
        return self._made[stored]

    def _make(self, name: str, dataset: Dataset, stored: str) -> Suite | str:
        spec = self.boards.known_suites.get(name)
        if spec is None:
            return f"the board file has no suite {name}"
        if spec.backend != OURS:
            return f"the suite {name} is made by {spec.backend}"
        if spec.options and not self.trusted:
            return f"the suite {name} has options, which may name files"
        try:
            [planned] = planned_suites([spec], dataset, NOWHERE)
            if planned.hash != stored:
                return f"the suite {name} of {dataset.id} was made by other rules or another version"
            return make_suite(planned.definition, dataset)
        except UserError as error:
            return str(error)


#: How agreement is computed; in the version of its score beside the suite's hash.
AGREEMENT = "agreement-1"

#: Examples, and what a model answered to each.
AnsweredDataset = tuple[Dataset, PredictionSet]


def suite_scores(
    suite: Suite, before: AnsweredDataset, after: AnsweredDataset, failures: Sequence[Failure]
) -> SuiteScores:
    """Agreement, worst case and task metric of a model on a suite.

    `before` are the dataset and the model's predictions on it, `after` the variants and those on them.
    Raises ValueError for a suite without variants: there is nothing to agree on.
    """
    (dataset, original), (variants, predictions) = before, after
    before = dataset, original.runs()[0]  # variants were asked about once
    if not suite.variants:
        raise ValueError(f"suite {suite.name} on {dataset.id}: no example has a variant")
    rows = rows_of(suite)
    same = agreements(before, after, rows)
    examples, place = np.unique(rows, return_inverse=True)
    worst = np.ones(len(examples))
    np.minimum.at(worst, place, same)
    metric = get_task(dataset.task).metric
    return SuiteScores(
        suite=suite.hash,
        kind=suite.kind,
        seed=suite.seed,
        spec=suite.spec,
        examples=len(examples),
        without=len(dataset.examples) - len(examples),
        variants=len(rows),
        agreement=100 * float(np.mean(np.bincount(place, same) / np.bincount(place))),
        worst=100 * float(worst.mean()),
        metric=metric,
        score=score(variants, predictions, [metric])[metric].value,
        transformations={name: _transformation(name, suite, same, before, after) for name in suite.counts},
        failures=tuple(failures),
        predictions=reference_to(predictions),
    )


def agreements(
    before: AnsweredDataset, after: AnsweredDataset, rows: Sequence[int]
) -> npt.NDArray[np.float64]:
    """For every variant, how far the prediction `after` is that of its original: 0 or 1, for texts token F1.

    `rows` say which example each variant is of. An invalid answer agrees with nothing, not even with another.
    """
    if get_task(before[0].task).answer == "label":
        return same_labels(before[1], after[1], rows)
    originals, found = texts(before[0], before[1].runs()[0]), texts(*after)
    pairs = [(originals[row], text) for row, text in zip(rows, found, strict=True)]
    f1 = report([b or "" for _, b in pairs], [a or "" for a, _ in pairs], "qa", ["f1"]).scores["f1"].per_item
    assert f1 is not None
    equal = np.array([first is not None and first == second for first, second in pairs])
    given = np.array([first is not None and second is not None for first, second in pairs])
    # Two empty answers share no token but are still the same answer.
    return np.where(equal, 1.0, np.where(given, f1 / 100, 0.0))


def same_labels(
    original: PredictionSet, predictions: PredictionSet, rows: Sequence[int]
) -> npt.NDArray[np.float64]:
    """`agreements` of labels, which needs no texts."""
    labels = np.array(original.runs()[0].predicted)[list(rows)]
    return np.asarray((labels == np.array(predictions.predicted)) & (labels >= 0), dtype=np.float64)


def _transformation(
    name: str, suite: Suite, same: npt.NDArray[np.float64], before: AnsweredDataset, after: AnsweredDataset
) -> TransformationScores:
    places = [place for place, variant in enumerate(suite.variants) if variant.transformation == name]
    found = TransformationScores(**vars(suite.counts[name]))
    if not places:
        return found
    metric = get_task(before[0].task).metric
    rows = [suite.variants[place].row for place in places]
    numbers = {
        "agreement": 100 * float(same[places].mean()),
        "score": score(*after, [metric], places)[metric].value,
        "original": score(*before, [metric], rows)[metric].value,
    }
    return found.model_copy(update=numbers)


def agreement_score(scores: SuiteScores) -> Score:
    """The suite as a column of a board: comparable where suite and definition are the same."""
    return Score(value=scores.agreement, unit="%", version=f"{AGREEMENT}/{scores.suite}")


def with_suites(result: Result, suites: Mapping[str, SuiteScores]) -> Result:
    """The result with these suites, and no others, among its scores."""
    scores = {name: value for name, value in result.scores.items() if name not in result.suites}
    scores |= {name: agreement_score(found) for name, found in suites.items()}
    return result.model_copy(update={"suites": dict(suites), "scores": scores})


def with_kept_suites(new: Result, old: Result | None) -> Result:
    """A result that takes the place of `old`, with the suites of that if both are of the same answers."""
    if old is None or (old.predictions, old.dataset) != (new.predictions, new.dataset):
        return new
    return with_suites(new, old.suites)


def lost_suites(new: Result, old: Result | None) -> tuple[str, ...]:
    """The suites of `old` that the result in its place does not have, as they are about other answers."""
    return tuple(name for name in (old.suites if old else ()) if name not in new.suites)
