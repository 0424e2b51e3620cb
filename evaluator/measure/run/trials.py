"""Several runs of models that do not always answer the same: each example is asked again, untimed.

Whether a model always answers the same is found out from a sample that is asked a second time. One that does
is asked once, as often as others are asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evaluator.data.datasets import Dataset, DatasetError
from evaluator.measure.models.base import MissingPackage
from evaluator.measure.run.answers import answer_key
from evaluator.measure.run.unit import UnitRun
from evaluator.measure.run.untimed import KeptAnswers, Questions
from evaluator.rank.formats import counted
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet
from evaluator.records.result import Failure, Result
from evaluator.records.store import reference_to
from evaluator.score.answers import answers_of, as_trials, failures_of, prediction_set
from evaluator.score.difficulty import difficulty_scores
from evaluator.score.scores import TOOL, metric_names, now_after, score, score_tags
from evaluator.score.taken import asked_of, taken_scores, with_asked, with_costs, with_taken

#: So many examples are asked a second time to find out whether a model answers the same.
SAMPLE = 50


#: The sample, as a number of a trial.
SAMPLED = 0


@dataclass(eq=False)
class Repetition:
    """One unit whose examples are to have so many `trials`, and what was answered in those it lacks.

    `is_over` once there is no more to ask, and the outcome says why.
    """

    run: UnitRun
    trials: int
    answers: list[KeptAnswers] = field(default_factory=list)
    is_over: bool = False

    @classmethod
    def of(cls, run: UnitRun, trials: int) -> Repetition | None:
        """None where there is nothing to ask: enough trials, always the same answers, or no result."""
        outcome = run.outcome
        if outcome is None or outcome.status in ("failed", "not run"):
            return None
        result = outcome.result
        enough = result.predictions is None or result.predictions.trials >= trials or result.same_again
        return None if enough else cls(run, trials)

    @property
    def result(self) -> Result:
        """As it is stored."""
        assert self.run.outcome is not None
        return self.run.outcome.result

    @property
    def _wanted(self) -> range:
        """The numbers of the trials that it lacks, from 1."""
        has = self.result.predictions.trials if self.result.predictions else 1
        return range(has + 1, self.trials + 1)

    def lacks(self, trial: int) -> bool:
        """Whether it is to be asked in a trial; in that of a sample, if it may always answer the same."""
        repeats = self.result.measurement.repeats if self.result.measurement else ()
        varies = any(one.differing for one in repeats) or 2 not in self._wanted
        return not varies if trial == SAMPLED else trial in self._wanted

    def questions(self, trial: int) -> Questions | None:
        """What it is asked in a trial; the sample is part of the second. None where it cannot be prepared."""
        # Answers are kept by what was asked, so that what is asked again needs a name of its own.
        shown = self.run.inputs.of(self.run.unit.dataset).by_key
        try:
            return self.run.asking({_name(key, trial): shown[key] for key in self._keys(trial)})
        except (UserError, DatasetError, MissingPackage) as error:
            self._give_up(error)
            return None

    def _keys(self, trial: int) -> list[str]:
        keys = self.run.inputs.of(self.run.unit.dataset).keys
        return keys[:SAMPLE] if trial == SAMPLED else keys

    def took(self, trial: int, answers: KeptAnswers) -> None:
        """Take in what was answered. A sample that is answered as before is all that there is to ask."""
        keys = self._keys(trial)
        if any(_name(key, trial) not in answers.entries for key in keys):
            self._give_up(answers.error)
        elif trial != SAMPLED:
            self.answers.append(answers)
        else:
            stored = self.run.store.predictions(self.result)
            before = answers_of(self.run.unit.dataset, stored)[: len(keys)]
            if [answer_key(answers.entries[_name(key, trial)]) for key in keys] == before:
                result = self.result.model_copy(update={"same_again": len(keys)})
                same = f"answers {counted(len(keys), 'example')} the same again, so it is asked once"
                self._store(result, stored, same)
                self.is_over = True

    def _give_up(self, error: object) -> None:
        outcome, self.is_over = self.run.outcome, True
        assert outcome is not None
        self.run.outcome = replace(outcome, remark=f"not asked again: {error}", incomplete=True)

    def finish(self) -> None:
        """Store the result over all trials. All of them were answered."""
        run, old = self.run, self.result
        dataset, stored = run.unit.dataset, run.store.predictions(old)
        parts, failures = [stored], list(old.failures)
        asked = [asked_of(old), *(answers.asked for answers in self.answers)]
        for trial, answers in zip(self._wanted, self.answers, strict=True):
            part, wrong = self._predictions(dataset, answers, trial, stored.resolution)
            parts.append(part)
            failures = _added(failures, wrong)
        predictions, model = run.publishable(as_trials(parts)), old.model
        scores = dict(old.scores)
        if where := _all_asked(asked):
            predictions, where = with_costs(predictions, where, run.boards)
            scores |= taken_scores(predictions, where, run.boards)
            model = with_asked(model, where)
        metrics = run.boards.metrics_of(dataset.id)
        scores |= score(dataset, predictions, metric_names(dataset, predictions, metrics))
        scores |= difficulty_scores(dataset, predictions, run.store, metrics)
        changes = {
            "model": model,
            "scores": scores,
            "tags": score_tags(dataset, predictions),
            "failures": tuple(failures),
        }
        self._store(old.model_copy(update=changes), predictions, f"{self.trials} runs of each example")

    def _predictions(
        self, dataset: Dataset, answers: KeptAnswers, trial: int, resolution: int
    ) -> tuple[PredictionSet, list[Failure]]:
        names = [_name(key, trial) for key in self._keys(trial)]
        found = [answers.entries[name] for name in names]
        own = prediction_set(dataset, self.result.model.id, [one.answer for one in found], resolution)
        if answers.taken:
            own = with_taken(own, [answers.taken[name] for name in names])
        return own, failures_of(dataset, [one.failure for one in found])

    def _store(self, result: Result, predictions: PredictionSet, remark: str) -> None:
        run, before = self.run, self.run.outcome
        assert before is not None
        update = {
            "predictions": reference_to(predictions),
            "created": now_after(before.result),
            "tool": TOOL,
        }
        new = result.model_copy(update=update)
        written = tuple(run.store.save(new, predictions))
        status = "updated" if before.status == "unchanged" else before.status
        run.outcome = replace(before, status=status, result=new, written=written, remark=remark)


def _name(key: str, trial: int) -> str:
    return f"{key}.{2 if trial == SAMPLED else trial}"


def _added(failures: Sequence[Failure], more: Sequence[Failure]) -> list[Failure]:
    """Failures, with those of a further trial counted among their kind."""
    found = list(failures)
    for one in more:
        places = [place for place, old in enumerate(found) if (old.kind, old.stage) == (one.kind, one.stage)]
        if not places:
            found.append(one)
            continue
        old = found[places[0]]
        ids = tuple(dict.fromkeys((*old.first_ids, *one.first_ids)))[: max(5, len(old.first_ids))]
        found[places[0]] = old.model_copy(update={"count": old.count + one.count, "first_ids": ids})
    return found


def _all_asked(each: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Where and when a model behind an endpoint was asked, of all trials; empty for others."""
    known = [one for one in each if one]
    if not known:
        return {}
    found = dict(known[0])
    for one in known[1:]:
        ends = {"from": min, "to": max}
        found |= {
            day: pick(found[day], one[day]) for day, pick in ends.items() if day in found and day in one
        }
        found["served"] = sorted({*found.get("served", ()), *one.get("served", ())})
        kinds = {**found.get("finished", {}), **one.get("finished", {})}
        found["finished"] = {
            kind: found.get("finished", {}).get(kind, 0) + one.get("finished", {}).get(kind, 0)
            for kind in sorted(kinds)
        }
    return {name: value for name, value in found.items() if value}
