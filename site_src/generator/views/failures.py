"""What went wrong with a model on a dataset, in words that need no knowledge of the program."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.records.result import Failure, Result, SuiteScores
from site_src.generator.views import formats

#: What happened to the model, by the kind of failure. A kind that is not here is shown by its name.
KINDS = {
    "raised": "the model raised an error",
    "not-json": "the model gave something that is not plain data",
    "not-a-number": "the model gave a number that is not finite",
    "too-large": "the model gave an answer that is too large",
    "bad-batch": "the model did not give one answer an example",
    "network": "the model tried to use the network",
    "missing-package": "the model needs a package that is not installed",
    "not-prepared": "the model could not be prepared",
    "load-failed": "the model could not be loaded",
    "timeout": "the model took too long",
    "memory": "the model used more memory than it may",
    "killed": "something outside the model ended its process",
    "isolation": "the model could not be isolated as the board requires",
    "exited": "the model's process ended by itself",
    "protocol": "the model wrote to the connection of its process",
}


@dataclass(frozen=True)
class FailureView:
    """A failure as a sentence, with the program's own message and the examples it names."""

    sentence: str
    message: str
    examples: str | None


def failure_views(result: Result) -> tuple[FailureView, ...]:
    """Every kind of failure of a result."""
    whole = result.status == "failed"
    return tuple(
        FailureView(_sentence(failure, whole), failure.full_message, _ids(failure))
        for failure in result.failures
    )


def variant_failures(scores: SuiteScores) -> tuple[FailureView, ...]:
    """Every kind of failure on the variants of a suite."""
    return tuple(
        FailureView(_wrong_answers(failure, "variant"), failure.message, _ids(failure))
        for failure in scores.failures
    )


def _sentence(failure: Failure, whole: bool) -> str:
    what = KINDS.get(failure.kind, formats.shortened(failure.kind))
    if failure.stage == "timing":
        return f"While it was timed, {what}. Its answers are kept; its timing is missing."
    if failure.stage == "suites":
        return f"The model could not be tried with the suite {failure.suite}. Its other scores are kept."
    if whole:
        return f"{what[:1].upper()}{what[1:]}."
    return _wrong_answers(failure, "example")


def _wrong_answers(failure: Failure, thing: str) -> str:
    """Of answers that are wrong because there is none, or none that can be read."""
    what, things = (
        KINDS.get(failure.kind, formats.shortened(failure.kind)),
        formats.counted(failure.count, thing),
    )
    if failure.kind == "missing":
        has = "has" if failure.count == 1 else "have"
        return f"{things} {has} no answer {_wrong(failure)}."
    if failure.kind == "invalid-answer":
        return _invalid(failure)
    return f"On {things} {what}; {'it counts' if failure.count == 1 else 'they count'} as wrong."


def _invalid(failure: Failure) -> str:
    were = "was" if failure.count == 1 else "were"
    return f"{formats.counted(failure.count, 'answer')} {were} not valid {_wrong(failure)}."


def _wrong(failure: Failure) -> str:
    return "and counts as wrong" if failure.count == 1 else "and count as wrong"


def _ids(failure: Failure) -> str | None:
    """The examples whose ids were kept, and how many more there are."""
    if not failure.first_ids:
        return None
    return formats.listed(failure.first_ids, failure.count - len(failure.first_ids))
