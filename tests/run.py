"""Everything that ``make test`` runs: what holds for the text of the code, then the tests.

Every step runs, whichever failed before it. The last line counts all tests; exits 1 unless all is well.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
REPORTS = ROOT / ".steelyard" / "tests"
NPM = ROOT / "site_src" / "node_modules" / ".bin"
SCRIPTS = [
    "site_src/*.js",
    "site_src/assets/**/*.js",
    "site_src/local/*.js",
    "site_src/generator/*.mjs",
    "evaluator/tryit/*.mjs",
    "tests/**/*.mjs",
]

Command = list[str]

#: Tests that time things run by themselves, when all else has ended.
ALONE = ["tests/measure/test_measure_models.py"]
#: Tests with a browser or workers wait a good deal, so that four processes keep two cores busy. Files are taken
#: in the order of tests/conftest.py: by their number of tests the last ones would be those that take longest.
SHARED_OUT = ["--numprocesses=4", "--dist=loadfile", "--no-loadscope-reorder"]
TOGETHER = [*SHARED_OUT, *(f"--ignore={path}" for path in ALONE)]


def checks() -> dict[str, Command]:
    """What holds for the text of the code, by name, and the tests of the scripts: each needs one processor."""
    python, prettier = [sys.executable, "-m"], ["--config", "site_src/.prettierrc.json"]
    scripts = sorted(map(str, ROOT.glob("tests/javascript/*.test.mjs")))
    return {
        "javascript": ["node", "--test", *reporters(REPORTS), *scripts],
        "ruff": [*python, "ruff", "check", "."],
        "ruff format": [*python, "ruff", "format", "--check", "."],
        "mypy": [*python, "mypy"],
        "eslint": [f"{NPM}/eslint", "--max-warnings", "0", "--config", "site_src/eslint.config.js", *SCRIPTS],
        "prettier": [f"{NPM}/prettier", "--check", "--log-level", "warn", *prettier, *SCRIPTS],
        "tsc": [f"{NPM}/tsc", "--project", "site_src"],
    }


def tests() -> dict[str, Command]:
    """The tests in Python, by name; each leaves a report of that name."""
    return {"together": _pytest("together", TOGETHER), "alone": _pytest("alone", ALONE)}


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """What the steps see of `given`: byte code is kept, and numbers are added by one thread a process.

    Without byte code each of the hundreds of processes compiles what it imports. Threads that share two
    processors with other tests mostly wait for one another.
    """
    kept = {name: value for name, value in given.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHON": sys.executable, "OMP_NUM_THREADS": "1"}


def reporters(reports: Path) -> Command:
    """Dots to be seen, and a report with the numbers."""
    pairs = {"dot": "stdout", "tap": str(reports / "javascript.tap")}
    return [
        word
        for name, target in pairs.items()
        for word in (f"--test-reporter={name}", f"--test-reporter-destination={target}")
    ]


def _pytest(name: str, arguments: Sequence[str]) -> Command:
    return [sys.executable, "-m", "pytest", *arguments, f"--junitxml={REPORTS / name}.xml"]


def counts(reports: Path) -> Iterator[tuple[str, bool]]:
    """The kind of each test that ran, and whether it passed."""
    for report in reports.glob("*.xml"):
        for case in ElementTree.parse(report).iter("testcase"):
            kinds = [one.get("value", "") for one in case.iter("property") if one.get("name") == "kind"]
            failed = case.find("failure") is not None or case.find("error") is not None
            yield (kinds or ["Python"])[0], not failed
    for report in reports.glob("*.tap"):
        text = report.read_text(encoding="utf-8")
        for word, passed in (("pass", True), ("fail", False)):
            found = re.search(rf"^# {word} (\d+)$", text, re.MULTILINE)
            yield from [("JavaScript", passed)] * int(found[1] if found else 0)


def summary(reports: Path) -> str:
    """One line that counts everything."""
    found = list(counts(reports))
    kinds = Counter(kind for kind, _ in found)
    passed = sum(passed for _, passed in found)
    listed = ", ".join(f"{kind} {kinds[kind]}" for kind in ("Python", "JavaScript", "browser"))
    return f"{listed}: {passed} passed, {len(found) - passed} failed"


def run_checks(commands: Mapping[str, Command]) -> list[str]:
    """The names of those that failed. One after the other; what each says is kept until it has ended."""
    failed = []
    for name, command in commands.items():
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment(os.environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        print(f"\n== {name}\n{done.stdout}", end="", flush=True)
        failed += [name] if done.returncode else []
    return failed


def run_tests(name: str, command: Command) -> list[str]:
    """The name, if any test failed. What they say is seen at once."""
    print(f"== {name}", flush=True)
    done = subprocess.run(command, cwd=ROOT, env=environment(os.environ), check=False)
    return [name] if done.returncode else []


def run_all() -> list[str]:
    """The names of all steps that failed. The checks run beside the tests that may run beside anything."""
    together, alone = tests().items()
    with ThreadPoolExecutor(1) as pool:
        checked = pool.submit(run_checks, checks())
        failed = run_tests(*together)
        failed = [*checked.result(), *failed]
    return [*failed, *run_tests(*alone)]


def main() -> int:
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)
    failed = run_all()
    if failed:
        print(f"failed: {', '.join(failed)}")
    print(summary(REPORTS))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
