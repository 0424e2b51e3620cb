"""The fixed texts of scripts: what a page's parts say beside what Python says of a ranking.

A page takes the groups that its scripts use as its island ``texts``. ``{name}`` is the place of a value; of
two forms with ``|`` between them the first is for one (``count`` is 1), the second for any other number.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Texts by group and name.
TEXTS: Mapping[str, Mapping[str, str]] = {
    "rows": {
        "up": "up {size} from the default",
        "down": "down {size} from the default",
        "reference": "the reference",
        "beside": "Dynascore {score}",
        "leader": "leader",
        "median": "median",
        "picked": "picked",
        "missing": "missing",
    },
    "charts": {
        "model": "Model",
        "change": "Change",
        "same": "same",
        "up": "up {size}",
        "down": "down {size}",
        "unranked": "not ranked",
        "rank": "rank {rank}",
        "and": "{names} and {last}",
        "range": "{low} to {high}",
        "of": "{part} of {all}",
        "split": "Split {number}",
        "log-mark": "(log)",
        "log": "{names}: by powers of ten, since the largest is over 100 times the smallest.",
        "numbers": "The numbers behind this chart",
    },
    "scatter": {
        "title": "Models by two metrics",
        "one-metric": "This board has one metric; a trade-off needs two.",
        "shaded": "The ground that the front beats is shaded; the models on it are grey.",
        "no-front": "The front could not be computed.",
        "front-later": "The front is drawn once the scorer is ready.",
        "on-front": "On the front",
        "yes": "yes",
        "no": "no",
        "several": "{name} and {more} more",
        "better-left": "← better",
        "better-right": "better →",
        "better-down": "better ↓",
        "better-up": "better ↑",
    },
    "parallel": {
        "title": "Models by all metrics",
        "better-up": "Better is up on every axis.",
        "better-up-least": "Better is up on every axis, so for {names} the least is on top.",
        "better-right": "Better is to the right on every axis.",
        "better-right-least": "Better is to the right on every axis, so for {names} the least is at the"
        " right.",
        "drag": "Drag along an axis to set limits, or type them under Limits above the table.",
    },
    "slope": {
        "title": "Ranks by default and at your weights",
        "same": "Your ranking is the default one: every model keeps its rank. Move a weight and the lines"
        " show"
        " who climbs and who falls.",
        "reading": "Climbing lines are solid, falling ones dashed, those that stay thin.",
        "default": "Default",
        "yours": "Yours",
        "default-rank": "Default rank",
        "your-rank": "Your rank",
        "card-default": "default:",
        "card-yours": "yours:",
    },
    "triangle": {
        "title": "Who wins where",
        "few-metrics": "This board has fewer than three metrics, so there is no triangle to draw.",
        "later": "The map is drawn once the scorer is ready.",
        "failed": "The map could not be computed: {reason}",
        "reading": "A corner is all weight on its metric, the middle of a side an even split of two. The"
        " other"
        " weights stay as they are. Drag the knob, or press anywhere, to set these three.",
        "hatched": "Where the triangle is hatched, the leader's rank set holds more than the first rank.",
        "weightless": "These three weigh nothing now; moving the knob gives them a weight of 1 together.",
        "tones": "The smallest regions share a tone.",
        "unsure": "leader not certain",
        "nobody": "no model is ranked",
        "winner": "Winner",
        "share": "Share of the triangle",
        "middle": "{name} in the middle of it",
        "knob": "Your weights",
    },
    "swarm": {
        "keys": "Examples by difficulty: left and right go from one to the next, up and down from one"
        " model to"
        " the next",
        "title": "Examples by difficulty",
        "difficulty": "Difficulty (B)",
        "confidence": "Confidence (B)",
        "right": "● {right} right",
        "wrong": "× {wrong} wrong",
        "reading": "A dot above its line is an example that the model gets right, a cross below it one"
        " that it"
        " gets wrong; colours go by split.",
        "reading-continuous": "A dot above its line is an example that the model gets right, a cross"
        " below it"
        " one that it gets wrong; colours go by difficulty.",
        "each": "There are more examples than room: each mark stands for {each} of nearly the same"
        " difficulty,"
        " a smaller one for fewer.",
        "aside": "Where many have one difficulty, marks are a little beside it.",
        "drag": "Drag a boundary, or move it by arrow keys, and every chart follows.",
        "own": "Every model has boundaries of its own, since every model is sure of other examples.",
        "undrawn": "{count} example without a difficulty (B) is not drawn."
        "|{count} examples without a difficulty (B) are not drawn.",
        "right-by-difficulty": "Right, by difficulty",
        "example": "Example {id}",
        "examples": "Example {id} and {more} more here",
        "is-right": "{name}: right",
        "is-wrong": "{name}: wrong",
        "gold": "gold {gold}",
        "b": "B {b}",
        "in-split": "B {b}, split {split}",
        "agreed": "{right} of {count} model right|{right} of {count} models right",
        "boundary": "Boundary between split {lower} and split {upper}",
    },
    "lines": {
        "keys": "Models by accuracy and by the metric: arrow keys go from one to the next, Enter points"
        " one out",
        "reading": "Lines lead from the rank by accuracy to the rank by the metric; those that cross have"
        " changed places.",
        "dashed": "Dashed: other examples of the same kind could well undo the move; solid: hardly.",
        "later": "Intervals are being computed.",
        "accuracy": "Accuracy",
        "value": "Value",
        "value-interval": "Value and 95 % interval",
        "rank-before": "Rank by accuracy",
        "interval": "95 % interval",
        "rank": "Rank",
        "ranks": "95 % of ranks",
        "within-noise": "{move}, within noise",
        "arrow-noise": "{arrow} within noise",
        "card-accuracy": "accuracy {accuracy} %, rank {before}",
        "card-value": "{name} {value} %{interval}",
        "card-rank": "rank {rank}{ranks}",
    },
    "splits": {
        "keys": "Models by split: arrow keys go from one to the next, Enter points one out",
        "reading": "Each axis is one split, the {first} at the left; scores count that split alone, so"
        " weights"
        " do not move them.",
        "own": "Every model has splits of its own.",
        "under": "Under an axis: the difficulties B that it holds.",
        "gap": "Where a split is empty the line has a gap.",
        "score": "Score, %",
        "mean": "mean",
        "card": "split {number}: {score} % of {examples}",
    },
    "suns": {
        "reading": "The inner ring is the splits, clockwise from the {first}; around it, pale, what is"
        " right,"
        " and what is wrong, in full colour and standing out further, with its count.",
        "small": "Under each small one is the share that is right; press it to see it large.",
        "shared": "Examples of one and the same difficulty are shared between splits, so counts are rounded.",
        "label": "{name}, right by split: {parts}",
        "part": "split {number}: {right} of {examples}",
        "right": "right",
        "wrong-by-split": "Wrong, by split",
    },
}


#: The groups of each kind of page.
PAGES: Mapping[str, tuple[str, ...]] = {
    "board": ("rows", "charts", "scatter", "parallel", "slope", "triangle"),
    "index": ("rows", "charts", "triangle"),
    "compare": ("rows",),
    "difficulty": ("rows", "charts", "swarm", "lines", "splits", "suns"),
}


def texts(page: str) -> dict[str, str]:
    """The texts of a kind of page, each under ``group.name``."""
    return {f"{group}.{name}": text for group in PAGES[page] for name, text in TEXTS[group].items()}
