"""Examples that share a source: they are no independent evidence of how sure a rank is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from small_boards import small_board
from test_covariances import ERRS, GOLD, NAMES, answers, imported, kept, ranked, steelyard

from evaluator.data.datasets import Dataset
from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_sets import Certainty, Sampled
from evaluator.score.covariances import Groups, _pair

#: Rows of one source follow one another.
SOURCES = [f"film {row // 8}" for row in range(len(GOLD))]


def project(folder: Path, cluster: str, *models: str) -> Path:
    (folder / "board.toml").write_text(small_board("accuracy", "macro-f1", dataset=cluster))
    rows = zip(GOLD, SOURCES, strict=True)
    lines = [f"Seen as number {at}\t{NAMES[label]}\t{name}\n" for at, (label, name) in enumerate(rows)]
    (folder / "d.tsv").write_text("".join(lines))
    imported(folder, *models)
    return folder


@pytest.fixture(scope="module")
def clustered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three models on examples of 15 sources; no test changes it."""
    return project(tmp_path_factory.mktemp("clustered"), "cluster = 2", *ERRS)


def variances() -> npt.NDArray[np.float64]:
    """Of the differences of accuracies, by pair: sums of sources, without a bias."""
    right = np.array([np.equal(answers(model), GOLD) for model in sorted(ERRS)], dtype=float) * 100.0
    numbers = np.unique(SOURCES, return_inverse=True)[1]
    found = []
    for i in range(3):
        for j in range(i):
            apart = right[i] - right[j]
            sums = np.bincount(numbers, apart - apart.mean())
            found.append(len(sums) / (len(sums) - 1) * (sums**2).sum() / len(apart) ** 2)
    return np.array(found)


def test_influences_are_summed_by_source(clustered: Path) -> None:
    """The variance of a share of right answers is that of sums of sources, as numpy says it."""
    found = kept(clustered)
    assert (found.examples, found.clusters) == (120, 15)
    [pair] = [one for one in found.pairs if one.first == one.second == "accuracy"]
    assert np.array(pair.parts) * pair.step == pytest.approx(variances(), rel=1e-4)
    assert found.apart["accuracy"] == kept_without(clustered.parent)


def kept_without(folder: Path) -> tuple[int, ...]:
    """The counts of the same answers where every example is on its own."""
    folder = folder / "alone"
    if not folder.exists():
        folder.mkdir()
        project(folder, "", *ERRS)
    found = kept(folder)
    assert (found.clusters, found.sources) == (120, None)
    assert not [one for one in found.pairs if one.first == one.second == "accuracy"]
    return found.apart["accuracy"]


def test_the_command_line_and_a_page_use_the_sources(clustered: Path) -> None:
    """`rank` has other smallest gaps than without, and McNemar's test, which needs single examples, is left out."""
    kept_without(clustered.parent)
    gaps = [ranked(folder)["smallest_gap"] for folder in (clustered, clustered.parent / "alone")]
    assert gaps[0] != gaps[1]
    plain = {
        "examples": 120,
        "clusters": 15,
        "unit": {"a": 100.0},
        "covariances": [["a", "a", 1.0, [1]]],
        "right": {"a": [90, 80]},
        "apart": {"a": [20]},
        "relative": {},
        "unknown": {},
    }
    board = Board(["x", "y"], [RankedMetric("a")], {"d": {"a": [75.0, 66.7]}}, "a")
    for clusters, tested in ((15, set()), (120, {"a"})):
        found = Certainty.from_dict(board, {"d": {**plain, "clusters": clusters}}).compare(
            "x", "y", Question()
        )
        assert (set(found.p_values), found.alone) == (tested, {"a": (15, 5)})


