"""Whether snapshots are unchanged: every byte by its hash, every rank by the scorer that made it.

Nothing in a snapshot is trusted, and nothing in it makes this raise. A scorer is run only if it is that of a
version which this program knows (`evaluator.publish.snapshots.scorers`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
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
    is_file_name,
    is_shared_name,
    parsed,
    place_of,
    read_record,
)
from evaluator.publish.snapshots.scorers import differences, file_hash, rank_cells, version_of
from evaluator.publish.snapshots.sources import Folder, SnapshotFiles
from evaluator.records.base import Digest
from evaluator.records.canonical import dump
from evaluator.records.errors import UserError
from evaluator.records.snapshot import Snapshot

#: The hashes that each file of the site's Python may have.
Hashes = Mapping[str, Sequence[Digest]]
#: Says where a site has the Python that runs scorers in the browser, as seen from a snapshot.
RUNTIME = "../../runtime/current.json"
_RUNTIME_FOLDER = re.compile(r"runtime/[0-9a-f]+/\Z")
#: Pages of a site about its snapshots, beside those that compare two.
SITE_PAGES = ("index.html", "feed.xml")


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
    verifier = _Verifier(runtime or {})
    found = verifier.found
    entries = verifier.listed(source)
    where = source.where(f"../{VERSIONS}")
    if entries is None and source.names() is None and not found.problems:
        message = "is missing; every site has it beside its snapshots: build it again"
        found.problems.append(SnapshotProblem(where, message))
    elif entries is not None and source.name not in entries:
        message = f"does not list {source.name}: it was renamed, or never finished; restore its name"
        found.problems.append(SnapshotProblem(where, message))
    verifier.check(source, (entries or {}).get(source.name))
    if cited is not None:
        found.problems += _not_cited(source, cited)
    found.not_covered += verifier.not_covered(source)
    return found


def verify_all(root: Path, runtime: Hashes | None = None, *, rank: bool = True) -> Verified:
    """Verify all snapshots in a folder: those listed, and that there is nothing else.

    The folder is that of the results, or of a site, which also holds pages about snapshots. Without `rank`
    only the hashes of all files are computed, as by a build that copies them.
    """
    verifier = _Verifier(runtime or {}, rank)
    found, top = verifier.found, Folder(root / "none")
    entries = verifier.listed(top)
    if found.problems:
        return found
    for name, entry in (entries or {}).items():
        verifier.check(Folder(root / name), entry)
    found.problems += verifier.unlisted(root, entries or {})
    if rank:
        found.not_covered += verifier.not_covered(top)
    return found


class _Verifier:
    """Looks at snapshots one by one, and at each file that they share once.

    `right` has the hash of each shared file that has it, by name; `folders` the files of each shared
    manifest, by its name and hash, None where that is not right, as nobody can say then what belongs to it.
    """

    def __init__(self, runtime: Hashes, rank: bool = True) -> None:
        self.known_runtime, self.rank = runtime, rank
        self.found = Verified()
        self.right: dict[str, Digest] = {}
        self.folders: dict[tuple[str, Digest], dict[str, Digest] | None] = {}
        self.runtime_files: dict[str, Digest | None] = {}
        self.unpinned = 0

    def wrong(self, source: SnapshotFiles, name: str, message: object) -> None:
        """Add a problem with a file; an error's message may begin with the file."""
        where = source.where(name)
        problem = SnapshotProblem(where, str(message).removeprefix(f"{where}: "))
        if problem not in self.found.problems:
            self.found.problems.append(problem)

    def listed(self, source: SnapshotFiles) -> dict[str, Listed] | None:
        """What ``versions.json`` beside a snapshot lists by id, None where there is no such file."""
        name = f"../{VERSIONS}"
        try:
            content = source.read(name)
            entries = None if content is None else parsed(Versions, content, source.where(name)).snapshots
        except UserError as error:
            self.wrong(source, name, error)
            return None
        if entries is None:
            return None
        by_id = {entry.id: entry for entry in entries}
        if len(by_id) < len(entries):
            self.wrong(source, name, "lists a snapshot twice; restore the file")
        return by_id

    def check(self, source: SnapshotFiles, entry: Listed | None) -> None:
        """Check every file of a snapshot, and rank it again if nothing is wrong with them."""
        before = len(self.found.problems)
        self.found.snapshots += 1
        manifest = self._manifest(source, entry)
        if manifest is None:
            return
        kept = self._files(source, manifest)
        if not self.rank or RECORD not in kept:
            return
        try:
            snapshot = read_record(kept[RECORD], source.where(RECORD))
        except UserError as error:
            self.wrong(source, RECORD, error)
            return
        for problem in _record_problems(source.name, snapshot, kept[RECORD], manifest):
            self.wrong(source, RECORD, problem)
        if entry is not None:
            of_record = {"board": snapshot.board["id"], "title": snapshot.board["title"]}
            for name, value in (of_record | {"created": snapshot.created}).items():
                if (listed := getattr(entry, name)) != value:
                    message = f"{snapshot.id}: {name}: is {listed!r}, and {RECORD} says {value!r}"
                    self.wrong(source, f"../{VERSIONS}", f"{message}; restore the file")
        if len(self.found.problems) == before:
            self._rank(source, snapshot, kept, manifest)
        self.unpinned += not snapshot.runtime
        self._check_runtime(source, snapshot.runtime)

    def _manifest(self, source: SnapshotFiles, entry: Listed | None) -> dict[str, Digest] | None:
        """The hashes of a snapshot's files by name, None where that cannot be known."""
        try:
            content = source.read(MANIFEST)
            if content is None:
                self.wrong(source, MANIFEST, "is missing; restore the file")
                return None
            manifest = parsed(Manifest, content, source.where(MANIFEST))
        except UserError as error:
            self.wrong(source, MANIFEST, error)
            return None
        self.found.files += 1
        if entry is not None and file_hash(content) != entry.manifest:
            message = f"was changed: its hash is {file_hash(content)}, and {VERSIONS} says {entry.manifest}"
            self.wrong(source, MANIFEST, f"{message}; restore the file")
        if manifest.snapshot != source.name:
            message = f"is of snapshot {manifest.snapshot}, but is in {source.name}"
            self.wrong(source, MANIFEST, f"{message}; restore the folder's name")
        bad = [name for name in manifest.files if not is_file_name(name)]
        for name in bad:
            message = f"names a file {name[:200]!r}, which it may not; restore the file"
            self.wrong(source, MANIFEST, message)
        files = {name: hashed for name, hashed in manifest.files.items() if name not in bad}
        shared = [(name, hashed) for name, hashed in files.items() if name.startswith("../")]
        for name, hashed in shared:
            if (name, hashed) not in self.folders:
                self.folders[name, hashed] = self._shared_folder(source, name, hashed)
            files |= self.folders[name, hashed] or {}
        missing = sorted({RECORD, place_of("dynascore.py", files)} - {*files})
        if missing and all(self.folders[one] is not None for one in shared):
            message = f"does not name {' and '.join(missing)}, which every snapshot has; restore the file"
            self.wrong(source, MANIFEST, message)
        return files

    def _shared_folder(self, source: SnapshotFiles, name: str, hashed: Digest) -> dict[str, Digest] | None:
        """What the manifest of a shared folder lists, None where that cannot be known."""
        content = self._content(source, name, hashed)
        if content is None:
            return None
        try:
            files = parsed(SharedManifest, content, source.where(name)).files
        except UserError as error:
            self.wrong(source, name, error)
            return None
        if bad := [inner for inner in files if not is_shared_name(inner)]:
            self.wrong(source, name, f"names a file {bad[0][:200]!r}, which it may not; restore the file")
            return None
        return {f"{name.removesuffix(MANIFEST)}{inner}": digest for inner, digest in files.items()}

    def _files(self, source: SnapshotFiles, manifest: Mapping[str, Digest]) -> dict[str, bytes]:
        """The contents of the files whose hashes are right, by name; shared ones that are not Python only
        when they are first met."""
        for name in sorted((source.names() or set()) - {MANIFEST, *manifest}):
            added = f"is not in {MANIFEST}: it was added or renamed; remove it"
            self.wrong(source, name, _EMPTY if name.endswith("/") else added)
        kept = {}
        for name, hashed in manifest.items():
            self.found.files += 1
            known = self.right.get(name) == hashed and not (self.rank and name.endswith(".py"))
            if known or (name, hashed) in self.folders:
                continue
            content = self._content(source, name, hashed)
            if content is not None:
                kept[name] = content
                if name.startswith("../"):
                    self.right[name] = hashed
        return kept

    def _content(self, source: SnapshotFiles, name: str, hashed: Digest) -> bytes | None:
        """A file's bytes if they have that hash, else a problem and None."""
        try:
            content = source.read(name)
        except UserError as error:
            self.wrong(source, name, error)
            return None
        if content is None:
            self.wrong(source, name, "is missing; restore the file")
        elif file_hash(content) != hashed:
            message = f"was changed: its hash is {file_hash(content)}, and {MANIFEST} says {hashed}"
            self.wrong(source, name, f"{message}; restore the file")
            return None
        return content

    def _rank(
        self,
        source: SnapshotFiles,
        snapshot: Snapshot,
        kept: Mapping[str, bytes],
        manifest: Mapping[str, Digest],
    ) -> None:
        """Compare what the snapshot's scorer gives with what is stored, if the scorer is a known one."""
        places = {name: place_of(name, manifest) for name in snapshot.scorer}
        if version_of(snapshot.scorer) is None:
            where, hashed = source.where(places.get("dynascore.py", RECORD)), snapshot.scorer["dynascore.py"]
            self.found.not_ranked.append(
                f"{where}: the ranks were not computed again: this program knows no version whose scorer has"
                f" the hash {hashed}; update steelyard"
            )
            return
        if not {*places.values()} <= kept.keys():
            return  # A file of the scorer is wrong, which was said of another snapshot that shares it.
        files = {name: kept[place] for name, place in places.items()}
        recorded = snapshot.certainty
        try:
            confidence = {"confidence": recorded.confidence} if recorded else {}
            certainty = kept[CERTAINTY] if recorded else None
            answer = rank_cells(snapshot.data, snapshot.weights, certainty, files=files, **confidence)
        except UserError as error:
            self.wrong(source, RECORD, error)
            return
        self.found.ranked += 1
        for difference in differences(snapshot, answer):
            self.wrong(source, RECORD, difference)

    def _check_runtime(self, source: SnapshotFiles, pinned: Hashes) -> None:
        """Check the Python that the snapshot's page loads: what it was frozen with, or what we know."""
        try:
            folder = _runtime_folder(source) if pinned else None
            for name, hashes in pinned.items() if folder else ():
                path = f"../../{folder}{name}"
                where = source.where(path)
                if where not in self.runtime_files:
                    content = source.read(path)
                    self.runtime_files[where] = None if content is None else file_hash(content)
                found = self.runtime_files[where]
                if found is None:
                    self.wrong(source, path, "is missing; build the site again")
                elif found not in (*hashes, *self.known_runtime.get(name, ())):
                    message = f"is not the Python that snapshots were frozen with: its hash is {found}, and"
                    fix = "build the site again or, if a newer steelyard built it, update this one"
                    self.wrong(source, path, f"{message} records say {' or '.join(hashes)}; {fix}")
        except UserError as error:
            self.wrong(source, RUNTIME, error)

    def unlisted(self, root: Path, entries: Mapping[str, Listed]) -> Iterator[SnapshotProblem]:
        """What is among the snapshots and is neither one that is listed nor a file that one of them uses."""
        names = sorted(Folder(root).names())
        if names and VERSIONS not in names:
            yield SnapshotProblem(str(root / VERSIONS), "is missing; restore the file")
            return
        in_site = _is_site(Folder(root / "none"))
        for name in names:
            first = name.partition("/")[0]
            if name == VERSIONS or first in entries or self._is_shared(f"../{name}"):
                continue
            if in_site and (name in SITE_PAGES or _compares(name, entries)):
                continue
            if name.endswith("/"):
                message = _EMPTY
            elif first == ASSETS:
                message = "no snapshot has such a file; remove it"
            else:
                message = f"belongs to no snapshot that {VERSIONS} lists; remove it"
            yield SnapshotProblem(str(root / name), message)

    def _is_shared(self, name: str) -> bool:
        """Whether a snapshot has a shared file of that name, right or not, or may have one."""
        return any(
            name == manifest
            or (name.startswith(manifest.removesuffix(MANIFEST)) if files is None else name in files)
            for (manifest, _), files in self.folders.items()
        )

    def not_covered(self, source: SnapshotFiles) -> Iterator[str]:
        """What is beside the snapshots, or used by their pages, and was not checked."""
        if source.names() is not None and not _is_site(source):
            yield "the Python that pages run the scorers with, which is in the site: verify build/snapshots"
            return
        yield f"pages about snapshots ({', '.join(SITE_PAGES)}, diff/), which every build makes again"
        if self.unpinned:
            plural = "s" * (self.unpinned > 1)
            yield f"the Python of {self.unpinned} snapshot{plural} frozen without its hash"


