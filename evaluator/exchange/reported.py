"""Numbers of other evaluation tools as `reported` results of a board's datasets, with their standard errors.

Reported numbers are ranked together only if their sources are the same (`records.board.cells`),
so the source names all that must be equal: tool, task and its version, shots, metrics, and a limit if
there was one. What differs between models, their arguments and the date, is in the source's note.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator import __version__
from evaluator.exchange.logs.base import EvaluationLog, LoggedExamples, LoggedTask
from evaluator.exchange.matching import ImportRequest, MatchedTask
from evaluator.records.board import Boards
from evaluator.records.errors import UserError
from evaluator.records.references import DatasetRef, ModelCard, ModelRef, Source
from evaluator.records.result import Result, Score


def reported_result(
    one: MatchedTask, request: ImportRequest, boards: Boards, created: str
) -> tuple[Result, list[PublishedNumber]]:
    """The numbers of a task, checked against the log's own verdicts on its examples where it kept them.

    Raises `UserError` for a number that is not what they imply, unless that is accepted.
    """
    examples = one.task.examples() if one.task.examples and request.examples != "none" else None
    compared = _compared(one, examples) if examples else []
    check_differences(one, compared, request)
    result = Result(
        task=one.dataset.task,
        model=model_ref(one, request, boards),
        dataset=DatasetRef(id=one.dataset.id, examples=one.task.effective),
        provenance="reported",
        scores={spec.name: _score(one, key, examples) for key, spec in one.metrics.items()},
        source=source(one, request, compared),
        created=created,
        tool=f"steelyard {__version__}",
    )
    return result, compared


@dataclass(frozen=True)
class PublishedNumber:
    """A published number, by the tool's `key` and our `metric`, and what the examples imply, in our unit.

    `apart` is where one example disagrees, in words; "" where none is known to.
    """

    key: str
    metric: str
    implied: float
    published: float
    apart: str = ""

    @property
    def is_same(self) -> bool:
        """Whether the two are the same number, except for the order in which a computer adds."""
        return not self.apart and math.isclose(self.implied, self.published, rel_tol=1e-9, abs_tol=1e-9)

    @property
    def words(self) -> str:
        """``accuracy: stored examples imply 69.6, published 69.6``, in digits that show a difference."""
        pair = f"stored examples imply {self.implied:.6g}, published {self.published:.6g}"
        if not self.is_same and f"{self.implied:.6g}" == f"{self.published:.6g}":
            pair = f"stored examples imply {self.implied!r}, published {self.published!r}"
        return f"{self.metric}: {pair}"


def check_differences(one: MatchedTask, compared: Sequence[PublishedNumber], request: ImportRequest) -> None:
    """Raise `UserError` for the first number that is not what the examples imply."""
    for pair in compared:
        if not pair.is_same and not request.accept_differences:
            apart = f"; {pair.apart}" if pair.apart else ""
            fix = "find out why, take the published number alone with --examples none, or store what the"
            raise UserError(
                f"{one.log.path}: {one.task.name}: {pair.key}: {pair.words}{apart}; {fix} examples imply,"
                " marked, with --accept-differences"
            )


def _compared(one: MatchedTask, examples: LoggedExamples) -> list[PublishedNumber]:
    """Means of the log's own verdicts beside what it publishes, for metrics that are such means."""
    return [
        PublishedNumber(key, spec.name, one.scaled(key, statistics.fmean(scores)), one.published(key))
        for key, spec in one.metrics.items()
        if (scores := _verdicts(one, key, examples))
    ]


def _verdicts(one: MatchedTask, key: str, examples: LoggedExamples) -> list[float]:
    """What a metric is the mean of: its value on each example; nothing where it may be no such mean."""
    scores = [example.scores[key] for example in examples.rows if key in example.scores]
    is_mean = key.partition(",")[0] in one.log.shares and len(scores) == len(examples.rows)
    return scores if is_mean else []


def _standard_error(one: MatchedTask, key: str, examples: LoggedExamples | None) -> float | None:
    """What the tool publishes, else the standard deviation of its verdicts over the root of their number."""
    given = one.standard_error(key)
    scores = _verdicts(one, key, examples) if examples and given is None else []
    if len(scores) < 2:
        return given
    return one.scaled(key, statistics.stdev(scores) / math.sqrt(len(scores)))


def _score(one: MatchedTask, key: str, examples: LoggedExamples | None) -> Score:
    version = f"{_SHORT.get(one.log.tool, one.log.tool)} {one.task.name} {one.task.version or '?'} {key}"
    return Score(
        value=one.published(key),
        unit=one.metrics[key].unit,
        version=version,
        standard_error=_standard_error(one, key, examples),
    )


#: Names of tools in the versions of their metrics.
_SHORT = {"lm-evaluation-harness": "lm-eval"}


def model_ref(one: MatchedTask, request: ImportRequest, boards: Boards) -> ModelRef:
    """The model as the board knows it, and all that decides its numbers."""
    known = boards.model(request.model)
    return ModelRef(
        id=request.model,
        label=known.label if known else request.model,
        made_from=_made_from(one),
        card=known.card if known else ModelCard(),
    )


def source(one: MatchedTask, request: ImportRequest, compared: Sequence[PublishedNumber] = ()) -> Source:
    """Where the numbers are from; a difference that was accepted is in the citation and in the note."""
    accepted = [f"accepted although they differ: {pair.words}" for pair in compared if not pair.is_same]
    mark = " (its examples imply other numbers than it published)" if accepted else ""
    return Source(
        citation=_citation(one.log, one.task, list(one.metrics), request.citation) + mark,
        link=request.link or one.log.home,
        note="; ".join([_note(one), *accepted]),
    )


def _made_from(one: MatchedTask) -> dict[str, object]:
    log, task = one.log, one.task
    facts: Mapping[str, object] = {
        log.tool: log.version,
        "file": log.sha256,
        "git": log.git,
        "date": log.date,
        "kind": log.model_kind,
        "arguments": dict(log.model_arguments) or None,
        "chat template": log.chat_template or None,
        "task": task.name,
        "task version": task.version,
        "shots": task.shots,
        "metrics": {spec.name: key for key, spec in one.metrics.items()},
    }
    return {name: value for name, value in facts.items() if value is not None}


def _citation(log: EvaluationLog, task: LoggedTask, metrics: Sequence[str], given: str | None) -> str:
    """All that must be equal for two reported numbers to be compared."""
    version = f" version {task.version}" if task.version else ""
    shots = f", {task.shots}-shot" if task.shots is not None else ""
    named = f"{log.tool} {log.version}: {task.name}{version}{shots}; {', '.join(sorted(metrics))}"
    if task.effective is not None and task.effective != task.original:
        part = f" (on {task.effective} of {task.original} examples)"
    else:
        part = f" (limit {log.limit})" if task.effective is None and log.limit else ""
    return (given or named) + part


def _note(one: MatchedTask) -> str:
    """What is true of this run alone."""
    log = one.log
    arguments = ", ".join(f"{name}={value}" for name, value in log.model_arguments.items())
    model = " ".join(filter(None, [log.model_kind, arguments]))
    parts = [
        f"run on {log.date}" if log.date else "",
        f"model {model}" if model else "",
        "with a chat template" if log.chat_template else "",
        f"{log.tool} {log.version}" + (f", git {log.git}" if log.git else ""),
        ", ".join(f"{spec.name} is {key}" for key, spec in one.metrics.items()),
    ]
    return "; ".join(filter(None, parts))
