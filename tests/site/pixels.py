"""When two pictures of a page show the same.

A pixel is *apart* if one of its colours is more than `STEP` of 255 outside the range that the other picture has
within one pixel around it, seen from either side. So what anti-aliasing does differently is not apart, and
neither is what moved by one pixel, but a line or a mark that is gone, came or moved further is. A *tile* is a
square of `TILE` pixels; tiles overlap by half, so that a mark of `TILE` / 2 pixels lies whole in one of them. A
tile is apart if `LEAST` of its pixels are: a ring of 7 pixels has 20, a hairline across a tile 16 or more.

With `drift`, a tile is compared with what the other picture has up to so many pixels higher or lower, and with
the likest of these: for programs that lay out lines a little differently.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

STEP = 32
TILE = 16
LEAST = 10

#: Of shape (height, width, 3).
Colours: TypeAlias = npt.NDArray[np.uint8]
Mask: TypeAlias = npt.NDArray[np.bool_]


def tiles_apart(one: Image.Image, other: Image.Image, drift: int = 0) -> Mask:
    """Which tiles of two pictures of one size are apart; of shape (rows, columns), half a tile each.

    Raises ValueError for pictures of two sizes.
    """
    if one.size != other.size:
        raise ValueError(f"pictures of {one.size} and {other.size} pixels; compare two of one size")
    first, second = colours(one), colours(other)
    # What is alike pixel by pixel is not apart; it is much faster to see, and nearly always so.
    apart = crowded(beyond(first, second, second))
    for by in sorted(range(-drift, drift + 1), key=abs):
        if not apart.any():
            break
        apart &= crowded(pixels_apart(first, np.roll(second, by, axis=0)))
    return apart


def colours(picture: Image.Image) -> Colours:
    return np.asarray(picture.convert("RGB"))


def pixels_apart(one: Colours, other: Colours) -> Mask:
    return beyond(one, *around(other)) | beyond(other, *around(one))


def beyond(values: Colours, least: Colours, most: Colours) -> Mask:
    """Which pixels have a colour more than `STEP` below the least or above the most allowed at their place."""
    below = np.maximum(least, STEP) - STEP > values
    above = np.minimum(most, 255 - STEP) + STEP < values
    out = below | above
    return out[..., 0] | out[..., 1] | out[..., 2]


def around(values: Colours) -> tuple[Colours, Colours]:
    """The least and the largest value of the nine pixels around and at each."""
    least = most = values
    for axis in (0, 1):
        least, most = extreme(least, np.minimum, axis), extreme(most, np.maximum, axis)
    return least, most


def extreme(values: Colours, of_two: np.ufunc, axis: int) -> Colours:
    """Of each value and those before and after it along an axis."""
    lines = np.moveaxis(values, axis, 0)
    found = lines.copy()
    found[1:] = of_two(found[1:], lines[:-1])
    found[:-1] = of_two(found[:-1], lines[1:])
    return np.moveaxis(found, 0, axis)


def crowded(apart: Mask) -> Mask:
    """Which tiles have at least `LEAST` pixels that are apart."""
    half = TILE // 2
    height, width = (-(-size // half) * half for size in apart.shape)
    whole = np.zeros((height, width), dtype=np.uint16)
    whole[: apart.shape[0], : apart.shape[1]] = apart
    blocks = whole.reshape(height // half, half, width // half, half).sum(axis=(1, 3), dtype=np.uint16)
    padded = np.pad(blocks, [(0, 1), (0, 1)])
    return padded[:-1, :-1] + padded[1:, :-1] + padded[:-1, 1:] + padded[1:, 1:] >= LEAST


def marked(new: Image.Image, apart: Mask) -> Image.Image:
    """The new picture, pale, with the tiles that are apart in red."""
    pale = Image.blend(new.convert("RGB"), Image.new("RGB", new.size, "white"), 0.6)
    half = TILE // 2
    grown = Image.fromarray(apart).resize((apart.shape[1] * half, apart.shape[0] * half))
    mask = Image.new("1", new.size)
    mask.paste(grown)
    red = Image.blend(new.convert("RGB"), Image.new("RGB", new.size, "red"), 0.5)
    return Image.composite(red, pale, mask)
