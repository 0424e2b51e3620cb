"""Snapshots: a board frozen with all its numbers and its scorer, checked, compared, followed over time.

They are in ``results/snapshots/<id>/`` and never change. `freeze` and `save` make one, `load` and
`listed` read them, `verify` finds every change and ranks again with the scorer that is in the
snapshot, `difference` says who moved and why, `history` how models did over time.
"""

from evaluator.publish.snapshots.differing import REASONS, Difference, Point, difference, history
from evaluator.publish.snapshots.freezing import (
    certainty_bytes,
    check_committed,
    freeze,
    now,
    removals_of,
    used_weights,
)
from evaluator.publish.snapshots.repository import (
    ASSETS,
    CERTAINTY,
    RECORD,
    VERSIONS,
    Listed,
    folder_of,
    listed,
    load,
    load_folder,
    record_bytes,
    save,
    whole_id,
)
from evaluator.publish.snapshots.scorers import file_hash, ranked, shipped
from evaluator.publish.snapshots.verifying import SnapshotProblem, Verified, verify, verify_all

__all__ = [
    "ASSETS",
    "CERTAINTY",
    "REASONS",
    "RECORD",
    "VERSIONS",
    "Difference",
    "Listed",
    "Point",
    "SnapshotProblem",
    "Verified",
    "certainty_bytes",
    "check_committed",
    "difference",
    "file_hash",
    "folder_of",
    "freeze",
    "history",
    "listed",
    "load",
    "load_folder",
    "now",
    "ranked",
    "record_bytes",
    "removals_of",
    "save",
    "shipped",
    "used_weights",
    "verify",
    "verify_all",
    "whole_id",
]
