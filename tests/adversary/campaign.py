"""The whole campaign, as `make adversary` runs it: what it found becomes a table of `site_src/docs/threats.md`.

    python tests/adversary/campaign.py [--only "hostile models" ...]

Each part writes its row, with its day and version, as soon as it is done; with ``--only`` the rows of the others
stay. Exits 1 if anything did not hold; what that was, and how to run it again, is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from adversary_paths import ROOT

from evaluator import __version__

HERE = Path(__file__).parent
PAGE = ROOT / "site_src" / "docs" / "threats.md"
BEGIN, END = "<!-- campaign: begin -->\n", "\n<!-- campaign: end -->"
HEAD = (
    "| attacks | tried | did not hold | day | Steelyard | seed | system |\n|---|---:|---:|---|---|---:|---|\n"
)


@dataclass(frozen=True)
class Part:
    """A part of the campaign: what the table calls it, and the command."""

    name: str
    command: list[str]


def parts(seed: int) -> list[Part]:
    """The whole campaign of a seed."""
    python, begin = sys.executable, ["--seed", str(seed)]
    return [
        Part("broken inputs to readers", [python, f"{HERE}/fuzz.py", *begin, "--cases", "100000"]),
        Part("broken addresses of views", ["node", f"{HERE}/fragments.mjs", str(seed), "0", "50000"]),
        Part("tampered snapshots", [python, f"{HERE}/tampering.py", *begin, "--cases", "5000"]),
        Part("kills at random moments", [python, f"{HERE}/kills.py", *begin, "--kills", "500"]),
        Part("more of them", [python, f"{HERE}/kills.py", "--seed", str(seed + 1), "--kills", "500"]),
        Part("hostile models", [python, f"{HERE}/hostile_run.py"]),
    ]


def run(part: Part) -> dict[str, Any]:
    """What a part counted, and what did not hold."""
    print(f"== {part.name}", flush=True)
    done = subprocess.run(part.command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise SystemExit(f"{part.name}: ended with {done.returncode} and no report") from None
    for failure in found["failures"]:
        print(f"  {failure}", flush=True)
    return found


def write_row(name: str, found: dict[str, Any], seed: int, page: Path = PAGE) -> str:
    """Put the row of a part in the page's table, in the place of the one before; returned is the row."""
    before, begun, rest = page.read_text("utf-8").partition(BEGIN)
    table, ended, after = rest.partition(END)
    if not (begun and ended):
        raise ValueError(f"{page}: has no block from {BEGIN.strip()} to {END.strip()}; put one there")
    rows = dict(re.findall(r"^\| (.*?) \| (.*)\n", table, re.MULTILINE))
    tried, failed = sum(found["counts"].values()), len(found["failures"])
    system = f"{os.uname().sysname} {os.uname().machine}"
    rows[name] = (
        f"{tried:,} | {failed:,} | {datetime.now(UTC):%Y-%m-%d} | {__version__} | {seed} | {system} |"
    )
    new = "".join(f"| {part.name} | {rows[part.name]}\n" for part in parts(seed) if part.name in rows)
    page.write_text(f"{before}{begun}\n{HEAD}{new}{ended}{after}", "utf-8")
    return f"{name} | {rows[name]}"


def main() -> int:
    seed = int(os.environ.get("SEED", "1"))
    campaign = parts(seed)
    parser = argparse.ArgumentParser(description="Attack everything, and write down what held.")
    parser.add_argument("--only", nargs="+", choices=[part.name for part in campaign], help="these parts")
    only = parser.parse_args().only
    failed = False
    for part in campaign:
        if only and part.name not in only:
            continue
        found = run(part)
        print(write_row(part.name, found, seed), flush=True)
        failed |= bool(found["failures"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
