"""A judge's verdicts, corrected by what people said of some of them: scores, how they vary, and what is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from evaluator.notebook.predictions import ModelPredictions
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_sets import Certainty
from evaluator.records.board import Assembled, Boards, load_boards
from evaluator.records.datasets import Covariances
from evaluator.records.errors import UserError
from evaluator.records.references import ModelRef, Source
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_board, sampled
from evaluator.score.groups import Groups
from evaluator.score.importing import Imported
from evaluator.score.judges import JUDGED, Verdicts, weight_of
from evaluator.score.keeping import keep_covariances
from evaluator.score.means import MEAN
from evaluator.score.recomputing import recompute
from evaluator.score.standard_errors import standard_errors
from evaluator.score.values import ScoredExamples, keep_values

BOARD = """
title = "T"

[[datasets]]
id = "chats"
label = "Chats"
task = "scored"

[[boards]]
id = "b"
title = "B"
task = "scored"
base = "helpful"
datasets = ["chats"]
metrics = [{ name = "helpful", label = "Helpful", unit = "%" }]
"""
NUMBER, MODELS = 120, "abc"
IDS = tuple(f"q{at}" for at in range(NUMBER))
TAGS = {"kind": tuple("xy"[at % 3 == 0] for at in range(NUMBER))}
#: People were asked about every third answer and some more, of all models the same.
ASKED = np.array([at % 3 == 0 or at % 7 == 0 for at in range(NUMBER)])

Floats = npt.NDArray[np.float64]


def drawn(model: str) -> tuple[Floats, Floats]:
    """What is right, and the verdicts of a judge that prefers c, both 0 or 100."""
    chance = np.random.default_rng(MODELS.index(model))
    right = chance.random(NUMBER) < 0.8 - 0.15 * MODELS.index(model)
    said = np.where(chance.random(NUMBER) < 0.15, ~right, right) | (
        (model == "c") & (chance.random(NUMBER) < 0.5)
    )
    return 100.0 * right, 100.0 * said


def labels(model: str, asked: Any = ASKED) -> Floats:
    return np.where(asked, drawn(model)[0], np.nan)


def about(**changed: Any) -> ScoredExamples:
    return ScoredExamples(**{"id": "chats", "label": "Chats", "ids": IDS, "tags": TAGS} | changed)


@pytest.fixture
def boards(tmp_path: Path) -> Boards:
    (tmp_path / "board.toml").write_text(BOARD)
    return load_boards(tmp_path / "board.toml")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


def keep(boards: Boards, store: Store, model: str, human: Floats | None = None, **more: Any) -> Imported:
    given = labels(model) if human is None else human
    verdicts = more.pop("verdicts", drawn(model)[1])
    return keep_values(
        more.pop("about", about()),
        ModelRef(id=model, label=model.upper()),
        {"helpful": verdicts.reshape(NUMBER, -1)},
        boards,
        store,
        source=Source(citation="The makers of Chats"),
        created="2026-11-26T00:00:00Z",
        human={"helpful": given.reshape(NUMBER, -1)},
    )


def keep_all(boards: Boards, store: Store, **more: Any) -> Covariances:
    examples = more.get("about", about())
    for model in MODELS:
        keep(boards, store, model, **more)
    keep_covariances(examples.dataset(), boards, store)
    kept = store.covariances("scored", "chats", examples.dataset().revision)
    assert kept is not None
    return kept


def result(store: Store, model: str) -> Result:
    found = store.find("scored", "chats", model)
    assert found is not None
    return found


def by_hand(asked: Any = ASKED) -> tuple[float, Floats, Floats]:
    """The weight, the corrected means and the influence values (models, examples) by NumPy alone."""
    right, said = (np.array([drawn(model)[side] for model in MODELS]) for side in (0, 1))
    pairs = [(i, j) for i in range(len(MODELS)) for j in range(i)]
    moments = [np.cov(right[i, asked] - right[j, asked], said[i, asked] - said[j, asked]) for i, j in pairs]
    weight = round(sum(one[0, 1] for one in moments) / sum(one[1, 1] for one in moments), 4)
    rest = right[:, asked] - weight * said[:, asked]
    moved = weight * (said - said.mean(axis=1, keepdims=True))
    moved[:, asked] += NUMBER / asked.sum() * (rest - rest.mean(axis=1, keepdims=True))
    return weight, weight * said.mean(axis=1) + rest.mean(axis=1), moved


def test_the_score_is_what_people_would_say(boards: Boards, store: Store) -> None:
    """Verdicts at one weight of all models, and labels less verdicts: as by an independent formulation."""
    keep_all(boards, store)
    weight, means, _ = by_hand()
    scores = [result(store, model).scores["helpful"] for model in MODELS]
    assert 0.3 < weight < 0.9
    assert [one.judged and one.judged.weight for one in scores] == [weight] * 3
    assert [one.value for one in scores] == pytest.approx(means, abs=1e-9)
    assert {one.version for one in scores} == {JUDGED}


def test_what_is_said_of_a_judge_is_from_the_labels(boards: Boards, store: Store) -> None:
    """How many there are, what the judge alone says, by how much it is over them, and what it is worth."""
    keep_all(boards, store)
    _weight, _, moved = by_hand()
    right, said = drawn("c")
    judged = result(store, "c").scores["helpful"].judged
    assert judged is not None
    assert (judged.labels, judged.judge) == (ASKED.sum(), pytest.approx(said.mean(), rel=1e-5))
    over, count = (said - right)[ASKED], ASKED.sum()
    assert judged.excess == pytest.approx(over.mean(), rel=1e-5)
    assert judged.excess > 10
    # Of a sample of n labels; the examples are as many again as there are.
    whole = np.sqrt((count - 1) / count * NUMBER / (NUMBER - 1))
    assert judged.excess_error == pytest.approx(over.std(ddof=1) / np.sqrt(count) * whole, rel=1e-5)
    variance = (moved[2] ** 2).sum() / (NUMBER * (NUMBER - 1))
    assert judged.worth == pytest.approx(right[ASKED].var(ddof=1) * whole**2 / variance, rel=1e-5)


def test_rank_sets_are_from_the_labels_and_the_verdicts(boards: Boards, store: Store) -> None:
    """Covariances of the influence values; a guard as of the labelled examples, and as many to count on."""
    kept = keep_all(boards, store)
    _, _, moved = by_hand()
    [pair] = kept.pairs
    gaps = [moved[i] - moved[j] for i in range(3) for j in range(i)]
    expected = [float(gap @ gap) / (NUMBER * (NUMBER - 1)) for gap in gaps]
    assert [pair.step * part for part in pair.parts] == pytest.approx(expected, rel=1e-4)
    assert (kept.scarce, kept.right) == ({"helpful": ASKED.sum()}, {})
    assert kept.unit["helpful"] / (NUMBER + 2) == pytest.approx(100 / (ASKED.sum() + 2))


def shown(boards: Boards, store: Store) -> Assembled:
    return assemble_board(boards.boards[0], boards, store, store.results_on("scored", "chats"))


def sets(boards: Boards, store: Store) -> list[tuple[int, int] | None]:
    assembled = shown(boards, store)
    board = Board.from_dict(assembled.data)
    return Certainty.from_dict(board, sampled(assembled, store)).sets(Question()).sets


@pytest.mark.parametrize(("asked", "widest"), [(120, False), (2, True)])
def test_few_labels_tell_little_apart(boards: Boards, store: Store, asked: int, widest: bool) -> None:
    """With two labels a model may have any rank, however many verdicts there are; with all it may not."""
    some = np.arange(NUMBER) < asked
    for model in MODELS:
        keep(boards, store, model, labels(model, some))
    keep_covariances(about().dataset(), boards, store)
    assert ([one == (1, 3) for one in sets(boards, store)] == [True] * 3) is widest


def test_a_model_without_labels_is_kept_apart(boards: Boards, store: Store) -> None:
    """What a judge alone says of it does not compare; it says so, and the others are ranked."""
    keep(boards, store, "a")
    keep(boards, store, "b")
    keep(boards, store, "c", labels("c", np.arange(NUMBER) < 1))
    keep_covariances(about().dataset(), boards, store)
    score = result(store, "c").scores["helpful"]
    assert (score.version, score.value) == (MEAN, pytest.approx(drawn("c")[1].mean()))
    assembled = shown(boards, store)
    assert [value is None for value in assembled.data["values"]["chats"]["helpful"]] == [False, False, True]
    [why] = assembled.entries["c"].kept_apart
    assert why == "helpful on chats is what a judge alone says, without labels of people that correct it"


def test_importing_the_same_again_changes_nothing(boards: Boards, store: Store, tmp_path: Path) -> None:
    """Although the weight is that of all models, which none knows when it is stored by itself."""
    keep_all(boards, store)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.json")}
    assert [keep(boards, store, model).status for model in MODELS] == ["unchanged"] * 3
    keep_covariances(about().dataset(), boards, store)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.json")} == before


def test_the_order_of_models_decides_nothing(boards: Boards, store: Store, tmp_path: Path) -> None:
    """Whichever was stored last, all have the weight of all."""
    keep_all(boards, store)
    other = Store(tmp_path / "other")
    for model in reversed(MODELS):
        keep(boards, other, model)
    keep_covariances(about().dataset(), boards, other)
    assert [result(other, one).scores for one in MODELS] == [result(store, one).scores for one in MODELS]


def test_tags_are_corrected_too(boards: Boards, store: Store) -> None:
    """By the labels among their own examples, at the same weight."""
    keep_all(boards, store)
    weight, _, _ = by_hand()
    right, said = drawn("b")
    rows = np.array(TAGS["kind"]) == "x"
    expected = weight * said[rows].mean() + (right - weight * said)[rows & ASKED].mean()
    assert result(store, "b").tags["kind"]["x"].scores["helpful"] == pytest.approx(expected)


def test_a_board_split_by_a_tag_ranks_by_corrected_parts(tmp_path: Path, store: Store) -> None:
    """The means of the parts are those of the tags, and each part counts its own labels."""
    (tmp_path / "board.toml").write_text(
        BOARD.replace('datasets = ["chats"]', 'datasets = ["chats"]\nsplit = "kind"')
    )
    boards = load_boards(tmp_path / "board.toml")
    keep_all(boards, store)
    [parts] = store.parts("scored", "chats", about().dataset().revision)
    for part in parts.parts:
        [kind] = part.values
        own = [result(store, model).tags["kind"][kind].scores["helpful"] for model in MODELS]
        assert list(part.means["helpful"]) == pytest.approx(own)
        asked = (np.array(TAGS["kind"]) == kind) & ASKED
        assert part.varies.scarce == {"helpful": asked.sum()}


def test_a_score_stays_within_its_range(boards: Boards, store: Store) -> None:
    """Where people call all they saw right, and the judge likes the rest even more."""
    said = np.where(ASKED, 0.0, 100.0)
    keep(boards, store, "a", np.where(ASKED, 100.0, np.nan), verdicts=said)
    assert result(store, "a").scores["helpful"].value == 100.0


def test_labels_of_examples_that_share_a_source_count_as_one(boards: Boards, store: Store) -> None:
    """Ten examples each are from one conversation: labels of four of them are of four units."""
    from_one = about(clusters=tuple(f"talk {at // 10}" for at in range(NUMBER)))
    some = np.arange(NUMBER) < 40
    for model in MODELS:
        keep(boards, store, model, labels(model, some), about=from_one)
    keep_covariances(from_one.dataset(), boards, store)
    kept = store.covariances("scored", "chats", from_one.dataset().revision)
    assert kept is not None
    assert (kept.clusters, kept.scarce) == (12, {"helpful": 4})


def test_several_trials_are_corrected_by_the_ones_that_were_labelled(boards: Boards, store: Store) -> None:
    """Of each labelled example the verdict of the trial beside the label, of all others the mean."""
    right, said = drawn("a")
    other = drawn("b")[1]
    human = np.stack([np.where(ASKED, right, np.nan), np.full(NUMBER, np.nan)], axis=1)
    keep(boards, store, "a", human, verdicts=np.stack([said, other], axis=1))
    keep_covariances(about().dataset(), boards, store)
    judged = result(store, "a").scores["helpful"]
    assert judged.judged is not None
    weight = judged.judged.weight
    expected = weight * ((said + other) / 2).mean() + (right - weight * said)[ASKED].mean()
    assert judged.value == pytest.approx(expected)


def test_whole_runs_that_differ_are_a_source_of_noise(boards: Boards, store: Store) -> None:
    """Runs of which one is judged better throughout add to each model's variance, as for other values."""
    for model in MODELS:
        right, said = drawn(model)
        better = np.where(np.arange(NUMBER) % 3, said, 100.0)
        human = np.stack([np.where(ASKED, right, np.nan), np.full(NUMBER, np.nan)], axis=1)
        keep(boards, store, model, human, verdicts=np.stack([said, better], axis=1))
    keep_covariances(about().dataset(), boards, store)
    kept = store.covariances("scored", "chats", about().dataset().revision)
    assert kept is not None
    assert min(kept.own["helpful"]) > 0


