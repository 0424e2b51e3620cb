"""Real git repositories for the tests of publishing, and the command line run in them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import forked_command
import yaml

from evaluator.publish.scaffolding import NewLeaderboard
from evaluator.records.references import DatasetRef, ModelRef, Source
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from site_src.generator.output import replace

#: The console script itself: unlike ``python -m`` it does not look for modules where it is run.
STEELYARD = Path(sys.executable).with_name("steelyard")
#: The commit that a workflow is run on.
SHA = "a" * 40
MARKER = ".steelyard-site"
AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "A"), ("EMAIL", "a@b"))
}
#: No configuration but a repository's own.
ENVIRONMENT = {**os.environ, **AUTHOR, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}

#: What is said about a new repository, where a test does not ask for something else.
NEW = NewLeaderboard(
    'A "quoted" board: é 😀 # <b>',
    "O'Hara: the {{ first }}",
    "CC-BY-4.0",
    "2026",
    "steelyard==1.0.0",
    "me/board",
)

BOARD = """
title = "T"

[[datasets]]
id = "d"
label = "D"
task = "sentiment"

[[boards]]
id = "b"
title = "Reviews"
task = "sentiment"
base = "accuracy"
datasets = ["d"]
metrics = [
  { name = "accuracy", label = "Accuracy", unit = "%" },
  { name = "throughput", label = "Throughput", unit = "examples/s" },
]
"""


#: What `gh` answers in a folder `$WORLD`, and what it keeps there of what it is sent: nothing reaches GitHub.
GH = """#!/bin/bash
[ ! -f "$WORLD/refuse" ] || { echo "HTTP 403" >&2; exit 1; }
printf '%s\\n' "$*" >> "$WORLD/asked"
for last; do :; done
case "$*" in
  "run download"*) mkdir -p "$last"; cp -P "$WORLD"/artifact/* "$last/" ;;
  *"/git/blobs"*) cat > "$WORLD/blob"; echo b10b ;;
  *"/git/trees"*) cat > "$WORLD/tree"; echo 7ree ;;
  *"/git/commits"*) cat > "$WORLD/commit"; echo c0de ;;
  *"/git/ref/heads/"*) [ -f "$WORLD/has-branch" ] ;;
  *"/pulls --input"*) cat > "$WORLD/pull" ;;
  *"/pulls "*) cat "$WORLD/pulls" ;;
  *--paginate*) cat "$WORLD/comments" ;;
  *body=@*) cp "${last#body=@}" "$WORLD/posted" ;;
esac
"""


def stand_in(world: Path) -> dict[str, str]:
    """Put `gh` into a folder that it finds and keeps things in; the environment of a step that uses it."""
    for name in ("bin", "temp", "artifact"):
        (world / name).mkdir()
    (world / "bin/gh").write_text(GH)
    (world / "bin/gh").chmod(0o755)
    (world / "comments").write_text("1 Hello\n")
    path = f"{world / 'bin'}:{os.environ['PATH']}"
    return {"PATH": path, "WORLD": str(world), "RUNNER_TEMP": str(world / "temp"), "GH_REPO": "me/board"}


def bash(script: str, folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """A step as GitHub's runner starts it where it says `shell: bash`."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def workflow(folder: Path, name: str) -> dict[Any, Any]:
    """A workflow of a repository; the key "on" is true, as YAML 1.1 reads it."""
    loaded = yaml.safe_load((folder / ".github/workflows" / f"{name}.yml").read_text())
    assert isinstance(loaded, dict)
    return loaded


def steelyard(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return forked_command.run(*arguments, cwd=cwd, env=ENVIRONMENT)


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout.strip()


def commit_all(folder: Path, message: str = "more") -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)
    return git(folder, "rev-parse", "HEAD")


def new_repository(folder: Path, files: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    commit_all(folder, "first")
    return folder


def site(folder: Path, files: Mapping[str, bytes]) -> Path:
    """A folder as a build leaves it."""

    def fill(fresh: Path) -> None:
        for name, content in files.items():
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            (fresh / name).write_bytes(content)

    replace(folder, fill)
    return folder


def reported(model: str, accuracy: float, throughput: float, label: str = "", source: str = "P") -> Result:
    scores = {"accuracy": (accuracy, "%"), "throughput": (throughput, "examples/s")}
    return Result(
        task="sentiment",
        model=ModelRef(id=model, label=label or model.capitalize()),
        dataset=DatasetRef(id="d"),
        provenance="reported",
        scores={name: Score(value=value, unit=unit, version="1") for name, (value, unit) in scores.items()},
        source=Source(citation=source),
        created="2026-11-21T15:20:00Z",
        tool="steelyard 0",
    )


def save(folder: Path, *results: Result) -> None:
    for result in results:
        Store(folder / "results").save(result)


def leaderboard(folder: Path) -> Path:
    """A repository with a board of two models, committed on main."""
    new_repository(folder, {"board.toml": BOARD})
    save(folder, reported("alpha", 80.0, 10.0), reported("beta", 70.0, 8.0))
    commit_all(folder)
    return folder
