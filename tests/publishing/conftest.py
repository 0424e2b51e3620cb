"""One new repository for the tests that only look at it."""

from __future__ import annotations

from pathlib import Path

import pytest
from publishing_world import NEW

from evaluator.publishing.scaffolding import write_repository


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new repository's folder, as `init` leaves it."""
    folder = tmp_path_factory.mktemp("made") / "board"
    write_repository(folder, NEW)
    return folder
