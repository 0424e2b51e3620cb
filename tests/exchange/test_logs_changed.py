"""Whatever is changed in a log, it gives a clear error or the same numbers."""

from __future__ import annotations

import copy
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from interchange_world import tree
from logs_world import REAL, imported, lighteval_folder, only, write_board
from pyarrow import parquet

from evaluator.data.datasets import read_dataset
from evaluator.exchange.logs import inspect_ai
from evaluator.records.board import load_boards
from evaluator.records.errors import UserError
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.examples import dataset_source
from evaluator.score.scores import values_by_example

pytestmark = pytest.mark.slow

HARNESS = next((REAL / "lm-eval").glob("results_*.json")).name
#: What may stand in the place of a value.
ODD = [None, True, -1, 0, 1, 7, 0.5, float("nan"), 10**400, "", "B", "1", "\udcff", [], {}, [[]], {"a": 1}]


def harness_parts() -> dict[str, Any]:
    samples = next((REAL / "lm-eval").glob("samples_meals_*")).read_text().splitlines()
    return {
        "log": json.loads((REAL / "lm-eval" / HARNESS).read_text()),
        "rows": [json.loads(row) for row in samples],
    }


def write_harness(folder: Path, parts: dict[str, Any]) -> Path:
    (folder / HARNESS).write_text(json.dumps(parts["log"]))
    name = HARNESS.replace("results_", "samples_meals_").replace(".json", ".jsonl")
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in parts["rows"]))
    return folder / HARNESS


def helm_parts() -> dict[str, Any]:
    return {path.name: json.loads(path.read_text()) for path in (REAL / "helm").iterdir()}


def write_helm(folder: Path, parts: dict[str, Any]) -> Path:
    for name, part in parts.items():
        (folder / name).write_text(json.dumps(part))
    return folder


def inspect_parts() -> dict[str, Any]:
    return {"log": json.loads((REAL / "inspect" / "mood.json").read_text())}


def write_inspect(folder: Path, parts: dict[str, Any]) -> Path:
    (folder / "mood.json").write_text(json.dumps(parts["log"]))
    return folder / "mood.json"


def eval_parts() -> dict[str, Any]:
    path = REAL / "inspect" / "adding.eval"
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name == "header.json" or name.startswith("samples/")]
        return {name: json.loads(inspect_ai.part(path, archive, content, name)) for name in names}


