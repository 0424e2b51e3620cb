"""Examples beside results: what is kept of them, what is kept back, and that predictions fit them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imported import CONTEXT, QUESTIONS, dataset, files, make_project, store, take, write_board, write_rows

from evaluator.data.datasets import Dataset, DatasetError
from evaluator.data.tasks import Prediction
from evaluator.records.base import digest, dump
from evaluator.records.board import DatasetSpec, load_boards
from evaluator.records.datasets import Difficulty, Examples, SuiteCard
from evaluator.records.references import ModelRef, PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import COVARIANCES, EXAMPLES, Store
from evaluator.score.answers import MILLIONTHS, prediction_set
from evaluator.score.checking import stored_problems
from evaluator.score.examples import EXCERPT, check_ids, examples_of
from evaluator.score.keeping import keep_covariances
from evaluator.score.rescoring import rescore
from evaluator.score.scores import score, with_scores

ROOT = Path(__file__).parents[2]
GOLD = "show_gold = true"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path)


def reviewed(project: Path, model: str = "known") -> Result:
    return take(project, "p.json", {"r1": "neg", "r2": "pos", "r3": "neg"}, model=model).result


def answered(project: Path) -> Result:
    said = {"q1": "in the 1932", "q2": "the mayor", "q3": "never"}
    return take(project, "p.json", said, "bridges", "known").result


def problems(project: Path) -> list[str]:
    return list(stored_problems(store(project), load_boards(project / "board.toml")))


def bring_up_to_date(project: Path) -> None:
    """What `import` and `evaluate` do in the end."""
    boards = load_boards(project / "board.toml")
    keep_covariances(dataset(project, "reviews"), boards, store(project))


def rescored(project: Path, name: str) -> list[tuple[Result, bool]]:
    boards = load_boards(project / "board.toml")
    return rescore(boards.dataset(name), boards, project, store(project))


def kept(project: Path, result: Result) -> Examples:
    examples = store(project).examples(result.task, result.dataset.id, result.dataset.revision or "")
    assert examples is not None
    return examples


def test_gold_labels_and_texts_are_kept_back_unless_they_may_be_published(project: Path) -> None:
    """Without show_gold and show_text ids are all that is stored of the examples."""
    examples = kept(project, reviewed(project))
    assert examples.ids == ("r1", "r2", "r3", "r4")
    assert (examples.gold, examples.labels, examples.texts) == (None, (), None)
    write_board(project, f"{GOLD}\nshow_text = true")
    examples = kept(project, reviewed(project))
    assert (examples.gold, examples.labels) == ((0, 1, 1, 0), ("negative", "positive"))
    assert examples.texts == ("text r1", "text r2", "text r3", "text r4")


@given(st.text(alphabet="aé ", max_size=2 * EXCERPT))
def test_a_long_text_is_kept_as_its_beginning(text: str) -> None:
    """No more of a text than an excerpt is stored, and a cut one says so."""
    one = films({"id": "1", "statement": text})
    [kept_text] = examples_of(one, show_gold=False, show_text=True).texts or ()
    assert len(kept_text) <= EXCERPT
    assert kept_text == text or (kept_text.endswith("…") and text.startswith(kept_text[:-1]))


def test_answers_in_words_are_kept_with_their_scores(project: Path) -> None:
    """Where gold may be published, each answer's scores are beside it, and no gold text anywhere."""
    assert store(project).predictions(answered(project)).scores is None
    write_board(project, GOLD)
    result = answered(project)
    assert kept(project, result).gold is None
    expected = {"f1": (MILLIONTHS, MILLIONTHS, 0), "exact-match": (MILLIONTHS, MILLIONTHS, 0)}
    assert store(project).predictions(result).scores == expected
    assert not any(b"mayor" in content for content in files(project).values())


words = st.lists(st.sampled_from([*CONTEXT.split(), "never"])).map(" ".join)


@given(st.lists(words, min_size=3, max_size=3), st.sampled_from([1000, MILLIONTHS]))
def test_the_mean_of_the_scores_is_the_score(answers: list[str], resolution: int) -> None:
    """Whatever is answered, the examples' scores are shares that average to the metric, but for rounding."""
    asked = tuple({"id": id_, "context": CONTEXT, "question": f"{id_}?"} for id_ in QUESTIONS)
    questions = Dataset("d", "qa", (), asked, tuple(map(tuple, QUESTIONS.values())), digest("d"))
    predictions = prediction_set(questions, "m", [Prediction(text=text) for text in answers], resolution)
    found = with_scores(questions, predictions, show_gold=True)
    assert PredictionSet.model_validate(found.plain()) == found
    whole = score(questions, predictions)
    assert found.scores is not None
    assert set(found.scores) == {"f1", "exact-match"}
    for name, column in found.scores.items():
        assert sum(column) / 3 / resolution == pytest.approx(whole[name].value / 100, abs=0.5 / resolution)


