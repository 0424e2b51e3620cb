"""Reviews with stars, as of Amazon and Yelp: CSV of a number of stars and a text.

Without `columns` the file is one of Zhang et al. 2015 (Amazon and Yelp, "full"): no header, the stars
first, perhaps a title, the text last. In these files, and in any read by column numbers, ``\\n`` stands
for a line's end. Their "polarity" files look the same but say 1 for negative and 2 for positive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evaluator.data.datasets.formats import generic
from evaluator.data.datasets.formats.base import Format, Item
from evaluator.data.datasets.rows import BadRow, FileRow, cut
from evaluator.data.datasets.source import DatasetError, DatasetSource
from evaluator.data.plain_text import FileText

TERNARY = ("negative", "neutral", "positive")
BY_STARS = ("negative", "negative", "neutral", "positive", "positive")
STARS = {
    f"{stars}{decimals}": label for stars, label in enumerate(BY_STARS, start=1) for decimals in ("", ".0")
}
LOW = {"1", "1.0", "2", "2.0"}


def _check(source: DatasetSource) -> None:
    if source.columns:
        generic.check_columns(source, "csv")


def _read(text: FileText, source: DatasetSource) -> list[Item | BadRow]:
    rows = list(cut(text, "csv"))
    if not rows:
        return []
    if not source.columns:
        source = replace(source, columns=_zhang(rows, source))
    if not any(isinstance(column, str) for column in source.columns.values()):
        rows = [_unescaped(row) for row in rows]
    items = list(generic.items(rows, source, "csv", generic.NAME_ONE))
    if source.label_map == STARS:
        _check_not_polarity([item for item in items if isinstance(item, Item)], source)
    return items


def _check_not_polarity(items: Sequence[Item], source: DatasetSource) -> None:
    if items and {item.gold for item in items} <= LOW:
        raise DatasetError(
            f"{source.where}:{items[0].line}: label: only 1 and 2 are found, as in files of polarity, where"
            ' 2 is positive; say what they mean, as in label_map = { 1 = "negative", 2 = "positive" }'
        )


def _zhang(rows: Sequence[FileRow | BadRow], source: DatasetSource) -> dict[str, str | int]:
    width = generic.most_common_width(rows)
    if width not in (2, 3):
        raise DatasetError(
            f"{source.where}:{rows[0].line}: columns: missing, and the file has {width} columns, not stars,"
            " perhaps a title, and text; say which columns hold the statement and the label"
        )
    return {"label": 0, "statement": width - 1}


def _unescaped(row: FileRow | BadRow) -> FileRow | BadRow:
    if isinstance(row, BadRow):
        return row
    return FileRow(row.line, [cell.replace("\\n", "\n") for cell in row.cells])


REVIEWS = Format(
    "reviews",
    ("sentiment",),
    _read,
    TERNARY,
    STARS,
    check=_check,
    about="Amazon and Yelp reviews: CSV without header, of stars, perhaps a title, and a text",
    columns={"0": "label: 1 and 2 stars negative, 3 neutral, 4 and 5 positive", "the last": "statement"},
)
