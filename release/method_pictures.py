"""Draws the pictures of the page on rank sets: how a set comes about, and a factor that ends a lead.

Run from the repository: python release/method_pictures.py
They are of this repository's results, and SVG without styles: the site colours them by their classes, in
light and dark.
"""

from __future__ import annotations

import html
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from evaluator.rank.dynascore import Board, Columns, Question  # noqa: E402
from evaluator.rank.formats import number  # noqa: E402
from evaluator.rank.rank_sets import Certainty  # noqa: E402
from evaluator.rank.rate_factor import lead_of, stretched  # noqa: E402
from evaluator.rank.significance import CONFIDENCE, Rivals  # noqa: E402
from evaluator.records.board import load_boards  # noqa: E402
from evaluator.records.store import Store  # noqa: E402
from evaluator.score.certainty import assemble_board, board_results, sampled  # noqa: E402

BOARD, MODEL = "sst-2", "bert-small"
DOCS = ROOT / "site_src" / "docs"
#: Sizes in pixels: of a picture, of the names to its left, of a row, above the first and below the last.
WIDTH, NAMES, ROW, TOP, BOTTOM = 520, 216, 26, 34, 76
#: Factors are shown up to this, and so many points of a line are drawn.
MOST, POINTS = 8.0, 60
#: So many rivals of the leader.
NEAREST = 3


@dataclass(frozen=True)
class Ranked:
    """A board with its ranking, and how sure that is."""

    board: Board
    question: Question
    columns: Columns
    certainty: Certainty

    def label(self, index: int) -> str:
        return self.board.model_label(self.board.models[index])


def ranked(id_: str) -> Ranked:
    """A board of this repository at its own weights."""
    boards, store = load_boards(ROOT / "board.toml"), Store(ROOT / "results")
    spec = next(one for one in boards.boards if one.id == id_)
    assembled = assemble_board(spec, boards, store, board_results(spec, boards, store))
    board = Board.from_dict(assembled.data)
    question = Question(assembled.metric_weights, assembled.dataset_weights)
    certainty = Certainty.from_dict(board, sampled(assembled, store))
    return Ranked(board, question, board.columns(question), certainty)


def rank_set_picture(of: Ranked, model: int) -> str:
    """By how much each rival's score is above the model's, give or take chance, and the set that follows."""
    rivals = [index for index in of.columns.order if index != model]
    found = of.certainty.sets(of.question, of.columns).sets[model]
    if found is None:
        raise ValueError(f"{of.label(model)} has no rank set")
    variances = of.certainty.variances(of.question, of.columns)
    reach = Rivals(len(of.board.models), CONFIDENCE, variances.evidence).clear
    gaps = [of.columns.key[index] - of.columns.key[model] for index in rivals]
    widths = [reach * math.sqrt(variances.before(max(index, model))[min(index, model)]) for index in rivals]
    low = min(0.0, *(gap - width for gap, width in zip(gaps, widths, strict=True)))
    high = max(0.0, *(gap + width for gap, width in zip(gaps, widths, strict=True)))

    def across(value: float) -> float:
        return NAMES + (WIDTH - NAMES - 24) * (value - low) / (high - low)

    parts = [line(across(0), TOP - 8, across(0), TOP + ROW * len(rivals), "zero")]
    for row, (index, gap, width) in enumerate(zip(rivals, gaps, widths, strict=True)):
        middle = TOP + ROW * row + ROW / 2
        kind = "level" if gap - width <= 0 <= gap + width else "apart"
        parts += [
            text(NAMES - 12, middle + 4, of.label(index), "end"),
            line(across(gap - width), middle, across(gap + width), middle, kind),
            f'<circle class="{kind}" fill="currentColor" cx="{across(gap):.1f}" cy="{middle:.1f}" r="4"/>',
        ]
    bottom = TOP + ROW * len(rivals)
    ticks = [tick for tick in range(-100, 101, 5) if tick and low <= tick <= high]
    above, below = found[0] - 1, len(of.board.models) - found[1]
    told = f"Filled: told apart, {above} above and {below} below."
    which = f"Ranks 1 + {above} to {len(of.board.models)} − {below}: the set is {found[0]} to {found[1]}."
    parts += [
        *(
            text(across(tick), bottom + 18, f"{tick:+d}".replace("-", "−"), "middle", "muted")
            for tick in ticks
        ),
        text(0, 14, f"points above or below {of.label(model)}", "start", "muted"),
        text(0, bottom + 46, told),
        text(0, bottom + 66, which),
    ]
    return svg(bottom + BOTTOM, parts)


