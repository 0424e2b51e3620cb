"""Comparing backends: what each changes, by how much, what it damages, and whether a model sees it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.suites.base import Transformation, each_text
from evaluator.data.suites.compare import BackendComparison, compare, damaged, perturb_with, plain, table
from evaluator.data.suites.edits import Edit, Span

TEXTS = ["a good film", "a bad film", "no"]


def loud(name: str, texts: Sequence[str]) -> list[str | None]:
    return [text.upper() for text in texts]


def careless(name: str, texts: Sequence[str]) -> list[str | None]:
    """Loses the spaces of one text, leaves one as it is, gives up on one."""
    return [texts[0].replace(" ", ""), texts[1], None]


def test_a_row_for_each_transformation_and_backend() -> None:
    """Shares and means are over what they say: all texts, or the variants that differ from theirs."""
    rows = compare(TEXTS, {"loud": loud, "careless": careless}, ["WordCase", "Typos"])
    assert rows == [
        BackendComparison("WordCase", "loud", 3, 1.0, (9 + 8 + 2) / 3, 0.0, None),
        BackendComparison("WordCase", "careless", 3, 1 / 3, 2.0, 1.0, None),
        BackendComparison("Typos", "loud", 3, 1.0, (9 + 8 + 2) / 3, 0.0, None),
        BackendComparison("Typos", "careless", 3, 1 / 3, 2.0, 1.0, None),
    ]


def test_agreement_of_a_model() -> None:
    """Each variant's label is compared with that of its own text, whose position the model gets."""
    asked: list[tuple[int, str]] = []

    def labels(pairs: Sequence[tuple[int, str]]) -> list[str]:
        asked.extend(pairs)
        return ["negative" if "bad" in text or text == "NO" else "positive" for _, text in pairs]

    [row] = compare(TEXTS, {"loud": loud}, ["WordCase"], labels)
    assert row.agreement == 1 / 3  # "A BAD FILM" and "NO" are read otherwise than their texts
    assert asked == [*enumerate(TEXTS), *enumerate(text.upper() for text in TEXTS)]


def test_a_backend_without_variants_has_no_means() -> None:
    """Over no variants there is no mean, and the model is asked for none."""
    rows = compare(
        TEXTS, {"none": lambda name, texts: [None] * len(texts)}, ["Typos"], lambda p: ["x"] * len(p)
    )
    assert rows == [BackendComparison("Typos", "none", 3, 0.0, None, None, None)]
    assert table(rows).splitlines()[1].split() == ["Typos", "none", "0.00", "%", "-", "-", "-"]


def test_nothing_cannot_be_compared() -> None:
    """Without texts there are no shares."""
    with pytest.raises(ValueError, match="texts: there are none"):
        compare([], {"loud": loud}, ["Typos"])


def test_the_report_for_people_and_programs() -> None:
    """The table has a line a row with shares in per cent; the data has every field."""
    [row] = rows = compare(TEXTS, {"careless": careless}, ["Typos"], lambda pairs: ["x"] * len(pairs))
    assert table(rows).splitlines()[1].split() == [
        "Typos",
        "careless",
        "33.33",
        "%",
        "2.00",
        "100.00",
        "%",
        "100.00",
        "%",
    ]
    assert plain(rows) == [
        {
            "transformation": "Typos",
            "backend": "careless",
            "texts": 3,
            "changed": row.changed,
            "distance": 2.0,
            "damaged": 1.0,
            "agreement": 1.0,
        }
    ]


@pytest.mark.parametrize(
    ("name", "text", "variant"),
    [
        ("Typos", "a fine film", "a fnie film"),
        ("Keyboard", "a fine film", "a fi[e film"),
        ("OCR", "AT&T and 5 more", "AT8T and S more"),
        ("Typos", " a fine film ", "a fien film"),
        ("Contraction", "It is fun; they can't.", "It's fun; they cannot."),
        ("Contraction", "I won't say it'd help", "I will not say it would help"),
        ("Contraction", "He's gone and she is not", "He has gone and she isn't"),
        ("Contraction", "it ca n't help , it 's odd", "it cannot help , it is odd"),
        ("Punctuation", "It is fun.", "{ It is fun... }"),
        ("Punctuation", "he yells ` safe ! '", '"he yells ` safe ... \'"'),
        ("Punctuation", 'He said "go."', '(He said "go.");'),
        ("Punctuation", "It is fun!", "It is fun"),
        ("WordCase", "Straße, İzmir, ok", "STRASSE, İZMIR, OK"),
    ],
)
def test_what_a_transformation_is_for_is_no_damage(name: str, text: str, variant: str) -> None:
    """The change that a transformation means to make does not count against it."""
    assert not damaged(name, text, variant)


@pytest.mark.parametrize(
    ("name", "text", "variant"),
    [
        ("Typos", "$5.00!!! a fine film", "$ 5.00! !! a fnie film"),
        ("Keyboard", "in fact , a fine film", "in fact, a gine film"),
        ("SpellingError", "``believe''", '"beleive"'),
        ("OCR", "a well-known film!", "a well known film!"),
        ("Typos", "so fine!", "so fien"),
        ("Contraction", "It isn't good", "It's good"),
        ("Contraction", "Why is it", "why's it"),
        ("Contraction", "It is $5.00!", "It's $ 5.00!"),
        ("Punctuation", 'He said "go."', '{ He said " go... }'),
        ("Punctuation", 'He said "go."', 'He said "go...'),
        ("WordCase", "so fine", "SO  FINE"),
    ],
)
def test_damage_is_seen(name: str, text: str, variant: str) -> None:
    """A change beside the meant one counts, be it a space, a quote or a negation."""
    assert damaged(name, text, variant)


@given(st.sampled_from(["Typos", "Contraction", "Punctuation", "WordCase"]), st.text())
def test_an_equal_text_is_not_damaged(name: str, text: str) -> None:
    """Whatever a text holds, leaving it alone damages nothing."""
    assert not damaged(name, text, text)


def one_letter(text: str, rng: Random, protected: Sequence[Span]) -> list[Edit]:
    place = rng.randrange(len(text))
    return [Edit(place, place + 1, "x")]


def test_our_transformations_as_a_backend() -> None:
    """A text's generator depends on the seed, the transformation and the text; equal variants are none."""
    ours = [Transformation(name, 1, each_text(one_letter)) for name in ("Typos", "OCR")]
    texts = ["a long enough text", "x", "a long enough text"]
    made = perturb_with(ours)("Typos", texts)
    assert made[0] == made[2] != texts[0]
    assert made[1] is None
    assert perturb_with(ours)("Typos", texts[2:]) == made[2:]
    others = [perturb_with(ours, seed)(name, texts[:1]) for seed in range(9) for name in ("Typos", "OCR")]
    assert any(other != made[:1] for other in others)
