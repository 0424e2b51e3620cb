"""Metrics that say nearly the same are flagged, as together they count twice."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page, expect
from site_sample import write_crowd
from site_server import served

from evaluator.records.board import MetricSpec
from site_src.generator.build import build
from site_src.generator.sections import correlation, overlaps
from site_src.generator.table import ShownColumn

numbers = st.floats(-1e6, 1e6)


def column(name: str, direction: str = "higher") -> ShownColumn:
    cap = {"cap": "max"} if direction == "lower" else {}
    return ShownColumn(MetricSpec(name=name, label=name, unit="", direction=direction, **cap), 0)


@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=20))
def test_a_correlation_is_between_minus_one_and_one_and_has_no_sides(
    pairs: list[tuple[float, float]],
) -> None:
    """Both metrics are alike, and turning one round turns the sign."""
    found = correlation(pairs)
    assert -1 - 1e-9 <= found <= 1 + 1e-9
    assert correlation([(b, a) for a, b in pairs]) == pytest.approx(found, abs=1e-9)
    assert correlation([(a, -b) for a, b in pairs]) == pytest.approx(-found, abs=1e-9)


@given(
    st.lists(st.integers(-1000, 1000), min_size=4, max_size=20, unique=True),
    st.floats(0.01, 100),
    st.floats(-5, 5),
)
def test_a_metric_and_the_same_in_another_unit_overlap(values: list[int], scale: float, shift: float) -> None:
    """Also where of one of them less is better; a missing value leaves its model out."""
    rows: list[list[float | None]] = [[value, scale * value + shift, -value] for value in values]
    rows.append([None, None, 7.0])
    found = overlaps([column("a"), column("b"), column("c", "lower")], rows)
    assert [(pair.one.name, pair.other.name) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_three_models_or_unlike_metrics_say_nothing() -> None:
    """Of three models any two metrics may correlate."""
    assert not overlaps([column("a"), column("b")], [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    chance = random.Random(1)
    unlike = [[chance.random(), chance.random()] for _ in range(50)]
    assert not overlaps([column("a"), column("b")], list(unlike))


@pytest.mark.slow
def test_the_maintainer_and_the_visitor_are_told(tmp_path: Path, page: Page) -> None:
    """The build warns and says what to do; the board says it in a sentence."""
    boards, results = write_crowd(tmp_path, 6)
    for path in results.rglob("*.json"):
        document = json.loads(path.read_text())
        document["scores"]["fairness"]["value"] = document["scores"]["robustness"]["value"] / 2
        path.write_text(json.dumps(document))
    report = build(boards, results, tmp_path / "build")
    told = "board sentiment: fairness and robustness say nearly the same of its models"
    assert sum(warning.startswith(told) for warning in report.warnings) == 1
    with served(tmp_path / "build") as address:
        page.goto(f"{address}sentiment/")
        expect(page.locator(".relative", has_text="say nearly the same")).to_have_count(len(report.warnings))
