"""What the page of a dataset shows: what it is, how a board's models do on it, how hard its examples are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator.data.tasks.known import SCORED
from evaluator.records.board import Boards, MetricSpec
from evaluator.records.datasets import Examples
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.examples import repeats_line
from evaluator.score.judge_sentences import JudgedMetric
from site_src.generator import endpoints, formats
from site_src.generator.breakdowns import FEW, SHORT, TagMetric, TagValues, metric_of
from site_src.generator.datasets import DatasetView
from site_src.generator.pages.board import BoardView
from site_src.generator.pages.examples import (
    BESIDE,
    UNSOLVED,
    Verdicts,
    hardest_examples,
    hardness_of,
    main_of,
    verdicts,
)
from site_src.generator.results import Fact
from site_src.generator.table import ShownColumn, label_of

if TYPE_CHECKING:
    from site_src.generator.site import Site


#: Model and metric of numbers that may not be compared with the rest of their column.
Stale = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class ModelRow:
    """One model, or people (without an id), with every metric there is on the dataset.

    Of each the number, and whether it is stale: not to be compared with the rest of its column.
    """

    id: str | None
    label: str
    mark: str
    note: str | None
    cells: tuple[tuple[str | None, bool], ...]


@dataclass(frozen=True)
class JudgedRow:
    """A model's score that a judge gives: corrected, of the judge alone, and judge against people.

    `clear` says that it is judged otherwise than the other models, by more than chance.
    """

    id: str
    label: str
    value: str
    judge: str
    excess: str
    interval: str
    clear: bool
    labels: str
    worth: str


@dataclass(frozen=True)
class JudgeTable:
    """What a judge says of a metric, and people: about it in sentences, and a row for each model."""

    metric: MetricSpec
    about: str
    weight: str
    rows: tuple[JudgedRow, ...]


@dataclass(frozen=True)
class GridRow:
    """One value of a tag: the mean of the models beside it, and each of them."""

    value: str
    examples: int
    mean: str
    cells: tuple[str | None, ...]
    best: frozenset[int]

    @property
    def few(self) -> bool:
        return 0 < self.examples < FEW


@dataclass(frozen=True)
class TagGrid:
    """One tag: values by models, the hardest value first. `others` have scores too, and no column."""

    tag: str
    metric: TagMetric
    models: tuple[tuple[str, str], ...]
    others: int
    rows: tuple[GridRow, ...]
    whole: GridRow

    @property
    def folded(self) -> bool:
        return len(self.rows) > SHORT

    @property
    def few(self) -> bool:
        return any(row.few for row in self.rows)

    @property
    def span(self) -> str:
        """Mean scores of the hardest and of the easiest value."""
        ends = [f"{row.mean} ({formats.isolated(row.value)})" for row in (self.rows[0], self.rows[-1])]
        return f"mean {self.metric.label} from {ends[0]} to {ends[1]}"


def write_dataset(site: Site, view: BoardView, dataset: DatasetView) -> None:
    """Write the page of a dataset on a board, its data, and its description as Croissant.

    Raises `UserError` at a bad file of examples.
    """
    at = f"{view.spec.id}/datasets/{dataset.spec.id}"
    stale, examples = _stale(view, dataset), examples_of(dataset, site.store)
    people = [person.results.get(dataset.spec.id) for person in view.assembled.people.values()]
    everyone = [*best_first(view, dataset), *filter(None, people)]
    metrics, answered = _metrics(view, everyone), fitting(view, dataset)
    known, main = site.verdicts(view, dataset), main_of(site.boards, view, dataset)
    hardness = hardness_of(known) if known else None
    texts = known.texts if known else None
    share, labels = _share(view, dataset), _labels(examples)
    kept = site.examples(view).get(dataset.spec.id)
    croissant = endpoints.described(site.boards, view, kept)
    site.write(
        f"{at}/index.html",
        "dataset.html",
        3,
        view=view,
        dataset=dataset,
        # Its part of the board's default dataset weights.
        share=share,
        facts_of_it=_facts(view, dataset),
        repeats=repeats_line(examples),
        # The right answers, and how many examples have each, where that may be shown.
        labels=labels,
        metrics=metrics,
        rows=[_row(dataset, result, metrics, stale) for result in everyone],
        ranks={row.entry.id: str(row.rank) for row in view.ranked_rows},
        without=[row.entry.label for row in view.rows if dataset.spec.id not in row.entry.results],
        grids=_grids(view, answered),
        judges=[_judge_table(one, view) for one in view.judges if one.dataset == dataset.spec.id],
        hardness=hardness,
        unknown=None if hardness else _why_unknown(examples, answered, main),
        # Of examples that no model gets right, where they may be shown.
        texts=[texts[at] for at, count in enumerate(known.counts) if not count][:UNSOLVED]
        if known and texts
        else [],
        readable=readable_values(known),
        # Ids that a source gave are what people know its examples by.
        named=hardness if hardness and dataset.spec.task == SCORED.name else None,
        hardest=None
        if hardness or examples is None
        else hardest_examples(site.store, examples, answered, main),
        main=main,
        ids_file=kept.name if kept and dataset.spec.task == SCORED.name else None,
        model_labels={row.entry.id: row.entry.label for row in view.rows},
        difficult=site.difficult(view),
        data_file="dataset.json",
        croissant=croissant,
    )
    site.put(f"{at}/dataset.json", endpoints.dataset_json(view, dataset, share, labels, hardness, kept))
    if croissant:
        site.put(f"{at}/{endpoints.FILE}", endpoints.text_of(croissant))


def _judge_table(judged: JudgedMetric, board: BoardView) -> JudgeTable:
    entries, metric = board.assembled.entries, judged.metric
    values = {id_: entries[id_].results[judged.dataset].scores[metric.name].value for id_ in judged.models}
    sign = -1 if metric.direction == "higher" else 1
    order = sorted(values, key=lambda id_: (sign * values[id_], entries[id_].label))
    about = " ".join([judged.worth(), *judged.favours()])
    return JudgeTable(
        metric=metric,
        about=about[0].upper() + about[1:],
        weight=formats.number(judged.models[order[0]].weight),
        rows=tuple(_judged_row(judged, id_, entries[id_].label, values[id_]) for id_ in order),
    )


def _judged_row(judged: JudgedMetric, id_: str, label: str, value: float) -> JudgedRow:
    one, excess, decimals = judged.models[id_], judged.excess(id_), judged.metric.decimals
    ends = [formats.number(end, judged.decimals) for end in (excess.low, excess.high)]
    return JudgedRow(
        id=id_,
        label=label,
        value=formats.number(value, decimals),
        judge=formats.number(one.judge, decimals),
        excess=formats.signed(excess.value, judged.decimals),
        interval=" to ".join(ends),
        clear=bool(excess.clear),
        labels=formats.count(one.labels),
        worth=formats.MISSING if one.worth is None else formats.count(round(one.worth)),
    )


def verdicts_of(boards: Boards, board: BoardView, dataset: DatasetView, store: Store) -> Verdicts | None:
    """Which of the best models are right on which example; None where that is not known.

    Raises `UserError` at a bad file of examples or predictions.
    """
    examples = examples_of(dataset, store)
    if examples is None:
        return None
    return verdicts(store, examples, fitting(board, dataset), main_of(boards, board, dataset))


def readable_values(known: Verdicts | None) -> TagValues | None:
    """The tags' values whose examples can be read; None where no example can."""
    if known is None or known.texts is None:
        return None
    return frozenset((tag, value) for tag, values in known.examples.tags.items() for value in values if value)


