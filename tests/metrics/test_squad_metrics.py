"""SQuAD's exact match and F1, against cases worked out by hand and a plain second formulation."""

from __future__ import annotations

import random
import re
import string
from collections import Counter

import pytest
import squad_v2
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.metrics import MetricError, Value, report


def score(predictions: list, references: list, metric: str, task: str = "qa") -> Value:
    return report(predictions, references, task, [metric]).scores[metric]


@pytest.mark.parametrize(
    ("prediction", "references", "exact", "f1"),
    [
        ("The  Cat!", ["cat"], 100, 100),
        ("cat", ["the cat", "dog"], 100, 100),
        ("a big cat", ["the cat"], 0, 200 / 3),
        ("big cat", ["cat", "big dog house cat"], 0, 200 / 3),
        ("cat cat", ["cat"], 0, 200 / 3),
        ("U.S.", ["US"], 100, 100),
        ("another", ["other"], 0, 0),
        ("the", ["a"], 100, 0),
        ("", ["cat"], 0, 0),
        (None, ["cat"], 0, 0),
        ("", ["the"], 100, 0),
        ("  ", ["a"], 100, 0),
        (None, ["the"], 0, 0),
        ("", [""], 100, 100),
        ("The.", [""], 100, 100),
        ("cat", [""], 0, 0),
        (None, [""], 0, 0),
        (["dog", "cat"], ["cat"], 100, 100),
    ],
)
def test_cases_by_hand(prediction: object, references: list[str], exact: float, f1: float) -> None:
    """Case, punctuation, articles and spaces do not count; of v1.1, nothing is right where nothing is left, and
    of v2 where there is no answer. A prediction that is not there is wrong."""
    assert score([prediction], [references], "exact-match").value == exact
    assert score([prediction], [references], "f1").value == pytest.approx(f1)


def plain(text: str) -> list[str]:
    """The normalisation, written a second time."""
    kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


some_text = st.lists(
    st.sampled_from(["The", "a", "cat", "an", "dog.", "É", "re-read", "\n", "x"]), max_size=6
).map(" ".join)


@settings(deadline=None)
@given(st.lists(st.tuples(some_text, st.lists(some_text, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_token_measures_are_their_definition(items: list[tuple[str, list[str]]]) -> None:
    """Precision, recall and F1 of the tokens, each the best over the references."""
    predictions, references = map(list, zip(*items, strict=True))
    for place, metric in enumerate(("precision", "recall", "f1")):
        expected = []
        for text, several in items:
            each = []
            for other in several:
                shared = sum((Counter(plain(text)) & Counter(plain(other))).values())
                precision, recall = shared / max(1, len(plain(text))), shared / max(1, len(plain(other)))
                f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
                silent = not other and not plain(text)
                each.append(1.0 if silent else (precision, recall, f1)[place])
            expected.append(100 * max(each))
        found = score(predictions, references, metric)
        assert found.per_item == pytest.approx(expected)
        assert found.value == pytest.approx(sum(expected) / len(expected))


def test_generation_and_the_other_names_mean_the_same() -> None:
    """F1 and token F1, of answers and of generated texts, are one number."""
    given = (["a big cat", "dog"], ["the cat", "dogs"])
    names = [("f1", "qa"), ("token-f1", "qa"), ("f1", "generation"), ("token-f1", "generation")]
    assert {score(*given, metric, task).value for metric, task in names} == {100 / 3}


@pytest.mark.parametrize(("metric", "measure"), [("exact-match", squad_v2.exact), ("f1", squad_v2.f1)])
def test_version_2_is_its_definition_on_500_random_sets(metric: str, measure: object) -> None:
    """Scores of all questions and the best over thresholds, with questions that have no answer among them."""
    chance = random.Random(2018)
    for _ in range(500):
        gold, said, sure = drawn_set(chance)
        names = list(gold)
        answers = [said[name] for name in names]
        references = [[text for text in gold[name] if squad_v2.words(text)] or [""] for name in names]
        numbers = [sure[name] for name in names]
        asked = [metric, f"best-{metric}"]
        found = report(answers, references, "qa", asked, no_answer=numbers).scores
        assert found[metric].value == pytest.approx(squad_v2.mean(squad_v2.each(gold, said, measure), names))
        best = found[f"best-{metric}"]
        assert (best.value, best.parts["threshold"]) == pytest.approx(
            squad_v2.best(gold, said, sure, measure)
        )


def drawn_set(chance: random.Random) -> tuple[dict[str, list[str]], dict[str, str], dict[str, float]]:
    """Questions, answers and how likely each has none; ties, articles alone and empty answers among them."""

    def text() -> str:
        return " ".join(
            chance.choice(["The", "a", "cat", "Cat!", "—", "naïve", "42"])
            for _ in range(chance.randint(0, 3))
        )

    names = [f"q{number}" for number in range(chance.randint(1, 12))]
    gold = {
        name: [] if chance.random() < 0.4 else [text() + " cat", *[text()] * chance.randint(0, 2)]
        for name in names
    }
    sure = {name: chance.choice([0.0, 0.25, 0.5, chance.random(), -chance.random() * 8]) for name in names}
    return gold, {name: text() for name in names}, sure


def test_no_answer_needs_a_number_for_every_item() -> None:
    """Numbers that are missing or are none stop the report."""
    for numbers in ([0.1], [0.1, float("nan")], ["x", 0.1], None):
        with pytest.raises(MetricError, match="no_answer"):
            report(["x", "y"], ["x", ""], "qa", ["best-f1"], no_answer=numbers)
