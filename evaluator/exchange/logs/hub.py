"""Reads evaluation results of the Hugging Face Hub, in its three forms.

- A model card, ``README.md``, whose front matter has a ``model-index``: for each model ``results`` with
  ``task``, ``dataset`` (``type``, ``name``, ``config``, ``split``, ``revision``), ``metrics`` (``type``,
  ``value``, ``name``, ``args``) and ``source``.
- ``.eval_results/*.yaml`` in a model's repository: ``dataset`` (``id``, ``task_id``), ``value``, ``source``
  and ``notes``, as https://huggingface.co/docs/hub/eval-results describes it. The model is the repository.
- A leaderboard as the Hub's API gives it: a list of ``modelId`` and ``value``.

Neither of the last two says which metric a value is: it is called ``value`` here. Numbers of the Hub have no
unit, but for those that are exported here (`evaluator.exchange.hub`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped, unused-ignore]

from evaluator.data.nodes import Node
from evaluator.exchange.logs.base import AGAIN, EvaluationLog, LoggedTask
from evaluator.exchange.logs.published import name_if_any, settings_of
from evaluator.records.errors import UserError

TOOL = "Hugging Face Hub"
HOME = "https://huggingface.co"
CARD, FOLDER = "README.md", ".eval_results"
#: How the cache of the Hub calls the folder of a repository.
_CACHED = re.compile(r"models--(.+?)--(.+)")
_FRONT = re.compile(rb"\A---\r?\n(.*?)^---\s*$", re.MULTILINE | re.DOTALL)


def may_be_log(path: Path) -> bool:
    """Whether a file that is no JSON may be one, by its name and place."""
    return path.name == CARD or (path.suffix in (".yaml", ".yml") and path.parent.name == FOLDER)


def is_log(path: Path) -> bool:
    """Whether a file that is no JSON is one: a card has results, and YAML is where the Hub wants it."""
    if path.name != CARD or not path.is_file():
        return may_be_log(path)
    front = _FRONT.search(path.read_bytes())
    return front is not None and b"model-index" in front[1]


def read(path: Path, content: bytes) -> list[EvaluationLog]:
    """The logs in a card or a YAML file; none in a card without results. Raises `UserError`."""
    if path.name != CARD:
        entries = _yaml(path, content).items()
        return [_log(path, _repository(path), dict(_of_entries(entries)))]
    front = _FRONT.search(content)
    if front is None or b"model-index" not in front[1]:
        return []
    models = _yaml(path, front[1]).entries("model-index")
    return [_log(path, name_if_any(one.get("name")), dict(_of_index(one))) for one in models]


def is_leaderboard(value: Any) -> bool:
    """Whether a JSON document is a leaderboard of the Hub's API."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(row, dict) and {"modelId", "value"} <= row.keys() for row in value)
    )


def read_leaderboard(path: Path, whole: Node) -> list[EvaluationLog]:
    """A log for each model of a leaderboard, whose task has the name of the file. Raises `UserError`."""
    return [
        _log(path, row.text("modelId"), {path.stem: LoggedTask(path.stem, {"value": row.at("value")})})
        for row in whole.items()
    ]


def _yaml(path: Path, content: bytes) -> Node:
    try:
        return Node(yaml.safe_load(content), where=str(path))
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        problem = " ".join(str(error).split())[:200]
        raise UserError(path, f"not YAML: {problem}", "give the file as the Hub has it") from None


def _repository(path: Path) -> str | None:
    """The model whose repository a file is in, as a clone or the Hub's cache names its folder."""
    for folder in path.absolute().parent.parents:
        if found := _CACHED.fullmatch(folder.name):
            return f"{found[1]}/{found[2]}"
    return name_if_any(path.absolute().parent.parent.name)


def _log(path: Path, model: str | None, tasks: dict[str, LoggedTask]) -> EvaluationLog:
    if not tasks:
        raise UserError(path, "has no results", AGAIN)
    names = [task.partition("/")[2].partition("#")[2] for task in tasks]
    short = {name: task for name, task in zip(names, tasks, strict=True) if name and names.count(name) == 1}
    return EvaluationLog(
        path=path,
        tool=TOOL,
        home=HOME,
        tasks=tuple(tasks),
        read_task=tasks.__getitem__,
        model=model,
        short=short,
    )


def _of_entries(entries: list[Node]) -> Iterator[tuple[str, LoggedTask]]:
    """The tasks of ``.eval_results``, ``owner/dataset#task``."""
    found: dict[str, list[Node]] = {}
    for entry in entries:
        data = entry.part("dataset")
        name = f"{data.text('id')}#{data.text('task_id')}" if data.has("task_id") else data.text("id")
        found.setdefault(name, []).append(entry)
    for name, several in found.items():
        # A second value of a task, such as one without tools, has its number behind the name.
        keys = ["value", *(f"value,{place}" for place in range(2, len(several) + 1))]
        rows = dict(zip(keys, several, strict=True))
        own = {key: _of_entry(entry) for key, entry in rows.items()}
        yield name, LoggedTask(name, {key: entry.at("value") for key, entry in rows.items()}, own=own)


def _of_entry(entry: Node) -> dict[str, str]:
    found = settings_of(entry.part("dataset"), ["revision"], "dataset") | settings_of(entry, ["notes"])
    return found | settings_of(entry.part("source"), ["url", "name"], "source")


def _of_index(model: Node) -> Iterator[tuple[str, LoggedTask]]:
    """The tasks of a ``model-index``: a dataset, with its subset and split where they are given."""
    found: dict[str, list[Node]] = {}
    for result in model.entries("results"):
        data = result.part("dataset")
        parts = [data.text("type"), data.get("config"), data.get("split")]
        found.setdefault("/".join(part for part in parts if isinstance(part, str) and part), []).append(
            result
        )
    for name, results in found.items():
        values: dict[str, Any] = {}
        own: dict[str, dict[str, str]] = {}
        percents = set()
        for result in results:
            data, source = result.part("dataset"), result.part("source")
            about = settings_of(data, ["revision", "args"], "dataset")
            about |= settings_of(source, ["url", "name"], "source")
            for metric in result.entries("metrics"):
                key = _metric_name(metric)
                if key in values:
                    key = f"{key},{len(values) + 1}"
                values[key] = metric.at("value")
                own[key] = about | settings_of(metric, ["args", "config"])
                if str(metric.get("name")).endswith("(%)"):
                    percents.add(key)
        yield name, LoggedTask(name, values, percents=frozenset(percents), own=own)


def _metric_name(metric: Node) -> str:
    """``macro_f1`` of the type ``f1`` with the average ``macro``."""
    arguments = metric.get("args")
    average = arguments.get("average") if isinstance(arguments, dict) else None
    name = metric.text("type").replace(",", " ")
    return f"{average}_{name}" if average in ("macro", "micro", "weighted") else name
