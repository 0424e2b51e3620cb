"""How sure ranks are: how a board's cells vary, rank sets, and who is no better than the floor."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evaluator.rank.another_dataset import TARGET as ANOTHER_DATASET
from evaluator.rank.another_dataset import OnAnotherDataset, on_another_dataset
from evaluator.rank.dynascore import Board, Columns, Question, Ranking
from evaluator.rank.published import (
    ALONE,
    FROM_PUBLISHED,
    UNTIMED,
    WITHOUT_EXAMPLES,
    WITHOUT_PASSES,
    exact_words,
)
from evaluator.rank.rank_sets import Certainty
from evaluator.records.base import TIMING
from evaluator.records.board import (
    Assembled,
    BoardEntry,
    Boards,
    BoardSpec,
    OutdatedResult,
    assemble,
)
from evaluator.records.board.score import SCORE, MainMetric
from evaluator.records.datasets import Covariances
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import Store, read_record
from evaluator.score.covariances import source
from evaluator.score.parts import with_parts
from evaluator.score.published import stated, with_stated
from evaluator.score.rates_off import RatesOff
from evaluator.score.timing_variances import freedom, relative_variances

#: Covariances have so many steps up to the largest: errors of a hundredth of a per cent in a standard error
#: change no rank, and a page or a snapshot of many models consists of them.
PARTS = 10**4
REMEDY = "run steelyard evaluate"


def sampled(assembled: Assembled, store: Store) -> dict[str, dict[str, Any]]:
    """By scoring dataset, what `evaluator.rank.rank_sets.Sampled.from_dict` takes; models are the board's.

    Raises `evaluator.records.store.UserError` at a bad file.
    """
    found = {dataset: _plain(assembled, dataset, store) for dataset in assembled.data["datasets"]}
    # A number that was published without examples says nothing of a part.
    wholes = {dataset: known for dataset, known in found.items() if dataset not in assembled.parts}
    for dataset, of_dataset in stated(assembled, wholes).items():
        found[dataset]["stated"] = of_dataset
    return found


def _plain(assembled: Assembled, weighed: str, store: Store) -> dict[str, Any]:
    """Of a dataset, or of a part of one."""
    part = assembled.parts.get(weighed)
    dataset = part.dataset if part else weighed
    results = [entry.results.get(dataset) for entry in assembled.entries.values()]
    names = [metric.name for metric in assembled.board.metrics if metric.name not in TIMING]
    sources = {name: column_source(assembled, dataset, name) for name in names}
    timed = [metric.name for metric in assembled.board.metrics if metric.name in TIMING]
    relative = {name: with_stated(name, results, relative_variances(name, results)) for name in timed}
    untimed = [
        WITHOUT_PASSES if result and result.provenance == "reported" else UNTIMED for result in results
    ]
    about = [
        (result.task, result.dataset.id, result.dataset.revision)
        for result in results
        if result and result.predictions and result.dataset.revision
    ]
    # What is kept of the revision that most results are about.
    kept = store.covariances(*max(about, key=lambda one: (about.count(one), one))) if about else None
    kept = part.kept.varies if part else kept
    reasons = {
        name: [_unknown(name, sources[name].name, result, kept, len(about)) for result in results]
        for name in names
    }
    reasons |= {
        name: [why if one is None else None for one, why in zip(column, untimed, strict=True)]
        for name, column in relative.items()
    }
    grouped: dict[str, list[list[Any]]] = {}
    for name, column in reasons.items():
        said = dict.fromkeys(reason for reason in column if reason)
        grouped[name] = [[why, [i for i, reason in enumerate(column) if reason == why]] for why in said]
    return {
        **_counts_and_covariances(kept, results, sources),
        "relative": {name: [value or 0.0 for value in column] for name, column in relative.items()},
        **freedom(relative, results),
        "unknown": grouped,
        **({"is_part": True} if part else {}),
    }


def _unknown(
    name: str, source_name: str, result: Result | None, kept: Covariances | None, answering: int
) -> str | None:
    """Why it is not known how a metric of a model, made of `source_name`, varies; None where it is.

    `answering` is of how many models answers are kept.
    """
    if result is None or name not in result.scores:
        return "no value"
    name = source_name
    if result.predictions is None:
        return WITHOUT_EXAMPLES
    if kept is None and answering < 2:  # computing scores again would not change that
        return ALONE
    if kept is None or kept.versions.get(name) != result.scores[name].version:
        return f"nothing is kept of how it varies; {REMEDY}"
    if kept.models.get(result.model.id) != source(result):
        return f"what is kept of how it varies is of other predictions; {REMEDY}"
    return kept.unknown.get(name, {}).get(result.model.id)


def column_source(assembled: Assembled, dataset: str, name: str) -> MainMetric:
    """The metric that a column is made of, a score of the dataset's main one, any other of itself."""
    main = assembled.mains.get(dataset) if name == SCORE else None
    return main or MainMetric(dataset, name, None)


