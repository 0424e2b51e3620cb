"""The page of a board: the ranking at its default weights, and all that is beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evaluator.rank import dynascore
from evaluator.rank.certainty_sentences import leaving_lines
from evaluator.rank.page_words import coverage_words
from evaluator.rank.rate_factor import factor_words
from evaluator.rank.score_sentences import (
    NAMES,
    Shown,
    Text,
    amount_words,
    rates_explained,
    score_explained,
    trades_words,
)
from evaluator.rank.trade_sentences import trades_offered
from evaluator.rank.verdict_sentences import at_words, verdict, verdict_sentence
from evaluator.records import board as boards_module
from evaluator.records.board import (
    Assembled,
    BoardEntry,
    Boards,
    DatasetSpec,
    OutdatedResult,
)
from evaluator.records.board.made import made_label, swaps_on
from evaluator.records.datasets import SuiteCard
from evaluator.records.references import left
from evaluator.records.result import Result
from evaluator.score.inputs import outdated_lines
from evaluator.score.judge_sentences import JudgedMetric, judge_lines, judged_metrics
from site_src.generator import embed, endpoints, formats
from site_src.generator.board_data import (
    board_island,
    first_axes,
    first_ranking,
    middle_of,
    preset_rankings,
    presets_of,
    whole_weights,
    without_absent,
)
from site_src.generator.breakdowns import explained, made_words
from site_src.generator.datasets import DatasetView, ShownTable, dataset_views, shown_table
from site_src.generator.prices import PriceView
from site_src.generator.results import Origin, origins
from site_src.generator.sections import (
    ComparedTable,
    Overlap,
    Rounds,
    compared_tables,
    on_one_dataset,
    overlaps,
    rounds_of,
)
from site_src.generator.table import (
    NOTHING,
    Cell,
    CertaintyView,
    PeopleRow,
    RowView,
    ShownColumn,
    Varied,
    certainty_view,
    columns_of,
    people_rows,
    rows_of,
)

if TYPE_CHECKING:
    from site_src.generator.site import Site


POLICIES = {
    "unranked": "a model without a value for a metric that has weight is shown but not ranked",
    "worst": "a missing value counts as the worst on the board",
}
#: A table of more models than this is one that nobody scrolls past.
LONG = 60
#: A page names so many pairs of metrics that say nearly the same.
HINTS = 2


@dataclass(frozen=True)
class Control:
    """A weight that visitors move."""

    kind: str
    name: str
    label: str
    colour: int | None
    value: float
    share: float


@dataclass(frozen=True)
class BoardView:
    """Everything on a board's page.

    `made` says how much numbers of fairness are from, and `meanings` what all numbers under a suite are.
    `words` is the default ranking, from which words are made, None where nobody is ranked: of it are `why`
    (see `score_explained`), `rates` (see `rates_explained`) and `leaving`, a line for each model that moves
    others by leaving.
    """

    assembled: Assembled
    columns: tuple[ShownColumn, ...]
    made: Mapping[str, str]
    meanings: Mapping[str, str]
    absent: tuple[str, ...]
    rows: tuple[RowView, ...]
    certainty: CertaintyView
    words: Shown | None = field(repr=False)
    leaving: Sequence[Text]
    rates: Mapping[str, Any]
    why: Mapping[str, Any]
    rounds: Rounds | None
    middle_id: str | None
    people: tuple[PeopleRow, ...]
    origins: tuple[Origin, ...]
    datasets: tuple[DatasetView, ...]
    shown: ShownTable | None
    scoring: tuple[DatasetSpec, ...]
    metric_controls: tuple[Control, ...]
    dataset_controls: tuple[Control, ...]
    months: bool
    top: float
    dataset_top: float
    island: dict[str, Any] = field(repr=False)
    ranking: dict[str, Any] = field(repr=False)
    compared: tuple[ComparedTable, ...] = ()
    prices: PriceView | None = None

    @property
    def factor_words(self) -> str:
        """How far exchange rates may be off."""
        shown = self.words
        return factor_words(shown.board, shown.question, shown.columns, self.certainty.thin) if shown else ""

    @property
    def verdict(self) -> Mapping[str, Any]:
        """Who leads, what would end that, and how often it leads; see `rank.verdict_sentences`."""
        certainty = self.certainty
        return verdict(self.words, certainty.answer["sets"], certainty.leader) if self.words else {}

    @property
    def verdict_sentence(self) -> str:
        """The same as plain text, of the default weights; empty of a board without results."""
        if not self.words:
            return ""
        where = at_words(self.words, "the default")
        return verdict_sentence(self.words, self.certainty.answer["sets"], self.certainty.leader, where)

    @property
    def notes(self) -> tuple[str, ...]:
        """The ranking's own."""
        return tuple(self.rates.get("notes", ()))

    @property
    def own_ranking(self) -> dict[str, Any]:
        """The ranking without those at the presets."""
        return {**self.ranking, "presets": {}}

    @property
    def task(self) -> str | None:
        """The task of its datasets, None where they are of several."""
        first, *others = self.assembled.tasks
        return None if others else first

    @property
    def spec(self) -> boards_module.BoardSpec:
        return self.assembled.board

    @property
    def score_name(self) -> str:
        """What its models are ranked by, as a heading says it."""
        name = NAMES[self.spec.by]
        return name[0].upper() + name[1:]

    @property
    def is_traded(self) -> bool:
        """Whether its models are ranked by trade-offs, where metrics have no weights."""
        return self.spec.by == "trades"

    @property
    def counting(self) -> list[str]:
        """What counts by default and for how much: the weight of each metric, or each trade-off."""
        if not self.is_traded:
            return [formats.weight(control.value) for control in self.metric_controls]
        trades = self.words.trades if self.words else None
        metrics = {metric["name"]: metric for metric in self.island["metrics"]}
        return [
            f"{amount_words(trade.plain, metrics[name])} {formats.isolated(metrics[name]['label'])}"
            for name, trade in (trades or {}).items()
        ]

    @property
    def trades_words(self) -> str:
        """What one unit of the base metric is worth, in words; empty of a board without results."""
        return trades_words(self.words) if self.words else ""

    @property
    def default_terms(self) -> str:
        """The same in words: "weights Accuracy 4, Memory 1", or what one unit of the base metric is worth."""
        if self.is_traded:
            return f"trade-offs: {self.trades_words}" if self.words else "trade-offs"
        weights = [f"{one.label} {formats.weight(one.value)}" for one in self.metric_controls]
        return f"weights {', '.join(weights)}"

    @property
    def dataset_groups(self) -> list[tuple[str, list[Control]]]:
        """The weights of datasets by the groups of the board; the others come last, without a heading."""
        controls = {control.name: control for control in self.dataset_controls}
        groups = [
            (label, [controls.pop(name) for name in names if name in controls])
            for label, names in self.spec.groups.items()
        ]
        return [(label, found) for label, found in (*groups, ("", list(controls.values()))) if found]

    @property
    def cells(self) -> dict[str, Any]:
        """What the scorer needs, and no more: the cells of the datasets that rank."""
        data = self.assembled.data
        return {**data, "values": {name: data["values"][name] for name in data["datasets"]}}

    @property
    def blank(self) -> RowView:
        """A row of no model; a script fills it for each model of a snapshot, whose name is for ``{name}``."""
        return RowView(BoardEntry("", "{name}", ""), tuple(Cell(column, None) for column in self.columns))

    @property
    def long(self) -> bool:
        """Whether only rows in sight are in the page, which brings the others as one scrolls."""
        return len(self.rows) > LONG

    @property
    def base(self) -> ShownColumn:
        return next(column for column in self.columns if column.name == self.spec.base)

    @property
    def middle(self) -> str:
        """Name of the median model, which the bars compare the others with."""
        return self.assembled.entries[self.middle_id].label if self.middle_id else "no model"

    @property
    def updated(self) -> str:
        return formats.moment(self.assembled.timestamp)

    @cached_property
    def ranked_rows(self) -> tuple[RowView, ...]:
        """The models that are ranked; every model's page looks at them, so they are found once."""
        return tuple(row for row in self.rows if row.rank is not None)

    @property
    def ranked(self) -> int:
        """How many models are ranked."""
        return len(self.ranked_rows)

    @cached_property
    def ranked_places(self) -> dict[str, int]:
        """The place of each ranked model among them, by id."""
        return {row.entry.id: place for place, row in enumerate(self.ranked_rows)}

    @cached_property
    def overlaps(self) -> tuple[Overlap, ...]:
        """Metrics with weight that say nearly the same of the models.

        Two that no dataset has both of are of different tasks: good models are good at many, and yet each
        is worth its weight.
        """
        weighed = {control.name for control in self.metric_controls if control.value > 0}
        columns = [column for column in self.columns if column.name in weighed]
        places = [self.columns.index(column) for column in columns]
        found = overlaps(columns, [[row.cells[at].compared for at in places] for row in self.rows])
        data = self.assembled.data
        return tuple(pair for pair in found if on_one_dataset(data, pair.one.name, pair.other.name))

    @property
    def hints(self) -> tuple[Overlap, ...]:
        """Those that its page names: the closest two that are not plainly one quantity."""
        unlike = (pair for pair in self.overlaps if not pair.same)
        return tuple(sorted(unlike, key=lambda pair: -pair.correlation)[:HINTS])

    @cached_property
    def judges(self) -> list[JudgedMetric]:
        """The metrics that a judge gives, corrected by labels of people."""
        return judged_metrics(self.assembled, _in_a_sentence)

    @property
    def judge_lines(self) -> list[tuple[str, str]]:
        """The dataset and what is said below the table of each judge on it."""
        labels = {dataset.spec.id: dataset.spec.label for dataset in self.datasets}
        return [
            (one.dataset, line)
            for one, line in zip(self.judges, judge_lines(self.judges, labels), strict=True)
        ]

    @cached_property
    def outdated(self) -> tuple[OutdatedResult, ...]:
        """The results of the board's models and people that are of other inputs than those of now."""
        everyone = (*self.assembled.entries.values(), *self.assembled.people.values())
        return tuple(one for entry in everyone for one in entry.outdated)

    @property
    def stale(self) -> list[str]:
        """What is to be said of them above the table."""
        everyone = {**self.assembled.entries, **self.assembled.people}
        datasets = {dataset.spec.id: dataset.spec.label for dataset in self.datasets}

        def name(one: OutdatedResult) -> str:
            label = formats.shortened(everyone[one.model].label, 60)
            return label if len(datasets) == 1 else f"{label} on {datasets[one.dataset]}"

        return outdated_lines(self.outdated, name)

    @property
    def removed(self) -> tuple[str, ...]:
        """A sentence about each model that was removed from the board, without a full stop."""
        return tuple(left(model.label, model.removed).rstrip(".") for model in self.assembled.removed)

    @property
    def leaders(self) -> tuple[RowView, ...]:
        return self.ranked_rows[:3]


