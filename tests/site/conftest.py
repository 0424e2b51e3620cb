"""One built site, one server and one browser for all the site's tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, Playwright, sync_playwright
from site_sample import write_crowd, write_world
from site_server import served

from site_src.generator.build import build

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample world, built once."""
    folder = tmp_path_factory.mktemp("site")
    boards, results = write_world(folder)
    build(boards, results, folder / "build")
    return folder / "build"


@pytest.fixture(scope="session")
def site_url(site_folder: Path) -> Iterator[str]:
    """Address of the built site, served under a sub-path; ends in a slash."""
    with served(site_folder) as address:
        yield address


@pytest.fixture(scope="session")
def crowd_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a board with 150 models; ends in a slash."""
    folder = tmp_path_factory.mktemp("crowd")
    boards, results = write_crowd(folder, 150)
    build(boards, results, folder / "build")
    with served(folder / "build") as address:
        yield f"{address}sentiment/"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real Chromium. Without one the tests fail: a skipped browser test proves nothing."""
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


def launch(playwright: Playwright) -> Browser:
    try:
        return playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
    except Error as error:
        pytest.fail(
            "no Chromium to test the site with: install Debian's package chromium,"
            f" or run 'playwright install chromium' ({error.message.splitlines()[0]})"
        )


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in a context of its own; an uncaught error on it fails the test."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []
