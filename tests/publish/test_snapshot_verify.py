"""`steelyard snapshot verify`: any change is found and named, and a hostile snapshot does no harm."""

from __future__ import annotations

import hashlib
import http.server
import json
import math
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from snapshot_world import made, steelyard
from varying import varying

from evaluator import __version__
from evaluator.publish.snapshots import scorers
from evaluator.publish.snapshots.freezing import DIGITS, certainty_bytes, content_hash, id_of
from evaluator.publish.snapshots.repository import CERTAINTY, listed, save, shared_folder
from evaluator.publish.snapshots.scorers import file_hash, shipped
from evaluator.publish.snapshots.sources import Folder
from evaluator.publish.snapshots.verifying import Verified, verify, verify_all
from evaluator.rank import FILES
from evaluator.records.base import dump

VARY = {"d": varying(4, ["accuracy"], ["memory"])}
#: Files of one snapshot: manifest, record, page, rank sets, style, the scorers, and two shared manifests.
FILES_OF_ONE = 7 + len(FILES)
STYLE, SCORERS = "assets/0123456789ab", shared_folder(shipped())
PAGES = {"index.html": b"<p>A page</p>\n", f"../{STYLE}/style.css": b"p { color: black }\n"}
PAGES[CERTAINTY] = certainty_bytes(VARY)
CELLS = {"a": [90.0, 3.0], "b": [85.5, 2.0], "c": [70.25, 1.0], "d": [60.0, None]}
Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("pristine") / "snapshots"
    for second in range(2):
        save(root, made(CELLS, second=second, vary=VARY), PAGES)
    return root


@pytest.fixture
def root(pristine: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(pristine, tmp_path / "snapshots"))


def first(root: Path) -> Path:
    return root / listed(root)[0].id


def files(root: Path) -> list[Path]:
    """One of each file there is: those of the first snapshot, the shared ones, and the list."""
    folders = [first(root), root / STYLE, root / SCORERS]
    return [*(path for folder in folders for path in sorted(folder.iterdir())), root / "versions.json"]


def named(found: Verified) -> str:
    return "\n".join(map(str, found.problems))


def test_what_was_not_changed_is_verified(root: Path) -> None:
    """Every file's hash is computed, every snapshot ranked again, and nothing is wrong."""
    found = verify_all(root)
    assert (found.snapshots, found.ranked, found.problems) == (2, 2, [])
    assert found.files == 2 * FILES_OF_ONE
    assert verify(Folder(first(root))).problems == []


