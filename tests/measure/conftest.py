"""Handler directories and running workers for the tests of the worker."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tiny_bert import save

from evaluator.data.datasets import Dataset, DatasetSource, read_dataset
from evaluator.measure.worker import Limits, ModelToLoad, Worker

LABELS = ("negative", "positive")


@pytest.fixture
def handler(tmp_path: Path) -> Callable[..., ModelToLoad]:
    """Write a ``handler.py`` whose `predict` has the given body, and return its spec.

    `load` is the body of its `load`, `top` is what stands before; it may be in a folder of its own `name`.
    """

    def write(predict: str, load: str = "pass", top: str = "", name: str = "") -> ModelToLoad:
        folder, indent = tmp_path / name, textwrap.indent
        folder.mkdir(exist_ok=True)
        (folder / "handler.py").write_text(
            f"{textwrap.dedent(top)}\ndef load(directory):\n{indent(textwrap.dedent(load), '    ')}\n"
            f"def predict(example):\n{indent(textwrap.dedent(predict), '    ')}\n"
        )
        return ModelToLoad("handler", folder, {}, "sentiment", LABELS)

    return write


@pytest.fixture
def started(handler: Callable[..., ModelToLoad]) -> Iterator[Callable[..., Worker]]:
    """Start a worker on a handler with the given `predict` body; it is closed after the test."""
    workers: list[Worker] = []

    def start(
        predict: str, load: str = "pass", without: frozenset[str] = frozenset(), **limits: float
    ) -> Worker:
        worker = Worker(handler(predict, load), Limits(**limits), without=without)  # type: ignore[arg-type]
        workers.append(worker)
        worker.start()
        return worker

    yield start
    for worker in workers:
        worker.close()


GOOD = ("a lovely film", "good food and kind staff", "we loved it", "great , simply great", "a good book")
WORDS = ("good", "bad", "film", "not", "very", "dull", "kind")
BAD = ("an awful film", "bad food and rude staff", "we hated it", "dull , simply dull", "a bad book")


@pytest.fixture
def train_source(tmp_path: Path) -> DatasetSource:
    """A training file of ten sentences, each three times."""
    file = tmp_path / "train.tsv"
    rows = [f"{text}\t1" for text in GOOD] + [f"{text}\t0" for text in BAD]
    file.write_text("\n".join(rows * 3), encoding="utf-8")
    columns = {"statement": 0, "label": 1}
    return DatasetSource("toy", "sentiment", file, "tsv", columns, {"0": "negative", "1": "positive"}, LABELS)


@pytest.fixture
def train(train_source: DatasetSource) -> Dataset:
    return read_dataset(train_source)


@pytest.fixture(scope="session")
def save_bert() -> Callable[..., None]:
    """Saves a BERT with two tiny random layers and a vocabulary of a few words."""
    return save


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """A folder with a tiny BERT that embeds."""
    save(tmp_path / "tiny-encoder", architecture="BertModel", words=WORDS)
    return tmp_path / "tiny-encoder"
