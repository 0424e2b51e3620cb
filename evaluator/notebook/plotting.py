"""Rank sets as intervals, drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.notebook.packages import required
from evaluator.rank.formats import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from evaluator.notebook.ranking import SureRanking

#: Of a line in a drawing, in inches.
LINE = 0.3
#: The blue of the site's charts.
COLOUR = "#2b5c8a"


def draw_ranks(ranking: SureRanking, ax: Axes | None) -> Axes:
    """Draw the ranks and rank sets of a ranking; see `SureRanking.plot`. Raises ImportError."""
    rows = [(row.model, row.rank) for row in ranking if row.rank is not None]
    if ax is None:
        size = (7.0, 1.2 + LINE * max(1, len(rows)))
        _, ax = required("matplotlib.pyplot").subplots(figsize=size, layout="constrained")
    for place, (model, rank) in enumerate(rows):
        found = ranking.rank_sets[model]
        if found is not None:
            ax.hlines(place, *found, color=COLOUR, linewidth=2)
        ax.plot(rank, place, "o", color=COLOUR, markerfacecolor=COLOUR if found else "none")
    _label(ax, ranking, [visible(ranking.content.label(model)) for model, _ in rows])
    return ax


def _label(ax: Axes, ranking: SureRanking, names: list[str]) -> None:
    # A dollar sign in a name is a dollar sign, not the start of a formula.
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.set_ylim(max(0, len(names) - 1) + 0.5, -0.5)
    ax.xaxis.set_major_locator(required("matplotlib.ticker").MaxNLocator(integer=True))
    ax.set_xlim(0.5, max(1, len(names)) + 0.5)
    ax.set_xlabel(f"rank, with the ranks that the model may hold ({100 * ranking.sure.confidence:.4g} %)")
    ax.set_title(visible(ranking.content.title), parse_math=False, loc="left")
