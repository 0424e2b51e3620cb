"""What a live board's page needs to cite a view: the board's newest snapshot, and what that can show.

A live board changes, so what is cited is a snapshot at the visitor's weights. Its page keeps the scripts of
its day, which may not know every part of a view that today's page has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.publish.snapshots import folder_of, load
from evaluator.rank.citations import FORMAT_NAMES, Citation, plain
from evaluator.records.snapshot import Snapshot
from site_src.generator.pages.snapshots_page import CitedSnapshot
from site_src.generator.views.board import BoardView

_SCRIPTS = re.compile(r"\.\./(assets/\w+)/")
#: As `BOARD_PARTS` of assets/view/fragment.js begins each of its lines.
_PART = re.compile(r'^ *\["([a-z])", "', re.MULTILINE)


@dataclass(frozen=True)
class NewestCitation:
    """The newest snapshot of a board, to be cited from the board's page at any weights.

    `parts` are the keys of a view's parts that the snapshot's page reads in its address. `whole` says whether
    it holds every number of the live board, and no other.
    """

    citation: Citation
    snapshot: Snapshot
    parts: str
    whole: bool

    @property
    def texts(self) -> list[tuple[str, str, str]]:
        """Every way to cite: its id, its name, and no text until a script knows the view."""
        return [(format_, name, "") for format_, name in FORMAT_NAMES.items()]

    def island(self) -> dict[str, Any]:
        """What the script needs: the view that the snapshot's page shows first, and where that page is."""
        data, weights = self.snapshot.data, self.snapshot.weights
        first = {
            "metrics": weights.metrics,
            "datasets": weights.datasets,
            "base": data.base,
            "threshold": {"kind": data.epsilon_kind, "epsilon": data.epsilon},
            "rate": data.rate,
        }
        return {**self.citation.island(), "path": self.citation.url, "parts": self.parts, "first": first}


def newest_citation(
    results: Path, cited: CitedSnapshot, view: BoardView, publisher: str, address: str
) -> NewestCitation:
    """Of the newest snapshot of the board that `view` shows; `address` is where the snapshot's page is."""
    snapshot, folder = load(folder_of(results), cited.id), folder_of(results) / cited.id
    citation = Citation(
        id=cited.id,
        sha256=cited.sha256,
        created=snapshot.created,
        board=plain(snapshot.board["title"]),
        publisher=plain(publisher),
        url=address,
        models=len(snapshot.models),
    )
    cells = view.cells
    whole = _numbers(snapshot.data.models, snapshot.data.values) == _numbers(cells["models"], cells["values"])
    return NewestCitation(citation, snapshot, _parts(folder), whole)


def _parts(folder: Path) -> str:
    """The keys that a snapshot's page reads, from its own script; none where that cannot be found."""
    page = folder / "index.html"
    found = _SCRIPTS.search(page.read_text(encoding="utf-8")) if page.exists() else None
    scripts = sorted((folder.parent / found[1]).rglob("fragment.js")) if found else []
    return "".join(_PART.findall(scripts[0].read_text(encoding="utf-8"))) if scripts else ""


def _numbers(
    models: Sequence[str], values: Mapping[str, Mapping[str, Sequence[float | None]]]
) -> dict[tuple[str, str, str], float]:
    """Each number by dataset, metric and model, in whatever order these stand."""
    return {
        (dataset, metric, model): value
        for dataset, columns in values.items()
        for metric, column in columns.items()
        for model, value in zip(models, column, strict=True)
        if value is not None
    }
