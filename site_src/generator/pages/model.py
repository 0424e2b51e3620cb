"""The page of a model on a board: where its score comes from, and each of its results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator.records.references import ModelCard, Parity
from evaluator.records.result import Fingerprint, Latency, Measurement, Memory, Percentile, Result, Score
from site_src.generator import embed, endpoints, formats
from site_src.generator.breakdowns import SuiteView, TagTable, TagValues, suite_views, tag_tables, untried
from site_src.generator.datasets import DatasetView
from site_src.generator.pages import compare
from site_src.generator.pages.board import BoardView
from site_src.generator.pages.dataset import readable_values, tabled_values
from site_src.generator.pages.examples import Verdicts
from site_src.generator.results import (
    MEANINGS,
    Fact,
    FailureView,
    Origin,
    PromptView,
    batch_sentence,
    card_of,
    failure_views,
    kept_in,
    origins,
    prompt_view,
)
from site_src.generator.standing import BoardParts, Rival, Strengths, field_of, rivals_of, strengths_of
from site_src.generator.table import RowView, ShownColumn, label_of

if TYPE_CHECKING:
    from site_src.generator.site import Site


@dataclass(frozen=True)
class MetricPart:
    """What one metric adds to the model's Dynascore at the default weights."""

    column: ShownColumn
    text: str
    contribution: float | None
    difference: float | None


@dataclass(frozen=True)
class ModelView:
    """Everything on a model's page. Its score is compared with that of `other`, the board's `role`.

    `places` are by dataset, of its own results.
    """

    board: BoardView
    row: RowView
    other: RowView
    role: str
    origins: tuple[Origin, ...]
    card: tuple[Fact, ...]
    parts: tuple[MetricPart, ...]
    strengths: Strengths | None
    rivals: tuple[Rival, ...]
    places: Mapping[str, TagPlaces]

    @property
    def rival(self) -> RowView | None:
        """The model to compare with: the first of the board, or the second if this is the first."""
        return next((row for row in self.board.rows if row.entry.id != self.row.entry.id), None)


@dataclass(frozen=True)
class Beside:
    """What the pages of a board's models share: who is right on what, and what all models reach.

    `places` are by dataset, for results on the revision that it has.
    """

    verdicts: Mapping[str, Verdicts]
    field: BoardParts
    places: Mapping[str, TagPlaces]


def beside_of(board: BoardView, verdicts: Mapping[str, Verdicts]) -> Beside:
    """What the pages of a board's models share; `verdicts` by dataset, where they are known."""
    places = {dataset.spec.id: _places(board, dataset, verdicts) for dataset in board.datasets}
    return Beside(verdicts, field_of(board, verdicts), places)


def _places(board: BoardView, dataset: DatasetView, verdicts: Mapping[str, Verdicts]) -> TagPlaces:
    readable = readable_values(verdicts.get(dataset.spec.id))
    return TagPlaces(bool(readable), readable or tabled_values(board, dataset))


def model_view(board: BoardView, row: RowView, beside: Beside) -> ModelView:
    """Lay out everything about one model of a board."""
    own = row.entry.results
    other, role = _other(board, row)
    fitting = {
        dataset.spec.id: own[dataset.spec.id].dataset.revision == dataset.revision
        for dataset in board.datasets
        if dataset.spec.id in own
    }
    return ModelView(
        board=board,
        row=row,
        other=other,
        role=role,
        origins=origins(own.values()),
        card=_card(card_of(own.values())),
        parts=_parts(row, other),
        strengths=strengths_of(board, beside.field, row.entry.id),
        rivals=rivals_of(board, row, beside.verdicts),
        places={name: beside.places[name] if fits else NOWHERE for name, fits in fitting.items()},
    )


def _other(board: BoardView, row: RowView) -> tuple[RowView, str]:
    """The model to compare a score with, and what it is. The median model is compared with the leader."""
    ranked = board.ranked_rows
    if not ranked or row.entry.id != board.middle_id:
        middle = board.ranked_places.get(board.middle_id or "")
        return row if middle is None else ranked[middle], "median model"
    if row is not ranked[0] or len(ranked) == 1:
        return ranked[0], "leader"
    return ranked[1], "second"


