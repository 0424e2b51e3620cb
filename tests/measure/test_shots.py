"""Examples for prompts: drawn from a training set by seed, balanced, and never of the data that is asked."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.datasets import Dataset
from evaluator.measure.models.prompting import draw, with_examples
from evaluator.records.errors import UserError

LABELS = ("negative", "positive")


def dataset(rows: list[tuple[str, str]], name: str = "train", labels: tuple[str, ...] = LABELS) -> Dataset:
    examples = tuple({"id": str(number), "statement": text} for number, (text, _) in enumerate(rows))
    return Dataset(name, "sentiment", labels, examples, tuple(gold for _, gold in rows), "sha256:" + "0" * 64)


def questions(rows: list[tuple[str, str, tuple[str, ...]]]) -> Dataset:
    examples = tuple({"id": str(n), "context": one, "question": two} for n, (one, two, _) in enumerate(rows))
    return Dataset("asked", "qa", (), examples, tuple(gold for *_, gold in rows), "sha256:" + "0" * 64)


ROWS = st.lists(
    st.tuples(st.text(max_size=6), st.sampled_from(LABELS)),
    min_size=1,
    max_size=30,
    unique_by=lambda row: row[0],
)


@given(rows=ROWS, test=ROWS, seed=st.integers(0, 9), share=st.floats(0, 1), data=st.data())
def test_drawing_keeps_its_rules(
    rows: list[tuple[str, str]], test: list[tuple[str, str]], seed: int, share: float, data: st.DataObject
) -> None:
    """Whatever the order of the file, the same examples are drawn: of the training set, as often each label as
    there are enough, and none that the test has in any spacing."""
    taken = {" ".join(text.casefold().split()) for text, _ in test}
    free = [row for row in rows if " ".join(row[0].casefold().split()) not in taken]
    count, spaced = round(share * len(free)), dataset([(f" {text}\n", gold) for text, gold in test])
    drawn = draw(dataset(rows), count, seed, spaced)
    shown = [(example["statement"], example["label"]) for example in drawn]
    assert len(shown) == count == len(set(shown))
    assert set(shown) <= set(rows)
    shuffled = data.draw(st.permutations(rows))
    assert draw(dataset(shuffled), count, seed, spaced) == drawn
    counts, there = Counter(gold for _, gold in shown), Counter(gold for _, gold in free)
    low, high = sorted(LABELS, key=lambda label: counts[label])
    assert counts[high] - counts[low] <= 1 or counts[low] == there[low]


def test_seeds_draw_different_examples_in_different_orders() -> None:
    """Twenty seeds draw more than one set of two examples, and not always the same label first."""
    train = dataset([(f"text {number}", LABELS[number % 2]) for number in range(20)])
    draws = [draw(train, 2, seed) for seed in range(20)]
    assert len({tuple(sorted(example["statement"] for example in one)) for one in draws}) > 10
    assert {one[0]["label"] for one in draws} == set(LABELS)


def test_questions_show_their_first_answer() -> None:
    """A question is drawn with its first answer; one without any only if there are words for that."""
    train = questions([("a", "b", ("c", "d")), ("e", "f", ("",))])
    assert draw(train, 1, 0) == [{"context": "a", "question": "b", "answer": "c"}]
    assert len(draw(train, 2, 0, silence=True)) == 2
    with pytest.raises(UserError, match="2 is more than the 1 examples"):
        draw(train, 2, 0)


WRITTEN = [{"statement": "GOOD", "label": "positive"}]


@pytest.mark.parametrize(
    ("options", "train", "message"),
    [
        ({"shots": 1}, None, "train: missing; name the training set that the 1 options.shots are drawn from"),
        ({}, [("a", "positive")], "train: train is given, but options.shots says to draw none"),
        ({"shots": -1}, None, "options.shots: -1 is not a whole number from 0 to 1000"),
        ({"shots": 1, "examples": WRITTEN}, [("a", "positive")], "options.examples: options.shots is 1 too"),
        (
            {"examples": WRITTEN},
            None,
            "options.examples[0]: it is an example of test, on which the model is tested",
        ),
    ],
)
def test_wrong_examples_are_refused_by_name(
    options: dict[str, Any], train: list[tuple[str, str]] | None, message: str
) -> None:
    """Each message names the field and the fix."""
    with pytest.raises(UserError) as caught:
        with_examples(options, 0, dataset(train) if train else None, dataset([("good", "positive")], "test"))
    assert message in str(caught.value)


def test_training_labels_must_be_those_of_the_test() -> None:
    """Examples with labels that the model may not answer with are refused."""
    train = dataset([("x", "neutral")], labels=("negative", "neutral", "positive"))
    with pytest.raises(
        UserError, match="train: train has the labels negative, neutral, positive, not negative, pos"
    ):
        draw(train, 1, 0, dataset([("y", "positive")], "test"))
