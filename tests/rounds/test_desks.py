"""The local page answers who has its token, on this machine, and nobody else; whatever anybody sends."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from collect_world import collection_at, write_lines, write_project, written_try

import site_src
from evaluator.records.errors import UserError
from evaluator.rounds.collection import Collection
from evaluator.rounds.desks import Bench, Desk
from evaluator.rounds.loop import Loop
from evaluator.rounds.server import TOKEN, PageServer, page_files

PAGES = Path(site_src.__path__[0])
HOSTILE = [
    "</script><script>alert(1)</script>",
    "\u202eright to left\u0000 and null",
    "line\nbreak\r\nand\u2028more",
    '{"event": "judged"} 🦊',
]


@dataclass
class Caller:
    """Asks a server as its page does."""

    server: PageServer

    def post(self, path: str, document: Any, **headers: str) -> tuple[int, dict[str, Any]]:
        """Status and answer; headers in place of the page's own."""
        sent = {"Content-Type": "application/json", TOKEN: self.server.token}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        status, _, answer = self.send("POST", path, body, sent)
        return status, json.loads(answer)

    def send(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port)
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        found = response.status, response.headers, response.read()
        connection.close()
        return found


@contextmanager
def serving(page: str, desk: Desk | Bench) -> Iterator[Caller]:
    with PageServer(0, page_files(PAGES, page), desk.routes()) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.05])
        thread.start()
        try:
            yield Caller(server)
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return collection_at(write_project(tmp_path_factory.mktemp("server")))


@pytest.fixture(scope="module")
def loop(collection: Collection) -> Iterator[Loop]:
    with Loop(collection, collection.root / ".steelyard") as loop:
        yield loop


@pytest.fixture(scope="module")
def desk(collection: Collection, loop: Loop) -> Iterator[Caller]:
    with serving("collect", Desk(collection, loop)) as caller:
        yield caller


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({TOKEN.replace("-", "_"): "wrong"}, 403),
        ({TOKEN.replace("-", "_"): "ü".encode().decode("latin-1")}, 403),
        ({"Host": "evil.example:80"}, 421),
        ({"Origin": "http://evil.example"}, 403),
    ],
)
def test_only_the_page_itself_is_answered(desk: Caller, headers: dict[str, str], status: int) -> None:
    """No token, another host, another site: refused, with a reason."""
    found, answer = desk.post("/api/state", {}, **headers)
    assert (found, list(answer)) == (status, ["error"])


def test_the_page_holds_no_secret_and_loads_nothing_from_elsewhere(desk: Caller) -> None:
    """Its files come without a token, under a strict policy; nothing else of the machine does."""
    for path in ("/", "/local/collect.js", "/assets/base/style.css"):
        status, headers, body = desk.send("GET", path, None, {})
        assert status == 200
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';")
        assert desk.server.token.encode() not in body
        assert b"://" not in body.replace(b"http://www.w3.org/", b"")
    for path in ("/../pyproject.toml", "/local/../../pyproject.toml", "/local/", "/?x"):
        assert desk.send("GET", path, None, {})[0] == 404


@pytest.mark.parametrize("text", HOSTILE)
def test_what_anybody_types_is_kept_as_text(desk: Caller, collection: Collection, text: str) -> None:
    """A hostile text, and the same as reason: on disk, and back again, as it was typed; a line each."""
    writer = f"w{HOSTILE.index(text)}"
    ask = {"writer": writer, "prompt": "p0", "inputs": {"statement": text}, "seconds": 1}
    status, answer = desk.post("/api/ask", ask)
    assert (status, answer["inputs"]) == (200, {"statement": text.strip()})
    assert answer["answers"][0]["answer"] == "positive"
    judged = {"writer": writer, "id": answer["id"], "answer": "negative", "reason": text[:1000]}
    assert desk.post("/api/judge", judged)[1]["fooled"] == ["words"]
    lines = collection.file_of("tries", writer).read_bytes().splitlines()
    asked, said = (json.loads(line) for line in lines)
    assert (asked["event"], asked["inputs"]) == ("asked", {"statement": text.strip()})
    assert (said["event"], said["reason"]) == ("judged", text[:1000])


