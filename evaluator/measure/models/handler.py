"""A submitter's own code: ``handler.py`` with ``load(directory)`` and ``predict(example)``.

`load` gets the model's directory as a `pathlib.Path`, once, before any example; what it returns is
ignored. `predict` gets a dict of the task's input fields and returns what the task asks for. A
`predict_batch(examples)` that returns a list is used where batching is allowed.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from evaluator.measure.models.base import Model, known_options
from evaluator.records.errors import UserError


@dataclass(frozen=True)
class Handler:
    """The `predict` of a handler."""

    predict: Callable[[dict[str, Any]], Any]


@dataclass(frozen=True)
class BatchHandler:
    """The `predict` and `predict_batch` of a handler that has both."""

    predict: Callable[[dict[str, Any]], Any]
    predict_batch: Callable[[Sequence[dict[str, Any]]], list[Any]]


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Import ``directory/handler.py``, call its `load`, and return its `predict`.

    The directory goes to the front of `sys.path`, so that the handler can import its neighbours.
    Raises `UserError` if the file or a function is missing or the file does not parse; what the
    handler itself raises passes through.
    """
    known_options("handler", options, ())
    module = _import(directory.absolute() / "handler.py")
    load, predict = _function(module, "load(directory)"), _function(module, "predict(example)")
    load(directory.absolute())
    batch = getattr(module, "predict_batch", None)
    return BatchHandler(predict, batch) if callable(batch) else Handler(predict)


def _import(file: Path) -> ModuleType:
    if not file.is_file():
        raise UserError(file, "no such file", "write a handler.py with load(directory) and predict(example)")
    # The plain name lets a pickle made by a script that imported `handler` find its classes again.
    spec = importlib.util.spec_from_file_location("handler", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["handler"] = module
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise UserError(f"{error.filename}:{error.lineno}", error.msg, "fix the syntax error") from error
    return module


def _function(module: ModuleType, signature: str) -> Callable[..., Any]:
    name = signature.partition("(")[0]
    function = getattr(module, name, None)
    if not callable(function):
        raise UserError(f"{module.__file__}", f"has no function {name}", f"add `def {signature}:`")
    return function  # type: ignore[no-any-return]
