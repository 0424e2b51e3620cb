"""The table of a board: metrics as columns, models and people as rows, how sure ranks are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from evaluator.publish.snapshots.freezing import any_varies, certainty_bytes
from evaluator.rank.certainty_sentences import rank_set_words
from evaluator.rank.difficulty_sentences import title_of
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.published import FROM_PUBLISHED
from evaluator.rank.rank_answers import rank_answer
from evaluator.rank.rank_sets import Certainty, Comparison
from evaluator.rank.score_sentences import differences
from evaluator.rank.significance import CONFIDENCE
from evaluator.rank.what_if import leader_found, leaving
from evaluator.records import board as boards_module
from evaluator.records.base import PEOPLE, TIMING
from evaluator.records.board import Assembled, BoardEntry, DatasetSpec, MetricSpec, comparability
from evaluator.records.measurement import percent_off
from evaluator.score.standard_errors import wilson
from site_src.generator import formats
from site_src.generator.results import summary
from site_src.generator.urls import hashed

#: Metrics whose colour is theirs on every board; the base metric always takes the first.
COLOURS = {"throughput": 1, "memory": 2, "fairness": 3, "robustness": 4}
PALETTE = 12


@dataclass(frozen=True)
class ShownColumn:
    """A metric as a column, and its colour's number."""

    spec: MetricSpec
    colour: int

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def label(self) -> str:
        return self.spec.label

    @property
    def amounts(self) -> str:
        """The unit of a difference."""
        return differences(self.spec.unit)["amounts"]

    @property
    def one(self) -> str:
        """A difference of one unit, in words."""
        return differences(self.spec.unit)["one"]

    def text(self, value: float | None) -> str:
        """A value with the decimals of the column."""
        return formats.number(value, self.spec.decimals)


@dataclass(frozen=True)
class Cell:
    """One number of the table."""

    column: ShownColumn
    value: float | None
    #: Its 95 % interval, or why it says nothing of the model; with `off_from`, what that is from.
    off: str = ""
    off_from: str = ""

    @property
    def text(self) -> str:
        return self.column.text(self.value)

    @property
    def compared(self) -> float | None:
        """The value where it says something of the model beside others."""
        return None if self.off == ONE_ANSWER else self.value


def columns_of(board: boards_module.BoardSpec) -> tuple[ShownColumn, ...]:
    """The columns of a board, each in a colour: the metric's own as long as it has one."""
    columns, free = [], iter(range(len(COLOURS) + 1, PALETTE))
    for metric in board.metrics:
        own = 0 if metric.name == board.base else COLOURS.get(metric.name)
        columns.append(ShownColumn(metric, own if own is not None else next(free, PALETTE - 1)))
    return tuple(columns)


def label_of(name: str) -> str:
    """What people call a metric that is no column of the board, one of difficulty among them."""
    # The registry takes a fifth of a second to import, so only pages that are written wait for it.
    from evaluator.score.metrics import METRICS

    return METRICS[name].label if name in METRICS else title_of(name)


#: On a board of more models than this, nobody asks what changes once a model leaves.
MANY = 150
#: On a board of more models than this, the build compares no pairs.
COMPARED = 400
#: How the values of a board's models vary, by dataset: see `evaluator.rank.rank_sets.Sampled.from_dict`.
Varied = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class RankSet:
    """The ranks that a model may hold.

    `published` says of a set from published numbers what it is from, and `given` which numbers it takes as
    exact.
    """

    best: int
    worst: int
    published: str = ""
    given: str = ""

    @property
    def source(self) -> str:
        """What it is from, where that is not only examples."""
        return ", ".join(filter(None, [self.published, self.given]))

    @property
    def words(self) -> str:
        return rank_set_words((self.best, self.worst))


