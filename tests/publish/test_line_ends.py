"""Git changes no line end of what has a published hash, whatever the user's settings are."""

from __future__ import annotations

from pathlib import Path

import pytest
from publishing_world import commit_all, git

ROOT = Path(__file__).parents[2]
FILES = {
    "results/snapshots/20270101T000000Z-00000000/citation.ris": b"TY  - DATA\r\nER  - \r\n",
    "results/snapshots/20270101T000000Z-00000000/index.html": b"<!doctype html>\n<p>\n",
    "results/sentiment/reviews/bert.json": b'{\n  "kind": "result"\n}\n',
    "results/sentiment/reviews/mixed.json": b"one\r\ntwo\n",
}


def cloned_with_conversion(folder: Path, attributes: bytes | None) -> Path:
    """A clone as on Windows, of a repository where line ends are converted too, with `FILES`."""
    origin, clone = folder / "origin", folder / "clone"
    origin.mkdir()
    git(origin, "init", "--quiet", "--initial-branch", "main")
    git(origin, "config", "core.autocrlf", "true")
    for name, content in {**FILES, **({".gitattributes": attributes} if attributes else {})}.items():
        (origin / name).parent.mkdir(parents=True, exist_ok=True)
        (origin / name).write_bytes(content)
    commit_all(origin)
    git(folder, "clone", "--quiet", "-c", "core.autocrlf=true", str(origin), str(clone))
    return clone


def test_a_published_byte_survives_a_clone_that_converts_line_ends(tmp_path: Path) -> None:
    """With this project's attributes, files with LF, CRLF and both arrive as they were committed."""
    clone = cloned_with_conversion(tmp_path, (ROOT / ".gitattributes").read_bytes())
    assert {name: (clone / name).read_bytes() for name in FILES} == FILES
    assert git(clone, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    "name", ["site_src/assets/base/style.css", "evaluator/rank/dynascore.py", "templates/base.html"]
)
def test_sources_of_published_files_have_lf_everywhere(name: str) -> None:
    """Their hashes are in snapshots and addresses, so they are checked out alike on every machine."""
    assert git(ROOT, "check-attr", "eol", "--", name).endswith("eol: lf")
