"""Snapshots: a board frozen with all its numbers and its scorer, checked, compared, followed over time.

They are in ``results/snapshots/<id>/`` and never change. `freeze` and `save` make one, `load` and
`listed` read them, `verify` finds every change and ranks again with the scorer that is in the
snapshot, `difference` says who moved and why, `history` how models did over time.
"""

from evaluator.publish.snapshots.committed import UncommittedError, check_committed
from evaluator.publish.snapshots.differing import Difference, difference
from evaluator.publish.snapshots.freezing import (
    FreezeError,
    WeightsError,
    certainty_bytes,
    freeze,
    now,
    removals_of,
)
from evaluator.publish.snapshots.history import Point, history
from evaluator.publish.snapshots.reporting import SnapshotProblem, Verified
from evaluator.publish.snapshots.repository import (
    CERTAINTY,
    Listed,
    SnapshotError,
    folder_of,
    listed,
    load,
    load_folder,
    save,
    whole_id,
)
from evaluator.publish.snapshots.scoring import ScorerError, ranked
from evaluator.publish.snapshots.verifying import verify, verify_all

__all__ = [
    "CERTAINTY",
    "Difference",
    "FreezeError",
    "Listed",
    "Point",
    "ScorerError",
    "SnapshotError",
    "SnapshotProblem",
    "UncommittedError",
    "Verified",
    "WeightsError",
    "certainty_bytes",
    "check_committed",
    "difference",
    "folder_of",
    "freeze",
    "history",
    "listed",
    "load",
    "load_folder",
    "now",
    "ranked",
    "removals_of",
    "save",
    "verify",
    "verify_all",
    "whole_id",
]