def tabled_values(board: BoardView, dataset: DatasetView) -> TagValues:
    """The tags' values that the tables by tag of a dataset's page have a line for."""
    grids = _grids(board, fitting(board, dataset))
    return frozenset((grid.tag, row.value) for grid in grids for row in grid.rows)


def examples_of(dataset: DatasetView, store: Store) -> Examples | None:
    """The ids of the dataset's examples, and their gold labels where these may be shown."""
    if dataset.revision is None:
        return None
    return store.examples(dataset.spec.task, dataset.spec.id, dataset.revision)


def _share(board: BoardView, dataset: DatasetView) -> float | None:
    weights = board.assembled.dataset_weights
    total = math.fsum(weights.values())
    ranks = dataset.spec.id in board.assembled.data["datasets"]
    return weights.get(dataset.spec.id, 0.0) / total if ranks and total else None


def _facts(board: BoardView, dataset: DatasetView) -> tuple[Fact, ...]:
    spec, main = dataset.spec, board.assembled.mains.get(dataset.spec.id)
    ends = f", from {main.ends[0]:g} as 0 to {main.ends[1]:g} as 100" if main and main.ends else ""
    tags = ", ".join(f"{name}: {value}" for name, value in spec.tags.items())
    facts = (
        (
            "Task",
            "scored elsewhere; the scores come from a source" if spec.task == SCORED.name else spec.task,
        ),
        ("Role", dataset.role),
        ("Score made of", f"{label_of(main.name)}{ends}" if main else None),
        ("Round", f"{spec.round}" if spec.round else None),
        ("Every example is tagged", tags or None),
        ("Examples scored", None if dataset.examples is None else formats.count(dataset.examples)),
        *((f"Left out: {reason}", formats.count(count)) for reason, count in dataset.dropped),
        ("Malformed rows left out", formats.count(dataset.skipped) if dataset.skipped else None),
        ("Revision", dataset.revision),
    )
    known = tuple(fact for fact in facts if fact[1] is not None)
    return (*known, ("Licence", spec.licence), ("Citation", spec.citation), ("Link", spec.link))


