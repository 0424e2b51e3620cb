"""The workflow that makes a pull request of an issue: what it may do, and that text of strangers stays text."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from publishing_world import SHA, STEELYARD, workflow

COLLECT = """
[[collect]]
id = "notes"
label = "Notes"
task = "sentiment"
models = ["word-list"]
goal = "Fool it."
board = "reviews"
site = true
licence = "CC0-1.0"
"""
#: What somebody may put into an issue so that a shell, an expression or the runner takes it for more than text.
EVIL = "$(touch ran) `touch ran` ${{ github.token }} '; touch ran; \"\n::set-output name=x::y\n```"


def test_what_takes_a_strangers_text_cannot_write_and_what_writes_never_sees_the_repository(
    made: Path,
) -> None:
    """One job reads the text of an issue, from a file; the other has neither the repository nor an action."""
    collect = workflow(made, "collect")
    assert collect[True] == {"issues": {"types": ["opened", "edited", "reopened"]}}
    assert collect["permissions"] == {}
    receive, propose = collect["jobs"]["receive"], collect["jobs"]["propose"]
    assert receive["permissions"] == {"contents": "read"}
    assert "GH_TOKEN" not in yaml.dump(receive)
    assert set(propose["permissions"]) == {"actions", "contents", "issues", "pull-requests"}
    assert all("uses" not in step for step in propose["steps"])
    for step in (*receive["steps"], *propose["steps"]):
        assert "${{" not in step.get("run", "")
    text = (made / ".github/workflows/collect.yml").read_text()
    # What anybody may write reaches the file through the event's own file only.
    assert re.findall(r"\$\{\{ github\.event\.([\w.]+)", text) == [
        "issue.number",
        "issue.number",
        "repository.default_branch",
    ]


def sent_try(text: str) -> str:
    """The lines of a try, as the page of a site writes them."""
    answer = {
        "model": "word-list",
        "revision": f"sha256:{'0' * 64}",
        "answer": "positive",
        "ms": 1.0,
        "place": "browser",
    }
    at, id_ = "2026-11-01T12:00:00Z", "0" * 32
    asked = {
        "event": "asked",
        "version": 1,
        "id": id_,
        "collection": "notes",
        "writer": "blue-fox",
        "inputs": {"statement": text},
        "tags": {},
        "answers": [answer],
        "seconds": 1.0,
        "at": at,
    }
    judged = {"event": "judged", "version": 1, "id": id_, "answer": "negative", "reason": text, "at": at}
    return "".join(f"{json.dumps(line)}\n" for line in (asked, judged))


def run_step(
    made: Path, job: str, name: str, environment: dict[str, str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """Run a step of collect.yml as GitHub runs it."""
    [step] = [one for one in workflow(made, "collect")["jobs"][job]["steps"] if one.get("name") == name]
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def collecting(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new repository with a collection that takes tries from its site."""
    folder = tmp_path_factory.mktemp("collecting") / "board"
    shutil.copytree(made, folder)
    text = (folder / "board.toml").read_text("utf-8")
    text = text.replace("[site]\n", '[site]\nbrowser_models = ["word-list"]\n') + COLLECT
    (folder / "board.toml").write_text(text, "utf-8")
    return folder


def receive(made: Path, collecting: Path, temp: Path, body: str) -> subprocess.CompletedProcess[str]:
    event = {"issue": {"number": 12, "title": EVIL, "body": body}}
    (temp / "event.json").write_text(json.dumps(event))
    environment = {
        "PATH": f"{STEELYARD.parent}:{os.environ['PATH']}",
        "HOME": os.environ["HOME"],
        "RUNNER_TEMP": str(temp),
        "GITHUB_EVENT_PATH": str(temp / "event.json"),
        "PYTHONSAFEPATH": "1",
    }
    return run_step(made, "receive", "Receive the tries", environment, collecting)


@pytest.mark.slow
def test_an_issue_becomes_a_file_that_was_checked(made: Path, collecting: Path, tmp_path: Path) -> None:
    """The models are asked again about a text that tries to be a program; what goes on is the file and its names."""
    done = receive(made, collecting, tmp_path, f"Words.\r\n\r\n```jsonl\r\n{sent_try(EVIL)}```\r\n")
    assert done.returncode == 0, done.stderr
    assert "1 try, " in done.stdout
    kept = (collecting / "collect/notes/tries/blue-fox.jsonl").read_bytes()
    assert (tmp_path / "tries/tries.jsonl").read_bytes() == kept
    assert json.loads(kept.splitlines()[0])["inputs"] == {"statement": EVIL}
    assert json.loads((tmp_path / "tries/received.json").read_text())["writer"] == "blue-fox"
    assert not [line for line in f"{done.stdout}{done.stderr}".splitlines() if line.startswith("::")]
    assert not (collecting / "ran").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "body", ["", EVIL, f"```jsonl\n{EVIL}\n```", f"```jsonl\n{sent_try('x').replace('blue-fox', '../x')}```"]
)
def test_an_issue_that_is_no_such_is_refused(made: Path, collecting: Path, tmp_path: Path, body: str) -> None:
    """The step fails, and no file is changed."""
    before = sorted(path for path in collecting.rglob("*") if "__pycache__" not in path.parts)
    assert receive(made, collecting, tmp_path, body).returncode == 1
    assert sorted(path for path in collecting.rglob("*") if "__pycache__" not in path.parts) == before


