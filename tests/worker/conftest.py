"""Handler directories and running workers for the tests of the worker."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluator.worker import Limits, ModelToLoad, Worker

LABELS = ("negative", "positive")


@pytest.fixture
def handler(tmp_path: Path) -> Callable[..., ModelToLoad]:
    """Write a ``handler.py`` whose `predict` has the given body, and return its spec."""

    def write(predict: str, load: str = "pass") -> ModelToLoad:
        indent = textwrap.indent
        (tmp_path / "handler.py").write_text(
            f"def load(directory):\n{indent(textwrap.dedent(load), '    ')}\n"
            f"def predict(example):\n{indent(textwrap.dedent(predict), '    ')}\n"
        )
        return ModelToLoad("handler", tmp_path, {}, "sentiment", LABELS)

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
