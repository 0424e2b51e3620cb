"""Whole measurements of real models whose speed and memory are known beforehand."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
import pytest

from evaluator.measure.run.answers import AnswerReader
from evaluator.measure.run.asking import TimedAnswers, TimedQuestions, ask_timed
from evaluator.measure.timing import Timing, fingerprint, machine, overhead_ns
from evaluator.measure.timing.passes import Answers, draw_order
from evaluator.measure.worker import Limits, ModelToLoad, Reply, Worker, WorkerError
from evaluator.records.base import PROTOCOL
from evaluator.records.board import MeasureSettings
from evaluator.records.measurement import Measurement

EXAMPLES = [{"id": str(n), "statement": f"Film number {n} is one to see twice."} for n in range(400)]
QUICK = MeasureSettings(repeats=2, seconds=0.001)
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


def measure(
    spec: ModelToLoad,
    examples: Sequence[dict[str, str]],
    answers: Answers,
    settings: MeasureSettings = QUICK,
    limits: Limits | None = None,
) -> Measurement:
    """A whole measurement of one model."""
    timing = Timing(spec, examples, answers, settings, limits)
    while not timing.enough:
        timing.add_block()
    return timing.measurement()


@pytest.fixture(autouse=True)
def usual_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference workload takes what it always takes: these tests are not about this machine's mood."""
    monkeypatch.setattr("evaluator.measure.timing.passes.reference", lambda threads: 1e7)
    described = machine._described
    monkeypatch.setattr(
        "evaluator.measure.timing.machine._described",
        lambda *given: described(*given).model_copy(update={"reference_ns": 10**7}),
    )


def test_a_model_of_known_speed_and_size_is_measured_beside_another_process(handler: Handler) -> None:
    """A model that sleeps 10 ms and holds 500 MB makes 100 a second and 500 MB over an empty one."""
    # A bare sleep of 10 ms lasts over 10.1 on many systems; the last half millisecond is waited out.
    predict = """
        end = time.perf_counter() + 0.01
        time.sleep(0.0095)
        while time.perf_counter() < end: pass
        return {'label': 'positive'}
    """
    settings = MeasureSettings(repeats=3, seconds=6.0)
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        empty = measure(handler(predict, top="import time", name="empty"), EXAMPLES, Kept())
        spec = handler(predict, top="import time\nheld = b'x' * 500_000_000", name="full")
        full = measure(spec, EXAMPLES, Kept(), settings)
    finally:
        busy.kill()
        busy.wait()
    assert full.memory_bytes - empty.memory_bytes == pytest.approx(500_000_000, rel=0.03)
    assert full.noise.verdict == full.noise.memory == "ok"
    # By its own clock it takes 10 ms, unless it waits in the last half of one, which is taken off.
    assert 99 < full.throughput < 106


def test_a_measurement_says_all_it_should(handler: Handler) -> None:
    """Every part of the record is filled and consistent with the settings."""
    found = measure(handler("return {'label': 'positive'}"), EXAMPLES, Kept(), QUICK)
    assert found.protocol == PROTOCOL == "3"
    assert len(found.repeats) == 2
    assert found.latency.requests == sum(repeat.requests for repeat in found.repeats)
    assert all(repeat.requests >= 1 and repeat.warmup_requests >= 5 for repeat in found.repeats)
    assert all(repeat.load_ns > 0 and repeat.first_call_ns > 0 for repeat in found.repeats)
    assert all(repeat.memory.peak_bytes >= repeat.memory.mean_bytes > 0 for repeat in found.repeats)
    assert found.latency.p90 is not None
    assert found.overhead_ns == overhead_ns(1)
    interval = found.interval("throughput")
    assert interval is not None
    assert interval[0] < found.throughput < interval[1]
    assert found.sandbox.keys() == {"memory", "limits"}
    assert found.isolation is not None
    assert {*found.isolation.layers, *found.isolation.missing} >= {"pid", "landlock", "seccomp"}
    assert Measurement.model_validate_json(found.model_dump_json()) == found


