"""What a node is sent to do, and how it is done there; right answers are no part of it."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from pathlib import Path

from evaluator.data.datasets import DatasetError
from evaluator.data.tasks import get_task
from evaluator.measure.models import MissingPackage
from evaluator.measure.models.pretrained import fetch
from evaluator.measure.run.asking import SILENT, TimedAnswers, TimedQuestions, ask_timed
from evaluator.measure.run.untimed import KeptAnswers, Questions, Unasked, ask
from evaluator.measure.timing.machine import own_cpus, pinned_to
from evaluator.measure.worker import WorkerError
from evaluator.records.errors import UserError

#: What comes back: answers, or what kept the model from being asked.
AssignmentAnswer = TimedAnswers | KeptAnswers | Unasked


@dataclass(frozen=True)
class NodeAssignment:
    """Questions to one model. Untimed ones take part `share[0]`, from 0, of `share[1]` of the node's CPUs."""

    questions: TimedQuestions | Questions
    share: tuple[int, int] = (0, 1)

    def packed(self) -> bytes:
        """As bytes for a node, with no more of the examples than a model is shown."""
        questions = self.questions
        if isinstance(questions, TimedQuestions):
            task = get_task(questions.spec.task)
            questions = replace(questions, examples=[task.inputs(one) for one in questions.examples])
        return pickle.dumps(replace(self, questions=questions))

    def carry_out(self, scratch: Path, model: Path) -> AssignmentAnswer:
        """Ask the model in the folder `model`; `scratch` is a folder for files under way."""
        spec = replace(self.questions.spec, directory=model)
        try:
            fetch(spec.adapter, spec.options)
            if isinstance(self.questions, TimedQuestions):
                return ask_timed(replace(self.questions, spec=spec), scratch)
            return self._ask_untimed(replace(self.questions, spec=spec), scratch)
        except (WorkerError, UserError, DatasetError, MissingPackage) as error:
            return error

    def _ask_untimed(self, questions: Questions, scratch: Path) -> KeptAnswers:
        place, places = self.share
        own = sorted(own_cpus())
        with pinned_to(set(own[place::places] or own[place % len(own) :][:1])):
            [(_, answers)] = ask([questions], scratch, SILENT)
        return answers