def _in_a_sentence(label: str) -> str:
    return formats.isolated(formats.shortened(label, 60))


def board_view(
    assembled: Assembled,
    boards: Boards,
    cards: Sequence[SuiteCard] = (),
    varied: Varied | None = None,
    results: Iterable[Result] = (),
    prices: PriceView | None = None,
) -> BoardView:
    """Rank the board at its default weights and lay out everything its page shows.

    `cards` are those of all perturbation suites; `varied` says how values vary (see `views.certainty`);
    among `results` are those that the board is shown beside; `prices` are those that visitors may change.
    """
    assembled, absent = without_absent(assembled)
    weights = whole_weights(assembled.metric_weights)
    specs = tuple(boards.dataset(name) for name in assembled.board.datasets)
    scoring = tuple(dataset for dataset in specs if dataset.id in assembled.ranking_datasets)
    ranking, certainty, scorer = _ranking(assembled, weights, varied)
    columns = columns_of(assembled.board)
    base = next(column for column in columns if column.name == assembled.board.base)
    presets = presets_of(assembled.board)
    metric_weights = [weights, *(preset["weights"] for preset in presets)]
    island = board_island(assembled, columns, weights, presets)
    if prices and prices.metric in assembled.board.metrics:
        island["prices"] = prices.island
    idle = scorer.idle(_question(assembled, weights)) if scorer else {"metrics": [], "datasets": []}
    shown = Shown(scorer, _question(assembled, weights), island) if scorer else None
    if shown:
        island["offers"] = trades_offered(shown)
    if scorer and not assembled.parts:
        counting = shown.counting if shown else weights
        island["coverage"] = coverage_words(scorer, counting, island["weights"]["datasets"])
    everyone = [*assembled.entries.values(), *assembled.people.values()]
    swaps = _swaps(assembled, columns, scoring)
    names = [model["model"] for model in ranking["models"]]
    return BoardView(
        assembled=assembled,
        columns=columns,
        made={
            column.name: _made(assembled, column, swaps[column.name], scoring)
            for column in columns
            if column.name in swaps
        },
        meanings=_meanings(assembled, columns, swaps),
        absent=tuple(metric.label for metric in absent),
        rows=rows_of(assembled, columns, scoring, ranking["models"], certainty),
        certainty=certainty,
        words=shown,
        leaving=leaving_lines(shown, certainty.leaving) if shown else (),
        rates=rates_explained(shown) if shown else {},
        rounds=rounds_of(assembled, specs, names, base),
        why=score_explained(shown, None) if shown else {},
        middle_id=middle_of(ranking["models"]),
        people=people_rows(assembled, columns),
        origins=origins(result for entry in everyone for result in entry.results.values()),
        datasets=dataset_views(assembled, specs, base, cards),
        shown=shown_table(assembled, specs, names, base),
        scoring=scoring,
        metric_controls=_controls(
            "metric", weights, {c.name: c.label for c in columns}, idle["metrics"], columns
        ),
        dataset_controls=_controls("dataset", assembled.dataset_weights, assembled.weighed, idle["datasets"]),
        months=len(assembled.parts) > 1 and all(part.is_dated for part in assembled.parts.values()),
        # Where the sliders end: at 5, or at the largest weight that the board's owner uses.
        top=max(5.0, *(weight for given in metric_weights for weight in given.values())),
        dataset_top=max(5.0, *assembled.dataset_weights.values()),
        island=island | first_axes(columns, base.name, assembled, ranking),
        ranking=first_ranking(assembled, columns, ranking)
        | {"idle": idle, "presets": preset_rankings(assembled, columns, presets, scorer)},
        compared=compared_tables(assembled, boards, ranking["models"], columns, results),
        prices=prices if "prices" in island else None,
    )


