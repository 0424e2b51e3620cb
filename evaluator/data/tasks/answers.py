"""What a model answered, checked: a label, or a text; and what is wrong with a value that is neither."""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evaluator.records.errors import UserError

SUM_TOLERANCE = 1e-3
#: The keys that an answer may have, the first of which it must have.
LABEL_ANSWER = dict.fromkeys(("label", "confidence", "probabilities")).keys()
TEXT_ANSWER = dict.fromkeys(("answer", "confidence")).keys()


SURROGATE = re.compile("[\ud800-\udfff]")
_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = 80
_short.maxlevel = 3


class FieldError(UserError):
    """A value that is not accepted: `field`, `value` as shown to people, `problem` and `fix`.

    `where` says in the message which file, row or example has it.
    """

    def __init__(self, field: str, value: Any, problem: str, fix: str, where: str = "") -> None:
        super().__init__(f"{where}: {field}" if where else field, problem, fix)
        self.field, self.value, self.problem = field, show(value), problem


def is_text(value: str) -> bool:
    """Whether `value` can be written as UTF-8: it has no lone surrogates."""
    return value.isascii() or SURROGATE.search(value) is None


def show(value: Any) -> str:
    """`value` as Python writes it, cut to about 80 characters."""
    return _short.repr(value)


def wrong_type(field: str, value: Any, expected: str, fix: str, where: str = "") -> FieldError:
    """The error for a value that is not ``expected`` (for example ``a string``)."""
    name = type(value).__name__
    article = "an" if name[0] in "aeiou" else "a"
    return FieldError(field, value, f"{show(value)} is {article} {name}, not {expected}", fix, where)


def check_text(field: str, value: Any, where: str = "", fix: str = "give the text as a string") -> None:
    """Raise `FieldError` unless `value` is a string that can be written as UTF-8."""
    if not isinstance(value, str):
        raise wrong_type(field, value, "a string", fix, where)
    if not is_text(value):
        problem = f"{show(value)} has half a surrogate pair, which is not text"
        raise FieldError(field, value, problem, "give valid Unicode", where)


class Prediction(NamedTuple):
    """A checked answer.

    Where the task asks for a label, `label` is an index into the labels and probabilities follow their
    order; where it asks for a text, `text` is that text and `label` is -1.
    """

    label: int = -1
    confidence: float | None = None
    probabilities: tuple[float, ...] | None = None
    text: str | None = None


@dataclass(frozen=True)
class Giver:
    """Who gives answers, as messages speak of it: a model returns them, a row of a file has them.

    `place` is what the fields of an answer are in; `forms` says whether an answer may also be an object.
    """

    place: str
    nothing: str
    verb: str
    forms: bool

    def field(self, name: str = "") -> str:
        """The name of an answer's field, or of the whole answer."""
        return ".".join(filter(None, (self.place, name)))

    def fix_label(self, labels: Sequence[str]) -> str:
        """What to do where a label was asked for."""
        return f"{self.verb} one of {', '.join(labels)}" + (', or {"label": ...}' if self.forms else "")

    @property
    def fix_text(self) -> str:
        """What to do where a text was asked for."""
        return f"{self.verb} a string" + (', or {"answer": ...}' if self.forms else "")


MODEL = Giver("output", "the model returned nothing", "return", forms=True)
FILE = Giver("", "nothing is given", "give", forms=False)


def check_label_answer(output: Any, labels: Sequence[str], giver: Giver = MODEL) -> Prediction:
    """An answer that must be one of `labels`, or an object around it. Raises `FieldError`."""
    if isinstance(output, str):
        return Prediction(_label_index("", output, labels, giver))
    if not isinstance(output, Mapping):
        raise _not_an_answer(output, "a label", giver.fix_label(labels), giver)
    if not output.keys() <= LABEL_ANSWER or "label" not in output:
        raise _wrong_keys(output, LABEL_ANSWER, giver.fix_label(labels), giver)
    return Prediction(
        _label_index("label", output["label"], labels, giver),
        _confidence(output.get("confidence"), giver),
        _probabilities(output.get("probabilities"), labels, giver),
    )


def check_text_answer(output: Any, giver: Giver = MODEL) -> Prediction:
    """An answer that must be a text (which may be empty), or an object around it. Raises `FieldError`."""
    if isinstance(output, str):
        return Prediction(text=_text("", output, giver))
    if not isinstance(output, Mapping):
        raise _not_an_answer(output, "a text", giver.fix_text, giver)
    if not output.keys() <= TEXT_ANSWER or "answer" not in output:
        raise _wrong_keys(output, TEXT_ANSWER, giver.fix_text, giver)
    return Prediction(
        text=_text("answer", output["answer"], giver),
        confidence=_confidence(output.get("confidence"), giver),
    )


