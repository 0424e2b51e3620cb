"""`steelyard import` of Every Eval Ever, promptfoo and the Hub's metadata, in folders as they come."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped, unused-ignore]
from every_eval_ever.eval_types import EvaluationLog
from every_eval_ever.instance_level_types import InstanceLevelEvaluationLog
from interchange_world import steelyard
from small_boards import results_by_model as stored

from evaluator.exchange.logs import is_of_tool, read_logs
from evaluator.records.board import assemble, load_boards
from evaluator.records.result import Score
from evaluator.records.store import Store

BOARD = """
title = "Logs"

[[datasets]]
id = "riddles"
label = "Riddles"
task = "classification"

[[boards]]
id = "all"
title = "All"
task = "classification"
base = "accuracy"
datasets = ["riddles"]
metrics = [
  { name = "accuracy", label = "Accuracy", unit = "%" },
  { name = "tone", label = "Tone", unit = "points" },
  { name = "seconds", label = "Seconds", unit = "s", direction = "lower", cap = "max" },
]
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    (tmp_path / "board.toml").write_text(BOARD)
    (tmp_path / "logs").mkdir()
    return tmp_path


def ranked(folder: Path, metric: str = "accuracy") -> dict[str, float | None]:
    """The numbers that are ranked together, by model."""
    boards = load_boards(folder / "board.toml")
    board = assemble(boards.boards[0], boards, Store(folder / "results").results())
    return dict(zip(board.data["models"], board.data["values"]["riddles"][metric], strict=True))


# Every Eval Ever


def every_eval_ever(model: str, **changes: Any) -> dict[str, Any]:
    """A document with two metrics of a task; `changes` are of the first."""
    first = {
        "evaluation_result_id": "riddles:accuracy",
        "evaluation_name": "riddles",
        "source_data": {"dataset_name": "Riddles", "source_type": "hf_dataset", "hf_repo": "lake/riddles"},
        "metric_config": {
            "metric_id": "accuracy", "metric_name": "Accuracy", "metric_unit": "percent",
            "lower_is_better": False, "score_type": "continuous", "min_score": 0.0, "max_score": 100.0,
        },
        "score_details": {
            "score": 75.0, "uncertainty": {"standard_error": {"value": 2.5}, "num_samples": 4},
        },
        "generation_config": {"generation_args": {"temperature": 0.5, "execution_command": f"run {model}"}},
    }  # fmt: skip
    second = copy.deepcopy(first) | {"evaluation_result_id": "riddles:seconds"}
    second["metric_config"] = {
        "metric_name": "Seconds", "metric_unit": "s", "lower_is_better": True,
        "score_type": "continuous", "min_score": 0.0, "max_score": "Infinity",
    }  # fmt: skip
    second["score_details"] = {"score": 1.25}
    document = {
        "schema_version": "0.3.0",
        "evaluation_id": f"riddles/{model}/1795734030",
        "evaluation_timestamp": "1795460731",
        "retrieved_timestamp": "1795734030",
        "source_metadata": {
            "source_name": "The riddle board", "source_type": "evaluation_run",
            "source_organization_name": "Lake", "evaluator_relationship": "third_party",
        },
        "eval_library": {"name": "unknown", "version": "unknown"},
        "model_info": {"name": model.split("/")[-1], "id": model},
        "evaluation_results": [first | changes, second],
    }  # fmt: skip
    EvaluationLog.model_validate(document)
    return document


def sample(id_: str, score: float) -> str:
    """A row of one example."""
    row = {
        "schema_version": "0.3.0", "evaluation_id": "riddles", "model_id": "lake/heron",
        "evaluation_name": "riddles", "evaluation_result_id": "riddles:accuracy", "sample_id": id_,
        "interaction_type": "single_turn", "input": {"raw": f"Riddle {id_}?", "reference": ["a map"]},
        "output": {"raw": ["a map"]}, "evaluation": {"score": score, "is_correct": score == 1},
        "answer_attribution": [{
            "turn_idx": 0, "source": "output.raw", "extracted_value": "a map",
            "extraction_method": "whole", "is_terminal": True,
        }],
    }  # fmt: skip
    InstanceLevelEvaluationLog.model_validate(row)
    return json.dumps(row)


