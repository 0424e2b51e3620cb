"""The registry: what fits what, and metrics that packages add."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from evaluator.records.errors import UserError
from evaluator.score.metrics import KINDS, METRICS, Metric, Scored, get_metric, names_for, report


@pytest.mark.parametrize("kind", KINDS)
def test_a_metric_fits_its_kinds_of_task_and_no_other(kind: str) -> None:
    """Every kind has metrics, in known units; the others are refused by name before anything is read."""
    names = names_for(kind)
    assert "f1" in names
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.unit in ("%", "nats", "bits", "")
        assert (kind in metric.tasks) == (name in names)
        if name not in names:
            with pytest.raises(UserError, match=f"{name}: fits .*, not {kind}"):
                report(None, None, kind, [name])
    with pytest.raises(UserError, match="task: 'poetry' is none of classification, "):
        names_for("poetry")


LENGTH = Metric("length", "Length", "length-1", {"generation": lambda items: Scored(7.0)}, unit="words")
INFINITE = Metric("infinite", "Infinite", "infinite-1", {"generation": lambda items: Scored(float("inf"))})


def make() -> Metric:
    return LENGTH


def fail() -> Metric:
    raise RuntimeError("no luck")


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    """Entry points that the registry finds instead of those installed."""
    points: list[EntryPoint] = []
    registry = sys.modules["evaluator.score.metrics.report"]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == registry.GROUP else [])
    registry._plugins.cache_clear()
    yield points
    registry._plugins.cache_clear()


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, f"{__name__}:{value}", "steelyard.metrics")


@pytest.mark.parametrize("value", ["LENGTH", "make"])
def test_a_package_adds_a_metric(plugins: list[EntryPoint], value: str) -> None:
    """A metric, or a function that makes one, is found by name, listed and scored like ours."""
    plugins.append(point("length", value))
    assert get_metric("length") is LENGTH
    assert names_for("generation")[-1] == "length"
    assert report(["a"], ["a"], "generation", ["length", "wer"]).scores["length"].unit == "words"


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([("f1", "LENGTH")], "metric 'f1' of package .*: the name is taken"),
        ([("length", "LENGTH"), ("length", "make")], "metric 'length' of package .*: the name is taken"),
        ([("length", "fail")], "metric 'length' of package .* does not load: RuntimeError: no luck"),
        ([("length", "nowhere")], "does not load: AttributeError"),
        ([("longer", "LENGTH")], "LENGTH is no Metric of that name"),
    ],
)
def test_a_faulty_package_is_named(plugins: list[EntryPoint], points: list, message: str) -> None:
    """A name that is taken and a metric that does not load are errors that say whose."""
    plugins.extend(point(*each) for each in points)
    with pytest.raises(UserError, match=message):
        get_metric("accuracy")


def test_a_metric_may_be_given_itself() -> None:
    """Metrics that need settings are handed over as they are; a value that is not finite is refused."""
    assert report(["a"], ["a"], "generation", [LENGTH]).scores["length"].value == 7.0
    with pytest.raises(UserError, match="infinite: came out as inf"):
        report(["a"], ["a"], "generation", [INFINITE])


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without rapidfuzz, WER says which extra brings it."""
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    with pytest.raises(UserError, match=r"wer: needs rapidfuzz, .*pip install 'steelyard\[metrics\]'"):
        report(["a"], ["a"], "generation", ["wer"])


def test_numpy_alone_is_enough_for_the_rest() -> None:
    """Labels, tags, answers, all BLEUs, chrF and ROUGE-1 and -2 are scored without any extra, and load none."""
    code = """
import sys
for name in ("rapidfuzz", "sacrebleu", "nltk", "sklearn", "scipy", "torch", "rouge_score"):
    sys.modules[name] = None
from evaluator.score.metrics import names_for, report
labels = dict(labels=["x", "y"], probabilities=[[1, 0], [0, 1]], distributions=[[1, 0], [0, 1]], validated=[1, 0])
report([0, 1], [0, 1], "classification", names_for("classification"), **labels)
report([["x"], []], [["x", "y"], []], "multi-label", names_for("multi-label"))
report([["O"]], [["B"]], "sequence-labelling", names_for("sequence-labelling"))
names = ["exact-match", "f1", "precision", "recall", "bleu", "sacrebleu", "chrf", "rouge-1", "rouge-2"]
report(["a"], ["a"], "qa", [*names, "google-bleu", "unigram-accuracy"])
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("predictions", "references", "metrics", "message"),
    [
        (None, ["a"], ["accuracy"], "predictions: a NoneType is no list; give one entry for each"),
        ("ab", ["a", "b"], ["accuracy"], "predictions: a str is no list"),
        (["a"], {"a": 1}, ["accuracy"], "references: a dict is no list"),
        (["a"], ["a"], "accuracy", "metrics: a str is no list"),
        (["a"], ["a"], [], "metrics: none asked for"),
    ],
)
def test_what_is_no_list_is_named(predictions: Any, references: Any, metrics: Any, message: str) -> None:
    """A text, an object or nothing in the place of a list is an error that says which, not a score."""
    with pytest.raises(UserError, match=message):
        report(predictions, references, "classification", metrics)
