"""What a result and a set of predictions *are*: their fields, their units, their hash, their history.

Every file in ``results/`` is one of these records as JSON. A record carries ``schema_version``; an
older file is brought up to date by `migrate`, one step a version. JSON Schemas generated from these
classes lie in ``evaluator/schemas/`` and a test holds the two together.
"""

from __future__ import annotations

import hashlib
import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Annotated, Any, Literal

import rfc8785
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_serializer,
    model_validator,
)

SCHEMA_VERSION = 3
#: Scores that say something only about one machine.
TIMING = frozenset({"throughput", "memory"})
#: What the results of people are filed under in place of a model's id.
HUMAN = "human"

Provenance = Literal["measured", "predictions", "reported", "human"]
Slug = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]
Moment = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
#: The id of a snapshot: its time in UTC, and the first digits of the hash of its content.
SNAPSHOT_ID = r"^\d{8}T\d{6}Z-[0-9a-f]{8}$"


def _empty(value: object) -> bool:
    return not value


def _encoder(settings: object) -> str | None:
    """The name of the encoder in them, without the folders it may lie in."""
    named = settings.get("encoder") if isinstance(settings, Mapping) else None
    named = named.get("name") if isinstance(named, Mapping) else named
    return PurePath(named).name or None if isinstance(named, str) else None


class Record(BaseModel):
    """Base of all records: unknown fields, NaN and infinities are errors; instances do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    def plain(self) -> dict[str, Any]:
        """The record as plain JSON data; fields that are None are left out."""
        return self.model_dump(mode="json", exclude_none=True)

    def content_hash(self) -> str:
        """Canonical hash of `plain`: the same for equal records, whatever the file's layout."""
        return digest(self.plain())


class ModelCard(Record):
    """What a submitter says about a model, after Mitchell et al. 2019, "Model Cards for Model Reporting".

    A field left out is shown as missing. `paper` is a link to where the model is described, `link` to
    where it can be had.
    """

    description: str | None = Field(default=None, description="what it is, in a sentence")
    intended_use: str | None = Field(default=None, description="what it is made for")
    training_data: str | None = Field(default=None, description="what it learnt from")
    parameters: Count | None = Field(default=None, description="how many it has")
    languages: tuple[str, ...] = Field(default=(), description="which it was made for, as codes such as en")
    licence: str | None = Field(default=None, description="of the model")
    paper: str | None = Field(default=None, description="a link to where it is described")
    link: str | None = Field(default=None, description="where it can be had")
    tags: tuple[Slug, ...] = Field(
        default=(), exclude_if=_empty, description="words to filter models by, such as transformer"
    )


class ModelRef(Record):
    """Which model: its id on the board, the name people read, and what exactly was run."""

    id: Slug = Field(description="its id on the board")
    label: str = Field(description="its name for people")
    adapter: str | None = Field(
        default=None, description="what opened it; null for predictions from elsewhere"
    )
    revision: Digest | None = Field(default=None, description="hash of every file in the model's directory")
    made_from: dict[str, Any] = Field(
        default={}, description="recipe, options, seed, training set, libraries, origin"
    )
    card: ModelCard = Field(default=ModelCard(), description="what its author says of it")

    @property
    def encoder(self) -> str | None:
        """Name of what turns texts into numbers for the model's own classifier; None where not known."""
        if self.made_from.get("recipe") == "tfidf-logreg":
            return "tfidf"
        return _encoder(self.made_from.get("options"))


class DatasetRef(Record):
    """Which examples: `revision` hashes the source file's bytes together with how they were read."""

    id: Slug = Field(description="its id in board.toml")
    revision: Digest | None = Field(
        default=None, description="hash of its file and of how it was read; null where numbers are reported"
    )
    examples: Count | None = Field(default=None, description="examples scored")
    skipped: Count = Field(default=0, description="malformed rows left out at the user's request")
    dropped: dict[str, Count] = Field(
        default={},
        exclude_if=_empty,
        description="rows that the format itself says are not to be scored, by reason",
    )


class Score(Record):
    """One number of a board: `value` in `unit`, computed by `version` of its definition."""

    value: float = Field(description="the number")
    unit: str = Field(description="its unit; % for shares in per cent")
    version: str = Field(description="of the definition; it changes whenever numbers would")


class TagScores(Record):
    """The examples that carry one tag: how many, and their scores in the units of the whole."""

    examples: Annotated[int, Field(ge=1)] = Field(description="how many carry the tag")
    scores: dict[Slug, float] = Field(description="metric = value, in the unit of the whole")


