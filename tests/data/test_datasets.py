import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.data.datasets import Dataset, DatasetError, DatasetSource, read_dataset

LABELS = ("negative", "positive")
MAP = {"0": "negative", "1": "positive"}
NUMBERED: dict[str, str | int] = {"statement": 0, "label": 1}
NAMED: dict[str, str | int] = {"statement": "text", "label": "label"}


def source(path: Path, data: bytes, form: Any = "tsv", columns: Any = NUMBERED, **more: Any) -> DatasetSource:
    file = path / f"data.{form}"
    file.write_bytes(data)
    return DatasetSource("toy", "sentiment", file, form, columns, MAP, LABELS, **more)


def statements(dataset: Dataset) -> list[str]:
    return [example["statement"] for example in dataset.examples]


def error(made: DatasetSource) -> str:
    with pytest.raises(DatasetError) as caught:
        read_dataset(made)
    return str(caught.value)


def test_headerless_tsv(tmp_path: Path) -> None:
    """Columns by number read a TSV without header; ids are zero-based row numbers; gold is apart."""
    dataset = read_dataset(source(tmp_path, b"good\t1\nbad\t0"))
    assert dataset.examples == ({"id": "0", "statement": "good"}, {"id": "1", "statement": "bad"})
    assert dataset.gold == ("positive", "negative")


def test_named_columns_skip_a_header(tmp_path: Path) -> None:
    """Columns by name are looked up in the header, whatever their order, after a byte order mark."""
    data = b"\xef\xbb\xbflabel\tother\ttext\r\n1\tx\tgood\r\n"
    assert statements(read_dataset(source(tmp_path, data, columns=NAMED))) == ["good"]


def test_csv_with_quoted_newlines_counts_physical_lines(tmp_path: Path) -> None:
    """A CSV row is reported by the physical line it starts on, not by its number."""
    data = b'text,label\n"two\nlines, ""quoted""",1\nbad,7\n'
    made = source(tmp_path, data, "csv", NAMED)
    assert error(made).startswith(f"{made.path}:4: label: '7' is not in label_map")
    assert statements(read_dataset(made, skip_malformed=True)) == ['two\nlines, "quoted"']


def test_jsonl_keys_and_ids(tmp_path: Path) -> None:
    """JSON lines are read by key; numbers serve as ids and as labels, unmapped keys are ignored."""
    lines = [{"uid": 7, "text": "good", "label": 1}, {"uid": "b", "text": "bad", "label": "0", "more": []}]
    data = "\n".join(json.dumps(line) for line in lines).encode()
    dataset = read_dataset(source(tmp_path, data, "jsonl", {**NAMED, "id": "uid"}))
    assert [example["id"] for example in dataset.examples] == ["7", "b"]
    assert dataset.gold == ("positive", "negative")


BAD_ROWS = {
    "label": (b"good\t1\nbad\t2\n", "tsv", NUMBERED, 2, "label: '2' is not in label_map"),
    "too few": (b"good\t1\nbad\nworse\t0\n", "tsv", NUMBERED, 2, "row: ['bad'] has 1 columns, not 2"),
    "too many": (b"good\t1\nbad\t0\t9\nworse\t0\n", "tsv", NUMBERED, 2, "has 3 columns, not 2"),
    "blank": (b"good\t1\n\nbad\t0\n", "tsv", NUMBERED, 2, "row: '' is blank; delete the line"),
    "bytes": (b"good\t1\nb\xffd\t0\n", "tsv", NUMBERED, 2, "has bytes that are not UTF-8; save the file"),
    "csv bytes": (b"good,1\nb\xffd,0\n", "csv", NUMBERED, 2, "has bytes that are not UTF-8"),
    "csv blank": (b"good,1\n\nbad,0\n", "csv", NUMBERED, 2, "is blank"),
    "json": (b'{"text": "a", "label": 1}\n{"text": \n', "jsonl", NAMED, 2, "is not JSON"),
    "json list": (b"[]\n", "jsonl", NAMED, 1, "row: '[]' is not a JSON object"),
    "json deep": (b"[" * 100_000, "jsonl", NAMED, 1, "is not JSON"),
    "key": (b'{"text": "a"}\n', "jsonl", NAMED, 1, "label: missing: the row lacks the key 'label'"),
    "type": (b'{"text": 5, "label": 1}\n', "jsonl", NAMED, 1, "statement: 5 is an int, not a string"),
    "surrogate": (b'{"text": "\\ud800", "label": 1}\n', "jsonl", NAMED, 1, "surrogate"),
    "id": (
        b'{"text": "a", "label": 1, "i": null}',
        "jsonl",
        {**NAMED, "id": "i"},
        1,
        "id: None is not an id",
    ),
    "id twice": (
        b"x\t1\t7\ny\t1\t7\n",
        "tsv",
        {**NUMBERED, "id": 2},
        2,
        "'7' is already the id of the row on line 1",
    ),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_a_malformed_row_names_file_line_and_field(name: str, tmp_path: Path) -> None:
    """The first malformed row is an error with file, line, field, value and fix."""
    data, form, columns, line, expected = BAD_ROWS[name]
    made = source(tmp_path, data, form, columns)
    assert error(made).startswith(f"{made.path}:{line}: ")
    assert expected in error(made)


def test_skipped_rows_are_counted_and_ids_stay(tmp_path: Path) -> None:
    """Skipping leaves out malformed rows, records each, and does not renumber the others."""
    dataset = read_dataset(source(tmp_path, b"good\t1\nbad\t9\nugly\t0\n"), skip_malformed=True)
    assert [example["id"] for example in dataset.examples] == ["0", "2"]
    assert [(row.line, row.error.field, row.error.value) for row in dataset.skipped] == [(2, "label", "'9'")]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"text\tlabel\n"])
