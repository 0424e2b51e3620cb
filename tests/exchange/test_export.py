"""`steelyard export`: other tools read from it what the board says."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from pathlib import Path
from typing import Any

import pandas
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from interchange_world import ACCURACY, FORMULA, LABELS, SOURCE, reported, steelyard, tree, write_world

from evaluator.exchange.hub import HubDataset, front_matter, hub_dataset, on_the_hub
from evaluator.exchange.tables import Exported
from evaluator.rank.formats import not_formula
from evaluator.records.base import digest
from evaluator.records.board import DatasetSpec
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet, PredictionsRef
from evaluator.records.result import Failure, Score
from evaluator.records.store import Store

FIRST = ["--hub", "first=someone/first#sentiment"]


@pytest.fixture
def world(tmp_path: Path) -> Path:
    write_world(tmp_path)
    return tmp_path


def exported(world: Path, capsys: pytest.CaptureFixture[str], form: str, *arguments: str) -> str:
    steelyard(world, "export", "feelings", "--format", form, *arguments)
    return capsys.readouterr().out


def ranked(world: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    steelyard(world, "rank", "feelings", "--json")
    models: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["models"]
    return models


# CSV


def test_pandas_reads_a_board_back_to_the_last_bit(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ranks, scores, means and contributions are those that `rank` prints, cells those of the results."""
    text = exported(world, capsys, "csv")
    frame = pandas.read_csv(io.StringIO(text)).set_index("model")
    expected = ranked(world, capsys)
    assert list(frame.index) == [row["model"] for row in expected]
    assert [row["rank"] for row in expected].count(None) == 1
    for row in expected:
        line = frame.loc[row["model"]]
        pairs = [(line["rank"], row["rank"]), (line["dynascore"], row["dynascore"])]
        pairs += [(line[name], value) for name, value in row["values"].items()]
        pairs += [(line[f"contribution/{name}"], value) for name, value in row["contributions"].items()]
        assert len(pairs) >= 6
        for found, wanted in pairs:
            assert math.isnan(found) if wanted is None else found == wanted
    for result in Store(world / "results").results():
        for name, score in result.scores.items():
            assert frame.loc[result.model.id, f"{result.dataset.id}/{name}"] == score.value
    assert math.isnan(frame.loc["delta", "second/accuracy"])
    assert set(frame["results_of"]) == {"2026-11-22T10:00:00Z"}
    assert set(frame["board"]) == {"feelings"}
    assert frame["metric_weights"].iloc[0].startswith("accuracy=0.5 ")


def test_a_table_says_how_numbers_came_about(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each model's row has its provenance, its sources and the reasons why cells are empty."""
    Store(world / "results").save(
        reported("failing", "first", 1.0).model_copy(
            update={
                "provenance": "measured",
                "status": "failed",
                "scores": {},
                "source": None,
                "failures": (Failure(kind="crash", message="-1+cmd|' /C calc'!A0", count=1),),
            }
        )
    )
    rows = {row["model"]: row for row in csv.DictReader(io.StringIO(exported(world, capsys, "csv")))}
    assert (rows["alpha"]["provenance"], rows["failing"]["provenance"]) == ("reported", "measured")
    assert rows["alpha"]["sources"] == "'+Someone 2021, Gamma https://example.org/gamma"
    assert rows["failing"]["reasons"] == "first: -1+cmd|' /C calc'!A0"
    assert rows["failing"]["rank"] == ""


def test_a_board_by_trade_offs_is_exported_with_them(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are in a column of their own, and scores are those that `rank` prints."""
    path = world / "board.toml"
    own = 'by = "trades"\ntrades = { macro-f1 = "2 points" }\nbase = "accuracy"\n'
    path.write_text(path.read_text().replace('base = "accuracy"\n', own, 1))
    frame = pandas.read_csv(io.StringIO(exported(world, capsys, "csv"))).set_index("model")
    assert set(frame["trades"]) == {"macro-f1=2.0"}
    scores = {row["model"]: row["dynascore"] for row in ranked(world, capsys)}
    for model, score in scores.items():
        found, values = frame.loc[model, "dynascore"], frame.loc[model]
        assert math.isnan(found) if score is None else found == score
        if score is not None:
            assert score == pytest.approx(values["accuracy"] + values["macro-f1"] / 2)


def test_no_cell_of_a_board_is_a_formula(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A hostile name stays text in a spreadsheet, and every row has one line and all columns."""
    text = exported(world, capsys, "csv")
    rows = list(csv.reader(io.StringIO(text)))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert text.count("\n") == len(rows) == 1 + len(ACCURACY)
    labels = [row[rows[0].index("label")] for row in rows[1:]]
    assert any(label.startswith("'=HYPERLINK") and "\u202e" not in label for label in labels)
    assert {LABELS["gamma"], LABELS["delta"]} <= set(labels)
    for cell in (cell for row in rows for cell in row):
        assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))


