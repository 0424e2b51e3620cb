"""Examples beside results: what is kept of them, what is kept back, and that predictions fit them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.datasets import Dataset, DatasetError, read_dataset
from evaluator.data.tasks import Prediction
from evaluator.records.base import digest, dump
from evaluator.records.board import DatasetSpec, load_boards
from evaluator.records.datasets import Examples
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import EXAMPLES, Store
from evaluator.score.answers import MILLIONTHS, prediction_set
from evaluator.score.checking import stored_problems
from evaluator.score.examples import EXCERPT, check_ids, dataset_source, examples_of
from evaluator.score.importing import import_predictions, submission
from evaluator.score.predictions import PredictionsFile
from evaluator.score.rescoring import rescore
from evaluator.score.scores import score, with_scores

ROOT = Path(__file__).parents[2]
BOARD = """
title = "T"

[[datasets]]
id = "reviews"
label = "Reviews"
task = "sentiment"
path = "reviews.jsonl"
format = "jsonl"
columns = {{ id = "id", statement = "text", label = "label" }}
labels = ["negative", "positive"]
{more}

[[datasets]]
id = "bridges"
label = "Bridges"
task = "qa"
path = "bridges.json"
format = "squad"
{more}

[[models]]
id = "m"
label = "M"
task = "{task}"
card = {{ {card} }}

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "accuracy"
datasets = ["reviews"]
metrics = [{{ name = "accuracy", label = "Accuracy", unit = "%" }}]
"""
REVIEWS = [("r1", "negative"), ("r2", "positive"), ("r3", "positive")]
CONTEXT = "The bridge was opened in 1932 by the mayor, and closed again in 1951."
QUESTIONS = {"q1": ("1932", 25), "q2": ("the mayor", 33), "q3": ("1951", 64)}


def write_board(folder: Path, more: str = "", card: str = "", task: str = "sentiment") -> None:
    (folder / "board.toml").write_text(BOARD.format(more=more, card=card, task=task))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Three reviews and three questions, whose gold answers may not be published."""
    write_board(tmp_path)
    rows = [{"id": id_, "text": f"text {id_}", "label": label} for id_, label in REVIEWS]
    (tmp_path / "reviews.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = [
        {"id": id_, "question": f"{id_}?", "answers": [{"text": text, "answer_start": start}]}
        for id_, (text, start) in QUESTIONS.items()
    ]
    document = {"data": [{"title": "Bridge", "paragraphs": [{"context": CONTEXT, "qas": asked}]}]}
    (tmp_path / "bridges.json").write_text(json.dumps(document))
    return tmp_path


def dataset(project: Path, name: str) -> Dataset:
    return read_dataset(dataset_source(load_boards(project / "board.toml").dataset(name), project))


def imported(project: Path, name: str, answers: dict[str, str]) -> Result:
    (project / "p.json").write_text(json.dumps(answers))
    file = PredictionsFile(project / "p.json")
    asked = submission(load_boards(project / "board.toml"), file, name, "m")
    return import_predictions(asked, dataset(project, name), Store(project / "results")).result


def reviewed(project: Path) -> Result:
    return imported(project, "reviews", {"r1": "negative", "r2": "positive", "r3": "negative"})


def answered(project: Path) -> Result:
    return imported(project, "bridges", {"q1": "in 1932", "q2": "the mayor", "q3": "never"})


def rescored(project: Path, name: str) -> list[tuple[Result, bool]]:
    boards = load_boards(project / "board.toml")
    return rescore(boards.dataset(name), boards, project, Store(project / "results"))


def kept(project: Path, result: Result) -> tuple[Examples, PredictionSet]:
    store = Store(project / "results")
    assert result.dataset.revision is not None
    examples = store.examples(result.task, result.dataset.id, result.dataset.revision)
    assert examples is not None
    return examples, store.predictions(result)


