"""Results on disk: ``<task>/<dataset>/<model>.json`` and a sibling file of per-example predictions.

Beside them are the records about the dataset itself: the cards of its suites, the ids of its examples, and
how difficult these are.

The predictions' file name carries their hash, so replacing a result is one atomic rename: whatever
moment the machine stops at, each file is complete or absent and each result finds its predictions.
Equal records give equal bytes.
"""

from evaluator.records.store.copies import COPIES, COPY, copy_folder, find_copy
from evaluator.records.store.kinds import (
    BROWSER_CHECKS,
    COVARIANCES,
    DIFFICULTIES,
    DIFFICULTY_TABLES,
    EXAMPLES,
    KINDS,
    SUITE_CARDS,
    DatasetKind,
)
from evaluator.records.store.results import PREDICTIONS, SIBLINGS, SNAPSHOTS, Store, reference_to

__all__ = [
    "BROWSER_CHECKS",
    "COPIES",
    "COPY",
    "COVARIANCES",
    "DIFFICULTIES",
    "DIFFICULTY_TABLES",
    "EXAMPLES",
    "KINDS",
    "PREDICTIONS",
    "SIBLINGS",
    "SNAPSHOTS",
    "SUITE_CARDS",
    "DatasetKind",
    "Store",
    "copy_folder",
    "find_copy",
    "reference_to",
]
