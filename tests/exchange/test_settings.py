"""Every field of a log that can change its number is part of what the number is: others are not ranked with it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from logs_world import imported, only, write_board

from evaluator.records.board import assemble, load_boards
from evaluator.records.result import Result
from evaluator.records.store import Store


def harness() -> dict[str, Any]:
    return {
        "results": {"quiz": {"acc,none": 0.5, "acc_stderr,none": 0.1}},
        "versions": {"quiz": 1.0},
        "n-shot": {"quiz": 0},
        "n-samples": {"quiz": {"original": 40, "effective": 40}},
        "configs": {
            "quiz": {
                "task": "quiz",
                "dataset_path": "acme/quiz",
                "test_split": "test",
                "doc_to_text": "{{question}} Answer:",
                "process_docs": "functools.partial(<function pick at 0x7f01>)",
                "generation_kwargs": {"until": ["\n"]},
                "metadata": {"version": 1.0, "pretrained": "acme/tiny"},
            }
        },
        "config": {"model": "hf", "gen_kwargs": {}, "limit": None, "batch_size": "4", "fewshot_seed": 1234},
        "system_instruction": None,
        "fewshot_as_multiturn": None,
        "chat_template": None,
        "lm_eval_version": "0.4.13",
    }


def inspect() -> dict[str, Any]:
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "quiz",
            "task_version": 0,
            "task_args": {"language": "en"},
            "model": "acme/tiny",
            "created": "2026-01-05T10:00:00+00:00",
            "dataset": {
                "name": "quiz",
                "samples": 4,
                "sample_ids": [1, 2, 3, 4],
                "location": "/home/a/q.csv",
            },
            "config": {"epochs": 2, "epochs_reducer": ["mean"]},
            "model_generate_config": {"max_connections": 4},
            "packages": {"inspect_ai": "0.3.285"},
        },
        "plan": {"steps": [{"solver": "generate", "params": {}}], "config": {}},
        "results": {
            "total_samples": 8,
            "completed_samples": 8,
            "scores": [
                {
                    "name": "match",
                    "scorer": "match",
                    "reducer": "mean",
                    "params": {},
                    "metrics": {"accuracy": {"name": "accuracy", "value": 0.5, "params": {}}},
                }
            ],
        },
    }


def lighteval() -> dict[str, Any]:
    return {
        "config_general": {
            "model_name": "acme/tiny",
            "max_samples": None,
            "num_fewshot_seeds": 1,
            "model_config": {
                "generation_parameters": {"temperature": 0},
                "system_prompt": None,
                "batch_size": 4,
            },
        },
        "results": {"quiz|0": {"acc": 0.5, "acc_stderr": 0.1}},
        "config_tasks": {
            "quiz|0": {"hf_repo": "acme/quiz", "hf_subset": "en", "evaluation_splits": ["test"]}
        },
    }


def mteb() -> dict[str, Any]:
    entry = {"accuracy": 0.5, "main_score": 0.5, "hf_subset": "en", "languages": ["eng-Latn"]}
    return {
        "task_name": "quiz",
        "dataset_revision": "r1",
        "mteb_version": "2.1.0",
        "evaluation_time": 1.0,
        "scores": {"test": [entry]},
    }


def helm() -> dict[str, Any]:
    adapter = {
        "model": "acme/tiny",
        "max_train_instances": 0,
        "max_eval_instances": 1000,
        "num_train_trials": 1,
    }
    counts = [("exact_match", 0.5), ("num_instances", 1000.0)]
    return {
        "run_spec": {
            "name": "quiz:model=acme",
            "adapter_spec": adapter | {"temperature": 0.0, "instructions": "Say yes or no."},
            "scenario_spec": {"class_name": "acme.Quiz", "args": {"subject": "sky"}},
        },
        "stats": [
            {"name": {"name": name, "split": "valid"}, "count": 1, "sum": mean, "mean": mean}
            for name, mean in counts
        ],
    }


def write(folder: Path, name: str, document: dict[str, Any]) -> Path:
    """The files of a log, under names that its tool gives."""
    folder.mkdir(parents=True)
    if name == "helm":
        for part in ("run_spec", "stats"):
            (folder / f"{part}.json").write_text(json.dumps(document[part]))
        return folder
    path = folder / "results_2026-01-05T10-00-00.json"
    path.write_text(json.dumps(document))
    return path


LOGS: dict[str, tuple[Callable[[], dict[str, Any]], dict[str, Any]]] = {
    "harness": (harness, {"tasks": {"quiz": "elsewhere"}}),
    "inspect": (inspect, {"tasks": {"quiz": "elsewhere"}}),
    "lighteval": (lighteval, {"tasks": {"quiz|0": "elsewhere"}}),
    "mteb": (mteb, {"tasks": {"quiz": "elsewhere"}}),
    "helm": (helm, {"tasks": {"quiz": "elsewhere"}, "metrics": {"exact_match,valid": "accuracy"}}),
}


def column(folder: Path, name: str, changes: dict[str, Any]) -> tuple[list[float | None], list[str], Result]:
    """The column of two models: of the log as it is, and of one with other values at places ``a/b/0``."""
    write_board(folder)
    document, asked_for = LOGS[name]
    changed = copy.deepcopy(document())
    for place, value in changes.items():
        *above, last = place.split("/")
        holder: Any = changed
        for part in above:
            holder = holder[int(part) if isinstance(holder, list) else part]
        holder[last] = value
    first = write(folder / "a", name, document())
    for model in ("a", "aa"):  # the most frequent settings are those of the column
        imported(folder, first, model, write_data=False, **asked_for)
    result = only(
        imported(folder, write(folder / "b", name, changed), "b", write_data=False, **asked_for)
    ).result
    boards, store = load_boards(folder / "board.toml"), Store(folder / "results")
    assembled = assemble(boards.boards[0], boards, store.results())
    return (
        assembled.data["values"]["elsewhere"]["accuracy"][1:],
        [*map(str, assembled.entries["b"].stale)],
        result,
    )


@pytest.mark.parametrize(
    ("log", "changes", "said"),
    [
        ("harness", {"n-samples/quiz/effective": 5}, "5 of 40 examples here, 40 there"),
        ("harness", {"n-shot/quiz": 5}, "5 shots here, 0 there"),
        ("harness", {"config/gen_kwargs": {"temperature": 0.7}}, "temperature 0.7 here, not given there"),
        ("harness", {"config/gen_kwargs": "temperature=0.7"}, "gen_kwargs (not shown, "),
        ("harness", {"system_instruction": "Be brief."}, "system_instruction (not shown, "),
        ("harness", {"fewshot_as_multiturn": True}, "fewshot_as_multiturn true here"),
        ("harness", {"chat_template": "{{messages}}"}, "chat template yes here"),
        ("harness", {"configs/quiz/test_split": "validation"}, "test_split validation here, test there"),
        ("harness", {"configs/quiz/doc_to_text": "{{question}}"}, "doc_to_text (not shown, "),
        ("harness", {"configs/quiz/generation_kwargs/until": ["."]}, "generation_kwargs.until (not shown, "),
        ("harness", {"config/fewshot_seed": 7}, "fewshot_seed 7 here, 1234 there"),
        ("harness", {"lm_eval_version": None}, "tool version not given here, 0.4.13 there"),
        ("inspect", {"eval/config/epochs": 4, "results/completed_samples": 16}, "4 epochs here, 2 there"),
        ("inspect", {"results/scores/0/reducer": "pass_at_2"}, "reducer pass_at_2 here, mean there"),
        ("inspect", {"eval/task_args/language": "sw"}, "language sw here, en there"),
        ("inspect", {"eval/task_args": {}}, "language not given here, en there"),
        ("inspect", {"eval/dataset/name": "quiz-2"}, "dataset quiz-2 here, not given there"),
        ("inspect", {"eval/dataset/sample_ids": [5, 6, 7, 8]}, "sample ids (not shown, "),
        ("inspect", {"eval/config/limit": [0, 4]}, "limit (not shown, "),
        ("inspect", {"eval/config/message_limit": 10}, "message_limit 10 here"),
        ("inspect", {"eval/model_generate_config/temperature": 1}, "temperature 1 here"),
        ("inspect", {"plan/steps/0/solver": "chain_of_thought"}, "step 1.solver chain_of_thought here"),
        ("inspect", {"results/scores/0/params": {"location": "end"}}, "match.location end here"),
        (
            "inspect",
            {"results/scores/0/scored_samples": 3, "results/scores/0/unscored_samples": 1},
            "3 of 4 examples here, 4 there",
        ),
        ("lighteval", {"config_general/max_samples": 5}, "limit 5 here"),
        ("lighteval", {"config_tasks/quiz|0/hf_subset": "de"}, "hf_subset de here, en there"),
        (
            "lighteval",
            {"config_general/model_config/system_prompt": "Be brief."},
            "system_prompt (not shown, ",
        ),
        (
            "lighteval",
            {"config_general/model_config/generation_parameters/temperature": 1},
            "temperature 1 here, 0 there",
        ),
        ("mteb", {"scores/test/0/hf_subset": "de"}, "task quiz/test/de here, quiz/test/en there"),
        ("mteb", {"scores": {"dev": mteb()["scores"]["test"]}}, "task quiz/dev/en here, quiz/test/en there"),
        ("mteb", {"dataset_revision": "r2"}, "task version r2 here, r1 there"),
        ("helm", {"run_spec/adapter_spec/max_eval_instances": 5}, "max_eval_instances 5 here, 1000 there"),
        ("helm", {"stats/1/mean": 5.0}, "5 examples here, 1,000 there"),
        ("helm", {"run_spec/adapter_spec/num_train_trials": 3}, "num_train_trials 3 here, 1 there"),
        ("helm", {"run_spec/adapter_spec/max_train_instances": 5}, "5 shots here, 0 there"),
        (
            "helm",
            {"run_spec/adapter_spec/instructions": "Answer."},
            "instructions Answer. here, (not shown, ",
        ),
        ("helm", {"run_spec/scenario_spec/args/subject": "sea"}, "scenario.subject sea here, sky there"),
    ],
)
def test_numbers_of_other_settings_are_not_ranked_together(
    tmp_path: Path, log: str, changes: dict[str, Any], said: str
) -> None:
    """The cell stays empty, and its reason names the field and both values."""
    values, stale, _ = column(tmp_path, log, changes)
    assert values == [50.0, None]
    assert "accuracy on elsewhere was measured by another source than the other models'" in stale[0]
    assert said in stale[0]


@pytest.mark.parametrize(
    ("log", "changes"),
    [
        (
            "harness",
            {"config/batch_size": "8", "configs/quiz/metadata": {"version": 1.0, "pretrained": "a/b"}},
        ),
        ("harness", {"configs/quiz/process_docs": "functools.partial(<function pick at 0x55ff>)"}),
        ("inspect", {"eval/created": "2026-02-05T10:00:00+00:00", "eval/model": "acme/large"}),
        ("inspect", {"eval/dataset/location": "/srv/q.csv", "eval/model_generate_config": {}}),
        ("inspect", {"eval/task_args": {"language": "en", "grader_api_key": "abc123"}}),
        (
            "lighteval",
            {"config_general/model_config/batch_size": 8, "config_general/model_name": "acme/large"},
        ),
        ("mteb", {"evaluation_time": 2.0}),
        ("helm", {"run_spec/adapter_spec/model": "acme/large", "run_spec/name": "quiz:model=large"}),
    ],
)
def test_what_decides_no_number_keeps_none_apart(tmp_path: Path, log: str, changes: dict[str, Any]) -> None:
    """The model, the machine, the day and keys may differ; keys are stored nowhere."""
    values, stale, result = column(tmp_path, log, changes)
    assert (values, stale) == ([50.0, 50.0], [])
    assert "abc123" not in result.model_dump_json()


def test_a_citation_of_ones_own_makes_no_number_comparable(tmp_path: Path) -> None:
    """Two runs of one paper on other examples are two measurements."""
    write_board(tmp_path)
    document = harness()
    for model, effective in {"a": 40, "b": 5}.items():
        document["n-samples"]["quiz"]["effective"] = effective
        path = write(tmp_path / model, "harness", document)
        asked_for = {"tasks": {"quiz": "elsewhere"}, "citation": "Somebody 2026", "write_data": False}
        imported(tmp_path, path, model, **asked_for)
    boards, store = load_boards(tmp_path / "board.toml"), Store(tmp_path / "results")
    values = assemble(boards.boards[0], boards, store.results()).data["values"]["elsewhere"]["accuracy"]
    assert sorted(values, key=str) == [50.0, None]


def test_a_scorer_with_several_reducers_has_a_number_for_each(tmp_path: Path) -> None:
    """Each is called by its reducer, and which of them is wanted must be said."""
    write_board(tmp_path)
    document = inspect()
    scores = document["results"]["scores"]
    scores.append(copy.deepcopy(scores[0]) | {"reducer": "pass_at_2"})
    scores[1]["metrics"]["accuracy"]["value"] = 0.75
    path = write(tmp_path / "log", "inspect", document)
    asked_for = {"metrics": {"accuracy,match,pass_at_2": "accuracy"}, "tasks": {"quiz": "elsewhere"}}
    result = only(imported(tmp_path, path, write_data=False, **asked_for)).result
    assert result.scores["accuracy"].value == 75.0
    assert result.source is not None
    assert "language en, reducer pass_at_2" in result.source.citation
