"""Drives the units of a plan: prepare the model, predict, measure, score, store.

What is finished is on disk and is not repeated: a result whose `inputs` are unchanged is kept (only
metrics it lacks are computed, from its stored predictions, and its name and card brought up to date),
and a unit that was interrupted goes on after the last example in its journal.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from evaluator.board import Boards
from evaluator.datasets import DatasetError
from evaluator.measure import PROTOCOL
from evaluator.models import MissingPackage, ModelError, Prepared, recipe_version
from evaluator.models.hub import HubUnreached
from evaluator.records import (
    SCHEMA_VERSION,
    Failure,
    Measurement,
    ModelRef,
    PredictionSet,
    Result,
    Score,
    SuiteScores,
)
from evaluator.run.asking import Asked, Asking, Steps
from evaluator.run.failing import publishable_message
from evaluator.run.isolated import check_isolation
from evaluator.run.loading import prepared_model
from evaluator.run.perturbed import predict_variants
from evaluator.run.plan import Unit, check_metrics
from evaluator.run.prompts import prompt_record
from evaluator.scoring.agreement import agreement_score, suite_scores
from evaluator.scoring.covariances import keep_covariances
from evaluator.scoring.difficulty_scores import difficulty_scores
from evaluator.scoring.errors import PlanError
from evaluator.scoring.examples import check_ids, keep_examples, with_scores
from evaluator.scoring.people import keep_estimate
from evaluator.scoring.recomputed import counted
from evaluator.scoring.rescoring import rescored
from evaluator.scoring.results import TOOL, dataset_ref, now
from evaluator.scoring.scores import metric_names, score, score_tags
from evaluator.scoring.suites import card_of, planned_suites, suite_of
from evaluator.scratch import ready_to_write
from evaluator.store import Store, StoreError, reference_to
from evaluator.suites.make import Suite
from evaluator.worker import ModelToLoad, WorkerError

#: Kinds of failure that say something about this machine, and nothing about the model.
NOT_ITS_FAULT = ("missing-package", "isolation")


class Progress(Steps, Protocol):
    """Receives the progress of an evaluation; the command line shows it."""

    def unit(self, number: int, total: int, unit: Unit) -> None: ...
    def outcome(self, outcome: Outcome) -> None: ...


@dataclass(frozen=True)
class Outcome:
    """What became of a unit, and the files written for it."""

    unit: Unit
    status: Literal["measured", "updated", "unchanged", "failed", "not run"]
    result: Result
    written: tuple[Path, ...] = ()


def evaluate(
    units: Sequence[Unit],
    boards: Boards,
    store: Store,
    work: Path,
    progress: Progress,
    remeasure: bool = False,
) -> list[Outcome]:
    """Bring the result of every unit up to date and return what became of each, in order.

    `work` holds prepared models and interrupted runs; `remeasure` times models again whose
    predictions are up to date. A model that fails gets a result that says so; the others go on.
    Before anything is measured raises `PlanError` if another evaluation is using `work`, a stored result
    was not measured (it is not ours to overwrite), a board shows a metric that nothing computes, or the
    board file requires an isolation that this machine does not have;
    `StoreError` if a result cannot be read; `UnwritableError` if none could be written;
    `evaluator.suites.SuiteError` if a suite cannot be made;
    `DatasetError` if ids are not fit to be published.
    """
    outcomes = []
    with _lock(work):
        check_metrics(units, boards, store)
        check_isolation(boards.measure)
        ready_to_write(store.root, *(store.root / unit.dataset.task / unit.dataset.id for unit in units))
        for unit in units:
            _check_ours(unit, store)
            check_ids(unit.dataset, boards.dataset(unit.dataset.id))
            planned_suites(boards.suites_of(unit.dataset.id), unit.dataset, work)
        runs = [_Run(unit, boards, store, work, progress) for unit in units]
        for number, run in enumerate(runs, start=1):
            progress.unit(number, len(units), run.unit)
            keep_estimate(run.unit.dataset, store)
            outcomes.append(run.bring_up_to_date(remeasure))
            if outcomes[-1].result.predictions is not None:
                keep_examples(run.unit.dataset, boards.dataset(run.unit.dataset.id), store)
            progress.outcome(outcomes[-1])
        # Suites keep the machine busy, so they wait until every model is timed.
        for place, run in enumerate(runs):
            progress.unit(place + 1, len(units), run.unit)
            tried = run.tried(outcomes[place])
            if tried is not outcomes[place]:
                outcomes[place] = tried
                progress.outcome(tried)
        for dataset in {unit.dataset.id: unit.dataset for unit in units}.values():
            keep_covariances(dataset, boards, store)
    return outcomes


class _Run:
    """One unit under way."""

    def __init__(self, unit: Unit, boards: Boards, store: Store, work: Path, progress: Progress) -> None:
        self.unit, self.boards, self.store, self.progress = unit, boards, store, progress
        self.work, self.models = work, work / "models"
        self.directory = work / "runs" / unit.inputs.removeprefix("sha256:")[:24]
        self.asking = Asking(unit, boards, self.directory, progress)

    @property
    def _show_text(self) -> bool:
        return self.boards.dataset(self.unit.dataset.id).show_text

    def bring_up_to_date(self, remeasure: bool) -> Outcome:
        old = self._stored()
        if old is None:
            return self._measured(None)
        if remeasure or _unmeasured(old):
            return self._measured(old)
        return self._updated(old)

    def _stored(self) -> Result | None:
        """The stored result, if it is complete, keeps its predictions, and was made from the same inputs."""
        unit = self.unit
        old = self.store.find(unit.dataset.task, unit.dataset.id, unit.model.id)
        if old is None or old.inputs != unit.inputs or old.status != "complete":
            return None
        if unit.model.recipe and old.model.made_from.get("version") != recipe_version(unit.model.recipe):
            return None
        try:
            self.store.predictions(old)
        except StoreError:
            return None
        return old

    def _measured(self, old: Result | None) -> Outcome:
        """Measure the model; only its timing if there is an `old` result, which a failure leaves alone."""
        try:
            prepared = self._prepare()
            spec = self._spec(prepared)
            asked = self._timed_again(spec, old) if old else self.asking.ask(spec)
        except (WorkerError, ModelError, DatasetError, MissingPackage) as error:
            return self._failed(error, old)
        return self._complete(prepared, asked, old.suites if old else {})

    def _prepare(self) -> Prepared:
        model = self.unit.model
        if model.recipe is not None:
            self.progress.phase(f"preparing ({model.recipe})")
        return prepared_model(model, self.unit.directory, self.unit.train, self.models)

    def _spec(self, prepared: Prepared) -> ModelToLoad:
        dataset = self.unit.dataset
        return ModelToLoad(
            prepared.adapter, prepared.directory, prepared.options, dataset.task, dataset.labels
        )

    def _predictions(self, old: Result) -> PredictionSet:
        """Stored predictions, with what may be published of them."""
        return self._with_scores(self.store.predictions(old))

    def _with_scores(self, predictions: PredictionSet) -> PredictionSet:
        dataset = self.unit.dataset
        return with_scores(dataset, predictions, self.boards.dataset(dataset.id).show_gold)

    def _timed_again(self, spec: ModelToLoad, old: Result) -> Asked:
        """What an earlier run predicted, what went wrong then, and a new timing."""
        predictions = self._predictions(old)
        failures = [failure for failure in old.failures if failure.stage != "timing"]
        return Asked(predictions, failures, self.asking.time_again(spec, predictions))

    def _complete(self, prepared: Prepared, asked: Asked, suites: Mapping[str, SuiteScores]) -> Outcome:
        predictions = self._with_scores(asked.predictions)
        timing = [self._failure_of(asked.lost, stage="timing")] if asked.lost else []
        result = Result(
            **self._identity(prepared),
            scores=self._quality(predictions) | _timing(asked.measurement),
            tags=score_tags(self.unit.dataset, predictions),
            failures=(*asked.failures, *timing),
            measurement=asked.measurement,
            predictions=reference_to(predictions),
        )
        result = _with_suites(result, suites)
        written = self.store.save(result, predictions)
        shutil.rmtree(self.directory, ignore_errors=True)
        return Outcome(self.unit, "measured", result, tuple(written))

    @property
    def _board_metrics(self) -> list[str]:
        """The metrics that boards show of this dataset."""
        return self.boards.metrics_of(self.unit.dataset.id)

    def _quality(self, predictions: PredictionSet) -> dict[str, Score]:
        dataset = self.unit.dataset
        scores = score(dataset, predictions, metric_names(dataset, predictions, self._board_metrics))
        return scores | difficulty_scores(dataset, predictions, self.store, self._board_metrics)

    def _updated(self, old: Result) -> Outcome:
        """The old result brought up to date without inference: missing metrics, the model's name and card."""
        predictions = self._predictions(old)
        model = {"label": self.unit.model.label, "card": self.unit.model.card}
        result = rescored(old, self.unit.dataset, predictions, self._board_metrics, self.store)
        result = result.model_copy(update={"model": old.model.model_copy(update=model)})
        if result == old:
            return Outcome(self.unit, "unchanged", old)
        return Outcome(self.unit, "updated", result, tuple(self.store.save(result, predictions)))

    def tried(self, outcome: Outcome) -> Outcome:
        """The outcome with scores on the dataset's suites; those of an unchanged suite are kept."""
        result = outcome.result
        if result.status != "complete" or outcome.status in ("failed", "not run"):
            return outcome
        suites = planned_suites(self.boards.suites_of(self.unit.dataset.id), self.unit.dataset, self.work)
        made = {suite.definition.name: suite_of(suite, self.unit.dataset, self.work) for suite in suites}
        for suite in made.values():
            self.store.save_record(card_of(suite, self.unit.dataset, self._show_text))
        kept = {name: s for name, s in result.suites.items() if name in made and s.suite == made[name].hash}
        missing = [suite for name, suite in made.items() if name not in kept and suite.variants]
        tried, variants, failures = self._try(missing, result) if missing else ({}, [], [])
        failures += [failure for failure in result.failures if failure.stage != "suites"]
        new = _with_suites(result, kept | tried).model_copy(update={"failures": tuple(failures)})
        if new == result:
            return outcome
        if tried:
            new = new.model_copy(update={"created": now(), "tool": TOOL})
        written = self.store.save(new, self.store.predictions(result), variants)
        shutil.rmtree(self.directory, ignore_errors=True)
        status = "updated" if outcome.status == "unchanged" else outcome.status
        return Outcome(self.unit, status, new, tuple(written))

    def _try(
        self, suites: Sequence[Suite], result: Result
    ) -> tuple[dict[str, SuiteScores], list[PredictionSet], list[Failure]]:
        """The model's scores on suites, what they were computed from, and the failure if one stopped it."""
        original = self.store.predictions(result)
        tried: dict[str, SuiteScores] = {}
        variants: list[PredictionSet] = []
        for suite in suites:
            path = self.directory / f"{suite.hash.removeprefix('sha256:')[:24]}-{SCHEMA_VERSION}.jsonl"
            self.progress.phase(f"trying {suite.name} ({counted(len(suite.variants), 'variant')})")
            try:
                spec = self._spec(self._prepare())
                predictions, failures = predict_variants(
                    spec, self.unit, suite, self.asking.limits, self.asking.placement, path, self._show_text
                )
            except (WorkerError, ModelError, MissingPackage) as error:
                failure = self._failure_of(error, "not-tried", stage="suites", suite=suite.name)
                return tried, variants, [failure]
            variants.append(predictions)
            tried[suite.name] = suite_scores(self.unit.dataset, suite, original, predictions, failures)
        return tried, variants, []

    def _failed(self, error: Exception, old: Result | None) -> Outcome:
        """A result that says what went wrong, stored if it is the model's own fault and replaces none."""
        failure = self._failure_of(error)
        result = Result(**self._identity(None), status="failed", scores={}, failures=(failure,))
        not_its_fault = isinstance(error, MissingPackage | DatasetError | HubUnreached)
        if not_its_fault or failure.kind in NOT_ITS_FAULT:
            return Outcome(self.unit, "not run", result)
        return Outcome(self.unit, "failed", result, () if old else tuple(self.store.save(result)))

    def _failure_of(self, error: Exception, kind: str | None = None, **fields: Any) -> Failure:
        """What may be published of an error, under the worker's kind of it unless another is given."""
        if isinstance(error, WorkerError):
            message = publishable_message(error, self._show_text)
            return Failure(kind=kind or error.kind, message=message, count=1, **fields)
        return Failure(kind=kind or "not-prepared", message=str(error), count=1, **fields)

    def _identity(self, prepared: Prepared | None) -> dict[str, Any]:
        unit = self.unit
        model = ModelRef(
            id=unit.model.id,
            label=unit.model.label,
            adapter=unit.model.adapter or unit.model.recipe,
            card=unit.model.card,
            **(self._opened(prepared) if prepared else {}),
        )
        return {
            "task": unit.dataset.task,
            "model": model,
            "dataset": dataset_ref(unit.dataset),
            "inputs": unit.inputs,
            "provenance": "measured",
            "created": now(),
            "tool": TOOL,
        }

    def _opened(self, prepared: Prepared) -> dict[str, Any]:
        """What is known of a model once it is prepared."""
        made_from = dict(prepared.details)
        if "parity" in (origin := dict(made_from.get("origin", {}))):
            made_from["origin"] = {name: value for name, value in origin.items() if name != "parity"}
        return {
            "revision": prepared.revision,
            "made_from": made_from,
            "prompt": prompt_record(self.unit, self.boards),
            "parity": origin.get("parity"),
        }