def test_gold_labels_are_kept_back_unless_they_may_be_published(project: Path) -> None:
    """Without show_gold ids are all that is stored of the examples; with it, the gold labels too."""
    examples, predictions = kept(project, reviewed(project))
    assert examples.ids == ("r1", "r2", "r3")
    assert examples.ids_sha256 == predictions.ids_sha256
    assert (examples.gold, examples.labels) == (None, ())
    write_board(project, "show_gold = true")
    examples, _ = kept(project, reviewed(project))
    assert (examples.gold, examples.labels) == ((0, 1, 1), ("negative", "positive"))


def test_texts_are_kept_back_unless_they_may_be_published(project: Path) -> None:
    """Without show_text no text is stored; with it the beginning of each, and `check` finds what is too much."""
    assert kept(project, reviewed(project))[0].texts is None
    write_board(project, "show_text = true")
    assert kept(project, reviewed(project))[0].texts == ("text r1", "text r2", "text r3")
    write_board(project)
    boards = load_boards(project / "board.toml")
    [problem] = stored_problems(Store(project / "results"), boards)
    assert "texts: are published, which the board file does not allow (show_text)" in problem


@given(st.text(alphabet="aé ", max_size=2 * EXCERPT))
def test_a_long_text_is_kept_as_its_beginning(text: str) -> None:
    """No more of a text than an excerpt is stored, and a cut one says so."""
    one = Dataset(
        id="d",
        task="sentiment",
        labels=("negative", "positive"),
        examples=({"id": "1", "statement": text},),
        gold=("positive",),
        revision=digest("d"),
    )
    [kept_text] = examples_of(one, show_gold=False, show_text=True).texts or ()
    assert len(kept_text) <= EXCERPT
    assert kept_text == text or (kept_text.endswith("…") and text.startswith(kept_text[:-1]))


def test_answers_in_words_are_kept_with_their_scores(project: Path) -> None:
    """Where gold may be published, each answer's scores are beside it, and no gold text anywhere."""
    _, predictions = kept(project, answered(project))
    assert predictions.scores is None
    write_board(project, "show_gold = true")
    result = answered(project)
    examples, predictions = kept(project, result)
    assert examples.gold is None
    assert predictions.scores == {
        "f1": (666_667, MILLIONTHS, 0),
        "exact-match": (0, MILLIONTHS, 0),
    }
    for name, column in predictions.scores.items():
        mean = 100 * sum(column) / len(column) / predictions.resolution
        assert mean == pytest.approx(result.scores[name].value, abs=1e-4)
    assert not any("mayor" in path.read_text() for path in (project / "results").rglob("*.json"))


words = st.lists(
    st.sampled_from(["the", "bridge", "was", "opened", "in", "1932", "by", "mayor", "never"])
).map(" ".join)


@given(st.lists(words, min_size=3, max_size=3), st.sampled_from([1000, MILLIONTHS]))
def test_the_mean_of_the_scores_is_the_score(answers: list[str], resolution: int) -> None:
    """Whatever is answered, the examples' scores are shares that average to the metric, but for rounding."""
    questions = Dataset(
        id="d",
        task="qa",
        labels=(),
        examples=tuple({"id": id_, "context": CONTEXT, "question": f"{id_}?"} for id_ in QUESTIONS),
        gold=tuple((text,) for text, _ in QUESTIONS.values()),
        revision=digest("d"),
    )
    predictions = prediction_set(questions, "m", [Prediction(text=text) for text in answers], resolution)
    found = with_scores(questions, predictions, show_gold=True)
    assert PredictionSet.model_validate(found.plain()) == found
    assert found.scores is not None
    whole = score(questions, predictions)
    assert set(found.scores) == {"f1", "exact-match"}
    for name, column in found.scores.items():
        assert sum(column) / 3 / resolution == pytest.approx(whole[name].value / 100, abs=0.5 / resolution)


