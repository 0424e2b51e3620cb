"""The fixed texts of scripts: what a page's parts say beside what Python says of a ranking.

A page takes the groups that its scripts use as its island ``texts``. ``{name}`` is the place of a value; of
two forms with ``|`` between them the first is for one (``count`` is 1), the second for any other number.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Texts by group and name.
TEXTS: Mapping[str, Mapping[str, str]] = {
    "rows": {
        "up": "up {size} from the default",
        "down": "down {size} from the default",
        "reference": "the reference",
        "beside": "Dynascore {score}",
        "leader": "leader",
        "median": "median",
        "picked": "picked",
        "missing": "missing",
    },
}


#: The groups of each kind of page.
PAGES: Mapping[str, tuple[str, ...]] = {
    "board": ("rows",),
    "index": ("rows",),
    "compare": ("rows",),
    "difficulty": ("rows",),
}


def texts(page: str) -> dict[str, str]:
    """The texts of a kind of page, each under ``group.name``."""
    return {f"{group}.{name}": text for group in PAGES[page] for name, text in TEXTS[group].items()}
