"""Files of any columns: what a source maps, what a malformed row says, and what a revision covers."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from broken_files import as_lines, error, written

from evaluator.data.datasets import Dataset, DatasetSource, read_dataset, revision_of
from evaluator.records.board import DatasetSpec
from evaluator.score.examples import dataset_source

LABELS = ("negative", "positive")
MAP = {"0": "negative", "1": "positive"}
NUMBERED: dict[str, str | int] = {"statement": 0, "label": 1}
NAMED: dict[str, str | int] = {"statement": "text", "label": "label"}
ALL: dict[str, str | int] = {
    "text": "text", "label": "label", "id": "uid", "votes": "votes", "validated": "checked", "tag.genre": "genre",
    "tag.year": "year",
}  # fmt: skip
ROWS = [
    {"uid": "a", "text": "One", "label": "x", "votes": ["x", "x", "other"], "checked": True, "genre": "news", "year": 1999},
    {"uid": 7, "text": "Two", "label": "y", "votes": [], "checked": 0, "genre": None, "year": "", "more": []},
    {"uid": "c", "text": "Three", "label": "y", "votes": [1, True], "checked": "False", "genre": "blog", "year": 2.5},
]  # fmt: skip
QA: dict[str, Any] = {
    "task": "qa", "columns": {"context": "context", "question": "question", "answers": "answers"}, "labels": (),
}  # fmt: skip


def source(path: Path, data: bytes, form: Any = "tsv", columns: Any = NUMBERED, **more: Any) -> DatasetSource:
    """Statements with the labels 0 and 1."""
    made = written(path, f"data.{form}", data, "sentiment", form)
    return replace(made, **{"columns": columns, "label_map": MAP, "labels": LABELS, **more})


def lines(folder: Path, rows: Any = ROWS, **more: Any) -> DatasetSource:
    """JSON lines with everything that can be mapped."""
    made = written(folder, "data.jsonl", as_lines(rows), "classification", "jsonl")
    return replace(made, **{"columns": ALL, "labels": ("x", "y"), **more})


@pytest.mark.parametrize(
    ("form", "data", "columns"),
    [
        ("tsv", b"good\t1\nbad\t0", NUMBERED),
        ("tsv", b"\xef\xbb\xbflabel\tother\ttext\r\n1\tx\tgood\r\n0\t\tbad\r\n", NAMED),
        ("csv", b"text,label\ngood,1\nbad,0\n", NAMED),
        ("jsonl", b'{"text": "good", "label": 1}\n{"text": "bad", "label": "0"}\n', NAMED),
        ("json", b'[{"text": "good", "label": 1}, {"text": "bad", "label": "0"}]', NAMED),
    ],
)
def test_columns_by_number_and_by_name(form: str, data: bytes, columns: Any, tmp_path: Path) -> None:
    """Without a header by number, else by name in any order; ids are row numbers, and gold is apart."""
    dataset = read_dataset(source(tmp_path, data, form, columns))
    assert dataset.examples == ({"id": "0", "statement": "good"}, {"id": "1", "statement": "bad"})
    assert dataset.gold == ("positive", "negative")


def test_every_column_of_json_lines(tmp_path: Path) -> None:
    """Tags, votes and validation are read beside text and label; a null or empty tag is none. A response is mapped as a
    gold label is; one that the map does not know stays as it is."""
    dataset = read_dataset(lines(tmp_path))
    assert dataset.examples[:2] == ({"id": "a", "text": "One"}, {"id": "7", "text": "Two"})
    assert dataset.gold == ("x", "y", "y")
    assert dataset.tags == ({"genre": "news", "year": "1999"}, {}, {"genre": "blog", "year": "2.5"})
    assert dataset.votes == (("x", "x", "other"), (), ("1", "true"))
    assert dataset.validated == (True, False, False)
    turned = read_dataset(lines(tmp_path, label_map={"x": "y", "y": "x"}))
    assert turned.votes == (("y", "y", "other"), (), ("1", "true"))


def test_tables_have_tags_and_validation(tmp_path: Path) -> None:
    """By number as by name."""
    columns: dict[str, str | int] = {"text": 0, "label": 1, "tag.genre": 2, "validated": 3}
    data = b"One\tx\tnews\t1\nTwo\ty\t\tfalse\n"
    made = replace(lines(tmp_path), path=source(tmp_path, data).path, format="tsv", columns=columns)
    dataset = read_dataset(made)
    assert (dataset.tags, dataset.validated) == (({"genre": "news"}, {}), (True, False))


def test_without_labels_the_majority_of_the_votes_is_gold(tmp_path: Path) -> None:
    """More than half must agree, on a label; other examples are left out and counted. The votes stay."""
    votes = {"a": ["x", "x", "y"], "b": ["x", "y"], "c": [], "d": ["mixed", "mixed", "y"], "e": ["y"]}
    rows: list[dict[str, Any]] = [
        {"text": name, "uid": name, "votes": several} for name, several in votes.items()
    ]
    columns = {"text": "text", "id": "uid", "votes": "votes"}
    dataset = read_dataset(lines(tmp_path, rows, columns=columns))
    assert (dataset.ids, dataset.gold) == (["a", "e"], ("x", "y"))
    assert dataset.votes == (("x", "x", "y"), ("y",))
    assert dataset.dropped == {"no majority": 2, "mixed": 1}
    assert dataset.has_votes
    rows[0]["votes"] = "x"
    assert ":1: votes: 'x' is not a list of responses" in error(lines(tmp_path, rows, columns=columns))


def test_texts_as_gold(tmp_path: Path) -> None:
    """Where a task asks for texts, answers are a string or a list, and there are no labels; the empty answer is right to a
    question whose list is empty. A file without any answers is a test file: saying nothing would be right throughout."""
    rows = [
        {"context": "Rain.", "question": "What?", "answers": one} for one in (["Rain", "rain"], "fell", [])
    ]
    dataset = read_dataset(lines(tmp_path, rows, **QA))
    assert dataset.gold == (("Rain", "rain"), ("fell",), ("",))
    assert dataset.labels == dataset.gold_labels == ()
    said = "answers: no question has any; a test file published without answers cannot be scored"
    assert said in error(lines(tmp_path, rows[2:], **QA))
    texts = source(
        tmp_path, b"Rain fell.\tIt rained.\n", columns={"text": 0, "answers": 1}, labels=(), label_map={}
    )
    assert read_dataset(replace(texts, task="generation")).gold == (("It rained.",),)


@pytest.mark.parametrize("answers", [None, 5, [""], "", {"text": "a"}, ["\ud800"]])
def test_wrong_answers(answers: Any, tmp_path: Path) -> None:
    """Answers must be one or more texts with something in them."""
    rows = [{"context": "Rain.", "question": "What?", "answers": answers}]
    assert ":1: answers: " in error(lines(tmp_path, rows, **QA))


BAD_ROWS: list[tuple[str, bytes, Any, int, str]] = [
    ("tsv", b"good\t1\nbad\t2\n", NUMBERED, 2, "label: '2' is not in label_map"),
    ("tsv", b"good\t1\nbad\nworse\t0\n", NUMBERED, 2, "row: ['bad'] has 1 columns, not 2"),
    ("csv", b'text,label\n"two\nlines, ""quoted""",1\nbad,7\n', NAMED, 4, "label: '7' is not in label_map"),
    ("jsonl", b'{"text": "a", "label": 1}\n{"text": \n', NAMED, 2, "is not JSON"),
    ("jsonl", b'{"text": "a"}\n', NAMED, 1, "label: missing: the row lacks the key 'label'"),
    ("jsonl", b'{"text": 5, "label": 1}\n', NAMED, 1, "statement: 5 is an int, not a string"),
    ("jsonl", b'{"text": "\\ud800", "label": 1}\n', NAMED, 1, "surrogate"),
    ("jsonl", b'{"text": "a", "label": 1, "i": null}', {**NAMED, "id": "i"}, 1, "id: None is not an id"),
    ("tsv", b"x\t1\t7\ny\t1\t7\n", {**NUMBERED, "id": 2}, 2, "'7' is already the id of the row on line 1"),
    ("tsv", b"x\t1\tmaybe\n", {**NUMBERED, "validated": 2}, 1, "validated: 'maybe' is not true or false"),
    ("jsonl", b'{"text": "a", "label": 1, "g": ["b"]}', {**NAMED, "tag.g": "g"}, 1, "tags.g: ['b'] is not a text"),
    ("jsonl", b'{"text": "a", "label": 1, "v": "x"}', {**NAMED, "votes": "v"}, 1, "votes: 'x' is not a list of responses"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("form", "data", "columns", "line", "said"), BAD_ROWS, ids=[bad[4] for bad in BAD_ROWS]
)
def test_a_malformed_row_names_file_line_and_field(
    form: str, data: bytes, columns: Any, line: int, said: str, tmp_path: Path
) -> None:
    """The first malformed row is an error with the line that it starts on, field, value and fix."""
    made = source(tmp_path, data, form, columns)
    assert error(made).startswith(f"{made.path}:{line}: ")
    assert said in error(made)