def test_coarse_gold_labels_say_what_answers_count_as() -> None:
    """Where gold labels are coarser than answers, the examples say which of them each answer counts as."""
    merge = {"entailed": "entailed", "neutral": "not-entailed", "contradictory": "not-entailed"}
    gold = ("not-entailed", "entailed")
    coarse = Dataset("d", "nli", tuple(merge), ({"id": "a"}, {"id": "b"}), gold, digest("d"), merge=merge)
    examples = examples_of(coarse, show_gold=True)
    assert (examples.labels, examples.gold) == (("entailed", "not-entailed"), (1, 0))
    assert examples.merge == merge
    assert examples_of(coarse, show_gold=False).plain().keys().isdisjoint({"gold", "labels", "merge"})


def test_rescoring_follows_the_board_file(project: Path) -> None:
    """It adds and removes what may be published and updates cards, and no score changes; then it adds a metric
    that the board has come to show, without the file of predictions."""
    first = {"reviews": reviewed(project), "bridges": answered(project)}
    before = files(project)
    write_board(project, GOLD, **{'{ licence = "MIT" }': '{ licence = "BSD" }'})
    for name, old in first.items():
        [(new, changed)] = rescored(project, name)
        assert (changed, new.model.card.licence) == (True, "BSD")
        assert (new.scores, new.created) == (old.scores, old.created)
        assert (kept(project, new).gold is not None) == (name == "reviews")
        assert (store(project).predictions(new).scores is not None) == (name == "bridges")
        assert [changed for _, changed in rescored(project, name)] == [False]
    write_board(project)
    for name in first:
        rescored(project, name)
    assert files(project) == before
    (project / "p.json").unlink()
    more = '{ name = "weighted-f1", label = "W", unit = "%" }, { name = "accuracy"'
    write_board(project, **{'{ name = "accuracy"': more})
    [(new, changed)] = rescored(project, "reviews")
    assert new.scores["weighted-f1"].value == pytest.approx(100 * (2 * 0.5 + 2 * 2 / 3) / 4)


def test_examples_that_are_missing_are_written_by_the_next_import(project: Path) -> None:
    """An import that changes nothing still makes sure that the examples are stored, unchanged."""
    reviewed(project)
    before = files(project)
    [path] = store(project).record_paths(EXAMPLES)
    path.unlink()
    reviewed(project)
    assert files(project) == before


def test_what_is_kept_of_a_revision_goes_with_its_last_result(project: Path) -> None:
    """Examples, covariances, difficulties and people's scores of older data stay as long as a result is of
    them; cards of suites and checks of browser copies as long as a result has them."""
    old, results = reviewed(project), store(project)
    reviewed(project, "other")
    golden = Difficulty.model_validate_json((ROOT / "tests/golden/difficulty.json").read_bytes())
    card = SuiteCard.model_validate_json((ROOT / "tests/golden/suite.json").read_bytes())
    results.save_record(golden.model_copy(update={"revision": old.dataset.revision, "name": "a.b"}))
    people = ModelRef(id="human", label="People")
    results.save(old.model_copy(update={"model": people, "provenance": "human", "predictions": None}))
    bring_up_to_date(project)
    of_old = {path.name for path in files(project) if "known" not in path.name and "other" not in path.name}
    begin = old.dataset.revision.removeprefix("sha256:")[:12]
    kinds = ("examples", "covariances", "difficulty-a.b")
    assert of_old == {"human.json", *(f"{begin}.{kind}.json" for kind in kinds)}

    results.save_record(card.model_copy(update={"dataset": old.dataset}))
    write_rows(project, "reviews.jsonl", [{"id": "r1", "text": "x", "label": "pos", "length": "1"}])
    take(project, "p.json", {"r1": "neg"}, model="known")
    bring_up_to_date(project)
    there = {path.name for path in files(project)}
    assert of_old <= there
    assert not any(name.endswith(".suite.json") for name in there)

    take(project, "p.json", {"r1": "neg"}, model="other")
    bring_up_to_date(project)
    assert not of_old & {path.name for path in files(project)}
    assert len(results.record_paths(EXAMPLES)) == len(results.record_paths(COVARIANCES)) == 1


def test_covariances_go_where_one_model_is_left(project: Path) -> None:
    """Nothing varies between a model and itself."""
    reviewed(project)
    reviewed(project, "other")
    bring_up_to_date(project)
    [path] = store(project).record_paths(COVARIANCES)
    for other in path.parent.glob("other.*"):
        other.unlink()
    bring_up_to_date(project)
    assert store(project).record_paths(COVARIANCES) == []


