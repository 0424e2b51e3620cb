"""Whether snapshots are unchanged: every byte by its hash, every rank by the scorer that made it.

Nothing in a snapshot is trusted, and nothing in it makes this raise. A scorer is run only if it is that of a
version which this program knows (`evaluator.publish.snapshots.scorers`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.publish.snapshots.freezing import content_hash, id_of
from evaluator.publish.snapshots.repository import (
    ASSETS,
    CERTAINTY,
    MANIFEST,
    RECORD,
    VERSIONS,
    Listed,
    Manifest,
    SharedManifest,
    Versions,
    parsed,
    read_record,
)
from evaluator.publish.snapshots.scorers import differences, file_hash, rank_cells, version_of
from evaluator.publish.snapshots.sources import Folder, SnapshotFiles
from evaluator.records.base import Digest, dump
from evaluator.records.errors import UserError
from evaluator.records.snapshot import Snapshot

#: The hashes that each file of the site's Python may have.
Hashes = Mapping[str, Sequence[Digest]]
#: Says where a site has the Python that runs scorers in the browser, as seen from a snapshot.
RUNTIME = "../../runtime/current.json"
_RUNTIME_FOLDER = re.compile(r"runtime/[0-9a-f]+/\Z")
#: Pages of a site about its snapshots, beside those that compare two.
SITE_PAGES = ("index.html", "feed.xml")
RESTORE = "restore the file"


@dataclass(frozen=True)
class SnapshotProblem:
    """What is wrong with a file, and what to do about it."""

    file: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.message}"


@dataclass
class Verified:
    """What was looked at and what was found: nothing wrong if there are no `problems`.

    `not_ranked` says of snapshots why their ranks were not computed again, `not_covered` names what is beside
    the snapshots, or used by their pages, and was not checked.
    """

    snapshots: int = 0
    files: int = 0
    ranked: int = 0
    problems: list[SnapshotProblem] = field(default_factory=list)
    not_ranked: list[str] = field(default_factory=list)
    not_covered: list[str] = field(default_factory=list)


def verify(source: SnapshotFiles, runtime: Hashes | None = None, cited: str | None = None) -> Verified:
    """Verify one snapshot.

    The list beside it is checked too; a folder may be without one, as when it is a copy on its own. `runtime`
    has hashes of the site's Python that are known, beside those in the snapshot. `cited` are the 64 digits
    of a SHA-256 that ``snapshot.json`` must have, as in a citation, or ``manifest.json``.
    """
    verifier = _Verifier(source, runtime or {}, rank=True)
    entries = verifier.listed()
    if entries is None and source.names() is None and not verifier.found.problems:
        message = "is missing; every site has it beside its snapshots: build it again"
        verifier.wrong(source, f"../{VERSIONS}", message)
    elif entries is not None and source.name not in entries:
        message = f"does not list {source.name}: it was renamed, or never finished; restore its name"
        verifier.wrong(source, f"../{VERSIONS}", message)
    verifier.check(source, (entries or {}).get(source.name))
    if cited is not None:
        verifier.check_citation(source, f"sha256:{cited}")
    return verifier.found


def verify_all(root: Path, runtime: Hashes | None = None, *, rank: bool = True) -> Verified:
    """Verify all snapshots in a folder: those listed, and that there is nothing else.

    The folder is that of the results, or of a site, which also holds pages about snapshots. Without `rank`
    only the hashes of all files are computed, as by a build that copies them.
    """
    verifier = _Verifier(Folder(root / "none"), runtime or {}, rank)
    entries = verifier.listed()
    if not verifier.found.problems:
        for name, entry in (entries or {}).items():
            verifier.check(Folder(root / name), entry)
        verifier.check_beside(root, entries or {})
    return verifier.found


class _Verifier:
    """Looks at snapshots one by one, and at each file that they share once.

    `top` is one of the snapshots, or where one would be. `contents` has the bytes of each shared file by its
    place and hash, None where they are others; `shared` the names of all files that snapshots share, and of
    folders, with a slash, whose manifest is not right, as nobody can say then what belongs to them.
    """

    def __init__(self, top: SnapshotFiles, runtime: Hashes, rank: bool) -> None:
        self.top, self.known_runtime, self.rank = top, runtime, rank
        self.found = Verified()
        self.contents: dict[tuple[str, Digest], bytes | None] = {}
        self.shared: set[str] = set()
        self.runtime_hashes: dict[str, Digest] = {}
        #: Whether the snapshots are those of a site, and where it has its Python, from the site's root.
        self.in_site, self.runtime_folder = True, ""
        with self._naming(top, RUNTIME):
            content = top.read(RUNTIME)
            self.in_site = content is not None or top.names() is None
            self.runtime_folder = _runtime_folder(content) if self.in_site else ""
        if rank:
            self.found.not_covered.append(
                f"pages about snapshots ({', '.join(SITE_PAGES)}, diff/), which every build makes again"
                if self.in_site
                else "the Python that pages run scorers with, which is in the site: verify build/snapshots"
            )

    def wrong(self, source: SnapshotFiles, name: str, message: object) -> None:
        """Add a problem with a file; an error's message may begin with the file."""
        where = source.where(name)
        problem = SnapshotProblem(where, str(message).removeprefix(f"{where}: "))
        if problem not in self.found.problems:
            self.found.problems.append(problem)

    @contextmanager
    def _naming(self, source: SnapshotFiles, name: str) -> Iterator[None]:
        """What makes a file useless is a problem of it."""
        try:
            yield
        except UserError as error:
            self.wrong(source, name, error)

    def listed(self) -> dict[str, Listed] | None:
        """What ``versions.json`` lists by id, None where there is no such file, or no right one."""
        name = f"../{VERSIONS}"
        with self._naming(self.top, name):
            content = self.top.read(name)
            if content is not None:
                entries = parsed(Versions, content, self.top.where(name)).snapshots
                by_id = {entry.id: entry for entry in entries}
                if len(by_id) < len(entries):
                    raise UserError("", "lists a snapshot twice", RESTORE)
                return by_id
        return None

    def check(self, source: SnapshotFiles, entry: Listed | None) -> None:
        """Check every file of a snapshot, and rank it again if nothing is wrong with them."""
        before = len(self.found.problems)
        self.found.snapshots += 1
        manifest = self._manifest(source, entry)
        if manifest is None:
            return
        own = {name: hashed for name, hashed in manifest.files.items() if not name.startswith("../")}
        for name in sorted((source.names() or set()) - {MANIFEST, *own}):
            added = f"is not in {MANIFEST}: it was added or renamed; remove it"
            self.wrong(source, name, _EMPTY if name.endswith("/") else added)
        contents = {name: self._content(source, name, hashed) for name, hashed in own.items()}
        shared = [(name, hashed) for name, hashed in manifest.files.items() if name not in own]
        folders = [self._folder(source, *one) for one in shared]
        record = contents.get(RECORD)
        if not self.rank or record is None:
            return
        with self._naming(source, RECORD):
            snapshot = read_record(record, source.where(RECORD))
            for problem in _record_problems(source.name, snapshot, record, own):
                self.wrong(source, RECORD, problem)
            if entry is not None:
                self._check_entry(source, entry, snapshot)
            scorer = next((files for files, hashes in folders if hashes == snapshot.scorer), None)
            if scorer is None and len(self.found.problems) == before:
                raise UserError("", "scorer: no folder that it shares has these files", RESTORE)
            if len(self.found.problems) == before and scorer is not None and None not in scorer.values():
                self._rank(source, snapshot, scorer, contents.get(CERTAINTY))
            if self.in_site and self.runtime_folder:
                self._check_runtime(source, snapshot.runtime)

    def _manifest(self, source: SnapshotFiles, entry: Listed | None) -> Manifest | None:
        """A snapshot's manifest, None where it cannot be read."""
        with self._naming(source, MANIFEST):
            content = source.read(MANIFEST)
            if content is None:
                raise UserError("", "is missing", RESTORE)
            manifest = parsed(Manifest, content, source.where(MANIFEST))
            self.found.files += 1
            if entry is not None and file_hash(content) != entry.manifest:
                was = f"was changed: its hash is {file_hash(content)}, and {VERSIONS} says {entry.manifest}"
                self.wrong(source, MANIFEST, f"{was}; {RESTORE}")
            if manifest.snapshot != source.name:
                message = f"is of snapshot {manifest.snapshot}, but is in {source.name}"
                self.wrong(source, MANIFEST, f"{message}; restore the folder's name")
            if RECORD not in manifest.files:
                self.wrong(source, MANIFEST, f"does not name {RECORD}, which every snapshot has; {RESTORE}")
            return manifest
        return None

    def _check_entry(self, source: SnapshotFiles, entry: Listed, snapshot: Snapshot) -> None:
        """Check that the list says of a snapshot what its record does."""
        of_record = {"board": snapshot.board["id"], "title": snapshot.board["title"]}
        for name, value in (of_record | {"created": snapshot.created}).items():
            if (listed := getattr(entry, name)) != value:
                message = f"{snapshot.id}: {name}: is {listed!r}, and {RECORD} says {value!r}"
                self.wrong(source, f"../{VERSIONS}", f"{message}; {RESTORE}")

    def _folder(
        self, source: SnapshotFiles, name: str, hashed: Digest
    ) -> tuple[dict[str, bytes | None], dict[str, Digest]]:
        """The files of a shared folder and their hashes by name, none if its manifest `name` is not right."""
        folder = name.removesuffix(MANIFEST)
        self.shared.add(name.removeprefix("../"))
        content = self._content(source, name, hashed)
        if content is not None:
            with self._naming(source, name):
                hashes = parsed(SharedManifest, content, source.where(name)).files
                self.shared |= {f"{folder}{inner}".removeprefix("../") for inner in hashes}
                files = {inner: self._content(source, folder + inner, hashes[inner]) for inner in hashes}
                return files, hashes
        self.shared.add(folder.removeprefix("../"))
        return {}, {}

    def _content(self, source: SnapshotFiles, name: str, hashed: Digest) -> bytes | None:
        """A file's bytes if they have that hash, else a problem and None."""
        self.found.files += 1
        key = source.where(name), hashed
        if key not in self.contents:
            found = None
            with self._naming(source, name):
                content = source.read(name)
                if content is None:
                    raise UserError("", "is missing", RESTORE)
                if file_hash(content) != hashed:
                    was = f"was changed: its hash is {file_hash(content)}, and {MANIFEST} says {hashed}"
                    raise UserError("", was, RESTORE)
                found = content
            if not name.startswith("../"):
                return found
            self.contents[key] = found
        return self.contents[key]

    def _rank(
        self,
        source: SnapshotFiles,
        snapshot: Snapshot,
        scorer: Mapping[str, bytes | None],
        certainty: bytes | None,
    ) -> None:
        """Compare what the snapshot's scorer gives with what is stored, if the scorer is a known one."""
        if version_of(snapshot.scorer) is None:
            self.found.not_ranked.append(
                f"{source.where(RECORD)}: the ranks were not computed again: this program knows no version"
                f" whose scorer has the hash {snapshot.scorer.get('dynascore.py')}; update steelyard"
            )
            return
        files = {name: content for name, content in scorer.items() if content is not None}
        confidence = {"confidence": snapshot.certainty.confidence} if snapshot.certainty else {}
        answer = rank_cells(snapshot.data, snapshot.weights, certainty, files=files, **confidence)
        self.found.ranked += 1
        for difference in differences(snapshot, answer):
            self.wrong(source, RECORD, difference)

    def _check_runtime(self, source: SnapshotFiles, pinned: Hashes) -> None:
        """Check the Python that the snapshot's page loads: what it was frozen with, or what we know."""
        for name, hashes in pinned.items():
            path = f"../../{self.runtime_folder}{name}"
            with self._naming(source, path):
                if name not in self.runtime_hashes:
                    content = source.read(path)
                    if content is None and "/" in name:
                        continue  # a part that a site may lack: pages do without it
                    if content is None:
                        raise UserError("", "is missing", "build the site again")
                    self.runtime_hashes[name] = file_hash(content)
                found = self.runtime_hashes[name]
                if found not in (*hashes, *self.known_runtime.get(name, ())):
                    message = f"is not the Python that snapshots were frozen with: its hash is {found}, and"
                    fix = "build the site again or, if a newer steelyard built it, update this one"
                    raise UserError("", f"{message} records say {' or '.join(hashes)}", fix)

    def check_citation(self, source: SnapshotFiles, cited: Digest) -> None:
        """Check that the record is the one that somebody cited, by its hash or by that of the manifest."""
        with self._naming(source, RECORD):
            files = {name: source.read(name) for name in (RECORD, MANIFEST)}
            hashes = {name: file_hash(content) for name, content in files.items() if content is not None}
            if cited not in hashes.values():
                found = ", ".join(f"that of {name} is {hashed}" for name, hashed in hashes.items())
                fix = "fetch the snapshot anew from the address in the citation"
                raise UserError("", f"is not the one cited: --sha256 is {cited}, but {found}", fix)

    def check_beside(self, root: Path, entries: Mapping[str, Listed]) -> None:
        """Name what is among the snapshots and is neither one that is listed nor a file that one uses."""
        here = Folder(root)
        names = sorted(here.names())
        if names and VERSIONS not in names:
            self.wrong(here, VERSIONS, f"is missing; {RESTORE}")
            return
        unreadable = tuple(name for name in self.shared if name.endswith("/"))
        for name in names:
            first = name.partition("/")[0]
            if name == VERSIONS or first in entries or name in self.shared or name.startswith(unreadable):
                continue
            if self.in_site and (name in SITE_PAGES or _compares(name, entries)):
                continue
            if name.endswith("/"):
                self.wrong(here, name, _EMPTY)
            elif first == ASSETS:
                self.wrong(here, name, "no snapshot has such a file; remove it")
            else:
                self.wrong(here, name, f"belongs to no snapshot that {VERSIONS} lists; remove it")


