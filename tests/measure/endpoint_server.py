"""A small server that speaks as OpenAI's does, with the habits of real ones: it refuses, breaks off, is slow.

It answers "good" texts as positive and all others as negative, once for each text that it is asked, and keeps
what it was asked in order. `habits` says, by how often a text was asked so far, what it does in place of
answering; it answers where that says nothing.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: What a server does about a text: the name of a habit, given the text and how often it was asked before.
Habits = Callable[[str, int], str]
KEY = "sk-very-secret-1234567890"


@dataclass
class Asked:
    """What the server was asked, and the most requests that it had at once."""

    texts: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def counts(self) -> Counter[str]:
        """How often each text was asked."""
        return Counter(self.texts)


def words_for(text: str) -> str:
    """What it says of a text."""
    return "Positive." if "good" in text else "The label is **negative**."


def _chunks(text: str, body: Mapping[str, Any], habit: str) -> Iterator[dict[str, Any]]:
    """The pieces of an answer, in the form of a stream; of the habit "negative" whatever the text."""
    said = words_for("" if habit == "negative" else text)
    common = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "served-7b-q4"}
    for piece in (said[:3], said[3:]):
        yield {**common, "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
    yield {**common, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    usage = {
        "prompt_tokens": 20 + len(text.split()),
        "completion_tokens": len(said.split()),
        "total_tokens": 0,
        "prompt_tokens_details": {"cached_tokens": 16},
    }
    yield {**common, "choices": [], "usage": usage}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked: Asked
    habits: Habits

    def log_message(self, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = body["messages"][-1]["content"]
        with self.asked.lock:
            before = self.asked.texts.count(text)
            self.asked.texts.append(text)
            self.asked.bodies.append(body)
            self.asked.keys.append(self.headers.get("Authorization", ""))
            self.asked.at.append(time.monotonic())
            self.asked.at_once += 1
            self.asked.most_at_once = max(self.asked.most_at_once, self.asked.at_once)
        try:
            self._answer(self.habits(text, before), text, body)
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            with self.asked.lock:
                self.asked.at_once -= 1

    def _answer(self, habit: str, text: str, body: Mapping[str, Any]) -> None:
        if habit.isdigit():
            self._error(int(habit))
        elif habit == "wrong JSON":
            self._send(200, b'{"choices": [', "application/json")
        elif habit == "html":
            self._send(200, b"<html>Bad gateway</html>", "text/html")
        elif habit == "slow loris":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            while True:  # until the client has had enough
                self._piece(b": still there\n\n")
                time.sleep(0.05)
        else:
            self._stream(habit, text, body)

    def _error(self, status: int) -> None:
        problem = {
            "error": {
                "message": f"problem {status} with {self.headers.get('Authorization')}",
                "type": "t",
                "code": None,
            }
        }
        self._send(status, json.dumps(problem).encode(), "application/json")

    def _stream(self, habit: str, text: str, body: Mapping[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for place, chunk in enumerate(_chunks(text, body, habit)):
            if habit == "slow":
                time.sleep(0.01)
            if habit == "no usage":
                chunk.pop("usage", None)
            if habit == "broken piece" and place == 1:
                self._piece(b"data: {not json\n\n")
                continue
            if place == 2 and habit == "cut":  # the connection ends in the middle of an answer
                self.close_connection = True
                return
            if place == 2 and habit == "ends early":  # the stream ends as if it were whole
                break
            self._piece(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        else:
            with self.asked.lock:
                self.asked.answered.append(text)
        self._piece(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _piece(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _send(self, status: int, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Retry-After", "0.01")
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def endpoint_server(habits: Habits = lambda text, before: "") -> Iterator[tuple[str, Asked]]:
    """The address of a server under way, and what it was asked."""
    asked = Asked()
    handler = type("Handler", (_Handler,), {"asked": asked, "habits": staticmethod(habits)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
