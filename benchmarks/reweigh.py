"""How long a visitor waits, in real Chromium: for the scorer, for a ranking, for rows on the screen.

Run from the repository: python benchmarks/reweigh.py [--quick]
The boards are random and built like any site: 1,000, 350 and 10 models, 8 metrics, 5 datasets. All times are
medians on the loopback, with the best one beside them. "Ready" is counted from navigation, in a window that
has been open for a while, with a cold cache. A round trip is how long a page waits for the worker's answer.
"Painted" is the time from a slider's `input` event until the frame with the new rows has been drawn. Frames
are not limited to sixty a second, so the time is work and not waiting for the screen. The first page is
measured with the board that it lets visitors try.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

from chance_boards import METRICS, board_file, dataset_ids, reported
from painting import FLAGS, NOTE_READY, READY, fresh_page, opened, painted, served
from playwright.sync_api import Browser, Page, sync_playwright

from evaluator.records.result import Result
from evaluator.records.store import Store
from site_src.generator.build import build

DATASETS = 5
BOARDS = {"large": 1000, "small": 350, "usual": 10}
#: Milliseconds from an input event to painted rows.
PAINTED_BUDGETS = {"large": 100.0, "small": 50.0}
#: Milliseconds that the row animation takes.
GLIDE = 400

#: Milliseconds of calls of the page's scorer module, without the page; `asked` is what `questions` returns.
ROUND_TRIPS = """
async ([module, runtime, scorer, board, asked]) => {
  const { Scorer } = await import(module);
  const client = new Scorer({ runtime, scorer, board });
  await client.start();
  const times = {};
  for (const [name, kind, calls] of asked) {
    times[name] = [];
    for (const details of calls) {
      const start = performance.now();
      await client[kind](...details);
      times[name].push(performance.now() - start);
    }
  }
  return times;
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer runs, for trying the benchmark itself")
    runs = 3 if parser.parse_args().quick else 9
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        site = made(Path(scratch))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        with served(site) as ours:
            report_ready(browser, ours, runs)
            report_round_trips(browser, ours, 10 * runs)
            for board in PAINTED_BUDGETS:
                report_painted(browser, ours, board, 5 * runs)
            report_first_page(browser, ours, 5 * runs)
        report_pages(site)


def report(what: str, found: float, unit: str, budget: float | None = None, decimals: int = 1) -> None:
    allowed = "" if budget is None else f"of {budget:,.{decimals}f} {unit} allowed"
    print(f"  {what:58} {found:9,.{decimals}f} {unit:5} {allowed}", flush=True)


def report_times(what: str, times: list[float], unit: str, budget: float | None, decimals: int = 1) -> None:
    best = f"{what} (best {min(times):,.{decimals}f})"
    report(best, statistics.median(times), unit, budget, decimals)


def report_ready(browser: Browser, address: str, runs: int) -> None:
    print(f"scorer ready, cold cache, from navigation to a board of {BOARDS['usual']} models")
    times = [seconds_to_ready(browser, f"{address}usual/") for _ in range(runs)]
    report_times("ready", times, "s", None, 2)


def seconds_to_ready(browser: Browser, address: str) -> float:
    page = fresh_page(browser)
    page.add_init_script(NOTE_READY)
    page.goto(address, wait_until="commit")
    page.wait_for_selector(READY, timeout=60_000)
    found = page.evaluate("window.readyAt")
    page.context.close()
    return float(found) / 1000


def report_round_trips(browser: Browser, address: str, count: int) -> None:
    print(f"round trip to Python, {BOARDS['large']:,} models x {METRICS} metrics x {DATASETS} datasets")
    page = opened(browser, f"{address}large/")
    found = page.evaluate(ROUND_TRIPS, [*scorer_of(page), questions("large", count)])
    budgets = {"a metric weight": 3.0, "a dataset weight": 10.0, "a triangle of 40 steps": 100.0}
    for name, times in found.items():
        # The first calls are slower: the browser is still compiling.
        report_times(name, times[len(times) // 3 :], "ms", budgets.get(name))
    page.context.close()


def scorer_of(page: Page) -> list[str]:
    """Addresses of the page's scorer module, runtime and Python files, and the board's data as JSON."""
    text = {name: page.locator(f"#board-{name}").text_content() or "" for name in ("urls", "cells")}
    urls = json.loads(text["urls"])
    module = page.locator('script[src$="board.js"]').get_attribute("src") or ""
    files = [module.replace("pages/board.js", "scorer/scorer.js"), urls["runtime"], urls["scorer"]]
    return [
        *(page.evaluate("file => new URL(file, document.baseURI).href", file) for file in files),
        text["cells"],
    ]


def questions(board: str, count: int) -> list[Any]:
    """Calls for one changing weight, fronts and triangles: [name, method, arguments of each call]."""
    metrics = {f"x{at}": 1.0 for at in range(METRICS)}
    datasets = {f"{board}-d{at}": 1.0 for at in range(DATASETS)}
    steps = [0.1 * (step + 1) for step in range(count)]
    moved = [{"metrics": metrics | {"x1": step}, "datasets": datasets} for step in steps]
    shifted = [{"metrics": metrics, "datasets": datasets | {f"{board}-d1": step}} for step in steps]
    return [
        ["a metric weight", "rank", [[question] for question in moved]],
        [
            "a metric weight, ranked by z-score",
            "rank",
            [[question | {"by": "z_score"}] for question in moved],
        ],
        ["a dataset weight", "rank", [[question] for question in shifted]],
        ["a Pareto front", "front", [["x0", "x1", question["datasets"]] for question in shifted]],
        [
            "a triangle of 40 steps",
            "triangle",
            [[question, ["x0", "x1", "x2"], 40] for question in moved[:15]],
        ],
    ]


def report_painted(browser: Browser, address: str, board: str, count: int) -> None:
    print(f"input event to painted rows, {BOARDS[board]:,} models x {METRICS} metrics x {DATASETS} datasets")
    page = opened(browser, f"{address}{board}/")
    for kind, name in (("metric", "x1"), ("dataset", f"{board}-d1")):
        slider = f'.control[data-kind="{kind}"][data-name="{name}"] .slider'
        values = [1 + at % 4 for at in range(1, count)]
        times = painted(page, slider, values, ".score > .num", rest=GLIDE)
        report_times(f"a {kind} weight", times, "ms", PAINTED_BUDGETS[board])
    page.context.close()


def report_first_page(browser: Browser, address: str, count: int) -> None:
    page = opened(browser, address)
    shown = page.locator("#rows > tr").count()
    print(f"input event to painted rows, the first page with a board of {shown} models to try")
    values = [1 + at % 4 for at in range(1, count)]
    times = painted(
        page, "#metric-weights .control:nth-child(2) .slider", values, ".score > .num", rest=GLIDE
    )
    report_times("a metric weight", times, "ms", 16.0)
    page.context.close()


def report_pages(site: Path) -> None:
    print("HTML of a page, gzipped")
    boards: dict[str, tuple[str, float | None]]
    boards = {f"a board of {BOARDS['large']:,} models": ("large/", None)}
    boards |= {f"a board of {BOARDS['small']} models": ("small/", None), "the first page": ("", 100.0)}
    for what, (folder, budget) in boards.items():
        page = (site / f"{folder}index.html").read_bytes()
        report(what, len(gzip.compress(page, 6, mtime=0)) / 1000, "kB", budget)


def made(folder: Path) -> Path:
    """A site of random boards."""
    chance, store = random.Random(1), Store(folder / "results")
    for board, models in BOARDS.items():
        for dataset in dataset_ids(board, DATASETS):
            for model in range(models):
                document = reported(chance, board, dataset, model, digits=15)
                store.save(Result.model_validate(document))
    named = board_file({board: board for board in BOARDS}, DATASETS)
    (folder / "board.toml").write_text(named, encoding="utf-8")
    build(folder / "board.toml", folder / "results", folder / "site")
    return folder / "site"


if __name__ == "__main__":
    main()
