"""Values that a source gave for each example, stored as results: the waist that tables and logs come in by.

A model's values are checked, kept beside its result, and averaged. What the source printed itself must be
what its examples imply.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import show
from evaluator.data.tasks.known import SCORED
from evaluator.rank.formats import counted
from evaluator.records.base import HUMAN, digest
from evaluator.records.board import Boards, MetricSpec
from evaluator.records.datasets import Examples
from evaluator.records.errors import UserError
from evaluator.records.references import ModelRef, PredictionSet, Source
from evaluator.records.result import Result, Score
from evaluator.records.store import Store, reference_to
from evaluator.score.examples import check_ids, scored_dataset
from evaluator.score.groups import Groups
from evaluator.score.importing import Imported, is_stored
from evaluator.score.judges import JUDGED, value_score, value_tags
from evaluator.score.means import MEAN, by_example, by_trial, mean_of, revision_of_values
from evaluator.score.scores import TOOL, dataset_ref

#: The versions of scores that values give.
OF_VALUES = (MEAN, JUDGED)
#: Values by metric: (examples, trials), NaN where missing.
GivenValues = Mapping[str, npt.NDArray[np.float64]]


@dataclass(frozen=True)
class ScoredExamples:
    """Examples that values are about: their ids in order and what else a source says of each.

    `tags` has a value an example, "" where it has none; `clusters` names what each example is from, such as a
    passage, "" where it is on its own, or is () where nothing is said of it.
    """

    id: str
    label: str
    ids: tuple[str, ...]
    tags: Mapping[str, tuple[str, ...]]
    clusters: tuple[str, ...] = ()

    def dataset(self) -> Dataset:
        """Raises `UserError` for ids that are there twice, and for columns that do not fit them."""
        return scored_dataset(self.record)

    @cached_property
    def record(self) -> Examples:
        """What is kept of them. Raises `UserError`, as above."""
        # Every model asks for it, and the hash of many ids takes a while.
        numbers = _numbers(self.clusters)
        tags = {name: tuple(self.tags[name]) for name in sorted(self.tags)}
        try:
            return Examples(
                task=SCORED.name,
                dataset=self.id,
                revision=revision_of_values(self.ids, tags, numbers),
                ids=self.ids,
                tags=tags,
                clusters=numbers,
            )
        except ValueError as error:
            raise UserError(f"dataset {self.id}", str(error)) from None


@dataclass(frozen=True)
class CheckedValues:
    """A model's values that may be stored, and the `old` result that they take the place of.

    `differing` says in words which published numbers their examples do not imply, by metric.
    """

    dataset: Dataset
    predictions: PredictionSet
    specs: Mapping[str, MetricSpec]
    differing: Mapping[str, str]
    old: Result | None


def keep_values(
    dataset: ScoredExamples,
    model: ModelRef,
    values: GivenValues,
    boards: Boards,
    store: Store,
    *,
    source: Source,
    created: str,
    published: Mapping[str, float | str] | None = None,
    accept_differences: bool = False,
    settings: Mapping[str, Mapping[str, str]] | None = None,
    human: GivenValues | None = None,
) -> Imported:
    """Store a model's values (examples, trials) of each metric, NaN where missing, and their means.

    Of a metric in `human` values are the verdicts of a judge, and there are what people said, NaN where they
    were not asked.

    All metrics have the same number of trials. A mean of fewer examples than there are says of how many it
    is, by which boards keep it apart. `published` are numbers that the source printed itself, as numbers or
    as they were printed; one that its examples do not imply, to the digits printed, is a `UserError`, or,
    with `accept_differences`, is noted, and its mean kept apart. `settings` say by metric what else decided
    the values, by which boards tell means apart. What is stored already is not written again;
    numbers of the model that came without examples stay. When all models are stored, call
    `evaluator.score.keeping.keep_covariances`.

    Raises `UserError`, and then nothing is written, also for ids that may be text, for a metric that no board
    shows of the dataset, for values outside its range, and where the model has a result on it that came about
    in another way. ValueError for arrays of different shapes.
    """
    checked = check_values(
        dataset,
        model,
        values,
        boards,
        store,
        published=published,
        accept_differences=accept_differences,
        human=human,
    )
    predictions, old = checked.predictions, checked.old
    scores: dict[str, Score] = {}
    groups = Groups.of(checked.dataset)
    for name, spec in checked.specs.items():
        score = value_score(predictions, name, spec, _weight(old, name), groups)
        if score is not None:
            known = {**(settings or {}).get(name, {}), **score.settings}
            if name in checked.differing:
                known |= {"implied by its examples": "no", "published": f"{(published or {})[name]}"}
            scores[name] = score.model_copy(update={"settings": known})
    others = {name: one for name, one in (old.scores if old else {}).items() if one.version not in OF_VALUES}
    notes = [*filter(None, [source.note]), *_missing_trials(predictions, checked.specs)]
    notes += checked.differing.values()
    result = Result(
        task=SCORED.name,
        model=model,
        dataset=dataset_ref(checked.dataset),
        provenance="reported",
        scores={**others, **scores},
        tags=value_tags(checked.dataset, predictions, scores, boards),
        predictions=reference_to(predictions),
        source=source.model_copy(update={"note": "; ".join(notes) or None}),
        created=created,
        tool=TOOL,
    )
    if old is not None and is_stored(old, result, store):
        kept = store.save_record(dataset.record)
        return Imported("unchanged", old, () if kept is None else (kept,))
    written = store.save(result, predictions)
    kept = store.save_record(dataset.record)
    return Imported("imported", result, (*written, *([kept] if kept else [])))


def check_values(
    dataset: ScoredExamples,
    model: ModelRef,
    values: GivenValues,
    boards: Boards,
    store: Store,
    *,
    published: Mapping[str, float | str] | None = None,
    accept_differences: bool = False,
    human: GivenValues | None = None,
) -> CheckedValues:
    """Raise what `keep_values` would, so that of many models all are known to fit before one is stored."""
    read = dataset.dataset()
    check_ids(read, boards.dataset(dataset.id))
    specs = {name: _spec(boards, dataset.id, name) for name in values}
    predictions = _predictions(read, model, values, human or {}, specs)
    differing = _differences(dataset, model, predictions, published or {}, specs, accept_differences)
    if all(np.isnan(given).all() for given in values.values()):
        raise UserError(f"{model.id} on {dataset.id}", "has no value of any metric", "leave the model out")
    return CheckedValues(read, predictions, specs, differing, _old(model, dataset.id, store))


def known_examples(dataset: str, label: str, store: Store) -> ScoredExamples | None:
    """The examples that most results on a dataset have their values of; None where none keep any."""
    revisions = [
        one.dataset.revision
        for one in store.results_on(SCORED.name, dataset)
        if one.predictions is not None and one.dataset.revision is not None
    ]
    if not revisions:
        return None
    revision = max(revisions, key=lambda one: (revisions.count(one), one))
    kept = store.examples(SCORED.name, dataset, revision)
    if kept is None:
        return None
    alone = {number for number in kept.clusters if kept.clusters.count(number) == 1}
    clusters = tuple("" if number in alone else str(number) for number in kept.clusters)
    return ScoredExamples(dataset, label, kept.ids, dict(kept.tags), clusters)


def _numbers(clusters: tuple[str, ...]) -> tuple[int, ...]:
    """The number of each example's cluster, in order of first examples; () if no two share one."""
    numbers: dict[str | int, int] = {}
    found = tuple(numbers.setdefault(name or at, len(numbers)) for at, name in enumerate(clusters))
    return found if len(numbers) < len(found) else ()


