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
from evaluator.score.metrics import (
    KINDS,
    METRICS,
    Metric,
    Scored,
    get_metric,
    names_for,
    report,
)
from evaluator.score.metrics import base as module

#: Metrics whose numbers have changed once.
SECOND = {"calibration-error", "precision", "recall", "f1", "token-f1", "exact-match"}


def test_every_metric_is_described() -> None:
    """A metric is registered by its name, fits a task, and has a known unit and a version of its name."""
    assert len(METRICS) > 30
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.label
        assert metric.unit in ("%", "nats", "bits", "")
        assert metric.tasks
        assert set(metric.tasks) <= set(KINDS)
        assert metric.version == f"{name}-{2 if name in SECOND else 1}"
        assert callable(metric.compute[metric.tasks[0]])


def test_names_for_a_task_are_those_that_fit() -> None:
    """Every kind of task has metrics, and each of them scores it."""
    for kind in KINDS:
        names = names_for(kind)
        assert "f1" in names
        assert all(kind in get_metric(name).tasks for name in names)
    assert "bleu" not in names_for("classification")
    with pytest.raises(UserError, match="task: 'poetry' is none of classification, "):
        names_for("poetry")


@pytest.mark.parametrize("task", KINDS)
def test_a_metric_that_does_not_fit_says_so(task: str) -> None:
    """Every metric that does not fit a task is refused by name before anything is read."""
    others = [name for name in METRICS if name not in names_for(task)]
    assert others
    for name in others:
        with pytest.raises(UserError, match=f"{name}: fits .*, not {task}"):
            report(None, None, task, [name])


def length(items: object) -> Scored:
    return Scored(7.0)


LENGTH = Metric("length", "Length", "length-1", {"generation": length}, unit="words")
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
        ([("length", "length")], "does not load: TypeError"),
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
    assert module.package("json", "wer").__name__ == "json"


def test_numpy_alone_is_enough_for_the_rest() -> None:
    """Labels, tags, answers, all BLEUs, chrF and ROUGE-1 and -2 are scored without any extra, and load none."""
    code = """
import sys
for name in ("rapidfuzz", "sacrebleu", "nltk", "sklearn", "scipy", "torch", "rouge_score"):
    sys.modules[name] = None
from evaluator.score.metrics import names_for, report
labels = dict(labels=["x", "y"], probabilities=[[1, 0], [0, 1]], distributions=[[1, 0], [0, 1]], validated=[1, 0])
print(len(report([0, 1], [0, 1], "classification", names_for("classification"), **labels).scores))
print(len(report([["x"], []], [["x", "y"], []], "multi-label", names_for("multi-label")).scores))
print(len(report([["O"]], [["B"]], "sequence-labelling", names_for("sequence-labelling")).scores))
names = ["exact-match", "f1", "precision", "recall", "bleu", "sacrebleu", "chrf", "rouge-1", "rouge-2"]
names += ["google-bleu", "unigram-accuracy"]
print(len(report(["a"], ["a"], "qa", names).scores))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    expected = [len(names_for(kind)) for kind in ("classification", "multi-label", "sequence-labelling")]
    expected.append(11)
    assert list(map(int, done.stdout.split())) == expected, done.stderr


@pytest.mark.parametrize(
    ("predictions", "references", "metrics", "message"),
    [
        (None, ["a"], ["accuracy"], "predictions: a NoneType is no list; give one entry for each"),
        ("ab", ["a", "b"], ["accuracy"], "predictions: a str is no list"),
        (["a"], {"a": 1}, ["accuracy"], "references: a dict is no list"),
        (iter("ab"), ["a", "b"], ["accuracy"], "predictions: a str_ascii_iterator is no list"),
        (["a"], ["a"], "accuracy", "metrics: a str is no list"),
        (["a"], ["a"], [], "metrics: none asked for"),
    ],
)
def test_what_is_no_list_is_named(predictions: Any, references: Any, metrics: Any, message: str) -> None:
    """A text, an object or nothing in the place of a list is an error that says which, not a score."""
    with pytest.raises(UserError, match=message):
        report(predictions, references, "classification", metrics)
