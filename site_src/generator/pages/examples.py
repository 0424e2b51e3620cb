"""The examples of a dataset that can be read, and which models are right on them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.records.base import parse_document
from evaluator.records.board import Boards, MetricSpec
from evaluator.records.board.score import SCORE
from evaluator.records.datasets import Examples
from evaluator.records.result import Result
from evaluator.records.store import Store
from site_src.generator import formats
from site_src.generator.datasets import DatasetView
from site_src.generator.pages.board import BoardView

if TYPE_CHECKING:
    from site_src.generator.site import Site


#: Examples that are listed of one value of a tag, the hardest ones.
LISTED = 100


@dataclass(frozen=True)
class ExampleRow:
    """One example: its id, its text, its right label, and the answers in the order of the page's models.

    An answer is a label, None without a valid one, and whether that is right.
    """

    id: str
    text: str
    gold: str
    answers: tuple[tuple[str | None, bool], ...]


@dataclass(frozen=True)
class ExampleGroup:
    """The examples with one value of a tag, the hardest first; `tag` is empty for those without any tag."""

    tag: str
    value: str
    anchor: str
    examples: int
    shares: tuple[float, ...]
    rows: tuple[ExampleRow, ...]


def write_examples(site: Site, view: BoardView, dataset: DatasetView) -> None:
    """Write the page of a dataset's examples, if their texts may be shown."""
    known = site.verdicts(view, dataset)
    if known is None or not known.texts:
        return
    models = list(known.answers)[:BESIDE]
    site.write(
        f"{view.spec.id}/datasets/{dataset.spec.id}/examples/index.html",
        "examples.html",
        4,
        view=view,
        dataset=dataset,
        models=[(model, view.assembled.entries[model].label) for model in models],
        # How many models say how hard an example is.
        counted=len(known.right),
        groups=[_group(known, models, *named) for named in _groups(known)],
    )


def _groups(known: Verdicts) -> Iterator[tuple[str, str, list[int]]]:
    """Tag, value and places of its examples, in the dataset's order; then the examples without any tag."""
    tagged: set[int] = set()
    for tag, column in known.examples.tags.items():
        for value in dict.fromkeys(filter(None, column)):
            places = [at for at, own in enumerate(column) if own == value]
            tagged.update(places)
            yield tag, value, places
    if rest := [at for at in range(len(known.examples.ids)) if at not in tagged]:
        yield "", "", rest


def _group(known: Verdicts, models: Sequence[str], tag: str, value: str, places: list[int]) -> ExampleGroup:
    examples, gold = known.examples, known.examples.gold or ()
    hardest = sorted(places, key=lambda at: (known.counts[at], at))
    return ExampleGroup(
        tag=tag,
        value=value,
        anchor=formats.anchor(tag, value),
        examples=len(places),
        shares=tuple(sum(known.right[model][at] for at in places) / len(places) for model in models),
        rows=tuple(
            ExampleRow(
                id=examples.ids[at],
                text=(examples.texts or ())[at],
                gold=examples.labels[gold[at]],
                answers=tuple((known.answers[model][at], known.right[model][at]) for model in models),
            )
            for at in hardest[:LISTED]
        ),
    )


#: How many models, the best ones, are counted at most, so that a large board still builds in seconds.
COUNTED = 100
#: Ids that are listed of the examples no model gets right.
UNSOLVED = 40
#: Models side by side in the tables of scores by tag, the best ones.
BESIDE = 12
#: Most lines that there may be, from no model to all of them.
LINES = 21
#: Per-example score that says whether an answer in words is right, and which share of its resolution is.
EXACT = "exact-match"


@dataclass(frozen=True)
class HardnessLine:
    """Examples that `low` to `high` models get right."""

    low: int
    high: int
    examples: int

    @property
    def models(self) -> str:
        low, high = formats.count(self.low), formats.count(self.high)
        return low if low == high else f"{low} to {high}"


