"""Whether the Python with which a site runs scorers in the browser is one that its snapshots, or we, know.

It is beside the snapshots, in ``runtime/<hash>/`` of the site: ``runtime/current.json`` says where. A
snapshot has the hashes of the files that it was frozen with; a site that is built later may have newer
ones, which this program knows if it is as new.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from evaluator.publish.snapshots.reporting import SnapshotProblem, problem_of
from evaluator.publish.snapshots.scoring import file_hash
from evaluator.publish.snapshots.sources import SnapshotFiles, UnreadableError
from evaluator.records.base import Digest

#: Says where the runtime is, as seen from a snapshot.
CURRENT = "../../runtime/current.json"
_FOLDER = re.compile(r"runtime/[0-9a-f]+/\Z")

#: The hashes that each file may have.
Hashes = Mapping[str, Sequence[Digest]]


class RuntimeChecks:
    """Looks at each file of a runtime once, however many snapshots use it. `known` are our own hashes."""

    def __init__(self, known: Hashes) -> None:
        self.known = known
        self.seen: dict[str, Digest | None] = {}
        self.named: set[str] = set()

    def problems(self, source: SnapshotFiles, pinned: Hashes) -> Iterator[SnapshotProblem]:
        """What is wrong with the runtime that the snapshot's page loads; nothing where there is no site."""
        for name, message in self._wrong(source, pinned):
            where = source.where(name)
            if where not in self.named:
                self.named.add(where)
                yield SnapshotProblem(where, message)

    def _wrong(self, source: SnapshotFiles, pinned: Hashes) -> Iterator[tuple[str, str]]:
        """Names of files, as seen from the snapshot, with what is wrong with each."""
        try:
            folder = runtime_folder(source) if pinned else None
            for name, hashes in pinned.items() if folder else ():
                path = f"../../{folder}{name}"
                found = self._hash(source, path)
                if found is None:
                    yield path, "is missing; build the site again"
                elif found not in (*hashes, *self.known.get(name, ())):
                    yield path, _foreign(source.name, found, hashes)
        except UnreadableError as error:
            yield CURRENT, problem_of(source, CURRENT, error).message

    def _hash(self, source: SnapshotFiles, name: str) -> Digest | None:
        where = source.where(name)
        if where not in self.seen:
            content = source.read(name)
            self.seen[where] = None if content is None else file_hash(content)
        return self.seen[where]


def _foreign(snapshot: str, found: Digest, hashes: Sequence[Digest]) -> str:
    return (
        f"is not the Python that {snapshot} was frozen with: its hash is {found}, and the record says"
        f" {' or '.join(hashes)}; build the site again or,"
        " if it was built by a newer steelyard, update this one"
    )


def runtime_folder(source: SnapshotFiles) -> str | None:
    """Where a site has its runtime, from the site's root; None where the snapshots are in no site.

    Raises `UnreadableError` where that is not said.
    """
    content = source.read(CURRENT)
    if content is None and source.names() is not None:
        return None
    try:
        folder = json.loads(content or b"")["runtime"]
    except (ValueError, KeyError, TypeError, RecursionError):
        folder = None
    if not isinstance(folder, str) or not _FOLDER.match(folder):
        raise UnreadableError("is missing, or does not say where Python is; build the site again")
    return folder
