"""What a page of many models has of those whose rows are not in its HTML: a script makes rows from it.

Their names are among the board's models and their numbers among its cells; here is only what else a row says.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from site_src.generator.views.rows import RowView

#: Remarks that a row has room for, as ``board/row.html`` shows them.
REASONS, TIMINGS = 2, 1


def unwritten_island(rows: Iterable[RowView], models: str | None) -> dict[str, Any]:
    """The island of the rows that a page does not have as HTML, in their order.

    `models` is the address of the folder with the models' pages, None where there is none. Most rows say
    the same, so each thing that rows say stands there once: `of` has its place in `remarks` for every row.
    """
    places: dict[str, int] = {}
    of = [places.setdefault(json.dumps(_remarks(row)), len(places)) for row in rows]
    return {"models": models, "remarks": [json.loads(text) for text in places], "of": of}


def _remarks(row: RowView) -> dict[str, Any]:
    floored = [{"text": "no better than a constant answer", "kind": "doubt"}] if row.floored else []
    reasons = [{"text": reason, "kind": ""} for reason in row.reasons[:REASONS]]
    timings = [
        {"text": f"{timing.about}: {timing.why}", "kind": "doubt timing"}
        for timing in row.entry.suspect[:TIMINGS]
    ]
    return {
        "origin": row.origin,
        "floored": row.floored,
        "suspect": bool(row.suspect),
        "reasons": [*floored, *reasons, *timings],
    }