def test_any_changed_byte_is_found_and_named(root: Path) -> None:
    """In each file the first byte, the last and some between them: there is none that does not count."""
    for path in files(root):
        content = path.read_bytes()
        # Problems of other files may name the list too.
        called = path.name if path.name == "versions.json" else str(path)
        for place in {*range(0, len(content), len(content) // 8 + 1), len(content) - 1}:
            path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
            assert called in named(verify_all(root, rank=False)), (path, place)
        path.write_bytes(content)


def test_a_removed_or_renamed_file_is_found_and_named(root: Path) -> None:
    """Each of a snapshot's files, the shared ones, and the list of all; of renamed ones both names."""
    for path in files(root):
        other = path.with_name("renamed.html")
        path.rename(other)
        said = named(verify_all(root, rank=False))
        assert str(path) in said
        # What else there should be nobody can say without the manifest or the list.
        assert "renamed.html" in said or path.name in ("manifest.json", "versions.json")
        other.rename(path)


@pytest.mark.parametrize("name", ["{name}", "{id}/{name}", f"{STYLE}/{{name}}"])
def test_what_was_added_is_found_and_named(root: Path, name: str) -> None:
    """A file and an empty folder: beside the snapshots, in one, or among the files that they share."""
    page, folder = (root / name.format(id=first(root).name, name=new) for new in ("extra.html", "nothing"))
    page.write_text("x")
    assert str(page) in named(verify_all(root))
    page.unlink()
    folder.mkdir()
    [problem] = verify_all(root).problems
    assert problem.file.rstrip("/") == str(folder)
    assert problem.message == "is an empty folder, and snapshots have none; remove it"


def test_a_renamed_snapshot_is_found(root: Path) -> None:
    """A folder under another name, which the list does not have, and the one that is gone."""
    folder = first(root)
    moved = folder.with_name("20260101T000000Z-00000000")
    folder.rename(moved)
    said = named(verify_all(root))
    assert f"{folder}/manifest.json: is missing" in said
    assert f"{moved}/index.html: belongs to no snapshot that versions.json lists" in said
    assert "it was renamed" in named(verify(Folder(moved)))


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_only_plain_files_are_read(root: Path, tmp_path: Path, kind: str) -> None:
    """A link to the very bytes, a pipe that would block for ever, a folder: named, not followed."""
    path = first(root) / "index.html"
    path.rename(tmp_path / "kept")
    make: dict[str, Callable[[], None]] = {
        "link": lambda: path.symlink_to(tmp_path / "kept"),
        "pipe": lambda: os.mkfifo(path),
        "folder": path.mkdir,
    }
    make[kind]()
    assert str(path) in named(verify_all(root))


@pytest.mark.parametrize("name", ["{id}", "assets", STYLE])
def test_a_folder_that_is_a_link_is_found_and_named(root: Path, tmp_path: Path, name: str) -> None:
    """A link to the very folder is not what was frozen: it can lead elsewhere tomorrow."""
    path = root / name.format(id=first(root).name)
    path.rename(tmp_path / "kept")
    path.symlink_to(tmp_path / "kept")
    for found in (verify_all(root), verify(Folder(first(root)))):
        assert f"is in {path}, which is a link; put the folder itself in its place" in named(found)


def compact(document: Any) -> bytes:
    return dump(document, compact=True)


def unchanged(document: dict[str, Any]) -> None:
    """Leaves everything as it is."""


def forged(
    root: Path,
    change: Change = unchanged,
    layout: Callable[[Any], bytes] = compact,
    digits: int = DIGITS,
    certainty: bytes | None = None,
    scorer: Mapping[str, bytes] | None = None,
) -> Path:
    """A snapshot whose numbers, rank sets' file or scorer were changed, and all hashes to match."""
    shutil.rmtree(root / listed(root)[1].id)
    folder = first(root)
    document = json.loads((folder / "snapshot.json").read_bytes())
    change(document)
    if certainty is not None:
        (folder / CERTAINTY).write_bytes(certainty)
        document["certainty"]["sha256"] = file_hash(certainty)
    for name, content in (scorer or {}).items():
        (root / SCORERS / name).write_bytes(content)
        document["scorer"][name] = file_hash(content)
    (root / SCORERS / "manifest.json").write_bytes(dump({"files": document["scorer"]}))
    document["id"] = id_of(document["created"], content_hash(document), digits)
    (folder / "snapshot.json").write_bytes(layout(document))
    manifest = json.loads((folder / "manifest.json").read_bytes())
    names = {name: file_hash((folder / name).read_bytes()) for name in manifest["files"]}
    (folder / "manifest.json").write_bytes(dump({"snapshot": document["id"], "files": names}))
    new = folder.rename(root / document["id"])
    pinned = {"id": document["id"], "manifest": file_hash((new / "manifest.json").read_bytes())}
    (root / "versions.json").write_bytes(dump({"snapshots": [listed(root)[0].plain() | pinned]}))
    return new


def test_a_forger_who_changes_nothing_is_not_found(root: Path) -> None:
    """What the tests of forgeries forge is only what they say."""
    forged(root)
    assert verify_all(root).problems == []


@pytest.mark.parametrize("layout", [dump, lambda document: compact(document).replace(b":", b": ", 1)])
def test_a_record_has_one_layout(root: Path, layout: Callable[[Any], bytes]) -> None:
    """The same record with other white space, and every hash put right, is not what was written."""
    folder = forged(root, layout=layout)
    assert f"{folder}/snapshot.json: is not laid out as it was written" in named(verify_all(root))


def rank(document: dict[str, Any]) -> None:
    document["ranking"]["ranks"][1] += 1


def score(document: dict[str, Any]) -> None:
    document["ranking"]["scores"][0] = math.nextafter(document["ranking"]["scores"][0], 0)


def rate(document: dict[str, Any]) -> None:
    rates = document["ranking"]["exchange_rates"]["memory"]
    rates["rate"] = math.nextafter(rates["rate"], 0)


def cell(document: dict[str, Any]) -> None:
    document["data"]["values"]["d"]["accuracy"][0] += 1


def weight(document: dict[str, Any]) -> None:
    document["weights"]["metrics"]["memory"] += 1


def rank_set(document: dict[str, Any]) -> None:
    document["certainty"]["sets"][1] = [2, 2]


def note(document: dict[str, Any]) -> None:
    document["ranking"]["notes"] = []


def no_rank_sets(document: dict[str, Any]) -> None:
    document.pop("certainty")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (rank_set, "rank set of b: is (2, 2), but the scorer in the snapshot gives ("),
        (rank, "rank of b: is 2, but the scorer in the snapshot gives 1"),
        (score, "score of a: is "),
        (rate, "exchange rate of memory: rate: is "),
        (cell, "score of a: is "),
        (weight, "score of a: is "),
        (note, "notes: is ()"),
        (no_rank_sets, f"certainty: {CERTAINTY} has the hash None"),
    ],
)
def test_a_forged_number_is_found_by_the_scorer(root: Path, change: Change, message: str) -> None:
    """Numbers that the scorer does not give are named, to the last bit, though every hash is right."""
    folder = forged(root, change)
    assert f"{folder}/snapshot.json: {message}" in named(verify_all(root))


