"""Git, run as a program: its output, the files of its trees, blobs to store."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evaluator.records.errors import UserError

FILE = "100644"
#: Modes of files; links and submodules have others.
PLAIN = (FILE, "100755")


class GitError(UserError):
    """Git is missing, was run outside a repository, or failed; the message says which."""


@dataclass(frozen=True)
class Blob:
    """A file of a tree: its mode and the name of its content."""

    mode: str
    name: str


def blob_name(content: bytes, algorithm: str) -> str:
    """The name that git gives a file by its content; `algorithm` is that of the repository's hashes."""
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content).hexdigest()


def over_https(address: str) -> str | None:
    """A remote as anybody may ask for it: over https, without a password. None for one that is elsewhere."""
    address = re.sub(
        r"^(?:ssh://git@([^:/]+)(?::\d+)?/|git@([^:/]+):)",
        lambda found: f"https://{found[1] or found[2]}/",
        address,
    )
    address = re.sub(r"//[^/@]*@", "//", address)
    return address if re.fullmatch(r"https://[^\s\"'<>]+", address) else None


class Repository:
    """The git repository that `folder` is in. Raises `GitError` where there is none."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        try:
            self.root = Path(self.text("rev-parse", "--show-toplevel"))
        except GitError as error:
            if "not a git repository" not in str(error):
                raise
            fix = "make one there with: git init --initial-branch main"
            raise GitError(folder.resolve(), "is in no git repository", fix) from None

    @cached_property
    def algorithm(self) -> str:
        """The hash that names its files: sha1 or sha256."""
        return self.text("rev-parse", "--show-object-format")

    def run(self, *arguments: str, given: bytes = b"", environment: Mapping[str, str] | None = None) -> bytes:
        """What a git command prints. Raises `GitError` with what it says if it fails."""
        if not self.root.is_dir():
            raise GitError(self.root, "no such folder")
        try:
            done = subprocess.run(
                ["git", *arguments],
                cwd=self.root,
                env={**os.environ, "LC_ALL": "C", **(environment or {})},
                input=given,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError:
            raise GitError("git", "is not installed", "install it and try again") from None
        if done.returncode:
            message = (done.stderr or done.stdout).decode(errors="replace").strip()
            raise GitError(f"git {arguments[0]} in {self.root}", message)
        return done.stdout

    def text(self, *arguments: str) -> str:
        """What a git command prints, as text without the newline at its end."""
        return self.run(*arguments).decode().strip()

    def succeeds(self, *arguments: str) -> bool:
        """Whether a git command succeeds."""
        try:
            self.run(*arguments)
        except GitError:
            return False
        return True

    def files(self, tree: str, folder: str = "") -> dict[str, Blob]:
        """The files of a tree, or of a folder in it, by their paths from its root."""
        within = ["--", f"{folder}/"] if folder else []
        listed = self.run("ls-tree", "-r", "-z", "--full-tree", tree, *within)
        found = {}
        for entry in listed.split(b"\0")[:-1]:
            about, _, path = entry.partition(b"\t")
            mode, kind, name = about.decode().split()
            if kind == "blob":
                found[os.fsdecode(path)] = Blob(mode, name)
        return found

    def contents(self, names: Iterable[str]) -> Iterator[bytes]:
        """The bytes of blobs, in order. Raises `GitError` at one that is not here."""
        printed = self.run("cat-file", "--batch", given="".join(f"{name}\n" for name in names).encode())
        while printed:
            header, _, rest = printed.partition(b"\n")
            if header.endswith(b" missing"):
                raise GitError(f"git cat-file in {self.root}", header.decode())
            size = int(header.rpartition(b" ")[2])
            yield rest[:size]
            printed = rest[size + 1 :]

    def keep(self, paths: Iterable[Path]) -> list[str]:
        """Store files as blobs, byte for byte whatever .gitattributes says; their names, in order."""
        given = b"".join(os.fsencode(path) + b"\n" for path in paths)
        return self.run("hash-object", "-w", "--no-filters", "--stdin-paths", given=given).decode().split()
