"""What responses come to: votes, majorities, what is validated, and who agrees with whom."""

from __future__ import annotations

from pathlib import Path

import pytest
from collect_world import collection_at, keep_checked, response, write_lines, write_project, written_try

from evaluator.records.errors import UserError
from evaluator.rounds.collection import Collection
from evaluator.rounds.merging import Merged, merge


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    """Five tries of ann and bob; the model, which says positive, is wrong on those that are negative."""
    collection = collection_at(write_project(tmp_path))
    answers = ["negative", "negative", "positive", "negative", "negative"]
    for writer in ("ann", "bob"):
        rows = [
            line
            for number, answer in enumerate(answers)
            if (number < 3) == (writer == "ann")
            for line in written_try(number, writer, f"Text number {number} of {writer}.", answer)
        ]
        write_lines(collection.folder / "tries" / f"{writer}.jsonl", rows)
    return collection


def respond(collection: Collection, **given: list[str | None]) -> Merged:
    """Merge what validators say of the tries in their order; "" is no response, None a flag."""
    for validator, answers in given.items():
        rows = [
            response(number, validator, answer, "why")
            for number, answer in enumerate(answers)
            if answer != ""
        ]
        write_lines(collection.folder / "responses" / f"{validator}.jsonl", rows)
    keep_checked(collection)
    return merge(collection)


def test_majorities_decide_and_nobody_validates_themselves(collection: Collection) -> None:
    """Enough responses of others, more than half of them the writer's answer, no flag: validated."""
    merged = respond(
        collection,
        ann=["negative", "", "", "negative", "negative"],
        cem=["negative", "negative", "negative", "negative", "negative"],
        dua=["negative", "positive", "negative", None, "negative"],
    )
    assert [one.votes for one in merged.tries] == [
        ("negative", "negative"),
        ("negative", "positive"),
        ("negative", "negative"),
        ("negative", "negative"),
        ("negative", "negative", "negative"),
    ]
    assert [one.majority for one in merged.tries] == ["negative", None, "negative", "negative", "negative"]
    assert [one.validated for one in merged.tries] == [True, False, False, False, True]
    assert merged.tries[3].flags == ("why",)


def test_rates_count_all_tries(collection: Collection) -> None:
    """Four of five fool the model; of all five, those that are validated too count for vMER."""
    merged = respond(
        collection, cem=["negative"] * 5, dua=["negative", "positive", "positive", "negative", ""]
    )
    assert merged.error_rate["words"].count == merged.error_rate["any"].count == 4
    assert (merged.validated_error_rate["words"].count, merged.validated_error_rate["words"].of) == (2, 5)


def test_gold_questions_show_how_far_a_validator_can_be_relied_on(collection: Collection) -> None:
    """Who answers one is compared with what is known; who does not has no number."""
    path = collection.folder / "responses" / "eli.jsonl"
    write_lines(path, [response("gold-1", "eli", "positive"), response(0, "eli", "positive")])
    merged = respond(collection, cem=["negative", None, "", "", ""])
    cem, eli = merged.validators
    assert (cem.responses, cem.flags, cem.gold) == (2, 1, None)
    assert eli.gold is not None
    assert (eli.gold.count, eli.gold.of) == (0, 1)


def test_the_last_of_several_responses_counts(collection: Collection) -> None:
    """Who changes an answer has one vote."""
    path = collection.folder / "responses" / "cem.jsonl"
    write_lines(path, [response(0, "cem", "positive"), response(0, "cem", "negative")])
    keep_checked(collection)
    assert merge(collection).tries[0].votes == ("negative",)


def test_nothing_is_merged_that_was_not_checked(collection: Collection) -> None:
    """Tries that were added since are an error that names the command to run."""
    with pytest.raises(UserError, match="run: steelyard collect check notes"):
        merge(collection)
    keep_checked(collection)
    write_lines(collection.folder / "tries" / "eve.jsonl", written_try(9, "eve", "One more.", "negative"))
    with pytest.raises(UserError, match="does not say what was checked of these tries"):
        merge(collection)


@pytest.mark.parametrize(
    ("folder", "rows", "words"),
    [
        ("tries", written_try(0, "bob", "One.", "negative"), "eve.jsonl:1: writer: 'bob' is not the file's name"),
        ("tries", written_try(8, "eve", "Two.", "good"), "eve.jsonl:2: answer: 'good' is no label; use one of"),
        ("tries", written_try(0, "eve", "One.", "negative"), f"id: {0:032x} is that of two tries"),
        ("responses", [response(77, "eve", "good")], "eve.jsonl:1: answer: 'good' is no label"),
        ("responses", [response(77, "eve", "negative")], f"eve.jsonl: id: {77:032x} is no try; delete"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_is_named(
    collection: Collection, folder: str, rows: list[dict[str, object]], words: str
) -> None:
    """A try of another's file, an answer that is no label, a try that is two, and one that is not there."""
    if folder == "responses":
        keep_checked(collection)
    write_lines(collection.folder / folder / "eve.jsonl", rows)
    with pytest.raises(UserError, match=words):
        merge(collection)
