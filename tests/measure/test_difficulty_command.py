"""`steelyard difficulty` from a board file to scores, with a real encoder and real classifiers."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluator.cli import main
from evaluator.rank.difficulty import Samples
from evaluator.rank.difficulty_order import DifficultyQuestion
from evaluator.records.base import digest
from evaluator.records.board import load_boards
from evaluator.records.datasets import Difficulty
from evaluator.records.result import Result
from evaluator.records.store import DIFFICULTIES, Store
from evaluator.score.checking import stored_problems
from evaluator.score.difficulty import WMPROB

BOARD = """
title = "T"

[[datasets]]
id = "reviews"
label = "Reviews"
task = "sentiment"
path = "test.csv"
format = "csv"
columns = {{ id = "id", statement = "text", label = "label" }}
labels = ["negative", "positive"]
show_gold = {show_gold}

[[datasets]]
id = "reviews-train"
label = "Reviews to learn from"
task = "sentiment"
role = "training"
path = "train.csv"
format = "csv"
columns = {{ id = "id", statement = "text", label = "label" }}
labels = ["negative", "positive"]

[[datasets]]
id = "labels"
label = "Labels only"
task = "sentiment"
path = "test.csv"
format = "gold"
columns = {{ id = "id", label = "label" }}
labels = ["negative", "positive"]
show_gold = true

[[datasets]]
id = "bridges"
label = "Bridges"
task = "qa"
path = "bridges.json"
format = "squad"
show_gold = true

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "wood"
datasets = ["reviews"]
metrics = [{{ name = "accuracy", label = "Accuracy", unit = "%" }}, {{ name = "wood", label = "WOOD", unit = "%" }}]
"""
ADJECTIVES = ("lovely", "great", "good", "moving"), ("awful", "dull", "bad", "tired")
THINGS = ("film", "plot", "cast", "score", "scene", "ending", "story", "voice")
EXAMPLES = 32


def rows(count: int, prefix: str) -> list[dict[str, str]]:
    """Sentences, the half of them kind; every eighth is labelled against its words."""
    found = []
    for row in range(count):
        kind = row % 2
        words = ADJECTIVES[1 - kind]
        text = (
            f"a {words[row % 4]} {THINGS[row % 8]} with a {words[row // 4 % 4]} {THINGS[row // 3 % 8]} {row}"
        )
        label = kind if row % 8 != 7 else 1 - kind
        found.append({"id": f"{prefix}{row}", "text": text, "label": ("negative", "positive")[label]})
    return found


def write_csv(path: Path, table: list[dict[str, str]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)


def write_board(project: Path, show_gold: bool = True) -> None:
    (project / "board.toml").write_text(BOARD.format(show_gold=str(show_gold).lower()))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board, a test and a training set, and two models' predictions of which one says how sure it is."""
    folder = tmp_path_factory.mktemp("world")
    write_board(folder)
    test = rows(EXAMPLES, "r")
    write_csv(folder / "test.csv", test)
    write_csv(folder / "train.csv", rows(3 * EXAMPLES, "t"))
    asked = {"id": "q", "question": "When?", "answers": [{"text": "1932", "answer_start": 3}]}
    document = {"data": [{"title": "B", "paragraphs": [{"context": "In 1932.", "qas": [asked]}]}]}
    (folder / "bridges.json").write_text(json.dumps(document))
    sure = [
        {"id": row["id"], "label": "positive", "confidence": str(0.5 + n / 80)} for n, row in enumerate(test)
    ]
    write_csv(folder / "sure.csv", sure)
    words = [{"id": row["id"], "label": "positive" if "good" in row["text"] else "negative"} for row in test]
    write_csv(folder / "words.csv", words)
    for model in ("sure", "words"):
        import_predictions(folder, model)
    return folder


