"""The generator: complete, reproducible, careful with folders, readable without a browser."""

from __future__ import annotations

import json
import re
from functools import partial
from html import unescape
from pathlib import Path

import pytest
from site_sample import write_crowd, write_world

from evaluator.records.errors import UserError
from site_src.generator import parallel
from site_src.generator.build import build


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_job_that_fails_in_another_process_fails_the_build(tmp_path: Path) -> None:
    """Its own error arrives, after jobs that went well wrote their files."""
    written = [partial((tmp_path / str(at)).touch) for at in range(3 * parallel.BLOCK)]
    parallel.run_all(written, processes=2)
    assert len(list(tmp_path.iterdir())) == 3 * parallel.BLOCK
    with pytest.raises(ZeroDivisionError):
        parallel.run_all([*written, lambda: print(1 / 0)], processes=2)


def test_a_folder_of_somebody_else_is_never_touched(tmp_path: Path) -> None:
    """Building over a folder without the marker is refused, and the folder stays as it is."""
    boards, results = write_world(tmp_path)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("ten years of work")
    with pytest.raises(UserError, match="was not made by a build"):
        build(boards, results, tmp_path / "home")
    assert contents(tmp_path / "home") == {"thesis.txt": b"ten years of work"}


def test_a_failed_build_leaves_the_old_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new site takes the old one's place only when it is complete."""
    boards, results = write_crowd(tmp_path, 3)
    output = tmp_path / "build"
    build(boards, results, output)
    before = contents(output)
    next(results.rglob("crowd-0001.json")).unlink()
    monkeypatch.setattr("site_src.generator.pages.model.model_view", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        build(boards, results, output)
    assert contents(output) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["board.toml", "build", "results"]


def test_every_page_has_the_policy_and_nothing_inline_or_foreign(site_folder: Path) -> None:
    """No inline script, style or handler, and nothing is loaded from another origin."""
    pages = [path for path in site_folder.rglob("*.html") if path.name != "404.html"]
    assert len(pages) > 20
    for path in pages:
        html = path.read_text(encoding="utf-8")
        policy = "style-src" if path.parent.name == "embed" else "script-src 'self' 'wasm-unsafe-eval'"
        assert f"default-src 'none'; {policy}" in html
        assert '<meta name="referrer" content="no-referrer">' in html
        assert not re.search(r"<style|<[^>]+\s(style|on\w+)=", re.sub(r'"[^"]*"', '""', html)), path
        assert all(kind == "application/json" for kind in re.findall(r'<script type="([^"]*)" id', html))
        assert not re.search(r'(src|rel="(stylesheet|icon)" href)="(https?:)?//', html)


#: What is said to those who keep a site: its files, its commands.
ERRANDS = re.compile(r"board\.toml|\[site\]|whoever keeps|steelyard (?!init\b)[a-z]+(-[a-z]+)? ")


def test_no_page_has_errands_for_those_who_keep_the_site(site_folder: Path) -> None:
    """They stand in warnings of the build and in the documentation; visitors cannot do anything about them."""
    pages = [path for path in site_folder.rglob("*.html") if "method" not in path.parts]
    assert len(pages) > 50
    for path in pages:
        text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]+>", " ", path.read_text(encoding="utf-8"), flags=re.S)
        assert not ERRANDS.search(unescape(text)), path


def test_a_model_page_shows_what_is_known_and_what_is_missing(site_folder: Path) -> None:
    """Card, noise verdict with its reasons, percentiles with intervals, refused percentiles, memory."""
    html = (site_folder / "measured/models/bert-small/index.html").read_text(encoding="utf-8")
    for words in (
        "The timing is suspect",
        "the host took 3.1 % of the CPU time",
        "14.2 ms to 15.9 ms",
        "too few requests to say",
        "Harness overhead",
        "61.0 µs",
        "0.498 GB",
        "While it was measured, the model saw no processes but its own, had no network,",
        "Missing: a file system of its own. The reason: mount: Operation not permitted.",
        '<dd class="missing" dir="auto">missing</dd>',
    ):
        assert words in html


def test_a_board_without_results_says_so(site_folder: Path) -> None:
    """The empty state is a page, without controls that could do nothing."""
    html = (site_folder / "nothing/index.html").read_text(encoding="utf-8")
    assert "No results yet." in html
    assert 'board.js"' not in html


def test_a_row_marks_a_suspect_timing_and_says_why(site_folder: Path) -> None:
    """The mark is text beside where the number is from; the metrics, the dataset and the reasons are below."""
    page = (site_folder / "measured" / "index.html").read_text(encoding="utf-8")
    [row] = re.findall(r'<tr role="row" data-model="vader".*?</tr>', page, flags=re.DOTALL)
    [reason] = re.findall(r'<span class="few-mark" title="(.*?)">suspect timing</span>', row)
    assert reason.startswith("throughput and memory on reviews: the host took 3.1 % of the CPU time")
    assert "throughput and memory on reviews: the host took 3.1 % of the CPU time; one pass is" in row
    document = json.loads((site_folder / "measured" / "board.json").read_text(encoding="utf-8"))
    [vader] = [model for model in document["models"] if model["id"] == "vader"]
    assert [line.split(": ")[1] for line in vader["suspect"]] == ["its timing is suspect"] * 2
    table = (site_folder / "sentiment" / "index.html").read_text(encoding="utf-8")
    assert "suspect timing" not in table
