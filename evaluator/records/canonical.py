"""JSON as bytes: the canonical form that hashes are of, and the forms that files have."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import rfc8785


def canonical(document: Any) -> bytes:
    """RFC 8785 canonical JSON of plain data. NaN and infinities raise ValueError."""
    return rfc8785.dumps(document)


def digest(document: Any) -> str:
    """``sha256:`` and the hash of the canonical JSON of plain data."""
    return "sha256:" + hashlib.sha256(canonical(document)).hexdigest()


def dump(document: Any, compact: bool = False) -> bytes:
    """A document as the bytes of a file; fields are in the order given. ValueError for NaN and infinities.

    A value a line, so that a diff shows which examples changed; with `compact`, for files that are written
    once, all in one line.
    """
    layout: dict[str, Any] = {"separators": (",", ":")} if compact else {"indent": 1}
    return (json.dumps(document, ensure_ascii=False, allow_nan=False, **layout) + "\n").encode()


def short(digest: str) -> str:
    """The part of a hash that file names carry."""
    return digest.removeprefix("sha256:")[:12]
