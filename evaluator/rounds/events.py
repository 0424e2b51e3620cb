"""The lines of a collection's files: what was asked, what its writer says of it, what validators answer.

A page without a server can write the same lines; `docs/collect.md` describes them for other programs. The
files only grow, and each line is on disk before it is reported as kept. A power cut leaves at most one
incomplete line, the last: opening the file again removes it, or adds the newline if that is all it lacks.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
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
    """The right answer in the writer's eyes; of several about one try the last counts.

    `fooled` is the writer's word, where the collection asks for it.
    """

    event: Literal["judged"] = "judged"
    version: Literal[1] = 1
    id: TryId
    answer: Text
    fooled: bool | None = None
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


def read_lines(path: Path, kind: TypeAdapter[Line], problems: list[str]) -> Iterator[tuple[int, Line]]:
    """Each line's number, from 1, and what it holds; what is wrong with others is added to `problems`.

    A torn last line is one of these.
    """
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
        if not line.endswith(b"\n") and not _is_whole(line):
            fix = "collect with this file again, which removes it"
            problems.append(f"{path}:{number}: the line is torn; {fix}")
            continue
        try:
            yield number, kind.validate_json(line, strict=True)
        except ValidationError as error:
            problems.append(describe_errors(error, f"{path}:{number}"))


class LineFile:
    """A file that one process at a time adds lines to. Use as a context manager.

    Raises `UserError` if another process has the file open, or it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        new = not path.exists()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise UserError(path, f"cannot be written ({error.strerror})", "make it writable") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            fix = "stop the other one, or choose another name"
            raise UserError(path, "another steelyard writes to it", fix) from None
        if new:
            sync_directory(path.parent)
        data = path.read_bytes()
        torn = data[data.rfind(b"\n") + 1 :]
        if torn and _is_whole(torn):
            self._write(b"\n")
        elif torn:
            os.ftruncate(self._file, len(data) - len(torn))
            os.fsync(self._file)

    def add(self, record: Record) -> None:
        """Add a line; returns when it is on disk. Raises `UserError`, and then nothing was added."""
        size = os.fstat(self._file).st_size
        try:
            self._write(json.dumps(record.plain(), ensure_ascii=False, allow_nan=False).encode() + b"\n")
        except OSError as error:
            os.ftruncate(self._file, size)
            fix = "make room on the disk and send it again"
            raise UserError(self.path, f"the line was not kept ({error.strerror})", fix) from None

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._file, data) :]
        os.fsync(self._file)

    def __enter__(self) -> LineFile:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)


def _is_whole(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