def test_documents_of_every_eval_ever_are_imported_with_units_and_errors(world: Path) -> None:
    """A share and per cent are the same number; what decides a number is kept by name, without what is the model's;
    another temperature is another measurement."""
    heron = every_eval_ever("lake/heron")
    wren = every_eval_ever("lake/wren")
    number = wren["evaluation_results"][0]
    number["metric_config"] |= {"metric_unit": "proportion", "max_score": 1.0}
    number["score_details"] = {"score": 0.5, "uncertainty": {"num_samples": 4}}
    owl = every_eval_ever("lake/owl", generation_config={"generation_args": {"temperature": 1.0}})
    for name, document in {"a": heron, "b": wren, "c": owl}.items():
        (world / "logs" / f"{name}.json").write_text(json.dumps(document))
    steelyard(world, "import", str(world / "logs"))
    found = stored(world)
    score = found["lake-heron"].scores["accuracy"]
    assert (score.value, score.standard_error, found["lake-heron"].dataset.examples) == (75.0, 2.5, 4)
    assert found["lake-heron"].scores["seconds"].value == 1.25
    assert {
        "source": "The riddle board",
        "temperature": "0.5",
        "hf_repo": "lake/riddles",
    }.items() <= score.settings.items()
    assert "execution_command" not in score.settings
    assert ranked(world) == {"lake-heron": 75.0, "lake-owl": None, "lake-wren": 50.0}


def test_what_a_publication_lists_is_ranked_together_however_it_was_asked(world: Path) -> None:
    """A leaderboard that was copied ranks its agents together; parts of its data and other sources are kept apart."""
    for name, generation, about, details in (
        ("heron", {"temperature": 0.5}, {}, {"submission_id": "1"}),
        ("owl", {"temperature": 1.0}, {}, {"submission_id": "2"}),
        ("teal", {}, {"source_name": "Another board"}, {}),
        ("wren", {}, {}, {"benchmark_version": "2"}),
    ):
        document = every_eval_ever(f"lake/{name}")
        document["source_metadata"] |= {"source_type": "documentation"} | about
        number = document["evaluation_results"][0]
        number["generation_config"] = {"generation_args": generation}
        number["source_data"] = number["source_data"] | {"additional_details": details}
        (world / "logs" / f"{name}.json").write_text(json.dumps(document))
    steelyard(world, "import", str(world / "logs"))
    assert ranked(world) == {"lake-heron": 75.0, "lake-owl": 75.0, "lake-teal": None, "lake-wren": None}


