"""Whether timings can be believed on a busy machine: models of known cost beside other work.

Run from the repository: python benchmarks/busy.py [--runs N] [--seconds S] [--table] [--from FILE]
Each run times pairs of equal models in turns, by the protocol of `evaluator.measure.timing`, while so many
other processes count and copy memory without end. The quiet value of a pair is the mean logarithm of all
that the runs without them found, on a machine with nothing else to do. A row has the share of the time on
the clock that was spent waiting, by how much the mean is off (bias), how often a model's interval holds the
quiet value, half the median interval, and how often two equal models were told apart at 95 %. Every run is
appended to FILE; with --table the rows are of what is there.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evaluator.measure.timing import Timing
from evaluator.measure.worker import ModelToLoad, Reply, WorkerError
from evaluator.rank.significance import normal_quantile, t_quantile, widening
from evaluator.records.board import MeasureSettings
from evaluator.score.timing_variances import freedom_of_sum

#: Milliseconds that the models take, about.
COSTS = (0.05, 1.0, 10.0, 100.0)
BUSY = (0, 1, 2, 4)
#: Examples that take about so many milliseconds, and at most so many.
ALL_MS, MOST = 500.0, 2000
EXAMPLES = [{"id": str(number), "statement": f"Film number {number}."} for number in range(MOST)]
#: Steps of a loop in a millisecond, about.
STEPS = 80_000
HANDLER = """
def load(directory):
    pass

def predict(example):
    for _ in range({steps}): pass
    return {{"label": "positive"}}
"""
OTHER = "while True: bytearray(2_000_000).count(1)"


class Answers:
    """All answers are alike, so that only how many of them there are is kept."""

    def __init__(self, count: int) -> None:
        self.asked = [False] * count

    def missing(self) -> Sequence[int]:
        return [position for position, asked in enumerate(self.asked) if not asked]

    def took(self, position: int, outcome: Reply | WorkerError) -> bool:
        self.asked[position] = True
        return isinstance(outcome, Reply)


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that take what they get of all CPUs."""
    others = [subprocess.Popen([sys.executable, "-c", OTHER]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def run(folder: Path, settings: MeasureSettings) -> Iterator[dict[str, Any]]:
    """One measurement of two models of each cost, in turns."""
    turns = []
    for cost in COSTS:
        model = folder / str(cost)
        model.mkdir(exist_ok=True)
        (model / "handler.py").write_text(HANDLER.format(steps=round(cost * STEPS)))
        spec = ModelToLoad("handler", model, {}, "sentiment", ("negative", "positive"))
        examples = EXAMPLES[: math.ceil(ALL_MS / cost)]
        turns += [(cost, Timing(spec, examples, Answers(len(examples)), settings)) for _ in range(2)]
    left = list(turns)
    while left:
        for one in left:
            one[1].add_block()
        left = [one for one in left if not one[1].enough]
    for cost, timing in turns:
        found = timing.measurement()
        elapsed = sum(block.time_ns for block in found.repeats)
        waited = sum(block.waited_ns or 0 for block in found.repeats)
        yield {
            "cost": cost,
            # In one time of the reference workload: each process has a unit of its own.
            "log": math.log(found.throughput * found.fingerprint.reference_ns / 1e9),
            "spread": found.spread(),
            "left_open": found.left_open,
            "blocks": len(found.repeats),
            "waited": waited / elapsed,
        }


def table(runs: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A row for each cost and number of other processes."""
    yield "| a request | others | runs | waited | bias | holds the quiet value | half width | told apart |"
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|"
    for cost in COSTS:
        quiet = [
            one["log"] for each in runs if each["busy"] == 0 for one in each["models"] if one["cost"] == cost
        ]
        for others in BUSY:
            pairs = [
                [one for one in each["models"] if one["cost"] == cost]
                for each in runs
                if each["busy"] == others
            ]
            models = [one for pair in pairs for one in pair]
            if models and quiet:
                yield row(cost, others, pairs, models, statistics.fmean(quiet))


def row(
    cost: float, others: int, pairs: list[list[dict[str, Any]]], models: list[dict[str, Any]], quiet: float
) -> str:
    within = [math.hypot(one["spread"], one["left_open"]) for one in models]
    held = sum(abs(one["log"] - quiet) <= half for one, half in zip(models, within, strict=True))
    apart = sum(abs(first["log"] - second["log"]) > needed(first, second) for first, second in pairs)
    cells = [
        f"{cost:g} ms",
        f"{others}",
        f"{len(models)}",
        f"{statistics.fmean(one['waited'] for one in models):.0%}",
        f"{math.expm1(statistics.fmean(one['log'] for one in models) - quiet):+.1%}",
        f"{held / len(models):.0%}",
        f"{math.expm1(statistics.median(within)):.1%}",
        f"{apart} of {len(pairs)}",
    ]
    return f"| {' | '.join(cells)} |"


def needed(first: dict[str, Any], second: dict[str, Any]) -> float:
    """The difference of logarithms by which two models are told apart, as rank sets do it."""
    variance, normal = 0.0, normal_quantile(0.025)
    for one in (first, second):
        free = one["blocks"] - 1
        seen, known = (one["spread"] / t_quantile(0.025, free)) ** 2, (one["left_open"] / normal) ** 2
        variance += widening(freedom_of_sum(seen, free, known), 0.025) * (seen + known)
    return normal * math.sqrt(variance)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=10, help="runs of each kind (10)")
    parser.add_argument("--seconds", type=float, default=2.0, help="the most seconds for a model (2)")
    parser.add_argument("--from", dest="file", type=Path, default=Path("busy.jsonl"), help="file of runs")
    parser.add_argument("--table", action="store_true", help="make no runs")
    given = parser.parse_args()
    settings = MeasureSettings(seconds=given.seconds)
    for _ in range(0 if given.table else given.runs):
        for others in BUSY:
            with tempfile.TemporaryDirectory() as folder, busy(others):
                models = list(run(Path(folder), settings))
            with given.file.open("a") as file:
                file.write(json.dumps({"busy": others, "models": models}) + "\n")
    runs = [json.loads(line) for line in given.file.read_text().splitlines()]
    print(*table(runs), sep="\n")


if __name__ == "__main__":
    main()
