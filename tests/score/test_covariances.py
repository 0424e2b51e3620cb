"""How values vary with the examples: derived from stored predictions, kept beside them, and checked."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import forked_command
import numpy as np
import pytest
from small_boards import small_board, small_model

from evaluator.measure.declared import model_problems
from evaluator.publish.checking import Checked, check
from evaluator.records.datasets import Covariances
from evaluator.records.store import COVARIANCES, SUITE_CARDS, Store

MEASURE = {"repeats": 2, "min_requests": 1, "min_duration_s": 0.0001}
BOARD = small_board("accuracy", "macro-f1")
ROWS = 120
GOLD = [int(row % 3 > 0) for row in range(ROWS)]
#: By model, how often it errs: every so many rows.
ERRS = {"one": 40, "two": 17, "three": 2}
NAMES = ["negative", "positive"]
#: A model that answers by a letter, so that some perturbations move it.
FICKLE = """
def load(directory):
    pass

def predict(example):
    return "positive" if example["statement"].count("{letter}") > 2 else "negative"
"""


def answers(model: str) -> list[int]:
    return [label if row % ERRS[model] else 1 - label for row, label in enumerate(GOLD)]


def steelyard(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return forked_command.run(*arguments, cwd=cwd)


def imported(folder: Path, *models: str) -> None:
    for model in models:
        rows = [f"{row},{NAMES[answer]}\n" for row, answer in enumerate(answers(model))]
        (folder / f"{model}.csv").write_text("id,label\n" + "".join(rows))
        done = steelyard("import", f"{model}.csv", "--dataset", "d", "--model", model, cwd=folder)
        assert done.returncode == 0, done.stderr


def kept(folder: Path) -> Covariances:
    [path] = Store(folder / "results").record_paths(COVARIANCES)
    return Store(folder / "results").load_record(COVARIANCES, path)


def ranked(folder: Path, *more: str) -> dict[str, Any]:
    done = steelyard("rank", "b", "--json", *more, cwd=folder)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def write_project(folder: Path) -> Path:
    (folder / "board.toml").write_text(BOARD)
    rows = [f"Film number {row} was seen here\t{NAMES[label]}\n" for row, label in enumerate(GOLD)]
    (folder / "d.tsv").write_text("".join(rows))
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board with three models, which no test changes."""
    folder = write_project(tmp_path_factory.mktemp("three"))
    imported(folder, "one", "two", "three")
    return folder


def test_an_import_keeps_how_models_differ_and_no_right_answer(three: Path) -> None:
    """Counts of a metric that is right or wrong; covariances of one that is not; ids and labels nowhere."""
    found = kept(three)
    right = {model: np.array(answers(model)) == np.array(GOLD) for model in sorted(ERRS)}
    assert list(found.models) == sorted(ERRS)
    assert found.right == {"accuracy": tuple(int(each.sum()) for each in right.values())}
    names = list(right)
    pairs = [(names[i], names[j]) for i in range(3) for j in range(i)]
    assert found.apart == {"accuracy": tuple(int((right[a] ^ right[b]).sum()) for a, b in pairs)}
    assert {(pair.first, pair.second) for pair in found.pairs} == {
        ("accuracy", "macro-f1"),
        ("macro-f1", "macro-f1"),
    }
    assert "negative" not in found.model_dump_json()


def test_models_no_better_than_the_floor_are_ranked_last(tmp_path: Path) -> None:
    """Two answers more than the floor are no more than chance; their sets say the same as their ranks."""
    project = write_project(tmp_path)
    imported(project, "one", "two", "three")
    board, floor = project / "board.toml", '\n[[models]]\nid = "two"\nlabel = "Two"\ntask = "sentiment"\n'
    text = board.read_text().replace('base = "accuracy"', 'base = "accuracy"\nfloor = "two"')
    board.write_text(text + floor)
    found = ranked(project, "--weight", "macro-f1=1")
    assert [row["floored"] for row in found["models"]] == [True] * 3
    board.write_text(text.replace('floor = "two"', 'floor = "three"') + floor.replace("two", "three"))
    found = ranked(project, "--weight", "macro-f1=1")
    assert [(row["model"], row["rank_set"], row["floored"]) for row in found["models"]] == [
        ("one", [1, 2], False),
        ("two", [1, 2], False),
        ("three", [3, 3], True),
    ]
    board.write_text(text.replace('floor = "two"', 'floor = "tow"') + floor)
    done = steelyard("rank", "b", cwd=project)
    assert done.returncode == 1
    assert "boards: b: floor: 'tow' is none of majority, two; did you mean two?" in done.stderr


