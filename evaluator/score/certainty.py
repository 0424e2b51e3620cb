"""How sure a board's ranks are: how its cells vary, rank sets, who is no better than a constant answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset, DatasetError, read_dataset
from evaluator.rank.dynascore import Board, Columns, Question, Ranking
from evaluator.rank.rank_sets import Certainty
from evaluator.records.base import TIMING
from evaluator.records.board import Assembled, BoardEntry, Boards, BoardSpec, DatasetSpec, assemble
from evaluator.records.datasets import Covariances
from evaluator.records.errors import UserError
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.covariances import Groups, InfluenceColumns, source
from evaluator.score.examples import dataset_of, dataset_source
from evaluator.score.suites import RemadeSuites

#: The variance of a median of normal values over that of their mean, for many of them.
OF_MEDIAN = math.pi / 2
#: Digits of the variances of timings: beyond these the logarithms of two machines need not agree.
DIGITS = 6
#: Covariances have so many steps up to the largest: errors of a hundredth of a per cent in a standard error
#: change no rank, and a page or a snapshot of many models consists of them.
PARTS = 10**4
REMEDY = "run steelyard evaluate"


def sampled(assembled: Assembled, store: Store) -> dict[str, dict[str, Any]]:
    """By scoring dataset, what `evaluator.rank.rank_sets.Sampled.from_dict` takes; models are the board's.

    Raises `evaluator.records.store.UserError` at a bad file.
    """
    return {dataset: _plain(assembled, dataset, store) for dataset in assembled.data["datasets"]}


def _plain(assembled: Assembled, dataset: str, store: Store) -> dict[str, Any]:
    results = [entry.results.get(dataset) for entry in assembled.entries.values()]
    names = [metric.name for metric in assembled.board.metrics]
    timed = {name: relative_variances(name, results) for name in names if name in TIMING}
    kept = _Kept(_found(results, store), results)
    reasons = {name: kept.reasons(name) for name in names if name not in timed}
    untimed = "no passes are kept that say how it varies"
    reasons |= {name: [untimed if one is None else None for one in column] for name, column in timed.items()}
    return {
        **kept.plain([name for name in names if name not in timed]),
        "relative": {name: [value or 0.0 for value in column] for name, column in timed.items()},
        "unknown": {name: _grouped(column) for name, column in reasons.items()},
    }


def _found(results: Sequence[Result | None], store: Store) -> Covariances | None:
    """What is kept of the revision that most results are about."""
    about = [
        (result.task, result.dataset.id, result.dataset.revision)
        for result in results
        if result and result.predictions and result.dataset.revision
    ]
    return store.covariances(*max(about, key=lambda one: (about.count(one), one))) if about else None


class _Kept:
    """The covariances of a dataset as a board's models have them."""

    def __init__(self, kept: Covariances | None, results: Sequence[Result | None]) -> None:
        self.kept, self.results = kept, results
        self.places = {model: place for place, model in enumerate(kept.models)} if kept else {}
        # Nothing is kept of one model, and computing scores again would not change that.
        self.alone = sum(result is not None and result.predictions is not None for result in results) < 2

    def plain(self, names: Sequence[str]) -> dict[str, Any]:
        """What `Sampled.from_dict` takes of the metrics `names`."""
        kept = self.kept
        if kept is None:
            return {"examples": 0, "clusters": 0, "unit": {}, "covariances": [], "right": {}, "apart": {}}
        return {
            "examples": kept.examples,
            "clusters": kept.clusters,
            "unit": {name: kept.unit[name] for name in names if name in kept.unit},
            "covariances": [
                [pair.first, pair.second, *_coarser(pair.step, self._by_pair(pair.parts))]
                for pair in kept.pairs
                if {pair.first, pair.second} <= {*names}
            ],
            "right": {n: self._by_model(column) for n, column in kept.right.items() if n in names},
            "apart": {n: self._by_pair(column) for n, column in kept.apart.items() if n in names},
        }

    def reasons(self, name: str) -> list[str | None]:
        """Why it is not known how a metric of each model varies; None where it is."""
        return [self._reason(name, result) for result in self.results]

    def _reason(self, name: str, result: Result | None) -> str | None:
        if result is None or name not in result.scores:
            return "no value"
        if result.provenance == "reported" or result.predictions is None:
            return "published without examples"
        if self.kept is None and self.alone:
            return "no other model keeps its answers, to be compared with"
        if self.kept is None or self.kept.versions.get(name) != result.scores[name].version:
            return f"nothing is kept of how it varies; {REMEDY}"
        if self.kept.models.get(result.model.id) != source(result):
            return f"covariances are kept of other predictions; {REMEDY}"
        return self.kept.unknown.get(name, {}).get(result.model.id)

    def _place(self, index: int) -> int | None:
        result = self.results[index]
        return self.places.get(result.model.id) if result else None

    def _by_model(self, column: Sequence[int]) -> list[int]:
        places = (self._place(index) for index in range(len(self.results)))
        return [0 if place is None else column[place] for place in places]

    def _by_pair(self, column: Sequence[int]) -> list[int]:
        found = []
        for index in range(len(self.results)):
            i = self._place(index)
            for other in range(index):
                j = self._place(other)
                known = i is not None and j is not None
                found.append(column[max(i, j) * (max(i, j) - 1) // 2 + min(i, j)] if known else 0)  # type: ignore[type-var, operator]
        return found


def _coarser(step: float, parts: Sequence[int]) -> tuple[float, list[int]]:
    """The same covariances in at most `PARTS` steps each way, and what a step is worth.

    Raises ValueError for one that is too large to be a float.
    """
    largest = max(map(abs, parts), default=0)
    if largest <= PARTS:
        return step, list(parts)
    try:
        worth = step * largest / PARTS
    except OverflowError:
        fix = "run steelyard evaluate, which derives them again"
        raise ValueError(f"covariances: one is beyond any number that a board has; {fix}") from None
    return worth, [(2 * part * PARTS + largest) // (2 * largest) for part in parts]


def relative_variances(name: str, results: Sequence[Result | None]) -> list[float | None]:
    """The variance of each result's timing `name` over its square, from the passes of all; None without any.

    The variance of the logarithm of one pass is pooled over the board; the value is the median of a model's
    passes.
    """
    logs = [_logs(name, result) for result in results]
    several = [column for column in logs if len(column) > 1]
    free = sum(len(column) - 1 for column in several)
    squares = math.fsum(math.fsum((x - math.fsum(c) / len(c)) ** 2 for x in c) for c in several)
    if not free:
        return [None] * len(results)
    return [float(f"{OF_MEDIAN * squares / free / len(c):.{DIGITS}g}") if c else None for c in logs]


def _logs(name: str, result: Result | None) -> list[float]:
    if result is None or result.measurement is None or name not in result.scores:
        return []
    repeats = result.measurement.repeats
    return [math.log(one.throughput if name == "throughput" else one.memory.mean_bytes) for one in repeats]


def _grouped(reasons: Iterable[str | None]) -> list[list[Any]]:
    """The models by the reason that they share."""
    found: dict[str, list[int]] = {}
    for index, reason in enumerate(reasons):
        if reason:
            found.setdefault(reason, []).append(index)
    return [[reason, indices] for reason, indices in found.items()]


def assemble_board(board: BoardSpec, boards: Boards, store: Store, results: Iterable[Result]) -> Assembled:
    """`assemble`, with the models that do not beat the board's floor, which its data name as "floored".

    A model beats it if its base metric, at the board's dataset weights, is separated from that of the
    floor's model, one-sided at 0.95; or simply higher, where it is not known how the numbers vary. Models
    without a number are left alone. Raises `evaluator.records.store.UserError` at a bad file.
    """
    assembled = assemble(board, boards, results)
    floor = boards.floor_of(board)
    if floor not in assembled.entries:
        return assembled
    return replace(assembled, data={**assembled.data, "floored": _floored(assembled, store, floor)})


def _floored(assembled: Assembled, store: Store, floor: str) -> list[str]:
    ranked = Board.from_dict(assembled.data)
    question = Question({assembled.board.base: 1.0}, assembled.dataset_weights)
    known = [
        row.model for row in ranked.rank(question.metrics, question.datasets).rows if row.rank is not None
    ]
    if floor not in known:
        return []
    better = Certainty.from_dict(ranked, sampled(assembled, store)).better_than(floor, question)
    return [model for model in ranked.models if model in known and model not in better]


#: What a rank set is about.
TARGET = "other examples from the same source, at the exchange rates shown"


@dataclass(frozen=True)
class BoardRankSets:
    """How sure a board's ranks are, by the ids of its models; see `evaluator.rank.rank_sets`.

    `sets` are (best, worst) ranks, None where unknown, and `reasons` says why. `leads` are shares of draws, 0
    to 1, of the models that may be first. `smallest_gap` is in the unit of the scores, None where unknown.
    """

    confidence: float
    sets: dict[str, tuple[int, int] | None]
    reasons: dict[str, str]
    leads: dict[str, float]
    separated: list[tuple[str, str]]
    smallest_gap: float | None


@dataclass(frozen=True)
class Doubts:
    """What a reader has to know of one model's numbers, as plain data.

    `reasons` say why some are not ranked; `suspect` has the timings that are ranked and may be wrong, which
    `warnings` say in sentences.
    """

    reasons: list[str]
    suspect: list[Any]
    warnings: list[str]

    @classmethod
    def of(cls, entry: BoardEntry) -> Doubts:
        """Those of a model whose results are at hand."""
        suspect = [
            {"dataset": timing.dataset, "metrics": timing.metrics, "reasons": timing.reasons}
            for timing in entry.suspect
        ]
        return cls(list(entry.kept_apart), suspect, list(map(str, entry.suspect)))


def board_rank_sets(
    certainty: Certainty, question: Question, columns: Columns, confidence: float
) -> BoardRankSets:
    """How sure the ranking `columns`, the answer to `question`, is.

    Raises ValueError for a confidence that is not from 0.5 to under 1.
    """
    models = certainty.board.models
    found = certainty.sets(question, columns, confidence)
    leads = certainty.leading(question, columns, found)
    return BoardRankSets(
        confidence,
        dict(zip(models, found.sets, strict=True)),
        {models[index]: reason for index, reason in found.reasons.items()},
        {models[index]: share for index, share in leads.items()},
        [(models[higher], models[lower]) for higher, lower in found.separated],
        certainty.smallest_gap(question, confidence),
    )


def ranking_document(
    board: Board, ranking: Ranking, rank_sets: BoardRankSets | None, doubts: Mapping[str, Doubts]
) -> dict[str, Any]:
    """The ranking as plain data, with how sure it is, and which numbers are kept apart or in doubt."""
    shown = ranking.to_dict()
    for row in shown["models"]:
        model = row["model"]
        if rank_sets is not None:
            row["rank_set"] = rank_sets.sets[model]
            row["rank_set_unknown"] = rank_sets.reasons.get(model)
            row["leads"] = rank_sets.leads.get(model, 0.0) if row["rank_set"] else None
        if found := doubts.get(model):
            row["reasons"] = found.reasons
            row["floored"] = board.models.index(model) in board.floored
            row["suspect"] = found.suspect
    if rank_sets is not None:
        shown["confidence"], shown["target"] = rank_sets.confidence, TARGET
        shown["separated"], shown["smallest_gap"] = rank_sets.separated, rank_sets.smallest_gap
    return shown


#: Two-sided 95 % of a standard normal distribution.
Z_95 = 1.959963984540054


def wilson(successes: int, trials: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval for a share, as two shares of 1 (Wilson 1927, "Probable Inference").

    `z` is the normal quantile of the confidence level. Raises ValueError unless
    0 <= successes <= trials and trials > 0.
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"{successes} of {trials} is no share")
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    return max(0.0, middle - half), min(1.0, middle + half)


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation of pairs, from -1 to 1; equal numbers share the mean of their ranks.

    None where it is not defined: for fewer than two pairs, or if all numbers of a side are equal. Raises
    ValueError for sides of different lengths (Spearman 1904; the mean ranks after Kendall 1945).
    """
    pairs = list(zip(_centred_ranks(first), _centred_ranks(second), strict=True))
    spread = math.fsum(x * x for x, _ in pairs) * math.fsum(y * y for _, y in pairs)
    return math.fsum(x * y for x, y in pairs) / math.sqrt(spread) if spread else None


def _centred_ranks(values: Sequence[float]) -> list[float]:
    """How many values are smaller than each, less how many are larger: twice its rank from the middle."""
    return [float(sum((other < one) - (other > one) for other in values)) for one in values]


#: How standard errors are found: of shares of right answers, of other metrics of examples, of timings, and of
#: numbers whose source states them.
SHARE = "of a share of right answers: sqrt(p (1 - p) / (n - 1))"
BY_EXAMPLES = "influence values of examples, summed over those that share a source"
BY_PASSES = "delta method over timing passes, variance of logarithms pooled over the models of a dataset"
AS_STATED = "as the source of the number states it"


@dataclass(frozen=True)
class StandardError:
    """That of one number: `value` in the number's unit, over `units` independent examples or passes.

    `units` is None where a source states no more than the value. `interval` is Wilson's at 95 %, in per cent,
    of a share of examples that are independent.
    """

    value: float
    method: str
    units: int | None
    interval: tuple[float, float] | None = None


#: By metric and model.
StandardErrors = dict[tuple[str, str], StandardError]


def dataset_at_hand(spec: DatasetSpec, data: Path, revisions: Iterable[str | None]) -> Dataset | None:
    """The dataset from its own file; None where there is none, or of another revision than these."""
    if spec.path is None or not (data / spec.path).is_file():
        return None
    try:
        dataset = read_dataset(dataset_source(spec, data))
    except (DatasetError, UserError):
        return None
    return dataset if dataset.revision in set(revisions) else None


def standard_errors(
    results: Sequence[Result],
    metrics: Sequence[str],
    dataset: Dataset | None,
    boards: Boards,
    store: Store,
) -> StandardErrors:
    """Those of `metrics` of all results on one dataset, as far as anything says how they vary.

    `dataset` is the one from its file. Without it, gold labels and counts that the store keeps say it of
    some.
    """
    found = dict(_stated(results, metrics))
    found |= dict(_of_timings(results, [name for name in metrics if name in TIMING]))
    for revision in {result.dataset.revision for result in results if result.predictions}:
        same = [one for one in results if one.predictions and one.dataset.revision == revision]
        read = dataset if dataset and dataset.revision == revision else _kept(same, store)
        names = [name for name in metrics if name not in TIMING]
        of_examples = _of_examples(same, names, read, boards, store) if read else _counted(same, names, store)
        found |= dict(of_examples)
    return found


def _stated(
    results: Sequence[Result], names: Iterable[str]
) -> Iterator[tuple[tuple[str, str], StandardError]]:
    for name in names:
        for result in results:
            score = result.scores.get(name)
            if score is not None and score.standard_error is not None:
                yield (name, result.model.id), StandardError(score.standard_error, AS_STATED, None)


def _of_timings(
    results: Sequence[Result], names: Iterable[str]
) -> Iterator[tuple[tuple[str, str], StandardError]]:
    for name in names:
        for result, variance in zip(results, relative_variances(name, results), strict=True):
            if variance is not None and result.measurement is not None:
                value = result.scores[name].value * math.sqrt(variance)
                passes = len(result.measurement.repeats)
                yield (name, result.model.id), StandardError(value, BY_PASSES, passes)


def _kept(results: Sequence[Result], store: Store) -> Dataset | None:
    """The dataset as far as the store keeps it; None where its gold labels are not published."""
    about = results[0]
    kept = store.examples(about.task, about.dataset.id, about.dataset.revision or "")
    if kept is None or kept.gold is None:
        return None
    return dataset_of(kept, store.predictions(about).labels)


def _of_examples(
    results: Sequence[Result], names: Sequence[str], dataset: Dataset, boards: Boards, store: Store
) -> Iterator[tuple[tuple[str, str], StandardError]]:
    groups = Groups.of(dataset)
    columns = InfluenceColumns(dataset, store, RemadeSuites(boards, trusted=True))
    for name, version in _versions(results, names):
        same = [result for result in results if _has(result, name, version)]
        [column] = columns.of(same, {name: version})
        for model, one in column.by_model.items():
            if isinstance(one, str):
                continue
            if one.right is not None and not groups.number:
                yield (name, model), _share(int(one.right.sum()), len(one.right))
            else:
                by_examples = StandardError(groups.standard_error(one.moved), BY_EXAMPLES, groups.count)
                yield (name, model), by_examples


def _counted(
    results: Sequence[Result], names: Iterable[str], store: Store
) -> Iterator[tuple[tuple[str, str], StandardError]]:
    """What counts of right answers say, which are kept also where gold labels are not."""
    about = results[0]
    kept = store.covariances(about.task, about.dataset.id, about.dataset.revision or "")
    if kept is None or kept.sources is not None:
        return
    models = list(kept.models)
    for name in names:
        for result in results:
            if name in kept.right and _is_about(kept, result, name):
                right = kept.right[name][models.index(result.model.id)]
                yield (name, result.model.id), _share(right, kept.examples)


def _is_about(kept: Covariances, result: Result, name: str) -> bool:
    """Whether what is kept is of these predictions and of this version of the metric."""
    model = result.model.id
    same = _has(result, name, kept.versions[name]) and kept.models.get(model) == source(result)
    return same and model not in kept.unknown.get(name, {})


def _share(right: int, examples: int) -> StandardError:
    share = right / examples
    error = 100.0 * math.sqrt(share * (1.0 - share) / max(1, examples - 1))
    low, high = wilson(right, examples)
    return StandardError(error, SHARE, examples, (100.0 * low, 100.0 * high))


def _versions(results: Iterable[Result], names: Sequence[str]) -> list[tuple[str, str]]:
    return sorted({(n, r.scores[n].version) for r in results for n in names if n in r.scores})


def _has(result: Result, name: str, version: str) -> bool:
    return name in result.scores and result.scores[name].version == version