def test_skipped_rows_are_counted_and_ids_stay(tmp_path: Path) -> None:
    """Skipping leaves out malformed rows, records each, and does not renumber the others; to skip all is refused."""
    dataset = read_dataset(replace(source(tmp_path, b"good\t1\nbad\t9\nugly\t0\n"), skip_malformed=True))
    assert dataset.ids == ["0", "2"]
    assert [(row.line, row.error.field, row.error.value) for row in dataset.skipped] == [(2, "label", "'9'")]
    with pytest.raises(ValueError, match=r"has no examples \(all 2 rows are malformed, first line 1"):
        read_dataset(replace(source(tmp_path, b"a\t5\nb\t6\n"), skip_malformed=True))


@pytest.mark.parametrize(
    ("rows", "more"),
    [
        (["1", "-1"], {"label_map": {**MAP, "-1": ""}}),
        (["1", "-1"], {}),  # as the hub writes it, where labels are numbers from 0
        (["1", ""], {"label_map": {**MAP, "": ""}}),
        (["positive", "-"], {"label_map": {"-": ""}}),  # the labels themselves stay known
        ([1, None], {"label_map": {**MAP, "": ""}}),
        ([1, -1], {}),
    ],
)
def test_a_row_that_says_that_it_has_no_label_is_left_out(rows: Any, more: Any, tmp_path: Path) -> None:
    """By a label that means nothing; it is counted, its id is known, and a row that was not thought of is malformed."""
    more = {"label_map": MAP, **more}

    def read(labels: Any) -> Dataset:
        if all(isinstance(label, str) for label in labels):
            data = "".join(f"text {at}\t{label}\n" for at, label in enumerate(labels))
            return read_dataset(source(tmp_path, data.encode(), **more))
        data = as_lines([{"text": f"text {at}", "label": label} for at, label in enumerate(labels)])
        return read_dataset(source(tmp_path, data, "jsonl", NAMED, **more))

    dataset = read(rows)
    assert (dataset.gold, dataset.dropped) == (("positive",), {"no gold label": 1})
    assert (dataset.ids, dataset.left_out, dataset.skipped) == (["0"], {"1"}, ())
    with pytest.raises(ValueError, match=r'label: .* is not in label_map; .* "-2" = "" there says that it'):
        read([*rows, "-2"])


