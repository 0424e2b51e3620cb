"""Rounds of a dynamic benchmark: people beside the models, solved rounds, and what `steelyard check` checks."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from forked_command import run as steelyard

from evaluator.data.datasets import read_dataset
from evaluator.records.base import HUMAN
from evaluator.records.board import assemble, load_boards
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.examples import dataset_source
from evaluator.score.importing import import_predictions, submission
from evaluator.score.prediction_rows import PredictionsFile
from evaluator.score.standard_errors import wilson

BOARD = """
title = "T"

[[datasets]]
id = "r1"
label = "Round 1"
task = "sentiment"
path = "r1.jsonl"
format = "dynasent"
options = { round = 1 }
round = 1

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "macro-f1"
datasets = ["r1"]
metrics = [
  { name = "macro-f1", label = "Macro-F1", unit = "%" },
  { name = "accuracy", label = "Accuracy", unit = "%" },
  { name = "vmer", label = "vMER", unit = "%", direction = "lower", cap = 100.0 },
]
"""
LABELS = ("negative", "neutral", "positive")
PER_LABEL = 20


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Sixty sentences, twenty a label, one annotator in five dissenting, and four that are not scored."""
    voted: list[tuple[str | None, list[str]]] = []
    for number in range(3 * PER_LABEL):
        gold, other = LABELS[number % 3], LABELS[(number + 1) % 3]
        voted.append((gold, [gold] * 4 + [other]))
    voted.append(("mixed", ["mixed"] * 5))
    voted += [(None, ["negative", "negative", "neutral", "neutral", "positive"])] * 3
    rows = [
        {
            "sentence": f"Sentence number {number}.",
            "text_id": f"r1-{number:07}",
            "label_distribution": {
                vote: [f"w{at}" for at, each in enumerate(votes) if each == vote] for vote in votes
            },
            "gold_label": gold,
        }
        for number, (gold, votes) in enumerate(voted)
    ]
    (tmp_path / "r1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "board.toml").write_text(BOARD)
    return tmp_path


def add(project: Path, model: str, right: int) -> Result:
    """Import a model that is right on the first `right` sentences, and says that it is so with 0.8."""
    lines = []
    for number in range(3 * PER_LABEL):
        answer = LABELS[number % 3] if number < right else LABELS[(number + 2) % 3]
        probabilities = {label: 0.8 if label == answer else 0.1 for label in LABELS}
        lines.append({"id": f"r1-{number:07}", "label": answer, "probs": probabilities})
    (project / "m.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    boards = load_boards(project / "board.toml")
    asked = submission(boards, PredictionsFile(project / "m.jsonl"), "r1", model)
    dataset = read_dataset(dataset_source(boards.dataset("r1"), project))
    return import_predictions(asked, dataset, Store(project / "results")).result


def test_people_are_estimated_from_their_responses(project: Path) -> None:
    """Where responses are kept, people get a result: each synthetic annotator is right four times in five."""
    add(project, "m", 30)
    people = Store(project / "results").find("sentiment", "r1", HUMAN)
    assert people is not None
    assert people.provenance == "human"
    assert people.scores["accuracy"].value == pytest.approx(80.0)
    assert 70 < people.scores["macro-f1"].value < 90
    assert people.model.made_from == {"annotators": 5, "seed": 0}
    assert people.source is not None
    assert "synthetic annotators" in people.source.citation


def test_a_model_is_scored_against_the_distribution_and_validated_errors(project: Path) -> None:
    """Cross-entropy is from the annotators' shares; vMER is of all examples, those nobody validated included."""
    result = add(project, "m", 30)
    # Shares 0.8, 0.2 and 0 against probabilities 0.8, 0.1 and 0.1; where it errs against 0.1, 0.1 and 0.8.
    right, wrong = -(0.8 * math.log(0.8) + 0.2 * math.log(0.1)), -math.log(0.1)
    assert result.scores["cross-entropy"].value == pytest.approx((right + wrong) / 2, abs=1e-5)
    assert result.scores["vmer"].value == pytest.approx(100 * 30 / 64)


def test_people_are_beside_the_board_and_not_on_it(project: Path) -> None:
    """People take no rank, and no score of a model changes with them; who reaches them solves the round."""
    boards = load_boards(project / "board.toml")
    add(project, "below", 40)
    store = Store(project / "results")
    assert assemble(boards.boards[0], boards, store.results()).solved == {"r1": ()}
    add(project, "above", 58)
    board = assemble(boards.boards[0], boards, store.results())
    assert (set(board.people), board.solved) == ({HUMAN}, {"r1": ("above",)})
    with_people = steelyard("rank", "b", "--json", cwd=project).stdout
    (project / "results" / "sentiment" / "r1" / f"{HUMAN}.json").unlink()
    assert steelyard("rank", "b", "--json", cwd=project).stdout == with_people
    assert [model["model"] for model in json.loads(with_people)["models"]] == ["above", "below"]


def test_round_says_what_it_found(project: Path) -> None:
    """`steelyard check` shows class balance, what was left out, people, and each model against chance and people."""
    add(project, "chance", 20)
    add(project, "good", 58)
    done = steelyard("check", "r1", "--at-chance", "chance", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "r1: 60 examples scored; left out: 1 mixed, 3 no majority" in done.stdout
    assert "  neutral: 20 (33.3%)" in done.stdout
    assert "chance: accuracy 33.3% (22.7% to 45.9%), at chance" in done.stdout
    assert "good: accuracy 96.7%" in done.stdout
    assert "reaches people: solved" in done.stdout


def test_round_exits_1_when_a_check_fails(project: Path) -> None:
    """A model that is not at chance, one without a result, and classes out of balance are problems."""
    add(project, "good", 58)
    done = steelyard("check", "r1", "--at-chance", "good", "--at-chance", "nosuch", "--json", cwd=project)
    assert done.returncode == 1
    problems = json.loads(done.stdout)["problems"]
    assert problems[0] == "good: is above chance"
    assert problems[1].startswith("nosuch: has no result on this revision of r1")
    lines = (project / "r1.jsonl").read_text().splitlines(keepends=True)
    (project / "r1.jsonl").write_text("".join(line for n, line in enumerate(lines) if n % 3 or n < 30))
    done = steelyard("check", "r1", cwd=project)
    assert done.returncode == 1
    assert "problem: the classes are out of balance: a share is more than 5 points from equal" in done.stdout


def test_wilson_matches_a_published_value() -> None:
    """81 of 263 gives 0.2553 to 0.3662 (Newcombe 1998, method 3)."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
