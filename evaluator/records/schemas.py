"""Every kind of record, and the JSON Schema of each."""

from __future__ import annotations

from typing import Any

from evaluator.records.base import Record
from evaluator.records.browser import BrowserCheck, BrowserCopy
from evaluator.records.covariances import Covariances
from evaluator.records.difficulty import Difficulty, DifficultyTable
from evaluator.records.examples import Examples
from evaluator.records.predictions import PredictionSet
from evaluator.records.result import Result
from evaluator.records.snapshot import Snapshot
from evaluator.records.suites import SuiteCard

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
    """JSON Schema (2020-12) of each record kind, as committed in ``evaluator/records/published_schemas/``."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {kind: {**dialect, **record.model_json_schema()} for kind, record in RECORDS.items()}
