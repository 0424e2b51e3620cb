"""Seconds and tokens that Inspect counted of each sample: columns of their own, apart from what is timed here."""

from __future__ import annotations

import copy
import json
import statistics
from pathlib import Path
from typing import Any

import pytest
from logs_world import REAL, imported, only, write_board

from evaluator.exchange.logs import read_logs
from evaluator.records.board import assemble, load_boards
from evaluator.records.errors import UserError
from evaluator.records.store import Store

COLUMNS = """
    { name = "working-time", label = "Seconds", unit = "s", direction = "lower", cap = "max" },
    { name = "output-tokens", label = "Tokens out", unit = "tokens", direction = "lower", cap = "max" },
    { name = "milliseconds", label = "Milliseconds", unit = "ms", direction = "lower", cap = "max" },
    { name = "throughput", label = "Throughput", unit = "examples/s" },
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    file = write_board(tmp_path) / "board.toml"
    metrics = 'metrics = [{ name = "accuracy", label = "Accuracy", unit = "%" }'
    file.write_text(file.read_text().replace(f"{metrics}]", f"{metrics}, {COLUMNS}]", 1))
    return tmp_path


def mood(folder: Path, samples: list[dict[str, Any]] | None = None, **config: object) -> Path:
    """The log of the meals, with other costs of its samples, which are in order, and with some settings."""
    log = json.loads((REAL / "inspect" / "mood.json").read_text())
    for sample, costs in zip(log["samples"], samples or [], strict=False):
        sample |= {"model_usage": {}, "working_time": None} | costs
    log["eval"]["model_generate_config"] |= config
    folder.mkdir()
    path = folder / "mood.json"
    path.write_text(json.dumps(log))
    return path


def usage(**tokens: int | None) -> dict[str, Any]:
    """Of a sample in which another model was asked too."""
    return {"model_usage": {"mockllm/model": tokens, "acme/judge": {"output_tokens": 1000}}}


def test_costs_are_stored_beside_scores_of_answers(world: Path) -> None:
    """The mean over the samples that say so, its standard error, and of how many it is; judges' tokens do not count."""
    costs = [
        {"working_time": 1.0} | usage(output_tokens=10, reasoning_tokens=None),
        {"working_time": 3.0} | usage(output_tokens=10),
        *({"working_time": 2.0} | usage(output_tokens=40) for _ in range(12)),
        {"working_time": None} | usage(),
    ]
    path = mood(world / "log", costs)
    done = only(imported(world, path, tasks={"mood": "meals"}))
    scores = done.result.scores
    assert done.result.provenance == "predictions"
    assert [pair.metric for pair in done.compared] == ["accuracy"]
    assert (scores["accuracy"].value, scores["accuracy"].settings) == (pytest.approx(200 / 3), {})
    assert scores["working-time"].value == pytest.approx(28 / 14)
    error = statistics.stdev([1.0, 3.0, *[2.0] * 12]) / 14**0.5
    assert scores["working-time"].standard_error == pytest.approx(error)
    assert scores["output-tokens"].value == pytest.approx(500 / 14)
    assert scores["working-time"].settings["examples"] == "14 of 15"
    assert only(imported(world, path, tasks={"mood": "meals"})).status == "unchanged"
    [log] = read_logs(path)
    assert "reasoning_tokens" not in log.read_task("mood").values
    alone = {"metrics": {"working_time": "working-time"}, "write_data": False}
    reported = only(imported(world, path, "other", tasks={"mood": "meals"}, **alone)).result
    assert reported.provenance == "reported"
    assert reported.scores["working-time"] == scores["working-time"]


def test_an_example_of_several_epochs_counts_once(world: Path) -> None:
    """Its epochs are alike, so the standard error is of as many numbers as there are examples."""
    path = mood(world / "log", [{"working_time": 1.0}] * 15)
    log = json.loads(path.read_text())
    second = [sample | {"epoch": 2, "working_time": 3.0} for sample in copy.deepcopy(log["samples"])]
    second[0]["working_time"] = 18.0
    log["samples"] += second
    path.write_text(json.dumps(log))
    [read] = read_logs(path)
    task = read.read_task("mood")
    assert task.values["working_time"] == pytest.approx((9.5 + 14 * 2) / 15)
    assert task.errors["working_time"] == pytest.approx(statistics.stdev([9.5, *[2.0] * 14]) / 15**0.5)


def test_costs_are_values_by_example_where_the_board_has_no_data(world: Path) -> None:
    """Seconds of each sample are stored, as verdicts are, so that their mean has what rank sets need."""
    file = world / "board.toml"
    elsewhere = 'label = "Data that is not here"\ntask = "classification"'
    file.write_text(
        file.read_text()
        .replace(elsewhere, elsewhere.replace("classification", "scored"))
        .replace('"judged", "elsewhere"]', '"judged"]')
        + f"""
[[boards]]
id = "all"
title = "All"
task = "scored"
base = "score"
datasets = ["elsewhere"]
metrics = [{{ name = "score", label = "Score", unit = "%" }}, {COLUMNS}]
"""
    )
    path = mood(world / "log", [{"working_time": 1.0 + place} for place in range(14)] + [{}])
    asked_for = {"metrics": {"accuracy": "score", "working_time": "working-time"}, "write_data": False}
    result = only(imported(world, path, tasks={"mood": "elsewhere"}, **asked_for)).result
    values = Store(world / "results").predictions(result).values
    assert values is not None
    known = [value for value in values["working-time"] if value is not None]
    assert (sorted(known), len(values["working-time"])) == ([1.0 + place for place in range(14)], 15)
    assert result.scores["working-time"].value == 7.5
    assert result.scores["working-time"].settings["examples"] == "14 of 15"


def test_a_sample_that_cannot_be_read_leaves_the_published_numbers(world: Path) -> None:
    path = mood(world / "log", [{"model_usage": "much"}])
    asked_for = {"tasks": {"mood": "meals"}, "examples": "none", "write_data": False}
    assert only(imported(world, path, **asked_for)).result.scores.keys() == {"accuracy"}


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("throughput", "metric working_time: throughput is what is measured here"),
        (
            "milliseconds",
            r"is in s, and milliseconds of the board in ms; .* working_time=milliseconds\*FACTOR",
        ),
        ("accuracy", "the log says that lower is better, the board higher"),
    ],
)
def test_seconds_are_no_other_column(world: Path, metric: str, message: str) -> None:
    """They are in no column of another unit or direction, and never in that of what is timed here."""
    path = REAL / "inspect" / "mood.json"
    with pytest.raises(UserError, match=message):
        imported(world, path, tasks={"mood": "elsewhere"}, metrics={"working_time": metric}, write_data=False)


def test_costs_of_runs_with_other_connections_are_not_ranked_together(world: Path) -> None:
    """What was answered from a cache, or beside other samples, took another time; the answers are the same."""
    for model, config in {"a": {}, "aa": {}, "b": {"max_connections": 64}}.items():
        path = mood(world / model, [{"working_time": 1.0}] * 15, **config)
        imported(world, path, model, tasks={"mood": "meals"})
    boards, store = load_boards(world / "board.toml"), Store(world / "results")
    values = assemble(boards.boards[0], boards, store.results()).data["values"]["meals"]
    assert values["working-time"] == [1.0, 1.0, None]
    assert values["accuracy"] == [pytest.approx(200 / 3)] * 3
