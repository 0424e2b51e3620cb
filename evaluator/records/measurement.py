"""How a model was timed: blocks, latency, memory, noise, the machine, and how well its numbers are known."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from evaluator.rank.significance import t_quantile
from evaluator.records.base import Count, Record, digest, is_empty, is_none

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
