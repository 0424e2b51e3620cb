"""Datasets described as Croissant on the built site: its own library reads the published examples."""

from __future__ import annotations

import json
import re
from pathlib import Path

import mlcroissant
import pytest

from evaluator.records.datasets import Examples

pytestmark = pytest.mark.slow

ISLAND = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


def test_every_dataset_whose_examples_are_published_is_described(site_folder: Path) -> None:
    """mlcroissant loads each document, checks the file's hash, and finds the ids; the page holds the same."""
    documents = sorted(site_folder.glob("*/datasets/*/croissant.json"))
    published = [
        path
        for path in sorted(site_folder.glob("*/datasets/*/dataset.json"))
        if "examples_file" in json.loads(path.read_text(encoding="utf-8"))
    ]
    assert [path.parent for path in documents] == [path.parent for path in published]
    assert len(documents) > 1
    for path, about in zip(documents, published, strict=True):
        file = json.loads(about.read_text(encoding="utf-8"))["examples_file"]
        examples = Examples.model_validate_json((path.parent / file["data"]).read_text(encoding="utf-8"))
        [island] = ISLAND.findall((path.parent / "index.html").read_text(encoding="utf-8"))
        assert json.loads(island) == json.loads(path.read_text(encoding="utf-8"))
        dataset = mlcroissant.Dataset(str(path))
        column = f"{examples.dataset}/examples/id"
        rows = dataset.records(f"{examples.dataset}/examples")
        assert [row[column].decode() for row in rows] == list(examples.ids)
