"""Rows of predictions: the short way through plain ones says what the long way says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.datasets.rows import BadRow, FileRow, cut, parse_json
from evaluator.plain_text import FileText
from evaluator.scoring.predictions_row import Given, RowProblem, RowReading
from evaluator.tasks import FieldError, Prediction, get_task
from evaluator.tasks.answers import FILE

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


def long_way(reading: RowReading, row: FileRow) -> Given | RowProblem | str:
    """What the checks of the task make of a row, or why they refuse it."""
    try:
        said = reading._given(row)
        assert isinstance(said.output, dict)
        return said._replace(output=NLI.check_output(said.output, LABELS, FILE))
    except FieldError as error:
        return str(error)


@given(cells=CELLS, columns=st.sets(st.sampled_from(["model", "confidence", "probabilities"])))
def test_the_short_way_says_what_the_long_way_says(cells: dict[str, Any], columns: set[str]) -> None:
    """A row that is read the short way is one that the task accepts, and is read as the task reads it."""
    names = {name: column for name, column in NAMES.items() if name in {"id", "label", *columns}}
    reading, row = RowReading(names, LABEL_MAP, LABELS, NLI), FileRow(3, cells)
    plain = reading._plain(row)
    assert plain is None or repr(plain) == repr(long_way(reading, row))


@pytest.mark.parametrize(
    ("cells", "answer"),
    [
        ({"said": "yes"}, Prediction(0)),
        ({"said": "maybe", "sure": "0.5"}, Prediction(1, 0.5)),
        ({"said": "entailed", "shares": {"0": 0, "n": 0.25, "yes": 0.75}}, Prediction(0, None, (0.75, 0.25, 0.0))),
        ({"said": "entailed", "sure": 1, "shares": "[0.5, 0.5, 0]"}, Prediction(0, 1.0, (0.5, 0.5, 0.0))),
    ],
)  # fmt: skip
def test_usual_rows_are_read_the_short_way(cells: dict[str, Any], answer: Prediction) -> None:
    """Labels in the words of a file, numbers as CSV and JSON have them, objects and lists are plain."""
    row = FileRow(1, {"uid": "r1", "by": "me", **cells})
    assert RowReading(NAMES, LABEL_MAP, LABELS, NLI).row(row) == Given(1, "r1", "me", answer)


def test_columns_of_one_label_each_are_read_the_long_way() -> None:
    """A file with a column for each label's probability has no plain rows, and is read all the same."""
    names = {"id": "uid", "label": "said", **{f"probabilities.{label}": label for label in LABELS}}
    row = FileRow(1, {"uid": "r1", "said": "yes", "entailed": "1", "neutral": "0", "contradictory": "0"})
    shares = dict(zip(LABELS, (1.0, 0.0, 0.0), strict=True))
    assert RowReading(names, LABEL_MAP, LABELS, NLI).row(row) == Given(
        1, "r1", None, {"label": "entailed", "probabilities": shares}
    )


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
