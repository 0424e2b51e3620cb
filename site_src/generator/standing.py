"""How a model stands among the others: its strengths, weaknesses and nearest rivals."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluator.rank.certainty_sentences import alone_sentence, difference_sentence
from evaluator.records.base import TIMING
from evaluator.records.board import BoardEntry
from evaluator.records.board.score import SCORE
from evaluator.records.result import Result, Score
from evaluator.score.standard_errors import wilson
from site_src.generator import formats
from site_src.generator.breakdowns import FEW
from site_src.generator.pages.board import BoardView
from site_src.generator.pages.examples import Verdicts
from site_src.generator.table import RowView, label_of

#: With fewer models than this, a median says nothing of the others.
MODELS = 3
#: Parts that the figure shows, those furthest from the median.
SHOWN = 12
#: Parts that a sentence names.
SAID = 3
#: An example is hard where at most this share of the models is right.
HARD = 0.5


class Part(NamedTuple):
    """Something that models can be compared on: examples of one dataset, in one revision of them.

    `kind` is tag, dataset, suite or difficulty; `name` a tag or a suite, `value` that of the tag. `same` says
    which examples and which definition, as scores are compared only on the same.
    """

    kind: str
    dataset: str
    same: str
    metric: str
    name: str = ""
    value: str = ""


class PartScore(NamedTuple):
    """A model's score on a part, in per cent of so many examples.

    Of a judge's score `labels` are how many labels of people it is worth there; None of all others.
    """

    score: float
    examples: int
    labels: int | None = None


@dataclass(frozen=True)
class AgainstMedian:
    """A model beside the median on one part, by a `metric` as people know it.

    `gain` is in points, positive where the model is better. `clear` says that the median is outside
    the 95 % interval of the model's own score.
    """

    part: Part
    words: str
    metric: str
    own: float
    median: float
    examples: int
    gain: float
    clear: bool


@dataclass(frozen=True)
class Strengths:
    """What a model's page says of its strengths: sentences, and the parts that the figure shows."""

    sentences: tuple[str, ...]
    standings: tuple[AgainstMedian, ...]


@dataclass(frozen=True)
class BoardParts:
    """What all models of a board reach: by model its readings, by part the median of all that have one."""

    readings: Mapping[str, Mapping[Part, PartScore]]
    medians: Mapping[Part, float]


def field_of(board: BoardView, verdicts: Mapping[str, Verdicts]) -> BoardParts:
    """The readings of all models of a board; `verdicts` by dataset, where answers are known."""
    readings = {row.entry.id: dict(_readings(board, row.entry, verdicts)) for row in board.rows}
    by_part: dict[Part, list[float]] = defaultdict(list)
    for own in readings.values():
        for part, reading in own.items():
            by_part[part].append(reading.score)
    medians = {part: statistics.median(scores) for part, scores in by_part.items() if len(scores) >= MODELS}
    return BoardParts(readings, medians)


def _readings(
    board: BoardView, entry: BoardEntry, verdicts: Mapping[str, Verdicts]
) -> Iterator[tuple[Part, PartScore]]:
    base = board.base.name
    for result in entry.results.values():
        at, examples = result.dataset.id, result.dataset.examples
        score = result.scores.get(base)
        if base not in TIMING:
            if score and score.unit == "%" and examples:
                reading = PartScore(score.value, examples, _labels(board, result, score, 1.0))
                yield Part("dataset", at, _same(result, score), base), reading
            yield from _of_tags(board, result, base)
        for name, scores in result.suites.items():
            if scores.examples >= FEW and at not in entry.one_answer:
                part = Part("suite", at, scores.suite, "agreement", name)
                yield part, PartScore(scores.agreement, scores.examples)
        found = verdicts.get(at)
        if found and entry.id in found.right and result.dataset.revision == found.examples.revision:
            yield from _of_difficulty(result, found, found.right[entry.id])


def _of_tags(board: BoardView, result: Result, base: str) -> Iterator[tuple[Part, PartScore]]:
    for tag, values in result.tags.items():
        for value, scored in values.items():
            name = base if base in scored.scores else next(iter(scored.scores), base)
            score = result.scores.get(name)
            if score and score.unit == "%" and scored.examples >= FEW and name in scored.scores:
                part = Part("tag", result.dataset.id, _same(result, score), name, tag, value)
                labels = _labels(
                    board, result, score, scored.examples / (result.dataset.examples or scored.examples)
                )
                yield part, PartScore(scored.scores[name], scored.examples, labels)


def _labels(board: BoardView, result: Result, score: Score, share: float) -> int | None:
    """How many labels of people a judge's score, or one made of it, is worth on a share of the examples."""
    main = board.assembled.mains.get(result.dataset.id)
    whole = result.scores.get(main.name) if main and score is result.scores.get(SCORE) else score
    judged = whole.judged if whole else None
    return None if judged is None else max(1, round(share * (judged.worth or judged.labels)))


def _same(result: Result, score: Score) -> str:
    return f"{result.dataset.revision} {score.version}"


def _of_difficulty(
    result: Result, found: Verdicts, right: Sequence[bool]
) -> Iterator[tuple[Part, PartScore]]:
    """Shares of right answers among the examples on which few and on which many models are right."""
    if len(found.right) < MODELS:
        return
    limit = HARD * len(found.right)
    for name, hard in (("hard", True), ("easy", False)):
        own = [
            is_right for is_right, count in zip(right, found.counts, strict=True) if (count <= limit) == hard
        ]
        if len(own) >= FEW:
            part = Part("difficulty", result.dataset.id, found.examples.revision, "right", name)
            yield part, PartScore(100 * sum(own) / len(own), len(own))


