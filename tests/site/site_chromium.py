"""How the tests start Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Error

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


@contextmanager
def needed() -> Iterator[None]:
    """Without a real Chromium the tests fail: a skipped browser test proves nothing."""
    try:
        yield
    except Error as error:
        pytest.fail(
            "no Chromium to test the site with: install Debian's package chromium,"
            f" or run 'playwright install chromium' ({error.message.splitlines()[0]})"
        )