def _counts_and_covariances(
    kept: Covariances | None, results: Sequence[Result | None], sources: Mapping[str, MainMetric]
) -> dict[str, Any]:
    """Those kept of the metrics that the columns are made of, in the order of `results`; 0 where nothing is
    kept of a model. `sources` are these by the columns' names."""
    if kept is None:
        return {"examples": 0, "clusters": 0, "unit": {}, "covariances": [], "right": {}, "apart": {}}
    number = {model: place for place, model in enumerate(kept.models)}
    places = [number.get(result.model.id) if result else None for result in results]
    pairs: list[int | None] = [
        None if i is None or j is None else max(i, j) * (max(i, j) - 1) // 2 + min(i, j)
        for at, i in enumerate(places)
        for j in places[:at]
    ]

    def of(column: Sequence[int], order: Sequence[int | None]) -> list[int]:
        return [0 if place is None else column[place] for place in order]

    stored = {(pair.first, pair.second): pair for pair in kept.pairs}
    right = {name: of(column, places) for name, column in kept.right.items()}
    apart = {name: of(column, pairs) for name, column in kept.apart.items()}
    covariances = []
    for (first, one), (second, other) in itertools.combinations_with_replacement(sources.items(), 2):
        both = (one.name, other.name)
        if pair := stored.get(both) or stored.get(both[::-1]):
            step, parts = pair.step, of(pair.parts, pairs)
        elif first != second and one.name == other.name and one.name in apart:
            # Two columns of one metric of right answers, of which only counts are kept.
            step, parts = _from_counts(right[one.name], apart[one.name], kept.clusters, kept.unit[one.name])
        else:
            continue
        covariances.append([first, second, *_coarser(step * one.factor * other.factor, parts)])
    counted = {name: one for name, one in sources.items() if one.name in apart}
    return {
        "examples": kept.examples,
        "clusters": kept.clusters,
        "unit": {
            name: kept.unit[one.name] * abs(one.factor)
            for name, one in sources.items()
            if one.name in kept.unit
        },
        "covariances": covariances,
        "right": {
            # Where less is better, right is what the metric counts as 0.
            name: right[one.name] if one.factor > 0 else [kept.examples - count for count in right[one.name]]
            for name, one in counted.items()
        },
        "apart": {name: apart[one.name] for name, one in counted.items()},
        **_biases(kept, places, sources),
        **_of_runs(kept, places, sources),
    }


def _biases(
    kept: Covariances, places: Sequence[int | None], sources: Mapping[str, MainMetric]
) -> dict[str, dict[str, Any]]:
    """By how much values may be too high (or too low, under 0), and units of scarce examples, if any are."""
    bias = {
        name: [0.0 if place is None else kept.bias[one.name][place] * one.factor for place in places]
        for name, one in sources.items()
        if one.name in kept.bias
    }
    scarce = {name: kept.scarce[one.name] for name, one in sources.items() if one.name in kept.scarce}
    return {what: of for what, of in (("bias", bias), ("scarce", scarce)) if of}


def _of_runs(
    kept: Covariances, places: Sequence[int | None], sources: Mapping[str, MainMetric]
) -> dict[str, dict[str, list[float]]]:
    """What whole runs add to the variance of each model's values, where they add anything."""
    own = {
        name: [0.0 if place is None else kept.own[one.name][place] * one.factor**2 for place in places]
        for name, one in sources.items()
        if any(kept.own.get(one.name, ()))
    }
    return {"own": own} if own else {}


