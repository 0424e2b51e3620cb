"""Whole measurements of real models whose speed and memory are known beforehand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from evaluator.measure.timing import fingerprint, measure, zero
from evaluator.measure.timing.measurement import MOST_WORKERS
from evaluator.measure.timing.passes import draw_order
from evaluator.measure.worker import Limits, ModelToLoad, Reply, WorkerError
from evaluator.records.base import PROTOCOL
from evaluator.records.board import MeasureSettings
from evaluator.records.result import Measurement

EXAMPLES = [{"id": str(n), "statement": f"Film number {n} is one to see twice."} for n in range(400)]
QUICK = MeasureSettings(repeats=2, min_requests=70, min_duration_s=0.001)
Handler = Callable[..., ModelToLoad]

pytestmark = pytest.mark.slow


class Kept:
    """Keeps the first answer to each example, and compares later ones with it."""

    def __init__(self, count: int = len(EXAMPLES)) -> None:
        self.count = count
        self.outputs: dict[int, object] = {}

    def missing(self) -> list[int]:
        return [position for position in range(self.count) if position not in self.outputs]

    def took(self, position: int, outcome: Reply | WorkerError) -> bool:
        output = outcome.output if isinstance(outcome, Reply) else outcome.message
        return self.outputs.setdefault(position, output) == output


@pytest.fixture
def first_in_line() -> Iterator[None]:
    """Run before all ordinary processes, workers included, where this user may ask for that."""
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(5))
    yield
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def undisturbed(spec: ModelToLoad, settings: MeasureSettings, truth: float) -> Measurement:
    """The first of up to eight measurements within 3 % of the true speed, else the last.

    Other work on the machine can only make a model slower, so one quiet measurement shows what the
    instrument reads.
    """
    for _ in range(8):
        measurement = measure(spec, EXAMPLES, Kept(), settings)
        if abs(measurement.throughput - truth) <= 0.03 * truth:
            break
    return measurement


@pytest.mark.usefixtures("first_in_line")
def test_a_model_of_known_speed_and_size_is_measured_within_3_percent(handler: Handler) -> None:
    """A model that sleeps 10 ms and holds 500 MB makes 100 a second and 500 MB over an empty one."""
    # A bare sleep of 10 ms lasts over 10.1 on many systems; the last half millisecond is waited out.
    predict = """
        end = time.perf_counter() + 0.01
        time.sleep(0.0095)
        while time.perf_counter() < end: pass
        return {'label': 'positive'}
    """
    settings = MeasureSettings(min_requests=110, min_duration_s=1.1)
    empty = measure(handler(predict, top="import time", name="empty"), EXAMPLES, Kept(), settings)
    spec = handler(predict, top="import time\nheld = b'x' * 500_000_000", name="full")
    full = undisturbed(spec, settings, 100.0)
    assert full.memory_bytes == pytest.approx(empty.memory_bytes + 500_000_000, rel=0.03)
    assert full.memory_bytes - empty.memory_bytes == pytest.approx(500_000_000, rel=0.03)
    assert full.throughput == pytest.approx(100.0, rel=0.03)


def test_a_measurement_says_all_it_should(handler: Handler) -> None:
    """Every part of the record is filled and consistent with the settings."""
    found = measure(handler("return {'label': 'positive'}"), EXAMPLES, Kept(), QUICK)
    assert found.protocol == PROTOCOL == "2"
    assert len(found.repeats) == 2
    assert found.latency.requests == sum(repeat.requests for repeat in found.repeats)
    assert all(repeat.requests >= 70 and repeat.warmup_requests >= 5 for repeat in found.repeats)
    assert all(repeat.load_ns > 0 and repeat.first_call_ns > 0 for repeat in found.repeats)
    assert all(repeat.memory.peak_bytes >= repeat.memory.mean_bytes > 0 for repeat in found.repeats)
    assert found.latency.p90 is not None
    assert found.overhead_ns == zero(1).overhead_ns
    assert found.sandbox.keys() == {"memory", "limits"}
    assert found.isolation is not None
    assert {*found.isolation.layers, *found.isolation.missing} >= {"pid", "landlock", "seccomp"}
    assert Measurement.model_validate_json(found.model_dump_json()) == found


def test_a_small_dataset_is_asked_in_more_workers(handler: Handler) -> None:
    """Where all inputs take less than the minimum duration, fresh workers are started, up to a limit."""
    settings = MeasureSettings(repeats=1, min_requests=1, min_duration_s=0.6)
    predict = handler("time.sleep(0.002)\nreturn 1", top="import time")
    found = measure(predict, EXAMPLES[:40], Kept(40), settings)
    assert 1 < len(found.repeats) < MOST_WORKERS
    assert sum(repeat.requests for repeat in found.repeats) == 36 * len(found.repeats)
    fast = measure(handler("return 1", name="fast"), EXAMPLES[:3], Kept(3), settings)
    assert len(fast.repeats) == MOST_WORKERS


def test_a_lost_worker_ends_the_measurement(handler: Handler) -> None:
    """A model that exits is an error for the caller, not a number."""
    spec = handler("import os\nif '42' in example['statement']: os._exit(9)\nreturn 1")
    with pytest.raises(WorkerError, match="exited with code 9"):
        measure(spec, EXAMPLES, Kept(), MeasureSettings(repeats=1, min_requests=400), Limits(request_s=5))


def test_a_caching_model_is_flagged(handler: Handler) -> None:
    """A model that keeps its answers is suspect, and the ratio shows it."""
    top = """
        import functools, time
        @functools.cache
        def think(text):
            time.sleep(0.003)
            return 1
    """
    spec = handler("return think(example['statement'])", top=top)
    found = measure(spec, EXAMPLES, Kept(), QUICK)
    assert found.repeated_input_ratio is not None
    assert found.repeated_input_ratio < 0.5
    assert found.noise.verdict != "ok"
    assert any("keeps answers" in reason for reason in found.noise.reasons)


def test_the_first_pass_asks_everything_once_in_an_order_of_its_own(handler: Handler, tmp_path: Path) -> None:
    """Each worker's order is drawn anew, and the record says afterwards which seed it was drawn with."""
    found, asked = logged(handler, tmp_path, EXAMPLES)
    seeds = [repeat.order_seed for repeat in found.repeats]
    assert len(set(seeds)) == 2
    orders = [
        draw_order(400, range(400) if number == 0 else (), seed or 0) for number, seed in enumerate(seeds)
    ]
    expected = [[EXAMPLES[position]["statement"] for position in order.positions] for order in orders]
    first, second = sorted(asked, key=len, reverse=True)
    assert list(dict.fromkeys(first)) == expected[0]
    assert list(dict.fromkeys(second)) == expected[1][: len(set(second))]


