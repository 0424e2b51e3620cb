"""Adversarial NLI (Nie et al. 2020), version 1.0: one file of JSON lines for each round and split.

``uid``, ``context``, ``hypothesis`` and ``label`` (``e``, ``n``, ``c``, or the words of the task, as
Dynabench writes them). Of the other keys only ``genre`` is read, as a tag. The round is not in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evaluator.data.datasets.formats.base import Format, Item
from evaluator.data.datasets.formats.nodes import GivenItem, Node, each
from evaluator.data.datasets.rows import cut
from evaluator.data.datasets.source import DatasetSource
from evaluator.data.plain_text import FileText
from evaluator.data.tasks.nli import LABELS

LETTERS = {label[0]: label for label in LABELS}


def read(text: FileText, source: DatasetSource) -> Iterator[GivenItem]:
    """The examples of one round and split."""
    return each(cut(text, "jsonl"), _example)


def _example(line: int, node: Node) -> Iterable[Item]:
    values = {"id": node.name("uid"), "context": node.text("context"), "hypothesis": node.text("hypothesis")}
    return [Item(line, values, node.text("label"), node.tags("genre"))]


ANLI = Format(
    "anli",
    ("nli",),
    read,
    LABELS,
    {**LETTERS, **{label: label for label in LABELS}},
    about="Adversarial NLI 1.0: a file of JSON lines for each round and split",
    columns={
        "uid": "id",
        "context": "context",
        "hypothesis": "hypothesis",
        "label": "label",
        "genre": "tag, if given",
    },
)
