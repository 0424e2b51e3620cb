"""Values that tools gave to each example, stored for datasets of the task "scored": rank sets without data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from interchange_world import steelyard, tree
from logs_world import REAL
from small_boards import results_by_model as stored

from evaluator.exchange.tables import ranked_board
from evaluator.records.board import assemble, load_boards
from evaluator.records.store import Store

BOARD = """
title = "Logs"

[[datasets]]
id = "riddles"
label = "Riddles"
task = "scored"

[[boards]]
id = "all"
title = "All"
task = "scored"
base = "accuracy"
datasets = ["riddles"]
metrics = [
  { name = "accuracy", label = "Accuracy", unit = "%" },
  { name = "word-perplexity", label = "Perplexity", unit = "", direction = "lower", cap = "max" },
]
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    (tmp_path / "board.toml").write_text(BOARD)
    (tmp_path / "logs").mkdir()
    return tmp_path


def inspect(model: str, epochs: Sequence[str], published: float | None = None, **config: Any) -> str:
    """A log of Inspect: in each epoch an answer a sample, C or I for right or wrong, or - for one without a score."""
    values = [[{"C": 1.0, "I": 0.0}.get(said) for said in answers] for answers in epochs]
    each = [[one for one in some if one is not None] for some in zip(*values, strict=True)]
    means = [sum(some) / len(some) for some in each if some]
    samples = [
        {
            "id": f"q{place}", "epoch": epoch, "input": f"Riddle {place}?", "target": "a map",
            "scores": {} if said == "-" else {"match": {"value": said, "answer": "a map"}},
        }
        for epoch, answers in enumerate(epochs, start=1)
        for place, said in enumerate(answers)
    ]  # fmt: skip
    accuracy = sum(means) / len(means) if published is None else published
    metrics = {"accuracy": {"name": "accuracy", "value": accuracy}}
    return json.dumps({
        "version": 2,
        "status": "success",
        "eval": {"task": "riddles", "model": model, "config": {"epochs": len(epochs), **config}},
        "plan": {"steps": []},
        "results": {"scores": [{"name": "match", "scorer": "match", "metrics": metrics}]},
        "samples": list(reversed(samples)),
    })  # fmt: skip


