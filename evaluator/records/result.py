"""The numbers of a model on a dataset, and how it was timed: latency, memory, noise, the machine."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from evaluator.rank.significance import t_quantile
from evaluator.records.base import (
    EVALUATED,
    SCHEMA_VERSION,
    Count,
    Digest,
    Moment,
    Provenance,
    Record,
    Slug,
    Version,
    digest,
    is_empty,
    is_none,
)
from evaluator.records.references import DatasetRef, ModelRef, PredictionsRef, Source

#: What is timed of models that write texts, besides.
OF_TEXTS = ("tokens_per_s", "time_to_first_token")
#: By how much of itself (95 %) a timing may be off though all blocks agree: other work slows caches, memory
#: and the way from one process to the next by other shares for a model than for the reference workload. The
#: first is of any model, the second of the part of a request that is the harness's; see `benchmarks/busy.py`.
OF_MACHINE, OF_OVERHEAD = 0.035, 0.05
#: Blocks are enough where they differ by no more than what all of them leave open; both make 5 %.
AIM = OF_MACHINE


def half_width(values: Sequence[float]) -> float | None:
    """Half the 95 % interval of the mean logarithm of what blocks gave, by Student's t; None for one."""
    if len(values) < 2:
        return None
    deviation = statistics.stdev(map(math.log, values))
    return t_quantile(0.025, len(values) - 1) * deviation / math.sqrt(len(values))


def percent_off(known_within: float | None) -> str:
    """By how much of itself a number may be off: ``±3.2 %``; in words where nothing says."""
    if known_within is None:
        return "known no closer than it was measured once"
    return f"±{100 * math.expm1(known_within):.2g} %"


Layer = Literal["pid", "mount", "network", "ipc", "landlock", "seccomp"]


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


Believed = Literal["ok", "suspect", "invalid"]


class Noise(Record):
    """Whether the timing can be believed, and what the machine did meanwhile.

    `memory` is None where the verdict on the timing holds for memory too.
    """

    verdict: Believed = Field(description="whether the timing can be believed")
    reasons: tuple[str, ...] = Field(default=(), description="why not")
    memory: Literal["ok", "invalid"] | None = Field(
        default=None, description="whether memory can be believed; left out where it is as the timing"
    )
    load_before: Annotated[float, Field(ge=0)] = Field(description="1-minute load average")
    load_after: Annotated[float, Field(ge=0)] = Field(description="the same afterwards")
    steal_share: Annotated[float, Field(ge=0, le=1)] = Field(description="CPU time the host took away")
    pressure_share: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None, description="share of the time in which some task waited for a CPU"
    )


