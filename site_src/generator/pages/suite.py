"""The page of a suite: what it changes in texts, and how models bear it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, Literal

from evaluator.records.datasets import Made, SuiteCard
from site_src.generator import endpoints, formats
from site_src.generator.breakdowns import (
    WARNINGS,
    SuiteView,
    changes,
    explained,
    made_by,
    option_text,
    spaced,
    suite_label,
    suite_views,
    transformations_of,
)
from site_src.generator.datasets import DatasetView
from site_src.generator.pages.board import BoardView

if TYPE_CHECKING:
    from site_src.generator.site import Site


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
class SampleView:
    """One variant to look at: each of its fields by name, before and after."""

    example: str
    fields: tuple[tuple[str, tuple[ChangedPiece, ...], tuple[ChangedPiece, ...]], ...]


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
    one_answer: bool


def write_suite(site: Site, view: BoardView, dataset: DatasetView, card: SuiteCard) -> None:
    """Write the page of a perturbation suite, and its data."""
    columns = {column.name: column for column in view.columns}
    results = ((row.entry, row.entry.results.get(card.dataset.id)) for row in view.rows)
    tried = [
        TriedRow(entry.id, entry.label, shown, dataset.spec.id in entry.one_answer)
        for entry, result in results
        if result
        for shown in suite_views(result, columns, [card])
        if shown.name == card.name
    ]
    tried.sort(key=lambda row: (-row.view.scores.agreement, row.label, row.id))
    known = {row.id for row in tried}
    alike = [row.label for row in tried if row.one_answer]
    # Some may have been tried with the suite as it was made before.
    models, others = (
        [row for row in tried if row.view.other is other and not row.one_answer] for other in (False, True)
    )
    at = f"{view.spec.id}/suites/{dataset.spec.id}/{card.name}"
    site.write(
        f"{at}/index.html",
        "suite.html",
        4,
        view=view,
        dataset=dataset,
        card=card,
        label=suite_label(card.name, columns),
        changes=changes(card.suite_kind),
        explained=explained(card.task, card.suite_kind),
        warning=WARNINGS.get(card.suite_kind),
        made=(
            ("Kind", card.suite_kind),
            ("Variants", formats.count(card.variants)),
            ("Made by", made_by(card.spec)),
        ),
        # What says that two suites are the same, which few readers need.
        identity=(
            ("Seed", f"{card.seed}"),
            ("Suite hash", card.suite),
            ("Dataset", card.dataset.id),
            ("Dataset revision", card.dataset.revision or "not stated"),
            ("Written by", card.tool),
        ),
        transformations=[
            TransformationView(
                name=name,
                does=_does(name),
                options=_options(transformations_of(card.spec).get(name, {})),
                made=made,
                samples=_samples(card, name),
            )
            for name, made in card.transformations.items()
        ],
        # Whether any example was left out because its text does not show what a word is.
        unclear=any(made.undecided for made in card.transformations.values()),
        # Whether any model has a placebo to read its number against.
        placebo=any(row.view.placebo is not None for row in models),
        models=models,
        others=others,
        alike=alike,
        untried=[row.entry.label for row in view.rows if row.entry.id not in known],
        data_file="suite.json",
    )
    scores, older = (
        {row.id: row.view.scores for row in tried if row.view.other is other} for other in (False, True)
    )
    site.put(f"{at}/suite.json", endpoints.suite_json(view, card, scores, older))


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
        SampleView(example, tuple((one.field, *compared(one.before, one.after)) for one in fields))
        for example, fields in groupby(own, key=lambda sample: sample.example)
    )


#: A word or a sign with the white space before it: alone, white space would match everywhere.
TOKEN = re.compile(r"\s*(?:\w+|[^\w\s])|\s+")
#: Pairs of an old and a new token that are compared; a change with more is shown whole.
PAIRS = 250_000
#: Characters around a change that are shown, of a change that are shown, and pieces of a text.
AROUND, CHANGED, PIECES = 80, 400, 60
CUT = "[…]"

ChangeKind = Literal["same", "gone", "come", "cut"]


@dataclass(frozen=True)
class ChangedPiece:
    """A stretch of a text; `cut` stands for one that is left out."""

    kind: ChangeKind
    text: str


def compared(before: str, after: str) -> tuple[tuple[ChangedPiece, ...], tuple[ChangedPiece, ...]]:
    """Both texts in pieces, word by word; what is far from any change is cut out of both alike."""
    steps = list(_steps(TOKEN.findall(before), TOKEN.findall(after)))
    old: list[tuple[ChangeKind, str]] = [("same" if gone == come else "gone", gone) for gone, come in steps]
    new: list[tuple[ChangeKind, str]] = [("same" if gone == come else "come", come) for gone, come in steps]
    return _pieces(old), _pieces(new)


def _steps(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Stretches of the old text beside those of the new, equal and different ones in turn."""
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    middle = old[start : len(old) - end], new[start : len(new) - end]
    yield "".join(old[:start]), "".join(new[:start])
    for gone, come in _differences(*middle):
        space = _leading_space(gone, come) if gone != come else ""
        yield space, space
        yield gone.removeprefix(space), come.removeprefix(space)
    yield "".join(old[len(old) - end :]), "".join(new[len(new) - end :])


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """How many tokens two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _differences(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Word for word where both have as many words, else the differences that mark least."""
    small = len(old) * len(new) <= PAIRS
    steps = _closest(old, new) if small else [("".join(old), "".join(new))]
    if len(old) == len(new):
        # Each word beside the one in its place, equal and different ones in runs.
        runs = groupby(zip(old, new, strict=True), key=lambda pair: pair[0] == pair[1])
        pairs = [list(zip(*run, strict=True)) for _, run in runs]
        in_place = [("".join(gone), "".join(come)) for gone, come in pairs]
        steps = in_place if not small or _marked(in_place) <= 2 * _marked(steps) else steps
    yield from steps


