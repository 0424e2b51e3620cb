"""Stored results of other inputs than the board file and its folders give now: which, why, and what to run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.data.suites.make import PLAIN_VERSION
from evaluator.records.base import HUMAN, digest
from evaluator.records.board import OutdatedResult, SuiteSpec, load_boards
from evaluator.records.references import ModelRef, PredictionsRef, Source
from evaluator.records.result import Result, SuiteScores
from evaluator.score import inputs
from evaluator.score.inputs import GivenInputs, outdated_lines, outdated_results
from evaluator.score.metrics import METRICS
from evaluator.score.suites import NOWHERE, define

GOLDEN = Result.model_validate_json((Path(__file__).parents[1] / "golden" / "result.json").read_bytes())
DATASET = """
[[datasets]]
id = "{0}"
label = "{0}"
task = "sentiment"
role = "{1}"
path = "{0}.csv"
format = "csv"
columns = {{ statement = "text", label = "gold" }}
labels = ["negative", "positive"]
"""
BOARD = f"""
title = "T"
{DATASET.format("d", "scoring")}{DATASET.format("t", "training")}{DATASET.format("u", "training")}
[[models]]
id = "handler"
label = "Handler"
task = "sentiment"
adapter = "handler"
directory = "model"
options = {{ threshold = 1 }}

[[models]]
id = "learner"
label = "Learner"
task = "sentiment"
recipe = "tfidf-logreg"
train = "t"
seed = 3

[[models]]
id = "imported"
label = "Imported"
task = "sentiment"

[[predictions]]
dataset = "d"
path = "answers.csv"
model = "imported"

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "accuracy"
datasets = ["d"]
metrics = [
  {{ name = "accuracy", label = "Accuracy", unit = "%" }},
  {{ name = "throughput", label = "Speed", unit = "/s" }},
]
"""
FILES = {
    "board.toml": BOARD,
    "data/d.csv": "text,gold\nwhat fun,positive\n",
    "data/t.csv": "text,gold\nhow sad,negative\n",
    "data/u.csv": "text,gold\nhow dull,negative\n",
    "data/answers.csv": "id,label\n0,positive\n",
    "model/handler.py": "def predict(): ...\n",
    "model/words.txt": "fun\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def now(folder: Path) -> GivenInputs:
    return GivenInputs(load_boards(folder / "board.toml"), folder, folder / "data")


def measured(folder: Path, model: str) -> Result:
    """What an evaluation stores of a model."""
    given = now(folder)
    found, revision = given.model(model), given.revision("d")
    assert found is not None
    assert revision is not None
    spec = found.spec
    ref = ModelRef(id=model, label=spec.label, adapter=spec.adapter or spec.recipe, inputs=found.record)
    return of_dataset(revision, model=ref, inputs=found.digest(revision, "sentiment"))


def of_dataset(revision: str | None, **changes) -> Result:
    dataset = GOLDEN.dataset.model_copy(update={"id": "d", "revision": revision})
    changes = {"task": "sentiment", "dataset": dataset, "suites": {}} | changes
    return GOLDEN.model_copy(update=changes)


def imported(folder: Path, **changes) -> Result:
    given = now(folder)
    made_from = {"predictions": given.predictions("d", "imported"), "format": "csv"}
    model = ModelRef(id="imported", label="Imported", made_from=made_from)
    known = {"model": model, "provenance": "predictions", "measurement": None} | changes
    return of_dataset(given.revision("d"), **known)


def stale(folder: Path, *results: Result) -> list[OutdatedResult]:
    return outdated_results(results, now(folder))


def edit(name: str, old: str, new: str) -> Callable[[Path], object]:
    def do(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))

    return do


ROWS = "the dataset's rows changed, or how they are read"
CHANGES = {
    "a file": ("handler", edit("model/handler.py", "...", "pass"), "its files changed"),
    "a file is gone": ("handler", lambda folder: (folder / "model/words.txt").unlink(), "its files changed"),
    "an option": ("handler", edit("board.toml", "threshold = 1", "threshold = 2"), "its options changed"),
    "no options": ("handler", edit("board.toml", "options = { threshold = 1 }", ""), "its options changed"),
    "the adapter": ("handler", edit("board.toml", '"handler"\nd', '"onnx"\nd'), "its adapter is onnx now"),
    "the recipe": ("learner", edit("board.toml", "tfidf-logreg", "fasttext"), "its recipe is fasttext now"),
    "the seed": ("learner", edit("board.toml", "seed = 3", "seed = 4"), "its seed changed"),
    "training rows": ("learner", edit("data/t.csv", "sad", "bad"), "trained on other data"),
    "a second training set": (
        "learner",
        edit("board.toml", 'train = "t"', 'train = ["t", "u"]'),
        "trained on other data",
    ),
    "rows": ("handler", edit("data/d.csv", "fun", "a joy"), ROWS),
    "columns": ("handler", edit("board.toml", 'csv"\ncolumns', 'csv"\nlabel_map = { good = "positive" }\ncolumns'), ROWS),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_makes_a_measured_result_stale(folder: Path, what: str) -> None:
    """Whatever decides a model's answers makes its result stale once it changes, and the reason says what did."""
    model, change, reason = CHANGES[what]
    old = measured(folder, model)
    assert stale(folder, old) == []
    change(folder)
    [found] = stale(folder, old)
    assert (found.model, found.dataset) == (model, "d")
    assert found.reasons == (reason,)
    assert found.fix == f"run steelyard evaluate --model {model}"