class Isolation(Record):
    """What kept a model in while it was measured, and what this machine lacked to do more.

    Layers: ``pid``, ``mount``, ``network`` and ``ipc`` are namespaces, that is, processes, files, a network
    and shared memory of the model's own; ``landlock`` are rules for files, connections and signals;
    ``seccomp`` refuses system calls.
    """

    layers: tuple[Layer, ...] = Field(description="the layers that isolated the model")
    landlock_abi: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="version of Landlock's interface, which says what it can hold back"
    )
    missing: dict[Layer, str] = Field(
        default={}, exclude_if=is_empty, description="what did not = why not, and what would change it"
    )
    memory: Literal["processes and files"] = Field(
        default="processes and files",
        description="what counts as memory: that of all processes, and what lies in their scratch folder",
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

    sampler: Literal["linux", "portable"] = Field(
        default="linux",
        exclude_if=lambda sampler: sampler == "linux",
        description="what sampled the memory; portable where the system has no /proc",
    )

    @property
    def key(self) -> str:
        """Hash of what must be equal for two timings to be ranked together (not the reference time)."""
        return digest(self.model_dump(mode="json", exclude={"reference_ns", "libraries", "affinity"}))


class Repeat(Record):
    """One timing pass in a worker of its own: a block.

    Its throughput is requests / (`time_ns` less `waited_ns` and `interrupted_ns`), times its `reference_ns`
    over the machine's.
    """

    throughput: Annotated[float, Field(gt=0)] = Field(description="requests per second at batch size 1")
    tokens_per_s: Annotated[float, Field(gt=0)] | None = Field(
        default=None,
        exclude_if=is_none,
        description="of texts that were written, from the first token on",
    )
    time_to_first_token: Annotated[float, Field(gt=0)] | None = Field(
        default=None,
        exclude_if=is_none,
        description="of these texts, in seconds from the request",
    )
    requests: Count = Field(description="answered in the steady state")
    time_ns: Count = Field(description="that these took by the clock")
    waited_ns: Count | None = Field(
        default=None,
        description="of that, how long threads waited for a CPU, which is taken off; left out where unknown",
    )
    interrupted_ns: Count = Field(
        default=0,
        exclude_if=is_empty,
        description="of the rest, how much longer requests took because others had interrupted them",
    )
    reference_ns: Annotated[int, Field(ge=1)] = Field(
        description="time of the reference workload beside them"
    )
    load_ns: Count = Field(description="time to load")
    first_call_ns: Count = Field(description="time of the first answer")
    warmup_requests: Count = Field(description="requests before the steady state, which are not counted")
    order_seed: Count = Field(description="the seed of the order of its requests, drawn in secret")
    differing: Count = Field(
        default=0, exclude_if=is_empty, description="answers that were not those that are scored"
    )
    memory: Memory = Field(description="of this pass")

    def speed(self, quiet_ns: int) -> float:
        """Requests per second by its times, where the reference workload usually takes so long."""
        left = max(1, self.time_ns - (self.waited_ns or 0) - self.interrupted_ns)
        return 1e9 * self.requests / left * self.reference_ns / quiet_ns


class Measurement(Record):
    """How a model was timed, by which protocol, on what machine, and whether to believe it."""

    protocol: str = Field(description="name and version of the measurement protocol")
    fingerprint: Fingerprint = Field(description="the machine and its software")
    sandbox: dict[str, str] = Field(description="the limits of memory and time that held")
    isolation: Isolation = Field(description="how the model was isolated")
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
        """Requests per second at batch size 1: the geometric mean of blocks."""
        return statistics.geometric_mean(repeat.throughput for repeat in self.repeats)

    @property
    def timings(self) -> dict[str, float]:
        """Every metric that was timed: per second and in seconds as means of blocks, memory in GB of 10**9
        bytes. A metric that a block lacks is left out."""
        found = {"throughput": self.throughput, "memory": self.memory_bytes / 1e9}
        for name in OF_TEXTS:
            blocks = [value for repeat in self.repeats if (value := getattr(repeat, name)) is not None]
            if blocks and len(blocks) == len(self.repeats):
                found[name] = statistics.geometric_mean(blocks)
        return found

    def within(self, name: str) -> float | None:
        """Half the 95 % interval of the logarithm of a metric of `timings`; None where nothing says."""
        spread = self.spread(name)
        return None if spread is None else math.hypot(spread, self.left_open)

    def spread(self, name: str = "throughput") -> float | None:
        """The part of `within` that is seen in how blocks differ, and that more of them make smaller."""
        if name not in ("throughput", *OF_TEXTS):
            return None
        blocks = [getattr(repeat, name) for repeat in self.repeats]
        return None if None in blocks else half_width(blocks)

    @property
    def left_open(self) -> float:
        """The part of `within` that is in no block: it slows all of them alike."""
        return OF_MACHINE + OF_OVERHEAD * self.throughput * self.overhead_ns / 1e9

    def interval(self, name: str) -> tuple[float, float] | None:
        """The 95 % interval of a metric of `timings`; None where nothing says."""
        if (known := self.within(name)) is None:
            return None
        value = self.timings[name]
        return value * math.exp(-known), value * math.exp(known)

    @property
    def known_within(self) -> float | None:
        """As `within`, of the throughput."""
        return self.within("throughput")

    @property
    def memory_within(self) -> float | None:
        """Half the 95 % interval of the logarithm of the memory; None where nothing says."""
        found = [repeat.memory.mean_bytes for repeat in self.repeats]
        return half_width(found) if all(found) else None

    @property
    def on_the_clock(self) -> bool:
        """Whether times are those of the clock, as the system does not tell who waited for a CPU."""
        return any(repeat.waited_ns is None for repeat in self.repeats)

    @property
    def memory_bytes(self) -> int:
        """Mean resident bytes in the steady state: the median over the repeats."""
        return round(statistics.median(repeat.memory.mean_bytes for repeat in self.repeats))

    @property
    def peak_bytes(self) -> int:
        """The most resident bytes that any repeat took, loading included."""
        return max(repeat.memory.peak_bytes for repeat in self.repeats)

    @property
    def load_s(self) -> float:
        """Seconds to load the model: the median over the repeats."""
        return statistics.median(repeat.load_ns for repeat in self.repeats) / 1e9


class Judged(Record):
    """What stands behind a score that is a judge's verdicts, corrected by what people said of some of them.

    The score is `weight` x the mean of all verdicts + the mean, over the labels, of label - `weight` x
    verdict. All numbers but `labels`, `weight` and `worth` are in the unit of the metric.
    """

    labels: Count = Field(description="examples that people were asked about")
    weight: Annotated[float, Field(ge=0, le=1)] = Field(
        description="of the judge: the same for all models of a dataset"
    )
    judge: float = Field(description="what the judge alone says: the mean of all its verdicts")
    excess: float = Field(description="by how much its verdicts are over the labels, on average")
    excess_error: Annotated[float, Field(ge=0)] = Field(description="the standard error of that")
    worth: Annotated[float, Field(ge=0)] | None = Field(
        default=None,
        description="of how many labels, without a judge, the number would vary as little; null: not known",
    )


class Score(Record):
    """One number of a board: `value` in `unit`, computed by `version` of its definition."""

    value: float = Field(description="the number")
    unit: str = Field(description="its unit; % for shares in per cent")
    version: str = Field(description="of the definition; it changes whenever numbers would")
    interval: tuple[float, float] | None = Field(
        default=None, description="the 95 % interval of a timing, or of an estimate of people"
    )
    standard_error: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="of a reported number, as its source gives it, in the same unit"
    )
    threshold: float | None = Field(default=None, description="for a best value over thresholds: at which")
    settings: dict[str, str] = Field(
        default={},
        exclude_if=is_empty,
        description="of a tool's number: all that decided it, by name; equal ones are ranked together",
    )
    judged: Judged | None = Field(
        default=None,
        exclude_if=lambda judged: judged is None,
        description="of a judge's verdicts that labels of people correct; left out of all others",
    )


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
    undecided: Count = Field(
        default=0,
        exclude_if=is_empty,
        description="examples left out because their text does not show what a word is",
    )
    agreement: float | None = Field(
        default=None, description="share of predictions that stay the same, in per cent"
    )
    score: float | None = Field(default=None, description="the task's metric over the variants")
    original: float | None = Field(
        default=None, description="the same over the examples that the variants were made of"
    )