_EMPTY = "is an empty folder, and snapshots have none; remove it"


def _record_problems(
    folder: str, snapshot: Snapshot, content: bytes, manifest: Mapping[str, Digest]
) -> Iterator[str]:
    """Whether a record fits its own hash, its place and the files beside it."""
    try:
        document = json.loads(content)
        expected = id_of(snapshot.created, content_hash(document))
        as_written = dump(document, compact=True)
    except (ValueError, RecursionError) as error:
        yield f"has no canonical form: {error}; restore the file"
        return
    if content != as_written:
        yield "is not laid out as it was written; restore the file"
    if snapshot.id != expected:
        yield f"id: is {snapshot.id}, but its time and content give {expected}; restore the file"
    if snapshot.id != folder:
        yield f"id: is {snapshot.id}, but the folder is {folder}; restore the folder's name"
    for name in sorted({*snapshot.scorer, "dynascore.py"}):
        stored, hashed = snapshot.scorer.get(name), manifest.get(place_of(name, manifest))
        if stored != hashed:
            yield f"scorer: {name} has the hash {stored}, and {MANIFEST} says {hashed}; restore the file"
    stored, hashed = snapshot.certainty.sha256 if snapshot.certainty else None, manifest.get(CERTAINTY)
    if stored != hashed:
        yield f"certainty: {CERTAINTY} has the hash {stored}, and {MANIFEST} says {hashed}; restore the file"


