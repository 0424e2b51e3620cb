"""Every kind of page looks as it did: on a wide screen, in the dark, on a phone and on paper; see `pictures`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import needed
from ensure_browser import FONT_PACKAGE, fonts
from pictures import (
    KINDS,
    address_of,
    advice,
    chromium_of,
    difference,
    photographer,
    taken,
)
from playwright.sync_api import BrowserContext, Playwright
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


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_looks_as_it_did(camera: BrowserContext, base: str, world: Pictured, kind: str) -> None:
    """In all four media; pictures that differ are kept, and the failure names them."""
    chromium = chromium_of(camera)
    pictures = taken(camera, kind, address_of(kind, base, world))
    said = [difference(kind, medium, picture, chromium) for medium, picture in pictures]
    assert not any(said), "\n".join([*filter(None, said), advice(chromium)])