@pytest.mark.parametrize(("right", "code"), [(3, 0), (2, 1)])
def test_rows_of_every_eval_ever_must_give_the_published_number(
    world: Path, right: int, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a number in per cent, rows of 0 and 1 are wrong and right."""
    path = world / "logs" / "a.json"
    path.write_text(json.dumps(every_eval_ever("lake/heron")))
    rows = [sample(str(place), float(place < right)) for place in range(4)]
    path.with_name("a_samples.jsonl").write_text("\n".join(rows) + "\n")
    steelyard(world, "import", str(path), code=code)
    said = capsys.readouterr()
    implied = f"accuracy: stored examples imply {25 * right}, published 75"
    assert implied in said.out + said.err


@pytest.mark.parametrize(
    "named", ["a" * 300, "a\0b", ".."], ids=["too long", "a null byte", "the folder above"]
)
def test_rows_of_every_eval_ever_in_a_file_that_cannot_be_are_not_there(world: Path, named: str) -> None:
    """The document's numbers are imported without them."""
    rows = {"format": "jsonl", "file_path": f"rows/{named}"}
    document = every_eval_ever("lake/heron") | {"detailed_evaluation_results": rows}
    (world / "logs" / "a.json").write_text(json.dumps(document))
    steelyard(world, "import", str(world / "logs"))
    assert stored(world)["lake-heron"].scores["accuracy"].value == 75.0


# promptfoo


def test_row(test: int, prompt: int, passed: bool, **changes: Any) -> dict[str, Any]:
    """A row of promptfoo, of one of three questions."""
    question = {"question": f"Riddle {test % 3}?"}
    checks = [{"type": "equals", "value": "a map"}]
    row: dict[str, Any] = {
        "testIdx": test, "promptIdx": prompt, "vars": question,
        "testCase": {"vars": question, "assert": checks, "options": {}, "metadata": {}},
        "provider": {"id": f"cloud:model-{prompt}", "label": ["", "Second model"][prompt]},
        "prompt": {"raw": f"Answer: {question['question']}", "label": "Answer: {{question}}"},
        "response": {"output": "a map", "cached": False},
        "success": passed, "score": float(passed), "failureReason": 0 if passed else 1,
        "namedScores": {"tone": 0.5 + test}, "latencyMs": 100 * (test + 1), "cost": 0.25,
    }  # fmt: skip
    return row | changes


test_row.__test__ = False  # type: ignore[attr-defined]


def promptfoo(rows: Sequence[dict[str, Any]], passed: Sequence[int], failed: Sequence[int]) -> str:
    prompts = [
        {"label": "Answer: {{question}}", "metrics": {"testPassCount": yes, "testFailCount": no}}
        for yes, no in zip(passed, failed, strict=True)
    ]
    return json.dumps({
        "evalId": "eval-1",
        "results": {"version": 3, "timestamp": "2026-11-01T10:00:00Z", "prompts": prompts, "results": rows, "stats": {}},
        "config": {"description": "riddles"},
        "metadata": {"promptfooVersion": "0.120.1"},
    })  # fmt: skip


def test_providers_of_promptfoo_are_models_and_their_checks_and_times_are_metrics(world: Path) -> None:
    """A provider has its label, else its id; the share of tests that passed is checked against what promptfoo counted."""
    rows = [test_row(test, prompt, passed=test <= prompt) for test in range(3) for prompt in range(2)]
    (world / "logs" / "out.json").write_text(promptfoo(rows, [1, 2], [2, 1]))
    mapped = ["--metric", "pass=accuracy", "--metric", "tone=tone", "--metric", "latency_ms=seconds*0.001"]
    steelyard(world, "import", str(world / "logs" / "out.json"), *mapped)
    found = stored(world)
    assert found.keys() == {"cloud-model-0", "Second-model"}
    scores = {name: score.value for name, score in found["Second-model"].scores.items()}
    assert scores == pytest.approx({"accuracy": 200 / 3, "tone": 1.5, "seconds": 0.2})
    assert found["Second-model"].model.label == "Second model"
    assert ranked(world) == {"cloud-model-0": pytest.approx(100 / 3), "Second-model": pytest.approx(200 / 3)}


def test_tests_of_promptfoo_that_are_asked_again_are_trials_of_one_example(tmp_path: Path) -> None:
    """So are equal tests; a test whose provider failed has no value, and an answer from the cache no time."""
    rows = [test_row(test, 0, passed=test != 4) for test in range(6)]
    rows[1] |= {"success": False, "failureReason": 2, "score": 0}
    rows[2]["response"] = {"output": "a map", "cached": True}
    path = tmp_path / "out.json"
    path.write_text(promptfoo(rows, [4], [1]))
    [log] = read_logs(path)
    task = log.read_task("riddles")
    assert task.examples is not None
    examples = task.examples().rows
    assert [(one.id, one.trial) for one in examples] == [(str(place % 3), place // 3) for place in range(6)]
    assert [one.scores.get("pass") for one in examples] == [1.0, None, 1.0, 1.0, 0.0, 1.0]
    assert [one.scores.get("latency_ms") for one in examples] == [100, None, None, 400, 500, 600]
    assert (task.values["pass"], task.settings, task.effective) == (0.8, {"trials": "2"}, 3)


def test_prompts_of_one_provider_and_other_tests_are_told_apart(world: Path) -> None:
    """Two prompts of a provider are two models; with other assertions numbers are not ranked together."""
    rows = [test_row(test, 0, passed=True) for test in range(3)]
    rows += [one | {"promptIdx": 1, "prompt": {"raw": "x", "label": "short.txt"}} for one in rows]
    (world / "logs" / "a.json").write_text(promptfoo(rows, [3, 3], [0, 0]))
    other = [one | {"testCase": one["testCase"] | {"assert": []}} for one in rows[:3]]
    other = [one | {"provider": "cloud:third"} for one in other]
    (world / "logs" / "b.json").write_text(promptfoo(other, [3], [0]))
    steelyard(world, "import", str(world / "logs"), "--metric", "pass=accuracy")
    labels = {one.model.label for one in stored(world).values()}
    assert labels == {"cloud:model-0 (prompt 1)", "cloud:model-0 (short.txt)", "cloud:third"}
    assert [*ranked(world).values()].count(None) == 1


# The Hub


def model_index(name: str, value: float, **data: str) -> dict[str, Any]:
    return {
        "name": name,
        "results": [{
            "task": {"type": "text-classification"},
            "dataset": {"name": "Riddles", "type": "lake/riddles", **data},
            "metrics": [{"type": "accuracy", "value": value, "name": "Accuracy (%)"}, {"type": "f1", "value": 0.5, "args": {"average": "macro"}}],
        }],
    }  # fmt: skip


def test_the_hubs_metadata_is_imported_in_all_three_forms(world: Path) -> None:
    """Cards say which models they are of, `.eval_results` lie in the model's repository, and a leaderboard names them;
    what has no unit needs to be told what makes it per cent."""
    card = {"license": "mit", "model-index": [model_index("heron", 62.5), model_index("wren", 50.0)]}
    (world / "logs" / "README.md").write_text(f"---\n{yaml.safe_dump(card)}---\n# Heron\n")
    repository = world / "logs" / "models--lake--owl" / "snapshots" / "1234" / ".eval_results"
    repository.mkdir(parents=True)
    entry = {"dataset": {"id": "lake/riddles", "task_id": "hard"}, "value": 40.5, "notes": "no-tools"}
    (repository / "riddles.yaml").write_text(yaml.safe_dump([entry]))
    (world / "logs" / "README").mkdir()
    (world / "logs" / "README" / "README.md").write_text("# No results\n")
    rows = [{"rank": 1, "modelId": "lake/teal", "value": 0.3, "verified": True}]
    (world / "logs" / "board.json").write_text(json.dumps(rows))
    tasks = [f"--dataset={name}=riddles" for name in ("lake/riddles", "lake/riddles#hard", "board")]
    steelyard(
        world,
        "import",
        str(world / "logs"),
        *tasks,
        "--metric",
        "accuracy=accuracy",
        "--metric",
        "value=accuracy",
        code=1,
    )
    assert not stored(world)
    (world / "logs" / "board.json").unlink()
    steelyard(
        world,
        "import",
        str(world / "logs"),
        *tasks[:2],
        "--metric",
        "accuracy=accuracy*1",
        "--metric",
        "value=accuracy*1",
    )
    values = {name: one.scores["accuracy"].value for name, one in stored(world).items()}
    assert values == {"heron": 62.5, "wren": 50.0, "lake-owl": 40.5}
    assert stored(world)["lake-owl"].scores["accuracy"].settings["notes"] == "no-tools"
    assert ranked(world) == {"heron": 62.5, "lake-owl": None, "wren": 50.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---\nmodel-index:\n- name: heron\n  results: [\n---\n", "README.md: not YAML"),
        ("---\nmodel-index:\n- name: heron\n---\n", "README.md: model-index[0].results"),
        ("---\nmodel-index: 3\n---\n", "README.md: model-index: 3 is not a list"),
    ],
)
def test_a_card_that_is_broken_is_named(
    world: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error says what is wrong with it."""
    (world / "logs" / "README.md").write_text(text)
    steelyard(world, "import", str(world / "logs"), code=1)
    assert message in capsys.readouterr().err


def test_what_is_exported_can_be_imported(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The numbers of a board come back from its documents of Every Eval Ever."""
    path = world / "logs" / "a.json"
    path.write_text(json.dumps(every_eval_ever("lake/heron")))
    steelyard(world, "import", str(path))
    before = stored(world)["lake-heron"].scores
    steelyard(world, "export", "all", "--format", "every-eval-ever", "--output", str(world / "out"))
    for result in (world / "results").rglob("*.json"):
        result.unlink()
    steelyard(world, "import", str(world / "out"), "--dataset", "Riddles=riddles", "--model", "lake-heron")
    after = stored(world)["lake-heron"].scores

    def numbers(scores: dict[str, Score]) -> dict[str, tuple[float, float | None]]:
        return {name: (score.value, score.standard_error) for name, score in scores.items()}

    assert numbers(after) == numbers(before)


def test_a_folder_of_tables_with_a_readme_is_no_folder_of_logs(world: Path) -> None:
    """Only a card with results is a log."""
    (world / "logs" / "README.md").write_text("---\nlicense: mit\n---\n# Numbers\n")
    (world / "logs" / "numbers.csv").write_text("model,accuracy\nheron,50\nowl,75\n")
    (world / "logs" / "settings.json").write_text('{"results": {"airline": {"pass_1": 50}}}')
    assert not is_of_tool(world / "logs")


def test_names_of_evaluations_that_end_in_a_metric_are_one_task(world: Path) -> None:
    """Unless that leaves two metrics of one name; a version's number is no metric."""
    first = every_eval_ever("lake/heron")["evaluation_results"][0]
    names = ("ponds.text.pass_1", "ponds.text.cost", "lakes.easy", "lakes.easy", "rivers-1.0")
    results = [
        first | {"evaluation_name": name, "evaluation_result_id": str(at)} for at, name in enumerate(names)
    ]
    path = world / "logs" / "a.json"
    path.write_text(json.dumps(every_eval_ever("lake/heron") | {"evaluation_results": results}))
    [log] = read_logs(path)
    assert {name: list(log.read_task(name).values) for name in log.tasks} == {
        "ponds.text": ["pass_1", "cost"],
        "lakes.easy": ["accuracy,2", "accuracy,3"],
        "rivers-1.0": ["accuracy"],
    }
