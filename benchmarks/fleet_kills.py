"""Whether a cluster whose workers are killed again and again ends with the results of one machine.

python benchmarks/fleet_kills.py FOLDER [--models N] [--datasets N] [--kills N] [--seed N]

--models models x --datasets datasets (200 units) are asked untimed by `steelyard evaluate --cluster local:4`,
while SIGKILL hits a random worker, --kills times (30) spread over the units. Then the same board is evaluated
on this machine alone. All that is stored must be the same except for dates, classes of nodes and how batches
were tried, and no unit may be measured twice. Exits 1 if that is not so.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
from handler_boards import write_board

HANDLER = """
def load(directory):
    pass

def predict(example):
    return {{"label": "positive" if sum(map(ord, example["statement"])) % {number} else "negative"}}
"""


def project(folder: Path, models: int, datasets: int) -> None:
    """A board of so many models and datasets, each of its own."""
    texts = [[f"Text {row} of dataset {number}." for row in range(20)] for number in range(datasets)]
    write_board(folder, texts, [HANDLER.format(number=number + 2) for number in range(models)])


def under_fire(folder: Path, units: int, kills: int, chance: random.Random) -> tuple[Counter[str], int]:
    """Evaluate while workers are killed: how often each unit was measured, and the kills that hit one."""
    command = [sys.executable, "-m", "evaluator.cli", "evaluate", "--cluster", "local:4"]
    measured: Counter[str] = Counter()
    hits = 0
    with subprocess.Popen(
        command, cwd=folder, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if ": measured:" in line:
                measured[line.partition("] ")[2].partition(":")[0]] += 1
                if hits < kills and measured.total() > hits * units // (kills + 1):
                    hits += kill_one(running.pid, chance)
    if running.returncode:
        sys.exit(f"the evaluation ended with code {running.returncode}")
    return measured, hits


def kill_one(client: int, chance: random.Random) -> int:
    """Kill a worker of the client's cluster: 1, or 0 if none was there just then."""
    children = psutil.Process(client).children()
    workers = [one for one in children if any("spawn_main" in word for word in one.cmdline())]
    if workers:
        chance.choice(workers).kill()
    return len(workers[:1])


def stored(folder: Path) -> dict[str, Any]:
    """All that is stored, without what may differ between runs."""
    found = {}
    for path in sorted((folder / "results").rglob("*.json")):
        document = json.loads(path.read_bytes())
        for changing in ("created", "node_class", "batches"):
            document.pop(changing, None)
        found[str(path.relative_to(folder))] = document
    return found


def main() -> int:
    """Evaluate both ways and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--datasets", type=int, default=10)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    units = given.models * given.datasets
    for name in ("fleet", "alone"):
        project(given.folder / name, given.models, given.datasets)
    began = time.monotonic()
    measured, hits = under_fire(given.folder / "fleet", units, given.kills, random.Random(given.seed))
    seconds = time.monotonic() - began
    subprocess.run(
        [sys.executable, "-m", "evaluator.cli", "evaluate"],
        cwd=given.folder / "alone",
        check=True,
        capture_output=True,
    )
    same = stored(given.folder / "fleet") == stored(given.folder / "alone")
    once = len(measured) == units and set(measured.values()) == {1}
    found = {
        "units": units,
        "kills": hits,
        "seconds": round(seconds),
        "same results": same,
        "each once": once,
    }
    print(json.dumps(found, indent=2))
    return 0 if same and once else 1


if __name__ == "__main__":
    sys.exit(main())
