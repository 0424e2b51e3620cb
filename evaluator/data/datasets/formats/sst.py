"""The Stanford Sentiment Treebank (Socher et al. 2013): its trees, and SST-2 as GLUE publishes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evaluator.data.datasets.formats import generic
from evaluator.data.datasets.formats.base import Format, Item
from evaluator.data.datasets.rows import BadRow, FileRow, cut
from evaluator.data.datasets.source import DatasetError, DatasetSource
from evaluator.data.plain_text import FileText

TERNARY = ("negative", "neutral", "positive")
#: Very negative, negative, neutral, positive, very positive.
FIVE_TO_THREE = {"0": "negative", "1": "negative", "2": "neutral", "3": "positive", "4": "positive"}
#: What the Penn Treebank writes for characters that mean something in a tree.
ESCAPES = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "\\/": "/",
    "\\*": "*",
}
ESCAPED = re.compile("|".join(re.escape(written) for written in ESCAPES))
TOKEN = re.compile(r"[()]|[^() ]+")


def _read_trees(text: FileText, source: DatasetSource) -> Iterator[Item | BadRow]:
    """One tree a line: the root's label is the gold label, the words at the leaves are the statement."""
    for row in cut(text, "lines"):
        yield row if isinstance(row, BadRow) else _tree(row)


def _tree(row: FileRow) -> Item | BadRow:
    """A tree: ``(label word)`` or ``(label tree tree)``, with labels 0 to 4."""
    try:
        label, words = _parse(row.cells)
    except _NoTreeError as error:
        fix = "write (label word) or (label tree tree), with labels 0 to 4"
        return BadRow(row.line, row.cells, f"is no tree: {error}", fix, "tree")
    return Item(row.line, {"statement": " ".join(words)}, label)


class _NoTreeError(ValueError):
    pass


@dataclass
class _Node:
    label: str = ""
    words: int = 0
    children: int = 0


def _parse(line: str) -> tuple[str, list[str]]:
    """The root's label and the words. Without recursion: a line may be nested to any depth."""
    path: list[_Node] = [_Node()]  # above the root, so that it closes like any other
    words: list[str] = []
    root = ""
    for token in TOKEN.findall(line):
        if token == "(":
            path.append(_Node())
        elif token == ")":
            root = _close(path)
        elif len(path) == 1:
            raise _NoTreeError(f"{token!r} is outside of it")
        elif not path[-1].label:
            path[-1].label = _checked(token)
        else:
            path[-1].words += 1
            words.append(ESCAPED.sub(lambda found: ESCAPES[found.group()], token))
    if len(path) > 1:
        raise _NoTreeError(f"brackets left open: {len(path) - 1}")
    if path[0].children != 1:
        raise _NoTreeError(f"the line has {path[0].children} of them")
    return root, words


def _checked(label: str) -> str:
    if label not in FIVE_TO_THREE:
        raise _NoTreeError(f"{label!r} is not a label")
    return label


def _close(path: list[_Node]) -> str:
    """Take the last node off `path`, if it is whole, and return its label."""
    if len(path) == 1:
        raise _NoTreeError("a bracket closes nothing")
    node = path.pop()
    if not node.label or (node.words, node.children) not in ((1, 0), (0, 2)):
        raise _NoTreeError(f"a node has {node.words} words and {node.children} nodes in it")
    path[-1].children += 1
    return node.label


def _read_glue(text: FileText, source: DatasetSource) -> Iterator[Item | BadRow]:
    header = next(cut(text, "tsv"), None)
    if isinstance(header, FileRow) and "label" not in header.cells:
        raise DatasetError(
            f"{source.where}:1: label: no such column; GLUE publishes its test set without labels: use"
            " dev.tsv or train.tsv"
        )
    return generic.published(text, source, "tsv", {"statement": "sentence", "label": "label"})


TREES = Format(
    "sst-trees",
    ("sentiment",),
    _read_trees,
    TERNARY,
    FIVE_TO_THREE,
    about="the Stanford Sentiment Treebank: one tree in brackets a line, with labels 0 to 4",
    columns={"the root's label": "label: five become three", "the leaves": "statement"},
)
GLUE = Format(
    "glue-sst2",
    ("sentiment",),
    _read_glue,
    labels=("negative", "positive"),
    label_map={"0": "negative", "1": "positive"},
    about="SST-2 as GLUE publishes it: train.tsv or dev.tsv, with a header",
    columns={"sentence": "statement", "label": "label"},
)
