"""What the tests of fairness suites share: a text perturbed, and texts to perturb."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from evaluator.data.suites.base import Edits, Transformation, UndecidedError
from evaluator.data.suites.edits import Span, apply
from evaluator.data.suites.fairness import fairness, neutral, placebo

GAZETTEER = {"recogniser": "gazetteer"}
ALL: dict[str, Transformation] = {
    one.name: one for one in (*fairness(GAZETTEER), *placebo(GAZETTEER), *neutral(GAZETTEER))
}


def edits_of(
    name: str, texts: Mapping[str, str], seed: int = 0, protected: Mapping[str, Sequence[Span]] | None = None
) -> Edits:
    """The edits of the transformation called `name`; none where a text does not show what a word is."""
    try:
        return ALL[name].edit(texts, random.Random(seed), protected or {})
    except UndecidedError:
        return {}


def perturb(
    name: str, texts: Mapping[str, str], seed: int = 0, protected: Mapping[str, Sequence[Span]] | None = None
) -> dict[str, str] | None:
    """The texts after the transformation called `name`; None where it does not apply."""
    edits = edits_of(name, texts, seed, protected)
    if not any(edits.values()):
        return None
    return {key: apply(text, edits.get(key, ())) for key, text in texts.items()}


def changed(name: str, text: str, seed: int = 0) -> str | None:
    """One text after the transformation."""
    after = perturb(name, {"statement": text}, seed)
    return None if after is None else after["statement"]


_WORDS = """
the a an of Mark's Mr. Mrs Ms. Miss he He she SHE her his hers him himself man women King queen actress waiter
ex-wife mother-in-law Red Robin Martin Luther King Victoria's Secret Keisha Priya Maria Megan Adam Michael ADAM
adam Will Grace Hope Mary-Kate @adam D'Andre was is plays and, . ! “ ” \n İstanbul Straße e\u0301 Adam\u0301 映画
"""
TEXTS = st.one_of(
    st.text(max_size=40),
    st.lists(st.sampled_from(_WORDS.split()) | st.text(max_size=4), max_size=20).map(" ".join),
    st.lists(st.sampled_from([*_WORDS.split(), " ", "\t"]), max_size=20).map("".join),
)
