"""The tables of a board file for results: datasets, how files are read, and the board.

What is in the file already stays as it is written, comments too: tomlkit sees only the table that changes,
since it would move tables of one name together.
"""

from __future__ import annotations

import itertools
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit

from evaluator.exchange.results.planning import Plan
from evaluator.exchange.results.storing import TASK
from evaluator.records.board import Boards, BoardSpec, MetricSpec, PredictionsSpec, load_boards
from evaluator.records.board.imports import ImportSpec
from evaluator.records.errors import UserError
from evaluator.records.scratch import scratch_folder, write_atomic

_HEAD = re.compile(r"^\[\[?([^\].\s]+)[^\n]*\]", re.MULTILINE)


def import_specs(plan: Plan, data: Path, paths: Sequence[Path]) -> list[ImportSpec]:
    """How the plan's files are read again; paths start at `data`, and a given folder is named whole."""
    found = []
    for one in plan.understood:
        named = _named(one.table.files, paths, len(plan.understood) == 1)
        found.append(one.spec.model_copy(update={"path": tuple(relative(path, data) for path in named)}))
    return found


def known_specs(paths: Sequence[Path], boards: Boards, data: Path) -> list[ImportSpec]:
    """How the board file says that exactly these files are read; none where it does not say it of all."""
    given = {relative(path, data) for path in paths}
    found = [spec for spec in boards.imports if given.issuperset(spec.path)]
    return found if given == {path for spec in found for path in spec.path} else []


def with_predictions(text: str, spec: PredictionsSpec, boards: Boards) -> str:
    """The text of a board file that says how a file of answers is read again."""
    values = spec.model_dump(exclude_defaults=True, exclude_none=True, mode="json")
    table = _table("predictions", values)
    for at, one in enumerate(boards.predictions):
        if (one.path, one.dataset) == (spec.path, spec.dataset):
            start, end = _place(text, "predictions", at)
            return text if one == spec else text[:start] + table + "\n" + text[end:]
    return text.rstrip("\n") + "\n\n" + table


def relative(path: Path, data: Path) -> str:
    return Path(os.path.relpath(path.resolve(), data.resolve())).as_posix()


def _named(files: Sequence[Path], paths: Sequence[Path], is_only: bool) -> Sequence[Path]:
    folders = [path for path in paths if path.is_dir()]
    if len(paths) == 1 and folders and (is_only or len(files) > 1):
        return folders
    return files


def new_tables(plan: Plan, specs: Sequence[ImportSpec], board_id: str, title: str) -> str:
    """The tables of a board of its own."""
    datasets = [_dataset(name) for name in plan.datasets]
    return "\n".join([*datasets, *map(_import, specs), _board(plan, board_id, title)])


def with_plan(text: str, plan: Plan, specs: Sequence[ImportSpec], boards: Boards) -> str:
    """A board file with the plan's tables: those that are there are changed, the others go to its end."""
    known = {dataset.id for dataset in boards.datasets}
    board = _joined(plan, boards)
    added = [_dataset(name) for name in plan.datasets if name not in known]
    for spec in specs:
        places = [at for at, one in enumerate(boards.imports) if one.path == spec.path]
        if not places:
            added.append(_import(spec))
        elif boards.imports[places[0]] != spec:
            start, end = _place(text, "imports", places[0])
            text = text[:start] + _import(spec) + "\n" + text[end:]
    if board is None:
        taken = {one.id for one in boards.boards}
        name = plan.datasets[0] if len(plan.datasets) == 1 else "results"
        others = (f"{name}-{number}" for number in itertools.count(2))
        id_ = next(one for one in itertools.chain([name], others) if one not in taken)
        added.append(_board(plan, id_, _title(id_)))
    else:
        text = with_lists(text, boards.boards.index(board), board, plan.metrics, plan.datasets)
    return "\n".join([text.rstrip("\n") + "\n", *added]) if added else text


def _joined(plan: Plan, boards: Boards) -> BoardSpec | None:
    """The board that the numbers join: one that has a dataset of theirs, else one with all their metrics."""
    scored = [board for board in boards.boards if board.task == TASK]
    for board in scored:
        if set(board.datasets) & set(plan.datasets):
            return board
    names = {metric.name for metric in plan.metrics}
    return next((board for board in scored if names <= {metric.name for metric in board.metrics}), None)


