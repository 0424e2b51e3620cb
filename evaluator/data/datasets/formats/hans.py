"""HANS (McCoy et al. 2019): pairs that a model gets wrong if it trusts word overlap.

``heuristics_evaluation_set.jsonl``, or ``.txt``: tab-separated with a header, the same names. The gold
label is ``entailment`` or ``non-entailment``; a model's neutral and contradictory both count as the
second, as its authors' evaluation script has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evaluator.data.datasets.formats.base import Format, Item
from evaluator.data.datasets.formats.nodes import GivenItem, Node, each, table
from evaluator.data.datasets.rows import cut
from evaluator.data.datasets.source import DatasetSource
from evaluator.data.plain_text import FileText
from evaluator.data.tasks.nli import LABELS

ENTAILED, NOT_ENTAILED = "entailed", "not-entailed"
#: What a three-way answer counts as where the gold label has two ways.
TWO_WAYS = {label: ENTAILED if label == ENTAILED else NOT_ENTAILED for label in LABELS}

COLUMNS = ("gold_label", "sentence1", "sentence2", "pairID", "heuristic", "subcase")


def read(text: FileText, source: DatasetSource) -> Iterator[GivenItem]:
    """The pairs, tagged with heuristic and subcase. Raises `DatasetError` if a header is wrong."""
    rows = cut(text, "jsonl") if source.suffix == ".jsonl" else table(text, source, COLUMNS)
    return each(rows, _pair)


def _pair(line: int, node: Node) -> Iterable[Item]:
    values = {
        "id": node.name("pairID"),
        "context": node.text("sentence1"),
        "hypothesis": node.text("sentence2"),
    }
    tags = {name: node.text(name) for name in ("heuristic", "subcase")}
    return [Item(line, values, node.text("gold_label"), tags)]


HANS = Format(
    "hans",
    ("nli",),
    read,
    LABELS,
    label_map={"entailment": ENTAILED, "non-entailment": NOT_ENTAILED},
    merge=TWO_WAYS,
    about="HANS: JSON lines, or its tab-separated file with a header",
    columns={
        "pairID": "id",
        "sentence1": "context",
        "sentence2": "hypothesis",
        "gold_label": "label",
        "heuristic": "tag",
        "subcase": "tag",
    },
)