def test_a_label_without_a_verdict_is_left_out_and_counted(boards: Boards, store: Store) -> None:
    """It has nothing to correct; the result says so."""
    said = drawn("a")[1].copy()
    said[0] = np.nan
    keep(boards, store, "a", verdicts=said)
    kept = result(store, "a")
    assert kept.scores["helpful"].judged
    assert kept.scores["helpful"].judged.labels == ASKED.sum() - 1
    assert kept.source
    assert kept.source.note == "Helpful: 1 label without a verdict left out"
    assert kept.scores["helpful"].settings["examples"] == "119 of 120"


def test_the_standard_error_of_one_number_is_that_of_the_corrected_mean(boards: Boards, store: Store) -> None:
    """Not that of the verdicts, which would be too small."""
    keep_all(boards, store)
    results = list(store.results_on("scored", "chats"))
    found = standard_errors(results, ["helpful"], None, boards, store)
    _, _, moved = by_hand()
    expected = np.sqrt((moved**2).sum(axis=1) / (NUMBER * (NUMBER - 1)))
    assert [found["helpful", model].value for model in MODELS] == pytest.approx(expected)


def test_a_notebook_has_labels_beside_verdicts(boards: Boards, store: Store) -> None:
    """A column of each, empty where people were not asked."""
    keep_all(boards, store)
    own = result(store, "a")
    kept = store.examples("scored", "chats", own.dataset.revision or "")
    frame = ModelPredictions(store.predictions(own), kept).to_pandas()
    assert frame["helpful"].tolist() == drawn("a")[1].tolist()
    assert frame["helpful (people)"].isna().tolist() == (~ASKED).tolist()


