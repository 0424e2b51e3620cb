"""Packages of the extra ``notebook``, imported where a frame or a plot is made."""

from __future__ import annotations

import importlib
from types import ModuleType

INSTALL = "pip install 'steelyard[notebook]'"


def required(name: str) -> ModuleType:
    """The module of that name. Raises `ImportError` that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(f"{package}: cannot be imported ({error}); {INSTALL}") from error
