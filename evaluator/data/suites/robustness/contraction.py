"""Contraction: "it is" becomes "it's" and "isn't" becomes "is not", wherever English allows both.

Negations stay negations and possessives stay. What "'s" and "'d" stand for is decided by the words that
follow; where these leave it open, nothing changes. The same goes for what cannot be short ("what it is",
"she is too") or long ("isn't it?").
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from evaluator.data.suites.base import Transformation, each_text
from evaluator.data.suites.edits import Edit, Span
from evaluator.data.suites.robustness import english
from evaluator.data.suites.robustness.words import overlaps

NAME = "Contraction"

# All look at the text in small letters, and first for what is rare. Tokenised texts write "it 's", "is n't".
_END = r"(?![\w'’-])"
_SHORT = re.compile(rf"['’](t|s|d|m|re|ll|ve){_END}")
_LONG = re.compile(rf" (not|am|are|is|have|has|had|would|will){_END}")
_CANNOT = re.compile(rf"(?<![\w'’-])can(not){_END}")
_STEM = re.compile(r"(?:^|[^\w'’-])([a-z]+)\Z")
_LONGEST_STEM = 6
_FOLLOWING = re.compile(r"(?: [a-z]+(?![\w'’-])){1,5}")
_LAST_WORD = re.compile(r"(\w+)\s*\Z")

_NEGATED = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "have",
        "has",
        "had",
        "would",
        "could",
        "should",
        "must",
    ]
)
_BEFORE_NOT = _NEGATED | {"need", "can", "will"}
_BEFORE_NT = _NEGATED | {"need", "might", "ca", "wo", "sha"}
_WHOLE = {"wo": "will", "sha": "shall"}
_EXPANDED = {"m": "am", "re": "are", "ll": "will", "ve": "have"}
_MAY_EXPAND = {
    "s": {"it", "he", "she", "that", "there", "here", "who"},
    "d": {"i", "you", "he", "she", "it", "we", "they"},
    "m": {"i"},
    "re": {"you", "we", "they"},
    "ll": {"i", "you", "he", "she", "it", "we", "they", "that", "there", "who"},
    "ve": {"i", "you", "we", "they", "would", "could", "should", "might", "must"},
}
_CONTRACTED = {
    "am": "m",
    "are": "re",
    "is": "s",
    "has": "s",
    "have": "ve",
    "had": "d",
    "would": "d",
    "will": "ll",
}
_MAY_CONTRACT = {
    "am": {"i"},
    "are": {"you", "we", "they"},
    "is": {"it", "he", "she", "that", "there", "here", "who"},
    "has": {"it", "he", "she"},
    "have": {"i", "you", "we", "they"},
    "had": {"i", "you", "he", "she", "we", "they"},
    "would": {"i", "you", "he", "she", "we", "they"},
    "will": {"i", "you", "he", "she", "it", "we", "they"},
}


def transformation() -> Transformation:
    """Every contraction is written out and every phrase that has one is contracted, in its case.

    It makes no choices and has no severity, like TextFlint's.
    """
    return Transformation(NAME, 1, each_text(_edits), {})


def _edits(text: str, rng: random.Random, protected: Sequence[Span]) -> list[Edit]:
    low = text.replace("İ", "I").lower()  # the one letter that would become two
    found = list(_shortened(text, low))
    if "'" in text or "’" in text:
        found += _written_out(text, low)
    return sorted(edit for span, edit in found if not protected or not overlaps(*span, protected))


def _written_out(text: str, low: str) -> Iterator[tuple[Span, Edit]]:
    """The contractions that can be written out: each with the place of its first word and the edit."""
    for match in _SHORT.finditer(low):
        start, end = match.span()
        negation = match[1] == "t"
        if negation:
            if low[start - 1 : start] != "n":
                continue
            start -= 1
        if low[start - 1 : start] == " ":
            start -= 1
        stem = _stem(low, start)
        if negation:
            edit = _not_written_out(text, low, stem, start, end)
        else:
            edit = _verb_written_out(text, low, stem, start, end, match[1])
        if edit:
            yield (start - len(stem), end), edit


def _not_written_out(text: str, low: str, stem: str, start: int, end: int) -> Edit | None:
    if stem not in _BEFORE_NT or _is_question(low, stem, start, end):
        return None
    if stem in _WHOLE:
        start -= len(stem)
        return Edit(start, end, _cased(f"{_WHOLE[stem]} not", text[start:end]))
    return Edit(start, end, _cased("nnot" if stem == "ca" else " not", text[start:end]))


def _is_question(low: str, verb: str, start: int, end: int) -> bool:
    """Whether a subject follows, for sure ("isn't it") or by the look of it ("Isn't the film ...")."""
    following = _following(low, end)
    if not following or following[0] not in english.DETERMINERS:
        return bool(following) and following[0] in english.SUBJECTS
    before = _word_before(low, start - len(verb))
    return before in ("why", "how") or (before is None and verb not in ("do", "ca", "wo", "sha"))


def _verb_written_out(text: str, low: str, stem: str, start: int, end: int, short: str) -> Edit | None:
    following = _following(low, end)
    if stem == "let":
        verb = "us" if short == "s" and following else None
    elif stem not in _MAY_EXPAND[short]:
        verb = None
    elif short == "s":
        verb = _what_s_is(following)
    elif short == "d":
        verb = _what_d_is(following)
    else:
        verb = _EXPANDED[short]
    return Edit(start, end, _cased(f" {verb}", text[start:end])) if verb else None


def _what_s_is(following: Sequence[str]) -> str | None:
    word = _deciding(following)
    if word in english.WITH_HAS:
        return "has"
    says_is = word in english.WITH_IS or word.endswith(english.ENDINGS_WITH_IS)
    return "is" if says_is and not english.WITH_HAS.intersection(following) else None


def _what_d_is(following: Sequence[str]) -> str | None:
    word = _deciding(following)
    if following[:1] == ["better"] or _is_participle(word):
        return "had"
    return "would" if word in english.BASES else None


def _shortened(text: str, low: str) -> Iterator[tuple[Span, Edit]]:
    """The phrases that can be contracted: each with its place and the edit."""
    for match in _LONG.finditer(low):
        start, end = match.span()
        stem = _stem(low, start)
        shorten = _not_shortened if match[1] == "not" else _verb_shortened
        if edit := shorten(text, low, stem, start, end):
            yield (start - len(stem), end), edit
    if "cannot" in low:
        for match in _CANNOT.finditer(low):
            if edit := _not_shortened(text, low, "can", *match.span(1)):
                yield match.span(), edit


def _not_shortened(text: str, low: str, stem: str, start: int, end: int) -> Edit | None:
    following = _following(low, end)
    if stem not in _BEFORE_NOT or (following and following[0] in english.NOT_WITH):
        return None
    negation = text[start:end].strip()
    if not _same_case(text[start - len(stem) : start], negation):
        return None
    mark = _apostrophe(text)
    if stem == "will":
        return Edit(start - len("ill"), end, _cased(f"on{mark}t", negation))
    return Edit(start, end, _cased(f"{mark}t" if stem == "can" else f"n{mark}t", negation))


def _verb_shortened(text: str, low: str, stem: str, start: int, end: int) -> Edit | None:
    verb, following = low[start + 1 : end], _following(low, end)
    if stem not in _MAY_CONTRACT[verb] or not following or following[0] in english.NO_SHORT:
        return None
    if following[0] == "not" and verb != "am":  # that one becomes "isn't"
        return None
    if verb in ("has", "have", "had") and not _is_participle(_deciding(following)):
        return None
    if stem not in ("that", "who") and not _begins_clause(low, start - len(stem)):
        return None
    if not _same_case(text[start - len(stem) : start], text[start + 1 : end]):
        return None
    return Edit(start, end, _cased(_apostrophe(text) + _CONTRACTED[verb], text[start:end]))


def _stem(low: str, end: int) -> str:
    """The word that ends there, empty if there is none or it is too long to matter."""
    if (word := low[low.rfind(" ", 0, end) + 1 : end]).isalpha():  # most are found without a pattern
        return word
    match = _STEM.search(low[max(0, end - _LONGEST_STEM - 1) : end])
    return match[1] if match and len(match[1]) <= _LONGEST_STEM else ""


def _begins_clause(low: str, start: int) -> bool:
    before = _word_before(low, start)
    return before is None or before in english.OPENERS


def _word_before(low: str, start: int) -> str | None:
    """The word before, None at the beginning of the text or behind a mark."""
    if (
        low[start - 1 : start] == " "
        and (word := low[low.rfind(" ", 0, start - 1) + 1 : start - 1]).isalpha()
    ):
        return word
    match = _LAST_WORD.search(low[max(0, start - 20) : start])
    return match[1] if match else None


def _following(low: str, end: int) -> list[str]:
    """Up to five words that follow with nothing but single spaces between."""
    match = _FOLLOWING.match(low, end)
    return match[0].split() if match else []


def _deciding(following: Sequence[str]) -> str:
    """The first that is no adverb, or nothing."""
    return next((w for w in following if w not in english.ADVERBS and not _is_ly(w)), "")


def _is_ly(word: str) -> bool:
    return word.endswith("ly") and word not in english.WITH_IS and word not in english.BASES


def _is_participle(word: str) -> bool:
    regular = word.endswith("ed") and not word.endswith("eed") and word not in english.NO_PARTICIPLES
    return regular or word in english.PARTICIPLES


def _apostrophe(text: str) -> str:
    return "’" if "’" in text and "'" not in text else "'"


def _same_case(first: str, second: str) -> bool:
    """Whether two words can become one: "IS not" is meant to be read as it is written."""
    return (first + second).isupper() or (second.islower() and (first[1:].islower() or len(first) == 1))


def _cased(new: str, old: str) -> str:
    """The new words in capitals if the old letters are, with a capital if they begin with one."""
    if old.isupper():
        return new.upper()
    return new[0].upper() + new[1:] if old[0].isupper() else new
