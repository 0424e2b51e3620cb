"""A model outside of a board's evaluation: asked what somebody likes, or checked with difficult inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evaluator.data.tasks import FieldError, Task
from evaluator.measure.worker import Limits, ModelToLoad, Placement, Worker, WorkerError
from evaluator.score.predictions import unlikely_words

#: Which difficult inputs are made.
SEED = 0


@dataclass(frozen=True)
class AskedModel:
    """A model that can be loaded, its task and the labels that it chooses from."""

    task: Task
    to_load: ModelToLoad
    limits: Limits

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, none where the task asks for texts."""
        return self.to_load.labels

    def worker(self) -> Worker:
        """The process that holds it, as `evaluate` starts it, not yet loaded."""
        return Worker(self.to_load, self.limits, Placement())

    def reply(self, worker: Worker, example: dict[str, Any]) -> dict[str, Any]:
        """What the model answered to an example: the label or text, milliseconds, its own words; or the
        error."""
        try:
            reply = worker.predict(example)
            answer = self.task.check_output(reply.output, self.labels)
        except (ValueError, WorkerError) as error:
            return {"input": example, "error": str(error)}
        meant = self.labels[answer.label] if answer.text is None else answer.text
        return {"input": example, "answer": meant, "ms": reply.elapsed_ns / 1e6, "output": reply.output}

    def check(self) -> tuple[list[dict[str, Any]], int, int]:
        """What is wrong with its answers to difficult inputs, how many of them it answered as it should, and
        how many there are."""
        task = self.task
        examples = task.mock_examples(SEED)
        problems: list[dict[str, Any]] = []
        answered, shown = 0, "(loading)"
        unlikely: list[bool] = []
        with self.worker() as worker:
            try:
                worker.start()
                for example in examples:
                    shown = ascii(task.inputs(example))[:80]
                    try:
                        reply = worker.predict(task.inputs(example))
                        answer = task.check_output(reply.output, self.labels)
                        answered += 1
                        if answer.probabilities is not None:
                            unlikely.append(answer.probabilities[answer.label] < max(answer.probabilities))
                    except FieldError as error:
                        problems.append({"kind": "invalid-answer", "message": str(error), "input": shown})
                    except WorkerError as error:
                        if error.fatal:
                            raise
                        problems.append({"kind": error.kind, "message": error.message, "input": shown})
            except WorkerError as error:
                # A model that is gone answers none of the inputs that are left.
                problems.append({"kind": error.kind, "message": error.message, "input": shown})
        if 2 * sum(unlikely) > len(unlikely):
            [said] = unlikely_words(sum(unlikely), len(unlikely))
            message = f"{said}; look at which probability is given to which label"
            problems.append({"kind": "unlikely-labels", "message": message, "input": "(all)"})
        return problems, answered, len(examples)
