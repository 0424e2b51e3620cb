"""The page of a model on a board: where its score comes from, and each of its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluator.data.tasks.known import SCORED
from evaluator.rank.formats import counted
from evaluator.rank.prices import BOXES
from evaluator.records.datasets import Covariances
from evaluator.records.measurement import Fingerprint, Measurement, Memory, Percentile, percent_off
from evaluator.records.references import ModelCard, Parity
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.importing import said_of_runs
from evaluator.score.run_sentences import noise_of, run_sentences, runs_of
from evaluator.score.taken import asked_of, days_asked, rates_asked
from site_src.generator import embed, endpoints, formats
from site_src.generator.breakdowns import SuiteView, TagTable, TagValues, suite_views, tag_tables, untried
from site_src.generator.datasets import DatasetView
from site_src.generator.pages import compare
from site_src.generator.pages.board import BoardView
from site_src.generator.pages.dataset import readable_values, tabled_values
from site_src.generator.pages.examples import Verdicts
from site_src.generator.results import (
    Fact,
    FailureView,
    PromptView,
    batch_sentence,
    card_of,
    failure_views,
    kept_in,
    meaning_of,
    origins,
    prompt_view,
    run_facts,
)
from site_src.generator.standing import BoardParts, field_of, rivals_of, strengths_of
from site_src.generator.table import RowView, label_of
from site_src.generator.texts import TEXTS

if TYPE_CHECKING:
    from site_src.generator.site import Site

_SAMPLERS = {"linux": "/proc", "portable": "psutil; its numbers are not ranked beside others"}


@dataclass(frozen=True)
class TagPlaces:
    """The tags' values that another page has a place for.

    `readable`: it is the page of the dataset's examples; else the dataset's own page.
    """

    readable: bool
    values: TagValues


#: Of a result on other data than the dataset's page is about.
NOWHERE = TagPlaces(False, frozenset())


@dataclass(frozen=True)
class Beside:
    """What the pages of a board's models share: who is right on what, and what all models reach.

    `places` are by dataset, for results on the revision that it has.
    """

    verdicts: Mapping[str, Verdicts]
    field: BoardParts
    places: Mapping[str, TagPlaces]
    kept: Mapping[str, Covariances | None]


def beside_of(board: BoardView, verdicts: Mapping[str, Verdicts], store: Store) -> Beside:
    """What the pages of a board's models share; `verdicts` by dataset, where they are known."""
    places = {}
    for dataset in board.datasets:
        readable = readable_values(verdicts.get(dataset.spec.id))
        places[dataset.spec.id] = TagPlaces(bool(readable), readable or tabled_values(board, dataset))
    kept = {
        dataset.spec.id: store.covariances(dataset.spec.task, dataset.spec.id, dataset.revision)
        for dataset in board.datasets
        if dataset.revision and any(runs_of([one]) for one in _results_on(board, dataset))
    }
    return Beside(verdicts, field_of(board, verdicts), places, kept)


def _results_on(board: BoardView, dataset: DatasetView) -> Iterator[Result]:
    for row in board.rows:
        if dataset.spec.id in row.entry.results:
            yield row.entry.results[dataset.spec.id]


