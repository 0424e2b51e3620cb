"""Making the environment that TextFlint runs in: all of it or nothing, and checked before it is used."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

from evaluator.data.suites.errors import SuiteError
from evaluator.data.suites.robustness.spelling import sources
from evaluator.textflint.client import NAMES, SERVER, TextFlint
from evaluator.textflint.environment import MANIFEST, RESOURCES, Environment, python_of, sha256
from evaluator.textflint.resources import write_resources

#: Without its own requirements, which Python 3.11 cannot have.
ALONE = "textflint==0.1.0"
LIBRARIES = ("spacy>=3.7,<4", "nltk>=3.9", "filelock>=3", "requests>=2.31", "tqdm>=4.66")
#: A text that each of the seven can do something with.
SAMPLE = "It is a believable story and I definitely liked those 60 minutes."
Say = Callable[[str], None]


def install(into: Path, say: Say = lambda line: None) -> Environment:
    """Make the environment in the folder `into`, unless a whole one is there already.

    `say` receives each step as a sentence. Raises `SuiteError`, which says what failed and the fix; then
    `into` is as it was before.
    """
    found = _working(into)
    if found is not None:
        say(f"{into}: TextFlint {found.versions['textflint']} is installed already, and works")
        return found
    _check_free(into)
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{into.name}-", dir=into.parent) as aside:
        made = Path(aside, "new")
        _make(made, say)
        if into.exists():
            into.rename(Path(aside, "old"))
        made.rename(into)
    return Environment.load(into)


def _working(into: Path) -> Environment | None:
    """The environment there, if it is whole and its process answers."""
    try:
        check(into)
        return Environment.load(into)
    except SuiteError:
        return None


def _check_free(into: Path) -> None:
    """Nothing is replaced but an environment of our own."""
    try:
        free = not into.exists() or (into / MANIFEST).exists() or not any(into.iterdir())
    except NotADirectoryError:
        free = False
    if not free:
        raise SuiteError(f"textflint: {into}: not empty and no TextFlint environment; name another folder")


def _make(folder: Path, say: Say) -> None:
    say("making a virtual environment, and rules for Keyboard and SpellingError")
    venv.create(folder, clear=True, symlinks=True)
    write_resources(folder / "resources")
    say(f"installing {ALONE}")
    _pip(folder, "--no-deps", ALONE)
    say(f"installing {', '.join(LIBRARIES)}")
    _pip(folder, *LIBRARIES)
    say("trying the seven transformations")
    resources = {name: sha256(folder / "resources" / name) or "" for name in RESOURCES}
    Environment(folder, _versions(folder), resources, tuple(sources())).save()
    check(folder)


def _pip(folder: Path, *arguments: str) -> None:
    if importlib.util.find_spec("pip") is None:
        raise SuiteError(f"textflint: {sys.executable} has no pip; run: {sys.executable} -m ensurepip")
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input", "--no-compile")
    python = str(python_of(folder))
    done = _run([sys.executable, "-m", "pip", "--python", python, "install", *quiet, *arguments])
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise SuiteError(
            f"textflint: pip could not install {' '.join(arguments)}:"
            f" {errors[-1] if errors else done.stderr.strip()};"
            " check the network and pip's index, then run it again"
        )


def _versions(folder: Path) -> dict[str, str]:
    """What the server says it runs when it starts."""
    done = _run([str(python_of(folder)), "-P", "-s", str(SERVER), str(folder / "resources")])
    try:
        versions: dict[str, str] = json.loads(done.stdout)["versions"]
    except (ValueError, KeyError):
        output = done.stdout.strip() or done.stderr.strip()
        raise SuiteError(f"textflint: {folder}: the server does not start: {output[-300:]}") from None
    return versions


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run to the end without input and without our Python's settings, of which a path would mix packages."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env=settings
    )


def check(folder: Path) -> None:
    """Try each of the seven on a sentence. Raises `SuiteError` if one gives nothing."""
    with TextFlint(folder) as backend:
        for name in NAMES:
            if backend.perturb(name, [SAMPLE]) == [None]:
                why = ", ".join(backend.failures[name]) or "it left a sample as it was"
                raise SuiteError(f"textflint: {folder}: {name} does not work: {why}")
