"""Making the environment that TextFlint runs in: all of it or nothing, and checked before it is used."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

from evaluator.data.suites.robustness.letters import NEIGHBOURS
from evaluator.data.suites.robustness.spelling import misspellings, sources
from evaluator.records.errors import UserError
from evaluator.textflint.backend import (
    MANIFEST,
    NAMES,
    RESOURCES,
    SERVER,
    TextFlint,
    python_of,
    sha256,
    without_python_settings,
)

#: Without its own requirements, which Python 3.11 cannot have.
ALONE = "textflint==0.1.0"
LIBRARIES = ("spacy>=3.7,<4", "nltk>=3.9", "filelock>=3", "requests>=2.31", "tqdm>=4.66")
#: A text that each of the seven can do something with.
SAMPLE = "It is a believable story and I definitely liked those 60 minutes."


def install(into: Path, say: Callable[[str], None] = lambda line: None) -> dict[str, str]:
    """Make the environment in the folder `into`, unless a whole one is there already; its versions.

    `say` receives each step as a sentence. Raises `UserError`, which says what failed and the fix; then
    `into` is as it was before.
    """
    try:
        versions = check(into)
    except UserError:
        pass
    else:
        say(f"{into}: TextFlint {versions['textflint']} is installed already, and works")
        return versions
    # Nothing is replaced but an environment of our own.
    if into.exists() and not (into / MANIFEST).exists() and not (into.is_dir() and not any(into.iterdir())):
        fix = "name another working folder"
        raise UserError(f"textflint: {into}", "not empty and no TextFlint environment", fix)
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{into.name}-", dir=into.parent) as aside:
        made = Path(aside, "new")
        _make(made, say)
        if into.exists():
            into.rename(Path(aside, "old"))
        made.rename(into)
    return check(into)


def check(environment: Path) -> dict[str, str]:
    """Try each of the seven on a sentence; the versions. Raises `UserError` if one gives nothing."""
    with TextFlint(environment) as backend:
        for name in NAMES:
            if backend.perturb(name, [SAMPLE]) == [None]:
                why = ", ".join(backend.failures[name]) or "it left a sample as it was"
                raise UserError(f"textflint: {environment}", f"{name} does not work: {why}")
        return dict(backend.manifest["versions"])


def _make(folder: Path, say: Callable[[str], None]) -> None:
    say("making a virtual environment, and rules for Keyboard and SpellingError")
    venv.create(folder, clear=True, symlinks=True)
    write_resources(folder / "resources")
    say(f"installing {ALONE}")
    _pip(folder, "--no-deps", ALONE)
    say(f"installing {', '.join(LIBRARIES)}")
    _pip(folder, *LIBRARIES)
    say("trying the seven transformations")
    resources = {name: sha256(folder, name) for name in RESOURCES}
    manifest = {"versions": _versions(folder), "resources": resources, "sources": list(sources())}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    check(folder)


def write_resources(folder: Path) -> None:
    """The rules that TextFlint would download: those of our own transformations, in the format that it reads.

    Raises `UserError` if a package that brings misspellings is missing.
    """
    # TextFlint adds the capitals itself.
    neighbours = {letter: list(others) for letter, others in NEIGHBOURS.items() if letter.islower()}
    lines = [f"{' '.join((word, *wrong))}\n" for word, wrong in sorted(misspellings().items())]
    folder.mkdir()
    (folder / "keyboard.json").write_text(json.dumps(neighbours, sort_keys=True) + "\n", encoding="utf-8")
    (folder / "spelling.txt").write_text("".join(lines), encoding="utf-8")


def _pip(folder: Path, *arguments: str) -> None:
    if importlib.util.find_spec("pip") is None:
        raise UserError(f"textflint: {sys.executable}", "has no pip", f"run: {sys.executable} -m ensurepip")
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input", "--no-compile")
    python = str(python_of(folder))
    done = _run([sys.executable, "-m", "pip", "--python", python, "install", *quiet, *arguments])
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        why = errors[-1] if errors else done.stderr.strip()
        wrong = f"pip could not install {' '.join(arguments)}: {why}"
        raise UserError("textflint", wrong, "check the network and pip's index, then run it again")


def _versions(folder: Path) -> dict[str, str]:
    """What the server says it runs when it starts."""
    done = _run([str(python_of(folder)), "-P", "-s", str(SERVER), str(folder / "resources")])
    try:
        versions: dict[str, str] = json.loads(done.stdout)["versions"]
    except (ValueError, KeyError):
        output = done.stdout.strip() or done.stderr.strip()
        raise UserError(f"textflint: {folder}", f"the server does not start: {output[-300:]}") from None
    return versions


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=without_python_settings(),
    )