@pytest.fixture(scope="module")
def computed(world: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A copy of the world where all three algorithms and the table were asked for, and what that said."""
    folder = tmp_path_factory.mktemp("computed") / "world"
    shutil.copytree(world, folder)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        assert difficulty(folder, *ALL, "--json") == 0
    return folder, json.loads(said.getvalue())


@pytest.fixture
def project(request: pytest.FixtureRequest, world: Path, tmp_path: Path) -> Path:
    """A folder of the test's own: with everything computed where it asks for `made`."""
    source = request.getfixturevalue("computed")[0] if "made" in request.fixturenames else world
    return Path(shutil.copytree(source, tmp_path / "project"))


def import_predictions(project: Path, model: str) -> None:
    file = str(project / f"{model}.csv")
    arguments = ["--dataset", "reviews", "--model", model]
    assert run(project, "import", file, *arguments) == 0


def run(project: Path, *arguments: str) -> int:
    """The exit code of a command in a project."""
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--board", str(project / "board.toml"), "--data", str(project)])
    return int(ended.value.code or 0)


def difficulty(project: Path, *arguments: str) -> int:
    return run(project, "difficulty", "reviews", "--set", "encoder=tfidf", "--set", "rounds=4", *arguments)


#: All three algorithms.
ALL = ("--train", "reviews-train", "--set", "percentages=10,50")


@pytest.fixture
def made(computed: tuple[Path, dict[str, Any]]) -> dict[str, Any]:
    """What the command says of all three algorithms and the table."""
    return computed[1]


def store_of(project: Path) -> Store:
    return Store(project / "results")


def result_of(project: Path, model: str) -> Result:
    result = store_of(project).find("sentiment", "reviews", model)
    assert result is not None
    return result


def stored(project: Path) -> dict[str, Difficulty]:
    revision = result_of(project, "sure").dataset.revision
    assert revision is not None
    return {one.name: one for one in store_of(project).difficulties("sentiment", "reviews", revision)}


def contents(project: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (project / "results").rglob("*.json")}


def test_everything_is_computed_stored_and_scored(project: Path, made: dict[str, Any]) -> None:
    """All three sources are stored beside the examples, and results get scores by them and by confidence."""
    found = stored(project)
    assert sorted(found) == ["wood", "wsbias-1", "wsbias-2"]
    assert found["wood"].percentages is not None
    assert list(found["wood"].percentages) == ["10", "50"]
    counts = {
        name: column["scored"] for one in made["difficulties"] for name, column in one["columns"].items()
    }
    assert counts == {"": EXAMPLES, "10": EXAMPLES, "50": EXAMPLES}
    assert sum(value is None for value in found["wsbias-1"].values or ()) == 3
    assert {one for one in result_of(project, "sure").scores if one in found} == set(found)
    assert WMPROB in result_of(project, "sure").scores
    assert WMPROB not in result_of(project, "words").scores
    assert made["rescored"] == ["sure", "words"]


def test_a_score_is_what_the_definition_gives(project: Path, made: dict[str, Any]) -> None:
    """A result's score is that of `evaluator.rank.difficulty` for the default question, and names its source."""
    store, result = store_of(project), result_of(project, "words")
    assert result.dataset.revision is not None
    examples = store.examples("sentiment", "reviews", result.dataset.revision)
    assert examples is not None
    found = stored(project)
    samples = Samples.read(
        examples.plain(),
        {"words": store.predictions(result).plain()},
        [one.plain() for one in found.values()],
    )
    for name, one in found.items():
        [row] = samples.answer(DifficultyQuestion(metric=name)).rows
        assert result.scores[name].value == row.value == made["scores"]["words"][name]
        percent = " 10%" if name == "wood" else ""
        version = f"difficulty/2 7-equal case-1{percent} {one.content_hash()[7:19]}"
        assert result.scores[name].version == version
        assert result.scores[name].unit == "%"


def test_nothing_is_done_twice(
    project: Path, made: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """The same again, a rescore and the same import again leave every byte as it was."""
    before = contents(project)
    for file in (project / ".steelyard" / "embeddings").iterdir():
        file.unlink()
    arguments = ("--train", "reviews-train", "--set", "percentages=10,50")
    assert difficulty(project, *arguments) == 0
    assert "wood 10 %: 32 of 32 examples have a value" in capsys.readouterr().out
    assert not list((project / ".steelyard" / "embeddings").iterdir())
    assert run(project, "evaluate", "--dataset", "reviews") == 0
    import_predictions(project, "sure")
    assert contents(project) == before


def test_other_values_replace_none_unasked(
    project: Path, made: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Another seed is refused under the same name; replaced, it makes the old scores' version another."""
    before, old = contents(project), result_of(project, "sure").scores["wsbias-1"]
    other = ("--algorithm", "wsbias-1", "--set", "seed=1")
    assert difficulty(project, *other) == 1
    assert "holds other values; give these another name, or remove the file" in capsys.readouterr().err
    assert contents(project) == before
    assert difficulty(project, *other, "--set", "name=wsbias-1-seed-1") == 0
    [path] = [
        one for one in store_of(project).record_paths(DIFFICULTIES) if one.name.endswith("wsbias-1.json")
    ]
    path.unlink()
    assert difficulty(project, *other) == 0
    assert result_of(project, "sure").scores["wsbias-1"].version != old.version
    assert "wsbias-1-seed-1" in result_of(project, "sure").scores


def test_confidence_alone_needs_no_source(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """wmprob scores models by their own confidence, and stores no difficulty; rescoring keeps it."""
    assert run(project, "difficulty", "reviews", "--algorithm", WMPROB) == 0
    assert "words: no score by difficulty" in capsys.readouterr().out
    assert stored(project) == {}
    assert result_of(project, "sure").scores[WMPROB].version == "difficulty/2 7-equal case-1"
    assert run(project, "evaluate", "--dataset", "reviews") == 0
    assert WMPROB in result_of(project, "sure").scores


VALUES = [{"id": f"r{row}", "b": "" if row == 3 else str(row / 40)} for row in range(EXAMPLES - 1)]


def import_values(project: Path, table: list[dict[str, str]], column: str = "b") -> int:
    write_csv(project / "values.csv", table)
    given = ["--import", str(project / "values.csv"), "--column", f"own={column}"]
    return run(project, "difficulty", "reviews", *given, "--source", "Somebody 2020, https://example.org/b")


def test_published_values_are_imported(project: Path) -> None:
    """Values of a file are stored with where they come from; blanks and missing ids have none."""
    assert import_values(project, VALUES) == 0
    found = stored(project)["own"]
    assert found.values is not None
    assert [row for row, value in enumerate(found.values) if value is None] == [3, EXAMPLES - 1]
    assert found.values[8] == 0.2
    assert found.source is not None
    assert (found.source.citation, found.source.link) == ("Somebody 2020", "https://example.org/b")
    assert found.spec["column"] == "b"
    assert "own" in result_of(project, "words").scores


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"b": "1.5"}, "values.csv:6: b: '1.5' is no number from 0 to 1; correct it, or leave it blank"),
        ({"id": "x"}, "values.csv:6: id: 'x' is no example of reviews; give ids of reviews, such as 'r0'"),
        ({"id": "r1"}, "values.csv:6: id: 'r1' is there twice; give each example one value"),
    ],
)
def test_bad_values_are_refused(
    project: Path, capsys: pytest.CaptureFixture[str], change: dict[str, str], message: str
) -> None:
    """A row that cannot be used is named with line, field, value and fix, and nothing is stored."""
    before = contents(project)
    assert import_values(project, [*VALUES[:4], VALUES[4] | change, *VALUES[5:]]) == 1
    assert message in capsys.readouterr().err
    assert contents(project) == before


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["reviews", "--algorithm", "wood"], 1, "train: missing; wood needs a training set"),
        (
            ["reviews", "--set", "encoder=word2vec"],
            1,
            "encoder: 'word2vec' is neither minilm, tfidf nor a folder",
        ),
        (["reviews", "--train", "bridges"], 1, "train: bridges has no texts of the task sentiment"),
        (
            ["reviews", "--train", "nothing"],
            2,
            "--train 'nothing': the board file has no such dataset to read; there are reviews, reviews-train",
        ),
        (["nothing"], 2, "DATASET 'nothing': the board file has no such dataset to read; there are reviews"),
        (["labels"], 1, "labels: has ids and labels only, and no texts to embed; import values instead"),
        (["bridges"], 1, "bridges: its answers are texts; difficulty is for tasks with labels"),
        (
            ["reviews", "--algorithm", "wsbias-1", "--set", "name=accuracy"],
            1,
            "name: 'accuracy' is that of another",
        ),
        (
            ["reviews", "--algorithm", "wsbias-1", "--set", "name=a b"],
            1,
            "name: 'a b' is no name; give 1 to 100",
        ),
        (["reviews", "--train", "reviews-train", "--set", "name=x"], 2, "name: is for one difficulty"),
        (
            ["reviews", "--train", "reviews-train", "--set", "percentages=1,x"],
            2,
            "'1,x' is not numbers",
        ),
        (
            ["reviews", "--train", "reviews-train", "--set", "percentages=0"],
            1,
            "percentages: 0 is not over 0",
        ),
        (["reviews", "--import", "values.csv"], 2, "--import needs --column, such as wsbias-1=bias"),
        (["reviews", "--import", "v.csv", "--algorithm", "wood"], 2, "leave --algorithm, --train, --set out"),
    ],
)
def test_what_does_not_fit_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    """The error names the option or dataset, what is wrong and the fix; the exit code depends on the kind of error."""
    chosen = [] if {"encoder=word2vec", "--import"} & {*arguments} else ["--set", "encoder=tfidf"]
    capsys.readouterr()
    assert run(project, "difficulty", *arguments, *chosen) == code
    assert message in capsys.readouterr().err