# What `gh` answers where tries are proposed: a stand-in, since nothing here reaches GitHub.
GH_TRIES = """#!/bin/bash
printf '%s\\n' "$*" >> "$WORLD/asked"
case "$*" in
  "run download"*) mkdir -p "$RUNNER_TEMP/tries"; cp -P "$WORLD"/artifact/* "$RUNNER_TEMP/tries/" ;;
  *"/git/blobs"*) cat > "$WORLD/blob"; echo b10b ;;
  *"/git/trees"*) cat > "$WORLD/tree"; echo 7ree ;;
  *"/git/commits"*) cat > "$WORLD/commit"; echo c0de ;;
  *"/git/ref/heads/"*) [ -f "$WORLD/has-branch" ] ;;
  *"/pulls --input"*) cat > "$WORLD/pull" ;;
  *"/pulls "*) [ -f "$WORLD/has-branch" ] && echo 1 || echo 0 ;;
esac
"""


@pytest.fixture
def proposing(tmp_path: Path) -> Path:
    """What the step that proposes finds: an artifact with tries."""
    for name in ("bin", "temp", "artifact"):
        (tmp_path / name).mkdir()
    (tmp_path / "bin/gh").write_text(GH_TRIES)
    (tmp_path / "bin/gh").chmod(0o755)
    (tmp_path / "artifact/tries.jsonl").write_text(sent_try(EVIL))
    received = {"collection": "notes", "writer": "blue-fox", "file": "../../evil", "added": 1, "known": 0}
    (tmp_path / "artifact/received.json").write_text(json.dumps(received))
    return tmp_path


def propose(made: Path, world: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{world / 'bin'}:{os.environ['PATH']}",
        "WORLD": str(world),
        "RUNNER_TEMP": str(world / "temp"),
        "GITHUB_SHA": SHA,
        "GH_REPO": "me/board",
        "NUMBER": "12",
        "BASE": "main",
        "RUN_ID": "1",
        "RUN_URL": "https://example.org/run",
    }
    return run_step(made, "propose", "Propose the tries", environment, world)


def test_tries_are_proposed_as_one_commit_on_what_was_checked(made: Path, proposing: Path) -> None:
    """The very bytes, at the path that the names say; a second time in place of the first, with one pull request."""
    done = propose(made, proposing)
    assert done.returncode == 0, done.stderr
    blob = json.loads((proposing / "blob").read_text())
    assert base64.b64decode(blob["content"]).decode() == sent_try(EVIL)
    [entry] = json.loads((proposing / "tree").read_text())["tree"]
    assert entry == {
        "path": "collect/notes/tries/blue-fox.jsonl",
        "mode": "100644",
        "type": "blob",
        "sha": "b10b",
    }
    assert json.loads((proposing / "commit").read_text())["parents"] == [SHA]
    pull = json.loads((proposing / "pull").read_text())
    assert (pull["head"], pull["base"], pull["title"]) == ("tries-12", "main", "Tries of blue-fox for notes")
    assert pull["body"].endswith("Closes #12\n")
    (proposing / "pull").unlink()
    (proposing / "has-branch").touch()
    assert propose(made, proposing).returncode == 0
    assert (
        "--method PATCH repos/me/board/git/refs/heads/tries-12 -f sha=c0de"
        in (proposing / "asked").read_text()
    )
    assert not (proposing / "pull").exists()
    assert not (proposing / "ran").exists()


@pytest.mark.parametrize("name", ["..", "a/b", "a b", "$(touch ran)", "x" * 101, ""])
def test_a_name_that_leads_elsewhere_is_not_proposed(made: Path, proposing: Path, name: str) -> None:
    """Even if the job before were deceived, a file is written in the folder of tries only."""
    received = {"collection": "notes", "writer": name, "added": 1}
    (proposing / "artifact/received.json").write_text(json.dumps(received))
    assert propose(made, proposing).returncode == 1
    assert not (proposing / "blob").exists()


def test_a_link_in_place_of_tries_is_not_proposed(made: Path, proposing: Path) -> None:
    """What an artifact holds must be a file."""
    (proposing / "artifact/tries.jsonl").unlink()
    (proposing / "artifact/tries.jsonl").symlink_to("/etc/hostname")
    assert propose(made, proposing).returncode == 1
    assert not (proposing / "blob").exists()
