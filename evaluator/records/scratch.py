"""Files and folders under way: complete under their own name, or not there at all.

Each is beside the place it is for, under a name that only this program uses, and is locked by the process
that writes it. The operating system releases the lock however that process ends, so what can be
locked here was left by a process that is dead, and the next one to write in the same folder removes it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evaluator.records.errors import UserError

#: How every name here begins: a user's own files never have such names.
PREFIX = ".steelyard-"
FILE = ".tmp"


def write_atomic(path: Path, content: bytes) -> None:
    """Write a file so that it ends up complete or absent, also when the machine stops half-way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path.parent)
    descriptor, temporary = _locked(lambda: _empty_file(path.parent), os.O_WRONLY)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


@contextmanager
def scratch_folder(target: Path) -> Iterator[Path]:
    """A new folder in the one that `target` is in; it is removed at the end unless it was renamed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(target.parent)
    descriptor, folder = _locked(lambda: tempfile.mkdtemp("", PREFIX, target.parent), os.O_RDONLY)
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def remove_leftovers(folder: Path) -> None:
    """Remove from `folder` what processes that are dead were writing there."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX):
                _remove_if_left(entry.path)


def ready_to_write(root: Path, *folders: Path) -> None:
    """Remove what dead processes left anywhere under `root`, and make sure that files can be written.

    To be called before long work whose result goes there. In `root` and in each of `folders` that exist, or
    the nearest folder above, a file is really made: modes do not say what root may do, nor what a file system
    that is mounted read-only refuses. Raises `UserError`.
    """
    for folder, below, _ in os.walk(root):
        remove_leftovers(Path(folder))
        below[:] = [name for name in below if not name.startswith(PREFIX)]
    for place in dict.fromkeys(_nearest(folder) for folder in (root, *folders)):
        _try_to_write(place)


def is_leftover(path: Path) -> bool:
    """Whether `path` is what an interrupted run left, and not what a process that is alive is writing."""
    if not path.name.startswith(PREFIX) or (descriptor := _unlocked(str(path))) is None:
        return False
    os.close(descriptor)
    return True


def _nearest(folder: Path) -> Path:
    """The folder, or where it is missing the nearest above it that is there, whatever that is."""
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    return folder


def _try_to_write(folder: Path) -> None:
    try:
        with tempfile.TemporaryFile(prefix=PREFIX, suffix=FILE, dir=folder):
            pass
    except OSError as error:
        fix = "make it a folder that may be written to, or name another one"
        raise UserError(f"{folder}: nothing can be written there ({error.strerror}); {fix}") from None


def _remove_if_left(path: str) -> None:
    if (descriptor := _unlocked(path)) is None:
        return
    with suppress(OSError):
        if path.endswith(FILE):
            Path(path).unlink(missing_ok=True)
        else:
            shutil.rmtree(path, ignore_errors=True)
    os.close(descriptor)


def _unlocked(path: str) -> int | None:
    """What was left, open and locked; None if it is in use, or this file system cannot say whether it is."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _empty_file(folder: Path) -> str:
    descriptor, path = tempfile.mkstemp(FILE, PREFIX, folder)
    os.close(descriptor)
    return path


def _locked(make: Callable[[], str], flags: int) -> tuple[int, str]:
    """What `make` makes, open and locked; made again if it was removed as a leftover before that."""
    while True:
        path = make()
        with suppress(FileNotFoundError):
            descriptor = os.open(path, flags)
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.path.exists(path):
                return descriptor, path
            os.close(descriptor)


def sync_directory(path: Path) -> None:
    """Put on disk what files are in a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
