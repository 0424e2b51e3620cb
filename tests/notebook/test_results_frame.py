"""A folder of results as one frame: every number, what has none too, and where each comes from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas
import pytest

from evaluator import results_frame
from evaluator.records.errors import UserError
from evaluator.records.store import Store

RESULTS = Path(__file__).parents[2] / "results"


def test_every_number_of_every_result_is_in_the_frame() -> None:
    """Value, unit, version and provenance are those of the file that the row names."""
    frame = results_frame(RESULTS)
    stored = [(path, Store(RESULTS).load(path)) for path in Store(RESULTS).paths()]
    assert len(frame) == sum(max(1, len(result.scores)) for _, result in stored)
    rows = {(row.file, row.metric): row for row in frame.itertuples()}
    for path, result in stored:
        for name, score in result.scores.items():
            row = rows[str(path), name]
            assert (row.value, row.unit, row.version) == (score.value, score.unit, score.version)
            assert (row.task, row.dataset, row.model) == (result.task, result.dataset.id, result.model.id)
            assert (row.provenance, row.status) == (result.provenance, result.status)
    assert set(frame.provenance) >= {"measured", "predictions", "reported"}
    assert isinstance(frame.created.dtype, pandas.DatetimeTZDtype)


def test_a_failed_result_has_a_row_without_a_number(tmp_path: Path) -> None:
    """It is not dropped in silence."""
    document = json.loads((RESULTS / "sentiment" / "sst-2" / "vader.json").read_bytes())
    document |= {"status": "failed", "scores": {}, "suites": {}, "tags": {}}
    document = {name: value for name, value in document.items() if name not in ("predictions", "measurement")}
    path = tmp_path / "sentiment" / "sst-2" / "vader.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    [row] = results_frame(tmp_path).itertuples()
    assert (row.model, row.status, row.file) == ("vader", "failed", str(path))
    assert pandas.isna(row.metric)
    assert pandas.isna(row.value)


def test_a_folder_without_results_is_an_error(tmp_path: Path) -> None:
    """A wrong path is more frequent than a board without any."""
    with pytest.raises(UserError, match=r"has no results \(TASK/DATASET/MODEL.json\); give the folder"):
        results_frame(tmp_path)


def test_a_bad_file_is_named(tmp_path: Path) -> None:
    """With what is wrong in it."""
    path = tmp_path / "sentiment" / "sst-2" / "vader.json"
    path.parent.mkdir(parents=True)
    shutil.copy(RESULTS / "sentiment" / "sst-2" / "vader.json", path)
    path.write_text(path.read_text(encoding="utf-8").replace('"measured"', '"guessed"'), encoding="utf-8")
    with pytest.raises(UserError, match=r"vader.json: provenance: .*\(got 'guessed'\)"):
        results_frame(tmp_path)
