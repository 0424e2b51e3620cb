"""Results of a cluster's nodes of two classes on one board."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from site_sample import MEASUREMENT, result
from small_boards import small_board

from evaluator.cluster.membership import NodeCard, class_of
from evaluator.records.result import Fingerprint
from site_src.generator.build import build


def timed_on(cores: int, model: str, created: str) -> dict[str, Any]:
    """A result timed on a node with so many cores, its class as a cluster names it."""
    machine = MEASUREMENT["fingerprint"] | {"cores": cores}
    card = NodeCard(Fingerprint.model_validate(machine), MEASUREMENT["overhead_ns"], {})
    measurement = MEASUREMENT | {"fingerprint": machine}
    made = result("sentiment", "d", model, model, {"accuracy": 70, "throughput": 9}, measurement=measurement)
    return made | {"node_class": class_of(card, card), "created": created}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A board with a model timed on a node of each class, that of four cores the later one."""
    (tmp_path / "board.toml").write_text(small_board("accuracy", "throughput"))
    folder = tmp_path / "results" / "sentiment" / "d"
    folder.mkdir(parents=True)
    for cores, model, created in ((2, "two", "2026-01-01T00:00:00Z"), (4, "four", "2026-01-02T00:00:00Z")):
        (folder / f"{model}.json").write_text(json.dumps(timed_on(cores, model, created)))
    build(tmp_path / "board.toml", tmp_path / "results", tmp_path / "build")
    return tmp_path / "build"


def test_a_timing_from_a_node_of_another_class_is_kept_apart_and_the_row_says_why(site: Path) -> None:
    """As one from another machine is: the number leaves the ranking, and what is not timed stays."""
    page = (site / "b" / "index.html").read_text(encoding="utf-8")
    why = "throughput on d was measured on another machine or by another protocol than the other models"
    row = page[page.index('data-model="two"') :]
    assert why in row[: row.index("</tr>")]
    other = page[page.index('data-model="four"') :]
    assert why not in other[: other.index("</tr>")]
    found = json.loads((site / "b" / "board.json").read_text(encoding="utf-8"))
    values = {model["id"]: sorted(model["values"]) for model in found["models"]}
    assert values == {"two": ["accuracy"], "four": ["accuracy", "throughput"]}


def test_the_page_of_each_model_names_the_class_of_its_node(site: Path) -> None:
    """So a reader can see which results came from which."""
    for cores, model in ((2, "two"), (4, "four")):
        page = (site / "b" / "models" / model / "index.html").read_text(encoding="utf-8")
        assert timed_on(cores, model, "")["node_class"] in page[page.index("Class of the cluster") :]
