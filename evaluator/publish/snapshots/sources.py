"""Where the files of a snapshot are read from: a folder, or the web. Nothing in them is trusted."""

from __future__ import annotations

import http.client
import os
import stat
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from evaluator.records.errors import UserError

#: No file of a snapshot is larger; a larger one is not read.
MAX_BYTES = 32 * 10**6
TIMEOUT_S = 30.0


class SnapshotFiles(Protocol):
    """The files around one snapshot, by name relative to its folder."""

    name: str

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, None where there is none. Raises `UserError`."""

    def names(self) -> set[str] | None:
        """The names of all files in the snapshot's folder, None where that cannot be known.

        A folder that holds nothing is among them, with a slash at its end.
        """

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
            raise UserError(path, f"is in {link}, which is a link", "put the folder itself in its place")
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            fix = "if it is a link, put the file itself in its place"
            raise UserError(path, f"cannot be read: {error.strerror}", fix) from None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UserError(path, "is no plain file", "put the file itself in its place")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return _limited(file.read(MAX_BYTES + 1), str(path))
        finally:
            os.close(descriptor)

    def names(self) -> set[str]:
        return set(_names(self.path, "")) if self.path.is_dir() else set()

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
        request = urllib.request.Request(self.where(name), headers={"User-Agent": "steelyard"})
        try:
            with self.opener.open(request, timeout=TIMEOUT_S) as answer:
                return _limited(answer.read(MAX_BYTES + 1), self.where(name))
        except urllib.error.HTTPError as error:
            if error.code in (404, 410):
                return None
            reason = (str(error.reason).splitlines() or [""])[0]
            raise UserError(self.where(name), f"the server answers {error.code}: {reason}") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise UserError(self.where(name), f"cannot be fetched: {error}") from None

    def names(self) -> None:
        return None

    def where(self, name: str) -> str:
        return urllib.parse.urljoin(self.url, name)


def _limited(content: bytes, where: str) -> bytes:
    if len(content) > MAX_BYTES:
        raise UserError(where, f"is larger than {MAX_BYTES // 10**6} MB, which no file of a snapshot is")
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