def test_blocks_are_added_until_the_speed_is_known_or_the_time_is_used_up(
    handler: Handler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No less than are asked for; then the interval decides, or the seconds do."""
    spec, settings = handler("return 1"), MeasureSettings(repeats=2, seconds=1000.0)
    known = iter((0.3, 0.2, 0.03))
    monkeypatch.setattr("evaluator.measure.timing.measurement.half_width", lambda speeds: next(known))
    assert len(measure(spec, EXAMPLES[:40], Kept(40), settings).repeats) == 4
    monkeypatch.setattr("evaluator.measure.timing.measurement.half_width", lambda speeds: 0.3)
    assert len(measure(spec, EXAMPLES[:3], Kept(3), QUICK).repeats) == 2


def test_models_of_a_run_are_timed_in_turns_and_each_is_done_when_it_is(
    handler: Handler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block of each, then another of each; one that is lost does not hold up the others."""
    turns = []
    add_block = Timing.add_block

    def noted(timing: Timing) -> None:
        turns.append(timing.spec.directory.name)
        add_block(timing)

    monkeypatch.setattr(Timing, "add_block", noted)
    good, once = "return {'label': 'positive'}", MeasureSettings(repeats=1, seconds=0.001)
    models = [
        (handler(good, name="a"), QUICK),
        (handler("import os; os._exit(9)", name="b"), QUICK),
        (handler(good, name="c"), once),
        (handler(good, name="d"), QUICK),
    ]
    asked = [
        (
            TimedQuestions(
                spec, AnswerReader("sentiment", spec.labels, False), Limits(), settings, EXAMPLES[:20]
            ),
            tmp_path / "runs" / spec.directory.name,
        )
        for spec, settings in models
    ]
    found = dict(ask_timed(asked))
    assert turns == ["a", "b", "c", "d", "a", "d"]
    assert [*found] == [1, 2, 0, 3]
    assert isinstance(found[1], WorkerError)
    for place in (0, 2, 3):
        assert isinstance(answers := found[place], TimedAnswers)
        assert len(answers.entries) == 20
        assert answers.measurement is not None


def test_a_lost_worker_ends_the_measurement(handler: Handler) -> None:
    """A model that exits is an error for the caller, not a number."""
    spec = handler("import os\nif '42' in example['statement']: os._exit(9)\nreturn 1")
    with pytest.raises(WorkerError, match="exited with code 9"):
        measure(spec, EXAMPLES, Kept(), QUICK, Limits(request_s=5))


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
    settings = MeasureSettings(repeats=1, seconds=1e-6)
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
    found = measure(spec, EXAMPLES, Kept(), MeasureSettings(repeats=2, seconds=1.0))
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


def test_what_a_machine_s_reference_workload_took_before_is_its_unit(handler: Handler) -> None:
    """Results of another day are in the same unit; those of other machines say nothing of this one."""
    key = fingerprint(1, ()).key
    assert fingerprint(1, (), {key: 123}).reference_ns == 123
    assert fingerprint(1, (), {"sha256:another": 123}).reference_ns == fingerprint(1, ()).reference_ns


def test_a_stopped_model_does_nothing_until_it_goes_on(handler: Handler) -> None:
    """Neither its threads nor the processes that it started run meanwhile; then it answers as before."""
    top = """
        import os, threading
        count = 0
        def forever():
            global count
            while True: count += 1
        threading.Thread(target=forever, daemon=True).start()
        if os.fork() == 0: forever()
    """
    with Worker(handler("return count", top=top)) as worker:
        worker.start()
        assert len(worker.processes()) == 2
        with worker.stopped():
            before = [psutil.Process(one).cpu_times() for one in worker.processes()]
            time.sleep(0.2)
            assert [psutil.Process(one).cpu_times() for one in worker.processes()] == before
            assert {psutil.Process(one).status() for one in worker.processes()} == {"stopped"}
        before = worker.predict(EXAMPLES[0]).output
        time.sleep(0.2)
        assert before < worker.predict(EXAMPLES[0]).output


def test_a_stopped_model_ends_with_its_worker(handler: Handler) -> None:
    """Whoever is interrupted meanwhile leaves no process behind."""
    with Worker(handler("return 1")) as worker:
        worker.start()
        processes = worker.processes()
        for process in processes:
            os.kill(process, signal.SIGSTOP)
    assert processes
    assert not any(map(psutil.pid_exists, processes))
