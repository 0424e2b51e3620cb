"""The board that a set of logs makes: datasets, metrics with unit and direction, and what it ranks by."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from evaluator.cli import main
from evaluator.exchange.logs import read_logs
from evaluator.exchange.logs_board import board_of_logs, tables_of
from evaluator.records.board import load_boards
from evaluator.records.errors import UserError
from evaluator.records.store import Store


def harness(folder: Path, model: str, **tasks: dict[str, float]) -> Path:
    """A file of lm-evaluation-harness with the numbers of some tasks."""
    path = folder / f"{model}.json"
    better = {"acc": True, "exact_match": True, "word_perplexity": False}
    path.write_text(json.dumps({
        "results": tasks,
        "higher_is_better": dict.fromkeys(tasks, better),
        "config": {"model": "hf", "model_args": f"pretrained={model}"},
    }))  # fmt: skip
    return path


def board(folder: Path, *paths: Path) -> tuple[Any, Any]:
    """What logs hold, and the board file that is made of it."""
    logs = [log for path in paths for log in read_logs(path)]
    found = board_of_logs(logs, [str(log.model) for log in logs])
    (folder / "board.toml").write_text('title = "Logs"\n\n' + tables_of(found, "mine", "Mine"))
    return found, load_boards(folder / "board.toml")


def test_tasks_are_datasets_and_numbers_whose_direction_is_known_are_metrics(tmp_path: Path) -> None:
    """A metric that some models lack has no weight; of two filters the first is taken, and the rest is named."""
    one = harness(
        tmp_path, "heron",
        **{"Riddles:hard": {"acc,none": 0.5, "word_perplexity,none": 9.5, "odd,none": 3}, "sums": {"acc,none": 0.25}},
    )  # fmt: skip
    two = harness(
        tmp_path, "owl", **{"Riddles:hard": {"acc,none": 0.75, "acc,other": 0.5}, "sums": {"acc,none": 1.0}}
    )
    found, boards = board(tmp_path, one, two)
    assert found.datasets == {"Riddles:hard": "riddles-hard", "sums": "sums"}
    assert found.left_out == {"Riddles:hard": ["odd,none", "acc,other"], "sums": []}
    [spec] = boards.boards
    assert (spec.base, spec.datasets, spec.weights) == (
        "accuracy",
        ("riddles-hard", "sums"),
        {"accuracy": 1.0},
    )
    assert [(one.name, one.unit, one.direction, one.cap) for one in spec.metrics] == [
        ("accuracy", "%", "higher", None),
        ("word-perplexity", "", "lower", "max"),
    ]
    assert {one.task for one in boards.datasets} == {"scored"}


def test_tasks_with_different_metrics_are_ranked_by_their_score(tmp_path: Path) -> None:
    """Each dataset counts by its own main metric."""
    path = harness(tmp_path, "heron", riddles={"acc,none": 0.5}, sums={"exact_match,none": 0.25})
    found, boards = board(tmp_path, path)
    assert found.ranked() == ["riddles", "sums"]
    assert found.main == {"riddles": "accuracy", "sums": "exact-match"}
    assert boards.boards[0].base == "score"
    assert [one.main for one in boards.datasets] == ["accuracy", "exact-match"]


def test_a_dataset_whose_main_metric_is_in_another_unit_is_shown_and_not_ranked_by(tmp_path: Path) -> None:
    """A score takes datasets in per cent alone; names with dots are quoted in the board file."""
    paths = [
        harness(tmp_path, f"model{at}", **{"a.b": {"acc,none": 0.5}, "c": {"word_perplexity,none": 9.5}})
        for at in range(2)
    ]
    paths.append(harness(tmp_path, "odd", **{"d.e": {"exact_match,none": 0.5}}))
    _, boards = board(tmp_path, *paths)
    assert [(one.id, one.role, one.main) for one in boards.datasets] == [
        ("a.b", "scoring", "accuracy"),
        ("c", "evaluation", None),
        ("d.e", "scoring", "exact-match"),
    ]
    assert boards.boards[0].dataset_weights == {"a.b": 1.0}


def test_a_task_that_two_logs_write_in_two_ways_is_one_dataset(tmp_path: Path) -> None:
    """It is called as the first log calls it."""
    one = harness(tmp_path, "heron", MMLU={"acc,none": 0.5})
    found, boards = board(tmp_path, one, harness(tmp_path, "owl", mmlu={"acc,none": 0.25}))
    assert found.datasets == {"MMLU": "mmlu", "mmlu": "mmlu"}
    assert [(one.id, one.label) for one in boards.datasets] == [("mmlu", "MMLU")]


@pytest.mark.parametrize(
    ("logs", "message"),
    [
        (
            [{"a:b": {"acc,none": 0.5}, "a/b": {"acc,none": 0.5}}],
            "task 'a:b' has the id 'a-b', and so has 'a/b'",
        ),
        ([{"a": {"odd,none": 0.5}}], "has no number whose unit or direction is known"),
        ([{"a": {"f1,none": 0.5}}, {"a": {"f1,none": 61.5}}], "shares and per cent"),
    ],
)
def test_what_makes_no_clear_board_is_an_error(tmp_path: Path, logs: list[Any], message: str) -> None:
    """The message names the file."""
    paths = [harness(tmp_path, f"model{at}", **tasks) for at, tasks in enumerate(logs)]
    with pytest.raises(UserError, match=message) as error:
        board(tmp_path, *paths)
    assert str(error.value).startswith(str(tmp_path))


def test_names_cannot_leave_their_place_in_the_board_file(tmp_path: Path) -> None:
    """A hostile name of a task is a label, and nothing else."""
    name = 'x"]\n[[models]]\nid = "evil'
    path = harness(tmp_path, "heron", **{name: {"acc,none": 0.5}})
    board(tmp_path, path)
    said = tomllib.loads((tmp_path / "board.toml").read_text())
    assert said["datasets"][0]["label"] == name
    assert "models" not in said


def test_datasets_that_few_models_have_are_not_ranked_by_at_first(tmp_path: Path) -> None:
    """All datasets are shown, and those have weight on which most models can be ranked."""
    paths = [harness(tmp_path, f"model{at}", riddles={"acc,none": 0.5}) for at in range(3)]
    paths.append(harness(tmp_path, "odd", riddles={"acc,none": 0.5}, sums={"acc,none": 0.25}))
    _, boards = board(tmp_path, *paths)
    [spec] = boards.boards
    assert (spec.datasets, spec.dataset_weights) == (("riddles", "sums"), {"riddles": 1.0})
    paths = [harness(tmp_path, f"b{at}", **{name: {"acc,none": 0.5} for name in "ab"}) for at in range(4)]
    paths += [harness(tmp_path, f"c{at}", c={"acc,none": 0.5}) for at in range(5)]
    found, _ = board(tmp_path, *paths)
    assert found.ranked() == ["a", "b"]


def test_init_makes_a_board_of_logs_that_import_reads_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The numbers are there at once; import alone reads the files again, and takes what is new in them."""
    logs = tmp_path / "logs"
    logs.mkdir()
    harness(logs, "heron", riddles={"acc,none": 0.5, "word_perplexity,none": 9.5, "acc,other": 0.75})
    run(tmp_path, "init", "new", "--results", "logs", "--author", "Ada")
    said = capsys.readouterr().out
    assert "accuracy         %     higher  acc,none" in said
    assert "left out: metrics of riddles: acc,other" in said
    harness(logs, "owl", riddles={"acc,none": 0.25, "word_perplexity,none": 4.5})
    run(tmp_path / "new", "import")
    assert capsys.readouterr().out.endswith(
        "2 results of 2 models on 1 dataset: 1 unchanged, 1 imported\nleft out: metrics of riddles: acc,other\n"
    )
    run(tmp_path / "new", "check")
    values = {
        one.model.id: {name: score.value for name, score in one.scores.items()}
        for one in Store(tmp_path / "new" / "results").results()
    }
    assert values == {
        "heron": {"accuracy": 50.0, "word-perplexity": 9.5},
        "owl": {"accuracy": 25.0, "word-perplexity": 4.5},
    }


