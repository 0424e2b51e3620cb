"""A ranking by difficulty in sentences: which samples count, what is more than noise, what to know besides.

One of the modules behind `evaluator.rank.difficulty`; standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from evaluator.rank.difficulty_order import CONFIDENCE, DifficultyQuestion
from evaluator.rank.difficulty_rows import DifficultyRow
from evaluator.rank.formats import count, counted, isolated, number, top_three
from evaluator.rank.significance import DEAD_HEAT, NO_DEAD_HEAT

#: What the paper's metrics are called in a sentence; see `title_of` for any other stored difficulty.
TITLES = {
    "wsbias-1": "WSBias 1",
    "wsbias-2": "WSBias 2",
    "wood": "WOOD",
    CONFIDENCE: "WMProb",
}

SPLITS = "From the easiest examples to the hardest; the last split weighs most."
OWN_SPLITS = "Every model has an order of examples and splits of its own; the drawings show them."
NO_SPLITS = "There are no splits: every example has its own weight."

#: The name of a model for people, by its id.
Label = Callable[[str], str]


def title_of(name: str) -> str:
    """What people call a difficulty, such as "WSBias 2, tfidf"; one of no known kind goes by its name."""
    for known, title in TITLES.items():
        if name == known:
            return title
        if name.startswith(f"{known}-"):
            return f"{title}, {name.removeprefix(f'{known}-')}"
    return name


def sample_sentences(question: DifficultyQuestion, examples: int, row: DifficultyRow | None) -> list[str]:
    """Which of the `examples` count and how ties are treated; `row` is any of the ranking, None without."""
    if row is None:
        return []
    if question.metric == CONFIDENCE:
        return ["Every model has an order of examples of its own, and splits of its own."]
    ties = [] if question.kind == "continuous" else [_ties(question, row.ties)]
    return [*_scored(examples, row.scored, row.left_out), *ties]


def _ties(question: DifficultyQuestion, ties: Mapping[str, int]) -> str:
    if not ties["groups"]:
        return "No two splits share examples of the same difficulty, so the order of ties does not matter."
    treatment = "share their mean weight" if question.ties == "mean" else "keep the dataset's order"
    return (
        f"Splits cut through {counted(ties['groups'], 'group')} of examples of the same difficulty,"
        f" {counted(ties['examples'], 'example')} in all, which {treatment}."
    )


def _scored(whole: int, scored: int, left_out: Mapping[str, int]) -> Iterator[str]:
    samples = counted(whole, "example")
    yield f"All {samples} count." if scored == whole else f"{count(scored)} of {samples} count."
    if left_out["no_difficulty"]:
        yield f"Left out without a difficulty (B): {count(left_out['no_difficulty'])}."
    if left_out["zero"]:
        yield f"Left out with a difficulty (B) of 0, which has no 1/B: {count(left_out['zero'])}."
    if left_out["clipped"]:
        yield f"Raised to the least difficulty (B): {count(left_out['clipped'])}."


def answer_words(
    question: DifficultyQuestion, rows: Sequence[DifficultyRow], shared: bool, label: Label
) -> dict[str, Any]:
    """What a page says of a ranking beside its numbers; `shared` says that all models have the same splits.

    ``leaders`` are the first three; ``note`` stands above the table of splits; ``splits`` has the name of
    each with the mean share of right answers there, in per cent; ``ties`` has by model what the order of
    ties does.
    """
    ranked = [row for row in rows if row.rank is not None][:3]
    leaders = [f"{row.rank} {isolated(label(row.model))} {number(row.value)}" for row in ranked]
    note = SPLITS if shared else OWN_SPLITS
    count = len(rows[0].splits) if rows and shared else 0
    return {
        "leaders": top_three(leaders) or "No model has a value",
        "note": NO_SPLITS if question.kind == "continuous" else note,
        "splits": [{"name": _split_name(at, count), "right": _mean_right(rows, at)} for at in range(count)],
        "ties": {row.model: _order_of_ties(row) for row in rows},
    }


def _split_name(at: int, splits: int) -> str:
    """A split's number; the first and the last say what they are."""
    return f"{at + 1}{({0: ', easiest', splits - 1: ', hardest'}).get(at, '')}"