def test_what_decides_nothing_makes_nothing_stale(folder: Path) -> None:
    """A model's name and card, weights of a board and what Python caches leave results as they are."""
    old = measured(folder, "handler")
    edit("board.toml", 'label = "Handler"', 'label = "Another"\ncard = { parameters = 3 }')(folder)
    edit("board.toml", 'base = "accuracy"', 'base = "accuracy"\nweights = { accuracy = 1 }')(folder)
    (folder / "model/__pycache__").mkdir()
    (folder / "model/__pycache__/handler.pyc").touch()
    assert stale(folder, old) == []


def test_another_version_of_a_recipe(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recipe that makes something else now makes the results of its models stale."""
    old = measured(folder, "learner")
    monkeypatch.setitem(inputs.RECIPE_VERSIONS, "tfidf-logreg", 2)
    assert [one.reasons for one in stale(folder, old)] == [("its recipe tfidf-logreg is version 2 now",)]


def test_a_result_that_says_nothing_of_its_model_is_stale(folder: Path) -> None:
    """Nobody can tell then whether the model is still the same."""
    old = measured(folder, "learner")
    silent = old.model_copy(update={"model": old.model.model_copy(update={"inputs": None})})
    assert [one.reasons for one in stale(folder, silent)] == [
        ("it does not say what its model was made from",)
    ]


def test_another_version_of_a_metric_or_of_the_protocol(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A score by another version is stale where scores can be computed again, and so is a timing."""
    old = measured(folder, "handler")
    given = imported(folder)
    reported = given.model_copy(update={"provenance": "reported", "predictions": None})
    monkeypatch.setattr(inputs, "PROTOCOL", "9")
    scores = {"accuracy": old.scores["accuracy"].model_copy(update={"version": "accuracy-0"})}
    found = stale(folder, *(one.model_copy(update={"scores": scores}) for one in (old, given, reported)))
    version = METRICS["accuracy"].version.removeprefix("accuracy-")
    assert [one.reasons for one in found] == [
        (f"metric accuracy is version {version} now", "timed by protocol 3, which is 9 now"),
        (f"metric accuracy is version {version} now",),
    ]
    # No file is needed to compute scores again.
    assert found[1].fix == "run steelyard evaluate --dataset d"


def test_imported_predictions_are_imported_again(folder: Path) -> None:
    """A changed file of predictions, or a changed dataset, asks for an import, never for an evaluation."""
    old = imported(folder)
    assert stale(folder, old) == []
    edit("data/answers.csv", "positive", "negative")(folder)
    edit("data/d.csv", "fun", "a joy")(folder)
    [found] = stale(folder, old)
    assert found.reasons == (ROWS, "its file of predictions changed")
    assert found.fix == "run steelyard import"
    elsewhere = old.model_copy(update={"model": ModelRef(id="other", label="Other")})
    [found] = stale(folder, elsewhere)
    assert found.fix == "run steelyard import again, with its file on d"


def test_what_is_not_here_is_not_judged(folder: Path) -> None:
    """Without its data a result is judged by the model's files, and without these by nothing."""
    learner, handler = measured(folder, "learner"), measured(folder, "handler")
    given = imported(folder)
    for name in ("d", "t", "answers"):
        (folder / f"data/{name}.csv").unlink()
    assert stale(folder, learner, handler, given) == []
    edit("model/words.txt", "fun", "joy")(folder)
    assert [one.reasons for one in stale(folder, learner, handler)] == [("its files changed",)]
    (folder / "model").rename(folder / "elsewhere")
    assert stale(folder, handler) == []


def test_a_pin_stands_for_a_file_that_is_not_here(folder: Path) -> None:
    """Where the board file pins the hash of a dataset, another pin is another dataset, without the file."""
    pin = 'path = "d.csv"\nsha256 = "{}"'
    edit("board.toml", 'path = "d.csv"', pin.format(64 * "a"))(folder)
    (folder / "data/d.csv").unlink()
    old = measured(folder, "handler")
    edit("board.toml", 64 * "a", 64 * "b")(folder)
    assert [one.reasons for one in stale(folder, old)] == [(ROWS,)]


def test_nothing_is_said_of_reported_and_removed(folder: Path) -> None:
    """Nothing tells what reported numbers are of, and a removed model is not measured again; people are
    estimated again."""
    cited = {"provenance": "reported", "source": Source(citation="A paper"), "predictions": None}
    reported = imported(folder, **cited)
    people = imported(folder, provenance="human", predictions=None, model=ModelRef(id=HUMAN, label="People"))
    old = measured(folder, "handler")
    edit("data/d.csv", "fun", "a joy")(folder)
    removal = 'label = "Handler"\nremoved = { reason = "r", date = 2026-01-01 }'
    edit("board.toml", 'label = "Handler"', removal)(folder)
    [found] = stale(folder, reported, people, old)
    assert (found.model, found.fix) == (HUMAN, "run steelyard evaluate --dataset d")


def test_nothing_outside_the_folders_is_read_for_a_stranger(folder: Path, tmp_path: Path) -> None:
    """In a change that anyone may have made, links of a model's folder that lead elsewhere are not followed."""
    old = measured(folder, "handler")
    edit("model/words.txt", "fun", "joy")(folder)
    boards = load_boards(folder / "board.toml")
    given = GivenInputs(boards, folder, folder / "data", roots=[folder])
    assert len(outdated_results([old], given)) == 1
    (folder / "model/link").symlink_to("/proc/self/environ")
    given = GivenInputs(boards, folder, folder / "data", roots=[folder])
    assert outdated_results([old], given) == []


def test_the_same_of_many_results_is_one_line() -> None:
    """Results that are stale for one reason are told in one line, with the command for all of them."""
    found = [
        OutdatedResult("sentiment", "d", model, (ROWS,), f"run steelyard evaluate --model {model}")
        for model in "abcde"
    ]
    assert outdated_lines(found[:2]) == [
        f"a on d, b on d are stale: {ROWS}; run steelyard evaluate --model a --model b"
    ]
    assert outdated_lines(found) == [
        f"a on d, b on d, c on d and 2 more are stale: {ROWS}; run steelyard evaluate"
    ]


SUITES = edit("board.toml", 'role = "scoring"', 'role = "scoring"\nsuites = ["robustness"]')
SHOWN = edit(
    "board.toml", "metrics = [", 'metrics = [{ name = "robustness", label = "Robustness", unit = "%" }, '
)


def test_a_suite_with_other_variants(folder: Path) -> None:
    """A suite that a board shows is stale once it makes other variants; one that no board shows is not."""
    SUITES(folder)
    old = tried(measured(folder, "handler"), digest("another"))
    assert stale(folder, old) == []
    SHOWN(folder)
    assert [one.reasons for one in stale(folder, old)] == [("suite robustness has other variants now",)]


def test_models_that_no_table_runs_are_one_line(folder: Path) -> None:
    """What to do about results whose models have no table is said once, however many there are."""
    other = measured(folder, "handler")
    edit("data/d.csv", "fun", "a joy")(folder)
    found = [
        other.model_copy(update={"model": other.model.model_copy(update={"id": f"m{at}"})}) for at in range(9)
    ]
    [line] = outdated_lines(stale(folder, *found))
    assert line.startswith("m0 on d, m1 on d, m2 on d and 6 more are stale: ")


@pytest.mark.parametrize(("text", "is_stale"), [("what a café", False), ("what a cafe\u0301", True)])
def test_a_suite_made_before_marks_were_part_of_words(folder: Path, text: str, is_stale: bool) -> None:
    """Its variants are others only of texts that have some; where these are not here, nothing is said of it."""
    SUITES(folder)
    SHOWN(folder)
    (folder / "data/d.csv").write_text(f"text,gold\n{text},positive\n")
    old = measured(folder, "handler")
    made = replace(define(SuiteSpec(id="robustness", kind="robustness"), NOWHERE), version=PLAIN_VERSION)
    old = tried(old, made.hash(str(old.dataset.revision)))
    assert [one.reasons for one in stale(folder, old)] == (
        [("suite robustness has other variants now",)] if is_stale else []
    )
    (folder / "data/d.csv").unlink()
    assert stale(folder, old) == []


def tried(result: Result, suite: str) -> Result:
    """The result with scores on the suite of that hash."""
    scores = SuiteScores(
        suite=suite,
        kind="robustness",
        seed=0,
        spec={},
        metric="accuracy",
        examples=1,
        without=0,
        variants=1,
        agreement=100.0,
        worst=100.0,
        score=100.0,
        transformations={},
        predictions=PredictionsRef(sha256=digest("variants"), examples=1),
    )
    return result.model_copy(update={"suites": {"robustness": scores}})