def _card(card: ModelCard) -> tuple[Fact, ...]:
    size = None if card.parameters is None else formats.count(card.parameters)
    return (
        ("Description", card.description),
        ("Intended use", card.intended_use),
        ("Training data", card.training_data),
        ("Parameters", size),
        ("Languages", ", ".join(card.languages) or None),
        ("Licence", card.licence),
        ("Paper", card.paper),
        ("Link", card.link),
    )


def _parts(row: RowView, other: RowView) -> tuple[MetricPart, ...]:
    def difference(metric: str) -> float | None:
        if row.rank is None:
            return None
        return row.contributions.get(metric, 0.0) - other.contributions.get(metric, 0.0)

    return tuple(
        MetricPart(
            column=cell.column,
            text=cell.text,
            contribution=row.contributions.get(cell.column.name),
            difference=difference(cell.column.name),
        )
        for cell in row.cells
    )


#: Size of the latency histogram's own coordinates, and the room under it for the axis.
CHART_WIDTH, CHART_HEIGHT, AXIS = 560, 120, 24

_SAMPLERS = {"linux": "/proc", "portable": "psutil; its numbers are not ranked beside others"}


@dataclass(frozen=True)
class ScoreRow:
    """One score of a result: its metric's label and colour where the board has it as a column."""

    name: str
    label: str
    colour: int | None
    score: Score
    text: str


@dataclass(frozen=True)
class TagPlaces:
    """The tags' values that another page has a place for.

    `readable`: it is the page of the dataset's examples; else the dataset's own page.
    """

    readable: bool
    values: TagValues


@dataclass(frozen=True)
class ResultView:
    """One result: what was scored on which dataset, and how it was measured."""

    dataset: DatasetView
    result: Result
    scores: tuple[ScoreRow, ...]
    definitions: tuple[Fact, ...]
    failures: tuple[FailureView, ...]
    tags: tuple[TagTable, ...]
    places: TagPlaces
    suites: tuple[SuiteView, ...]
    untried: str
    prompt: PromptView | None
    provenance: tuple[Fact, ...]
    glance: tuple[Fact, ...]
    timing: tuple[Fact, ...]
    memory: tuple[Fact, ...]
    machine: tuple[Fact, ...]
    kept_in: tuple[str, ...]
    percentiles: tuple[tuple[str, Percentile | None], ...]
    histogram: Histogram | None


@dataclass(frozen=True)
class Histogram:
    """Requests over latency, as rectangles (x, y, width, height, title) and axis ticks (x, text)."""

    bins: tuple[tuple[float, float, float, float, str], ...]
    ticks: tuple[tuple[float, str], ...]


#: Of a result on other data than the dataset's page is about.
NOWHERE = TagPlaces(False, frozenset())


def result_views(
    board: BoardView, results: Mapping[str, Result], places: Mapping[str, TagPlaces]
) -> tuple[ResultView, ...]:
    """Each of a model's `results`, in the order of the board's datasets; they and `places` are by dataset."""
    return tuple(
        _result(board, dataset, results[dataset.spec.id], places[dataset.spec.id])
        for dataset in board.datasets
        if dataset.spec.id in results
    )


def _result(board: BoardView, dataset: DatasetView, result: Result, places: TagPlaces) -> ResultView:
    timed, columns = result.measurement, {column.name: column for column in board.columns}
    scores = tuple(_score(board, name, score) for name, score in result.scores.items())
    return ResultView(
        dataset=dataset,
        result=result,
        scores=scores,
        definitions=tuple((score.label, _definition(score.score)) for score in scores),
        failures=failure_views(result),
        tags=tag_tables(result, columns, places.values),
        places=places,
        suites=suite_views(result, columns, dataset.suites),
        untried=untried(result, columns, dataset.suites),
        prompt=prompt_view(result.model.prompt),
        provenance=_provenance(result),
        glance=_glance(timed) if timed else (),
        timing=_timing(timed) if timed else (),
        memory=_memory(timed.repeats[-1].memory) if timed and timed.repeats else (),
        machine=_machine(timed.fingerprint) if timed else (),
        kept_in=kept_in(timed.isolation) if timed else (),
        percentiles=_percentiles(timed.latency) if timed else (),
        histogram=histogram(timed.latency.histogram) if timed else None,
    )