#: What was being done: predictions made, the model timed, or its answers to a suite's variants collected.
Stage = Literal["predicting", "timing", "suites"]


class Failure(Record):
    """One kind of thing that went wrong, how often, and on which examples first.

    A failure of the stage "suites" names its `suite`, and no other does.
    """

    kind: str = Field(description="a word for it, such as invalid-answer")
    message: str = Field(description="what was said, of the first")
    count: Annotated[int, Field(ge=1)] = Field(description="how often")
    first_ids: tuple[str, ...] = Field(default=(), description="the first examples it happened on")
    stage: Stage = Field(
        default="predicting",
        exclude_if=lambda stage: stage == "predicting",
        description="what was being done; left out where predictions were made",
    )
    suite: Slug | None = Field(default=None, description="which suite the stage was about, for suites")

    @model_validator(mode="after")
    def _suite_is_of_its_stage(self) -> Failure:
        if (self.suite is not None) != (self.stage == "suites"):
            raise ValueError("suite: name the suite where the stage is suites, and nowhere else")
        return self

    @property
    def full_message(self) -> str:
        """The message after the stage that it is about, if that is not the predictions."""
        stages = {"predicting": "", "timing": "while timing: ", "suites": f"while trying {self.suite}: "}
        return stages[self.stage] + self.message