@dataclass(frozen=True)
class CertaintyView:
    """The rank sets of a board at its default weights: `answer` is `rank.rank_answers.rank_answer`'s.

    `content` is the file for scripts, None where it would say nothing. `leaving` says by model how others
    change places once it is gone. `compare` says of two models by id how far their scores differ, and who
    alone is right how often; None where that is unknown, or models are too many. `published` are the models
    whose sets are from published numbers. `varies` says whether any model may have a set, at some weights.
    """

    answer: Mapping[str, Any] = field(repr=False)
    content: bytes | None = field(default=None, repr=False)
    compare: Callable[[str, str], Comparison] | None = field(default=None, repr=False)
    leaving: Mapping[int, Sequence[tuple[int, int, int]]] = field(default_factory=dict, repr=False)
    published: frozenset[int] = frozenset()
    varies: bool = False
    #: What `rank.what_if.FirstPlace` says of the leader; None where no model is ranked.
    leader: Mapping[str, Any] | None = None

    @property
    def words(self) -> str:
        text: str = self.answer["words"]
        return text

    @property
    def thin(self) -> bool:
        """Whether exchange rates that are off make any set wider."""
        return self.answer["within"] not in (None, self.answer["sets"])

    @property
    def percent(self) -> int:
        """The confidence of every set."""
        return round(100 * CONFIDENCE)

    @property
    def elsewhere(self) -> Mapping[str, Any] | None:
        """What `rank.rank_answers` says of another dataset; None on a board with too few."""
        found: Mapping[str, Any] | None = self.answer.get("elsewhere")
        return found

    @property
    def known(self) -> bool:
        """Whether any model has a rank set."""
        return any(self.answer["sets"])

    @property
    def heat(self) -> frozenset[int]:
        """The models in a dead heat with the leader; nobody where the leader is alone."""
        first = [index for index, found in enumerate(self.answer["sets"]) if found and found[0] == 1]
        return frozenset(first if len(first) > 1 else [])

    @property
    def file(self) -> str | None:
        """The name of the file, beside the board's page."""
        return hashed("certainty", self.content) if self.content else None

    def island(self, folder: str = "") -> dict[str, Any]:
        """What a page's script starts from; `folder` is where the file is, as seen from the page."""
        return {**self.answer, "leader": self.leader, "file": folder + self.file if self.file else None}

    def elsewhere_of(self, index: int) -> RankSet | None:
        """The ranks that a model may get on another dataset; None where that is unknown."""
        found = self.elsewhere["sets"][index] if self.elsewhere else None
        return RankSet(*found) if found else None

    def of(self, index: int, rank: int | None) -> RankSet | None:
        """The set of a model; None where it is unknown, or the model has no rank."""
        found = self.answer["sets"][index]
        if found is None or rank is None:
            return None
        best, worst = found
        published = FROM_PUBLISHED if index in self.published else ""
        return RankSet(best, worst, published, self.answer["given"].get(str(index), ""))


NOT_KEPT = "How sure these ranks are is unknown: nothing is kept of how the numbers vary."
#: Of a board without results.
NOTHING = CertaintyView({"sets": [], "within": None, "given": {}, "gap": None, "words": ""})


def certainty_view(scorer: Board, question: Question, varied: Varied | None) -> CertaintyView:
    """How sure the ranks under a question are; all is unknown where nothing is known of how values vary."""
    moves = leaving(scorer, question) if len(scorer.models) <= MANY else {}
    certainty = Certainty.from_dict(scorer, varied or {})
    leader = leader_found(certainty, question)
    if varied is None:
        sets = [None] * len(scorer.models)
        unknown: dict[str, Any] = {"sets": sets, "within": None, "given": {}, "gap": None, "words": NOT_KEPT}
        return CertaintyView(unknown, leaving=moves, leader=leader)
    compare = partial(certainty.compare, question=question) if len(scorer.models) <= COMPARED else None
    published = certainty.published(question, scorer.columns(question))
    answer, content = rank_answer(certainty, question), certainty_bytes(varied)
    return CertaintyView(answer, content, compare, moves, published, any_varies(varied), leader)


@dataclass(frozen=True)
class RowView:
    """One model as the table shows it; `leaving` is how many others change places once it is gone."""

    entry: BoardEntry
    cells: tuple[Cell, ...]
    rank: int | None = None
    score: float | None = None
    z_score: float | None = None
    contributions: Mapping[str, float] = field(default_factory=dict)
    ranks: RankSet | None = None
    elsewhere: RankSet | None = None
    heat: bool = False
    leaving: int = 0
    reasons: tuple[str, ...] = ()
    floored: bool = False

    @property
    def short(self) -> str:
        """The name as controls are called by it, where a very long one would be repeated."""
        return formats.shortened(self.entry.label, 60)

    @property
    def origin(self) -> str:
        """How its numbers came here, from whom, and how it was asked to think."""
        return summary(self.entry.results.values())

    @property
    def suspect(self) -> tuple[str, ...]:
        """Which of its timings are in doubt, and why."""
        return tuple(map(str, self.entry.suspect))


#: What intervals of cells are from.
OF_BLOCKS = "95 % interval over the blocks that were timed"
OF_EXAMPLES = "95 % interval (Wilson) of a share of {examples} with a variant"
ONE_ANSWER = "one answer"
ONE_ANSWER_MEANS = "It answers the same to everything, so that no change of a text could change its answer"


