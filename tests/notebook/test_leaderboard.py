"""Boards in a notebook: rankings as the command line has them, frames with units and provenance, clear errors."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib
import pandas
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

import evaluator
from evaluator import Leaderboard, OpenBoard
from evaluator.cli.rank import command
from evaluator.dynascore import Board
from evaluator.notebook.content import NotThereError
from evaluator.store import Store, StoreError

matplotlib.use("agg")

ROOT = Path(__file__).parents[2]
READABLE = ROOT / "examples" / "readable" / "board.toml"
METRICS = ("accuracy", "throughput", "memory", "robustness")
#: A weight, of any size that a visitor could give.
WEIGHTS = st.floats(0, 1e6, allow_nan=False, allow_infinity=False)


@pytest.fixture(scope="module")
def board() -> OpenBoard:
    """The board of the sentences to read, with the results of this repository."""
    return Leaderboard.open(READABLE).board("sentences")


def printed(*options: str) -> dict[str, Any]:
    """What ``steelyard rank sentences --json`` prints."""
    arguments = ["sentences", "--board", str(READABLE), "--json", *options]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def as_json(document: dict[str, Any]) -> dict[str, Any]:
    """A document after a way through JSON."""
    return json.loads(json.dumps(document, allow_nan=False))


@settings(max_examples=20)
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


def test_a_ranking_is_that_of_a_real_process() -> None:
    """The installed command and `import evaluator` in a process of its own print the same bytes."""
    program = (
        "import evaluator, json; board = evaluator.Leaderboard.open('examples/readable/board.toml')"
        ".board('sentences'); print(json.dumps(board.rank({'accuracy': 2, 'memory': 1}).to_dict()))"
    )
    rank = ["-m", "evaluator.cli", "rank", "sentences", "--board", str(READABLE), "--json"]
    outputs = [
        subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
        for arguments in (["-c", program], [*rank, "--weight", "accuracy=2", "--weight", "memory=1"])
    ]
    one, other = (json.loads(done.stdout) for done in outputs)
    assert one == other


@settings(max_examples=40)
@given(
    least=st.none() | st.floats(0, 100),
    most=st.none() | st.floats(0, 2),
    weights=st.dictionaries(st.sampled_from(METRICS), st.floats(0, 100), min_size=1),
)
def test_limits_leave_a_board_of_the_models_within_them(
    board: OpenBoard, least: float | None, most: float | None, weights: dict[str, float]
) -> None:
    """Ranks and scores are those of a board without the others, which have no rank."""
    ranking = board.rank(weights, limits={"accuracy": (least, None), "memory": (None, most)})
    whole = Board.from_dict(board.content.data)
    values = board.content.data["values"]["sentences"]
    left = [
        place
        for place, (accuracy, memory) in enumerate(zip(values["accuracy"], values["memory"], strict=True))
        if (least is None or accuracy >= least) and (most is None or memory <= most)
    ]
    expected = whole.among(left).rank(weights, board.dataset_weights).rows if left else ()
    ranked = {row.model: (row.rank, row.dynascore, row.contributions) for row in ranking if row.rank}
    assert ranked == {row.model: (row.rank, row.dynascore, row.contributions) for row in expected if row.rank}
    assert len(ranking) == len(whole.models)
    assert all(ranking.rank_sets[row.model] is None for row in ranking if row.rank is None)


def test_the_long_frame_has_a_row_for_each_model_dataset_and_metric(board: OpenBoard) -> None:
    """With unit, direction and provenance beside each number, which is the stored one."""
    frame = board.to_pandas()
    assert list(frame.columns) == [
        "board", "dataset", "model", "label", "metric", "value", "unit", "better", "ranked", "provenance",
        "source", "revision",
    ]  # fmt: skip
    assert len(frame) == len(board.models) * len(board.metrics) == 24
    stored = {
        (result.model.id, name): (score.value, result.dataset.revision)
        for result in Store(ROOT / "results").results_on("sentiment", "sentences")
        for name, score in result.scores.items()
    }
    for row in frame.itertuples():
        assert (row.value, row.revision) == stored[row.model, row.metric]
    assert set(zip(frame.metric, frame.unit, frame.better, strict=True)) == {
        ("accuracy", "%", "higher"),
        ("throughput", "examples/s", "higher"),
        ("memory", "GB", "lower"),
        ("robustness", "%", "higher"),
    }
    assert set(frame.provenance) == {"measured"}
    assert frame.ranked.all()


def test_the_wide_frame_has_a_row_for_each_model(board: OpenBoard) -> None:
    """Columns name dataset, metric and unit; the numbers are those of the long frame."""
    wide, long = board.to_pandas("wide"), board.to_pandas()
    assert list(wide.columns) == [
        "label",
        "sentences/accuracy (%)",
        "sentences/provenance",
        "sentences/throughput (examples/s)",
        "sentences/memory (GB)",
        "sentences/robustness (%)",
    ]
    assert wide.loc["vader", "label"] == "VADER"
    for row in long.itertuples():
        assert wide.loc[row.model, f"sentences/{row.metric} ({row.unit})"] == row.value


def test_a_reported_number_says_by_whom() -> None:
    """Provenance and source of each number are in its row, and a missing number has a row too."""
    frame = Leaderboard.open(ROOT / "board.toml").board("xquad-en").to_pandas()
    other = Leaderboard.open(ROOT / "board.toml").board("sentiment").to_pandas()
    assert set(frame.provenance) == {"measured", "predictions"}
    assert set(other.provenance) == {"reported"}
    assert other.source.str.startswith("Ma et al. 2021").all()
    missing = frame[frame.value.isna()]
    assert len(missing) > 0
    assert not missing.ranked.any()


def test_a_ranking_s_frame_has_ranks_sets_scores_and_units(board: OpenBoard) -> None:
    """By rank, whole numbers as such, and a missing rank is missing, not 0."""
    ranking = board.rank(limits={"memory": (None, 0.1)})
    frame = ranking.to_pandas()
    assert list(frame.index) == [row.model for row in ranking]
    assert frame["rank"].dtype == frame["best_rank"].dtype == "Int64"
    assert frame["rank"].isna().sum() == 3
    for row in ranking:
        told = frame.loc[row.model]
        assert told["memory (GB)"] == row.values["memory"]
        if row.rank is not None:
            assert (told["rank"], told["dynascore"]) == (row.rank, row.dynascore)
            assert (told["best_rank"], told["worst_rank"]) == ranking.rank_sets[row.model]
            points = (told[f"points/{metric}"] for metric in METRICS)
            assert math.fsum(points) == pytest.approx(row.dynascore)
    assert set(frame[frame["rank"].isna()].rank_set_unknown) == {"not ranked"}


def test_a_table_says_what_trades_for_what_and_what_is_in_doubt(board: OpenBoard) -> None:
    """Under the models are the exchange rates, the notes of the ranking, and every suspect timing."""
    ranking = board.rank()
    rates = {name: rate["rate"] for name, rate in printed()["exchange_rates"].items()}
    assert ranking.exchange_rates == rates
    page = Markup()
    page.feed(ranking._repr_html_())
    assert (
        f"Exchange rates for 1 unit of Accuracy: Throughput {rates['throughput']:.4f} examples/s,"
        in page.text
    )
    assert all(note in page.text for note in printed()["notes"])
    assert "fastText: throughput and memory on sentences: its timing is suspect" in page.text
    alone = board.rank({"accuracy": 1}, dataset_weights={"sentences": 0})
    assert "Exchange rates" not in alone._repr_html_()
    assert "there is nothing to rank by" in alone._repr_html_()


def test_a_comparison_is_that_of_the_rank_sets(board: OpenBoard) -> None:
    """Difference, interval, counts and whether the pair is told apart; the other way round, all of it turned."""
    ranking = board.rank()
    separated = {tuple(pair) for pair in ranking.to_dict()["separated"]}
    for first in board.models:
        for second in board.models:
            found, turned = ranking.compare(first, second), ranking.compare(second, first)
            assert found.difference == -turned.difference
            if first == second:
                assert found.difference == 0
                continue
            assert found.interval is not None
            assert turned.interval is not None
            assert found.interval == pytest.approx((-turned.interval[1], -turned.interval[0]))
            assert found.separated is bool({(first, second), (second, first)} & separated)
            one = found.to_pandas().loc["accuracy"]
            other = turned.to_pandas().loc["accuracy"]
            assert (one.first_only, one.second_only) == (other.second_only, other.first_only)
    words = {ranking.compare("vader", other).sentence for other in board.models if other != "vader"}
    assert any("tell the two apart, also when" in sentence for sentence in words)
    assert any("do not tell the two apart" in sentence for sentence in words)


def test_a_comparison_of_numbers_without_examples_says_that_it_is_unknown() -> None:
    """No interval and no verdict where only published numbers are known."""
    found = Leaderboard.open(ROOT / "board.toml").board("sentiment").rank().compare("deberta", "roberta")
    assert (found.interval, found.separated) == (None, None)
    assert "is unknown" in found.sentence


def test_the_plot_shows_each_rank_and_its_set(board: OpenBoard) -> None:
    """A dot at the rank, a line over the set, models from the top, and the axes that were given."""
    figure = Figure()
    given_axes = figure.subplots()
    ranking = board.rank(limits={"memory": (None, 0.3)})
    axes = ranking.plot(ax=given_axes)
    assert axes is given_axes
    ranked = [row for row in ranking if row.rank is not None]
    assert [label.get_text() for label in axes.get_yticklabels()] == [board.models[r.model] for r in ranked]
    dots = [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in axes.get_lines()]
    assert dots == [(row.rank, place) for place, row in enumerate(ranked)]
    sets = [tuple(path.vertices[:, 0]) for line in axes.collections for path in line.get_paths()]
    assert sets == [ranking.rank_sets[row.model] for row in ranked]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]


def test_a_rank_without_a_set_is_an_open_dot() -> None:
    """Nothing is drawn that is not known."""
    ranking = Leaderboard.open(ROOT / "board.toml").board("sentiment").rank()
    axes = ranking.plot(Figure().subplots())
    assert not axes.collections
    assert {line.get_markerfacecolor() for line in axes.get_lines()} == {"none"}
    assert len(axes.get_lines()) == len(ranking)


def test_a_folder_opens_by_its_board_file() -> None:
    """As a board's repository is one."""
    assert Leaderboard.open(READABLE.parent).boards == Leaderboard.open(str(READABLE)).boards