OTHER = {"d": {**VARY["d"], "apart": {"accuracy": [1] * 6}}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (compact(OTHER), "rank set of "),
        (b"[" * 100_000, "dynascore.py: the scorer cannot rank this"),
        (compact({"d": {}}), "dynascore.py: the scorer cannot rank this"),
        (compact({"d": VARY["d"] | {"relative": {"memory": [1]}}}), "dynascore.py: the scorer cannot rank this"),
    ],
)  # fmt: skip
def test_forged_covariances_are_found_by_the_scorer(root: Path, content: bytes, message: str) -> None:
    """They make other rank sets than are stored, or none, and then nothing is raised."""
    folder = forged(root, certainty=content)
    assert f"{folder}/snapshot.json: {message}" in named(verify_all(root))


@pytest.mark.parametrize("digits", [0, 8, 64])
def test_an_id_of_any_other_length_is_none(root: Path, digits: int) -> None:
    """An id has 32 digits of the hash: nobody can make one of fewer."""
    said = named(verify(Folder(forged(root, digits=digits))))
    assert "manifest.json: snapshot: " in said or "versions.json: snapshots" in said


MARKER = "\nimport pathlib\npathlib.Path({path!r}).write_text('run')\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dynascore.py", "own_predictions.py"])
def test_an_unknown_scorer_is_told_and_not_run(root: Path, tmp_path: Path, name: str) -> None:
    """Of whichever file: every byte is verified, the ranks are not computed again, and that exits 1."""
    marker = tmp_path / "marker"
    folder = forged(root, scorer={name: shipped()[name] + MARKER.format(path=str(marker)).encode()})
    found = verify_all(root)
    assert (found.problems, found.ranked, found.files) == ([], 0, FILES_OF_ONE)
    [told] = found.not_ranked
    assert told.startswith(f"{folder}/snapshot.json: the ranks were not computed again")
    assert json.loads((folder / "snapshot.json").read_bytes())["scorer"]["dynascore.py"] in told
    done = steelyard(tmp_path, "snapshot", "verify", str(folder))
    assert (done.returncode, told.partition(": ")[2] in done.stdout) == (1, True), done.stdout
    assert not marker.exists()