def test_coarse_gold_labels_say_what_answers_count_as() -> None:
    """Where gold labels are coarser than answers, the examples say which of them each answer counts as."""
    merge = {"entailed": "entailed", "neutral": "not-entailed", "contradictory": "not-entailed"}
    coarse = Dataset(
        id="d",
        task="nli",
        labels=tuple(merge),
        examples=({"id": "a"}, {"id": "b"}),
        gold=("not-entailed", "entailed"),
        revision=digest("d"),
        merge=merge,
    )
    examples = examples_of(coarse, show_gold=True)
    assert (examples.labels, examples.gold) == (("entailed", "not-entailed"), (1, 0))
    assert examples.merge == merge
    assert examples_of(coarse, show_gold=False).plain().keys().isdisjoint({"gold", "labels", "merge"})


def test_rescoring_follows_the_board_file(project: Path) -> None:
    """`rescore` adds and removes what may be published, and updates cards; no measured number changes."""
    first = {name: take(project) for name, take in (("reviews", reviewed), ("bridges", answered))}
    closed = files(project)
    write_board(project, "show_gold = true", 'tags = ["linear"], licence = "MIT"', task="qa")
    for name, old in first.items():
        [(new, changed)] = rescored(project, name)
        assert changed
        assert (new.model.card.tags, new.model.card.licence) == (("linear",), "MIT")
        assert (new.scores, new.created) == (old.scores, old.created)
        examples, predictions = kept(project, new)
        assert (examples.gold is not None) == (name == "reviews")
        assert (predictions.scores is not None) == (name == "bridges")
        assert [changed for _, changed in rescored(project, name)] == [False]
    write_board(project)
    for name in first:
        rescored(project, name)
    assert files(project) == closed


def files(project: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in (project / "results").rglob("*.json")}


def test_examples_that_are_missing_are_written_by_the_next_import(project: Path) -> None:
    """An import that changes nothing still makes sure that the examples are stored, unchanged."""
    reviewed(project)
    before = files(project)
    [path] = Store(project / "results").record_paths(EXAMPLES)
    path.unlink()
    reviewed(project)
    assert files(project) == before


def test_examples_of_a_revision_go_with_its_last_result(project: Path) -> None:
    """Examples of an older revision stay as long as a result is about them, and go with the last one."""
    old = reviewed(project)
    store = Store(project / "results")
    other = old.model_copy(update={"model": old.model.model_copy(update={"id": "other"})})
    store.save(other, store.predictions(old))
    with (project / "reviews.jsonl").open("a") as file:
        file.write(json.dumps({"id": "r4", "text": "text r4", "label": "positive"}) + "\n")
    new = reviewed(project)
    kept_for = {store.load_record(EXAMPLES, path).revision for path in store.record_paths(EXAMPLES)}
    assert kept_for == {old.dataset.revision, new.dataset.revision}
    store.path("sentiment", "reviews", "other").unlink()
    reviewed(project)
    [path] = store.record_paths(EXAMPLES)
    assert store.load_record(EXAMPLES, path).revision == new.dataset.revision


@pytest.mark.parametrize(
    "id_", ["a fine film", "good film", "x" * 129, "zauberhaft", "二度と見たくない"], ids=lambda id_: id_[:12]
)
def test_ids_that_may_be_text_are_refused(id_: str) -> None:
    """A column of texts cannot be passed off as ids of a dataset whose text may not be shown."""
    text = id_ if id_ in ("zauberhaft", "二度と見たくない") else "nothing alike"
    films = _films({"id": "0", "statement": "good"}, {"id": id_, "statement": text})
    with pytest.raises(DatasetError, match=r"dataset films: columns\.id: .* may be text of the dataset"):
        check_ids(films, spec())
    check_ids(films, spec(show_text=True))


def test_a_number_that_is_also_the_text_is_an_id() -> None:
    """Rows without ids are numbered, and a text that happens to be that number is no reason to refuse it."""
    check_ids(_films({"id": "7", "statement": "7"}), spec())


def _films(*examples: dict[str, Any]) -> Dataset:
    labels = ("negative", "positive")
    return Dataset("films", "sentiment", labels, examples, ("positive",) * len(examples), digest("films"))