class TransformationScores(Record):
    """One transformation of a suite: what it made of the examples, and what the model made of that.

    Shares are in per cent, of unchanged predictions; `score` is the task's canonical metric over the
    variants, `original` the same over the examples they were made of.
    """

    made: Count = Field(description="variants made")
    unchanged: Count = Field(description="variants that came out equal to their original, left out")
    not_applicable: Count = Field(description="examples that the transformation found nothing to change in")
    agreement: float | None = Field(
        default=None, description="share of predictions that stay the same, in per cent"
    )
    score: float | None = Field(default=None, description="the task's metric over the variants")
    original: float | None = Field(
        default=None, description="the same over the examples that the variants were made of"
    )


class SuiteScores(Record):
    """A model under perturbation: does it say the same of a text and of its variants?

    `agreement` is the share of unchanged predictions, in per cent, against the model's own on the
    original, averaged over the variants of an example and then over examples; `worst` the share of
    examples all of whose variants keep the prediction (for answers in words: the least token F1).
    """

    suite: Digest = Field(description="hash of spec, seed and dataset revision")
    kind: str = Field(description="robustness, fairness, placebo or neutral")
    seed: int = Field(description="of the suite")
    spec: dict[str, Any] = Field(
        description="what decided the variants: transformations, versions, options, sources"
    )
    examples: Count = Field(description="examples with a variant")
    without: Count = Field(description="examples without any, left out of the shares")
    variants: Count = Field(description="variants the model was asked about")
    agreement: Annotated[float, Field(ge=0, le=100)] = Field(
        description="share of predictions that stay the same, in per cent"
    )
    worst: Annotated[float, Field(ge=0, le=100)] = Field(
        description="share of examples all of whose variants keep the prediction, in per cent"
    )
    metric: Slug = Field(description="the task's canonical metric")
    score: float = Field(description="the metric over all variants")
    transformations: dict[Slug, TransformationScores] = Field(description="the same for each transformation")
    failures: tuple[Failure, ...] = Field(
        default=(), exclude_if=_empty, description="what went wrong on variants"
    )
    predictions: PredictionsRef = Field(description="the sibling file with the answers to the variants")


class Percentile(Record):
    """A latency percentile with its two-sided 99 % order-statistic interval, in nanoseconds."""

    value_ns: Count = Field(description="the percentile")
    low_ns: Count = Field(description="lower end of its 99 % interval")
    high_ns: Count = Field(description="upper end of its 99 % interval")


class Latency(Record):
    """Round-trip times of single requests in the steady state; a refused percentile is None.

    `histogram` counts requests in buckets that are a factor 10**(1/10) wide: entry ``[k, n]`` says
    that n requests took between 10**(k/10) and 10**((k+1)/10) nanoseconds.
    """

    requests: Count = Field(description="how many were timed")
    mean_ns: Count = Field(description="their mean")
    p50: Percentile | None = Field(default=None, description="the median; null under the requests it takes")
    p90: Percentile | None = Field(default=None, description="the 90th percentile; null under 64 requests")
    p99: Percentile | None = Field(default=None, description="the 99th percentile; null under 662 requests")
    histogram: tuple[tuple[int, Count], ...] = Field(description="pairs of bucket and count")


class Memory(Record):
    """Resident memory of the worker's whole process tree in the steady state, in bytes."""

    mean_bytes: Count = Field(description="mean RSS over the steady state (the paper's definition)")
    peak_bytes: Count = Field(description="highest of VmHWM and sampled RSS, loading included")
    mean_pss_bytes: Count | None = Field(
        default=None, description="mean proportional share, which counts shared pages once"
    )
    loaded_bytes: Count = Field(description="RSS when the model had loaded, before the first request")
    interval_ms: Annotated[float, Field(gt=0)] = Field(description="time between samples")
    ticks: Count = Field(description="samples taken")
    missed_ticks: Count = Field(description="samples that came too late")


class Noise(Record):
    """Whether the machine was quiet enough to believe the timing, and why not."""

    verdict: Literal["ok", "suspect", "invalid"] = Field(description="whether the timing can be believed")
    reasons: tuple[str, ...] = Field(default=(), description="why not")
    load_before: Annotated[float, Field(ge=0)] = Field(description="1-minute load average")
    load_after: Annotated[float, Field(ge=0)] = Field(description="the same afterwards")
    steal_share: Annotated[float, Field(ge=0, le=1)] = Field(description="CPU time the host took away")
    pressure_share: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None, description="share of the time in which some task waited for a CPU"
    )


class Fingerprint(Record):
    """The machine and software a measurement is comparable within."""

    cpu: str = Field(description="its model")
    cores: Count = Field(description="logical CPUs this process may use")
    governor: str | None = Field(default=None, description="of the CPU's frequency, where the system tells")
    memory_bytes: Count = Field(description="of the machine")
    os: str = Field(description="name and version")
    python: str = Field(description="its version")
    libraries: dict[str, str] = Field(description="installed package = version, of those that matter")
    threads: Count = Field(description="threads each model may use")
    affinity: tuple[int, ...] = Field(description="CPUs the worker is pinned to")
    reference_ns: Count = Field(description="median time of the fixed reference workload")

    @property
    def key(self) -> str:
        """Hash of what must be equal for two timings to be ranked together (not the reference time)."""
        return digest(self.model_dump(mode="json", exclude={"reference_ns", "libraries", "affinity"}))


