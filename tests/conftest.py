"""What holds for all tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import settings

# What references are written out in; last, as some have the names of packages.
sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

# How long an example takes says nothing on a machine that does other things too.
settings.register_profile("steelyard", deadline=None)
settings.load_profile("steelyard")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that drive a browser, to select them and so that `tests/run.py` can count them apart."""
    for item in items:
        if "playwright" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
            item.user_properties.append(("kind", "browser"))
