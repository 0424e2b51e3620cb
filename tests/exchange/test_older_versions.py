"""Logs as older versions of tools wrote them: small files in the form of their code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from logs_world import imported, only, write_board
from pyarrow import parquet

from evaluator.exchange.logs.finding import found_logs
from evaluator.records.errors import UserError
from evaluator.records.store import Store

TEXTS = {"The soup was warm.": 1, "The bread was stale.": 0, "The tea was cold.": 0}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return write_board(tmp_path)


def helm_folder(folder: Path, trials: tuple[int, ...] = (0,)) -> Path:
    """A run as version 0.1 writes it: texts are no objects, and an instance has an entry for each group of metrics."""
    folder.mkdir()
    name = {"name": "exact_match", "split": "test"}
    adapter = {"model": "acme/tiny", "max_train_instances": 0, "max_eval_instances": 100}
    requests, stats = [], []
    for place, (text, label) in enumerate(TEXTS.items()):
        words = [
            {"output": word, "tags": ["correct"] * (at == label)}
            for at, word in enumerate(["negative", "positive"])
        ]
        for trial in trials:
            requests.append({
                "instance": {"input": text, "references": words, "split": "test", "id": f"id{place}"},
                "output_mapping": {"A": "negative", "B": "positive"},
                "train_trial_index": trial,
                "result": {"completions": [{"text": " B"}]},
            })  # fmt: skip
            for one in (
                {"name": name, "count": 1, "mean": float(label)},
                {"name": {"name": "cost"}, "count": 1},
            ):
                stats.append({"instance_id": f"id{place}", "train_trial_index": trial, "stats": [one]})
    parts: dict[str, Any] = {
        "run_spec": {"name": "meals:model=acme_tiny", "adapter_spec": adapter, "scenario_spec": {"args": {}}},
        "stats": [{"name": name, "count": 1, "mean": 1 / 3}],
        "scenario_state": {"adapter_spec": adapter, "request_states": requests},
        "per_instance_stats": stats,
    }
    for part, value in parts.items():
        (folder / f"{part}.json").write_text(json.dumps(value))
    return folder


def test_answers_of_helm_0_1_are_stored(world: Path) -> None:
    """They are known by their texts, and give the published number."""
    metrics = {"exact_match,test": "accuracy"}
    done = only(imported(world, helm_folder(world / "run"), metrics=metrics))
    assert [pair.words for pair in done.compared] == [
        "accuracy: stored examples imply 33.3333, published 33.3333"
    ]
    assert Store(world / "results").predictions(done.result).predicted == (1, 1, 1)
    with pytest.raises(UserError, match="'id0' was asked more than once; run it with one epoch or trial"):
        imported(world, helm_folder(world / "trials", (0, 1)), "other", metrics=metrics)


def lighteval_folder(
    folder: Path, task: str, config: dict[str, Any], rows: list[dict[str, Any]], acc: float
) -> Path:
    """The files of a version before 0.11: the settings of a task without its shots, details without ids."""
    document = {
        "config_general": {"lighteval_sha": "?", "num_fewshot_seeds": 1, "model_name": "tiny"},
        "results": {f"{task}|0": {"acc": acc, "acc_stderr": 0.1}},
        "versions": {f"{task}|0": 2},
        "config_tasks": {task: config},
    }
    date = "2024-02-10T10-00-00.000000"
    details = folder / "details" / "tiny" / date
    details.mkdir(parents=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows), details / f"details_{task}|0_{date}.parquet")
    path = folder / "results" / "tiny" / f"results_{date}.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("single_tokens", [False, True])
def test_choices_of_lighteval_before_0_11_are_stored(world: Path, single_tokens: bool) -> None:
    """A prediction is a log-probability, which may be in a pair; ids are of the texts, in whatever order rows are."""
    rows = [
        {
            "example": text,
            "choices": [" negative", " positive"],
            "gold": [],
            "gold_index": [label],
            "predictions": [-2.0, -1.0] if single_tokens else [[-2.0, 0.0], [-1.0, 0.0]],
            "metrics": {"acc": label},
        }
        for text, label in TEXTS.items()
    ]
    config = {"hf_repo": "acme/meals", "hf_subset": "en"}
    asked_for = {"tasks": {"custom|meals|0": "meals"}}
    path = lighteval_folder(world / "run", "custom|meals", config, rows, 1 / 3)
    done = only(imported(world, path, **asked_for))
    assert [pair.words for pair in done.compared] == [
        "accuracy: stored examples imply 33.3333, published 33.3333"
    ]
    assert done.result.source is not None
    assert (
        done.result.source.citation == "lighteval of unknown version: custom|meals|0 version 2, 0-shot; acc"
    )
    path = lighteval_folder(world / "turned", "custom|meals", config, rows[::-1], 1 / 3)
    assert only(imported(world, path, "other", **asked_for)).result.scores == done.result.scores
    reported = only(imported(world, path, "other", tasks={"custom|meals|0": "elsewhere"}, write_data=False))
    assert reported.result.scores["accuracy"].settings["hf_subset"] == "en"


def test_a_copy_of_results_beside_details_is_no_second_log(tmp_path: Path) -> None:
    """The first versions of lighteval write both; a file of details that is no copy is a log of its own."""
    path = lighteval_folder(tmp_path, "custom|meals", {}, [{"example": "a"}], 0.5)
    copy = tmp_path / "details" / "tiny" / path.name
    copy.write_bytes(path.read_bytes())
    with found_logs([tmp_path]) as found:
        assert [log.path for log in found.logs] == [path]
    copy.write_bytes(path.read_bytes().replace(b"0.5", b"0.6"))
    with found_logs([tmp_path]) as found:
        assert {log.path for log in found.logs} == {path, copy}


def test_texts_of_lighteval_before_0_11_are_stored(world: Path) -> None:
    """Every gold is a right answer; details that were written as text alone leave the published number."""
    rows: list[dict[str, Any]] = [
        {"example": "1 + 1 =", "choices": [], "gold": [" 2"], "predictions": ["2"], "metrics": {"acc": 1}},
        {
            "example": "1 + 2 =",
            "choices": [],
            "gold": [" 3", " three"],
            "predictions": ["4"],
            "metrics": {"acc": 0},
        },
    ]
    asked_for = {"metrics": {"acc": "exact-match"}, "tasks": {"custom|sums|0": "sums"}}
    done = only(imported(world, lighteval_folder(world / "run", "custom|sums", {}, rows, 0.5), **asked_for))
    assert done.result.scores["exact-match"].value == 50.0
    last = json.loads((world / "data" / "sums.jsonl").read_text().splitlines()[-1])
    assert (last["text"], last["answers"]) == ("1 + 2 =", ["3", "three"])
    as_text = [{key: str(value) for key, value in row.items()} for row in rows]
    path = lighteval_folder(world / "as-text", "custom|sums", {}, as_text, 0.5)
    with pytest.raises(UserError, match=r"predictions: .* is not a list; .* --examples none"):
        imported(world, path, "other", **asked_for)
    done = only(imported(world, path, "other", examples="none", write_data=False, **asked_for))
    assert done.result.scores["exact-match"].value == 50.0


MTEB = {"mteb_version": "1.2.0", "dataset_revision": "r1", "mteb_dataset_name": "Meals"}


@pytest.mark.parametrize(
    ("document", "asked", "value", "citation"),
    [
        ({"test": {"accuracy": 0.5, "evaluation_time": 1.0}}, "Meals", 50.0,
         "MTEB of unknown version: Meals/test/default; accuracy"),
        (MTEB | {"test": {"accuracy": 0.5, "evaluation_time": 1.0}}, "Meals/test/default", 50.0,
         "MTEB 1.2.0: Meals/test/default version r1; accuracy"),
        (MTEB | {"dev": {"de": {"accuracy": 0.25}, "en": {"accuracy": 0.75}, "evaluation_time": 1.0}},
         "Meals/dev/en", 75.0, "MTEB 1.2.0: Meals/dev/en version r1; accuracy"),
        (MTEB | {"test": {"cos_sim": {"accuracy": 0.9, "ap": 0.8}, "evaluation_time": 1.0}}, "Meals", 90.0,
         "MTEB 1.2.0: Meals/test/default version r1; cosine_accuracy"),
    ],
)  # fmt: skip
def test_results_of_mteb_before_1_11_are_read(
    world: Path, document: dict[str, Any], asked: str, value: float, citation: str
) -> None:
    """Splits stand in the document itself; subsets and similarities are told apart by their names."""
    path = world / "Meals.json"
    path.write_text(json.dumps(document))
    similarity = citation.endswith("cosine_accuracy")
    asked_for = (
        {"metrics": {"cosine_accuracy": "accuracy"}, "scales": {"accuracy": 100.0}} if similarity else {}
    )
    done = only(imported(world, path, tasks={asked: "elsewhere"}, write_data=False, **asked_for))
    assert done.result.scores["accuracy"].value == value
    assert done.result.source is not None
    assert done.result.source.citation == citation
