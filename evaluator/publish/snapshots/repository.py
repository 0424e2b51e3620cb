"""Snapshots on disk: a folder each, written once, and the list of all of them.

``<results>/snapshots/<id>/`` holds ``snapshot.json``, what the page writer adds, and ``manifest.json``
with the hash of each. ``assets/<hash>/`` holds files that many snapshots share, the scorer among them, and
a manifest of these; a snapshot's own manifest has the hash of that manifest.
``versions.json`` beside the folders lists the snapshots, oldest first, each with the hash of its manifest:
with that file alone all others can be checked.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, StringConstraints, ValidationError

from evaluator.publish.snapshots.scorers import file_hash, shipped
from evaluator.records.base import Digest, Moment, Record, Slug, describe_errors, dump, parse_record
from evaluator.records.errors import UserError, or_one_of
from evaluator.records.scratch import scratch_folder, write_atomic
from evaluator.records.snapshot import SNAPSHOT_ID, Snapshot
from evaluator.records.store import SNAPSHOTS

RECORD, MANIFEST, VERSIONS, ASSETS = "snapshot.json", "manifest.json", "versions.json", "assets"
#: How the cells vary; a snapshot has none where nothing is known of that.
CERTAINTY = "certainty.json"
#: Names of a snapshot's own files and of the folders that it shares, as these are seen from its own.
OWN_FILE = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
SHARED_FOLDER = rf"\.\./{ASSETS}/[0-9a-f]{{12}}"
SHARED_FILE = rf"{OWN_FILE}(/{OWN_FILE}){{0,3}}"
_BROUGHT = re.compile(rf"({OWN_FILE}|{SHARED_FOLDER}/{SHARED_FILE})\Z")
#: What a manifest may name: there are no other files.
OwnName = Annotated[str, StringConstraints(pattern=rf"^({OWN_FILE}|{SHARED_FOLDER}/manifest\.json)$")]
SharedName = Annotated[str, StringConstraints(pattern=rf"^{SHARED_FILE}$")]


class Listed(Record):
    """What ``versions.json`` says of a snapshot: `manifest` is the hash of its manifest's bytes."""

    id: Annotated[str, StringConstraints(pattern=SNAPSHOT_ID)]
    board: Slug
    title: str
    created: Moment
    manifest: Digest


class Versions(Record):
    """The whole of ``versions.json``, oldest first."""

    snapshots: tuple[Listed, ...] = ()


class Manifest(Record):
    """The whole of a snapshot's ``manifest.json``: the hash of every other file of its own, by name.

    Of each folder that it shares the manifest is among them, as ``../assets/<12 hex>/manifest.json``.
    """

    snapshot: Annotated[str, StringConstraints(pattern=SNAPSHOT_ID)]
    files: Annotated[dict[OwnName, Digest], Field(max_length=1000)]


class SharedManifest(Record):
    """The whole of a shared folder's ``manifest.json``: the hash of every other file in it, by name."""

    files: Annotated[dict[SharedName, Digest], Field(max_length=1000)]


Parsed = TypeVar("Parsed", Versions, Manifest, SharedManifest)


def folder_of(results: Path) -> Path:
    """The folder of the snapshots among results."""
    return results / SNAPSHOTS


def listed(root: Path) -> tuple[Listed, ...]:
    """What ``versions.json`` of a folder of snapshots lists, oldest first. Raises `UserError`."""
    path = root / VERSIONS
    return parsed(Versions, path.read_bytes(), str(path)).snapshots if path.exists() else ()


def load(root: Path, snapshot: str) -> Snapshot:
    """The snapshot with that id in a folder of snapshots. Raises `UserError`."""
    if not re.fullmatch(SNAPSHOT_ID, snapshot):
        raise UserError(repr(snapshot), "is no id of a snapshot", f"see {root / VERSIONS}")
    return load_folder(root / snapshot)


def whole_id(root: Path, start: str) -> str:
    """The id of the one snapshot in a folder of snapshots whose id begins so. Raises `UserError`.

    A page that shortens an id ends it in an ellipsis, which may be copied with it.
    """
    start = start.removesuffix("…")
    ids = [entry.id for entry in listed(root)]
    found = [id_ for id_ in ids if id_ == start] or [id_ for id_ in ids if start and id_.startswith(start)]
    if not found:
        raise UserError("", f"{start!r} is no id of a snapshot{or_one_of(start, ids)}")
    if len(found) > 1:
        raise UserError(repr(start), f"{len(found)} ids begin so: {', '.join(found)}", "give more of it")
    return found[0]


def load_folder(folder: Path) -> Snapshot:
    """The snapshot in a folder, not verified. Raises `UserError`."""
    path = folder / RECORD
    try:
        return read_record(path.read_bytes(), str(path))
    except FileNotFoundError:
        raise UserError(path, "no such file", f"is {folder} a snapshot?") from None


def read_record(content: bytes, where: str) -> Snapshot:
    """The record that the bytes of ``snapshot.json`` hold. Raises `UserError` with `where`."""
    return parse_record(content, Snapshot, where)


