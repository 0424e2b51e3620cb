"""Any table that comes in becomes a frame of cells as the file has them, or an error that says where and what."""

from __future__ import annotations

import gzip
import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data import tables
from evaluator.data.tables import FORMS, BadRow, Row, read_json, read_table, table_of, unpacked
from evaluator.records.errors import UserError


def rows(content: str | bytes, form: str, **more: Any) -> list[Row | BadRow]:
    data = content.encode() if isinstance(content, str) else content
    return list(read_table(data, form, "t", **more).rows())


@pytest.mark.parametrize(
    ("form", "content", "expected"),
    [
        ("csv", 'a,b\n1,"x, ""y"""\n NA ,\n', [(2, "1", 'x, "y"'), (3, " NA ", "")]),
        ("csv", 'a,b\r\n"two\r\nlines",1\r\nnull,2\r\n\r\n\n', [(2, "two\r\nlines", "1"), (4, "null", "2")]),
        ("csv", "a,b\n1," + "x" * 200_000 + "\n", [(2, "1", "x" * 200_000)]),
        ("tsv", 'a\tb\n"1"\t\u2028\n', [(2, '"1"', "\u2028")]),
        ("jsonl", '{"a": 1, "b": "1"}\n{"b": null, "a": true}\n', [(1, 1, "1"), (2, True, None)]),
        ("jsonl", f'{{"a": {10**30}, "b": [0.1]}}\n', [(1, 10**30, [0.1])]),
        ("json", '[{"a": {"c": 1}, "b": 1.0}]', [(1, {"c": 1}, 1.0)]),
    ],
)
def test_cells_are_as_the_file_has_them(form: str, content: str, expected: list[tuple[Any, ...]]) -> None:
    """No type is guessed, nothing is missing that is there, and each row knows its line."""
    found = [(row.line, row.cells["a"], row.cells["b"]) for row in rows(content, form)]  # type: ignore[union-attr]
    assert repr(found) == repr(expected)


@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("packed", [False, True])
def test_encodings(coding: str, packed: bool) -> None:
    """UTF-8 and UTF-16, with a mark and without, compressed and not."""
    data = "id,label\né,😀\n".encode(coding)
    assert rows(gzip.compress(data) if packed else data, "csv") == [Row(2, {"id": "é", "label": "😀"})]


def test_parquet_keeps_its_types() -> None:
    """Whole numbers stay whole beside missing ones, which are None."""
    file = io.BytesIO()
    frame = pd.DataFrame({"id": pd.array([2**53 + 1, None], dtype="Int64"), "p": [0.5, float("nan")]})
    frame.to_parquet(file)
    assert rows(file.getvalue(), "parquet") == [
        Row(1, {"id": 2**53 + 1, "p": 0.5}),
        Row(2, {"id": None, "p": None}),
    ]


def test_without_a_header_columns_are_numbers() -> None:
    """The columns are as many as most rows have; lines are one column each."""
    found = rows("1,a\n2\n3,b\n", "csv", header=False)
    assert [row.line for row in found if isinstance(row, BadRow)] == [2]
    assert found[0] == Row(1, {0: "1", 1: "a"})
    assert rows("a,b\n", "lines") == [Row(1, {0: "a,b"})]
    assert rows("a;b\n1;2\n", "csv", delimiter=";") == [Row(2, {"a": "1", "b": "2"})]


def test_a_row_may_lack_a_key() -> None:
    """A key that is not there is another thing than null."""
    table = read_table(b'{"a": null}\n{"b": 1}\n', "jsonl", "t")
    assert [row.cells for row in table.rows() if isinstance(row, Row)] == [{"a": None}, {"b": 1}]
    assert table.frame["a"].tolist() == [None, pd.NA]


def refusal(content: str | bytes, form: str) -> str:
    data = content.encode() if isinstance(content, str) else content
    with pytest.raises(UserError, match=r"^t:\d+: row: .+; .+") as error:
        read_table(data, form, "t").refuse_bad()
    return str(error.value)