def test_minus_one_may_be_a_label(tmp_path: Path) -> None:
    """Where label_map names it, or labels are no numbers, it is what it is said to be."""
    named = source(tmp_path, b"a\t-1\nb\t1\n", label_map={"-1": "negative", "1": "positive"})
    assert read_dataset(named).gold == ("negative", "positive")
    assert "'-1' is not in label_map" in error(source(tmp_path, b"a\t-1\n", label_map={}))


def test_a_vote_without_a_label_is_no_vote(tmp_path: Path) -> None:
    """What an annotator did not say is not among the responses, and no majority for nothing is a label."""
    rows = [{"text": "a", "votes": ["x", "-", "x"]}, {"text": "b", "votes": ["-", "-", "y"]}]
    dataset = read_dataset(
        lines(tmp_path, rows, columns={"text": "text", "votes": "votes"}, label_map={"-": ""})
    )
    assert (dataset.gold, dataset.votes, dataset.dropped) == (("x",), (("x", "x"),), {"no gold label": 1})


@pytest.mark.parametrize("data", [b"", b"\n\n", b"text\tlabel\n"])
def test_a_file_without_examples_is_an_error(data: bytes, tmp_path: Path) -> None:
    """A dataset with nothing in it is refused."""
    assert re.search("data.tsv: (is empty|has no examples); ", error(source(tmp_path, data, columns=NAMED)))


@pytest.mark.parametrize(
    ("named", "there", "near"),
    [
        ("pairs.json", "pairs.jsonl", "pairs.jsonl"),
        ("Pair.tsv", "pairs.tsv", "pairs.tsv"),
        ("sst-2/dev.tsv", "sst2/dev.tsv", "sst2/dev.tsv"),
        ("sst-2/dev.tsv", "sst2/dev.tsv.gz", "sst2/dev.tsv.gz"),
        ("dev.tsv", "sst2/dev.tsv", "sst2/dev.tsv"),
        ("zzz.parquet", "quite-another.csv", None),
    ],
)
def test_a_file_that_is_not_here_is_named_with_the_closest(
    named: str, there: str, near: str | None, tmp_path: Path
) -> None:
    """By its name, its folder's, or the folder that has it."""
    made = source(tmp_path, b"x")
    (tmp_path / there).parent.mkdir(exist_ok=True)
    (tmp_path / there).write_text("")
    said = error(replace(made, path=tmp_path / named))
    assert said.startswith(f"{tmp_path / named}: no such file; dataset toy reads it: ")
    assert said.partition("; did you mean ")[2] == ("" if near is None else f"{tmp_path / near}?")