class Markup(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, attributes))

    def handle_data(self, data: str) -> None:
        self.text += data


@settings(max_examples=60)
@given(
    name=st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(["<script>x</script>", "$\\x$"])
)
def test_names_are_shown_and_never_obeyed(name: str) -> None:
    """In HTML a name adds no element, and no character that nobody sees; in a plot it is no formula."""
    board = Leaderboard.open(READABLE).board("sentences") if not BOARDS else BOARDS[0]
    BOARDS[:] = [board]
    data = {**board.content.data, "labels": {"models": {"vader": name}, "metrics": {}}}
    content = type(board.content)(**{**vars(board.content), "data": data, "title": name})
    named = OpenBoard(None, content).rank()  # type: ignore[arg-type]
    plain = board.rank()
    shown, usual = Markup(), Markup()
    shown.feed(named._repr_html_() + named.compare("vader", "fasttext")._repr_html_())
    usual.feed(plain._repr_html_() + plain.compare("vader", "fasttext")._repr_html_())
    assert shown.elements == usual.elements
    assert not re.search("[\u0000-\u0009\u200b\u202a-\u202e\u2066-\u2069]", shown.text)
    axes = named.plot(Figure().subplots())
    assert not axes.get_yticklabels()[0].get_parse_math()


#: The board of the test above, read once for all its examples.
BOARDS: list[OpenBoard] = []


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
    with pytest.raises((ValueError, LookupError, StoreError), match=re.escape(message)):
        wrong()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"weights": {"acuracy": 1}},
            "'acuracy': the board has no such metric; it has accuracy, throughput",
        ),
        ({"weights": {"accuracy": -1}}, "accuracy"),
        ({"weights": {"accuracy": math.nan}}, "accuracy"),
        ({"dataset_weights": {"sst": 1}}, "'sst': the board has no such dataset; it has sentences"),
        ({"limits": {"speed": (1, 2)}}, "limits: 'speed' is none of the metrics"),
        ({"limits": {"memory": 0.3}}, "limits: memory: 0.3 is no pair of numbers; give (least, most)"),
        ({"limits": {"memory": ("a", 1)}}, "limits: memory: ('a', 1) is no pair of numbers"),
        ({"by": "elo"}, "by: 'elo' is neither"),
        ({"base": "speed"}, "'speed'"),
        ({"confidence": 1.0}, "confidence: 1.0 is not from 0.5"),
    ],
)
def test_a_question_that_the_board_cannot_answer_is_refused(
    board: OpenBoard, arguments: dict[str, Any], message: str
) -> None:
    """At once, by name and value."""
    with pytest.raises(ValueError, match=re.escape(message)):
        board.rank(**arguments)


