"""Where the files of a snapshot are read from: a folder, or the web. Nothing in them is trusted."""

from __future__ import annotations

import http.client
import os
import stat
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Protocol

from evaluator.records.git import GitError, Repository

#: The mode that files are written with, and the bits that none may have: those of programs, and writing
#: for everybody.
MODE, NO_MODE = 0o644, 0o7113
#: No file of a snapshot is larger; a larger one is not read.
MAX_BYTES = 32 * 10**6
TIMEOUT_S = 30.0


class UnreadableError(ValueError):
    """A file that is there and cannot be read; the message says why."""


class SnapshotFiles(Protocol):
    """The files around one snapshot, by name relative to its folder."""

    name: str

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, None where there is none. Raises `UnreadableError`."""

    def names(self) -> set[str] | None:
        """The names of all files in the snapshot's folder, None where that cannot be known.

        A folder that holds nothing is among them, with a slash at its end.
        """

    def wrong_mode(self, name: str) -> str | None:
        """What is wrong with the mode of a file that is there, and the fix; None if nothing, or unknown."""

    def where(self, name: str) -> str:
        """The file, for messages."""


class Folder:
    """A snapshot on this machine. Links and anything else that is no plain file are not followed.

    Nor are links to a folder, be it the snapshot's own or one of those that snapshots share.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = Path(os.path.abspath(path)).name

    def read(self, name: str) -> bytes | None:
        path = Path(self.where(name))
        if link := self._link_above(path):
            raise UnreadableError(f"is in {link}, which is a link; put the folder itself in its place")
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise UnreadableError(
                f"cannot be read: {error.strerror}; if it is a link, put the file itself in its place"
            ) from None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UnreadableError("is no plain file; put the file itself in its place")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return _limited(file.read(MAX_BYTES + 1))
        finally:
            os.close(descriptor)

    def names(self) -> set[str]:
        return set(_names(self.path, "")) if self.path.is_dir() else set()

    def wrong_mode(self, name: str) -> str | None:
        path = Path(self.where(name))
        mode = stat.S_IMODE(path.lstat().st_mode)
        if not mode & NO_MODE or not _keeps_modes(path.parent):
            return None
        return f"has mode {mode:04o}, and a file of a snapshot has {MODE:04o}; run: chmod {MODE:o} {path}"

    def where(self, name: str) -> str:
        return os.path.normpath(self.path / name)

    def _link_above(self, path: Path) -> Path | None:
        """The outermost folder above a file, under the one that holds all snapshots, that is a link."""
        root = Path(os.path.normpath(self.path)).parent
        above = [folder for folder in reversed(path.parents) if folder != root and root in folder.parents]
        return next((folder for folder in above if folder.is_symlink()), None)


class WebSnapshot:
    """A snapshot on the web. Only http and https are followed, also in redirects."""

    def __init__(self, url: str) -> None:
        self.url = url if url.endswith("/") else url + "/"
        self.name = self.url.rstrip("/").rpartition("/")[2]
        self.opener = urllib.request.OpenerDirector()
        for handler in (
            urllib.request.ProxyHandler,
            urllib.request.HTTPHandler,
            urllib.request.HTTPSHandler,
            urllib.request.HTTPDefaultErrorHandler,
            urllib.request.HTTPRedirectHandler,
            urllib.request.HTTPErrorProcessor,
        ):
            self.opener.add_handler(handler())

    def read(self, name: str) -> bytes | None:
        request = urllib.request.Request(self.where(name), headers={"User-Agent": "steelyard verify"})
        try:
            with self.opener.open(request, timeout=TIMEOUT_S) as answer:
                return _limited(answer.read(MAX_BYTES + 1))
        except urllib.error.HTTPError as error:
            if error.code in (404, 410):
                return None
            reason = (str(error.reason).splitlines() or [""])[0]
            raise UnreadableError(f"the server answers {error.code}: {reason}") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise UnreadableError(f"cannot be fetched: {error}") from None

    def names(self) -> None:
        return None

    def wrong_mode(self, name: str) -> None:
        return None

    def where(self, name: str) -> str:
        return urllib.parse.urljoin(self.url, name)


def _limited(content: bytes) -> bytes:
    if len(content) > MAX_BYTES:
        raise UnreadableError(f"is larger than {MAX_BYTES // 10**6} MB, which no file of a snapshot is")
    return content


def _names(folder: Path, prefix: str) -> Iterator[str]:
    with os.scandir(folder) as scanned:
        entries = list(scanned)
    if prefix and not entries:
        yield prefix
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _names(Path(entry.path), f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}"


@cache
def _keeps_modes(folder: Path) -> bool:
    """Whether modes mean anything there: git notes it where a file system has none (core.fileMode)."""
    try:
        setting = Repository(folder).text("config", "--type=bool", "--default=true", "core.fileMode")
    except GitError:
        return True
    return setting != "false"
