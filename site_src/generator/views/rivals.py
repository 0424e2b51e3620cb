"""A model beside those next to it in the ranking: how far apart, and on which examples they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluator.rank.certainty_sentences import alone_sentence, difference_sentence
from site_src.generator.views.board import BoardView
from site_src.generator.views.examples import Verdicts
from site_src.generator.views.rows import RowView

#: Examples that a list shows.
LISTED = 3


@dataclass(frozen=True)
class ReadExample:
    """An example that may be read: its place in the dataset, its text, the right label, and two answers."""

    at: int
    text: str
    gold: str
    own: str | None
    other: str | None


@dataclass(frozen=True)
class ReadList:
    """Examples of a dataset on which just one of two models is right; `more` are not listed."""

    dataset: str
    label: str
    own_right: bool
    examples: tuple[ReadExample, ...]
    more: int


@dataclass(frozen=True)
class Rival:
    """A neighbour in the ranking, what is known of the difference, and examples that show it."""

    row: RowView
    sentences: tuple[str, ...]
    lists: tuple[ReadList, ...]


def rivals_of(board: BoardView, row: RowView, verdicts: Mapping[str, Verdicts]) -> tuple[Rival, ...]:
    """The ranked models above and below one; none for a model without a rank."""
    if row.rank is None:
        return ()
    ranked, at = board.ranked_rows, board.ranked_places[row.entry.id]
    near = [ranked[place] for place in (at - 1, at + 1) if 0 <= place < len(ranked)]
    return tuple(
        Rival(other, tuple(_sentences(board, row, other)), tuple(_lists(board, row, other, verdicts)))
        for other in near
    )


def _sentences(board: BoardView, row: RowView, other: RowView) -> Iterator[str]:
    compare = board.sure.compare
    found = compare(row.entry.id, other.entry.id) if compare else None
    yield difference_sentence((row.score or 0.0) - (other.score or 0.0), found)
    if row.ranks and other.ranks:
        yield f"This model may hold {_ranks(row)}, the other {_ranks(other)}."
    for name, (own, others) in (found.alone if found else {}).items():
        label = next(column.label for column in board.columns if column.name == name)
        yield alone_sentence(label, own, others, found.p_values.get(name) if found else None)


def _ranks(row: RowView) -> str:
    words = row.ranks.words if row.ranks else ""
    return f"rank {words}" if words.isdigit() else f"ranks {words}"


def _lists(
    board: BoardView, row: RowView, other: RowView, verdicts: Mapping[str, Verdicts]
) -> Iterator[ReadList]:
    labels = {dataset.spec.id: dataset.spec.label for dataset in board.datasets}
    for dataset, found in verdicts.items():
        if found.texts and {row.entry.id, other.entry.id} <= found.answers.keys():
            for own_right in (True, False):
                yield _list(dataset, labels[dataset], found, (row.entry.id, other.entry.id), own_right)


def _list(dataset: str, label: str, found: Verdicts, models: tuple[str, str], own_right: bool) -> ReadList:
    own, other = (found.right[model] for model in models)
    places = [
        at for at, pair in enumerate(zip(own, other, strict=True)) if pair == (own_right, not own_right)
    ]
    examples, gold = found.examples, found.examples.gold or ()
    listed = tuple(
        ReadExample(
            at,
            (examples.texts or ())[at],
            examples.labels[gold[at]],
            *(found.answers[model][at] for model in models),
        )
        for at in places[:LISTED]
    )
    return ReadList(dataset, label, own_right, listed, len(places) - len(listed))