def _score(board: BoardView, name: str, score: Score) -> ScoreRow:
    column = next((column for column in board.columns if column.name == name), None)
    text = column.text(score.value) if column else formats.number(score.value, formats.decimals(score.unit))
    label, colour = (column.label, column.colour) if column else (label_of(name), None)
    return ScoreRow(name, label, colour, score, text)


def _definition(score: Score) -> str:
    """How a score is computed, as its record names it, with which threshold and which standard error."""
    threshold = "" if score.threshold is None else f", threshold {score.threshold:g}"
    error = "" if score.standard_error is None else f", standard error {score.standard_error:.3g}"
    return f"{score.version}{threshold}{error}"


def _trained_on(parts: object) -> str | None:
    """The datasets that a model was trained on together; None where it was one."""
    return formats.listed(list(map(str, parts))) if isinstance(parts, dict) else None


def _provenance(result: Result) -> tuple[Fact, ...]:
    source, made_from = result.source, result.model.made_from.get("predictions")
    facts = (
        ("Provenance", f"{result.provenance}: {MEANINGS[result.provenance]}"),
        ("Source", source.citation if source else None),
        ("Source link", source.link if source else None),
        ("Note", source.note if source else None),
        ("Made from predictions", made_from if isinstance(made_from, str) else None),
        ("Adapter", result.model.adapter),
        ("Model revision", result.model.revision),
        ("Trained on", _trained_on(result.model.made_from.get("train_parts"))),
        *_parity(result.model.parity),
        ("Dataset revision", result.dataset.revision),
        ("Not timed", batch_sentence(result.batches)),
        ("Class of the cluster's node", result.node_class),
        ("Examples scored", None if result.dataset.examples is None else f"{result.dataset.examples}"),
        ("Not scored", _dropped(result.dataset.dropped)),
        ("Malformed rows left out", f"{result.dataset.skipped}" if result.dataset.skipped else None),
        ("Predictions kept", result.predictions.sha256 if result.predictions else None),
        ("Written", f"{formats.moment(result.created)} by {result.tool}"),
    )
    return tuple(fact for fact in facts if fact[1] is not None)


def _parity(parity: Parity | None) -> tuple[Fact, ...]:
    """How an exported model compares with its source."""
    if parity is None:
        return ()
    same, texts = formats.count(parity.same_label), formats.count(parity.texts)
    return (
        ("Exported from the model", parity.source),
        ("Same label as that model", f"on {same} of {texts} texts of {parity.dataset}"),
        ("Largest difference of a probability", f"{parity.largest_difference:.1e}"),
    )


def _dropped(dropped: Mapping[str, int]) -> str | None:
    return "; ".join(f"{formats.count(n)} ({reason})" for reason, n in sorted(dropped.items())) or None


def _glance(timed: Measurement) -> tuple[Fact, ...]:
    overhead = formats.duration(timed.overhead_ns)
    return (
        ("Protocol", timed.protocol),
        ("Mean latency", formats.duration(timed.latency.mean_ns)),
        ("Harness overhead", f"{overhead}, median round trip of a model that does nothing"),
    )


def _timing(timed: Measurement) -> tuple[Fact, ...]:
    passes = timed.repeats
    ratio = timed.repeated_input_ratio
    return (
        ("Throughput of each pass", _each(f"{p.throughput:.5g}/s" for p in passes)),
        ("Requests of each pass", _each(f"{p.requests}" for p in passes)),
        ("Loading", _each(formats.duration(p.load_ns) for p in passes)),
        ("First call", _each(formats.duration(p.first_call_ns) for p in passes)),
        ("Warm-up requests", _each(f"{p.warmup_requests}" for p in passes)),
        ("Answers that differ from the scored ones", _each(f"{p.differing}" for p in passes)),
        ("Orders drawn from the seeds", _each(f"{p.order_seed}" for p in passes)),
        ("Repeated against new inputs", None if ratio is None else f"{ratio:.2f} of the latency"),
        ("Load average", f"{timed.noise.load_before:.2f} before, {timed.noise.load_after:.2f} after"),
        ("CPU time taken by the host", formats.percent(timed.noise.steal_share)),
        ("Waiting for a CPU", _share(timed.noise.pressure_share)),
    )


