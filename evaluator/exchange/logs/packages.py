"""The packages that it takes to read some logs, imported where they are used."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

from evaluator.exchange.errors import InterchangeError


def pyarrow(path: Path, module: str = "pyarrow") -> ModuleType:
    """`pyarrow` or a module of it, for `path`. Raises `InterchangeError` where it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        fix = "pip install 'steelyard[parquet]'"
        raise InterchangeError(f"{path}: takes pyarrow to be read, which is missing; {fix}") from None
