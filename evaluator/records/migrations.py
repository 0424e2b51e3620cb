"""Bringing an older document up to the newest schema version, one step a version."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from evaluator.records.base import SCHEMA_VERSION

# One function a step: MIGRATIONS[kind][n] turns a version-n document into version n + 1.
MigrationStep = Callable[[dict[str, Any]], dict[str, Any]]


def _result_1(document: dict[str, Any]) -> dict[str, Any]:
    """Version 2 adds tags, what was dropped, and the card's paper; nothing that was there changes."""
    return document


def _predictions_1(document: dict[str, Any]) -> dict[str, Any]:
    """Version 1 always kept thousandths; version 2 says how fine the columns are, and keeps texts too."""
    return {**document, "resolution": 1000}


def _unchanged_2(document: dict[str, Any]) -> dict[str, Any]:
    """Version 3 adds lists of examples, scores of answers and tags of cards; what was there stays."""
    return document


#: How messages began before failures had a field for their stage, in every version up to 3.
_STAGES = {
    "timing": re.compile(r"while timing: "),
    "suites": re.compile(r"while trying (?P<suite>[A-Za-z0-9][A-Za-z0-9._-]{0,99}): "),
}


def _with_stages(document: dict[str, Any]) -> dict[str, Any]:
    """A result whose failures say their stage in a field, no more in how their message begins."""
    failures = document.get("failures")
    if not isinstance(failures, list):
        return document
    return {**document, "failures": [_with_stage(failure) for failure in failures]}


def _with_stage(failure: Any) -> Any:
    if not isinstance(failure, dict) or not isinstance(failure.get("message"), str) or "stage" in failure:
        return failure
    for stage, pattern in _STAGES.items():
        if start := pattern.match(failure["message"]):
            message = failure["message"][start.end() :]
            return {**failure, "message": message, "stage": stage, **start.groupdict()}
    return failure


MIGRATIONS: dict[str, dict[int, MigrationStep]] = {
    "result": {1: _result_1, 2: _unchanged_2},
    "predictions": {1: _predictions_1, 2: _unchanged_2},
    "suite": {2: _unchanged_2},
    "examples": {},
    "difficulty": {},
    "covariances": {},
    "difficulty-table": {},
    "browser-check": {},
    "browser-copy": {},
    "snapshot": {},
}


#: What is done to a document of any version: fields that were added without a new version are filled in.
ADDITIONS: dict[str, MigrationStep] = {"result": _with_stages}


class MigrationError(ValueError):
    """A document that no chain of migrations brings to the version this program reads."""


def migrate(
    document: Mapping[str, Any],
    migrations: Mapping[str, Mapping[int, MigrationStep]] = MIGRATIONS,
    target: int = SCHEMA_VERSION,
) -> dict[str, Any]:
    """Return `document` at schema version `target`, applying one step a version.

    Raises `MigrationError` if the kind is unknown, the version is missing, newer than `target`, or
    a step of the chain does not exist.
    """
    kind, version = document.get("kind"), document.get("schema_version")
    if not isinstance(kind, str) or kind not in migrations:
        raise MigrationError(f"kind: {kind!r} is none of {', '.join(sorted(migrations))}")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise MigrationError(f"schema_version: {version!r} is not a whole number from 1")
    if version > target:
        raise MigrationError(
            f"schema_version: {version} is newer than {target}, the newest this version of steelyard"
            " reads; upgrade steelyard"
        )
    current = dict(document)
    for step in range(version, target):
        if step not in migrations[kind]:
            raise MigrationError(f"schema_version: no migration of a {kind} from {step} to {step + 1}")
        current = {**migrations[kind][step](current), "schema_version": step + 1}
    return ADDITIONS[kind](current) if kind in ADDITIONS else current
