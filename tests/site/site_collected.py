"""A small project whose site has a page to collect: one model in its loop runs in a page, another one does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from collect_world import write_project
from site_tried import store_answers

from evaluator.cli import main
from evaluator.records.board import load_boards

#: The second model in the loop, which no page can run.
NETWORK = """
[[models]]
id = "lines"
label = "Lines"
task = "sentiment"
adapter = "handler"
directory = "lines"
"""
REPOSITORY = "https://github.com/me/board"


def write_collected(folder: Path) -> Path:
    """The board file; the copy of its first model has been compared with it."""
    board_file = write_project(folder)
    text = board_file.read_text("utf-8")
    text = text.replace('models = ["words"]', 'models = ["words", "lines"]\nsite = true')
    site = f'[site]\nsource = "{REPOSITORY}"\nbrowser_models = ["words"]\n\n[measure]'
    text = text.replace("[measure]", site).replace("[[boards]]", f"{NETWORK}\n[[boards]]")
    board_file.write_text(text, "utf-8")
    (folder / "lines").mkdir()
    handler = (folder / "words" / "handler.py").read_text("utf-8")
    (folder / "lines" / "handler.py").write_text(f"import numpy\n{handler}", "utf-8")
    rows = [f"film number {number} is {'bad' if number % 3 else 'fine'}" for number in range(500)]
    (folder / "first.tsv").write_text(
        "".join(f"{row}\t{'negative' if 'bad' in row else 'positive'}\n" for row in rows), "utf-8"
    )
    store_answers(folder, load_boards(board_file), "words", "first")
    with pytest.raises(SystemExit) as ended:
        main(["check", "--browser", "--board", str(board_file)])
    assert ended.value.code == 0
    return board_file
