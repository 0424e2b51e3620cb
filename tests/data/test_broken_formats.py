"""Files of every format that are nearly right: any value in any place, and any bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import test_hate_formats
import test_nli_formats
import test_qa_formats
import test_sentiment_formats
from broken_files import accounted, altered, as_lines, damaged, fuzz, read_or_explain, written
from hypothesis import given
from hypothesis import strategies as st

#: Formats of JSON lines with one example a row: name of the file, task and rows.
ROWS: dict[str, tuple[str, str, list[Any]]] = {
    **{form: (name, "nli", rows) for form, (name, rows) in test_nli_formats.FORMS.items()},
    "adversarial-qa": ("dev.jsonl", "qa", test_qa_formats.HUB),
    "dynasent": ("r.jsonl", "sentiment", test_sentiment_formats.ROUND_ONE),
}
#: Everything that is no such table: name of the file, task and content.
FILES: dict[str, tuple[str, str, bytes]] = {
    **{form: ("data", "sentiment", text.encode()) for form, text in test_sentiment_formats.WHOLE.items()},
    **{form: ("data.csv", "hate-speech", text.encode()) for form, text in test_hate_formats.NAMES.items()},
    "hans": ("set.txt", "nli", test_nli_formats.tsv(test_nli_formats.HANS)),
    "winogender": ("set.tsv", "nli", test_nli_formats.tsv(test_nli_formats.WINOGENDER)),
    "squad": ("dev.json", "qa", json.dumps(test_qa_formats.SQUAD_2, indent=1).encode()),
    "mrqa": ("dev.jsonl", "qa", as_lines(test_qa_formats.MRQA)),
}


@fuzz
@given(form=st.sampled_from(sorted(ROWS)), data=st.data())
def test_any_value_in_any_place(tmp_path: Path, form: str, data: st.DataObject) -> None:
    """Any JSON value anywhere in a file is read or explained, and no row is lost."""
    name, task, valid = ROWS[form]
    rows = [data.draw(altered(row)) if data.draw(st.booleans()) else row for row in valid]
    dataset = read_or_explain(written(tmp_path, name, as_lines(rows), task, form))
    assert dataset is None or accounted(dataset) == len(rows)


@fuzz
@given(
    value=altered(test_qa_formats.SQUAD) | altered(test_qa_formats.SQUAD_2),
    form=st.sampled_from(["squad", "adversarial-qa"]),
)
def test_any_value_in_any_place_of_a_document(tmp_path: Path, value: Any, form: str) -> None:
    """So are documents."""
    read_or_explain(test_qa_formats.document(tmp_path, value, form))


@fuzz
@given(form=st.sampled_from(sorted(FILES)), data=st.data())
def test_any_bytes(tmp_path: Path, form: str, data: st.DataObject) -> None:
    """A file with some bytes damaged, or of any bytes at all, is read or explained."""
    name, task, valid = FILES[form]
    content = data.draw(damaged(valid) | st.binary(max_size=60))
    read_or_explain(written(tmp_path, name, content, task, form))
