"""Lists of first names by the group and gender they are typical of: read, checked, and drawn from."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Literal, NamedTuple

from evaluator.data.suites.errors import SuiteError
from evaluator.data.suites.fairness.words import data

Gender = Literal["female", "male"]
GENDERS: tuple[Gender, Gender] = ("female", "male")
#: Names of a clear gender that are typical of no group.
SHARED = "shared"
OWN = "names.tsv"

_GROUP = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_NAME = re.compile(r"[^\W\d_]{2,}")
_FORMAT = "write group, gender and name, separated by tabs, under a header line that says so"


class NameKind(NamedTuple):
    """What a name is typical of."""

    group: str
    gender: Gender


@dataclass(frozen=True)
class Names:
    """First names by group and gender, in the order of their file.

    `version` is the hash of what was read from the file, not of its notes and further columns.
    """

    lists: Mapping[NameKind, tuple[str, ...]]
    version: str

    @cached_property
    def kinds(self) -> dict[str, NameKind]:
        """What each name, in lower case, is typical of."""
        return {name.lower(): kind for kind, names in self.lists.items() for name in names}

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The groups in alphabetical order, without `SHARED`."""
        return tuple(sorted({kind.group for kind in self.lists} - {SHARED}))

    @cached_property
    def _drawn(self) -> dict[NameKind, tuple[str, ...]]:
        """What may replace a name: no ordinary words, so that the new text is as clear as the old."""
        ordinary = data().ordinary
        return {
            kind: tuple(name for name in names if name.lower() not in ordinary)
            for kind, names in self.lists.items()
        }

    def draw(self, kind: NameKind, rng: random.Random, taken: Container[str]) -> str | None:
        """A name of that kind whose lower case is not in `taken`; None if there is no such name."""
        names = self._drawn.get(kind, ())
        for _ in range(8 if names else 0):
            name = rng.choice(names)
            if name.lower() not in taken:
                return name
        left = [name for name in names if name.lower() not in taken]
        return rng.choice(left) if left else None


def read_names(path: Path | None = None) -> Names:
    """The lists at `path`, or those shipped with the project.

    Tab-separated text in UTF-8: lines that start with ``#`` are notes; the first other line names the
    columns, ``group``, ``gender`` and ``name`` first; further columns are for people to read. Groups are
    words in lower case joined by hyphens; genders are female and male; a name is one word of letters, and in
    one list only; every group has names of both genders. Raises `SuiteError` naming file, line and name.
    """
    if path is None:
        return _parse(files("evaluator.data.suites.fairness").joinpath("data", OWN).read_text("utf-8"), OWN)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"names: {path}: cannot be read as text in UTF-8 ({error}); {_FORMAT}") from error
    return _parse(text, str(path))


def _parse(text: str, where: str) -> Names:
    lines = [(at, line.split("\t")) for at, line in enumerate(text.split("\n"), 1) if _has_content(line)]
    if not lines or [cell.strip() for cell in lines[0][1][:3]] != ["group", "gender", "name"]:
        raise SuiteError(f"names: {where}: does not start with a line of column names; {_FORMAT}")
    lists: dict[NameKind, list[str]] = {}
    seen: dict[str, str] = {}
    for at, cells in lines[1:]:
        kind, name = _row([cell.strip() for cell in cells], f"names: {where}: line {at}")
        if name.lower() in seen:
            raise SuiteError(
                f"names: {where}: line {at}: {kind.group}: {name!r} is in {seen[name.lower()]} too; keep one"
            )
        seen[name.lower()] = f"{kind.group}, {kind.gender}"
        lists.setdefault(kind, []).append(name)
    _check_groups(lists, where)
    return Names({kind: tuple(names) for kind, names in lists.items()}, _version(lists))


def _has_content(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def _row(cells: list[str], where: str) -> tuple[NameKind, str]:
    if len(cells) < 3:
        raise SuiteError(f"{where}: {len(cells)} columns; {_FORMAT}")
    group, gender, name = cells[:3]
    if not _GROUP.fullmatch(group):
        raise SuiteError(f"{where}: group {group!r}: use words in lower case joined by hyphens")
    for known in GENDERS:
        if gender == known:
            break
    else:
        raise SuiteError(f"{where}: {group}: {name!r}: gender {gender!r}: use female or male")
    if not _NAME.fullmatch(name) or not name[0].isupper():
        raise SuiteError(f"{where}: {group}: name {name!r}: use one word of letters with a capital first")
    return NameKind(group, known), name


def _check_groups(lists: Mapping[NameKind, list[str]], where: str) -> None:
    groups = sorted({kind.group for kind in lists})
    if not set(groups) - {SHARED}:
        raise SuiteError(f"names: {where}: no group; {_FORMAT}")
    for group in groups:
        for gender in GENDERS:
            if len(lists.get(NameKind(group, gender), ())) < 2:
                raise SuiteError(
                    f"names: {where}: {group}: fewer than two {gender} names; add some, or leave it out"
                )


def _version(lists: Mapping[NameKind, list[str]]) -> str:
    """The order of the names decides what is drawn, so it counts."""
    content = "\n".join(f"{kind.group}\t{kind.gender}\t{','.join(names)}" for kind, names in lists.items())
    return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"
