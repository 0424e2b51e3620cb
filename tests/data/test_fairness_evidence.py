"""A word is a first name only where something shows that it is one: sentences annotated by hand, and the cases by which
the rule came about."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from fairness_texts import ALL, changed

from evaluator.data.suites.base import Transformation, UndecidedError
from evaluator.data.suites.make import Definition, make

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import fairness as benchmark

STAY = [
    "strong sense of deja vu",
    "steven spielberg brings us another masterpiece",
    "judd 's characters ought to pick up the durable best seller smart women",
    "will you laugh ? you may",
    "a harry potter film without the magic",
    "Steven Spielberg made it.",
    "We live in Scott Street.",
    "She is a fan of Deja Vu.",
    "Wendy's has a new chicken sandwich.",
    "We had lunch at Wendy's.",
    "The flight from Charles de Gaulle was late.",
]


@pytest.mark.parametrize("name", ["gender", "ethnicity-black", "same-group-names"])
@pytest.mark.parametrize("text", STAY)
def test_what_nothing_shows_to_be_a_name_stays(name: str, text: str) -> None:
    """Names of well-known people, titles, places, and words without capitals that are names elsewhere."""
    after = changed(name, text)
    if name == "gender" and after is not None:
        kept = ("Steven", "Scott", "Deja Vu", "steven", "harry", "judd", "vu")
        assert all((word in after) == (word in text) for word in kept)
        assert after.lower().replace("he ", "she ") == text.lower() or "women" in text
        return
    assert after is None


@pytest.mark.parametrize("text", ["and then priya said no", "PRIYA SAYS NO", "if priya wants it , fine"])
def test_doing_what_only_people_do_shows_a_name(text: str) -> None:
    """At the start of a clause, in a text whose capitals say nothing."""
    after = changed("same-group-names", text)
    assert after is not None
    assert "priya" not in after.lower()


def test_a_text_that_shows_nothing_is_left_out_and_counted() -> None:
    """Not as one to which the transformation does not apply: the name may be one."""
    examples = [
        {"id": str(at), "statement": text}
        for at, text in enumerate(
            ["a film with priya in it", "a film with a dog in it", "We met Priya there."]
        )
    ]
    definition = Definition("f", "fairness", (ALL["same-group-names"],))
    suite = make(definition, "d", "sha256:" + "0" * 64, ["statement"], examples, [{}, {}, {}])
    counts = suite.counts["same-group-names"]
    assert (counts.made, counts.unchanged, counts.not_applicable, counts.undecided) == (1, 0, 1, 1)


def test_the_annotated_sentences_are_many_and_of_both_kinds() -> None:
    """At least 400, cased and not, with marks that are whole words of their text."""
    sentences = benchmark.sentences()
    assert len(sentences) >= 400
    assert sum(not one.cased for one in sentences) >= 100
    assert sum(len(one.marks) for one in sentences) >= 250
    for one in sentences:
        assert all(one.text[start:end].isalpha() for start, end in one.marks), one.text


@pytest.mark.parametrize("named", benchmark.transformations(), ids=lambda pair: pair[0].name)
def test_almost_every_change_is_of_what_it_is_meant_to_change(named: tuple[Transformation, object]) -> None:
    """Precision of at least 0.97 for each transformation: on all sentences, on those in one case, and on those that
    no rule was fitted to."""
    transformation, about = named
    everything = benchmark.sentences()
    further = [benchmark.sentences(name) for name in ("fairness_more.txt", "fairness_unseen.txt")]
    for texts in (everything, [one for one in everything if not one.cased], *further):
        found = benchmark.count(transformation, about, texts)  # type: ignore[arg-type]
        assert found.precision >= 0.97, found.mistakes
    assert benchmark.count(transformation, about, everything).recall >= 0.6  # type: ignore[arg-type]


def test_an_undecided_text_says_so() -> None:
    """The transformation raises; whoever makes suites counts."""
    with pytest.raises(UndecidedError):
        ALL["gender"].edit({"statement": "a film with priya in it"}, random.Random(0), {})
