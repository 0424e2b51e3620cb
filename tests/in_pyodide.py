"""Runs a Python program as the browser does: in Pyodide, which Node.js starts, beside the evaluator's modules."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from site_src.generator import runtime
from site_src.generator.distribution import cache_folder

ROOT = Path(__file__).parent.parent


def in_pyodide(program: str, modules: tuple[str, ...], folder: Path, text: str = "") -> str:
    """What the program prints; it finds `text` in a variable of that name, and `modules` of the evaluator."""
    path = folder / "program.py"
    path.write_text(program)
    node = shutil.which("node")
    assert node, "no node to run Pyodide with: install Node.js"
    pyodide = runtime.stock_files(cache_folder())["pyodide.mjs"].parent
    script = ROOT / "tests" / "javascript" / "pyodide.mjs"
    command = [node, str(script), str(pyodide), str(ROOT / "evaluator"), str(path), *modules]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
