"""The program called in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Calls the program in an empty folder; gives its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    return run