def write_model(site: Site, view: BoardView, row: RowView) -> None:
    """Write the page of a model on a board, its data and its badge."""
    at, shown, beside = f"{view.spec.id}/models/{row.entry.id}", embed.badge(view, row), site.beside(view)
    own = row.entry.results
    other, role = _other(view, row)
    said = TEXTS["at-weights"]
    places = {
        dataset.spec.id: beside.places[dataset.spec.id]
        if own[dataset.spec.id].dataset.revision == dataset.revision
        else NOWHERE
        for dataset in view.datasets
        if dataset.spec.id in own
    }
    site.write(
        f"{at}/index.html",
        "model.html",
        3,
        view=view,
        row=row,
        other=other,
        against=said["against"].format(role=said[role]),
        compared=said["compared"].format(name=formats.isolated(other.entry.label), role=said[role]),
        origins=origins(own.values()),
        card=_card(card_of(own.values())),
        strengths=strengths_of(view, beside.field, row.entry.id),
        rivals=rivals_of(view, row, beside.verdicts),
        # To compare with: the first of the board, or the second if this is the first.
        first=next((one for one in view.rows if one.entry.id != row.entry.id), None),
        places=places,
        labels={dataset.spec.id: dataset.spec.label for dataset in view.datasets},
        results=[
            _result(
                view, dataset, own[dataset.spec.id], places[dataset.spec.id], beside.kept.get(dataset.spec.id)
            )
            for dataset in view.datasets
            if dataset.spec.id in own
        ],
        badge=shown,
        tried=row.entry.id in {one.id for one in site.tried(view)},
        data_file="model.json",
    )
    answers = compare.answer_names(view, row, site.examples(view), site.store)
    newest = site.newest.get(view.spec.id)
    site.put(f"{at}/model.json", endpoints.model_json(site.boards, view, row, newest, answers))
    site.put(f"{view.spec.id}/badges/{row.entry.id}.svg", embed.svg(shown))
    site.put(f"{view.spec.id}/badges/{row.entry.id}.json", embed.shields(shown))


def _other(board: BoardView, row: RowView) -> tuple[RowView, str]:
    """The model to compare a score with, and the name of the text that says which it is. The median model is
    compared with the leader; as page-at-weights.js chooses at other weights."""
    ranked = board.ranked_rows
    if not ranked or row.entry.id != board.middle_id:
        middle = board.ranked_places.get(board.middle_id or "")
        return row if middle is None else ranked[middle], "median"
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
        *((name.capitalize(), words) for name, words in run_facts(card)),
        ("Released", card.released.isoformat() if card.released else None),
        ("Licence", card.licence),
        ("Paper", card.paper),
        ("Link", card.link),
    )


@dataclass(frozen=True)
class ScoreRow:
    """One score of a result: its metric's label and colour where the board has it as a column."""

    label: str
    colour: int | None
    score: Score
    text: str


@dataclass(frozen=True)
class MeasuredView:
    """How a model was timed. `buckets` say how many requests took from how long to how long.

    `verdict` says whether the timing can be believed, and `why`.
    """

    verdict: str
    why: str
    glance: tuple[Fact, ...]
    timing: tuple[Fact, ...]
    memory: tuple[Fact, ...]
    machine: tuple[Fact, ...]
    kept_in: tuple[str, ...]
    percentiles: tuple[tuple[str, Percentile | None], ...]
    buckets: tuple[tuple[str, str, int], ...]


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
    measured: MeasuredView | None
    judges: tuple[str, ...]
    runs: tuple[str, ...]


def _result(
    board: BoardView, dataset: DatasetView, result: Result, places: TagPlaces, kept: Covariances | None
) -> ResultView:
    columns = {column.name: column for column in board.columns}
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
        measured=measured_view(result.measurement) if result.measurement else None,
        judges=tuple(
            one.of_model(result.model.id)
            for one in board.judges
            if one.dataset == dataset.spec.id and result.model.id in one.models
        ),
        runs=tuple(
            run_sentences(
                result,
                noise_of(kept, result),
                {name: formats.isolated(column.label) for name, column in columns.items()},
            )
        ),
    )


def _score(board: BoardView, name: str, score: Score) -> ScoreRow:
    column = next((column for column in board.columns if column.name == name), None)
    if column:
        return ScoreRow(column.label, column.colour, score, column.text(score.value))
    return ScoreRow(label_of(name), None, score, formats.number(score.value, formats.decimals(score.unit)))


def _definition(score: Score) -> str:
    """How a score is computed, as its record names it, with which threshold and which standard error."""
    threshold = "" if score.threshold is None else f", threshold {score.threshold:g}"
    error = "" if score.standard_error is None else f", standard error {score.standard_error:.3g}"
    return f"{score.version}{threshold}{error}"


