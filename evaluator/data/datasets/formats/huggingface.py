"""Datasets of the Hugging Face hub, by id, full commit, configuration and split, through `datasets`.

The repository at that commit is taken from the hub's local cache, else fetched; only columns that are
mapped are read, and reach the reader as JSON lines, so that line 1 is the first row of the split. Nested
columns are named with dots (``answers.text``). A class label is written as its name, or as its number
where the label map knows only numbers.
"""

from __future__ import annotations

import importlib
import json
import re
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.data.datasets.formats import generic
from evaluator.data.datasets.formats.base import DatasetSource, Format
from evaluator.data.tasks import ASKED, FieldError, show
from evaluator.records.errors import UserError

PROBE_S = 5.0


def _check(source: DatasetSource) -> None:
    for name in ("dataset", "split", "revision", "config"):
        value = source.options.get(name)
        if value is None and name == "config":
            continue
        if not isinstance(value, str) or not value:
            given = "missing" if value is None else f"{show(value)} is not a string"
            raise FieldError(f"options.{name}", value, given, f"give the {name} as the hub names it")
    revision = source.options["revision"]
    if not re.fullmatch(r"[0-9a-f]{40}", revision):
        problem = f"{show(revision)} does not pin {source.options['dataset']}"
        raise FieldError("options.revision", revision, problem, "give the full 40-digit commit hash")
    if source.sha256 is not None:
        raise FieldError("sha256", source.sha256, "there is no file to pin", "revision pins it: leave it out")
    generic.check_columns(source, "jsonl")


def _fetch(source: DatasetSource) -> bytes:
    """The rows of the split as JSON lines."""
    folder = _snapshot(source)
    # The library's own cache of tables goes by the commit alone, so it would hide a file that has changed.
    with tempfile.TemporaryDirectory() as tables:
        table = _loaded(source, folder, tables).flatten()
        for name, column in source.columns.items():
            if column not in table.column_names:
                fix = f"use one of {', '.join(table.column_names)}"
                raise UserError(f"{source.where}: columns.{name}", f"{show(column)} is not a column", fix)
        return "\n".join(_lines(table, source)).encode()


def _lines(table: Any, source: DatasetSource) -> Iterator[str]:
    classes = {column: _classes(column, table, source) for column in source.columns.values()}
    for number, row in enumerate(table.select_columns(list(classes)), start=1):
        try:
            yield json.dumps({column: _value(row[column], names) for column, names in classes.items()})
        except TypeError as error:
            problem = f"{error}, which is neither text nor a number"
            raise UserError(f"{source.where}:{number}: row", problem, "map other columns") from None


def _classes(column: str | int, table: Any, source: DatasetSource) -> list[str]:
    """The names that stand for the numbers of a column of class labels; [] for any other."""
    names: list[str] = getattr(table.features[column], "names", None) or []
    numbers, known = {str(number) for number in range(len(names))}, set(source.label_map)
    by_number = column == source.columns.get("label") and numbers & known and not set(names) & known
    return [] if by_number else names


def _value(value: Any, classes: list[str]) -> Any:
    """A class by its name; the hub's -1, for no label, and everything else as it is."""
    return classes[value] if classes and isinstance(value, int) and 0 <= value < len(classes) else value


def _loaded(source: DatasetSource, folder: Path, tables: str) -> Any:
    """The split of the configuration, from the files in `folder`; `tables` is for the library to use."""
    options, datasets = source.options, _need("datasets", source)
    selection = {"name": options.get("config"), "split": options["split"], "cache_dir": tables}
    try:
        return datasets.load_dataset(str(folder), **selection)
    except Exception as error:  # any error that a file of the repository causes in its reader
        what = f"{options['dataset']} at {options['revision']} cannot be loaded ({_first_line(error)})"
        fix = "check config and split; datasets made by a script cannot be read"
        raise UserError(source.where, what, fix) from error


def _snapshot(source: DatasetSource) -> Path:
    """The repository's files at the commit: whole from the cache, else fetched if the hub is reached."""
    _need("datasets", source)
    hub = _need("huggingface_hub", source)
    request: dict[str, Any] = {"repo_type": "dataset", "revision": source.options["revision"]}
    try:
        return Path(hub.snapshot_download(source.options["dataset"], **request, local_files_only=True))
    except ValueError as error:  # it is no name the hub could know
        fix = "name it as the hub does"
        raise UserError(f"{source.where}: options.dataset", _first_line(error), fix) from error
    except hub.errors.LocalEntryNotFoundError:
        _check_reachable(hub.constants, source)
    try:
        return Path(hub.snapshot_download(source.options["dataset"], **request))
    except Exception as error:  # the hub's, its HTTP client's or the disk's
        fix = "check dataset and revision; a gated dataset needs: hf auth login"
        raise UserError(source.where, f"cannot be fetched ({_first_line(error)})", fix) from error


def _check_reachable(constants: Any, source: DatasetSource) -> None:
    """Raise `UserError` if the hub does not answer within seconds; its own client tries for a minute."""
    name, revision = source.options["dataset"], source.options["revision"]
    fix = f"where there is a network, run: hf download {name} --repo-type dataset --revision {revision}"
    missing = f"{name} is not in the cache"
    if constants.HF_HUB_OFFLINE:
        raise UserError(source.where, f"{missing}, and HF_HUB_OFFLINE forbids fetching it", fix)
    try:
        urllib.request.urlopen(constants.ENDPOINT, timeout=PROBE_S).close()
    except urllib.error.HTTPError:
        return
    except OSError as error:
        problem = f"{missing}, and {constants.ENDPOINT} is not reached ({error})"
        raise UserError(source.where, problem, fix) from error


def _need(package: str, source: DatasetSource) -> Any:
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        fix = "run: pip install 'steelyard[datasets]'"
        raise UserError(source.where, f"the package {package} is not installed", fix) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


HUGGINGFACE = Format(
    "huggingface",
    ASKED,
    partial(generic.read, form="jsonl"),
    options=("dataset", "config", "split", "revision"),
    check=_check,
    fetch=_fetch,
    about="a dataset of the Hugging Face hub at a commit",
    columns=generic.JSONL.columns,
)
