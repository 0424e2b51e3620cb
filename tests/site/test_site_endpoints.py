"""Every page's data as JSON: complete, described by its schema, and the same numbers as the page's."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from site_sample import TABLE_2, write_world

from evaluator.rank import dynascore
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


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_schema_refuses_what_is_not_of_its_kind(site_folder: Path, kind: str) -> None:
    """A field too many or one too few does not pass."""
    path, document = next(
        (path, found) for path, found in documents(site_folder).items() if path.stem == kind
    )
    schema = schema_of(path, document)
    first = next(name for name in document if name != "$schema")
    for broken in (
        {**document, "more": 1},
        {name: value for name, value in document.items() if name != first},
    ):
        with pytest.raises(jsonschema.ValidationError):
            schema.validate(broken)


def test_the_scorer_makes_the_ranking_of_the_cells_in_the_document(site_folder: Path) -> None:
    """A reader of a board's document can repeat its ranking, to the last bit."""
    for board in ("sentiment", "measured", "rounds"):
        document = json.loads((site_folder / board / "board.json").read_bytes())
        weights = document["weights"]
        again = (
            dynascore.Board.from_dict(document["cells"])
            .rank(weights["metrics"], weights["datasets"])
            .to_dict()
        )
        assert [row["id"] for row in document["models"]] == [row["model"] for row in again["models"]]
        for told, row in zip(document["models"], again["models"], strict=True):
            assert (told.get("rank"), told.get("dynascore")) == (row["rank"], row["dynascore"])
            assert told["contributions"] == (row["contributions"] if row["rank"] else {})
        for name, rate in again["exchange_rates"].items():
            assert document["exchange_rates"][name].get("rate") == rate["rate"]
        assert document["notes"] == again["notes"]


def test_a_model_s_document_holds_its_results_as_they_are_stored(tmp_path: Path, site_folder: Path) -> None:
    """Scores with versions, measurement, provenance and time, and nothing rounded."""
    _, results = write_world(tmp_path)
    own = {
        r.dataset.id: r for r in Store(results).results() if r.task == "sentiment" and r.model.id == "vader"
    }
    document = json.loads((site_folder / "measured/models/vader/model.json").read_bytes())
    assert {*own} == {"reviews", "tweets", "old"}
    assert {name: Result.model_validate(told) for name, told in document["results"].items()} == own


def test_the_index_leads_to_every_document(site_folder: Path) -> None:
    """From the site's document to its boards', and from theirs to models' and datasets'."""
    index = json.loads((site_folder / "index.json").read_bytes())
    boards = [site_folder / board["data"] for board in index["boards"]]
    assert len(boards) == 7
    led = {site_folder / "index.json", *boards}
    for path in boards:
        document = json.loads(path.read_bytes())
        led |= {path.parent / item["data"] for item in (*document["models"], *document["datasets"])}
    assert led == {path for path in documents(site_folder) if path.stem != "suite"}
    sentiment = json.loads(boards[0].read_bytes())
    assert {row["label"] for row in sentiment["models"]} == {label for label, *_ in TABLE_2.values()}
