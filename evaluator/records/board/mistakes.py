"""What is wrong with a board file, a line for each mistake: file, the table by its id, key, fix."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from evaluator.records.base import Record, short_repr
from evaluator.records.errors import did_you_mean

#: Where a value is: keys, and places in lists counted from 0.
FieldPlace = tuple[str | int, ...]

#: What a value must be, in the words of TOML's users, by Pydantic's name for the mistake.
MUST_BE = {
    "bool_type": "must be true or false, without quotes",
    "string_type": "must be text, in quotes",
    "int_type": "must be a whole number, without quotes",
    "float_type": "must be a number, without quotes",
    "tuple_type": "must be a list",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "finite_number": "must be a finite number",
    "too_short": "must not be empty",
    "string_too_short": "must not be empty",
    "date_from_datetime_parsing": "must be a date, such as 2026-11-01",
    "date_parsing": "must be a date, such as 2026-11-01",
    "date_type": "must be a date, such as 2026-11-01",
    "missing": "missing; it must be given",
}
#: What tables in lists are known by, the first of these that they have.
NAMES = ("id", "name", "path", "dataset")

_QUOTED = r"'([^']*)'"


class MisfitError(ValueError):
    """A value that does not fit others; `place` is where it is, from the table that was looked at."""

    def __init__(self, place: FieldPlace, problem: str) -> None:
        self.place, self.problem = place, problem
        super().__init__(f"{'.'.join(map(str, place))}: {problem}")


def check_known(place: FieldPlace, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise `MisfitError` if one of `names`, which are at `place`, is not known."""
    known = list(known)
    for name in names:
        if name not in known:
            listed = ", ".join(known) or "(none)"
            raise MisfitError(place, f"{name!r} is none of {listed}{did_you_mean(name, known)}")


def check_once(place: FieldPlace, ids: Iterable[str], key: str = "id") -> None:
    """Raise `MisfitError` for the second item of the list at `place` that has the `key` of another.

    With a `key` of "" the items are ids themselves.
    """
    seen: set[str] = set()
    for number, id_ in enumerate(ids):
        if id_ in seen:
            where = (*place, number, key) if key else place
            raise MisfitError(where, f"{id_!r} is used more than once; {key or 'id'}s must differ")
        seen.add(id_)


def mistakes(error: ValidationError, whole: type[Record], document: Mapping[str, Any], where: str) -> str:
    """A validation error of a board file as lines for people."""
    found: dict[FieldPlace, list[ErrorDetails]] = {}
    for item in error.errors(include_url=False):
        # Where an item of a list is wrong, Pydantic calls the list too short as well.
        if item["type"] != "too_short" or not item["input"]:
            found.setdefault(_place(document, item), []).append(item)
    return "\n".join(
        f"{where}: {_shown(place, document)}{_message(items, place, whole)}" for place, items in found.items()
    )


def _place(document: Mapping[str, Any], item: ErrorDetails) -> FieldPlace:
    inner = item.get("ctx", {}).get("error")
    return _existing(document, item) + (inner.place if isinstance(inner, MisfitError) else ())


def _message(items: Sequence[ErrorDetails], place: FieldPlace, whole: type[Record]) -> str:
    """What is wrong at a place; there are several where a value may be one of several types."""
    value = items[0]["input"]
    what = " or ".join(dict.fromkeys(_what(item, place, whole) for item in items))
    shown = isinstance(value, dict) or items[0]["type"] in ("missing", "extra_forbidden")
    return what if shown else f"{what} (got {short_repr(value)})"


def _existing(document: Any, item: ErrorDetails) -> FieldPlace:
    """The place without the names that Pydantic adds for the members of a union."""
    place: list[str | int] = []
    for part in item["loc"]:
        inside = isinstance(document, dict) and part in document
        if not inside and not (isinstance(document, list) and isinstance(part, int)):
            return (*place, part) if item["type"] == "missing" else tuple(place)
        place.append(part)
        document = document[part]
    return tuple(place)


def _what(item: ErrorDetails, place: FieldPlace, whole: type[Record]) -> str:
    kind = item["type"]
    if kind == "extra_forbidden":
        key, keys = str(place[-1]), _keys(whole, place[:-1])
        suggestion = did_you_mean(key, keys) or f"; it has {', '.join(keys)}"
        return f"is no key of this table{_elsewhere(key, whole) or suggestion}"
    if kind == "literal_error":
        expected = item["ctx"]["expected"]
        return f"must be {expected}{did_you_mean(str(item['input']), re.findall(_QUOTED, expected))}"
    inner = item.get("ctx", {}).get("error")
    if isinstance(inner, MisfitError):
        return inner.problem
    return MUST_BE.get(kind, item["msg"].removeprefix("Value error, "))


def _elsewhere(key: str, whole: type[Record]) -> str:
    """Where a key of the whole file is that was written in one of its tables; empty for any other."""
    field = whole.model_fields.get(key)
    if field is None or _record_in(field.annotation) is None:
        return ""
    header = f"[[{key}]]" if get_origin(field.annotation) is tuple else f"[{key}]"
    return f"; {key} is a table of its own: {header}"


def _keys(whole: type[Record], place: FieldPlace) -> list[str]:
    """The keys that the table at a place may have."""
    for part in place:
        if isinstance(part, str) and part in whole.model_fields:
            whole = _record_in(whole.model_fields[part].annotation) or whole
    return list(whole.model_fields)


def _record_in(annotation: Any) -> type[Record] | None:
    """The record that an annotation is, or is a list of."""
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return annotation
    return next((found for one in get_args(annotation) if (found := _record_in(one))), None)


def _shown(place: FieldPlace, document: Any) -> str:
    """``boards: nli: metrics: f1: unit: ``: the place, with tables in lists by what they are called."""
    shown = []
    for part in place:
        inside = isinstance(document, dict) and part in document
        document = document[part] if inside or isinstance(document, list) else None
        shown.append(_called(part, document) if isinstance(part, int) else str(part))
    return "".join(f"{part}: " for part in shown)


def _called(place: int, table: Any) -> str:
    """What a table in a list calls itself; its number, from 1, if it does not."""
    names = [table[key] for key in NAMES if key in table] if isinstance(table, dict) else []
    return names[0] if names and isinstance(names[0], str) else f"number {place + 1}"
