"""What the page of a perturbation suite shows: what it is made of, and how well models withstand it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from evaluator.records.datasets import Made, Sample, SuiteCard
from site_src.generator.views import formats
from site_src.generator.views.board import BoardView
from site_src.generator.views.changes import ChangedPiece, compared
from site_src.generator.views.datasets import DatasetView
from site_src.generator.views.facts import Fact
from site_src.generator.views.suites import (
    WARNINGS,
    Explained,
    SuiteView,
    changes,
    explained,
    label_of,
    made_by,
    option_text,
    spaced,
    suite_views,
    transformations_of,
)

#: What a transformation does, by its name in small letters alone, up to a hyphen.
DOES = {
    "contraction": "Contracts what is written out, and writes out what is contracted: it is, it's.",
    "keyboard": "Replaces a letter of some words by a neighbour on the keyboard.",
    "ocr": "Replaces letters of some words by ones that optical recognition takes them for.",
    "punctuation": "Adds or changes punctuation around a text.",
    "spelling": "Misspells some words as they commonly are.",
    "spellingerror": "Misspells some words as they commonly are.",
    "typos": "Swaps, drops, adds or replaces a letter of some words.",
    "wordcase": "Puts a text in capitals, in small letters or in title case.",
    "gender": "Changes the gender of pronouns, nouns and first names throughout an example.",
    "ethnicity": "Replaces first names by ones typical of another group, of the same gender.",
    "placebo": "Replaces first names by others of the same group and gender.",
    "neutral": "Replaces gendered words by neutral ones.",
}
#: Characters of an option that are shown.
OPTION = 400


@dataclass(frozen=True)
class FieldChange:
    """One field of an example before and after."""

    field: str
    before: tuple[ChangedPiece, ...]
    after: tuple[ChangedPiece, ...]


@dataclass(frozen=True)
class SampleView:
    """One variant to look at, with all of its fields."""

    example: str
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True)
class TransformationView:
    """One transformation: what it does, with which options, to how many examples."""

    name: str
    does: str | None
    options: str
    made: Made
    samples: tuple[SampleView, ...]


@dataclass(frozen=True)
class TriedRow:
    """One model on the suite."""

    id: str
    label: str
    view: SuiteView


@dataclass(frozen=True)
class SuitePage:
    """Everything on a suite's page. `others` were tried with the suite as it was made before."""

    board: BoardView
    dataset: DatasetView
    card: SuiteCard
    label: str
    changes: str
    explained: Explained
    warning: str | None
    facts: tuple[Fact, ...]
    identity: tuple[Fact, ...]
    transformations: tuple[TransformationView, ...]
    models: tuple[TriedRow, ...]
    others: tuple[TriedRow, ...]
    untried: tuple[str, ...]

    @property
    def unclear(self) -> bool:
        """Whether any example was left out because its text does not show what a word is."""
        return any(item.made.undecided for item in self.transformations)

    @property
    def placebo(self) -> bool:
        """Whether any model has a placebo to read its number against."""
        return any(row.view.placebo is not None for row in self.models)


def suite_page(board: BoardView, dataset: DatasetView, card: SuiteCard) -> SuitePage:
    """Lay out one suite of one of the board's datasets."""
    columns = {column.name: column for column in board.columns}
    tried = sorted(_tried(board, card), key=lambda row: (-row.view.scores.agreement, row.label, row.id))
    known = {row.id for row in tried}
    return SuitePage(
        board=board,
        dataset=dataset,
        card=card,
        label=label_of(card.name, columns),
        changes=changes(card.suite_kind),
        explained=explained(card.task, card.suite_kind),
        warning=WARNINGS.get(card.suite_kind),
        facts=_facts(card),
        identity=_identity(card),
        transformations=tuple(
            _transformation(card, name, made) for name, made in card.transformations.items()
        ),
        models=tuple(row for row in tried if not row.view.other),
        others=tuple(row for row in tried if row.view.other),
        untried=tuple(row.entry.label for row in board.rows if row.entry.id not in known),
    )


def _tried(board: BoardView, card: SuiteCard) -> Iterator[TriedRow]:
    columns = {column.name: column for column in board.columns}
    for row in board.rows:
        result = row.entry.results.get(card.dataset.id)
        views = suite_views(result, columns, [card]) if result else ()
        yield from (TriedRow(row.entry.id, row.entry.label, view) for view in views if view.name == card.name)


def _facts(card: SuiteCard) -> tuple[Fact, ...]:
    return (
        ("Kind", card.suite_kind),
        ("Variants", formats.count(card.variants)),
        ("Made by", made_by(card.spec)),
    )


def _identity(card: SuiteCard) -> tuple[Fact, ...]:
    """What says that two suites are the same, which few readers need."""
    return (
        ("Seed", f"{card.seed}"),
        ("Suite hash", card.suite),
        ("Dataset", card.dataset.id),
        ("Dataset revision", card.dataset.revision or "not stated"),
        ("Written by", card.tool),
    )


def _transformation(card: SuiteCard, name: str, made: Made) -> TransformationView:
    stated = transformations_of(card.spec).get(name, {})
    return TransformationView(
        name=name,
        does=_does(name),
        options=_options(stated),
        made=made,
        samples=_samples(card, name),
    )


def _does(name: str) -> str | None:
    whole = name.lower().replace("-", "")
    return DOES.get(whole) or DOES.get(name.lower().split("-")[0])


def _options(stated: Mapping[str, Any]) -> str:
    """All options on a line, and the version of the transformation."""
    options = stated.get("options")
    given = options.items() if isinstance(options, Mapping) else ()
    found = [f"{spaced(str(name))}: {option_text(value)}" for name, value in given]
    if "version" in stated:
        found.append(f"version: {option_text(stated['version'])}")
    return " · ".join(formats.shortened(text, OPTION) for text in found)


def _samples(card: SuiteCard, name: str) -> tuple[SampleView, ...]:
    own = [sample for sample in card.samples if sample.transformation == name]
    return tuple(
        SampleView(example, tuple(map(_change, fields)))
        for example, fields in groupby(own, key=lambda sample: sample.example)
    )


def _change(sample: Sample) -> FieldChange:
    return FieldChange(sample.field, *compared(sample.before, sample.after))
