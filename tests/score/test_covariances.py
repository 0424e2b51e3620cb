"""How values vary with the examples: derived from stored predictions, kept beside them, and checked."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from forked_command import finished as steelyard
from small_boards import small_board, small_model

from evaluator.data.datasets import Dataset
from evaluator.measure.run.plan import model_problems
from evaluator.publish.checking import Checked, check
from evaluator.records.board import load_boards
from evaluator.records.datasets import Covariances
from evaluator.records.store import COVARIANCES, DIFFICULTIES, SUITE_CARDS, Store
from evaluator.score.covariances import _pair
from evaluator.score.examples import kept_dataset
from evaluator.score.groups import Groups
from evaluator.score.standard_errors import standard_errors

ROWS = 120
GOLD = [int(row % 3 > 0) for row in range(ROWS)]
#: By model, how often it errs: every so many rows.
ERRS = {"one": 40, "two": 17, "three": 2}
NAMES = ["negative", "positive"]
#: Rows of one source follow one another.
SOURCES = [f"film {row // 8}" for row in range(ROWS)]
#: A model that answers by a letter, so that some perturbations move it.
FICKLE = """
def load(directory):
    pass

def predict(example):
    return "positive" if example["statement"].count("{letter}") > 2 else "negative"
"""


def answers(model: str) -> list[int]:
    return [label if row % ERRS[model] else 1 - label for row, label in enumerate(GOLD)]


def right() -> npt.NDArray[np.float64]:
    """Which answers of each model are right, models in the order of their names."""
    return np.array([np.equal(answers(model), GOLD) for model in sorted(ERRS)], dtype=float)


def project(folder: Path, *models: str, board: str = "") -> Path:
    """A folder with the board and models' answers."""
    folder.mkdir(exist_ok=True)
    (folder / "board.toml").write_text(board or small_board("accuracy", "macro-f1"))
    rows = zip(GOLD, SOURCES, strict=True)
    lines = [f"Film number {at} was seen\t{NAMES[label]}\t{film}\n" for at, (label, film) in enumerate(rows)]
    (folder / "d.tsv").write_text("".join(lines))
    imported(folder, *models)
    return folder


def imported(folder: Path, *models: str) -> None:
    for model in models:
        rows = [f"{row},{NAMES[answer]}\n" for row, answer in enumerate(answers(model))]
        (folder / f"{model}.csv").write_text("id,label\n" + "".join(rows))
        steelyard("import", f"{model}.csv", "--dataset", "d", "--model", model, cwd=folder)


def kept(folder: Path) -> Covariances:
    [path] = Store(folder / "results").record_paths(COVARIANCES)
    return Store(folder / "results").load_record(COVARIANCES, path)