def test_check_derives_them_again_and_names_other_sources(clustered: Path, tmp_path: Path) -> None:
    """Nothing is wrong with what was derived; once the board file names other sources, `check` says so."""
    done = steelyard("check", cwd=clustered)
    assert done.returncode == 0, done.stdout + done.stderr
    folder = project(tmp_path, "cluster = 2", *ERRS)
    board = folder / "board.toml"
    board.write_text(board.read_text().replace("cluster = 2", "cluster = 0"))
    done = steelyard("check", cwd=folder)
    assert done.returncode == 1
    assert "sources: other examples belong together than the data say; run steelyard evaluate" in done.stdout
    assert steelyard("evaluate", cwd=folder).returncode == 0
    assert kept(folder).sources is None
    assert steelyard("check", cwd=folder).returncode == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cluster = 7", "d.tsv:1: cluster: missing: the row lacks column 7; add it or correct columns"),
        ('cluster = "film"', "d: cluster: 'film' is not a column number"),
    ],
)
def test_a_column_that_is_not_there_is_named(tmp_path: Path, line: str, message: str) -> None:
    """An import and `check` say which column, and where."""
    project(tmp_path, line)
    (tmp_path / "one.csv").write_text("id,label\n0,positive\n")
    done = steelyard("import", "one.csv", "--dataset", "d", "--model", "one", cwd=tmp_path)
    assert (done.returncode, message in done.stderr) == (1, True), done.stderr
    done = steelyard("check", cwd=tmp_path)
    assert (done.returncode, message in done.stdout + done.stderr) == (1, True), done.stdout


@pytest.mark.slow
def test_sets_that_ignore_sources_are_too_narrow() -> None:
    """Of equal models on sources of ten alike examples, one in twenty is set apart; without sources far more."""
    chance = np.random.default_rng(5)
    board = Board(["x", "y"], [RankedMetric("a")], {"d": {"a": [2.0, 1.0]}}, "a")
    apart = {True: 0, False: 0}
    for _ in range(400):
        answers_ = np.repeat(chance.integers(0, 2, (2, 40)), 10, axis=1)
        gap = float(100 * (answers_[0].mean() - answers_[1].mean()))
        for by_source in apart:
            numbers = tuple(np.repeat(np.arange(40), 10).tolist()) if by_source else ()
            one = board_of(board, gap)
            found = Certainty(one, {"d": sampled(answers_, numbers)}).sets(Question())
            apart[by_source] += found.sets[0] != (1, 2)
    assert apart[True] <= 0.09 * 400
    assert apart[False] >= 0.3 * 400


def board_of(board: Board, gap: float) -> Board:
    return Board(board.models, list(board.metrics.values()), {"d": {"a": [50.0 + gap, 50.0]}}, "a")


def sampled(right: npt.NDArray[np.int64], numbers: tuple[int, ...]) -> Sampled:
    """How the shares of two models vary, as `derive` finds it."""
    examples = right.shape[1]
    groups = Groups.of(dataset(examples, numbers))
    whole = 100 * (right * examples - right.sum(axis=1, keepdims=True))
    pair = _pair(("a", "a"), {"a": groups.summed(whole, 1.0 / examples)}, groups)
    covariances = {("a", "a"): [part * pair.step for part in pair.parts]}
    return Sampled(examples, groups.count, {"a": 100.0}, covariances, {}, {}, {}, {})


def dataset(examples: int, numbers: tuple[int, ...]) -> Dataset:
    rows = tuple({"id": str(row)} for row in range(examples))
    return Dataset("d", "sentiment", ("x", "y"), rows, ("x",) * examples, "sha256:0", clusters=numbers)


def test_large_sources_do_not_overflow() -> None:
    """Sums of a thousand large influences each still have the variance that the formula gives."""
    chance = np.random.default_rng(1)
    signs = np.repeat(chance.choice([-1, 1], (2, 40)), 1000, axis=1)
    groups = Groups.of(dataset(40_000, tuple(np.repeat(np.arange(40), 1000).tolist())))
    pair = _pair(("a", "a"), {"a": groups.summed(signs << 20, 2.0**-20)}, groups)
    apart = (signs[0] - signs[1]).reshape(40, 1000).sum(axis=1)
    assert pair.parts[0] * pair.step == pytest.approx(40 / 39 * (apart**2).sum() / 40_000**2)