def _mean_right(rows: Sequence[DifficultyRow], at: int) -> float | None:
    known = [row.splits[at].accuracy for row in rows]
    shares = [share for share in known if share is not None]
    return math.fsum(shares) / len(shares) if shares else None


def _order_of_ties(row: DifficultyRow) -> str:
    if row.lowest is None or row.highest is None:
        return "not known"
    if row.lowest == row.highest:
        return "the same"
    return f"{number(row.lowest, 1)} to {number(row.highest, 1)}"


def moved_words(moved: Sequence[float] | None) -> str:
    """Whether a change of rank is more than chance: `moved` is the interval of the ranks gained."""
    low, high = moved or (0, 0)
    return "within noise" if low <= 0 <= high else "more than noise"


def heat_sentence(sets: Sequence[tuple[int, int] | None]) -> str:
    """Whether others could be first, in the words of every board."""
    heat = sum(found is not None and found[0] == 1 for found in sets)
    return "" if not sets else DEAD_HEAT if heat > 1 else NO_DEAD_HEAT


def noise_sentences(
    question: DifficultyQuestion,
    rows: Sequence[DifficultyRow],
    moved: Mapping[str, Sequence[float] | None],
    label: Label,
) -> list[str]:
    """A sentence for each model whose rank differs from that by accuracy: is that more than noise?

    `moved` has an interval for each model: how many ranks it gains in resamples.
    """
    title = title_of(question.metric)
    changed = [row for row in rows if row.rank != row.accuracy_rank]
    if rows and not changed:
        return [f"By {title} every model has the rank that it has by accuracy."]
    return [_change(row, title, moved[row.model] or (0, 0), label) for row in changed]


def _change(row: DifficultyRow, title: str, moved: Sequence[float], label: Label) -> str:
    low, high = moved
    sentence = f"{label(row.model)} is number {row.rank} by {title} and number"
    sentence += f" {row.accuracy_rank} by accuracy; that is {moved_words(moved)}: {_span(low, high)}."
    if row.accuracy_scored_rank == row.rank:
        sentence += " Accuracy on the examples that count here gives it the same rank."
    return sentence


def _span(low: float, high: float) -> str:
    """From how far down to how far up 95 % of the resamples move a model."""
    ends = [
        f"{abs(end):g} up" if end > 0 else f"{abs(end):g} down" if end < 0 else "0" for end in (low, high)
    ]
    span = ends[0] if low == high else f"{ends[0]} to {ends[1]}"
    return f"95 % of resamples move it by {span}"


def ranking_notes(
    question: DifficultyQuestion,
    examples: int,
    rows: Sequence[DifficultyRow],
    confident: Mapping[str, int],
    decimals: int | None,
    label: Label,
) -> Iterator[str]:
    """What a reader needs to know and does not see in the numbers.

    `confident` says how many of the `examples` each model's answers give a confidence for, `decimals` to how
    many decimals the difficulties were rounded, None where they were not.
    """
    if question.kind != "continuous" and not any(question.split_weights):
        yield "All splits weigh 0: there is nothing to rank by."
    if question.sure:
        for row in rows:
            if confident[row.model] < examples:
                yield _without_confidence(label(row.model), examples, confident[row.model])
    if question.factor == "confidence" and any(row.ties["groups"] for row in rows):
        yield "How much the order of ties matters is not known where confidence counts."
    if tied := [row.ties["rounded"] for row in rows if row.ties["rounded"]]:
        yield (
            f"Values of difficulty (B) are kept to {decimals} decimals, so rounding may have tied"
            f" {counted(tied[0], 'example')} that a border between splits cuts."
        )


def _without_confidence(label: str, examples: int, confident: int) -> str:
    if not confident:
        return f"{label} gives no confidence for any answer, and so has no value."
    missing = examples - confident
    answers = "1 answer, which counts" if missing == 1 else f"{missing} answers, which count"
    return f"{label} gives no confidence for {answers} as wrong, at the highest weight."
