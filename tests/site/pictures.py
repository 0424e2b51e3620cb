"""A picture of every kind of page, light, dark, on a phone or printed; compared with those in tests/golden.

    python tests/site/pictures.py --renew

takes all of them anew. Look at what changed before you commit it.

They are taken of the world of `site_pictured`, with the fonts of ``fonts.conf`` only, so that they look the same
on every machine. How far they may differ depends on the Chromium that the references were taken with, whose
major version is in ``chromium.txt``:

- By that one not at all: no tile may be apart, see `pixels`. A mark of 10 pixels that is gone is seen.
- Another one draws letters and controls a little differently. So tiles may have moved by `DRIFT` pixels up or
  down, and a `SHARE` of them may be apart. What is gone, came or moved is seen at the size of a line of text;
  single marks are not. Where a page of paper ends is up to that Chromium, so of print only the first is compared.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import pypdfium2
from PIL import Image

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests"))

from pixels import marked, tiles_apart  # noqa: E402
from playwright.sync_api import BrowserContext, Page, Playwright, expect, sync_playwright  # noqa: E402
from site_chromium import COMPILED_ONCE, FLAGS  # noqa: E402
from site_pages import uncomplaining  # noqa: E402
from site_pictured import BOARD, DATASET, Pictured, build_pictured  # noqa: E402
from site_server import served  # noqa: E402

FONTS = Path(__file__).with_name("fonts.conf")
REFERENCES = ROOT / "tests" / "golden" / "pictures"
MADE_WITH = REFERENCES / "chromium.txt"
#: Where pictures that differ go, each beside one that shows where.
FOUND = ROOT / ".steelyard" / "pictures"
RENEW = ".venv/bin/python tests/site/pictures.py --renew"
STEADY_FLAGS = [
    *(*FLAGS, COMPILED_ONCE),
    *("--disable-lcd-text", "--font-render-hinting=none", "--force-color-profile=srgb"),
]
#: For pictures by another Chromium: pixels up and down, and a share of the tiles.
DRIFT, SHARE = 6, 0.01
#: Width and height of the window, and the colour scheme.
SCREENS = {"light": (1440, 1600, "light"), "dark": (1440, 900, "dark"), "phone": (390, 1600, "light")}
PRINT = "print"
#: Margins of paper as browsers have them.
MARGINS = dict.fromkeys(("top", "right", "bottom", "left"), "10mm")
#: Colours of references, of 255: much smaller files, and less than `pixels` sees.
COLOUR_STEP = 8
#: Hashes and the size of Python's part, which follow the code, and the port of the server become zeros in every
#: picture.
STEADY = r"""() => {
  const zeros = (text) => text.replace(/[0-9a-z]/g, "0");
  const steady = (text) =>
    text.replace(/\b(?=[a-f]*[0-9])[0-9a-f]{8,}\b/g, zeros).replace(/(?<=127[.]0[.]0[.]1:)[0-9]+/g, "00000")
      .replace(/(?<=Loaded first: )[0-9.]+|\b[0-9.]+(?= MB (and |before compression))/g, zeros);
  const texts = document.createTreeWalker(document.querySelector("body"), NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement.closest("script") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  while (texts.nextNode()) {
    const text = steady(texts.currentNode.data);
    if (text !== texts.currentNode.data) texts.currentNode.data = text;
  }
  for (const field of document.querySelectorAll("textarea")) field.value = steady(field.value);
}"""
#: A map of winners is shaded once it is in sight.
SHADED = """() => {
  const map = document.querySelector("#chart-triangle:not([hidden])");
  return !map || map.getBoundingClientRect().top > innerHeight || map.querySelector(".tone.unsure");
}"""
#: Two frames, in which charts learn their width, then the idle time in which they are drawn. Where a machine is too
#: busy to have any, charts wait for it less long than this does.
DRAWN = """() => new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() =>
    requestIdleCallback(() => resolve(), { timeout: 2000 }))))"""


@dataclass(frozen=True)
class Kind:
    """One kind of page: its address, where it is looked at, and what is on it once it shows all that it will."""

    address: str
    medium: str
    complete: tuple[str, ...] = ()


READY = '#scorer-state[data-state="ready"]'
#: What the ranking is once its sets are those of the weights.
SURE = "#ranking-frame:not(.old-sets)"
#: What the page of a snapshot finds out last.
FRAGILE = "#rows .fragile"
#: The sentence under the triangle, once it knows where the leader is not certain.
TOLD = '#tradeoffs .finding:has-text("cannot tell who leads")'
KINDS: Mapping[str, Kind] = {
    "index": Kind("", "phone", (READY,)),
    "board": Kind(f"{BOARD}/", "light", (READY, SURE)),
    "model": Kind(f"{BOARD}/models/tfidf/", "dark"),
    "dataset": Kind(f"{BOARD}/datasets/{DATASET}/", PRINT),
    "examples": Kind(f"{BOARD}/datasets/{DATASET}/examples/", "phone"),
    "suite": Kind(f"{BOARD}/suites/{DATASET}/robustness/", "dark"),
    "quality": Kind(f"{BOARD}/quality/", "light"),
    "compare": Kind(
        f"{BOARD}/compare/#v1;k=bert-small,tfidf",
        "light",
        (READY, ".compared-pairs [aria-busy=false]", ".examples tbody tr"),
    ),
    "difficulty": Kind(f"{BOARD}/difficulty/{DATASET}/", "light", (READY, "#sentences[aria-busy=false]")),
    "try": Kind(f"{BOARD}/try/", "light"),
    "collect": Kind(f"{BOARD}/collect/guests/", "phone", ("#who",)),
    "embed": Kind(f"{BOARD}/embed/", "dark"),
    "snapshots": Kind("snapshots/", "light"),
    "snapshot": Kind("snapshots/{later}/", PRINT, (READY, SURE, FRAGILE, TOLD)),
    "difference": Kind("snapshots/diff/{earlier}..{later}/", "light"),
    "docs": Kind("method/dynascore/", "dark"),
    "not-found": Kind("404.html", "phone"),
}


# Taking


def address_of(kind: str, base: str, world: Pictured) -> str:
    return base + KINDS[kind].address.format(earlier=world.earlier, later=world.later)


@contextmanager
def photographer(playwright: Playwright, profile: Path) -> Iterator[BrowserContext]:
    """A Chromium that has the fonts of `FONTS` only, and keeps what it fetched."""
    context = playwright.chromium.launch_persistent_context(
        profile,
        executable_path=shutil.which("chromium"),
        args=STEADY_FLAGS,
        env={**os.environ, "FONTCONFIG_FILE": str(FONTS)},
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    yield context
    context.close()


def chromium_of(context: BrowserContext) -> str:
    """The major version of a context's Chromium."""
    session = context.new_cdp_session(context.pages[0])
    product: str = session.send("Browser.getVersion")["product"]
    return product.split("/")[1].split(".")[0]


