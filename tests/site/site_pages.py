"""Pages in a browser, watched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page


@contextmanager
def uncomplaining(page: Page) -> Iterator[Page]:
    """Fail at the end if an error was not caught on the page."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []
