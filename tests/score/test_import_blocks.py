"""Files of predictions are read many rows at a time, which nobody notices but by the clock."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.data.datasets import Dataset
from evaluator.score.given_answers import given_answers
from evaluator.score.predictions_file import PredictionsError, PredictionsFile
from evaluator.score.predictions_row import RowReading

DATASET = Dataset(
    id="reviews",
    task="sentiment",
    labels=("negative", "positive"),
    examples=[{"id": id_, "statement": f"It is {id_}."} for id_ in ("r1", "r2", "r3", "é4", "5")],
    gold=("negative", "positive", "positive", "negative", "negative"),
    revision="sha256:" + "0" * 64,
    label_map={"neg": "negative", "pos": "positive"},
)
SHARES = st.sampled_from([{"negative": 0.25, "positive": 0.75}, {"pos": 0.5, "neg": 0.5}, [1, 0]])
ODD = st.sampled_from(
    [None, "", True, 1, -0.5, "NaN", "0.50", "x", [], {"neg": 0.5}, {"neg": 2}, "\ud800", "a:b"]
)
ROW = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["r1", "r2", "r3", "é4", "5"]) | st.sampled_from([5, "r9", "", "a:b", None]),
        "label": st.sampled_from(["negative", "positive", "neg", "pos"]) | ODD,
    },
    optional={
        "confidence": st.sampled_from([0.5, 1, "0.75"]) | ODD,
        "probabilities": SHARES | SHARES.map(json.dumps) | ODD,
        "model": st.sampled_from(["mine", "theirs"]) | ODD,
        "probabilities.neg": st.just("0.25") | ODD,
        "probabilities.pos": st.just("0.75") | ODD,
    },
)
#: Rows as programs write them, and after them perhaps an odd one.
USUAL = st.tuples(st.permutations(DATASET.ids[:4]), st.lists(ROW, max_size=1)).map(
    lambda drawn: [
        *({"id": id_, "label": "pos", "confidence": "0.5", "model": "mine"} for id_ in drawn[0]),
        *drawn[1],
    ]
)


def json_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def table(rows: Sequence[Mapping[str, Any]], separator: str) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    cells = [[_cell(row.get(name)) for name in names] for row in rows]
    writer.writerows([names, *cells])
    return text.getvalue()


def _cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


@contextmanager
def read_in(block: int, few: int, one_by_one: bool = False) -> Iterator[None]:
    """So many rows are read at a time, or each is looked at on its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evaluator.data.datasets.rows.BLOCK", block)
        patch.setattr("evaluator.score.predictions_file.FEW", few)
        if one_by_one:
            patch.setattr("evaluator.data.datasets.rows.plain_json", lambda texts: None)
            patch.setattr(RowReading, "plain", lambda self, rows: None)
        yield


def said(path: Path) -> tuple[Any, ...] | str:
    """What is taken from a file, or why it is refused."""
    try:
        found = given_answers(PredictionsFile(path), DATASET, "mine", "mine", show_text=True)
    except PredictionsError as error:
        return str(error)
    return found.predictions.plain(), dict(found.invalid), list(found.lines), found.picked


@settings(max_examples=300, deadline=None)
@given(
    rows=st.lists(ROW, min_size=1, max_size=7) | USUAL,
    form=st.sampled_from(["csv", "tsv", "jsonl"]),
    broken=st.none() | st.tuples(st.integers(0, 400), st.sampled_from([b"\n", b'"', b"\xff", b",", b"{", b"}"])),
    block=st.integers(1, 5),
    few=st.integers(1, 3),
)  # fmt: skip
def test_many_rows_at_a_time_say_what_each_says(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[dict[str, Any]],
    form: str,
    broken: tuple[int, bytes] | None,
    block: int,
    few: int,
) -> None:
    """The predictions are the same, to the last digit, or the message is, however many rows are read together."""
    text = json_lines(rows) if form == "jsonl" else table(rows, "," if form == "csv" else "\t")
    content = text.encode(errors="replace")
    if broken is not None:
        place, piece = broken
        content = content[:place] + piece + content[place:]
    path = tmp_path_factory.getbasetemp() / f"blocks.{form}"
    path.write_bytes(content)
    with read_in(1, 1, one_by_one=True):
        alone = said(path)
    with read_in(block, few):
        together = said(path)
    assert together == alone


def test_usual_rows_are_never_looked_at_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file as programs write it takes the short way whole; else a million rows would take too long."""
    rows = [
        {"id": id_, "label": "neg", "confidence": 0.5, "probabilities": {"neg": 0.75, "pos": 0.25}, "model": "mine"}
        for id_ in DATASET.ids
    ]  # fmt: skip
    looked_at: list[object] = []
    monkeypatch.setattr(RowReading, "row", lambda self, row: looked_at.append(row))
    for name, text in (("p.jsonl", json_lines(rows)), ("p.csv", table(rows, ","))):
        (tmp_path / name).write_text(text, encoding="utf-8")
        found = said(tmp_path / name)
        assert isinstance(found, tuple)
        assert found[0]["probabilities"] == {"negative": [750_000] * 5}
    assert looked_at == []
