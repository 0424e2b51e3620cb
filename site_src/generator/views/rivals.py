"""A model beside those next to it in the ranking: how far apart, and on which examples they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluator.rank.rank_sets import Comparison
from evaluator.rank.significance import CONFIDENCE
from site_src.generator.views import formats
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
    yield _scores(row, other, found)
    if row.ranks and other.ranks:
        yield f"This model may hold {_ranks(row)}, the other {_ranks(other)}."
    for name, (own, others) in (found.alone if found else {}).items():
        label = next(column.label for column in board.columns if column.name == name)
        yield _alone(label, own, others, found.p_values.get(name) if found else None)


def _ranks(row: RowView) -> str:
    words = row.ranks.words if row.ranks else ""
    return f"rank {words}" if words.isdigit() else f"ranks {words}"


def _scores(row: RowView, other: RowView, found: Comparison | None) -> str:
    difference = (row.score or 0.0) - (other.score or 0.0)
    where = "above" if difference > 0 else "below" if difference < 0 else "beside"
    text = f"Its Dynascore is {formats.number(abs(difference))} {where} this rival's"
    if found is None or found.interval is None:
        return f"{text}; how sure that is, is not known."
    low, high = found.interval
    between = f"{formats.signed(low)} to {formats.signed(high)}"
    sure = "so they are told apart" if low > 0 or high < 0 else "so they are not told apart"
    return f"{text}; the {round(100 * CONFIDENCE)} % interval of the difference is {between}, {sure}."


def _alone(label: str, own: int, others: int, p_value: float | None) -> str:
    """Who alone is right how often, and what McNemar's exact test says of it."""
    alone = formats.counted(own, "example")
    text = f"{label}: only this model gets {alone} right, only the other {formats.count(others)}"
    if p_value is None:
        return f"{text}. The examples share sources, so they are no independent tests."
    if p_value >= 1 - CONFIDENCE:
        return f"{text}, which may be chance (exact McNemar test, p = {_p(p_value)})."
    return f"{text}, which is more than chance (exact McNemar test, p {_p_words(p_value)})."


def _p(value: float) -> str:
    return formats.number(value, 3)


def _p_words(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {_p(value)}"


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
