"""What strangers send is added where the site's page could have written it, and refused by line where not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from collect_world import collection_at, open_on_site, write_lines, write_project, written_try

from evaluator.cli import main
from evaluator.records.board import load_boards
from evaluator.records.errors import UserError
from evaluator.rounds.receiving import Received, receive

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose collection takes tries from its site; tests leave its files as they were."""
    board_file = write_project(tmp_path_factory.mktemp("receive"))
    open_on_site(board_file)
    return board_file.parent


@pytest.fixture
def tries(project: Path) -> Iterator[Path]:
    """The folder of tries, where one of ann's is."""
    folder = project / "collect" / "notes" / "tries"
    write_lines(folder / "ann.jsonl", written_try(1, "ann", "Ann was first.", "negative"))
    yield folder
    for path in folder.iterdir():
        path.unlink()


def rows(
    number: int = 2, writer: str = "blue-fox", text: str = "Not bad at all.", prompt: str = "p0"
) -> Rows:
    """A try as the page writes it."""
    return written_try(number, writer, text, "positive", prompt, "browser")


def issue(lines: Sequence[object], ends: str = "\r\n") -> bytes:
    """An issue's text, with the ends of lines that GitHub gives it."""
    text = ["What it is.", "", "```jsonl", *(json.dumps(line) for line in lines), "```", ""]
    return ends.join(text).encode()


def sent(project: Path, content: bytes) -> Received:
    path = project / "body.md"
    path.write_bytes(content)
    return receive(path, load_boards(project / "board.toml"), project, project)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_an_issue_is_added_to_its_writers_file_once(project: Path, tries: Path) -> None:
    """The lines as they were; again nothing; later ones after them; and a whole exported file is no other."""
    first, second = rows(2), rows(3, text="One\u2028more.")
    received = sent(project, issue(first))
    assert (received.writer, received.added, received.known) == ("blue-fox", 1, 0)
    assert received.path == tries / "blue-fox.jsonl"
    exported = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in first).encode()
    assert received.path.read_bytes() == exported
    assert sent(project, issue(first, "\n")).known == 1
    both = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in first + second).encode()
    assert (sent(project, both).added, received.path.read_bytes()) == (1, both)
    assert len(collection_at(project / "board.toml").judged_tries()) == 3


def test_a_right_answer_may_come_later(project: Path, tries: Path) -> None:
    """A try that was exported without one gets it, but never another one."""
    asked, judged = rows()
    assert sent(project, issue([asked])).added == 1
    assert sent(project, issue([asked, judged])).added == 1
    assert sent(project, issue([asked])).added == 0
    with pytest.raises(UserError, match="is there already, and otherwise; what is there stays"):
        sent(project, issue([asked, {**judged, "answer": "negative"}]))


def changed(row: int = 0, **fields: object) -> Callable[[], Rows]:
    """A try of which one line has other fields."""
    return lambda: [line | (fields if at == row else {}) for at, line in enumerate(rows())]


[ANSWER] = rows()[0]["answers"]
REFUSED: dict[str, tuple[Callable[[], Sequence[object]], str]] = {
    "a path for a name": (changed(writer="../../x"), "4: asked.writer: String should match pattern"),
    "a name in capitals": (lambda: rows(writer="ANN"), "'ANN' is 'ann' on file systems"),
    "another collection": (changed(collection="note"), "did you mean notes?"),
    "two writers": (lambda: rows(2) + rows(3, writer="red-fox"), "6: writer: 'red-fox' is not the file's"),
    "somebody's id": (lambda: rows(1), "is there already, and otherwise"),
    "only a judgement": (lambda: rows(3) + rows()[1:], f"6: id: {2:032x} was not asked before"),
    "no prompt": (changed(prompt=None), "4: prompt: is not one of this collection"),
    "tags of one's own": (changed(tags={"topic": "x"}), "4: tags: are not those of the prompt"),
    "an empty text": (changed(inputs={"statement": " \n"}), "4: inputs.statement: is empty"),
    "no such label": (changed(1, answer="<b>"), "5: answer: '<b>' is no label"),
    "another model": (changed(answers=[{**ANSWER, "model": "x"}]), "answers: are not of words, each once"),
    "no page": (changed(answers=[{**ANSWER, "place": "worker"}]), "answers.place: is not browser"),
    "more tries than there are": (lambda: rows(2) + rows(3) + rows(4), "blue-fox has 3 tries for 'p0'"),
    "no object": (lambda: [[]], "4: Input should be"),
}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        *((issue(lines()), words) for lines, words in REFUSED.values()),
        (b"\xff\xfe", "is no UTF-8"),
        (issue(rows()).replace(b"```\r\n", b""), "has no single block from ```jsonl to ```"),
        (issue(rows()) * 2, "has no single block"),
        (b"```jsonl\n" + b"[" * 100_000 + b"\n```\n", "recursion limit"),
        (b'```jsonl\n{"event": "asked", "writer": "\\ud800"}\n```\n', "2: "),
        (b"null", "1: "),
        (b"", "has no tries; send what the page exported"),
    ],
    ids=[*REFUSED, "bytes", "open", "two", "nested", "surrogate", "null", "empty"],
)
def test_what_the_page_cannot_have_written_is_refused(
    project: Path, tries: Path, content: bytes, words: str
) -> None:
    """The message names the line, the field and the fix; no file changes."""
    before = files(tries)
    with pytest.raises(UserError) as refused:
        sent(project, content)
    assert words in str(refused.value)
    assert files(tries) == before


def test_a_collection_without_a_page_takes_nothing(project: Path, tries: Path) -> None:
    """Only who opens a collection to strangers gets tries from them."""
    boards = load_boards(project / "board.toml")
    closed = boards.model_copy(update={"collect": (boards.collect[0].model_copy(update={"site": False}),)})
    (project / "body.md").write_bytes(issue(rows()))
    with pytest.raises(UserError, match="notes has no page on the site; set site = true"):
        receive(project / "body.md", closed, project, project)


def test_the_command_says_what_it_did_and_runs_no_command_of_an_issue(
    project: Path, tries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON for the workflow; and no line of its output begins as the commands of GitHub's runner do."""
    body = project / "body.md"
    body.write_bytes(issue(rows()))
    command = ["collect", "receive", str(body), "--json", "--board", str(project / "board.toml")]
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 0
    assert json.loads(capsys.readouterr().out) == {
        "collection": "notes",
        "writer": "blue-fox",
        "file": "collect/notes/tries/blue-fox.jsonl",
        "added": 1,
        "known": 0,
    }
    for field in ("answer", "reason"):
        body.write_bytes(issue(changed(1, **{field: ["\n::error::x\n##[group]y"]})()))
        with pytest.raises(SystemExit) as ended:
            main(command)
        assert ended.value.code == 1
        said = capsys.readouterr()
        assert f"{body}:5: judged.{field}: " in said.err
        assert not [line for line in f"{said.out}{said.err}".splitlines() if line.startswith(("::", "##["))]
