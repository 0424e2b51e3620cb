"""`steelyard evaluate --trials`: models that do not always answer the same are asked again."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path

import numpy as np
import pytest
from forked_command import finished as steelyard
from small_boards import small_board, small_model

from evaluator.cli.evaluate import EvaluationProgress
from evaluator.measure.run import evaluate, plan
from evaluator.measure.run.evaluate import ThisMachine
from evaluator.measure.run.unit import UnitRun
from evaluator.measure.run.untimed import KeptAnswers, Questions
from evaluator.records.board import load_boards
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.answers import as_trials
from evaluator.score.certainty import assemble_board, sampled
from evaluator.score.suites import same_labels

ROWS = 60
BOARD = small_board(
    "accuracy",
    dataset='show_text = true\nshow_gold = true\nsuites = ["robustness"]',
    measure={"repeats": 1, "seconds": 0.001},
    limits={"load_s": 30, "request_s": 5, "memory_gb": 0.5},
)
STEADY = """
def load(directory):
    pass

def predict(example):
    return {"label": "positive" if "good" in example["statement"] else "negative", "confidence": 0.75}
"""
#: Right more often than not, a little more or less in each process, and now and then no label at all.
MOODY = """
import random

MOOD = 0.6 + 0.2 * random.random()

def load(directory):
    pass

def predict(example):
    right = "positive" if "good" in example["statement"] else "negative"
    wrong = "negative" if right == "positive" else "positive"
    return random.choices([right, wrong, "dunno"], [MOOD, 0.9 - MOOD, 0.1])[0]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    board = BOARD
    for name, source in (("steady", STEADY), ("moody", MOODY)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "handler.py").write_text(source)
        board += small_model(name)
    (tmp_path / "board.toml").write_text(board)
    rows = [
        f"{('bad', 'good')[i % 2]} film number {i}\t{('negative', 'positive')[i % 2]}" for i in range(ROWS)
    ]
    (tmp_path / "d.tsv").write_text("\n".join(rows))
    return tmp_path


def result_of(project: Path, model: str) -> Result:
    found = Store(project / "results").find("sentiment", "d", model)
    assert found is not None
    return found


def shares(project: Path, model: str) -> list[float]:
    """The accuracy of each run, in per cent."""
    predictions = Store(project / "results").predictions(result_of(project, model))
    gold = [predictions.labels.index(("negative", "positive")[i % 2]) for i in range(ROWS)]
    return [100 * float(np.equal(run.predicted, gold).mean()) for run in predictions.runs()]


@pytest.mark.slow
def test_models_whose_answers_vary_are_asked_again_and_others_once(project: Path) -> None:
    """What varies has runs, whose mean is its score; what does not says how many examples showed it. Suites are
    of the first run, and what was asked is not asked again."""
    steelyard("evaluate", cwd=project)
    first = {name: result_of(project, name) for name in ("steady", "moody")}
    done = steelyard("evaluate", "--trials", "3", cwd=project)
    assert done.stdout == "2 updated\n"
    assert "answers 50 examples the same again, so it is asked once" in done.stderr
    assert "3 runs of each example" in done.stderr
    steady, moody = result_of(project, "steady"), result_of(project, "moody")
    assert (steady.same_again, steady.scores) == (50, first["steady"].scores)
    assert moody.predictions is not None
    assert (moody.predictions.trials, moody.predictions.examples) == (3, ROWS)
    runs = shares(project, "moody")
    assert runs[0] == pytest.approx(first["moody"].scores["accuracy"].value)
    assert moody.scores["accuracy"].value == pytest.approx(np.mean(runs))
    assert moody.suites == first["moody"].suites
    kept = Store(project / "results").predictions(moody)
    assert sum(failure.count for failure in moody.failures) == (kept.predicted or ()).count(-1) > 0
    assert steelyard("evaluate", "--trials", "3", cwd=project).stdout == "2 unchanged\n"
    assert steelyard("evaluate", cwd=project).stdout == "2 unchanged\n"
    assert "0 problems" in steelyard("check", "--data", ".", cwd=project).stdout
    boards, store = load_boards(project / "board.toml"), Store(project / "results")
    known = sampled(assemble_board(boards.boards[0], boards, store, store.results()), store)["d"]
    names = list(assemble_board(boards.boards[0], boards, store, store.results()).entries)
    for own in known.get("own", {}).values():
        assert own[names.index("steady")] == 0.0
    steelyard("evaluate", "--trials", "4", "--model", "moody", cwd=project)
    assert shares(project, "moody")[:3] == runs
    assert len(shares(project, "moody")) == 4
    (project / "steady" / "handler.py").write_text(STEADY.replace("good", "number"))
    steelyard("evaluate", cwd=project)
    assert result_of(project, "steady").same_again == 0


class Cut(ThisMachine):
    """Models that are reached no more once they are asked again."""

    def untimed(
        self, asked: Sequence[tuple[UnitRun, Questions]]
    ) -> Generator[tuple[UnitRun, KeptAnswers], None, None]:
        again = [one for one in asked if any("." in key for key in one[1].inputs)]
        yield from super().untimed([one for one in asked if one not in again])
        yield from ((run, KeptAnswers({}, error=UserError("the line", "is cut"))) for run, _ in again)


@pytest.mark.slow
def test_a_model_that_is_not_answered_again_keeps_its_first_answers(project: Path) -> None:
    """What is missing is said, and asked the next time."""
    steelyard("evaluate", "--model", "moody", cwd=project)
    before = result_of(project, "moody")
    boards, store, work = (
        load_boards(project / "board.toml"),
        Store(project / "results"),
        project / ".steelyard",
    )
    units, progress = plan(boards, project, project, ["moody"]), EvaluationProgress()
    [outcome] = evaluate(units, boards, store, work, progress, asker=Cut(work, progress), trials=2)
    progress.close()
    assert (outcome.status, outcome.incomplete) == ("unchanged", True)
    assert outcome.remark == "not asked again: the line: is cut"
    assert result_of(project, "moody") == before
    assert steelyard("evaluate", "--model", "moody", "--trials", "2", cwd=project).stdout == "1 updated\n"


def test_trials_are_put_together_example_by_example() -> None:
    """Also of parts that have several themselves; what one part does not say is missing in it."""

    def part(predicted: list[int], trials: int = 1, **more: object) -> PredictionSet:
        about = {"task": "sentiment", "model": "m", "dataset": "d", "resolution": 1000, "trials": trials}
        about |= {"dataset_revision": "sha256:" + "0" * 64, "ids_sha256": "sha256:" + "0" * 64}
        return PredictionSet.model_validate(
            {**about, "labels": ("a", "b"), "predicted": tuple(predicted), **more}
        )

    first = part([0, 1, 1, 0], 2, exact_confidence=(0.1, 0.2, 0.3, 0.4))
    found = as_trials([first, part([1, -1], values={"cost": (1.5, None)})])
    assert (found.trials, found.predicted) == (3, (0, 1, 1, 1, 0, -1))
    assert found.exact_confidence == (0.1, 0.2, None, 0.3, 0.4, None)
    assert found.values == {"cost": (None, None, 1.5, None, None, None)}
    assert same_labels(found, part([0, 1, 1]), [0, 1, 1]).tolist() == [1.0, 1.0, 1.0]
