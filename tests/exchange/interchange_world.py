"""A board of three datasets with hostile names, and files as lm-evaluation-harness writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluator.cli import main
from evaluator.records.references import DatasetRef, ModelRef, Source
from evaluator.records.result import Result, Score
from evaluator.records.store import Store

BOARD = """
title = "World"

[[datasets]]
id = "first"
label = "First set"
task = "sentiment"
link = "https://huggingface.co/datasets/someone/first"

[[datasets]]
id = "second"
label = "Second set"
task = "sentiment"

[[datasets]]
id = "extra"
label = "Extra set"
task = "sentiment"
role = "evaluation"

[[models]]
id = "known"
label = "A known model"
task = "sentiment"
card = { licence = "MIT" }

[[boards]]
id = "feelings"
title = "Feelings"
task = "sentiment"
base = "accuracy"
datasets = ["first", "second", "extra"]
metrics = [
  { name = "accuracy", label = "Accuracy", unit = "%" },
  { name = "macro-f1", label = "Macro-F1", unit = "%" },
  { name = "perplexity", label = "Perplexity", unit = "", direction = "lower", cap = "max" },
  { name = "throughput", label = "Throughput", unit = "examples/s" },
]
"""
#: As a spreadsheet would run it, with a mark that nobody sees and a line break.
FORMULA = '=HYPERLINK("http://evil.example","\u202ehi")\n,@SUM(1)'
LABELS = {"alpha": "Alpha", "beta": FORMULA, "gamma": 'Gamma, "the" third', "delta": "Дельта 🚀"}
ACCURACY = {"alpha": 81.5, "beta": 79.123456789012345, "gamma": 60.125, "delta": 80.0}
SOURCE = Source(citation="+Someone 2021, Gamma", link="https://example.org/gamma")


def write_world(folder: Path) -> Store:
    """The board file and results of four models, of which delta lacks one; all are reported but for the name."""
    (folder / "board.toml").write_text(BOARD)
    store = Store(folder / "results")
    for model in ACCURACY:
        for index, dataset in enumerate(["first", "second", "extra"]):
            if (model, dataset) != ("delta", "second"):
                store.save(reported(model, dataset, ACCURACY[model] - index / 7, index))
    return store


def reported(model: str, dataset: str, accuracy: float, index: int = 0, **changes: Any) -> Result:
    values = {
        "accuracy": (accuracy, "%"),
        "macro-f1": (accuracy - 3.3, "%"),
        "perplexity": (20.0 + accuracy / 9 + index, ""),
        "throughput": (1000 / accuracy, "examples/s"),
    }
    scores = {name: Score(value=value, unit=unit, version="v1") for name, (value, unit) in values.items()}
    fields: dict[str, Any] = {
        "task": "sentiment",
        "model": ModelRef(id=model, label=LABELS.get(model, model)),
        "dataset": DatasetRef(id=dataset, examples=200),
        "provenance": "reported",
        "scores": scores,
        "source": SOURCE,
        "created": f"2026-11-2{index}T10:00:00Z",
        "tool": "steelyard 0.1.0",
    }
    return Result(**{**fields, **changes})


def harness_file(path: Path, **changes: Any) -> Path:
    """A results file in the layout of version 0.4.8, with two tasks and a group; `changes` replace its keys."""
    path.write_text(json.dumps({**harness_document(), **changes}), encoding="utf-8")
    return path


def harness_document() -> dict[str, Any]:
    return {
        "results": {
            "first": {
                "alias": "first",
                "acc,none": 0.29,
                "acc_stderr,none": 0.0125,
                "acc_norm,none": 0.31,
                "acc_norm_stderr,none": 0.013,
            },
            "story_cloze": {
                "alias": " - story_cloze",
                "exact_match,strict-match": 0.5,
                "exact_match_stderr,strict-match": "N/A",
                "exact_match,flexible-extract": 0.625,
                "exact_match_stderr,flexible-extract": 0.02,
                "word_perplexity,none": 17.25,
                "word_perplexity_stderr,none": "N/A",
            },
            "stories": {"alias": "stories", " ": " "},
        },
        "configs": {
            "first": {"task": "first", "num_fewshot": 0, "metadata": {"version": 1.0}},
            "story_cloze": {"task": "story_cloze", "num_fewshot": 5},
        },
        "versions": {"first": 1.0, "story_cloze": 3, "stories": "N/A"},
        "n-shot": {"first": 0, "story_cloze": 5, "stories": " "},
        "higher_is_better": {
            "first": {"acc": True, "acc_norm": True},
            "story_cloze": {"exact_match": True, "word_perplexity": False},
            "stories": {},
        },
        "n-samples": {
            "first": {"original": 1200, "effective": 1200},
            "story_cloze": {"original": 300, "effective": 300},
        },
        "config": {
            "model": "hf",
            "model_args": "pretrained=/home/maker/secret/run-7,dtype=bfloat16,revision=main,"
            "tokenizer=owner/model,base_url=http://10.0.0.7:8000,api_key=abc123",
            "limit": None,
        },
        "git_hash": "a1b2c3d",
        "date": 1768471800.25,
        "pretty_env_info": "PyTorch somewhere in /home/maker",
        "transformers_version": "4.49.0",
        "lm_eval_version": "0.4.8",
        "model_name": "/home/maker/secret/run-7",
        "chat_template": None,
    }


def steelyard(folder: Path, *arguments: str, code: int = 0) -> None:
    """Run a command on the board of a folder, in this process; it must end with that code."""
    places = ["--board", str(folder / "board.toml"), "--results", str(folder / "results")]
    with pytest.raises(SystemExit) as end:
        main([*arguments, *places])
    assert (end.value.code or 0) == code


def tree(folder: Path) -> Mapping[str, bytes]:
    """Every file under a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
