"""`steelyard init --results` and `steelyard import` of results: the board, the numbers, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from interchange_world import tree
from results_world import examples_csv, write

from evaluator.records.board import load_boards
from evaluator.records.store import Store

TABLE = "model,accuracy,stderr,latency_ms\nA,80.5,1.5,12\nB,70.25,1.25,20\n"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def board(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A board of a table in its own folder, in which the program runs from now on."""
    write(tmp_path, "board/speed.csv", TABLE)
    assert run("init", "board", "--results", "board/speed.csv", "--author", "me")[0] == 0
    monkeypatch.chdir(tmp_path / "board")
    return tmp_path / "board"


def test_a_table_becomes_a_board(board: Path) -> None:
    """Every number is there as reported, with its standard error, unit, direction and source."""
    boards, store = load_boards(board / "board.toml"), Store(board / "results")
    [spec] = boards.boards
    assert (spec.base, spec.rate, spec.datasets) == ("accuracy", "ratio", ("speed",))
    assert [(one.name, one.unit, one.direction, one.cap) for one in spec.metrics] == [
        ("accuracy", "%", "higher", None),
        ("latency", "ms", "lower", "max"),
    ]
    result = store.load(store.path("scored", "speed", "A"))
    assert {name: (one.value, one.standard_error) for name, one in result.scores.items()} == {
        "accuracy": (80.5, 1.5),
        "latency": (12.0, None),
    }
    assert (result.provenance, result.source.citation) == ("reported", "as given in speed.csv")  # type: ignore[union-attr]


def test_the_mapping_is_kept_and_a_file_that_says_nothing_new_changes_nothing(board: Path, run: Run) -> None:
    """`steelyard import` alone, and of the same file, leaves every byte; a changed number replaces one result."""
    before = tree(board)
    assert run("import")[:2] == (0, "2 models on 1 dataset: 2 unchanged\n")
    assert run("import", "speed.csv")[:2] == (0, "2 models on 1 dataset: 2 unchanged\n")
    assert tree(board) == before
    write(board, "speed.csv", TABLE.replace("70.25", "71"))
    assert run("import")[1] == "2 models on 1 dataset: 1 imported, 1 unchanged\n"
    changed = {name for name, content in tree(board).items() if before.get(name) != content}
    assert changed == {"results/scored/speed/B.json", "speed.csv"}


def test_a_number_that_left_the_file_leaves_the_board(board: Path, run: Run) -> None:
    """A cell that became empty is a missing number, not the old one."""
    write(board, "speed.csv", TABLE.replace("70.25,1.25", ","))
    assert run("import")[0] == 0
    assert list(Store(board / "results").load(board / "results/scored/speed/B.json").scores) == ["latency"]


def test_another_table_joins_the_board(board: Path, run: Run) -> None:
    """Datasets and metrics go to the ends of the board's lists; what is in the file stays as it is written."""
    text = (board / "board.toml").read_text()
    write(board, "more.csv", "model,dataset,accuracy\nA,first,50\nA,second,60\nB,first,55\nB,second,65\n")
    assert run("import", "more.csv")[0] == 0
    boards = load_boards(board / "board.toml")
    assert [one.id for one in boards.boards] == ["board"]
    assert boards.boards[0].datasets == ("speed", "first", "second")
    assert (board / "board.toml").read_text().startswith(text[: text.index("[[datasets]]")])


def test_files_that_are_not_here_are_named_and_the_rest_is_read(board: Path, run: Run) -> None:
    """What is stored of them stays; where nothing is left to be read, that is a mistake."""
    write(board, "more.csv", "model,accuracy,stderr,latency_ms\nA,60,2,12\n")
    assert run("import", "more.csv")[0] == 0
    kept = tree(board / "results")
    (board / "speed.csv").unlink()
    code, out, _ = run("import")
    assert (code, "not here, so what is stored of it stays: speed.csv" in out) == (0, True)
    assert out.endswith("1 model on 1 dataset: 1 unchanged\n")
    (board / "more.csv").unlink()
    assert (run("import")[0], tree(board / "results")) == (1, kept)


def test_a_board_file_can_say_of_how_many_examples_a_dataset_is(board: Path, run: Run) -> None:
    """Where no column says it, so that shares without a standard error have rank sets."""
    text = (board / "board.toml").read_text("utf-8")
    assert text.count('dataset = "speed"\n') == 1
    (board / "board.toml").write_text(
        text.replace('dataset = "speed"\n', 'dataset = "speed"\nexamples = { speed = 400 }\n'), "utf-8"
    )
    assert run("import")[1] == "2 models on 1 dataset: 2 imported\n"
    store = Store(board / "results")
    assert store.load(store.path("scored", "speed", "A")).dataset.examples == 400


def test_what_is_not_certain_stops_without_a_terminal(run: Run, tmp_path: Path) -> None:
    """The table, the guess and the options are printed, and nothing is written; --yes takes the guess."""
    write(tmp_path, "t.csv", "model,accuracy,length\nA,80,9\nB,70,8\n")
    code, out, err = run("init", "board", "--results", "t.csv", "--author", "me")
    assert code == 1
    assert "accuracy" in out
    assert "--lower-is-better length" in err
    assert not (tmp_path / "board").exists()
    assert run("init", "board", "--results", "t.csv", "--author", "me", "--yes")[0] == 0
    assert load_boards(tmp_path / "board/board.toml").boards[0].weights == {"accuracy": 1}


