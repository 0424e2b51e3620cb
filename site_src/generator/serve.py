"""A preview of the built site under a sub-path, as a project page of a static host has it."""

from __future__ import annotations

import gzip
import os
import re
from contextlib import suppress
from functools import lru_cache, partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HOST = "127.0.0.1"
#: Part of the path of files whose folder is named by a hash of their contents.
HASHED = re.compile(r"/(assets|runtime|scorer)/[0-9a-f]{12}/")
FOREVER = "max-age=31536000, immutable"
#: Types that hosts compress; what is in a zip is compressed already.
COMPRESSED = re.compile(r"text/|image/svg|application/(json|wasm|xml|atom)")
#: Files of fewer bytes are sent as they are.
SMALL = 1000


class Preview(SimpleHTTPRequestHandler):
    """Serves a folder under a prefix, with the types that modules and WebAssembly insist on."""

    # HTTP/1.1 keeps connections open, as every real host does.
    protocol_version = "HTTP/1.1"
    #: Whether the answer at hand is the file that was asked for.
    found = False
    extensions_map = {
        **SimpleHTTPRequestHandler.extensions_map,
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".mjs": "text/javascript; charset=utf-8",
        ".py": "text/x-python; charset=utf-8",
        ".svg": "image/svg+xml",
        ".wasm": "application/wasm",
        ".zip": "application/zip",
    }

    def __init__(self, *args: object, prefix: str, directory: str) -> None:
        self.prefix = prefix
        super().__init__(*args, directory=directory)  # type: ignore[arg-type]

    def handle(self) -> None:
        # A visitor who leaves in the middle of a transfer is no error.
        with suppress(ConnectionError):
            super().handle()

    def translate_path(self, path: str) -> str:
        """The file behind a path; one that cannot exist for anything outside the prefix."""
        if not path.startswith(self.prefix):
            return self._missing
        target = super().translate_path("/" + path.removeprefix(self.prefix))
        return target if self._within(Path(target)) else self._missing

    @property
    def _missing(self) -> str:
        return str(Path(self.directory) / "outside the prefix")

    def _within(self, target: Path) -> bool:
        """Whether a path, and the page of a folder, is a real place in the site, wherever links lead."""
        try:
            site, page = os.path.realpath(self.directory), os.path.realpath(target / "index.html")
            places = [os.path.realpath(target), *([page] if target.is_dir() else [])]
        except (OSError, ValueError):  # no path at all: %00, or half of a pair of surrogates
            return False
        return all(Path(place).is_relative_to(site) for place in places)

    def send_head(self):  # type: ignore[no-untyped-def]
        if self.path in ("/", self.prefix.rstrip("/")) and self.prefix != "/":
            return self._redirect(self.prefix)
        # Whether a file has changed since is for the plain way to say.
        plain = "If-Modified-Since" in self.headers or "gzip" not in self.headers.get("Accept-Encoding", "")
        return None if not plain and self._send_compressed() else super().send_head()

    def _send_compressed(self) -> bool:
        """Send a file in few bytes, as hosts do; False where it is none, or of a kind that stays as large."""
        target = self.translate_path(self.path)
        if target.endswith("/"):
            target += "index.html"
        kind = self.guess_type(target)
        try:
            about = os.stat(target)
        except (OSError, ValueError):
            return False
        if not COMPRESSED.match(kind) or about.st_size < SMALL or not os.path.isfile(target):
            return False
        body = _compressed(target, about.st_mtime_ns)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", self.date_time_string(about.st_mtime))
        self.send_header("Vary", "Accept-Encoding")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        return True

    def _redirect(self, target: str) -> None:
        self.send_response(HTTPStatus.FOUND)
        self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a missing page with the site's own, as static hosts do."""
        page = Path(self.directory) / "404.html"
        if code != HTTPStatus.NOT_FOUND or not page.is_file():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_response(self, code: int, message: str | None = None) -> None:
        self.found = code in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED)
        super().send_response(code, message)

    def end_headers(self) -> None:
        # A preview must show the newest build; where a folder is named by a hash that has another address.
        kept = self.found and HASHED.search(self.path)
        self.send_header("Cache-Control", FOREVER if kept else "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@lru_cache(maxsize=512)
def _compressed(path: str, _changed: int) -> bytes:
    """A file as hosts send it, made once as long as it has not changed."""
    return gzip.compress(Path(path).read_bytes(), 6, mtime=0)


def preview_server(directory: Path, port: int, prefix: str = "/steelyard/") -> ThreadingHTTPServer:
    """A server bound to the loopback only; port 0 takes a free one. The caller starts and stops it."""
    handler = partial(Preview, prefix=prefix, directory=str(directory))
    return ThreadingHTTPServer((HOST, port), handler)


def serve(directory: Path, port: int, prefix: str = "/steelyard/") -> None:
    """Serve `directory` at ``http://127.0.0.1:port/prefix``, say so, and go on until interrupted."""
    with preview_server(directory, port, prefix) as server, suppress(KeyboardInterrupt):
        print(f"{directory} is at http://{HOST}:{server.server_port}{prefix} (stop with Ctrl-C)", flush=True)
        server.serve_forever()