@dataclass(frozen=True)
class Hardness:
    """How many of the counted `models` get how many of the `examples` right.

    `others` have predictions too, but are not among the counted. `nobody` are the first ids of
    the `unsolved` examples, which no model gets right; `alone` are the first ids of the `solo`
    examples that just one model gets right, and its id.
    """

    models: int
    others: int
    examples: int
    lines: tuple[HardnessLine, ...]
    everybody: int
    unsolved: int
    nobody: tuple[str, ...]
    solo: int
    alone: tuple[tuple[str, str], ...]
    in_words: bool


@dataclass(frozen=True)
class Verdicts:
    """Which models are right on which of the `examples`, the best models first.

    `right` has a value for each example, by the model's id. `answers` are the labels that models gave, None
    where there was no valid one; only of examples whose texts are known, and of answers that are labels.
    `others` have predictions too, but are not among the counted.
    """

    examples: Examples
    right: Mapping[str, Sequence[bool]]
    answers: Mapping[str, Sequence[str | None]]
    others: int
    in_words: bool

    @cached_property
    def counts(self) -> list[int]:
        """How many models are right on each example."""
        return [sum(column) for column in zip(*self.right.values(), strict=True)]

    @property
    def texts(self) -> tuple[str, ...] | None:
        """The examples' texts, where these may be shown and answers to them are known."""
        return self.examples.texts if self.answers else None


#: Metrics that are the share of right answers, in per cent.
SHARES = ("accuracy", EXACT)


def verdicts(
    store: Store, examples: Examples, results: Iterable[Result], base: MetricSpec
) -> Verdicts | None:
    """Who is right on which example; `results` are the best first. None where that is known of no model.

    Values in place of answers are right at the upper end of the range of the `base` metric, if all models'
    are at one of its ends.

    Raises `UserError` where a file is not what the store wrote.
    """
    files = [(result.model.id, path) for result in results if (path := store.predictions_file(result))]
    ids, in_words = examples.ids_sha256, False
    right: dict[str, Sequence[bool]] = {}
    answers: dict[str, Sequence[str | None]] = {}
    for model, path in files[:COUNTED]:
        document = document_of(path)
        if document["ids_sha256"] == ids and _is_graded(document, base):
            return None
        if document["ids_sha256"] != ids or (own := _right(document, examples, base)) is None:
            continue
        right[model], in_words = own, "answers" in document
        if examples.texts is not None and "predicted" in document:
            labels = [*document["labels"], None]  # the last place is for -1, no valid answer
            answers[model] = [labels[place] for place in document["predicted"]]
    return Verdicts(examples, right, answers, max(len(files) - COUNTED, 0), in_words) if right else None


def document_of(path: Path) -> dict[str, Any]:
    """Predictions as JSON. Raises `UserError`."""
    return parse_document(path.read_bytes(), path)


def _right(document: dict[str, Any], examples: Examples, base: MetricSpec) -> list[bool] | None:
    """Whether each answer is right, of all trials in turn; None where nobody knows, or a judge says so."""
    if base.name in document.get("human", ()):
        return None
    if not _is_answered(document):
        column, ends = document["values"].get(base.name), right_and_wrong(base)
        return [value == ends[0] for value in column] if column and ends and None not in column else None
    if "predicted" in document and examples.gold is not None:
        places = {label: index for index, label in enumerate(examples.labels)}
        # The last place is for -1, no valid answer, which no gold label equals.
        means = [places.get(examples.merge.get(label, label), -1) for label in document["labels"]] + [-1]
        trials = document.get("trials", 1)
        gold = (label for label in examples.gold for _ in range(trials))
        return [means[answer] == label for answer, label in zip(document["predicted"], gold, strict=True)]
    if exact := (document.get("scores") or {}).get(EXACT):
        return [share == document["resolution"] for share in exact]
    return None


