"""A board that several tests of the notebook read."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pytest

from evaluator import Leaderboard, OpenBoard

# No test opens a window.
matplotlib.use("agg")

READABLE = Path(__file__).parents[2] / "examples" / "readable" / "board.toml"


@pytest.fixture(scope="session")
def board() -> OpenBoard:
    """The board of the sentences to read, with the results of this repository."""
    return Leaderboard.open(READABLE).board("sentences")
