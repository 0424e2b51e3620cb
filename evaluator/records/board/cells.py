"""Stored results laid out as the cells of a board; what is not comparable is kept apart.

So are timings that cannot be believed. The verdict is that of the measurement (`measure.timing.noise`): a
number of an invalid timing counts as missing wherever a board is ranked, one of a suspect timing is ranked
and marked. A busy machine only makes intervals wider.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from evaluator.rank import dynascore
from evaluator.rank.dynascore import default_weights
from evaluator.records.base import TIMING
from evaluator.records.board.comparing import Incomparable, Key, comparability, incomparable
from evaluator.records.board.file import Boards
from evaluator.records.board.made import with_made_labels
from evaluator.records.board.pages import BoardSpec
from evaluator.records.board.score import (
    SCORE,
    MainMetric,
    default_dataset_weights,
    main_metrics,
    with_score,
)
from evaluator.records.board.specs import ModelSpec
from evaluator.records.datasets import TagPart
from evaluator.records.result import Result


@dataclass(frozen=True)
class DoubtfulTiming:
    """A timing on a dataset that is suspect or invalid, with the metrics of the board that it made."""

    dataset: str
    metrics: tuple[str, ...]
    verdict: Literal["suspect", "invalid"]
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.about}: its timing is {self.verdict}: {self.why}"

    @property
    def about(self) -> str:
        return f"{' and '.join(self.metrics)} on {self.dataset}"

    @property
    def why(self) -> str:
        return "; ".join(self.reasons) or "no reason is given"


@dataclass(frozen=True)
class OutdatedResult:
    """A result of other inputs than the board file and its folders give now: why, and what to do.

    `other_model` says that its answers are of another model, not only that they would be scored otherwise.
    """

    task: str
    dataset: str
    model: str
    reasons: tuple[str, ...]
    fix: str
    other_model: bool = False

    @property
    def why(self) -> str:
        return "; ".join(self.reasons)

    def plain(self) -> dict[str, Any]:
        """As plain data, beside its model."""
        return {"dataset": self.dataset, "reasons": list(self.reasons), "fix": self.fix}

    def __str__(self) -> str:
        return f"stale on {self.dataset}: {self.why}"


def doubtful_timings(result: Result, metrics: Iterable[str]) -> list[DoubtfulTiming]:
    """Why those of `metrics` that were timed are in doubt; empty where none was timed, or all is well.

    Memory has a verdict of its own, but for timings by protocols that had none.
    """
    timed = [name for name in metrics if name in TIMING and name in result.scores]
    noise = result.measurement.noise if result.measurement else None
    if noise is None:
        return []
    apart = noise.memory is not None
    found = []
    names = tuple(name for name in timed if name != "memory" or not apart)
    if names and noise.verdict != "ok":
        found.append(DoubtfulTiming(result.dataset.id, names, noise.verdict, noise.reasons))
    if "memory" in timed and noise.memory == "invalid":
        found.append(DoubtfulTiming(result.dataset.id, ("memory",), "invalid", ("too few samples",)))
    return found


@dataclass
class BoardEntry:
    """One model on a board: its results by dataset, why some cells are empty, and which are in doubt.

    `timings` are the invalid ones, which leave cells empty, and the suspect ones whose numbers are ranked.
    So are the numbers of `outdated` results. `one_answer` has the datasets with suites where it answers the
    same to everything: no change of a text can change that, so its numbers under suites say nothing of it.
    """

    id: str
    label: str
    provenance: str
    results: dict[str, Result] = field(default_factory=dict)
    stale: list[Incomparable] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    timings: list[DoubtfulTiming] = field(default_factory=list)
    outdated: list[OutdatedResult] = field(default_factory=list)
    one_answer: frozenset[str] = frozenset()

    @property
    def suspect(self) -> tuple[DoubtfulTiming, ...]:
        """The timings whose numbers are ranked and marked."""
        return tuple(timing for timing in self.timings if timing.verdict == "suspect")

    @property
    def kept_apart(self) -> tuple[str, ...]:
        """Why numbers that exist are not ranked: their timing is invalid, or they do not compare."""
        return (*(str(one) for one in self.timings if one.verdict == "invalid"), *map(str, self.stale))


@dataclass(frozen=True)
class WeighedPart:
    """A part of a dataset that a board ranks by: of which, what both are called, and what is kept of it."""

    dataset: str
    label: str
    whole: str
    kept: TagPart

    @property
    def is_dated(self) -> bool:
        """Whether it is a month, or several."""
        return all(map(re.compile(r"\d{4}-\d\d").fullmatch, self.kept.values))


@dataclass(frozen=True)
class Assembled:
    """A board's cells. `data` is what `dynascore.Board.from_dict` takes; models are sorted by id.

    `people` are shown beside the models and never ranked. `solved` names, for each dataset on which
    there is a number for people, the models that reach it on the base metric. `removed` are the models
    that the board file says were removed: nothing of them is among the cells. `tasks` are those of its
    datasets; `mains` says by dataset what its score is made of, where the board has one. `parts` are the
    parts of datasets that are ranked by in place of whole datasets, by their names among the cells.
    """

    board: BoardSpec
    data: dict[str, Any]
    entries: dict[str, BoardEntry]
    metric_weights: dict[str, float]
    dataset_weights: dict[str, float]
    timestamp: str | None
    people: dict[str, BoardEntry]
    solved: dict[str, tuple[str, ...]]
    removed: tuple[ModelSpec, ...] = ()
    tasks: tuple[str, ...] = ()
    mains: Mapping[str, MainMetric] = field(default_factory=dict)
    parts: Mapping[str, WeighedPart] = field(default_factory=dict)

    @property
    def counting(self) -> frozenset[str]:
        """The metrics that scores are made of: those with weight or, by trade-offs, the base and those traded
        for it."""
        if self.board.by == "trades":
            return frozenset({self.board.base, *self.board.trades})
        return frozenset(name for name, weight in self.metric_weights.items() if weight > 0)

    @property
    def weighed(self) -> dict[str, str]:
        """What is ranked by, datasets or parts of them, and what they are called."""
        labels: dict[str, str] = self.data["labels"]["datasets"]
        return {name: labels[name] for name in self.data["datasets"]}

    @property
    def one_answer(self) -> dict[str, list[int]]:
        """By perturbation suite, the places of the models that answer the same to everything."""
        found: dict[str, list[int]] = {}
        for place, entry in enumerate(self.entries.values()):
            silent = [entry.results[dataset] for dataset in sorted(entry.one_answer)]
            for name in dict.fromkeys(name for one in silent for name in one.suites):
                found.setdefault(name, []).append(place)
        return found

    @property
    def ranking_datasets(self) -> list[str]:
        """The datasets that are ranked by, each as a whole."""
        named = (self.parts[name].dataset if name in self.parts else name for name in self.data["datasets"])
        return list(dict.fromkeys(named))


def assemble(
    board: BoardSpec, boards: Boards, results: Iterable[Result], outdated: Sequence[OutdatedResult] = ()
) -> Assembled:
    """Lay out the results on this board's datasets as cells.

    A cell is left empty, and its model's entry says why, when the run failed, when the timing behind
    the number is invalid, or when the number is not comparable with the rest of its column
    (`comparability`): the key most results share, the newest of them on a tie, decides which ones are.
    Models have the names and cards that the board file gives them now, and columns of fairness are called by
    what was made of the texts. Entries keep those of `outdated` that are theirs.
    """
    stored = named(results, boards)
    removed = _removed(board, boards, stored)
    gone = {model.id for model in removed}
    own = [r for r in stored if boards.holds(board, r) and r.model.id not in gone]
    names = [metric.name for metric in board.metrics]
    mains = main_metrics(list(map(boards.dataset, board.datasets)), own) if SCORE in names else {}
    own = [with_score(one, mains.get(one.dataset.id)) for one in own]
    scoring = [d for d in board.datasets if boards.dataset(d).role == "scoring"]
    board = with_made_labels(board, scoring, own)
    entries = _entries((r for r in own if r.provenance != "human"), names, scoring)
    people = _people([r for r in own if r.provenance == "human"], names, scoring)
    for one in outdated:
        entry = {**entries, **people}.get(one.model)
        result = entry.results.get(one.dataset) if entry else None
        if entry is not None and result is not None and one.task == result.task:
            entry.outdated.append(one)
    values = {
        dataset: {metric.name: _column(metric.name, dataset, entries) for metric in board.metrics}
        for dataset in board.datasets
    }
    data = {
        "models": list(entries),
        "metrics": [metric.for_ranking() for metric in board.metrics],
        "datasets": scoring,
        "values": values,
        "base": board.base,
        "epsilon": board.epsilon,
        "epsilon_kind": board.epsilon_kind,
        "rate": board.rate,
        "by": board.by,
        **({"trades": board.declared_trades} if board.trades else {}),
        "missing": board.missing,
        "labels": {
            "models": {entry.id: entry.label for entry in entries.values()},
            "metrics": {metric.name: metric.label for metric in board.metrics},
            "datasets": {dataset: boards.dataset(dataset).label for dataset in scoring},
        },
    }
    newest = max((result.created for result in own), default=None)
    dataset_weights = default_dataset_weights(board, scoring)
    solved = _solved(board, entries, people)
    weights = _metric_weights(board)
    return Assembled(
        board,
        data,
        entries,
        weights,
        dataset_weights,
        newest,
        people,
        solved,
        removed,
        boards.tasks_of(board),
        mains,
    )


def named(results: Iterable[Result], boards: Boards) -> list[Result]:
    """The results with the names and cards of their models that the board file has now, where it has any."""
    known = {model.id: model for model in boards.models}
    found = []
    for result in results:
        spec = known.get(result.model.id)
        if spec is not None and spec.is_of(result.task) and result.provenance != "human":
            model = result.model.known_as(spec.label, spec.card)
            if model != result.model:
                result = result.model_copy(update={"model": model})
        found.append(result)
    return found


def idle_presets(assembled: Assembled) -> dict[str, str]:
    """The presets that rank no model, by name, and why; none of a board without models."""
    if not assembled.entries or not assembled.data["datasets"]:
        return {}
    board = dynascore.Board.from_dict(assembled.data)
    found = {}
    for preset in assembled.board.presets:
        # By trade-offs weights would play no part.
        by = "dynascore" if assembled.board.by == "trades" else None
        columns = board.columns(dynascore.Question(preset.weights, assembled.dataset_weights, by=by))
        if all(map(math.isnan, columns.ranks)):
            found[preset.name] = "; ".join(columns.notices)
    return found


def _removed(board: BoardSpec, boards: Boards, results: Sequence[Result]) -> tuple[ModelSpec, ...]:
    """The removed models that were on the board: by their results if some are stored, else by their table."""
    tasks = boards.tasks_of(board)
    stored: dict[str, set[str]] = {}
    for result in results:
        if result.task in tasks:
            stored.setdefault(result.model.id, set()).add(result.dataset.id)
    return tuple(
        model
        for model in boards.models
        if model.removed is not None
        and any(map(model.is_of, tasks))
        and not {*(stored.get(model.id) or model.datasets or board.datasets)}.isdisjoint(board.datasets)
    )


def _metric_weights(board: BoardSpec) -> dict[str, float]:
    names = [metric.name for metric in board.metrics]
    return (
        {name: board.weights.get(name, 0.0) for name in names}
        if board.weights
        else default_weights(names, board.base)
    )


def _solved(
    board: BoardSpec, entries: Mapping[str, BoardEntry], people: Mapping[str, BoardEntry]
) -> dict[str, tuple[str, ...]]:
    """For each dataset with a number for people on the base metric, the models that reach it."""
    base = next(metric for metric in board.metrics if metric.name == board.base)
    sign = 1 if base.direction == "higher" else -1
    found = {}
    for person in people.values():
        for dataset, result in person.results.items():
            if base.name in result.scores:
                mark, key = sign * result.scores[base.name].value, comparability(result, base.name)
                found[dataset] = tuple(
                    id_
                    for id_, entry in entries.items()
                    if base.name in _scores(entry, dataset)
                    and comparability(entry.results[dataset], base.name) == key
                    and sign * entry.results[dataset].scores[base.name].value >= mark
                )
    return found


def _entries(
    results: Iterable[Result], metrics: Sequence[str], scoring: Sequence[str]
) -> dict[str, BoardEntry]:
    entries: dict[str, BoardEntry] = {}
    for result in sorted(results, key=lambda r: (r.model.id, r.dataset.id)):
        new = BoardEntry(result.model.id, result.model.label, result.provenance)
        entry = entries.setdefault(result.model.id, new)
        entry.results[result.dataset.id] = result
        if result.status == "failed":
            entry.failures += [f"{result.dataset.id}: {f.full_message}" for f in result.failures]
        for timing in doubtful_timings(result, metrics):
            if timing.verdict == "invalid" or timing.dataset in scoring:
                entry.timings.append(timing)
    return entries


def _people(
    results: Sequence[Result], metrics: Sequence[str], scoring: Sequence[str]
) -> dict[str, BoardEntry]:
    """Entries of people, called by all the names that their datasets give them."""
    found = _entries(results, metrics, scoring)
    for entry in found.values():
        entry.label = "; ".join(sorted({result.model.label for result in entry.results.values()}))
    return found


def _column(metric: str, dataset: str, entries: Mapping[str, BoardEntry]) -> list[float | None]:
    found = {id_: e.results[dataset] for id_, e in entries.items() if metric in _scores(e, dataset)}
    keys = {id_: comparability(result, metric) for id_, result in found.items()}
    reference = _reference_key(keys, found)
    revision = _revision_of_values(found.values())
    column: list[float | None] = []
    for id_, entry in entries.items():
        comparable = id_ in keys and keys[id_] == reference
        if comparable and found[id_].provenance == "reported" and found[id_].predictions is not None:
            comparable = found[id_].dataset.revision == revision
        column.append(found[id_].scores[metric].value if comparable else None)
        if id_ in keys and not comparable:
            entry.stale.append(incomparable(metric, dataset, found[id_], keys[id_], reference))
    return column


def _revision_of_values(results: Iterable[Result]) -> str | None:
    """Which examples most reported results are of that have values by example."""
    revisions = [one.dataset.revision for one in results if one.provenance == "reported" and one.predictions]
    return max(revisions, key=lambda one: (revisions.count(one), one or ""), default=None)


def _scores(entry: BoardEntry, dataset: str) -> Mapping[str, Any]:
    """An entry's scores on a dataset that may be ranked: those of an invalid timing are not there."""
    if dataset not in entry.results:
        return {}
    timings = [timing for timing in entry.timings if timing.dataset == dataset]
    invalid = {name for timing in timings if timing.verdict == "invalid" for name in timing.metrics}
    scores = entry.results[dataset].scores
    return {name: score for name, score in scores.items() if name not in invalid}


def _reference_key(keys: Mapping[str, Key], found: Mapping[str, Result]) -> Key | None:
    counts = Counter(keys.values())
    newest = {key: max(found[id_].created for id_ in keys if keys[id_] == key) for key in counts}
    return max(counts, key=lambda key: (counts[key], newest[key], str(key)), default=None)
