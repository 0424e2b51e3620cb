"""How long a visitor waits for rank sets, in real Chromium, and how much is transferred for them.

Run from the repository: python benchmarks/certainty.py [--quick]
The boards are random: 10, 100 and 350 models, 5 metrics on one dataset of 2,000 examples, of which one metric
is right or wrong, two are shares with covariances, and two are timed in three passes. "Sets" is how long a
page waits for the worker's answer to a change of weights; the first has the file and the modules to load too.
"Painted" is the time from a slider's `input` event to the frame with the new ranking, with sets and without.
"Ready" is the time from navigation to a page whose scorer is ready, with sets in it and without, in turns.
All times are medians on the loopback, with the best one beside them.
"""

from __future__ import annotations

import argparse
import gzip
import random
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from chance_boards import reported
from painting import FLAGS, opened, painted, served
from playwright.sync_api import Browser, sync_playwright
from reweigh import GLIDE, report, report_times, scorer_of, seconds_to_ready

from evaluator.records.board import Assembled
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.certainty import sampled
from site_src.generator.build import build

EXAMPLES = 2000
MODELS = (10, 100, 350)
METRICS = ("accuracy", "fairness", "robustness", "throughput", "memory")
SETS_BUDGETS = {10: 20.0, 100: 60.0, 350: 200.0}
SIZE_BUDGETS = {10: 60.0, 100: 200.0}
#: The same board, as one with rank sets of examples and as one with published numbers and timings only.
PAIR = ("m100", "m100-without")
#: Rows that a visitor sees of a board with too many models for all of them.
SEEN = 40

