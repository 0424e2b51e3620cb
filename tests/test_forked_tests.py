"""Tests that run in forked processes are run and reported like any others."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

FORKED_TESTS = Path(__file__).with_name("forked_tests.py")
#: Every file appends its process to a file, which a fixture of the session does too.
FILE = """
def test_good(log): log("{name} good")
def test_bad(log):
    print("seen by", "{name}")
    assert log("{name} bad")
def test_last(log): log("{name} last")
"""
CONFTEST = """
import os, pytest
def note(text):
    with open("notes", "a") as file: file.write(f"{os.getpid()} {text}\\n")
@pytest.fixture(scope="session")
def log():
    note("begin")
    yield note
    note("end")
"""


def ran(folder: Path, files: dict[str, str], *options: str) -> tuple[str, dict[str, str], list[list[str]]]:
    """What pytest prints, the outcome of each test in its report, and the notes with their processes."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, text in files.items():
        (folder / name).write_text(text)
    command = [sys.executable, FORKED_TESTS, "--junitxml=report.xml", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    cases = ElementTree.parse(folder / "report.xml").iter("testcase")
    outcomes = {
        f"{case.get('classname')} {case.get('name')}": "failed"
        if case.find("failure") is not None
        else "passed"
        for case in cases
    }
    notes = [line.split(maxsplit=1) for line in (folder / "notes").read_text().splitlines()]
    return done.stdout, outcomes, notes


def test_every_test_is_run_once_and_reported(tmp_path: Path) -> None:
    """The last line, the report and what failed tests printed are those of any run."""
    files = {f"test_{name}.py": FILE.format(name=name) for name in "abcde"}
    printed, outcomes, notes = ran(tmp_path, files, "--forks=2")
    assert re.search(r"=+ 5 failed, 10 passed in ", printed.splitlines()[-1])
    assert [f"seen by {name}" in printed for name in "abcde"] == [True] * 5
    wanted = {"good": "passed", "bad": "failed", "last": "passed"}
    assert outcomes == {f"test_{file} test_{name}": wanted[name] for file in "abcde" for name in wanted}
    assert sorted(text for _, text in notes if text not in ("begin", "end")) == sorted(
        f"{file} {name}" for file in "abcde" for name in wanted
    )


def test_a_process_runs_whole_files_and_keeps_fixtures_of_the_session(tmp_path: Path) -> None:
    """No process but those that were forked runs anything, and each begins and ends such a fixture once."""
    files = {f"test_{name}.py": FILE.format(name=name) for name in "abcde"}
    _, _, notes = ran(tmp_path, files, "--forks=2")
    by_process: dict[str, list[str]] = {}
    for process, text in notes:
        by_process.setdefault(process, []).append(text)
    assert len(by_process) <= 2
    for texts in by_process.values():
        assert (texts[0], texts[-1]) == ("begin", "end")
        assert texts.count("begin") == texts.count("end") == 1
        files_of = [text.split()[0] for text in texts[1:-1]]
        assert files_of == sorted(files_of)


def test_files_that_take_long_come_first(tmp_path: Path) -> None:
    """They are run in the order given, before all others."""
    files = {f"test_{name}.py": FILE.format(name=name) for name in "abc"}
    _, _, notes = ran(tmp_path, files, "--forks=1", "--first=test_c.py", "--first=test_none.py")
    assert [text[0] for _, text in notes[1:-1:3]] == ["c", "a", "b"]


def test_a_process_that_dies_fails_the_rest_of_its_file_only(tmp_path: Path) -> None:
    """The test in which it died and those after it have failed, and the other files are run."""
    good = "def test_good(log): log('good')\ndef test_dies(log): import os; os._exit(3)\ndef test_after(): pass\n"
    files = {"test_a.py": good, "test_b.py": "def test_b(log): log('b')\n"}
    printed, outcomes, _ = ran(tmp_path, files, "--forks=1")
    assert outcomes == {
        "test_a test_good": "passed",
        "test_a test_dies": "failed",
        "test_a test_after": "failed",
        "test_b test_b": "passed",
    }
    assert "the process ended with 3 in test_a.py::test_dies" in printed


def test_what_cannot_be_collected_fails_the_run(tmp_path: Path) -> None:
    """As without forked processes, nothing is run then."""
    files = {"test_a.py": "import nothing_of_this_name\n", "test_b.py": "def test_b(log): log('b')\n"}
    (tmp_path / "notes").write_text("")
    printed, _, notes = ran(tmp_path, files, "--forks=2")
    assert "1 error" in printed.splitlines()[-1]
    assert notes == []
