"""A built site, served as GitHub Pages serves it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from site_src.generator.serve import preview_server


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Address of the site in `folder`, under a sub-path; ends in a slash."""
    server = preview_server(folder, 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/steelyard/"
    server.shutdown()
    server.server_close()
