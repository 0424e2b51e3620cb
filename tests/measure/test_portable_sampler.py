"""The sampler for systems without /proc, tried here beside the one that reads it."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable

import pytest
from worker_processes import EVERY_LAYER, alive, family

from evaluator.measure.worker import Limits, ModelToLoad, Worker, WorkerError
from evaluator.measure.worker.connection import Ending
from evaluator.records.measurement import Fingerprint

pytestmark = pytest.mark.slow

Handler = Callable[..., ModelToLoad]
EXAMPLE = {"statement": "A film to see twice."}
#: What such a system has: no layer, no /proc.
PORTABLE = {"without": EVERY_LAYER, "portable": True}


def test_both_samplers_see_the_same(handler: Handler) -> None:
    """On one machine the two agree on a model that keeps still."""
    sizes = []
    for portable in (False, True):
        with Worker(handler("return 1"), without=EVERY_LAYER, portable=portable) as worker:
            worker.start()
            sizes.append(worker.memory().phases["loaded"].start_rss_bytes)
    assert sizes[0] == pytest.approx(sizes[1], rel=0.03)


def test_it_enforces_the_cap(handler: Handler) -> None:
    """A model over its cap is killed, and the message says so."""
    spec = handler("hoard = []\nwhile True: hoard.append(b'x' * 10_000_000)")
    with Worker(spec, Limits(memory_bytes=300_000_000), **PORTABLE) as worker:  # type: ignore[arg-type]
        worker.start()
        with pytest.raises(WorkerError, match=r"cap is 0\.30 GB") as caught:
            worker.predict(EXAMPLE)
    assert caught.value.kind == "memory"


def test_it_leaves_nothing_alive(handler: Handler) -> None:
    """Children in sessions of their own, and orphans, end with the worker."""
    body = """
        import subprocess
        subprocess.Popen(["sleep", "600"], start_new_session=True)
        subprocess.run(["sh", "-c", "setsid sleep 600 >/dev/null &"])
    """
    with Worker(handler(body), **PORTABLE) as worker:  # type: ignore[arg-type]
        worker.start()
        worker.predict(EXAMPLE)
        processes = family(worker)
        assert len(processes) == 3
    assert not any(map(alive, processes))


def test_the_end_of_a_process_is_noticed_without_descriptors_of_processes() -> None:
    """A thread that waits tells the exit code or the signal, at once and ever after."""
    for command, code in ((["sh", "-c", "exit 3"], 3), (["sh", "-c", "kill -9 $$"], -9)):
        with contextlib.closing(Ending(subprocess.Popen(command), by_thread=True)) as ending:
            assert ending.status(10) == code
            assert ending.status(0) == code
    running = subprocess.Popen(["sleep", "600"])
    ending = Ending(running, by_thread=True)
    assert ending.status(0) is None
    running.kill()
    ending.close()


def test_its_numbers_are_ranked_apart() -> None:
    """A fingerprint by the portable sampler has another key; one by the usual one has the key it always had."""
    facts = {"cpu": "c", "cores": 2, "memory_bytes": 1, "os": "o", "python": "p", "libraries": {}}
    facts |= {"threads": 1, "affinity": (0,), "reference_ns": 1}
    usual, portable = Fingerprint(**facts), Fingerprint(**facts, sampler="portable")
    assert "sampler" not in usual.plain()
    assert usual.key == "sha256:81acb90090299563728622cd67bb6257fcc4ce6d152384a938f4f9d4975cf9f9"
    assert portable.key != usual.key