def test_the_scorer_of_an_earlier_version_ranks_again(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once its hashes are on the list, the files in the snapshot itself are run: here, ones that rank otherwise."""
    source = shipped()["dynascore.py"].replace(
        b"def rank(", b"def rank(self, *a): return None\n    def _(", 1
    )
    forged(root, scorer={"dynascore.py": source})
    known = {name: file_hash(content) for name, content in {**shipped(), "dynascore.py": source}.items()}
    (tmp_path / "scorers.json").write_text(json.dumps({"0.0.9": known}))
    assert len(verify_all(root).not_ranked) == 1
    monkeypatch.setattr(scorers, "KNOWN", tmp_path / "scorers.json")
    found = verify_all(root)
    assert (found.ranked, found.not_ranked) == (0, [])
    assert "the scorer cannot rank this: AttributeError" in named(found)


def test_the_list_has_the_scorer_of_this_version() -> None:
    """So that later versions know it; release/scorers.py writes it."""
    known = json.loads(scorers.KNOWN.read_text("utf-8"))[__version__]
    assert known == {name: file_hash(content) for name, content in shipped().items()}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_records_that_make_no_sense_are_problems(root: Path, data: st.DataObject) -> None:
    """Any JSON in the place of any part of a snapshot, with right hashes: problems, never an exception."""
    json_values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=5,
    )
    folder = first(root)
    kept = {path: path.read_bytes() for path in (folder / "snapshot.json", folder / "manifest.json")}
    document = json.loads(kept[folder / "snapshot.json"])
    part = data.draw(
        st.sampled_from(["ranking", "data", "weights", "models", "board", "scorer", "id", "kind"])
    )
    document[part] = data.draw(json_values.filter(lambda value: value != document[part]))
    content = json.dumps(document).encode()
    manifest = json.loads(kept[folder / "manifest.json"])
    manifest["files"]["snapshot.json"] = file_hash(content)
    (folder / "snapshot.json").write_bytes(content)
    (folder / "manifest.json").write_bytes(dump(manifest))
    try:
        assert f"{folder}/snapshot.json" in named(verify(Folder(folder)))
    finally:
        for path, before in kept.items():
            path.write_bytes(before)


@pytest.mark.parametrize("name", ["../x", "../../outside", "/etc/passwd", "http://example.org/x", "a\nb"])
@pytest.mark.parametrize("shared", [False, True])
def test_a_manifest_cannot_lead_elsewhere(root: Path, name: str, shared: bool) -> None:
    """Names outside the snapshot's folder and the shared one are named and not read, though hashes are right."""
    path = root / STYLE / "manifest.json" if shared else first(root) / "manifest.json"
    manifest = json.loads(path.read_bytes())
    manifest["files"][name] = "sha256:" + "0" * 64
    path.write_bytes(dump(manifest))
    if shared:
        forged(root)
        [problem] = verify_all(root).problems
        assert problem.file == str(path)
    said = named(verify_all(root))
    assert f"{path}: files.{name}.[key]: String should match pattern" in said
    assert "is missing" not in said


@pytest.mark.parametrize("content", [b"", b"[]", b"[" * 100_000])
def test_lists_that_make_no_sense_are_problems(root: Path, content: bytes) -> None:
    """A list or a manifest that is not even JSON is a problem that names the file."""
    for name in ("versions.json", f"{first(root).name}/manifest.json"):
        kept = (root / name).read_bytes()
        (root / name).write_bytes(content)
        assert str(root / name) in named(verify_all(root))
        (root / name).write_bytes(kept)


@pytest.mark.parametrize(("name", "value"), [("board", "other"), ("title", "Other")])
def test_a_list_that_says_otherwise_names_both(root: Path, name: str, value: str) -> None:
    """What versions.json says of a snapshot is compared with the record: field, found and expected value."""
    entries = [entry.plain() for entry in listed(root)]
    expected = entries[0][name]
    entries[0][name] = value
    (root / "versions.json").write_bytes(dump({"snapshots": entries}))
    message = f"{name}: is {value!r}, and snapshot.json says {expected!r}; restore the file"
    assert message in named(verify_all(root))


# On the web ---------------------------------------------------------------------------------------------------


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def served(handler: Callable[..., http.server.BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a real server on this machine."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def address(root: Path) -> Iterator[str]:
    """Where the snapshots are published, with a slash at the end, in a site that says where its Python is."""
    (root.parent / "runtime").mkdir()
    (root.parent / "runtime/current.json").write_text('{"runtime": "runtime/0123/"}')
    with served(partial(Quiet, directory=str(root.parent))) as found:
        yield f"{found}/snapshots/"


def test_a_published_snapshot_is_verified(root: Path, address: str, tmp_path: Path) -> None:
    """By its address, with a slash or without, from a folder that has nothing to do with it."""
    for slash in ("", "/"):
        done = steelyard(tmp_path, "snapshot", "verify", f"{address}{first(root).name}{slash}", "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        pages = "pages about snapshots (index.html, feed.xml, diff/), which every build makes again"
        assert json.loads(done.stdout) == {
            "snapshots": 1, "files": FILES_OF_ONE, "ranked": 1,
            "problems": [], "not_ranked": [], "not_covered": [pages],
        }  # fmt: skip


@pytest.mark.parametrize("name", ["snapshot.json", "manifest.json", "index.html", "../versions.json"])
def test_a_published_file_that_was_changed_is_named(
    root: Path, address: str, tmp_path: Path, name: str
) -> None:
    """Changed and then gone: it is named with its address."""
    path, snapshot = (first(root) / name).resolve(), f"{address}{first(root).name}/"
    url = address + path.relative_to(root).as_posix()
    path.write_bytes(path.read_bytes() + b" ")
    done = steelyard(tmp_path, "snapshot", "verify", snapshot)
    assert (done.returncode, f"{url}: " in done.stdout) == (1, True), done.stdout
    path.unlink()
    done = steelyard(tmp_path, "snapshot", "verify", snapshot)
    assert (done.returncode, f"{url}: is missing" in done.stdout) == (1, True), done.stdout


class Hostile(Quiet):
    def do_GET(self) -> None:
        if "file" in self.path:
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
        elif "endless" in self.path:
            self.send_response(200)
            self.end_headers()
            for _ in range(40):
                self.wfile.write(b"x" * 1_000_000)
        else:
            self.wfile.write(b"nonsense")


def test_servers_are_not_believed(tmp_path: Path) -> None:
    """A server that leads to a file, answers without end, or not at all, is a problem in a few words."""
    messages = {"file": "the server answers 302: ", "endless": "is larger than 32 MB"}
    messages["nonsense"] = "cannot be fetched"
    with served(Hostile) as found:
        for name, message in messages.items():
            done = steelyard(tmp_path, "snapshot", "verify", f"{found}/{name}/x/")
            assert (done.returncode, message in done.stdout) == (1, True), done.stdout
            assert "root:" not in done.stdout
            assert "Traceback" not in done.stderr


# The command --------------------------------------------------------------------------------------------------


def test_the_command_checks_all_that_are_here(frozen: Path) -> None:
    """Without an argument all snapshots are checked; a changed page of any is named and exits 1."""
    done = steelyard(frozen, "snapshot", "verify")
    assert done.returncode == 0
    assert re.match(r"2 snapshots, \d+ files, 2 ranked again: no problems\nnot covered: .*\n\Z", done.stdout)
    path = next((frozen / "results" / "snapshots").glob("assets/*/tradeoffs.py"))
    path.write_bytes(path.read_bytes() + b"\n")
    done = steelyard(frozen, "snapshot", "verify")
    assert (done.returncode, f"{path.relative_to(frozen)}: was changed" in done.stdout) == (1, True)
    assert steelyard(frozen, "snapshot", "verify", "nowhere").returncode == 2


def test_check_and_verify_find_what_no_hash_shows(frozen: Path) -> None:
    """An empty folder in a snapshot: each exits 1 and names it, though no byte was changed."""
    folder = first(frozen / "results" / "snapshots")
    (folder / "nothing").mkdir()
    for command in (["check"], ["snapshot", "verify"]):
        done = steelyard(frozen, *command)
        assert (done.returncode, folder.name in done.stdout) == (1, True), done.stdout + done.stderr


@pytest.mark.slow
def test_a_snapshot_is_named_by_the_beginning_of_its_id(frozen: Path) -> None:
    """By the whole id, by what tells it apart, and by what a page shows of it; one that fits two does not."""
    for entry in listed(frozen / "results" / "snapshots"):
        for name in (entry.id, entry.id[:20], f"{entry.id[:25]}…"):
            done = steelyard(frozen, "snapshot", "verify", name)
            assert done.stdout.startswith("1 snapshot,"), done.stdout + done.stderr
    done = steelyard(frozen, "snapshot", "verify", "2027")
    assert (done.returncode, "'2027': 2 ids begin so" in done.stderr) == (2, True)
    done = steelyard(frozen, "snapshot", "diff", "1999", "2027")
    assert (done.returncode, "'1999' is no id of a snapshot" in done.stderr) == (2, True), done.stderr


def cite(document: dict[str, Any]) -> None:
    document["note"] = "Another snapshot than the one that was cited"


def test_the_hash_of_a_citation_is_that_of_the_file(root: Path, address: str, tmp_path: Path) -> None:
    """Its digits, in any case and with or without the name of the hash, are those of `sha256sum`; another snapshot
    than the one cited is told, however right all hashes beside it are."""
    folder = first(root)
    for name in ("manifest.json", "snapshot.json"):
        digits = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for written in (digits.upper(), f"sha256:{digits}"):
            done = steelyard(tmp_path, "snapshot", "verify", str(folder), "--sha256", written)
            assert done.returncode == 0, done.stdout + done.stderr
    folder = forged(root, cite)
    found = file_hash((folder / "snapshot.json").read_bytes())
    assert steelyard(tmp_path, "snapshot", "verify", str(folder)).returncode == 0
    for where in (str(folder), f"{address}{folder.name}/"):
        done = steelyard(tmp_path, "snapshot", "verify", where, "--sha256", digits)
        told = f"is not the one cited: --sha256 is sha256:{digits}, but that of snapshot.json is {found}"
        assert (done.returncode, told in done.stdout) == (1, True)
        assert "fetch the snapshot anew from the address in the citation" in done.stdout
