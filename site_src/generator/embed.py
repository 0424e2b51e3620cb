"""What other sites show of a board: a table in a frame, the picture beside a link, badges of models."""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from markupsafe import escape

from evaluator.rank.formats import visible
from evaluator.records.board import Boards
from evaluator.records.scratch import write_atomic
from site_src.generator import formats

if TYPE_CHECKING:
    from site_src.generator.pages.board import BoardView
    from site_src.generator.table import RowView


PICTURE_WIDTH, PICTURE_HEIGHT = 1200, 630
#: Models in the picture.
PICTURED = 5
#: Letters that fit on a line; longer titles and names are cut.
TITLE, NAME, VERDICT = 44, 30, 94
#: Length of the longest bar.
BAR = 360.0
#: The colours of ``.m0`` to ``.m11`` in ``style.css``.
COLOURS = (
    *("#3b6ea8", "#2a9d8f", "#c9a227", "#a5527a", "#d1674b", "#7b6fc4"),
    *("#6f8f3a", "#a87c5a", "#3f9cc9", "#8a8f98", "#d07fb0", "#7d7a2f"),
)
TEMPLATE = "social.svg"
FAMILY = "FiraGO"
#: Fonts of `FAMILY` as pymupdf-fonts calls them: regular and bold.
FACES = ("figo", "figbo")


def drawing_of(boards: Boards, view: BoardView, environment: jinja2.Environment) -> str:
    """The picture of a board as SVG: each model with what its metrics add to its score, side by side.

    There is nothing for what lowers a score.
    """
    rows = view.ranked_rows[:PICTURED]
    added = [
        [(cell.column, row.contributions.get(cell.column.name, 0.0)) for cell in row.cells] for row in rows
    ]
    added = [[(column, part) for column, part in parts if part > 0] for parts in added]
    longest = max((math.fsum(part for _, part in parts) for parts in added), default=0.0) or 1.0
    drawn = []
    for row, parts in zip(rows, added, strict=True):
        x, bar = 0.0, []
        for column, part in parts:
            width = BAR / longest * part
            bar.append((COLOURS[column.colour], x, width))
            x += width
        drawn.append((row, formats.shortened(row.entry.label, NAME), bar))
    return environment.get_template(TEMPLATE).render(
        site=boards,
        title=formats.shortened(view.spec.title, TITLE),
        verdict=formats.shortened(view.verdict_sentence, VERDICT),
        rows=drawn,
        updated=view.updated,
        ranked=view.ranked,
        score_name=view.score_name,
        traded=view.is_traded,
        family=FAMILY,
    )


def png(svg: str, cache: Path) -> bytes:
    """The drawing as PNG, from `cache` if it was made before by the same versions."""
    versions = f"{version('resvg_py')} {version('pymupdf-fonts')}"
    kept = cache / "social" / f"{hashlib.sha256(f'{versions} {svg}'.encode()).hexdigest()}.png"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(kept, _rendered(svg, kept.parent))
    return kept.read_bytes()


def _rendered(svg: str, folder: Path) -> bytes:
    # Imported here, since most builds find every picture in the cache.
    import resvg_py
    from pymupdf_fonts import myfont

    # resvg takes fonts as files.
    fonts = [folder / f"{face}-{version('pymupdf-fonts')}.ttf" for face in FACES]
    for face, path in zip(FACES, fonts, strict=True):
        if not path.exists():
            write_atomic(path, myfont(face))
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            skip_system_fonts=True,
            font_files=list(map(str, fonts)),
            font_family=FAMILY,
            sans_serif_family=FAMILY,
        )
    )


#: Widths, in thousandths of the font's size, of the characters from space to tilde in Verdana. The fonts that
#: browsers take instead differ little, and the picture says how long each text is to be.
WIDTHS = (
    352, 394, 459, 818, 636, 1076, 727, 269, 454, 454, 636, 818, 364, 454, 364, 454,
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 454, 454, 818, 818, 818, 545,
    1000, 684, 686, 698, 771, 632, 575, 775, 751, 421, 455, 693, 557, 843, 748, 787,
    603, 787, 695, 684, 616, 732, 684, 989, 685, 615, 685, 454, 454, 454, 818, 636,
    636, 601, 623, 521, 623, 596, 352, 623, 633, 274, 344, 592, 274, 973, 633, 607,
    623, 623, 427, 521, 394, 633, 592, 818, 592, 592, 525, 635, 454, 635, 818,
)  # fmt: skip
#: Any other character counts as a wide one.
OTHER = 1000
FONT = "Verdana, 'DejaVu Sans', 'Bitstream Vera Sans', Geneva, sans-serif"
SIZE, BADGE_HEIGHT, PAD, MARK = 11, 22, 8, 20
#: Placeholder for the site's address in a snippet where board.toml does not give it; see ``every-page.js``.
UNKNOWN = "https://address-of-this-site/"
#: Characters of a board's title in a badge.
LONGEST = 40
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~<>$:@])")

