"""The answer in what a model wrote."""

from __future__ import annotations

import pytest

from evaluator.measure.models.written import AnswerFinder, label_in, without_thoughts

WORDS = {"pos": "positive", "neg": "negative", "hate": "hateful", "none": "not hateful"}


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("positive", "pos"),
        (" **Positive**.\n", "pos"),
        ('"NEGATIVE"', "neg"),
        ("The sentiment is negative, I think.", "neg"),
        ("It is positive. Positive!", "pos"),
        ("This is not hateful at all", "none"),
        ("hateful", "hate"),
        ("It is hateful, not not hateful", None),
        ("positive or negative", None),
        ("unpositive", None),
        ("neutral", None),
        ("", None),
    ],
)
def test_a_label_is_named_alone_or_in_a_sentence_that_names_no_other(answer: str, label: str | None) -> None:
    assert label_in(answer, WORDS) == label


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("<think>positive? no</think>\nnegative", "negative"),
        ("thoughts without a beginning</think> negative", "negative"),
        ("<think>it never ends, positive", ""),
        ("negative", "negative"),
        ("5 < 7, so positive", "5 < 7, so positive"),
    ],
)
def test_what_a_model_thinks_is_no_part_of_its_answer(written: str, left: str) -> None:
    assert without_thoughts(written) == left


def test_an_answer_ends_at_a_stop_and_is_what_the_pattern_finds() -> None:
    finder = AnswerFinder.of({"stop": ["\n\n"], "pattern": r"Answer: (\w+)", "unanswerable": "unknown"})
    assert finder.answer("Well.\nAnswer: Paris\n\nAnswer: Rome") == "Paris"
    assert finder.answer("Answer: UNKNOWN") == ""
    assert finder.answer(" Paris ") == "Paris"
