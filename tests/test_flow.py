"""One leaderboard from nothing to a snapshot that is verified, by the commands, in a real git repository."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from publishing_world import commit_all, git, steelyard
from shortened import shorten

#: A model that others ran: its card on the board, before the first of those that are run here.
RIVAL = '[[models]]\nid = "rival"\nlabel = "Rival"\ntask = "sentiment"\n\n[[models]]'


def run(folder: Path, *arguments: str) -> str:
    done = steelyard(*arguments, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def test_from_nothing_to_a_verified_snapshot(tmp_path: Path) -> None:
    """init, import, evaluate, check, rank, build, snapshot, verify, diff: each goes on with what the last left."""
    folder = tmp_path / "reviews-in-welsh"
    run(tmp_path, "init", str(folder), "--licence", "mit")
    git(folder, "init", "--quiet", "--initial-branch", "main")
    commit_all(folder, "first")
    assert git(folder, "status", "--porcelain", "--ignored") == ""
    assert run(folder, "check") == "board.toml: 0 problems in 0 results\n"

    git(folder, "checkout", "--quiet", "-b", "change")
    board = folder / "board.toml"
    board.write_text(board.read_text().replace("[[models]]", RIVAL, 1))
    shorten(board)
    with (folder / "data/test.tsv").open() as file:
        labels = [row["label"] for row in csv.DictReader(file, delimiter="\t")]
    rows = "".join(f"{at},{label if at % 5 else 'positive'}\n" for at, label in enumerate(labels))
    (tmp_path / "rival.csv").write_text("id,label\n" + rows)
    run(folder, "import", str(tmp_path / "rival.csv"), "--dataset", "reviews", "--model", "rival")
    run(folder, "evaluate", "--commit")
    commit_all(folder, "a rival")
    said = run(folder, "check", "--against", "main", "--comment", "../comment.md")
    assert "3 results, 3 of them new" in said
    assert "`Everyday reviews`: 3 models ranked, 0 before" in (tmp_path / "comment.md").read_text()

    ranking = json.loads(run(folder, "rank", "reviews", "--json"))["models"]
    assert ranking[0]["model"] == "rival"
    [frozen] = json.loads(run(folder, "snapshot", "--json", "--note", "first"))
    commit_all(folder, "a snapshot")
    run(folder, "build")
    page = (folder / "build" / frozen["address"] / "index.html").read_text()
    assert frozen["sha256"] in page
    assert "1 snapshot, " in run(folder, "snapshot", "verify", frozen["id"], "--sha256", frozen["sha256"])
    assert "1 ranked again: no problems" in run(folder, "snapshot", "verify", "build/snapshots")

    (folder / "results/sentiment/reviews/rival.json").unlink()
    commit_all(folder, "the rival left")
    [newer] = json.loads(run(folder, "snapshot", "--json"))
    assert "Rival" in run(folder, "snapshot", "diff", frozen["id"], newer["id"])