def test_a_file_without_examples_is_an_error(data: bytes, tmp_path: Path) -> None:
    """A dataset with nothing in it is refused."""
    assert re.search("data.tsv: (is empty|has no examples); ", error(source(tmp_path, data, columns=NAMED)))


def test_all_rows_malformed_is_an_error_even_when_skipping(tmp_path: Path) -> None:
    """Skipping every row of a file is refused, with the first reason."""
    with pytest.raises(DatasetError, match=r"has no examples \(all 2 rows are malformed, first line 1"):
        read_dataset(source(tmp_path, b"a\t5\nb\t6\n"), skip_malformed=True)


def test_missing_file_is_named(tmp_path: Path) -> None:
    """A file that is not there is named together with the dataset that wants it."""
    made = replace(source(tmp_path, b""), path=tmp_path / "nowhere.tsv")
    assert error(made) == (
        f"{tmp_path}/nowhere.tsv: no such file; dataset toy reads it: put the file there, correct the"
        " dataset's path, or name another folder with --data"
    )


def test_wrong_pin_names_both_hashes(tmp_path: Path) -> None:
    """A file that differs from its pinned hash is refused; the right pin is accepted."""
    data = b"good\t1\n"
    pin = hashlib.sha256(data).hexdigest()
    assert read_dataset(source(tmp_path, data, sha256=pin)).gold == ("positive",)
    wrong = error(source(tmp_path, data, sha256="0" * 64))
    assert pin in wrong
    assert "0" * 64 in wrong


BAD_SOURCES: dict[str, tuple[dict[str, Any], str]] = {
    "format": ({"format": "xml"}, "format: 'xml' is not a format; use one of tsv, csv, jsonl"),
    "label column": ({"columns": {"statement": 0}}, "columns.label: missing"),
    "field": ({"columns": {**NUMBERED, "context": 2}}, "columns.context: sentiment has no such field"),
    "mixed": ({"columns": {"statement": 0, "label": "y"}}, "columns.label: 'y' is not a column number"),
    "negative": ({"columns": {"statement": 0, "label": -1}}, "columns.label: -1 is not a column number"),
    "jsonl numbers": ({"format": "jsonl"}, "columns.statement: 0 is not a key"),
    "map": ({"label_map": {"1": "good"}}, "label_map.1: 'good' is not a label"),
    "labels": ({"labels": ("no", "yes")}, "labels: ('no', 'yes') is not a label set of sentiment"),
    "task": ({"task": "parsing"}, "task: 'parsing' is not a task"),
}


@pytest.mark.parametrize("name", BAD_SOURCES)
def test_a_wrong_mapping_names_the_dataset_and_field(name: str, tmp_path: Path) -> None:
    """A mapping that cannot work is refused before the file is read."""
    change, expected = BAD_SOURCES[name]
    assert f"dataset toy: {expected}" in error(replace(source(tmp_path, b"good\t1\n"), **change))


def test_a_header_must_have_the_column_once(tmp_path: Path) -> None:
    """A header that lacks a mapped column, or has it twice, is refused with what it has."""
    message = error(source(tmp_path, b"a\tlabel\n", columns=NAMED))
    assert "data.tsv:1: columns.statement: 'text' is not in the header ['a', 'label']; name one" in message
    assert "1: header: has 'text' twice" in error(source(tmp_path, b"text\ttext\tlabel\n", columns=NAMED))


def test_revision_covers_bytes_and_reading(tmp_path: Path) -> None:
    """The revision changes with the bytes and with the mapping, and not with path or dataset id."""
    first = source(tmp_path, b"good\t1\nbad\t0\n")
    revision = read_dataset(first).revision
    moved = tmp_path / "elsewhere.tsv"
    moved.write_bytes(first.path.read_bytes())
    assert read_dataset(replace(first, id="other", path=moved)).revision == revision
    swapped = {"0": "positive", "1": "negative"}
    assert read_dataset(replace(first, label_map=swapped)).revision != revision
    assert read_dataset(source(tmp_path, b"good\t1\nbad\t1\n")).revision != revision
