"""The lines of a collection's files: what was asked, what its writer says of it, what validators answer.

A page without a server can write the same lines; `docs/collect.md` describes them for other programs. The
files only grow, and each line is on disk before it is reported as kept.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError, model_validator

from evaluator.records.base import Digest, Moment, Record, Share, Slug, describe_errors
from evaluator.records.errors import UserError
from evaluator.records.scratch import sync_directory

TryId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
Text = Annotated[str, StringConstraints(max_length=5_000)]
Reason = Annotated[str, StringConstraints(max_length=1_000)]


class ModelAnswer(Record):
    """What a model in the loop answered: a label or a text, or why it gave none.

    `revision` hashes all of the model. `probabilities` are by label; `place` is where the model ran.
    """

    model: Slug
    revision: Digest
    answer: Text | None = None
    confidence: Share | None = None
    probabilities: dict[str, Share] | None = None
    ms: Annotated[float, Field(ge=0)]
    failure: str | None = None
    place: Literal["worker", "browser"] = "worker"


class Asked(Record):
    """A text that models were asked about, written down before their answers are shown.

    `prompt` is the id of what it was written for; `seconds` is how long the writer took.
    """

    event: Literal["asked"] = "asked"
    version: Literal[1] = 1
    id: TryId
    collection: Slug
    writer: Slug
    prompt: Slug | None = None
    inputs: dict[str, Text]
    tags: dict[str, Text] = {}
    answers: Annotated[tuple[ModelAnswer, ...], Field(min_length=1)]
    seconds: Annotated[float, Field(ge=0)]
    at: Moment


class Judged(Record):
    """The right answer in the writer's eyes; of several about one try the last counts."""

    event: Literal["judged"] = "judged"
    version: Literal[1] = 1
    id: TryId
    answer: Text
    reason: Reason = ""
    at: Moment


class Response(Record):
    """What a validator says of a try, without having seen the writer's answer; the last of several counts.

    Either an answer or a mark: unsure, or flag for what should not be in the data at all.
    """

    event: Literal["response"] = "response"
    version: Literal[1] = 1
    id: Slug
    collection: Slug
    validator: Slug
    answer: Text | None = None
    mark: Literal["unsure", "flag"] | None = None
    reason: Reason = ""
    at: Moment

    @model_validator(mode="after")
    def _one_of_both(self) -> Response:
        if (self.answer is None) == (self.mark is None):
            raise ValueError("answer/mark: give exactly one of them")
        return self


#: A line of a writer's file.
Written = Asked | Judged
WRITTEN: TypeAdapter[Written] = TypeAdapter(Annotated[Written, Field(discriminator="event")])
RESPONSE: TypeAdapter[Response] = TypeAdapter(Response)

Line = TypeVar("Line")


def read_lines(path: Path, kind: TypeAdapter[Line]) -> Iterator[tuple[str, Line]]:
    """Where each line is, ``FILE:NUMBER``, and what it holds. Raises `UserError` at the first wrong one."""
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            yield f"{path}:{number}", kind.validate_json(line, strict=True)
        except ValidationError as error:
            raise UserError(describe_errors(error, f"{path}:{number}")) from None


def add_lines(path: Path, records: Iterable[Record]) -> None:
    """Add lines to a file, which are on disk when this returns. Raises `UserError`; then none was added."""
    lines = [json.dumps(record.plain(), ensure_ascii=False, allow_nan=False) for record in records]
    left = "".join(f"{line}\n" for line in lines).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b", buffering=0) as file:
            # Another page may write for the same person.
            fcntl.flock(file, fcntl.LOCK_EX)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            if file.read() not in (b"", b"\n"):
                left = b"\n" + left
            try:
                while left:
                    left = left[file.write(left) :]
                os.fsync(file)
            except OSError:
                file.truncate(size)
                raise
        sync_directory(path.parent)
    except OSError as error:
        fix = "make it writable, or room on the disk, and send it again"
        raise UserError(path, f"the line was not kept ({error.strerror})", fix) from None