def opened(page: Page, kind: str, address: str, medium: str = "light") -> None:
    """Load a page in a window of the medium's size, until it shows all that it will."""
    show_on(page, medium)
    page.goto(address)
    for selector in KINDS[kind].complete:
        expect(page.locator(selector).first).to_be_attached(timeout=60_000)
    page.wait_for_function(SHADED)


def show_on(page: Page, medium: str) -> None:
    width, height, scheme = SCREENS[medium]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]


def settle(page: Page, medium: str) -> None:
    """Show a page, with everything drawn in the medium's size, and nothing on it that another build changes."""
    show_on(page, medium)
    page.evaluate(DRAWN)
    page.evaluate(STEADY)


def on_screen(page: Page, medium: str) -> Image.Image:
    """What a window of the medium's size shows."""
    settle(page, medium)
    return Image.open(BytesIO(page.screenshot(animations="disabled"))).convert("RGB")


def printed(page: Page) -> Image.Image:
    """All its sheets of paper in a row, from a browser that leaves backgrounds out, as they do; 72 pixels an inch."""
    settle(page, "light")
    document = pypdfium2.PdfDocument(page.pdf(format="A4", margin=MARGINS))  # type: ignore[arg-type]
    sheets = [sheet.render().to_pil().convert("RGB") for sheet in document]
    whole = Image.new("RGB", (sum(sheet.width for sheet in sheets), sheets[0].height))
    for at, sheet in enumerate(sheets):
        whole.paste(sheet, (at * sheet.width, 0))
    return whole


