"""What a notebook shows: frames with units and provenance, comparisons, plots and tables of hostile names."""

from __future__ import annotations

import json
import math
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from evaluator import Leaderboard, OpenBoard, results_frame
from evaluator.rank.dynascore import Board
from evaluator.records.errors import UserError
from evaluator.records.store import Store

ROOT = Path(__file__).parents[2]
READABLE = ROOT / "examples" / "readable" / "board.toml"
#: Those of the board: the first one ranks, and the other is shown beside it.
DATASETS = ("sentences", "written-to-fool-r1")
METRICS = ("accuracy", "throughput", "memory", "robustness")


def test_the_long_frame_has_a_row_for_each_model_dataset_and_metric(board: OpenBoard) -> None:
    """With unit, direction and provenance beside each number, which is the stored one."""
    frame = board.to_pandas()
    assert list(frame.columns) == [
        "board", "dataset", "model", "label", "metric", "value", "unit", "better", "ranked", "provenance",
        "source", "revision",
    ]  # fmt: skip
    assert len(frame) == len(DATASETS) * len(board.models) * len(board.metrics) == 64
    stored = {
        (dataset, result.model.id, name): (score.value, result.dataset.revision)
        for dataset in DATASETS
        for result in Store(ROOT / "results").results_on("sentiment", dataset)
        for name, score in result.scores.items()
    }
    for row in frame[frame.value.notna()].itertuples():
        assert (row.value, row.revision) == stored.pop((row.dataset, row.model, row.metric))
    assert not [left for left in stored if left[2] in set(frame.metric) and left[1] != "human"]
    assert set(zip(frame.metric, frame.unit, frame.better, strict=True)) == {
        ("accuracy", "%", "higher"),
        ("throughput", "examples/s", "higher"),
        ("memory", "GB", "lower"),
        ("robustness", "%", "higher"),
    }
    wide = board.to_pandas("wide")
    for row in frame[frame.value.notna()].itertuples():
        assert wide.loc[row.model, f"{row.dataset}/{row.metric} ({row.unit})"] == row.value
    assert wide.loc["vader", "label"] == "VADER"
    assert set(frame[frame.value.notna()].provenance) == {"measured"}
    assert set(frame[frame.ranked].dataset) == {"sentences"}
    assert frame[frame.dataset == "sentences"].ranked.all()


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
    assert frame["rank"].isna().sum() == 5
    for row in ranking:
        told = frame.loc[row.model]
        assert told["memory (GB)"] == row.values["memory"]
        if row.rank is not None:
            assert (told["rank"], told["dynascore"]) == (row.rank, row.dynascore)
            assert (told["best_rank"], told["worst_rank"]) == ranking.rank_sets[row.model]
            points = (told[f"points/{metric}"] for metric in METRICS)
            assert math.fsum(points) == pytest.approx(row.dynascore)
    assert set(frame[frame["rank"].isna()].rank_set_unknown) == {"not ranked"}


def test_a_table_says_what_trades_for_what(board: OpenBoard) -> None:
    """Under the models are the exchange rates and the notes of the ranking."""
    ranking = board.rank()
    expected = Board.from_dict(board.data).rank(board.weights, board.dataset_weights)
    rates = {name: rate.rate for name, rate in expected.exchange_rates.items()}
    assert ranking.exchange_rates == rates
    page = Markup()
    page.feed(ranking._repr_html_())
    assert (
        f"Exchange rates for 1 unit of Accuracy: Throughput {rates['throughput']:.4f} examples/s,"
        in page.text
    )
    assert all(note in page.text for note in expected.notes)
    alone = board.rank({"accuracy": 1}, dataset_weights={"sentences": 0})
    assert "Exchange rates" not in alone._repr_html_()
    assert "there is nothing to rank by" in alone._repr_html_()


def test_a_table_names_every_timing_that_is_in_doubt(tmp_path: Path) -> None:
    """Under the models too."""
    results = tmp_path / "results"
    shutil.copytree(ROOT / "results" / "sentiment", results / "sentiment")
    file = results / "sentiment" / "sentences" / "fasttext.json"
    result = json.loads(file.read_text(encoding="utf-8"))
    result["measurement"]["noise"] |= {"verdict": "suspect", "reasons": ["it was slow"]}
    file.write_text(json.dumps(result), encoding="utf-8")
    page = Markup()
    page.feed(Leaderboard.open(READABLE, results=results).board("sentences").rank()._repr_html_())
    assert "fastText: throughput on sentences: its timing is suspect" in page.text


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
    assert len(axes.get_lines()) == len(list(ranking))


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


