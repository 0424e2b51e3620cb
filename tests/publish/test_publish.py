"""`steelyard publish` against real remotes: what arrives there, and that nothing here is touched."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from publishing_world import MARKER, git, new_repository, site, steelyard

ID = "20261121T120000Z-" + "0f3a5c7e" * 4
PAGES = {
    "index.html": b"<h1>one</h1>\n",
    "nli/index.html": b"lines\r\nof both\nkinds\r",
    "runtime/a.wasm": bytes(range(256)),
    f"snapshots/{ID}/snapshot.json": b"{}\n",
    "snapshots/assets/0123456789ab/style.css": b"a{}",
    "snapshots/index.html": b"one snapshot",
    ".nojekyll": b"",
}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A clone of a bare remote, with a built site in build/ that git ignores."""
    git(tmp_path, "init", "--quiet", "--bare", "remote.git")
    # Attributes that would change bytes, were files added as files of the project are.
    files = {".gitignore": "/build/\n", ".gitattributes": "* text=auto eol=crlf\n", "notes.txt": "one\n"}
    here = new_repository(tmp_path / "here", files)
    git(here, "remote", "add", "origin", str(tmp_path / "remote.git"))
    git(here, "push", "--quiet", "origin", "main")
    site(here / "build", PAGES)
    return here


def remote(here: Path) -> Path:
    return here.parent / "remote.git"


def published(here: Path, branch: str = "gh-pages") -> dict[str, bytes]:
    """Every file of the remote's branch, but the marker."""
    names = git(remote(here), "ls-tree", "-r", "-z", "--name-only", branch).split("\0")
    found = {}
    for name in filter(None, names):
        command = ["git", "cat-file", "blob", f"{branch}:{name}"]
        found[name] = subprocess.run(command, cwd=remote(here), capture_output=True, check=True).stdout
    del found[MARKER]
    return found


def commits(here: Path, branch: str = "gh-pages") -> list[str]:
    return git(remote(here), "rev-list", branch).splitlines()


def state(here: Path) -> dict[str, str]:
    """Every file of the working tree, the index, HEAD, the configuration and all refs, by their hashes."""
    files = [path for path in sorted(here.rglob("*")) if path.is_file()]
    kept = [path for path in files if not {"objects", "remotes"} & set(path.relative_to(here).parts)]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in kept}


def somebody_else(here: Path, name: str, content: str) -> str:
    """Another clone pushes a commit to the branch; its hash."""
    other = here.parent / f"other-{name}"
    git(here.parent, "clone", "--quiet", "--branch", "gh-pages", str(remote(here)), str(other))
    (other / name).write_text(content)
    git(other, "add", "--all")
    git(other, "commit", "--quiet", "--message", "by somebody else")
    git(other, "push", "--quiet", "origin", "gh-pages")
    return git(other, "rev-parse", "HEAD")


def test_the_branch_holds_the_build_byte_for_byte(here: Path) -> None:
    """A first publication is one commit without parent that holds every file of the build as it is."""
    done = steelyard("publish", cwd=here)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("origin/gh-pages: published 8 files (8 new, 0 changed, 0 removed) as ")
    assert published(here) == PAGES
    assert len(commits(here)) == 1


def test_a_folder_without_a_repository_is_told_how_to_make_one(tmp_path: Path) -> None:
    """Git's own message names the command that failed, and not what to do."""
    site(tmp_path / "build", PAGES)
    done = steelyard("publish", cwd=tmp_path)
    assert done.returncode == 1
    said = (
        f"steelyard: {tmp_path}: is in no git repository; make one there with: git init --initial-branch main"
    )
    assert done.stderr.strip() == said


def test_a_dirty_working_tree_stays_as_it_is(here: Path) -> None:
    """Staged, changed, new and removed files, the index, HEAD and local branches are untouched."""
    git(here, "branch", "gh-pages")
    (here / "notes.txt").write_text("two\n")
    git(here, "add", "notes.txt")
    (here / "notes.txt").write_text("three\n")
    (here / ".gitattributes").unlink()
    (here / "new.txt").write_text("new\n")
    before, status = state(here), git(here, "status", "--porcelain")
    before = state(here)
    assert steelyard("publish", cwd=here).returncode == 0
    assert state(here) == before
    assert git(here, "status", "--porcelain") == status
    assert len(status.splitlines()) == 3
    assert published(here) == PAGES


def test_history_is_kept_and_nothing_new_is_said(here: Path) -> None:
    """A second build follows the first; the same again publishes nothing."""
    steelyard("publish", cwd=here)
    site(here / "build", {**PAGES, "index.html": b"two", "more.html": b"new"})
    done = steelyard("publish", cwd=here)
    assert "(1 new, 2 changed, 0 removed)" in done.stdout  # the marker changes with every build
    assert git(remote(here), "log", "--format=%s", "gh-pages").splitlines() == ["Publish the site"] * 2
    again = steelyard("publish", cwd=here)
    assert again.returncode == 0
    assert again.stdout == "nothing to publish: origin/gh-pages is this site already (9 files)\n"
    assert len(commits(here)) == 2


def test_a_remote_that_has_moved_on_is_built_upon(here: Path) -> None:
    """A commit that somebody else pushed meanwhile is fetched and becomes the parent."""
    steelyard("publish", cwd=here)
    theirs = somebody_else(here, "extra.html", "extra")
    site(here / "build", {**PAGES, "index.html": b"two"})
    assert steelyard("publish", cwd=here).returncode == 0
    assert commits(here)[1] == theirs
    assert published(here) == {**PAGES, "index.html": b"two"}


