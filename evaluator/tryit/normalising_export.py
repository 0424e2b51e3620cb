"""Normalisers of the library tokenizers, described for `evaluator.tryit.normalising`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal

from evaluator.measure.models.base import need
from evaluator.tryit import charsmap_export
from evaluator.tryit.characters import Runs, in_pattern
from evaluator.tryit.characters_export import CODES, Step, each, is_moved, matching, runs, spaces
from evaluator.tryit.errors import NotInBrowserError

SPACE = r"\s"
#: Regular expressions that mean the same in Python, once `\s` is the library's spaces.
PATTERNS = (" {2,}", r"\s{2,}|[\n\r\t]", r"\s+", " +", r"[\r\n\t]", "\n")
#: Forms of Unicode, and what takes characters apart for them.
FORMS: dict[str, Literal["NFD", "NFKD"]] = {"NFC": "NFD", "NFD": "NFD", "NFKC": "NFKD", "NFKD": "NFKD"}
#: Normalisers that look at one character at a time.
EACH = ("Lowercase", "StripAccents", "Nmt")


def described(spec: Mapping[str, Any] | None) -> Iterator[Step]:
    """The steps of a normaliser of ``tokenizer.json``. Raises `NotInBrowserError` for one not known."""
    if spec is None:
        return
    kind = spec["type"]
    if kind == "Sequence":
        for one in spec["normalizers"]:
            yield from described(one)
    elif kind in EACH:
        yield _each(kind)
    elif kind in FORMS:
        yield {"type": "form", "form": kind, "active": _active(kind)}
    elif kind == "Precompiled":
        yield charsmap_export.described(spec["precompiled_charsmap"])
    elif kind == "Replace":
        yield {"type": "replace", "pattern": _pattern(spec["pattern"]), "text": spec["content"]}
    elif kind == "Strip":
        yield from _strip(spec["strip_left"], spec["strip_right"])
    elif kind == "Prepend":
        yield {"type": "prepend", "text": spec["prepend"]}
    else:
        raise NotInBrowserError(f"its tokeniser has the normalizer {kind}")


@cache
def _each(kind: str) -> Step:
    changed = [
        (code, text)
        for code, text in each(getattr(need("tokenizers").normalizers, kind)().normalize_str)
        if text != chr(code)
    ]
    return {
        "type": "each",
        "changed": {chr(code): text for code, text in changed if text},
        "removed": runs(code for code, text in changed if not text),
    }


@cache
def _active(form: Literal["NFC", "NFD", "NFKC", "NFKD"]) -> Runs:
    """The characters that a form changes, moves or puts together; every other one parts those around it.

    Later versions of Unicode, as Python has, do the same with them (its policy of stability).
    """
    normalizers = need("tokenizers").normalizers
    normalise, take_apart = (getattr(normalizers, name)().normalize_str for name in (form, FORMS[form]))
    changed = [(c, text) for f in (normalise, take_apart) for c, text in each(f) if text != chr(c)]
    apart = {character for _, text in changed for character in text}
    marks = (chr(code) for code in CODES if unicodedata.combining(chr(code)))
    active = (
        {chr(code) for code, _ in changed} | apart | {mark for mark in marks if is_moved(mark, take_apart)}
    )
    for character in active:
        if normalise(character) != unicodedata.normalize(form, character):
            raise NotInBrowserError(
                f"its tokeniser has the normalizer {form}, which changes {character!r} oddly"
            )
    return runs(sorted(map(ord, active)))


def _pattern(spec: Mapping[str, str]) -> str:
    ((kind, pattern),) = spec.items()
    if kind == "String":
        return re.escape(pattern)
    if pattern not in PATTERNS:
        raise NotInBrowserError(f"its tokeniser has the normalizer Replace with the pattern {pattern!r}")
    return pattern.replace(SPACE, f"[{in_pattern(matching(SPACE))}]")


def _strip(left: bool, right: bool) -> Iterator[Step]:
    if left or right:
        sides = "strip" if left and right else "lstrip" if left else "rstrip"
        yield {"type": "strip", "sides": sides, "spaces": spaces()}
