"""The ranks that models may get on another dataset: in the terminal and on the page of a board of six datasets."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from site_server import served

from evaluator.cli import main
from site_src.generator.build import build

DATASETS = ("arc", "boolq", "mmlu", "piqa", "siqa", "winogrande")
#: Accuracies by model: Bo leads but on the first dataset, and Cy comes last everywhere.
NUMBERS = {"Ada": (75, 60, 60, 60, 60, 60), "Bo": (70,) * 6, "Cy": (50,) * 6}
WORDS = (
    "Elsewhere, on another dataset of this kind, a model's rank is in the range of its ranks on these 6 datasets"
    " with a probability of at least 71 %; 95 % takes 39 datasets."
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board made of a table of published numbers."""
    folder = tmp_path_factory.mktemp("elsewhere")
    lines = [
        f"{model},{name},{one}"
        for model, numbers in NUMBERS.items()
        for name, one in zip(DATASETS, numbers, strict=True)
    ]
    (folder / "t.csv").write_text("\n".join(["model,dataset,accuracy", *lines]) + "\n")
    with pytest.raises(SystemExit) as ended:
        main(["init", str(folder / "lb"), "--results", str(folder / "t.csv"), "--author", "me", "--yes"])
    assert ended.value.code == 0
    return folder / "lb"


def ranked(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    here = Path.cwd()
    os.chdir(folder)
    try:
        with pytest.raises(SystemExit) as ended:
            main(["rank", "lb", *options])
    finally:
        os.chdir(here)
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_rank_prints_a_column_and_json_has_the_target(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    lead, *lines = ranked(folder, capsys).splitlines()
    assert lead.startswith("Bo leads")
    assert lines[0].split()[:6] == ["rank", "95", "%", "set", "71", "%"]
    assert [line.split()[:4] for line in lines[1:4]] == [
        ["1", "unknown", "1-2", "Bo"],
        ["2", "unknown", "1-2", "Ada"],
        ["3", "unknown", "3", "Cy"],
    ]
    said = json.loads(ranked(folder, capsys, "--json"))
    assert [row["elsewhere"] for row in said["models"]] == [[1, 2], [1, 2], [3, 3]]
    assert said["elsewhere"] == {
        "target": "another dataset of this kind, measured as these were, at the exchange rates shown",
        "confidence": pytest.approx(5 / 7),
        "datasets": 6,
    }
    fewer = json.loads(ranked(folder, capsys, "--json", "--dataset-weight", "arc=1"))
    assert "elsewhere" not in fewer
    assert "elsewhere" not in fewer["models"][0]


@pytest.mark.slow
def test_the_page_has_them_under_the_rank_and_says_what_they_are(
    folder: Path, tmp_path: Path, page: Page
) -> None:
    """They are there without script, and follow the weights of datasets: with five there are none."""
    build(folder / "board.toml", folder / "results", tmp_path / "site")
    assert WORDS in (tmp_path / "site" / "lb" / "index.html").read_text("utf-8").replace("&#39;", "'")
    with served(tmp_path / "site") as address:
        page.goto(f"{address}lb/")
        rows = page.locator("#rows .line .elsewhere > span")
        expect(rows).to_have_text(["1–2", "1–2", "3"])
        expect(page.locator(".elsewhere-head")).to_have_text("71 % elsewhere")
        expect(page.locator("#elsewhere-words")).to_have_text(WORDS)
        page.goto(f"{address}lb/#v1;d={DATASETS[5]}:0")
        expect(page.locator("#elsewhere-words")).to_have_text("")
        expect(page.locator(".elsewhere-head")).to_have_text("")
        expect(rows.first).to_be_hidden()
