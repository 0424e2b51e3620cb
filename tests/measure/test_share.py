"""An evaluation shared out among machines that know nothing of one another, and brought together again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from forked_command import run as steelyard
from hypothesis import given
from hypothesis import strategies as st
from small_boards import small_board, small_model

from evaluator.measure.run.share import Share
from evaluator.records.errors import UserError
from evaluator.records.store import Store

MODELS = ("a", "b", "c", "d", "e")
HANDLER = """
def load(directory):
    pass

def predict(example):
    return "positive" if "{word}" in example["statement"] else "negative"
"""


@given(st.lists(st.tuples(st.text(), st.text()), unique=True), st.integers(1, 9))
def test_all_shares_together_have_every_unit_once(names: list[tuple[str, str]], of: int) -> None:
    units: Any = [
        SimpleNamespace(model=SimpleNamespace(id=model), dataset=SimpleNamespace(id=dataset))
        for model, dataset in names
    ]
    shared = [unit for number in range(1, of + 1) for unit in Share(number, of).units(units)]
    assert sorted(map(id, shared)) == sorted(map(id, units))


@pytest.mark.parametrize("text", ["0/3", "4/3", "1/0", "3", "a/b", "-1/3", ""])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=r"write it as 3/8"):
        Share.parse(text)


def project(folder: Path) -> Path:
    """A board of five models that are not timed, as its dataset is shown and not ranked by."""
    folder.mkdir()
    (folder / "board.toml").write_text(
        small_board("accuracy", dataset='role = "evaluation"\nsuites = []')
        + "".join(map(small_model, MODELS))
    )
    rows = [
        f"{'good' if row % 2 else 'bad'} {row}\t{'positive' if row % 3 else 'negative'}" for row in range(40)
    ]
    (folder / "d.tsv").write_text("\n".join(rows))
    for number, model in enumerate(MODELS):
        (folder / model).mkdir()
        (folder / model / "handler.py").write_text(HANDLER.replace("{word}", str(number)))
    return folder


def kept(folder: Path) -> dict[str, Any]:
    """What the files of a store say, but for when."""
    files = {path.relative_to(folder): json.loads(path.read_bytes()) for path in folder.rglob("*.json")}
    return {str(name): {key: of[key] for key in of if key != "created"} for name, of in files.items()}


@pytest.mark.slow
def test_three_shares_brought_together_are_the_whole(tmp_path: Path) -> None:
    """Each machine evaluates its share; whoever imports their folders has what one machine would have."""
    whole = project(tmp_path / "whole")
    assert steelyard("evaluate", cwd=whole).returncode == 0
    mine, said = project(tmp_path / "mine"), []
    for number in (1, 2, 3):
        other = project(tmp_path / f"machine-{number}")
        done = steelyard("evaluate", "--share", f"{number}/3", cwd=other)
        assert done.returncode == 0, done.stderr
        if (other / "results").exists():
            said.append(steelyard("import", str(other / "results"), cwd=mine))
    assert [done.returncode for done in said] == [0] * len(said), said
    assert len(said) > 1
    assert sum(int(done.stdout.split()[1]) for done in said) == len(MODELS)
    assert kept(mine / "results") == kept(whole / "results")
    again = steelyard("import", str(tmp_path / "machine-1" / "results"), cwd=mine)
    assert "imported" not in again.stdout
    assert "unchanged" in steelyard("evaluate", cwd=mine).stdout


@pytest.mark.slow
def test_of_two_results_the_newer_stays_and_a_broken_file_stops_all(tmp_path: Path) -> None:
    mine, other = project(tmp_path / "mine"), project(tmp_path / "other")
    assert steelyard("evaluate", "--model", "a", cwd=mine).returncode == 0
    shutil.copytree(mine / "results", other / "results")
    ours, theirs = Store(mine / "results"), Store(other / "results")
    [result] = ours.results()
    predictions = ours.predictions(result)
    theirs.save(result.model_copy(update={"created": "2001-01-01T00:00:00Z"}), predictions)
    done = steelyard("import", str(other / "results"), cwd=mine)
    assert (done.returncode, "1 kept ours" in done.stdout) == (0, True), done.stderr
    assert list(ours.results()) == [result]
    newer = result.model_copy(update={"created": "2999-01-01T00:00:00Z"})
    theirs.save(newer, predictions)
    assert steelyard("import", str(other / "results"), cwd=mine).returncode == 0
    assert list(ours.results()) == [newer]
    theirs.save(newer.model_copy(update={"created": "2999-01-02T00:00:00Z"}), predictions)
    [file] = (other / "results").rglob("*.predictions.json")
    file.write_text(file.read_text().replace('"predicted"', '"predicted "'))
    done = steelyard("import", str(other / "results"), cwd=mine)
    assert done.returncode == 1
    assert file.name in done.stderr
    assert list(ours.results()) == [newer]


@pytest.mark.slow
def test_results_on_a_dataset_that_the_board_file_lacks_are_refused(tmp_path: Path) -> None:
    mine, other = project(tmp_path / "mine"), project(tmp_path / "other")
    board = other / "board.toml"
    board.write_text(board.read_text().replace('"d"', '"dd"'))
    assert steelyard("evaluate", "--model", "a", cwd=other).returncode == 0
    around = steelyard("import", str(other), cwd=mine)
    assert f"{other}: holds more than results; import {other / 'results'}" in around.stderr
    done = steelyard("import", str(other / "results"), cwd=mine)
    assert done.returncode == 1
    assert "the board file has no dataset dd; did you mean d?" in done.stderr
    assert not (mine / "results").exists()
