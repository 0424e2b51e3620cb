"""Reading the file of a record, of any version, which may have been changed by anyone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from evaluator.records.base import Record, describe_errors
from evaluator.records.migrations import MigrationError, migrate

AnyRecord = TypeVar("AnyRecord", bound=Record)


class StoreError(ValueError):
    """A file in the store that is wrong; the message names the file and the fix."""


def read_record(path: Path, record: type[AnyRecord]) -> AnyRecord:
    """The record in a file, brought up to date. Raises `StoreError`."""
    try:
        return record.model_validate(migrate(json.loads(path.read_bytes())))
    except FileNotFoundError:
        raise StoreError(f"{path}: no such file; restore it, or evaluate the model again") from None
    except ValidationError as error:
        raise StoreError(describe_errors(error, str(path))) from None
    except MigrationError as error:
        raise StoreError(f"{path}: {error}") from None
    except (ValueError, AttributeError, RecursionError) as error:
        raise StoreError(f"{path}: not a JSON record: {error}; restore the file") from None
