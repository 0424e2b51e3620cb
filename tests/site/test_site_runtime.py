"""Pyodide in the cache: complete or absent, verified on every use, the same bytes every time."""

from __future__ import annotations

import gzip
import hashlib
import shutil
import zipfile
from pathlib import Path

import pytest

from evaluator.records.errors import UserError
from site_src.generator import distribution, lean, runtime
from site_src.generator.distribution import Distribution, cache_folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A warm cache of the test's own."""
    target = tmp_path / "cache"
    target.mkdir()
    files, little = runtime.runtime_files(cache_folder()), runtime.lean_runtime(cache_folder())
    assert little is not None
    for folder in (files["pyodide.mjs"].parent, little["pyodide.mjs"].parent):
        shutil.copytree(folder, target / folder.name)
    shutil.copyfile(files[runtime.STDLIB], target / files[runtime.STDLIB].name)
    return target


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No source can be reached."""

    def refuse(wanted: Distribution) -> dict[str, bytes]:
        raise OSError("no network")

    monkeypatch.setattr(distribution, "from_npm", refuse)
    monkeypatch.setattr(distribution, "from_cdn", refuse)


@pytest.mark.usefixtures("offline")
def test_a_warm_cache_needs_no_network(cache: Path, tmp_path: Path) -> None:
    """An offline machine publishes the four files, and those of the lean Python, under a hash of their contents."""
    shared = runtime.publish_shared(tmp_path / "site", cache)
    folder = tmp_path / "site" / shared.runtime
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert names == {*runtime.FILES, *(f"lean/{name}" for name in runtime.FILES)}
    assert shared == runtime.publish_shared(tmp_path / "again", cache)


@pytest.mark.usefixtures("offline")
def test_a_cold_cache_offline_says_what_to_do(tmp_path: Path) -> None:
    """The error names the cache, the reasons and the fix, and leaves nothing behind."""
    with pytest.raises(UserError, match="build once with a network connection"):
        runtime.publish_shared(tmp_path / "site", tmp_path / "cold")
    assert not (tmp_path / "cold").exists()


@pytest.mark.usefixtures("offline")
def test_a_corrupt_file_is_never_published(cache: Path, tmp_path: Path) -> None:
    """One flipped bit in a cached file is found."""
    damaged = cache / f"pyodide-{runtime.VERSION}" / "pyodide.asm.wasm"
    data = bytearray(damaged.read_bytes())
    data[1000] ^= 1
    damaged.write_bytes(data)
    with pytest.raises(UserError):
        runtime.publish_shared(tmp_path / "site", cache)


def test_a_corrupt_cache_is_fetched_anew(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a source at hand a damaged cache repairs itself."""
    whole = {name: path.read_bytes() for name, path in runtime.stock_files(cache).items()}
    monkeypatch.setattr(distribution, "from_npm", lambda wanted: whole)
    (cache / f"pyodide-{runtime.VERSION}" / "pyodide.mjs").write_text("export const wrong = 1;")
    files = runtime.stock_files(cache)
    assert files["pyodide.mjs"].read_bytes() == whole["pyodide.mjs"]


@pytest.mark.slow
def test_the_reduced_library_is_the_one_that_is_pinned_and_holds_what_scorers_import(cache: Path) -> None:
    """Bytecode only; a corrupt one is made anew, byte for byte. Snapshots have its hash: whoever changes what scorers
    import, or the recipe, changes `runtime.REDUCED`.
    """
    first = runtime.runtime_files(cache)[runtime.STDLIB]
    assert first.parent == cache
    first.write_bytes(first.read_bytes()[:-1] + b"?")
    again = runtime.runtime_files(cache)[runtime.STDLIB]
    assert hashlib.sha256(again.read_bytes()).hexdigest() == runtime.REDUCED
    assert f"sha256:{runtime.REDUCED}" in runtime.pinned()[runtime.STDLIB]
    with zipfile.ZipFile(again) as archive:
        names = set(archive.namelist())
    assert {"json/__init__.pyc", "dataclasses.pyc", "typing.pyc", "struct.pyc"} <= names
    assert all(name.endswith(".pyc") for name in names)


def test_another_reduced_library_is_not_published(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes out otherwise, or lies in the cache under the right name, gives way to the stock library."""
    runtime.runtime_files(cache)[runtime.STDLIB].write_bytes(b"planted")
    monkeypatch.setattr(runtime, "_reduce", lambda *_: b"another")
    assert runtime.runtime_files(cache)[runtime.STDLIB].parent.name == f"pyodide-{runtime.VERSION}"
    assert not list(cache.glob("stdlib-*"))


@pytest.mark.slow
def test_pages_say_how_large_python_is_when_it_is_sent(cache: Path) -> None:
    """The sizes that are pinned are those of the files that are."""
    little = runtime.lean_runtime(cache)
    assert little is not None
    for files, sent in ((runtime.stock_files(cache), runtime.SENT), (little, lean.SENT)):
        assert {name: len(gzip.compress(files[name].read_bytes(), 6, mtime=0)) for name in sent} == sent


def test_a_first_visit_transfers_little_more_than_four_megabytes(cache: Path, tmp_path: Path) -> None:
    """The Python that pages load first, as a host compresses it, is within the budget."""
    shared = runtime.publish_shared(tmp_path / "site", cache)
    assert shared.lean is not None
    assert shared.weighed()["size"] == shared.lean[1].size <= 4_200_000


@pytest.mark.slow
def test_the_lean_python_is_the_one_that_is_pinned_and_made_once(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes out byte for byte; where anything else does, pages have all of Pyodide."""
    [place] = cache.glob("lean-*")
    shutil.rmtree(place)
    made = runtime.lean_runtime(cache)
    assert made is not None
    assert {made[name].parent for name in runtime.FILES} == {place}
    with zipfile.ZipFile(made[runtime.STDLIB]) as archive:
        names = {*archive.namelist()}
    assert {"json/__init__.pyc", "dataclasses.pyc", "heapq.pyc"} <= names
    assert not [name for name in names if name.startswith(("zipfile", "ssl", "asyncio/base"))]
    monkeypatch.setitem(lean.MADE, runtime.STDLIB, "another")
    assert runtime.lean_runtime(cache) is None


def test_without_node_the_stock_library_is_published(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Node makes the site faster; it is not needed."""
    for known in cache.glob("stdlib-*"):
        known.unlink()
    monkeypatch.setattr(shutil, "which", lambda _: None)
    files = runtime.runtime_files(cache)
    assert files[runtime.STDLIB] == cache / f"pyodide-{runtime.VERSION}" / runtime.STDLIB
