"""The tests: ``python tests/run.py`` runs the quick lane, ``python tests/run.py slow`` the rest.

The quick lane is what holds for the text of the code (linters, types), the units of the scripts, and every test that
is not marked slow. Each step runs, whichever failed before it. The last line counts all tests, those of the quick
lane before it included; exits 1 unless all is well.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
REPORTS = ROOT / ".steelyard" / "tests"
NPM = ROOT / "site_src" / "node_modules" / ".bin"
SCRIPTS = [
    *("site_src/*.js", "site_src/assets/**/*.js", "site_src/local/*.js", "site_src/generator/*.mjs"),
    *("evaluator/tryit/*.mjs", "tests/**/*.mjs"),
]
PYTHON = [sys.executable, "-m"]
#: Tests with a browser or workers wait a good deal: four processes keep two cores busy. Files are taken in the order
#: of tests/conftest.py.
PYTEST = [*PYTHON, "pytest", "--numprocesses=4", "--dist=loadfile", "--no-loadscope-reorder"]
UNITS = sorted(map(str, ROOT.glob("tests/javascript/*.test.mjs")))

#: What holds for the text of the code, and the units of the scripts, by name: each needs one core.
CHECKS = {
    "javascript": [
        *("node", "--test", "--test-reporter=dot", "--test-reporter-destination=stdout"),
        *("--test-reporter=tap", f"--test-reporter-destination={REPORTS / 'javascript.tap'}", *UNITS),
    ],
    "ruff": [*PYTHON, "ruff", "check", "."],
    "ruff format": [*PYTHON, "ruff", "format", "--check", "."],
    "mypy": [*PYTHON, "mypy"],
    "eslint": [f"{NPM}/eslint", "--max-warnings", "0", "--config", "site_src/eslint.config.js", *SCRIPTS],
    "prettier": [
        *(f"{NPM}/prettier", "--check", "--log-level", "warn", "--config", "site_src/.prettierrc.json"),
        *SCRIPTS,
    ],
    "tsc": [f"{NPM}/tsc", "--project", "site_src"],
}


def step(name: str, command: list[str], captured: bool = False) -> bool:
    """Run a step and say how it went. `captured`: what it says is shown in one piece when it has ended."""
    # Byte code is kept, as hundreds of processes import the same modules; threads that share two cores with other
    # tests mostly wait for one another.
    environment = os.environ | {"PYTHON": sys.executable, "OMP_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if not captured:
        print(f"== {name}", flush=True)
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE if captured else None,
        stderr=subprocess.STDOUT if captured else None,
        text=True,
        check=False,
    )
    if captured:
        print(f"\n== {name}\n{done.stdout}", end="", flush=True)
    return done.returncode == 0


def tests(lane: str, marker: str) -> bool:
    return step(f"{lane} tests", [*PYTEST, "-m", marker, f"--junitxml={REPORTS / lane}.xml"])


def summary() -> str:
    """One line that counts every test of Python and of JavaScript."""
    passed = failed = 0
    for report in REPORTS.glob("*.xml"):
        for case in ElementTree.parse(report).iter("testcase"):
            if case.find("skipped") is None:
                bad = case.find("failure") is not None or case.find("error") is not None
                passed, failed = passed + (not bad), failed + bad
    for report in REPORTS.glob("*.tap"):
        text = report.read_text(encoding="utf-8")
        counts = {
            word: int(count) for word, count in re.findall(r"^# (pass|fail) (\d+)$", text, re.MULTILINE)
        }
        passed, failed = passed + counts.get("pass", 0), failed + counts.get("fail", 0)
    return f"{passed} passed, {failed} failed"


def quick() -> bool:
    """The checks use one core beside the tests."""
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)
    with ThreadPoolExecutor(1) as pool:
        checked = pool.submit(lambda: [step(name, command, True) for name, command in CHECKS.items()])
        return all([tests("quick", "not slow"), *checked.result()])


if __name__ == "__main__":
    well = tests("slow", "slow") if sys.argv[1:] == ["slow"] else quick()
    print(summary())
    sys.exit(0 if well else 1)
