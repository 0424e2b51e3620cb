"""Rows of predictions: the short way through plain ones says what the long way says."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluator
import site_src
from evaluator.data.datasets.rows import BadRow, FileRow, PlainRows, cut, parse_json
from evaluator.data.plain_text import FileText
from evaluator.data.tasks import FieldError, Prediction, get_task
from evaluator.data.tasks.answers import FILE
from evaluator.rank import own_predictions
from evaluator.score import predictions_file
from evaluator.score.predictions_row import Given, RowProblem, RowReading, TableRows

LABELS = ("entailed", "neutral", "contradictory")
NAMES = {"id": "uid", "label": "said", "model": "by", "confidence": "sure", "probabilities": "shares"}
#: The file's words: one for a label, one for another word that the task knows, one that hides a label's name.
LABEL_MAP = {"yes": "entailed", "maybe": "n", "0": "contradictory", "neutral": "neutral"}
NLI = get_task("nli")

WORDS = st.sampled_from([*LABELS, *LABEL_MAP, "entailment", "c", "no label", "", "\ud800"])
SHARES = st.sampled_from([0, 1, 0.5, 0.25, "0.25", "1e-1", -0.0, 1.0005, float("nan"), float("inf"), 2**70])
ODD = st.sampled_from([None, "", True, False, 3, "x", [], {}, ["0.5"], "nan", "\ud800"])
STATED = (
    st.dictionaries(WORDS, SHARES | ODD, max_size=4)
    | st.lists(SHARES | ODD, max_size=4)
    | st.permutations([0.25, 0.25, 0.5])
    | st.permutations([0.25, 0.25, 0.5]).map(lambda shares: dict(zip(LABELS, shares, strict=True)))
)
CELLS = st.fixed_dictionaries(
    {"uid": st.sampled_from(["r1", "é", 7, True, None, "\ud800"]), "said": WORDS | ODD},
    optional={
        "by": st.sampled_from(["me", "", None, 0, 1.5]),
        "sure": SHARES | ODD,
        "shares": STATED | STATED.map(json.dumps) | ODD,
        "more": ODD,
    },
)


def long_way(reading: RowReading, row: FileRow) -> Given | RowProblem:
    """What the checks of the task make of a row, or why they refuse it."""
    said = reading.row(row)
    if isinstance(said, RowProblem):
        return said
    assert isinstance(said.output, dict)
    try:
        return said._replace(output=NLI.check_output(said.output, LABELS, FILE))
    except FieldError as error:
        return RowProblem(row.line, error)


def short_way(reading: RowReading, cells: list[dict[str, Any]]) -> list[Given] | None:
    """What rows say that are read together; None if they cannot be."""
    found = reading.plain(PlainRows(range(1, len(cells) + 1), cells))
    return None if found is None else list(found)


@given(
    rows=st.lists(CELLS, min_size=1, max_size=3),
    columns=st.sets(st.sampled_from(["model", "confidence", "probabilities"])),
)
def test_the_short_way_says_what_the_long_way_says(rows: list[dict[str, Any]], columns: set[str]) -> None:
    """Rows that are read together are ones that the task accepts, and are read as the task reads each."""
    names = {name: column for name, column in NAMES.items() if name in {"id", "label", *columns}}
    reading = RowReading(names, LABEL_MAP, LABELS, NLI)
    plain = short_way(reading, rows)
    each = [long_way(reading, FileRow(line, cells)) for line, cells in enumerate(rows, start=1)]
    assert plain is None or repr(plain) == repr(each)


@pytest.mark.parametrize(
    ("cells", "answer"),
    [
        ({"said": "yes"}, Prediction(0)),
        ({"said": 0}, Prediction(2)),
        ({"said": "maybe", "sure": "0.5"}, Prediction(1, 0.5)),
        ({"said": "entailed", "shares": {"0": 0, "n": 0.25, "yes": 0.75}}, Prediction(0, None, (0.75, 0.25, 0.0))),
        ({"said": "entailed", "sure": 1, "shares": "[0.5, 0.5, 0]"}, Prediction(0, 1.0, (0.5, 0.5, 0.0))),
    ],
)  # fmt: skip
def test_usual_rows_are_read_the_short_way(cells: dict[str, Any], answer: Prediction) -> None:
    """Labels in the words of a file, numbers as CSV and JSON have them, objects and lists are plain."""
    reading = RowReading(NAMES, LABEL_MAP, LABELS, NLI)
    rows = [{"uid": id_, "by": "me", **cells} for id_ in ("r1", "r2")]
    assert short_way(reading, rows) == [Given(1, "r1", "me", answer), Given(2, "r2", "me", answer)]


def test_a_table_with_a_column_for_each_label_is_read_the_short_way() -> None:
    """A probability may have a column of its own, as well as a place in an object."""
    names = {"id": "uid", "label": "said", **{f"probabilities.{label}": label for label in LABELS}}
    rows = TableRows(
        [2], [["r1", "yes", "0", "1", "0"]], ("uid", "said", "neutral", "entailed", "contradictory")
    )
    found = RowReading(names, LABEL_MAP | {"neutral": "neutral"}, LABELS, NLI).plain(rows)
    assert found is not None
    assert list(found) == [Given(2, "r1", None, Prediction(0, None, (1.0, 0.0, 0.0)))]


def objects(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """JSON objects whose keys may be there twice, with `inner` as values."""
    pairs = st.lists(st.tuples(st.sampled_from(["a", "b", ":", '"', "{:"]), inner), max_size=4)
    return pairs.map(
        lambda them: "{" + ", ".join(f"{json.dumps(key)} : {value}" for key, value in them) + "}"
    )


SCALARS = st.sampled_from(["1", '"a:b"', '"\\u003a"', "null", "NaN", str(10**30), "1e400", "[]"])
LINES = objects(SCALARS | objects(SCALARS | objects(SCALARS)) | objects(SCALARS).map("[{}]".format))


@given(line=LINES | LINES.map("{} ".format) | LINES.map("{}1".format) | SCALARS)
def test_a_line_of_json_is_read_as_ever_or_refused_as_ever(line: str) -> None:
    """Whatever a line holds, keys twice included: its row is the object that JSON has there, or none."""
    [row] = cut(FileText(line.encode(), "x"), "jsonl")
    try:
        found, problem = parse_json(line), ""
    except ValueError as error:
        found, problem = None, str(error)
    if isinstance(found, dict):
        assert isinstance(row, FileRow)
        assert repr(row.cells) == repr(found)
    else:
        assert isinstance(row, BadRow)
        assert row.problem == (problem or "is not a JSON object")


def test_the_names_of_columns_stand_in_one_place() -> None:
    """The visitor's page and imports read files with one vocabulary; no other module has words of its own."""
    assert predictions_file.COLUMNS is own_predictions.COLUMNS
    packages = [Path(package).rglob("*.py") for package in (*evaluator.__path__, *site_src.__path__)]
    words = ('"predicted_label"', '"prediction_text"', '"probs"')
    found = {
        (path.name, word)
        for path in itertools.chain(*packages)
        for word in words
        if word in path.read_text(encoding="utf-8")
    }
    assert found == {("own_predictions.py", word) for word in words}
