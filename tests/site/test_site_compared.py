"""A board beside other results: the numbers of models that both have, their ratios and orders."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.records.board import assemble, load_boards
from evaluator.records.errors import UserError
from evaluator.records.references import DatasetRef, ModelRef, Source
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.certainty import spearman
from site_src.generator.build import build
from site_src.generator.pages.board import BoardView, board_view

BOARD = """
title = "T"

[[datasets]]
id = "ours"
label = "Ours"
task = "sentiment"

[[datasets]]
id = "theirs"
label = "<i>Theirs</i>"
task = "nli"

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "throughput"
datasets = ["ours"]
metrics = [
  { name = "throughput", label = "Throughput", unit = "examples/s" },
  { name = "memory", label = "Memory", unit = "GB", direction = "lower", cap = 8.0 },
]
compare_with = [{ dataset = "theirs", models = { a = "one", b = "two", c = "three", d = "absent" } }]
"""
OURS = {"a": (8.0, 1.0), "b": (4.0, 2.0), "c": (2.0, 3.0), "d": (1.0, 4.0)}
THEIRS = {"one": (16.0, 1.0), "two": (4.0, 4.0), "three": (8.0, None)}


def result(task: str, dataset: str, model: str, values: tuple[float, float | None], **more: Any) -> Result:
    units = zip(("throughput", "memory"), ("examples/s", "GB"), values, strict=True)
    return Result(
        task=task,
        model=ModelRef(id=model, label=f"{model} & <b>co</b>"),
        dataset=DatasetRef(id=dataset),
        provenance="reported",
        scores={name: Score(value=v, unit=unit, version="1") for name, unit, v in units if v is not None},
        source=Source(citation=f"{dataset} et al.", **more),
        created="2026-11-21T00:00:00Z",
        tool="test",
    )


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A board file and the results of four models here and three there."""
    (tmp_path / "board.toml").write_text(BOARD)
    store = Store(tmp_path / "results")
    for model, values in OURS.items():
        store.save(result("sentiment", "ours", model, values))
    for model, values in THEIRS.items():
        store.save(result("nli", "theirs", model, values, note="as printed"))
    return tmp_path


def view_of(world: Path) -> BoardView:
    boards, results = load_boards(world / "board.toml"), [*Store(world / "results").results()]
    return board_view(assemble(boards.boards[0], boards, results), boards, results=results)


def test_numbers_ratios_and_correlations_are_of_the_models_that_both_have(world: Path) -> None:
    """A number that one side lacks leaves a gap, which counts in neither; others' models stay away."""
    (table,) = view_of(world).compared
    assert [here for here, _ in table.labels] == [f"{name} & <b>co</b>" for name in "abc"]
    throughput, memory = table.columns
    assert [(pair.here, pair.there, pair.ratio) for pair in throughput.known] == [
        (8.0, 16.0, 0.5),
        (4.0, 4.0, 1.0),
        (2.0, 8.0, 0.25),
    ]
    assert (throughput.ratio, throughput.correlation) == (0.5, 0.5)
    assert [pair and pair.ratio for pair in memory.pairs] == [1.0, 0.5, None]
    assert (memory.ratio, memory.correlation) == (0.75, 1.0)


def test_the_page_shows_the_table_and_escapes_names(world: Path) -> None:
    """Names of models, datasets and sources are data."""
    build(world / "board.toml", world / "results", world / "build")
    page = " ".join((world / "build" / "b" / "index.html").read_text(encoding="utf-8").split())
    section = re.search(r'<section aria-labelledby="compared-title".*?</section>', page)
    assert section is not None
    words = " ".join(re.sub(r"<[^>]*>", " ", section[0]).split())
    assert "&lt;i&gt;Theirs&lt;/i&gt;" in words
    assert (
        "a &amp; &lt;b&gt;co&lt;/b&gt; there one &amp; &lt;b&gt;co&lt;/b&gt; 8.00 16.00 0.500 1.00 1.00 1.000"
        in words
    )
    assert "Reported: theirs et al. , as printed ." in words
    assert "Median ratio 0.500 0.750" in words
    assert "Rank correlation 0.50 1.00" in words


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ('compare_with = [{ dataset = "there", models = { a = "b" } }]', "'there' is none of ours, theirs"),
        ('compare_with = [{ dataset = "theirs", models = {} }]', "must not be empty"),
    ],
)
def test_a_mistake_in_the_board_file_is_named(world: Path, wrong: str, message: str) -> None:
    """The dataset must exist, and a model must be named."""
    text = re.sub("^compare_with = .*$", wrong, BOARD, flags=re.MULTILINE)
    (world / "board.toml").write_text(text)
    with pytest.raises(UserError, match=message):
        load_boards(world / "board.toml")


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(-3, 3), st.floats(-9, 9)), max_size=9))
def test_the_rank_correlation_is_that_of_scipy(pairs: list[tuple[int, float]]) -> None:
    """Ties share the mean of their ranks; without a spread there is none."""
    from scipy import stats

    first, second = [float(x) for x, _ in pairs], [y for _, y in pairs]
    found = spearman(first, second)
    if len(set(first)) < 2 or len(set(second)) < 2:
        assert found is None
    else:
        assert found == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-12)
