"""How a model stands among the others: its strengths, weaknesses and nearest rivals."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from evaluator.rank.certainty_sentences import alone_sentence, difference_sentence
from evaluator.records.base import TIMING
from evaluator.records.result import Result, Score
from evaluator.score.certainty import wilson
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
#: Half the width of a bar's own coordinates.
HALF = 100
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
    """A model's score on a part, in per cent of so many examples."""

    score: float
    examples: int


@dataclass(frozen=True)
class AgainstMedian:
    """A model beside the median on one part, by a `metric` as people know it.

    `gain` is in points, positive where the model is better. `clear` says that the median is outside
    the 95 % interval of the model's own score. `length` is that of the bar, at most `HALF`.
    """

    part: Part
    words: str
    metric: str
    own: float
    median: float
    examples: int
    gain: float
    clear: bool
    length: float


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
    readings = {
        row.entry.id: dict(_readings(board, row.entry.results.values(), row.entry.id, verdicts))
        for row in board.rows
    }
    by_part: dict[Part, list[float]] = defaultdict(list)
    for own in readings.values():
        for part, reading in own.items():
            by_part[part].append(reading.score)
    medians = {part: statistics.median(scores) for part, scores in by_part.items() if len(scores) >= MODELS}
    return BoardParts(readings, medians)


def _readings(
    board: BoardView, results: Iterable[Result], model: str, verdicts: Mapping[str, Verdicts]
) -> Iterator[tuple[Part, PartScore]]:
    base = board.base.name
    for result in results:
        if base not in TIMING:
            yield from _of_dataset(result, base)
            yield from _of_tags(result, base)
        yield from _of_suites(result)
        found = verdicts.get(result.dataset.id)
        if found and model in found.right and result.dataset.revision == found.examples.revision:
            yield from _of_difficulty(result, found, found.right[model])


def _of_dataset(result: Result, base: str) -> Iterator[tuple[Part, PartScore]]:
    score, examples = result.scores.get(base), result.dataset.examples
    if score and score.unit == "%" and examples:
        part = Part("dataset", result.dataset.id, _same(result, score), base)
        yield part, PartScore(score.value, examples)


def _of_tags(result: Result, base: str) -> Iterator[tuple[Part, PartScore]]:
    for tag, values in result.tags.items():
        for value, scored in values.items():
            name = base if base in scored.scores else next(iter(scored.scores), base)
            score = result.scores.get(name)
            if score and score.unit == "%" and scored.examples >= FEW and name in scored.scores:
                part = Part("tag", result.dataset.id, _same(result, score), name, tag, value)
                yield part, PartScore(scored.scores[name], scored.examples)


def _same(result: Result, score: Score) -> str:
    return f"{result.dataset.revision} {score.version}"


def _of_suites(result: Result) -> Iterator[tuple[Part, PartScore]]:
    for name, scores in result.suites.items():
        if scores.examples >= FEW:
            part = Part("suite", result.dataset.id, scores.suite, "agreement", name)
            yield part, PartScore(scores.agreement, scores.examples)


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
    return Strengths(_sentences(found), _drawn(furthest))


def _standing(board: BoardView, part: Part, reading: PartScore, median: float) -> AgainstMedian:
    lower = part.kind in ("dataset", "tag") and board.base.spec.direction == "lower"
    return AgainstMedian(
        part=part,
        words=_words(board, part),
        metric=_metric(board, part),
        own=reading.score,
        median=median,
        examples=reading.examples,
        gain=median - reading.score if lower else reading.score - median,
        clear=_is_clear(reading, median),
        length=0.0,
    )


def _is_clear(reading: PartScore, median: float) -> bool:
    """Whether the median is outside Wilson's 95 % interval of the score, taken as a share of its examples."""
    share = min(max(reading.score / 100, 0.0), 1.0)
    low, high = wilson(round(share * reading.examples), reading.examples)
    return not 100 * low <= median <= 100 * high


def _metric(board: BoardView, part: Part) -> str:
    known = {"suite": "unchanged answers", "difficulty": "right answers"}
    labels = {column.name: column.label for column in board.columns}
    return known.get(part.kind) or labels.get(part.metric) or label_of(part.metric)


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
    level = len(found) - len(better) - len(worse)
    sentences = [_sentence("Better", better), _sentence("Worse", worse), _level(level, bool(better or worse))]
    return tuple(sentence for sentence in sentences if sentence)


def _sentence(how: str, standings: Sequence[AgainstMedian]) -> str:
    if not standings:
        return ""
    items = [
        f"{s.words} ({formats.number(s.own)} against {formats.number(s.median)})" for s in standings[:SAID]
    ]
    return f"{how} than the board's median on {formats.listed(items, len(standings) - SAID)}."


def _level(count: int, others: bool) -> str:
    if not count:
        return ""
    where = (
        f"the other {formats.counted(count, 'part')}" if others else f"all {formats.counted(count, 'part')}"
    )
    return f"On {where} compared it is level with the median, as far as the examples can tell."


def _drawn(standings: Iterable[AgainstMedian]) -> tuple[AgainstMedian, ...]:
    """The strongest part first, with the length of its bar."""
    ordered = sorted(standings, key=lambda one: (-one.gain, one.part))
    most = max((abs(one.gain) for one in ordered), default=0.0) or 1.0
    return tuple(replace(one, length=HALF * abs(one.gain) / most) for one in ordered)


#: Examples that a list shows.
NAMED = 3


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
        Rival(other, tuple(_rival_sentences(board, row, other)), tuple(_lists(board, row, other, verdicts)))
        for other in near
    )


def _rival_sentences(board: BoardView, row: RowView, other: RowView) -> Iterator[str]:
    compare = board.certainty.compare
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
        for at in places[:NAMED]
    )
    return ReadList(dataset, label, own_right, listed, len(places) - len(listed))