@pytest.mark.slow
def test_a_push_at_the_same_moment_is_not_lost_unseen(here: Path) -> None:
    """When somebody else pushes between our fetch and our push, the push is refused and repeated on top of theirs."""
    steelyard("publish", cwd=here)
    other = here.parent / "other"
    git(here.parent, "clone", "--quiet", "--branch", "gh-pages", str(remote(here)), str(other))
    (other / "CNAME").write_text("example.org\n")
    git(other, "add", "--all")
    git(other, "commit", "--quiet", "--message", "at the same moment")
    hook = here / ".git" / "hooks" / "pre-push"
    hook.write_text(
        f'#!/bin/sh\nrm -f "$0"\nunset GIT_DIR\ncd "{other}" && git push --quiet origin gh-pages\n'
    )
    hook.chmod(0o755)
    site(here / "build", {**PAGES, "index.html": b"two"})
    done = steelyard("publish", cwd=here)
    assert done.returncode == 0, done.stderr
    assert not hook.exists()
    # Their file is one that is kept, so it shows that their commit was looked at.
    assert published(here) == {**PAGES, "index.html": b"two", "CNAME": b"example.org\n"}
    assert len(commits(here)) == 3


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        (f"snapshots/{ID}/snapshot.json", b"{ }\n", "differs"),
        (f"snapshots/{ID}/snapshot.json", None, "is missing"),
        ("snapshots/assets/0123456789ab/style.css", b"b{}", "differs"),
    ],
)
def test_published_snapshots_never_change(here: Path, name: str, content: bytes | None, what: str) -> None:
    """A build that lacks a file of a published snapshot, or has other bytes, is refused, and the file named."""
    steelyard("publish", cwd=here)
    pages = {key: value for key, value in {**PAGES, name: content}.items() if value is not None}
    site(here / "build", pages)
    done = steelyard("publish", cwd=here)
    assert done.returncode == 1
    assert f"{name}: {what}" in done.stderr
    assert "published snapshots never change" in done.stderr
    assert published(here) == PAGES


def test_the_domain_stays_and_nojekyll_comes(here: Path) -> None:
    """GitHub's CNAME is kept, and .nojekyll is there even if the build has none."""
    steelyard("publish", cwd=here)
    somebody_else(here, "CNAME", "example.org\n")
    pages = {name: content for name, content in PAGES.items() if name != ".nojekyll"}
    site(here / "build", pages)
    assert steelyard("publish", cwd=here).returncode == 0
    assert published(here) == {**pages, ".nojekyll": b"", "CNAME": b"example.org\n"}


def test_only_a_site_as_it_was_built_is_published(here: Path) -> None:
    """A folder that no build made, or that was changed since, is refused, and the file is named."""
    (here / "plain").mkdir()
    done = steelyard("publish", "plain", cwd=here)
    assert (done.returncode, "plain: is no site that steelyard built" in done.stderr) == (1, True)
    (here / "build" / "extra.html").write_text("x")
    assert "build/extra.html: was not built" in steelyard("publish", cwd=here).stderr
    (here / "build" / "extra.html").unlink()
    (here / "build" / "index.html").write_text("longer than before, much longer")
    assert "build/index.html: was changed after it was built" in steelyard("publish", cwd=here).stderr
    (here / "build" / "index.html").unlink()
    assert "build/index.html: is missing" in steelyard("publish", cwd=here).stderr
    assert "gh-pages" not in git(remote(here), "branch", "--list")


def test_a_branch_of_something_else_is_left_alone(here: Path) -> None:
    """A site takes the place of a site only: main is not written over."""
    before = git(remote(here), "rev-parse", "main")
    done = steelyard("publish", "--branch", "main", cwd=here)
    assert done.returncode == 1
    assert "origin/main: does not hold a site of steelyard" in done.stderr
    assert git(remote(here), "rev-parse", "main") == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--remote", "upstream"], "has no remote 'upstream'; it has origin"),
        (["--remote", "--upload-pack=touch"], "has no remote '--upload-pack=touch'"),
        (["--branch", "a..b"], "--branch: 'a..b' cannot be the name of a branch"),
    ],
)
def test_a_wrong_call_is_answered(here: Path, options: list[str], message: str) -> None:
    """A remote or branch that cannot be is named, with what there is."""
    done = steelyard("publish", *options, cwd=here)
    assert done.returncode == 1
    assert message in done.stderr


def test_a_refusal_of_the_remote_is_repeated_to_the_user(here: Path) -> None:
    """A remote that refuses for a reason of its own is asked once, and what it says is shown."""
    hook = remote(here) / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho asked >> asked\necho no pages on Sundays >&2\nexit 1\n")
    hook.chmod(0o755)
    done = steelyard("publish", cwd=here)
    assert done.returncode == 1
    assert "no pages on Sundays" in done.stderr
    assert (remote(here) / "asked").read_text() == "asked\n"


name = st.text("abcXYZ019._- é#", min_size=1, max_size=8).filter(
    lambda n: n.strip(". ") == n and ".git" not in n
)


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=st.dictionaries(
        st.lists(name, min_size=2, max_size=2).map("/".join), st.binary(max_size=60), max_size=6
    )
)
def test_any_build_arrives_as_it_is(here: Path, files: dict[str, bytes]) -> None:
    """Whatever a build holds, the branch holds the same bytes under the same names, and no more."""
    site(here / "build", {**files, ".nojekyll": b""})
    assert steelyard("publish", "--branch", "any", cwd=here).returncode == 0
    assert published(here, "any") == {**files, ".nojekyll": b""}