def ranked(folder: Path, *more: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(steelyard("rank", "b", "--json", *more, cwd=folder).stdout)
    return found


def checked(folder: Path) -> Checked:
    return check(folder / "board.toml", None, model_problems)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board with three models, which no test changes."""
    return project(tmp_path_factory.mktemp("three"), *ERRS)


@pytest.fixture(scope="module")
def clustered(three: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same on examples of 15 sources; no test changes it."""
    board = small_board("accuracy", "macro-f1", dataset="cluster = 2")
    return project(tmp_path_factory.mktemp("clustered"), *ERRS, board=board)


def test_an_import_keeps_how_models_differ_and_no_right_answer(three: Path) -> None:
    """Counts of a metric that is right or wrong; covariances of one that is not; ids and labels nowhere."""
    found, each = kept(three), right().astype(int)
    assert list(found.models) == sorted(ERRS)
    assert found.right == {"accuracy": tuple(each.sum(axis=1))}
    apart = tuple(int((each[i] ^ each[j]).sum()) for i in range(3) for j in range(i))
    assert found.apart == {"accuracy": apart}
    pairs = {(pair.first, pair.second) for pair in found.pairs}
    assert pairs == {("accuracy", "macro-f1"), ("macro-f1", "macro-f1")}
    assert (found.clusters, found.sources) == (ROWS, None)
    assert "negative" not in found.model_dump_json()


def test_influences_are_summed_by_source(three: Path, clustered: Path) -> None:
    """The variance of a share of right answers is that of sums of sources, as numpy says it; `rank` has another
    smallest gap."""
    found = kept(clustered)
    assert (found.examples, found.clusters) == (ROWS, 15)
    [pair] = [one for one in found.pairs if one.first == one.second == "accuracy"]
    numbers, expected = np.unique(SOURCES, return_inverse=True)[1], []
    for gap in (100 * (right()[i] - right()[j]) for i in range(3) for j in range(i)):
        sums = np.bincount(numbers, gap - gap.mean())
        expected.append(len(sums) / (len(sums) - 1) * (sums**2).sum() / ROWS**2)
    assert np.array(pair.parts) * pair.step == pytest.approx(expected, rel=1e-4)
    assert found.apart == kept(three).apart
    assert ranked(clustered)["smallest_gap"] != ranked(three)["smallest_gap"]


def test_rows_of_one_text_count_as_one_example(clustered: Path, tmp_path: Path) -> None:
    """Without a declared cluster, runs of one question are told by their text: sets are those of a declared one,
    import and evaluate say it, and without the texts it is known still."""
    folder = tmp_path / "board"
    folder.mkdir()
    rows = zip(GOLD, SOURCES, strict=True)
    (folder / "d.tsv").write_text("".join(f"{film} was seen\t{NAMES[label]}\n" for label, film in rows))
    (folder / "board.toml").write_text(small_board("accuracy", "macro-f1", dataset="show_gold = true"))
    imported(folder, *ERRS)
    found = kept(folder)
    assert (found.clusters, found.sources, found.pairs) == (
        15,
        kept(clustered).sources,
        kept(clustered).pairs,
    )
    assert ranked(folder)["smallest_gap"] == ranked(clustered)["smallest_gap"]
    said = "note: d: 120 rows have the text of another: they count as 15 examples for how sure a rank is"
    again = ("import", "one.csv", "--dataset", "d", "--model", "one")
    assert said in steelyard(*again, cwd=folder).stdout
    assert said in steelyard("evaluate", cwd=folder).stdout
    assert "text of another" not in steelyard("evaluate", cwd=clustered).stdout
    (folder / "d.tsv").unlink()
    store = Store(folder / "results")
    result = store.results_on("sentiment", "d")[0]
    without = kept_dataset(result, store)
    assert without is not None
    assert Groups.of(without).sources == found.sources
    assert checked(folder).problems == []


def test_a_number_of_one_source_has_no_standard_error(tmp_path: Path) -> None:
    """It says nothing of how the number varies; 0 would say that it never does."""
    folder = tmp_path / "board"
    folder.mkdir()
    (folder / "d.tsv").write_text("a film\tpositive\n" * 12)
    (folder / "board.toml").write_text(small_board("accuracy", "macro-f1", dataset="show_gold = true"))
    (folder / "one.csv").write_text("id,label\n" + "".join(f"{row},positive\n" for row in range(12)))
    steelyard("import", "one.csv", "--dataset", "d", "--model", "one", cwd=folder)
    store = Store(folder / "results")
    boards = load_boards(folder / "board.toml")
    results = store.results_on("sentiment", "d")
    assert standard_errors(results, ["accuracy", "macro-f1"], None, boards, store) == {}


def test_large_sources_do_not_overflow() -> None:
    """Sums of a thousand large influences each still have the variance that the formula gives."""
    signs = np.repeat(np.random.default_rng(1).choice([-1, 1], (2, 40)), 1000, axis=1)
    groups = groups_of(np.repeat(np.arange(40), 1000).tolist())
    pair = _pair(("a", "a"), {"a": groups.summed(signs << 20, 2.0**-20)}, groups)
    apart = (signs[0] - signs[1]).reshape(40, 1000).sum(axis=1)
    assert pair.parts[0] * pair.step == pytest.approx(40 / 39 * (apart**2).sum() / 40_000**2)


def groups_of(numbers: list[int]) -> Groups:
    rows = tuple({"id": str(row)} for row in range(len(numbers)))
    labels = ("x", "y")
    return Groups.of(
        Dataset("d", "sentiment", labels, rows, ("x",) * len(rows), "d", clusters=tuple(numbers))
    )


def test_models_no_better_than_the_floor_are_ranked_last(tmp_path: Path) -> None:
    """Two answers more than the floor are no more than chance; their sets say the same as their ranks."""
    folder = project(tmp_path, *ERRS)
    plain = (folder / "board.toml").read_text()
    found = {}
    for floor in ("two", "three"):
        text = plain.replace('base = "accuracy"', f'base = "accuracy"\nfloor = "{floor}"')
        entry = f'\n[[models]]\nid = "{floor}"\nlabel = "F"\ntask = "sentiment"\n'
        (folder / "board.toml").write_text(text + entry)
        rows = ranked(folder, "--weight", "macro-f1=1")["models"]
        found[floor] = [(row["model"], row["rank_set"], row["floored"]) for row in rows]
    assert [floored for _, _, floored in found["two"]] == [True] * 3
    assert found["three"] == [("one", [1, 2], False), ("two", [1, 2], False), ("three", [3, 3], True)]
    # Where it is by trade-offs, these play no part in who is better than the floor.
    traded = (folder / "board.toml").read_text()
    traded = traded.replace(
        'base = "accuracy"', 'base = "accuracy"\nby = "trades"\ntrades = { macro-f1 = 0.01 }'
    )
    traded = re.sub(r'(name = "macro-f1",[^}]*[^ ]) }', r'\1, direction = "lower", cap = 100 }', traded)
    assert 'direction = "lower"' in traded
    (folder / "board.toml").write_text(traded)
    assert {row["model"]: row["floored"] for row in ranked(folder)["models"]} == {
        "one": False,
        "two": False,
        "three": True,
    }


def test_the_table_shows_the_set_beside_the_rank(three: Path) -> None:
    """With the tie and the smallest gap in words."""
    said = steelyard("rank", "b", "--weight", "accuracy=1", cwd=three).stdout
    verdict, *lines = said.splitlines()
    assert verdict.startswith("Tie of two at these weights: one and two.")
    assert lines[0].startswith("rank  95 % set  model")
    rows = [line.split()[:3] for line in lines[1:4]]
    assert rows == [["1", "1-2", "one"], ["2", "1-2", "two"], ["3", "3", "three"]]
    assert re.search(r"note: tie of two, for other examples.*: one, two$", said, re.MULTILINE)
    assert re.search(r"gaps under [0-9.]+ points are often too small", said)


def test_what_is_not_known_says_why(tmp_path: Path) -> None:
    """A model that is alone is the first of one. Then a file that is gone; predictions that changed since, whose
    old covariances are never taken for theirs, until `evaluate` derives them again."""
    folder = project(tmp_path, "one")
    [row] = ranked(folder)["models"]
    assert (row["rank"], row["rank_set"], row["rank_set_unknown"]) == (1, [1, 1], None)
    said = steelyard("rank", "b", cwd=folder).stdout
    assert not any(word in said for word in ("rank set unknown", "published"))
    imported(folder, "two")
    [path] = Store(folder / "results").record_paths(COVARIANCES)
    before = path.read_bytes()
    path.unlink()
    gone = "rank set unknown, Accuracy: nothing is kept of how it varies; run steelyard evaluate: one, two"
    assert gone in steelyard("rank", "b", cwd=folder).stdout
    imported(folder, "three")
    path.write_bytes(before)
    rows = {row["model"]: row for row in ranked(folder)["models"]}
    assert rows["three"]["rank_set"] is None
    assert rows["three"]["rank_set_unknown"].endswith("run steelyard evaluate")
    assert rows["one"]["rank_set"] == [1, 3]
    steelyard("evaluate", cwd=folder)
    assert all(row["rank_set"] for row in ranked(folder)["models"])


def test_check_finds_nothing_wrong_with_what_was_derived(three: Path, clustered: Path) -> None:
    """The same numbers come out again, all of them."""
    for folder in (three, clustered):
        assert (checked(folder).problems, checked(folder).notes) == ([], [])


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
        ("sources: other examples belong together than", lambda d: d.update(sources="sha256:" + "0" * 64)),
    ],
)
def test_check_names_what_was_edited(three: Path, tmp_path: Path, name: str, edit: Any) -> None:
    """Nobody can make a rank look surer than it is."""
    assert name in "\n".join(checked(edited(three, tmp_path, edit)).problems)


