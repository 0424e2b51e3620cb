"""Where pip gets the Steelyard that is running again: what is said is there, and nothing else is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from publishing_world import commit_all, git, new_repository, steelyard

from evaluator import __version__
from evaluator.publish.installation import (
    Installation,
    installation_of_folder,
    installation_of_wheel,
    this_installation,
)
from evaluator.records.errors import UserError
from evaluator.records.git import over_https

COMMIT = "c0ffee" + "0" * 34


def installed(folder: Path, told: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a distribution of that name before all others, with what pip keeps of how it was asked for."""
    about = folder / f"steelyard-{__version__}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.4\nName: steelyard\nVersion: {__version__}\n")
    if told is not None:
        (about / "direct_url.json").write_text(json.dumps(told))
    monkeypatch.syspath_prepend(str(folder))


@pytest.mark.parametrize(
    ("told", "requirement"),
    [
        (None, f"steelyard=={__version__}"),
        (
            {
                "url": "https://git.example.org/me/steelyard.git",
                "vcs_info": {"vcs": "git", "requested_revision": "main", "commit_id": COMMIT},
            },
            f"steelyard @ git+https://git.example.org/me/steelyard.git@{COMMIT}",
        ),
        (
            {"url": "https://example.org/steelyard-1.0.0-py3-none-any.whl", "archive_info": {}},
            "steelyard @ https://example.org/steelyard-1.0.0-py3-none-any.whl",
        ),
    ],
    ids=["index", "commit", "address"],
)
def test_what_pip_was_given_is_given_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: dict[str, Any] | None, requirement: str
) -> None:
    """A name that an index knew is that version; a commit or an address is that one, on any machine."""
    installed(tmp_path, told, monkeypatch)
    found = installation_of_wheel()
    assert found.requirement() == requirement
    assert not found.local


def test_a_wheel_is_its_file_as_long_as_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its path, which only this machine has; once it is gone, that is said with what to do about it."""
    wheel = tmp_path / "a folder" / "steelyard-1.0.0-py3-none-any.whl"
    wheel.parent.mkdir()
    wheel.touch()
    installed(tmp_path, {"url": wheel.as_uri(), "archive_info": {}}, monkeypatch)
    found = installation_of_wheel()
    assert (found.requirement("metrics"), found.local) == (f"steelyard[metrics] @ {wheel.as_uri()}", True)
    assert "%20" in found.command
    wheel.unlink()
    with pytest.raises(UserError, match=r"py3-none-any\.whl: this Steelyard .* is gone; .*--requirement"):
        installation_of_wheel()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of a bare repository, as its origin has it."""
    source = new_repository(tmp_path / "source", {"pyproject.toml": "", "within/pyproject.toml": ""})
    git(tmp_path, "clone", "--quiet", "--bare", str(source), "origin.git")
    git(tmp_path, "clone", "--quiet", str(tmp_path / "origin.git"), "clone")
    return tmp_path / "clone"


def test_a_checkout_is_its_commit_where_its_origin_has_that(clone: Path) -> None:
    """By the address that anybody may ask; one that is not pushed, and a folder in it, are what lies here."""
    commit = git(clone, "rev-parse", "HEAD")
    origin = (clone.parent / "origin.git").as_uri()
    assert installation_of_folder(clone) == Installation(f"git+{origin}@{commit}", local=True)
    git(clone, "remote", "set-url", "origin", "git@git.example.org:me/steelyard.git")
    told = Installation(f"git+https://git.example.org/me/steelyard.git@{commit}")
    assert installation_of_folder(clone) == told
    assert told.command == f"pip install git+https://git.example.org/me/steelyard.git@{commit}"
    within = clone / "within"
    assert installation_of_folder(within) == Installation(within.as_uri(), local=True)
    (clone / "new").touch()
    commit_all(clone)
    assert installation_of_folder(clone) == Installation(clone.as_uri(), local=True)


def test_sources_without_an_origin_are_their_folder(tmp_path: Path) -> None:
    """A repository that was never cloned, and an archive of the sources, are only here."""
    repository = new_repository(tmp_path / "repository", {"pyproject.toml": ""})
    for folder in (repository, tmp_path):
        assert installation_of_folder(folder) == Installation(folder.as_uri(), local=True)


def test_what_was_installed_of_a_folder_is_what_that_folder_is(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that pip was given is looked at as any checkout is."""
    installed(tmp_path, {"url": clone.as_uri(), "dir_info": {}}, monkeypatch)
    assert installation_of_wheel() == installation_of_folder(clone)


@pytest.mark.parametrize(
    ("origin", "address"),
    [
        ("https://me:secret@git.example.org/me/x.git", "https://git.example.org/me/x.git"),
        ("ssh://git@git.example.org:2222/me/x.git", "https://git.example.org/me/x.git"),
        ("git@git.example.org:me/x", "https://git.example.org/me/x"),
        ("/srv/git/x.git", None),
        ("http://git.example.org/x", None),
        ("https://git.example.org/x y", None),
    ],
)
def test_a_remote_is_asked_for_over_https_and_without_a_password(origin: str, address: str | None) -> None:
    """What cannot be asked so has no address for others."""
    assert over_https(origin) == address


def test_a_new_leaderboard_has_this_very_steelyard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a word from outside it is the one that is running, with a note where only this machine has that."""
    for level in ("GLOBAL", "SYSTEM"):
        monkeypatch.setenv(f"GIT_CONFIG_{level}", "/dev/null")
    done = steelyard("init", "board", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told, requirement = this_installation(), this_installation().requirement()
    assert requirement in (tmp_path / "board/requirements.txt").read_text().splitlines()
    assert (f"requirements.txt has {requirement}, which only this machine has" in done.stdout) == told.local


def test_a_requirement_that_is_given_is_written_as_it_is(tmp_path: Path) -> None:
    """Whoever keeps Steelyard elsewhere says so; of more than one line nothing is made."""
    requirement = "steelyard @ https://example.org/steelyard.whl"
    done = steelyard("init", "board", "--requirement", requirement, cwd=tmp_path)
    assert requirement in (tmp_path / "board/requirements.txt").read_text().splitlines()
    assert "only this machine" not in done.stdout
    done = steelyard("init", "other", "--requirement", "steelyard\nmore", cwd=tmp_path)
    assert done.returncode == 2
    assert not (tmp_path / "other").exists()
