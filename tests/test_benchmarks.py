"""Benchmarks are run by hand, so that nobody sees at once when what they use is gone."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
BENCHMARKS = {path.stem: path for path in sorted(FOLDER.glob("*.py"))}


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Modules of the project and other benchmarks, and the names that are taken of them."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            top = node.module.partition(".")[0]
            if top in BENCHMARKS or top in ("evaluator", "site_src"):
                yield from ((node.module, alias.name) for alias in node.names)


def defined(path: Path) -> Iterator[str]:
    """The functions, classes and variables of a module."""
    for statement in ast.parse(path.read_bytes()).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement.name
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def is_there(module: str, name: str) -> bool:
    if module in BENCHMARKS:
        return name in defined(BENCHMARKS[module])
    if hasattr(importlib.import_module(module), name):
        return True
    return importlib.util.find_spec(f"{module}.{name}") is not None


@pytest.mark.parametrize("name", BENCHMARKS)
def test_what_a_benchmark_imports_is_there(name: str) -> None:
    """A name that was moved or renamed is missed here, not by whoever measures next."""
    assert [found for found in imported(BENCHMARKS[name]) if not is_there(*found)] == []


@pytest.mark.parametrize(
    "name", [name for name, path in BENCHMARKS.items() if "sys.path" in path.read_text("utf-8")]
)
def test_a_benchmark_finds_what_it_takes_of_other_folders(name: str) -> None:
    """So does what that imports in turn: each is begun in a process of its own."""
    begun = [sys.executable, "-c", "import runpy, sys; runpy.run_path(sys.argv[1])", str(BENCHMARKS[name])]
    done = subprocess.run(begun, cwd=FOLDER.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
