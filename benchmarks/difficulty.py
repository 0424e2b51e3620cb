"""How long a visitor waits for a ranking by difficulty, in real Chromium: 10,000 samples x 20 models.

Run from the repository: python benchmarks/difficulty.py [--quick]
The board is random and built like any site. It has one difficulty with hardly any ties, and one with 21
different values, where borders between splits cut through groups of ties. "Painted" is the time from the
`input` event of a threshold's slider, as while it is dragged, until the frame with the new values has been
drawn, with the chart of all samples visible. Frames are not limited to sixty a second, so the time is work
and not waiting for the screen. Times are medians on the loopback, with the best one beside them.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from painting import FLAGS, opened, painted, served
from playwright.sync_api import Browser, Page, expect, sync_playwright

from evaluator.records.base import digest
from evaluator.records.datasets import Difficulty, Examples
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import Store, reference_to
from site_src.generator.build import build

SAMPLES, MODELS = 10_000, 20
REVISION = "sha256:" + "ab" * 32
LABELS = ["no", "yes"]
#: Milliseconds from an input event to painted values.
PAINTED_BUDGET = 50.0
#: The slider of the second of six thresholds, between 0.15 and 0.45.
SLIDER = "#thresholds-1 ~ .slider"
FINE, COARSE = "wsbias-1", "wsbias-2"
#: Source, description, thresholds, and the smallest step of the second threshold that changes the result.
DRAGS = (
    (FINE, "hardly any ties", (0.15, 0.3, 0.45, 0.6, 0.75, 0.9), 0.005),
    (COARSE, "21 steps of difficulty", (0.12, 0.3, 0.45, 0.6, 0.75, 0.9), 0.05),
    ("wmprob", "confidence", (0.55, 0.6, 0.8, 0.85, 0.9, 0.95), 0.005),
)

#: Milliseconds from the end of a drag to the intervals, without the pause before the page requests them.
RESAMPLED = """
async ([selector, value]) => {
  const slider = document.querySelector(selector);
  const sentences = document.getElementById("sentences");
  const until = (test) => new Promise((resolve) => {
    const look = () => (test() ? resolve() : requestAnimationFrame(look));
    look();
  });
  const waiting = () => sentences.textContent.includes("Resampling");
  const start = performance.now();
  slider.value = value;
  for (const kind of ["input", "change"]) slider.dispatchEvent(new Event(kind, { bubbles: true }));
  await until(waiting);
  await until(() => !waiting());
  return performance.now() - start - 300;
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer runs, for trying the benchmark itself")
    runs = 12 if parser.parse_args().quick else 60
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        start = time.perf_counter()
        site = made(Path(scratch))
        report("the site, built with its default ranking", time.perf_counter() - start, "s")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        with served(site) as address:
            report_ready(browser, address)
            for drag in DRAGS:
                report_drag(browser, f"{address}chance/difficulty/chance/", drag, runs)


def report(what: str, found: float, unit: str, budget: float | None = None) -> None:
    allowed = "" if budget is None else f"of {budget:,.1f} {unit} allowed"
    print(f"  {what:58} {found:9,.1f} {unit:5} {allowed}", flush=True)


def report_ready(browser: Browser, address: str) -> None:
    print(f"{SAMPLES:,} samples x {MODELS} models")
    start = time.perf_counter()
    page = ranked(browser, f"{address}chance/difficulty/chance/")
    report("from navigation to the first answer", time.perf_counter() - start, "s")
    page.context.close()


def report_drag(
    browser: Browser, address: str, drag: tuple[str, str, tuple[float, ...], float], runs: int
) -> None:
    name, what, thresholds, step = drag
    cuts = ",".join(map(str, thresholds))
    page = ranked(browser, f"{address}#v1;m={name};s=thresholds;t={cuts}")
    page.locator("#beeswarm").scroll_into_view_if_needed()
    room = round((thresholds[2] - thresholds[0]) / step) - 1
    values = [round(thresholds[0] + step * (1 + at % room), 3) for at in range(1, runs)]
    kept = painted(page, SLIDER, values, "strong")
    report(f"a threshold, {what} (best {min(kept):,.1f})", statistics.median(kept), "ms", PAINTED_BUDGET)
    report(f"the slowest of {len(kept)}", max(kept), "ms")
    report("resamples, once the view rests", page.evaluate(RESAMPLED, [SLIDER, thresholds[0] + step]), "ms")
    page.context.close()


def ranked(browser: Browser, address: str) -> Page:
    """A difficulty page that shows its first ranking."""
    page = opened(browser, address)
    expect(page.locator("#announcer")).not_to_be_empty(timeout=60_000)
    return page


def made(folder: Path) -> Path:
    """A site of one board whose models answer at random, more often right on easier samples."""
    chance, store = random.Random(1), Store(folder / "results")
    ids = [f"s{at}" for at in range(SAMPLES)]
    easy = [chance.random() for _ in ids]
    gold = [chance.randrange(2) for _ in ids]
    save_dataset(store, ids, gold, easy)
    for at in range(MODELS):
        save_model(store, chance, at, ids, gold, easy)
    (folder / "board.toml").write_text(BOARD, encoding="utf-8")
    build(folder / "board.toml", folder / "results", folder / "site")
    return folder / "site"


def save_dataset(store: Store, ids: Sequence[str], gold: Sequence[int], easy: Sequence[float]) -> None:
    known: dict[str, Any] = {"task": "chance", "dataset": "chance", "revision": REVISION}
    store.save_examples(Examples.model_validate({**known, "ids": ids, "labels": LABELS, "gold": gold}))
    known |= {"ids_sha256": digest(list(ids)), "spec": {"seed": 1}}
    for name, values in ((FINE, [round(v, 6) for v in easy]), (COARSE, [round(20 * v) / 20 for v in easy])):
        store.save_difficulty(
            Difficulty.model_validate({**known, "name": name, "algorithm": name, "values": values})
        )


def save_model(
    store: Store,
    chance: random.Random,
    at: int,
    ids: Sequence[str],
    gold: Sequence[int],
    easy: Sequence[float],
) -> None:
    skill = 0.5 + 0.4 * at / MODELS
    right = [chance.random() < min(1.0, skill + (value - 0.5) / 4) for value in easy]
    predicted = [label if ok else 1 - label for label, ok in zip(gold, right, strict=True)]
    said = {
        "task": "chance",
        "model": f"m{at:02}",
        "dataset": "chance",
        "dataset_revision": REVISION,
        "ids_sha256": digest(list(ids)),
        "labels": LABELS,
        "predicted": predicted,
        "resolution": 1000,
        "confidence": [chance.randint(500, 1000) for _ in ids],
    }
    predictions = PredictionSet.model_validate(said)
    accuracy = 100 * sum(right) / len(right)
    result: dict[str, Any] = {
        "task": "chance",
        "model": {"id": f"m{at:02}", "label": f"Model {at}"},
        "dataset": {"id": "chance", "examples": SAMPLES, "revision": REVISION},
        "provenance": "predictions",
        "source": {"citation": "Chance"},
        "scores": {"accuracy": {"value": accuracy, "unit": "%", "version": "1"}},
        "predictions": reference_to(predictions).model_dump(),
        "created": "2026-11-21T15:20:00Z",
        "tool": "steelyard 0.1.0",
    }
    store.save(Result.model_validate(result), predictions)


BOARD = f"""
title = "Chance"

[[datasets]]
id = "chance"
label = "Chance"
task = "chance"
show_gold = true

[[boards]]
id = "chance"
title = "Chance"
task = "chance"
base = "accuracy"
datasets = {json.dumps(["chance"])}
metrics = [{{ name = "accuracy", label = "Accuracy", unit = "%" }}]
"""


if __name__ == "__main__":
    main()
