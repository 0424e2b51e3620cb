"""Reading the file of a record."""

from __future__ import annotations

from pathlib import Path

from evaluator.records.base import AnyRecord, parse_record
from evaluator.records.errors import UserError


def read_record(path: Path, record: type[AnyRecord]) -> AnyRecord:
    """The record in a file. Raises `UserError`."""
    try:
        return parse_record(path.read_bytes(), record, path)
    except FileNotFoundError:
        raise UserError(path, "no such file", "restore it, or evaluate the model again") from None