def harness(folder: Path, model: str, right: str, perplexity: float) -> None:
    """A file of lm-evaluation-harness with its samples; the perplexity is no mean of theirs."""
    folder.mkdir()
    scores = [float(one == "C") for one in right]
    (folder / "results_1.json").write_text(json.dumps({
        "results": {"riddles": {
            "acc,none": sum(scores) / len(scores), "word_perplexity,none": perplexity,
        }},
        "config": {"model": "hf", "model_args": f"pretrained={model}"},
        "lm_eval_version": "0.4.9",
    }))  # fmt: skip
    rows = [
        {
            "doc_id": place, "doc": {}, "target": "0", "filter": "none", "filtered_resps": [["-1", "False"], ["-2", "False"]],
            "arguments": {f"gen_args_{at}": {"arg_0": "Riddle?", "arg_1": f" {at}"} for at in range(2)},
            "acc": score, "word_perplexity": -3.0,
        }
        for place, score in enumerate(scores)
    ]  # fmt: skip
    (folder / "samples_riddles_1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def rank_sets(folder: Path) -> dict[str, tuple[int, int] | None]:
    """The rank set of each model, None where it is unknown."""
    boards = load_boards(folder / "board.toml")
    board = ranked_board(boards.boards[0], boards, Store(folder / "results"))
    return {name: found and (found[0], found[1]) for name, found in board.rank_sets.sets.items()}


def test_samples_of_logs_give_rank_sets_where_the_board_has_no_data(world: Path) -> None:
    """Their values are stored by example, in one order for all models; a second import changes nothing."""
    for name, answers in {"strong": "C" * 40, "weak": "I" * 36 + "C" * 4}.items():
        (world / "logs" / f"{name}.json").write_text(inspect(f"lake/{name}", [answers]))
    steelyard(world, "import", str(world / "logs"))
    found = stored(world)
    assert {name: one.scores["accuracy"].value for name, one in found.items()} == {
        "lake-strong": 100,
        "lake-weak": 10,
    }
    kept = Store(world / "results").predictions(found["lake-weak"])
    assert kept.values == {"accuracy": (0.0,) * 36 + (100.0,) * 4}
    assert found["lake-weak"].provenance == "reported"
    assert found["lake-weak"].scores["accuracy"].settings["tool"] == "Inspect"
    assert rank_sets(world) == {"lake-strong": (1, 1), "lake-weak": (2, 2)}
    before = tree(world)
    steelyard(world, "import", str(world / "logs"))
    assert tree(world) == before


def test_epochs_are_trials_and_samples_without_a_score_are_missing(world: Path) -> None:
    """The value of an example is the mean over its epochs; a model with fewer examples is kept apart."""
    (world / "logs" / "a.json").write_text(inspect("heron", ["CCII", "CICI"]))
    (world / "logs" / "b.json").write_text(inspect("owl", ["CIII", "IIII"]))
    (world / "logs" / "c.json").write_text(inspect("wren", ["CC-I", "CC-I"]))
    steelyard(world, "import", str(world / "logs"))
    found, store = stored(world), Store(world / "results")
    assert store.predictions(found["heron"]).trials == 2
    assert store.predictions(found["heron"]).values == {"accuracy": (100, 100, 100, 0, 0, 100, 0, 0)}
    assert {name: one.scores["accuracy"].value for name, one in found.items()} == {
        "heron": 50.0, "owl": 12.5, "wren": pytest.approx(200 / 3),
    }  # fmt: skip
    boards = load_boards(world / "board.toml")
    board = assemble(boards.boards[0], boards, store.results())
    assert board.data["values"]["riddles"]["accuracy"] == [50.0, 12.5, None]
    assert "is of 3 of 4 examples" in str(board.entries["wren"].kept_apart)


def test_numbers_that_are_no_means_of_examples_stand_beside_the_values(world: Path) -> None:
    """Perplexity is stored as published, and accuracy from its samples, whose mean check finds again."""
    harness(world / "logs" / "one", "heron", "CCCI", 12.5)
    harness(world / "logs" / "two", "owl", "CIII", 20.25)
    steelyard(world, "import", str(world / "logs"))
    found, store = stored(world), Store(world / "results")
    assert {name: score.value for name, score in found["owl"].scores.items()} == {
        "accuracy": 25,
        "word-perplexity": 20.25,
    }
    assert (store.predictions(found["owl"]).values or {}).keys() == {"accuracy"}
    before = tree(world)
    steelyard(world, "import", str(world / "logs"))
    assert tree(world) == before
    steelyard(world, "check")


def test_settings_of_logs_keep_values_apart(world: Path) -> None:
    """A model that was asked at another temperature is not ranked with the others, and the reason says so."""
    for name, more in {"a": {}, "b": {}, "c": {"message_limit": 3}}.items():
        (world / "logs" / f"{name}.json").write_text(inspect(name, ["CCII"], **more))
    steelyard(world, "import", str(world / "logs"))
    boards = load_boards(world / "board.toml")
    board = assemble(boards.boards[0], boards, Store(world / "results").results())
    assert board.data["values"]["riddles"]["accuracy"] == [50.0, 50.0, None]
    assert "message_limit 3 here, not given there" in str(board.entries["c"].kept_apart)


@pytest.mark.parametrize("accepted", [False, True])
def test_a_published_number_must_be_the_mean_of_the_values(
    world: Path, accepted: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else the import stops before anything is stored of any log; accepted, the mean is stored and kept apart."""
    (world / "logs" / "a.json").write_text(inspect("heron", ["CCII"]))
    (world / "logs" / "b.json").write_text(inspect("owl", ["CCII"], published=0.75))
    options = ["--accept-differences"] if accepted else []
    steelyard(world, "import", str(world / "logs"), *options, code=1 - accepted)
    said = capsys.readouterr()
    assert "accuracy: stored examples imply 50, published 75" in said.out + said.err
    assert stored(world).keys() == ({"heron", "owl"} if accepted else set())
    if accepted:
        assert stored(world)["owl"].scores["accuracy"].settings["implied by its examples"] == "no"


def test_examples_none_stores_the_published_numbers_alone(world: Path) -> None:
    """So does a log whose samples cannot be used."""
    (world / "logs" / "a.json").write_text(inspect("heron", ["CCII"]))
    steelyard(world, "import", str(world / "logs"), "--examples", "none")
    assert stored(world)["heron"].predictions is None


def test_a_value_outside_the_range_of_its_metric_stops_the_import(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the log, the model, the example and the value."""
    (world / "logs" / "a.json").write_text(
        inspect("heron", ["CCII"])
        .replace('"value": "C"', '"value": 3')
        .replace('"value": 0.5', '"value": 1.5')
    )
    steelyard(world, "import", str(world / "logs"), "--metric", "accuracy=accuracy*100", code=1)
    said = capsys.readouterr().err
    assert "a.json: riddles: accuracy of heron on 'q0' of riddles: 300 is no number from 0 to 100" in said
    assert not stored(world)


def helm(folder: Path, model: str, trials: Sequence[str]) -> None:
    """The folder of a run of HELM, whose questions were asked with several draws of examples in the prompt."""
    folder.mkdir()
    name = {"name": "exact_match", "split": "test"}
    rows, requests = [], []
    for trial, answers in enumerate(trials):
        for place, said in enumerate(answers):
            if said == " ":
                continue
            about = {"instance_id": f"id{place}", "train_trial_index": trial}
            rows.append(about | {"stats": [{"name": name, "count": 1, "mean": float(said == "C")}]})
            words = [{"output": {"text": "a map"}, "tags": ["correct"]}]
            instance = {
                "id": f"id{place}",
                "split": "test",
                "input": {"text": "Riddle?"},
                "references": words,
            }
            requests.append(about | {"instance": instance, "result": {"completions": [{"text": "a map"}]}})
    mean = "".join(trials).count("C") / len("".join(trials).replace(" ", ""))
    adapter = {"model": model, "num_train_trials": len(trials)}
    for file, content in {
        "run_spec": {
            "name": f"riddles:model={model}",
            "adapter_spec": adapter,
            "scenario_spec": {"args": {}},
        },
        "stats": [{"name": name, "count": len(trials), "mean": mean}],
        "per_instance_stats": rows,
        "scenario_state": {"adapter_spec": adapter, "request_states": requests},
    }.items():
        (folder / f"{file}.json").write_text(json.dumps(content))


def test_training_trials_of_helm_are_trials(world: Path) -> None:
    """Each is a value of its own, and the mean is the number that HELM published."""
    helm(world / "logs" / "a", "lake/heron", ["CCI", "CII"])
    steelyard(world, "import", str(world / "logs"), "--metric", "exact_match=accuracy")
    [result] = stored(world).values()
    kept = Store(world / "results").predictions(result)
    assert (kept.trials, kept.values) == (2, {"accuracy": (100, 100, 100, 0, 0, 0)})
    assert result.scores["accuracy"].value == 50


def test_a_trial_that_lacks_an_example_stays_the_same_run(world: Path) -> None:
    """The second trial of an example that was not asked in the first is no first trial."""
    helm(world / "logs" / "a", "lake/heron", ["CI ", "CIC"])
    steelyard(
        world, "import", str(world / "logs"), "--metric", "exact_match=accuracy", "--accept-differences"
    )
    [result] = stored(world).values()
    kept = Store(world / "results").predictions(result)
    assert (kept.trials, kept.values) == (2, {"accuracy": (100, 100, 0, 0, None, 100)})


def test_real_files_of_promptfoo_and_every_eval_ever_give_values(world: Path) -> None:
    """Repeats are trials, what a provider failed at is missing, and means are the numbers that the tools give."""
    board = (world / "board.toml").read_text()
    more = '[[datasets]]\nid = "meals"\nlabel = "Meals"\ntask = "scored"\n\n[[boards]]'
    board = board.replace("[[boards]]", more).replace('["riddles"]', '["riddles", "meals"]')
    (world / "board.toml").write_text(board)
    mapped = ("--metric", "pass=accuracy", "--metric", "acc=accuracy")
    steelyard(world, "import", str(REAL / "promptfoo"), str(REAL / "every-eval-ever"), *mapped)
    found, store = stored(world), Store(world / "results")
    values = {name: one.scores["accuracy"].value for name, one in found.items()}
    assert values == {"echo": pytest.approx(200 / 3), "provider.js": 100, "lake-heron": 40}
    assert {name: store.predictions(one).trials for name, one in found.items()} == {
        "echo": 2, "provider.js": 2, "lake-heron": 1,
    }  # fmt: skip
    assert found["provider.js"].scores["accuracy"].settings["examples"] == "2 of 3"
