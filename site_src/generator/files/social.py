"""The picture that other sites show beside a link to a board: its title, its first models, its time.

The drawing is SVG of our own. resvg makes a PNG of it, with FiraGO (SIL Open Font License), which comes
with the package pymupdf-fonts, and with no font of the machine: the same bytes everywhere.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import jinja2

from evaluator.records.board import Boards
from evaluator.records.scratch import write_atomic
from site_src.generator.views import formats
from site_src.generator.views.board import BoardView
from site_src.generator.views.rows import RowView

WIDTH, HEIGHT = 1200, 630
MODELS = 5
#: Letters that fit on a line; longer titles and names are cut.
TITLE, NAME = 44, 30
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


@dataclass(frozen=True)
class BarPart:
    """What one metric adds to a score, as a stretch of a bar."""

    colour: str
    x: float
    width: float


def drawing_of(boards: Boards, view: BoardView, environment: jinja2.Environment) -> str:
    """The picture of a board as SVG."""
    rows = [row for row in view.rows if row.rank is not None][:MODELS]
    return environment.get_template(TEMPLATE).render(
        site=boards,
        title=formats.shortened(view.spec.title, TITLE),
        rows=[(row, formats.shortened(row.entry.label, NAME), bar) for row, bar in _bars(rows)],
        updated=view.updated,
        ranked=view.ranked,
        family=FAMILY,
    )


def _bars(rows: Sequence[RowView]) -> list[tuple[RowView, list[BarPart]]]:
    """Each model with what its metrics add to its score, side by side; nothing for what lowers it."""
    added = [{name: part for name, part in row.contributions.items() if part > 0} for row in rows]
    longest = max((math.fsum(parts.values()) for parts in added), default=0.0)
    return [(row, _bar(row, parts, BAR / (longest or 1.0))) for row, parts in zip(rows, added, strict=True)]


def _bar(row: RowView, added: Mapping[str, float], unit: float) -> list[BarPart]:
    x, bar = 0.0, []
    for column in (cell.column for cell in row.cells if cell.column.name in added):
        width = added[column.name] * unit
        bar.append(BarPart(COLOURS[column.colour], x, width))
        x += width
    return bar


def png(svg: str, cache: Path) -> bytes:
    """The drawing as PNG, from `cache` if it was made before by the same versions."""
    versions = f"{version('resvg_py')} {version('pymupdf-fonts')}"
    kept = cache / "social" / f"{hashlib.sha256(f'{versions} {svg}'.encode()).hexdigest()}.png"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(kept, _rendered(svg, [_font(cache, face) for face in FACES]))
    return kept.read_bytes()


def _rendered(svg: str, fonts: Sequence[Path]) -> bytes:
    # Imported here, since most builds find every picture in the cache.
    import resvg_py

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            skip_system_fonts=True,
            font_files=[str(path) for path in fonts],
            font_family=FAMILY,
            sans_serif_family=FAMILY,
        )
    )


def _font(cache: Path, face: str) -> Path:
    """A font as a file, which is what resvg takes."""
    path = cache / "social" / f"{face}-{version('pymupdf-fonts')}.ttf"
    if not path.exists():
        from pymupdf_fonts import myfont

        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, myfont(face))
    return path
