"""Named entities: the stretches of a text that are the name of something, whose words must stay.

"Red Robin" is no bird and "Martin Luther King" no monarch. There are two recognisers: spaCy's, where a
pipeline is installed, and a gazetteer of familiar names that needs nothing. They find different things,
so which one was used is part of a suite's spec, and of its hash.
"""

from __future__ import annotations

import hashlib
import re
from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evaluator.data.suites.base import Span, SuitePackageError, overlaps, places
from evaluator.records.errors import UserError

#: Used where it is installed and none is named.
PIPELINE = "en_core_web_sm"
GAZETTEER = "gazetteer"

#: Labels of people: their names are what the fairness transformations are about, so they do not stay.
PEOPLE = frozenset({"PERSON", "PER"})

_WORD = re.compile(r"[^\W\d_]+")


def recogniser(name: str | None = None) -> Gazetteer:
    """The recogniser called `name`: "gazetteer", or a spaCy pipeline by package name or path.

    None is `PIPELINE` where that is installed, else the gazetteer. Raises `UserError` for a pipeline that
    is not there or that has no recogniser of entities.
    """
    if name is None:
        name = PIPELINE if find_spec("spacy") and find_spec(PIPELINE) else GAZETTEER
    return _gazetteer() if name == GAZETTEER else _Spacy(name)


class Gazetteer:
    """Knows names of several words, found longest first at word boundaries.

    As written, in capitals, and in lower case where a text has no capital letter at all.
    """

    def __init__(self, entities: Sequence[str]) -> None:
        self.entities = tuple(entities)
        self._as_written = _by_anchor([*entities, *(entity.upper() for entity in entities)])
        self._lower = _by_anchor([entity.lower() for entity in entities])

    def spec(self) -> dict[str, Any]:
        """What decides its spans, as JSON data: its name, and the hash of what it knows."""
        # Pages perturb texts too, and have nothing that hashes records.
        from evaluator.records.base import digest

        return {"recogniser": GAZETTEER, "version": digest(sorted(self.entities))}

    def spans(self, text: str, words: Sequence[str] | None = None) -> list[Span]:
        """Stretches of `text` whose words must stay: characters, disjoint, in order; people are not.

        `words` are its runs of letters, if they are known already.
        """
        words = _WORD.findall(text) if words is None else words
        known = self._lower if text == text.lower() else self._as_written
        if known.keys().isdisjoint(words):
            return []
        # To look for the names of an anchor is quicker than to look at every word again.
        near = [entity for word in set(words) & known.keys() for entity in known[word] if entity in text]
        return _longest([span for entity in near for span in _places(entity, text)]) if near else []

    def people(self, text: str) -> list[Span]:
        """Stretches of `text` seen as the name of a person: none, as the people that it knows must stay."""
        return []

    def tags(self, text: str) -> Mapping[int, str] | None:
        """Penn Treebank tags of the words by where they start; None, as it has no tagger."""
        return None


@cache
def _gazetteer() -> Gazetteer:
    path = files("evaluator.data.suites.fairness").joinpath("data", "entities.tsv")
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return Gazetteer([entity for _, entity in rows[1:]])


def _by_anchor(entities: Sequence[str]) -> dict[str, list[str]]:
    """Entities by their longest word, which texts without the entity rarely have."""
    found: dict[str, list[str]] = {}
    for entity in dict.fromkeys(entities):
        anchor = max(_WORD.finditer(entity), key=lambda word: (len(word.group()), -word.start()))
        found.setdefault(anchor.group(), []).append(entity)
    return found


def _places(entity: str, text: str) -> Iterator[Span]:
    """Where the entity is in the text as whole words."""
    return (span for span in places(entity, text) if _alone(text, *span))


def _alone(text: str, start: int, end: int) -> bool:
    before = start > 0 and (text[start - 1].isalnum() or text[start - 1] in "-_")
    after = end < len(text) and (text[end].isalnum() or text[end] in "-_")
    return not (before or after)


def _longest(spans: Sequence[Span]) -> list[Span]:
    """Disjoint spans in order, the longer of two that overlap, the earlier of two as long."""
    kept: list[Span] = []
    for span in sorted(set(spans), key=lambda span: (span[0] - span[1], span[0])):
        if not overlaps(*span, kept):
            insort(kept, span)
    return kept


class _Spacy(Gazetteer):
    """A spaCy pipeline's entities other than people, and what the gazetteer knows besides."""

    def __init__(self, name: str) -> None:
        super().__init__(_gazetteer().entities)
        self._pipeline = _load(name)
        if not {"ner", "entity_ruler"} & set(self._pipeline.pipe_names):
            wrong = f"{name!r} recognises no entities"
            raise UserError("recogniser", wrong, "name a pipeline with ner or entity_ruler")
        self._content = _content(self._pipeline.path)
        self._last: tuple[str, Any] = ("", None)
        self._last_tags: tuple[str, dict[int, str]] = ("", {})

    def spec(self) -> dict[str, Any]:
        """The pipeline, its version and content, spaCy's version, and the gazetteer's."""
        from importlib.metadata import version

        meta = self._pipeline.meta
        return {
            "recogniser": "spacy",
            "pipeline": f"{meta['lang']}_{meta['name']}",
            "version": meta["version"],
            "content": self._content,
            "spacy": version("spacy"),
            "gazetteer": super().spec()["version"],
            "tagger": self._tags,
        }

    def spans(self, text: str, words: Sequence[str] | None = None) -> list[Span]:
        """Entities other than people, and the familiar ones: a person among those is a name to keep."""
        entities = self._read(text).ents
        found = [(entity.start_char, entity.end_char) for entity in entities if entity.label_ not in PEOPLE]
        return _longest([*found, *super().spans(text, words)])

    def people(self, text: str) -> list[Span]:
        """The pipeline's people."""
        entities = self._read(text).ents
        return [(entity.start_char, entity.end_char) for entity in entities if entity.label_ in PEOPLE]

    def tags(self, text: str) -> dict[int, str] | None:
        """The tagger's tags, if the pipeline has one."""
        if not self._tags:
            return None
        if self._last_tags[0] != text:  # asked for word by word
            self._last_tags = text, {token.idx: token.tag_ for token in self._read(text)}
        return self._last_tags[1]

    @property
    def _tags(self) -> bool:
        return "tagger" in self._pipeline.pipe_names

    def _read(self, text: str) -> Any:
        """The parsed text; the last one is kept, because spans and tags are asked for one after the other."""
        if self._last[1] is None or self._last[0] != text:
            self._last = (text, self._pipeline(text))
        return self._last[1]


def _load(name: str) -> Any:
    try:
        import spacy
    except ImportError as error:
        fix = f"pip install 'steelyard[suites]', or use {GAZETTEER!r}"
        raise SuitePackageError("recogniser", f"{name!r} needs spaCy", fix) from error
    try:
        return spacy.load(name)
    except (OSError, ValueError, KeyError) as error:
        fix = f"install it (python -m spacy download {PIPELINE}), give its folder, or use {GAZETTEER!r}"
        raise UserError("recogniser", f"{name!r} is no spaCy pipeline here", fix) from error


def _content(folder: Path) -> str:
    """A hash of all files of a pipeline: its name and version may be wrong."""
    found = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        content = path.read_bytes()
        found.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return f"sha256:{found.hexdigest()}"
