"""One unit brought up to date: its model prepared, asked, timed and tried with suites; scored and stored.

The steps stand in the order in which they are taken.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from evaluator.data.datasets import Dataset, DatasetError
from evaluator.data.suites.make import Suite
from evaluator.data.tasks import Prediction
from evaluator.measure.endpoint.ledger import OverBudget
from evaluator.measure.endpoint.request import Stopped
from evaluator.measure.models.base import MissingPackage
from evaluator.measure.models.prepared import Prepared
from evaluator.measure.models.pretrained import HubUnreached
from evaluator.measure.run.answers import AnswerReader, failure_of
from evaluator.measure.run.asking import SILENT, Steps, TimedAnswers, TimedQuestions
from evaluator.measure.run.plan import Unit, prepared_model, prompt_record, worker_limits
from evaluator.measure.run.untimed import EvaluationInputs, ExampleInputs, KeptAnswers, Questions, Unasked
from evaluator.measure.worker import ModelToLoad
from evaluator.records.base import EVALUATED, PROTOCOL, digest
from evaluator.records.board import COST, TAKEN, Boards
from evaluator.records.errors import UserError
from evaluator.records.measurement import AIM, Measurement, percent_off
from evaluator.records.references import ModelRef, PredictionSet
from evaluator.records.result import BatchCheck, Failure, Result, Score
from evaluator.records.store import Store, reference_to
from evaluator.score.answers import (
    THOUSANDTHS,
    Entry,
    answers_of,
    failures_of,
    prediction_set,
    resolution_for,
)
from evaluator.score.difficulty import difficulty_scores
from evaluator.score.inputs import input_changes
from evaluator.score.rescoring import rescored
from evaluator.score.scores import (
    TOOL,
    dataset_ref,
    metric_names,
    now,
    now_after,
    score,
    score_tags,
    with_scores,
)
from evaluator.score.suites import PlannedSuite, card_of, planned_suites, suite_scores, with_suites
from evaluator.score.taken import asked_of, taken_scores, with_asked, with_costs, with_taken

#: Kinds of failure that say something about this machine, and nothing about the model.
NOT_ITS_FAULT = ("missing-package", "isolation", "node-lost")
#: What an answer says that is none.
NOTHING = (-1, None)
#: The units of what is timed.
_UNITS = {
    "throughput": "examples/s",
    "memory": "GB",
    "tokens_per_s": "tokens/s",
    "time_to_first_token": "s",
}
#: Which timings are made again: those that are not known well enough and of this machine, or every one.
Remeasure = Literal["none", "worst", "all"]


@dataclass(frozen=True)
class Outcome:
    """What became of a result, and the files written for it."""

    status: Literal["measured", "updated", "unchanged", "failed", "not run"]
    result: Result
    written: tuple[Path, ...] = ()
    #: What else there is to say of it.
    remark: str = ""
    #: Whether it lacks what was asked for, as the remark says.
    incomplete: bool = False


@dataclass(frozen=True)
class Needs:
    """What a unit lacks: a timing, answers of any kind, scores on `suites`; `old` is the result it has."""

    old: Result | None
    timed: bool
    asked: bool
    suites: tuple[PlannedSuite, ...]


class UnitRun:
    """One unit under way. `outcome` is None as long as nothing is known of its predictions.

    `machine` is the key of the machine that times models, None where there are several; `references` has, by
    keys of machines, what their reference workload took when models were first timed there.
    """

    def __init__(
        self,
        unit: Unit,
        boards: Boards,
        store: Store,
        inputs: EvaluationInputs,
        progress: Steps = SILENT,
        machine: str | None = None,
        references: Mapping[str, int] | None = None,
    ) -> None:
        self.machine, self.references = machine, references or {}
        self.unit, self.boards, self.store, self.progress = unit, boards, store, progress
        self.inputs, self.work, self.models = inputs, inputs.work, inputs.work / "models"
        self.directory = run_folder(unit, self.work)
        self.outcome: Outcome | None = None
        self._unprepared: Unasked | None = None
        self._spec = boards.dataset(unit.dataset.id)

    def needs(self, remeasure: Remeasure) -> Needs:
        """What is not up to date, with the timings that `remeasure` names.

        A model is timed on a dataset where it counts in a ranking.
        """
        old = self._stored()
        suites = tuple(suite for suite in self._planned if not _is_kept(old, suite))
        timed = (
            self._spec.role == "scoring" and not self.unit.model.is_remote and self._is_timed(old, remeasure)
        )
        return Needs(old, timed, old is None, suites)

    def _is_timed(self, old: Result | None, remeasure: Remeasure) -> bool:
        measurement = old.measurement if old else None
        if measurement is None or measurement.protocol != PROTOCOL or remeasure == "all":
            return True
        if remeasure == "none":
            return False
        elsewhere = self.machine is not None and measurement.fingerprint.key != self.machine
        return measurement.noise.verdict != "ok" or elsewhere or _spread(measurement) > AIM

    @property
    def spread(self) -> float:
        """By how much the blocks of the stored throughput differ, infinite where nothing is known."""
        old = self._stored()
        return _spread(old.measurement if old else None)

    def begin(self, remeasure: Remeasure) -> TimedQuestions | None:
        """Keep the stored result, or prepare the model: what it is to be asked while it is timed, if it is.

        Where a model cannot be prepared, the outcome says why.
        """
        needs = self.needs(remeasure)
        if needs.timed:
            try:
                return self._timed_questions(needs.old)
            except (UserError, DatasetError, MissingPackage) as error:
                self.outcome = self._failed(error, needs.old)
        elif needs.old is not None:
            self.outcome = self._updated(needs.old)
        return None

    def timed(self, answers: TimedAnswers | Unasked) -> None:
        """Take in what `begin` asked, or why it was not answered. A failure leaves a stored result alone."""
        old = self._stored()
        if isinstance(answers, TimedAnswers):
            self.outcome = self._timed(answers, old)
        else:
            self.outcome = self._failed(answers, old)

    def questions(self) -> Questions | None:
        """What is to be asked untimed: the dataset, if it is never timed, and suites not tried yet.

        None if there is nothing to ask, or nobody who could answer; `finish` says which. Raises
        `UserError` if a suite cannot be made.
        """
        if self._over or not (inputs := self._untimed_inputs()):
            return None
        try:
            return self.asking(inputs)
        except (UserError, DatasetError, MissingPackage) as error:
            self._unprepared = error
            return None

    def asking(self, inputs: Mapping[str, ExampleInputs]) -> Questions:
        """Inputs as questions to the model. Raises `UserError`, `DatasetError` and `MissingPackage`."""
        made, limits = self._prepared, worker_limits(self.boards.limits)
        return Questions(self.unit.model.id, made.revision, self._to_load, self._reader, limits, inputs)

    def finish(self, answers: KeptAnswers) -> bool:
        """Take in what `questions` asked, if it asked anything; whether the outcome is another now."""
        before = self.outcome
        entries = {**answers.entries, **self._own_answers}
        error = self._unprepared or answers.error
        if self.outcome is None:
            self.outcome = self._answered(entries, answers, error)
        if not self._over:
            self.outcome = self._tried(self.outcome, entries, answers, error)
        return self.outcome is not before

    @property
    def _over(self) -> bool:
        """Whether there is no more to learn of this model."""
        outcome = self.outcome
        return outcome is not None and (
            outcome.result.status != "complete" or outcome.status in ("failed", "not run")
        )

    def _stored(self) -> Result | None:
        """The stored result, if it is complete, keeps its predictions, and was made from the same inputs."""
        unit = self.unit
        old = self.store.find(unit.dataset.task, unit.dataset.id, unit.model.id)
        if old is None or old.provenance not in EVALUATED or old.status != "complete":
            return None
        if input_changes(old, unit.given, unit.dataset.revision):
            return None
        try:
            self.store.predictions(old)
        except UserError:
            return None
        return old

    # --- What the model is asked -------------------------------------------------------------------------

    @cached_property
    def _prepared(self) -> Prepared:
        model, before = self.unit.model, 0

        def advance(done: int, total: int) -> None:
            nonlocal before
            if not before:
                self.progress.phase(f"preparing ({model.recipe}), step by step", total)
            self.progress.advance(done - before)
            before = done

        if model.recipe is not None:
            self.progress.phase(f"preparing ({model.recipe})")
        return prepared_model(model, self.unit.directory, self.unit.train, self.models, advance)

    @property
    def _to_load(self) -> ModelToLoad:
        made, dataset = self._prepared, self.unit.dataset
        return ModelToLoad(made.adapter, made.directory, made.options, dataset.task, dataset.labels)

    @property
    def _reader(self) -> AnswerReader:
        return AnswerReader(self.unit.dataset.task, self.unit.dataset.labels, self._spec.show_text)

    def _timed_questions(self, old: Result | None) -> TimedQuestions:
        """What to ask, to be compared with what the `old` result's predictions say, if there is one."""
        dataset, limits = self.unit.dataset, worker_limits(self.boards.limits)
        stored = answers_of(dataset, self.store.predictions(old).runs()[0]) if old else None
        return TimedQuestions(
            self._to_load,
            self._reader,
            limits,
            self.boards.measure,
            dataset.examples,
            stored,
            self.references,
        )

    def _untimed_inputs(self) -> dict[str, ExampleInputs]:
        """What the model is asked untimed, by key."""
        dataset = self.unit.dataset
        variants = [self.inputs.variants(suite, dataset) for suite in self._untried]
        asked = variants if self.outcome else [self.inputs.of(dataset), *variants]
        inputs = {key: value for one in asked for key, value in one.by_key.items()}
        return {key: value for key, value in inputs.items() if key not in self._own_answers}

    @cached_property
    def _own_answers(self) -> dict[str, Entry]:
        """What the model answered to the dataset itself, by key, where that was an answer."""
        # A model that could not be tried keeps no predictions.
        if self.outcome is None or self.outcome.result.predictions is None:
            return {}
        predictions = self.store.predictions(self.outcome.result).runs()[0]
        keys, dataset = self.inputs.of(self.unit.dataset).keys, self.unit.dataset
        said = zip(keys, answers_of(dataset, predictions), strict=True)
        given = ((key, answer) for key, answer in said if answer != NOTHING)
        return {key: Entry(Prediction(label, text=text)) for key, (label, text) in given}

    @cached_property
    def _planned(self) -> Sequence[PlannedSuite]:
        dataset = self.unit.dataset
        return planned_suites(self.boards.suites_of(dataset.id), dataset, self.work)

    @cached_property
    def _suites(self) -> Sequence[Suite]:
        """The dataset's suites, made if they were not made before; their cards are stored."""
        dataset = self.unit.dataset
        suites = [self.inputs.suite(suite, dataset) for suite in self._planned]
        for suite in suites:
            self.store.save_record(card_of(suite, dataset, self._spec.show_text))
        return suites

    @property
    def _untried(self) -> list[Suite]:
        """The suites with variants that the result has no scores on."""
        result = self.outcome.result if self.outcome else None
        return [suite for suite in self._suites if suite.variants and not _is_kept(result, suite)]

    # --- What becomes of the answers ----------------------------------------------------------------------

    def _timed(self, answers: TimedAnswers, old: Result | None) -> Outcome:
        """The result with what was answered now or, where only the timing is new, by the `old` result."""
        dataset = self.unit.dataset
        if old is not None and (remark := why_kept(old.measurement, answers.measurement)):
            shutil.rmtree(self.directory, ignore_errors=True)
            return replace(self._updated(old), remark=remark)
        if old is None:
            found = [answers.entries[number] for number in range(len(dataset.examples))]
            predictions, failures = self._collected(dataset, found, resolution_for(dataset))
        else:
            predictions = self.publishable(self.store.predictions(old))
            failures = [failure for failure in old.failures if failure.stage != "timing"]
        if answers.lost:
            failures = [*failures, failure_of(answers.lost, self._spec.show_text, stage="timing")]
        return self._complete(predictions, failures, old, answers.node_class, measurement=answers.measurement)

    def _answered(self, entries: Mapping[str, Entry], answers: KeptAnswers, error: Unasked | None) -> Outcome:
        """The outcome on a dataset that is not timed."""
        dataset, keys = self.unit.dataset, self.inputs.of(self.unit.dataset).keys
        if not all(key in entries for key in keys):
            assert error is not None
            return self._failed(error, None)
        predictions, failures = self._collected(
            dataset, [entries[key] for key in keys], resolution_for(dataset)
        )
        if answers.taken:
            predictions = with_taken(predictions, [answers.taken[key] for key in keys])
        node, check, asked = answers.node_class, answers.check, answers.asked
        return self._complete(predictions, failures, None, node, check=check, asked=asked)

    def _collected(
        self, dataset: Dataset, found: Sequence[Entry], resolution: int
    ) -> tuple[PredictionSet, list[Failure]]:
        """Predictions on the dataset or on variants of it, and what went wrong."""
        answers = [entry.answer for entry in found]
        predictions = prediction_set(dataset, self.unit.model.id, answers, resolution)
        return predictions, failures_of(dataset, [entry.failure for entry in found])

    def publishable(self, predictions: PredictionSet) -> PredictionSet:
        """Predictions with the scores by example that may be published."""
        return with_scores(self.unit.dataset, predictions, self._spec.show_gold)

    def _complete(
        self,
        predictions: PredictionSet,
        failures: Sequence[Failure],
        old: Result | None,
        node_class: str | None,
        measurement: Measurement | None = None,
        check: BatchCheck | None = None,
        asked: Mapping[str, Any] | None = None,
    ) -> Outcome:
        """A complete result, stored; suites are kept of an `old` one with the same answers. `asked` is where
        and when a model behind an endpoint was asked."""
        dataset, predictions = self.unit.dataset, self.publishable(predictions)
        identity = self._identity(self._prepared)
        taken: dict[str, Score] = {}
        if asked:
            predictions, asked = with_costs(predictions, asked, self.boards)
            taken = taken_scores(predictions, asked, self.boards)
            identity["model"] = with_asked(identity["model"], asked)
        metrics = self.boards.metrics_of(dataset.id)
        scores = score(dataset, predictions, metric_names(dataset, predictions, metrics))
        scores |= difficulty_scores(dataset, predictions, self.store, metrics)
        result = Result(
            **identity,
            scores=scores | _timing_scores(measurement) | taken,
            tags=score_tags(dataset, predictions),
            failures=tuple(failures),
            measurement=measurement,
            predictions=reference_to(predictions),
            batches=check,
            node_class=node_class,
            same_again=old.same_again if old else 0,
        )
        result = with_suites(result, old.suites if old else {})
        written = self.store.save(result, predictions)
        shutil.rmtree(self.directory, ignore_errors=True)
        return Outcome("measured", result, tuple(written))

    def _updated(self, old: Result) -> Outcome:
        """The old result brought up to date without inference: missing metrics, the model's name and card."""
        dataset, predictions = self.unit.dataset, self.publishable(self.store.predictions(old))
        ref = old.model.known_as(self.unit.model.label, self.unit.model.card)
        taken: dict[str, Score] = {}
        if asked := asked_of(old):
            predictions, asked = with_costs(predictions, asked, self.boards)
            taken = taken_scores(predictions, asked, self.boards)
            ref = with_asked(ref, asked)
        result = rescored(old, dataset, predictions, self.boards.metrics_of(dataset.id), self.store)
        scores = {name: one for name, one in result.scores.items() if name not in (*TAKEN, COST)} | taken
        if scores != result.scores:
            result = result.model_copy(update={"created": now_after(result), "tool": TOOL})
        result = result.model_copy(update={"model": ref, "scores": scores})
        if result == old:
            return Outcome("unchanged", old)
        return Outcome("updated", result, tuple(self.store.save(result, predictions)))

    def _tried(
        self, outcome: Outcome, entries: Mapping[str, Entry], answers: KeptAnswers, error: Unasked | None
    ) -> Outcome:
        """The outcome with scores on the dataset's suites; those of an unchanged suite are kept."""
        result, dataset = outcome.result, self.unit.dataset
        original = self.store.predictions(result)
        tried, variants = {}, []
        failures = [failure for failure in result.failures if failure.stage != "suites"]
        for suite in self._untried:
            shown = self.inputs.variants(suite, dataset)
            if not all(key in entries for key in shown.keys):
                assert error is not None
                about = {"stage": "suites", "suite": suite.name}
                failures.append(failure_of(error, self._spec.show_text, "not-tried", **about))
                continue
            # Of variants only what is said counts, not how sure the model is.
            found = [entries[key] for key in shown.keys]
            said = [
                Entry(entry.answer._replace(confidence=None, probabilities=None), entry.failure)
                for entry in found
            ]
            predictions, wrong = self._collected(shown.dataset, said, THOUSANDTHS)
            predictions = predictions.model_copy(update={"suite": suite.hash})
            scores = suite_scores(suite, (dataset, original), (shown.dataset, predictions), wrong)
            asked = {"batches": answers.check, "node_class": answers.node_class}
            tried[suite.name] = scores.model_copy(update=asked)
            variants.append(predictions)
        kept = {suite.name: result.suites[suite.name] for suite in self._suites if _is_kept(result, suite)}
        new = with_suites(result, kept | tried).model_copy(update={"failures": tuple(failures)})
        if new == result:
            return outcome
        if tried:
            new = new.model_copy(update={"created": now(), "tool": TOOL})
        written = self.store.save(new, original, variants)
        status = "updated" if outcome.status == "unchanged" else outcome.status
        return Outcome(status, new, tuple(written))

    def _failed(self, error: Exception, old: Result | None) -> Outcome:
        """A result that says what went wrong, stored if it is the model's own fault and replaces none."""
        failure = failure_of(error, self._spec.show_text)
        result = Result(**self._identity(None), status="failed", scores={}, failures=(failure,))
        not_its_fault = isinstance(error, MissingPackage | DatasetError | HubUnreached | Stopped | OverBudget)
        if not_its_fault or failure.kind in NOT_ITS_FAULT:
            return Outcome("not run", result)
        return Outcome("failed", result, () if old else tuple(self.store.save(result)))

    def _identity(self, prepared: Prepared | None) -> dict[str, Any]:
        """The fields of a result that say what it is of; of a model that was `prepared` more is known."""
        unit, opened = self.unit, dict[str, Any]()
        if prepared is not None:
            made_from = dict(prepared.details)
            if "parity" in (origin := dict(made_from.get("origin", {}))):
                made_from["origin"] = {name: value for name, value in origin.items() if name != "parity"}
            opened = {
                "revision": prepared.revision,
                "made_from": made_from,
                "prompt": prompt_record(unit.model, unit.directory, unit.dataset.labels, self.boards),
                "parity": origin.get("parity"),
            }
        model = ModelRef(
            id=unit.model.id,
            label=unit.model.label,
            adapter=unit.model.adapter or unit.model.recipe,
            inputs=unit.given.record,
            **opened,
        )
        return {
            "task": unit.dataset.task,
            "model": model.known_as(unit.model.label, unit.model.card),
            "dataset": dataset_ref(unit.dataset),
            "inputs": unit.inputs,
            "provenance": "recorded" if self.unit.model.is_remote else "measured",
            "created": now(),
            "tool": TOOL,
        }


