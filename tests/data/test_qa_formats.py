"""Question answering data in the forms it is published in; every text here was written for this project (CC0)."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from broken_files import (
    accounted,
    as_lines,
    error,
    fuzz,
    read_or_explain,
    replaced,
    written,
)
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.datasets import Dataset, DatasetSource, read_dataset

MILL = "The mill at Ebbe was built in 1802. It ground rye until 1931, and rye bread is still baked there."
DIKE = "A dike, three metres high, keeps the sea out of the polder."


def answer(context: str, text: str) -> dict[str, Any]:
    return {"text": text, "answer_start": context.index(text)}


SQUAD: dict[str, Any] = {
    "version": "1.1",
    "data": [
        {
            "title": "Mills",
            "paragraphs": [
                {
                    "context": MILL,
                    "qas": [
                        {
                            "id": "56a1",
                            "question": "When was the mill built?",
                            "answers": [answer(MILL, "1802"), answer(MILL, "in 1802"), answer(MILL, "1802")],
                        },
                        {
                            "id": "56a2",
                            "question": "What did it grind?",
                            "answers": [answer(MILL, "rye"), {"text": "rye", "answer_start": 66}],
                        },
                    ],
                }
            ],
        },
        {
            "title": "Dikes",
            "paragraphs": [
                {
                    "context": DIKE,
                    "qas": [
                        {
                            "id": "56a3",
                            "question": "How high is the dike?",
                            "answers": [answer(DIKE, "three metres")],
                        }
                    ],
                }
            ],
        },
    ],
}
SQUAD_2 = {
    "version": "v2.0",
    "data": [
        {
            "title": "Dikes",
            "paragraphs": [
                {
                    "context": DIKE,
                    "qas": [
                        {
                            "id": "5a1",
                            "question": "Who built the dike?",
                            "answers": [],
                            "plausible_answers": [answer(DIKE, "the sea")],
                            "is_impossible": True,
                        },
                        {
                            "id": "5a2",
                            "question": "What does it keep out?",
                            "answers": [answer(DIKE, "the sea")],
                            "is_impossible": False,
                        },
                    ],
                }
            ],
        }
    ],
}


def hub_row(number: int, context: str, text: str, model: str) -> dict[str, Any]:
    return {
        "id": f"7ba{number}",
        "title": "Mills",
        "context": context,
        "question": "What is it?",
        "answers": {"text": [text], "answer_start": [context.index(text)]},
        "metadata": {"split": "validation", "model_in_the_loop": model},
    }


HUB = [hub_row(1, MILL, "The mill", "BiDAF"), hub_row(2, DIKE, "A dike", "RoBERTa-Large")]

PASSAGE = "[TLE] Mills [PAR] The mill ground rye. [PAR] Rye is a grain. [DOC] [TLE] Rye [PAR] Rye is hardy."
MRQA: list[dict[str, Any]] = [
    {"header": {"dataset": "MillQA", "split": "dev"}},
    {
        "id": "",
        "context": PASSAGE,
        "context_tokens": [["[TLE]", 0], ["Mills", 6], ["[PAR]", 12]],
        "qas": [
            {
                "id": "",
                "qid": "c0ffee01",
                "question": "What did the mill grind?",
                "question_tokens": [["What", 0], ["did", 5]],
                "answers": ["rye", "Rye", "rye"],
                "detected_answers": [{"text": "rye", "char_spans": [[34, 36]], "token_spans": [[6, 6]]}],
            },
            {
                "qid": "c0ffee02",
                "question": "What is rye?",
                "question_tokens": [["What", 0]],
                "answers": ["a grain"],
                "detected_answers": [
                    {"text": "a grain", "char_spans": [[52, 58]], "token_spans": [[11, 12]]}
                ],
            },
        ],
    },
    {
        "context": DIKE,
        "context_tokens": [],
        "qas": [
            {
                "qid": "c0ffee03",
                "question": "What keeps the sea out?",
                "question_tokens": [],
                "answers": ["A dike"],
                "detected_answers": [],
            }
        ],
    },
]


def document(folder: Path, value: Any, form: str = "squad") -> DatasetSource:
    return written(folder, "dev-v1.1.json", json.dumps(value).encode(), "qa", form)


def lines(folder: Path, form: str, rows: list[Any]) -> DatasetSource:
    return written(folder, "dev.jsonl", as_lines(rows), "qa", form)


def ids(dataset: Dataset) -> list[str]:
    return [example["id"] for example in dataset.examples]


@pytest.mark.parametrize("form", ["squad", "adversarial-qa"])
def test_squad(form: str, tmp_path: Path) -> None:
    """A SQuAD document gives each question with its context, whose questions are a cluster, and its distinct
    answers in order."""
    dataset = read_dataset(document(tmp_path, SQUAD, form))
    assert dataset.clusters == (0, 0, 1)
    assert ids(dataset) == ["56a1", "56a2", "56a3"]
    assert dataset.examples[2] == {"id": "56a3", "context": DIKE, "question": "How high is the dike?"}
    assert dataset.gold == (("1802", "in 1802"), ("rye",), ("three metres",))
    assert dataset.labels == dataset.gold_labels == ()


def test_unanswerable_questions_have_the_empty_answer(tmp_path: Path) -> None:
    """Questions of SQuAD 2.0 that have no answer are read, and tagged apart from those that have one."""
    dataset = read_dataset(document(tmp_path, SQUAD_2))
    assert ids(dataset) == ["5a1", "5a2"]
    assert dataset.gold[0] == ("",)
    assert all(dataset.gold[1])
    assert dataset.tags == ({"answers": "NoAns"}, {"answers": "HasAns"})
    assert dataset.dropped == {}


def test_answers_of_articles_alone_do_not_count_in_version_2(tmp_path: Path) -> None:
    """As its script scores; in version 1.1 they count."""
    place = ("data", 0, "paragraphs", 0, "qas", 1)
    question = SQUAD_2["data"][0]["paragraphs"][0]["qas"][1]  # type: ignore[index]
    answers = [answer(DIKE, "A"), *question["answers"]]
    changed = replaced(SQUAD_2, place, {**question, "answers": answers})
    assert "A" not in read_dataset(document(tmp_path, changed)).gold[1]
    changed = replaced(SQUAD_2, place, {**question, "answers": answers[:1]})
    assert read_dataset(document(tmp_path, changed)).gold[1] == (" ",)
    del question["is_impossible"]
    changed = replaced(SQUAD_2, place, {**question, "answers": answers})
    assert "A" in read_dataset(document(tmp_path, changed)).gold[1]


def test_adversarial_qa_from_the_hub(tmp_path: Path) -> None:
    """AdversarialQA's rows as on the hub are tagged with the model they were written against."""
    dataset = read_dataset(lines(tmp_path, "adversarial-qa", HUB))
    assert ids(dataset) == ["7ba1", "7ba2"]
    assert dataset.gold == (("The mill",), ("A dike",))
    assert dataset.tags == ({"model_in_the_loop": "BiDAF"}, {"model_in_the_loop": "RoBERTa-Large"})


