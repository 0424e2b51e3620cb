"""Every kind of page looks as it did: on a wide screen, in the dark, on a phone and on paper; see `pictures`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ensure_browser import FONT_PACKAGE, fonts
from pictures import (
    FOUND,
    KINDS,
    MADE_WITH,
    PRINT,
    ROOT,
    SCREENS,
    address_of,
    advice,
    chromium_of,
    difference,
    on_screen,
    opened,
    photographer,
    printed,
    reference,
    taken,
    visit,
)
from PIL import Image, ImageChops
from playwright.sync_api import BrowserContext, Page, Playwright, Route
from site_chromium import needed
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


#: Kind of page, medium, and one more rule of its styles: what a careless change would do.
CHANGES = {
    "a mark of provenance is gone from print": (
        "model",
        PRINT,
        "@media print { .state .mark { border-color: transparent; background: none; } }",
    ),
    "a swatch is gone from print": (
        "dataset",
        PRINT,
        "@media print { .scores th:nth-child(3) .swatch { visibility: hidden; } }",
    ),
    "a column stands elsewhere": (
        "dataset",
        "light",
        ".scores :is(th, td):nth-child(2) { position: relative; left: 4px; }",
    ),
    "a name is not bold": ("suite", "phone", ".crumbs + h1 { font-weight: 400; }"),
    "a line is pale in the dark": ("suite", "dark", ".lead { color: #4a4d52; }"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_careless_change_is_seen(camera: BrowserContext, base: str, world: Pictured, change: str) -> None:
    """One more rule in the style sheet, and the picture is not the one that is known."""
    kind, medium, rule = CHANGES[change]
    with visit(camera) as page:
        add_rule(page, rule)
        opened(page, kind, address_of(kind, base, world), "light" if medium == PRINT else medium)
        picture = printed(page) if medium == PRINT else on_screen(page, medium)
    said = difference(kind, medium, picture, chromium_of(camera))
    assert "places differ" in said


def add_rule(page: Page, rule: str) -> None:
    """To the styles of every page."""

    def extended(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=f"{answer.text()}\n{rule}")

    page.route("**/base/style.css", extended)


def test_a_failure_shows_what_differs() -> None:
    """The new picture and one that shows where are kept, and named."""
    changed = ImageChops.invert(Image.open(reference("not-found", "phone")).convert("RGB"))
    said = difference("not-found", "phone", changed, chromium="0")
    for name in ("not-found-phone.png", "not-found-phone-difference.png"):
        assert str((FOUND / name).relative_to(ROOT)) in said
        assert Image.open(FOUND / name).size == changed.size


def test_another_chromium_may_draw_a_little_elsewhere() -> None:
    """Four pixels higher are the same page by another major version, and a change by the same one."""
    known = Image.open(reference("docs", "phone")).convert("RGB")
    higher = ImageChops.offset(known, 0, -4)
    assert difference("docs", "phone", higher, chromium="0") == ""
    assert difference("docs", "phone", higher, MADE_WITH.read_text(encoding="utf-8").strip())
    assert difference("docs", "phone", ImageChops.offset(known, 40, 0), chromium="0")


def test_the_advice_names_both_versions_and_the_command() -> None:
    """Whoever has another Chromium learns that this may be why."""
    known = MADE_WITH.read_text(encoding="utf-8").strip()
    assert "pictures.py --renew" in advice(known)
    assert "Chromium" not in advice(known)
    assert f"Chromium {known}, this is 0" in advice("0")


def test_pages_are_drawn_with_the_pinned_fonts(camera: BrowserContext, base: str) -> None:
    """Whatever else is installed, texts, titles and code have the fonts of the one package."""
    with visit(camera) as page:
        page.goto(f"{base}method/dynascore/")
        assert fonts_of(page, "body *") == {"DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono"}


def fonts_of(page: Page, selector: str) -> set[str]:
    """The families that the browser really draws elements with."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    nodes = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": selector})["nodeIds"]
    used = (session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"] for node in nodes)
    return {font["familyName"] for fonts in used for font in fonts}


def test_every_reference_is_of_a_picture_that_is_taken() -> None:
    """None is missing and none is left over."""
    expected = {reference(kind, medium) for kind in KINDS for medium in (*SCREENS, PRINT)}
    assert set(MADE_WITH.parent.glob("*.webp")) == expected
