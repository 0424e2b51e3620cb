"""SQuAD (Rajpurkar et al. 2016, 2018) and the sets that share its form: XQuAD, AdversarialQA.

One JSON document: ``data[]`` of articles, ``paragraphs[]`` with a ``context``, ``qas[]`` with ``id``,
``question`` and ``answers[]`` of ``text`` and ``answer_start``, the first character of the text in the
context, counted from 0. Questions of version 2 say whether the context answers them: those that are
``is_impossible`` have no reference; the tag `answers` is ``HasAns`` or ``NoAns``. Where a message names a
line, it is the number of the question, from 1: the published files are one line each. The questions about
one context are a cluster.

AdversarialQA (Bartolo et al. 2020) is also read as JSON lines, one question each, as the Hugging Face hub has
it: ``context``, ``id``, ``question``, ``answers`` with lists under ``text`` and ``answer_start``, and
``metadata``, whose ``model_in_the_loop`` becomes a tag. Its test files have no answers and cannot be scored.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable, Iterator
from typing import Any

from evaluator.data.datasets.formats.base import Format, Item, Left
from evaluator.data.datasets.formats.nodes import GivenItem, Node, Wrong, attempt, each
from evaluator.data.datasets.rows import cut
from evaluator.data.datasets.source import DatasetError, DatasetSource
from evaluator.data.plain_text import FileText


def read_document(text: FileText, source: DatasetSource) -> Iterator[GivenItem]:
    """The questions of one JSON document. Raises `DatasetError` if it is none or has no ``data``."""
    try:
        articles = Node(_parse(text.whole())).entries("data")
    except Wrong as wrong:
        raise DatasetError(f"{source.where}:1: {wrong.on(1).error}") from None
    except _DocumentError as error:
        raise DatasetError(f"{source.where}:{error.line}: document: {error}") from None
    return _questions(articles)


def read_adversarial(text: FileText, source: DatasetSource) -> Iterator[GivenItem]:
    """The questions of a JSON document or, if the file's name ends so, of JSON lines."""
    if source.suffix == ".jsonl":
        return each(cut(text, "jsonl"), _row)
    return read_document(text, source)


_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = {"a", "an", "the"}


class _DocumentError(ValueError):
    """A text that is not a JSON document, and the line that shows it."""

    def __init__(self, line: int, problem: str, fix: str) -> None:
        super().__init__(f"{problem}; {fix}")
        self.line = line


def _parse(text: str) -> Any:
    if broken := re.search("[\udc80-\udcff]", text):  # bytes that were not UTF-8
        place = broken.start()
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        problem = f"column {column} has bytes that are not UTF-8"
        raise _DocumentError(line, problem, "save the file as UTF-8")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = f"column {error.colno} is not JSON ({error.msg})"
        raise _DocumentError(error.lineno, problem, "give one whole JSON document") from None
    except (ValueError, RecursionError) as error:
        raise _DocumentError(1, f"cannot be read ({error})", "give a JSON document of questions") from None


def _questions(articles: list[Node]) -> Iterator[GivenItem]:
    number = 1
    for paragraph in _inside(articles, "paragraphs"):
        for question in [paragraph] if isinstance(paragraph, Wrong) else _inside([paragraph], "qas"):
            if isinstance(question, Wrong):
                yield question.on(number)
            else:
                yield from attempt(number, _question, paragraph, question)
            number += 1


def _inside(nodes: Iterable[Node], key: str) -> Iterator[Node | Wrong]:
    """The entries of the list under `key` of each node; where it has none, what is wrong with it."""
    for node in nodes:
        try:
            yield from node.entries(key)
        except Wrong as wrong:
            yield wrong


def _question(number: int, paragraph: Node, question: Node) -> Iterable[Item | Left]:
    context, tags = paragraph.text("context"), {}
    values = {"id": question.name("id"), "context": context, "question": question.text("question")}
    if question.flag("is_impossible"):
        references, tags = _nothing(question), {"answers": "NoAns"}
    else:
        references = _references(context, question, question.entries("answers"))
        if question.has("is_impossible"):
            references, tags = _references_with_words(references), {"answers": "HasAns"}
    return [Item(number, values, references, tags, cluster=context)]


def _nothing(question: Node) -> tuple[str, ...]:
    """The references of a question without an answer: none."""
    if question.entries("answers"):
        problem = "has entries, though is_impossible is true"
        raise Wrong(question.path("answers"), question.value["answers"], problem, "correct one of them")
    return ()


def _references_with_words(references: tuple[str, ...]) -> tuple[str, ...]:
    """The references that have more than articles and punctuation: version 2 counts no others.

    If there are none, a space: an empty answer is then right, though the question has an answer.
    """
    words = (text.lower().translate(_NO_PUNCTUATION).split() for text in references)
    kept = [text for text, found in zip(references, words, strict=True) if {*found} - _ARTICLES]
    return tuple(kept) or (" ",)


def _row(line: int, node: Node) -> Iterable[Item]:
    answers, context = node.child("answers"), node.text("context")
    texts, starts = answers.entries("text"), answers.entries("answer_start")
    if len(texts) != len(starts):
        problem = f"has {len(starts)} entries, not {len(texts)} as text has"
        raise Wrong(
            answers.path("answer_start"), answers.value["answer_start"], problem, "give one for each text"
        )
    pairs = [
        Node({"text": text.value, "answer_start": start.value}, f"{answers.place}[{number}]")
        for number, (text, start) in enumerate(zip(texts, starts, strict=True))
    ]
    tags = node.child("metadata").tags("model_in_the_loop") if node.has("metadata") else {}
    values = {"id": node.name("id"), "context": context, "question": node.text("question")}
    return [Item(line, values, _references(context, node, pairs), tags, cluster=context)]


def _references(context: str, question: Node, answers: list[Node]) -> tuple[str, ...]:
    """The distinct answers in their order; each must be in the context where it says."""
    if not answers:
        fix = (
            "give at least one; a test file published without answers cannot be scored, so take another split"
        )
        raise Wrong(question.path("answers"), [], "is empty", fix)
    return tuple(dict.fromkeys(_reference(context, answer) for answer in answers))


def _reference(context: str, answer: Node) -> str:
    text, start = answer.text("text"), answer.at("answer_start")
    if not text.strip():
        raise Wrong(answer.path("text"), text, "is blank", "give the words of the answer")
    if isinstance(start, bool) or not isinstance(start, int) or start < 0:
        fix = "count the characters before the answer"
        raise Wrong(answer.path("answer_start"), start, "is not a place in the context", fix)
    if not context.startswith(text, start):
        problem = f"is where the context has {context[start : start + len(text)]!r:.80}, not {text!r:.80}"
        raise Wrong(answer.path("answer_start"), start, problem, "correct answer_start or the text")
    return text


SQUAD = Format(
    "squad",
    ("qa",),
    read_document,
    about="SQuAD 1.1 and 2.0, and XQuAD: one JSON document; an empty answer is right where there is none",
    columns={
        "data[].paragraphs[].context": "context",
        "qas[].id": "id",
        "qas[].question": "question",
        "qas[].answers[]": "answers: text and answer_start",
        "qas[].is_impossible": "tag answers: HasAns, or NoAns where true",
    },
)
ADVERSARIAL_QA = Format(
    "adversarial-qa",
    ("qa",),
    read_adversarial,
    about="AdversarialQA: a document as SQuAD's, or JSON lines as the Hugging Face hub has it",
    columns={
        "context": "context",
        "id": "id",
        "question": "question",
        "answers": "answers: lists under text and answer_start",
        "metadata.model_in_the_loop": "tag, if given",
    },
)
