"""Every kind of page looks as it did, each on a wide screen, in the dark, on a phone or on paper; see `pictures`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ensure_browser import FONT_PACKAGE, fonts
from pictures import (
    KINDS,
    MADE_WITH,
    address_of,
    advice,
    chromium_of,
    difference,
    photographer,
    reference,
    taken,
)
from playwright.sync_api import BrowserContext, Playwright
from site_chromium import needed
from site_pictured import Pictured

pytestmark = pytest.mark.slow


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
def test_a_page_looks_as_it_did(
    camera: BrowserContext, pictured_url: str, pictured: Pictured, kind: str
) -> None:
    """A picture that differs is kept, and the failure names it."""
    chromium = chromium_of(camera)
    said = difference(kind, taken(camera, kind, address_of(kind, pictured_url, pictured)), chromium)
    assert not said, f"{said}\n{advice(chromium)}"


def test_every_reference_is_of_a_picture_that_is_taken() -> None:
    """None is missing and none is left over."""
    assert set(MADE_WITH.parent.glob("*.webp")) == set(map(reference, KINDS))
