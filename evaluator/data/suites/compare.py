"""Two backends on the same texts: how much each changes, what it damages, and how a model answers."""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import filterfalse
from typing import Any

from evaluator.data.suites.base import Transformation
from evaluator.data.suites.edits import apply
from evaluator.textflint.client import levenshtein

#: The variant of each text under the transformation of that name, None where there is none.
Perturb = Callable[[str, Sequence[str]], list[str | None]]
#: A model's labels of texts, each with the place of its original among those compared.
Labels = Callable[[Sequence[tuple[int, str]]], Sequence[str]]


@dataclass(frozen=True)
class BackendComparison:
    """One transformation of one backend over all texts; None stands for a mean over nothing.

    `changed` is the share of texts that got a variant; `distance` the mean Levenshtein distance in
    characters of a variant to its text; `damaged` the share of variants in which something else changed
    than the transformation is for (see `damaged`); `agreement` the share of variants that the model
    labels as it does their text.
    """

    transformation: str
    backend: str
    texts: int
    changed: float
    distance: float | None
    damaged: float | None
    agreement: float | None


def compare(
    texts: Sequence[str],
    backends: Mapping[str, Perturb],
    names: Sequence[str],
    labels: Labels | None = None,
) -> list[BackendComparison]:
    """A row for each transformation and backend, in their order; without `labels` no agreement.

    Raises `evaluator.data.suites.errors.SuiteError` without rapidfuzz and ValueError without texts.
    """
    if not texts:
        raise ValueError("texts: there are none to compare backends on")
    before = labels(list(enumerate(texts))) if labels is not None else None
    rows = []
    for name in names:
        for backend, perturb in backends.items():
            variants = {
                place: variant
                for place, (text, variant) in enumerate(zip(texts, perturb(name, texts), strict=True))
                if variant not in (None, text)
            }
            pairs = [(texts[place], str(variant)) for place, variant in variants.items()]
            rows.append(
                BackendComparison(
                    name,
                    backend,
                    len(texts),
                    len(pairs) / len(texts),
                    _mean(levenshtein().distance(text, variant) for text, variant in pairs),
                    _mean(damaged(name, text, variant) for text, variant in pairs),
                    _agreement(variants, before, labels),
                )
            )
    return rows


def perturb_with(transformations: Iterable[Transformation], seed: int = 0) -> Perturb:
    """Our own transformations as a backend: each text by itself, its generator seeded by the text."""
    known = {transformation.name: transformation for transformation in transformations}

    def perturb(name: str, texts: Sequence[str]) -> list[str | None]:
        return [_variant(known[name], text, seed) for text in texts]

    return perturb


def _variant(transformation: Transformation, text: str, seed: int) -> str | None:
    content = f"{seed}\0{transformation.name}\0{text}".encode("utf-8", "surrogatepass")
    rng = random.Random(hashlib.blake2b(content, digest_size=8).digest())
    after = apply(text, transformation.edit({"text": text}, rng, {})["text"])
    return after if after != text else None


def _agreement(
    variants: Mapping[int, str | None], before: Sequence[str] | None, labels: Labels | None
) -> float | None:
    if labels is None or before is None or not variants:
        return None
    after = labels([(place, str(variant)) for place, variant in variants.items()])
    return _mean(before[place] == label for place, label in zip(variants, after, strict=True))


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


def table(rows: Sequence[BackendComparison]) -> str:
    """The rows for people, shares in per cent."""
    lines = [f"{'':<14} {'':<16} {'changed':>8} {'distance':>9} {'damaged':>8} {'agreement':>10}"]
    for row in rows:
        lines.append(
            f"{row.transformation:<14} {row.backend:<16} {_percent(row.changed):>8}"
            f" {'-' if row.distance is None else format(row.distance, '.2f'):>9}"
            f" {_percent(row.damaged):>8} {_percent(row.agreement):>10}"
        )
    return "\n".join(lines)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f} %"


def plain(rows: Sequence[BackendComparison]) -> list[dict[str, Any]]:
    """The rows as JSON data."""
    return [asdict(row) for row in rows]
