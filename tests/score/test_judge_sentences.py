"""What a judge was worth and whom it favours, in words."""

from __future__ import annotations

import pytest

from evaluator.records.board import MetricSpec
from evaluator.records.result import Judged
from evaluator.score.judge_sentences import JudgedMetric, judge_lines

QUALITY = MetricSpec(name="quality", label="Quality", unit="%")


def judged(excess: float, error: float = 2.0, labels: int = 310, worth: float | None = 820.0) -> Judged:
    return Judged(labels=labels, weight=0.6, judge=70.0, excess=excess, excess_error=error, worth=worth)


def of(metric: MetricSpec = QUALITY, **models: Judged) -> JudgedMetric:
    return JudgedMetric("chats", metric, models, {name: name.upper() for name in models})


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        ({"a": judged(0)}, "With the judge, 310 labels of people are worth 820."),
        (
            {"a": judged(0), "b": judged(0, worth=700), "c": judged(0, worth=900)},
            "With the judge, 310 labels of people for each model are worth 820.",
        ),
        (
            {"a": judged(0, labels=20), "b": judged(0, labels=40)},
            "With the judge, 20 to 40 labels of people for each model are worth 820.",
        ),
        ({"a": judged(0, worth=290)}, "With the judge, 310 labels of people are worth no more."),
        ({"a": judged(0, worth=None)}, "A judge's verdicts are corrected by 310 labels of people."),
    ],
)
def test_what_the_judge_was_worth(models: dict[str, Judged], sentence: str) -> None:
    """The median over models; no more than the labels where it is less, nothing where it is not known."""
    assert of(**models).worth() == sentence


def test_a_favoured_model_is_named_and_the_median_one_is_beside_it() -> None:
    """With the interval of its own excess; those that differ no more than chance allows are not named."""
    found = of(a=judged(14.5), b=judged(1.0), c=judged(-0.5))
    assert list(found.favours()) == [
        "The judge favours A, to which it gives 14.5 points more than people do (10.6 to 18.4),"
        " and the median model 1.0 points more."
    ]
    assert [found.excess(model).clear for model in "abc"] == [1, 0, 0]


def test_a_judge_that_is_as_kind_to_all_favours_nobody() -> None:
    """Twenty points more for every model change no rank."""
    assert list(of(a=judged(20.0), b=judged(19.0), c=judged(21.0)).favours()) == []


def test_less_is_better_of_a_cost() -> None:
    """A judge that finds fewer faults in a model than people do favours it."""
    faults = MetricSpec(
        name="faults", label="Faults", unit="faults", direction="lower", cap="max", decimals=1
    )
    assert list(of(faults, a=judged(-9.0), b=judged(0.0)).favours()) == [
        "The judge favours A, to which it gives 9.0 faults less than people do (5.1 to 12.9),"
        " and the other 0.0 faults more."
    ]


def test_beyond_chance_is_corrected_for_the_number_of_models() -> None:
    """A gap that two models would show is none among thirty."""
    several = {f"m{at}": judged(0.0) for at in range(29)}
    assert of(a=judged(6.5), b=judged(0.0)).excess("a").clear == 1
    assert of(a=judged(6.5), **several).excess("a").clear == 0


def test_few_labels_say_little_of_a_preference() -> None:
    """With three labels Student's t is wide: nobody is said to be favoured."""
    assert of(a=judged(14.5, labels=3), b=judged(0.0, labels=3)).excess("a").clear == 0


def test_one_model_in_sentences() -> None:
    """How many labels, what they are worth, what the judge alone says, and by how much that is over people."""
    assert of(a=judged(14.5), b=judged(0.0)).of_model("a") == (
        "Quality: a judge's verdicts, corrected by 310 labels of people, together worth 820 labels."
        " The judge alone says 70.00 %. On the labelled answers it gives 14.5 points more than people do"
        " (10.6 to 18.4), and the other 0.0 points more; it favours this model."
    )


def test_a_board_names_the_dataset_where_it_has_several() -> None:
    """A line for each metric and dataset that a judge gives."""
    found = [of(a=judged(0), b=judged(0))]
    [line] = judge_lines(found, {"chats": "Chats"})
    assert line == "Quality: with the judge, 310 labels of people for each model are worth 820."
    [line] = judge_lines(found, {"chats": "Chats", "mails": "Mails"})
    assert line.startswith("Quality on Chats: with the judge")


def test_a_judge_is_hard_on_a_model_that_it_gives_less_than_the_median_one() -> None:
    """Although it gives that more than people do, too."""
    found = list(of(a=judged(2.0), b=judged(15.0), c=judged(16.0), d=judged(14.0)).favours())
    assert found == [
        "The judge is hard on A, to which it gives 2.0 points more than people do (−1.9 to 5.9),"
        " and the median model 14.5 points more."
    ]