def _check_ours(unit: Unit, store: Store) -> None:
    """Raise `PlanError` if the model's result on the dataset did not come from running it."""
    store.check_new(store.path(unit.dataset.task, unit.dataset.id, unit.model.id))
    old = store.find(unit.dataset.task, unit.dataset.id, unit.model.id)
    if old is not None and old.provenance != "measured":
        path = store.path(unit.dataset.task, unit.dataset.id, unit.model.id)
        fix = "give the model another id in the board file, or delete that result"
        raise PlanError(f"{path}: provenance: holds a result that is {old.provenance}; {fix}")


def _with_suites(result: Result, suites: Mapping[str, SuiteScores]) -> Result:
    """The result with these suites, and no others, among its scores."""
    scores = {name: value for name, value in result.scores.items() if name not in result.suites}
    scores |= {name: agreement_score(found) for name, found in suites.items()}
    return result.model_copy(update={"suites": dict(suites), "scores": scores})


def _unmeasured(result: Result) -> bool:
    return result.measurement is None or result.measurement.protocol != PROTOCOL


def _timing(measurement: Measurement | None) -> dict[str, Score]:
    if measurement is None:
        return {}
    version = f"protocol-{measurement.protocol}"
    return {
        "throughput": Score(value=measurement.throughput, unit="examples/s", version=version),
        "memory": Score(value=measurement.memory_bytes / 1e9, unit="GB", version=version),
    }


@contextmanager
def _lock(work: Path) -> Iterator[None]:
    """Hold the working directory; the operating system releases it however the process ends."""
    work.mkdir(parents=True, exist_ok=True)
    with (work / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PlanError(f"{work} is in use by another evaluation; wait for it to end") from None
        yield
