"""One built site, one server and one browser for all the site's tests."""

from __future__ import annotations

import fcntl
import os
import pickle
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright
from shortened import only_boards
from site_chromium import COMPILED_ONCE, FLAGS, chromium_path, needed
from site_pages import uncomplaining
from site_pictured import Pictured, build_pictured
from site_sample import write_crowd, write_world
from site_server import served, without_policy
from site_snapshots import Frozen, write_frozen

from site_src.generator.build import build

ROOT = Path(__file__).parents[2]
OWN_BOARDS = ("sst-2", "xquad-en", "sentiment")
#: Says in the environment how many times slower pages run.
SLOWDOWN = "STEELYARD_SLOWDOWN"
# What a person would wait for comes late where other tests have the processors.
expect.set_options(timeout=20_000)
Made = TypeVar("Made")


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Made]) -> Made:
    """What is made in a folder by the first process of this run of tests that needs it; all others look at it only."""
    root = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent
    with (root / f"{name}.made").open("a+b") as kept:
        fcntl.flock(kept, fcntl.LOCK_EX)
        kept.seek(0)
        if content := kept.read():
            found: Made = pickle.loads(content)
            return found
        (root / name).mkdir()
        made = make(root / name)
        kept.write(pickle.dumps(made))
        return made


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample world, built once."""
    return made_once(tmp_path_factory, "site", _built_world)


def _built_world(folder: Path) -> Path:
    boards, results = write_world(folder)
    return build(boards, results, folder / "build", with_method=True).output


@pytest.fixture(scope="session")
def site_url(site_folder: Path) -> Iterator[str]:
    """Address of the built site, served under a sub-path; ends in a slash."""
    with served(site_folder) as address:
        yield address


@pytest.fixture(scope="session")
def unguarded_url(site_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the same site without its policy, so that only escaping keeps names from running."""
    with served(without_policy(site_folder, tmp_path_factory.mktemp("unguarded") / "build")) as address:
        yield address


@pytest.fixture(scope="session")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Frozen:
    """A site of snapshots, which knows its address."""
    return made_once(tmp_path_factory, "frozen", _built_frozen)


def _built_frozen(folder: Path) -> Frozen:
    found = write_frozen(folder)
    build(found.boards, found.results, found.site, with_method=True)
    return found


@pytest.fixture(scope="session")
def frozen_url(frozen: Frozen) -> Iterator[str]:
    """Where the site of snapshots is served; ends in a slash."""
    with served(frozen.site) as address:
        yield address


@pytest.fixture(scope="session")
def pictured(tmp_path_factory: pytest.TempPathFactory) -> Pictured:
    """A site that has every kind of page."""
    return made_once(tmp_path_factory, "pictured", build_pictured)


@pytest.fixture(scope="session")
def pictured_url(pictured: Pictured) -> Iterator[str]:
    """Where that site is served; ends in a slash."""
    with served(pictured.site) as address:
        yield address


@pytest.fixture(scope="session")
def own_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of three boards of this repository, measured, imported and reported, with the snapshots of all; their
    site is its ``build``.
    """
    return made_once(tmp_path_factory, "own", _built_own)


def _built_own(folder: Path) -> Path:
    text = only_boards((ROOT / "board.toml").read_text(encoding="utf-8"), OWN_BOARDS)
    (folder / "board.toml").write_text(text, encoding="utf-8")
    for part in ("sentiment", "qa", "snapshots"):
        shutil.copytree(ROOT / "results" / part, folder / "results" / part)
    build(folder / "board.toml", folder / "results", folder / "build")
    return folder


@pytest.fixture(scope="session")
def own_url(own_site: Path) -> Iterator[str]:
    """Where their site is served; ends in a slash."""
    with served(own_site / "build") as address:
        yield address


@pytest.fixture(scope="session")
def crowd_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a board with 150 models; ends in a slash."""
    with served(made_once(tmp_path_factory, "crowd", _built_crowd)) as address:
        yield f"{address}sentiment/"


def _built_crowd(folder: Path) -> Path:
    boards, results = write_crowd(folder, 150)
    return build(boards, results, folder / "build").output


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright, slowed(float(os.environ.get(SLOWDOWN, 1))):
        yield playwright


@contextmanager
def slowed(times: float) -> Iterator[None]:
    """Let every page run so many times slower than the processor can (see tests/repeat.py)."""
    new_page = BrowserContext.new_page

    def new_slow_page(context: BrowserContext) -> Page:
        page = new_page(context)
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": times})
        return page

    if times > 1:
        BrowserContext.new_page = new_slow_page  # type: ignore[method-assign]
    yield
    BrowserContext.new_page = new_page  # type: ignore[method-assign]


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """For contexts of a test's own, each with a cold cache."""
    with needed():
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=[*FLAGS, COMPILED_ONCE])
    yield chromium
    chromium.close()


@pytest.fixture(scope="session")
def visitor(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A browser context with a warm cache: a page then takes less than half the time."""
    with needed():
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=chromium_path(),
            args=[*FLAGS, COMPILED_ONCE],
            viewport={"width": 1440, "height": 900},
            reduced_motion="reduce",
            # Pages of one test would come from what another one has kept.
            service_workers="block",
        )
    yield context
    context.close()


@pytest.fixture
def stopped(browser: Browser) -> Iterator[Page]:
    """A page whose clock `page.clock` moves; the clock is that of a whole context, so it has one of its own."""
    context = browser.new_context()
    context.clock.install(time=0)
    with uncomplaining(context.new_page()) as page:
        yield page
    context.close()


@pytest.fixture
def page(visitor: BrowserContext) -> Iterator[Page]:
    """A page that knows nothing of earlier ones; an uncaught error on it fails the test."""
    with uncomplaining(visitor.new_page()) as page:
        yield page
        forget(page)
        page.close()


def forget(page: Page) -> None:
    """Drop what the page has kept, and was allowed; the cache stays."""
    kept = {"origin": urlsplit(page.url)._replace(path="", query="", fragment="").geturl()}
    session = page.context.new_cdp_session(page)
    session.send("Storage.clearDataForOrigin", {**kept, "storageTypes": "cookies,local_storage"})
    page.context.clear_permissions()
