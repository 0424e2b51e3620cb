"""Every kind of page looks as it did: on a wide screen, in the dark, on a phone and on paper; see `pictures`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import needed
from ensure_browser import FONT_PACKAGE, fonts
from pictures import (
    KINDS,
    MEDIA,
    address_of,
    advice,
    chromium_of,
    difference,
    opened,
    photographer,
)
from playwright.sync_api import BrowserContext, Page, Playwright
from site_pages import uncomplaining
from site_pictured import Pictured, build_pictured
from site_server import served


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Pictured:
    return build_pictured(tmp_path_factory.mktemp("pictured"))


@pytest.fixture(scope="module")
def base(world: Pictured) -> Iterator[str]:
    """Where the world's site is served; ends in a slash."""
    with served(world.site) as address:
        yield address


@pytest.fixture(scope="module")
def camera(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A browser that has the pinned fonts only."""
    if not fonts():
        pytest.fail(
            f"pictures need the fonts of Debian's package {FONT_PACKAGE}: apt-get install {FONT_PACKAGE}"
        )
    with needed(), photographer(playwright, tmp_path_factory.mktemp("profile")) as context:
        yield context


@pytest.fixture
def page(camera: BrowserContext) -> Iterator[Page]:
    with uncomplaining(camera.new_page()) as page:
        yield page
        page.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_looks_as_it_did(page: Page, base: str, world: Pictured, kind: str) -> None:
    """In all four media; pictures that differ are kept, and the failure names them."""
    opened(page, kind, address_of(kind, base, world))
    chromium = chromium_of(page.context)
    said = [difference(kind, medium, take(page), chromium) for medium, take in MEDIA.items()]
    assert not any(said), "\n".join([*filter(None, said), advice(chromium)])
