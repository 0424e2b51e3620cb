"""What the bars and the charts of a board show, in sentences, and how far answers agree.

Standard library only.
What a chart finds is a pair: what it shows, and what to know besides of the models that it does not show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from evaluator.rank.dynascore import Column
from evaluator.rank.formats import count, counted, isolated, listed, percent, shortened
from evaluator.rank.score_sentences import Metric, Shown

#: A finding, and a remark, which is empty where there is none.
Found = tuple[str, str]
#: Longer names are cut within a sentence.
LONGEST = 80
#: How many models of a front are named; of more there is a number.
NAMED = 3


def _name(shown: Shown, model: int) -> str:
    return isolated(shortened(shown.label(model), LONGEST))


def _silent(shown: Shown, metrics: Sequence[Metric]) -> str:
    """Which models have numbers that say nothing of them, and are left out for that."""
    models = sorted({model for metric in metrics for model in metric.get("one_answer", ())})
    if not models:
        return ""
    labels = [metric["label"] for metric in metrics if metric.get("one_answer")]
    names = listed([_name(shown, model) for model in models[:NAMED]], len(models) - NAMED)
    answer, are = ("answers", "is") if len(models) == 1 else ("answer", "are")
    return f"{names} {answer} the same to everything and {are} left out of {listed(labels)}."


def _left_out(left: int, treatment: str) -> str:
    """How many models search, filters and limits leave out, and what becomes of them."""
    if not left:
        return ""
    are = "is" if left == 1 else "are"
    return f"{counted(left, 'model')} that your search, filters and limits leave out {are} {treatment}."


def front_found(shown: Shown, across: str, up: str, front: Sequence[int] | None, left: int) -> Found:
    """The trade-off of two metrics; `front` are the models on it, None where that is not known."""
    axes = [shown.metric(name) for name in dict.fromkeys([up, across])]
    pairs = zip(*(shown.compared(metric) for metric in axes), strict=True)
    both = [model for model, pair in enumerate(pairs) if not any(map(math.isnan, pair))]
    lacking = sum(
        any(shown.value(metric, model) is None for metric in axes) for model in range(len(shown.board.models))
    )
    has = "model has" if lacking == 1 else "models have"
    lack = f"{lacking} {has} no number for one of the two and cannot be drawn." if lacking else ""
    remark = " ".join(filter(None, [lack, _silent(shown, axes), _left_out(left, "drawn as small dots")]))
    one, other = axes[0]["label"], axes[-1]["label"]
    if across == up:
        found = f"Every model by its {one}. Choose two different metrics to see a trade-off."
    elif not both:
        found = f"No model has a number for both {one} and {other}."
    elif front is None:
        found = f"{len(both)} models by {one} and {other}."
    elif len(both) == 1:
        found = f"{_name(shown, both[0])} is the only model with a number for both {one} and {other}."
    elif len(front) == 1:
        best = f"{_name(shown, front[0])} is at least as good as every other model"
        found = f"No trade-off here: {best} at both {one} and {other}."
    else:
        whole = len(front) == len(both)
        names = listed([_name(shown, model) for model in front])
        found = (
            f"No model beats {'another' if whole else f'these {len(front)}'} on both {one} and {other}"
            f"{'' if whole or len(front) > NAMED else f': {names}'}."
        )
    return found, remark


def strengths_found(shown: Shown, model: int | None, left: int) -> Found:
    """In which metric a model is placed best, and in which worst; None where no model is ranked."""
    columns = [shown.compared(metric) for metric in shown.metrics]
    broken = sum(
        any(shown.value(metric, one) is None for metric in shown.metrics)
        for one in range(len(shown.board.models))
    )
    has = f"({counted(broken, 'model')})"
    gaps = f"Where a number is missing the line has a gap {has}." if broken else ""
    remark = " ".join(filter(None, [gaps, _silent(shown, shown.metrics), _left_out(left, "not drawn")]))
    if model is None:
        return "No model is ranked at these weights.", remark
    rank = shown.columns.ranks[model]
    name = f"{_name(shown, model)}, {'not ranked' if math.isnan(rank) else f'ranked {int(rank)}'},"
    places = [
        _place(metric, column, model)
        for metric, column in zip(shown.metrics, columns, strict=True)
        if not math.isnan(column[model])
    ]
    if not places:
        return f"{name} has no number for any metric.", remark
    places.sort(key=lambda found: (found[0], -found[1]))
    (first, among, best), (last, others, worst) = places[0], places[-1]
    if first == last:
        return f"{name} is {_ordinal(first)} in every metric.", remark
    strong, weak = f"{best} ({_ordinal(first)} of {among})", f"{worst} ({_ordinal(last)} of {others})"
    return f"{name} is strongest in {strong} and weakest in {weak}.", remark


def _place(metric: Metric, column: Column, model: int) -> tuple[int, int, str]:
    """A model's place by one metric, of how many, and the metric's label."""
    own = column[model]
    better = sum(value < own if metric["cost"] else value > own for value in column)
    return better + 1, sum(not math.isnan(value) for value in column), metric["label"]


def _ordinal(place: int) -> str:
    last = 0 if 10 < place % 100 < 14 else place % 10
    return f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }"


def moves_found(shown: Shown, before: Sequence[int | None], drawn: int, left: int) -> Found:
    """Whose rank is another one than `before`, by default; `drawn` models are in the picture."""
    total = len(before)
    after = [None if math.isnan(rank) else int(rank) for rank in shown.columns.ranks]
    moved = [model for model in range(total) if before[model] != after[model]]
    # Places among other models are no climb and no fall.
    alike = all((was is None) == (now is None) for was, now in zip(before, after, strict=True))
    climbs = [
        (model, (before[model] or 0) - (after[model] or 0)) for model in moved if alike and after[model]
    ]
    most = []
    for verb, sign in (("climbs", 1), ("falls", -1)):
        model, by = max(
            ((model, sign * climb) for model, climb in climbs), key=lambda move: move[1], default=(0, 0)
        )
        if by > 0:
            most.append(f"{_name(shown, model)} {verb} most, by {by}")
    change = "model changes" if total == 1 else "models change"
    at = "at your weights" if shown.trades is None else "by your trade-offs"
    found = f"{len(moved)} of {total} {change} rank {at}{': ' if most else ''}{'; '.join(most)}."
    if not alike:
        count = sum(now is not None for now in after)
        found = f"Ranks {at} are among {counted(count, 'model')}: other models than by default."
    picked = (
        f"{drawn} of {total} models are drawn: the first of either ranking, who climbs and who falls most,"
        " and those you chose; ranks between them are left out."
        if drawn < total
        else ""
    )
    return found, " ".join(filter(None, [picked, _left_out(left, "not drawn")]))


def winners_found(shown: Shown, regions: Sequence[tuple[int, float]], unsure: float | None) -> Found:
    """Who wins where in a triangle of three metrics' weights, or in a map of two trade-offs.

    `regions` are models with the shares of it where they win, the largest first; `unsure` is the
    share in which it is not certain who leads, None where that is not known.
    """
    where, anyhow, at = "triangle", "however these three share their weight", "At your weights"
    if shown.trades is not None:
        where, anyhow, at = "map", "whatever these two are worth here", "By your trade-offs"
    if not regions:
        return f"No model is ranked anywhere in this {where}.", ""
    (first, share), wins = regions[0], len(regions)
    if wins == 1:
        return f"{_name(shown, first)} wins everywhere, {anyhow}.", ""
    found = f"{_name(shown, first)} wins {_part(share)} of the {where}; {wins} models win somewhere in it."
    if unsure is not None:
        found += f" In {_part(unsure)} of it these data cannot tell who leads."
    if shown.ranked:
        found += f" {at} {_name(shown, shown.ranked[0])} leads."
    return found, ""


def _part(share: float) -> str:
    """A part of the triangle in per cent; a small one does not become 0."""
    return "< 1 %" if 0 < share < 0.005 else percent(share, 0)


def bars_caption(shown: Shown, reference: int | None, role: str) -> str:
    """What bars are differences from: a model in a `role`, or nothing, where they are whole contributions."""
    if shown.columns.by == "z_score":
        return "with the Dynascore beside it; bars are parts of a Dynascore"
    if reference is None and shown.trades is not None:
        return f"what each metric is worth in {shown.base['amounts']} of {isolated(shown.base['label'])}"
    if reference is None:
        return "weight × converted value of each metric"
    name = isolated(shown.label(reference)) if reference >= 0 else "no model"
    return f"against {'' if role == 'picked' else f'the {role}, '}{name}"


def agreement(shown: Shown, pairs: Sequence[tuple[int, int, int]], examples: int) -> list[str]:
    """On how many of the `examples` two models answer the same, for each of `pairs`: both and that number."""
    return [
        f"The same answer on {count(same)} of {count(examples)} examples ({percent(same / examples)}):"
        f" {_name(shown, one)} and {_name(shown, other)}."
        for one, other, same in pairs
    ]


def window_found(shown: Shown, start: str, whole: bool, released: Sequence[str | None]) -> str:
    """Which models came out when examples of the first month, ``2023-05``, were there already.

    They may have learnt from these examples. `whole`: all examples of the chosen months count alike;
    `released` are days by model, None where they are not known.
    """
    known = [model for model, day in enumerate(released) if day is not None]
    later = [model for model in known if (released[model] or "") >= start]
    alike = "" if whole else "The weights below are not those of a window. "
    if not known:
        return alike
    if not later:
        return f"{alike}All models whose date is known came out before {start}."
    several = (
        "may have seen these examples, as it" if len(later) == 1 else "may have seen these examples, as they"
    )
    names = listed([_name(shown, model) for model in later[:3]], len(later) - 3)
    return f"{alike}{names} {several} came out in {start} or later."


def answers_unknown(shown: Shown, models: Sequence[int], nothing: bool) -> str:
    """Of which models the answers to single examples are not known; `nothing`: so none can be compared."""
    names = listed([_name(shown, model) for model in models])
    if not nothing:
        return f"Left out, since their answers here are not known: {names}."
    why = f" The answers of {names} to single examples are not known here, only scores." if models else ""
    return f"No two of these models have published answers to the same dataset.{why}"
