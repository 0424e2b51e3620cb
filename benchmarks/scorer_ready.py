"""How long a visitor waits for the scorer, and how long a re-rank takes, in real Chromium.

Run from the repository: python benchmarks/scorer_ready.py [BUILT_SITE]
"Ready" is counted from navigation with a cold cache, on the loopback, once with the reduced standard
library that the site ships and once with Pyodide's own, in turns, so that noise falls on both alike.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from site_src.generator import runtime
from site_src.generator.serve import preview_server

RUNS = 9
MODELS, METRICS, DATASETS = 1000, 8, 5
READY = '#scorer-state[data-state="ready"]'

TIME_RANKS = """
async ([module, runtime, scorer, board, questions]) => {
  const { Scorer } = await import(module);
  const client = new Scorer({ runtime, scorer, board });
  await client.ready;
  const times = [];
  for (const weights of questions) {
    const start = performance.now();
    await client.rank(weights);
    times.push(performance.now() - start);
  }
  return times;
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("site", type=Path, nargs="?", default=Path("build"), help="a built site")
    site = parser.parse_args().site
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        stock = with_stock_library(site, Path(scratch) / "stock")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        with served(site) as ours, served(stock) as theirs:
            report_ready(browser, first_board(site), {"reduced": ours, "stock": theirs})
            report_ranks(browser, first_board(site), ours)
        report_transfer(site, stock)


def with_stock_library(site: Path, target: Path) -> Path:
    """The same site, with the standard library as Pyodide distributes it."""
    shutil.copytree(site, target)
    for path in target.glob(f"runtime/*/{runtime.STDLIB}"):
        shutil.copyfile(runtime.stock_files(runtime.cache_folder())[runtime.STDLIB], path)
    return target


@contextmanager
def served(site: Path) -> Iterator[str]:
    server = preview_server(site, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/steelyard/"
    server.shutdown()
    server.server_close()


def first_board(site: Path) -> str:
    pages = sorted(site.glob("*/index.html"))
    return next(page.parent.name for page in pages if "board-cells" in page.read_text("utf-8"))


def report_ready(browser: Browser, board: str, addresses: dict[str, str]) -> None:
    times: dict[str, list[float]] = {name: [] for name in addresses}
    for _ in range(RUNS):
        for name, address in addresses.items():
            times[name].append(seconds_to_ready(browser, f"{address}{board}/"))
    for name, found in times.items():
        middle = statistics.median(found)
        print(f"ready, {name} library: median {middle:.2f} s, best {min(found):.2f} s, {RUNS} runs")


def seconds_to_ready(browser: Browser, address: str) -> float:
    # A context of its own has a cold cache.
    context = browser.new_context()
    page = context.new_page()
    start = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_selector(READY, timeout=60_000)
    found = time.perf_counter() - start
    context.close()
    return found


def report_ranks(browser: Browser, board: str, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}{board}/")
    urls = json.loads(page.locator("#board-urls").text_content() or "")
    module = page.locator('script[src$="board.js"]').get_attribute("src") or ""
    base = f"{address}{board}/"
    links = [base + module.replace("board.js", "scorer.js"), base + urls["runtime"], base + urls["scorer"]]
    for what in ("metric", "dataset"):
        times = page.evaluate(TIME_RANKS, [*links, json.dumps(large_board()), questions(what)])[5:]
        print(
            f"re-rank after a {what} weight, {MODELS} models x {METRICS} metrics x {DATASETS} datasets,"
            f" worker and back: median {statistics.median(times):.1f} ms"
        )
    page.close()


def large_board() -> dict[str, object]:
    chance = random.Random(1)
    metrics = [f"x{i}" for i in range(METRICS)]
    datasets = [f"d{i}" for i in range(DATASETS)]
    return {
        "models": [f"m{i}" for i in range(MODELS)],
        "metrics": [{"name": name, "direction": 1, "offset": 0.0} for name in metrics],
        "datasets": datasets,
        "values": {d: {m: [chance.random() * 100 for _ in range(MODELS)] for m in metrics} for d in datasets},
        "base": "x0",
        "epsilon": 1e-4,
        "epsilon_kind": "relative",
        "missing": "unranked",
    }


def questions(what: str) -> list[dict[str, dict[str, float]]]:
    """Thirty movements of one weight."""
    metrics = {f"x{i}": 1.0 for i in range(METRICS)}
    datasets = {f"d{i}": 1.0 for i in range(DATASETS)}
    steps = [0.1 * step for step in range(30)]
    if what == "metric":
        return [{"metrics": {**metrics, "x1": step}, "datasets": datasets} for step in steps]
    return [{"metrics": metrics, "datasets": {**datasets, "d1": step}} for step in steps]


def report_transfer(*sites: Path) -> None:
    for site, name in zip(sites, ("reduced", "stock"), strict=True):
        files = site.glob("runtime/*/*")
        size = sum(len(gzip.compress(path.read_bytes(), 9, mtime=0)) for path in files)
        print(f"transfer of the runtime, {name} library: {size / 1e6:.2f} MB gzipped")


if __name__ == "__main__":
    main()
