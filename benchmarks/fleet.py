"""What a cluster gains and costs: two local workers against one, and Dask's own overhead.

python benchmarks/fleet.py FOLDER [--texts N] [--models N] [--tasks N]

* Throughput: --models models, each kept busy for a millisecond a text, are asked --texts texts untimed with
  `steelyard evaluate --cluster local:1` and `local:2`, each pinned to as many CPUs as it has workers. Seconds
  count from the line that says the node's class to that of the last result: starting Dask is left out.
* Overhead: --tasks assignments that do nothing, sent as the client sends them, one to each of two free slots.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from queue import SimpleQueue

from handler_boards import write_board

from evaluator.cluster.connecting import ClusterAddress, connected

HANDLER = """
import time

def load(directory):
    pass

def predict(example):
    end = time.process_time() + 0.001
    while time.process_time() < end:
        pass
    return {"label": "positive" if len(example["statement"]) % 2 else "negative"}
"""


def project(folder: Path, models: int, texts: int) -> None:
    """A board with so many equal models and texts."""
    made = [f"Text number {number} of this benchmark." for number in range(texts)]
    write_board(folder, [made], [f"# {number}\n{HANDLER}" for number in range(models)])


def asking_s(folder: Path, workers: int, cpus: list[int]) -> float:
    """Seconds from the moment when assignments are sent to the last result."""
    program = f"import os; os.sched_setaffinity(0, {cpus[:workers]}); from evaluator.cli import main; main()"
    for made in ("results", ".steelyard"):
        shutil.rmtree(folder / made, ignore_errors=True)
    command = [sys.executable, "-c", program, "evaluate", "--cluster", f"local:{workers}"]
    with subprocess.Popen(
        command, cwd=folder, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as running:
        assert running.stderr is not None
        began = ended = None
        for line in running.stderr:
            if "is of class" in line:
                began = time.monotonic()
            if ": measured:" in line:
                ended = time.monotonic()
    if running.returncode or began is None or ended is None:
        sys.exit(f"the evaluation failed with code {running.returncode}")
    return ended - began


def overhead_s(tasks: int) -> float:
    """Seconds for each Dask task that does nothing, sent whenever one of two slots is free."""
    done: SimpleQueue[str] = SimpleQueue()
    with connected(ClusterAddress("local", workers=2), {}) as client:
        free = list(client.sync(client.scheduler.identity, n_workers=-1)["workers"])
        client.gather([client.submit(os.getpid, workers=[slot], pure=False) for slot in free])
        began = time.monotonic()
        kept = {}
        for number in range(tasks):
            slot = free.pop() if free else done.get()
            future = client.submit(int, number, workers=[slot], resources={"slot": 1}, key=f"n-{number}")
            kept[slot] = future
            future.add_done_callback(lambda _, slot=slot: done.put(slot))
        client.gather(list(kept.values()))
        return (time.monotonic() - began) / tasks


def main() -> None:
    """Measure, and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--texts", type=int, default=4000)
    parser.add_argument("--models", type=int, default=8)
    parser.add_argument("--tasks", type=int, default=1000)
    given = parser.parse_args()
    project(given.folder, given.models, given.texts)
    cpus = sorted(os.sched_getaffinity(0))
    seconds = {workers: asking_s(given.folder, workers, cpus) for workers in (1, 2)}
    assignment_s = overhead_s(given.tasks)
    found = {
        "one worker, s": round(seconds[1], 1),
        "two workers, s": round(seconds[2], 1),
        "gain": round(seconds[1] / seconds[2], 2),
        "overhead, ms a task": round(1000 * assignment_s, 2),
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
