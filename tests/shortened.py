"""Board files made for people, cut down for tests."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path


def shorten(board: Path) -> None:
    """Let one block be enough for a board file that says how long models are timed: the tests are about what is written,
    not about the timings.
    """
    text, changed = re.subn(
        r"^seconds = .*$",
        "repeats = 1\nseconds = 0.001",
        board.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    assert changed == 1
    board.write_text(text, encoding="utf-8")


def only_boards(text: str, ids: Collection[str]) -> str:
    """A board file without its other boards."""
    tables = re.split(r"^(?=\[\[)", text, flags=re.MULTILINE)
    kept = tuple(f'[[boards]]\nid = "{id_}"' for id_ in ids)
    return "".join(one for one in tables if not one.startswith("[[boards]]") or one.startswith(kept))