def record_bytes(snapshot: Snapshot) -> bytes:
    """The bytes of ``snapshot.json``, whose SHA-256 every citation carries."""
    return dump(snapshot.plain(), compact=True)


def parsed(kind: type[Parsed], content: bytes, where: str) -> Parsed:
    """The list or manifest that these bytes hold. Raises `UserError` with `where`, the name of the file, also
    if they are not what the store writes."""
    try:
        found = kind.model_validate_json(content)
    except ValidationError as error:
        raise UserError("", describe_errors(error, where)) from None
    if dump(found.plain()) != content:
        raise UserError(where, "is not laid out as it was written", "restore the file")
    return found


def shared_folder(files: Mapping[str, bytes]) -> str:
    """The folder that holds these files, shared by all snapshots that use the very same ones."""
    lines = [f"{name} {hashlib.sha256(content).hexdigest()}\n" for name, content in sorted(files.items())]
    return f"{ASSETS}/{hashlib.sha256(''.join(lines).encode()).hexdigest()[:12]}"


def save(root: Path, snapshot: Snapshot, extra_files: Mapping[str, bytes] | None = None) -> Path:
    """Write a snapshot with its scorer and the files that its pages need; return its folder.

    `extra_files` are named as in a manifest: ``name`` or ``../assets/<12 hex>/name``; `CERTAINTY`, which the
    rank sets of a snapshot are of, is among them. Everything is on disk before the folder appears, and the
    folder is complete before ``versions.json`` names it. The same snapshot again is left as it is. Raises
    `UserError` if its folder holds another one.
    """
    extra, scorers = dict(extra_files or {}), shipped()
    _check_names(snapshot, extra)
    if {name: file_hash(content) for name, content in scorers.items()} != snapshot.scorer:
        raise UserError("", "the scorer was changed while the board was frozen", "make the snapshot again")
    shared = {name: data for name, data in extra.items() if name.startswith("../")}
    own = {name: data for name, data in extra.items() if name not in shared}
    own[RECORD] = record_bytes(snapshot)
    shared |= {f"../{shared_folder(scorers)}/{name}": content for name, content in scorers.items()}
    manifests = _shared_manifests(shared)
    files = {name: file_hash(data) for name, data in sorted({**manifests, **own}.items())}
    folder = root / snapshot.id
    root.mkdir(parents=True, exist_ok=True)
    with _locked(root):
        for name, data in (shared | manifests).items():
            _share(root / name.removeprefix("../"), data)
        if not folder.exists():
            _appear(folder, {**own, MANIFEST: dump({"snapshot": snapshot.id, "files": files})})
        elif load_folder(folder) != snapshot:
            raise UserError(folder, "is there with other content", "make the snapshot again")
        if snapshot.id not in {entry.id for entry in listed(root)}:
            _list(root, snapshot, file_hash((folder / MANIFEST).read_bytes()))
    return folder


def _shared_manifests(shared: Mapping[str, bytes]) -> dict[str, bytes]:
    """The manifest of each shared folder, by its name; `shared` has all the files that are in them."""
    hashes: dict[str, dict[str, Digest]] = {}
    for path, content in sorted(shared.items()):
        above, assets, folder, name = path.split("/", 3)
        hashes.setdefault(f"{above}/{assets}/{folder}/{MANIFEST}", {})[name] = file_hash(content)
    return {manifest: dump({"files": files}) for manifest, files in hashes.items()}


def _check_names(snapshot: Snapshot, extra: Mapping[str, bytes]) -> None:
    for name in extra:
        if not _BROUGHT.match(name) or name.rpartition("/")[2] in (RECORD, MANIFEST):
            raise UserError(snapshot.id, f"a page cannot bring a file named {name!r}")
    given = file_hash(extra[CERTAINTY]) if CERTAINTY in extra else None
    if given != (snapshot.certainty.sha256 if snapshot.certainty else None):
        raise UserError(snapshot.id, f"{CERTAINTY} is not what its rank sets are of")


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    """Only one process at a time adds to the list."""
    descriptor = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _share(path: Path, data: bytes) -> None:
    if not path.exists():
        write_atomic(path, data)
    elif path.read_bytes() != data:
        raise UserError(path, "is there with other content", "restore the file from git")


def _appear(folder: Path, content: Mapping[str, bytes]) -> None:
    """Write the files beside `folder` and give them that name once all are on disk."""
    with scratch_folder(folder) as scratch:
        for name, data in content.items():
            write_atomic(scratch / name, data)
        scratch.chmod(0o755)
        scratch.rename(folder)


def _list(root: Path, snapshot: Snapshot, manifest: str) -> None:
    new: dict[str, Any] = {
        "id": snapshot.id,
        "board": snapshot.board["id"],
        "title": snapshot.board["title"],
        "created": snapshot.created,
        "manifest": manifest,
    }
    entries = [*(entry.plain() for entry in listed(root)), new]
    # The rename of the folder reaches the disk with this file's, which is in the same folder.
    write_atomic(root / VERSIONS, dump({"snapshots": entries}))
