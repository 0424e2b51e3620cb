"""The whole campaign, as `make adversary` runs it: its summary becomes a block of `site_src/docs/threats.md`.

Exits 1 if anything did not hold; what that was, and how to run it again, is printed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from adversary_paths import ROOT

from evaluator import __version__

HERE = Path(__file__).parent
PAGE = ROOT / "site_src" / "docs" / "threats.md"
BEGIN, END = "<!-- campaign: begin -->", "<!-- campaign: end -->"


@dataclass(frozen=True)
class Part:
    """A part of the campaign: what the summary calls it, and the command."""

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


def summary(found: Iterable[tuple[str, dict[str, Any]]], seed: int, when: str) -> str:
    """The block of the page."""
    rows = [
        f"| {name} | {sum(report['counts'].values()):,} | {len(report['failures']):,} |"
        for name, report in found
    ]
    said = f"Run on {when} with Steelyard {__version__}, seed {seed}, on {os.uname().sysname} {os.uname().machine}:"
    return "\n".join(
        [BEGIN, "", said, "", "| attacks | tried | did not hold |", "|---|---:|---:|", *rows, "", END]
    )


def write_summary(block: str, page: Path = PAGE) -> None:
    """Put the block in the place of the one in the page."""
    text = page.read_text(encoding="utf-8")
    new, places = re.subn(f"{BEGIN}.*?{END}", lambda _: block, text, flags=re.DOTALL)
    if places != 1:
        raise ValueError(f"{page}: has {places} blocks between {BEGIN} and {END}; leave one")
    page.write_text(new, encoding="utf-8")


def main() -> int:
    seed = int(os.environ.get("SEED", "1"))
    found = [(part.name, run(part)) for part in parts(seed)]
    block = summary(found, seed, datetime.now(UTC).strftime("%d %B %Y"))
    write_summary(block)
    print(block)
    return 1 if any(report["failures"] for _, report in found) else 0


if __name__ == "__main__":
    sys.exit(main())