@pytest.mark.parametrize("id_", ["a fine film", "good film", "x" * 129, "zauberhaft", "二度と見たくない"])
def test_ids_that_may_be_text_are_refused(id_: str) -> None:
    """Unless texts may be shown; that a text is the number of its row is no reason to refuse it."""
    text = id_ if id_ in ("zauberhaft", "二度と見たくない") else "nothing alike"
    found = films({"id": "0", "statement": "0"}, {"id": id_, "statement": text})
    with pytest.raises(DatasetError, match=r"dataset films: columns\.id: .* may be text of the dataset"):
        check_ids(found, spec())
    check_ids(found, spec(show_text=True))
    check_ids(films({"id": "7", "statement": "7"}), spec())


def films(*examples: dict[str, Any]) -> Dataset:
    labels = ("negative", "positive")
    return Dataset("films", "sentiment", labels, examples, ("positive",) * len(examples), digest("films"))


def spec(**more: Any) -> DatasetSpec:
    return DatasetSpec(id="films", label="Films", task="sentiment", **more)


def test_an_import_with_texts_for_ids_stores_nothing(project: Path) -> None:
    """Ids that are not fit to be published are refused before anything is written."""
    rows = [{"id": "text r1", "text": "text r1", "label": "pos", "length": "short"}]
    write_rows(project, "reviews.jsonl", rows)
    with pytest.raises(DatasetError, match="name a column of ids"):
        take(project, "p.json", {"text r1": "negative"})
    assert not files(project)


DAMAGE: list[tuple[str, dict[str, Any], str]] = [
    ("examples", {"gold": [0, 1, 2, 0]}, r"gold\[2\]: 2 is not an index into"),
    ("examples", {"gold": [0, 1]}, "gold: 2 values for 4 examples"),
    ("examples", {"ids": ["r1", "r2", "r3", "r5"]}, "ids_sha256: is not that of the examples; run steelyard"),
    ("examples", {"labels": ["bad", "good"]}, "labels: 'negative' is none of the gold labels"),
    ("examples", {"revision": digest("other")}, "has the content of sentiment/reviews/"),
    ("examples", {"ids": ["r 1", "r2", "r3", "r4"]}, "ids: 'r 1' may be text of the dataset"),
    ("predictions", {"predicted": [0, 0, 0, 0]}, "content hash"),
    ("result", {"surprise": 1}, "surprise: Extra inputs are not permitted"),
]


@pytest.mark.parametrize(("kind", "damage", "message"), DAMAGE, ids=[said for _, _, said in DAMAGE])
def test_check_names_what_does_not_hold_together(
    project: Path, kind: str, damage: dict[str, Any], message: str
) -> None:
    """Each wrong stored file, what is wrong with it and how to fix it."""
    write_board(project, GOLD)
    reviewed(project)
    assert problems(project) == []
    patterns = {"examples": "*.examples.json", "predictions": "*.predictions.json", "result": "known.json"}
    [path] = (project / "results/sentiment/reviews").glob(patterns[kind])
    path.write_bytes(dump(json.loads(path.read_bytes()) | damage))
    found = problems(project)
    assert any("results/sentiment/reviews/" in one and re.search(message, one) for one in found), found


def test_check_finds_what_is_not_to_be_published(project: Path) -> None:
    """What the board file no longer allows is a problem until results are scored again."""
    write_board(project, f"{GOLD}\nshow_text = true")
    reviewed(project)
    answered(project)
    write_board(project)
    found = "\n".join(problems(project))
    for what in ("gold: is", "scores: are", "texts: are"):
        assert f"{what} published, which the board file does not allow (show_" in found
    rescored(project, "reviews")
    rescored(project, "bridges")
    assert problems(project) == []


def labelled() -> Iterator[tuple[Store, Result]]:
    committed = Store(ROOT / "results")
    return (
        (committed, one)
        for one in committed.results()
        if one.predictions and one.task not in ("qa", "scored")
    )


def test_the_committed_results_hold_together() -> None:
    """The results of this repository pass the check, every one with predictions has its examples, and the
    gold labels give the accuracy that it says."""
    assert list(stored_problems(Store(ROOT / "results"), load_boards(ROOT / "board.toml"))) == []
    for committed, result in labelled():
        examples = committed.examples(result.task, result.dataset.id, result.dataset.revision or "")
        assert examples is not None
        assert examples.gold is not None
        right = sum(map(int.__eq__, examples.gold, committed.predictions(result).predicted or ()))
        assert 100 * right / len(examples.ids) == pytest.approx(result.scores["accuracy"].value)
