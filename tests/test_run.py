"""How `make test` counts its tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import run

PYTHON = """
def test_good(): pass
def test_bad(): assert False
"""
JAVASCRIPT = """
import test from "node:test";
test("good", () => {});
test("also good", () => {});
test("bad", () => { throw new Error("bad"); });
"""


def test_the_last_line_counts_python_javascript_and_browser_tests(tmp_path: Path) -> None:
    """Tests of every kind are counted once, as passed or failed, from the reports that the runners write."""
    (tmp_path / "conftest.py").write_text(Path(__file__).with_name("conftest.py").read_text("utf-8"), "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = browser: drives a browser\n", "utf-8")
    (tmp_path / "test_some.py").write_text(PYTHON, "utf-8")
    (tmp_path / "test_page.py").write_text(
        "import pytest\n@pytest.fixture\ndef playwright(): pass\ndef test_page(playwright): pass\n", "utf-8"
    )
    (tmp_path / "some.test.mjs").write_text(JAVASCRIPT, "utf-8")
    pytest_command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        f"--rootdir={tmp_path}",
        f"--junitxml={tmp_path}/a.xml",
    ]
    subprocess.run([*pytest_command, str(tmp_path)], cwd=tmp_path, capture_output=True, check=False)
    node = ["node", "--test", *run.reporters(tmp_path), str(tmp_path / "some.test.mjs")]
    subprocess.run(node, cwd=tmp_path, capture_output=True, check=False)
    assert run.summary(tmp_path) == "Python 2, JavaScript 3, browser 1: 4 passed, 2 failed"
