"""How far each metric and formula is from its reference, over random and nasty inputs.

Run from the repository: python benchmarks/agreement.py [--inputs 1000] [--output site_src/docs/agreement.md]
Every comparison draws inputs from a seed, adds inputs that are written down because they are nasty (nothing
right, nothing at all, ties, zeros), asks our code and the reference, and keeps the largest difference. The
page is written anew; a difference where one side has a number and the other has none is infinite.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from agreement_classes import CLASSES
from agreement_difficulty import DIFFICULTY
from agreement_kinds import Agreement, Comparison, agree
from agreement_networks import NETWORKS
from agreement_scores import SCORES
from agreement_texts import TEXTS

PAGE = Path(__file__).parents[1] / "site_src" / "docs" / "agreement.md"
INPUTS = 1000
GROUPS: dict[str, Sequence[Comparison]] = {
    "The Dynascore": SCORES,
    "Rankings by difficulty": DIFFICULTY,
    "Metrics over labels": CLASSES,
    "Metrics over texts": TEXTS,
    "Metrics that ask a network": NETWORKS,
}
LIBRARIES = (
    "bert-score",
    "jiwer",
    "nltk",
    "rouge-score",
    "sacrebleu",
    "scikit-learn",
    "scipy",
    "transformers",
)
HEAD = """# Agreement with references

Each metric and formula, the reference that it was compared with, how many inputs there were, and the
largest difference between the two. Inputs are drawn from a seed; nasty ones are written down: nothing right,
nothing answered, ties, zeros, empty texts. Differences are absolute, in the metric's own unit; values by
difficulty are kept to nine decimals, and factors of confidence or difficulty to nine digits. What is called
*written out* is the definition, example by example and mostly in exact fractions, in a file beside the
command; it shares no code with the product. This page is written by the command:

<!-- not run: it takes minutes; a test asks for fewer inputs -->
```console
$ python benchmarks/agreement.py
```

The references are {libraries}.
"""

#: Logs are imported by hand, with the recipes of tests/exchange, in environments of their own.
LOGS = """
## Logs of other tools

Files that these versions wrote were [imported](logs.md#tools-that-are-read), with their
examples where the tool keeps them, and gave the numbers that the tool published. *Whole* are files as the
tool wrote them, *by hand* are small ones that are written after its code.

| tool | whole | numbers alone | by hand |
|---|---|---|---|
| lm-evaluation-harness | 0.4.4, 0.4.13 | | 0.4.5, 0.4.8 |
| Inspect | 0.3.40, 0.3.285 | 0.3.19, 0.3.28 | 0.3.285 |
| HELM | 0.1.0, 0.5.16 | | 0.1.0, 0.5.16 |
| lighteval | 0.1.0, 0.13.0 | | 0.10.0, 0.13.0 |
| MTEB | | 0.0.1, 0.9.1, 2.26.24 | 1.2.0, 2.1.0 |
| Every Eval Ever, of lm-evaluation-harness 0.4.13 and of tau-bench | 0.3.0 | | 0.3.0 |
| promptfoo | 0.121.20 | | 0.120.1 |
| model cards, `.eval_results` and leaderboards of the Hub | | | 2026 |

Next: [Budgets](budgets.md)
"""


def page(found: Iterable[tuple[str, Sequence[Agreement]]]) -> str:
    """The whole page."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    sections = "".join(_section(title, rows) for title, rows in found)
    return HEAD.format(libraries=libraries) + sections + LOGS


def _section(title: str, rows: Sequence[Agreement]) -> str:
    head = "| what | reference | random inputs | nasty inputs | largest difference |\n|---|---|---|---|---|\n"
    return f"\n## {title}\n\n{head}" + "".join(row.line() + "\n" for row in rows)


def all_agreements(inputs: int) -> Iterator[tuple[str, list[Agreement]]]:
    """Every group with its agreements; says on standard error how far it is."""
    for title, comparisons in GROUPS.items():
        rows = []
        for comparison in comparisons:
            rows.append(agree(comparison, inputs))
            print(rows[-1].line(), file=sys.stderr)
        yield title, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=INPUTS, help="random inputs for each comparison")
    parser.add_argument("--output", type=Path, default=PAGE, help="the page to write")
    asked = parser.parse_args()
    asked.output.write_text(page(all_agreements(asked.inputs)), encoding="utf-8")


if __name__ == "__main__":
    main()