class BatchCheck(Record):
    """A sample of inputs asked one by one and at once, before answers that are not timed came in batches.

    If the two said something else, or gave probabilities further apart than the `tolerance`, for any input
    of the sample, everything was asked one by one.
    """

    sample: Annotated[int, Field(ge=1)] = Field(description="inputs asked both ways")
    differing: Count = Field(description="those with answers that are not the same")
    tolerance: Annotated[float, Field(gt=0)] = Field(description="how far a probability may be off")
    largest_difference: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None, description="of a probability; left out where there are none"
    )

    @property
    def passed(self) -> bool:
        """Whether the model was asked in batches."""
        return not self.differing


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
        default=(), exclude_if=is_empty, description="what went wrong on variants"
    )
    predictions: PredictionsRef = Field(description="the sibling file with the answers to the variants")
    batches: BatchCheck | None = Field(
        default=None, description="whether batches gave the same answers; left out where none were tried"
    )
    node_class: str | None = Field(
        default=None, description="the kind of a cluster's node that asked; left out where none did"
    )


class Result(Record):
    """One model on one dataset of one task. ``results/<task>/<dataset>/<model>.json``.

    `provenance` says how the numbers came about: measured here, recorded where a model was asked at an
    endpoint and scored here, scored here from predictions made elsewhere, reported by a source, or estimated
    for the humans who annotated the dataset.
    """

    schema_version: Version = Field(default=SCHEMA_VERSION, description="of this record")
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
        default={}, exclude_if=is_empty, description="scores of the examples with each value of each tag"
    )
    suites: dict[Slug, SuiteScores] = Field(
        default={}, exclude_if=is_empty, description="the model under perturbation, by suite"
    )
    failures: tuple[Failure, ...] = Field(
        default=(), exclude_if=is_empty, description="what went wrong, and counts as wrong"
    )
    measurement: Measurement | None = Field(
        default=None, description="how it was timed; measured results only"
    )
    predictions: PredictionsRef | None = Field(
        default=None, description="the sibling file with the predictions"
    )
    same_again: Count = Field(
        default=0,
        exclude_if=is_empty,
        description="examples that were asked again and all answered the same: the model is deterministic, so"
        " that it was asked once where others were asked several times",
    )
    batches: BatchCheck | None = Field(
        default=None,
        description="of answers not timed: whether batches gave the same; left out where none were tried",
    )
    node_class: str | None = Field(
        default=None,
        description="the kind of a cluster's node that timed, or asked untimed; left out where none did",
    )
    source: Source | None = Field(default=None, description="where numbers or predictions were published")
    created: Moment = Field(description="when, in UTC")
    tool: str = Field(description="name and version of what wrote this file")

    @property
    def made_again_by(self) -> str:
        """What makes the result again where its file is gone, as part of a sentence."""
        if self.provenance == "predictions":
            return "import the file of its predictions again"
        if self.provenance == "reported":
            return "import its numbers again"
        model = f" --model {self.model.id}" if self.provenance in EVALUATED else ""
        return f"run: steelyard evaluate{model} --dataset {self.dataset.id}"

    @model_validator(mode="after")
    def _provenance_is_backed(self) -> Result:
        if self.provenance == "reported" and self.source is None:
            raise ValueError("source: missing; a reported number must cite where it was published")
        kept = self.provenance in (*EVALUATED, "predictions") and self.status == "complete"
        if kept and self.predictions is None:
            raise ValueError("predictions: missing; such a result keeps its per-example predictions")
        return self
