"""The predictions of a unit under way, one line each, on disk before the next one is asked for.

A crash at any moment loses at most the example in flight: a line that was cut off is dropped when
the journal is opened again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any

from evaluator.scoring.entry import Entry
from evaluator.tasks import Prediction


class Journal:
    """Entries by example number, appended and fsync'd one at a time. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        self.entries: dict[int, Entry] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = self._read(path)
        self._file = path.open("ab")
        self._file.truncate(whole)

    def _read(self, path: Path) -> int:
        """Take in all complete lines; return how many bytes they are."""
        size = 0
        for line in path.read_bytes().splitlines(keepends=True) if path.exists() else []:
            if not line.endswith(b"\n"):
                break
            number, label, confidence, probabilities, text, failure = json.loads(line)
            answer = Prediction(label, confidence, _tuple(probabilities), text)
            self.entries[number] = Entry(answer, _tuple(failure))
            size += len(line)
        return size

    def append(self, number: int, entry: Entry) -> None:
        """Record one example; returns when the line is on disk."""
        answer = entry.answer
        fields = [
            number,
            answer.label,
            answer.confidence,
            answer.probabilities,
            answer.text,
            entry.failure,
        ]
        self._file.write(json.dumps(fields).encode("ascii") + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.entries[number] = entry

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def _tuple(value: list[Any] | None) -> Any:
    return None if value is None else tuple(value)
