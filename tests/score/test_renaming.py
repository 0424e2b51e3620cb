"""A model that has another id now: its results move to it, and `check` tells what waits or has no table."""

from __future__ import annotations

from pathlib import Path

import pytest
from forked_command import run as steelyard
from imported import BOARD, dataset, files, make_project, store, take

from evaluator.records.board import Boards, load_boards
from evaluator.records.datasets import DifficultyTable
from evaluator.records.errors import UserError
from evaluator.records.references import ModelRef
from evaluator.records.result import Result
from evaluator.records.store import COVARIANCES
from evaluator.score.checking import stored_problems
from evaluator.score.covariances import differences
from evaluator.score.keeping import keep_covariances
from evaluator.score.recomputing import recompute
from evaluator.score.renaming import (
    move_results,
    moves_to_make,
    naming_problems,
    without_dataset,
    without_table,
)

GOLDEN = Path(__file__).parents[1] / "golden"
TABLE = '\n[[models]]\nid = "new"\nwas = "old"\nlabel = "Renamed"\ntask = "sentiment"\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two models with results and what is kept of both."""
    make_project(tmp_path)
    take(tmp_path, "p.json", {"r1": "neg", "r2": "pos", "r3": "neg"}, model="old")
    take(tmp_path, "p.json", {"r1": "pos", "r2": "pos", "r3": "neg"}, model="other")
    (tmp_path / "p.json").unlink()
    keep_covariances(dataset(tmp_path, "reviews"), boards(tmp_path), store(tmp_path))
    (tmp_path / "board.toml").write_text(BOARD + TABLE)
    return tmp_path


def boards(project: Path) -> Boards:
    return load_boards(project / "board.toml")


def move(project: Path) -> None:
    move_results(moves_to_make(boards(project), store(project)), store(project))


def test_evaluate_moves_results_and_says_so(project: Path) -> None:
    """With their predictions; nothing is asked or scored again, and a second run has nothing to do."""
    before = store(project).find("sentiment", "reviews", "old")
    assert before is not None
    shown = steelyard("evaluate", cwd=project).stdout
    assert shown.startswith("old on reviews becomes new\n")
    after = store(project).find("sentiment", "reviews", "new")
    assert after is not None
    assert (after.scores, after.created, after.model.label) == (before.scores, before.created, "Renamed")
    assert store(project).predictions(after).model == "new"
    assert not any(path.name.startswith("old.") for path in files(project))
    found = files(project)
    assert "becomes" not in steelyard("evaluate", cwd=project).stdout
    assert files(project) == found


def test_a_dry_run_moves_nothing(project: Path) -> None:
    """It says what would move."""
    before = files(project)
    assert "old on reviews becomes new\n" in steelyard("evaluate", "--dry-run", cwd=project).stdout
    assert files(project) == before


def test_what_is_kept_of_both_models_names_the_new_id(project: Path) -> None:
    """Covariances and numbers by difficulty stay those of the same answers, without the data too."""
    old = store(project).find("sentiment", "reviews", "old")
    assert old is not None
    assert old.predictions is not None
    table = DifficultyTable(
        task="sentiment",
        dataset="reviews",
        revision=str(old.dataset.revision),
        definition="d",
        difficulties={},
        predictions={"old": old.predictions.sha256},
        table={"models": ["old"], "rows": []},
    )
    store(project).save_record(table)
    move(project)
    new = store(project).find("sentiment", "reviews", "new")
    assert new is not None
    assert new.predictions is not None
    [path] = store(project).record_paths(COVARIANCES)
    kept = store(project).load_record(COVARIANCES, path)
    assert list(kept.models) == ["new", "other"]
    found = store(project).difficulty_table("sentiment", "reviews", str(old.dataset.revision))
    assert found is not None
    assert (found.predictions, found.table["models"]) == ({"new": new.predictions.sha256}, ["new"])
    assert list(stored_problems(store(project), boards(project))) == []
    again = recompute(store(project), boards(project), {"reviews": dataset(project, "reviews")})
    assert (again.problems, again.notes) == ([], [])
    assert differences(kept, kept) == ([], [])


