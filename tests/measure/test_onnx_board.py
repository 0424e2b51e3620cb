"""A classifier on a board by the recipe that exports it: prepared, measured in a worker, and compared with its source."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from forked_command import finished as steelyard
from small_boards import small_board

from evaluator.measure.models import open_model
from evaluator.records.store import Store

pytestmark = pytest.mark.slow

LABELS = ("negative", "positive")
ROWS = ["good film\tpositive", "bad film\tnegative", "not bad\tpositive", "films\tnegative"]
BOARD = small_board("accuracy", measure={"repeats": 1, "seconds": 0.001})
TRAIN = """
[[datasets]]
id = "train"
label = "Train"
task = "sentiment"
role = "training"
path = "train.tsv"
format = "tsv"
columns = { statement = 0, label = 1 }
labels = ["negative", "positive"]
"""
MODEL = """
[[models]]
id = "exported"
label = "Exported"
task = "sentiment"
recipe = "onnx"
directory = "models/bert"
train = "train"
"""


@pytest.fixture
def project(tmp_path: Path, save_bert: Callable[..., None]) -> Path:
    """A board with a tiny BERT to export."""
    (tmp_path / "models").mkdir()
    save_bert(tmp_path / "models" / "bert", LABELS)
    board = BOARD.replace("[[boards]]", f"{TRAIN}\n[[boards]]", 1)
    (tmp_path / "board.toml").write_text(board + MODEL, encoding="utf-8")
    (tmp_path / "d.tsv").write_text("\n".join(ROWS), encoding="utf-8")
    (tmp_path / "train.tsv").write_text("good\tpositive\nbad\tnegative\nnot good\tnegative", encoding="utf-8")
    return tmp_path


def test_an_exported_classifier_is_measured_and_compared(project: Path) -> None:
    """It gives the predictions of its source, the result says how both compare, and no path is in it."""
    steelyard("check", cwd=project)
    steelyard("evaluate", cwd=project)
    store = Store(project / "results")
    result = store.find("sentiment", "d", "exported")
    assert result is not None
    assert result.model.parity is not None
    assert (result.model.parity.texts, result.model.parity.same_label) == (3, 3)
    assert 0 < result.model.parity.largest_difference < 1e-5
    assert "parity" not in result.model.made_from["origin"]
    source = open_model("transformers", project / "models" / "bert", {}, "sentiment", LABELS)
    expected = [source.predict({"statement": row.split("\t")[0]})["label"] for row in ROWS]
    predicted = store.predictions(result).predicted or ()
    assert [LABELS[place] for place in predicted] == expected
    assert str(project) not in result.model_dump_json()
