"""How many variants of the robustness transformations change what a reader would label their text with.

Run from the repository: python benchmarks/robustness.py [--draw]
Twenty variants of each transformation, drawn by a seed from the sentences of benchmarks/data/fairness.txt,
were read by hand: benchmarks/data/robustness.tsv has them with 1 where the label would change, else 0.
`--draw` prints the variants as they are made now, to be read again where they differ from the file.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterator
from pathlib import Path

from fairness import sentences

from evaluator.data.suites.base import apply
from evaluator.data.suites.robustness import robustness
from evaluator.score.standard_errors import wilson

READ = Path(__file__).parent / "data" / "robustness.tsv"
EACH, SEED = 20, 9

#: The transformation, a text and its variant.
Drawn = tuple[str, str, str]


def drawn() -> Iterator[Drawn]:
    """The variants to read."""
    chance, texts = random.Random(SEED), [one.text for one in sentences()]
    for transformation in robustness({}):
        left = EACH
        for at in chance.sample(range(len(texts)), len(texts)):
            edits = transformation.edit({"text": texts[at]}, random.Random(at), {}).get("text", [])
            after = apply(texts[at], edits)
            if left and after != texts[at]:
                left -= 1
                yield transformation.name, texts[at], after


def read() -> list[tuple[Drawn, bool]]:
    """The variants that were read, and whether the label of each would change."""
    with READ.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [((name, before, after), changed == "1") for name, before, after, changed in rows[1:]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--draw", action="store_true", help="print the variants to read")
    if parser.parse_args().draw:
        print("\n".join("\t".join((*one, "")) for one in drawn()))
        return
    found = read()
    names = dict.fromkeys(name for (name, *_), _ in found)
    print("| transformation | read | label changed |\n|---|--:|--:|")
    for name in names:
        changes = [changed for (other, *_), changed in found if other == name]
        print(f"| {name} | {len(changes)} | {sum(changes)} |")
    changes = [changed for _, changed in found]
    high = wilson(sum(changes), len(changes))[1]
    print(f"\nAll: {sum(changes)} of {len(changes)}, at most {100 * high:.1f} % (95 %).")


if __name__ == "__main__":
    main()
