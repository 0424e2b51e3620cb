"""The text of a small board file: the sentiment dataset `d` in `d.tsv`, the board `b`, models that are folders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evaluator.records.result import Result
from evaluator.records.store import Store

#: By metric, its label and unit.
METRICS = {
    "accuracy": ("Accuracy", "%"),
    "macro-f1": ("Macro-F1", "%"),
    "wsbias-1": ("By difficulty", "%"),
    "robustness": ("Robustness", "%"),
    "throughput": ("Throughput", "examples/s"),
}


def small_board(*metrics: str, dataset: str = "", **tables: Mapping[str, float]) -> str:
    """A board of `metrics`, the first of them the base.

    `dataset` is another line of the dataset; `tables` are others of the file, such as ``measure``.
    """
    shown = [
        f'  {{ name = "{name}", label = "{METRICS[name][0]}", unit = "{METRICS[name][1]}" }},\n'
        for name in metrics
    ]
    return f"""
title = "T"
{"".join(_table(name, fields) for name, fields in tables.items())}
[[datasets]]
id = "d"
label = "D"
task = "sentiment"
path = "d.tsv"
format = "tsv"
columns = {{ statement = 0, label = 1 }}
labels = ["negative", "positive"]
{dataset}

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "{metrics[0]}"
datasets = ["d"]
metrics = [
{"".join(shown)}]
"""


def small_model(id_: str) -> str:
    """A model that is the folder of its id."""
    return f"""
[[models]]
id = "{id_}"
label = "{id_}"
task = "sentiment"
adapter = "handler"
directory = "{id_}"
"""


def _table(name: str, fields: Mapping[str, float]) -> str:
    return f"\n[{name}]\n" + "".join(f"{field} = {value}\n" for field, value in fields.items())


def judged(results: Path, verdict: str, *reasons: str) -> Result:
    """The only result in a store, once its timing has been called `verdict`, for these reasons."""
    store = Store(results)
    [result] = store.results()
    assert result.measurement is not None
    noise = result.measurement.noise.model_copy(update={"verdict": verdict, "reasons": reasons})
    measurement = result.measurement.model_copy(update={"noise": noise})
    store.save(result.model_copy(update={"measurement": measurement}))
    [stored] = store.results()
    return stored


def results_by_model(folder: Path) -> dict[str, Result]:
    """The results in a folder of one dataset."""
    return {one.model.id: one for one in Store(folder / "results").results()}