@pytest.mark.parametrize(
    ("form", "content", "line", "problem"),
    [
        ("csv", "a,b\n1\n", 2, "['1'] has 1 columns, not 2"),
        ("tsv", "a\tb\n1\t2\t3\n", 2, "has 3 columns, not 2"),
        ("csv", 'a,b\n1,2\n"3,4\n', 3, "is not CSV (unexpected end of data)"),
        ("csv", 'a,b\n"1"x,2\n3,4\n', 2, "is not CSV ("),
        ("csv", "a,b\n\n1,2\n", 2, "is blank"),
        ("csv", b"a,b\n1,\xff\n", 2, "has bytes that are not UTF-8"),
        ("jsonl", '{"a": 1}\n{"a": 1, "a": 2}\n', 2, "has the key 'a' twice in one object"),
        ("jsonl", '{"a": NaN}\n', 1, "is not JSON (NaN is no number)"),
        ("jsonl", '{"a": 1e400}\n', 1, "is not JSON (1e400 is no number)"),
        ("jsonl", "[1]\n", 1, "is not a JSON object"),
        ("jsonl", "{\n", 1, "is not JSON ("),
        ("jsonl", "[" * 100_000 + "\n", 1, "is not JSON ("),
    ],
)
def test_a_bad_row_says_what_is_wrong(form: str, content: str | bytes, line: int, problem: str) -> None:
    """The other rows are read; whoever needs all of them has an error with file, line, value and fix."""
    found = [row for row in rows(content, form) if isinstance(row, BadRow)]
    assert [row.line for row in found] == [line]
    assert problem in str(found[0].error)
    assert problem == "is blank" or problem in refusal(content, form)


@pytest.mark.parametrize(
    ("form", "data", "message"),
    [
        ("csv", b"", "t: is empty; give it at least one row"),
        ("jsonl", b"\n\n", "t: is empty"),
        ("csv", b"a,b,a\n", "t:1: header: has 'a' twice; give every column a name of its own"),
        ("csv", b'"a\n', "t:1: header: '' is not CSV"),
        ("csv", b"\x1f\x8b\x08", "t: is not a whole gzip file (.*); fetch the file again"),
        ("csv", b"\xff\xfea\x00,", "t: is not whole UTF-16 (.*); save the file as UTF-8"),
        ("json", b'{"a": 1}', "t: is no list of JSON objects"),
        ("json", b"[1, 2", "t:1: document: column 6 is not JSON (.*); give one whole JSON document"),
        ("json", b'[{"a": 1, "a": 1}]', "t:1: document: has the key 'a' twice in one object"),
        ("json", b'["\xff"]', "t:1: document: column 3 has bytes that are not UTF-8"),
        ("parquet", b"PAR1", "t: is no whole Parquet file (.*); fetch or write the file again"),
        ("xml", b"<a/>", "t: format: 'xml' is none of csv, tsv, jsonl, json, parquet; name one"),
    ],
)
def test_a_file_that_is_no_table_is_refused(form: str, data: bytes, message: str) -> None:
    """With its name, what is wrong and the fix."""
    with pytest.raises(
        UserError, match="^" + message.replace("(", r"\(").replace(r"\(.*)", r"\(.*\)").replace("[", r"\[")
    ):
        read_table(data, form, "t")


def test_files_by_name(tmp_path: Path) -> None:
    """The ending says the form, that of compressed files aside."""
    (tmp_path / "a.TSV.gz").write_bytes(gzip.compress(b"a\n1\n"))
    assert list(read_table(tmp_path / "a.TSV.gz").rows()) == [Row(2, {"a": "1"})]
    with pytest.raises(
        UserError, match=r"none\.csv: cannot be read \(No such file or directory\); correct the path"
    ):
        read_table(tmp_path / "none.csv")


def test_no_file_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by unpacking to a hundred times its size, nor by rows that have nothing in common."""
    monkeypatch.setattr(tables, "ALWAYS", 10_000)
    monkeypatch.setattr(tables, "CELLS", 99)
    assert unpacked(gzip.compress(bytes(10_000)), "t") == bytes(10_000)
    with pytest.raises(UserError, match=r"t: its .* bytes unpack to more than 10,000, the most that is read"):
        unpacked(gzip.compress(bytes(10_001)), "t")
    with pytest.raises(UserError, match="t: has 10 different keys in 10 rows; give every row the same keys"):
        table_of("t", [{str(number): 1} for number in range(10)])
    with pytest.raises(UserError, match="t: has 100 cells, and at most 99 are read"):
        rows("a\n" * 101, "csv")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)


@given(objects=st.lists(st.dictionaries(st.text(), VALUES, max_size=4), min_size=1))
def test_json_lines_come_back_as_they_were_written(objects: list[dict[str, Any]]) -> None:
    """Whatever the objects hold."""
    text = "".join(json.dumps(one) + "\n" for one in objects)
    found = [row.cells for row in rows(text, "jsonl") if isinstance(row, Row)]
    assert repr([dict(sorted(one.items())) for one in found]) == repr(
        [dict(sorted(one.items())) for one in objects]
    )
    assert read_json(json.dumps(objects).encode(), "t") == objects


@given(data=st.binary(max_size=60), form=st.sampled_from([*FORMS, "lines"]))
def test_any_bytes_are_a_table_or_an_error(data: bytes, form: str) -> None:
    """Nothing else comes out, and rows stay in their order."""
    with suppress(UserError):
        lines = [row.line for row in rows(data, form)]
        assert lines == sorted(lines)
