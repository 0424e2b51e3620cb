"""Our transformations and TextFlint's on the same texts: how much each changes, and what it damages."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import filterfalse

from evaluator.data.suites.base import Transformation, apply, seed_of
from evaluator.data.suites.robustness import robustness
from evaluator.textflint.backend import TextFlint, levenshtein


@dataclass(frozen=True)
class BackendComparison:
    """One transformation of one backend over all texts; None stands for a mean over nothing.

    `changed` is the share of texts that got a variant; `distance` the mean Levenshtein distance in
    characters of a variant to its text; `damaged` the share of variants in which something else changed
    than the transformation is for (see `damaged`).
    """

    transformation: str
    backend: str
    texts: int
    changed: float
    distance: float | None
    damaged: float | None


def compare(texts: Sequence[str], backend: TextFlint) -> list[BackendComparison]:
    """A row for each transformation, ours and TextFlint's, each text by itself.

    Raises `UserError` without rapidfuzz, and ValueError without texts.
    """
    if not texts:
        raise ValueError("texts: there are none to compare backends on")
    rows = []
    for ours in robustness():
        ourselves = [_variant(ours, text) for text in texts]
        for name, variants in (("steelyard", ourselves), (backend.name, backend.perturb(ours.name, texts))):
            after = zip(texts, variants, strict=True)
            pairs = [(text, new) for text, new in after if new is not None and new != text]
            distance = _mean(levenshtein().distance(text, new) for text, new in pairs)
            share = _mean(damaged(ours.name, text, new) for text, new in pairs)
            changed = len(pairs) / len(texts)
            rows.append(BackendComparison(ours.name, name, len(texts), changed, distance, share))
    return rows


def _variant(transformation: Transformation, text: str) -> str | None:
    """The text after one of our own, whose generator is seeded by the text."""
    rng = random.Random(seed_of(0, transformation.name, text).to_bytes(8, "big"))
    return apply(text, transformation.edit({"text": text}, rng, {})["text"])


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None


def damaged(name: str, text: str, variant: str) -> bool:
    """Whether a variant changes something that its transformation is not for.

    WordCase may change case alone, Contraction the form of contractions alone (and no word), and
    Punctuation a pair of marks around the text and the marks that end sentences at its ends. Any other
    may change words, but neither white space nor a mark of punctuation into another or into nothing.
    White space at either end of the text is not looked at.
    """
    text, variant = text.strip(), variant.strip()
    if name == "WordCase":
        return text.casefold() != variant.casefold() and text.upper() != variant.upper()
    if name == "Contraction":
        return _spelt_out(text) != _spelt_out(variant)
    if name == "Punctuation":
        return _bare(text) not in (_bare(variant), _bare(_unwrapped(_bare(variant))))
    if _SPACE.findall(text) != _SPACE.findall(variant):
        return True
    words = zip(_SPACE.split(text), _SPACE.split(variant), strict=True)
    return any(_marks_lost(old, new) for old, new in words if old != new)


_SPACE = re.compile(r"\s+")
_ENDS = " \t\r\n.,;:!?…"
_AFTER = re.compile(r"\W+\Z")
_AROUND = {'"': '"', "'": "'", "`": "`", "(": ")", "[": "]", "{": "}", "【": "】", "“": "”", "‘": "’"}


def _marks_lost(old: str, new: str) -> bool:
    """Whether a word lost marks of punctuation that no letter or digit came for."""
    lost = Counter(filterfalse(str.isalnum, old)) - Counter(filterfalse(str.isalnum, new))
    return lost.total() > max(0, sum(map(str.isalnum, new)) - sum(map(str.isalnum, old)))


def _bare(text: str) -> str:
    """The text without the marks that end a sentence, also where quotes or brackets close after them."""
    words = _AFTER.sub("", text)
    return words.lstrip(_ENDS) + "".join(mark for mark in text[len(words) :] if mark not in _ENDS)


def _unwrapped(text: str) -> str:
    """The text without a pair of marks around it, if there is one."""
    return text[1:-1] if len(text) > 1 and _AROUND.get(text[0]) == text[-1] else text


_NOT = re.compile(r"\b(\w+?) ?n['’]t\b", re.IGNORECASE)
_SHORT = {"ca": "can", "wo": "will", "sha": "shall"}
_VERBS = (
    (re.compile(r"\b(can)not\b", re.IGNORECASE), r"\1 not"),
    (re.compile(r"['’](re)\b|\bare\b", re.IGNORECASE), "are"),
    (re.compile(r"['’](ve)\b|\bhave\b", re.IGNORECASE), "have"),
    (re.compile(r"['’](ll)\b|\b(will|shall)\b", re.IGNORECASE), "will"),
    (re.compile(r"['’](m)\b|\bam\b", re.IGNORECASE), "am"),
    (re.compile(r"['’](s)\b|\b(is|has|us)\b", re.IGNORECASE), "'s"),
    (re.compile(r"['’](d)\b|\b(would|had|did)\b", re.IGNORECASE), "'d"),
)


def _spelt_out(text: str) -> str:
    """The text with contractions and what they stand for written alike; 's and 'd stand for several."""
    text = _NOT.sub(lambda match: f"{_SHORT.get(match[1].lower(), match[1])} not", text)
    for pattern, replacement in _VERBS:
        text = pattern.sub(replacement, text)
    return re.sub(r"(?<=\w) (?=are\b|have\b|will\b|am\b|'[sd]\b)", "", text)
