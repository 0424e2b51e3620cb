"""Whether snapshots are unchanged: every byte by its hash, every rank by the scorer that made it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.publish.snapshots.record_checks import check_certainty, check_record
from evaluator.publish.snapshots.reporting import SnapshotProblem, Verified, problem_of
from evaluator.publish.snapshots.repository import (
    ASSETS,
    CERTAINTY,
    MANIFEST,
    RECORD,
    VERSIONS,
    Listed,
    SnapshotError,
    is_file_name,
    is_shared_name,
    place_of,
    read_manifest,
    read_record,
    read_shared,
    read_versions,
)
from evaluator.publish.snapshots.reranking import SCORER, Rankable, Trust, rank_again
from evaluator.publish.snapshots.runtimes import Hashes, RuntimeChecks, runtime_folder
from evaluator.publish.snapshots.scoring import RANKING, file_hash
from evaluator.publish.snapshots.sources import Folder, SnapshotFiles, UnreadableError
from evaluator.records.base import Digest

#: Pages of a site about its snapshots, beside those that compare two.
SITE_PAGES = ("index.html", "feed.xml")
EMPTY = "is an empty folder, and snapshots have none; remove it"


@dataclass
class _Shared:
    """What is known of the files that snapshots share, so that each is looked at once.

    `right` has the hash of each file that has it, by name; `folders` the files of each shared manifest, by
    its name and hash, None where that is not right, as nobody can say then what files belong to it. `pins`
    says of each snapshot that was read whether it has the hashes of the runtime.
    """

    runtime: RuntimeChecks
    right: dict[str, Digest] = field(default_factory=dict)
    folders: dict[tuple[str, Digest], dict[str, Digest] | None] = field(default_factory=dict)
    pins: list[bool] = field(default_factory=list)

    def has(self, name: str) -> bool:
        """Whether a snapshot has a shared file of that name, right or not, or may have one."""
        return any(
            name == manifest
            or (name.startswith(manifest.removesuffix(MANIFEST)) if files is None else name in files)
            for (manifest, _), files in self.folders.items()
        )

    def not_covered(self, source: SnapshotFiles) -> Iterator[str]:
        """What is beside the snapshots, or used by their pages, and was not checked."""
        if source.names() is None or is_site(source):
            yield f"pages about snapshots ({', '.join(SITE_PAGES)}, diff/), which every build makes again"
            if not all(self.pins):
                older = self.pins.count(False)
                yield f"the Python of {older} snapshot{'s' * (older > 1)} frozen before its hash was recorded"
        else:
            yield "the Python that pages run the scorers with, which is in the site: verify build/snapshots"


def verify(
    source: SnapshotFiles, trust: Trust, runtime: Hashes | None = None, cited: str | None = None
) -> Verified:
    """Verify one snapshot. Nothing in it makes this raise and, unless `trust` says so, nothing in it is run.

    The list beside it is checked too; a folder may be without one, as when it is a copy on its own. `runtime`
    has hashes of the site's Python that are known, beside those in the snapshot. `cited` are the 64 digits
    of a SHA-256 that ``snapshot.json`` must have, as in a citation, or ``manifest.json``.
    """
    report = Verified()
    entries: dict[str, Listed] | None = {}
    where = source.where(f"../{VERSIONS}")
    try:
        entries = _versions(source)
    except (SnapshotError, UnreadableError) as error:
        report.problems.append(problem_of(source, f"../{VERSIONS}", error))
    if entries is None and source.names() is None:
        report.problems.append(
            SnapshotProblem(where, "is missing; every site has it beside its snapshots: build it again")
        )
    elif entries is not None and source.name not in entries and not report.problems:
        message = f"does not list {source.name}: it was renamed, or never finished; restore its name"
        report.problems.append(SnapshotProblem(where, message))
    shared = _Shared(RuntimeChecks(runtime or {}))
    frozen = _check_files(source, (entries or {}).get(source.name), report, shared)
    if cited is not None:
        report.problems += _check_cited(source, cited)
    rank_again([frozen] if frozen else [], trust, report)
    report.not_covered += shared.not_covered(source)
    return report


def verify_all(root: Path, trust: Trust | None, runtime: Hashes | None = None) -> Verified:
    """Verify all snapshots in a folder: those listed, and that there is nothing else.

    The folder is that of the results, or of a site, which also holds pages about snapshots. Without
    `trust` only the hashes of all files are computed, as a build does that copies them.
    """
    report = Verified()
    top = Folder(root / "none")
    try:
        entries = _versions(top) or {}
    except (SnapshotError, UnreadableError) as error:
        report.problems.append(problem_of(top, f"../{VERSIONS}", error))
        return report
    report.problems += _wrong_mode(top, f"../{VERSIONS}")
    seen = _Shared(RuntimeChecks(runtime or {}))
    deep = trust is not None
    checked = [
        _check_files(Folder(root / name), entry, report, seen, deep) for name, entry in entries.items()
    ]
    report.problems += _unlisted(root, entries, seen)
    if trust is not None:
        rank_again([frozen for frozen in checked if frozen], trust, report)
        report.not_covered += seen.not_covered(top)
    return report


def _versions(source: SnapshotFiles) -> dict[str, Listed] | None:
    """What ``versions.json`` beside a snapshot lists by id, None where there is no such file."""
    content = source.read(f"../{VERSIONS}")
    if content is None:
        return None
    entries = read_versions(content, source.where(f"../{VERSIONS}")).snapshots
    by_id = {entry.id: entry for entry in entries}
    if len(by_id) < len(entries):
        raise SnapshotError(f"{source.where(f'../{VERSIONS}')}: lists a snapshot twice; restore the file")
    return by_id


def _unlisted(root: Path, entries: Mapping[str, Listed], seen: _Shared) -> Iterator[SnapshotProblem]:
    """What is among the snapshots and is neither one that is listed nor a file that one of them uses."""
    if not root.is_dir():
        return
    names = sorted(Folder(root).names())
    if names and VERSIONS not in names:
        yield SnapshotProblem(str(root / VERSIONS), "is missing; restore the file")
        return
    in_site = is_site(Folder(root / "none"))
    for name in names:
        first = name.partition("/")[0]
        if name == VERSIONS or first in entries or seen.has(f"../{name}"):
            continue
        if in_site and (name in SITE_PAGES or _compares(name, entries)):
            continue
        if name.endswith("/"):
            yield SnapshotProblem(str(root / name), EMPTY)
        elif first == ASSETS:
            yield SnapshotProblem(str(root / name), "no snapshot has such a file; remove it")
        else:
            yield SnapshotProblem(
                str(root / name), f"belongs to no snapshot that {VERSIONS} lists; remove it"
            )


def is_site(source: SnapshotFiles) -> bool:
    """Whether the snapshots are those of a built site."""
    try:
        return runtime_folder(source) is not None
    except UnreadableError:
        return True


def _compares(name: str, entries: Mapping[str, Listed]) -> bool:
    """Whether a file of a site is the page that compares two of the snapshots."""
    parts = name.split("/")
    return (
        len(parts) == 3 and parts[::2] == ["diff", "index.html"] and {*parts[1].split("..")} <= entries.keys()
    )


def _check_files(
    source: SnapshotFiles, entry: Listed | None, report: Verified, shared: _Shared, deep: bool = True
) -> Rankable | None:
    """Check every file of a snapshot, adding to `report`; the snapshot, if it can be ranked again.

    Unless `deep`, no record is read.
    """
    before = len(report.problems)
    report.snapshots += 1
    manifest = _manifest(source, entry, report)
    if manifest is None:
        return None
    manifest |= _shared_files(source, manifest, report, shared)
    report.problems += _lacking(source, manifest, shared)
    report.problems += _not_listed(source, manifest)
    kept: dict[str, bytes] = {}
    places = {name: place_of(name, manifest) for name in RANKING}
    for name, hashed in manifest.items():
        report.files += 1
        known = shared.right.get(name) == hashed and name not in places.values()
        if known or (name, hashed) in shared.folders:
            continue
        content = _checked(source, name, hashed, report)
        if content is not None:
            kept[name] = content
            if name.startswith("../"):
                shared.right[name] = hashed
    if not deep or RECORD not in kept or places[SCORER] not in kept:
        return None
    try:
        snapshot = read_record(kept[RECORD], source.where(RECORD))
    except SnapshotError as error:
        report.problems.append(problem_of(source, RECORD, error))
        return None
    report.problems += check_record(source, snapshot, kept[RECORD], manifest, entry)
    report.problems += check_certainty(source, snapshot, kept.get(CERTAINTY), manifest)
    rankable = len(report.problems) == before
    report.problems += shared.runtime.problems(source, snapshot.runtime)
    shared.pins.append(bool(snapshot.runtime))
    scorers = {name: kept[place] for name, place in places.items() if place in kept}
    return Rankable(source, snapshot, places, scorers, kept.get(CERTAINTY)) if rankable else None


def _manifest(source: SnapshotFiles, entry: Listed | None, report: Verified) -> dict[str, Digest] | None:
    """The hashes of a snapshot's files by name, None where that cannot be known."""
    try:
        content = source.read(MANIFEST)
        if content is None:
            report.problems.append(SnapshotProblem(source.where(MANIFEST), "is missing; restore the file"))
            return None
        manifest = read_manifest(content, source.where(MANIFEST))
    except (SnapshotError, UnreadableError) as error:
        report.problems.append(problem_of(source, MANIFEST, error))
        return None
    report.files += 1
    report.problems += _wrong_mode(source, MANIFEST)
    if entry is not None and file_hash(content) != entry.manifest:
        message = f"was changed: its hash is {file_hash(content)}, and {VERSIONS} says {entry.manifest}"
        report.problems.append(SnapshotProblem(source.where(MANIFEST), f"{message}; restore the file"))
    if manifest.snapshot != source.name:
        message = f"is of snapshot {manifest.snapshot}, but is in {source.name}; restore the folder's name"
        report.problems.append(SnapshotProblem(source.where(MANIFEST), message))
    bad = [name for name in manifest.files if not is_file_name(name)]
    for name in bad:
        report.problems.append(
            SnapshotProblem(
                source.where(MANIFEST), f"names a file {name[:200]!r}, which it may not; restore the file"
            )
        )
    return {name: hashed for name, hashed in manifest.files.items() if name not in bad}


