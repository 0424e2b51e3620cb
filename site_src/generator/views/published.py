"""Names of the store's own files under a board's ``predictions/``: each carries a hash of what it holds."""

from __future__ import annotations

import hashlib
from pathlib import Path

from evaluator.records.result import Result
from site_src.generator.views import formats


def hashed(name: str, content: bytes) -> str:
    """A file's name with a hash of its content."""
    return f"{name}.{hashlib.sha256(content).hexdigest()[:12]}.json"


def dataset_file(dataset: str, name: str, path: Path) -> str:
    """The name of the record of a dataset's examples, such as ``round-1/examples.0123456789ab.json``."""
    return f"{dataset}/{hashed(name, path.read_bytes())}"


def answers_file(result: Result) -> str:
    """The name of a model's predictions. Raises ValueError for a result that has none."""
    if result.predictions is None:
        raise ValueError(f"predictions: {result.model.id} has none on {result.dataset.id}")
    return f"{result.dataset.id}/{result.model.id}.{formats.short_hash(result.predictions.sha256)}.json"
