"""The page on which a dataset's examples are read, by tag, with right labels and what models answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from site_src.generator.pages.dataset_page import BESIDE
from site_src.generator.views import formats
from site_src.generator.views.board import BoardView
from site_src.generator.views.datasets import DatasetView
from site_src.generator.views.examples import Verdicts

#: Examples that are listed of one value of a tag, the hardest ones.
LISTED = 100


@dataclass(frozen=True)
class AnswerCell:
    """What a model answered, None without a valid answer, and whether that is right."""

    label: str | None
    right: bool


@dataclass(frozen=True)
class ExampleRow:
    """One example: its id, its text, its right label, and the answers in the order of the page's models."""

    id: str
    text: str
    gold: str
    right: int
    answers: tuple[AnswerCell, ...]


@dataclass(frozen=True)
class ExampleGroup:
    """The examples with one value of a tag, the hardest first; `tag` is empty for those without any tag."""

    tag: str
    value: str
    anchor: str
    examples: int
    shares: tuple[float, ...]
    rows: tuple[ExampleRow, ...]


@dataclass(frozen=True)
class ExamplesPage:
    """Everything on the page of a dataset's examples. `counted` models say how hard an example is."""

    dataset: DatasetView
    models: tuple[tuple[str, str], ...]
    counted: int
    groups: tuple[ExampleGroup, ...]


def examples_page(board: BoardView, dataset: DatasetView, known: Verdicts) -> ExamplesPage:
    """Lay out the examples of a dataset, whose texts and right labels are `known`."""
    models = list(known.answers)[:BESIDE]
    labels = {entry.id: entry.label for entry in board.assembled.entries.values()}
    return ExamplesPage(
        dataset=dataset,
        models=tuple((model, labels[model]) for model in models),
        counted=len(known.right),
        groups=tuple(_group(known, models, *named) for named in _groups(known)),
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
    hardest = sorted(places, key=lambda at: (known.counts[at], at))
    return ExampleGroup(
        tag=tag,
        value=value,
        anchor=formats.anchor(tag, value),
        examples=len(places),
        shares=tuple(sum(known.right[model][at] for at in places) / len(places) for model in models),
        rows=tuple(_row(known, models, at) for at in hardest[:LISTED]),
    )


def _row(known: Verdicts, models: Sequence[str], at: int) -> ExampleRow:
    examples = known.examples
    return ExampleRow(
        id=examples.ids[at],
        text=(examples.texts or ())[at],
        gold=examples.labels[(examples.gold or ())[at]],
        right=known.counts[at],
        answers=tuple(AnswerCell(known.answers[model][at], known.right[model][at]) for model in models),
    )