def _shared_files(
    source: SnapshotFiles, manifest: Mapping[str, Digest], report: Verified, shared: _Shared
) -> dict[str, Digest]:
    """The hashes of the files in the folders that a snapshot shares, as their manifests have them."""
    files: dict[str, Digest] = {}
    for name, hashed in manifest.items():
        if name.startswith("../"):
            if (name, hashed) not in shared.folders:
                shared.folders[name, hashed] = _shared_folder(source, name, hashed, report)
            files |= shared.folders[name, hashed] or {}
    return files


def _shared_folder(
    source: SnapshotFiles, name: str, hashed: Digest, report: Verified
) -> dict[str, Digest] | None:
    """What the manifest of a shared folder lists, None where that cannot be known."""
    content = _checked(source, name, hashed, report)
    if content is None:
        return None
    try:
        files = read_shared(content, source.where(name)).files
    except SnapshotError as error:
        report.problems.append(problem_of(source, name, error))
        return None
    for bad in [inner for inner in files if not is_shared_name(inner)]:
        report.problems.append(
            SnapshotProblem(
                source.where(name), f"names a file {bad[:200]!r}, which it may not; restore the file"
            )
        )
        return None
    return {f"{name.removesuffix(MANIFEST)}{inner}": hashed for inner, hashed in files.items()}


