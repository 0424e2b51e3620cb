"""Tries a wheel as somebody who has nothing else: in an empty environment of each Python, it makes a board.

    python release/try_wheel.py dist/steelyard-1.0.0-py3-none-any.whl [PYTHON...]

PYTHON is a program, such as python3.12; without one, all are tried that this machine has of `VERSIONS`. There
`steelyard init`, `import` and `build` are run, and pip says whether it can install what `init` wrote down.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
#: Where Pythons are that are not on the search path: those of pyenv and of uv.
FOLDERS = (
    Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions",
    Path.home() / ".local/share/uv/python",
)
#: Answers to the reviews that a new board has.
PREDICTIONS = ROOT / "examples" / "demo" / "predictions.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a board with a wheel in empty environments.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("pythons", nargs="*", metavar="PYTHON", help="programs, such as python3.12")
    given = parser.parse_args()
    pythons = given.pythons or [python_of(version) for version in VERSIONS]
    if not any(pythons):
        parser.error(f"this machine has no Python {', '.join(VERSIONS)}")
    for python, name in zip(pythons, given.pythons or VERSIONS, strict=True):
        if python is None:
            print(f"{name}: not on this machine, not tried")
            continue
        with tempfile.TemporaryDirectory() as folder:
            begun, environment = time.monotonic(), Path(folder) / "environment"
            install(given.wheel, python, environment)
            make_board(environment, Path(folder))
            print(f"{name}: installed, made a board, in {time.monotonic() - begun:.0f} s", flush=True)


def python_of(version: str) -> str | None:
    """A program of that Python that runs here; pyenv has programs of versions that are not chosen."""
    return next((path for path in _candidates(f"python{version}") if _runs(path)), None)


def install(wheel: Path, python: str, environment: Path) -> None:
    """Make an environment of `python` that has the wheel and what it requires, without extras."""
    run(python, "-m", "venv", "--without-pip", environment)
    pip(environment, "install", "--no-compile", wheel)


def make_board(environment: Path, folder: Path) -> None:
    """Run the installed `steelyard` in an empty place: a new board, answers imported, its site built."""
    steelyard, board = environment / "bin" / "steelyard", folder / "board"
    run(steelyard, "init", board, "--author", "Ada", "--licence", "Apache-2.0")
    pip(environment, "install", "--dry-run", "--no-deps", "--requirement", board / "requirements.txt")
    run(steelyard, "import", PREDICTIONS, "--dataset", "reviews", "--model", "mine", cwd=board)
    run(steelyard, "build", cwd=board)
    page = board / "build" / "reviews" / "models" / "mine" / "index.html"
    if not page.is_file():
        sys.exit(f"{page}: the site has no page of the model whose answers were imported")


def pip(environment: Path, *arguments: str | Path) -> None:
    """Run this Python's pip for an environment, which needs none of its own."""
    run(sys.executable, "-m", "pip", "--python", environment / "bin" / "python", "--quiet", *arguments)


def run(*command: str | Path, cwd: Path | None = None) -> None:
    """Run a command that sees no modules of this project. Exits with what it says where it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")


def _candidates(name: str) -> Iterator[str]:
    own = Path(sys.executable).parent
    found = shutil.which(name, path=f"{own}{os.pathsep}{os.environ['PATH']}")
    if found:
        yield found
    for folder in FOLDERS:
        yield from map(str, sorted(folder.glob(f"*/bin/{name}")))


def _runs(python: str) -> bool:
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    main()