@pytest.mark.parametrize(
    ("path", "document", "words"),
    [
        ("ask", {"writer": "../x"}, "writer: "),
        ("ask", {"writer": "con"}, "'con' is a device on Windows"),
        ("ask", {"prompt": "nosuch"}, "prompt: 'nosuch' is not in the file of prompts"),
        ("ask", {"inputs": {"statement": " "}}, "inputs.statement: is empty; write something"),
        ("ask", {"inputs": {"other": "x"}}, "inputs.statement: is empty; write something"),
        ("ask", {"inputs": {"statement": "x" * 5001}}, "inputs.statement: "),
        ("ask", {"seconds": -1}, "seconds: "),
        ("ask", {"more": 1}, "more: "),
        (
            "judge",
            {"writer": "a", "id": "0" * 32, "answer": "negative"},
            "is no try of a; send one of theirs",
        ),
        ("nosuch", {}, "there is no such question"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    desk: Caller, collection: Collection, path: str, document: dict[str, Any], words: str
) -> None:
    """The answer names the field and the fix; nothing is written, and nothing stops."""
    usual = {"writer": "zoe", "prompt": "p0", "inputs": {"statement": "x"}, "seconds": 1}
    status, answer = desk.post(f"/api/{path}", usual | document if path == "ask" else document)
    assert status in (400, 404)
    assert words in answer["error"]
    assert not [one for one in collection.tries() if one.asked.writer in ("zoe", "a")]


def test_broken_json_is_no_trouble(desk: Caller) -> None:
    """Half a document, half a surrogate pair, nesting without end, and no object."""
    for body in (b"{", b'{"writer": "\\ud800"}', b"[" * 50_000, b"\xff", b"[]"):
        assert desk.post("/api/prompt", body)[0] == 400


def test_prompts_are_dealt_so_that_writers_share_few(desk: Caller) -> None:
    """Each newcomer gets one that fewest others wrote for, and no more tries than there are."""
    # All of them begin before anybody has written.
    dealt = {
        name: desk.post("/api/prompt", {"writer": name, "skip": []})[1]["prompt"]["id"]
        for name in ("n1", "n2", "n3")
    }
    assert len(set(dealt.values())) == 3
    for writer, prompt in dealt.items():
        assert desk.post("/api/prompt", {"writer": writer, "skip": []})[1]["prompt"]["id"] == prompt
    asked = {"writer": "n3", "prompt": dealt["n3"], "inputs": {"statement": "by n3"}, "seconds": 1}
    assert [desk.post("/api/ask", asked)[0] for _ in range(3)] == [200, 200, 400]
    _, answer = desk.post("/api/ask", asked)
    assert answer["error"] == f"prompt: 2 tries are all that {dealt['n3']!r} has; take the next one"


def test_a_model_that_does_not_load_is_an_error(tmp_path: Path) -> None:
    """In its own words, and before anybody has written."""
    broken = collection_at(write_project(tmp_path))
    (tmp_path / "words" / "handler.py").write_text("def load(directory): pass")
    with pytest.raises(UserError, match=r"collect: notes: a model does not load: .*has no function predict"):
        Loop(broken, tmp_path / ".steelyard")


def test_validators_see_the_text_and_nothing_else(tmp_path: Path) -> None:
    """Neither writer, answer nor models; in an order of their own; never their own texts."""
    collection = collection_at(write_project(tmp_path))
    for at in range(9):
        lines = written_try(at, f"w{at}", f"Text {at}.", "negative")
        write_lines(collection.folder / "tries" / f"w{at}.jsonl", lines)
    with serving("validate", Bench(collection)) as caller:
        orders = {}
        for validator in ("val-1", "val-2"):
            order = orders.setdefault(validator, [])
            while item := caller.post("/api/next", {"validator": validator})[1]["item"]:
                assert item.keys() == {"id", "inputs"}
                order.append(item["id"])
                response = {"validator": validator, "id": item["id"], "answer": "negative"}
                assert caller.post("/api/respond", response) == (200, {})
        assert set(orders["val-1"]) == set(orders["val-2"]) == {*(f"{at:032x}" for at in range(9)), "gold-1"}
        assert orders["val-1"] != orders["val-2"]
        # Two responses are all that a try needs, so only the gold question is left for a third.
        assert caller.post("/api/next", {"validator": "w1"})[1]["item"]["id"] == "gold-1"
        status, answer = caller.post("/api/respond", {"validator": "v", "id": "gold-1", "mark": "flag"})
        assert (status, answer["error"]) == (400, "reason: is empty; say what is wrong with the text")