class Repeat(Record):
    """One timing pass in a worker of its own."""

    throughput: Annotated[float, Field(gt=0)] = Field(description="requests per second at batch size 1")
    requests: Count = Field(description="answered in the steady state")
    load_ns: Count = Field(description="time to load")
    first_call_ns: Count = Field(description="time of the first answer")
    warmup_requests: Count = Field(description="requests before the steady state, which are not counted")
    memory: Memory = Field(description="of this pass")


class Measurement(Record):
    """How a model was timed, by which protocol, on what machine, and whether to believe it."""

    protocol: str = Field(description="name and version of the measurement protocol")
    fingerprint: Fingerprint = Field(description="the machine and its software")
    sandbox: dict[str, str] = Field(description="what keeps the model in: network, memory, limits")
    overhead_ns: Count = Field(description="median round trip of a model that does nothing")
    repeats: tuple[Repeat, ...] = Field(description="the timing passes")
    latency: Latency = Field(description="of single requests, over all passes")
    repeated_input_ratio: Annotated[float, Field(gt=0)] | None = Field(
        default=None,
        description="median latency of inputs seen before / same inputs seen first; far under 1: a cache",
    )
    noise: Noise = Field(description="whether the machine was quiet")

    @property
    def throughput(self) -> float:
        """Requests per second at batch size 1: the median over the repeats."""
        return statistics.median(repeat.throughput for repeat in self.repeats)

    @property
    def memory_bytes(self) -> int:
        """Mean resident bytes in the steady state: the median over the repeats."""
        return round(statistics.median(repeat.memory.mean_bytes for repeat in self.repeats))


class Failure(Record):
    """One kind of thing that went wrong, how often, and on which examples first."""

    kind: str = Field(description="a word for it, such as invalid-answer")
    message: str = Field(description="what was said, of the first")
    count: Annotated[int, Field(ge=1)] = Field(description="how often")
    first_ids: tuple[str, ...] = Field(default=(), description="the first examples it happened on")


class PredictionsRef(Record):
    """The sibling file with the predictions, and its canonical hash."""

    sha256: Digest = Field(description="canonical hash of the file's record")
    examples: Count = Field(description="how many it has")


class Source(Record):
    """Where numbers that were not measured here come from."""

    citation: str = Field(description="as in a list of references")
    link: str | None = Field(default=None, description="where to find it")
    note: str | None = Field(default=None, description="what else there is to say, such as the table")


class Result(Record):
    """One model on one dataset of one task. ``results/<task>/<dataset>/<model>.json``.

    `provenance` says how the numbers came about: measured here, scored here from predictions made
    elsewhere, reported by a source, or estimated for the humans who annotated the dataset.
    """

    schema_version: Literal[3] = Field(default=3, description="of this record")
    kind: Literal["result"] = Field(default="result", description="which record this is")
    task: Slug = Field(description="the task")
    model: ModelRef = Field(description="which model")
    dataset: DatasetRef = Field(description="which examples")
    inputs: Digest | None = Field(default=None, description="hash of all that decides the predictions")
    provenance: Provenance = Field(description="how the numbers came about")
    status: Literal["complete", "failed"] = Field(
        default="complete", description="failed: the model did not get to the end, and has no scores"
    )
    scores: dict[Slug, Score] = Field(description="the numbers, by metric")
    tags: dict[str, dict[str, TagScores]] = Field(
        default={}, exclude_if=_empty, description="scores of the examples with each value of each tag"
    )
    suites: dict[Slug, SuiteScores] = Field(
        default={}, exclude_if=_empty, description="the model under perturbation, by suite"
    )
    failures: tuple[Failure, ...] = Field(
        default=(), exclude_if=_empty, description="what went wrong, and counts as wrong"
    )
    measurement: Measurement | None = Field(
        default=None, description="how it was timed; measured results only"
    )
    predictions: PredictionsRef | None = Field(
        default=None, description="the sibling file with the predictions"
    )
    source: Source | None = Field(default=None, description="where numbers or predictions were published")
    created: Moment = Field(description="when, in UTC")
    tool: str = Field(description="name and version of what wrote this file")

    @model_validator(mode="after")
    def _provenance_is_backed(self) -> Result:
        if self.provenance == "reported" and self.source is None:
            raise ValueError("source: missing; a reported number must cite where it was published")
        kept = self.provenance in ("measured", "predictions") and self.status == "complete"
        if kept and self.predictions is None:
            raise ValueError("predictions: missing; such a result keeps its per-example predictions")
        return self


