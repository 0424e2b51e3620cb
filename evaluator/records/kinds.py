"""Every kind of record, its JSON Schema, and where records about a dataset are among the results.

``python -m evaluator.records.kinds`` writes the schemas into ``evaluator/records/schemas/``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from evaluator.records.base import Record
from evaluator.records.browser import BrowserCheck, BrowserCopy
from evaluator.records.canonical import dump, short
from evaluator.records.datasets import Covariances, Difficulty, DifficultyTable, Examples, SuiteCard
from evaluator.records.predictions import PredictionSet
from evaluator.records.result import Result
from evaluator.records.scratch import write_atomic
from evaluator.records.snapshot import Snapshot

RECORDS: dict[str, type[Record]] = {
    "result": Result,
    "predictions": PredictionSet,
    "suite": SuiteCard,
    "examples": Examples,
    "covariances": Covariances,
    "difficulty": Difficulty,
    "difficulty-table": DifficultyTable,
    "browser-check": BrowserCheck,
    "browser-copy": BrowserCopy,
    "snapshot": Snapshot,
}


def json_schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema (2020-12) of each record kind, as committed in `SCHEMAS`."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {kind: {**dialect, **record.model_json_schema()} for kind, record in RECORDS.items()}


Kept = TypeVar("Kept", bound=Record)


@dataclass(frozen=True)
class DatasetKind(Generic[Kept]):
    """A kind of record: its class, the names that its files have, and where the file of a record belongs.

    `place` gives task, dataset and file name.
    """

    record: type[Kept]
    names: re.Pattern[str]
    place: Callable[[Kept], tuple[str, str, str]]


SUITE_CARDS = DatasetKind(
    SuiteCard,
    re.compile(r".*\.suite\.json"),
    lambda card: (card.task, card.dataset.id, f"{card.name}.suite.json"),
)
EXAMPLES = DatasetKind(
    Examples,
    re.compile(r".*\.examples\.json"),
    lambda examples: (examples.task, examples.dataset, f"{short(examples.revision)}.examples.json"),
)
DIFFICULTY_TABLES = DatasetKind(
    DifficultyTable,
    re.compile(r"[0-9a-f]{12}\.difficulty-table\.json"),
    lambda table: (table.task, table.dataset, f"{short(table.revision)}.difficulty-table.json"),
)
DIFFICULTIES = DatasetKind(
    Difficulty,
    re.compile(rf"(?!{DIFFICULTY_TABLES.names.pattern}$)[0-9a-f]{{12}}\.difficulty-[^/]+\.json"),
    lambda made: (made.task, made.dataset, f"{short(made.revision)}.difficulty-{made.name}.json"),
)
COVARIANCES = DatasetKind(
    Covariances,
    re.compile(r"[0-9a-f]{12}\.covariances\.json"),
    lambda found: (found.task, found.dataset, f"{short(found.revision)}.covariances.json"),
)
BROWSER_CHECKS = DatasetKind(
    BrowserCheck,
    re.compile(r".*\.browser\.json"),
    lambda check: (check.task, check.dataset, f"{check.model}.browser.json"),
)
KINDS: tuple[DatasetKind[Any], ...] = (
    SUITE_CARDS,
    EXAMPLES,
    COVARIANCES,
    DIFFICULTIES,
    DIFFICULTY_TABLES,
    BROWSER_CHECKS,
)


def kind_of(record: Record) -> DatasetKind[Any]:
    """The kind that a record is of. Raises KeyError for records that are not about a dataset."""
    return {kind.record: kind for kind in KINDS}[type(record)]


#: Where the schemas are committed.
SCHEMAS = Path(__file__).parent / "schemas"


def write_schemas(folder: Path = SCHEMAS) -> None:
    """Write ``<kind>.json`` for each kind of record."""
    for kind, schema in json_schemas().items():
        write_atomic(folder / f"{kind}.json", dump(schema))


if __name__ == "__main__":
    write_schemas()
