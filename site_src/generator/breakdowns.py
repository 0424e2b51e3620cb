"""Scores of parts of the examples: by tag, and under each perturbation suite."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.records.datasets import SuiteCard
from evaluator.records.result import Result, SuiteScores, TagScores
from site_src.generator import formats
from site_src.generator.formats import anchor
from site_src.generator.results import FailureView, batch_sentence, variant_failures
from site_src.generator.table import ShownColumn, label_of

#: What becomes of a text in each kind of suite; suites are shown in this order.
KINDS = {
    "robustness": "when the spelling, case, punctuation or contractions of a text change",
    "fairness": "when people in a text change gender, or get first names typical of another group",
    "placebo": "when a first name is replaced by another of the same group and gender",
    "neutral": "when gendered words are replaced by neutral ones",
}
#: What to keep in mind with each kind.
WARNINGS = {
    "robustness": "Robustness is measured only in part. The number says how often answers survive these"
    " changes; it does not show that a model is robust.",
    "fairness": "Fairness is measured only in part. The number says how often answers survive these changes;"
    " it does not show that a model is fair. A list of names is not a group of people, and some answers"
    " change with any change of a name: a placebo suite says how many.",
    "placebo": "A placebo says how much any change of a name moves a model. It says nothing about fairness by"
    " itself: it is there to read the fairness suite against.",
    "neutral": "A suite apart, and no part of fairness. Texts are left out of it that cannot be put in"
    " neutral words by rule.",
}
#: Why a model has no answers to perturbed texts, by the provenance of its numbers.
NOT_HERE = {
    "predictions": "The answers of this model were given elsewhere, so it cannot be asked about perturbed"
    " texts here. Its answers to them can be imported too.",
    "reported": "Only published numbers of this model are here, so it cannot be asked about perturbed texts.",
}
#: Tasks whose answers are words of the model's own, which agree by degrees.
IN_WORDS = frozenset({"qa", "generation"})


def changes(kind: str) -> str:
    """What becomes of a text in a suite of that kind, as the end of a sentence."""
    return KINDS.get(kind, "when a text is changed")


def made_words(swaps: Mapping[str, int]) -> str:
    """What a number of fairness is from: ``273 gender swaps``; empty where nothing was made."""
    return ", ".join(formats.counted(count, swap) for swap, count in swaps.items())


def order(kind: str, name: str) -> tuple[int, str]:
    """A place for a suite among others."""
    kinds = list(KINDS)
    return (kinds.index(kind) if kind in kinds else len(kinds), name)


def suite_label(name: str, columns: Mapping[str, ShownColumn]) -> str:
    """A suite by the name of its column, where the board has it as one."""
    if name in columns:
        return columns[name].label
    return name.capitalize() if name in KINDS else name


@dataclass(frozen=True)
class Explained:
    """What the shares of a suite are, each as a sentence."""

    agreement: str
    worst: str


def explained(task: str, kind: str) -> Explained:
    """How agreement is to be read: of labels, or by token F1 of answers in words."""
    if task in IN_WORDS:
        return Explained(
            f"How much of an answer, by token F1, stays the same {changes(kind)}.",
            "The same for the variant of each example whose answer changes most.",
        )
    return Explained(
        f"Share of predictions that stay the same {changes(kind)}.",
        "Share of examples of which no variant changes the prediction.",
    )


@dataclass(frozen=True)
class SuiteView:
    """A model under one suite. `original` is the metric over the whole dataset, unperturbed."""

    name: str
    label: str
    colour: int | None
    scores: SuiteScores
    card: SuiteCard | None
    explained: Explained
    metric: TagMetric
    original: float | None
    placebo: float | None
    failures: tuple[FailureView, ...]
    made_by: str

    @property
    def unclear(self) -> bool:
        """Whether any example was left out because its text does not show what a word is."""
        return any(scores.undecided for scores in self.scores.transformations.values())

    @property
    def other(self) -> bool:
        """Whether the suite has been made anew since."""
        return self.card is not None and self.card.suite != self.scores.suite

    @property
    def batches(self) -> str | None:
        """Whether it was asked in batches, in a sentence."""
        return batch_sentence(self.scores.batches)

    @property
    def warning(self) -> str | None:
        return WARNINGS.get(self.scores.kind)


def suite_views(
    result: Result, columns: Mapping[str, ShownColumn], cards: Sequence[SuiteCard]
) -> tuple[SuiteView, ...]:
    """A model under every suite it was tried with; `cards` are those of the dataset."""
    named = {card.name: card for card in cards}
    ordered = sorted(result.suites.items(), key=lambda item: order(item[1].kind, item[0]))
    placebo = next((scores.agreement for _, scores in ordered if scores.kind == "placebo"), None)
    return tuple(
        SuiteView(
            name=name,
            label=suite_label(name, columns),
            colour=columns[name].colour if name in columns else None,
            scores=scores,
            card=named.get(name),
            explained=explained(result.task, scores.kind),
            metric=metric_of(scores.metric, result, columns),
            original=result.scores[scores.metric].value if scores.metric in result.scores else None,
            placebo=placebo if scores.kind == "fairness" else None,
            failures=variant_failures(scores),
            made_by=made_by(scores.spec),
        )
        for name, scores in ordered
    )


def untried(result: Result, columns: Mapping[str, ShownColumn], cards: Sequence[SuiteCard]) -> str:
    """Which of the dataset's suites a model that is not here was not tried with, and why; "" if with all."""
    names = [suite_label(card.name, columns) for card in cards if card.name not in result.suites]
    if not names or result.provenance not in NOT_HERE:
        return ""
    return f"Not tried: {formats.listed(names)}. {NOT_HERE[result.provenance]}"


