"""Runs the browser tests again and again, to find those that do not pass every time.

    python tests/repeat.py --runs 20 [--slow 4] [--busy] [PYTEST ARGUMENTS]

``--slow N`` lets every page run N times slower, ``--busy`` keeps all cores busy with other work meanwhile.
Prints a line a run, why tests failed in it, and at the end every test that failed and how often; exits 1 if any did.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
REASON = re.compile(r"^E  .*", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--slow", type=float, default=1)
    parser.add_argument("--busy", action="store_true")
    options, arguments = parser.parse_known_args()
    failures: Counter[str] = Counter()
    with busy_cores(os.cpu_count() or 1 if options.busy else 0):
        for number in range(1, options.runs + 1):
            failures.update(run(number, options.slow, arguments))
    for name, times in failures.most_common():
        print(f"{name}: failed in {times} of {options.runs} runs")
    return 1 if failures else 0


def run(number: int, slow: float, arguments: list[str]) -> list[str]:
    """The names of the tests that failed in one run."""
    command = [
        sys.executable,
        "tests/forked_tests.py",
        "--forks=3",
        "-q",
        "-m",
        "browser",
        *arguments,
    ]
    environment = os.environ | {"STEELYARD_SLOWDOWN": str(slow)}
    start = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-200:]
    print(f"run {number} ({time.monotonic() - start:.0f} s): {last}", flush=True)
    print("".join(f"{line}\n" for line in REASON.findall(done.stdout)), end="", flush=True)
    found = FAILED.findall(done.stdout)
    return found or ([f"pytest exited with {done.returncode}"] if done.returncode else [])


@contextmanager
def busy_cores(count: int) -> Iterator[None]:
    """Keep so many cores busy with other work."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()


if __name__ == "__main__":
    sys.exit(main())
