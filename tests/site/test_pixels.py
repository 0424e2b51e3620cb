"""When two pictures show the same: what anti-aliasing does passes, a lost mark and a moved line do not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw, ImageFont
from pixels import TILE, marked, tiles_apart

SIZE = (160, 120)
PAPER, INK = "#ffffff", "#444444"
places = st.tuples(*(st.integers(8, side - 16) for side in SIZE))


def paper() -> Image.Image:
    return Image.new("RGB", SIZE, PAPER)


def page_with_text() -> Image.Image:
    picture = paper()
    font = ImageFont.load_default(14)
    for line in range(6):
        ImageDraw.Draw(picture).text((6, 4 + 18 * line), f"{line} Model 78.{line}3", INK, font)
    return picture


def with_ring(place: tuple[int, int], across: int) -> Image.Image:
    """A mark of provenance: a ring with a line of 1.5 pixels, as pages have it."""
    picture = paper()
    left, top = place
    ImageDraw.Draw(picture).ellipse((left, top, left + across - 1, top + across - 1), outline=INK, width=2)
    return picture


@given(place=places, across=st.integers(7, 10))
def test_a_lost_mark_is_seen_wherever_it_stood(place: tuple[int, int], across: int) -> None:
    """A ring of 7 to 10 pixels, gone or new."""
    assert tiles_apart(with_ring(place, across), paper()).any()
    assert tiles_apart(paper(), with_ring(place, across)).any()


@pytest.mark.parametrize(("by", "seen"), [(1, False), (3, True), (12, True)])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_move_is_seen_but_for_one_pixel(by: int, seen: bool, axis: int) -> None:
    """Text may stand one pixel elsewhere, no further."""
    moved = ImageChops.offset(page_with_text(), *((by, 0) if axis else (0, by)))
    assert tiles_apart(page_with_text(), moved).any() == seen


def test_softer_edges_are_not_seen() -> None:
    """Letters whose edges are drawn a little further out are the same letters."""
    text = page_with_text()
    shifted = Image.blend(text, ImageChops.offset(text, 1, 0), 0.15)
    assert not tiles_apart(text, shifted).any()


@pytest.mark.parametrize("by", [-4, 4])
def test_drift_forgives_a_move_up_or_down_only(by: int) -> None:
    """What is a few pixels higher or lower is found there; what is gone is not."""
    text = page_with_text()
    assert not tiles_apart(text, ImageChops.offset(text, 0, by), drift=6).any()
    assert tiles_apart(text, ImageChops.offset(text, 12, 0), drift=6).any()
    assert tiles_apart(text, paper(), drift=6).any()


def test_pictures_of_two_sizes_are_refused() -> None:
    """The message gives both sizes."""
    with pytest.raises(ValueError, match=r"\(160, 120\) and \(80, 120\)"):
        tiles_apart(paper(), paper().crop((0, 0, 80, 120)))


def test_what_differs_is_marked_where_it_is() -> None:
    """In red around a lost mark, and nowhere else."""
    ring = with_ring((64, 40), 10)
    shown = np.asarray(marked(ring, tiles_apart(paper(), ring)), dtype=int)
    rows, columns = np.nonzero(shown[..., 0] - shown[..., 1] > 60)
    assert 40 - TILE <= rows.min() <= 40 <= rows.max() <= 50 + TILE
    assert 64 - TILE <= columns.min() <= 64 <= columns.max() <= 74 + TILE
