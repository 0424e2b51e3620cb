"""Tables of data are read many rows at a time, which nobody notices but by the clock."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.data.datasets import Dataset, DatasetError, DatasetSource, read_dataset
from evaluator.data.datasets.formats.generic import _Mapping

#: What no row should have, by name; "a" is the id of another.
ODD = [
    *(("id", value) for value in ("", "a", "a", 7, None, "\ud800")),
    *(("text", value) for value in (7, None, [], "\ud800")),
    *(("label", value) for value in ("unknown", "", True, 7, None, {})),
    ("more", "x"),
]
TEXTS = st.sampled_from(["good", "bad, very", 'so "so"', "two\nlines", "é and 字", "", "\x85", "null"])
USUAL = st.permutations("abcdef").flatmap(
    lambda ids: st.tuples(
        *(
            st.fixed_dictionaries(
                {"id": st.just(id_), "text": TEXTS, "label": st.sampled_from(["pos", "neg"])}
            )
            for id_ in ids
        )
    ).map(list)
)


def with_odd(drawn: tuple[list[dict[str, Any]], int, tuple[str, Any]]) -> list[dict[str, Any]]:
    rows, at, (name, value) = drawn
    rows[at] = {**rows[at], name: value}
    return rows


#: Rows as programs write them but for one cell, which may be harmless; rows of which one lacks a cell.
ROWS = st.tuples(USUAL, st.integers(0, 5), st.sampled_from(ODD)).map(with_odd) | USUAL.map(
    lambda rows: [*rows[:3], {"id": "z"}, *rows[3:]]
)


def json_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def table(rows: Sequence[Mapping[str, Any]], form: str, header: bool) -> str:
    cells = [[str(row[name]) for name in ("id", "text", "label") if name in row] for row in rows]
    cells = [*([["id", "text", "label"]] if header else []), *cells]
    if form == "tsv":
        return "".join("\t".join(row).replace("\n", " ") + "\n" for row in cells)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(cells)
    return text.getvalue()


@contextmanager
def in_blocks(of: int, one_by_one: bool) -> Iterator[None]:
    """So many rows are read at a time, or each is looked at on its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evaluator.data.datasets.rows.BLOCK", of)
        if one_by_one:
            patch.setattr(_Mapping, "plain", lambda mapping, rows: None)
        yield


def read(path: Path, columns: Mapping[str, str | int], skip: bool) -> Dataset | str:
    """The dataset, or why there is none."""
    source = DatasetSource(
        id="d",
        task="sentiment",
        format=path.suffix.removeprefix("."),
        path=path,
        columns=columns,
        label_map={"pos": "positive", "neg": "negative"},
        labels=("negative", "positive"),
        tags={"year": "2026"},
    )
    try:
        return read_dataset(source, skip_malformed=skip)
    except DatasetError as error:
        return str(error)


@settings(max_examples=400)
@given(
    rows=ROWS,
    form=st.sampled_from(["csv", "tsv", "jsonl"]),
    named=st.booleans(),
    has_ids=st.booleans(),
    block=st.integers(1, 6),
    skip=st.booleans(),
)
def test_rows_read_together_are_those_read_one_by_one(
    rows: list[dict[str, Any]], form: str, named: bool, has_ids: bool, block: int, skip: bool
) -> None:
    """Examples, right answers, tags, lines and errors, whatever stands beside what."""
    named = named or form == "jsonl"
    names = ["id", "text", "label"]
    places: dict[str, str | int] = {"statement": "text", "label": "label"} | ({"id": "id"} if has_ids else {})
    columns = places if named else {key: names.index(str(name)) for key, name in places.items()}
    content = json_lines(rows) if form == "jsonl" else table(rows, form, named)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"d.{form}")
        path.write_bytes(content.encode("utf-8", "surrogatepass"))
        with in_blocks(block, one_by_one=False):
            together = read(path, columns, skip)
        with in_blocks(block, one_by_one=True):
            singly = read(path, columns, skip)
    assert together == singly