def factor_picture(of: Ranked) -> str:
    """How far the leader is ahead of each rival at least, by the factor that every rate may be off by."""
    lead = lead_of(of.board, of.question, of.columns)
    if lead is None or lead.rival is None:
        raise ValueError("no factor ends the lead")
    names = stretched(of.board, of.question, of.columns)
    parts_of = of.columns.contributions
    rivals = [index for index in of.columns.order if index not in {lead.leader, *of.board.floored}][:NEAREST]

    def least(rival: int, factor: float) -> float:
        gaps = {name: part[lead.leader] - part[rival] for name, part in parts_of.items()}
        off = (gaps[name] / factor if gaps[name] > 0 else gaps[name] * factor for name in names)
        return math.fsum([*(gap for name, gap in gaps.items() if name not in names), *off])

    factors = [MOST ** (at / POINTS) for at in range(POINTS + 1)]
    ceiling = max(least(rival, 1.0) for rival in rivals) * 1.15
    height, floor = 220.0, -ceiling

    def across(factor: float) -> float:
        return 48 + (WIDTH - NAMES - 48) * math.log(factor) / math.log(MOST)

    def down(lead_: float) -> float:
        return TOP + height * (ceiling - lead_) / (ceiling - floor)

    at_break = across(lead.factor)
    drawn = [
        line(across(1), down(0), across(MOST), down(0), "zero"),
        line(at_break, TOP, at_break, TOP + height, "break"),
        text(at_break + 6, TOP + 10, f"the lead ends at {number(lead.factor, 1)}"),
        text(across(1) - 8, down(0) + 4, "0", "end", "muted"),
        text(0, 14, "points ahead, at least", "start", "muted"),
    ]
    ends: list[tuple[float, str]] = []
    for rival in rivals:
        shown = [(across(one), down(least(rival, one))) for one in factors if least(rival, one) >= floor]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shown)
        kind = "apart" if rival == lead.rival else "level"
        drawn.append(f'<polyline class="{kind}" fill="none" stroke="currentColor" points="{points}"/>')
        ends.append((shown[-1][1], of.label(rival)))
    drawn += [text(across(MOST) + 8, y + 4, name) for y, name in spaced(ends)]
    drawn += [
        text(across(one), TOP + height + 18, f"{one:g}", "middle", "muted") for one in (1.0, 2.0, 4.0, 8.0)
    ]
    words = "every exchange rate off by up to this factor"
    drawn.append(text((across(1) + across(MOST)) / 2, TOP + height + 38, words, "middle", "muted"))
    return svg(TOP + height + 48, drawn)


def spaced(ends: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """The same from the top down, none nearer to the one above than a line of text is high."""
    found: list[tuple[float, str]] = []
    for y, name in sorted(ends):
        found.append((max(y, found[-1][0] + 16) if found else y, name))
    return found


def svg(height: float, parts: Iterable[str]) -> str:
    inside = "\n".join(parts)
    look = 'class="picture" font-family="sans-serif" font-size="14"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {look} viewBox="0 0 {WIDTH} {height:.0f}">'
    return f"{head}\n{inside}\n</svg>\n"


def line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"'
    return f'<line class="{kind}" stroke="currentColor" {ends}/>'


def text(x: float, y: float, words: str, anchor: str = "start", kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>'


def main() -> None:
    of = ranked(BOARD)
    model = of.board.models.index(MODEL)
    (DOCS / "rank-set.svg").write_text(rank_set_picture(of, model), "utf-8")
    (DOCS / "rate-factor.svg").write_text(factor_picture(of), "utf-8")


if __name__ == "__main__":
    main()