def run_folder(unit: Unit, work: Path) -> Path:
    """Where a unit keeps what was answered until all is; two models that are made alike have one each."""
    own = digest([unit.model.id, unit.dataset.id, unit.inputs]).removeprefix("sha256:")
    return work / "runs" / own[:24]


def _is_kept(result: Result | None, suite: Suite | PlannedSuite) -> bool:
    """Whether the result has scores on this very suite."""
    return result is not None and suite.hash in {scores.suite for scores in result.suites.values()}


def why_kept(earlier: Measurement | None, new: Measurement | None) -> str:
    """That the earlier timing is kept, and why, if it is better than the new one; else nothing.

    An invalid timing takes the place of none that can be used. Of two that can be compared, by one protocol
    on one machine, that with the narrower interval is kept.
    """
    if new is None or earlier is None or earlier.noise.verdict == "invalid":
        return ""
    if new.noise.verdict == "invalid":
        why = f" ({new.noise.reasons[0]})" if new.noise.reasons else ""
        return f"kept the earlier timing, as the new one is invalid{why}"
    alike = (new.protocol, new.fingerprint.key) == (earlier.protocol, earlier.fingerprint.key)
    if not alike or _spread(new) <= _spread(earlier):
        return ""
    before, now = (percent_off(one.known_within) for one in (earlier, new))
    return f"kept the earlier timing, {before}, as the new one is {now}"


def _spread(measurement: Measurement | None) -> float:
    known = measurement.spread() if measurement else None
    return math.inf if known is None else known


def _timing_scores(measurement: Measurement | None) -> dict[str, Score]:
    """What was timed, with its intervals; none without a measurement."""
    if measurement is None:
        return {}
    version = f"protocol-{measurement.protocol}"
    return {
        name: Score(value=value, unit=_UNITS[name], version=version, interval=measurement.interval(name))
        for name, value in measurement.timings.items()
    }