def test_what_is_stored_is_computed_again(boards: Boards, store: Store) -> None:
    """A value, a weight or a label that was changed by hand is found."""
    keep_all(boards, store)
    assert recompute(store, boards, {}).problems == []
    path = store.path("scored", "chats", "a")
    document = json.loads(path.read_text("utf-8"))
    for place, name, value in (("", "value", 99.0), ("judged: ", "weight", 0.1), ("judged: ", "worth", 1e4)):
        changed = json.loads(json.dumps(document))
        score = changed["scores"]["helpful"]
        (score["judged"] if place else score)[name] = value
        path.write_text(json.dumps(changed), "utf-8")
        named = "helpful" if name == "value" else f"helpful: judged: {name}"
        assert any(
            f"scores: {named}: {value!r} is stored" in one for one in recompute(store, boards, {}).problems
        )


def test_a_label_out_of_the_range_is_refused(boards: Boards, store: Store) -> None:
    """With the example and what it may be; nothing is stored."""
    wrong = labels("a")
    wrong[0] = 5000.0
    with pytest.raises(UserError, match="helpful of a on 'q0' of chats: 5000 is no number from 0 to 100"):
        keep(boards, store, "a", wrong)
    assert store.find("scored", "chats", "a") is None


def pair(labels_of: Floats, verdicts: Floats) -> Verdicts:
    return Verdicts.of(verdicts[:, None], labels_of[:, None])