# The mark is that of the masthead, drawn for a field of 16 pixels.
_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height}" \
viewBox="0 0 {width:g} {height}" role="img" aria-label="{whole}">
<title>{whole}</title>
<rect x=".5" y=".5" width="{inner:g}" height="{low}" rx="4" fill="#faf9f5" stroke="#8d8f8c"/>
<path d="M{split:g} 1V{low}" stroke="#e4e1d8"/>
<g transform="translate(7 4) scale(.44)" fill="none" stroke="#1c1f24" stroke-width="2.4" \
stroke-linecap="round" stroke-linejoin="round">\
<path d="M1 14.5 31 10.5M12 6v7M5 14v4M1.6 18.5h7.2a3.6 3.6 0 0 1-7.2 0Z"/>\
<rect x="21" y="12" width="6" height="8" rx="1" fill="#1c1f24"/></g>
<g font-family="{font}" font-size="{size}">
<text x="{left:g}" y="15" fill="#666b74" textLength="{left_width:g}">{label}</text>
<text x="{right:g}" y="15" fill="#1c1f24" textLength="{right_width:g}">{message}</text>
</g>
</svg>
"""


@dataclass(frozen=True)
class Badge:
    """What a badge says: `label` is the board's, `message` the model's place on it; `whole` is a sentence."""

    label: str
    message: str
    whole: str
    ranked: bool


def badge(view: BoardView, row: RowView) -> Badge:
    """A model's badge at the board's default weights, with the day of the board's newest result."""
    title, day = visible(view.spec.title), (view.assembled.timestamp or "")[:10]
    place = "not ranked" if row.rank is None else f"{_ranks(row, row.rank)} of {view.ranked}"
    return Badge(
        label=formats.shortened(title, LONGEST),
        message=f"{place}, {day}" if day else place,
        whole=f"{place} on {title}, {day}" if day else f"{place} on {title}",
        ranked=row.rank is not None,
    )


def _ranks(row: RowView, rank: int) -> str:
    """The ranks that the model may hold, where its set is known; else its own."""
    if row.ranks is None or row.ranks.best == row.ranks.worst:
        return ordinal(rank)
    return f"{ordinal(row.ranks.best)} to {ordinal(row.ranks.worst)}"


def ordinal(rank: int) -> str:
    """``1st``, ``2nd``, ``3rd``, ``4th``, ``11th``."""
    ending = "th" if 10 < rank % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{ending}"


def text_width(text: str) -> float:
    """Pixels that a text takes in the badge."""
    codes = (ord(character) - 32 for character in text)
    return round(sum(WIDTHS[at] if 0 <= at < len(WIDTHS) else OTHER for at in codes) * SIZE / 1000, 1)


def svg(shown: Badge) -> str:
    """The picture, complete in itself: it loads nothing, and any font of the reader's machine fits."""
    left, left_width = PAD + MARK, text_width(shown.label)
    right, right_width = left + left_width + 2 * PAD, text_width(shown.message)
    width = right + right_width + PAD
    return _SVG.format(
        whole=escape(shown.whole),
        label=escape(shown.label),
        message=escape(shown.message),
        font=FONT,
        size=SIZE,
        width=width,
        inner=width - 1,
        height=BADGE_HEIGHT,
        low=BADGE_HEIGHT - 1,
        split=left + left_width + PAD,
        left=left,
        left_width=left_width,
        right=right,
        right_width=right_width,
    )


def shields(shown: Badge) -> str:
    """What https://shields.io/badges/endpoint-badge takes."""
    colour = "23527c" if shown.ranked else "666b74"
    document = {"schemaVersion": 1, "label": shown.label, "message": shown.message, "color": colour}
    return json.dumps(document, ensure_ascii=False) + "\n"


def markdown(shown: Badge, picture: str, page: str) -> str:
    """The badge as a README shows it: the picture, which leads to the model's page."""
    text = _MARKDOWN.sub(r"\\\1", shown.whole)
    return f"[![{text}]({picture})]({page})"
