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
    "header": {
        "dynascore": "Dynascore",
        "z-score": "Mean z-score",
        "best": "Best possible",
        "worst": "Worst possible",
        "best-rank": "Best possible rank",
        "worst-rank": "Worst possible rank",
        "name-best": "{label}, A to Z",
        "name-worst": "{label}, Z to A",
        "number-best": "{label}, best first",
        "number-worst": "{label}, worst first",
    },
    "find": {
        "tag": "Tag",
        "size": "Size",
        "licence": "Licence",
        "provenance": "Provenance",
        "size-10m": "under 10 M parameters",
        "size-100m": "10 M to 100 M parameters",
        "size-1b": "100 M to 1 B parameters",
        "size-more": "1 B parameters or more",
        "unstated": "not stated",
        "alike": "These models do not differ in tags, size, licence or provenance.",
        "columns": "Columns",
        "columns-hint": "A hidden column keeps its weight.",
        "rows": "Rows",
        "compact": "Compact",
        "roomy": "Roomy, with all remarks",
        "filter": "{kind}: {value}",
        "at-least": "{label} at least {amount}",
        "at-most": "{label} at most {amount}",
        "remove": "Remove {words}",
        "chosen-one": "{names}. Choose another to compare it with",
        "chosen": "{names}",
        "chosen-all": "{names}. No more than these fit side by side",
        "compare": "Compare {count} models",
    },
    "limits": {
        "run": "Only what I can run",
        "good": "How good it must be",
        "at-least": "at least",
        "at-most": "at most",
        "note": "A model without a number for what is limited is left out. Limits change nobody\u2019s"
        " score.",
    },
    "examples": {
        "no-gold": "The right answers are not published, so it is only shown where the models agree.",
        "who-is-right": "Who is right how often",
        "gold": "Right answer",
        "show": "Show",
        "any": "Any",
        "examples": "Examples",
        "example": "Example",
        "share": "Share",
        "all": "All examples",
        "differ": "Only where their answers differ",
        "mixed": "Only where some are right and some are wrong",
        "alone-right": "Only where {model} alone is right",
        "alone-wrong": "Only where {model} alone is wrong",
        "all-right": "Only where all are right",
        "none-right": "Only where none is right",
        "none": "No example is like that.",
        "range": "{count} example, {from} to {to} below, in the dataset's own order."
        "|{count} examples, {from} to {to} below, in the dataset's own order.",
        "previous": "Previous {size}",
        "next": "Next {size}",
        "no-answer": "no valid answer",
        "right": "right",
        "wrong": "wrong",
    },
    "contrast": {
        "scores": "Scores",
        "score": "Score",
        "scores-hint": "Ranks, Dynascores and what each metric adds to them at these weights. Differences"
        " and bars compare with the first model: more to the right, less to the left.",
        "scores-hint-default": "Ranks, Dynascores and what each metric adds to them at the default"
        " weights. Differences and bars compare with the first model: more to the right, less to the left.",
        "z-score": "The link ranks by mean z-score; the Dynascore is shown beside it.",
        "rank": "Rank",
        "ranked": "of {ranked} ranked, {all} in all",
        "unranked": "not ranked",
        "dynascore": "Dynascore",
        "first": "Put first",
        "remove": "Remove",
        "act": "{act}: {name}",
        "adds": "adds {amount}",
        "less-is-better": "less is better",
        "weight": "weight {weight}",
        "by-dataset": "By dataset",
        "metric": "Metric",
        "not-ranked-by": "shown, not ranked",
        "by-tag": "By tag",
        "part": "Part of the data",
        "tags-hint": "Scores on the examples that carry a tag; those that set these models apart most"
        " come first. Under {few} examples, marked few, a few answers move a score by many points.",
        "examples": "{count} example|{count} examples",
        "few": "few",
        "same": "same",
        "better": "better",
        "worse": "worse",
        "to-score": "{amount} to the score",
        "show-all": "Show all {all}",
    },
    "weights": {
        "no-weight": "A weight is a number from 0 to {largest}. The last one still counts.",
        "no-threshold": "A threshold is a number from 0 to {largest}. The last one still counts.",
        "locked": "The locked weights leave {left} to share.",
        "share": "{weight}, {share} of the weight",
        "counted": "Two models count for the exchange rates when their {rule}.",
    },
    "saving": {
        "save": "Save this chart:",
        "of": "of {title}",
        "nothing": "There is no picture yet.",
        "origin": "{title} · results of {time}",
        "origin-timeless": "{title} · results of no time yet",
        "these-weights": "these weights",
    },
    "export": {
        "exactly": "Exactly what is shown: these rows, this order, these columns.",
        "download": "Download",
        "copy": "Copy",
        "as": "as {name}",
        "embed": "Embed",
        "embeds": "the HTML that embeds the table",
        "html": "HTML to embed",
        "print": "Print",
        "this-page": "this page",
        "link": "Link",
        "copied": "{name} copied",
        "rounds": "Round by round",
        "no-weight": "No weight changes this chart",
    },
    "why": {
        "first-place": "What would put a model first?",
        "set": "Set it",
        "leader": "the leader",
        "fragile": "fragile",
        "fragile-others": "fragile {others}",
    },
}


#: The groups of each kind of page.
PAGES: Mapping[str, tuple[str, ...]] = {
    "board": (
        *("rows", "header", "find", "limits", "weights"),
        *("charts", "scatter", "parallel", "slope", "triangle", "saving", "export", "why"),
    ),
    "index": ("rows", "header", "weights", "charts", "triangle", "saving", "export"),
    "compare": ("rows", "examples", "contrast"),
    "difficulty": ("rows", "weights", "charts", "swarm", "lines", "splits", "suns", "saving"),
    "figures": ("saving",),
}


def script_texts(page: str) -> dict[str, str]:
    """The texts of a kind of page, each under ``group.name``."""
    return {f"{group}.{name}": text for group in PAGES[page] for name, text in TEXTS[group].items()}