@pytest.mark.parametrize(
    ("labels_of", "verdicts", "weight"),
    [
        ([1, 0, 1, 0], [1, 0, 1, 0], 1.0),  # always right
        ([1, 0, 1, 0], [0, 1, 0, 1], 0.0),  # always wrong: it is not asked
        ([1, 0, 1, 0], [1, 1, 1, 1], 0.0),  # says nothing
        ([4, 0, 4, 0], [1, 0, 1, 0], 1.0),  # understates: its weight is at most 1
        ([1, 0, 2, 1], [2, 0, 4, 2], 0.5),
    ],
)
def test_the_weight_of_one_model(labels_of: list[float], verdicts: list[float], weight: float) -> None:
    """From 0, a judge that says nothing, to 1."""
    assert weight_of([pair(np.array(labels_of, float), np.array(verdicts, float))]) == weight


def test_models_with_labels_of_other_examples_have_one_weight() -> None:
    """No example has labels of two: each model's own labels and verdicts decide."""
    first = pair(np.array([1, 0, np.nan, np.nan]), np.array([1.0, 0, 1, 0]))
    second = pair(np.array([np.nan, np.nan, 2, 0]), np.array([1.0, 0, 1, 0]))
    assert weight_of([first, second]) == 1.0


def test_a_judge_alone_misleads_and_labels_do_not() -> None:
    """Of two equal models, one preferred by 15 points: the judge alone tells them apart always."""
    chance, apart = np.random.default_rng(7), {"judge": 0, "corrected": 0}
    groups = Groups(400, 400, ())
    for _ in range(100):
        right = chance.random((2, 400)) < 0.6
        said = right | (chance.random((2, 400)) < np.array([[0.375], [0.0]]))
        asked = np.isin(np.arange(400), chance.choice(400, 80, replace=False))
        both = [pair(np.where(asked, 1.0 * y, np.nan), 1.0 * f) for y, f in zip(right, said, strict=True)]
        weight = weight_of(both)
        gap = both[0].value(weight, None) - both[1].value(weight, None)
        error = groups.standard_error(both[0].moved(weight) - both[1].moved(weight))
        apart["corrected"] += abs(gap) > 1.96 * error
        alone = said.mean(axis=1) - right.mean(axis=1)
        apart["judge"] += (
            abs(np.diff(said.mean(axis=1))[0]) > 1.96 * np.std(said[0] * 1.0 - said[1], ddof=1) / 20
        )
        assert alone[0] > alone[1]
    assert apart["judge"] > 90
    assert apart["corrected"] <= 10