def edited(three: Path, folder: Path, edit: Any) -> Path:
    """A copy of the board whose covariances somebody has edited."""
    shutil.copytree(three, folder / "edited")
    [path] = Store(folder / "edited" / "results").record_paths(COVARIANCES)
    document = json.loads(path.read_bytes())
    edit(document)
    path.write_text(json.dumps(document))
    return folder / "edited"


def test_covariances_of_another_version_of_a_metric_are_not_used(three: Path, tmp_path: Path) -> None:
    """They say nothing about the values that are ranked; `check` notes that it could not derive them."""
    folder = edited(three, tmp_path, lambda d: d["versions"].update(accuracy="of old"))
    assert (
        "a metric has another version since; run steelyard evaluate, which derives how its numbers"
        in "\n".join(checked(folder).notes)
    )
    assert {row["rank_set"] for row in ranked(folder)["models"]} == {None}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cluster = 7", "d.tsv:1: cluster: missing: the row lacks column 7; add it or correct columns"),
        ('cluster = "film"', "d: cluster: 'film' is not a column number"),
    ],
)
def test_a_column_that_is_not_there_is_named(tmp_path: Path, line: str, message: str) -> None:
    """Which column, and where."""
    project(tmp_path, board=small_board("accuracy", dataset=line))
    (tmp_path / "one.csv").write_text("id,label\n0,positive\n")
    done = steelyard("import", "one.csv", "--dataset", "d", "--model", "one", cwd=tmp_path, code=1)
    assert message in done.stderr


