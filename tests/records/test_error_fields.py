"""Errors say in fields what a message is made of, so that nobody needs to take a message apart."""

from __future__ import annotations

import pytest

from evaluator.data.tasks import FieldError, get_task
from evaluator.data.tasks.answers import FILE, MODEL, Giver
from evaluator.rank.difficulty_order import DifficultyQuestion, QuestionError


def test_a_question_that_cannot_be_names_its_field() -> None:
    """The field is apart from the sentence about it."""
    with pytest.raises(QuestionError) as caught:
        DifficultyQuestion(metric="wsbias-1", kind="odd")
    assert caught.value.field == "kind"
    assert str(caught.value) == f"kind: {caught.value.problem}"


@pytest.mark.parametrize(
    ("task", "giver", "message"),
    [
        ("sentiment", MODEL, "output.label: the model returned nothing; return one of a, b"),
        ("sentiment", FILE, "label: nothing is given; give one of a, b"),
        ("qa", MODEL, 'output.answer: the model returned nothing; return a string, or {"answer": ...}'),
        ("qa", FILE, "answer: nothing is given; give a string"),
    ],
)
def test_messages_speak_of_who_answers(task: str, giver: Giver, message: str) -> None:
    """A model returns an answer, and a row of a file gives one."""
    labels = ("a", "b") if task == "sentiment" else ()
    output = {"label": None} if labels else {"answer": None}
    with pytest.raises(FieldError) as caught:
        get_task(task).check_output(output, labels, giver)
    assert str(caught.value) == message
