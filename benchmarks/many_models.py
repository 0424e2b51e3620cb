"""How large a board of 10,000 models is, how long it takes to build, and how long a visitor waits for rows.

Run from the repository: python benchmarks/many_models.py [--models 10000] [--quick] [--keep FOLDER]
The results are random, reported with two decimals as papers do: 8 metrics on each of 2 datasets. The site is
built whole, a page for every model included, by ``steelyard build`` in a process of its own. Pages are
compressed as a host would compress them. "Painted" is the time from a slider's `input` event until the frame
with the new rows has been drawn, in Chromium; frames are not limited to sixty a second. Processor time is
shown beside the time on the clock, so that other work on the machine can be told from it.
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

from build import build
from chance_boards import METRICS, board_file, dataset_ids, reported
from painting import FLAGS, opened, painted, served
from playwright.sync_api import Browser, sync_playwright

BOARD = "many"
DATASETS = 2
#: Seconds of a build, bytes of a page, and milliseconds to painted rows.
BUILD_BUDGET, PAGE_BUDGET, PAINTED_BUDGET = 60.0, 1_500_000, 150.0
#: Milliseconds that the row animation takes, and those after which a page rests.
GLIDE, SETTLED = 400, 5000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=int, default=10_000)
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    parser.add_argument("--keep", type=Path, help="write results and site to this folder, and keep them")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        world = options.keep or Path(scratch)
        if not (world / "board.toml").exists():
            write_world(world, options.models)
        print(f"{options.models:,} models x {METRICS} metrics x {DATASETS} datasets")
        report_build(world)
        report_pages(world / "site")
        with served(world / "site") as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            report_painted(browser, f"{address}{BOARD}/", 8 if options.quick else 30)
            browser.close()


def report_build(world: Path) -> None:
    seconds, busy, peak = build(world)
    files = sum(path.is_file() for path in (world / "site").rglob("*"))
    print(f"built {files:,} files, peak {peak:.0f} MB")
    print(f"  {'on the clock':28} {seconds:8.1f} s of {BUILD_BUDGET:.0f} s")
    print(f"  {'processors busy':28} {busy:8.1f} s")


def report_pages(site: Path) -> None:
    print("pages, gzipped")
    budgets = {"": PAGE_BUDGET, "table/": None, "compare/": None, "models/model-0000/": None}
    for page, budget in budgets.items():
        packed = len(gzip.compress((site / BOARD / page / "index.html").read_bytes(), 6, mtime=0))
        limit = f" of {budget / 1e6:.1f} MB" if budget else ""
        print(f"  {page or 'the board':28} {packed / 1e6:8.3f} MB{limit}")


def report_painted(browser: Browser, address: str, count: int) -> None:
    print("input event to painted rows, and processor time of a change with all that follows it")
    page = opened(browser, address)
    # What the page does once, such as the first map of winners, has ended.
    page.wait_for_timeout(SETTLED)
    for kind, name in (("metric", "x1"), ("dataset", f"{BOARD}-d1")):
        slider = f'.control[data-kind="{kind}"][data-name="{name}"] .slider'
        before = busy(browser)
        times = painted(page, slider, [1 + at % 4 for at in range(1, count)], ".score > .num", rest=GLIDE)
        each = 1000 * (busy(browser) - before) / (count - 1)
        middle, best = statistics.median(times), min(times)
        clock = f"{middle:8.1f} ms of {PAINTED_BUDGET:.0f} ms, best {best:.1f} ms"
        print(f"  {f'a {kind} weight':28} {clock}, processors busy for {each:.0f} ms")


def busy(browser: Browser) -> float:
    """Seconds of processor time that the browser's pages have had, their workers included."""
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return float(sum(process["cpuTime"] for process in found if process["type"] == "renderer"))


def write_world(world: Path, models: int) -> None:
    """A board file and results. Written without the store, which waits for the disk at every file."""
    chance = random.Random(1)
    for dataset in dataset_ids(BOARD, DATASETS):
        folder = world / "results" / BOARD / dataset
        folder.mkdir(parents=True)
        for model in range(models):
            document = reported(chance, BOARD, dataset, model, digits=2)
            (folder / f"model-{model:04}.json").write_text(json.dumps(document), encoding="utf-8")
    (world / "board.toml").write_text(board_file({BOARD: "Many models"}, DATASETS), encoding="utf-8")


if __name__ == "__main__":
    main()