def stated_confidence(output: Any) -> float | None:
    """How sure an answer says it is, whatever else is wrong with it; None where it does not say so.

    An answer that is no label, and comes with probabilities of the labels alone, is as sure as the greatest.
    """
    if not isinstance(output, Mapping):
        return None
    try:
        if output.get("confidence") is not None:
            return _confidence(output["confidence"], MODEL)
        shares = output.get("probabilities")
        if not isinstance(shares, Mapping) or not shares:
            return None
        return max(_share("", share, "") for share in shares.values())
    except FieldError:
        return None


def _text(name: str, value: Any, giver: Giver) -> str:
    if isinstance(value, str) and is_text(value):
        return value
    if value is None:
        raise FieldError(giver.field(name), None, giver.nothing, giver.fix_text)
    check_text(giver.field(name), value, fix=giver.fix_text)
    return str(value)


def _not_an_answer(output: Any, expected: str, fix: str, giver: Giver) -> FieldError:
    if output is None:
        return FieldError(giver.field(), None, giver.nothing, fix)
    if isinstance(output, float) and math.isnan(output):
        return FieldError(giver.field(), output, "the model returned NaN", fix)
    return wrong_type(giver.field(), output, f"{expected} or an object", fix)


def _wrong_keys(output: Mapping[Any, Any], allowed: Iterable[str], fix: str, giver: Giver) -> FieldError:
    """What is wrong with the keys of an answer: one is none of those `allowed`, or their first is missing."""
    first, *_ = allowed
    for key in output:
        if key not in allowed:
            name = key if isinstance(key, str) else show(key)
            field, only = giver.field(name[:80]), f"{giver.verb} only {', '.join(allowed)}"
            return FieldError(field, output[key], "is not a key of an answer", only)
    return FieldError(giver.field(first), None, "missing", fix)


def _label_index(name: str, label: Any, labels: Sequence[str], giver: Giver) -> int:
    if isinstance(label, str) and label in labels:
        return labels.index(label)
    field, fix = giver.field(name), f"{giver.verb} one of {', '.join(labels)}"
    if label is None:
        raise FieldError(field, None, giver.nothing, fix)
    if not isinstance(label, str):
        raise wrong_type(field, label, "a label", fix)
    raise FieldError(field, label, f"{show(label)} is not a label", fix)


def _confidence(value: Any, giver: Giver) -> float | None:
    if value is None:
        return None
    if _is_share(value):
        return float(value)
    fix = f"leave confidence out or {giver.verb} a number from 0 to 1"
    return _share(giver.field("confidence"), value, fix)


def _is_share(value: Any) -> bool:
    return type(value) is float and 0 <= value <= 1


def _share(field: str, value: Any, fix: str) -> float:
    """`value` as a float if it is a number from 0 to 1; a bool is not a number here."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise wrong_type(field, value, "a number", fix)
    if value != value:
        raise FieldError(field, value, "NaN is not a number", fix)
    if not 0 <= value <= 1:
        raise FieldError(field, value, f"{show(value)} is outside 0 to 1", fix)
    return float(value)


def _probabilities(value: Any, labels: Sequence[str], giver: Giver) -> tuple[float, ...] | None:
    if value is None:
        return None
    if isinstance(value, dict) and value.keys() == set(labels) and all(map(_is_share, value.values())):
        shares = tuple([value[label] for label in labels])
        if abs(math.fsum(shares) - 1) <= SUM_TOLERANCE:
            return shares
    field, fix = giver.field("probabilities"), f"{giver.verb} one number a label: {', '.join(labels)}"
    if not isinstance(value, Mapping):
        raise wrong_type(field, value, "an object", fix)
    for label in labels:
        if label not in value:
            raise FieldError(f"{field}.{label}", None, "missing", fix)
    for key in value:
        if key not in labels:
            raise FieldError(field, key, f"{show(key)} is not a label", fix)
    shares = tuple([_share(f"{field}.{label}", value[label], fix) for label in labels])
    if abs(math.fsum(shares) - 1) > SUM_TOLERANCE:
        raise FieldError(field, value, f"they sum to {math.fsum(shares):.4g}, not to 1", "normalise them")
    return shares
