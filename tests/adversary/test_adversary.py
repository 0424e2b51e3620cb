"""The short part of the campaign that `make adversary` runs whole: the same attacks, picked by the same seeds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import campaign
import pytest
from hostile import TABLE
from tampering import ATTACKS

from evaluator import __version__

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
#: How thoroughly; the variable is that of the property tests.
TIMES = max(1, int(os.environ.get("STEELYARD_EXAMPLES", "25")) // 25)

#: Of each kind one that the tests of workers do not try: `make adversary` runs the whole table.
HOSTILE = ["allocates without end", "connects", "kills everyone"]


def report(*command: object) -> dict[str, Any]:
    done = subprocess.run([*map(str, command)], cwd=HERE, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_reader_reads_a_broken_file_or_names_it() -> None:
    """No other error, no hang, no memory without end, over all readers."""
    cases = 1000 * TIMES
    found = report(sys.executable, HERE / "fuzz.py", "--cases", cases)
    assert found["failures"] == []
    assert sum(found["counts"].values()) == cases
    assert found["counts"]["read"] > cases // 10
    assert found["counts"]["refused"] > cases // 10


def test_every_address_is_a_view_or_a_message() -> None:
    """Broken fragments are read or refused in words."""
    cases = 2000 * TIMES
    assert report("node", HERE / "fragments.mjs", 1, 0, cases) == {
        "counts": {"fragments": cases},
        "failures": [],
    }


def test_every_tampering_is_told() -> None:
    """Each way to tamper with snapshots, at one place each."""
    assert report(sys.executable, HERE / "tampering.py", "--cases", TIMES * len(ATTACKS))["failures"] == []


def test_commands_that_are_killed_finish_when_they_are_run_again() -> None:
    """Kills at random moments, over all commands that write."""
    found = report(sys.executable, HERE / "kills.py", "--kills", 5 * TIMES)
    assert found["failures"] == []
    assert found["counts"]["kills"] >= 5 * TIMES


@pytest.mark.parametrize("model", HOSTILE)
def test_a_hostile_model_hurts_itself_only(model: str) -> None:
    """It fails in its own words, gains nothing and changes nothing; the next model is measured."""
    assert report(sys.executable, HERE / "hostile_run.py", "--model", model) == {
        "counts": {"models": 1},
        "failures": [],
    }


def test_the_table_has_at_least_a_hundred_models() -> None:
    """Every line has a name of its own."""
    assert len({model.name for model in TABLE}) == len(TABLE) >= 100


def test_a_part_that_is_run_anew_leaves_the_rows_of_the_others(tmp_path: Path) -> None:
    """Its own row has the day, the version and the seed of this run; what stands around the table stays."""
    page = tmp_path / "threats.md"
    text = campaign.PAGE.read_text("utf-8")
    page.write_text(text, "utf-8")
    found = {"counts": {"read": 1200, "refused": 34}, "failures": [{}]}
    campaign.write_row("broken addresses of views", found, 7, page)
    lines, before = page.read_text("utf-8").splitlines(), text.splitlines()
    [changed] = [at for at, line in enumerate(lines) if line != before[at]]
    assert lines[changed].startswith("| broken addresses of views | 1,234 | 1 | 2")
    assert f"| {__version__} | 7 |" in lines[changed]