def test_comparing_and_reading_names_that_are_not_there(board: OpenBoard) -> None:
    """Unknown models and datasets, models without a rank, and layouts that do not exist."""
    with pytest.raises(NotThereError, match="model: 'vadr' is not there; did you mean vader"):
        board.rank().compare("vader", "vadr")
    with pytest.raises(ValueError, match=r"model: 'bert-small' has no rank here; choose ranked models"):
        board.rank(limits={"memory": (None, 0.1)}).compare("vader", "bert-small")
    with pytest.raises(NotThereError, match="model: 'gpt' is not there"):
        board.predictions("gpt", "sentences")
    with pytest.raises(NotThereError, match="dataset: 'sst-2' is not there"):
        board.predictions("vader", "sst-2")
    with pytest.raises(ValueError, match="layout: 'tall' is neither 'long' nor 'wide'"):
        board.to_pandas("tall")  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="keeps no predictions"):
        Leaderboard.open(ROOT / "board.toml").board("sentiment").predictions("bert", "dynaboard-sentiment")


def test_predictions_are_those_that_are_stored(board: OpenBoard) -> None:
    """In the dataset's order, with right answers and texts where they may be published."""
    frame = board.predictions("vader", "sentences").to_pandas()
    store = Store(ROOT / "results")
    result = store.find("sentiment", "sentences", "vader")
    assert result is not None
    kept = store.predictions(result)
    assert [kept.labels.index(label) for label in frame.predicted] == list(kept.predicted or ())
    assert 100 * frame.correct.mean() == pytest.approx(result.scores["accuracy"].value)
    assert (frame.correct == (frame.predicted == frame.gold)).all()
    assert frame.id.iloc[0] == "plain-01"
    assert {"text", "tag/kind"} <= set(frame.columns)