Piece = int | str | tuple[int, int, Literal["lower", "upper"]]


class PredictionSet(Record):
    """Per-example predictions as columns, in the dataset's own order: of labels or of texts.

    `predicted` holds indices into `labels`, -1 where the model gave no valid answer. Probabilities
    count in parts of `resolution`: `probabilities` has a column for every label but the last, whose
    share is the rest; a model that only says how sure it is of its own answer fills `confidence`.

    `answers` holds texts, None where there is no answer, in pieces: two numbers are the start and the
    end, in characters, of a quotation from the input fields `quoted`, joined by newlines; with "lower"
    or "upper" the quotation is in that case; a string stands for itself. So a text that quotes the
    dataset is kept without a word of the dataset (DESIGN, invariant 8).

    `scores` holds how right each text is by some metrics, in parts of `resolution`, and only where the
    dataset's gold answers may be published: whoever sees the scores may guess at the answers.
    """

    schema_version: Literal[3] = Field(default=3, description="of this record")
    kind: Literal["predictions"] = Field(default="predictions", description="which record this is")
    task: Slug = Field(description="the task")
    model: Slug = Field(description="the model's id")
    dataset: Slug = Field(description="the dataset's id")
    dataset_revision: Digest = Field(description="which examples")
    suite: Digest | None = Field(
        default=None, description="the suite whose variants these are predictions of"
    )
    ids_sha256: Digest = Field(description="canonical hash of the list of example ids, in order")
    labels: tuple[str, ...] = Field(default=(), exclude_if=_empty, description="what predicted points into")
    predicted: tuple[int, ...] | None = Field(
        default=None, description="the answers, as places in labels; -1: no valid answer"
    )
    resolution: Annotated[int, Field(ge=1)] = Field(
        description="how much a probability of 1 is in the columns: 1000 for thousandths"
    )
    quoted: tuple[str, ...] = Field(
        default=(), exclude_if=_empty, description="input fields that pieces of answers quote"
    )
    answers: tuple[tuple[Piece, ...] | None, ...] | None = Field(
        default=None, description="answers in words, in pieces; null: no answer"
    )
    confidence: tuple[Count | None, ...] | None = Field(
        default=None, description="of its own answer, where there are no probabilities"
    )
    probabilities: dict[str, tuple[Count | None, ...]] | None = Field(
        default=None, description="of each label but the last"
    )
    scores: dict[Slug, tuple[Count, ...]] | None = Field(
        default=None, description="how right each answer is, by metric"
    )

    @property
    def examples(self) -> int:
        """How many examples there are predictions for."""
        return len(self._column)

    @property
    def _column(self) -> tuple[Any, ...]:
        return (self.predicted if self.predicted is not None else self.answers) or ()

    @model_validator(mode="after")
    def _columns_fit(self) -> PredictionSet:
        if (self.predicted is None) == (self.answers is None):
            raise ValueError("predicted/answers: give exactly one of them")
        for index, value in enumerate(self.predicted or ()):
            if not -1 <= value < len(self.labels):
                raise ValueError(f"predicted[{index}]: {value} is not -1 or an index into {self.labels}")
        columns: dict[str, Sequence[int | None]] = {}
        columns |= {f"probabilities.{name}": col for name, col in (self.probabilities or {}).items()}
        columns |= {f"scores.{name}": col for name, col in (self.scores or {}).items()}
        if self.confidence is not None:
            columns["confidence"] = self.confidence
        for name, column in columns.items():
            if len(column) != self.examples:
                raise ValueError(f"{name}: {len(column)} values for {self.examples} examples")
            if max((value for value in column if value is not None), default=0) > self.resolution:
                raise ValueError(f"{name}: has values over resolution, which is {self.resolution}")
        return self


