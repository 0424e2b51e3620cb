"""Leaderboards to freeze, each in a real git repository."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from publishing_world import NEW
from snapshot_world import steelyard, write_world

from evaluator.publish.scaffolding import write_repository


@pytest.fixture(scope="session")
def _written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp("snapshots") / "world")


@pytest.fixture(scope="session")
def _frozen(_written: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frozen") / "world"
    shutil.copytree(_written, folder)
    done = steelyard(folder, "snapshot")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def world(_written: Path, tmp_path: Path) -> Path:
    """A leaderboard with committed results."""
    return Path(shutil.copytree(_written, tmp_path / "world"))


@pytest.fixture
def frozen(_frozen: Path, tmp_path: Path) -> Path:
    """The same with a snapshot of each of its two boards."""
    return Path(shutil.copytree(_frozen, tmp_path / "frozen"))


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new repository's folder, as `init` leaves it."""
    folder = tmp_path_factory.mktemp("made") / "board"
    write_repository(folder, NEW)
    return folder