def run(folder: Path, *arguments: str) -> None:
    """Run a command in a folder, in this process; it must succeed."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with pytest.raises(SystemExit) as end:
            main(arguments)
    finally:
        os.chdir(before)
    assert not end.value.code


def test_logs_that_do_not_make_a_board_leave_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A broken log among good ones, and an option about columns, which logs do not have."""
    harness(tmp_path, "heron", riddles={"acc,none": 0.5})
    for options, text, message in (
        ([], "{", "broken.json: not JSON"),
        (
            ["--unit", "accuracy=s"],
            harness(tmp_path, "heron", riddles={}).read_text(),
            "--unit: is for tables",
        ),
    ):
        logs = tmp_path / f"logs{len(options)}"
        logs.mkdir()
        harness(logs, "heron", riddles={"acc,none": 0.5})
        (logs / "broken.json").write_text(text)
        with pytest.raises(SystemExit) as end:
            main(["init", str(tmp_path / "new"), "--results", str(logs), "--author", "Ada", *options])
        assert end.value.code
        assert message in capsys.readouterr().err
        assert not (tmp_path / "new").exists()


def test_a_number_that_is_none_and_a_log_that_cannot_be_read_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model without the number is left out of that dataset; a log that is wrong stops all, by its place in the archive,
    unless it is to be left out."""
    logs = tmp_path / "logs"
    logs.mkdir()
    harness(logs, "heron", riddles={"acc,none": 0.5}, sums={"acc,none": 0.5})
    harness(logs, "owl", riddles={"acc,none": float("nan")}, sums={"acc,none": 0.25})
    path = harness(logs, "wren", riddles={"acc,none": 0.5})
    path.write_text(
        json.dumps(json.loads(path.read_text()) | {"n-samples": {"riddles": {"original": 1, "effective": 2}}})
    )
    shutil.make_archive(str(tmp_path / "logs"), "zip", logs)
    with pytest.raises(SystemExit) as end:
        main(["init", str(tmp_path / "new"), "--results", str(tmp_path / "logs.zip"), "--author", "Ada"])
    said = capsys.readouterr().err
    assert end.value.code == 1
    assert f"{tmp_path}/logs.zip/wren.json: n-samples.riddles.effective: 2 does not fit 1" in said
    run(tmp_path, "init", "new", "--results", "logs.zip", "--author", "Ada", "--skip-malformed")
    found = {(one.model.id, one.dataset.id) for one in Store(tmp_path / "new" / "results").results()}
    assert found == {("heron", "riddles"), ("heron", "sums"), ("owl", "sums")}
