"""The difficulties of a dataset: computed from its texts, or read from a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from evaluator.data.datasets import Dataset
from evaluator.data.tables import BadRow, read_table
from evaluator.data.tasks import get_task, show
from evaluator.measure.difficulty import algorithms
from evaluator.measure.difficulty.embeddings import TextEncoder, open_encoder
from evaluator.measure.models.base import joined
from evaluator.records.base import TIMING, Slug, digest, file_sha256
from evaluator.records.board import Boards
from evaluator.records.datasets import TAKEN, Difficulty
from evaluator.records.errors import UserError
from evaluator.records.references import Source
from evaluator.records.store import Store
from evaluator.score.metrics import METRICS

Algorithm = Literal["wsbias-1", "wsbias-2", "wood"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)
#: Those that learn from, or look at, a training set.
TRAINED = ("wsbias-2", "wood")
#: Decimals to which values of files are kept.
DIGITS = 9
#: Where in the working folder embeddings are.
EMBEDDINGS = "embeddings"
#: How many bad rows of a file are named.
LISTED = 5


class DifficultyProgress(Protocol):
    """Receives how far the work is; the command line draws it."""

    def phase(self, text: str, total: int) -> None: ...
    def advance(self, done: int) -> None: ...


@dataclass(frozen=True)
class DifficultyRequest:
    """A difficulty to compute. What an algorithm does not use decides nothing and is not recorded."""

    algorithm: Algorithm
    name: str
    encoder: str = "minilm"
    similarity: str = "cosine"
    percentages: tuple[float, ...] = algorithms.PERCENTAGES
    seed: int = 0
    rounds: int = algorithms.ROUNDS


def check_name(name: str, boards: Boards) -> None:
    """Raise `UserError` unless a difficulty may have this name, under which its scores are filed."""
    try:
        TypeAdapter(Slug).validate_python(name)
    except ValidationError:
        fix = "give 1 to 100 of A-Z, a-z, 0-9, '.', '_' and '-', of which the first is a letter or digit"
        raise UserError("name", f"{show(name)} is no name", fix) from None
    if name in {*TAKEN, *METRICS, *TIMING, *boards.known_suites}:
        raise UserError("name", f"{name!r} is that of another score", "give another")


def make(
    request: DifficultyRequest,
    dataset: Dataset,
    train: Dataset | None,
    store: Store,
    work: Path,
    progress: DifficultyProgress,
) -> Difficulty:
    """Compute a difficulty, or take the stored one if it was computed from the same input.

    Embeddings are kept in `work`. Raises `UserError` for what does not fit together, and that or
    `MissingPackage` where the encoder is not available.
    """
    _check(request, dataset, train)
    corpus = train or dataset
    encoder = open_encoder(request.encoder, _texts(corpus), corpus.revision, request.seed)
    spec = _spec(request, encoder, train)
    for stored in store.difficulties(dataset.task, dataset.id, dataset.revision):
        if (stored.name, stored.algorithm, stored.spec) == (request.name, request.algorithm, spec):
            return stored

    def embed(one: Dataset) -> NDArray[np.float32]:
        texts = _texts(one)
        progress.phase(f"embedding {one.id}", len(set(texts)))
        return encoder.embed(texts, work / EMBEDDINGS, progress.advance)

    columns: dict[str, Any]
    learnt = _gold(train, dataset) if train and request.algorithm == "wsbias-2" else []
    training = embed(train) if train and request.algorithm in TRAINED else None
    embeddings, gold = embed(dataset), _gold(dataset, dataset)
    if training is None:
        progress.phase(f"{request.name}: rounds", request.rounds)
        ids = [example["id"] for example in dataset.examples]
        rounds, advance = request.rounds, progress.advance
        columns = {"values": algorithms.held_out(ids, embeddings, gold, request.seed, rounds, advance)}
    elif request.algorithm == "wsbias-2":
        progress.phase(f"{request.name}: classifiers", len(algorithms.JUDGES))
        found = algorithms.judged(embeddings, gold, training, learnt, request.seed, progress.advance)
        columns = {"values": found}
    else:
        progress.phase(f"{request.name}: similarities", len(embeddings))
        asked = request.percentages, request.similarity
        shares = algorithms.mean_similarities(embeddings, training, *asked, progress.advance)
        columns = {"percentages": shares}
    return Difficulty(**_about(dataset), name=request.name, algorithm=request.algorithm, spec=spec, **columns)


def _about(dataset: Dataset) -> dict[str, Any]:
    return {
        "task": dataset.task,
        "dataset": dataset.id,
        "revision": dataset.revision,
        "ids_sha256": digest([example["id"] for example in dataset.examples]),
    }


def _check(request: DifficultyRequest, dataset: Dataset, train: Dataset | None) -> None:
    if get_task(dataset.task).answer != "label":
        raise UserError(dataset.id, "its answers are texts", "difficulty is for tasks with labels")
    if not dataset.has_inputs:
        fix = "import values instead (--import)"
        raise UserError(dataset.id, "has ids and labels only, and no texts to embed", fix)
    if request.algorithm == "wood":
        algorithms.check_wood(request.percentages, request.similarity)
    if train is None and request.algorithm in TRAINED:
        fix = "name a dataset of the board file (--train)"
        raise UserError("train", "missing", f"{request.algorithm} needs a training set: {fix}")
    if train is not None and (train.task != dataset.task or not train.has_inputs):
        raise UserError("train", f"{train.id} has no texts of the task {dataset.task}", "name one that has")


def _spec(request: DifficultyRequest, encoder: TextEncoder, train: Dataset | None) -> dict[str, Any]:
    """All that decides the values, as JSON data."""
    spec: dict[str, Any] = {"encoder": dict(encoder.spec)}
    if request.algorithm in TRAINED and train is not None:
        spec["train"] = {"id": train.id, "revision": train.revision, "examples": len(train.examples)}
    if request.algorithm == "wood":
        chosen = {"similarity": request.similarity, "percentages": list(request.percentages)}
        return {"version": algorithms.WOOD_VERSION, **spec, **chosen, "libraries": _libraries("numpy")}
    judges = algorithms.HELD_OUT if request.algorithm == "wsbias-1" else algorithms.JUDGES
    if request.algorithm == "wsbias-1":
        shares = {"training_share": algorithms.TRAINING, "set_aside": algorithms.ASIDE}
        spec |= {"rounds": request.rounds, **shares}
    spec |= {"seed": request.seed, "classifiers": {name: algorithms.SETTINGS[name] for name in judges}}
    return {
        "version": algorithms.WSBIAS_VERSION,
        **spec,
        "libraries": _libraries("numpy", "scikit-learn", "scipy"),
    }


def _libraries(*names: str) -> dict[str, str]:
    return {name: version(name) for name in names}


def _texts(dataset: Dataset) -> list[str]:
    fields = get_task(dataset.task).fields
    return [joined(example, fields) for example in dataset.examples]


def _gold(dataset: Dataset, of: Dataset) -> list[int]:
    """Gold labels of a dataset as places in those of another, which may have fewer."""
    places = {label: place for place, label in enumerate(of.gold_labels)}
    meant = [of.merge.get(label, label) for label in dataset.gold]
    for label in meant:
        if label not in places:
            known = ", ".join(of.gold_labels)
            raise UserError(
                "train", f"{dataset.id}: label {show(label)} is none of {known}, those of {of.id}"
            )
    return [places[label] for label in meant]


def import_values(file: Path, column: str, name: str, source: Source, dataset: Dataset) -> Difficulty:
    """A difficulty from a column of a table in any form that `read_table` knows: numbers from 0 to 1, 1 the
    easiest. The column ``id`` has the examples' ids.

    A blank value, or an id that is not there, is an example without a value. Raises `UserError` with the
    line, field, value and fix of the first bad rows.
    """
    table = read_table(file)
    for wanted in ("id", column):
        if wanted not in table.frame.columns:
            there = ", ".join(map(str, table.frame.columns)) or "none"
            raise UserError(f"{file}:1", f"has no column {show(wanted)}", f"it has {there}")
    values: dict[str, float | None] = {}
    problems = []
    known = {example["id"] for example in dataset.examples}
    for row in table.rows():
        try:
            if isinstance(row, BadRow):
                raise row.error
            id_ = _id(row.cells.get("id"), known, values, dataset)
            values[id_] = _value(row.cells.get(column), column)
        except ValueError as error:
            problems.append(f"{file}:{row.line}: {error}")
    if problems:
        more = [f"{file}: and {len(problems) - LISTED} more"] if len(problems) > LISTED else []
        raise UserError("\n".join([*problems[:LISTED], *more]))
    if all(value is None for value in values.values()):
        raise UserError(file, f"{column}: holds no value at all", "name another column (--column)")
    return Difficulty(
        **_about(dataset),
        name=name,
        algorithm="imported",
        spec={
            "file": file.name,
            "sha256": f"sha256:{file_sha256(file)}",
            "column": column,
            "id_column": "id",
        },
        values=tuple(values.get(example["id"]) for example in dataset.examples),
        source=source,
    )


def _id(cell: Any, known: set[str], values: Mapping[str, object], dataset: Dataset) -> str:
    """The id of an example that is known and not among `values` yet."""
    id_ = "" if cell is None else str(cell)
    if id_ not in known:
        fix = f"give ids of {dataset.id}, such as {show(dataset.examples[0]['id'])}"
        raise UserError("id", f"{show(id_)} is no example of {dataset.id}", fix)
    if id_ in values:
        raise UserError("id", f"{show(id_)} is there twice", "give each example one value")
    return id_


def _value(cell: Any, column: str) -> float | None:
    if cell is None or not str(cell).strip():
        return None
    try:
        value = math.nan if isinstance(cell, bool) else float(cell)
    except (TypeError, ValueError):
        value = math.nan
    if not 0.0 <= value <= 1.0:
        raise UserError(column, f"{show(cell)} is no number from 0 to 1", "correct it, or leave it blank")
    return round(value, DIGITS)
