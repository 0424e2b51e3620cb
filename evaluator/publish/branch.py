"""``steelyard publish``: the built site as a commit on a branch of a remote.

The commit is made of plumbing and pushed by its name, so that neither the working tree, the index,
HEAD nor any local branch changes. What the branch has of published snapshots must be in the build
byte for byte.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator.records.errors import UserError
from evaluator.records.git import FILE, Blob, GitError, Repository
from evaluator.records.snapshot import SNAPSHOT_ID

#: What never changes once it is published: a snapshot's folder, and what snapshots share.
FOR_EVER = re.compile(rf"snapshots/(assets|{SNAPSHOT_ID.strip('^$')})/")
#: A file that GitHub itself writes to the branch: the site's own domain.
DOMAIN = "CNAME"
NO_JEKYLL = ".nojekyll"
ATTEMPTS = 5
NAMED = 5


@dataclass(frozen=True)
class Target:
    """A branch of a remote, which is a name git knows or an address."""

    remote: str
    branch: str

    def __str__(self) -> str:
        return f"{self.remote}/{self.branch}"

    @property
    def ref(self) -> str:
        return f"refs/heads/{self.branch}"


@dataclass(frozen=True)
class Published:
    """What was published; `commit` is None where the branch already had this site."""

    commit: str | None
    files: int
    added: int = 0
    changed: int = 0
    removed: int = 0


def publish(repository: Repository, build: Path, marker: str, target: Target, message: str) -> Published:
    """Commit the site in `build` to the target's tip.

    `marker` is the name of the file that marks a folder, or a branch, as a site of ours. When
    somebody else pushes meanwhile, their commit is fetched and becomes the parent. Raises `UserError`.
    """
    _check_target(repository, target)
    site = _stored(repository, build, marker)
    for _ in range(ATTEMPTS):
        tip = _tip(repository, target)
        there = _files_at(repository, tip, target, marker)
        _check_snapshots(there, site, target)
        files = {**{path: there[path] for path in there if path == DOMAIN}, **site}
        if files == there:
            return Published(None, len(files))
        commit = _commit(repository, files, message, tip)
        if _pushed(repository, target, commit, tip):
            return _published(commit, there, files)
    raise UserError(str(target), "somebody else pushes all the time", "run steelyard publish again")


def _check_target(repository: Repository, target: Target) -> None:
    if not repository.succeeds("check-ref-format", target.ref):
        raise UserError("--branch", f"{target.branch!r} cannot be the name of a branch")
    known = repository.text("remote").splitlines()
    address = "/" in target.remote or ":" in target.remote
    if target.remote.startswith("-") or not (target.remote in known or address):
        has = f"it has {', '.join(known)}" if known else f"git remote add {target.remote} ADDRESS makes it"
        raise UserError("--remote", f"{repository.root} has no remote {target.remote!r}", has)


def _stored(repository: Repository, build: Path, marker: str) -> dict[str, Blob]:
    """The site's files as blobs of the repository, by their paths."""
    paths = {path.relative_to(build).as_posix(): path.resolve() for path in _site_files(build, marker)}
    names = repository.keep(paths.values())
    found = {path: Blob(FILE, name) for path, name in zip(paths, names, strict=True)}
    if NO_JEKYLL not in found:
        nothing = repository.run("hash-object", "-w", "--stdin").decode().strip()
        found[NO_JEKYLL] = Blob(FILE, nothing)
    return found


def _site_files(build: Path, marker: str) -> list[Path]:
    """Every file of a site, which must be as `steelyard build` left it."""
    fix = "run steelyard build, and publish what it makes"
    try:
        sizes = json.loads((build / marker).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(build, f"is no site that steelyard built (it has no {marker})", fix) from None
    found = {
        path.relative_to(build).as_posix(): path for path in sorted(build.rglob("*")) if not path.is_dir()
    }
    for name in sorted({*sizes, marker} ^ {*found}):
        raise UserError(build / name, "is missing" if name in sizes else "was not built", fix)
    for name, path in found.items():
        if path.is_symlink() or (name != marker and path.stat().st_size != sizes[name]):
            raise UserError(path, "was changed after it was built", fix)
    return list(found.values())


def _tip(repository: Repository, target: Target) -> str | None:
    """The commit that the branch of the remote is at, fetched; None where there is no such branch."""
    listed = repository.text("ls-remote", target.remote, target.ref)
    if not listed:
        return None
    tip = listed.split()[0]
    if not repository.succeeds("cat-file", "-e", f"{tip}^{{commit}}"):
        repository.run("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", target.remote, target.ref)
    return tip


def _files_at(repository: Repository, tip: str | None, target: Target, marker: str) -> dict[str, Blob]:
    """What the branch holds; only a site made by this program is replaced."""
    there = repository.files(tip) if tip else {}
    if there and marker not in there:
        problem = f"does not hold a site of steelyard (it has no {marker})"
        raise UserError(str(target), problem, "give another --branch, or delete that one")
    return there


def _check_snapshots(there: Mapping[str, Blob], site: Mapping[str, Blob], target: Target) -> None:
    broken = [path for path, blob in there.items() if FOR_EVER.match(path) and site.get(path) != blob]
    if broken:
        found = [f"{path}: {'differs' if path in site else 'is missing'}" for path in sorted(broken)[:NAMED]]
        more = [f"and {len(broken) - NAMED} more"] if len(broken) > NAMED else []
        raise UserError(
            "",
            f"{target} has snapshots that this build would change, and published snapshots never change;"
            " bring results/snapshots back from git, run steelyard build and publish again\n  "
            + "\n  ".join(found + more),
        )


def _commit(repository: Repository, files: Mapping[str, Blob], message: str, parent: str | None) -> str:
    """A commit of these files, made in an index of its own."""
    entries = b"".join(
        f"{blob.mode} {blob.name}\t".encode() + path.encode() + b"\0" for path, blob in files.items()
    )
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": f"{folder}/index"}
        repository.run("update-index", "-z", "--index-info", given=entries, environment=index)
        tree = repository.run("write-tree", environment=index).decode().strip()
    return repository.text("commit-tree", tree, *(["-p", parent] if parent else []), "-m", message)


def _pushed(repository: Repository, target: Target, commit: str, tip: str | None) -> bool:
    """Whether the push went through; False if the branch has moved on. Raises `GitError` otherwise."""
    try:
        repository.run("push", "--quiet", "--no-follow-tags", target.remote, f"{commit}:{target.ref}")
    except GitError:
        if _tip(repository, target) == tip:
            raise
        return False
    return True


def _published(commit: str, there: Mapping[str, Blob], files: Mapping[str, Blob]) -> Published:
    changed = sum(there[path] != files[path] for path in there.keys() & files.keys())
    added, removed = len(files.keys() - there.keys()), len(there.keys() - files.keys())
    return Published(commit, len(files), added, changed, removed)
