"""How long a site of 1,000 models takes to build.

Run from the repository: python benchmarks/build.py [--models 1000] [--keep FOLDER]
The results are random: `--models` models on each of four tasks, every result with scores, measurement,
tags and predictions of 1,000 examples. The build is a separate process, ``steelyard build``. The memory
shown is that of its largest process. Then a board of 100 models is built, and its page is compressed as a
host would compress it.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from processes import used

from evaluator.records.base import PROTOCOL, digest
from evaluator.records.datasets import Examples
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import Store, reference_to

TASKS = ("sentiment", "nli", "hate-speech", "qa")
EXAMPLES = 1000
LABELS = ("no", "perhaps", "yes")
REVISION = "sha256:" + "5e" * 32
#: Seconds that a build may take, and bytes of a board's page as a host compresses it.
BUDGET = 15.0
PAGE_BUDGET, PAGE_MODELS = 100_000, 100

METRICS = {
    "accuracy": ("%", 'label = "Accuracy", unit = "%"'),
    "macro-f1": ("%", 'label = "Macro-F1", unit = "%"'),
    "mcc": ("", 'label = "Matthews", unit = "", decimals = 3'),
    "brier": ("", 'label = "Brier", unit = "", decimals = 3, direction = "lower", cap = 2.0'),
    "throughput": ("ex/s", 'label = "Throughput", unit = "ex/s"'),
    "memory": ("GB", 'label = "Memory", unit = "GB", direction = "lower", cap = 32.0'),
    "fairness": ("%", 'label = "Fairness", unit = "%"'),
    "robustness": ("%", 'label = "Robustness", unit = "%"'),
}
TITLE = 'title = "A large site"\n'
DATASET = """
[[datasets]]
id = "{task}-test"
label = "{task} test"
task = "{task}"
show_gold = true
"""
BOARD = """
[[boards]]
id = "{task}"
title = "{task}"
task = "{task}"
base = "accuracy"
datasets = ["{task}-test"]
metrics = [
{columns},
]
"""
MEMORY = {
    "mean_bytes": 412_000_000,
    "peak_bytes": 498_112_000,
    "mean_pss_bytes": 401_555_000,
    "loaded_bytes": 388_000_000,
    "interval_ms": 25.0,
    "ticks": 812,
    "missed_ticks": 3,
}
FINGERPRINT = {
    "cpu": "Example CPU @ 2.60GHz",
    "cores": 2,
    "memory_bytes": 8_000_000_000,
    "os": "Linux 6.1",
    "python": "3.11.7",
    "libraries": {"numpy": "2.3.1", "scikit-learn": "1.7.0"},
    "threads": 1,
    "affinity": [0],
    "reference_ns": 18_250_000,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=int, default=1000)
    parser.add_argument("--keep", type=Path, help="write the results to this folder, and keep them")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        report_build(folder / "large", options.models)
        report_page(folder / "small")


def report_build(folder: Path, models: int) -> None:
    """Build a large site."""
    seconds, busy, peak = build(made(folder, models))
    print(f"{models:,} models x {len(TASKS)} tasks")
    print(f"  {seconds:6.2f} s of {BUDGET:4.1f} s allowed, processors busy for {busy:5.2f} s")
    print(f"  the largest process takes {peak:4.0f} MB")


def report_page(folder: Path) -> None:
    """The size of a board's page, which a visitor can read before any script runs."""
    build(made(folder, PAGE_MODELS))
    page = (folder / "site" / TASKS[0] / "index.html").read_bytes()
    packed = len(gzip.compress(page, 6)) / 1000
    print(f"board of {PAGE_MODELS} models x {len(METRICS)} metrics: HTML of {len(page) / 1000:.0f} kB")
    print(f"  gzipped      {packed:6.1f} kB of {PAGE_BUDGET / 1000:.0f} kB allowed")


def build(world: Path) -> tuple[float, float, float]:
    """Time of ``steelyard build`` in seconds, processor time in seconds, and peak memory in megabytes."""
    command = [sys.executable, "-m", "evaluator.cli", "build"]
    command += ["--board", str(world / "board.toml"), "--results", str(world / "results")]
    command += ["--output", str(world / "site")]
    return used(command)