def test_files_are_there_and_as_pinned(tmp_path: Path) -> None:
    """A missing file is named with the dataset that wants it; one that differs from its pinned hash with both."""
    made = source(tmp_path, b"good\t1\n")
    assert error(replace(made, path=tmp_path / "nowhere.tsv")) == (
        f"{tmp_path}/nowhere.tsv: no such file; dataset toy reads it: put the file there, correct the"
        " dataset's path, or name another folder with --data"
    )
    pin = hashlib.sha256(b"good\t1\n").hexdigest()
    assert read_dataset(replace(made, sha256=pin)).gold == ("positive",)
    assert all(known in error(replace(made, sha256="0" * 64)) for known in (pin, "0" * 64))


def test_a_header_must_have_the_column(tmp_path: Path) -> None:
    """A header that lacks a mapped column is refused with what it has."""
    message = error(source(tmp_path, b"a\tlabel\n", columns=NAMED))
    assert "data.tsv:1: columns.statement: 'text' is not in the header ['a', 'label']; name one" in message


BAD_SOURCES: list[tuple[dict[str, Any], str]] = [
    ({"format": "xml"}, "format: 'xml' is not a format; use one of tsv, csv, jsonl"),
    ({"columns": {"statement": 0}}, "columns.label: missing"),
    ({"columns": {**NUMBERED, "context": 2}}, "columns.context: sentiment has no such field"),
    ({"columns": {**NUMBERED, "tag.": 2}}, "columns.tag.: sentiment has no such field"),
    ({"columns": {**NUMBERED, "answers": 2}}, "columns.answers: sentiment has no such field"),
    ({"columns": {"statement": 0, "label": "y"}}, "columns.label: 'y' is not a column number"),
    ({"columns": {"statement": 0, "label": -1}}, "columns.label: -1 is not a column number"),
    ({"format": "jsonl"}, "columns.statement: 0 is not a key"),
    ({"label_map": {"1": "good"}}, "label_map.1: 'good' is not a label"),
    ({"labels": ("no", "yes")}, "labels: ('no', 'yes') is not a label set of sentiment"),
    ({"labels": ()}, "labels: () is not a label set of sentiment"),
    ({"task": "parsing"}, "task: 'parsing' is not a task"),
    ({"options": {"round": 1}}, "options.round: tsv has no such option; leave options out"),
]


@pytest.mark.parametrize(("change", "said"), BAD_SOURCES, ids=[said for _, said in BAD_SOURCES])
def test_a_wrong_declaration_names_the_dataset_and_field(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """A mapping that cannot work is refused before the file is read."""
    assert f"dataset toy: {said}" in error(replace(source(tmp_path, b"good\t1\n"), **change))


def test_revision_covers_bytes_and_reading(tmp_path: Path) -> None:
    """It changes with the bytes and with all that decides the examples, and not with path, id or a map that says what is
    so without it."""
    plain = lines(tmp_path)
    others = [
        replace(plain, tags={"round": "1"}),
        replace(plain, columns={**ALL, "tag.genre": "uid"}),
        replace(plain, label_map={"x": "y", "y": "x"}),
    ]
    assert len({read_dataset(made).revision for made in [plain, *others]}) == 4
    revision = read_dataset(plain).revision
    moved = tmp_path / "elsewhere.jsonl"
    moved.write_bytes(plain.path.read_bytes())  # type: ignore[union-attr]
    same = replace(plain, id="other", path=moved, label_map={"x": "x", "y": "y"})
    assert read_dataset(same).revision == revision
    for made in (plain, *others, same, replace(plain, also=(same,))):
        assert revision_of(made) == read_dataset(made).revision
    assert read_dataset(lines(tmp_path, ROWS[:2])).revision != revision


def spec(**fields: Any) -> DatasetSpec:
    return DatasetSpec(id="d", label="D", task="sentiment", **fields)


def test_a_board_names_formats_options_and_rounds(tmp_path: Path) -> None:
    """A dataset of board.toml needs no columns or labels where its format has them; a round is a tag."""
    more: dict[str, Any] = {"options": {"round": 1}, "round": 1, "tags": {"kind": "dev"}}
    made = dataset_source(spec(path="r1.jsonl", format="dynasent", **more), tmp_path)
    assert (made.path, made.options) == (tmp_path / "r1.jsonl", {"round": 1})
    assert made.tags == {"kind": "dev", "round": "1"}
    assert not spec(round=2).readable


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"path": "a.tsv"}, "path: given, so format must be given too"),
        ({"round": 1, "tags": {"round": "1"}}, "tags.round: round is given too"),
        ({"round": 0}, "round"),
        ({"columns": {"text": 1.5}}, "columns"),
    ],
)
def test_a_wrong_dataset_of_a_board(fields: dict[str, Any], message: str) -> None:
    """What cannot be in a board file is refused with its field."""
    with pytest.raises(ValueError, match=message):
        spec(**fields)
