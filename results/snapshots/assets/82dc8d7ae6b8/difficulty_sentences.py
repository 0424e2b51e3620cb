"""A ranking by difficulty in sentences: which samples count, what is more than noise, what to know besides.

One of the modules behind `evaluator.rank.difficulty`; standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from evaluator.rank.difficulty_order import CONFIDENCE, DifficultyQuestion
from evaluator.rank.difficulty_rows import DifficultyRow
from evaluator.rank.formats import count, counted, isolated, listed, number, percent, shortened, top_three
from evaluator.rank.significance import NO_TIE, lead_words, tie_words

#: The paper's metrics in plain words and by its names; see `title_of` for any other stored difficulty.
TITLES = {
    "wsbias-1": ("Test-set shortcuts", "WSBias 1"),
    "wsbias-2": ("Training shortcuts", "WSBias 2"),
    "wood": ("Distance from training", "WOOD"),
    CONFIDENCE: ("Own confidence", "WMProb"),
}

SPLITS = "From the easiest examples to the hardest; the last split weighs most."
OWN_SPLITS = "Every model has an order of examples and splits of its own; the drawings show them."
NO_SPLITS = "There are no splits: every example has its own weight."
#: What stands in the place of a chart of splits where there are none.
WITHOUT_SPLITS = (
    "Continuous weights part the examples into no splits. Choose equal splits or thresholds to see"
)

#: The name of a model for people, by its id.
Label = Callable[[str], str]


def title_of(name: str) -> str:
    """A difficulty in words, such as "Training shortcuts (WSBias 2, tfidf)"; others go by their name."""
    for known, (words, paper) in TITLES.items():
        if name == known:
            return f"{words} ({paper})"
        if name.startswith(f"{known}-"):
            return f"{words} ({paper}, {name.removeprefix(f'{known}-')})"
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
        yield f"Left out, of unknown ease (B): {count(left_out['no_difficulty'])}."
    if left_out["zero"]:
        yield f"Left out with an ease (B) of 0, which has no 1/B: {count(left_out['zero'])}."
    if left_out["clipped"]:
        yield f"Raised to the least ease (B): {count(left_out['clipped'])}."


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


def lead_sentence(
    question: DifficultyQuestion,
    rows: Sequence[DifficultyRow],
    sets: Sequence[tuple[int, int] | None],
    label: Label,
) -> str:
    """Who leads, in the words of every board, and who does by accuracy if that is another model; `sets` are
    those of the rows, which have a rank and are in its order."""
    ranks = [(float(row.rank or 0), shortened(label(row.model), 60)) for row in rows]
    pieces = lead_words(ranks, sets, f"by {title_of(question.metric)}")
    lead = "".join(piece if isinstance(piece, str) else piece[1] for piece in pieces)
    first = [name for row, (_, name) in zip(rows, ranks, strict=True) if row.accuracy_rank == 1]
    if not first or ranks[0][1] in first:
        return lead
    return f"{lead} By accuracy {listed(first)} {'leads' if len(first) == 1 else 'share the first rank'}."


def heat_sentence(rows: Sequence[DifficultyRow], sets: Sequence[tuple[int, int] | None]) -> str:
    """Whether others could be first, in the words of every board; `sets` are those of the rows."""
    ranks = [math.nan if row.rank is None else row.rank for row in rows]
    tied = [rank for rank, found in zip(ranks, sets, strict=True) if found and found[0] == 1]
    if 1.0 not in tied:
        return ""
    return tie_words(len(tied)) if len(tied) > 1 else NO_TIE


def noise_sentences(
    question: DifficultyQuestion,
    rows: Sequence[DifficultyRow],
    moved: Mapping[str, Sequence[float] | None],
    label: Label,
) -> list[str]:
    """A sentence for each model whose rank differs from that by accuracy: is that more than noise?

    `moved` has for each model how many ranks it gains at least and at most.
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
    """From how far down to how far up a model may have moved."""
    ends = [
        f"{abs(end):g} up" if end > 0 else f"{abs(end):g} down" if end < 0 else "0" for end in (low, high)
    ]
    span = ends[0] if low == high else f"{ends[0]} to {ends[1]}"
    return f"with 95 % confidence it moves by {span}"


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
    if question.uses_confidence:
        for row in rows:
            if confident[row.model] < examples:
                yield _without_confidence(label(row.model), examples, confident[row.model])
    if question.factor == "confidence" and any(row.ties["groups"] for row in rows):
        yield "How much the order of ties matters is not known where confidence counts."
    if tied := [row.ties["rounded"] for row in rows if row.ties["rounded"]]:
        yield (
            f"Values of ease (B) are kept to {decimals} decimals, so rounding may have tied"
            f" {counted(tied[0], 'example')} that a border between splits cuts."
        )


