"""What a task is: the fields it gives a model, the labels it asks for, and the checks on both."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SUM_TOLERANCE = 1e-3

_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = 80
_short.maxlevel = 3


class FieldError(ValueError):
    """A value that a task does not accept: `field`, `value` as shown to people, and the `mend`."""

    def __init__(self, field: str, value: Any, problem: str, mend: str, where: str = "") -> None:
        self.field, self.value, self.mend = field, show(value), mend
        prefix = f"{where}: " if where else ""
        super().__init__(f"{prefix}{field}: {problem}; {mend}")


def show(value: Any) -> str:
    """`value` as Python writes it, cut to about 80 characters."""
    return _short.repr(value)


def wrong_type(field: str, value: Any, expected: str, mend: str, where: str = "") -> FieldError:
    """The error for a value that is not ``expected`` (for example ``a string``)."""
    name = type(value).__name__
    article = "an" if name[0] in "aeiou" else "a"
    return FieldError(field, value, f"{show(value)} is {article} {name}, not {expected}", mend, where)


@dataclass(frozen=True)
class Prediction:
    """A checked answer: `label` is an index into the labels; probabilities follow their order."""

    label: int
    confidence: float | None = None
    probabilities: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Task:
    """A classification task over text fields.

    `fields` are the input fields every example has, all strings; `label_sets` are the allowed tuples
    of labels, in order; `mock_examples` makes nasty but valid examples from a seed.
    """

    name: str
    fields: tuple[str, ...]
    label_sets: tuple[tuple[str, ...], ...]
    mock_examples: Callable[[int], list[dict[str, Any]]]

    def inputs(self, example: Mapping[str, Any]) -> dict[str, Any]:
        """What a model may see of `example`: the input fields, without its id."""
        return {field: example[field] for field in self.fields}

    def check_example(self, example: Any, where: str) -> None:
        """Raise `FieldError` unless `example` is a dict whose input fields are all strings of text.

        `where` says in the message which example it is. Other keys, such as ``id``, are left alone.
        """
        if not isinstance(example, Mapping):
            raise wrong_type("example", example, "an object", f"give {', '.join(self.fields)}", where)
        for field in self.fields:
            if field not in example:
                raise FieldError(field, None, "missing", f"give every example a {field}", where)
            _check_text(field, example[field], where)

    def check_labels(self, labels: Sequence[str]) -> None:
        """Raise `FieldError` unless `labels` is one of the task's label sets, in its order."""
        if tuple(labels) not in self.label_sets:
            allowed = " or ".join(", ".join(labels) for labels in self.label_sets)
            raise FieldError(
                "labels", labels, f"{show(labels)} is not a label set of {self.name}", f"use {allowed}"
            )

    def check_output(self, output: Any, labels: Sequence[str]) -> Prediction:
        """Return what a model answered as a `Prediction`; raise `FieldError` if it is no answer.

        An answer is a label, or ``{"label": label}`` with, if the model has them, ``"confidence"``
        (0 to 1) and ``"probabilities"`` (label to number, summing to 1 within 1e-3).
        """
        if isinstance(output, str):
            return Prediction(_label_index("output", output, labels))
        if not isinstance(output, Mapping):
            raise _not_an_answer(output, labels)
        _check_keys(output, labels)
        return Prediction(
            _label_index("output.label", output["label"], labels),
            _confidence(output.get("confidence")),
            _probabilities(output.get("probabilities"), labels),
        )


def is_text(value: str) -> bool:
    """Whether `value` can be written as UTF-8: it has no lone surrogates."""
    return not any("\ud800" <= char <= "\udfff" for char in value)


def _check_text(field: str, value: Any, where: str) -> None:
    if not isinstance(value, str):
        raise wrong_type(field, value, "a string", "give the text as a string", where)
    if not is_text(value):
        problem = f"{show(value)} has half a surrogate pair, which is not text"
        raise FieldError(field, value, problem, "give valid Unicode", where)


def _answer(labels: Sequence[str]) -> str:
    return f'return one of {", ".join(labels)}, or {{"label": ...}}'


def _not_an_answer(output: Any, labels: Sequence[str]) -> FieldError:
    if output is None:
        return FieldError("output", None, "the model returned nothing", _answer(labels))
    if isinstance(output, float) and math.isnan(output):
        return FieldError("output", output, "the model returned NaN", _answer(labels))
    return wrong_type("output", output, "a label or an object", _answer(labels))


def _check_keys(output: Mapping[Any, Any], labels: Sequence[str]) -> None:
    allowed = ("label", "confidence", "probabilities")
    for key in output:
        if key not in allowed:
            name = key if isinstance(key, str) else show(key)
            mend = f"return only {', '.join(allowed)}"
            raise FieldError(f"output.{name[:80]}", output[key], "is not a key of an answer", mend)
    if "label" not in output:
        raise FieldError("output.label", None, "missing", _answer(labels))


def _label_index(field: str, label: Any, labels: Sequence[str]) -> int:
    mend = f"return one of {', '.join(labels)}"
    if label is None:
        raise FieldError(field, None, "the model returned nothing", mend)
    if not isinstance(label, str):
        raise wrong_type(field, label, "a label", mend)
    if label not in labels:
        raise FieldError(field, label, f"{show(label)} is not a label", mend)
    return list(labels).index(label)


def _confidence(value: Any) -> float | None:
    if value is None:
        return None
    return _share("output.confidence", value, "leave confidence out or return a number from 0 to 1")


def _share(field: str, value: Any, mend: str) -> float:
    """`value` as a float if it is a number from 0 to 1; a bool is not a number here."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise wrong_type(field, value, "a number", mend)
    if value != value:
        raise FieldError(field, value, "NaN is not a number", mend)
    if not 0 <= value <= 1:
        raise FieldError(field, value, f"{show(value)} is outside 0 to 1", mend)
    return float(value)


def _probabilities(value: Any, labels: Sequence[str]) -> tuple[float, ...] | None:
    if value is None:
        return None
    field, mend = "output.probabilities", f"return one number a label: {', '.join(labels)}"
    if not isinstance(value, Mapping):
        raise wrong_type(field, value, "an object", mend)
    for label in labels:
        if label not in value:
            raise FieldError(f"{field}.{label}", None, "missing", mend)
    for key in value:
        if key not in labels:
            raise FieldError(field, key, f"{show(key)} is not a label", mend)
    shares = tuple(_share(f"{field}.{label}", value[label], mend) for label in labels)
    if abs(math.fsum(shares) - 1) > SUM_TOLERANCE:
        raise FieldError(field, value, f"they sum to {math.fsum(shares):.4g}, not to 1", "normalise them")
    return shares
