"""Every reader of the project, each with valid files to break, and what it may raise for a broken one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import adversary_paths
import interchange_world
import test_formats
from mutations import mutated, packed

from evaluator.data.datasets import DatasetError, DatasetSource, read_dataset
from evaluator.data.numbers import read_numbers
from evaluator.data.suites.make import Suite
from evaluator.data.tasks import get_task
from evaluator.exchange.importing import import_logs, planned_logs
from evaluator.exchange.logs import read_logs
from evaluator.exchange.logs_board import board_of_logs, keys_of, tables_of
from evaluator.exchange.matching import ImportRequest
from evaluator.exchange.naming import named_models
from evaluator.publish.snapshots.repository import (
    Manifest,
    SharedManifest,
    Versions,
    parsed,
    read_record,
)
from evaluator.rank import own_predictions
from evaluator.records.base import Record
from evaluator.records.board import load_boards
from evaluator.records.datasets import Covariances, Difficulty, DifficultyTable, Examples, SuiteCard
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.records.store import read_record as read_stored
from evaluator.score.prediction_rows import PredictionRows, PredictionsFile

ROOT = adversary_paths.ROOT
GOLDEN = adversary_paths.TESTS / "golden"


@dataclass(frozen=True)
class Reader:
    """`read` takes a broken file; what it raises must be one of `errors`, with a message that names the file."""

    name: str
    file: str
    valid: bytes
    read: Callable[[Path, Random], object]
    errors: tuple[type[Exception], ...]
    named: Callable[[str, Path], bool] = field(default=lambda said, path: str(path) in said)

    def broken(self, random: Random) -> bytes:
        """A file that is nearly right."""
        content = mutated(self.valid, random)
        return packed(content, random) if self.file.endswith(".gz") else content


def readers(folder: Path) -> list[Reader]:
    """All of them, in a fixed order; `folder` is for what some need beside the file."""
    return [
        *_datasets(),
        *_predictions(),
        *_records(),
        *_snapshots(),
        *_interchange(folder),
        *_boards(),
        *_others(),
    ]


# Datasets: every format, plain, and one in gzip.


def _datasets() -> list[Reader]:
    toy: dict[str, Any] = {
        "columns": {"statement": "text", "label": "label", "id": "id"},
        "labels": ("negative", "positive"),
    }
    rows = [{"id": "a", "text": "One", "label": "negative"}, {"id": "b", "text": "Two", "label": "positive"}]
    lines = test_formats.lines(*rows).encode()
    table = "id\ttext\tlabel\na\tOne\tnegative\nb\tTwo\tpositive\n"
    gold = {"columns": {"id": "id", "label": "gold"}, "labels": toy["labels"], "label_map": {"0": "negative", "1": "positive"}}  # fmt: skip
    found: list[tuple[str, str, str, bytes, dict[str, Any]]] = [
        ("sentiment", "jsonl", "d.jsonl", lines, toy),
        ("sentiment", "jsonl", "d.jsonl.gz", lines, toy),
        ("sentiment", "tsv", "d.tsv", table.encode(), toy),
        ("sentiment", "csv", "d.csv", table.replace("\t", ",").encode(), toy),
        ("sentiment", "gold", "d.csv", b"id,gold\na,0\nb,1\n", gold),
        ("nli", "hans", "set.txt", test_formats.HANS_TSV.encode(), {}),
        ("nli", "winogender", "set.tsv", test_formats.sentence_table(test_formats.SETS), {}),
    ]
    for form, one in test_formats.PUBLISHED.items():
        found.append((one.task, form, one.name, one.content.encode(), {"options": one.options}))
    return [_dataset(*one) for one in found]


def _dataset(task: str, form: str, name: str, valid: bytes, more: Mapping[str, Any]) -> Reader:
    def read(path: Path, random: Random) -> object:
        skip = random.random() < 0.5
        return read_dataset(DatasetSource("toy", task, path, form, skip_malformed=skip, **more))

    return Reader(
        f"dataset {form} {name}",
        name,
        valid,
        read,
        (DatasetError,),
        lambda said, path: str(path) in said or "dataset toy" in said,
    )


# Predictions: for the command line, and a visitor's own in the browser.


def _predictions() -> list[Reader]:
    table = "id,label,confidence,model\nr1,neg,0.5,m\nr2,pos,0.25,m\n"
    lines = '{"id": "r1", "label": "neg", "probabilities": {"neg": 0.5, "pos": 0.5}}\n{"id": "r2", "label": "pos"}\n'
    found = [_predictions_of("sentiment", name, text) for name, text in (
        ("p.csv", table), ("p.tsv", table.replace(",", "\t")), ("p.jsonl", lines),
    )]  # fmt: skip
    found.append(_predictions_of("qa", "p.json", '{"q1": "the mayor", "q2": "rye"}'))
    return [*found, _own("own.csv", table), _own("own.jsonl", lines)]


def _predictions_of(task: str, name: str, text: str) -> Reader:
    labels = ("negative", "positive") if task == "sentiment" else ()

    def read(path: Path, _: Random) -> object:
        words = {"neg": "negative", "pos": "positive"} if labels else {}
        return list(PredictionRows.read(PredictionsFile(path), get_task(task), labels, words))

    return Reader(f"predictions {name}", name, text.encode(), read, (UserError,))


def _own(name: str, text: str) -> Reader:
    def read(path: Path, _: Random) -> object:
        content = path.read_bytes().decode("utf-8", "replace")  # as a browser reads a file
        return own_predictions.read_own(content, name, ["r1", "r2"], ["neg", "pos"])

    return Reader(
        f"own predictions {name}", name, text.encode(), read, (ValueError,), lambda said, _: name in said
    )


# Records: the golden files of all kinds and versions.

KINDS: dict[str, type[Record]] = {
    "result": Result, "predictions": PredictionSet, "suite": SuiteCard, "examples": Examples,
    "covariances": Covariances,
    "difficulty": Difficulty, "difficulty-table": DifficultyTable,
}  # fmt: skip


def _records() -> list[Reader]:
    def reader(path: Path) -> Reader:
        kind = KINDS[path.stem]
        return Reader(
            f"record {path.stem}",
            path.name,
            path.read_bytes(),
            lambda broken, _: read_stored(broken, kind),
            (UserError,),
        )

    return [reader(GOLDEN / f"{kind}.json") for kind in sorted(KINDS) if (GOLDEN / f"{kind}.json").exists()]


def _snapshots() -> list[Reader]:
    digest = "sha256:" + "0" * 64
    entry = {
        "id": "20260101T000000Z-00000000000000000000000000000000",
        "board": "b",
        "title": "B",
        "created": "2026-01-01T00:00:00Z",
        "manifest": digest,
    }
    files = {"snapshot.json": digest, "../assets/0123456789ab/manifest.json": digest}
    documents: dict[str, tuple[bytes, Callable[[bytes, str], object]]] = {
        "snapshot.json": ((GOLDEN / "snapshot.json").read_bytes(), read_record),
        "versions.json": (json.dumps({"snapshots": [entry]}).encode(), partial(parsed, Versions)),
        "manifest.json": (
            json.dumps({"snapshot": entry["id"], "files": files}).encode(),
            partial(parsed, Manifest),
        ),
        "shared.json": (
            json.dumps({"files": {"dynascore.py": digest}}).encode(),
            partial(parsed, SharedManifest),
        ),
    }

    def reader(name: str, valid: bytes, read: Callable[[bytes, str], object]) -> Reader:
        return Reader(
            f"snapshot {name}",
            name,
            valid,
            lambda path, _: read(path.read_bytes(), str(path)),
            (UserError,),
        )

    return [reader(name, valid, read) for name, (valid, read) in documents.items()]


# Other programs' files, the board file, and what else is read.


def _interchange(folder: Path) -> list[Reader]:
    world = folder / "world"
    world.mkdir()
    interchange_world.write_world(world)
    boards, store = load_boards(world / "board.toml"), Store(world / "results")

    def read(path: Path, _: Random) -> object:
        stored = store.path("sentiment", "first", "mine")
        stored.unlink(missing_ok=True)
        planned = planned_logs([(log, ImportRequest("mine")) for log in read_logs(path)], boards)
        return import_logs(planned, boards, store, path.parent, "2026-01-01T00:00:00Z")

    valid = json.dumps(interchange_world.harness_document(), indent=2).encode()
    return [Reader("lm-evaluation-harness", "results.json", valid, read, (UserError,)), *_logs()]


def _logs() -> list[Reader]:
    """Logs of other tools, with what they keep of each example, as a board of their own."""
    real = ROOT / "tests" / "exchange" / "real"
    [document] = (real / "every-eval-ever").glob("*[0-9a-f].json")
    index = (
        b"---\nmodel-index:\n- name: heron\n  results:\n  - dataset: {name: Riddles, type: lake/riddles}\n"
    )
    index += b"    metrics:\n    - {type: accuracy, value: 62.5, name: Accuracy (%)}\n---\n# Heron\n"
    files = {
        "Inspect": ("mood.json", (real / "inspect" / "mood.json").read_bytes()),
        "promptfoo": ("out.json", (real / "promptfoo" / "results.json").read_bytes()),
        "Every Eval Ever": ("document.json", document.read_bytes()),
        "model card": ("README.md", index),
    }

    def read(path: Path, _: Random) -> object:
        logs = read_logs(path)
        models = named_models(logs, (), None)
        board = board_of_logs(logs, [model.id for model in models])
        (path.parent / "board.toml").write_text('title = "Logs"\n\n' + tables_of(board, "logs", "Logs"))
        boards, asked = load_boards(path.parent / "board.toml"), []
        for log, model in zip(logs, models, strict=True):
            keys = keys_of(log, board.metrics)
            metrics = {key: ours for some in keys.values() for key, ours in some.items()}
            asked.append((log, ImportRequest(model.id, model.label, board.datasets, metrics)))
        store = Store(path.parent / "results of logs")
        return import_logs(planned_logs(asked, boards), boards, store, path.parent, "2026-01-01T00:00:00Z")

    return [Reader(name, file, valid, read, (UserError,)) for name, (file, valid) in files.items()]


def _boards() -> list[Reader]:
    files = {
        "small": interchange_world.BOARD.encode(),
        "demo": (ROOT / "examples" / "demo" / "board.toml").read_bytes(),
    }
    files["own"] = (
        b"\n\n".join((ROOT / "board.toml").read_bytes().split(b"\n\n")[:12])
        + interchange_world.BOARD.encode().split(b'"World"')[1]
    )
    return [
        Reader(f"board {name}", "board.toml", valid, lambda path, _: load_boards(path), (UserError,))
        for name, valid in files.items()
    ]


def _others() -> list[Reader]:
    card = {
        "hash": "sha256:" + "0" * 64,
        "name": "robustness",
        "kind": "robustness",
        "spec": {},
        "seed": 0,
        "dataset": "d",
        "revision": "sha256:" + "1" * 64,
    }
    counts = {"counts": {"Typos": {"made": 1, "unchanged": 0, "not_applicable": 0}}}
    variant = {"row": 0, "transformation": "Typos", "texts": {"statement": "x"}}
    suite = "".join(json.dumps(line) + "\n" for line in (card | counts, variant)).encode()
    table = b"model,perf,memory\nA,70,10\nB,60,\n"
    return [
        Reader("suite", "suite.jsonl", suite, lambda path, _: Suite.read(path), (UserError,)),
        Reader("table to rank", "table.csv", table, lambda path, _: read_numbers(str(path)), (ValueError,)),
    ]