def _ranking(
    assembled: Assembled, weights: Mapping[str, float], varied: Varied | None
) -> tuple[dict[str, Any], CertaintyView, dynascore.Board | None]:
    if not assembled.entries or not assembled.data["datasets"]:
        return {"models": [], "exchange_rates": {}, "notes": []}, NOTHING, None
    scorer = dynascore.Board.from_dict(assembled.data)
    ranking = scorer.rank(weights, assembled.dataset_weights).to_dict()
    return ranking, certainty_view(scorer, _question(assembled, weights), varied), scorer


def _question(assembled: Assembled, weights: Mapping[str, float]) -> dynascore.Question:
    """What the page asks by default."""
    return dynascore.Question(weights, assembled.dataset_weights)


def _swaps(
    assembled: Assembled, columns: tuple[ShownColumn, ...], scoring: Sequence[DatasetSpec]
) -> dict[str, dict[str, int]]:
    """What was made of the texts of the scoring datasets, by metric, where its number is of fairness."""
    results = [result for entry in assembled.entries.values() for result in entry.results.values()]
    names = [dataset.id for dataset in scoring]
    found = {column.name: swaps_on(column.name, names, results) for column in columns}
    return {name: swaps for name, swaps in found.items() if swaps}


def _made(
    assembled: Assembled,
    column: ShownColumn,
    swaps: Mapping[str, int],
    scoring: Sequence[DatasetSpec],
) -> str:
    """Under the column's name: of how many examples it is or, where that does not say it, what was made."""
    if column.label != made_label(swaps):
        return made_words(swaps)
    results = [result for entry in assembled.entries.values() for result in entry.results.values()]
    found = {one.dataset.id: one.suites[column.name] for one in results if column.name in one.suites}
    examples = sum(found[dataset.id].examples for dataset in scoring if dataset.id in found)
    return f"n = {formats.number(examples, 0)}"