def test_the_table_shows_the_set_beside_the_rank(three: Path) -> None:
    """With the dead heat and the smallest gap in words."""
    said = steelyard("rank", "b", "--weight", "accuracy=1", cwd=three).stdout
    lines = said.splitlines()
    assert lines[0].startswith("rank  95 % set  model")
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["1", "1-2", "one"],
        ["2", "1-2", "two"],
        ["3", "3", "three"],
    ]
    assert re.search(r"note: dead heat for the first rank.*: one, two$", said, re.MULTILINE)
    assert re.search(r"tell apart gaps of [0-9.]+ points and more", said)
    said = steelyard("rank", "b", "--by", "z-score", cwd=three).stdout
    assert re.search(r"tell apart gaps of [0-9.]+ and more", said)


def test_a_model_whose_predictions_changed_since_has_no_set(project: Path) -> None:
    """Until `evaluate` derives them again: an old covariance is never taken for a new model's."""
    imported(project, "one", "two")
    [path] = Store(project / "results").record_paths(COVARIANCES)
    before = path.read_bytes()
    imported(project, "three")
    path.write_bytes(before)
    rows = {row["model"]: row for row in ranked(project)["models"]}
    assert rows["three"]["rank_set"] is None
    assert rows["three"]["rank_set_unknown"].endswith("run steelyard evaluate")
    assert rows["one"]["rank_set"] == [1, 3]
    assert steelyard("evaluate", cwd=project).returncode == 0
    assert all(row["rank_set"] for row in ranked(project)["models"])


def test_a_board_without_covariances_says_how_to_get_them(project: Path) -> None:
    """Results of an earlier version; of a model that is alone there are none."""
    imported(project, "one")
    alone = "rank set unknown, Accuracy: no other model keeps its answers, to be compared with: one"
    assert alone in steelyard("rank", "b", cwd=project).stdout
    imported(project, "one", "two")
    [path] = Store(project / "results").record_paths(COVARIANCES)
    path.unlink()
    said = steelyard("rank", "b", cwd=project).stdout
    assert (
        "rank set unknown, Accuracy: nothing is kept of how it varies; run steelyard evaluate: one, two"
        in said
    )


def edited(three: Path, folder: Path, edit: Any) -> Path:
    """A copy of the board whose covariances somebody has edited."""
    project = folder / "edited"
    shutil.copytree(three, project)
    [path] = Store(project / "results").record_paths(COVARIANCES)
    document = json.loads(path.read_bytes())
    edit(document)
    path.write_text(json.dumps(document))
    return project


def checked(project: Path) -> Checked:
    return check(project / "board.toml", None, model_problems)


def test_check_finds_nothing_wrong_with_what_was_derived(three: Path) -> None:
    """The same numbers come out again, all of them."""
    found = checked(three)
    assert (found.problems, found.notes) == ([], [])


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("right: accuracy: is not what", lambda d: d["right"]["accuracy"].__setitem__(0, 1)),
        ("apart: accuracy: is not what", lambda d: d["apart"]["accuracy"].__setitem__(1, 0)),
        ("pairs: accuracy and macro-f1: are not", lambda d: d["pairs"][0]["parts"].__setitem__(2, 7)),
        ("pairs: macro-f1 and macro-f1: are not", lambda d: d["pairs"][1].update(step=1e-9)),
        ("pairs: accuracy and macro-f1: are not", lambda d: d["pairs"].pop(0)),
        ("accuracy and macro-f1 are there twice", lambda d: d["pairs"].append(d["pairs"][0])),
        ("nothing can be computed again", lambda d: d["pairs"][0]["parts"].__setitem__(0, 10**400)),
        ("examples: 9000 is stored", lambda d: d.update(examples=9000)),
        ("clusters: 9000 is stored", lambda d: d.update(clusters=9000)),
        ("unit: accuracy: 1.0 is stored", lambda d: d["unit"].update(accuracy=1.0)),
        ("unknown: accuracy: one", lambda d: d.update(unknown={"accuracy": {"one": "because"}})),
    ],
)
def test_check_names_what_was_edited(three: Path, tmp_path: Path, name: str, edit: Any) -> None:
    """Nobody can make a rank look surer than it is."""
    project = edited(three, tmp_path, edit)
    assert name in "\n".join(checked(project).problems)


