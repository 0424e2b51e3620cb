"""First names: lists of them by the group and gender they are typical of, and which words of a text are one.

A listed name is a first name only where there is evidence that it is one: a capital, in a text in which
capitals mean something; a recogniser's person; or, in a text all in small letters or all in capitals, that it
opens a clause and somebody does what only people do ("... and maria says"). Where such a text has a listed
name, and nothing shows that it is one, the whole example is left out and counted (`UndecidedError`); ordinary
words and common surnames are no names then. A capital is not enough where something says
otherwise:

- it does not end a longer name: after another first name ("Bill Murray"), an initial, or a capitalised word
  that is no title and does not merely open the sentence ("Ridley Scott", "St. Paul");
- after a title of respect ("Mr. Scott", "Dr. Martin") only if a surname follows;
- it is no compound ("Mary-Kate"), handle or address, has no article ("a Scott"), and is not a name in -s
  with a possessive that only those have ("James' wife");
- a possessive without a noun is as often a firm's name ("at Wendy's"), and a name before a particle that of
  somebody well known ("Charles de Gaulle");
- an ordinary word ("Mark", "Grace") that opens a sentence is a name only before a surname or before what
  people do ("Grace says", not "Grace is").

A person keeps one name, so a name that is anywhere in the example where it may not change, or is not
certainly a first name, changes nowhere in it.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Literal, NamedTuple

from evaluator.data.suites.base import Edit, Span, UndecidedError, merged, overlaps
from evaluator.data.suites.entities import Gazetteer
from evaluator.data.suites.fairness.words import Field, data, grammar
from evaluator.records.errors import UserError

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
    one list only; every group has names of both genders. Raises `UserError` naming file, line and name.
    """
    if path is None:
        return _parse(
            files("evaluator.data.suites.fairness").joinpath("data", OWN).read_text("utf-8"), f"names: {OWN}"
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        wrong = f"cannot be read as text in UTF-8 ({error})"
        raise UserError(f"names: {path}", wrong, _FORMAT) from error
    return _parse(text, f"names: {path}")


def _parse(text: str, where: str) -> Names:
    lines = [
        (at, line.split("\t"))
        for at, line in enumerate(text.split("\n"), 1)
        if line.strip() and not line.startswith("#")
    ]
    if not lines or [cell.strip() for cell in lines[0][1][:3]] != ["group", "gender", "name"]:
        raise UserError(where, "does not start with a line of column names", _FORMAT)
    lists: dict[NameKind, list[str]] = {}
    seen: dict[str, str] = {}
    for at, cells in lines[1:]:
        kind, name = _row([cell.strip() for cell in cells], f"{where}: line {at}")
        if name.lower() in seen:
            twice = f"{kind.group}: {name!r} is in {seen[name.lower()]} too"
            raise UserError(f"{where}: line {at}", twice, "keep one")
        seen[name.lower()] = f"{kind.group}, {kind.gender}"
        lists.setdefault(kind, []).append(name)
    _check_groups(lists, where)
    return Names({kind: tuple(names) for kind, names in lists.items()}, _version(lists))


def _row(cells: list[str], where: str) -> tuple[NameKind, str]:
    if len(cells) < 3:
        raise UserError(where, f"{len(cells)} columns", _FORMAT)
    group, gender, name = cells[:3]
    if not _GROUP.fullmatch(group):
        raise UserError(where, f"group {group!r}", "use words in lower case joined by hyphens")
    if gender not in GENDERS:
        raise UserError(where, f"{group}: {name!r}: gender {gender!r}", "use female or male")
    if not _NAME.fullmatch(name) or not name[0].isupper():
        raise UserError(where, f"{group}: name {name!r}", "use one word of letters with a capital first")
    return NameKind(group, gender), name


def _check_groups(lists: Mapping[NameKind, list[str]], where: str) -> None:
    groups = sorted({kind.group for kind in lists})
    if not set(groups) - {SHARED}:
        raise UserError(where, "no group", _FORMAT)
    for group in groups:
        for gender in GENDERS:
            if len(lists.get(NameKind(group, gender), ())) < 2:
                few = f"{group}: fewer than two {gender} names"
                raise UserError(where, few, "add some, or leave it out")


def _version(lists: Mapping[NameKind, list[str]]) -> str:
    """The order of the names decides what is drawn, so it counts."""
    content = "\n".join(f"{kind.group}\t{kind.gender}\t{','.join(names)}" for kind, names in lists.items())
    return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"


# Which words of a text are a first name.

#: Titles after which a name by itself is a surname, and those after which it is a first name.
SURNAME_TITLES = grammar("surname_titles")
FIRST_NAME_TITLES = grammar("first_name_titles")

#: Words that open sentences; a capital on them says nothing about what follows.
OPENERS = grammar("openers")
#: What may come before the first word of a clause; and what only people do, of verbs that are no nouns.
_CLAUSE_STARTS = OPENERS | grammar("clause") | grammar("conjunctions")
_ONLY_PEOPLE = grammar("only_people")
#: What people do, after a name that opens a sentence and might be an ordinary word.
_DEEDS = grammar("deeds")
#: After a name, these show that a place or an event is called after somebody: "Scott Street".
_PLACE_NOUNS = grammar("place_nouns")
ARTICLES = frozenset({"a", "an", "the"})
#: Before a surname; most people whose names are written so are well known: "Charles de Gaulle".
_PARTICLES = frozenset({"de", "del", "della", "der", "di", "du", "la", "le", "ten", "van", "von"})
#: After a possessive, these show that it has no noun.
_NOT_OWNED = grammar("auxiliaries") | grammar("conjunctions") | grammar("prepositions")


@dataclass(frozen=True)
class Mention:
    """A first name: the field it is in, which word of it, and what the name is typical of."""

    field: str
    place: int
    name: str
    kind: NameKind


def mentions(
    fields: Mapping[str, Field],
    names: Names,
    kept: Mapping[str, Sequence[Span]],
    people: Mapping[str, Sequence[Span]],
    about: Container[str],
) -> list[Mention]:
    """The first names that may change, field by field in the order of the text; `kept` spans stay.

    `people` are the stretches in which a recogniser sees a person. Raises `UndecidedError` for a name of
    those that it is `about` where nothing shows whether it is one.
    """
    found: list[Mention] = []
    blocked: set[str] = set()
    kinds = names.kinds
    for key, field in fields.items():
        if kinds.keys().isdisjoint(field.lower):
            continue
        for place in [place for place, lower in enumerate(field.lower) if lower in kinds]:
            if not _written_as_name(field, place):
                continue
            lower, seen = field.lower[place], within(field, place, people.get(key, ()))
            if within(field, place, kept.get(key, ())) or not _first_name(field, place, kinds):
                blocked.add(lower)
            elif seen or _shown(field, place):
                found.append(Mention(key, place, lower, kinds[lower]))
            elif lower in about:
                raise UndecidedError
    return [mention for mention in found if mention.name not in blocked] if blocked else found


def _shown(field: Field, place: int) -> bool:
    """Whether capitals show that a word is a name, or that it opens a clause about what only people do."""
    if field.case == "mixed":
        return True
    before = field.previous(place)
    opens = field.opens_sentence(place) or before in _CLAUSE_STARTS or field.gaps[place].strip() in (",", "(")
    return opens and field.next(place) in _ONLY_PEOPLE


def known_people(fields: Mapping[str, Field], recogniser: Gazetteer) -> dict[str, list[Span]]:
    """Where the recogniser sees people, field by field."""
    return {key: recogniser.people(field.text) for key, field in fields.items()}


def renamed(
    found: Sequence[Mention],
    fields: Mapping[str, Field],
    rng: random.Random,
    draw: Callable[[NameKind, random.Random, set[str]], str | None],
) -> dict[str, list[Edit]]:
    """The edits that give every name found another, the same everywhere, and two people never the same one.

    `draw` gets what a name is typical of and the names that are taken, and says what it becomes, if anything.
    """
    if not found:
        return {}
    taken = {word for field in fields.values() for word in field.lower}
    new: dict[str, str | None] = {}
    edits: dict[str, list[Edit]] = {}
    for mention in found:
        if mention.name not in new:
            name = new[mention.name] = draw(mention.kind, rng, taken)
            if name:
                taken.add(name.lower())
        name = new[mention.name]
        if name:
            field = fields[mention.field]
            edits.setdefault(mention.field, []).append(_edit(field, mention.place, name))
    return edits


def stays(
    fields: Mapping[str, Field], protected: Mapping[str, Sequence[Span]], recogniser: Gazetteer
) -> dict[str, list[Span]]:
    """The stretches of each field that may not change: what the task protects, and named entities."""
    return {
        key: merged([*protected.get(key, ()), *recogniser.spans(field.text, field.words)])
        for key, field in fields.items()
    }


def within(field: Field, place: int, spans: Sequence[Span]) -> bool:
    """Whether any letter of the word is in one of the spans, which are in order and disjoint."""
    return bool(spans) and overlaps(field.start(place), field.end(place), spans)


def _edit(field: Field, place: int, name: str) -> Edit:
    word = field.words[place]
    new = name.lower() if word.islower() else name.upper() if word.isupper() else name
    return field.edit(place, new)


def _written_as_name(field: Field, place: int) -> bool:
    word = field.words[place]
    if field.case == "lower":
        return True
    return word.isupper() or (word[0].isupper() and word[1:].islower())


def _first_name(field: Field, place: int, kinds: Mapping[str, NameKind]) -> bool:
    if not field.plain(place) or field.previous(place) in ARTICLES or _after_apostrophe(field, place):
        return False
    if field.lower[place].endswith("s") and field.bare_apostrophe(place):
        return False
    if _owns_nothing(field, place) or field.next(place) in _PARTICLES:
        return False
    if field.next(place) in _PLACE_NOUNS and (field.case != "mixed" or field.capital(place + 1)):
        return False
    if field.case != "mixed":
        return _first_without_capitals(field, place, kinds)
    if field.lower[place] in data().ordinary and not _surely_a_name(field, place):
        return False
    return not _ends_a_name(field, place, kinds)


def _after_apostrophe(field: Field, place: int) -> bool:
    """ "D'Andre" and "O'Neil" are one name."""
    start = field.start(place)
    return start > 1 and field.text[start - 1] in "'’" and field.text[start - 2].isalpha()


def _owns_nothing(field: Field, place: int) -> bool:
    """Whether the name has a possessive, and no noun follows: "at Wendy's", "Wendy's has"."""
    possessive = field.gaps[place + 1].strip() in ("'", "’") and field.lower[place + 1 : place + 2] == ["s"]
    after = field.next(place + 1) if possessive else ""
    return possessive and (not after or after in _NOT_OWNED)


def _first_without_capitals(field: Field, place: int, kinds: Mapping[str, NameKind]) -> bool:
    """Without capitals, only what is hardly ever anything but a first name, and follows none."""
    lower, before = field.lower[place], field.previous(place)
    if lower in data().ordinary or lower in data().surnames:
        return False
    if before in SURNAME_TITLES or _title_with_stop(field, place):
        return False
    initial = len(before) == 1 and before != "i"
    return not (initial or before in kinds or before in data().ordinary)


def _surely_a_name(field: Field, place: int) -> bool:
    """Not opening a sentence, or before a surname or what people do."""
    if not field.opens_sentence(place):
        return True
    return _surname_follows(field, place) or field.next(place) in _DEEDS


def _surname_follows(field: Field, place: int) -> bool:
    return bool(field.next(place)) and field.capital(place + 1) and not field.words[place + 1].isupper()


def _ends_a_name(field: Field, place: int, kinds: Mapping[str, NameKind]) -> bool:
    """Whether the word before makes this one part of a longer name, not its first word."""
    if not place:
        return False
    before = field.lower[place - 1]
    gap = field.gaps[place]
    if gap.strip() == "." and gap[-1].isspace() and field.capital(place - 1):
        if len(before) == 1:
            return True
        if before in SURNAME_TITLES or before in ("st", "jr", "sr"):
            return not _surname_follows(field, place)
        return False
    if not gap.isspace() or not field.capital(place - 1) or "\n" in gap:
        return False
    if before in SURNAME_TITLES:
        return not _surname_follows(field, place)
    if before in FIRST_NAME_TITLES or before == "i":
        return False
    if before in kinds or before in data().ordinary or not field.opens_sentence(place - 1):
        return True
    return not (before in OPENERS or before.endswith(("ly", "ing", "ed")))


def _title_with_stop(field: Field, place: int) -> bool:
    return bool(place) and field.gaps[place].strip() == "." and field.lower[place - 1] in SURNAME_TITLES
