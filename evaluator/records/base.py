"""What all records have in common: their base class, the types of their fields, and their hash."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from evaluator.records.canonical import digest

SCHEMA_VERSION = 3
#: Scores that say something only about one machine.
TIMING = frozenset({"throughput", "memory"})
#: What the results of people are filed under in place of a model's id.
HUMAN = "human"
#: What they are called where nobody says who they are.
PEOPLE = "People"

Provenance = Literal["measured", "predictions", "reported", "human"]
Slug = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Moment = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]


class Record(BaseModel):
    """Base of all records: unknown fields, NaN and infinities are errors; instances do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    def plain(self) -> dict[str, Any]:
        """The record as plain JSON data; fields that are None are left out."""
        return self.model_dump(mode="json", exclude_none=True)

    def content_hash(self) -> str:
        """Canonical hash of `plain`: the same for equal records, whatever the file's layout."""
        return digest(self.plain())


def is_missing(value: object) -> bool:
    """For a field that is left out of the file where it says nothing."""
    return value is None


def is_empty(value: object) -> bool:
    """Whether a field's value is left out of the file because there is nothing in it."""
    return not value


def parts(share: float, resolution: int) -> int:
    """A probability in [0, 1] in parts of `resolution`, rounded half to even. ValueError outside it."""
    if not (math.isfinite(share) and 0.0 <= share <= 1.0):
        raise ValueError(f"{share!r} is not a probability between 0 and 1")
    return round(share * resolution)


def describe_errors(error: ValidationError, where: str) -> str:
    """A validation error as lines of ``where: field: what is wrong (got value)``."""
    lines = []
    for item in error.errors(include_url=False):
        field = ".".join(str(part) for part in item["loc"])
        message = item["msg"].removeprefix("Value error, ")
        got = "" if isinstance(item["input"], dict) else f" (got {_shortened(item['input'])})"
        lines.append(f"{where}: {field}: {message}{got}" if field else f"{where}: {message}")
    return "\n".join(lines)


def _shortened(value: object, limit: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
