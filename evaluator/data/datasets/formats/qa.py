"""Question answering: SQuAD and the sets that share its form (XQuAD, AdversarialQA), and MRQA 2019."""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator

from evaluator.data.datasets.formats.base import DatasetSource, Format, GivenItem, Item, Left, attempt, each
from evaluator.data.nodes import Node, wrong
from evaluator.data.tables import BadRow, Row, form_of, read_json, read_table
from evaluator.data.tasks import FieldError
from evaluator.records.errors import UserError

# SQuAD (Rajpurkar et al. 2016, 2018) and the sets that share its form: XQuAD, AdversarialQA.
#
# One JSON document: data[] of articles, paragraphs[] with a context, qas[] with id, question and answers[]
# of text and answer_start, the first character of the text in the context, counted from 0. Questions of
# version 2 say whether the context answers them: those that are is_impossible have no reference; the tag
# `answers` is HasAns or NoAns. Where a message names a line, it is the number of the question, from 1: the
# published files are one line each. The questions about one context are a cluster.
#
# AdversarialQA (Bartolo et al. 2020) is also read as JSON lines, one question each, as the Hugging Face hub
# has it: context, id, question, answers with lists under text and answer_start, and metadata, whose
# model_in_the_loop becomes a tag. Its test files have no answers and cannot be scored.


def read_document(data: bytes, source: DatasetSource) -> Iterator[GivenItem]:
    """The questions of one JSON document. Raises `UserError` if it is none or has no ``data``."""
    articles = Node(read_json(data, source.where), where=f"{source.where}:1").entries("data")
    return _questions([Node(article.value, article.place) for article in articles])


def read_adversarial(data: bytes, source: DatasetSource) -> Iterator[GivenItem]:
    """The questions of a JSON document or, if the file's name ends so, of JSON lines."""
    if form_of(source.where) == "jsonl":
        return each(read_table(data, "jsonl", source.where), _row)
    return read_document(data, source)


_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = {"a", "an", "the"}


def _questions(articles: list[Node]) -> Iterator[GivenItem]:
    number = 1
    for paragraph in _inside(articles, "paragraphs"):
        for question in _inside([paragraph], "qas"):
            if isinstance(question, FieldError):
                yield BadRow(number, question)
            else:
                assert isinstance(paragraph, Node)
                yield from attempt(number, _question, paragraph, question)
            number += 1


def _inside(nodes: Iterable[Node | FieldError], key: str) -> Iterator[Node | FieldError]:
    """The entries of the list under `key` of each node; where it has none, what is wrong with it."""
    for node in nodes:
        try:
            yield from [node] if isinstance(node, FieldError) else node.entries(key)
        except FieldError as error:
            yield error


def _question(number: int, paragraph: Node, question: Node) -> Iterable[Item | Left]:
    context, tags = paragraph.text("context"), {}
    references: tuple[str, ...] = ()
    values = {"id": question.name("id"), "context": context, "question": question.text("question")}
    answers = question.entries("answers")
    if question.flag("is_impossible"):
        if answers:
            problem = "has entries, though is_impossible is true"
            raise question.wrong("answers", problem, "correct one of them")
        tags = {"answers": "NoAns"}
    else:
        references = _references(context, question, answers)
        if question.has("is_impossible"):
            references, tags = _references_with_words(references), {"answers": "HasAns"}
    return [Item(number, values, references, tags, cluster=context)]


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
        raise answers.wrong("answer_start", problem, "give one for each text")
    pairs = [
        Node({"text": text.value, "answer_start": start.value}, f"{answers.place}[{number}]")
        for number, (text, start) in enumerate(zip(texts, starts, strict=True))
    ]
    tags = node.part("metadata").tags("model_in_the_loop")
    values = {"id": node.name("id"), "context": context, "question": node.text("question")}
    return [Item(line, values, _references(context, node, pairs), tags, cluster=context)]


def _references(context: str, question: Node, answers: list[Node]) -> tuple[str, ...]:
    """The distinct answers in their order; each must be in the context where it says."""
    if not answers:
        fix = "give at least one; a test file published without answers cannot be scored: take another split"
        raise wrong(question.path("answers"), [], "is empty", fix)
    return tuple(dict.fromkeys(_reference(context, answer) for answer in answers))


def _reference(context: str, answer: Node) -> str:
    text, start = answer.text("text"), answer.at("answer_start")
    if not text.strip():
        raise answer.wrong("text", "is blank", "give the words of the answer")
    if isinstance(start, bool) or not isinstance(start, int) or start < 0:
        fix = "count the characters before the answer"
        raise answer.wrong("answer_start", "is not a place in the context", fix)
    if not context.startswith(text, start):
        problem = f"is where the context has {context[start : start + len(text)]!r:.80}, not {text!r:.80}"
        raise answer.wrong("answer_start", problem, "correct answer_start or the text")
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


# MRQA 2019 (Fisch et al. 2019): many question answering sets in one form, as JSON lines, mostly .gz.
#
# The first line is {"header": {"dataset": ...}}; every other one is a context with its qas[]:
# qid, question and answers[], the texts that count as right, as in the official evaluation.
# detected_answers and the tokens are not needed. Contexts stay as published, with the marks [TLE] before a
# title, [PAR] before a paragraph and [DOC] before a document.


def read_mrqa(data: bytes, source: DatasetSource) -> Iterator[GivenItem]:
    """The questions. Raises `UserError` if the first line is no header."""
    rows = read_table(data, "jsonl", source.where).rows()
    header = next(rows)
    if isinstance(header, BadRow):
        fix = "start the file with a header"
        raise UserError(f"{source.where}:{header.line}: header", header.error.problem, fix)
    Node(header.cells, where=f"{source.where}:{header.line}").child("header").text("dataset")
    return _passages(rows)


def _passages(rows: Iterator[Row | BadRow]) -> Iterator[GivenItem]:
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        passage = Node(row.cells)
        for question in _inside([passage], "qas"):
            if isinstance(question, FieldError):
                yield BadRow(row.line, question)
            else:
                yield from attempt(row.line, _passage_question, passage, question)


def _passage_question(line: int, passage: Node, question: Node) -> Iterable[Item | Left]:
    if question.flag("is_impossible"):
        return [Left(line, "unanswerable")]
    answers = question.texts("answers")
    if not answers or not all(answer.strip() for answer in answers):
        fix = "give at least one text, and no blank ones"
        raise question.wrong("answers", "has no or blank answers", fix)
    values = {
        "id": question.name("qid"),
        "context": passage.text("context"),
        "question": question.text("question"),
    }
    return [Item(line, values, tuple(dict.fromkeys(answers)))]


MRQA = Format(
    "mrqa",
    ("qa",),
    read_mrqa,
    about="MRQA 2019: JSON lines, mostly compressed, after a line with a header",
    columns={
        "context": "context",
        "qas[].qid": "id",
        "qas[].question": "question",
        "qas[].answers[]": "answers",
    },
)