def _cell(
    entry: BoardEntry, column: ShownColumn, value: float | None, scoring: tuple[DatasetSpec, ...]
) -> Cell:
    """A number and its interval, where that holds at any weights of the datasets.

    Of timings it is the widest of those on the datasets. Of shares of answers that stay the same there is
    one where one dataset ranks.
    """
    results = [entry.results[one.id] for one in scoring if one.id in entry.results]
    if value is None or not results:
        return Cell(column, value)
    if column.name in TIMING:
        timed = [result.measurement for result in results if result.measurement]
        of_memory = column.name == "memory"
        halves = [one.memory_within if of_memory else one.within(column.name) for one in timed]
        known = [half for half in halves if half is not None]
        off = percent_off(max(known)) if known and len(known) == len(halves) else ""
        return Cell(column, value, off, OF_BLOCKS)
    scores = results[0].suites.get(column.name)
    if scores is None or not scores.examples:
        return Cell(column, value)
    if results[0].dataset.id in entry.one_answer:
        return Cell(column, value, ONE_ANSWER, ONE_ANSWER_MEANS)
    if len(scoring) > 1:
        return Cell(column, value)
    ends = wilson(round(scores.agreement / 100 * scores.examples), scores.examples)
    off = "–".join(formats.number(100 * end, 1) for end in ends)
    return Cell(column, value, off, OF_EXAMPLES.format(examples=formats.counted(scores.examples, "example")))


def rows_of(
    assembled: Assembled,
    columns: tuple[ShownColumn, ...],
    scoring: tuple[DatasetSpec, ...],
    models: list[dict[str, Any]],
    certainty: CertaintyView,
) -> tuple[RowView, ...]:
    """The rows of the ranked `models`, in their order."""
    places, heat = {name: index for index, name in enumerate(assembled.data["models"])}, certainty.heat

    def row(model: dict[str, Any]) -> RowView:
        index, entry = places[model["model"]], assembled.entries[model["model"]]
        absent = [f"no result on {dataset.label}" for dataset in scoring if dataset.id not in entry.results]
        return RowView(
            entry=entry,
            cells=tuple(_cell(entry, column, model["values"][column.name], scoring) for column in columns),
            rank=model["rank"],
            score=model["dynascore"],
            z_score=model["mean_z_score"],
            contributions=model["contributions"],
            ranks=certainty.of(index, model["rank"]),
            elsewhere=certainty.elsewhere_of(index),
            heat=index in heat,
            leaving=len(certainty.leaving.get(index, ())),
            reasons=(*entry.failures, *absent, *entry.kept_apart),
            floored=entry.id in assembled.data.get("floored", ()),
        )

    return tuple(map(row, models))


@dataclass(frozen=True)
class PeopleRow:
    """One estimate of people: a number for each column, None where there is none."""

    label: str
    cells: tuple[Cell, ...]
    reasons: tuple[str, ...]


def people_rows(assembled: Assembled, columns: Sequence[ShownColumn]) -> tuple[PeopleRow, ...]:
    """A row for each estimate, at the board's default dataset weights.

    A number is the mean over the scoring datasets that weigh anything, and missing as soon as one of
    them lacks it, as it would be for a model. There is no row for people who only stand beside datasets
    that do not rank.
    """
    data, people = assembled.data, assembled.people
    if not people or not data["datasets"]:
        return ()
    values = {
        dataset: {
            c.name: [
                *data["values"][dataset][c.name],
                *(number(assembled, person, dataset, c.name) for person in people.values()),
            ]
            for c in columns
        }
        for dataset in data["datasets"]
    }
    # The one scorer takes the means. What takes part is what models have numbers for, so they are there too.
    names = [*data["models"], *(f"{PEOPLE} {id_}" for id_ in people)]
    scorer = Board.from_dict(
        {**data, "models": names, "values": values, "missing": "unranked", "labels": {}, "floored": []}
    )
    ranking = scorer.rank(assembled.metric_weights, assembled.dataset_weights).to_dict()
    means = {row["model"]: row["values"] for row in ranking["models"]}
    return tuple(
        PeopleRow(
            label=person.label,
            cells=tuple(Cell(column, means[f"{PEOPLE} {person.id}"][column.name]) for column in columns),
            reasons=tuple(
                f"{c.name} on {dataset} was estimated on other data than the models'"
                for dataset, result in person.results.items()
                for c in columns
                if c.name in result.scores and number(assembled, person, dataset, c.name) is None
            ),
        )
        for person in people.values()
        if not person.results.keys().isdisjoint(data["datasets"])
    )


def named(label: str) -> str:
    """The label of an estimate within a sentence."""
    return label.lower() if label == PEOPLE else formats.isolated(formats.shortened(label, 80))


def number(assembled: Assembled, person: BoardEntry, dataset: str, metric: str) -> float | None:
    """People's number on a dataset; None where there is none to compare the models' with.

    The models' must have been made on the same data, by the same definition; where no model has the number
    there is nothing that it could not be compared with.
    """
    result = person.results.get(dataset)
    if result is None or metric not in result.scores:
        return None
    others = [entry.results.get(dataset) for entry in assembled.entries.values()]
    keys = {comparability(other, metric) for other in others if other and metric in other.scores}
    return result.scores[metric].value if not keys or comparability(result, metric) in keys else None