def _from_counts(
    right: Sequence[int], apart: Sequence[int], examples: int, unit: float
) -> tuple[float, list[int]]:
    """Variances of the differences of shares of right answers: a step, and how many of it each has."""
    pairs = zip(apart, (a - b for i, a in enumerate(right) for b in right[:i]), strict=True)
    step = unit * unit / (examples * examples * max(1, examples - 1))
    return step, [examples * count - gap * gap for count, gap in pairs]


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
        what = "how numbers vary together (for rank sets) is beyond any number that a board has"
        raise ValueError(f"{what}; run steelyard evaluate, which derives it again") from None
    return worth, [(2 * part * PARTS + largest) // (2 * largest) for part in parts]


def board_results(board: BoardSpec, boards: Boards, store: Store) -> list[Result]:
    """The stored results on a board's datasets. Raises `evaluator.records.store.UserError` at a bad file."""
    return [one for name in board.datasets for one in store.results_on(boards.dataset(name).task, name)]


def assemble_board(
    board: BoardSpec,
    boards: Boards,
    store: Store,
    results: Iterable[Result],
    outdated: Sequence[OutdatedResult] = (),
) -> Assembled:
    """`assemble`, with the models that answer the same to everything, and with those that do not beat the
    board's floor, which its data name as "floored".

    A model beats it if its base metric, at the board's dataset weights, is separated from that of the
    floor's model, one-sided at 0.95; or simply higher, where it is not known how the numbers vary. Models
    without a number are left alone. Raises `evaluator.records.store.UserError` at a bad file.
    """
    assembled = with_parts(assemble(board, boards, results, outdated), store)
    for entry in assembled.entries.values():
        alike = (name for name, result in entry.results.items() if _answers_alike(result, store))
        entry.one_answer = frozenset(alike)
    floor = boards.floor_of(board)
    if floor not in assembled.entries:
        return assembled
    ranked = Board.from_dict(assembled.data)
    # Whatever the board ranks by: the base metric alone.
    question = Question({assembled.board.base: 1.0}, assembled.dataset_weights, trades={})
    rows = ranked.ranking(question).rows
    known = [row.model for row in rows if row.rank is not None]
    floored: list[str] = []
    if floor in known:
        better = Certainty.from_dict(ranked, sampled(assembled, store)).better_than(floor, question)
        floored = [model for model in ranked.models if model in known and model not in better]
    return replace(assembled, data={**assembled.data, "floored": floored})


def _answers_alike(result: Result, store: Store) -> bool:
    """Whether a model that was asked under suites gives one answer to all examples and all their variants."""
    suites = [scores for scores in result.suites.values() if scores.examples]
    # Only where nothing changes an answer are all answers worth reading.
    if not suites or any(scores.agreement < 100 for scores in suites):
        return False
    # As pages read them: whether a file is what its result says, `check` says.
    file = store.predictions_file(result)
    return file is not None and read_record(file, PredictionSet).one_answer


#: What a rank set is about.
TARGET = "other examples from the same source, at the exchange rates shown"


def target_of(by: str) -> str:
    """The same, by what models are ranked by."""
    return TARGET.replace("exchange rates", "trade-offs") if by == "trades" else TARGET


@dataclass(frozen=True)
class BoardRankSets:
    """How sure a board's ranks are, by the ids of its models; see `evaluator.rank.rank_sets`.

    `sets` are (best, worst) ranks, None where unknown, and `reasons` says why. `leads` are shares of draws, 0
    to 1, of the models that may be first; empty where unknown. `smallest_gap` is in the unit of the scores,
    None where unknown. The pairs of models in `published` are told apart from published numbers. `given` has
    by model whose set takes numbers as exact the metrics of these, each with its words. `too_few` says in a
    sentence that there are too few examples to tell anything apart, else it is empty. `elsewhere` are the
    ranks on another dataset, None where the board has too few datasets for that.
    """

    confidence: float
    sets: dict[str, tuple[int, int] | None]
    reasons: dict[str, str]
    leads: dict[str, float]
    separated: list[tuple[str, str]]
    smallest_gap: float | None
    published: list[str]
    given: dict[str, dict[str, str]]
    too_few: str
    elsewhere: OnAnotherDataset | None

    def source(self, model: str) -> str:
        """What a model's set is from, where that is not only examples; empty where it is, or is unknown."""
        published = [FROM_PUBLISHED] if model in self.published else []
        return ", ".join([*published, *filter(None, [exact_words([*self.given.get(model, {}).values()])])])


@dataclass(frozen=True)
class Doubts:
    """What a reader has to know of one model's numbers, as plain data.

    `reasons` say why some are not ranked; `suspect` has the timings that are ranked and may be wrong, which
    `warnings` say in sentences. `stale` has the results of other inputs than those of now. `judged` says, by
    dataset and metric, what stands behind scores that a judge gives.
    """

    reasons: list[str]
    suspect: list[Any]
    warnings: list[str]
    stale: list[Any] = field(default_factory=list)
    judged: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, entry: BoardEntry) -> Doubts:
        """Those of a model whose results are at hand."""
        suspect = [
            {"dataset": timing.dataset, "metrics": timing.metrics, "reasons": timing.reasons}
            for timing in entry.suspect
        ]
        warnings, stale = [*map(str, entry.suspect)], [one.plain() for one in entry.outdated]
        judged: dict[str, Any] = {}
        for dataset, result in entry.results.items():
            for name, score in result.scores.items():
                if score.judged:
                    judged.setdefault(dataset, {})[name] = score.judged.model_dump()
        return cls(list(entry.kept_apart), suspect, warnings, stale, judged)


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
        [models[index] for index in found.published],
        {models[index]: words for index, words in found.given.items()},
        certainty.too_few_words(question, confidence),
        on_another_dataset(certainty, question, columns, confidence),
    )


