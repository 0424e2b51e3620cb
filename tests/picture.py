"""Takes the README's pictures of a board, light and dark, in a real browser.

    python tests/picture.py

Builds the site of this repository's board file in a scratch folder and writes ``examples/board-*.webp``.
"""

from __future__ import annotations

import base64
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "site"))

from playwright.sync_api import Page, expect, sync_playwright  # noqa: E402
from site_server import served  # noqa: E402

from site_src.generator.build import build  # noqa: E402

#: Measured here: quality, time, memory, fairness and robustness.
VIEW = "sst-2/"
SIZE = {"width": 1400, "height": 820}
QUALITY = 82


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        site = Path(scratch) / "site"
        build(ROOT / "board.toml", ROOT / "results", site, with_method=True)
        with served(site) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            for scheme in ("light", "dark"):
                page = browser.new_page(viewport=SIZE, color_scheme=scheme)  # type: ignore[arg-type]
                page.goto(address + VIEW)
                expect(page.locator("#scorer-state")).to_have_text("on", timeout=60_000)
                (ROOT / "examples" / f"board-{scheme}.webp").write_bytes(taken(page))


def taken(page: Page) -> bytes:
    """What is in sight, as WebP."""
    asked = {"format": "webp", "quality": QUALITY}
    shot = page.context.new_cdp_session(page).send("Page.captureScreenshot", asked)
    return base64.b64decode(shot["data"])


if __name__ == "__main__":
    main()