class Examples(Record):
    """The examples of a dataset in their order. ``results/<task>/<dataset>/<revision>.examples.json``.

    Joined with a `PredictionSet` by `ids_sha256`: row n of its columns is about ``ids[n]``. Ids are the
    dataset's own, or row numbers, and hold no text. `texts` are how they begin, and only where the
    dataset's texts may be published. `gold` holds indices into `labels`, and only where
    the gold labels may be published. Where these are coarser than what models answer, `merge` says as
    which of them each answer counts.
    """

    schema_version: Literal[3] = Field(default=3, description="of this record")
    kind: Literal["examples"] = Field(default="examples", description="which record this is")
    task: Slug = Field(description="the task")
    dataset: Slug = Field(description="the dataset's id")
    revision: Digest = Field(description="which examples")
    ids: Annotated[tuple[str, ...], Field(min_length=1)] = Field(description="their ids, in order")
    labels: tuple[str, ...] = Field(default=(), exclude_if=_empty, description="what gold points into")
    merge: dict[str, str] = Field(
        default={},
        exclude_if=_empty,
        description="an answer = the gold label it counts as, where these are coarser",
    )
    gold: tuple[Count, ...] | None = Field(
        default=None, description="the gold labels, as places in labels; null: not published"
    )
    texts: tuple[str, ...] | None = Field(
        default=None, description="the beginning of each example's texts; null: not published"
    )

    @property
    def ids_sha256(self) -> str:
        """What predictions of these examples have under that name."""
        return digest(list(self.ids))

    @model_validator(mode="after")
    def _gold_fits(self) -> Examples:
        if len(set(self.ids)) < len(self.ids):
            [(twice, _)] = Counter(self.ids).most_common(1)
            raise ValueError(f"ids: {twice!r} is there more than once")
        if self.gold is not None and len(self.gold) != len(self.ids):
            raise ValueError(f"gold: {len(self.gold)} values for {len(self.ids)} examples")
        if self.texts is not None and len(self.texts) != len(self.ids):
            raise ValueError(f"texts: {len(self.texts)} values for {len(self.ids)} examples")
        for index, value in enumerate(self.gold or ()):
            if value >= len(self.labels):
                raise ValueError(f"gold[{index}]: {value} is not an index into {self.labels}")
        for answer, label in self.merge.items():
            if label not in self.labels:
                raise ValueError(f"merge.{answer}: {label!r} is none of {self.labels}")
        return self


Share = Annotated[float, Field(ge=0, le=1)]
#: A WOOD percentage as a key: a whole number from 1 to 100.
Percent = Annotated[str, StringConstraints(pattern=r"^([1-9]\d?|100)$")]
#: Names that a difficulty cannot have: the models' own confidence, and the file of all numbers.
TAKEN = ("wmprob", "table")


class Difficulty(Record):
    """How easy each example is. ``results/<task>/<dataset>/<revision>.difficulty-<name>.json``.

    Row n is about the n-th of the `Examples` with the same `ids_sha256`; 1 is the easiest, null: no value.
    `spec` has everything that decides the values, so equal specs give equal bytes. WOOD has a column for
    each percentage of the training set instead of `values`. (Mishra & Arunkumar 2021, "How Robust are
    Model Rankings".)
    """

    schema_version: Literal[3] = Field(default=3, description="of this record")
    kind: Literal["difficulty"] = Field(default="difficulty", description="which record this is")
    task: Slug = Field(description="the task")
    dataset: Slug = Field(description="the dataset's id")
    revision: Digest = Field(description="which examples")
    ids_sha256: Digest = Field(description="canonical hash of the list of example ids, in order")
    name: Slug = Field(description="of the source, and of the score it gives")
    algorithm: Literal["wsbias-1", "wsbias-2", "wood", "imported"] = Field(description="what made the values")
    spec: dict[str, Any] = Field(
        description="what decided the values: encoder, similarity, seed, options, libraries, training set"
    )
    values: tuple[Share | None, ...] | None = Field(
        default=None, description="of each example, 0 to 1; null: the source has none for it"
    )
    percentages: dict[Percent, tuple[Share | None, ...]] | None = Field(
        default=None, description="WOOD only: the values by the per cent of the training set they look at"
    )
    source: Source | None = Field(default=None, description="where imported values were published")

    @property
    def columns(self) -> dict[str, tuple[float | None, ...]]:
        """All columns of values: by percentage, or the only one under an empty name."""
        return dict(self.percentages or {}) if self.values is None else {"": self.values}

    @property
    def encoder(self) -> str | None:
        """Name of the encoder that the values were made with; None for published values."""
        return _encoder(self.spec)

    def is_kin(self, model: ModelRef) -> bool:
        """Whether a model is built on the encoder that says what is hard, so that its own errors do."""
        return self.encoder is not None and self.encoder == model.encoder

    @model_validator(mode="after")
    def _columns_fit(self) -> Difficulty:
        if self.name in TAKEN:
            raise ValueError(f"name: {self.name!r} is taken; give it another")
        if (self.values is None) == (self.percentages is None):
            raise ValueError("values/percentages: give exactly one of them")
        if (self.percentages is not None) != (self.algorithm == "wood"):
            raise ValueError("percentages: are for the algorithm wood, and it has nothing else")
        if (self.source is not None) != (self.algorithm == "imported"):
            raise ValueError("source: imported values must cite where they were published, others cannot")
        lengths = {len(column) for column in self.columns.values()}
        if len(lengths) != 1 or lengths == {0}:
            raise ValueError(
                f"values/percentages: columns have {sorted(lengths)} rows, not one number of them"
            )
        if all(value is None for column in self.columns.values() for value in column):
            raise ValueError("values/percentages: no example has a value")
        return self


