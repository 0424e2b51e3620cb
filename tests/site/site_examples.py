"""Examples and predictions for the site's sample world, as the evaluator would leave them beside results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluator.records import digest

DIGEST = "sha256:" + "ab" * 32
LABELS = ["negative", "neutral", "positive"]
#: How often, of ten, a model of the rounds is right.
RIGHT = {"roberta": 9, "mix": 7, "lexicon": 4}


def write_examples(results: Path, hostile: Sequence[str]) -> None:
    """Gold labels on round 2 and the hostile dataset, ids only on round 1, answers in words on the challenge."""
    write(results, examples("dynamic", "round-1", ids("r1", 3600)), RIGHT, labelled)
    write(results, examples("dynamic", "round-2", ids("r2", 720), LABELS), RIGHT, labelled)
    write(results, examples("dynamic", "challenge", ids("c", 120)), RIGHT, in_words)
    models = {f"h{index}": index % 5 for index in range(len(hostile))}
    named = [f"{text} {index}" for index, text in enumerate(hostile)]
    write(results, examples("hostile", "hostile", named, hostile), models, labelled)


def ids(prefix: str, count: int) -> list[str]:
    return [f"{prefix}-{at:04}" for at in range(count)]


def examples(task: str, dataset: str, names: list[str], labels: Sequence[str] = ()) -> dict[str, Any]:
    """The examples of a dataset; with `labels` also their gold labels."""
    known = {"labels": list(labels), "gold": [at % len(labels) for at in range(len(names))]} if labels else {}
    said = {"task": task, "dataset": dataset, "revision": DIGEST, "ids": names, **known}
    return {"schema_version": 3, "kind": "examples", **said}


def is_right(at: int, right: int) -> bool:
    """Whether a model that is right on `right` of ten examples is right on this one."""
    return (at * 7 + right) % 10 < right


def labelled(document: Mapping[str, Any], right: int) -> dict[str, Any]:
    """Labels: the gold one or the next one; every 50th example has no valid answer."""
    labels = document.get("labels") or LABELS
    size = len(labels)
    predicted = [
        -1 if at % 50 == 49 else (at + (0 if is_right(at, right) else 1)) % size
        for at in range(len(document["ids"]))
    ]
    return {"labels": labels, "predicted": predicted, "resolution": 1000}


def in_words(document: Mapping[str, Any], right: int) -> dict[str, Any]:
    """Places in the input, and how right each is."""
    whole = [is_right(at, right) for at in range(len(document["ids"]))]
    return {
        "resolution": 1000,
        "quoted": ["context"],
        "answers": [[at, at + (5 if ok else 9)] for at, ok in enumerate(whole)],
        "scores": {
            "f1": [1000 if ok else 667 for ok in whole],
            "exact-match": [1000 if ok else 0 for ok in whole],
        },
    }


def write(results: Path, document: dict[str, Any], models: Mapping[str, int], answer: Any) -> None:
    """Write a dataset's examples, and predictions of each of `models` (how right it is)."""
    folder = results / document["task"] / document["dataset"]
    known = {"task": document["task"], "dataset": document["dataset"], "dataset_revision": DIGEST}
    known |= {"schema_version": 3, "kind": "predictions", "ids_sha256": digest(document["ids"])}
    save(folder / "abababababab.examples.json", document)
    for model, right in models.items():
        path = folder / f"{model}.abababababab.predictions.json"
        save(path, {**known, "model": model, **answer(document, right)})


def save(path: Path, document: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
