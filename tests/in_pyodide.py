"""Runs a Python program as the browser does: in Pyodide, which Node.js starts, beside the evaluator's modules."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from evaluator.rank import FILES
from site_src.generator import runtime
from site_src.generator.distribution import cache_folder

ROOT = Path(__file__).parent.parent
#: What every page can run.
RANK = tuple(f"rank/{name}" for name in FILES)


def in_pyodide(
    program: str, files: tuple[str, ...], folder: Path, text: str = "", made: Mapping[str, str] = {}
) -> str:
    """What the program prints; it finds `text` in a variable of that name, and `files`, by their paths in
    `evaluator`, beside those that are `made`.
    """
    for name, content in made.items():
        (folder / "made" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "made" / name).write_text(content, "utf-8")
    path = folder / "program.py"
    path.write_text(program)
    node = shutil.which("node")
    assert node, "no node to run Pyodide with: install Node.js"
    pyodide = runtime.stock_files(cache_folder())["pyodide.mjs"].parent
    script = ROOT / "tests" / "javascript" / "pyodide.mjs"
    folders = [str(ROOT / "evaluator"), str(folder / "made")]
    command = [node, str(script), str(pyodide), *folders, str(path), *files, *(f"+{name}" for name in made)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
