"""Numbers of other evaluation tools as `reported` results of a board's datasets, with their standard errors.

Reported numbers are ranked together only if all that decided them is the same (`records.board.comparing`), so
each has it with it by name: tool, task and its version, shots, metric, examples, and every other setting that
the log knows (`settings_of_number`). The source says it in words. What differs between models, their
arguments and the date, is in the source's note.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
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
) -> tuple[Result, list[PublishedNumber], str]:
    """The numbers of a task, checked against the log's own verdicts on its examples where it kept them, and
    what of these could not be used for that.

    Raises `UserError` for a number that is not what they imply, unless that is accepted.
    """
    examples, unused = _examples(one) if request.examples != "none" else (None, "")
    compared = _compared(one, examples) if examples else []
    check_differences(one, compared, request)
    result = Result(
        task=one.dataset.task,
        model=model_ref(one, request, boards),
        dataset=DatasetRef(id=one.dataset.id, examples=_answered(one.task, one.metrics)),
        provenance="reported",
        scores={
            spec.name: _score(one, key, examples, settings_of_number(one, key, compared))
            for key, spec in one.metrics.items()
        },
        source=source(one, request, compared),
        created=created,
        tool=f"steelyard {__version__}",
    )
    return result, compared, unused


def _examples(one: MatchedTask) -> tuple[LoggedExamples | None, str]:
    """The examples of a log, or None and why they, or some of them, cannot be used."""
    if one.task.examples is None:
        return None, ""
    end = "the numbers are the published ones, as with --examples none ({})"
    try:
        examples = one.task.examples()
        if not examples.unusable:
            return examples.whole(), ""
    except UserError as error:
        return None, f"the log's examples cannot be used; {end.format(error)}"
    whole = len(examples.rows) + len(examples.unusable)
    about = f"{len(examples.unusable)} of the log's {whole} examples cannot be used"
    return None, f"{about}; {end.format(examples.unusable[0])}"


@dataclass(frozen=True)
class PublishedNumber:
    """A published number, by the tool's `key` and our `metric`, and what the examples imply, in our unit.

    `apart` is where one example disagrees, in words; "" where none is known to. `off` is how far
    what is published may be off because it was rounded.
    """

    key: str
    metric: str
    implied: float
    published: float
    apart: str = ""
    off: float = 0.0

    @property
    def is_same(self) -> bool:
        """Whether the two are the same number, except for the order in which a computer adds."""
        off = max(1e-9, self.off)
        return not self.apart and math.isclose(self.implied, self.published, rel_tol=1e-9, abs_tol=off)

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
        PublishedNumber(
            key,
            spec.name,
            one.scaled(key, statistics.fmean(scores)),
            one.published(key),
            off=one.rounding(key),
        )
        for key, spec in one.metrics.items()
        if (scores := _verdicts(one, key, examples))
    ]


def _verdicts(one: MatchedTask, key: str, examples: LoggedExamples) -> list[float]:
    """What a metric is the mean of: its value on each example; nothing where it may be no such mean."""
    scores = [example.scores[key] for example in examples.rows if key in example.scores]
    known = one.task.shares | one.task.percents
    is_mean = key in known and len(scores) == one.task.scored.get(key, len(examples.rows))
    return scores if is_mean else []


def _standard_error(one: MatchedTask, key: str, examples: LoggedExamples | None) -> float | None:
    """What the tool publishes, else the standard deviation of its verdicts over the root of their number."""
    given = one.standard_error(key)
    scores = _verdicts(one, key, examples) if examples and given is None else []
    if len(scores) < 2:
        return given
    return one.scaled(key, statistics.stdev(scores) / math.sqrt(len(scores)))


def _score(one: MatchedTask, key: str, examples: LoggedExamples | None, settings: dict[str, str]) -> Score:
    version = f"{short_name(one.log.tool)} {one.task.name} {one.task.version or '?'} {key}"
    return Score(
        value=one.published(key),
        unit=one.metrics[key].unit,
        version=version,
        standard_error=_standard_error(one, key, examples),
        settings=settings,
    )


def costs(one: MatchedTask) -> dict[str, Score]:
    """What the tool counted of the examples, such as seconds and tokens, which no answer implies."""
    return {
        spec.name: _score(one, key, None, settings_of_number(one, key, ()))
        for key, spec in one.metrics.items()
        if key in one.task.units
    }


def settings_of_number(one: MatchedTask, key: str, compared: Sequence[PublishedNumber]) -> dict[str, str]:
    """All that decided a number, by name; what the log does not say is left out, and so equals nothing known.

    A citation of the user's own says where a number is from, and decides nothing.
    """
    log, task = one.log, one.task
    answered = _answered(task, [key])
    facts = {
        "tool": log.tool,
        "tool version": log.tool_version,
        "task": task.name,
        "task version": task.version,
        "shots": task.shots,
        "metric": key,
        "examples": _part(answered, task.original) or answered,
        "limit": log.limit,
        "chat template": "yes" if log.chat_template else None,
        "implied by its examples": "no" if any(not pair.is_same for pair in compared) else None,
        **task.settings,
        **task.own.get(key, {}),
        **task.definition,
    }
    return {name: str(value) for name, value in facts.items() if value is not None}


def _answered(task: LoggedTask, metrics: Iterable[str]) -> int | None:
    """On how many examples the numbers of some metrics are; None where it is not known."""
    fewer = [task.scored[key] for key in metrics if key in task.scored]
    return min(fewer, default=task.effective)


def _part(answered: int | None, original: int | None) -> str | None:
    """``3 of 4``; None where all were answered, or it is not known."""
    return None if None in (answered, original) or answered == original else f"{answered} of {original}"


def short_name(tool: str) -> str:
    """The name of a tool with which the versions of its metrics begin."""
    return {"lm-evaluation-harness": "lm-eval"}.get(tool, tool)


def model_ref(one: MatchedTask, request: ImportRequest, boards: Boards) -> ModelRef:
    """The model as the board knows it, and all that decides its numbers."""
    known = boards.model(request.model)
    return ModelRef(
        id=request.model,
        label=known.label if known else request.label or request.model,
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
    pairs = [*task.settings.items(), *(pair for key in metrics for pair in task.own.get(key, {}).items())]
    if settings := ", ".join(f"{name} {value}" for name, value in dict.fromkeys(pairs)):
        named += f"; {settings}"
    if part := _part(_answered(task, metrics), task.original):
        return f"{given or named} (on {part} examples)"
    limit = f" (limit {log.limit})" if task.effective is None and log.limit else ""
    return (given or named) + limit


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