@given(text=st.text(alphabet=st.characters(codec="utf-8")))
def test_any_text_is_one_line_and_no_formula(text: str) -> None:
    """Whatever a name holds, a spreadsheet reads it as text."""
    clean = not_formula(text)
    assert len(clean.splitlines()) <= 1
    assert not clean.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("|=1", "'|=1"), ("|cmd", "'|cmd"), ("%1", "'%1"), ("\t=1", "'=1"), ("\r=1", "'=1"), ("\uff1d1", "'\uff1d1"),
        ("\uff5c=1", "'\uff5c=1"), ("\u22121", "'\u22121"), ('"=1', "'\"=1"), ("'=1", "''=1"), (",=1", "',=1"),
        (";=1", "';'=1"), ("a;=1", "a;'=1"), ("a; +b", "a;' +b"), ("a, -b = c", "a, -b = c"), ("'tis", "'tis"), ("-", "'-"),
    ],
)  # fmt: skip
def test_where_a_formula_would_begin_is_an_apostrophe(text: str, cell: str) -> None:
    """Every sign, wherever a spreadsheet may begin a cell, and nowhere else."""
    assert not_formula(text) == cell


# .eval_results


@pytest.mark.slow
def test_the_hubs_library_reads_eval_results(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """huggingface_hub finds dataset, task, value, source and notes where it looks for them."""
    from huggingface_hub import parse_eval_result_entries

    text = exported(
        world, capsys, "eval-results", "--model", "alpha", *FIRST, "--hub", "extra=someone/more#extra"
    )
    first, extra = parse_eval_result_entries(yaml.safe_load(text))
    assert (first.dataset_id, first.task_id, first.value) == ("someone/first", "sentiment", 81.5)
    assert (extra.dataset_id, extra.task_id, extra.value) == ("someone/more", "extra", 81.5 - 2 / 7)
    assert (first.source_url, first.source_name) == (SOURCE.link, SOURCE.citation)
    assert first.notes == (
        "Accuracy (%), 200 examples, definition v1, reported by +Someone 2021, Gamma,"
        " rank 1 (95 % set 1-2 from published numbers, at least this wide, given the published Macro-F1, the"
        " published Perplexity and the published Throughput) of 3 on World: Feelings"
    )
    assert (first.date, first.verify_token, first.dataset_revision) == (None, None, None)


def test_a_measured_number_has_a_date_and_a_page(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The date is that of the evaluation, as text that YAML does not turn into anything else."""
    save_measured(world)
    with (world / "board.toml").open("a", encoding="utf-8") as file:
        file.write('\n[site]\nurl = "https://example.org/"\n')
    text = exported(world, capsys, "eval-results", "--model", "own", *FIRST, "--metric", "macro-f1")
    [entry] = yaml.safe_load(text)
    assert entry == {
        "dataset": {"id": "someone/first", "task_id": "sentiment"},
        "value": 71.5,
        "date": "2026-11-20T10:00:00Z",
        "source": {"url": "https://example.org/feelings/", "name": "World: Feelings"},
        "notes": "Macro-F1 (%), 200 examples, definition v1, measured by steelyard 0.1.0,"
        " stale on first: metric macro-f1 is version 1 now",
    }


def save_measured(world: Path) -> None:
    predictions = PredictionSet(
        task="sentiment",
        model="own",
        dataset="first",
        dataset_revision=digest("first"),
        ids_sha256=digest(["0"]),
        labels=("negative", "positive"),
        predicted=(0,),
        resolution=1000,
    )
    result = reported(
        "own",
        "first",
        70.0,
        provenance="measured",
        source=None,
        scores={"macro-f1": Score(value=71.5, unit="%", version="v1")},
        predictions=PredictionsRef(sha256=predictions.content_hash(), examples=1),
    )
    Store(world / "results").save(result, predictions)


# model-index


@pytest.mark.slow
def test_a_model_card_round_trips_the_model_index(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """huggingface_hub reads the block from a card's front matter and writes the same block again."""
    from huggingface_hub import EvalResult, ModelCard, ModelCardData
    from huggingface_hub.repocard_data import eval_results_to_model_index, model_index_to_eval_results

    text = exported(world, capsys, "model-index", "--model", "alpha")
    assert re.match(r"# rank \d \((95 % set \d-\d[^()]*|set unknown)\) of 3 on ", text)
    card = ModelCard(f"---\n{text}---\n# Alpha\n")
    results = card.data.eval_results
    assert all(isinstance(result, EvalResult) for result in results)
    found = {(r.dataset_type, r.metric_type): r.metric_value for r in results}
    for index, dataset in enumerate(["someone/first", "second", "extra"]):
        assert found[dataset, "accuracy"] == 81.5 - index / 7
        assert found[dataset, "f1"] == 81.5 - index / 7 - 3.3
    assert len(found) == len(results) == 9
    assert {r.task_type for r in results} == {"text-classification"}
    assert results[0].dataset_name == "First set"
    assert results[0].metric_name == "Accuracy (%)"
    assert (results[1].metric_type, results[1].metric_args) == ("f1", {"average": "macro"})
    assert (results[0].source_url, results[0].source_name) == (SOURCE.link, SOURCE.citation)
    document = yaml.safe_load(text)["model-index"]
    name, parsed = model_index_to_eval_results(document)
    assert name == "Alpha"
    assert eval_results_to_model_index(name, parsed) == document
    assert ModelCardData(model_name="Alpha", eval_results=results).to_dict()["model-index"] == document


def test_timing_is_exported_only_when_asked_for(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A throughput belongs to one machine, which the format has no field for. A hostile name is one text of the YAML."""
    [hostile] = yaml.safe_load(exported(world, capsys, "model-index", "--model", "beta"))["model-index"]
    assert (hostile["name"], set(hostile)) == (FORMULA, {"name", "results"})
    matter = front_matter(Exported({"model-index": []}, ()), "rank 1\n- of\u2028x: \x00 on\r'Board'")
    assert yaml.safe_load(matter) == {"model-index": []}
    assert "throughput" not in exported(world, capsys, "model-index", "--model", "alpha")
    text = exported(world, capsys, "model-index", "--model", "alpha", "--metric", "throughput")
    [model] = yaml.safe_load(text)["model-index"]
    assert [metric["type"] for metric in model["results"][0]["metrics"]] == ["throughput"]


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("https://huggingface.co/datasets/someone/first", HubDataset("someone/first")),
        ("https://huggingface.co/datasets/squad/", HubDataset("squad")),
        ("https://hf.co/datasets/a/b?row=1", HubDataset("a/b")),
        ("https://huggingface.co/datasets/a/b/tree/main", None),
        ("https://huggingface.co/someone/model", None),
        ("https://evil.example/https://huggingface.co/datasets/a/b", None),
        (None, None),
    ],
)
def test_a_link_to_the_hub_says_which_dataset_it_is(link: str | None, expected: HubDataset | None) -> None:
    """Only a link to a dataset's own page names it, and an id there is a name, or an owner and a name."""
    assert on_the_hub(DatasetSpec(id="d", label="D", task="sentiment", link=link)) == expected
    for text in ("", "/", "a/b/c", "../b", "a b/c", "a/b#", "a/b#x\ny", "https://hf.co/datasets/a/b"):
        with pytest.raises(UserError, match="is no dataset on the Hub; write ORG/NAME"):
            hub_dataset(text)


INDEX = "--format model-index --model alpha"
RESULTS = "--format eval-results --model alpha"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("nosuch --format csv", 2, "BOARD 'nosuch': the board file has no such board; there is feelings"),
        ("--format csv --model alpha", 2, "--model: is for eval-results and model-index and every-eval-ever, and --format is csv"),
        ("--format model-index", 2, "--model: missing; model-index is of one model"),
        ("--format model-index --model x", 2, "--model 'x': it is not on feelings; there are alpha, beta"),
        (f"{INDEX} --metric x", 1, "--metric: 'x' is no metric of feelings; there are accuracy"),
        (f"{INDEX} --hub x=a/b", 2, "--hub 'x': it is no dataset of feelings"),
        (f"{INDEX} --hub first", 2, "'first': write it as THEIRS=OURS"),
        (f"{INDEX} --hub second=someone/first", 1, "someone/first is given twice"),
        (RESULTS, 1, "model alpha: nothing to export: first: say its task on the Hub with --hub first=ORG/NAME#TASK"),
        (f"{RESULTS} --metric a --metric b", 2, "give one metric"),
        (f"{RESULTS} --hub first=a/b#c --hub extra=a/b#c", 1, "is given twice"),
    ],
)  # fmt: skip
def test_what_cannot_be_exported_is_said(
    world: Path, capsys: pytest.CaptureFixture[str], arguments: str, code: int, message: str
) -> None:
    """The message names what is wrong and what there is; nothing is written."""
    before = tree(world)
    steelyard(world, "export", *arguments.split(), "--output", str(world / "out"), code=code)
    said = capsys.readouterr()
    assert message in said.err
    assert said.out == ""
    assert tree(world) == before