def _not_cited(source: SnapshotFiles, cited: str) -> Iterator[SnapshotProblem]:
    """Whether the record is the one that somebody cited, by its hash or by that of the manifest."""
    try:
        files = {name: source.read(name) for name in (RECORD, MANIFEST)}
    except UserError:
        return
    hashes = {name: file_hash(content) for name, content in files.items() if content is not None}
    if f"sha256:{cited}" not in hashes.values():
        found = ", ".join(f"that of {name} is {hashed}" for name, hashed in hashes.items())
        fix = "fetch the snapshot anew from the address in the citation"
        message = f"is not the one cited: --sha256 is sha256:{cited}, but {found}; {fix}"
        yield SnapshotProblem(source.where(RECORD), message)


def _runtime_folder(source: SnapshotFiles) -> str | None:
    """Where a site has its runtime, from the site's root; None where the snapshots are in no site.

    Raises `UserError` where that is not said.
    """
    content = source.read(RUNTIME)
    if content is None and source.names() is not None:
        return None
    try:
        folder = json.loads(content or b"")["runtime"]
    except (ValueError, KeyError, TypeError, RecursionError):
        folder = None
    if not isinstance(folder, str) or not _RUNTIME_FOLDER.match(folder):
        raise UserError("", "is missing, or does not say where Python is", "build the site again")
    return folder


def _is_site(source: SnapshotFiles) -> bool:
    """Whether the snapshots are those of a built site."""
    try:
        return _runtime_folder(source) is not None
    except UserError:
        return True


def _compares(name: str, entries: Mapping[str, Listed]) -> bool:
    """Whether a file of a site is the page that compares two of the snapshots."""
    parts = name.split("/")
    return (
        len(parts) == 3 and parts[::2] == ["diff", "index.html"] and {*parts[1].split("..")} <= entries.keys()
    )