def test_only_inputs_that_the_worker_has_not_seen_are_timed(handler: Handler, tmp_path: Path) -> None:
    """Examples that say the same as one before are asked once for their answer, and not timed."""
    twice = [*EXAMPLES[:100], *({**example, "id": f"{example['id']}b"} for example in EXAMPLES[:100])]
    answers = Kept(200)
    settings = MeasureSettings(repeats=1, min_requests=1, min_duration_s=1e-6)
    found, (asked,) = logged(handler, tmp_path, twice, answers, settings)
    assert answers.missing() == []
    assert len(set(asked)) == 100
    assert 90 <= found.repeats[0].requests <= 100


def logged(
    handler: Handler,
    folder: Path,
    examples: list[dict[str, str]],
    answers: Kept | None = None,
    settings: MeasureSettings = QUICK,
) -> tuple[Measurement, list[list[str]]]:
    """A measurement, and what each worker was asked: it says so in its answers."""
    asked: dict[str, list[str]] = {}
    answers = answers or Kept(len(examples))

    class Listening(Kept):
        def missing(self) -> list[int]:
            return answers.missing()

        def took(self, position: int, outcome: Reply | WorkerError) -> bool:
            assert isinstance(outcome, Reply)
            asked.setdefault(outcome.output["worker"], []).append(examples[position]["statement"])
            return answers.took(position, Reply(1, outcome.elapsed_ns))

    spec = handler("return {'worker': worker}", top="import uuid\nworker = uuid.uuid4().hex")
    return measure(spec, examples, Listening(), settings), list(asked.values())


def test_answers_in_later_passes_are_compared_with_the_first(handler: Handler) -> None:
    """A model that says one thing in one worker and another in the next is not to be trusted."""
    spec = handler("return {'label': label}", top="import uuid\nlabel = uuid.uuid4().hex")
    found = measure(spec, EXAMPLES, Kept(), QUICK)
    assert found.repeats[0].differing == 0
    assert found.repeats[1].differing > 70
    assert found.noise.verdict == "invalid"


def test_a_worker_that_is_killed_from_outside_is_asked_again_once(handler: Handler) -> None:
    """A signal that nobody here sent says nothing of the model."""
    kills = iter((True,))

    class Killing(Kept):
        def took(self, position: int, outcome: Reply | WorkerError) -> bool:
            if len(self.outputs) == 10 and next(kills, False):
                end_workers()
            return super().took(position, outcome)

    answers = Killing()
    found = measure(handler("return 1"), EXAMPLES, answers, QUICK)
    assert answers.missing() == []
    assert set(answers.outputs.values()) == {1}
    assert len(found.repeats) == 2


def end_workers() -> None:
    """Kill the workers of this process, as the system does when it is short of memory."""
    for process in psutil.Process().children(recursive=True):
        if "evaluator.measure.worker.child" in process.cmdline():
            process.kill()


def test_the_fingerprint_is_stable() -> None:
    """The same machine has the same key, whatever the reference time and the pinned CPU."""
    first, second = fingerprint(1, (0,)), fingerprint(1, ())
    assert first.key == second.key
    assert first.cpu
    assert first.reference_ns > 0
    assert "numpy" in first.libraries
    assert fingerprint(2, ()).key != first.key
