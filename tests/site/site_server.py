"""A built site, served as GitHub Pages serves it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from site_src.generator.serve import preview_server

POLICY = "Content-Security-Policy"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Address of the site in `folder`, under a sub-path; ends in a slash."""
    server = preview_server(folder, 0)
    thread = threading.Thread(target=server.serve_forever, args=[0.05], daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/steelyard/"
    server.shutdown()
    server.server_close()


def without_policy(site: Path, target: Path) -> Path:
    """The same site without its content security policy, so that only escaping prevents injected markup."""
    assert POLICY in (site / "index.html").read_text(encoding="utf-8")
    shutil.copytree(site, target)
    for path in target.rglob("*.html"):
        html = path.read_text(encoding="utf-8")
        path.write_text(html.replace(POLICY, "x-nothing"), encoding="utf-8")
    return target