def write_eval(folder: Path, parts: dict[str, Any]) -> Path:
    with zipfile.ZipFile(folder / "adding.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, json.dumps(part))
    return folder / "adding.eval"


def lighteval_parts() -> dict[str, Any]:
    [results] = (REAL / "lighteval").glob("results_*.json")
    rows = parquet.read_table(REAL / "lighteval" / "details.parquet").to_pylist()
    return {"log": json.loads(results.read_text()), "rows": rows}


def write_lighteval(folder: Path, parts: dict[str, Any]) -> Path:
    details = folder / "details.parquet"
    try:
        parquet.write_table(pyarrow.Table.from_pylist(parts["rows"]), details)
    except (pyarrow.ArrowException, OverflowError, UnicodeEncodeError, TypeError, AttributeError):
        reject()  # Parquet has one type a column.
    path = lighteval_folder(folder, details)
    path.write_text(json.dumps(parts["log"]))
    return path


LOGS: dict[str, tuple[Callable[[], Any], Callable[[Path, Any], Path], dict[str, Any]]] = {
    "lm-eval": (harness_parts, write_harness, {"tasks": {"meals": "meals"}, "metrics": {"acc": "accuracy"}}),
    "helm": (
        helm_parts,
        write_helm,
        {"tasks": {"meals": "meals"}, "metrics": {"exact_match,test": "accuracy"}},
    ),
    "lighteval": (lighteval_parts, write_lighteval, {"tasks": {"meals|0": "meals"}}),
    "inspect-json": (inspect_parts, write_inspect, {"tasks": {"mood": "meals"}}),
    "inspect-eval": (
        eval_parts,
        write_eval,
        {"tasks": {"adding": "sums"}, "metrics": {"accuracy": "exact-match"}},
    ),
}


def changed(value: Any, random: Random) -> None:
    """Change one thing somewhere below a list or an object: another value, a copy of another part, or none."""
    while True:
        place = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
        below = value[place]
        if not isinstance(below, dict | list) or not below or random.random() < 0.1:
            break
        value = below
    act = random.choice(["remove", "odd", "odd", "other"])
    if act == "remove":
        del value[place]
    elif act == "odd":
        value[place] = random.choice(ODD)
    else:
        others = list(value.values()) if isinstance(value, dict) else value
        value[place] = copy.deepcopy(random.choice(others))


@pytest.fixture(params=sorted(LOGS))
def log(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A board whose data is made of one of the logs, which was imported as it is."""
    write_board(tmp_path)
    (tmp_path / "log").mkdir()
    parts, write, asked_for = LOGS[request.param]
    imported(tmp_path, write(tmp_path / "log", parts()), **asked_for)
    (tmp_path / "results").rename(tmp_path / "whole")
    return tmp_path, request.param


@given(random=st.randoms(use_true_random=False))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
def test_a_changed_log_gives_an_error_or_the_same_numbers(log: tuple[Path, str], random: Random) -> None:
    """No change of one value makes another example right, and a refused log leaves nothing behind."""
    folder, name = log
    read, write, asked_for = LOGS[name]
    parts = read()
    changed(parts[random.choice(sorted(parts))], random)
    shutil.rmtree(folder / "log")
    shutil.rmtree(folder / "results", ignore_errors=True)
    (folder / "log").mkdir()
    path = write(folder / "log", parts)
    before = tree(folder)
    done, said = attempted(folder, path, asked_for)
    if done is None:
        assert str(folder) in said or "--" in said
        assert tree(folder) == before
        return
    whole = Store(folder / "whole").find(done.task, done.dataset.id, "mine")
    assert whole is not None
    [metric] = asked_for.get("metrics", {"": "accuracy"}).values()
    assert done.scores[metric] == whole.scores[metric]
    assert right(folder, "results", done, metric) == right(folder, "whole", whole, metric)


def right(folder: Path, results: str, result: Result, metric: str) -> list[float]:
    """What the stored answer to each example is worth."""
    spec = load_boards(folder / "board.toml").dataset(result.dataset.id)
    dataset = read_dataset(dataset_source(spec, folder / "data"))
    predictions = Store(folder / results).predictions(result)
    return values_by_example(dataset, predictions, [metric])[metric].tolist()


def test_a_log_whose_end_is_missing_is_refused(log: tuple[Path, str]) -> None:
    """Wherever one of its files ends too soon, examples that were in it are not left out in silence."""
    folder, name = log
    read, write, asked_for = LOGS[name]
    shutil.rmtree(folder / "log")
    (folder / "log").mkdir()
    path = write(folder / "log", read())
    used = [one for one in sorted((folder / "log").rglob("*.*")) if one.is_file() and one.stem != "details"]
    for file in used:
        content = file.read_bytes()
        ends = {0, 1, len(content) // 2, content.rstrip().rfind(b"\n") + 1, len(content) - 2}
        for end in ends:
            file.write_bytes(content[:end])
            done, said = attempted(folder, path, asked_for)
            assert done is None, f"{file.name} cut at {end} of {len(content)} bytes"
            assert str(folder) in said or "--" in said
            assert not (folder / "results").exists()
        file.write_bytes(content)


def attempted(folder: Path, path: Path, asked_for: dict[str, Any]) -> tuple[Result | None, str]:
    """The result of an import, or none and what the error says."""
    try:
        return only(imported(folder, path, **asked_for)).result, ""
    except UserError as error:
        return None, str(error)


@given(random=st.randoms(use_true_random=False))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_changed_log_without_examples_gives_an_error_or_its_own_number(
    tmp_path: Path, random: Random
) -> None:
    """What is stored of MTEB is the number of the task that was asked for, in per cent."""
    write_board(tmp_path)
    shutil.rmtree(tmp_path / "results", ignore_errors=True)
    document = json.loads((REAL / "mteb" / "Meals.json").read_text())
    changed(document, random)
    path = tmp_path / "Meals.json"
    path.write_text(json.dumps(document))
    done, said = attempted(tmp_path, path, {"tasks": {"Meals": "elsewhere"}, "write_data": False})
    if done is None:
        assert str(path) in said
        assert not (tmp_path / "results").exists()
        return
    [[entry]] = document["scores"].values()
    assert done.scores["accuracy"].value == pytest.approx(100 * entry["accuracy"])


def test_a_broken_archive_is_refused(tmp_path: Path) -> None:
    """Bytes of an .eval that are changed are seen by its checksums, wherever they are."""
    write_board(tmp_path)
    content = (REAL / "inspect" / "adding.eval").read_bytes()
    path = tmp_path / "broken.eval"
    *_, asked_for = LOGS["inspect-eval"]
    path.write_bytes(content)
    whole = only(imported(tmp_path, path, **asked_for)).result
    for place in Random(3).sample(range(4, len(content)), 40):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        shutil.rmtree(tmp_path / "results", ignore_errors=True)
        done, said = attempted(tmp_path, path, asked_for)
        if done is None:
            assert str(path) in said
        else:
            assert (done.scores, done.predictions) == (whole.scores, whole.predictions)
