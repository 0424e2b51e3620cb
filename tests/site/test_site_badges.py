"""Badges: self-contained pictures, the JSON of shields.io, and the Markdown to copy."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from site_src.generator import embed

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("rank", "text"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (112, "112th"),
        (1002, "1002nd"),
    ],
)
def test_places_are_said_as_people_say_them(rank: int, text: str) -> None:
    """Eleventh to thirteenth are exceptions, in every hundred."""
    assert embed.ordinal(rank) == text


def test_every_model_has_a_badge_that_says_its_place(site_folder: Path) -> None:
    """The picture's title, its two texts and the JSON say the same."""
    pictures = sorted(site_folder.glob("*/badges/*.svg"))
    assert {(p.parts[-3], p.stem) for p in pictures} == {
        (p.parts[-4], p.parts[-2]) for p in site_folder.glob("*/models/*/index.html")
    }
    for path in pictures:
        root = ET.parse(path).getroot()
        label, message = (element.text for element in root.iter(f"{SVG}text"))
        assert root.get("aria-label") == root.findtext(f"{SVG}title")
        document = json.loads(path.with_suffix(".json").read_bytes())
        assert document == {
            "schemaVersion": 1,
            "label": label,
            "message": message,
            "color": document["color"],
        }
    third = ET.parse(site_folder / "sentiment/badges/t5.svg").getroot()
    assert third.findtext(f"{SVG}title") == "3rd of 7 on Sentiment analysis, 2026-11-21"
    broken = json.loads((site_folder / "measured/badges/broken.json").read_bytes())
    assert broken["message"] == "not ranked, 2026-11-21"


def test_a_badge_loads_nothing_and_runs_nothing(site_folder: Path) -> None:
    """A badge is shown in other people's pages: no script, no link, no style, whatever the names contain."""
    for path in site_folder.glob("*/badges/*.svg"):
        tags = {element.tag.removeprefix(SVG) for element in ET.parse(path).getroot().iter()}
        assert tags <= {"svg", "title", "rect", "path", "g", "text"}
        assert not re.search(
            r"href|url\(|\son\w+=", re.sub(r">[^<]*<|\"[^\"]*\"", "", path.read_text(encoding="utf-8"))
        )


@pytest.mark.slow
def test_the_markdown_names_this_site_even_where_its_address_was_not_known(
    page: Page, site_url: str, site_folder: Path
) -> None:
    """The builder leaves a place for the address, and the page fills it in."""
    path = "measured/models/vader/"
    assert embed.UNKNOWN in (site_folder / path / "index.html").read_text(encoding="utf-8")
    page.goto(site_url + path)
    snippet = (
        f"[![4th of 5 on Measured here, 2026-11-21]({site_url}measured/badges/vader.svg)]({site_url}{path})"
    )
    expect(page.get_by_label("For a README, as Markdown.")).to_have_value(snippet)
    assert page.locator("img.badge").evaluate("image => image.naturalHeight") == embed.BADGE_HEIGHT