def _provenance(result: Result) -> tuple[Fact, ...]:
    source, made_from, dataset = result.source, result.model.made_from, result.dataset
    predictions, parts = made_from.get("predictions"), made_from.get("train_parts")
    kept = "Values kept" if result.task == SCORED.name else "Predictions kept"
    dropped = "; ".join(f"{formats.count(n)} ({reason})" for reason, n in sorted(dataset.dropped.items()))
    facts = (
        ("Provenance", f"{result.provenance}: {meaning_of(result)}"),
        ("Source", source.citation if source else None),
        ("Source link", source.link if source else None),
        ("Note", source.note if source else None),
        ("Runs", "; ".join(said_of_runs(result)) or None),
        ("As given with the answers", ", ".join(made_from.get("values", {})) or None),
        ("Made from predictions", predictions if isinstance(predictions, str) else None),
        ("Adapter", result.model.adapter),
        ("Model revision", result.model.revision),
        ("Weights", _weights(made_from.get("weights"))),
        ("Trained on", formats.listed(list(map(str, parts))) if isinstance(parts, dict) else None),
        *_asked(result),
        *_parity(result.model.parity),
        ("Dataset revision", dataset.revision),
        ("Not timed", batch_sentence(result.batches)),
        ("Class of the cluster's node", result.node_class),
        ("Examples scored", None if dataset.examples is None else f"{dataset.examples}"),
        ("Not scored", dropped or None),
        ("Malformed rows left out", f"{dataset.skipped}" if dataset.skipped else None),
        (kept, result.predictions.sha256 if result.predictions else None),
        ("Written", f"{formats.moment(result.created)} by {result.tool}"),
    )
    return tuple(fact for fact in facts if fact[1] is not None)


def _weights(said: dict[str, Any] | None) -> str | None:
    """What the file of a model's weights says: ``tiny.gguf: llama, 29,216 parameters, Q8_0``."""
    if said is None:
        return None
    facts = (said["architecture"], counted(said["parameters"], "parameter"), said["quantisation"])
    return f"{said['file']}: {', '.join(filter(None, facts))}"


def _asked(result: Result) -> tuple[Fact, ...]:
    """Where, when and as what a model behind an endpoint was asked."""
    asked = asked_of(result)
    if not asked:
        return ()
    price, finished = asked.get("price", {}), asked.get("finished", {})
    region = f" ({asked['region']})" if asked.get("region") else ""
    ends = formats.listed([f"{word}: {formats.count(count)}" for word, count in finished.items()])
    return (
        ("Asked at", asked["endpoint"] + region),
        ("Asked on", days_asked(asked) or None),
        ("Asked as", asked["model"]),
        ("Answered as", formats.listed(asked.get("served", [])) or None),
        ("How answers ended", ends or None),
        ("Prices", _price(price) if price else None),
    )


def _price(price: Mapping[str, Any]) -> str:
    """What a million tokens cost, in what currency, and who says so."""
    rates = rates_asked({"price": price}, price["currency"])
    named = zip(rates or (), BOXES, strict=False)
    amounts = ", ".join(f"{formats.weight(rate)} {kind}" for rate, kind in named)
    what = f"{price['currency']} of a million tokens: {amounts}" if amounts else price["currency"]
    return f"{what}, by {price['source']}"


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


def measured_view(timed: Measurement) -> MeasuredView:
    """What a page shows of a timing."""
    overhead, latency = formats.duration(timed.overhead_ns), timed.latency

    def edge(tenth: int) -> str:
        """Where a bucket begins, which is a tenth of a decade wide."""
        return formats.duration(10 ** (tenth / 10))

    verdict, why = _believed(timed)
    return MeasuredView(
        verdict=verdict,
        why=why,
        glance=(
            *_timed(timed),
            ("Protocol", timed.protocol),
            ("Mean latency", formats.duration(latency.mean_ns)),
            ("Harness overhead", f"{overhead}, median round trip of a model that does nothing"),
        ),
        timing=_timing(timed),
        memory=_memory(timed.repeats[-1].memory) if timed.repeats else (),
        machine=_machine(timed.fingerprint),
        kept_in=kept_in(timed.isolation),
        percentiles=(("p50", latency.p50), ("p90", latency.p90), ("p99", latency.p99)),
        buckets=tuple((edge(at), edge(at + 1), n) for at, n in latency.histogram if n > 0),
    )


