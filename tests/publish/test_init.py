"""`steelyard init`: the repository it makes is whole, passes its own checks, and can be published."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from publishing_world import ENVIRONMENT, NEW, STEELYARD, git, reported, steelyard

from evaluator.publish.scaffolding import LICENCES, NewLeaderboard, write_repository
from evaluator.records.board import load_boards
from evaluator.records.references import DatasetRef
from evaluator.records.store import Store

ROOT = Path(__file__).parents[2]

PAIRS = (
    "premise\thypothesis\tlabel\n"
    "A man eats.\tA man is eating.\tENTAILMENT\n"
    "A man eats.\tA dog runs.\tc\n"
    "It rains.\tNobody is out.\tc\n"
)


def test_nothing_is_written_over(tmp_path: Path) -> None:
    """Where one file exists, it is named, stays as it is, and no other is made."""
    for name in write_repository(tmp_path / "names", NEW):
        folder = tmp_path / "there" / name.replace("/", "-")
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("mine")
        done = [path for path in folder.rglob("*") if path.is_file()]
        with pytest.raises(
            ValueError, match=re.escape(f"{folder / name}: exists already; nothing was written")
        ):
            write_repository(folder, NEW)
        assert [path for path in folder.rglob("*") if path.is_file()] == done
        assert (folder / name).read_text() == "mine"


def test_what_is_not_in_the_way_stays(tmp_path: Path) -> None:
    """A folder with other files in it, a new git repository for one, is filled."""
    git(tmp_path, "init", "--quiet")
    (tmp_path / "notes.txt").write_text("mine")
    assert steelyard("init", ".", cwd=tmp_path).returncode == 0
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_what_was_said_is_filled_in(made: Path) -> None:
    """Title, author, licence and address are in the files that need them, as they were given."""
    board = tomllib.loads((made / "board.toml").read_text())
    assert board["title"] == NEW.title
    assert board["site"] == {
        "url": "https://me.github.io/board/",
        "source": "https://github.com/me/board",
        "licence": "CC-BY-4.0",
    }
    cited = yaml.safe_load((made / "CITATION.cff").read_text())
    assert cited["cff-version"] == "1.2.0"
    assert (cited["title"], cited["authors"]) == (NEW.title, [{"name": NEW.author}])
    assert (cited["license"], cited["type"]) == ("CC-BY-4.0", "dataset")
    assert cited["repository-code"] == "https://github.com/me/board"
    assert "steelyard==1.0.0" in (made / "requirements.txt").read_text().splitlines()
    left = [path for path in made.rglob("*") if path.is_file() and re.search(rb"<<|<%", path.read_bytes())]
    assert left == []


@pytest.mark.parametrize(
    ("repository", "address"),
    [
        ("Me/Board", "https://me.github.io/Board/"),
        ("Me/me.github.io", "https://me.github.io/"),
        (None, None),
    ],
)
def test_where_pages_will_be(repository: str | None, address: str | None) -> None:
    """GitHub shows a repository under its owner's name, and the one of the host's name at its root."""
    assert replace(NEW, repository=repository).pages == address


@pytest.mark.parametrize("licence", LICENCES)
def test_each_licence_is_one(tmp_path: Path, licence: str) -> None:
    """Every licence that can be chosen has a text, or says where it is, and the README names it."""
    write_repository(tmp_path, NewLeaderboard("T", "Me", licence, "2026", "steelyard"))
    text = (tmp_path / "LICENSE").read_text()
    if licence == "Apache-2.0":
        assert text == (ROOT / "LICENSE").read_text()
    else:
        assert "2026 Me" in text or "2026, Me" in text
        assert licence == "MIT" or "https://creativecommons.org/" in text
    assert LICENCES[licence] in (tmp_path / "README.md").read_text()
    assert "repository-code" not in (tmp_path / "CITATION.cff").read_text()


@pytest.mark.slow
def test_the_licence_is_asked_for_on_a_terminal(tmp_path: Path) -> None:
    """On a terminal there are questions: for data of one's own, which gets an empty answer here, and the licence."""
    ours, theirs = pty.openpty()
    os.write(ours, b"\nMIT\n")
    done = subprocess.run(
        [STEELYARD, "init", "board", "--author", "Me"], cwd=tmp_path, env=ENVIRONMENT, stdin=theirs,
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 0, done.stderr
    assert "Licence of the results and pages" in done.stdout + done.stderr
    assert (tmp_path / "board/LICENSE").read_text().startswith("MIT License")


@pytest.mark.parametrize(
    ("remote", "shown"),
    [
        ("https://me:secret@git.example.org/me/board.git", "https://git.example.org/me/board"),
        ("git@git.example.org:me/board.git", "https://git.example.org/me/board"),
        ("../elsewhere", None),
    ],
)
def test_the_source_is_where_the_remote_is_seen(tmp_path: Path, remote: str, shown: str | None) -> None:
    """In a repository with a remote, its address in a browser is the source, without a password in it."""
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "remote", "add", "origin", remote)
    done = steelyard("init", ".", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert load_boards(tmp_path / "board.toml").site.source == shown


@pytest.mark.parametrize(
    "options",
    [
        ["--author", "two\nlines"],
        ["--repository", "a b/c"],
        ["--licence", "GPL"],
        ["--data", "pairs.txt", "--task", "nli"],
        ["--data", "pairs.tsv", "--task", "qa"],
        ["--data", "pairs.tsv", "--task", "nli", "--column", "statement=premise"],
    ],
)
def test_a_wrong_answer_is_a_wrong_call(tmp_path: Path, options: list[str]) -> None:
    """What would break a file is refused, and nothing is made."""
    for name in ("pairs.tsv", "pairs.txt"):
        (tmp_path / name).write_text(PAIRS)
    (tmp_path / "empty.csv").write_text("premise,hypothesis,label\n")
    done = steelyard("init", "board", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert options[-2 if "--column" in options else 0] in done.stderr
    assert not (tmp_path / "board").exists()


def test_the_form_is_one(made: Path) -> None:
    """The issue form has what GitHub asks of one: names, and elements with distinct ids and labels."""
    form = yaml.safe_load((made / ".github/ISSUE_TEMPLATE/submit.yml").read_text())
    assert {"name", "description", "body"} <= form.keys()
    asked = [element for element in form["body"] if element["type"] != "markdown"]
    assert {element["type"] for element in asked} == {"input", "dropdown", "textarea", "checkboxes"}
    for unique in ([element["id"] for element in asked], [e["attributes"]["label"] for e in asked]):
        assert len(set(unique)) == len(asked)
    for element in asked:
        assert ("options" in element["attributes"]) == (element["type"] in ("dropdown", "checkboxes"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "options", "columns", "labels"),
    [
        (
            "Pairs 1.tsv", PAIRS, ["--task", "nli"],
            {"context": "premise", "hypothesis": "hypothesis", "label": "label"},
            ["entailed", "neutral", "contradictory"],
        ),
        (
            "topics.csv", 'id,"what, said",class\n7,"two\nlines",sport\n9,"a ""word""",politics\n',
            ["--task", "classification", "--column", "text=what, said"],
            {"text": "what, said", "label": "class", "id": "id"}, ["politics", "sport"],
        ),
        (
            "asked.jsonl", '{"context": "It is in Oslo.", "question": "Where?", "answers": ["Oslo"]}\n',
            ["--task", "qa"], {"context": "context", "question": "question", "answers": "answers"}, None,
        ),
    ],
    ids=["nli", "classification", "qa"],
)  # fmt: skip
def test_a_board_of_ones_own_data(
    tmp_path: Path,
    name: str,
    text: str,
    options: list[str],
    columns: dict[str, str],
    labels: list[str] | None,
) -> None:
    """Columns and labels are found out or named; the board passes its check, keeps its texts, and its model answers."""
    (tmp_path / name).write_text(text)
    done = steelyard("init", "board", "--data", name, *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "board"
    assert (folder / "data" / name).read_text() == text
    [dataset] = tomllib.loads((folder / "board.toml").read_text())["datasets"]
    assert (dataset["columns"], dataset.get("labels")) == (columns, labels)
    assert "show_text" not in dataset
    git(folder, "init", "--quiet")
    assert steelyard("check", cwd=folder).stdout == "board.toml: 0 problems in 0 results\n"
    done = steelyard("check", "first", cwd=folder)
    assert done.returncode == 0, done.stdout
    assert "inputs answered as" in done.stdout


ROW = {"uid": "a", "subject": "law", "passage_id": 1, "gold": "yes", "prompt": "Is it?", "note": None}


@pytest.mark.parametrize(
    ("rows", "task", "said"),
    [
        (
            [ROW, {**ROW, "uid": "b", "gold": "no"}, {**ROW, "uid": "c", "subject": "art", "passage_id": 2},
             {**ROW, "uid": "d", "subject": "art"}], "classification",
            "text = prompt, label = gold, id = uid, tag.subject = subject, cluster = passage_id; not used: note",
        ),
        # Ids are all different, and tags and clusters are repeated, else they are none.
        (
            [ROW, {**ROW, "gold": "no"}], "classification",
            "text = prompt, label = gold; not used: uid, subject, passage_id, note",
        ),
        ([{"id": 1, "question": "Why?", "answer": "So."}], "generation", "text = question, answers = answer, id = id"),
        (
            [{"id": str(at), "text": "x", "gold": gold} for at, gold in enumerate(["positive", "-", "", "negative"])],
            "sentiment", "statement = text, label = gold, id = id; left out: 2 no gold label",
        ),
    ],
)  # fmt: skip
def test_columns_are_known_by_their_usual_names(
    tmp_path: Path, rows: list[dict[str, object]], task: str, said: str
) -> None:
    """Fields and answers, ids, tags and clusters; what is taken for what is told, and the board is read so."""
    (tmp_path / "d.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = steelyard("init", "board", "--data", "d.jsonl", "--task", task, cwd=tmp_path)
    assert f"d.jsonl: {said}\n" in done.stdout, done.stderr
    assert steelyard("check", cwd=tmp_path / "board").stdout == "board.toml: 0 problems in 0 results\n"


def test_predictions_by_id_fit_a_board_made_of_data_with_ids(tmp_path: Path) -> None:
    """A column named id is taken over, so that a file of predictions may be in any order."""
    (tmp_path / "d.csv").write_text("id,text,label\nr1,good,positive\nr2,bad,negative\n")
    (tmp_path / "p.csv").write_text("id,label\nr2,negative\nr1,positive\n")
    steelyard("init", "board", "--data", "d.csv", "--task", "sentiment", cwd=tmp_path)
    done = steelyard("import", "../p.csv", "--model", "m", cwd=tmp_path / "board")
    assert "accuracy 100 %" in done.stdout, done.stderr


def test_no_near_tie_and_no_constant_model_decides(tmp_path: Path) -> None:
    """At the weights of a new board, a hair of accuracy and the speed of a constant answer move nobody."""
    write_repository(tmp_path, NEW)
    for model, accuracy, throughput in (("best", 90.0, 1.0), ("close", 89.9, 900.0), ("majority", 50.0, 1e6)):
        result = reported(model, accuracy, throughput)
        Store(tmp_path / "results").save(result.model_copy(update={"dataset": DatasetRef(id="reviews")}))
    done = steelyard("rank", "reviews", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [row["model"] for row in json.loads(done.stdout)["models"]] == ["best", "close", "majority"]
    [board] = load_boards(tmp_path / "board.toml").boards
    assert (board.rate, board.floor) == ("ratio", "majority")
