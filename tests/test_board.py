"""board.toml: what it may say, and how results become the cells of a board."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.board import BoardError, assemble, load_boards
from evaluator.records import DatasetRef, ModelRef, Result, Score, Source, digest

GOLDEN = Result.model_validate_json((Path(__file__).parent / "golden" / "result-v3.json").read_bytes())
TOML = """
title = "T"

[[datasets]]
id = "d"
label = "D"
task = "sentiment"

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "accuracy"
datasets = ["d"]
metrics = [
  { name = "accuracy", label = "Accuracy", unit = "%" },
  { name = "throughput", label = "Throughput", unit = "examples/s" },
  { name = "memory", label = "Memory", unit = "GB", direction = "lower", cap = 16.0 },
]
"""


@pytest.fixture
def board_file(tmp_path: Path) -> Path:
    path = tmp_path / "board.toml"
    path.write_text(TOML)
    return path


def result(model: str, accuracy: float, **changes) -> Result:
    base = GOLDEN.model_copy(
        update={
            "model": ModelRef(id=model, label=model.upper()),
            "dataset": DatasetRef(id="d", revision=digest("d"), examples=10),
            "scores": GOLDEN.scores | {"accuracy": Score(value=accuracy, unit="%", version="accuracy-1")},
        }
    )
    return base.model_copy(update=changes)


def cells(board_file: Path, results: list[Result]) -> dict[str, list[float | None]]:
    boards = load_boards(board_file)
    return assemble(boards.boards[0], boards, results).data["values"]["d"]


def test_results_become_cells(board_file: Path) -> None:
    """Results on a board's datasets fill its cells, models sorted by id, others left out."""
    elsewhere = result("z", 1.0, dataset=DatasetRef(id="other", revision=digest("d")))
    boards = load_boards(board_file)
    assembled = assemble(boards.boards[0], boards, [result("y", 60.0), elsewhere, result("x", 50.0)])
    assert assembled.data["models"] == ["x", "y"]
    assert assembled.data["values"]["d"]["accuracy"] == [50.0, 60.0]
    assert assembled.entries["x"].label == "X"
    assert assembled.timestamp == GOLDEN.created


def test_other_data_is_not_compared(board_file: Path) -> None:
    """A result on another revision of the dataset loses its cells and is flagged as stale."""
    old = result("x", 99.0, dataset=DatasetRef(id="d", revision=digest("old"), examples=10))
    boards = load_boards(board_file)
    assembled = assemble(boards.boards[0], boards, [old, result("y", 60.0), result("z", 61.0)])
    assert assembled.data["values"]["d"]["accuracy"] == [None, 60.0, 61.0]
    assert "accuracy on d was measured on other data" in assembled.entries["x"].stale[0]


def test_timings_of_another_machine_are_not_compared(board_file: Path) -> None:
    """Throughput and memory from another machine are left out, accuracy is kept."""
    assert GOLDEN.measurement is not None
    fingerprint = GOLDEN.measurement.fingerprint.model_copy(update={"cpu": "another"})
    measurement = GOLDEN.measurement.model_copy(update={"fingerprint": fingerprint})
    found = cells(board_file, [result("x", 1.0, measurement=measurement), result("y", 2.0), result("z", 3.0)])
    assert found["accuracy"] == [1.0, 2.0, 3.0]
    assert found["throughput"][0] is None
    assert found["memory"][0] is None
    assert None not in found["throughput"][1:]


def test_a_reported_number_is_not_compared_with_a_measured_one(board_file: Path) -> None:
    """A number a paper reports is flagged beside numbers measured here."""
    reported = result("x", 90.0, provenance="reported", source=Source(citation="P"), measurement=None)
    assert cells(board_file, [reported, result("y", 60.0), result("z", 61.0)])["accuracy"][0] is None


def test_a_failed_run_leaves_empty_cells_and_a_reason(board_file: Path) -> None:
    """A failed model is on the board without numbers, with what went wrong."""
    document = GOLDEN.plain() | {
        "model": {"id": "x", "label": "X"},
        "dataset": {"id": "d"},
        "status": "failed",
        "scores": {},
        "failures": [{"kind": "exited", "message": "it exited", "count": 1}],
    }
    boards = load_boards(board_file)
    assembled = assemble(boards.boards[0], boards, [Result.model_validate(document), result("y", 60.0)])
    assert assembled.data["values"]["d"]["accuracy"] == [None, 60.0]
    assert assembled.entries["x"].failures == ["d: it exited"]


def test_a_new_measurement_wins_a_tie(tmp_path: Path, board_file: Path) -> None:
    """With as many old as new numbers, the newest ones decide which are comparable."""
    old = result("x", 1.0, dataset=DatasetRef(id="d", revision=digest("old")), created="2020-01-01T00:00:00Z")
    new = result("y", 2.0, created="2021-01-01T00:00:00Z")
    assert cells(board_file, [old, new])["accuracy"] == [None, 2.0]


def test_a_missing_board_file_says_where_to_run(tmp_path: Path) -> None:
    """Without a board.toml the error says what to do."""
    with pytest.raises(BoardError, match="no such file; run from the folder"):
        load_boards(tmp_path / "board.toml")
