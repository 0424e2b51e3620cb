"""``steelyard rank BOARD --by``: rankings by difficulty in the terminal, from stored records."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import forked_command
import pytest

from evaluator.rank.difficulty import Samples
from evaluator.rank.difficulty_order import DifficultyQuestion
from evaluator.records.datasets import Difficulty, Examples
from evaluator.records.references import DatasetRef, ModelRef, PredictionSet
from evaluator.records.result import Result, Score
from evaluator.records.store import Store, reference_to

ROOT = Path(__file__).parents[2]
REVISION, OTHER = "sha256:" + "1" * 64, "sha256:" + "2" * 64
DATASETS = """
[[datasets]]
id = "{name}"
label = "{name}"
task = "sentiment"
path = "{name}.csv"
format = "csv"
columns = {{ id = "id", statement = "text", label = "label" }}
labels = ["negative", "positive"]
"""
BOARD = """
[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "accuracy"
datasets = ["reviews", "other"]
metrics = [{ name = "accuracy", label = "Accuracy", unit = "%" }]
"""
SIZE = 60
ENCODERS = {"fair": "elsewhere/tiny", "poor": "tiny-too"}


def steelyard(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return forked_command.run("rank", *arguments, cwd=cwd, env={"PATH": ""})


def save_examples(store: Store, dataset: str, revision: str, gold: bool = True) -> Examples:
    examples = Examples(
        task="sentiment",
        dataset=dataset,
        revision=revision,
        ids=tuple(f"x{at}" for at in range(SIZE)),
        labels=("negative", "positive"),
        gold=(1,) * SIZE if gold else None,
    )
    store.save_record(examples)
    return examples


def save_model(store: Store, examples: Examples, model: str, right: list[bool]) -> None:
    about = {"task": "sentiment", "model": model, "dataset": examples.dataset}
    predictions = PredictionSet(
        **about,
        dataset_revision=examples.revision,
        ids_sha256=examples.ids_sha256,
        labels=("negative", "positive"),
        predicted=tuple(map(int, right)),
        resolution=1000,
        exact_confidence=tuple((500 + at) / 1000 for at in range(SIZE)),
    )
    result = Result(
        task="sentiment",
        model=ModelRef(
            id=model, label=f"The {model}", made_from={"options": {"encoder": ENCODERS.get(model)}}
        ),
        dataset=DatasetRef(id=examples.dataset, revision=examples.revision, examples=SIZE),
        provenance="predictions",
        scores={"accuracy": Score(value=100 * sum(right) / SIZE, unit="%", version="accuracy/1")},
        predictions=reference_to(predictions),
        created="2026-01-01T00:00:00Z",
        tool="test",
    )
    store.save(result, predictions)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A board of two datasets, one with difficulty and gold labels and three models, one without gold."""
    text = 'title = "T"\n' + "".join(DATASETS.format(name=name) for name in ("reviews", "other")) + BOARD
    (tmp_path / "board.toml").write_text(text)
    store, chance = Store(tmp_path / "results"), random.Random(3)
    examples = save_examples(store, "reviews", REVISION)
    values = tuple(None if at % 10 == 0 else round(at % 7 / 7, 9) for at in range(SIZE))
    store.save_difficulty(
        Difficulty(
            task="sentiment",
            dataset="reviews",
            revision=REVISION,
            ids_sha256=examples.ids_sha256,
            name="wsbias-1",
            algorithm="wsbias-1",
            spec={"seed": 0, "encoder": {"name": "somewhere/tiny"}},
            values=values,
        )
    )
    for model, skill in (("good", 0.9), ("fair", 0.7), ("poor", 0.4)):
        save_model(store, examples, model, [chance.random() < skill for _ in range(SIZE)])
    hidden = save_examples(store, "other", OTHER, gold=False)
    save_model(store, hidden, "good", [True] * SIZE)
    return tmp_path


def test_a_board_is_ranked_by_a_difficulty(world: Path) -> None:
    """--json gives the answer that the module gives, with the noise and what was ranked."""
    options = ["--set", "splits=4", "--set", "weights=0,1,1,2", "--set", "reward=1", "--set", "penalty=-0.5"]
    done = steelyard("b", "--by", "wsbias-1", *options, "--json", cwd=world)
    assert done.returncode == 0, done.stderr
    store = Store(world / "results")
    samples = Samples.read(
        store.examples("sentiment", "reviews", REVISION).plain(),
        {r.model.id: store.predictions(r).plain() for r in store.results_on("sentiment", "reviews")},
        [one.plain() for one in store.difficulties("sentiment", "reviews", REVISION)],
        {r.model.id: r.model.label for r in store.results_on("sentiment", "reviews")},
    )
    question = DifficultyQuestion(
        "wsbias-1", splits=4, weights=[0, 1, 1, 2], case=None, reward=1, penalty=-0.5
    )
    report = json.loads(done.stdout)
    assert (report.pop("board"), report.pop("dataset"), report.pop("revision")) == ("b", "reviews", REVISION)
    assert report.pop("built_on_its_encoder") == ["fair"]
    assert report.pop("noise") == samples.noise(question)
    assert report == samples.answer(question).plain()
    assert len(report["models"]) == 3


def test_the_table_has_what_the_metric_must_stand_beside(world: Path) -> None:
    """Accuracy, accuracy on the same examples, the W = 1 baseline, intervals and counts are printed."""
    done = steelyard("b", "--by", "wsbias-1", "--set", "kind=continuous", cwd=world)
    verdict, *lines = done.stdout.splitlines()
    assert "The good" in verdict
    assert "by Test-set shortcuts (WSBias 1)" in verdict
    for column in (
        "wsbias-1",
        "95 % interval",
        "by order of ties",
        "W = 1",
        "accuracy on scored",
        "rank by it",
    ):
        assert column in lines[0]
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["1", "The", "good"],
        ["2", "The", "fair"],
        ["3", "The", "poor"],
    ]
    assert "Left out, of unknown ease (B): 6." in lines
    assert "Left out with an ease (B) of 0, which has no 1/B: 8." in lines
    assert "By Test-set shortcuts (WSBias 1) every model has the rank that it has by accuracy." in lines
    tied = steelyard("b", "--by", "wsbias-1", "--set", "splits=2", cwd=world).stdout
    assert "Splits cut through 1 group of examples of the same difficulty, " in tied


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["b", "--by", "nosuch"],
            2,
            "--by 'nosuch': it is neither a score nor a difficulty of reviews; there are dynascore, mean, z-score, trades, wsbias-1, wmprob",
        ),
        (
            ["t.csv", "--by", "wmprob"],
            2,
            "--by wmprob: a file has no difficulties; use dynascore or mean or z-score",
        ),
        (["b", "--by", "wmprob", "--set", "splits=9"], 2, "--set splits: 9 is not from 2 to 7; choose one"),
        (["b", "--by", "wmprob", "--set", "colour=1"], 2, "'colour' is not one of its fields"),
        (
            ["b", "--by", "wmprob", "--weight", "accuracy=1"],
            2,
            "--weight: is for dynascore, mean, z-score and trades",
        ),
        (["b", "--set", "splits=3"], 2, "--set: is for a difficulty, and --by is a score"),
        (
            ["b", "--by", "wmprob", "--set", "dataset=d"],
            2,
            "--set dataset 'd': b has no such dataset; there are reviews, other",
        ),
        (
            ["b", "--by", "wmprob", "--set", "dataset=other"],
            1,
            "b: other: no predictions with published gold labels",
        ),
    ],
)
def test_a_wrong_call_says_what_to_mend(world: Path, arguments: list[str], code: int, message: str) -> None:
    """Errors name the option, the value and the fix; no traceback."""
    (world / "t.csv").write_text("model,a\nx,1\n")
    done = steelyard(*arguments, cwd=world)
    assert done.returncode == code
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_model_built_on_the_encoder_is_named(world: Path) -> None:
    """A difficulty that was measured with a model's own encoder says that it is no fair measure of that model."""
    done = steelyard("b", "--by", "wsbias-1", cwd=world)
    notes = [line for line in done.stdout.splitlines() if line.startswith("note: The fair")]
    assert notes == ["note: The fair is built on the encoder of wsbias-1, so its place is no fair comparison"]
    assert "built on the encoder" not in steelyard("b", "--by", "wmprob", cwd=world).stdout


def test_several_datasets_must_be_told_apart(world: Path) -> None:
    """Where two datasets have published gold labels, --set dataset says which."""
    save_examples(Store(world / "results"), "other", OTHER)
    done = steelyard("b", "--by", "wmprob", cwd=world)
    assert done.returncode == 2
    assert "--set dataset: board b has several with gold labels, reviews, other; say which" in done.stderr
    assert steelyard("b", "--by", "wmprob", "--set", "dataset=other", cwd=world).returncode == 0


def test_the_published_anchors_come_out() -> None:
    """SST-2's ten models under the published WSBias give the numbers that are known of them."""
    asked = ["sst-2-dev", "--by", "wsbias-1", "--set", "ties=stable", "--json"]
    report = json.loads(steelyard(*asked, cwd=ROOT).stdout)
    values = {row["model"]: row["value"] for row in report["models"]}
    anchors = {"bow-sum": 47.0401, "glove-lstm": 58.8160, "roberta-large": 69.0006, "bert-base": 76.0025}
    assert {model: values[model] for model in anchors} == pytest.approx(anchors, abs=1e-4)
    assert (report["examples"], report["scored"], len(values)) == (872, 787, 10)
