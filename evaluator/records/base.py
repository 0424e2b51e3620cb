"""What all records have in common: their base class, the types of their fields, how they are read.

And JSON as bytes: the canonical form that hashes are of, and the forms that files have.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar
from urllib.parse import urlsplit

import rfc8785
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from evaluator.rank.formats import visible
from evaluator.records.errors import UserError, name_problem


def canonical(document: Any) -> bytes:
    """RFC 8785 canonical JSON of plain data. NaN and infinities raise ValueError."""
    return rfc8785.dumps(document)


def digest(document: Any) -> str:
    """``sha256:`` and the hash of the canonical JSON of plain data."""
    return "sha256:" + hashlib.sha256(canonical(document)).hexdigest()


def dump(document: Any, compact: bool = False) -> bytes:
    """A document as the bytes of a file; fields are in the order given. ValueError for NaN and infinities.

    A value a line, so that a diff shows which examples changed; with `compact`, for files that are written
    once, all in one line.
    """
    layout: dict[str, Any] = {"separators": (",", ":")} if compact else {"indent": 1}
    return (json.dumps(document, ensure_ascii=False, allow_nan=False, **layout) + "\n").encode()


def short(digest: str) -> str:
    """The part of a hash that file names carry."""
    return digest.removeprefix("sha256:")[:12]


def directory_files(directory: Path) -> dict[str, str]:
    """The SHA-256 of every file in `directory`, by its relative name; Python's caches left out."""
    files = sorted(
        path for path in directory.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return {path.relative_to(directory).as_posix(): file_sha256(path) for path in files}


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


#: The version of all records. A file of another one is refused, with what to do about it.
SCHEMA_VERSION: Final = 1
Version = Literal[1]
#: Scores that say something only about one machine.
TIMING = frozenset({"throughput", "memory", "tokens_per_s", "time_to_first_token"})
#: The canonical metric of each task, by which a dataset of it counts where a board has several tasks.
CANONICAL = {
    "nli": "accuracy",
    "qa": "f1",
    "sentiment": "macro-f1",
    "hate-speech": "macro-f1",
    "classification": "accuracy",
    "generation": "chrf",
}
#: How they are measured; a change that could move a number raises it.
PROTOCOL = "3"
#: What the results of people are filed under in place of a model's id.
HUMAN = "human"
#: What they are called where nobody says who they are.
PEOPLE = "People"

Provenance = Literal["measured", "recorded", "predictions", "reported", "human"]
#: Of results that `steelyard evaluate` makes: it ran the model, or asked one behind an endpoint.
EVALUATED = ("measured", "recorded")
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


AnyRecord = TypeVar("AnyRecord", bound=Record)


def parse_record(
    content: bytes | Mapping[str, Any],
    record: type[AnyRecord],
    where: str | Path,
    fix: str = "restore the file",
) -> AnyRecord:
    """The record that JSON holds, which may have been changed by anyone.

    Raises `UserError` with `where` for what is no such record, or has another schema version.
    """
    try:
        return record.model_validate(parse_document(content, where, fix))
    except ValidationError as error:
        raise UserError("", describe_errors(error, str(where))) from None


def parse_document(
    content: bytes | Mapping[str, Any], where: str | Path, fix: str = "restore the file"
) -> dict[str, Any]:
    """The JSON of a record, of which only the schema version is checked. Raises `UserError`."""
    try:
        document = json.loads(content) if isinstance(content, bytes) else content
        version = document.get("schema_version")
    except (ValueError, AttributeError, RecursionError) as error:
        raise UserError(where, f"not a JSON record: {error}", fix) from None
    if version == SCHEMA_VERSION and not isinstance(version, bool):
        return dict(document)
    value = f"schema_version is {version!r}, and this version of steelyard reads {SCHEMA_VERSION}"
    if isinstance(version, int) and version > SCHEMA_VERSION:
        fix = "run: pip install --upgrade steelyard"
    raise UserError(where, value, fix)


def slug(text: str) -> str:
    """A name as an id: letters, digits, dots, ``_`` and ``-``, beginning with a letter or digit."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    plain = plain.replace("+", "-plus ").replace("%", " percent").replace("&", " and ")
    found = re.sub(r"-{2,}", "-", re.sub(r"[^A-Za-z0-9._-]+", "-", plain)).strip("-._")[:100].rstrip("-._")
    if not found:
        return f"name-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    return f"model-{found}" if found == HUMAN or name_problem(found) else found


def is_empty(value: object) -> bool:
    """Whether a field's value is left out of the file because there is nothing in it."""
    return not value


def is_none(value: object) -> bool:
    """The same of a number, of which 0 says something."""
    return value is None


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
        got = "" if isinstance(item["input"], dict) else f" (got {short_repr(item['input'])})"
        lines.append(f"{where}: {field}: {message}{got}" if field else f"{where}: {message}")
    return "\n".join(lines)


def short_repr(value: object) -> str:
    """A value as Python writes it, as far as there is room in a message."""
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


#: Something before the host, also where a browser would add slashes that were left out.
_CREDENTIALS = re.compile(r"(?i)((https?|ftp):/*|//)[^/?#]*@")


def check_link(link: str) -> str:
    """The link as it is. Raises ValueError, with the fix, where it hides something or is none.

    Refused are characters that nobody sees or that turn the direction of text, backslashes (browsers
    read them as slashes), and names or passwords before the host.
    """
    for mark in link:
        if mark == "\\" or not mark.isprintable() or visible(f"a{mark}b") != f"a{mark}b":
            fix = "remove it, or write it as %XX"
            raise ValueError(f"holds U+{ord(mark):04X}, which hides where it leads; {fix}")
    try:
        urlsplit(link)
    except ValueError as error:
        raise ValueError(f"is no address ({error}); correct it") from None
    if _CREDENTIALS.match(link):
        raise ValueError("holds a name or a password before its host, which would be published; remove it")
    return link


Link = Annotated[str, AfterValidator(check_link)]
