"""Parts of results that are the same however the predictions came about."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from datetime import UTC, datetime

from evaluator import __version__
from evaluator.data.datasets import Dataset
from evaluator.records.references import DatasetRef
from evaluator.records.result import Failure, Result

TOOL = f"steelyard {__version__}"


def dataset_ref(dataset: Dataset) -> DatasetRef:
    """What a result says of its dataset."""
    return DatasetRef(
        id=dataset.id,
        revision=dataset.revision,
        examples=len(dataset.examples),
        skipped=len(dataset.skipped),
        dropped=dict(dataset.dropped),
    )


def failures_of(dataset: Dataset, failures: Iterable[tuple[str, str] | None]) -> list[Failure]:
    """The failures, one or None an example, grouped by kind: the first message and the first few examples."""
    found: dict[str, tuple[str, list[str]]] = {}
    for id_, failure in zip(dataset.ids, failures, strict=True):
        if failure:
            kind, message = failure
            found.setdefault(kind, (message, []))[1].append(id_)
    return [
        Failure(kind=kind, message=message, count=len(ids), first_ids=tuple(ids[:5]))
        for kind, (message, ids) in sorted(found.items())
    ]


def now() -> str:
    """The time in UTC, from the clock unless SOURCE_DATE_EPOCH is set."""
    seconds = float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def now_after(old: Result | None) -> str:
    """The time in UTC, once it is not that of `old`: two results of one second look like one that was edited.

    A time given by SOURCE_DATE_EPOCH stands still, and is not waited for.
    """
    while old is not None and now() == old.created and "SOURCE_DATE_EPOCH" not in os.environ:
        time.sleep(0.05)
    return now()
