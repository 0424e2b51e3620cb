"""Pages in a browser, watched."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page, Route, expect

#: Keeps what the region for screen readers was given, in `window.heard`.
LISTEN = """() => {
  window.heard = [];
  const region = document.getElementById("announcer");
  new MutationObserver((changes) => window.heard.push(...changes))
    .observe(region, { childList: true, characterData: true, subtree: true });
}"""
#: Moves a slider that somebody still holds.
SLIDE = """(slider, value) => {
  slider.value = String(value);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
}"""
#: Of a page's own clock, in milliseconds.
HOUR = 3_600_000


class Gate:
    """Holds back what a page fetches from an address, until it is opened; then nothing is held any more."""

    def __init__(self, page: Page, address: str) -> None:
        self.held: list[Route] = []
        self.is_open = False
        page.route(address, self._meet)

    def _meet(self, route: Route) -> None:
        if self.is_open:
            route.continue_()
        else:
            self.held.append(route)

    def open(self) -> None:
        self.is_open = True
        for route in self.held:
            route.continue_()


@contextmanager
def uncomplaining(page: Page) -> Iterator[Page]:
    """Fail at the end if an error was not caught on the page."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert not errors, errors


#: The models of the ranking, from top to bottom.
MODELS = "#rows th > :is(a, .name)"


def names(page: Page) -> list[str]:
    """The models of a ranking that is at rest; see `shows` for one that may still change."""
    return [text.strip() for text in page.locator(MODELS).all_text_contents()]


def shows(page: Page, models: Sequence[str]) -> None:
    """Wait until the ranking has these models, from top to bottom."""
    expect(page.locator(MODELS)).to_have_text(list(models))


def becomes(page: Page, read: Callable[[], Any], wanted: Any) -> None:
    """Wait until what is read of a page is what is wanted; fails with both where it never is."""
    end = time.monotonic() + 20
    while read() != wanted and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert read() == wanted


def type_weight(page: Page, selector: str, value: str) -> None:
    """Type into a number box and leave it."""
    page.locator(selector).fill(value)
    page.locator(selector).press("Tab")


def open_board(page: Page, address: str) -> None:
    """Open a page and wait until its scorer is ready, as a person does."""
    page.goto(address)
    expect(page.locator("#scorer-state")).to_have_attribute("data-state", "ready", timeout=60_000)
