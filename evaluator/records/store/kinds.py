"""The kinds of records about a dataset, which are beside the results on it, all described in one table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from evaluator.records.base import Record
from evaluator.records.browser import BrowserCheck
from evaluator.records.covariances import Covariances
from evaluator.records.difficulty import Difficulty, DifficultyTable
from evaluator.records.examples import Examples
from evaluator.records.suites import SuiteCard

Kept = TypeVar("Kept", bound=Record)


@dataclass(frozen=True)
class DatasetKind(Generic[Kept]):
    """A kind of record: its class, the names that its files have, and where the file of a record belongs.

    `place` gives task, dataset and file name.
    """

    record: type[Kept]
    names: re.Pattern[str]
    place: Callable[[Kept], tuple[str, str, str]]


def short(digest: str) -> str:
    """The part of a hash that file names carry."""
    return digest.removeprefix("sha256:")[:12]


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
