"""The logs in folders and archives, and how many other files are there.

An archive (.zip, .tar, .tar.gz, .tgz) is unpacked into a folder that is removed afterwards, without the files
that no log consists of. It may hold no more than a compressed table may (`evaluator.data.tables`), and
nothing that would lie outside.
"""

from __future__ import annotations

import os
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO

from evaluator.data.tables import ALWAYS, NEVER, TIMES
from evaluator.data.tasks import show
from evaluator.exchange.logs import helm, hub, lighteval, logs_in, read_logs
from evaluator.exchange.logs.base import EvaluationLog
from evaluator.records.errors import UserError

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")
#: How the names of logs end, and of the files of examples beside them.
LOGS, BESIDE = (".json", ".eval"), (".jsonl", ".parquet")
#: The most files that are taken from an archive.
FILES = 200_000


@dataclass
class FoundLogs:
    """The logs in some files, folders and archives; why others cannot be used; how many files are no logs.

    `archives` has by the folder that each was unpacked into its path.
    """

    logs: list[EvaluationLog] = field(default_factory=list)
    unfit: list[UserError] = field(default_factory=list)
    hidden: int = 0
    unrelated: int = 0
    archives: dict[str, str] = field(default_factory=dict)

    def shown(self, text: str) -> str:
        """A message with the path of an archive in place of the folder that it was unpacked into."""
        for folder, archive in self.archives.items():
            text = text.replace(folder, archive)
        return text

    @contextmanager
    def errors_named(self) -> Iterator[None]:
        """Let errors have the paths of archives in place of the folders that these were unpacked into."""
        try:
            yield
        except UserError as error:
            if not self.archives:
                raise
            raise UserError(self.shown(str(error))) from None

    def check_tasks(self) -> None:
        """Move logs of which some task cannot be read to those that cannot be used."""
        logs, self.logs = self.logs, []
        for log in logs:
            whole = replace(log, read_task=cache(log.read_task))
            try:
                for name in log.tasks:
                    whole.read_task(name)
            except UserError as error:
                self.unfit.append(error)
            else:
                self.logs.append(whole)

    @property
    def others(self) -> int:
        """How many files are not used."""
        return len(self.unfit) + self.hidden + self.unrelated


def is_archive(path: Path) -> bool:
    """Whether a file is an archive, by its name. A log of Inspect is a zip that is called .eval."""
    return path.is_file() and path.name.lower().endswith(ARCHIVES)


@contextmanager
def found_logs(paths: Iterable[Path]) -> Iterator[FoundLogs]:
    """The logs in `paths`, which can be read until the end. Raises `UserError`; errors name archives."""
    found = FoundLogs()
    with tempfile.TemporaryDirectory(prefix="steelyard-") as scratch, found.errors_named():
        for number, path in enumerate(paths):
            folder = path
            if is_archive(path):
                folder = Path(scratch, str(number))
                found.archives[str(folder)] = str(path)
                found.unrelated += _unpack(path, folder)
            if folder.is_dir():
                _search(folder, found)
            else:
                found.logs += read_logs(folder)
        yield found


def _search(folder: Path, found: FoundLogs) -> None:
    """Add what is in a folder and those in it, by name. Links to folders are not followed."""
    for root, folders, names in os.walk(folder):
        here = Path(root)
        shown = sorted(name for name in folders if not name.startswith(".") or name == hub.FOLDER)
        found.hidden += len(folders) - len(shown)
        folders[:] = shown
        is_run = helm.is_log(here)
        if is_run:
            _add(found, here)
        for name in sorted(names):
            if name.startswith("."):
                found.hidden += 1
            elif is_run or name == "model_meta.json" or lighteval.is_copy(here / name):
                continue
            elif not (here / name).is_file() or not (_may_be_log(here / name) or _is_beside(name)):
                found.unrelated += 1
            elif _may_be_log(here / name):
                _add(found, here / name)


def _may_be_log(path: Path) -> bool:
    return path.name.lower().endswith(LOGS) or hub.may_be_log(path)


def _is_beside(name: str) -> bool:
    return name.lower().endswith(BESIDE)


def _add(found: FoundLogs, path: Path) -> None:
    """Add the logs in a file, or in the folder of a run of HELM."""
    try:
        if path.is_file() and path.stat().st_size > NEVER:
            raise UserError(path, f"has more than {NEVER:,} bytes, the most that is read", "move it away")
        logs = [helm.read(path)] if path.is_dir() else logs_in(path)
    except UserError as error:
        found.unfit.append(error)
    except OSError as error:
        found.unfit.append(UserError(path, f"cannot be read ({error.strerror})", "see who may read it"))
    else:
        found.logs += logs
        found.unrelated += not logs


def _unpack(path: Path, folder: Path) -> int:
    """Unpack the files of an archive that logs consist of; returns how many others it has.

    Raises `UserError` for an archive that is broken, holds too much, or has a file that would lie outside or
    is a link, and then nothing of it is used.
    """
    limit = min(max(ALWAYS, TIMES * path.stat().st_size), NEVER)
    left_out = files = 0
    folder.mkdir()
    try:
        for name, content in _members(path):
            parts = PurePosixPath(name.replace("\\", "/")).parts
            if not parts or parts[0] == "/" or parts[0][1:2] == ":" or ".." in parts or "\0" in name:
                fix = "nothing of it was read; make the archive again from inside its folder"
                raise UserError(path, f"{show(name)} would lie outside of where it is unpacked", fix)
            files += 1
            if files > FILES:
                raise UserError(path, f"has more than {FILES:,} files", "import its folders one by one")
            if content is None:
                fix = "nothing of it was read; make the archive again with the file itself"
                raise UserError(path, f"{show(name)} is a link or a device", fix)
            target = folder.joinpath(*parts)
            if not (_may_be_log(target) or _is_beside(name)):
                left_out += 1
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                while chunk := content.read(min(2**20, limit + 1)):
                    limit -= file.write(chunk)
                    if limit < 0:
                        problem = "unpacks to more than is read of a file of its size"
                        raise UserError(path, problem, "unpack it, and import the folder")
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError,
            NotImplementedError) as error:  # fmt: skip
        raise UserError(path, f"cannot be unpacked ({error})", "fetch or make it again") from None
    return left_out


def _members(path: Path) -> Iterator[tuple[str, IO[bytes] | None]]:
    """The files of an archive by name; None for what is neither file nor folder, such as a link."""
    if path.name.lower().endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if info.is_dir():
                    continue
                is_link = stat.S_ISLNK(info.external_attr >> 16)
                yield info.filename, None if is_link else archive.open(info)
        return
    with tarfile.open(path) as tar:
        for member in tar:
            if not member.isdir():
                yield member.name, tar.extractfile(member) if member.isreg() else None