def test_answers_in_words_are_complete_with_the_dataset_at_hand() -> None:
    """Quotations of texts that may not be published are missing without it."""
    board = Leaderboard.open(ROOT / "board.toml").board("xquad-en")
    model = next(iter(board.models))
    predictions = board.predictions(model, "xquad-en")
    frame = predictions.to_pandas()
    assert len(frame) == predictions.predictions.examples
    kept = predictions.predictions.answers or ()
    quoting = [pieces is None or not all(isinstance(one, str) for one in pieces) for pieces in kept]
    assert any(quoting)
    assert list(frame.answer.isna()) == quoting


def test_importing_the_package_imports_nothing_heavy() -> None:
    """Neither pandas nor NumPy nor Pydantic nor the notebook's modules, before a name is asked for."""
    program = (
        "import sys, evaluator; before = set(sys.modules); evaluator.Leaderboard\n"
        "print(*sorted(m for m in before if m.split('.')[0] in ('pandas', 'numpy', 'pydantic', 'matplotlib')"
        " or m.startswith('evaluator.')))\n"
        "print(*sorted({'pandas', 'matplotlib', 'evaluator.models', 'evaluator.worker', 'torch'} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "\n\n"


def test_no_command_imports_the_notebook_s_packages() -> None:
    """The help and a ranking of a board do without pandas, matplotlib and `evaluator.notebook`."""
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


def test_without_pandas_a_ranking_is_still_there() -> None:
    """Only frames and plots need the extra, and say how to get it."""
    program = (
        "import sys; sys.modules['pandas'] = sys.modules['matplotlib'] = None\n"
        "import evaluator\n"
        "ranking = evaluator.Leaderboard.open('examples/readable/board.toml').board('sentences').rank()\n"
        "assert 'VADER' in ranking._repr_html_() and 'vader' in repr(ranking)\n"
        "for make in (ranking.to_pandas, ranking.plot):\n"
        "    try: make()\n"
        "    except ImportError as error: print(str(error).partition(':')[0], str(error).rpartition('; ')[2])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ},
    )
    fix = "pip install 'steelyard[notebook]'"
    assert done.stdout.splitlines() == [f"pandas {fix}", f"matplotlib {fix}"]


def test_the_package_offers_its_names() -> None:
    """Completion sees them, each is there, and another name is an error as of any module."""
    for name in evaluator.__all__:
        assert name in dir(evaluator)
        assert getattr(evaluator, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'leaderboard'"):
        _ = evaluator.leaderboard
    assert pandas.__version__