def _labels(examples: Examples | None) -> tuple[tuple[str, int], ...]:
    if examples is None or examples.gold is None:
        return ()
    counts = Counter(examples.gold)
    return tuple((label, counts[index]) for index, label in enumerate(examples.labels))


def _stale(board: BoardView, dataset: DatasetView) -> Stale:
    """Model and metric of every number on the dataset that the board keeps out of its column."""
    models, entries = board.assembled.data["models"], board.assembled.entries
    columns = board.assembled.data["values"][dataset.spec.id]
    return frozenset(
        (model, metric)
        for metric, column in columns.items()
        for model, value in zip(models, column, strict=True)
        if value is None
        and (result := entries[model].results.get(dataset.spec.id))
        and metric in result.scores
    )


def best_first(board: BoardView, dataset: DatasetView) -> list[Result]:
    """The models' results by the base metric, those without a number that ranks last; ties by name."""
    base, at, stale = board.base, dataset.spec.id, _stale(board, dataset)
    sign = -1 if base.spec.direction == "higher" else 1
    found = [entry.results[at] for entry in board.assembled.entries.values() if at in entry.results]

    def key(result: Result) -> tuple[float, str, str]:
        ranks = base.name in result.scores and (result.model.id, base.name) not in stale
        value = sign * result.scores[base.name].value if ranks else math.inf
        return value, result.model.label, result.model.id

    return sorted(found, key=key)


def fitting(board: BoardView, dataset: DatasetView) -> list[Result]:
    """Those of `best_first` that are on the revision that the dataset's page is about."""
    return [r for r in best_first(board, dataset) if r.dataset.revision == dataset.revision]


def _metrics(board: BoardView, results: Sequence[Result]) -> tuple[TagMetric, ...]:
    """Every metric that some result has: the board's columns in their order, then the others by name."""
    columns = {column.name: column for column in board.columns}
    having = {name: result for result in reversed(results) for name in result.scores}
    names = [name for name in columns if name in having] + sorted(set(having) - set(columns))
    return tuple(metric_of(name, having[name], columns) for name in names)


