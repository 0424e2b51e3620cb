"""Question answering: SQuAD and the sets that share its form (XQuAD, AdversarialQA), and MRQA 2019."""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator

from evaluator.data.datasets.formats.base import Format, GivenItem, Item, Left, Node, Wrong, attempt, each
from evaluator.data.datasets.source import DatasetSource
from evaluator.data.tables import BadRow, form_of, read_json, read_table
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
    document = read_json(data, source.where)
    try:
        articles = Node(document).entries("data")
    except Wrong as wrong:
        raise UserError(f"{source.where}:1: {wrong.field}", wrong.on(1).error.problem, wrong.fix) from None
    return _questions(articles)


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
    try:
        if isinstance(header, BadRow):
            raise Wrong("header", header.value, header.problem, "start the file with a header")
        Node(header.cells).child("header").text("dataset")
    except Wrong as wrong:
        problem = wrong.on(header.line).error.problem
        raise UserError(f"{source.where}:{header.line}: {wrong.field}", problem, wrong.fix) from None
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        else:
            yield from _passage_questions(row.line, Node(row.cells))


def _passage_questions(line: int, passage: Node) -> Iterator[GivenItem]:
    try:
        questions = passage.entries("qas")
    except Wrong as wrong:
        yield wrong.on(line)
        return
    for question in questions:
        yield from attempt(line, _passage_question, passage, question)


def _passage_question(line: int, passage: Node, question: Node) -> Iterable[Item | Left]:
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
    read_mrqa,
    about="MRQA 2019: JSON lines, mostly compressed, after a line with a header",
    columns={
        "context": "context",
        "qas[].qid": "id",
        "qas[].question": "question",
        "qas[].answers[]": "answers",
    },
)