def test_covariances_of_another_version_of_a_metric_are_not_used(three: Path, tmp_path: Path) -> None:
    """They say nothing about the values that are ranked; `check` notes that it could not derive them."""
    project = edited(three, tmp_path, lambda d: d["versions"].update(accuracy="of old"))
    assert "covariances are of another version of a metric" in "\n".join(checked(project).notes)
    assert {row["rank_set"] for row in ranked(project)["models"]} == {None}


@pytest.mark.slow
def test_a_suite_enters_by_its_originals(project: Path) -> None:
    """Evaluated models get covariances of their agreement; passes say how throughput varies."""
    metrics = ("accuracy", "robustness", "throughput")
    board = small_board(*metrics, dataset='suites = ["robustness"]', measure=MEASURE)
    for model, letter in (("m", "e"), ("k", "r")):
        board += small_model(model)
        (project / model).mkdir()
        (project / model / "handler.py").write_text(FICKLE.format(letter=letter))
    (project / "board.toml").write_text(board)
    done = steelyard("evaluate", cwd=project)
    assert done.returncode == 0, done.stderr
    found = kept(project)
    assert set(found.versions) == {"accuracy", "robustness"}
    assert found.unknown == {}
    assert {(pair.first, pair.second) for pair in found.pairs} == {
        ("accuracy", "robustness"),
        ("robustness", "robustness"),
    }
    rows = ranked(project, "--weight", "accuracy=1", "--weight", "robustness=1")["models"]
    assert all(row["rank_set"] for row in rows if row["rank"])
    assert "0 problems" in steelyard("check", cwd=project).stdout

    store = Store(project / "results")
    [path] = store.record_paths(SUITE_CARDS)
    card = json.loads(path.read_bytes())
    path.write_text(json.dumps(card | {"rows": card["rows"][::-1]}))
    problems = "\n".join(checked(project).problems)
    assert "robustness.suite.json: rows: are not those that the variants are of" in problems
    assert "pairs: accuracy and robustness: are not what the predictions give" in problems


@pytest.mark.slow
def test_a_score_by_difficulty_enters_with_its_difficulties_as_they_are(tmp_path: Path) -> None:
    """Its spread is that of resampled examples; its sets are known, `check` derives it, a change renews it."""
    project = write_project(tmp_path)
    (project / "board.toml").write_text(small_board("accuracy", "wsbias-1", dataset="show_gold = true"))
    imported(project, "one", "two", "three")
    by_difficulty(project, lambda row: (6 - row % 7) / 7)
    found = kept(project)
    assert found.unknown == {}
    [own] = [pair for pair in found.pairs if pair.first == pair.second == "wsbias-1"]
    values = np.array([drawn_values(row) for row in range(3000)])
    gaps = [values[:, i] - values[:, j] for i in range(3) for j in range(i)]
    spreads = [(own.step * part) ** 0.5 for part in own.parts]
    assert spreads == pytest.approx([float(gap.std()) for gap in gaps], rel=0.1)
    rows = ranked(project, "--weight", "wsbias-1=1")["models"]
    assert [row["rank_set"] for row in rows] == [[1, 2], [1, 2], [3, 3]]
    assert checked(project).problems == []
    next((project / "results").rglob("*.difficulty-wsbias-1.json")).unlink()
    by_difficulty(project, lambda row: row % 5 / 5)
    assert kept(project).versions["wsbias-1"] != found.versions["wsbias-1"]


def by_difficulty(project: Path, value: Callable[[int], float]) -> None:
    (project / "b.csv").write_text("id,b\n" + "".join(f"{row},{value(row)}\n" for row in range(ROWS)))
    about = ("--import", "b.csv", "--column", "wsbias-1=b", "--source", "Somebody 2020")
    done = steelyard("difficulty", "d", *about, cwd=project)
    assert done.returncode == 0, done.stderr


def drawn_values(seed: int) -> list[float]:
    """The values of the models, in the order of their names, on examples drawn with replacement."""
    drawn = np.random.default_rng(seed).integers(0, ROWS, ROWS)
    weights = drawn % 7 + 1
    # Case 1 takes off for a wrong answer what it gives for a right one.
    terms = [np.where(np.array(answers(model)) == np.array(GOLD), 1, -1) for model in sorted(ERRS)]
    return [100 * float((weights * one[drawn]).sum() / weights.sum()) for one in terms]