def _believed(timed: Measurement) -> tuple[str, str]:
    """Whether a timing can be believed, and why or how well it is known."""
    reasons = "; ".join(timed.noise.reasons)
    if timed.noise.verdict != "ok":
        words = {"suspect": "The timing is suspect", "invalid": "The timing is not to be trusted"}
        return words[timed.noise.verdict], f": {reasons}" if reasons else ""
    clock = "by the clock, as this system does not tell how long processes wait for a CPU; "
    how = clock if timed.on_the_clock else ""
    if timed.known_within is None:
        return "Timed once", f": {how}nothing says how well its throughput is known."
    blocks = counted(len(timed.repeats), "block")
    within = percent_off(timed.known_within).removeprefix("±")
    return f"Throughput is known within {within}", f", {how}from {blocks}."


def _speed(value: float) -> str:
    return f"{value:.5g}"


#: What is timed, as pages call it; how its number is written, and what stands behind it.
_TIMED: tuple[tuple[str, str, Callable[[float], str], str], ...] = (
    ("throughput", "Throughput", _speed, "/s"),
    ("tokens_per_s", "Tokens written", _speed, "/s"),
    ("time_to_first_token", "Time to the first token", lambda value: formats.duration(1e9 * value), ""),
)


def _timed(timed: Measurement) -> Iterator[Fact]:
    for name, label, written, unit in _TIMED:
        if (value := timed.timings.get(name)) is not None:
            interval = timed.interval(name)
            between = f", 95 % interval {' to '.join(map(written, interval))}" if interval else ""
            yield label, f"{written(value)}{unit}{between}"


def _timing(timed: Measurement) -> tuple[Fact, ...]:
    passes, noise, ratio = timed.repeats, timed.noise, timed.repeated_input_ratio
    pressure = None if noise.pressure_share is None else formats.percent(noise.pressure_share)

    def each(texts: Iterable[str]) -> str | None:
        return " · ".join(filter(None, texts)) or None

    return (
        ("Throughput of each block", each(f"{p.throughput:.5g}/s" for p in passes)),
        ("Waiting for a CPU, taken off", each(_share(p.waited_ns, p.time_ns) for p in passes)),
        ("Interruptions, taken off", each(_share(p.interrupted_ns, p.time_ns) for p in passes)),
        ("Reference workload beside it", each(formats.duration(p.reference_ns) for p in passes)),
        ("Requests of each block", each(f"{p.requests}" for p in passes)),
        ("Loading", each(formats.duration(p.load_ns) for p in passes)),
        ("First call", each(formats.duration(p.first_call_ns) for p in passes)),
        ("Warm-up requests", each(f"{p.warmup_requests}" for p in passes)),
        ("Answers that differ from the scored ones", each(f"{p.differing}" for p in passes)),
        ("Orders drawn from the seeds", each(f"{p.order_seed}" for p in passes)),
        ("Repeated against new inputs", None if ratio is None else f"{ratio:.2f} of the latency"),
        ("Load average", f"{noise.load_before:.2f} before, {noise.load_after:.2f} after"),
        ("CPU time taken by the host", formats.percent(noise.steal_share)),
        ("Some process waited for a CPU", pressure and f"{pressure} of the time"),
    )


def _share(part: int | None, whole: int) -> str:
    """A part of a time in per cent; nothing where it is not known."""
    return "" if part is None else formats.percent(part / whole)


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
