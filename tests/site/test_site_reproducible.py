"""The same site from the same results: on another machine, of another user, in another country."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from site_publish import write_published, write_snapshots

from site_src.generator.distribution import cache_folder

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
#: Everything that a build might wrongly go by. In the first no text has an encoding unless the code says so.
PLACES = {
    "here": {
        "LC_ALL": "C",
        "TZ": "UTC",
        "PYTHONHASHSEED": "1",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "USER": "ada",
        "LOGNAME": "ada",
    },
    "a far/place": {
        "LC_ALL": "C.UTF-8",
        "TZ": "Pacific/Kiritimati",
        "PYTHONHASHSEED": "77",
        "USER": "grace",
        "LOGNAME": "grace",
    },
}


def built(folder: Path, environment: dict[str, str], umask: int, cores: set[int]) -> dict[str, bytes]:
    """Build a world in `folder` with a home and a cache of its own; return the site's files."""
    boards, results = write_published(folder)
    write_snapshots(boards, results, 2)
    (folder / "home").mkdir()
    kept = folder / "cache" / "steelyard"
    # What the cache has of the browser's Python takes a minute to make, and is checked by its own tests.
    shutil.copytree(cache_folder(), kept, ignore=shutil.ignore_patterns("social"))
    subprocess.run(
        [sys.executable, "-m", "evaluator.cli", "build"],
        check=True,
        cwd=folder,
        env={
            **os.environ,
            **environment,
            "HOME": str(folder / "home"),
            "XDG_CACHE_HOME": str(kept.parent),
            "PYTHONPATH": str(ROOT),
        },
        umask=umask,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
        stdout=subprocess.DEVNULL,
    )
    site = folder / "build"
    return {p.relative_to(site).as_posix(): p.read_bytes() for p in site.rglob("*") if p.is_file()}


def test_two_builds_on_different_machines_are_identical(tmp_path: Path, site_folder: Path) -> None:
    """Folder, user, home, locale, encoding, time zone, hash seed, umask and number of cores leave no trace."""
    all_cores = os.sched_getaffinity(0)
    assert site_folder.exists()  # building it has filled the cache that both start from
    first, second = (
        built(tmp_path / place, environment, umask, cores)
        for (place, environment), umask, cores in zip(
            PLACES.items(), (0o022, 0o077), ({min(all_cores)}, all_cores), strict=True
        )
    )
    assert {*first} == {*second}
    assert [name for name in first if first[name] != second[name]] == []
    assert {
        "sentiment/social.png",
        "sitemap.xml",
        "snapshots/feed.xml",
        "sentiment/board.json",
        "method/index.html",
    } < {*first}
    for name, content in first.items():
        assert str(tmp_path).encode() not in content, name
