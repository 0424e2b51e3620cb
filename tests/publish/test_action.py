"""The action and the pre-commit hook of this repository, run as GitHub's runner and git run them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from publishing_world import (
    ENVIRONMENT,
    bash,
    commit_all,
    git,
    leaderboard,
    new_repository,
    reported,
    save,
    stand_in,
)

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
MARK = "<!-- steelyard-check board.toml -->"
EXPRESSION = re.compile(r"\$\{\{ ([\w.]+) \}\}")


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A folder in which `gh` finds the comments of a pull request, and keeps what it is sent."""
    stand_in(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def temp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner's temporary folder with this version of the program, where the first step installs it."""
    temp = tmp_path_factory.mktemp("runner")
    programs = {
        "python": f'exec {sys.executable} "$@"',
        "steelyard": f'exec {sys.executable} -m evaluator.cli "$@"',
    }
    for name, line in programs.items():
        path = temp / "steelyard" / "bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\nexport PYTHONPATH={ROOT}\n{line}\n")
        path.chmod(0o755)
    return temp


@dataclass
class Job:
    """What a run of the action left: each step's exit code, None where it did not run, outputs, all that was printed."""

    codes: dict[str, int | None]
    outputs: dict[str, str]
    printed: str
    summary: str


def run_action(folder: Path, temp: Path, **inputs: str) -> Job:
    """Run the steps after the installation in a repository, as on the pull request 12 of a change to main."""
    world = folder.parent
    for name in ("output", "summary"):
        (world / name).write_text("")
    given = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | inputs
    values = {f"inputs.{name}": value for name, value in given.items()}
    values |= {"inputs.token": "the-token", "github.event_name": "pull_request"}
    values |= {"github.repository": "me/board", "github.event.pull_request.number": "12"}
    runner = ENVIRONMENT | {
        "RUNNER_TEMP": str(temp), "GITHUB_BASE_REF": "main", "GITHUB_OUTPUT": str(world / "output"),
        "GITHUB_STEP_SUMMARY": str(world / "summary"), "REQUIREMENT": "", "WORLD": str(world),
        "PATH": f"{world / 'bin'}:{os.environ['PATH']}",
    }  # fmt: skip
    job = Job({}, {}, "", "")
    for name, step in list(STEPS.items())[1:]:
        if any(job.codes.values()) or not holds(step.get("if", "true"), values):
            job.codes[name] = None
            continue
        own = {key: filled(text, values) for key, text in step["env"].items()}
        done = bash(step["run"], folder, runner | own)
        job.codes[name], job.printed = done.returncode, job.printed + done.stdout + done.stderr
        job.outputs = dict(line.split("=", 1) for line in (world / "output").read_text().splitlines())
        values |= {f"steps.check.outputs.{key}": value for key, value in job.outputs.items()}
    job.summary = (world / "summary").read_text()
    return job


def filled(text: str, values: Mapping[str, str]) -> str:
    return EXPRESSION.sub(lambda found: values[found[1]], text)


def holds(condition: str, values: Mapping[str, str]) -> bool:
    """A condition of a step: comparisons of a value with a text, joined by `&&`."""
    if condition == "true":
        return True
    parts = [re.fullmatch(r"([\w.]+) (==|!=) '(\w*)'", part) for part in condition.split(" && ")]
    return all((values[part[1]] == part[3]) == (part[2] == "==") for part in parts)  # type: ignore[index]


@pytest.fixture
def change(world: Path) -> Path:
    """A clone of a board of two models, whose branch brings a third."""
    origin = leaderboard(world / "origin")
    git(world, "clone", "--quiet", str(origin), "board")
    folder = world / "board"
    git(folder, "checkout", "--quiet", "-b", "change")
    save(folder, reported("gamma", 79.0, 30.0))
    commit_all(folder)
    return folder


