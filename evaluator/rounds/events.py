"""The lines of a collection's files: what was asked, what its writer says of it, what validators answer.

A page without a server can write the same lines; `docs/collect.md` describes them for other programs. The
files only grow, and each line is on disk before it is reported as kept. A power cut leaves at most one
incomplete line, the last: opening the file again removes it, or adds the newline if that is all it lacks.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Annotated, Literal, TypeVar

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError, model_validator

from evaluator.records.base import Digest, Moment, Record, Share, Slug, describe_errors
from evaluator.records.errors import UserError
from evaluator.records.scratch import sync_directory

#: The most characters of an input, and of a reason.
MOST_TEXT, MOST_REASON = 5_000, 1_000

TryId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
Text = Annotated[str, StringConstraints(max_length=MOST_TEXT)]
Reason = Annotated[str, StringConstraints(max_length=MOST_REASON)]
Milliseconds = Annotated[float, Field(ge=0)]


class ModelAnswer(Record):
    """What a model in the loop answered: a label or a text, or why it gave none.

    `revision` hashes all of the model. `probabilities` are by label; `place` is where the model ran.
    """

    model: Slug
    revision: Digest
    answer: Text | None = None
    confidence: Share | None = None
    probabilities: dict[str, Share] | None = None
    ms: Milliseconds
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


class LineFile:
    """A file that one process at a time adds lines to, from any thread. Use as a context manager.

    `repaired` is how many bytes of a torn line were removed. Raises `UserError` if another process has
    the file open, or it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._adding = path, threading.Lock()
        new = not path.exists()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise UserError(f"{path}: cannot be written ({error.strerror}); make it writable") from None
        self._lock()
        if new:
            sync_directory(path.parent)
        self.repaired = self._repair()

    def add(self, record: Record) -> None:
        """Add a line; returns when it is on disk. Raises `UserError`, and then nothing was added."""
        line = json.dumps(record.plain(), ensure_ascii=False, allow_nan=False).encode() + b"\n"
        with self._adding:
            size = os.fstat(self._file).st_size
            try:
                _write(self._file, line)
            except OSError as error:
                os.ftruncate(self._file, size)
                fix = "make room on the disk and send it again"
                raise UserError(f"{self.path}: the line was not kept ({error.strerror}); {fix}") from None

    def close(self) -> None:
        """Let other processes add lines."""
        os.close(self._file)

    def __enter__(self) -> LineFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            fix = "stop the other one, or choose another name"
            raise UserError(f"{self.path}: another steelyard writes to it; {fix}") from None

    def _repair(self) -> int:
        """Remove what follows the last newline, unless only that newline is missing."""
        data = self.path.read_bytes()
        torn = data[data.rfind(b"\n") + 1 :]
        if not torn:
            return 0
        if _is_json(torn):
            _write(self._file, b"\n")
            return 0
        os.ftruncate(self._file, len(data) - len(torn))
        os.fsync(self._file)
        return len(torn)


def repair_all(folder: Path) -> None:
    """Repair the files of a folder, but those that another process has open: it has repaired its own."""
    for path in folder.glob("*.jsonl"):
        with suppress(UserError), LineFile(path):
            pass


def read_lines(path: Path, kind: TypeAdapter[Line]) -> Iterator[tuple[int, Line | str]]:
    """Each line's number, from 1, and what it holds, or what is wrong with it in words.

    A torn last line is one of these.
    """
    # By the validator itself: there are hundreds of thousands of lines.
    validated = kind.validator.validate_json
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
        if not line.endswith(b"\n") and not _is_json(line):
            yield number, f"{path}:{number}: the line is torn; collect with this file again, which removes it"
            continue
        try:
            yield number, validated(line, strict=True)
        except ValidationError as error:
            yield number, describe_errors(error, f"{path}:{number}")


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
    os.fsync(file)


def _is_json(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data), dict)
    except (ValueError, RecursionError):
        return False