def _without_confidence(label: str, examples: int, confident: int) -> str:
    if not confident:
        return f"{label} gives no confidence for any answer, and so has no value."
    missing = examples - confident
    answers = "1 answer, which counts" if missing == 1 else f"{missing} answers, which count"
    return f"{label} gives no confidence for {answers} as wrong, at the highest weight."


def chart_words(
    question: DifficultyQuestion,
    rows: Sequence[DifficultyRow],
    agreed: tuple[int, int, int],
    label: Label,
) -> dict[str, Any]:
    """What the charts of a page find: a sentence for each, in ``suns`` one for each model.

    ``ends`` are what the first and the last split are. `agreed` counts the examples that are drawn, and those
    of them that all models and that none gets right.
    """
    ends = ("least sure", "surest") if question.metric == CONFIDENCE else ("easiest", "hardest")

    def name(row: DifficultyRow) -> str:
        return isolated(shortened(label(row.model), 80))

    suns = {row.model: _errors_of(row, ends, name) for row in rows if row.splits}
    return {
        "ends": [*ends],
        "swarm": _agreement(rows, agreed, ends, name),
        "splits": _split_scores([row for row in rows if _scores(row)], ends, name),
        "suns": suns or f"{WITHOUT_SPLITS} what is right and wrong in each.",
        "lines": _rank_changes(rows, title_of(question.metric), name),
    }


#: The name of a row's model within a sentence, and what the first and the last split are.
RowName = Callable[[DifficultyRow], str]
Ends = tuple[str, str]


def _agreement(rows: Sequence[DifficultyRow], agreed: tuple[int, int, int], ends: Ends, name: RowName) -> str:
    """How many examples all models get right and how many none, and where their errors are."""
    drawn, right, wrong = agreed
    if not rows:
        return "No examples to draw yet."
    if len(rows) == 1:
        found = f"{name(rows[0])} gets {count(right)} of {count(drawn)} examples right."
    else:
        others = f"{count(wrong)} for none" if wrong else "every other for some"
        found = f"{count(right)} of {count(drawn)} examples are right for all {len(rows)} models, {others}."
    errors = [[split.wrong for split in row.splits] for row in rows if row.splits]
    if not (whole := math.fsum(wrong for row in errors for wrong in row)):
        return found
    first, last = (math.fsum(row[at] for row in errors) / whole for at in (0, -1))
    splits = counted(len(errors[0]), "split")
    found += f" Of all errors {percent(last, 0)} are in the {ends[1]} of {splits}"
    return f"{found}, {percent(first, 0)} in the {ends[0]}."


def _errors_of(row: DifficultyRow, ends: Ends, name: RowName) -> str:
    """Where one model's errors are."""
    first, last = row.splits[0], row.splits[-1]
    wrong = math.fsum(split.wrong for split in row.splits)
    if not wrong:
        return f"{name(row)} gets every example right."
    at_last, at_first = (
        f"{number(split.wrong, 0)} of {counted(split.examples, 'example')}" for split in (last, first)
    )
    return (
        f"{name(row)} is wrong on {at_last} in the {ends[1]} split and on {at_first} in the {ends[0]}:"
        f" {percent(last.wrong / wrong, 0)} of its errors are in the {ends[1]} of"
        f" {counted(len(row.splits), 'split')}."
    )


