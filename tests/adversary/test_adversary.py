"""The short part of the campaign that `make adversary` runs whole: the same attacks, picked by the same seeds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from campaign import BEGIN, END, parts, summary, write_summary
from hostile import TABLE
from tampering import ATTACKS

HERE = Path(__file__).parent

#: Of each kind one that the tests of workers do not try: `make adversary` runs the whole table.
HOSTILE = ["allocates without end", "connects", "kills everyone"]


def report(*command: object) -> dict[str, Any]:
    done = subprocess.run([*map(str, command)], cwd=HERE, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_reader_reads_a_broken_file_or_names_it() -> None:
    """No other error, no hang, no memory without end: 5,000 broken inputs over all readers."""
    found = report(sys.executable, HERE / "fuzz.py", "--cases", 5000)
    assert found["failures"] == []
    assert sum(found["counts"].values()) == 5000
    assert found["counts"]["read"] > 500
    assert found["counts"]["refused"] > 500


def test_a_case_can_be_run_alone() -> None:
    """The same seed and number give the same broken file, with what its reader says of it."""
    alone = [sys.executable, str(HERE / "fuzz.py"), "--case", "17"]
    first, second = (
        subprocess.run(alone, capture_output=True, text=True, check=True).stdout for _ in range(2)
    )
    assert first == second
    assert first.startswith("dataset ")


def test_every_address_is_a_view_or_a_message() -> None:
    """10,000 broken fragments are read or refused in words."""
    assert report("node", HERE / "fragments.mjs", 1, 0, 10_000) == {
        "counts": {"fragments": 10_000},
        "failures": [],
    }


def test_every_tampering_is_told() -> None:
    """Each way to tamper with snapshots is told, at two places each."""
    assert report(sys.executable, HERE / "tampering.py", "--cases", 2 * len(ATTACKS))["failures"] == []


def test_commands_that_are_killed_finish_when_they_are_run_again() -> None:
    """At least 12 kills at random moments, over all commands that write."""
    found = report(sys.executable, HERE / "kills.py", "--kills", 12)
    assert found["failures"] == []
    assert found["counts"]["kills"] >= 12


@pytest.mark.slow
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
    assert {*HOSTILE} <= {model.name for model in TABLE}


def test_the_summary_goes_into_its_place(tmp_path: Path) -> None:
    """Date, version and counts stand between the marks of the page, and nothing else changes."""
    page = tmp_path / "threats.md"
    page.write_text(f"before\n{BEGIN}\nlast year\n{END}\nafter\n")
    found = [(part.name, {"counts": {"a": 1000, "b": 5}, "failures": []}) for part in parts(1)]
    write_summary(summary(found, 1, "22 November 2026"), page)
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}\n\nRun on 22 November 2026 with Steelyard ")
    assert "| hostile models | 1,005 | 0 |" in text
    assert text.endswith(f"{END}\nafter\n")
    assert "last year" not in text