def strengths_of(board: BoardView, field: BoardParts, model: str) -> Strengths | None:
    """Where a model stands beside the median; None where nothing can be compared."""
    found = [
        _standing(board, part, reading, field.medians[part])
        for part, reading in field.readings[model].items()
        if part in field.medians
    ]
    if not found:
        return None
    furthest = sorted(found, key=lambda one: (-abs(one.gain), one.part))[:SHOWN]
    # The strongest part first.
    return Strengths(_sentences(found), tuple(sorted(furthest, key=lambda one: (-one.gain, one.part))))


def _standing(board: BoardView, part: Part, reading: PartScore, median: float) -> AgainstMedian:
    lower = part.kind in ("dataset", "tag") and board.base.spec.direction == "lower"
    # Wilson's interval, with the score taken as a share of its examples.
    share = min(max(reading.score / 100, 0.0), 1.0)
    sample = reading.examples if reading.labels is None else reading.labels
    low, high = wilson(round(share * sample), sample)
    known = {"suite": "unchanged answers", "difficulty": "right answers"}
    labels = {column.name: column.label for column in board.columns}
    return AgainstMedian(
        part=part,
        words=_words(board, part),
        metric=known.get(part.kind) or labels.get(part.metric) or label_of(part.metric),
        own=reading.score,
        median=median,
        examples=reading.examples,
        gain=median - reading.score if lower else reading.score - median,
        clear=not 100 * low <= median <= 100 * high,
    )


def _words(board: BoardView, part: Part) -> str:
    """The part as a sentence names it; the dataset only where the board has several."""
    labels = {dataset.spec.id: dataset.spec.label for dataset in board.datasets}
    where = _name(labels[part.dataset])
    on = f" on {where}" if len(labels) > 1 else ""
    if part.kind == "dataset":
        return f"all of {where}"
    if part.kind == "tag":
        return f"{_name(part.name)} “{_name(part.value)}”{on}"
    if part.kind == "suite":
        return f"the suite {_name(part.name)}{on}"
    return f"the {part.name} examples{on}"


def _name(text: str) -> str:
    return formats.isolated(formats.shortened(text, 60))


def _sentences(found: Sequence[AgainstMedian]) -> tuple[str, ...]:
    clear = [one for one in found if one.clear]
    better = sorted((one for one in clear if one.gain > 0), key=lambda one: (-one.gain, one.part))
    worse = sorted((one for one in clear if one.gain < 0), key=lambda one: (one.gain, one.part))
    sentences = []
    for how, several in (("Better", better), ("Worse", worse)):
        named = [f"{s.words} ({formats.number(s.own)} against {formats.number(s.median)})" for s in several]
        if named:
            parts = formats.listed(named[:SAID], len(named) - SAID)
            sentences.append(f"{how} than the board's median on {parts}.")
    if level := len(found) - len(better) - len(worse):
        where = f"{'the other' if better or worse else 'all'} {formats.counted(level, 'part')}"
        sentences.append(f"On {where} its difference from the median may be chance.")
    return tuple(sentences)


#: Examples that a list shows.
NAMED = 3


@dataclass(frozen=True)
class ReadExample:
    """An example that may be read: its text, the right label, and two answers."""

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
    neighbours = [ranked[place] for place in (at - 1, at + 1) if 0 <= place < len(ranked)]
    return tuple(
        Rival(other, tuple(_rival_sentences(board, row, other)), tuple(_lists(board, row, other, verdicts)))
        for other in neighbours
    )


def _rival_sentences(board: BoardView, row: RowView, other: RowView) -> Iterator[str]:
    compare = board.certainty.compare
    found = compare(row.entry.id, other.entry.id) if compare else None
    yield difference_sentence((row.score or 0.0) - (other.score or 0.0), found)
    if row.ranks and other.ranks:
        own, others = (
            f"{'rank' if ranks.words.isdigit() else 'ranks'} {ranks.words}"
            for ranks in (row.ranks, other.ranks)
        )
        yield f"With other examples this model could be at {own}, the other at {others}."
    for name, alone in (found.alone if found else {}).items():
        label = next(column.label for column in board.columns if column.name == name)
        yield alone_sentence(label, *alone, found.p_values.get(name) if found else None)


def _lists(
    board: BoardView, row: RowView, other: RowView, verdicts: Mapping[str, Verdicts]
) -> Iterator[ReadList]:
    labels = {dataset.spec.id: dataset.spec.label for dataset in board.datasets}
    models = row.entry.id, other.entry.id
    for dataset, found in verdicts.items():
        if not found.texts or not found.answers.keys() >= set(models):
            continue
        examples, gold = found.examples, found.examples.gold or ()
        pairs = list(zip(*(found.right[model] for model in models), strict=True))
        for own_right in (True, False):
            places = [at for at, pair in enumerate(pairs) if pair == (own_right, not own_right)]
            listed = tuple(
                ReadExample(
                    found.texts[at],
                    examples.labels[gold[at]],
                    *(found.answers[model][at] for model in models),
                )
                for at in places[:NAMED]
            )
            yield ReadList(dataset, labels[dataset], own_right, listed, len(places) - len(listed))