def _scores(row: DifficultyRow) -> list[float]:
    return [split.score for split in row.splits if split.score is not None]


def _split_scores(rows: Sequence[DifficultyRow], ends: Ends, name: RowName) -> str:
    """How scores change from the first split to the last: on the whole, for whom most, and who overtakes."""
    if not rows:
        return f"{WITHOUT_SPLITS} how models do in each."
    starts, lasts = ([row.splits[at].score for row in rows] for at in (0, -1))
    begin, end = (_mean([score for score in scores if score is not None]) for scores in (starts, lasts))
    if len(rows[0].splits) < 2 or begin is None or end is None:
        return "The score of every model in every split."
    who = "the mean score of the models" if len(rows) > 1 else f"the score of {name(rows[0])}"
    verb = "falls" if end < begin else "rises"
    change = f"{number(begin, 1)} to {number(end, 1)} %"
    found = f"From the {ends[0]} to the {ends[1]} split {who} {verb} from {change}."
    known = [
        (row, first, last)
        for row, first, last in zip(rows, starts, lasts, strict=True)
        if first is not None and last is not None
    ]
    if len(known) > 1:
        ways = sorted(known, key=lambda way: (way[2] - way[1]) * (1 if end < begin else -1))
        most, least = (
            f"{name(row)} ({number(first, 1)} to {number(last, 1)})"
            for row, first, last in (ways[0], ways[-1])
        )
        found += f" It {verb} most for {most}, least for {least}."
    places = [
        (row, 1 + sum(one > first for _, one, _ in known), 1 + sum(one > last for *_, one in known))
        for row, first, last in known
    ]
    row, before, after = max(places, key=lambda place: abs(place[1] - place[2]), default=(rows[0], 0, 0))
    if abs(before - after) > 1:
        found += (
            f" {name(row)} is number {before} in the {ends[0]} split and number {after} in the {ends[1]}."
        )
    return found


def _mean(scores: Sequence[float]) -> float | None:
    return math.fsum(scores) / len(scores) if scores else None


def _rank_changes(rows: Sequence[DifficultyRow], title: str, name: RowName) -> str:
    """Whose rank is another one by the metric than by accuracy."""
    moves = [
        (row.accuracy_rank - row.rank, row)
        for row in rows
        if row.rank is not None and row.accuracy_rank is not None
    ]
    moved = [(move, row) for move, row in moves if move]
    if not moves:
        return "No model has a value for this metric."
    if not moved:
        return f"Every model has the same rank by {title} as by accuracy."
    up, down = max(moved, key=lambda found: found[0]), min(moved, key=lambda found: found[0])
    furthest = [
        f"{name(row)} {verb} furthest, from {row.accuracy_rank} to {row.rank}"
        for (move, row), verb, sign in ((up, "climbs", 1), (down, "falls", -1))
        if move * sign > 0
    ]
    return (
        f"{len(moved)} of {len(moves)} models {'has' if len(moved) == 1 else 'have'} another rank by {title}"
        f" than by accuracy: {'; '.join(furthest)}."
    )


def moves_within_noise(rows: Sequence[DifficultyRow], moved: Mapping[str, Sequence[float] | None]) -> str:
    """How many of the changes of rank are within noise; nothing where no rank changes."""
    verdicts = [moved_words(moved[row.model]) for row in rows if row.rank != row.accuracy_rank]
    within = verdicts.count("within noise")
    if not verdicts:
        return ""
    if within == len(verdicts):
        one = len(verdicts) == 1
        return "That move is within noise." if one else "All of these moves are within noise."
    if not within:
        return "No such move is within noise."
    return f"{within} of these moves {'is' if within == 1 else 'are'} within noise."
