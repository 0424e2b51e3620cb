"""`steelyard export` in the formats of other ecosystems: their own libraries read what the board says."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import logging
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlcroissant
import numpy as np
import pandas
import pyarrow.parquet
import pytest
from every_eval_ever.schema import schema_json
from every_eval_ever.validator import validate_file
from hypothesis import given
from hypothesis import strategies as st
from interchange_world import SOURCE, steelyard, tree
from jsonschema import Draft7Validator

from evaluator.cli import main
from evaluator.data.datasets import Dataset
from evaluator.records.base import digest
from evaluator.records.board import load_boards
from evaluator.records.references import DatasetRef, ModelCard, ModelRef, PredictionSet
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.groups import Groups
from evaluator.score.scores import influences
from evaluator.score.standard_errors import AS_STATED, BY_EXAMPLES, BY_PASSES, SHARE, standard_errors

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
#: A word of every text, which no file may have where texts are not to be shown.
SECRET = "quetzalcoatl"
LABELS = ("negative", "positive")
EXAMPLES = 40
#: The model and number of which the source states the standard error.
STATED = ("three", "open/macro-f1")
BOARD = """
title = "Formats"

[site]
url = "https://example.org/board/"

[[datasets]]
id = "open"
label = "Open set"
task = "sentiment"
round = 1
path = "open.tsv"
format = "tsv"
columns = { statement = "statement", label = "label", "tag.kind" = "kind" }
labels = ["negative", "positive"]
licence = "CC-BY-4.0"
link = "https://example.org/open"
citation = "Someone 2021"
show_text = true
show_gold = true

[[datasets]]
id = "closed"
label = "Closed set"
task = "sentiment"
round = 2
path = "closed.tsv"
format = "tsv"
columns = { statement = "statement", label = "label", "tag.kind" = "kind" }
labels = ["negative", "positive"]

[[boards]]
id = "both"
title = "Both sets"
task = "sentiment"
base = "accuracy"
datasets = ["open", "closed"]
metrics = [
  { name = "accuracy", label = "Accuracy", unit = "%" },
  { name = "macro-f1", label = "Macro-F1", unit = "%" },
]
"""

QUESTIONS = """
title = "Questions"

[[datasets]]
id = "q"
label = "Questions"
task = "qa"
path = "dev.json"
format = "squad"
show_text = true
show_gold = true

