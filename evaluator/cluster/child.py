"""What a node is sent to do, and the process that does it there: no right answer is part of it.

``python -P -m evaluator.cluster.child FOLDER MODEL PARENT`` does what the file `assignment` in FOLDER says
with the model in the folder MODEL, and writes `answer` there. It dies with the thread of the process PARENT
that started it.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from evaluator.data.datasets import DatasetError
from evaluator.data.tasks import get_task
from evaluator.measure.isolation.namespaces import PR_SET_PDEATHSIG, prctl
from evaluator.measure.models.base import MissingPackage
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
                [(_, found)] = ask_timed([(replace(self.questions, spec=spec), scratch)])
                return found
            own, (place, places) = sorted(own_cpus()), self.share
            with pinned_to(set(own[place::places] or own[place % len(own) :][:1])):
                [(_, answers)] = ask([replace(self.questions, spec=spec)], scratch, SILENT)
            return answers
        except (WorkerError, UserError, DatasetError, MissingPackage) as error:
            return error


def main(folder: Path, model: Path, parent: int) -> None:
    """Do one assignment."""
    if sys.platform == "linux":
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the process that wanted this is gone")
    assignment = pickle.loads((folder / "assignment").read_bytes())
    (folder / "work").mkdir()
    (folder / "answer").write_bytes(pickle.dumps(assignment.carry_out(folder / "work", model)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
