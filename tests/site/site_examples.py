"""Examples, predictions and difficulties for the site's sample world, as the evaluator would leave them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluator.rank.difficulty import DEFINITION, Samples
from evaluator.records.base import digest
from evaluator.records.datasets import Difficulty
from evaluator.score.difficulty import full_table

DIGEST = "sha256:" + "ab" * 32
LABELS = ["negative", "neutral", "positive"]
#: How often, of ten, a model of the rounds is right.
RIGHT = {"roberta": 9, "mix": 7, "lexicon": 4}
#: Models that are right so often say how sure they are.
SURE = 7


def write_examples(results: Path, hostile: Sequence[str]) -> None:
    """Gold labels on round 2, texts too on the hostile dataset, ids only on round 1, answers in words on the
    challenge."""
    write(results, examples("dynamic", "round-1", ids("r1", 3600)), RIGHT, labelled)
    write(results, examples("dynamic", "round-2", ids("r2", 720), LABELS), RIGHT, labelled)
    write(results, examples("dynamic", "challenge", ids("c", 120)), RIGHT, in_words)
    models = {f"h{index}": index % 5 for index in range(len(hostile))}
    named = [f"{text} {index}" for index, text in enumerate(hostile)]
    texts = {"texts": list(reversed(hostile))}
    write(results, examples("hostile", "hostile", named, hostile) | texts, models, labelled)
    write_difficulties(results, ids("r2", 720), hostile, named)


def write_difficulties(results: Path, rounds: list[str], hostile: Sequence[str], named: list[str]) -> None:
    """Two for round 2, which leave every tenth example out or look at other examples, one with hostile facts."""
    bias = [None if at % 10 == 3 else at * 7 % 12 / 11 for at in range(len(rounds))]
    shares = {"1": at_percent(rounds, 1), "10": at_percent(rounds, 10)}
    wood = {"name": "wood", "algorithm": "wood", "spec": {"encoder": "tfidf"}, "percentages": shares}
    known = {"name": "wsbias-1", "algorithm": "wsbias-1", "spec": {"seed": 5, "encoder": {"name": "tfidf"}}}
    save_difficulty(results, "dynamic", "round-2", rounds, known | {"values": bias})
    save_difficulty(results, "dynamic", "round-2", rounds, wood)
    write_table(results / "dynamic" / "round-2", ["wsbias-1"])
    facts = {"spec": {text: text for text in hostile}, "source": {"citation": hostile[0], "link": hostile[4]}}
    values = [at / len(named) for at in range(len(named))]
    own = {"name": "published", "algorithm": "imported", "values": values, **facts}
    save_difficulty(results, "hostile", "hostile", named, own)


def write_table(
    folder: Path,
    current: Sequence[str],
    models: Iterable[str] = RIGHT,
    hashes: Mapping[str, str] | None = None,
) -> None:
    """The full table of a dataset; of `current` difficulties as they are, of the others as they once were.

    `hashes`: those of predictions whose results do not name the made-up one.
    """
    examples = read(folder / "abababababab.examples.json")
    predictions = {model: read(folder / f"{model}.abababababab.predictions.json") for model in models}
    difficulties = [read(path) for path in sorted(folder.glob("abababababab.difficulty-*.json"))]
    hashes = {one["name"]: Difficulty(**one).content_hash() for one in difficulties}
    record = {
        **{name: examples[name] for name in ("schema_version", "task", "dataset", "revision")},
        "kind": "difficulty-table",
        "definition": DEFINITION,
        "difficulties": {name: hashed if name in current else DIGEST for name, hashed in hashes.items()},
        "predictions": dict.fromkeys(predictions, DIGEST) | dict(hashes or {}),
        "table": full_table(Samples.read(examples, predictions, difficulties)),
    }
    save(folder / "abababababab.difficulty-table.json", record)


def read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_bytes())
    return document


def at_percent(names: list[str], percent: int) -> list[float]:
    return [(at * 37 + percent) % 101 / 100 for at in range(len(names))]


def save_difficulty(
    results: Path, task: str, dataset: str, names: list[str], said: Mapping[str, Any]
) -> None:
    known = {"schema_version": 1, "kind": "difficulty", "task": task, "dataset": dataset, "revision": DIGEST}
    path = results / task / dataset / f"abababababab.difficulty-{said['name']}.json"
    save(path, {**known, "ids_sha256": digest(names), **said})


def ids(prefix: str, count: int) -> list[str]:
    return [f"{prefix}-{at:04}" for at in range(count)]


def examples(task: str, dataset: str, names: list[str], labels: Sequence[str] = ()) -> dict[str, Any]:
    """The examples of a dataset; with `labels` also their gold labels."""
    known = {"labels": list(labels), "gold": [at % len(labels) for at in range(len(names))]} if labels else {}
    said = {"task": task, "dataset": dataset, "revision": DIGEST, "ids": names, **known}
    return {"schema_version": 1, "kind": "examples", **said}


def is_right(at: int, right: int) -> bool:
    """Whether a model that is right on `right` of ten examples is right on this one."""
    return (at * 7 + right) % 10 < right


def labelled(document: Mapping[str, Any], right: int) -> dict[str, Any]:
    """Labels: the gold one or the next one; every 50th example has no valid answer. Good models are sure or not."""
    labels = document.get("labels") or LABELS
    size = len(labels)
    predicted = [
        -1 if at % 50 == 49 else (at + (0 if is_right(at, right) else 1)) % size
        for at in range(len(document["ids"]))
    ]
    sure = [(400 + (at * 13 + right) % 601) / 1000 for at in range(len(predicted))]
    confidence = {"exact_confidence": sure} if right >= SURE else {}
    return {"labels": labels, "predicted": predicted, "resolution": 1000, **confidence}


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
    known |= {"schema_version": 1, "kind": "predictions", "ids_sha256": digest(document["ids"])}
    save(folder / "abababababab.examples.json", document)
    for model, right in models.items():
        path = folder / f"{model}.abababababab.predictions.json"
        save(path, {**known, "model": model, **answer(document, right)})


def save(path: Path, document: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