def _meanings(
    assembled: Assembled, columns: tuple[ShownColumn, ...], swaps: Mapping[str, Mapping[str, int]]
) -> dict[str, str]:
    """What the columns are that hold the agreement under a suite, by metric."""
    results = [result for entry in assembled.entries.values() for result in entry.results.values()]
    kinds = {name: scores.kind for result in results for name, scores in result.suites.items()}
    names = [column.name for column in columns if column.name in kinds]
    meanings = {name: explained(assembled.tasks[0], kinds[name]).agreement for name in names}
    return {
        name: f"{meaning} Made here: {made_words(swaps[name])}." if name in swaps else meaning
        for name, meaning in meanings.items()
    }


def _controls(
    kind: str,
    weights: Mapping[str, float],
    labels: Mapping[str, str],
    idle: Collection[str],
    columns: tuple[ShownColumn, ...] = (),
) -> tuple[Control, ...]:
    """A control for each name in `labels`; those that are `idle` have no share."""
    part = {name: 0.0 if name in idle else weights.get(name, 0.0) for name in labels}
    total = sum(part.values()) or 1.0
    colours = {column.name: column.colour for column in columns}
    return tuple(
        Control(kind, name, label, colours.get(name), weights.get(name, 0.0), part[name] / total)
        for name, label in labels.items()
    )


def write_board(site: Site, view: BoardView) -> None:
    """Write the page of a board, its data, and what other sites show of it."""
    at, newest = view.spec.id, site.newest.get(view.spec.id)
    site.write(
        f"{at}/index.html",
        "board.html",
        1,
        view=view,
        policies=POLICIES,
        data_file="board.json",
        latest=newest,
        newest=site.citing(view),
        difficult=site.difficult(view),
        tried=site.tried(view),
        collections=site.collections(view),
    )
    site.put(f"{at}/board.json", endpoints.board_json(site.boards, view, newest))
    if view.certainty.content:
        site.put(f"{at}/{view.certainty.file}", view.certainty.content)
    if view.prices:
        site.put(f"{at}/{view.prices.file}", view.prices.content)
    site.write(f"{at}/embed/index.html", "embed.html", 2, view=view)
    # Sites that show a link to the board fetch the picture by its full address.
    if site.boards.site.url:
        picture = embed.drawing_of(site.boards, view, site.environment)
        site.put(f"{at}/social.png", embed.png(picture, site.cache))
