"""Every page's data as JSON, described by its schema, and datasets as Croissant."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from site_sample import write_world

from evaluator.records.datasets import Examples
from evaluator.records.result import Result
from evaluator.records.store import Store

KINDS = {"index", "board", "model", "dataset", "suite"}


def documents(folder: Path) -> dict[Path, dict[str, Any]]:
    """Every document that names one of the schemas, by its path."""
    found = {
        path: json.loads(path.read_bytes()) for path in folder.rglob("*.json") if "schemas" not in path.parts
    }
    return {path: document for path, document in found.items() if "$schema" in document}


def schema_of(path: Path, document: dict[str, Any]) -> jsonschema.Draft202012Validator:
    """The schema that a document names, by an address relative to its own."""
    return schema_at((path.parent / document["$schema"]).resolve())


@cache
def schema_at(path: Path) -> jsonschema.Draft202012Validator:
    schema = json.loads(path.read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_every_document_is_as_the_schema_that_it_names(site_folder: Path) -> None:
    """Hostile names, failed models, missing cells and empty boards included."""
    found = documents(site_folder)
    for path, document in found.items():
        schema_of(path, document).validate(document)
    assert {path.stem for path in found} == KINDS
    assert {path.name for path in (site_folder / "schemas").iterdir()} == {
        f"{kind}.schema.json" for kind in KINDS
    }


def test_every_page_with_data_has_a_document_and_links_to_it(site_folder: Path) -> None:
    """All pages but the method's, the comparison's, those of examples, difficulty and quality, and of other data."""
    pages = [path.parent for path in site_folder.rglob("index.html")]
    others = {"method", "compare", "examples", "difficulty", "embed", "quality", "snapshots"}
    pages = [page for page in pages if not others & {*page.relative_to(site_folder).parts}]
    assert {path.parent for path in documents(site_folder)} == {*pages}
    for path in documents(site_folder):
        html = (path.parent / "index.html").read_text(encoding="utf-8")
        assert (
            f'<link rel="alternate" type="application/json" title="The data of this page" href="{path.name}">'
            in html
        )
        assert f'<a href="{path.name}">' in html


def test_a_model_s_document_holds_its_results_as_they_are_stored(tmp_path: Path, site_folder: Path) -> None:
    """Scores with versions, measurement, provenance and time, and nothing rounded."""
    _, results = write_world(tmp_path)
    own = {
        r.dataset.id: r for r in Store(results).results() if r.task == "sentiment" and r.model.id == "vader"
    }
    document = json.loads((site_folder / "measured/models/vader/model.json").read_bytes())
    assert {*own} == {"reviews", "tweets", "old"}
    assert {name: Result.model_validate(told) for name, told in document["results"].items()} == own


ISLAND = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


@pytest.mark.slow
def test_every_dataset_whose_examples_are_published_is_described(site_folder: Path) -> None:
    """mlcroissant loads each document, checks the file's hash, and finds the ids; the page holds the same."""
    import mlcroissant

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
