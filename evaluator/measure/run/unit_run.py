"""One unit brought up to date: its model prepared, asked, timed and tried with suites; scored and stored.

The module is long because all steps of a unit are here, in the order in which they are taken.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from evaluator.data.datasets import Dataset, DatasetError
from evaluator.data.suites.make import Suite
from evaluator.data.tasks import Prediction
from evaluator.measure.models import MissingPackage, Prepared, recipe_version
from evaluator.measure.models.pretrained import HubUnreached
from evaluator.measure.run.asking import SILENT, Steps, TimedAnswers, TimedQuestions, ask_timed
from evaluator.measure.run.failing import failure_of
from evaluator.measure.run.inputs import EvaluationInputs, ExampleInputs
from evaluator.measure.run.job import Timed
from evaluator.measure.run.loading import prepared_model, worker_limits
from evaluator.measure.run.outcome import Needs, Outcome
from evaluator.measure.run.plan import Unit
from evaluator.measure.run.predict import AnswerReader
from evaluator.measure.run.prompts import prompt_record
from evaluator.measure.run.stored import is_kept, is_unmeasured, timing_scores
from evaluator.measure.run.untimed import KeptAnswers, LaterInputs, Questions, Unasked
from evaluator.measure.timing import Settings
from evaluator.measure.worker import ModelToLoad, WorkerError
from evaluator.records.board import Boards
from evaluator.records.errors import UserError
from evaluator.records.measurement import Measurement
from evaluator.records.predictions import PredictionSet
from evaluator.records.references import ModelRef
from evaluator.records.result import BatchCheck, Failure, Result, Score, SuiteScores
from evaluator.records.store import Store, reference_to
from evaluator.score.agreement import suite_scores, with_suites
from evaluator.score.columns import THOUSANDTHS, answers_of, prediction_set, resolution_for
from evaluator.score.difficulty_scores import difficulty_scores
from evaluator.score.entry import Entry
from evaluator.score.examples import with_scores
from evaluator.score.rescoring import rescored
from evaluator.score.results import TOOL, dataset_ref, failures_of, now
from evaluator.score.scores import metric_names, score, score_tags
from evaluator.score.suites import PlannedSuite, card_of, path_of, planned_suites

#: Kinds of failure that say something about this machine, and nothing about the model.
NOT_ITS_FAULT = ("missing-package", "isolation", "node-lost")

#: What an answer says that is none.
NOTHING = (-1, None)
#: Asks a model and times it; may raise any of these.
AskTimed = Callable[[TimedQuestions], TimedAnswers]


@dataclass(frozen=True)
class _Answers:
    """What a model answered, what went wrong, and how it was timed."""

    predictions: PredictionSet
    failures: list[Failure]
    measurement: Measurement | None = None
    check: BatchCheck | None = None
    node_class: str | None = None


class UnitRun:
    """One unit under way. `outcome` is None as long as nothing is known of its predictions."""

    def __init__(
        self, unit: Unit, boards: Boards, store: Store, inputs: EvaluationInputs, progress: Steps = SILENT
    ) -> None:
        self.unit, self.boards, self.store, self.progress = unit, boards, store, progress
        self.inputs, self.work, self.models = inputs, inputs.work, inputs.work / "models"
        self.directory = self.work / "runs" / unit.inputs.removeprefix("sha256:")[:24]
        self.outcome: Outcome | None = None
        self._unprepared: Unasked | None = None

    @property
    def timed(self) -> bool:
        """Whether the model is timed on the dataset: where it counts in a ranking."""
        return self.boards.dataset(self.unit.dataset.id).role == "scoring"

    def needs(self, remeasure: bool) -> Needs:
        """What is not up to date; with `remeasure` that is every timing."""
        old = self._stored()
        timed = self.timed and (old is None or remeasure or is_unmeasured(old))
        suites = tuple(suite for suite in self._planned if not is_kept(old, suite))
        return Needs(old, timed, old is None, suites)

    def timed_questions(self, remeasure: bool) -> TimedQuestions | None:
        """What the model is asked while it is timed; None if it is not, or cannot be: `begin` says which."""
        needs = self.needs(remeasure)
        try:
            return self._timed_questions(needs.old) if needs.timed else None
        except (UserError, DatasetError, MissingPackage) as error:
            self._unprepared = error
            return None

    def begin(self, remeasure: bool, ask: AskTimed | None = None) -> Outcome | None:
        """Keep the stored result, or time the model; None if it is to be asked without being timed.

        `ask` answers in place of this machine, and may raise what keeps a model from being asked.
        """
        needs = self.needs(remeasure)
        if needs.timed:
            self.outcome = self._measured(needs.old, ask or self._ask_here)
        elif needs.old is not None:
            self.outcome = self._updated(needs.old)
        return self.outcome

    def questions(self) -> Questions | None:
        """What is to be asked untimed: the dataset, if it is never timed, and suites not tried yet.

        None if there is nothing to ask, or nobody who could answer; `finish` says which. Suites that were not
        made yet are made when somebody looks at the inputs.
        """
        if self._over or (self.outcome and not self._may_ask(self.outcome.result)):
            return None
        try:
            return self._questions()
        except (UserError, DatasetError, MissingPackage) as error:
            self._unprepared = error
            return None

    def _may_ask(self, result: Result) -> bool:
        """Whether suites are left to try; one that was not made yet may turn out to have no variants."""
        left = [suite for suite in self._planned if not is_kept(result, suite)]
        return any(not path_of(suite, self.work).exists() for suite in left) or bool(left and self._untried)

    def _inputs(self) -> dict[str, ExampleInputs]:
        """What the model is asked untimed, by key. Raises `evaluator.data.suites.SuiteError`."""
        dataset = self.unit.dataset
        variants = [self.inputs.variants(suite, dataset) for suite in self._untried]
        asked = variants if self.outcome else [self.inputs.of(dataset), *variants]
        inputs = {key: value for one in asked for key, value in one.by_key.items()}
        return {key: value for key, value in inputs.items() if key not in self._own_answers}

    def finish(self, answers: KeptAnswers | None) -> Outcome:
        """The outcome, once what `questions` asked is answered."""
        answers = answers or KeptAnswers({})
        answers = replace(answers, entries={**answers.entries, **self._own_answers})
        error = self._unprepared or answers.error
        if self.outcome is None:
            self.outcome = self._answered(answers, error)
        if not self._over:
            self.outcome = self._tried(self.outcome, answers, error)
        return self.outcome

    @property
    def _over(self) -> bool:
        """Whether there is no more to learn of this model."""
        outcome = self.outcome
        return outcome is not None and (
            outcome.result.status != "complete" or outcome.status in ("failed", "not run")
        )

    @property
    def _reader(self) -> AnswerReader:
        return AnswerReader(self.unit.dataset.task, self.unit.dataset.labels, self._show_text)

    @property
    def _show_text(self) -> bool:
        return self.boards.dataset(self.unit.dataset.id).show_text

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
        except UserError:
            return None
        return old

    def _measured(self, old: Result | None, ask: AskTimed) -> Outcome:
        """Measure the model; only its timing if there is an `old` result, which a failure leaves alone."""
        if self._unprepared is not None:
            return self._failed(self._unprepared, old)
        try:
            answers = ask(self._timed_questions(old))
        except (WorkerError, UserError, DatasetError, MissingPackage) as error:
            return self._failed(error, old)
        return self._complete(self._timed_answers(answers, old), old.suites if old else {})

    def _ask_here(self, questions: TimedQuestions) -> TimedAnswers:
        return ask_timed(questions, self.directory, self.progress)

    def _timed_questions(self, old: Result | None) -> TimedQuestions:
        dataset, limits = self.unit.dataset, worker_limits(self.boards.limits)
        settings = Settings(**self.boards.measure.model_dump(exclude={"isolation"}))
        stored = answers_of(dataset, self.store.predictions(old)) if old else None
        return TimedQuestions(self._spec, self._reader, limits, settings, dataset.examples, stored)

    def _timed_answers(self, answers: TimedAnswers, old: Result | None) -> _Answers:
        """What was answered now or, where only the timing is new, by the `old` result."""
        dataset = self.unit.dataset
        if old is None:
            found = [answers.entries[number] for number in range(len(dataset.examples))]
            predictions, failures = self._collected(dataset, found, resolution_for(dataset))
        else:
            predictions = self._predictions(old)
            failures = [failure for failure in old.failures if failure.stage != "timing"]
        if answers.lost:
            failures = [*failures, failure_of(answers.lost, self._show_text, stage="timing")]
        return _Answers(predictions, failures, answers.measurement, node_class=answers.node_class)

    def _answered(self, answers: KeptAnswers, error: Unasked | None) -> Outcome:
        """The outcome on a dataset that is not timed."""
        dataset, keys = self.unit.dataset, self.inputs.of(self.unit.dataset).keys
        if not all(key in answers.entries for key in keys):
            assert error is not None
            return self._failed(error, None)
        found = [answers.entries[key] for key in keys]
        predictions, failures = self._collected(dataset, found, resolution_for(dataset))
        asked = _Answers(predictions, failures, check=answers.check, node_class=answers.node_class)
        return self._complete(asked, {})

    def _collected(
        self, dataset: Dataset, found: Sequence[Entry], resolution: int, sure: bool = True
    ) -> tuple[PredictionSet, list[Failure]]:
        """Predictions on the dataset or on variants of it, and what went wrong; `sure`: with confidences."""
        answers = [entry.answer for entry in found]
        if not sure:
            answers = [answer._replace(confidence=None, probabilities=None) for answer in answers]
        predictions = prediction_set(dataset, self.unit.model.id, answers, resolution)
        return predictions, failures_of(dataset, [entry.failure for entry in found])

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
    def _spec(self) -> ModelToLoad:
        prepared, dataset = self._prepared, self.unit.dataset
        return ModelToLoad(
            prepared.adapter, prepared.directory, prepared.options, dataset.task, dataset.labels
        )

    def _questions(self) -> Questions:
        measured = self.outcome.result.measurement if self.outcome else None
        return Questions(
            self.unit.model.id,
            self._prepared.revision,
            self._spec,
            self._reader,
            worker_limits(self.boards.limits),
            LaterInputs(self._inputs),
            Timed(1 / measured.throughput, measured.load_s, measured.peak_bytes) if measured else None,
        )

    @cached_property
    def _own_answers(self) -> dict[str, Entry]:
        """What the model answered to the dataset itself, by key, where that was an answer."""
        # A model that could not be tried keeps no predictions.
        if self.outcome is None or self.outcome.result.predictions is None:
            return {}
        predictions = self.store.predictions(self.outcome.result)
        keys, dataset = self.inputs.of(self.unit.dataset).keys, self.unit.dataset
        said = zip(keys, answers_of(dataset, predictions), strict=True)
        given = ((key, answer) for key, answer in said if answer != NOTHING)
        return {key: Entry(Prediction(label, text=text)) for key, (label, text) in given}

    def _predictions(self, old: Result) -> PredictionSet:
        """Stored predictions, with what may be published of them."""
        return self._with_scores(self.store.predictions(old))

    def _with_scores(self, predictions: PredictionSet) -> PredictionSet:
        dataset = self.unit.dataset
        return with_scores(dataset, predictions, self.boards.dataset(dataset.id).show_gold)

    def _complete(self, asked: _Answers, suites: Mapping[str, SuiteScores]) -> Outcome:
        prepared, predictions = self._prepared, self._with_scores(asked.predictions)
        result = Result(
            **self._identity(prepared),
            scores=self._quality(predictions) | timing_scores(asked.measurement),
            tags=score_tags(self.unit.dataset, predictions),
            failures=tuple(asked.failures),
            measurement=asked.measurement,
            predictions=reference_to(predictions),
            batches=asked.check,
            node_class=asked.node_class,
        )
        result = with_suites(result, suites)
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
            self.store.save_record(card_of(suite, dataset, self._show_text))
        return suites

    @property
    def _untried(self) -> list[Suite]:
        """The suites with variants that the result has no scores on."""
        result = self.outcome.result if self.outcome else None
        return [suite for suite in self._suites if suite.variants and not is_kept(result, suite)]

    def _tried(self, outcome: Outcome, answers: KeptAnswers, error: Unasked | None) -> Outcome:
        """The outcome with scores on the dataset's suites; those of an unchanged suite are kept."""
        result = outcome.result
        original = self.store.predictions(result)
        tried, variants = {}, []
        failures = [failure for failure in result.failures if failure.stage != "suites"]
        for suite in self._untried:
            shown = self.inputs.variants(suite, self.unit.dataset)
            if not all(key in answers.entries for key in shown.keys):
                assert error is not None
                about = {"stage": "suites", "suite": suite.name}
                failures.append(failure_of(error, self._show_text, "not-tried", **about))
                continue
            found = [answers.entries[key] for key in shown.keys]
            predictions, wrong = self._collected(shown.dataset, found, THOUSANDTHS, sure=False)
            predictions = predictions.model_copy(update={"suite": suite.hash})
            before, after = (self.unit.dataset, original), (shown.dataset, predictions)
            scores = suite_scores(suite, before, after, wrong)
            asked = {"batches": answers.check, "node_class": answers.node_class}
            tried[suite.name] = scores.model_copy(update=asked)
            variants.append(predictions)
        kept = {suite.name: result.suites[suite.name] for suite in self._suites if is_kept(result, suite)}
        new = with_suites(result, kept | tried).model_copy(update={"failures": tuple(failures)})
        if new == result:
            return outcome
        if tried:
            new = new.model_copy(update={"created": now(), "tool": TOOL})
        written = self.store.save(new, original, variants)
        status = "updated" if outcome.status == "unchanged" else outcome.status
        return Outcome(self.unit, status, new, tuple(written))

    def _failed(self, error: Exception, old: Result | None) -> Outcome:
        """A result that says what went wrong, stored if it is the model's own fault and replaces none."""
        failure = failure_of(error, self._show_text)
        result = Result(**self._identity(None), status="failed", scores={}, failures=(failure,))
        not_its_fault = isinstance(error, MissingPackage | DatasetError | HubUnreached)
        if not_its_fault or failure.kind in NOT_ITS_FAULT:
            return Outcome(self.unit, "not run", result)
        return Outcome(self.unit, "failed", result, () if old else tuple(self.store.save(result)))

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