class DifficultyTable(Record):
    """A dataset's models by every stored difficulty. ``<revision>.difficulty-table.json``.

    `difficulties` and `predictions` are the content hashes of all that the numbers are of.
    """

    schema_version: Literal[3] = Field(default=3, description="of this record")
    kind: Literal["difficulty-table"] = Field(default="difficulty-table", description="which record this is")
    task: Slug = Field(description="the task")
    dataset: Slug = Field(description="the dataset's id")
    revision: Digest = Field(description="which examples")
    definition: str = Field(description="name and version of the definition of the numbers")
    difficulties: dict[Slug, Digest] = Field(description="content hash of each difficulty, by name")
    predictions: dict[Slug, Digest] = Field(description="content hash of each model's predictions")
    table: dict[str, Any] = Field(description="as evaluator.difficulty.full_table gives it")


class Made(Record):
    """What became of a dataset's examples under one transformation."""

    made: Count = Field(description="variants")
    unchanged: Count = Field(description="variants that came out equal to their original, left out")
    not_applicable: Count = Field(description="examples without anything to change")


class Sample(Record):
    """A variant to look at: one field before and after."""

    transformation: Slug = Field(description="which one")
    example: str = Field(description="its id")
    field: str = Field(description="which of its fields")
    before: str = Field(description="the original's text")
    after: str = Field(description="the variant's text")


class SuiteCard(Record):
    """A suite of perturbations as it was made of a dataset. ``results/<task>/<dataset>/<name>.suite.json``.

    `samples` are there only where the dataset's licence lets its text be shown.
    """

    schema_version: Literal[3] = Field(default=3, description="of this record")
    kind: Literal["suite"] = Field(default="suite", description="which record this is")
    task: Slug = Field(description="the task")
    dataset: DatasetRef = Field(description="which examples")
    name: Slug = Field(description="the suite's id in board.toml")
    suite: Digest = Field(description="hash of spec, seed and dataset revision")
    suite_kind: str = Field(description="robustness, fairness, placebo or neutral")
    seed: int = Field(description="of the suite")
    spec: dict[str, Any] = Field(
        description="what decided the variants: transformations, versions, options, sources"
    )
    variants: Count = Field(description="how many there are")
    transformations: dict[Slug, Made] = Field(description="what each made of the examples")
    samples: tuple[Sample, ...] = Field(default=(), exclude_if=_empty, description="some variants to look at")
    tool: str = Field(description="name and version of what wrote this file")


class SnapshotDataset(Record):
    """A dataset of a snapshot: `revisions` are those that results were made on."""

    id: Slug = Field(description="its id in board.toml")
    label: str = Field(description="its name for people")
    role: Literal["scoring", "evaluation", "training"] = Field(description="as in board.toml")
    revisions: tuple[Digest, ...] = Field(default=(), description="those that results were made on")
    examples: Count | None = Field(default=None, description="as the newest result on it counts them")
    licence: str | None = Field(default=None, description="of the data")
    citation: str | None = Field(default=None, description="how to cite it")
    link: str | None = Field(default=None, description="where it can be had")


class SnapshotMachine(Record):
    """A machine that models of a snapshot were timed on, and by which protocol."""

    protocol: str = Field(description="of the measurement, with its version")
    cpu: str = Field(description="its model")
    cores: Count = Field(description="logical CPUs")
    memory_bytes: Count = Field(description="of the machine")
    os: str = Field(description="name and version")
    python: str = Field(description="its version")
    threads: Count = Field(description="that each model may use")


class SnapshotResult(Record):
    """One result file of a snapshot, ``<task>/<dataset>/<model>.json`` among the results.

    `source` and `machine` are places in the lists of the snapshot, which many results share.
    """

    sha256: Digest = Field(description="of the file's bytes")
    provenance: Provenance = Field(description="how its numbers came about")
    created: Moment = Field(description="when, in UTC")
    source: Count | None = Field(default=None, description="its place in the snapshot's sources")
    machine: Count | None = Field(default=None, description="its place in the snapshot's machines")


class SnapshotModel(Record):
    """A model of a snapshot; `reasons` say why cells of its are empty."""

    id: Slug = Field(description="its id on the board")
    results: dict[Slug, SnapshotResult] = Field(description="its result on each dataset")
    reasons: tuple[str, ...] = Field(default=(), exclude_if=_empty, description="why cells of its are empty")
    card: ModelCard = Field(
        default=ModelCard(),
        exclude_if=lambda card: card == ModelCard(),
        description="what its author says of it",
    )

    @field_serializer("card")
    def _what_it_says(self, card: ModelCard) -> dict[str, Any]:
        """Fifty cards are most of a snapshot: what is not said takes no room."""
        return card.model_dump(mode="json", exclude_defaults=True)


class SnapshotPerson(Record):
    """People beside the models: the numbers, by dataset and metric, that may stand beside the models'."""

    id: Slug = Field(description="who")
    label: str = Field(description="the name for people to read")
    results: dict[Slug, SnapshotResult] = Field(description="the result on each dataset")
    values: dict[Slug, dict[Slug, float]] = Field(
        description="the numbers that are shown, by dataset and metric"
    )


