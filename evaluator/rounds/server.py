"""The local page's server: on the loopback only, and only for who has the token that the command printed.

The page itself holds nothing that is secret; everything it asks carries the token in a header, which no
other site can send (there are no cookies, so there is nothing to forge). A request must name this host, so
that a site whose name leads here (DNS rebinding) gets nothing, and come from this page.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from evaluator.data.tasks import FieldError
from evaluator.records.base import describe_errors
from evaluator.records.errors import UserError

HOST = "127.0.0.1"
TOKEN = "X-Steelyard-Token"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
    " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

#: What answers a path; it takes the keys of the question, and raises `ValidationError` for wrong ones.
Routes = Mapping[str, Callable[..., dict[str, Any]]]
QUESTION = TypeAdapter(dict[str, Any])


class PageServer(ThreadingHTTPServer):
    """Serves one page and what it asks. The caller starts and stops it.

    `files` are by path, ``/`` among them; port 0 takes a free one.
    """

    daemon_threads = True

    def __init__(self, port: int, files: Mapping[str, Path], routes: Routes) -> None:
        super().__init__((HOST, port), _Handler)
        self.files, self.routes = files, routes
        self.token = secrets.token_urlsafe(24)

    @property
    def address(self) -> str:
        """What to open: the part after # is never sent to anybody, and the page reads it."""
        return f"http://{HOST}:{self.server_port}/#{self.token}"


class _Handler(BaseHTTPRequestHandler):
    server: PageServer

    def handle(self) -> None:
        # A reader who leaves in the middle of a transfer is no error.
        with suppress(ConnectionError):
            super().handle()

    def do_GET(self) -> None:
        path = self.server.files.get(self.path)
        if not self._names_this_host():
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "open the address that was printed")
        elif path is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        else:
            self._send(HTTPStatus.OK, path.read_bytes(), TYPES[path.suffix])

    def do_POST(self) -> None:
        token, own = self.headers.get(TOKEN, "").encode(), f"http://{self.headers['Host']}"
        if not self._names_this_host():
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "open the address that was printed")
        elif not secrets.compare_digest(token, self.server.token.encode()):
            fix = "open the address that the command printed"
            self._refuse(HTTPStatus.FORBIDDEN, f"the token is missing or wrong; {fix}")
        elif self.headers.get("Origin", own) != own:
            self._refuse(HTTPStatus.FORBIDDEN, "the request comes from another page")
        elif self.path not in self.server.routes:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such question")
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                answer = self.server.routes[self.path](**QUESTION.validate_json(body))
            except ValidationError as error:
                self._refuse(HTTPStatus.BAD_REQUEST, describe_errors(error, "the request"))
            except (UserError, FieldError) as error:
                self._refuse(HTTPStatus.BAD_REQUEST, str(error))
            else:
                self._send_json(HTTPStatus.OK, answer)

    def _names_this_host(self) -> bool:
        port = self.server.server_port
        return self.headers.get("Host") in (f"{HOST}:{port}", f"localhost:{port}")

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self._send_json(status, {"error": message})

    def _send_json(self, status: HTTPStatus, document: Mapping[str, Any]) -> None:
        # Escaped, so that also half of a surrogate pair in a message can be sent.
        self._send(status, json.dumps(document).encode(), "application/json")

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def page_files(pages: Path, page: str) -> dict[str, Path]:
    """The files of a local page by path, itself under ``/``; `pages` is the folder ``site_src``."""
    folders = [pages / "local", pages / "assets" / "base", pages / "assets" / "collect"]
    files = [path for folder in folders for path in sorted(folder.iterdir()) if path.suffix in TYPES]
    named = {f"/{path.relative_to(pages).as_posix()}": path for path in files}
    return named | {"/": pages / "local" / f"{page}.html"}