@pytest.mark.parametrize("name", ["MillQA.jsonl.gz"])
def test_mrqa(name: str, tmp_path: Path) -> None:
    """MRQA gives the questions of every context, its marks kept, the answers distinct in order."""
    data = gzip.compress(as_lines(MRQA)) if name.endswith(".gz") else as_lines(MRQA)
    dataset = read_dataset(written(tmp_path, name, data, "qa", "mrqa"))
    assert ids(dataset) == ["c0ffee01", "c0ffee02", "c0ffee03"]
    assert dataset.examples[0] == {
        "id": "c0ffee01",
        "context": PASSAGE,
        "question": "What did the mill grind?",
    }
    assert dataset.gold == (("rye", "Rye"), ("a grain",), ("A dike",))


def test_mrqa_says_what_is_impossible(tmp_path: Path) -> None:
    """An MRQA question marked as having no answer is left out and counted."""
    rows = replaced(MRQA, (1, "qas", 0), {**MRQA[1]["qas"][0], "is_impossible": True, "answers": []})
    dataset = read_dataset(lines(tmp_path, "mrqa", rows))
    assert ids(dataset) == ["c0ffee02", "c0ffee03"]
    assert dataset.dropped == {"unanswerable": 1}


QUESTION = ("data", 0, "paragraphs", 0, "qas", 1)
ANSWER = (*QUESTION, "answers", 0)
IN_QUESTION, IN_ANSWER = "data[0].paragraphs[0].qas[1]", "data[0].paragraphs[0].qas[1].answers[0]"