@pytest.mark.slow
def test_a_suite_enters_by_its_originals(tmp_path: Path) -> None:
    """Evaluated models get covariances of their agreement; passes say how throughput varies."""
    measure = {"repeats": 2, "seconds": 0.001}
    metrics = ("accuracy", "robustness", "throughput")
    board = small_board(*metrics, dataset='suites = ["robustness"]', measure=measure)
    for model, letter in (("m", "e"), ("k", "r")):
        board += small_model(model)
        (tmp_path / model).mkdir()
        (tmp_path / model / "handler.py").write_text(FICKLE.format(letter=letter))
    folder = project(tmp_path, board=board)
    steelyard("evaluate", cwd=folder)
    found = kept(folder)
    assert set(found.versions) == {"accuracy", "robustness"}
    assert found.unknown == {}
    pairs = {(pair.first, pair.second) for pair in found.pairs}
    assert pairs == {("accuracy", "robustness"), ("robustness", "robustness")}
    rows = ranked(folder, "--weight", "accuracy=1", "--weight", "robustness=1")["models"]
    assert all(row["rank_set"] for row in rows if row["rank"])
    assert "0 problems" in steelyard("check", cwd=folder).stdout
    [path] = Store(folder / "results").record_paths(SUITE_CARDS)
    card = json.loads(path.read_bytes())
    path.write_text(json.dumps(card | {"rows": card["rows"][::-1]}))
    problems = "\n".join(checked(folder).problems)
    assert "robustness.suite.json: rows: are not those that the variants are of" in problems
    assert "pairs: accuracy and robustness: are not what the predictions give" in problems


@pytest.mark.slow
def test_a_score_by_difficulty_enters_with_its_difficulties_as_they_are(tmp_path: Path) -> None:
    """Its spread is that of resampled examples; its sets are known, `check` derives it, a change renews it."""
    board = small_board("accuracy", "wsbias-1", dataset="show_gold = true")
    folder = project(tmp_path, *ERRS, board=board)
    by_difficulty(folder, lambda row: (6 - row % 7) / 7)
    found = kept(folder)
    assert found.unknown == {}
    [own] = [pair for pair in found.pairs if pair.first == pair.second == "wsbias-1"]
    chance = np.random.default_rng(0).integers(0, ROWS, (3000, ROWS))
    # Case 1 takes off for a wrong answer what it gives for a right one.
    signs, weights = 2 * right() - 1, chance % 7 + 1
    values = np.array([100 * (weights * one[chance]).sum(axis=1) / weights.sum(axis=1) for one in signs])
    gaps = [(values[i] - values[j]).std() for i in range(3) for j in range(i)]
    assert [(own.step * part) ** 0.5 for part in own.parts] == pytest.approx(gaps, rel=0.1)
    rows = ranked(folder, "--weight", "wsbias-1=1")["models"]
    assert [row["rank_set"] for row in rows] == [[1, 2], [1, 2], [3, 3]]
    assert checked(folder).problems == []
    [stored] = Store(folder / "results").record_paths(DIFFICULTIES)
    stored.unlink()
    by_difficulty(folder, lambda row: row % 5 / 5)
    assert kept(folder).versions["wsbias-1"] != found.versions["wsbias-1"]


def by_difficulty(folder: Path, value: Callable[[int], float]) -> None:
    (folder / "b.csv").write_text("id,b\n" + "".join(f"{row},{value(row)}\n" for row in range(ROWS)))
    about = ("--import", "b.csv", "--column", "wsbias-1=b", "--source", "Somebody 2020")
    steelyard("difficulty", "d", *about, cwd=folder)