def ranking_document(
    board: Board,
    ranking: Ranking,
    rank_sets: BoardRankSets | None,
    doubts: Mapping[str, Doubts],
    off: RatesOff | None = None,
) -> dict[str, Any]:
    """The ranking as plain data, with how sure it is, and which numbers are kept apart or in doubt.

    `off` says what stays of it where exchange rates are off.
    """
    shown = ranking.to_dict()
    if off is not None:
        shown["rate_factor"] = off.plain()
        for row in shown["models"]:
            row["ranks_within_factor"] = off.ranks[row["model"]]
    for row in shown["models"]:
        model = row["model"]
        if rank_sets is not None:
            row["rank_set"] = rank_sets.sets[model]
            row["rank_set_unknown"] = rank_sets.reasons.get(model)
            if rank_sets.given:
                # The metrics whose numbers its set takes as exact, as nothing says how they vary.
                row["rank_set_given"] = [*rank_sets.given.get(model, ())]
            nobody = 0.0 if rank_sets.leads else None
            row["leads"] = rank_sets.leads.get(model, nobody) if row["rank_set"] else None
            if rank_sets.elsewhere:
                row["elsewhere"] = rank_sets.elsewhere.sets[board.models.index(model)]
        if found := doubts.get(model):
            row["reasons"] = found.reasons
            row["floored"] = board.models.index(model) in board.floored
            row["suspect"] = found.suspect
            row["stale"] = found.stale
            if found.judged:
                row["judged"] = found.judged
    if rank_sets is not None:
        shown["confidence"], shown["target"] = rank_sets.confidence, target_of(ranking.by)
        shown["separated"], shown["smallest_gap"] = rank_sets.separated, rank_sets.smallest_gap
        if rank_sets.published:
            # The pairs of these are told apart from published numbers, all others by their examples.
            shown["published"], shown["of_published"] = rank_sets.published, FROM_PUBLISHED
        if elsewhere := rank_sets.elsewhere:
            how = {"confidence": elsewhere.confidence, "datasets": elsewhere.datasets}
            shown["elsewhere"] = {"target": ANOTHER_DATASET, **how}
    return shown
