"""Ways to tamper with published snapshots; verifying must tell each of them.

    python tests/adversary/tampering.py --seed 1 --cases 5000      what was not told, as JSON

Each attack changes a copy of real snapshots, made by the command itself, and returns what it did. Where it
could, it covers its tracks: hashes are computed again in every file but the ones that cannot be.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import adversary_paths  # noqa: F401
from snapshot_world import steelyard, write_world

from evaluator.publish.snapshots.repository import MANIFEST, RECORD, VERSIONS
from evaluator.publish.snapshots.scorers import file_hash
from evaluator.publish.snapshots.verifying import verify_all
from evaluator.records.base import dump

Attack = Callable[[Path, Random], str]


@dataclass(frozen=True)
class Untold:
    """A tampering that no verification told."""

    seed: int
    case: int
    attack: str
    what: str


def published(folder: Path) -> Path:
    """The snapshots of a real leaderboard: two boards, frozen twice."""
    world = write_world(folder / "world")
    for moment, note in ((1_800_000_000, "first"), (1_800_000_060, "second")):
        done = steelyard(world, "snapshot", "--note", note, at=moment)
        if done.returncode:
            raise RuntimeError(done.stderr)
    root = world / "results" / "snapshots"
    if is_told(root):
        raise RuntimeError(f"{root}: is not as it was published, before anything was done")
    return root


def is_told(root: Path) -> bool:
    """Whether anything is said of the snapshots: by their hashes alone, or else by all that `verify` does."""
    if verify_all(root, rank=False).problems:
        return True
    found = verify_all(root)
    return bool(found.problems or found.not_ranked)


def tamper(seed: int, cases: range, root: Path, folder: Path) -> list[Untold]:
    """The cases that were not told."""
    untold = []
    for case in cases:
        random = Random(f"{seed}:{case}")
        name, attack = list(ATTACKS.items())[case % len(ATTACKS)]
        copy = folder / "tampered"
        shutil.copytree(root, copy, symlinks=True)
        what = attack(copy, random)
        if not is_told(copy):
            untold.append(Untold(seed, case, name, what))
        shutil.rmtree(copy)
        shutil.rmtree(folder / "elsewhere", ignore_errors=True)
    return untold


# What there is to tamper with.


def _files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


def _snapshots(root: Path) -> list[Path]:
    return sorted(path for path in root.iterdir() if path.is_dir() and path.name != "assets")


def _said(root: Path, path: Path, what: str) -> str:
    return f"{path.relative_to(root)}: {what}"


# Bytes of a file.


def change_byte(root: Path, random: Random) -> str:
    path = random.choice([path for path in _files(root) if path.stat().st_size])
    content = bytearray(path.read_bytes())
    at = random.randrange(len(content))
    content[at] ^= 1 << random.randrange(8)
    path.write_bytes(content)
    return _said(root, path, f"byte {at}")


def insert_byte(root: Path, random: Random) -> str:
    path = random.choice(_files(root))
    content = path.read_bytes()
    at = random.choice([0, len(content), random.randint(0, len(content))])
    path.write_bytes(content[:at] + random.choice([b"\0", b" ", b"\n", b"0", b"\xef\xbb\xbf"]) + content[at:])
    return _said(root, path, f"inserted at {at}")


def delete_byte(root: Path, random: Random) -> str:
    path = random.choice([path for path in _files(root) if path.stat().st_size])
    content = path.read_bytes()
    at = random.randrange(len(content))
    path.write_bytes(content[:at] + content[at + 1 :])
    return _said(root, path, f"deleted at {at}")


def change_digit(root: Path, random: Random) -> str:
    path = random.choice(
        [path for path in _files(root) if any(digit in path.read_bytes() for digit in b"0123456789")]
    )
    content = bytearray(path.read_bytes())
    at = random.choice([at for at, byte in enumerate(content) if 48 <= byte <= 57])
    content[at] = 48 + (content[at] - 48 + random.randint(1, 9)) % 10
    path.write_bytes(content)
    return _said(root, path, f"digit {at}")


def empty_file(root: Path, random: Random) -> str:
    path = random.choice([path for path in _files(root) if path.stat().st_size])
    path.write_bytes(b"")
    return _said(root, path, "emptied")


def other_line_ends(root: Path, random: Random) -> str:
    path = random.choice([path for path in _files(root) if b"\n" in path.read_bytes()])
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    return _said(root, path, "CRLF")


# Files and folders.


def delete_file(root: Path, random: Random) -> str:
    path = random.choice(_files(root))
    path.unlink()
    return _said(root, path, "deleted")


def rename_file(root: Path, random: Random) -> str:
    path = random.choice(_files(root))
    path.rename(
        path.with_name(random.choice(["x.json", path.name.upper(), path.name + ".bak", "." + path.name]))
    )
    return _said(root, path, "renamed")


def add_file(root: Path, random: Random) -> str:
    folder = random.choice([root, *(path for path in root.rglob("*") if path.is_dir())])
    path = folder / random.choice(["x", "index.htm", ".htaccess", ".hidden", "snapshot.json.gz", "CNAME"])
    path.write_bytes(random.choice([b"", b"x"]))
    return _said(root, path, "added")


def add_folder(root: Path, random: Random) -> str:
    folder = random.choice([root, *(path for path in root.rglob("*") if path.is_dir())])
    path = folder / random.choice(["empty", ".empty", "a/b"])
    path.mkdir(parents=True)
    return _said(root, path, "an empty folder")


def rename_snapshot(root: Path, random: Random) -> str:
    path = random.choice(_snapshots(root))
    path.rename(
        path.with_name(
            path.name[:-1] + random.choice([digit for digit in "0123456789abcdef" if digit != path.name[-1]])
        )
    )
    return _said(root, path, "renamed")


def rename_assets(root: Path, random: Random) -> str:
    path = random.choice(sorted(path for path in (root / "assets").iterdir()))
    path.rename(path.with_name("0" * 12))
    return _said(root, path, "renamed")


def delete_snapshot(root: Path, random: Random) -> str:
    path = random.choice(_snapshots(root))
    shutil.rmtree(path)
    return _said(root, path, "deleted")


def copy_snapshot(root: Path, random: Random) -> str:
    path = random.choice(_snapshots(root))
    shutil.copytree(path, path.with_name("20270101T000000Z-" + "0" * 8))
    return _said(root, path, "copied")


def swap_files(root: Path, random: Random) -> str:
    while True:
        one, other = random.sample(_files(root), 2)
        if one.read_bytes() != other.read_bytes():
            break
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)
    return _said(root, one, f"swapped with {other.relative_to(root)}")


def swap_between(root: Path, random: Random) -> str:
    one, other = random.sample(_snapshots(root), 2)
    name = random.choice([name for name in (RECORD, "index.html", MANIFEST) if (one / name).exists()])
    content = (one / name).read_bytes()
    (one / name).write_bytes((other / name).read_bytes())
    (other / name).write_bytes(content)
    return _said(root, one / name, f"swapped with that of {other.name}")


def swap_snapshots(root: Path, random: Random) -> str:
    one, other = random.sample(_snapshots(root), 2)
    kept = one.rename(root / "kept")
    other.rename(one)
    kept.rename(other)
    return _said(root, one, f"swapped with {other.name}")


# Links, devices.


def link_file(root: Path, random: Random) -> str:
    path = random.choice(_files(root))
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    shutil.move(path, elsewhere / "file")
    path.symlink_to(elsewhere / "file")
    return _said(root, path, "is a link to the same bytes")


def link_folder(root: Path, random: Random) -> str:
    path = random.choice([*_snapshots(root), *(root / "assets").iterdir(), root / "assets"])
    elsewhere = root.parent / "elsewhere"
    shutil.move(path, elsewhere)
    path.symlink_to(elsewhere, target_is_directory=True)
    return _said(root, path, "is a link to the same folder")


def add_link(root: Path, random: Random) -> str:
    folder = random.choice([root, *_snapshots(root)])
    (folder / "more").symlink_to(random.choice(["/etc/passwd", "/nowhere", "..", "snapshot.json"]))
    return _said(root, folder, "a link was added")


def make_fifo(root: Path, random: Random) -> str:
    path = random.choice(_files(root))
    path.unlink()
    os.mkfifo(path)
    return _said(root, path, "is a pipe")


# With the tracks covered: hashes computed again as far as anybody can.


def _edit(path: Path, change: Callable[[Any], None]) -> None:
    document = json.loads(path.read_bytes())
    change(document)
    path.write_bytes(dump(document, compact=True) if path.name == RECORD else dump(document))


def _cover(root: Path, snapshot: Path, name: str, versions: bool) -> None:
    """Make the manifest, and the list of all, say the hash that a file has now."""
    content = (snapshot / name).read_bytes() if (snapshot / name).exists() else None

    def change(manifest: Any) -> None:
        if content is None:
            del manifest["files"][name]
        else:
            manifest["files"][name] = file_hash(content)

    _edit(snapshot / MANIFEST, change)
    if versions:
        _cover_list(root, snapshot)


def _cover_list(root: Path, snapshot: Path) -> None:
    def change(found: Any) -> None:
        for entry in found["snapshots"]:
            if entry["id"] == snapshot.name:
                entry["manifest"] = file_hash((snapshot / MANIFEST).read_bytes())

    _edit(root / VERSIONS, change)


def edit_number(root: Path, random: Random) -> str:
    """A number of the record, with all hashes computed again; the id is what cannot follow."""
    snapshot = random.choice(_snapshots(root))

    def change(record: Any) -> None:
        values = random.choice([*random.choice([*record["data"]["values"].values()]).values()])
        at = random.choice([at for at, value in enumerate(values) if value is not None])
        values[at] += random.choice([0.001, 1, -1, 10])

    _edit(snapshot / RECORD, change)
    _cover(root, snapshot, RECORD, versions=True)
    return _said(root, snapshot / RECORD, "a number, and every hash")


def edit_rank(root: Path, random: Random) -> str:
    snapshot = random.choice(_snapshots(root))
    _edit(snapshot / RECORD, lambda record: record["ranking"]["ranks"].reverse())
    _cover(root, snapshot, RECORD, versions=True)
    return _said(root, snapshot / RECORD, "ranks, and every hash")


def edit_words(root: Path, random: Random) -> str:
    snapshot = random.choice(_snapshots(root))
    _edit(snapshot / RECORD, lambda record: record.update(note=f"said {random.random()}"))
    _cover(root, snapshot, RECORD, versions=True)
    return _said(root, snapshot / RECORD, "the note, and every hash")


def edit_scorer_name(root: Path, random: Random) -> str:
    snapshot = random.choice(_snapshots(root))
    _edit(snapshot / RECORD, lambda record: record["scorer"].update({"dynascore.py": "sha256:" + "0" * 64}))
    _cover(root, snapshot, RECORD, versions=True)
    return _said(root, snapshot / RECORD, "the scorer's hash, and every other")


def edit_scorer(root: Path, random: Random) -> str:
    """Another scorer, with the hashes of the folder it is in, of manifests and of the list."""
    shared = random.choice(sorted((root / "assets").rglob("dynascore.py")))
    shared.write_bytes(shared.read_bytes() + b"\n# better\n")
    folder = shared.parent
    _edit(
        folder / MANIFEST, lambda found: found["files"].update({shared.name: file_hash(shared.read_bytes())})
    )
    name = f"../assets/{folder.name}/{MANIFEST}"
    for snapshot in _snapshots(root):
        if name in json.loads((snapshot / MANIFEST).read_bytes())["files"]:
            _edit(
                snapshot / MANIFEST,
                lambda found: found["files"].update({name: file_hash((folder / MANIFEST).read_bytes())}),
            )
            _cover_list(root, snapshot)
    return _said(root, shared, "changed, with every hash")


def edit_page_and_manifest(root: Path, random: Random) -> str:
    """A page and its hash in the manifest, but not the list of all snapshots."""
    snapshot = random.choice(_snapshots(root))
    page = random.choice(
        [path for path in snapshot.iterdir() if path.is_file() and path.name not in (MANIFEST,)]
    )
    page.write_bytes(page.read_bytes() + b" ")
    _cover(root, snapshot, page.name, versions=False)
    return _said(root, page, "changed, with the manifest")


def drop_from_manifest(root: Path, random: Random) -> str:
    snapshot = random.choice(_snapshots(root))
    name = random.choice(list(json.loads((snapshot / MANIFEST).read_bytes())["files"]))
    _edit(snapshot / MANIFEST, lambda found: found["files"].pop(name))
    if name != RECORD and not name.startswith("../"):
        (snapshot / name).unlink()
    return _said(root, snapshot, f"without {name}")


def unlist(root: Path, random: Random) -> str:
    at = random.randrange(len(json.loads((root / VERSIONS).read_bytes())["snapshots"]))
    _edit(root / VERSIONS, lambda found: found["snapshots"].pop(at))
    return f"{VERSIONS}: without entry {at}"


def list_twice(root: Path, random: Random) -> str:
    _edit(root / VERSIONS, lambda found: found["snapshots"].append(random.choice(found["snapshots"])))
    return f"{VERSIONS}: an entry twice"


def list_unknown(root: Path, random: Random) -> str:
    def change(found: Any) -> None:
        found["snapshots"].append(
            {**found["snapshots"][0], "id": f"20270101T000000Z-{random.randrange(16**8):08x}"}
        )

    _edit(root / VERSIONS, change)
    return f"{VERSIONS}: a snapshot that is none"


def list_other_words(root: Path, random: Random) -> str:
    field = random.choice(["title", "board", "created"])
    new = {"title": "Best", "board": "best", "created": "2020-01-01T00:00:00Z"}[field]
    _edit(root / VERSIONS, lambda found: random.choice(found["snapshots"]).update({field: new}))
    return f"{VERSIONS}: another {field}"


ATTACKS: dict[str, Attack] = {
    attack.__name__: attack
    for attack in (
        change_byte, insert_byte, delete_byte, change_digit, empty_file, other_line_ends,
        delete_file, rename_file, add_file, add_folder, rename_snapshot, rename_assets, delete_snapshot, copy_snapshot,
        swap_files, swap_between, swap_snapshots,
        link_file, link_folder, add_link, make_fifo,
        edit_number, edit_rank, edit_words, edit_scorer_name, edit_scorer, edit_page_and_manifest,
        drop_from_manifest, unlist, list_twice, list_unknown, list_other_words,
    )
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--cases", type=int, default=500)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        untold = tamper(
            given.seed, range(given.start, given.start + given.cases), published(Path(folder)), Path(folder)
        )
    json.dump({"counts": {"tampered": given.cases}, "failures": [asdict(one) for one in untold]}, sys.stdout)
    return 1 if untold else 0


if __name__ == "__main__":
    sys.exit(main())
