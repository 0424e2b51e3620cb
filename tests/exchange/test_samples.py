"""What tools keep of each example is read as their versions write it, and no number falls with one of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from logs_world import imported, only, write_board
from test_settings import harness, inspect, lighteval, write

from evaluator.exchange.importing import ImportedTask
from evaluator.records.errors import UserError

DATE = "2026-01-05T10-00-00"
#: A task with the data of which the board knows how it is read, and one without.
HERE, ELSEWHERE = {"quiz": "meals"}, {"quiz": "elsewhere"}


def choice(place: int, choices: list[str], likely: list[float], target: Any, **more: Any) -> dict[str, Any]:
    """A row of the harness for an example with choices, which follow a space."""
    asked = {
        f"gen_args_{at}": {"arg_0": f"Meal {place}?", "arg_1": f" {one}"} for at, one in enumerate(choices)
    }
    replies = [[str(one), "False"] for one in likely]
    row = {"doc_id": place, "doc": {"text": f"Meal {place}?"}, "target": target, "arguments": asked}
    return row | {"filtered_resps": replies, "filter": "none"} | more


MOODS = ["negative", "positive"]
#: Two examples of which the first is answered rightly.
ROWS = [
    choice(0, MOODS, [-1.0, -2.0], "0", acc=1.0),
    choice(1, MOODS, [-1.0, -2.0], "1", acc=0.0),
]


def log(folder: Path, rows: list[dict[str, Any]], **changes: Any) -> Path:
    """A log of the harness beside its examples."""
    document = harness() | {"n-samples": {}} | changes
    path = write(folder / "log", "harness", document)
    (folder / "log" / f"samples_quiz_{DATE}.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows)
    )
    return path


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return write_board(tmp_path)


def refused(world: Path, path: Path, **asked_for: Any) -> str:
    """What the error says; nothing is stored, and no data file is left."""
    with pytest.raises(UserError) as error:
        imported(world, path, **asked_for)
    assert not (world / "results").exists()
    assert not list((world / "data").glob("*")) if (world / "data").exists() else True
    return str(error.value)


def accuracy(done: ImportedTask) -> float:
    return done.result.scores["accuracy"].value


def test_choices_in_prompts_do_not_say_which_is_right(world: Path) -> None:
    """Where what follows is the same for all choices no gold label is written; the verdicts can be stored."""
    rows = []
    for place, acc in enumerate([1.0, 1.0, 0.0, 1.0]):
        asked = {
            f"gen_args_{at}": {"arg_0": f"The {one} fell as the {one}", "arg_1": " was loose."}
            for at, one in enumerate(["lamp", "rug"])
        }
        row = choice(place, MOODS, [-3.0, -4.0], "was loose.", acc=acc)
        rows.append(row | {"arguments": asked})
    path = log(world, rows, results={"quiz": {"acc,none": 0.75}})
    said = refused(world, path, tasks=HERE)
    assert "does not say which of its choices is right" in said
    assert "--examples verdicts" in said
    assert "--examples none" in said
    done = only(imported(world, path, tasks={"quiz": "judged"}, examples="verdicts"))
    assert accuracy(done) == 75.0
    assert (
        accuracy(only(imported(world, path, "other", tasks=HERE, examples="none", write_data=False))) == 75.0
    )


def test_rows_without_a_filter_are_of_the_only_one(world: Path) -> None:
    """Before 0.4.7 rows do not name it; where the results have several, the error says which version does."""
    rows = [{key: value for key, value in row.items() if key != "filter"} for row in ROWS]
    (world / "one").mkdir()
    done = only(imported(world, log(world / "one", rows, lm_eval_version="0.4.5"), tasks=HERE))
    assert [pair.words for pair in done.compared] == ["accuracy: stored examples imply 50, published 50"]
    path = log(write_board(world), rows, results={"quiz": {"acc,none": 0.5, "acc,strict": 0.5}})
    asked_for = {"tasks": HERE, "metrics": {"acc,none": "accuracy"}}
    with pytest.raises(UserError, match=r"filters none, strict; .* 0\.4\.7 or later, .*--examples none"):
        imported(world, path, **asked_for)


def test_a_list_of_right_answers_may_be_written_as_a_text(world: Path) -> None:
    """Numbers are places of choices, texts are what may be written."""
    rows = [choice(0, MOODS, [-1.0, -2.0], "[0, 1]", acc=1.0), ROWS[1]]
    assert accuracy(only(imported(world, log(world, rows), tasks=HERE))) == 50.0
    asked = {"gen_args_0": {"arg_0": "Sum?", "arg_1": {"until": ["."]}}}
    sums = [
        {"doc_id": at, "doc": {"text": "Sum?"}, "target": target, "arguments": asked, "filter": "none"}
        | {"filtered_resps": [said], "exact_match": right}
        for at, (target, said, right) in enumerate([("['4', 'four']", "four", 1.0), ("[4]", "5", 0.0)])
    ]
    (world / "sums").mkdir()
    path = log(world / "sums", sums, results={"quiz": {"exact_match,none": 0.5}})
    done = only(imported(world, path, tasks={"quiz": "sums"}))
    assert done.result.scores["exact-match"].value == 50.0
    first = json.loads((world / "data" / "sums.jsonl").read_text().splitlines()[0])
    assert first["answers"] == ["4", "four"]


def test_the_delimiter_counts_for_no_length(world: Path) -> None:
    """acc_norm is per character of the choice, whatever is between it and the prompt: -3.9 for 2 characters
    and -5 for 3 are 1.95 and 1.67 a character, and with the delimiter 1.3 and 1.25."""
    board = (world / "board.toml").read_text().replace('["negative", "positive"]', '["no", "yes"]')
    (world / "board.toml").write_text(board)
    config = harness()["configs"]["quiz"] | {"target_delimiter": "::::"}
    rows = []
    for place, (gold, right) in enumerate([("1", 1.0), ("0", 0.0)]):
        row = choice(place, ["no", "yes"], [-3.9, -5.0], gold, acc_norm=right)
        for one in row["arguments"].values():
            one["arg_1"] = "::::" + one["arg_1"][1:]
        rows.append(row)
    path = log(world, rows, results={"quiz": {"acc_norm,none": 0.5}}, configs={"quiz": config})
    assert accuracy(only(imported(world, path, tasks=HERE, metrics={"acc_norm": "accuracy"}))) == 50.0


def test_choices_that_are_asked_again_for_mutual_information_are_no_others(world: Path) -> None:
    """The second half of the requests, without a prompt, gives no answer."""
    rows = []
    for row in ROWS:
        again = {f"gen_args_{at + 2}": {"arg_0": "", "arg_1": f" {one}"} for at, one in enumerate(MOODS)}
        likely = [["-9.0", "False"], ["-0.5", "False"]]
        rows.append(
            row | {"arguments": row["arguments"] | again, "filtered_resps": row["filtered_resps"] + likely}
        )
    assert accuracy(only(imported(world, log(world, rows), tasks=HERE))) == 50.0


@pytest.mark.parametrize("reply", [-30.5, "-30.5", ["-30.5", "True"]])
def test_how_likely_a_text_is_is_no_answer(world: Path, reply: Any) -> None:
    """A perplexity has no answers; its number is taken where the data is elsewhere, and else the way is named."""
    asked = {"gen_args_0": {"arg_0": "a page"}}
    row = {
        "doc": {"text": "x"},
        "target": "a page",
        "arguments": asked,
        "filtered_resps": [reply],
        "filter": "none",
    }
    path = log(world, [row | {"doc_id": at, "acc": [-30.5, 10]} for at in range(2)])
    done = only(imported(world, path, tasks=ELSEWHERE, write_data=False))
    assert (accuracy(done), done.unused) == (50.0, "")


def test_examples_that_cannot_be_used_are_counted(world: Path) -> None:
    """The published number stands; where answers are to be stored, the error names the way round."""
    path = log(world, [*ROWS, ROWS[0] | {"doc_id": 2, "target": "7"}])
    done = only(imported(world, path, tasks=ELSEWHERE, write_data=False))
    assert accuracy(done) == 50.0
    assert done.unused.startswith("1 of the log's 3 examples cannot be used; ")
    assert "--examples none" in done.unused
    with pytest.raises(UserError, match=r"target: '7' is none of the 2 choices; .*--examples none"):
        imported(world, path, tasks=HERE)


@pytest.mark.parametrize("error", [float("nan"), float("inf"), "N/A", None, -1.0])
def test_a_number_stands_without_a_standard_error(world: Path, error: Any) -> None:
    """Tools write NaN or N/A where they can compute none."""
    document = lighteval() | {"results": {"quiz|0": {"acc": 1.0, "acc_stderr": error}}}
    path = write(world / "log", "lighteval", document)
    done = only(imported(world, path, tasks={"quiz|0": "elsewhere"}, write_data=False))
    assert (accuracy(done), done.result.scores["accuracy"].standard_error) == (100.0, None)


def test_a_sample_that_was_not_scored_is_left_out_and_counted(world: Path) -> None:
    """Inspect marks it with NaN; the number is of the others, which must give it, and the source says so."""
    document = inspect()
    values = ["C", "I", "C", float("nan")]
    document["eval"]["config"] = {"epochs": 1}
    scores = document["results"]
    scores["completed_samples"] = 4
    scores["scores"][0] |= {"reducer": None, "scored_samples": 3, "unscored_samples": 1}
    scores["scores"][0]["metrics"]["accuracy"]["value"] = 2 / 3
    document["samples"] = [
        {"id": at, "epoch": 1, "input": f"Meal {at}?", "target": "positive", "working_time": 2.5}
        | {"scores": {"match": {"value": value, "answer": "positive"}}, "model_usage": {"acme/tiny": {}}}
        for at, value in enumerate(values)
    ]
    done = only(imported(world, write(world / "log", "inspect", document), tasks=ELSEWHERE, write_data=False))
    assert accuracy(done) == pytest.approx(200 / 3)
    assert [pair.words for pair in done.compared] == [
        "accuracy: stored examples imply 66.6667, published 66.6667"
    ]
    assert done.result.dataset.examples == 3
    assert done.result.source is not None
    assert done.result.source.citation.endswith("(on 3 of 4 examples)")
    assert not done.result.measurement


@pytest.mark.parametrize(
    ("task", "metric", "changes", "value"),
    [
        ("squadv2", "f1", {}, 0.2),
        ("scrolls_qasper", "f1", {}, 0.2),
        ("coqa", "f1", {}, 20.0),
        ("own", "f1", {"metric_list": [{"metric": "f1"}], "output_type": "multiple_choice"}, 20.0),
        ("own", "f1", {"metric_list": [{"metric": "f1"}], "process_results": "def process..."}, None),
        ("own", "f1", {}, None),
        ("own", "acc", {}, 20.0),
        ("own", "rougeL", {}, None),
    ],
)
def test_a_unit_is_known_of_a_task_or_asked_for(
    world: Path, task: str, metric: str, changes: dict[str, Any], value: float | None
) -> None:
    """0.2 may be 20 or 0.2 per cent: its size says nothing; a factor of one's own decides."""
    document = harness() | {"results": {task: {f"{metric},none": 0.2}}, "configs": {task: changes}}
    path = write(world / "log", "harness", document | {"n-samples": {}})
    asked_for = {"tasks": {task: "elsewhere"}, "metrics": {metric: "accuracy"}, "write_data": False}
    if value is None:
        assert "0.2 is not known to be a share of one; say what makes it per cent" in refused(
            world, path, **asked_for
        )
        value, asked_for = 0.2, asked_for | {"scales": {"accuracy": 1.0}}
    assert accuracy(only(imported(world, path, **asked_for))) == value


def test_the_mean_of_a_scorer_of_ones_own_has_no_known_unit(world: Path) -> None:
    """Inspect's mean is of whatever a scorer gives, be it grades to 10; its own scorers give at most one."""
    document = inspect()
    [score] = document["results"]["scores"]
    score["metrics"] = {"mean": {"name": "mean", "value": 0.5, "params": {}}}
    asked_for = {"tasks": ELSEWHERE, "metrics": {"mean": "accuracy"}, "write_data": False}
    assert accuracy(only(imported(world, write(world / "a", "inspect", document), **asked_for))) == 50.0
    score["scorer"] = "grades"
    with pytest.raises(UserError, match=r"0\.5 is not known to be a share of one"):
        imported(world, write(world / "b", "inspect", document), "other", **asked_for)