class SnapshotCells(Record):
    """What ``dynascore.Board.from_dict`` takes: every column has a number or null for each of `models`."""

    models: tuple[Slug, ...] = Field(description="ids, in the order of all columns")
    metrics: tuple[dict[str, str | int | float | None], ...] = Field(
        description="name, direction and offset of each"
    )
    datasets: tuple[Slug, ...] = Field(description="those that count for ranking")
    values: dict[Slug, dict[Slug, tuple[float | None, ...]]] = Field(
        description="a column for each dataset and metric; null: missing"
    )
    base: Slug = Field(description="the base metric")
    epsilon: float = Field(description="the threshold of the exchange rates")
    epsilon_kind: Literal["relative", "absolute"] = Field(description="what the threshold is relative to")
    missing: Literal["unranked", "worst"] = Field(description="what happens to a model with a missing number")
    labels: dict[Literal["models", "metrics"], dict[Slug, str]] = Field(description="names for people, by id")


class SnapshotWeights(Record):
    """The weights that a snapshot is ranked by; the scorer makes each kind sum to one."""

    metrics: dict[Slug, Annotated[float, Field(ge=0)]] = Field(description="metric = weight")
    datasets: dict[Slug, Annotated[float, Field(ge=0)]] = Field(description="dataset = weight")


class SnapshotRate(Record):
    """An exchange rate, as ``dynascore.ExchangeRate`` has it."""

    rate: float | None = Field(
        default=None, description="units of the metric for one of the base metric; null: undefined"
    )
    pairs: Count = Field(default=0, description="neighbours it is the mean over")
    skipped: Count = Field(default=0, description="neighbours at or under the threshold")
    largest_share: float | None = Field(default=None, description="how much of it one pair supplies, 0 to 1")
    largest_pair: tuple[str, str] | None = Field(default=None, description="that pair")
    note: str | None = Field(default=None, description="what a reader has to know")


class SnapshotRanking(Record):
    """The ranking by columns, in the order of the models of `SnapshotCells`; null: not ranked.

    `contributions` are of the metrics with weight and values, and sum to the scores.
    """

    ranks: tuple[Annotated[int, Field(ge=1)] | None, ...] = Field(
        description="from 1; equal scores share one"
    )
    scores: tuple[float | None, ...] = Field(description="Dynascores")
    z_scores: tuple[float | None, ...] = Field(description="mean z-scores")
    contributions: dict[Slug, tuple[float | None, ...]] = Field(
        description="what each metric adds to the scores"
    )
    exchange_rates: dict[Slug, SnapshotRate] = Field(description="by metric")
    notes: tuple[str, ...] = Field(description="what the scorer has to say")


class Snapshot(Record):
    """A board as it was, for ever. ``results/snapshots/<id>/snapshot.json``.

    `id` is the time it was `created` and the first 8 digits of the canonical hash of all but these two.
    `data` and `weights` are what the scorers named in `scorer`, which lie beside this file, made
    `ranking` of. `shown` has the numbers on datasets that do not count for ranking. `board` is what
    board.toml says of the board.
    """

    schema_version: Literal[3] = Field(default=3, description="of this record")
    kind: Literal["snapshot"] = Field(default="snapshot", description="which record this is")
    id: Annotated[str, StringConstraints(pattern=SNAPSHOT_ID)] = Field(
        description="its time and the first digits of its hash"
    )
    created: Moment = Field(description="when, in UTC")
    note: str | None = Field(default=None, description="what its maker has to say")
    licence: str | None = Field(default=None, description="of the numbers")
    board: dict[str, Any] = Field(description="what board.toml says of the board")
    weights: SnapshotWeights = Field(description="it is ranked by these")
    ranking: SnapshotRanking = Field(description="what the scorer made of data and weights")
    data: SnapshotCells = Field(description="the cells, as the scorer takes them")
    shown: dict[Slug, dict[Slug, tuple[float | None, ...]]] = Field(
        default={}, exclude_if=_empty, description="numbers on datasets that do not count for ranking"
    )
    datasets: tuple[SnapshotDataset, ...] = Field(description="all of the board")
    models: tuple[SnapshotModel, ...] = Field(description="all of the board, ranked or not")
    people: tuple[SnapshotPerson, ...] = Field(
        default=(), exclude_if=_empty, description="shown beside the models, never ranked"
    )
    sources: tuple[Source, ...] = Field(
        default=(), exclude_if=_empty, description="where numbers were published"
    )
    machines: tuple[SnapshotMachine, ...] = Field(
        default=(), exclude_if=_empty, description="where models were timed"
    )
    scorer: dict[str, Digest] = Field(description="hash of each scorer, by file name")
    tool: str = Field(description="name and version of what wrote it")

    @model_validator(mode="after")
    def _columns_fit(self) -> Snapshot:
        models = [model.id for model in self.models]
        if models != list(self.data.models):
            raise ValueError("models: are not those of data.models, in that order")
        if {"id", "title", "task"} - {*self.board}:
            raise ValueError("board: id, title or task is missing")
        ranking = self.ranking
        columns: dict[str, Sequence[object]] = {
            "ranking.ranks": ranking.ranks,
            "ranking.scores": ranking.scores,
            "ranking.z_scores": ranking.z_scores,
            **{f"ranking.contributions.{name}": column for name, column in ranking.contributions.items()},
        }
        for name, column in columns.items():
            if len(column) != len(models):
                raise ValueError(f"{name}: {len(column)} values for {len(models)} models")
        return self