def test_gold_labels_that_are_kept_back_are_not_told(
    project: Path, made: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Without show_gold, WSBias and imported values are refused, WOOD is not; `check` names what is left."""
    write_board(project, show_gold=False)
    assert difficulty(project, "--algorithm", "wsbias-1") == 1
    assert "reveals gold labels; set show_gold = true" in capsys.readouterr().err
    wood = ("--algorithm", "wood", "--train", "reviews-train", "--set", "percentages=10,50")
    assert difficulty(project, *wood) == 0
    problems = list(stored_problems(store_of(project), load_boards(project / "board.toml")))
    assert len(problems) == 2
    assert all("values: reveal gold labels" in problem and "wsbias-" in problem for problem in problems)


def _rows(document: dict[str, Any]) -> None:
    document["values"] = document["values"][:-1]


def _ids(document: dict[str, Any]) -> None:
    document["ids_sha256"] = digest("other")


@pytest.mark.parametrize(
    ("change", "message"),
    [(_rows, "has 31 values for 32 examples; compute or import it again"), (_ids, "ids_sha256: is not that")],
)
def test_a_source_of_other_examples_is_found(
    project: Path, made: dict[str, Any], change: Callable[[dict[str, Any]], None], message: str
) -> None:
    """`check` compares what is stored of difficulty with the examples it is of."""
    boards = load_boards(project / "board.toml")
    assert list(stored_problems(store_of(project), boards)) == []
    [path] = [
        path for path in store_of(project).record_paths(DIFFICULTIES) if path.name.endswith("wsbias-2.json")
    ]
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document))
    [problem] = stored_problems(store_of(project), boards)
    assert problem.startswith(f"{path}: ")
    assert message in problem
