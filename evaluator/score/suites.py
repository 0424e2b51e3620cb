"""The suites of a dataset: defined by the board file, made once, kept under a hash of what decides them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.data.suites import transformations
from evaluator.data.suites.base import Protected, SuiteKind, Transformation
from evaluator.data.suites.errors import SuiteError
from evaluator.data.suites.make import Definition, Suite, make, occurrences
from evaluator.data.suites.robustness import FACTORIES
from evaluator.data.tasks import get_task
from evaluator.records.board import SuiteSpec
from evaluator.records.datasets import Made, Sample, SuiteCard
from evaluator.records.names import did_you_mean
from evaluator.records.scratch import write_atomic
from evaluator.score.results import TOOL, dataset_ref

#: Between the id of an example and the transformation that made a variant of it.
MARK = "#"
#: Where in the working folder TextFlint is installed.
TEXTFLINT = "textflint"
_CAPITALISED = re.compile(r"\b[^\W\d_a-z][\w'-]+")
#: Variants of each transformation that a page shows, drawn at random by the suite's seed.
SAMPLES = 10


@dataclass(frozen=True)
class PlannedSuite:
    """A suite to try a dataset with, and its identity on this revision."""

    definition: Definition
    hash: str


def planned_suites(specs: Sequence[SuiteSpec], dataset: Dataset, work: Path) -> list[PlannedSuite]:
    """The suites as defined, not made yet. Raises `evaluator.data.suites.SuiteError`."""
    definitions = [define(spec, work) for spec in specs]
    return [PlannedSuite(definition, definition.hash(dataset.revision)) for definition in definitions]


def define(spec: SuiteSpec, work: Path) -> Definition:
    """The transformations of a suite of the board file. Raises `evaluator.data.suites.SuiteError`."""
    known = _transformations(spec, work)
    _check_names(spec, [transformation.name for transformation in known])
    chosen = [one for one in known if not spec.transformations or one.name in spec.transformations]
    return Definition(spec.id, spec.kind, tuple(chosen), spec.seed)


def check_suite(spec: SuiteSpec) -> None:
    """Raise `SuiteError` for a suite that cannot be, and `SuitePackageError` where it needs a package.

    Starts nothing: TextFlint need not be installed.
    """
    if spec.backend == "steelyard":
        define(spec, Path())
    else:
        _check_textflint(spec)
        _check_names(spec, list(FACTORIES))


def _check_names(spec: SuiteSpec, names: Sequence[str]) -> None:
    for name in spec.transformations:
        if name not in names:
            near = did_you_mean(name, names)
            raise SuiteError(
                f"suites: {spec.id}: transformations: {name!r} is none of {', '.join(names)}{near}"
            )


def _transformations(spec: SuiteSpec, work: Path) -> Sequence[Transformation]:
    if spec.backend == "steelyard":
        return transformations(spec.kind, spec.options)
    _check_textflint(spec)
    from evaluator.textflint import textflint

    return textflint(work.absolute() / TEXTFLINT)


def _check_textflint(spec: SuiteSpec) -> None:
    if spec.kind != "robustness" or spec.options:
        what = f"kind: {spec.kind!r}" if spec.kind != "robustness" else f"options: {spec.options!r}"
        fix = "it makes robustness suites without options only"
        raise SuiteError(f"suites: {spec.id}: {what} is not for the backend textflint; {fix}")


def path_of(suite: PlannedSuite, work: Path) -> Path:
    """The file of a suite once it is made."""
    return work / "suites" / f"{suite.hash.removeprefix('sha256:')}.jsonl"


def suite_of(suite: PlannedSuite, dataset: Dataset, work: Path) -> Suite:
    """The suite itself, from its file in `work` if it was made before.

    Raises `SuiteError` if that file is broken, or if a variant of an answered question lost the answer.
    """
    path = path_of(suite, work)
    if path.exists():
        return Suite.read(path)
    made = make_suite(suite.definition, dataset)
    write_atomic(path, made.dump().encode())
    return made


def make_suite(definition: Definition, dataset: Dataset) -> Suite:
    """The suite, made anew. Raises `SuiteError` if a variant of an answered question lost its answer."""
    fields = get_task(dataset.task).perturbable
    protected = [_protected(dataset, row, definition.kind) for row in range(len(dataset.examples))]
    made = make(definition, dataset.id, dataset.revision, fields, dataset.examples, protected)
    _check_answers(made, dataset)
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
        transformations={
            name: Made(
                made=c.made, unchanged=c.unchanged, not_applicable=c.not_applicable, undecided=c.undecided
            )
            for name, c in suite.counts.items()
        },
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
                yield Sample(
                    transformation=name,
                    example=original["id"],
                    field=field,
                    before=original[field],
                    after=after,
                )


def _protected(dataset: Dataset, row: int, kind: SuiteKind) -> Protected:
    """The answers to a question stay where they are in its context; other tasks leave nothing out.

    Where names change, those that the question has stay too: it would ask about somebody else.
    """
    if dataset.task != "qa":
        return {}
    example = dataset.examples[row]
    names = [] if kind == "robustness" else _CAPITALISED.findall(example["question"])
    return {"context": occurrences([*dataset.gold[row], *names], example["context"])}


def _check_answers(suite: Suite, dataset: Dataset) -> None:
    if dataset.task != "qa":
        return
    for variant in suite.variants:
        context = dataset.examples[variant.row]["context"]
        for answer in dataset.gold[variant.row]:
            if answer in context and answer not in variant.texts["context"]:
                example = dataset.examples[variant.row]["id"]
                raise SuiteError(f"{dataset.id}: {example}: {variant.transformation} lost an answer")