def _closest(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [("".join(old[a:b]), "".join(new[c:d])) for _, a, b, c, d in matcher.get_opcodes()]


def _marked(steps: Sequence[tuple[str, str]]) -> int:
    """How many characters are marked in both texts together."""
    return sum(len(gone) + len(come) for gone, come in steps if gone != come)


def _leading_space(gone: str, come: str) -> str:
    """White space that both begin with, and that did not change."""
    spaces = (re.match(r"\s*", text) for text in (gone, come))
    first, second = (space[0] for space in spaces if space)
    return first if first == second else ""


def _pieces(steps: Sequence[tuple[ChangeKind, str]]) -> tuple[ChangedPiece, ...]:
    joined: list[ChangedPiece] = []
    for kind, text in steps:
        if joined and joined[-1].kind == kind:
            joined[-1] = ChangedPiece(kind, joined[-1].text + text)
        elif text:
            joined.append(ChangedPiece(kind, text))
    shown = [
        part for at, piece in enumerate(joined) for part in _short(piece, at == 0, at == len(joined) - 1)
    ]
    return tuple(shown) if len(shown) <= PIECES else (*shown[:PIECES], ChangedPiece("cut", CUT))


def _short(piece: ChangedPiece, first: bool, last: bool) -> tuple[ChangedPiece, ...]:
    """A piece without what is far from its neighbours."""
    text = piece.text
    if piece.kind != "same":
        return (ChangedPiece(piece.kind, formats.shortened(text, CHANGED)),)
    head, tail = text[:AROUND] if not first or last else "", text[-AROUND:] if not last or first else ""
    if len(text) <= len(head) + len(tail) + len(CUT):
        return (piece,)
    found = (ChangedPiece("same", head), ChangedPiece("cut", CUT), ChangedPiece("same", tail))
    return tuple(part for part in found if part.text)