def spec(**more: Any) -> DatasetSpec:
    return DatasetSpec(id="films", label="Films", task="sentiment", **more)


def test_an_import_with_texts_for_ids_stores_nothing(project: Path) -> None:
    """Ids that are not fit to be published are refused before anything is written."""
    rows = [{"id": f"text {id_}", "text": f"text {id_}", "label": label} for id_, label in REVIEWS]
    (project / "reviews.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(DatasetError, match="name a column of ids"):
        imported(project, "reviews", {"text r1": "negative"})
    assert not files(project)


def change(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.update(fields)


DAMAGE: list[tuple[str, Callable[[dict[str, Any]], None], str]] = [
    ("examples", change(gold=[0, 1, 2]), r"gold\[2\]: 2 is not an index into"),
    ("examples", change(gold=[0, 1]), "gold: 2 values for 3 examples"),
    ("examples", change(ids=["r1", "r2", "r4"]), "ids_sha256: is not that of the examples; run steelyard"),
    ("examples", change(labels=["bad", "good"]), "labels: 'negative' is none of the gold labels"),
    ("examples", change(revision=digest("other")), "has the content of sentiment/reviews/"),
    ("examples", change(ids=["r 1", "r2", "r3"]), "ids: 'r 1' may be text of the dataset"),
    ("predictions", change(predicted=[0, 0, 0]), "content hash"),
    ("result", change(surprise=1), "surprise: Extra inputs are not permitted"),
]


@pytest.mark.parametrize(("kind", "damage", "message"), DAMAGE, ids=[said for _, _, said in DAMAGE])
def test_check_names_what_does_not_hold_together(
    project: Path, kind: str, damage: Callable[[dict[str, Any]], None], message: str
) -> None:
    """`check` without a folder names each wrong stored file, what is wrong with it and how to fix it."""
    write_board(project, "show_gold = true")
    reviewed(project)
    store, boards = Store(project / "results"), load_boards(project / "board.toml")
    assert list(stored_problems(store, boards)) == []
    patterns = {"examples": "*.examples.json", "predictions": "*.predictions.json", "result": "m.json"}
    [path] = (project / "results/sentiment/reviews").glob(patterns[kind])
    document = json.loads(path.read_bytes())
    damage(document)
    path.write_bytes(dump(document))
    problems = list(stored_problems(store, boards))
    assert any(_is_said(problem, "results/sentiment/reviews/", message) for problem in problems), problems


def _is_said(problem: str, place: str, message: str) -> bool:
    return place in problem and re.search(message, problem) is not None


def test_check_finds_gold_that_is_not_to_be_published(project: Path) -> None:
    """Gold labels and scores that the board file no longer allows are problems until `rescore` removes them."""
    write_board(project, "show_gold = true")
    reviewed(project)
    answered(project)
    write_board(project)
    store, boards = Store(project / "results"), load_boards(project / "board.toml")
    gold, scores = sorted(stored_problems(store, boards), key=lambda problem: "gold: is" not in problem)
    assert "gold: is published, which the board file does not allow (show_gold)" in gold
    assert "scores: are published, which the board file does not allow (show_gold)" in scores
    rescored(project, "reviews")
    rescored(project, "bridges")
    assert list(stored_problems(store, boards)) == []


def test_the_committed_results_hold_together() -> None:
    """The results of this repository pass the check, every one with predictions has its examples, and the
    gold labels give the accuracy that it says."""
    store, boards = Store(ROOT / "results"), load_boards(ROOT / "board.toml")
    assert list(stored_problems(store, boards)) == []
    labelled = [r for r in store.results() if r.predictions is not None and r.task != "qa"]
    assert len(labelled) > 30
    for result in labelled:
        assert result.dataset.revision is not None
        examples = store.examples(result.task, result.dataset.id, result.dataset.revision)
        assert examples is not None
        assert examples.gold is not None
        right = sum(map(int.__eq__, examples.gold, store.predictions(result).predicted or ()))
        assert 100 * right / len(examples.ids) == pytest.approx(result.scores["accuracy"].value)