def _row(dataset: DatasetView, result: Result, metrics: Sequence[TagMetric], stale: Stale) -> ModelRow:
    person = result.provenance == "human"
    other = result.provenance != "reported" and result.dataset.revision != dataset.revision
    revision = formats.short_hash(result.dataset.revision or "unknown")
    on_other = f"on other data, revision {revision}" if other else None
    return ModelRow(
        id=None if person else result.model.id,
        label=result.model.label,
        mark=result.provenance,
        note="the run failed" if result.status == "failed" else on_other,
        cells=tuple(
            (metric.text(result.scores[metric.name].value), other or (result.model.id, metric.name) in stale)
            if metric.name in result.scores
            else (None, False)
            for metric in metrics
        ),
    )


def _grids(board: BoardView, results: Sequence[Result]) -> tuple[TagGrid, ...]:
    tags = dict.fromkeys(tag for result in results for tag in result.tags)
    columns = {column.name: column for column in board.columns}
    grids = (_grid(tag, [r for r in results if tag in r.tags], board.base.name, columns) for tag in tags)
    return tuple(grid for grid in grids if grid is not None)


def _grid(
    tag: str, results: Sequence[Result], base: str, columns: Mapping[str, ShownColumn]
) -> TagGrid | None:
    """Values of one tag by models, on the base metric or else on the first that the tag is scored by."""
    scored = dict.fromkeys(name for r in results for value in r.tags[tag].values() for name in value.scores)
    if not scored:
        return None
    name = base if base in scored else next(iter(scored))
    shown = results[:BESIDE]
    metric = metric_of(name, shown[0], columns)
    values = dict.fromkeys(value for result in shown for value in result.tags[tag])
    rows = [_grid_row(tag, value, shown, metric) for value in values]
    whole = [r.scores[name].value if name in r.scores else None for r in shown]
    return TagGrid(
        tag=tag,
        metric=metric,
        models=tuple((result.model.id, result.model.label) for result in shown),
        others=len(results) - len(shown),
        rows=tuple(row for _, row in sorted(rows, key=lambda pair: (pair[0], pair[1].value))),
        whole=_filled("", shown[0].dataset.examples or 0, whole, metric)[1],
    )


def _grid_row(tag: str, value: str, results: Sequence[Result], metric: TagMetric) -> tuple[float, GridRow]:
    scored = [result.tags[tag].get(value) for result in results]
    examples = next(found.examples for found in scored if found)
    return _filled(value, examples, [s.scores.get(metric.name) if s else None for s in scored], metric)


def _filled(
    value: str, examples: int, numbers: Sequence[float | None], metric: TagMetric
) -> tuple[float, GridRow]:
    """A row, and how easy its examples are: the hardest come first, those without any score last."""
    known = [number for number in numbers if number is not None]
    sign = -1 if metric.less_is_better else 1
    best = max((sign * number for number in known), default=None)
    mean = math.fsum(known) / len(known) if known else None
    row = GridRow(
        value=value,
        examples=examples,
        mean=metric.text(mean),
        cells=tuple(None if number is None else metric.text(number) for number in numbers),
        best=frozenset(at for at, n in enumerate(numbers) if n is not None and sign * n == best),
    )
    return (math.inf if mean is None else sign * mean), row


def _why_unknown(examples: Examples | None, results: Sequence[Result], base: MetricSpec) -> str:
    """Why nothing is said of how hard the examples are."""
    if not any(result.predictions for result in results):
        return "No model's answers to single examples are known here, only its scores."
    if examples is None:
        return "No list of this revision's examples is kept with the results; evaluate again to make one."
    if any(base.name in one.scores and one.scores[base.name].judged for one in results):
        return f"{base.label} is what a judge says of each example, so right answers are not counted."
    if examples.task == SCORED.name:
        number = f"{base.label} is a number for each example, not right or wrong"
        return f"{number}, so right answers are not counted."
    if any(result.model.made_from.get("runs", 1) > 1 for result in results) and examples.gold is not None:
        partly = "Some models answered several times, so an example may be partly right"
        return f"{partly}: right answers are not counted."
    return "The right answers are not published with this site, so nobody can see who is right on what."