def _spec(boards: Boards, dataset: str, name: str) -> MetricSpec:
    spec = boards.metric_of(dataset, name)
    if spec is None:
        fix = f"add it to [[boards.metrics]] of a board with {dataset}"
        raise UserError(f"dataset {dataset}", f"no board shows its metric {show(name)}", fix)
    return spec


def _weight(old: Result | None, name: str) -> float:
    """A judge's weight as it was; `evaluator.score.keeping.keep_covariances` finds the one of all models."""
    before = old.scores[name].judged if old is not None and name in old.scores else None
    return before.weight if before else 1.0


def _predictions(
    dataset: Dataset,
    model: ModelRef,
    values: GivenValues,
    human: GivenValues,
    specs: Mapping[str, MetricSpec],
) -> PredictionSet:
    """The values as they are stored. Raises ValueError and `UserError`, as above."""
    [trials] = {given.shape[1] for given in values.values()}
    for name, given in [*values.items(), *human.items()]:
        if given.shape != (len(dataset.examples), trials):
            raise ValueError(f"{name}: {given.shape} values for {len(dataset.examples)} examples")
        _check_range(dataset, model, given, specs[name])
    tried = np.any([~np.isnan(given).all(axis=0) for given in values.values()], axis=0)
    if tried.any():  # a table may have more trials of other models
        trials = int(tried.sum())
        values, human = ({name: one[:, tried] for name, one in given.items()} for given in (values, human))
    return PredictionSet(
        task=SCORED.name,
        model=model.id,
        dataset=dataset.id,
        dataset_revision=dataset.revision,
        ids_sha256=digest(dataset.ids),
        resolution=1,
        trials=trials,
        values=_columns(values),
        human=_columns(human),
    )


