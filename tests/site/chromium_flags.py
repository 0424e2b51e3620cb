"""How the tests start Chromium."""

from __future__ import annotations

import shutil

#: It asks nobody for anything, and needs neither a sandbox nor a graphics card.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
#: Python is not compiled again for speed while it runs: tests wait for its start, not for its answers.
COMPILED_ONCE = "--js-flags=--liftoff-only"


def chromium_path() -> str | None:
    """Chromium without its windows, which takes a third less of the processors; else a whole one.

    None where neither is on the path: Playwright then takes its own.
    """
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")