def _is_graded(document: dict[str, Any], base: MetricSpec) -> bool:
    """Whether some examples may be partly right: by values in place of answers, or by several answers."""
    if _is_answered(document):
        return bool(document.get("trials", 1) > 1)
    column, ends = (document.get("values") or {}).get(base.name, ()), right_and_wrong(base) or ()
    return bool(column) and (document.get("trials", 1) > 1 or not {*column} <= {*ends, None})


def main_of(boards: Boards, view: BoardView, dataset: DatasetView) -> MetricSpec:
    """The metric that a dataset's examples are compared by: the board's base, or what a score of several
    datasets is made of there."""
    main = view.assembled.mains.get(dataset.spec.id) if view.base.name == SCORE else None
    return (boards.metric_of(dataset.spec.id, main.name) if main else None) or view.base.spec


def _is_answered(document: Mapping[str, Any]) -> bool:
    """Whether it has answers, rather than values alone."""
    return "predicted" in document or "answers" in document


def right_and_wrong(base: MetricSpec) -> tuple[float, float] | None:
    """The values of a metric on examples that are right and on those that are wrong; None where it is a cost,
    or has no range."""
    bounds = base.bounds if base.direction == "higher" else None
    return (bounds[1], bounds[0]) if bounds else None


def hardness_of(found: Verdicts) -> Hardness:
    """How many models get how many of the examples right."""
    counts, models = found.counts, len(found.right)
    nobody = [id_ for id_, count in zip(found.examples.ids, counts, strict=True) if count == 0]
    alone = [at for at, count in enumerate(counts) if count == 1 < models]
    solver = {at: next(model for model, own in found.right.items() if own[at]) for at in alone}
    return Hardness(
        models=models,
        others=found.others,
        examples=len(counts),
        lines=lines(counts, models),
        everybody=sum(count == models for count in counts),
        unsolved=len(nobody),
        nobody=tuple(nobody[:UNSOLVED]),
        solo=len(alone),
        alone=tuple((found.examples.ids[at], solver[at]) for at in alone[:UNSOLVED]),
        in_words=found.in_words,
    )


@dataclass(frozen=True)
class HardestExamples:
    """Of a metric that is a number an example: the first ids, the hardest example first, and the means of
    `models` models."""

    models: int
    rows: tuple[tuple[str, float], ...]


def hardest_examples(
    store: Store, examples: Examples, results: Iterable[Result], base: MetricSpec
) -> HardestExamples | None:
    """The hardest examples by their values of the `base` metric; None where no two models have values.

    `results` are the best first. A model that lacks examples is left out. Raises `UserError`.
    """
    columns: list[list[float]] = []
    for result in results:
        path = store.predictions_file(result)
        document = document_of(path) if path and len(columns) < COUNTED else {}
        judged = base.name in document.get("human", ())
        column = None if judged else (document.get("values") or {}).get(base.name)
        if base.name in SHARES and (right := _right(document, examples, base) if document else None):
            column = [100.0 * one for one in right]
        if column and None not in column and document["ids_sha256"] == examples.ids_sha256:
            columns.append(_example_means(column, document.get("trials", 1)))
    if len(columns) < 2:
        return None
    means = [math.fsum(own) / len(columns) for own in zip(*columns, strict=True)]
    sign = 1 if base.direction == "higher" else -1
    hardest = sorted(range(len(means)), key=lambda at: (sign * means[at], at))[:UNSOLVED]
    return HardestExamples(len(columns), tuple((examples.ids[at], means[at]) for at in hardest))


def _example_means(column: Sequence[float], trials: int) -> list[float]:
    return [math.fsum(column[at : at + trials]) / trials for at in range(0, len(column), trials)]


def lines(counts: Sequence[int], models: int) -> tuple[HardnessLine, ...]:
    """A line for no model and for each number of them, or for equal steps of numbers where they are many."""
    step = -(-models // (LINES - 1))
    bounds = [(0, 0), *((low, min(low + step - 1, models)) for low in range(1, models + 1, step))]
    by_count = Counter(counts)
    return tuple(HardnessLine(a, b, sum(by_count[count] for count in range(a, b + 1))) for a, b in bounds)
