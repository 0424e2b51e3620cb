"""What holds for all tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# What references are written out in; last, as some have the names of packages.
sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
# Worlds that tests of several rooms stand on.
sys.path += sorted(str(path) for path in Path(__file__).parent.glob("[!_]*/"))

# How long an example takes says nothing on a machine that does other things too. More examples for whoever looks for
# faults: STEELYARD_EXAMPLES=1000.
settings.register_profile(
    "steelyard", deadline=None, max_examples=int(os.environ.get("STEELYARD_EXAMPLES", "25"))
)
settings.load_profile("steelyard")

#: Files that take long come first: one of them left at the end would keep one processor busy only. Those that mostly
#: wait for other processes come before all: the checks of the text run beside them.
LONG = (
    "tests/cluster/test_cluster.py",
    "tests/cluster/test_slurm.py",
    "tests/adversary/test_adversary.py",
    "tests/measure/test_worker_isolation.py",
    "tests/measure/test_worker_failures.py",
    "tests/site/test_last_build.py",
    "tests/site/test_difficulty_page.py",
    "tests/publish/test_snapshot_verify.py",
)


def _turn(item: pytest.Item) -> int:
    name = item.nodeid.partition("::")[0]
    return LONG.index(name) if name in LONG else len(LONG)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take long first, and mark the tests that drive a browser, to select them and so that
    `tests/run.py` can count them apart.
    """
    items.sort(key=_turn)
    for item in items:
        if "playwright" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
            item.user_properties.append(("kind", "browser"))
