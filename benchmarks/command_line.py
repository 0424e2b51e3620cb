"""How long the command line takes: its help, a key of Tab, and ranking a large table.

python benchmarks/command_line.py [MODELS] [METRICS]

Wall time and the process's own CPU time, medians over runs: on a machine that others use, too, the second is
what repeats.
"""

from __future__ import annotations

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 7
PROGRAM = (sys.executable, "-m", "evaluator.cli")


def write_table(path: Path, models: int, metrics: int) -> None:
    """A table of uniform random numbers with four decimals."""
    chance = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(["model", *(f"m{metric}" for metric in range(metrics))]) + "\n")
        for model in range(models):
            cells = (f"{chance.uniform(0, 100):.4f}" for _ in range(metrics))
            file.write(",".join([f"model-{model}", *cells]) + "\n")


def seconds(*arguments: str, **environment: str) -> tuple[float, float]:
    """Wall and CPU seconds of one call."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [*PROGRAM, *arguments], stdout=subprocess.DEVNULL, check=True, env={**os.environ, **environment}
    )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(what: str, *arguments: str, **environment: str) -> None:
    """Print the medians of `RUNS` calls."""
    wall, cpu = zip(*(seconds(*arguments, **environment) for _ in range(RUNS)), strict=True)
    print(f"{what}: {statistics.median(wall):.2f} s, of its own CPU {statistics.median(cpu):.2f} s")


def main(models: int = 1000, metrics: int = 10) -> None:
    report("steelyard --help", "--help")
    tab = {"_STEELYARD_COMPLETE": "bash_complete", "COMP_WORDS": "steelyard snap", "COMP_CWORD": "1"}
    report("Tab after steelyard snap", **tab)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        write_table(table, models, metrics)
        report(f"steelyard rank, {models:,} models x {metrics} metrics", "rank", str(table))
        report("the same with --json", "rank", str(table), "--json")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
