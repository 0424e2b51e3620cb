"""A small leaderboard in a real git repository, and snapshots made of plain numbers."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import forked_command
from publishing_world import ENVIRONMENT, commit_all, git

from evaluator.publish.snapshots.freezing import certainty_bytes, content_hash, id_of
from evaluator.publish.snapshots.scorers import certain, columns, file_hash, shipped
from evaluator.rank import dynascore
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.significance import CONFIDENCE
from evaluator.records.base import digest
from evaluator.records.references import (
    DatasetRef,
    ModelCard,
    ModelRef,
    PredictionSet,
    PredictionsRef,
    Source,
)
from evaluator.records.result import Result, Score
from evaluator.records.snapshot import Snapshot
from evaluator.records.store import Store

GOLDEN = Path(__file__).parents[1] / "golden" / "result.json"
MODELS = {"alpha": (81.5, 0.2), "beta": (79.25, 0.05), "gamma": (60.125, 0.01), "delta": (80.0, 4.0)}
ACCURACY = '{ name = "accuracy", label = "Accuracy", unit = "%" }'
ERROR = (
    '{ name = "calibration-error", label = "Calibration error", unit = "%", direction = "lower", cap = 16 }'
)
BOARD = f"""
title = "World"

[[datasets]]
id = "first"
label = "First set"
task = "sentiment"
licence = "CC BY 4.0"
citation = "Someone 2020, A first set"

[[datasets]]
id = "second"
label = "Second set"
task = "sentiment"

[[datasets]]
id = "extra"
label = "Extra set"
task = "sentiment"
role = "evaluation"

[[datasets]]
id = "unused"
label = "Nobody has numbers on it"
task = "nli"

[[boards]]
id = "feelings"
title = "Feelings"
task = "sentiment"
base = "accuracy"
datasets = ["first", "second", "extra"]
metrics = [{ACCURACY}, {ERROR}]

[[boards]]
id = "first-only"
title = "First only"
task = "sentiment"
base = "accuracy"
datasets = ["first"]
metrics = [{ACCURACY}]

[[boards]]
id = "empty"
title = "Empty"
task = "nli"
base = "accuracy"
datasets = ["unused"]
metrics = [{ACCURACY}]
"""


def steelyard(
    folder: Path, *arguments: str, at: int | None = 1_800_000_000
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder; the clock of snapshots is at `at`, in seconds since 1970."""
    env = {name: value for name, value in ENVIRONMENT.items() if name != "SOURCE_DATE_EPOCH"}
    if at is not None:
        env["SOURCE_DATE_EPOCH"] = str(at)
    return forked_command.run(*arguments, cwd=folder, env=env)


def write_world(folder: Path) -> Path:
    """A board file and committed results: four models, one known by predictions made elsewhere, and people."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "board.toml").write_text(BOARD)
    store = Store(folder / "results")
    for model in MODELS:
        write_model(store, model)
    write_people(store)
    git(folder, "init", "--quiet")
    commit_all(folder)
    return folder


def write_model(store: Store, model: str, shift: float = 0.0) -> list[Path]:
    """The results of a model on all datasets; `shift` is added to its accuracy. Delta lacks the second."""
    written = []
    accuracy, error = MODELS.get(model, (70.0, 1.0))
    for index, dataset in enumerate(["first", "second", "extra"]):
        if model == "delta" and dataset == "second":
            continue
        scores = {
            "accuracy": Score(value=accuracy + shift - index / 7, unit="%", version="accuracy-1"),
            "calibration-error": Score(value=error + index / 3, unit="%", version="calibration-error-1"),
        }
        written += _write(store, model, dataset, scores)
    return written


def write_people(store: Store) -> None:
    golden = _golden("human", "first")
    score = {"accuracy": Score(value=97.5, unit="%", version="accuracy-1")}
    update = {"provenance": "human", "scores": score, "predictions": None, "measurement": None}
    store.save(golden.model_copy(update=update))


def _write(store: Store, model: str, dataset: str, scores: dict[str, Score]) -> list[Path]:
    result = _golden(model, dataset).model_copy(update={"scores": scores})
    if model == "gamma":
        source = Source(citation="Someone 2021, Gamma")
        update = {"provenance": "predictions", "source": source, "measurement": None}
        result = result.model_copy(update=update)
    predictions = PredictionSet(
        task="sentiment",
        model=model,
        dataset=dataset,
        dataset_revision=digest(dataset),
        ids_sha256=digest(["0", "1", "2"]),
        labels=("negative", "positive"),
        predicted=(0, 1, 1),
        resolution=1000,
    )
    reference = PredictionsRef(sha256=predictions.content_hash(), examples=3)
    return store.save(result.model_copy(update={"predictions": reference}), predictions)


def _golden(model: str, dataset: str) -> Result:
    card = ModelCard(description=f"What {model} is", licence="MIT", tags=("small",))
    return Result.model_validate_json(GOLDEN.read_bytes()).model_copy(
        update={
            "model": ModelRef(id=model, label=model.title(), card=card),
            "dataset": DatasetRef(id=dataset, revision=digest(dataset), examples=3),
            "tags": {},
        }
    )


def made(
    cells: Mapping[str, Sequence[float | None]],
    metrics: Sequence[str] = ("accuracy", "memory"),
    weights: Mapping[str, float] | None = None,
    second: int = 0,
    vary: Mapping[str, Any] | None = None,
    **terms: Any,
) -> Snapshot:
    """A snapshot of one dataset: the numbers of each model in the order of the metrics; all but the first
    metric are costs with a cap of 100. `vary` says how the numbers do, see `varying`."""
    costs = [{"name": name, "direction": -1, "offset": 100.0} for name in metrics[1:]]
    data: dict[str, Any] = {
        "models": list(cells),
        "metrics": [{"name": metrics[0], "direction": 1, "offset": 0.0}, *costs],
        "datasets": ["d"],
        "values": {"d": {name: [row[i] for row in cells.values()] for i, name in enumerate(metrics)}},
        "base": metrics[0],
        "epsilon": 1e-4,
        "epsilon_kind": "relative",
        "missing": "unranked",
        "labels": {"models": {model: model.title() for model in cells}, "metrics": {}},
        **terms,
    }
    board = dynascore.Board.from_dict(data)
    used = dict(weights or board.default_weights())
    ranking = columns(board.rank(used, {"d": 1.0}).to_dict(), list(cells))
    created = f"2026-01-01T00:00:{second:02d}Z"
    document = {
        "created": created,
        "board": {"id": "b", "title": "Board", "task": "sentiment"},
        "weights": {"metrics": used, "datasets": {"d": 1.0}},
        "ranking": ranking,
        "data": data,
        "certainty": vary and _certainty(board, used, vary),
        "datasets": [{"id": "d", "label": "D", "role": "scoring"}],
        "models": [{"id": model, "results": {}} for model in cells],
        "scorer": {name: file_hash(content) for name, content in shipped().items()},
        "tool": "steelyard test",
    }
    unnamed = Snapshot(id=id_of(created, "0" * 64), **document)
    return unnamed.model_copy(update={"id": id_of(created, content_hash(unnamed.plain()))})


def _certainty(board: dynascore.Board, used: Mapping[str, float], vary: Mapping[str, Any]) -> Any:
    sets = Certainty.from_dict(board, vary).summary(used, {"d": 1.0}, CONFIDENCE)
    return certain(sets, certainty_bytes(vary), board.models)
