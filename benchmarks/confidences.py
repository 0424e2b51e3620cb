"""What keeping confidences exactly costs: compressed bytes an example, and ties that rounding makes.

Run from the repository: python benchmarks/confidences.py
Takes every committed set of predictions with exact confidences, and writes it without them, rounded to three,
six and nine significant digits, and as it is. Bytes are of gzip, as servers send files and git stores them.
Ties are examples whose confidence another example of the same model has too.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results"
#: Significant digits; 17 are enough to give any double back.
DIGITS = (3, 6, 9, 17)
EXACT = 17


def main() -> None:
    print(f"{'dataset':<12} {'models':>6} {'digits':>6} {'bytes an example':>17} {'more':>6} {'tied':>7}")
    for folder in sorted({path.parent for path in RESULTS.glob("*/*/*.predictions.json")}):
        found = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.predictions.json"))]
        sets = [one for one in found if one.get("exact_confidence")]
        if sets:
            report(folder.name, sets)


def report(name: str, sets: Sequence[dict[str, Any]]) -> None:
    """A line for each number of digits."""
    examples = sum(len(one["predicted"]) for one in sets)
    bare = sum(size(one | {"exact_confidence": None}) for one in sets) / examples
    for digits in DIGITS:
        columns = [[rounded(value, digits) for value in one["exact_confidence"]] for one in sets]
        cut = [one | {"exact_confidence": column} for one, column in zip(sets, columns, strict=True)]
        kept, tied = sum(map(size, cut)) / examples, sum(map(ties, columns))
        said = "exact" if digits == EXACT else str(digits)
        print(f"{name:<12} {len(sets):>6} {said:>6} {kept:>17.1f} {kept - bare:>6.1f} {tied:>7}")


def rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")


def size(document: dict[str, Any]) -> int:
    text = json.dumps(document, separators=(",", ":"))
    return len(gzip.compress(text.encode(), 9, mtime=0))


def ties(column: Sequence[float | None]) -> int:
    return sum(count for value, count in Counter(column).items() if value is not None and count > 1)


if __name__ == "__main__":
    main()