def taken(context: BrowserContext, kind: str, address: str) -> Image.Image:
    """The picture of a kind of page in its medium."""
    medium = KINDS[kind].medium
    with visit(context) as page:
        opened(page, kind, address, "light" if medium == PRINT else medium)
        return printed(page) if medium == PRINT else on_screen(page, medium)


@contextmanager
def visit(context: BrowserContext) -> Iterator[Page]:
    with uncomplaining(context.new_page()) as page:
        yield page
        page.close()


# Comparing


def reference(kind: str) -> Path:
    return REFERENCES / f"{kind}-{KINDS[kind].medium}.webp"


def difference(kind: str, picture: Image.Image, chromium: str) -> str:
    """In what a picture differs from its reference, and where that can be seen; empty if it does not."""
    medium, known = KINDS[kind].medium, reference(kind)
    name = f"{kind}, {medium}"
    if not known.is_file():
        return f"{name}: there is no picture {known.relative_to(ROOT)} yet"
    same = chromium == MADE_WITH.read_text(encoding="utf-8").strip()
    expected = Image.open(known).convert("RGB")
    if medium == PRINT and not same:
        picture, expected = first_sheet(picture), first_sheet(expected)
    if picture.size != expected.size:
        return f"{name}: {picture.size} pixels instead of {expected.size}, see {kept(picture, kind, medium)}"
    apart = tiles_apart(expected, picture, 0 if same else DRIFT)
    if apart.mean() <= (0 if same else SHARE):
        return ""
    shown = kept(marked(picture, apart), kind, f"{medium}-difference")
    return f"{name}: {int(apart.sum())} places differ, see {kept(picture, kind, medium)} and {shown}"


def first_sheet(picture: Image.Image) -> Image.Image:
    """Of a row of A4 sheets, which are as many times wider than high as there are."""
    return picture.crop((0, 0, round(picture.height * 210 / 297), picture.height))


def kept(picture: Image.Image, kind: str, medium: str) -> Path:
    FOUND.mkdir(parents=True, exist_ok=True)
    path = FOUND / f"{kind}-{medium}.png"
    picture.save(path)
    return path.relative_to(ROOT)


def advice(chromium: str) -> str:
    """What to do about pictures that differ."""
    known = MADE_WITH.read_text(encoding="utf-8").strip()
    other = f" They were taken with Chromium {known}, this is {chromium}." if chromium != known else ""
    return (
        f"If the page is meant to look like this, run {RENEW}, look at the new pictures, commit them.{other}"
    )


# Renewing


def save_reference(picture: Image.Image, path: Path) -> None:
    """Save a picture in fewer colours, none of which moves by more than half a `COLOUR_STEP`."""
    rounded = (np.asarray(picture, dtype=np.int16) + COLOUR_STEP // 2) // COLOUR_STEP * COLOUR_STEP
    few = Image.fromarray(rounded.clip(0, 255).astype(np.uint8))
    few.save(path, lossless=True, method=2, quality=60)


def renew() -> None:
    """Take all references anew."""
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        world = build_pictured(Path(scratch))
        shutil.rmtree(REFERENCES, ignore_errors=True)
        REFERENCES.mkdir(parents=True)
        with served(world.site) as base, photographer(playwright, Path(scratch) / "profile") as context:
            MADE_WITH.write_text(f"{chromium_of(context)}\n", encoding="utf-8")
            for kind in KINDS:
                save_reference(taken(context, kind, address_of(kind, base, world)), reference(kind))


if __name__ == "__main__":
    if sys.argv[1:] != ["--renew"]:
        sys.exit(f"usage: {RENEW}")
    renew()