def test_examples_give_means_and_rank_sets(run: Run, tmp_path: Path) -> None:
    """Values by example are stored with how they vary together."""
    write(tmp_path, "fixes.csv", examples_csv({"A": [1] * 30 + [0] * 10, "B": [1] * 10 + [0] * 30}))
    assert run("init", "board", "--results", "fixes.csv", "--author", "me")[0] == 0
    folder = tmp_path / "board/results/scored/fixes"
    assert Store(tmp_path / "board/results").load(folder / "A.json").scores["solved"].value == 75.0
    [covariances] = folder.glob("*.covariances.json")
    assert json.loads(covariances.read_text())["right"] == {"solved": [30, 10]}


def test_published_numbers_that_examples_do_not_imply_stop_the_import(run: Run, tmp_path: Path) -> None:
    """All differences are named and nothing is stored; accepted, they are marked. Models without examples keep
    their published numbers, apart from the others."""
    write(
        tmp_path,
        "in/examples.csv",
        examples_csv({"A": [1, 1, 0, 0], "B": [1, 0, 0, 0], "C": [1, 1, 1, 0], "D": [1, 1, 1, 1]}),
    )
    write(tmp_path, "in/models.csv", "model,solved_percent\nA,50\nB,25\nC,99.5\nD,98\nE,12\n")
    arguments = ("init", "board", "--results", "in", "--author", "me")
    code, _, err = run(*arguments)
    assert code == 1
    assert "C on in: Solved: stored examples imply 75, published 99.5" in err
    assert "D on in: Solved: stored examples imply 100, published 98" in err
    assert not (tmp_path / "board").exists()
    assert run(*arguments, "--accept-differences")[0] == 0
    store = Store(tmp_path / "board/results")
    scores = {one: store.load(store.path("scored", "in", one)).scores["solved"] for one in "ACE"}
    assert {one: score.value for one, score in scores.items()} == {"A": 50.0, "C": 75.0, "E": 12.0}
    assert not scores["A"].settings
    assert scores["C"].settings
    assert scores["E"].settings


def test_a_mistake_in_the_last_model_leaves_nothing_of_the_first(board: Path, run: Run) -> None:
    """A file is imported whole or not at all, the board file too."""
    before = tree(board)
    write(board, "bad.csv", "model,accuracy\nA,80\nB,70\nB,60\n")
    code, _, err = run("import", "bad.csv")
    assert code == 1
    assert "bad.csv:3: model: 'B' is in " in err
    (board / "bad.csv").unlink()
    assert tree(board) == before


def test_options_are_kept_in_the_mapping(run: Run, tmp_path: Path) -> None:
    """What was told once is read from the board file the next time."""
    write(tmp_path, "t.csv", "name,q,len,n/a\nA,0.5,-1,1\nB,0.75,8,2\n")
    told = ["--metric", "q=quality*100", "--unit", "quality=%", "--missing=-1", "--lower-is-better", "len"]
    told += ["--leave-out", "n/a", "--dataset", "tests", "--source", "Me 2026, https://example.org/x"]
    assert run("init", "board", "--results", "t.csv", "--author", "me", *told)[0] == 0
    [spec] = load_boards(tmp_path / "board/board.toml").imports
    assert (spec.dataset, spec.missing, spec.metrics["quality"].scale) == ("tests", ("-1",), 100)
    assert spec.source is not None
    assert spec.source.citation == "Me 2026"
    store = Store(tmp_path / "board/results")
    assert list(store.load(store.path("scored", "tests", "A")).scores) == ["quality"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["t.csv"], "say what it is: --results, or --data"),
        (["--results", "t.csv", "--data", "t.csv", "--task", "nli"], "leave out it or --results"),
        (["--results", "t.csv", "--range", "accuracy=5"], "write it as METRIC=LEAST:MOST"),
        (["--results", "t.csv", "--unit", "accuracy"], "write it as METRIC=VALUE"),
    ],
)  # fmt: skip
def test_options_of_init_that_do_not_fit_are_refused(
    run: Run, tmp_path: Path, arguments: list[Any], message: str
) -> None:
    """The message says how the option is written, or what to leave out."""
    write(tmp_path, "t.csv", TABLE)
    code, _, err = run("init", "board", "--author", "me", *arguments)
    assert code == 2
    assert message in err


def test_quiet_prints_nothing_of_what_was_understood(run: Run, tmp_path: Path) -> None:
    """Not the table of the metrics either."""
    write(tmp_path, "speed.csv", TABLE)
    assert run("-q", "init", "board", "--results", "speed.csv", "--author", "me", "--yes") == (0, "", "")


def test_rows_that_are_values_have_one_column_of_standard_errors(board: Path, run: Run) -> None:
    """A second one would be read for no metric, so the board file is refused that names it."""
    write(board, "long.csv", "model,metric,value,se,other\nA,f1,50,1,2\n")
    path = board / "board.toml"
    table = (
        '\n[[imports]]\npath = "long.csv"\nrows = "values"\nmodel = "model"\nmetric = "metric"\nvalue = "value"\n'
        'dataset = "speed"\n[imports.metrics]\naccuracy = { column = "f1", standard_error = "se" }\n'
        'latency = { column = "ms", standard_error = "other" }\n'
    )
    path.write_text(path.read_text() + table)
    code, _, said = run("import")
    assert code
    assert "a row is a value with one standard error, and other and se are named; name one column" in said
