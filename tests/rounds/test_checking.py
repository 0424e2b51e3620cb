"""What is nearly the same is found, all of it; and so is what leads to a person, or was not said by the models."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from collect_world import collection_at, write_lines, write_project, written_try

from evaluator.rounds.checking import NearTexts, check_tries, personal
from evaluator.rounds.events import ModelAnswer
from evaluator.rounds.loop import Loop


@pytest.mark.parametrize(
    ("other", "near"),
    [
        ("it was NOT a bad film at all i thought", True),
        ("It was not a bad film at all, we thought.", True),
        ("It was a good film, and that is all I thought.", False),
    ],
)
def test_case_and_punctuation_make_no_difference_and_words_do(other: str, near: bool) -> None:
    """Two sentences that a reader would call the same are near, two that say something else are not."""
    assert bool(NearTexts(["It was not a bad film at all, I thought."]).near(other)) is near


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("write to ann.lee+film@mail.example.org!", ["an e-mail address"]),
        ("call me on +49 (30) 1234-5678 tonight", ["a telephone number"]),
        ("my number is 0301234567", ["a telephone number"]),
        ("seen on 2026-11-23, from 1999-2004, for 12.50", []),
        ("10 of 10, 100 %, a 2,000,000 budget", []),
        ("a@b and @name", []),
    ],
)
def test_addresses_and_numbers_of_people_are_found(text: str, found: list[str]) -> None:
    """E-mail addresses and telephone numbers; dates, years and prices are none."""
    assert list(personal(text)) == found


@dataclass
class Answers:
    """A loop whose model answers what it is told to."""

    given: dict[str, Any]
    revisions: dict[str, str] = field(default_factory=dict)

    def ask(self, inputs: dict[str, str]) -> tuple[ModelAnswer, ...]:
        usual = {"model": "words", "revision": "sha256:" + "0" * 64, "answer": "positive", "ms": 1.0}
        return (ModelAnswer.model_validate(usual | self.given),)


@pytest.mark.parametrize(
    ("given", "fooled"),
    [
        ({}, ("words",)),
        ({"answer": "negative"}, ()),
        ({"answer": None, "failure": "crash: x"}, ()),
    ],
)
def test_a_check_believes_the_models_only(
    tmp_path: Path, given: dict[str, Any], fooled: tuple[str, ...]
) -> None:
    """Who is fooled is what the model says now, whatever the file says; a model that fails is not."""
    collection = collection_at(write_project(tmp_path))
    lines = written_try(1, "ann", "Cold soup, cold waiter.", "negative")
    write_lines(collection.folder / "tries" / "ann.jsonl", lines)
    [checked] = check_tries(collection, cast("Loop", Answers(given))).tries
    assert (checked.fooled, checked.problems) == (fooled, ())


def test_what_cannot_be_kept_is_named(tmp_path: Path) -> None:
    """A text again, one that a dataset of the board has, and one that leads to a person."""
    collection = collection_at(write_project(tmp_path))
    lines = [
        *written_try(1, "ann", "Cold soup, cold waiter.", "negative"),
        *written_try(2, "ann", "cold soup: cold waiter", "negative"),
        *written_try(3, "ann", "A fine film!", "negative"),
        *written_try(4, "ann", "Ask a@example.org", "negative"),
    ]
    write_lines(collection.folder / "tries" / "ann.jsonl", lines)
    checked = check_tries(collection, cast("Loop", Answers({}))).tries
    assert [one.problems for one in checked] == [
        (),
        (f"is the same, or nearly, as the earlier try {1:032x}",),
        ("is nearly in first, as example 1",),
        ("has an e-mail address",),
    ]