@given(
    name=st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(["<script>x</script>", "$\\x$"])
)
def test_names_are_shown_and_never_obeyed(board: OpenBoard, name: str) -> None:
    """In HTML a name adds no element, and no character that nobody sees; in a plot it is no formula."""
    data = {**board.data, "labels": {"models": {"vader": name}, "metrics": {}}}
    named = replace(board, data=data, title=name).rank()
    plain = board.rank()
    shown, usual = Markup(), Markup()
    shown.feed(named._repr_html_() + named.compare("vader", "fasttext")._repr_html_())
    usual.feed(plain._repr_html_() + plain.compare("vader", "fasttext")._repr_html_())
    assert shown.elements == usual.elements
    assert not re.search("[\u0000-\u0009\u200b\u202a-\u202e\u2066-\u2069]", shown.text)
    axes = named.plot(Figure().subplots())
    assert not axes.get_yticklabels()[0].get_parse_math()


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


def test_answers_that_quote_unpublished_texts_are_missing() -> None:
    """Only those that stand by themselves are in the frame without the dataset's file."""
    board = Leaderboard.open(ROOT / "board.toml").board("xquad-en")
    model = next(iter(board.models))
    predictions = board.predictions(model, "xquad-en")
    frame = predictions.to_pandas()
    assert len(frame) == predictions.predictions.examples
    kept = predictions.predictions.answers or ()
    quoting = [pieces is None or not all(isinstance(one, str) for one in pieces) for pieces in kept]
    assert any(quoting)
    assert list(frame.answer.isna()) == quoting


def test_every_number_of_every_result_is_in_the_frame() -> None:
    """Value, unit, version and provenance are those of the file that the row names."""
    frame = results_frame(ROOT / "results")
    stored = [(path, Store(ROOT / "results").load(path)) for path in Store(ROOT / "results").paths()]
    assert len(frame) == sum(max(1, len(result.scores)) for _, result in stored)
    rows = {(row.file, row.metric): row for row in frame.itertuples()}
    for path, result in stored:
        for name, score in result.scores.items():
            row = rows[str(path), name]
            assert (row.value, row.unit, row.version) == (score.value, score.unit, score.version)
            assert (row.task, row.dataset, row.model) == (result.task, result.dataset.id, result.model.id)
            assert (row.provenance, row.status) == (result.provenance, result.status)
    assert set(frame.provenance) >= {"measured", "predictions", "reported"}
    assert isinstance(frame.created.dtype, pandas.DatetimeTZDtype)


def test_a_failed_result_has_a_row_without_a_number(tmp_path: Path) -> None:
    """It is not dropped in silence."""
    document = json.loads((ROOT / "results" / "sentiment" / "sst-2" / "vader.json").read_bytes())
    document |= {"status": "failed", "scores": {}, "suites": {}, "tags": {}}
    document = {name: value for name, value in document.items() if name not in ("predictions", "measurement")}
    path = tmp_path / "sentiment" / "sst-2" / "vader.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    [row] = results_frame(tmp_path).itertuples()
    assert (row.model, row.status, row.file) == ("vader", "failed", str(path))
    assert pandas.isna(row.metric)
    assert pandas.isna(row.value)


def test_a_folder_without_results_is_an_error(tmp_path: Path) -> None:
    """A wrong path is more frequent than a board without any."""
    with pytest.raises(UserError, match=r"has no results \(TASK/DATASET/MODEL.json\); give the folder"):
        results_frame(tmp_path)


def test_a_notebook_ranks_by_trade_offs(board: OpenBoard) -> None:
    """The same as `steelyard rank --trade`; amounts may be in another unit, and weights play no part."""
    ranking = board.rank(trades={"memory": "100 MB", "throughput": "20 %"})
    expected = Board.from_dict(board.data).rank(
        None, board.dataset_weights, by="trades", trades={"memory": 0.1, "throughput": "20 %"}
    )
    assert ranking.ranking == expected
    assert ranking.to_dict()["trades"] == {"throughput": "20 %", "memory": 0.1}
    assert all(ranking.rank_sets.values())
    page = ranking._repr_html_()
    assert "1 point of Accuracy is worth 20 % of Throughput and 0.1 GB of Memory" in page
    assert "Exchange rates for" not in page
    compared = ranking.compare("vader", "fasttext")
    scores = ranking.to_pandas()["dynascore"]
    assert compared.difference == pytest.approx(scores["vader"] - scores["fasttext"])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"trades": {"memory": "10 s"}}, "trades: memory: '10 s' is in 's', the metric in GB"),
        (
            {"trades": {"memory": 1.0}, "weights": {"accuracy": 1.0}},
            "weights: of metrics they play no part by",
        ),
        ({"trades": {"memory": 1.0}, "by": "mean"}, "trades: they play no part by 'mean'"),
        ({"by": "trades"}, "by: no trade-offs are declared; give some"),
        ({"trades": {"memry": 1.0}}, "'memry' is not there; did you mean memory"),
    ],
)
def test_trade_offs_that_cannot_be_are_said_in_a_notebook(board: OpenBoard, asked: dict, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        board.rank(**asked)
