"""Rows of a file of predictions, as what a model would have answered."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import evaluator
import site_src
from evaluator.data.tasks import get_task
from evaluator.score import predictions
from evaluator.score.predictions import Given, PredictionsFile, RowProblem, prediction_rows

LABELS = ("entailed", "neutral", "contradictory")
NAMES = {"id": "uid", "label": "said", "model": "by"}
#: The file's words: one for a label, one for another word that the task knows, one of a number.
LABEL_MAP = {"yes": "entailed", "maybe": "n", "0": "contradictory"}
NLI = get_task("nli")


def row_of(folder: Path, cells: dict[str, Any], **columns: str) -> Given | RowProblem:
    """What a row of JSON lines says."""
    path = folder / "p.jsonl"
    path.write_text(json.dumps({"uid": "r1", "by": "me", **cells}))
    file = PredictionsFile(path, columns={**NAMES, **columns}, label_map=LABEL_MAP)
    [row] = prediction_rows(file, NLI, LABELS, {**NLI.words})
    return row


@pytest.mark.parametrize(
    ("cells", "output"),
    [
        ({"said": "yes"}, {"label": "entailed"}),
        ({"said": 0}, {"label": "contradictory"}),
        ({"said": "maybe", "confidence": "0.5"}, {"label": "neutral", "confidence": 0.5}),
        ({"said": "yes", "confidence": "", "probabilities": None}, {"label": "entailed"}),
        (
            {"said": "entailed", "probs": {"0": 0, "n": 0.25, "yes": 0.75}},
            {"label": "entailed", "probabilities": {"contradictory": 0, "neutral": 0.25, "entailed": 0.75}},
        ),
        (
            {"said": "entailed", "probabilities": "[0.5, 0.5, 0]"},
            {"label": "entailed", "probabilities": {"entailed": 0.5, "neutral": 0.5, "contradictory": 0}},
        ),
        ({"said": {"label": "yes"}}, {"label": {"label": "yes"}}),
    ],
)
def test_a_row_says_what_a_model_would_have(
    cells: dict[str, Any], output: dict[str, Any], tmp_path: Path
) -> None:
    """Labels in the words of a file, numbers as CSV and JSON have them, objects and lists of probabilities."""
    assert row_of(tmp_path, cells) == Given(1, "r1", "me", output)


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({"said": "yes", "uid": True}, "id: True is not an id; give a string or a whole number"),
        ({"said": "yes", "uid": "\ud800"}, "id: '\\ud800' is not an id"),
        ({"said": "yes", "confidence": "high"}, "confidence: 'high' is not a number"),
        (
            {"said": "yes", "probabilities": [1]},
            "probabilities: [1] does not fit the labels; give one number for",
        ),
        ({"said": "yes", "probabilities": "{"}, "probabilities: '{' is not JSON ("),
        ({"said": "yes", "probabilities": '{"n": 1, "n": 0}'}, "has the key 'n' twice in one object"),
        ({"said": "yes", "probabilities": {"n": 1, "maybe": 0}}, "'n' and 'maybe' both mean 'neutral'"),
    ],
)
def test_a_row_that_cannot_be_read_says_why(cells: dict[str, Any], problem: str, tmp_path: Path) -> None:
    """With the field, the value and the fix."""
    row = row_of(tmp_path, cells)
    assert isinstance(row, RowProblem)
    assert problem in str(row.error)


def test_a_probability_may_have_a_column_of_its_own(tmp_path: Path) -> None:
    """As well as a place in an object."""
    path = tmp_path / "p.csv"
    path.write_text("uid,said,no,yes,other\nr1,yes,0,1,0\n")
    apart = dict(zip(LABELS, ("yes", "no", "other"), strict=True))
    columns = {"id": "uid", "label": "said", **{f"probabilities.{label}": apart[label] for label in LABELS}}
    [row] = prediction_rows(
        PredictionsFile(path, columns=columns, label_map=LABEL_MAP), NLI, LABELS, NLI.words
    )
    assert isinstance(row, Given)
    assert row.output == {
        "label": "entailed",
        "probabilities": {"entailed": 1, "neutral": 0, "contradictory": 0},
    }


def test_the_names_of_columns_stand_in_one_place() -> None:
    """The visitor's page and imports read files with one vocabulary; no other module has words of its own."""
    packages = [Path(package).rglob("*.py") for package in (*evaluator.__path__, *site_src.__path__)]
    words = ('"predicted_label"', '"prediction_text"', '"probs"')
    found = {
        (path.name, word)
        for path in itertools.chain(*packages)
        for word in words
        if word in path.read_text(encoding="utf-8")
    }
    assert found == {("own_predictions.py", word) for word in words}
    assert predictions.COLUMNS["probabilities"] == ("probabilities", "probs")
