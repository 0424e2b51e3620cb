"""The one error for what a person can put right, and what messages say about names.

A page runs this module too, so that it needs the standard library only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

#: Where a message was found: a file, a line.
W = TypeVar("W")


class UserError(ValueError):
    """Something that a person gave is wrong, and the program ran as it should.

    `place` is where: a file, with its line, row or field where there is one, or a command's option. `value`
    says what is there and why it cannot be used, `fix` what to do about it. The message is
    ``place: value; fix``, without the parts that are empty.
    """

    def __init__(self, place: str | Path, value: str = "", fix: str = "") -> None:
        self.place, self.value, self.fix = str(place), value, fix
        said = "; ".join(part for part in (value, fix) if part)
        super().__init__(": ".join(part for part in (self.place, said) if part))


def together(found: Iterable[tuple[W, str]]) -> list[tuple[W, str, int]]:
    """Each message once, with where it was found first and how often, in the order of these."""
    first: dict[str, W] = {}
    times: Counter[str] = Counter()
    for where, message in found:
        first.setdefault(message, where)
        times[message] += 1
    return [(first[message], message, count) for message, count in times.items()]


def alike(lines: Iterable[str]) -> Iterator[str]:
    """Messages that begin with a file's name; those that say the same of several files, or lines, as one."""
    places: dict[str, list[str]] = {}
    for line in lines:
        place, _, message = line.partition(": ")
        places.setdefault(message or line, []).append(place)
    for message, [first, *others] in places.items():
        files = {place.partition(":")[0] for place in (first, *others)}
        what = "file" if len(files) == len(others) + 1 else "place"
        more = f" (and in {len(others)} more {what}{'' if len(others) == 1 else 's'})" if others else ""
        yield f"{first}{more}" if message == first else f"{first}: {message}{more}"


def printable(text: str) -> str:
    """Text from elsewhere with everything unprintable escaped, so that no terminal takes it for a command."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


#: Names that Windows gives to devices, whatever follows a first dot.
DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))]
)


def name_problem(name: str) -> str | None:
    """Why some file system cannot have a file or folder of that name, with the fix; None where all can."""
    if name.partition(".")[0].casefold() in DEVICES:
        return f"{name!r} is a device on Windows, where no file can have that name; choose another id"
    if name.endswith("."):
        return f"{name!r} ends in a dot, which Windows leaves out of file names; choose another id"
    return None


def same_names(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of names, each with the first that is the same where capitals do not count (Windows, macOS)."""
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(name.casefold(), name)
        if other != name:
            yield other, name


def same_as(other: str) -> str:
    """What is wrong with a name that differs from another by capitals only, with the fix."""
    return f"is {other!r} on file systems that do not tell capitals apart; choose another id"


def check_name(name: str, others: Iterable[str] = ()) -> None:
    """Raise ValueError, with the fix, unless every file system can have `name` and `others`."""
    if problem := name_problem(name):
        raise ValueError(problem)
    for other in others:
        if other != name and other.casefold() == name.casefold():
            raise ValueError(f"{name!r} {same_as(other)}")


#: How many names are listed beside a suggestion; more would bury it.
FEW = 8


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean x?`` if `name` is nearly one of those known, in any case, else nothing."""
    close = _closest(name, known)
    return f"; did you mean {close}?" if close else ""


def nearest_file(path: Path) -> str:
    """``; did you mean x?`` for a path where nothing is, if something is nearly of its name, else nothing.

    Where its folder is not there either, that is looked for, or a file of that name in a folder beside it.
    """
    missing = path
    while not missing.parent.is_dir():
        missing = missing.parent
    try:
        there = sorted(one.name for one in missing.parent.iterdir())
    except OSError:
        return ""
    same = [folder for folder in there if (missing.parent / folder / path.name).is_file()]
    if len(same) == 1:
        return f"; did you mean {missing.parent / same[0] / path.name}?"
    close = _closest(missing.name, there)
    if not close:
        return ""
    found = missing.parent / close / path.relative_to(missing)
    return f"; did you mean {found}?" if found.exists() else nearest_file(found)


def _closest(name: str, known: Iterable[str]) -> str | None:
    import difflib

    folded = {one.casefold(): one for one in known}
    close = difflib.get_close_matches(name.casefold(), list(folded), n=1)
    return folded[close[0]] if close else None


def or_one_of(name: str, known: Iterable[str]) -> str:
    """``; did you mean x?``, then ``; there are a, b, c`` unless these are many and one of them is near."""
    names = list(known)
    suggestion = did_you_mean(name, names)
    if suggestion and len(names) > FEW:
        return suggestion
    # A question ends the sentence before; the list begins another one.
    start = f"{suggestion} There" if suggestion else "; there"
    return f"{start} {'is' if len(names) == 1 else 'are'} {', '.join(names) or 'none'}"