def test_a_good_change_gets_a_comment_and_a_site(change: Path, temp: Path, world: Path) -> None:
    """The check passes; ranks are on the pull request and in the job's summary; a second run writes the comment anew."""
    job = run_action(change, temp, site="public", gate="beta")
    assert set(job.codes.values()) == {0}, job.printed
    assert job.outputs["passed"] == "true"
    assert (change / "public/index.html").is_file()
    posted = (world / "posted").read_text()
    assert posted.startswith(f"{MARK}\n### Steelyard check: passed\n")
    assert "- `Gamma` enters at 1, Dynascore 40.84" in posted.splitlines()
    assert job.summary == Path(job.outputs["comment"]).read_text() == posted.partition("\n")[2]
    asked = (world / "asked").read_text().splitlines()[-1]
    assert asked.startswith("api --silent --method POST repos/me/board/issues/12/comments ")
    (world / "comments").write_text(f"1 Hello\n22 {MARK}\n23 <!-- steelyard-check other.toml -->\n")
    assert run_action(change, temp).outputs["passed"] == "true"
    asked = (world / "asked").read_text().splitlines()[-1]
    assert asked.startswith("api --silent --method PATCH repos/me/board/issues/comments/22 ")


def test_a_regression_fails_the_job_after_it_is_told(change: Path, temp: Path, world: Path) -> None:
    """A guarded model that falls is named on the pull request; no site is built, and the job fails."""
    save(change, reported("alpha", 60.0, 10.0))
    commit_all(change)
    job = run_action(change, temp, site="public", gate="beta alpha")
    assert job.codes == {"Check": 0, "Comment": 0, "Build": None, "Verdict": 1}
    assert job.outputs["passed"] == "false"
    assert "Reviews: Alpha: its score fell by" in (world / "posted").read_text()
    assert not (change / "public").exists()


@pytest.mark.parametrize("why", ["a fork", "not wanted"])
def test_without_a_comment_the_check_counts(change: Path, temp: Path, world: Path, why: str) -> None:
    """A token that may not write, as that of a fork, gives a notice; the verdict is that of the check."""
    (world / "refuse").touch()
    job = run_action(change, temp, comment="true" if why == "a fork" else "false")
    assert job.codes == {"Check": 0, "Comment": 0 if why == "a fork" else None, "Build": None, "Verdict": 0}
    assert ("::notice::GitHub refused the comment" in job.printed) == (why == "a fork")


def test_what_the_action_says_of_itself() -> None:
    """Every input is used, no step but the comment's sees the token, and no input is pasted into a script."""
    steps = json.dumps(ACTION["runs"])
    assert [name for name in ACTION["inputs"] if f"inputs.{name} " not in steps] == []
    assert [name for name, step in STEPS.items() if "inputs.token" in json.dumps(step)] == ["Comment"]
    assert not any("${{" in step["run"] for step in STEPS.values())
    documented = (ROOT / "site_src/docs/publish.md").read_text("utf-8")
    assert [name for name in ACTION["inputs"] if f"`{name}`" not in documented] == []


def test_the_hook_refuses_a_commit_of_a_broken_result(tmp_path: Path) -> None:
    """pre-commit, installed in a repository, lets a good result pass and stops one that is no number."""
    hooks = new_repository(
        tmp_path / "hooks", {".pre-commit-hooks.yaml": (ROOT / ".pre-commit-hooks.yaml").read_text()}
    )
    folder = leaderboard(tmp_path / "board")
    # The steelyard of this environment runs; another would have to be installed first, which pre-commit does.
    config = {
        "repo": str(hooks),
        "rev": git(hooks, "rev-parse", "HEAD"),
        "hooks": [{"id": "steelyard-check", "language": "system"}],
    }
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [config]}))
    here = str(Path(sys.executable).parent)
    environment = ENVIRONMENT | {
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "PRE_COMMIT_HOME": str(tmp_path / "cache"),
    }  # fmt: skip

    def do(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )

    assert do("pre-commit", "install").returncode == 0
    save(folder, reported("gamma", 79.0, 30.0))
    git(folder, "add", "--all")
    done = do("git", "commit", "--message", "a result")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stderr
    path = folder / "results/sentiment/d/gamma.json"
    path.write_text(path.read_text().replace("79.0", "NaN"))
    git(folder, "add", "--all")
    done = do("git", "commit", "--message", "a mistake")
    assert done.returncode == 1
    assert "gamma.json" in done.stdout + done.stderr
    assert git(folder, "log", "-1", "--format=%s") == "a result"
