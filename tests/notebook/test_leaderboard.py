"""Boards in a notebook: rankings as the command line has them, clear errors, and nothing imported in vain."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import evaluator
from evaluator import Leaderboard, OpenBoard
from evaluator.cli.rank import command
from evaluator.rank.dynascore import Board, Question
from evaluator.records.errors import UserError

ROOT = Path(__file__).parents[2]
READABLE = ROOT / "examples" / "readable" / "board.toml"
METRICS = ("accuracy", "throughput", "memory", "robustness")
#: A weight, of any size that a visitor could give.
WEIGHTS = st.floats(0, 1e6, allow_nan=False, allow_infinity=False)


def printed(*options: str) -> dict[str, Any]:
    """What ``steelyard rank sentences --json`` prints."""
    arguments = ["sentences", "--board", str(READABLE), "--json", *options]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def as_json(document: dict[str, Any]) -> dict[str, Any]:
    """A document after a way through JSON."""
    return json.loads(json.dumps(document, allow_nan=False))


@given(weights=st.dictionaries(st.sampled_from(METRICS), WEIGHTS, min_size=1))
def test_a_ranking_is_that_of_the_command_line(board: OpenBoard, weights: dict[str, float]) -> None:
    """Under any weights: every rank, score, contribution, rank set, share and note, to the last bit."""
    options = [f"--weight={name}={weight!r}" for name, weight in weights.items()]
    assert as_json(board.rank(weights).to_dict()) == printed(*options)


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ((), {}),
        (("--by", "z-score"), {"by": "z_score"}),
        (("--rate", "ratio"), {"rate": "ratio"}),
        (("--confidence", "0.8"), {"confidence": 0.8}),
        (("--dataset-weight", "sentences=0"), {"dataset_weights": {"sentences": 0}}),
    ],
)
def test_other_questions_have_the_command_line_s_answers_too(
    board: OpenBoard, options: tuple[str, ...], arguments: dict[str, Any]
) -> None:
    """The board's own weights, z-scores, the other estimator, another confidence, no weight at all."""
    assert as_json(board.rank(**arguments).to_dict()) == printed(*options)


@given(
    least=st.none() | st.floats(0, 100),
    most=st.none() | st.floats(0, 2),
    weights=st.dictionaries(st.sampled_from(METRICS), st.floats(0, 100), min_size=1),
)
def test_limits_leave_a_board_of_the_models_within_them(
    board: OpenBoard, least: float | None, most: float | None, weights: dict[str, float]
) -> None:
    """Ranks and scores are those that the board's scorer gives the models left, and the others have no rank."""
    ranking = board.rank(weights, limits={"accuracy": (least, None), "memory": (None, most)})
    whole = Board.from_dict(board.data)
    values = board.data["values"]["sentences"]
    left = [
        place
        for place, (accuracy, memory) in enumerate(zip(values["accuracy"], values["memory"], strict=True))
        if (least is None or accuracy >= least) and (most is None or memory <= most)
    ]
    asked = Question(weights, board.dataset_weights, among=[whole.models[place] for place in left])
    expected = whole.ranking(asked).rows
    ranked = {row.model: (row.rank, row.dynascore, row.contributions) for row in ranking if row.rank}
    assert ranked == {row.model: (row.rank, row.dynascore, row.contributions) for row in expected if row.rank}
    assert len(list(ranking)) == len(whole.models)
    assert all(ranking.rank_sets[row.model] is None for row in ranking if row.rank is None)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Leaderboard.open("nosuch.toml"), "nosuch.toml: no such file; run from the folder"),
        (lambda: Leaderboard.open(READABLE).board("sentence"), "board: 'sentence' is not there; did you mean sentences"),
        (lambda: Leaderboard.open(READABLE, results="nowhere").board("sentences"), "has no results in nowhere; run"),
        (lambda: Leaderboard.open(READABLE).dataset("sentence"), "dataset: 'sentence' is not there; did you mean"),
        (lambda: Leaderboard.open("https://example.org/", data="x"), "results and data are folders of a board file"),
    ],
)  # fmt: skip
def test_opening_what_is_not_there_says_what_is(wrong: Any, message: str) -> None:
    """Messages name the place, the value and the fix."""
    with pytest.raises((ValueError, LookupError, UserError), match=re.escape(message)):
        wrong()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": {"acuracy": 1}}, "metric: 'acuracy' is not there; did you mean accuracy?"),
        ({"weights": {"accuracy": -1}}, "accuracy"),
        ({"weights": {"accuracy": math.nan}}, "accuracy"),
        ({"dataset_weights": {"sst": 1}}, "dataset: 'sst' is not there; there is sentences"),
        ({"limits": {"speed": (1, 2)}}, "metric: 'speed' is not there; there are accuracy"),
        (
            {"limits": {"memory": 0.3}},
            "limits: memory: Input should be a valid tuple (got 0.3); give (least, most)",
        ),
        ({"limits": {"memory": ("a", 1)}}, "limits: memory.0: Input should be a valid number"),
        ({"by": "elo"}, "by: 'elo' is none of"),
        ({"base": "memry"}, "metric: 'memry' is not there; did you mean memory?"),
        ({"confidence": 1.0}, "confidence: 1.0 is not from 0.5"),
    ],
)
def test_a_question_that_the_board_cannot_answer_is_refused(
    board: OpenBoard, arguments: dict[str, Any], message: str
) -> None:
    """At once, by name and value."""
    with pytest.raises((ValueError, UserError), match=re.escape(message)):
        board.rank(**arguments)


def test_comparing_and_reading_names_that_are_not_there(board: OpenBoard) -> None:
    """Unknown models and datasets, models without a rank, and layouts that do not exist."""
    with pytest.raises(UserError, match="model: 'vadr' is not there; did you mean vader"):
        board.rank().compare("vader", "vadr")
    with pytest.raises(ValueError, match=r"model: 'bert-small' has no rank here; choose ranked models"):
        board.rank(limits={"memory": (None, 0.1)}).compare("vader", "bert-small")
    with pytest.raises(UserError, match="model: 'gpt' is not there"):
        board.predictions("gpt", "sentences")
    with pytest.raises(UserError, match="dataset: 'sst-2' is not there"):
        board.predictions("vader", "sst-2")
    with pytest.raises(ValueError, match="layout: 'tall' is neither 'long' nor 'wide'"):
        board.to_pandas("tall")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="keeps no predictions"):
        Leaderboard.open(ROOT / "board.toml").board("sentiment").predictions("bert", "dynaboard-sentiment")


def test_no_command_imports_the_notebook_s_packages() -> None:
    """The package, the help and a ranking of a board do without pandas, matplotlib and `evaluator.notebook`."""
    program = (
        "import sys; from evaluator.cli import main\n"
        "for arguments in (['--help'], ['rank', 'sentences', '--board', 'examples/readable/board.toml']):\n"
        "    try: main(arguments)\n"
        "    except SystemExit: pass\n"
        "found = {'pandas', 'matplotlib', 'evaluator.notebook'} & {*sys.modules}\n"
        "sys.exit(', '.join(found) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_plot_needs_matplotlib(board: OpenBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    """And says how to get it."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        ImportError, match=r"matplotlib: cannot be imported .*; pip install 'steelyard\[notebook\]'"
    ):
        board.rank().plot()


def test_the_package_offers_its_names() -> None:
    """Completion sees them, each is there, and another name is an error as of any module."""
    for name in evaluator.__all__:
        assert name in dir(evaluator)
        assert getattr(evaluator, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'leaderboard'"):
        _ = evaluator.leaderboard
