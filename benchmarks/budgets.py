"""Runs the benchmarks that have a budget, and writes the table of ``site_src/docs/budgets.md``.

    python benchmarks/budgets.py [--only COMMAND ...]

A row is found in what its command prints: the first number after the row's heading and words. With ``--only``
the rows of other commands stay as they are. Run it on a machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "site_src" / "docs" / "budgets.md"
HEAD = """# Budgets

Boards are made for 1,000 models, 10 metrics and 20 datasets, files of predictions for 200,000 rows; 350
models are the usual large board. `python benchmarks/budgets.py` runs the commands and writes this table.
Figures are medians on a virtual machine with 2 cores; `-` is not measured yet.

| what | measured | budget | command |
|---|--:|--:|---|
"""


@dataclass(frozen=True)
class Figure:
    """A row: where its number stands in what the command prints, its unit, and what is allowed."""

    what: str
    command: str
    pattern: str
    unit: str
    budget: str = ""


REWEIGH, BUILD = "benchmarks/reweigh.py --quick", "benchmarks/build.py"
CERTAINTY, LINE = "benchmarks/certainty.py", "benchmarks/command_line.py"
IMPORT, SLOW = "benchmarks/import_predictions.py", "benchmarks/slow_line.py"
FIGURES = [
    Figure(
        "a metric weight to painted rows, 350 models",
        REWEIGH,
        r"rows, 350 models.*?a metric weight \(.*?\)\s+([\d.,]+) ms",
        "ms",
        "50 ms",
    ),
    Figure(
        "a dataset weight to painted rows, 350 models",
        REWEIGH,
        r"rows, 350 models.*?a dataset weight \(.*?\)\s+([\d.,]+) ms",
        "ms",
        "50 ms",
    ),
    Figure(
        "a metric weight to painted rows, 1,000 models",
        REWEIGH,
        r"rows, 1,000 models.*?a metric weight \(.*?\)\s+([\d.,]+) ms",
        "ms",
        "100 ms",
    ),
    Figure(
        "a dataset weight to painted rows, 1,000 models",
        REWEIGH,
        r"rows, 1,000 models.*?a dataset weight \(.*?\)\s+([\d.,]+) ms",
        "ms",
        "100 ms",
    ),
    Figure(
        "a weight to painted rows on the first page",
        REWEIGH,
        r"the first page with.*?a metric weight \(.*?\)\s+([\d.,]+) ms",
        "ms",
        "16 ms",
    ),
    Figure(
        "a first visit to live ranking, slow 4G, a processor 4 times slower",
        SLOW,
        r"first visit, ranking live\s+([\d.]+) s",
        "s",
        "15 s",
    ),
    Figure(
        "a link to a preset to its ranking, the same",
        SLOW,
        r"link to a preset, re-ranked\s+([\d.]+) s",
        "s",
    ),
    Figure(
        "a second visit to live ranking, the same",
        SLOW,
        r"second visit, ranking live\s+([\d.]+) s",
        "s",
        "2 s",
    ),
    Figure(
        "building 1,000 models on each of 4 tasks",
        BUILD,
        r"tasks\n\s+([\d.]+) s of",
        "s",
        "15 s",
    ),
    Figure(
        "HTML of a board of 100 models, gzipped",
        BUILD,
        r"gzipped\s+([\d.]+) kB",
        "kB",
        "100 kB",
    ),
    Figure(
        "rank sets at new weights, 100 models",
        CERTAINTY,
        r"rank sets of m100,.*?sets \(.*?\)\s+([\d.,]+) ms",
        "ms",
        "60 ms",
    ),
    Figure(
        "`steelyard --help`, processor time",
        LINE,
        r"--help:.*?CPU ([\d.]+) s",
        "s",
        "0.3 s",
    ),
    Figure(
        "`steelyard rank` of a CSV, 1,000 models x 10 metrics",
        LINE,
        r"rank, .*?CPU ([\d.]+) s",
        "s",
    ),
    Figure(
        "`steelyard import` of 200,000 rows of labels, processor time",
        IMPORT,
        r"labels\.csv\s+[\d.]+ s, processor busy for\s+([\d.]+) s",
        "s",
        "10 s",
    ),
]


def printed(command: str) -> str:
    """What a command says; empty where it fails."""
    print(f"python {command}", flush=True)
    done = subprocess.run(
        [sys.executable, *command.split()], cwd=ROOT, capture_output=True, text=True, check=False
    )
    print(done.stdout or done.stderr[-2000:], flush=True)
    return done.stdout if done.returncode == 0 else ""


def known() -> dict[str, str]:
    """What the page has been saying, by row."""
    rows = re.findall(r"^\| (.*?) \| (.*?) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    return {what: measured for what, measured, *_ in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", nargs="*", help="files of benchmarks, such as build.py")
    only = parser.parse_args().only
    before, rows = known(), []
    texts = {
        command: printed(command)
        for command in dict.fromkeys(figure.command for figure in FIGURES)
        if not only or any(name in command for name in only)
    }
    for figure in FIGURES:
        found = re.search(figure.pattern, texts.get(figure.command, ""), re.DOTALL)
        measured = f"{found[1]} {figure.unit}" if found else before.get(figure.what, "-")
        rows.append(f"| {figure.what} | {measured} | {figure.budget} | `python {figure.command}` |\n")
    PAGE.write_text(HEAD + "".join(rows) + "\nNext: [Threats](threats.md)\n", "utf-8")


if __name__ == "__main__":
    main()
