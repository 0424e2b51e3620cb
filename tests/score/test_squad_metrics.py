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

from evaluator.records.errors import UserError
from evaluator.score.metrics import Value, report
from evaluator.score.metrics.squad_pair import token_f1


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
                silent = not other.strip() and not plain(text)
                each.append(1.0 if silent else (precision, recall, f1)[place])
            expected.append(100 * max(each))
        found = score(predictions, references, metric)
        assert found.per_item == pytest.approx(expected)
        assert found.value == pytest.approx(sum(expected) / len(expected))


@settings(deadline=None)
@given(some_text, some_text)
def test_one_pair_has_the_same_f1_in_a_page(answer: str, right: str) -> None:
    """The function that a page runs says what the metric says, to the last bit."""
    assert token_f1(answer, right) == score([answer], [[right]], "f1").value / 100


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
        references = [squad_v2.references(gold[name]) for name in names]
        numbers = [sure[name] for name in names]
        kinds = {"has-ans": [n for n in names if gold[n]], "no-ans": [n for n in names if not gold[n]]}
        apart = {f"{kind}-{metric}": of for kind, of in kinds.items() if all(kinds.values())}
        asked = [metric, f"best-{metric}", *apart]
        found = report(answers, references, "qa", asked, no_answer=numbers).scores
        each = squad_v2.each(gold, said, measure)
        for name, of in {metric: names, **apart}.items():
            assert found[name].value == pytest.approx(squad_v2.mean(each, of))
        best = found[f"best-{metric}"]
        assert (best.value, best.parts["threshold"]) == pytest.approx(
            squad_v2.best(gold, said, sure, measure)
        )


def test_an_answer_that_is_missing_is_wrong_under_any_threshold() -> None:
    """Whoever leaves out a question without an answer does not gain by it."""
    for missing in (None, [None], []):
        found = report([missing, "cat"], ["", "cat"], "qa", ["best-f1"], no_answer=[0.9, 0.1]).scores
        assert (found["best-f1"].value, found["best-f1"].parts["threshold"]) == (50.0, 0.1)


def test_a_reference_of_white_space_is_an_answer_of_which_nothing_counts() -> None:
    """An empty answer is right there, but as an answer: below the threshold, not above it."""
    found = report(["", "cat"], [" ", "dog"], "qa", ["f1", "best-f1"], no_answer=[0.5, 0.9]).scores
    assert found["f1"].value == 50.0
    assert (found["best-f1"].value, found["best-f1"].parts["threshold"]) == (50.0, 0.5)


def test_questions_with_and_without_an_answer_are_scored_apart() -> None:
    """Over their own kind alone; the mean weighted by how many there are of each is the whole."""
    answers, references = ["a cat", "dogs", "", "mat", None], ["cat", "big dogs", "", "", ""]
    names = ["f1", "has-ans-f1", "has-ans-exact-match", "no-ans-f1", "no-ans-exact-match"]
    found = {name: value.value for name, value in report(answers, references, "qa", names).scores.items()}
    assert found["has-ans-f1"] == pytest.approx(100 * (1 + 2 / 3) / 2)
    assert found["has-ans-exact-match"] == 50.0
    assert found["no-ans-f1"] == found["no-ans-exact-match"] == pytest.approx(100 / 3)
    assert found["f1"] == pytest.approx((2 * found["has-ans-f1"] + 3 * found["no-ans-f1"]) / 5)


def test_a_kind_of_question_that_is_not_there_cannot_be_scored() -> None:
    """Where all questions have an answer, or none has one, the message says so."""
    with pytest.raises(UserError, match="no-ans-f1: needs unanswerable"):
        report(["cat"], ["cat"], "qa", ["no-ans-f1"])
    with pytest.raises(UserError, match="no question has an answer"):
        report([""], [""], "qa", ["has-ans-f1"])


def drawn_set(chance: random.Random) -> tuple[dict[str, list[str]], dict[str, str], dict[str, float]]:
    """Questions, answers and how likely each has none; ties, articles alone and empty answers among them."""

    def text() -> str:
        return " ".join(
            chance.choice(["The", "a", "cat", "Cat!", "—", "naïve", "42", "\u00a0", "...", "e\u0301"])
            for _ in range(chance.randint(0, 3))
        )

    names = [f"q{number}" for number in range(chance.randint(1, 12))]
    gold = {
        name: [] if chance.random() < 0.4 else [text() or "the" for _ in range(chance.randint(1, 3))]
        for name in names
    }
    sure = {name: chance.choice([0.0, 0.25, 0.5, chance.random(), -chance.random() * 8]) for name in names}
    return gold, {name: text() for name in names}, sure


def test_no_answer_needs_a_number_for_every_item() -> None:
    """Numbers that are missing or are none stop the report."""
    for numbers in ([0.1], [0.1, float("nan")], ["x", 0.1], None):
        with pytest.raises(UserError, match="no_answer"):
            report(["x", "y"], ["x", ""], "qa", ["best-f1"], no_answer=numbers)
