"""The picture that other sites show beside a link to a board."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from site_publish import URL, write_published

from site_src.generator import embed
from site_src.generator.build import build

DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="80"><text x="9" y="50" font-family="FiraGO" font-size="30">{}</text></svg>'


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site that knows its address."""
    folder = tmp_path_factory.mktemp("published")
    boards, results = write_published(folder)
    build(boards, results, folder / "build")
    return folder / "build"


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_every_page_of_a_board_shows_the_board_s_picture(published: Path) -> None:
    """By its full address, with its size and what it shows; the picture is there and of that size."""
    for page in ("sentiment/index.html", "sentiment/models/t5/index.html"):
        html = (published / page).read_text(encoding="utf-8")
        told = dict(re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]*)" content="([^"]*)">', html))
        assert told["og:image"] == f"{URL}sentiment/social.png"
        assert told["og:url"] == f"{URL}{page.removesuffix('index.html')}"
        assert told["twitter:card"] == "summary_large_image"
        assert told["og:title"].endswith("Sentiment analysis · Steelyard")
        assert told["og:image:alt"]
    pictures = list(published.glob("*/social.png"))
    assert len(pictures) == 7
    for path in pictures:
        assert size_of(path.read_bytes()) == (embed.PICTURE_WIDTH, embed.PICTURE_HEIGHT) == (1200, 630)


def test_the_same_drawing_gives_the_same_bytes(tmp_path: Path) -> None:
    """From scratch, in two places; another text gives others."""
    first, again = (embed.png(DRAWING.format("Sentiment"), tmp_path / place) for place in "ab")
    assert first == again
    assert first != embed.png(DRAWING.format("Entailment"), tmp_path / "a")


@pytest.mark.parametrize("text", ["Ångström", "Ελληνικά", "Русский", "العربية", "עברית", "ไทย", "हिन्दी"])
def test_the_font_that_comes_along_draws_many_scripts(tmp_path: Path, text: str) -> None:
    """The machine's fonts are not used, and no letter is drawn as the box for unknown characters."""
    boxes = "\U000f0000" * len(text)
    assert embed.png(DRAWING.format(text), tmp_path) != embed.png(DRAWING.format(boxes), tmp_path)


def test_a_picture_that_was_made_before_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unchanged board costs nothing."""
    made = embed.png(DRAWING.format("once"), tmp_path)
    monkeypatch.setattr(embed, "_rendered", lambda *_: 1 / 0)
    assert embed.png(DRAWING.format("once"), tmp_path) == made
    with pytest.raises(ZeroDivisionError):
        embed.png(DRAWING.format("twice"), tmp_path)


def test_colours_are_those_of_the_pages(published: Path) -> None:
    """A metric has one colour wherever it is seen."""
    style = next(published.glob("assets/*/base/style.css")).read_text(encoding="utf-8")
    assert tuple(re.findall(r"^\.m\d+ \{ --metric: (#\w{6}); \}", style, re.MULTILINE)) == embed.COLOURS


def test_without_an_address_there_is_no_picture(site_folder: Path) -> None:
    """No page could refer to it, so none is made."""
    assert not list(site_folder.rglob("social.png"))
    assert "og:" not in (site_folder / "sentiment/index.html").read_text(encoding="utf-8")