#: Milliseconds of the page's scorer module: until the first sets, and then for each question.
SETS = """
async ([module, runtime, scorer, board, certainty, questions, rows]) => {
  const { Scorer } = await import(module);
  const client = new Scorer({ runtime, scorer, board, certainty });
  await client.start();
  const times = [];
  for (const question of questions) {
    await client.rank(question);
    const start = performance.now();
    await client.sets(question, rows);
    times.push(performance.now() - start);
  }
  return times;
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer runs, for trying the benchmark itself")
    runs = 12 if parser.parse_args().quick else 45
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        site = made(Path(scratch))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        with served(site) as address:
            for models in MODELS:
                report_sets(browser, site, address, f"m{models}", models, runs)
                report_size(site, models)
            report_sets(browser, site, address, PAIR[1], 100, runs)
            for board in PAIR:
                report_painted(browser, address, board, runs)
            report_opening(browser, address, runs // 3)


def report_sets(browser: Browser, site: Path, address: str, board: str, models: int, runs: int) -> None:
    rows = list(range(SEEN)) if models > 150 else None
    seen = f"{SEEN} rows of " if rows else ""
    what = f"{seen}{models} models x {len(METRICS)} metrics"
    print(f"rank sets of {board}, {what}, after a change of weights")
    page = opened(browser, f"{address}{board}/")
    file = f"{address}{board}/{certainty_file(site, board).name}"
    questions = [{"metrics": dict.fromkeys(METRICS, 1.0) | {"memory": 0.1 * at}} for at in range(1, runs)]
    first, *times = page.evaluate(SETS, [*scorer_of(page), file, questions, rows])
    report("the first, with what is loaded", first, "ms")
    report_times("sets", times[len(times) // 3 :], "ms", SETS_BUDGETS.get(models))
    page.context.close()


def report_size(site: Path, models: int) -> None:
    data = certainty_file(site, f"m{models}").read_bytes()
    report("file, gzipped", len(gzip.compress(data, 6, mtime=0)) / 1000, "kB", SIZE_BUDGETS.get(models))


def report_painted(browser: Browser, address: str, board: str, runs: int) -> None:
    print(f"input event to painted rows, board {board}")
    page = opened(browser, f"{address}{board}/")
    slider = '.control[data-kind="metric"][data-name="memory"] .slider'
    for what, rest in (("at rest between two changes", GLIDE), ("while it is dragged", 0)):
        times = painted(page, slider, [1 + at % 4 for at in range(1, runs)], ".score > .num", rest=rest)
        report_times(what, times, "ms", 16.0)
    page.context.close()


def report_opening(browser: Browser, address: str, runs: int) -> None:
    print("from navigation to a scorer that is ready, 100 models, cold cache")
    times: dict[str, list[float]] = {board: [] for board in PAIR}
    for _ in range(runs):
        for board, found in times.items():
            found.append(1000 * seconds_to_ready(browser, f"{address}{board}/"))
    for board, found in times.items():
        report_times(board, found, "ms", None)
    more = statistics.median(a - b for a, b in zip(*times.values(), strict=True))
    report("more with sets, median of pairs", more, "ms", 100.0)


def certainty_file(site: Path, board: str) -> Path:
    [path] = (site / board).glob("certainty.*.json")
    return path


def made(folder: Path) -> Path:
    """A site with a board of each size, with rank sets made of chance, and one without."""
    chance, store = random.Random(1), Store(folder / "results")
    boards = {**{f"m{models}": models for models in MODELS}, "m100-without": 100}
    for board, models in boards.items():
        for model in range(models):
            store.save(Result.model_validate(measured(chance, board, model)))
    (folder / "board.toml").write_text(board_file(list(boards)), encoding="utf-8")
    with patch("site_src.generator.build.sampled", drawn):
        build(folder / "board.toml", folder / "results", folder / "site")
    return folder / "site"


def drawn(assembled: Assembled, store: Store) -> dict[str, dict[str, Any]]:
    """In the place of `sampled` where a site is built, as boards of chance keep no predictions."""
    if assembled.board.id == PAIR[1]:
        return sampled(assembled, store)
    models = len(assembled.data["models"])
    return {f"{assembled.board.id}-d": varied(models, np.random.default_rng(models))}


def varied(models: int, chance: np.random.Generator) -> dict[str, Any]:
    """How such a board's values vary, as `evaluator.score.certainty.sampled` says it."""
    skill = chance.normal(1.5, 0.5, (models, 1))
    right = chance.random((models, EXAMPLES)) < 1 / (1 + np.exp(-(skill - chance.normal(0, 1.5, EXAMPLES))))
    shares = {name: chance.integers(0, 8, (models, EXAMPLES)) / 7 for name in ("fairness", "robustness")}
    values = {"accuracy": right.astype(float), **shares}
    names = list(values)
    pairs = [(a, b) for at, a in enumerate(names) for b in names[at:] if (a, b) != ("accuracy", "accuracy")]
    apart = [int((right[i] != right[j]).sum()) for i in range(models) for j in range(i)]
    return {
        "examples": EXAMPLES,
        "clusters": EXAMPLES,
        "unit": dict.fromkeys(names, 100.0),
        "covariances": [[a, b, *steps(values[a], values[b])] for a, b in pairs],
        "right": {"accuracy": right.sum(axis=1).tolist()},
        "apart": {"accuracy": apart},
        "relative": {name: [0.0004] * models for name in ("throughput", "memory")},
        "unknown": {},
    }


def steps(first: Any, second: Any) -> tuple[float, list[int]]:
    """Covariances of the differences of means in per cent, as whole numbers of a step."""
    shared = 1e4 * np.cov(first, second)[: len(first), len(first) :] / EXAMPLES
    own = np.diagonal(shared)
    found = [own[i] + own[j] - shared[i, j] - shared[j, i] for i in range(len(own)) for j in range(i)]
    step = max(map(abs, found)) / 10**6
    return float(step), [round(value / step) for value in found]


def board_file(boards: list[str]) -> str:
    tables = ['title = "Chance"']
    for board in boards:
        metrics = ",\n".join(f'  {{ name = "{name}", label = "{name}", unit = "%" }}' for name in METRICS)
        tables.append(f'[[datasets]]\nid = "{board}-d"\nlabel = "Dataset"\ntask = "{board}"')
        head = f'[[boards]]\nid = "{board}"\ntitle = "{board}"\ntask = "{board}"\nbase = "accuracy"'
        tables.append(f'{head}\ndatasets = ["{board}-d"]\nmetrics = [\n{metrics},\n]')
    return "\n\n".join(tables)


def measured(chance: random.Random, board: str, model: int) -> dict[str, Any]:
    scores = {name: {"value": 60 + 30 * chance.random(), "unit": "%", "version": "1"} for name in METRICS}
    return reported(chance, board, f"{board}-d", model, digits=15) | {"scores": scores}


if __name__ == "__main__":
    main()
