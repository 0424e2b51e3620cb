"""MRQA 2019 (Fisch et al. 2019): many question answering sets in one form, as JSON lines, mostly ``.gz``.

The first line is ``{"header": {"dataset": ...}}``; every other one is a ``context`` with its ``qas[]``:
``qid``, ``question`` and ``answers[]``, the texts that count as right, as in the official evaluation.
``detected_answers`` and the tokens are not needed. Contexts stay as published, with the marks [TLE] before a
title, [PAR] before a paragraph and [DOC] before a document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evaluator.data.datasets.formats.base import Format, Item, Left
from evaluator.data.datasets.formats.nodes import GivenItem, Node, Wrong, attempt
from evaluator.data.datasets.rows import BadRow, FileRow, cut
from evaluator.data.datasets.source import DatasetError, DatasetSource
from evaluator.data.plain_text import FileText


def read(text: FileText, source: DatasetSource) -> Iterator[GivenItem]:
    """The questions. Raises `DatasetError` if the first line is no header."""
    rows = cut(text, "jsonl")
    header = next(rows, BadRow(1, None, "missing", ""))
    try:
        if isinstance(header, BadRow):
            raise Wrong("header", header.text, header.problem, "start the file with a header")
        Node(header.cells).child("header").text("dataset")
    except Wrong as wrong:
        raise DatasetError(f"{source.where}:{header.line}: {wrong.on(header.line).error}") from None
    return _rows(rows)


def _rows(rows: Iterator[FileRow | BadRow]) -> Iterator[GivenItem]:
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        else:
            yield from _questions(row.line, Node(row.cells))


def _questions(line: int, passage: Node) -> Iterator[GivenItem]:
    try:
        questions = passage.entries("qas")
    except Wrong as wrong:
        yield wrong.on(line)
        return
    for question in questions:
        yield from attempt(line, _question, passage, question)


def _question(line: int, passage: Node, question: Node) -> Iterable[Item | Left]:
    if question.flag("is_impossible"):
        return [Left(line, "unanswerable")]
    answers = question.texts("answers")
    if not answers or not all(answer.strip() for answer in answers):
        fix = "give at least one text, and no blank ones"
        raise Wrong(question.path("answers"), list(answers), "has no or blank answers", fix)
    values = {
        "id": question.name("qid"),
        "context": passage.text("context"),
        "question": question.text("question"),
    }
    return [Item(line, values, tuple(dict.fromkeys(answers)))]


MRQA = Format(
    "mrqa",
    ("qa",),
    read,
    about="MRQA 2019: JSON lines, mostly compressed, after a line with a header",
    columns={
        "context": "context",
        "qas[].qid": "id",
        "qas[].question": "question",
        "qas[].answers[]": "answers",
    },
)