def made(folder: Path, models: int) -> Path:
    """The folder with results of `models` models on every task; they are made if it has none."""
    if not (folder / "board.toml").exists():
        chance, store = random.Random(models), Store(folder / "results")
        for task in TASKS:
            store.save_record(examples(chance, task))
            for model in range(models):
                save(store, chance, task, model)
        (folder / "board.toml").write_text(boards(), encoding="utf-8")
    return folder


def boards() -> str:
    """A board file with a board and a dataset for each task."""
    columns = ",\n".join(f'  {{ name = "{name}", {rest} }}' for name, (_, rest) in METRICS.items())
    datasets = [DATASET.format(task=task) for task in TASKS]
    return "\n".join([TITLE, *datasets, *(BOARD.format(task=task, columns=columns) for task in TASKS)])


def examples(chance: random.Random, task: str) -> Examples:
    gold = tuple(chance.randrange(len(LABELS)) for _ in range(EXAMPLES))
    return Examples(task=task, dataset=f"{task}-test", revision=REVISION, ids=ids(), labels=LABELS, gold=gold)


def ids() -> tuple[str, ...]:
    return tuple(map(str, range(EXAMPLES)))


def save(store: Store, chance: random.Random, task: str, model: int) -> None:
    """One model on one task, with its predictions."""
    predictions = PredictionSet(
        task=task,
        model=f"model-{model:04}",
        dataset=f"{task}-test",
        dataset_revision=REVISION,
        ids_sha256=digest(list(ids())),
        labels=LABELS,
        predicted=tuple(chance.randrange(len(LABELS)) for _ in range(EXAMPLES)),
        resolution=1000,
    )
    kept = reference_to(predictions).model_dump()
    store.save(Result.model_validate(result(chance, task, model) | {"predictions": kept}), predictions)


def result(chance: random.Random, task: str, model: int) -> dict[str, Any]:
    return {
        "task": task,
        "model": {
            "id": f"model-{model:04}",
            "label": f"Model {model} of this benchmark",
            "card": {
                "description": "Made up.",
                "parameters": 1_000_000 * (model + 1),
                "licence": "Apache-2.0",
            },
        },
        "dataset": {"id": f"{task}-test", "revision": REVISION, "examples": EXAMPLES},
        "provenance": "measured",
        "scores": scores(chance, lambda unit: 100.0 if unit == "%" else 1.0),
        "tags": {
            "domain": {f"domain {at}": tagged(chance) for at in range(4)},
            "length": {f"length {at}": tagged(chance) for at in range(8)},
        },
        "measurement": measurement(chance),
        "created": "2026-11-21T15:20:00Z",
        "tool": "steelyard 1.0.0",
    }


def scores(chance: random.Random, largest: Callable[[str], float]) -> dict[str, Any]:
    return {
        name: {"value": round(chance.random() * largest(unit), 4), "unit": unit, "version": "1"}
        for name, (unit, _) in METRICS.items()
    }


def tagged(chance: random.Random) -> dict[str, Any]:
    return {
        "examples": 100,
        "scores": {name: round(chance.random() * 100, 4) for name in ("accuracy", "macro-f1")},
    }


def measurement(chance: random.Random) -> dict[str, Any]:
    """A measurement of six blocks."""
    speed = round(20 + 2000 * chance.random(), 3)
    rest = {
        "requests": 425,
        "time_ns": 4_250_000_000,
        "waited_ns": 12_000_000,
        "reference_ns": 12_500_000,
        "load_ns": 1_930_000_000,
        "first_call_ns": 41_000_000,
        "warmup_requests": 20,
        "order_seed": 7,
    }
    tick = {"value_ns": 11_200_000, "low_ns": 11_050_000, "high_ns": 11_340_000}
    return {
        "protocol": PROTOCOL,
        "fingerprint": FINGERPRINT,
        "sandbox": {"network": "none", "memory": "8 GB"},
        "isolation": {"layers": ["pid", "network"]},
        "overhead_ns": 61_000,
        "repeats": [{"throughput": speed, "memory": MEMORY, **rest}] * 6,
        "latency": {
            "requests": 2550,
            "mean_ns": 11_750_000,
            **dict.fromkeys(("p50", "p90", "p99"), tick),
            "histogram": [[69 + at, chance.randrange(1, 400)] for at in range(10)],
        },
        "repeated_input_ratio": 0.98,
        "noise": {"verdict": "ok", "load_before": 0.35, "load_after": 1.02, "steal_share": 0.0},
    }


if __name__ == "__main__":
    main()