_EMPTY = "is an empty folder, and snapshots have none; remove it"


def _record_problems(
    folder: str, snapshot: Snapshot, content: bytes, own: Mapping[str, Digest]
) -> Iterator[str]:
    """Whether a record fits its own hash, its place and the files beside it."""
    try:
        document = json.loads(content)
        expected = id_of(snapshot.created, content_hash(document))
        as_written = dump(document, compact=True)
    except (ValueError, RecursionError) as error:
        yield f"has no canonical form: {error}; {RESTORE}"
        return
    if content != as_written:
        yield f"is not laid out as it was written; {RESTORE}"
    if snapshot.id != expected:
        yield f"id: is {snapshot.id}, but its time and content give {expected}; {RESTORE}"
    if snapshot.id != folder:
        yield f"id: is {snapshot.id}, but the folder is {folder}; restore the folder's name"
    stored, hashed = snapshot.certainty.sha256 if snapshot.certainty else None, own.get(CERTAINTY)
    if stored != hashed:
        yield f"certainty: {CERTAINTY} has the hash {stored}, and {MANIFEST} says {hashed}; {RESTORE}"


def _runtime_folder(content: bytes | None) -> str:
    """Where a site has its Python, from its root. Raises `UserError` where that is not said."""
    try:
        folder = json.loads(content or b"")["runtime"]
    except (ValueError, KeyError, TypeError, RecursionError):
        folder = None
    if not isinstance(folder, str) or not _RUNTIME_FOLDER.match(folder):
        raise UserError("", "is missing, or does not say where Python is", "build the site again")
    return folder


def _compares(name: str, entries: Mapping[str, Listed]) -> bool:
    """Whether a file of a site is the page that compares two of the snapshots."""
    parts = name.split("/")
    return (
        len(parts) == 3 and parts[::2] == ["diff", "index.html"] and {*parts[1].split("..")} <= entries.keys()
    )