def test_a_move_that_was_stopped_is_finished(project: Path) -> None:
    """The old files beside the new ones go, as both are the same result."""
    before = files(project)
    move(project)
    after = files(project)
    for path, content in before.items():
        path.write_bytes(content)
    move(project)
    assert files(project) == after


def test_two_results_are_never_made_one(project: Path) -> None:
    """Where the new id has a result of its own, nothing moves, and the message names both files."""
    take(project, "p.json", {"r1": "pos"}, model="new")
    before = files(project)
    with pytest.raises(UserError, match=r"new.json, beside .*old.json; delete the one that is not wanted"):
        move(project)
    assert files(project) == before


def test_check_tells_which_results_wait(project: Path) -> None:
    """With the command that moves them; an imported result needs no table."""
    [waits] = naming_problems(boards(project), store(project))
    assert waits.endswith(
        "old.json: waits for its model's new id (was); run steelyard evaluate, which moves it"
    )
    move(project)
    assert list(naming_problems(boards(project), store(project))) == []
    assert list(without_table(boards(project), store(project))) == []


def test_check_tells_names_that_became_one_in_the_board_file(project: Path) -> None:
    """Before anything is evaluated: pages show the board file's names at once."""
    move(project)
    other = '\n[[models]]\nid = "other"\nlabel = "Renamed"\ntask = "sentiment"\n'
    (project / "board.toml").write_text(BOARD + TABLE + other)
    [twice] = naming_problems(boards(project), store(project))
    assert twice.startswith("boards: b: new and other are both called 'Renamed'; ")


def test_check_tells_rows_of_one_name_and_measured_results_without_a_table(project: Path) -> None:
    """Both come of a model that has another id now, and was measured again under it."""
    move(project)
    measured = Result.model_validate_json((GOLDEN / "result.json").read_bytes())
    new = store(project).find("sentiment", "reviews", "new")
    assert new is not None
    gone = ModelRef(id="gone", label="Renamed")
    store(project).save(measured.model_copy(update={"model": gone, "dataset": new.dataset}))
    [twice] = naming_problems(boards(project), store(project))
    assert twice.startswith(
        "boards: b: gone and new are both called 'Renamed'; give each a label of its own, or"
    )
    [line] = without_table(boards(project), store(project))
    assert line.startswith("measured, with no table in the board file: gone; ")
    for way in ("`was`", "`removed`", "delete its results"):
        assert way in line
    table = TABLE.replace("new", "more").replace("old", "gone").replace("Renamed", "More")
    (project / "board.toml").write_text(BOARD + TABLE + table)
    assert list(without_table(boards(project), store(project))) == []


def test_check_tells_results_on_a_dataset_that_has_another_id_now(project: Path) -> None:
    """And no more that `evaluate` would write files of it again."""
    path = project / "board.toml"
    assert list(without_dataset(boards(project), store(project))) == []
    path.write_text(path.read_text().replace('"reviews"', '"opinions"'))
    [line] = without_dataset(boards(project), store(project))
    assert line.startswith("2 results on datasets with no table in the board file: reviews; ")
    assert f"note: {line}" in steelyard("check", cwd=project).stdout.splitlines()
    problems = list(stored_problems(store(project), boards(project)))
    assert not any("run steelyard evaluate" in problem for problem in problems)


@pytest.mark.parametrize(
    ("was", "message"),
    [
        ("known", "'known' is the id of a model of the file"),
        ("new", "'new' is the id of a model of the file"),
    ],
)
def test_a_former_id_is_no_other_models(project: Path, was: str, message: str) -> None:
    """Else the results of two models would be one's."""
    (project / "board.toml").write_text(BOARD + TABLE.replace('"old"', f'"{was}"'))
    with pytest.raises(UserError, match=message):
        boards(project)
