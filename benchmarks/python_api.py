"""How long the Python API takes: its import, a frame of many results, a board, and a ranking of it.

python benchmarks/python_api.py [RESULTS]

RESULTS files are copies of those of this repository under other names of models. Medians over runs.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

from evaluator import Leaderboard, results_frame
from evaluator.records.store import Store

ROOT = Path(__file__).parents[1]
RUNS = 7


def write_results(folder: Path, count: int) -> None:
    """So many result files, each of another model."""
    store = Store(ROOT / "results")
    for number, path in enumerate(islice(cycle(store.paths()), count)):
        document = json.loads(path.read_bytes())
        document["model"]["id"] = f"model-{number}"
        target = folder / path.parent.parent.name / path.parent.name / f"model-{number}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(document), encoding="utf-8")


def report(what: str, call: Callable[[], object]) -> None:
    """Print the median of `RUNS` calls, wall time and the process's own CPU time."""
    times = []
    for _ in range(RUNS):
        wall, cpu = time.perf_counter(), time.process_time()
        call()
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    wall, cpu = map(statistics.median, zip(*times, strict=True))
    print(f"{what}: {wall:.3f} s, of CPU {cpu:.3f} s")


def main(count: int = 5_000) -> None:
    report("import evaluator, a process", lambda: subprocess.run([sys.executable, "-c", "import evaluator"]))
    report("an empty process", lambda: subprocess.run([sys.executable, "-c", ""]))
    with tempfile.TemporaryDirectory() as folder:
        write_results(Path(folder), count)
        frame = results_frame(folder)
        report(f"results_frame of {count:,} files, {len(frame):,} numbers", lambda: results_frame(folder))
    report("Leaderboard.open(...).board(...)", lambda: Leaderboard.open(ROOT / "board.toml").board("sst-2"))
    board = Leaderboard.open(ROOT / "board.toml").board("sst-2")
    report("board.rank(...), with rank sets", lambda: board.rank({"accuracy": 2, "memory": 1}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