def _each(texts: Iterable[str]) -> str | None:
    return " · ".join(texts) or None


def _share(share: float | None) -> str | None:
    return None if share is None else f"{formats.percent(share)} of the time"


def _memory(memory: Memory) -> tuple[Fact, ...]:
    pss = memory.mean_pss_bytes
    return (
        ("Mean over the run (RSS)", formats.gigabytes(memory.mean_bytes)),
        ("Peak, loading included", formats.gigabytes(memory.peak_bytes)),
        ("Mean proportional share (PSS)", None if pss is None else formats.gigabytes(pss)),
        ("When loaded", formats.gigabytes(memory.loaded_bytes)),
        ("Samples", f"{memory.ticks}, one every {memory.interval_ms:g} ms; {memory.missed_ticks} missed"),
    )


def _machine(machine: Fingerprint) -> tuple[Fact, ...]:
    libraries = ", ".join(f"{name} {version}" for name, version in sorted(machine.libraries.items()))
    return (
        ("Fingerprint", machine.key),
        ("CPU", f"{machine.cpu}, {machine.cores} logical CPUs"),
        ("Threads a model may use", f"{machine.threads}"),
        ("Pinned to CPUs", ", ".join(map(str, machine.affinity)) or None),
        ("Frequency governor", machine.governor),
        ("Memory", formats.gigabytes(machine.memory_bytes)),
        ("Operating system", machine.os),
        ("Python", machine.python),
        ("Libraries", libraries or None),
        ("Reference workload", formats.duration(machine.reference_ns)),
        ("Memory sampled by", _SAMPLERS[machine.sampler]),
    )


def _percentiles(latency: Latency) -> tuple[tuple[str, Percentile | None], ...]:
    return (("p50", latency.p50), ("p90", latency.p90), ("p99", latency.p99))


def histogram(buckets: Sequence[tuple[int, int]]) -> Histogram | None:
    """Bars for buckets a tenth of a decade wide, on a logarithmic axis; None without requests."""
    filled = [(k, n) for k, n in buckets if n > 0]
    if not filled:
        return None
    first, last = min(k for k, _ in filled) - 2, max(k for k, _ in filled) + 3
    width, tallest = CHART_WIDTH / (last - first), max(n for _, n in filled)
    unit = (CHART_HEIGHT - 8) / tallest
    bins = (((k - first) * width, n * unit, _bin(k, n)) for k, n in filled)
    drawn = tuple((x + 0.5, CHART_HEIGHT - height, width - 1, height, title) for x, height, title in bins)
    return Histogram(drawn, tuple(_ticks(first, last, width)))


def _bin(k: int, n: int) -> str:
    low, high = (formats.duration(10 ** (edge / 10)) for edge in (k, k + 1))
    return f"{low} to {high}: {formats.count(n)} requests"


def _ticks(first: int, last: int, width: float) -> list[tuple[float, str]]:
    """Marks at 1, 2 and 5 times the powers of ten that lie on the axis."""
    marks = [mantissa * 10**power for power in range(13) for mantissa in (1, 2, 5)]
    return [
        ((10 * math.log10(mark) - first) * width, formats.duration(mark))
        for mark in marks
        if first <= 10 * math.log10(mark) <= last
    ]


def write_model(site: Site, view: BoardView, row: RowView) -> None:
    """Write the page of a model on a board, its data and its badge."""
    at, shown = f"{view.spec.id}/models/{row.entry.id}", embed.badge(view, row)
    model = model_view(view, row, site.beside(view))
    site.write(
        f"{at}/index.html",
        "model.html",
        3,
        view=view,
        model=model,
        results=result_views(view, row.entry.results, model.places),
        badge=shown,
        tried=row.entry.id in {one.id for one in site.tried(view)},
        data_file="model.json",
    )
    answers = compare.answer_names(view, row, site.examples(view), site.store)
    newest = site.newest.get(view.spec.id)
    site.put(f"{at}/model.json", endpoints.model_json(site.boards, view, row, newest, answers))
    site.put(f"{view.spec.id}/badges/{row.entry.id}.svg", embed.svg(shown))
    site.put(f"{view.spec.id}/badges/{row.entry.id}.json", embed.shields(shown))
