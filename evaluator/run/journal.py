"""The predictions of a unit under way, one line each, written before the next one is asked for.

A process that is killed loses at most the example in flight, a machine that stops at most the last second:
waiting for the disk after every line would disturb what is timed meanwhile. A line that was cut off, or
that is none of a journal's, ends the journal when it is opened again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from pydantic import RootModel, ValidationError

from evaluator.scoring.entry import Entry
from evaluator.tasks import Prediction

#: Seconds between two moments at which all lines are on disk.
SYNC_S = 1.0


_Fields = tuple[int, int, float | None, tuple[float, ...] | None, str | None, tuple[str, str] | None]


class _Line(RootModel[_Fields]):
    """Number, label, confidence, probabilities, text, failure."""


class Journal:
    """Entries by example number, appended one at a time. Use as a context manager.

    An entry whose number is not under `count` ends the journal as well.
    """

    def __init__(self, path: Path, count: int) -> None:
        self.entries: dict[int, Entry] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = 0
        for line, number, entry in _entries(path):
            if not 0 <= number < count:
                break
            self.entries[number] = entry
            whole += len(line)
        self._file = path.open("ab")
        self._file.truncate(whole)
        self._synced = time.monotonic()

    def append(self, number: int, entry: Entry) -> None:
        """Record one example; returns when the line is written."""
        answer = entry.answer
        fields = (number, answer.label, answer.confidence, answer.probabilities, answer.text, entry.failure)
        self._file.write(json.dumps(fields).encode("ascii") + b"\n")
        self._file.flush()
        if time.monotonic() - self._synced > SYNC_S:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()
        self.entries[number] = entry

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.fsync(self._file.fileno())
        self._file.close()


def _entries(path: Path) -> Iterator[tuple[bytes, int, Entry]]:
    """Each line up to the first that is cut off or none, with its number and entry."""
    for line in path.read_bytes().splitlines(keepends=True) if path.exists() else []:
        try:
            fields = _Line.model_validate_json(line, strict=True).root
        except ValidationError:
            return
        if not line.endswith(b"\n"):
            return
        number, label, confidence, probabilities, text, failure = fields
        yield line, number, Entry(Prediction(label, confidence, probabilities, text), failure)
