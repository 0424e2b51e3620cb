"""What holds for all tests."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
# What references are written out in; last, as some have the names of packages.
sys.path.append(str(HERE.parent / "benchmarks"))
# Worlds that tests of several rooms stand on.
sys.path += sorted(str(path) for path in HERE.glob("[!_]*/"))

# Several threads at small matrices mostly wait for one another, for a hundred times as long on a busy machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# How long an example takes says nothing on a machine that does other things too. The examples are the same in every
# run, so that a change is not blamed for what another brought; whoever looks for faults draws others, and more of
# them: STEELYARD_EXAMPLES=1000.
wanted = os.environ.get("STEELYARD_EXAMPLES")
settings.register_profile(
    "steelyard", deadline=None, max_examples=int(wanted or "25"), derandomize=wanted is None
)
settings.load_profile("steelyard")

#: Files that take long come first: one of them left at the end would keep one core busy only.
LONG = (
    "tests/test_docs_run.py",
    "tests/cluster/test_cluster.py",
    "tests/measure/test_endpoint.py",
    "tests/site/test_site_try.py",
    "tests/site/test_site_collect.py",
    "tests/measure/test_recipes.py",
    "tests/adversary/test_adversary.py",
    "tests/test_packaging.py",
    "tests/measure/test_onnx.py",
    "tests/textflint/test_textflint_real.py",
    "tests/publish/test_snapshot_verify.py",
    "tests/test_flow.py",
)
SLOW_FILE = re.compile(r"^pytestmark = .*\bslow\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The quick lane does not even import slow files: their packages may not be installed."""
    if config.getoption("markexpr") == "not slow" and collection_path.suffix == ".py":
        return bool(SLOW_FILE.search(collection_path.read_text("utf-8"))) or None
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take long first, and mark the tests that drive a browser, to select them."""
    turns = {name: turn for turn, name in enumerate(LONG)}
    items.sort(key=lambda item: turns.get(item.nodeid.partition("::")[0], len(LONG)))
    for item in items:
        if "playwright" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls the program; gives its exit code, stdout and stderr."""
    from evaluator.cli import main

    def call(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        done = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, done.out, done.err

    return call
