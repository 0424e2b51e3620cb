"""What axe-core finds on a page: names, roles, contrast, order of headings and all else that it knows."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "site_src" / "node_modules" / "axe-core" / "axe.min.js"
#: Of the rules only this one is about colours, so in the dark it alone is asked again.
COLOURS = {"runOnly": ["color-contrast"]}
#: Width of the window, colour scheme, options of axe-core.
VIEWS = [(width, *view) for width in (1440, 320) for view in (("light", {}), ("dark", COLOURS))]
#: What axe-core objects to, a line for each element.
FINDINGS = """
async (options) => {
  const { violations } = await axe.run(document, { ...options, resultTypes: ["violations"] });
  return violations.flatMap((rule) =>
    rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary}`.slice(0, 500)));
}
"""


def found_in_all_views(page: Page, where: str) -> list[str]:
    """What it says of the page as it is, wide and narrow, light and dark; a line each, with `where`."""
    page.evaluate(AXE.read_text("utf-8"))
    said = []
    for width, scheme, options in VIEWS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        said += [f"{where} at {width} px, {scheme}: {line}" for line in page.evaluate(FINDINGS, options)]
    return said