[[boards]]
id = "answers"
title = "Answers"
task = "qa"
base = "f1"
datasets = ["q"]
metrics = [
  { name = "f1", label = "F1", unit = "%" },
  { name = "exact-match", label = "Exact match", unit = "%" },
]
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two datasets, of which one may be shown; two models by their predictions, one as it was published."""
    folder = tmp_path_factory.mktemp("formats")
    (folder / "board.toml").write_text(BOARD)
    for dataset, word in (("open", "shown"), ("closed", SECRET)):
        lines = [f"{word} {row}\t{LABELS[row % 2]}\t{'ab'[row % 3 == 0]}" for row in range(EXAMPLES)]
        (folder / f"{dataset}.tsv").write_text("\n".join(["statement\tlabel\tkind", *lines]) + "\n")
        for model, every in (("one", 5), ("two", 3)):
            answers = [LABELS[(row + (row % every == 0)) % 2] for row in range(EXAMPLES)]
            if model == "two":
                answers[1] = "what?"
            rows = "".join(f"{row},{answer}\n" for row, answer in enumerate(answers))
            (folder / "answers.csv").write_text(f"id,label\n{rows}")
            steelyard(
                folder, "import", str(folder / "answers.csv"), "--dataset", dataset,
                "--model", model, "--data", str(folder),
            )  # fmt: skip
    (folder / "answers.csv").unlink()
    Store(folder / "results").save(published())
    return folder


def published() -> Result:
    """A number that somebody reported."""
    return Result(
        task="sentiment",
        model=ModelRef(id="three", label="Three"),
        dataset=DatasetRef(id="open", examples=EXAMPLES),
        provenance="reported",
        scores={
            "accuracy": Score(value=75.0, unit="%", version="v1"),
            "macro-f1": Score(value=74.0, unit="%", version="v1", standard_error=1.5),
        },
        source=SOURCE,
        created="2026-11-20T10:00:00Z",
        tool="steelyard 0.1.0",
    )


@pytest.fixture(scope="module")
def documents(world: Path) -> Path:
    """The board for Every Eval Ever."""
    steelyard(
        world, "export", "--format", "every-eval-ever", "--data", str(world), "--output", str(world / "eee")
    )
    return world / "eee"


def logs(folder: Path) -> dict[str, dict[str, Any]]:
    """The documents by the name of their model."""
    found = [json.loads(path.read_text()) for path in folder.glob("data/*/*/*/*.json")]
    return {document["model_info"]["name"]: document for document in found}


def rows_of(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("data/*/*/*/*_samples.jsonl")):
        yield from map(json.loads, path.read_text().splitlines())


# Every Eval Ever


def test_the_formats_own_validator_accepts_every_file(documents: Path) -> None:
    """No error and no warning, of the schemas and of the datastore's rules for paths, rows and identities. The folder is
    that of the site and the board's id, whatever the board's title asks."""
    files = {str(path.relative_to(documents)): path for path in documents.rglob("*.json*")}
    assert len(files) == 5
    assert {name.split("/")[1] for name in files} == {"formats-both"}
    schemas = {".json": schema_json(), ".jsonl": schema_json("instance_level_eval.schema.json")}
    for name, path in files.items():
        report = validate_file(
            path, repo_path=name, available_files=files, run_semantic_checks=True,
            read_repo_file=lambda one: files[one].read_text(),
        )  # fmt: skip
        assert (report.valid, report.errors, report.warnings) == (True, [], [])
        lines = [path.read_text()] if path.suffix == ".json" else path.read_text().splitlines()
        for line in lines:
            Draft7Validator(schemas[path.suffix]).validate(json.loads(line))


def test_documents_have_every_number_with_its_standard_error(world: Path, documents: Path) -> None:
    """Each score of each result is there as it is stored; without examples it has the error that its source states."""
    found = {
        (document["model_info"]["additional_details"]["board_id"], one["evaluation_result_id"]): one[
            "score_details"
        ]
        for document in logs(documents).values()
        for one in document["evaluation_results"]
    }
    stored = {
        (result.model.id, f"{result.dataset.id}/{name}"): (result.provenance, score.value)
        for result in Store(world / "results").results()
        for name, score in result.scores.items()
        if name in ("accuracy", "macro-f1")
    }
    assert found.keys() == stored.keys()
    for key, (provenance, value) in stored.items():
        assert found[key]["score"] == value
        assert ("uncertainty" in found[key]) == (provenance != "reported" or key == STATED)
    assert found[STATED]["uncertainty"] == {"standard_error": {"value": 1.5, "method": AS_STATED}}
    right = found["one", "open/accuracy"]["uncertainty"]
    assert right["standard_error"]["method"] == SHARE
    assert right["standard_error"]["value"] == pytest.approx(100 * math.sqrt(0.8 * 0.2 / 39), abs=1e-9)
    assert right["confidence_interval"]["lower"] < 80 < right["confidence_interval"]["upper"]
    assert found["one", "open/macro-f1"]["uncertainty"]["standard_error"]["method"] == BY_EXAMPLES


def test_what_was_published_is_apart_from_what_was_scored(documents: Path) -> None:
    """A reported number is documentation by somebody else; ranks say how sure they are."""
    found = logs(documents)
    kinds = {name: log["source_metadata"]["source_type"] for name, log in found.items()}
    assert kinds == {"one": "evaluation_run", "two": "evaluation_run", "Three": "documentation"}
    assert found["Three"]["evaluation_results"][0]["score_details"]["details"]["citation"] == SOURCE.citation
    rank = found["one"]["source_metadata"]["additional_details"]["rank"]
    assert rank.startswith("rank 1 (95 % set 1-")
    assert rank.endswith("of 2 on Formats: Both sets")


def test_rows_average_to_the_number_and_hold_no_hidden_text(world: Path, documents: Path) -> None:
    """Of a dataset that may be shown each example has its text and its score; of another one there is nothing."""
    rows = list(rows_of(documents))
    assert len(rows) == 2 * EXAMPLES
    assert {row["evaluation_result_id"] for row in rows} == {"open/accuracy"}
    first = rows[0]
    assert first["input"] == {"raw": "shown 0", "reference": ["negative"], "choices": list(LABELS)}
    [nothing] = [row for row in rows if not row["output"]["raw"]]
    assert (nothing["sample_id"], nothing["error"]) == ("1", "no valid answer")
    for log in logs(documents).values():
        mine = [row for row in rows if row["model_id"] == log["model_info"]["id"]]
        assert len(mine) == log.get("detailed_evaluation_results", {"total_rows": 0})["total_rows"]
        if mine:
            mean = sum(row["evaluation"]["score"] for row in mine) / len(mine)
            [number] = [
                one for one in log["evaluation_results"] if one["evaluation_result_id"] == "open/accuracy"
            ]
            assert mean == pytest.approx(number["score_details"]["score"], abs=1e-9)
    assert not any(SECRET.encode() in content for content in tree(documents).values())


def test_the_same_results_give_the_same_bytes(
    world: Path, documents: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A second export has the same files, which --json lists with their hashes beside what is left out."""
    output = ["--output", str(tmp_path), "--json"]
    steelyard(world, "export", "both", "--format", "every-eval-ever", "--data", str(world), *output)
    said = json.loads(capsys.readouterr().out)
    assert tree(tmp_path) == tree(documents)
    hashes = {str(Path(one["path"]).relative_to(tmp_path)): one["sha256"] for one in said["files"]}
    assert hashes == {name: hashlib.sha256(content).hexdigest() for name, content in tree(documents).items()}
    assert said["left_out"] == ["closed: rows of examples: board.toml does not say show_text and show_gold"]


