"""The store: complete files or none, equal bytes for equal records, and small ones."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluator.records.base import digest, dump
from evaluator.records.datasets import Examples
from evaluator.records.errors import UserError
from evaluator.records.references import DatasetRef, ModelRef, PredictionSet, PredictionsRef
from evaluator.records.result import Result
from evaluator.records.scratch import write_atomic
from evaluator.records.store import EXAMPLES, KINDS, Store

GOLDEN = Path(__file__).parents[1] / "golden"
RESULTS = Path(__file__).parents[2] / "results"


def pair(model: str = "m", examples: int = 1000, shift: int = 0) -> tuple[Result, PredictionSet]:
    """A result and its predictions, as large as real ones."""
    predictions = PredictionSet(
        task="sentiment",
        model=model,
        dataset="d",
        dataset_revision=digest("d"),
        ids_sha256=digest([str(i) for i in range(examples)]),
        labels=("negative", "neutral", "positive"),
        predicted=tuple((i * 7 + shift) % 3 for i in range(examples)),
        resolution=1000,
        probabilities={
            "negative": tuple((i * 37 + shift) % 501 for i in range(examples)),
            "neutral": tuple((i * 91 + shift) % 499 for i in range(examples)),
        },
    )
    golden = Result.model_validate_json((GOLDEN / "result.json").read_bytes())
    result = golden.model_copy(
        update={
            "model": ModelRef(id=model, label=model),
            "dataset": DatasetRef(id="d", revision=digest("d"), examples=examples),
            "tags": {},
            "predictions": PredictionsRef(sha256=predictions.content_hash(), examples=examples),
        }
    )
    return result, predictions


def test_what_is_saved_is_found_again(tmp_path: Path) -> None:
    """A result and its predictions come back equal."""
    store = Store(tmp_path)
    result, predictions = pair()
    store.save(result, predictions)
    assert store.find("sentiment", "d", "m") == result
    assert list(store.results()) == [result]
    assert store.predictions(result) == predictions


def test_a_changed_prediction_is_a_small_diff(tmp_path: Path) -> None:
    """One changed example changes one line of the predictions' column."""
    store = Store(tmp_path)
    result, predictions = pair()
    before = store.save(result, predictions)[1].read_text().splitlines()
    changed = predictions.model_copy(update={"predicted": (2, *predictions.predicted[1:])})
    after = dump(changed.plain()).decode().splitlines()
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_replacing_a_result_leaves_no_old_predictions(tmp_path: Path) -> None:
    """After a new result is saved, only its own predictions are left, and other models' are untouched."""
    store = Store(tmp_path)
    store.save(*pair("m.1"))
    store.save(*pair("m"))
    store.save(*pair("m", shift=1))
    names = [path.name for path in tmp_path.rglob("*.predictions.json")]
    assert sorted(name.rsplit(".", 3)[0] for name in names) == ["m", "m.1"]
    assert store.predictions(pair("m", shift=1)[0]) == pair("m", shift=1)[1]


def test_changed_predictions_are_noticed(tmp_path: Path) -> None:
    """Predictions that are not those a result was computed from are an error naming the file."""
    store = Store(tmp_path)
    result, predictions = pair()
    path = store.save(result, predictions)[1]
    document = json.loads(path.read_bytes())
    document["predicted"][0] = 2 - document["predicted"][0]
    path.write_bytes(dump(document))
    with pytest.raises(UserError, match=r"m\.[0-9a-f]{12}\.predictions\.json: content hash"):
        store.predictions(result)


@pytest.mark.parametrize("content", [b"[]", None])
def test_predictions_that_cannot_be_read_are_named(tmp_path: Path, content: bytes | None) -> None:
    """Whatever is in their file, if it is there at all."""
    store = Store(tmp_path)
    result, predictions = pair()
    path = store.save(result, predictions)[1]
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(UserError, match=r"m\.[0-9a-f]{12}\.predictions\.json: "):
        store.predictions(result)


KILLED = """
import sys
from pathlib import Path
from evaluator.records.scratch import write_atomic
path, n = Path(sys.argv[1]), 0
print("ready", flush=True)
while True:
    n += 1
    write_atomic(path, (b"%d" % (n % 10)) * 2_000_000)
"""


@pytest.mark.slow
def test_a_killed_writer_leaves_a_complete_file(tmp_path: Path) -> None:
    """Whenever a writer is killed, the file is one of the contents it wrote, whole."""
    path = tmp_path / "file"
    write_atomic(path, b"0" * 2_000_000)
    for delay in (0.0, 0.003, 0.007, 0.013, 0.021):
        writer = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(delay)
        os.kill(writer.pid, signal.SIGKILL)
        writer.communicate()
        content = path.read_bytes()
        assert content == content[:1] * 2_000_000


def test_no_file_is_of_two_kinds() -> None:
    """The names that kinds of records about a dataset have tell them apart."""
    for path in RESULTS.rglob("*.json"):
        assert len([kind for kind in KINDS if kind.names.fullmatch(path.name)]) <= 1


def test_examples_are_found_by_revision_and_are_no_results(tmp_path: Path) -> None:
    """A dataset's own files are stored once, beside the results on it, and are not listed as results."""
    store = Store(tmp_path)
    examples = Examples.model_validate_json((GOLDEN / "examples.json").read_bytes())
    path = store.save_record(examples)
    assert path == tmp_path / "sentiment/reviews/559b0e0349be.examples.json"
    assert store.save_record(examples) is None
    assert store.examples("sentiment", "reviews", examples.revision) == examples
    assert store.examples("sentiment", "reviews", digest("another")) is None
    assert store.paths() == []
    assert store.results_on("sentiment", "reviews") == []
    moved = path.rename(path.with_name("0" * 12 + ".examples.json"))
    with pytest.raises(
        UserError, match=r"has the content of sentiment/reviews/559b0e0349be.examples.json; restore"
    ):
        store.load_record(EXAMPLES, moved)


def test_results_on_a_dataset_are_its_own(tmp_path: Path) -> None:
    """The results on a dataset are those in its folder, without predictions, cards or examples."""
    store = Store(tmp_path)
    result, predictions = pair()
    store.save(result, predictions)
    other = result.model_copy(update={"dataset": DatasetRef(id="e"), "predictions": result.predictions})
    store.save(other, predictions)
    store.save_record(
        Examples(task="sentiment", dataset="d", revision=digest("d"), ids=tuple(map(str, range(1000))))
    )
    assert store.results_on("sentiment", "d") == [result]


@pytest.mark.parametrize("suffix", ["predictions", "variants", "suite", "examples"])
def test_a_model_cannot_be_named_like_what_lies_beside_results(tmp_path: Path, suffix: str) -> None:
    """A result that would never be found again is refused, and nothing is written."""
    with pytest.raises(UserError, match="give the model another id"):
        Store(tmp_path).save(*pair(f"m.{suffix}"))
    assert not list(tmp_path.rglob("*.json"))


def test_every_stored_byte_is_as_it_is_written_today() -> None:
    """Each JSON file among the results has the only bytes that its content may have."""
    for path in Store(RESULTS)._files():
        content = path.read_bytes()
        assert dump(json.loads(content)) == content, path
