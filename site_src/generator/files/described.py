"""Datasets described as Croissant, in their pages for search engines and beside them for programs."""

from __future__ import annotations

from typing import Any

from evaluator.exchange.croissant import DOCUMENT as FILE
from evaluator.exchange.croissant import DescribedFile, croissant, text_of
from evaluator.records.board import Boards
from site_src.generator.pages.compare_page import KeptExamples
from site_src.generator.views.board import BoardView

__all__ = ["FILE", "described", "text_of"]


def described(boards: Boards, view: BoardView, kept: KeptExamples | None) -> dict[str, Any] | None:
    """The document about a dataset whose examples are published beside the board's predictions; else None.

    The file's address is a full one where the site's is known, else relative to the dataset's page.
    """
    if kept is None:
        return None
    spec = kept.dataset.spec
    root = f"{boards.site.url}{view.spec.id}/" if boards.site.url else "../../"
    entries = view.assembled.entries.values()
    results = [entry.results[spec.id] for entry in entries if spec.id in entry.results]
    dates = [one.created for one in results if one.dataset.revision == kept.examples.revision]
    file = DescribedFile(
        spec,
        kept.examples,
        f"{root}predictions/{kept.name}",
        kept.path.read_bytes(),
        max(dates, default=view.assembled.timestamp or "")[:10],
    )
    document: dict[str, Any] = croissant([file], boards).document
    return document
