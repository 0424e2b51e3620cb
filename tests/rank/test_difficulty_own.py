"""A visitor's own file of predictions: which files can be read, and the errors for those that cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from difficulty_cases import documents

from evaluator.data.tasks import get_task
from evaluator.rank.difficulty import Samples, open_samples, remove_json
from evaluator.rank.difficulty_order import DifficultyQuestion
from evaluator.rank.own_predictions import COLUMNS, add_json, add_own, read_own
from evaluator.score.prediction_rows import PredictionRows, PredictionsFile

IDS, LABELS = ["x0", "x1", "x2"], ["yes", "no"]


@pytest.fixture
def samples() -> Samples:
    return open_samples(json.dumps(documents([0.9, 0.5, 0.1], {"theirs": [True, True, False]})))


@pytest.mark.parametrize(
    "text",
    [
        "id,label,confidence\nx0,yes,0.9\nx1,no,0.5\nx2,yes,\n",
        "\ufeffid\tlabel\tconfidence\r\nx0\tyes\t0.9\r\n\r\nx1\tno\t.5\r\nx2\tyes\t\r\n",
        '{"id": "x0", "label": "yes", "confidence": 0.9}\n\n{"id": "x1", "label": "no", "confidence": 0.5}\n'
        '{"id": "x2", "label": "yes"}',
        '{"uid": "x0", "pred": "yes", "probabilities": {"yes": 0.9}}\n{"uid": "x1", "pred": "no", "probs": {"no": 0.5}}\n'
        '{"uid": "x2", "pred": "yes"}\n',
        "id,label,probabilities.yes,probabilities.no\nx0,yes,0.9,0.1\nx1,no,0.5,0.5\nx2,yes,,\n",
        "id,label,yes,no\nx0,yes,0.9,0.1\nx1,no,0.5,0.5\nx2,yes,,\n",
        'id,label,probabilities\nx0,yes,"{""yes"": 0.9}"\nx1,no,"{""no"": 0.5}"\nx2,yes,\n',
    ],
    ids=["csv", "tsv", "jsonl", "probabilities", "columns", "labels", "objects"],
)
def test_tables_and_json_lines_say_the_same(text: str) -> None:
    """CSV, TSV and JSON lines, with confidences, probabilities or neither, under their usual names."""
    own = read_own(text, "mine", IDS, LABELS)
    assert own.record["predicted"] == [0, 1, 0]
    assert own.record["exact_confidence"] == [0.9, 0.5, None]
    assert (own.answered, own.missing, own.invalid, own.confidences, own.notes) == (3, 0, 0, 2, [])


@pytest.mark.parametrize(
    ("meaning", "name"), [(m, name) for m in ("id", "label", "confidence") for name in COLUMNS[m]]
)
def test_both_readers_know_the_same_columns(tmp_path: Path, meaning: str, name: str) -> None:
    """A column's name means the same in a visitor's file and in one that is imported."""
    header = ",".join(name if column == meaning else column for column in ("id", "label", "confidence"))
    path = tmp_path / "mine.csv"
    path.write_text(f"{header}\nx0,yes,0.9\n")
    own = read_own(path.read_text(), path.name, ["x0"], LABELS)
    [given] = PredictionRows.read(PredictionsFile(path), get_task("classification"), LABELS, {})
    assert (own.record["predicted"], own.record["exact_confidence"]) == ([0], [0.9])
    assert (given.id, given.output) == ("x0", {"label": "yes", "confidence": 0.9})


def test_what_is_missing_or_no_label_counts_as_wrong_and_is_said(samples: Samples) -> None:
    """An example without an answer and an answer that is no label are wrong, counted and named."""
    asked = {"model": "own", "name": "mine.csv", "text": "id,label\nx0,maybe\nx1,yes\n"}
    said = json.loads(add_json(samples, json.dumps(asked)))
    assert said == {
        "model": "own",
        "examples": 3,
        "answered": 2,
        "missing": 1,
        "invalid": 1,
        "confidences": 0,
        "notes": [
            "1 example has no answer and counts as wrong: x2.",
            "1 answer is no label and counts as wrong: maybe; labels are yes, no.",
        ],
    }
    rows = {row.model: row for row in samples.answer(DifficultyQuestion("wsbias-1", splits=3)).rows}
    assert rows["own"].accuracy == pytest.approx(100 / 3)
    assert rows["own"].rank == 2
    assert remove_json(samples, json.dumps({"model": "own"})) == "{}"
    assert "own" not in samples.models


def test_labels_that_the_probabilities_speak_against_are_counted() -> None:
    """Whoever mixed up columns is told; even shares say nothing."""
    own = read_own("id,label,yes,no\nx0,yes,0.1,0.9\nx1,no,0.9,0.1\nx2,no,0.5,0.5\n", "mine", IDS, LABELS)
    assert own.notes == [
        "2 labels are not the most probable ones by the file's own probabilities; look whether its columns are mixed up."
    ]


def test_a_label_that_counts_as_a_coarser_one_is_taken(samples: Samples) -> None:
    """What models may answer, a visitor's file may too."""
    samples.merge = {"aye": "yes"}
    add_own(samples, "own", "id,label\nx0,aye\nx1,no\nx2,yes\n", "mine.csv")
    assert samples.models["own"].right == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "mine, line 1: id: no column of it; name the columns id and label, not nothing"),
        ("name,label\nx0,yes\n", "mine, line 1: id: no column of it; .* not 'name', 'label'"),
        ("id,id\nx0,yes\n", "mine, line 1: 'id' names two columns"),
        ("id,label\n", "mine: has no predictions; give it one row an example"),
        (
            "id,label\nx0,yes\nx9,no\n",
            "mine, line 3: id: 'x9' is no example of the dataset, whose ids are 'x0'",
        ),
        ("id,label\nx0,yes\nx0,no\n", "mine, line 3: id: 'x0' is in line 2 too; keep one of them"),
        ("id,label\nx0\n", "mine, line 2: has 1 columns, not 2; correct the row"),
        ("id,label\n,yes\n", "mine, line 2: id: None is not an id"),
        ("id,confidence\nx0,1\n", "mine, line 2: label: missing"),
        ("id,label,confidence\nx0,yes,90%\n", "mine, line 2: confidence: '90%' is not a number from 0 to 1"),
        ("id,label,confidence\nx0,yes,1.5\n", "mine, line 2: confidence: '1.5' is not a number from 0 to 1"),
        ("id,label,confidence\nx0,yes,nan\n", "mine, line 2: confidence: 'nan' is not a number from 0 to 1"),
        ("id,label,probs\nx0,yes,high\n", "mine, line 2: probabilities: 'high' is no object"),
        ('{"id": "x0", "label": "yes"}\n{"id": \n', "mine, line 2: is not JSON"),
        ('{"id": "x0", "label": "yes"}\n3\n', "mine, line 2: is not an object"),
        ('{"id": true, "label": "yes"}\n', "mine, line 1: id: True is not an id"),
        ('id,label\nx0,"yes\n', "mine, line 2: unexpected end of data; correct the quotes"),
    ],
)
def test_a_file_that_cannot_be_read_is_explained(text: str, message: str) -> None:
    """Errors name the file, the line, the field, the value and the fix."""
    with pytest.raises(ValueError, match=message):
        read_own(text, "mine", IDS, LABELS)