def _columns(values: GivenValues) -> dict[str, tuple[float | None, ...]]:
    return {name: tuple(map(_stored, given.ravel().tolist())) for name, given in values.items()}


def _stored(value: float) -> float | None:
    return None if math.isnan(value) else value + 0.0  # no zero has a sign


def _check_range(dataset: Dataset, model: ModelRef, given: npt.NDArray[np.float64], spec: MetricSpec) -> None:
    low, high = spec.bounds or (-math.inf, math.inf)
    between = f" from {low:g} to {high:g}" if spec.bounds else ""
    outside = np.isinf(given) | (given < low) | (given > high)
    if outside.any():
        row, trial = np.argwhere(outside)[0].tolist()
        where = f"{spec.name} of {model.id} on {show(dataset.ids[row])} of {dataset.id}"
        where += f", trial {trial + 1}" if given.shape[1] > 1 else ""
        problem = f"{given[row, trial]:g} is no number{between}"
        fix = "say that it means a missing value, or give the metric another range in the board file"
        raise UserError(where, problem, fix)


def _missing_trials(predictions: PredictionSet, specs: Mapping[str, MetricSpec]) -> list[str]:
    """How many trials are missing of examples that have others, and labels that are not used, in words."""
    found = []
    for name, spec in specs.items():
        trials = by_trial(predictions, name)
        some = ~np.isnan(by_example(trials))
        missing = int(np.isnan(trials[some]).sum())
        if missing:
            found.append(f"{spec.label}: {missing:,} of {trials[some].size:,} trials are missing")
        labels = np.array(predictions.human.get(name, ()), dtype=np.float64)
        idle = int(np.isnan(trials.ravel()[~np.isnan(labels)]).sum()) if len(labels) else 0
        if idle:
            found.append(f"{spec.label}: {counted(idle, 'label')} without a verdict left out")
    return found


def _differences(
    dataset: ScoredExamples,
    model: ModelRef,
    predictions: PredictionSet,
    published: Mapping[str, float | str],
    specs: Mapping[str, MetricSpec],
    accept: bool,
) -> dict[str, str]:
    """In words, the published numbers that are not what the examples imply, by metric.

    Raises `UserError` for the first of them, unless they are accepted.
    """
    found = {}
    for name, printed in published.items():
        trials = by_trial(predictions, name)
        implied = mean_of(by_example(trials))
        if math.isnan(implied) or abs(implied - float(printed)) <= _rounding(printed, trials):
            continue
        same = f"{implied:.6g}" == f"{float(printed):.6g}"
        words = f"{specs[name].label}: stored examples imply {implied:{'' if same else '.6g'}}"
        words += f", published {printed}"
        if not accept:
            fix = "find out why, or store what the examples imply, marked, with --accept-differences"
            raise UserError(f"{model.id} on {dataset.id}", words, fix)
        found[name] = f"accepted although they differ: {words}"
    return found


#: Values with so many decimals were rounded; those with fewer may well be exact, such as 0, 0.5 and 1.
ROUNDED = 3


def _rounding(printed: float | str, trials: npt.NDArray[np.float64]) -> float:
    """How far a printed mean may be from that of the values because both were rounded."""
    number = Decimal(str(int(printed) if isinstance(printed, Integral) else printed))
    values = trials[~np.isnan(trials)].tolist()
    finest = max((_decimals(Decimal(str(value))) for value in values), default=0)
    off = 0.5 * 10.0 ** -_decimals(number) + (0.5 * 10.0**-finest if finest >= ROUNDED else 0.0)
    return off * (1 + 1e-6) + 1e-9 * abs(float(number))


def _decimals(number: Decimal) -> int:
    exponent: Any = number.as_tuple().exponent
    return max(0, -int(exponent))


def _old(model: ModelRef, dataset: str, store: Store) -> Result | None:
    """The result that a new one takes the place of. Raises `UserError` where it may not."""
    place = store.path(SCORED.name, dataset, model.id)
    if model.id == HUMAN:
        raise UserError(place, f"{HUMAN!r} stands for people", "choose another id")
    store.check_new(place)
    old = store.find(SCORED.name, dataset, model.id)
    if old is not None and old.provenance != "reported":
        fix = "import under another model id, or delete it first"
        raise UserError(f"{place}: provenance", f"holds a result that is {old.provenance}", fix)
    return old