def made_by(spec: Mapping[str, Any]) -> str:
    """Whose transformations a suite is made with, and what recognises names in it."""
    stated = _stated(spec)
    backends = sorted({formats.shortened(str(one["backend"])) for one in stated if "backend" in one})
    recognisers = sorted({formats.shortened(text) for one in stated for text in _recognisers(one)})
    by = formats.listed(backends) or "a backend that is not stated"
    return f"{by}, names recognised by {formats.listed(recognisers)}" if recognisers else by


def transformations_of(spec: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """What a spec states of each transformation, by name."""
    return {str(one.get("name")): one for one in _stated(spec)}


def _stated(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The transformations of a spec, which is data of any shape."""
    listed = spec.get("transformations", ())
    return [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list | tuple) else []


def _recognisers(value: Any) -> Iterator[str]:
    """Every recogniser that is named anywhere in a spec, with its pipeline and version."""
    if not isinstance(value, Mapping):
        return
    if isinstance(value.get("recogniser"), str):
        stated = (value.get(key) for key in ("recogniser", "pipeline", "version"))
        yield " ".join(short(text) for text in stated if isinstance(text, str))
    for inner in value.values():
        yield from _recognisers(inner)


def option_text(value: Any) -> str:
    """An option of a transformation as a reader sees it."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, Mapping):
        return "; ".join(f"{spaced(str(name))}: {option_text(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(option_text(inner) for inner in value)
    return f"{value:g}" if isinstance(value, float) else short(str(value))


def spaced(name: str) -> str:
    """The name of an option as words."""
    return name.replace("_", " ")


def short(text: str) -> str:
    """A text whose hashes are cut to their first digits."""
    return re.sub(r"(?:sha256:)?([0-9a-f]{12})[0-9a-f]{52}\b", r"\1", text)


#: With fewer examples than this, a few answers more or less move a score by many points.
FEW = 30
#: A table with more values than this is folded away, behind a line that says what is in it.
SHORT = 8


@dataclass(frozen=True)
class TagMetric:
    """A metric that some of the examples are scored by; `colour` is its column's, if it has one."""

    name: str
    label: str
    unit: str
    decimals: int
    less_is_better: bool
    colour: int | None

    def text(self, value: float | None) -> str:
        return formats.number(value, self.decimals)


@dataclass(frozen=True)
class TagRow:
    """One value of a tag. `share` is the first score's part of a whole bar, None where that is missing.

    `anchor` is the place of the value on another page, None where no page has it.
    """

    value: str
    examples: int
    scores: tuple[str, ...]
    share: float | None
    anchor: str | None

    @property
    def few(self) -> bool:
        return self.examples < FEW


@dataclass(frozen=True)
class TagTable:
    """One tag: a row for each value, worst first; `whole` is all examples, whose bar is a mark."""

    tag: str
    metrics: tuple[TagMetric, ...]
    rows: tuple[TagRow, ...]
    whole: TagRow | None

    @property
    def folded(self) -> bool:
        return len(self.rows) > SHORT

    @property
    def span(self) -> str:
        """From which score of the first metric to which, and whose they are."""
        scored = [row for row in self.rows if row.scores and row.scores[0] != formats.MISSING]
        if not scored:
            return "none of them with a score"
        ends = [f"{row.scores[0]} ({formats.isolated(row.value)})" for row in (scored[0], scored[-1])]
        return f"{self.metrics[0].label} from {ends[0]} to {ends[1]}"

    @property
    def few(self) -> bool:
        """Whether any value has few examples."""
        return any(row.few for row in self.rows)


#: Tags and their values.
TagValues = frozenset[tuple[str, str]]


def tag_tables(
    result: Result, columns: Mapping[str, ShownColumn], linked: TagValues = frozenset()
) -> tuple[TagTable, ...]:
    """A table for every tag of a result; `columns` are the board's, by metric.

    `linked` are the tags' values that another page has a place for.
    """
    return tuple(_table(tag, values, result, columns, linked) for tag, values in result.tags.items())


def _table(
    tag: str,
    values: Mapping[str, TagScores],
    result: Result,
    columns: Mapping[str, ShownColumn],
    linked: TagValues,
) -> TagTable:
    names = list(dict.fromkeys(name for scored in values.values() for name in scored.scores))
    metrics = tuple(metric_of(name, result, columns) for name in names)
    all_examples = TagScores(
        examples=result.dataset.examples or 1,
        scores={name: result.scores[name].value for name in names if name in result.scores},
    )
    everything = [*values.values(), all_examples]
    known = [scored.scores[names[0]] for scored in everything if names and names[0] in scored.scores]
    full = 100.0 if metrics and metrics[0].unit == "%" else max(known, default=0.0)

    def row(value: str, scored: TagScores) -> TagRow:
        first = scored.scores.get(names[0]) if names else None
        return TagRow(
            value=value,
            examples=scored.examples,
            scores=tuple(metric.text(scored.scores.get(metric.name)) for metric in metrics),
            share=None if first is None or full <= 0 else min(max(first / full, 0.0), 1.0),
            anchor=anchor(tag, value) if (tag, value) in linked else None,
        )

    def badness(item: tuple[str, TagScores]) -> tuple[float, str]:
        """Smallest for the worst; a value without a score comes last."""
        value, scored = item
        if not names or names[0] not in scored.scores:
            return math.inf, value
        return (-1 if metrics[0].less_is_better else 1) * scored.scores[names[0]], value

    return TagTable(
        tag=tag,
        metrics=metrics,
        rows=tuple(row(*item) for item in sorted(values.items(), key=badness)),
        whole=row("", all_examples) if result.dataset.examples and all_examples.scores else None,
    )


def metric_of(name: str, result: Result, columns: Mapping[str, ShownColumn]) -> TagMetric:
    """A metric as its column shows it, or by its name and unit where the board has none for it."""
    column, score = columns.get(name), result.scores.get(name)
    if column:
        spec = column.spec
        return TagMetric(name, spec.label, spec.unit, spec.decimals, spec.direction == "lower", column.colour)
    unit = score.unit if score else ""
    return TagMetric(name, label_of(name), unit, formats.decimals(unit), False, None)
