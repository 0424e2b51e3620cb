"""Make `data/reviews.tsv`: 200 reviews of one to twelve sentences, put together from those of the demo.

python examples/architectures/make_texts.py FILE

All sentences of a review have its label. The demo has one sentence a review, and how long a text is decides
how long a network reads.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterator
from pathlib import Path

DATA = Path(__file__).parents[1] / "demo" / "data"
LABELS = ("negative", "positive")
#: Sentences a review, for a tenth of the reviews each: mostly few, as in collections of reviews.
# The shortest are made first, while no sentence has been used yet, so that no two are the same.
LENGTHS = (1, 1, 1, 2, 2, 3, 4, 6, 9, 12)
REVIEWS = 200
SEED = 0


def demo() -> list[tuple[str, str]]:
    """The demo's sentences and their labels."""
    found = []
    for name in ("train.tsv", "test.tsv"):
        with (DATA / name).open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            found += [(row["sentence"], row["label"]) for row in rows]
    return found


def reviews() -> Iterator[tuple[str, str]]:
    """The reviews and their labels, which take turns; each sentence comes once before any comes again."""
    chance = random.Random(SEED)
    kept = {label: [text for text, given in demo() if given == label] for label in LABELS}
    left: dict[str, list[str]] = {label: [] for label in LABELS}
    for number in range(REVIEWS):
        label, length = LABELS[number % 2], LENGTHS[number * len(LENGTHS) // REVIEWS]
        if len(left[label]) < length:
            left[label] = chance.sample(kept[label], len(kept[label]))
        yield " ".join(left[label].pop() for _ in range(length)), label


def main() -> None:
    rows = ["statement\tlabel", *(f"{text}\t{label}" for text, label in reviews())]
    Path(sys.argv[1]).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