def write_board_file(path: Path, text: str) -> Boards:
    """Replace a board file by one that can be read, if it differs; return it. Raises `UserError`."""
    if path.read_text("utf-8") == text:
        return load_boards(path)
    boards = tried(path, text)
    write_atomic(path, text.encode())
    return boards


def tried(path: Path, text: str) -> Boards:
    """What a board file of this text says, which need not be written yet. Raises `UserError`."""
    with scratch_folder(path) as folder:
        trial = folder / path.name
        trial.write_bytes(text.encode())
        return load_boards(trial)


def _title(id_: str) -> str:
    words = id_.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _dataset(id_: str) -> str:
    return _table("datasets", {"id": id_, "label": _title(id_), "task": TASK})


def _import(spec: ImportSpec) -> str:
    values = spec.model_dump(exclude_defaults=True, exclude_none=True, mode="json")
    if spec.rows != "logs":
        values = {"path": values.pop("path"), "rows": values.pop("rows"), "model": spec.model, **values}
    if len(values["path"]) == 1:
        [values["path"]] = values["path"]
    metrics = values.pop("metrics", {})
    text = _table("imports", values)
    if metrics:
        lines = tomlkit.table()
        for name, column in metrics.items():
            lines[name] = _inline(column)
        text += "\n" + tomlkit.dumps(lines).join(["[imports.metrics]\n", ""])
    return text


def _board(plan: Plan, id_: str, title: str) -> str:
    values: dict[str, Any] = {
        "id": id_,
        "title": title,
        "task": TASK,
        "base": plan.base,
        "datasets": list(plan.datasets),
        "rate": "ratio",
    }
    if plan.split:
        values["split"] = plan.split[0]
    if plan.weights:
        values["weights"] = dict(plan.weights)
    if plan.dataset_weights:
        values["dataset_weights"] = dict(plan.dataset_weights)
    metrics = tomlkit.array().multiline(True)
    for metric in plan.metrics:
        metrics.append(_inline(metric.written))
    return _table("boards", {**values, "metrics": metrics})


def _table(kind: str, values: Mapping[str, Any]) -> str:
    table = tomlkit.table()
    for key, value in values.items():
        table[key] = _inline(value) if isinstance(value, Mapping) else _whole(value)
    tables = tomlkit.aot()
    tables.append(table)
    return tomlkit.dumps({kind: tables})


def _inline(values: Mapping[str, Any]) -> Any:
    inline = tomlkit.inline_table()
    for key, value in values.items():
        inline[key] = _inline(value) if isinstance(value, Mapping) else _whole(value)
    return inline


def _whole(value: Any) -> Any:
    """A float without decimals as a whole number, as people write weights and factors."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _place(text: str, kind: str, number: int) -> tuple[int, int]:
    """Where in a board file a table of a list is, with the tables within it."""
    heads = [(match.start(), match[1]) for match in _HEAD.finditer(text)]
    tops = [at for at, name in heads if name == kind and text.startswith("[[", at)]
    start = tops[number]
    following = [at for at, name in heads if at > start and (name != kind or text.startswith("[[", at))]
    return start, min(following, default=len(text))


def with_lists(
    text: str, number: int, board: BoardSpec, metrics: Sequence[MetricSpec], datasets: Sequence[str] = ()
) -> str:
    """The text of a board file with metrics and datasets at the end of a board's lists; `number` is which."""
    known = {metric.name for metric in board.metrics}
    metrics = [metric for metric in metrics if metric.name not in known]
    datasets = [name for name in datasets if name not in board.datasets]
    if not metrics and not datasets:
        return text
    start, end = _place(text, "boards", number)
    table = tomlkit.parse(text[start:end])
    mine: Any = table["boards"]
    for metric in metrics:
        mine[0]["metrics"].append(_inline(metric.written))
    for name in datasets:
        mine[0]["datasets"].append(name)
    changed = text[:start] + tomlkit.dumps(table) + text[end:]
    whole = tomllib.loads(changed)
    if [one["id"] for one in whole["boards"]] != [one["id"] for one in tomllib.loads(text)["boards"]]:
        raise UserError(
            "board file", f"the table of board {board.id} was not found", "add the metrics by hand"
        )
    return changed