RECORDS: dict[str, type[Record]] = {
    "result": Result,
    "predictions": PredictionSet,
    "suite": SuiteCard,
    "examples": Examples,
    "difficulty": Difficulty,
    "difficulty-table": DifficultyTable,
    "snapshot": Snapshot,
}

# One function a step: MIGRATIONS[kind][n] turns a version-n document into version n + 1.
Step = Callable[[dict[str, Any]], dict[str, Any]]


def _result_1(document: dict[str, Any]) -> dict[str, Any]:
    """Version 2 adds tags, what was dropped, and the card's paper; nothing that was there changes."""
    return document


def _predictions_1(document: dict[str, Any]) -> dict[str, Any]:
    """Version 1 always kept thousandths; version 2 says how fine the columns are, and keeps texts too."""
    return {**document, "resolution": 1000}


def _unchanged_2(document: dict[str, Any]) -> dict[str, Any]:
    """Version 3 adds lists of examples, scores of answers and tags of cards; what was there stays."""
    return document


MIGRATIONS: dict[str, dict[int, Step]] = {
    "result": {1: _result_1, 2: _unchanged_2},
    "predictions": {1: _predictions_1, 2: _unchanged_2},
    "suite": {2: _unchanged_2},
    "examples": {},
    "difficulty": {},
    "difficulty-table": {},
    "snapshot": {},
}


class MigrationError(ValueError):
    """A document that no chain of migrations brings to the version this program reads."""


def migrate(
    document: Mapping[str, Any],
    migrations: Mapping[str, Mapping[int, Step]] = MIGRATIONS,
    target: int = SCHEMA_VERSION,
) -> dict[str, Any]:
    """Return `document` at schema version `target`, applying one step a version.

    Raises `MigrationError` if the kind is unknown, the version is missing, newer than `target`, or
    a step of the chain does not exist.
    """
    kind, version = document.get("kind"), document.get("schema_version")
    if not isinstance(kind, str) or kind not in migrations:
        raise MigrationError(f"kind: {kind!r} is none of {', '.join(sorted(migrations))}")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise MigrationError(f"schema_version: {version!r} is not a whole number from 1")
    if version > target:
        raise MigrationError(
            f"schema_version: {version} is newer than {target}, the newest this version of steelyard"
            " reads; upgrade steelyard"
        )
    current = dict(document)
    for step in range(version, target):
        if step not in migrations[kind]:
            raise MigrationError(f"schema_version: no migration of a {kind} from {step} to {step + 1}")
        current = {**migrations[kind][step](current), "schema_version": step + 1}
    return current


def canonical(document: Any) -> bytes:
    """RFC 8785 canonical JSON of plain data. NaN and infinities raise ValueError."""
    return rfc8785.dumps(document)


def digest(document: Any) -> str:
    """``sha256:`` and the hash of the canonical JSON of plain data."""
    return "sha256:" + hashlib.sha256(canonical(document)).hexdigest()


def parts(share: float, resolution: int) -> int:
    """A probability in [0, 1] in parts of `resolution`, rounded half to even. ValueError outside it."""
    if not (math.isfinite(share) and 0.0 <= share <= 1.0):
        raise ValueError(f"{share!r} is not a probability between 0 and 1")
    return round(share * resolution)


def describe_errors(error: ValidationError, where: str) -> str:
    """A validation error as lines of ``where: field: what is wrong (got value)``."""
    lines = []
    for item in error.errors(include_url=False):
        field = ".".join(str(part) for part in item["loc"])
        message = item["msg"].removeprefix("Value error, ")
        got = "" if isinstance(item["input"], dict) else f" (got {_shortened(item['input'])})"
        lines.append(f"{where}: {field}: {message}{got}" if field else f"{where}: {message}")
    return "\n".join(lines)


def _shortened(value: object, limit: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def json_schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema (2020-12) of each record kind, as committed in ``evaluator/schemas/``."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {kind: {**dialect, **record.model_json_schema()} for kind, record in RECORDS.items()}