def test_without_the_datasets_file_counts_are_enough(
    world: Path, documents: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Where a dataset is not at hand, what is kept beside results gives shares the same standard error."""
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    arguments = ["--model", "one", "--data", str(nowhere), "--output", str(tmp_path)]
    steelyard(world, "export", "--format", "every-eval-ever", *arguments)
    assert "open: rows of examples: its file, as it was then, is not here" in capsys.readouterr().err
    [again], before = logs(tmp_path).values(), logs(documents)["one"]
    for one, other in zip(again["evaluation_results"], before["evaluation_results"], strict=True):
        hidden = one["evaluation_result_id"] == "closed/macro-f1"
        wanted = {k: v for k, v in other["score_details"].items() if not (hidden and k == "uncertainty")}
        assert one["score_details"] == wanted


def test_no_document_takes_the_place_of_another(tmp_path: Path) -> None:
    """Two models that lead to one place on the Hub, and a model with two kinds of numbers, have a file each."""
    (tmp_path / "board.toml").write_text(BOARD)
    store, link = Store(tmp_path / "results"), "https://huggingface.co/someone/model"
    for model, place in (("plain", link), ("small", link), ("other", f"{link}-2")):
        card = ModelCard(link=place)
        store.save(published().model_copy(update={"model": ModelRef(id=model, label=model, card=card)}))
    (tmp_path / "closed.tsv").write_text("statement\tlabel\tkind\na\tpositive\tx\nb\tnegative\tx\n")
    (tmp_path / "m.csv").write_text("id,label\n0,positive\n1,positive\n")
    data = ["--data", str(tmp_path)]
    steelyard(
        tmp_path,
        "import",
        str(tmp_path / "m.csv"),
        "--dataset",
        "closed",
        "--model",
        "other",
        *data,
    )
    steelyard(tmp_path, "export", "--format", "every-eval-ever", "--output", str(tmp_path / "eee"), *data)
    found = [json.loads(path.read_text()) for path in (tmp_path / "eee").glob("data/*/*/*/*.json")]
    ids = sorted(document["model_info"]["id"] for document in found)
    assert ids == ["formats/plain", "formats/small", "someone/model-2", "someone/model-2"]
    assert len({document["evaluation_id"] for document in found}) == len(found)


# Standard errors


@given(places=st.lists(st.tuples(st.integers(0, 1), st.integers(-1, 1)), min_size=3, max_size=60))
def test_the_standard_error_of_a_share_is_that_of_a_mean(places: list[tuple[int, int]]) -> None:
    """From influence values comes what NumPy finds for the mean of right and wrong, grouped or not."""
    gold, predicted = zip(*places, strict=True)
    dataset = small_dataset(gold)
    moved = influences(dataset, small_predictions(dataset, predicted), ["accuracy"])["accuracy"]
    right = 100.0 * (np.array(gold) == np.array(predicted))
    assert moved is not None
    wanted = right.std(ddof=1) / math.sqrt(len(right))
    assert Groups.of(dataset).standard_error(moved.moved) == pytest.approx(wanted, abs=1e-9)
    pairs = np.repeat(np.arange((len(right) + 1) // 2), 2)[: len(right)]
    sums = np.bincount(pairs, right - right.mean())
    grouped = Groups(len(right), len(sums), tuple(pairs.tolist())).standard_error(moved.moved)
    assert grouped == pytest.approx(sums.std(ddof=1) * math.sqrt(len(sums)) / len(right), abs=1e-9)


def small_dataset(gold: tuple[int, ...]) -> Dataset:
    examples = tuple({"id": str(row)} for row in range(len(gold)))
    return Dataset("d", "sentiment", LABELS, examples, tuple(LABELS[one] for one in gold), digest("d"))


def small_predictions(dataset: Dataset, predicted: tuple[int, ...]) -> PredictionSet:
    return PredictionSet(
        task="sentiment", model="m", dataset="d", dataset_revision=dataset.revision,
        ids_sha256=digest(dataset.ids), labels=LABELS, predicted=predicted, resolution=1000,
    )  # fmt: skip


def test_a_timing_has_the_standard_error_of_its_passes() -> None:
    """Of the repository's own measurements: more than nothing, less than the number, and of its passes."""
    boards, store = load_boards(ROOT / "board.toml"), Store(ROOT / "results")
    results = store.results_on("sentiment", "sst-2")
    found = standard_errors(results, ["throughput"], None, boards, store)
    assert len(found) == len(results) >= 6
    for result in results:
        error = found["throughput", result.model.id]
        assert (error.method, error.units) == (BY_PASSES, len(result.measurement.repeats))
        assert 0 < error.value < result.scores["throughput"].value / 2


# Croissant


@pytest.fixture(scope="module")
def described(world: Path) -> Path:
    steelyard(world, "export", "--format", "croissant", "--output", str(world / "croissant"))
    return world / "croissant" / "croissant.json"


def test_croissants_own_library_loads_the_examples(
    world: Path, described: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """mlcroissant has no complaint, checks the files' hashes, and reads what the store keeps."""
    with caplog.at_level(logging.WARNING):
        dataset = mlcroissant.Dataset(str(described))
    assert caplog.messages == []
    assert dataset.metadata.issues.report() == ""
    about = dataset.metadata
    assert (about.name, about.license, about.cite_as) == ("Both sets", ["CC-BY-4.0"], "Someone 2021")
    assert about.url == "https://example.org/board/"
    store = Store(world / "results")
    [kept] = store.results_on("sentiment", "open")[:1]
    examples = store.examples("sentiment", "open", kept.dataset.revision or "")
    assert examples is not None
    read = list(dataset.records("open/examples"))
    assert [row["open/examples/id"].decode() for row in read] == list(examples.ids)
    assert [row["open/examples/gold"] for row in read] == list(examples.gold or ())
    assert [row["open/examples/text"].decode() for row in read] == list(examples.texts or ())
    assert [row["open/examples/tag-kind"].decode() for row in read] == list(examples.tags["kind"])
    labels = list(dataset.records("open/labels"))
    assert [row["open/labels/label"] for row in labels] == list(LABELS)


def test_a_round_that_is_not_shown_has_ids_only(
    world: Path, described: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second round has a record set of its own, without labels and texts, and stderr says so."""
    [read] = [list(mlcroissant.Dataset(str(described)).records("closed/examples"))]
    assert {name for row in read for name in row} == {"closed/examples/id"}
    assert "Closed set (round 2)" in json.loads(described.read_text())["description"]
    assert not any(SECRET.encode() in content for content in tree(described.parent).values())
    folder = str(world / "second")
    steelyard(world, "export", "--format", "croissant", "--dataset", "closed", "--output", folder)
    assert "left out: closed: gold labels: they are not published" in capsys.readouterr().err
    assert sorted(tree(world / "second")) == ["closed.examples.json", "croissant.json"]


# Parquet and CSV


def test_pandas_and_pyarrow_read_a_whole_board(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every stored score is a row with unit and origin; means, ranks and rank sets are those of `rank`."""
    steelyard(world, "export", "--format", "parquet", "--output", str(world / "board.parquet"))
    capsys.readouterr()
    frame = pandas.read_parquet(world / "board.parquet")
    for result in Store(world / "results").results():
        for name in ("accuracy", "macro-f1"):
            same = (
                (frame.model == result.model.id)
                & (frame.dataset == result.dataset.id)
                & (frame.metric == name)
            )
            if name not in result.scores:
                assert not same.any()
                continue
            [row] = frame[same].to_dict("records")
            assert (row["value"], row["unit"]) == (result.scores[name].value, "%")
            assert row["provenance"] == result.provenance
            assert row["created"] == pandas.Timestamp(result.created)
    means = frame[frame.dataset.isna()].set_index(["model", "metric"])
    for model in ranked(world, capsys):
        for name, value in model["values"].items():
            row = means.loc[(model["model"], name)]
            found = [row["rank"], row["best_rank"], row["worst_rank"], row["value"]]
            wanted = [model["rank"], *(model["rank_set"] or (None, None)), value]
            assert [None if pandas.isna(one) else one for one in found] == wanted
    schema = pyarrow.parquet.read_schema(world / "board.parquet")
    assert all(field.metadata[b"description"] for field in schema)
    about = json.loads(schema.metadata[b"steelyard"])
    assert about["metric_weights"] == {"accuracy": 0.5, "macro-f1": 0.5}
    assert about["datasets"]["open"]["licence"] == "CC-BY-4.0"


def ranked(world: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    steelyard(world, "rank", "both", "--json")
    models: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["models"]
    return models


def test_a_table_has_the_rank_sets(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Best and worst rank are those of `rank`; where they are unknown, the row says why."""
    steelyard(world, "export", "--format", "csv")
    rows = {row["model"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    for model in ranked(world, capsys):
        row, found = rows[model["model"]], model["rank_set"]
        assert [row["best_rank"], row["worst_rank"]] == (list(map(str, found)) if found else ["", ""])
        assert row["rank_set_unknown"] == (model["rank_set_unknown"] or "")
    assert rows["one"]["best_rank"] == "1"
    assert rows["three"]["best_rank"] == ""


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("parquet", 2, "--output: missing; parquet is no text to print"),
        ("csv --json", 2, "--output: missing; --json says what was written"),
        ("croissant --output board.toml", 2, "board.toml is a file; croissant is written to"),
        ("croissant --dataset x --output new", 2, "'x': it is no dataset of both"),
        ("croissant --model one --output new", 2, "and --format is croissant"),
        ("parquet --output new", 1, "pip install 'steelyard[parquet]'"),
    ],
)
def test_what_cannot_be_written_is_said(
    world: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: str,
    code: int,
    message: str,
) -> None:
    """The message names the option and the fix, and there is no new file."""
    monkeypatch.chdir(world)
    if code == 1:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    before = tree(world)
    with pytest.raises(SystemExit) as end:
        main(["export", "--format", *arguments.split()])
    assert end.value.code == code
    assert message in capsys.readouterr().err
    assert tree(world) == before


def test_answers_in_words_have_rows_of_each_metric(tmp_path: Path) -> None:
    """Of questions, each metric has its own rows, with all right answers, and a question may have none."""
    (tmp_path / "board.toml").write_text(QUESTIONS)
    context = "Ada wrote the first program. Grace wrote the first compiler."
    asked = [("a", "Who wrote the first program?", ["Ada", "Ada wrote"]), ("b", "Who wrote Python?", [])]
    questions = [
        {
            "id": id_,
            "question": question,
            "is_impossible": not answers,
            "answers": [{"text": text, "answer_start": context.index(text)} for text in answers],
        }
        for id_, question, answers in asked
    ]
    paragraphs = [{"context": context, "qas": questions}]
    (tmp_path / "dev.json").write_text(json.dumps({"data": [{"title": "T", "paragraphs": paragraphs}]}))
    (tmp_path / "m.json").write_text(json.dumps({"a": "the Ada wrote first", "b": ""}))
    data = ["--data", str(tmp_path)]
    steelyard(tmp_path, "import", str(tmp_path / "m.json"), "--dataset", "q", "--model", "m", *data)
    steelyard(tmp_path, "export", "--format", "every-eval-ever", "--output", str(tmp_path / "eee"), *data)
    rows = list(rows_of(tmp_path / "eee"))
    found = {(row["evaluation_result_id"], row["sample_id"]): row["evaluation"]["is_correct"] for row in rows}
    assert found == {
        ("q/f1", "a"): False, ("q/f1", "b"): True, ("q/exact-match", "a"): False, ("q/exact-match", "b"): True,
    }  # fmt: skip
    assert rows[0]["input"]["raw"] == f"{context}\nWho wrote the first program?"
    assert rows[0]["input"]["reference"] == ["Ada", "Ada wrote"]
    assert rows[0]["output"]["raw"] == ["the Ada wrote first"]
    assert rows[1]["input"]["reference"] == [""]
    assert 0 < rows[0]["evaluation"]["score"] < 100
    schema = Draft7Validator(schema_json("instance_level_eval.schema.json"))
    assert not [error for row in rows for error in schema.iter_errors(row)]