#: What is put where, the number of the question that the message names, and how the message starts.
BAD_SQUAD: dict[str, tuple[tuple[Any, ...], Any, int, str]] = {
    "start": ((*ANSWER, "answer_start"), 4, 2, f"{IN_ANSWER}.answer_start: 4 is where the context has 'mil', not"),
    "far": ((*ANSWER, "answer_start"), 10**30, 2, f"{IN_ANSWER}.answer_start: 100000"),
    "text": ((*ANSWER, "text"), ["rye"], 2, f"{IN_ANSWER}.text: ['rye'] is not a string; give the text"),
    "answers": ((*QUESTION, "answers"), [], 2, f"{IN_QUESTION}.answers: [] is empty; give at least one; a test file"),
    "id blank": ((*QUESTION, "id"), "", 2, f"{IN_QUESTION}.id: '' is not an id; give a string or a whole number"),
    "impossible": ((*QUESTION, "is_impossible"), "no", 2, f"{IN_QUESTION}.is_impossible: 'no' is not true or false"),
    "qas": (("data", 1, "paragraphs", 0, "qas"), ..., 3, "data[1].paragraphs[0].qas: missing: the row lacks the key"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_SQUAD)
def test_a_malformed_question_is_found_in_the_document(name: str, tmp_path: Path) -> None:
    """What is wrong in a document is named with its place, and only that question is skipped."""
    place, value, number, expected = BAD_SQUAD[name]
    made = document(tmp_path, put(SQUAD, place, value))
    assert error(made).startswith(f"{made.path}:{number}: {expected}")
    dataset = read_dataset(made, skip_malformed=True)
    assert [row.line for row in dataset.skipped] == [number]
    assert len(dataset.examples) == 2


def put(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """`replaced`, also where there is nothing yet."""
    return replaced(replaced(value, place, None) if new is ... else value, place, new)


BAD_DOCUMENTS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "1: document: column 1 is not JSON (Expecting value); give one whole JSON document"),
    "cut": (b'{\n "data": [\n {"paragraphs": [', "3: document: column 18 is not JSON"),
    "bytes": (
        b'{"version":\n "\xff"}',
        "2: document: column 3 has bytes that are not UTF-8; save the file as UTF-8",
    ),
    "data": (b'{"data": 5}', "1: data: 5 is not a list; give a list, in [ ]"),
}


@pytest.mark.parametrize("name", BAD_DOCUMENTS)
def test_a_broken_document_names_line_and_column(name: str, tmp_path: Path) -> None:
    """A document that cannot be parsed, or has no data, is refused whatever is skipped."""
    data, expected = BAD_DOCUMENTS[name]
    made = written(tmp_path, "dev.json", data, "qa", "squad")
    assert error(made).startswith(f"{made.path}:{expected}")
    assert read_or_explain(made) is None


BAD_ROWS: dict[str, tuple[str, tuple[Any, ...], Any, int, str]] = {
    "hub test file": (
        "adversarial-qa",
        (1, "answers"),
        {"text": [], "answer_start": []},
        2,
        "answers: [] is empty; give at least one; a test file published without answers cannot be scored",
    ),
    "hub lengths": (
        "adversarial-qa",
        (1, "answers", "answer_start"),
        [],
        2,
        "answers.answer_start: [] has 0 entries",
    ),
    "hub tag": ("adversarial-qa", (1, "metadata"), 5, 2, "metadata: 5 is not an object; give an object"),
    "mrqa answers": (
        "mrqa",
        (1, "qas", 1, "answers"),
        [],
        2,
        "qas[1].answers: [] has no or blank answers; give",
    ),
    "mrqa id": ("mrqa", (2, "qas", 0, "qid"), None, 3, "qas[0].qid: null is not an id; give a string"),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_a_malformed_row_names_line_and_place(name: str, tmp_path: Path) -> None:
    """A wrong value in JSON lines is an error with file, line, place, value and fix; or it is skipped."""
    form, place, value, line, expected = BAD_ROWS[name]
    valid = HUB if form == "adversarial-qa" else MRQA
    made = lines(tmp_path, form, replaced(valid, place, value))
    assert error(made).startswith(f"{made.path}:{line}: {expected}")
    dataset = read_dataset(made, skip_malformed=True)
    assert [row.line for row in dataset.skipped] == [line]
    assert accounted(dataset) == len(read_dataset(lines(tmp_path, form, valid)).examples)


BAD_HEADERS: dict[str, tuple[bytes, str]] = {
    "none": (
        as_lines(MRQA[1:]),
        "header: missing: the row lacks the key 'header'; add it, or choose the format",
    ),
    "broken": (b'{"header"\n', "header: '{\"header\"' is not JSON"),
}


@pytest.mark.parametrize("name", BAD_HEADERS)
def test_mrqa_starts_with_a_header(name: str, tmp_path: Path) -> None:
    """A file that does not start with MRQA's header is refused whatever is skipped."""
    data, expected = BAD_HEADERS[name]
    made = written(tmp_path, "dev.jsonl", data, "qa", "mrqa")
    assert error(made).startswith(f"{made.path}:1: {expected}")
    assert read_or_explain(made) is None


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@fuzz
@given(before=texts, words=texts.filter(str.strip), after=texts)
def test_answers_are_found_by_characters(tmp_path: Path, before: str, words: str, after: str) -> None:
    """answer_start counts characters, not bytes, in any script; one place further is malformed or the same text."""
    context = before + words + after
    rows = [
        {
            "id": "1",
            "title": "",
            "context": context,
            "question": "?",
            "answers": {"text": [words], "answer_start": [start]},
        }
        for start in (len(before), len(before) + 1)
    ]
    assert read_dataset(lines(tmp_path, "adversarial-qa", rows[:1])).gold == ((words,),)
    moved = read_or_explain(lines(tmp_path, "adversarial-qa", rows[1:]))
    assert (moved is not None) == (context[len(before) + 1 :].startswith(words))
