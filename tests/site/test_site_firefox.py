"""What a visitor does first works in Firefox too."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from evaluator.records.board import load_boards
from site_src.generator.build import build_single

pytestmark = pytest.mark.slow

BROWSER = Path(__file__).parents[1] / "javascript"
STEPS = [
    "the scorer is ready",
    "rows follow a weight",
    "the view is in the address",
    "the back button takes a weight back",
    "the theme changes",
    "the method is explained",
    "what is hard ranks the models",
    "a board in one file ranks anew from disk",
]


def test_a_board_is_reweighed_in_firefox(site_url: str, site_folder: Path, tmp_path: Path) -> None:
    """A real Firefox opens a board, weighs it anew, reloads, goes back, reads and asks what is hard, without complaint;
    so it does with a file."""
    node, firefox = shutil.which("node"), shutil.which("firefox-esr") or shutil.which("firefox")
    assert node, "no node to drive Firefox with: install Node.js"
    assert firefox, "no Firefox to test the site with: install Debian's package firefox-esr"
    world = site_folder.parent
    board = load_boards(world / "board.toml").boards[0]
    build_single(world / "board.toml", board, world / "results", tmp_path / "report.html")
    report = (tmp_path / "report.html").as_uri()
    command = [node, str(BROWSER / "firefox_smoke.mjs"), firefox, site_url, report]
    # A home of its own: Firefox refuses one that belongs to another user, and there may be none.
    environment = {**os.environ, "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stdout.splitlines()) == (0, STEPS), done.stderr