def _lacking(
    source: SnapshotFiles, manifest: Mapping[str, Digest], shared: _Shared
) -> Iterator[SnapshotProblem]:
    """Files that every snapshot has but this one's manifests do not name; none if one cannot be read."""
    missing = sorted({RECORD, place_of(SCORER, manifest)} - {*manifest})
    if missing and all(shared.folders.get(item, {}) is not None for item in manifest.items()):
        message = f"does not name {' and '.join(missing)}, which every snapshot has; restore the file"
        yield SnapshotProblem(source.where(MANIFEST), message)


def _not_listed(source: SnapshotFiles, manifest: Mapping[str, Digest]) -> list[SnapshotProblem]:
    extra = (source.names() or set()) - {MANIFEST, *manifest}
    added = f"is not in {MANIFEST}: it was added or renamed; remove it"
    return [
        SnapshotProblem(source.where(name), EMPTY if name.endswith("/") else added) for name in sorted(extra)
    ]


def _wrong_mode(source: SnapshotFiles, name: str) -> list[SnapshotProblem]:
    """The file's mode, if it is not one that snapshots are written with."""
    try:
        wrong = source.wrong_mode(name)
    except (FileNotFoundError, NotADirectoryError):
        wrong = None
    return [SnapshotProblem(source.where(name), wrong)] if wrong else []


def _check_cited(source: SnapshotFiles, cited: str) -> Iterator[SnapshotProblem]:
    """Whether the record is the one that somebody cited, by its hash or by that of the manifest."""
    try:
        files = {name: source.read(name) for name in (RECORD, MANIFEST)}
    except UnreadableError:
        return
    hashes = {name: file_hash(content) for name, content in files.items() if content is not None}
    if f"sha256:{cited}" not in hashes.values():
        found = ", ".join(f"that of {name} is {hashed}" for name, hashed in hashes.items())
        fix = "fetch the snapshot anew from the address in the citation"
        message = f"is not the one cited: --sha256 is sha256:{cited}, but {found}; {fix}"
        yield SnapshotProblem(source.where(RECORD), message)


def _checked(source: SnapshotFiles, name: str, hashed: Digest, report: Verified) -> bytes | None:
    try:
        content = source.read(name)
    except UnreadableError as error:
        report.problems.append(problem_of(source, name, error))
        return None
    if content is None:
        report.problems.append(SnapshotProblem(source.where(name), "is missing; restore the file"))
    elif file_hash(content) != hashed:
        message = (
            f"was changed: its hash is {file_hash(content)}, and {MANIFEST} says {hashed}; restore the file"
        )
        report.problems.append(SnapshotProblem(source.where(name), message))
        return None
    else:
        report.problems += _wrong_mode(source, name)
    return content
