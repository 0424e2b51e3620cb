"""How a worker ends: limits, crashes, signals, a broken connection; and that nothing outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from worker_processes import EVERY_LAYER, alive, family, on_host, running, soon, watcher_of

from evaluator.measure.isolation.probing import probe
from evaluator.measure.worker import Limits, ModelToLoad, Worker, WorkerError

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = {"statement": "A film to see twice."}
Start = Callable[..., Worker]
Handler = Callable[..., ModelToLoad]


def failure(worker: Worker, text: str = "A film to see twice.") -> WorkerError:
    with pytest.raises(WorkerError) as caught:
        worker.predict({"statement": text})
    assert caught.value.fatal
    return caught.value


@pytest.mark.parametrize(
    ("body", "limits", "kind", "said"),
    [
        ("while True: pass", {"request_s": 0.3}, "timeout", "request_s"),
        # The interpreter is held, whatever the size of the question.
        ("import re\nre.match('(a+)+$', 'a' * 60 + 'b')", {"request_s": 0.3}, "timeout", "request_s"),
        ("x = []\nwhile True: x.append(b'x' * 10_000_000)", {"memory_bytes": 3e8}, "memory", "cap is 0.30 GB"),
        (
            "import subprocess, sys, time\nfor _ in range(2):\n"
            "    subprocess.Popen([sys.executable, '-c', 'import time; x = b\"x\" * 120_000_000; time.sleep(60)'])\n"
            "time.sleep(60)", {"memory_bytes": 2e8}, "memory", "cap is 0.20 GB",
        ),
        ("import sys\nsys.exit(3)", {}, "exited", "exited with code 3"),
        ("import ctypes\nctypes.string_at(0)", {}, "exited", "SIGSEGV"),
        ("import os, time\nif os.fork() == 0: time.sleep(60)\nos._exit(5)", {}, "exited", "exited with code 5"),
        ("import os, time\nos.closerange(3, 100)\ntime.sleep(60)", {}, "protocol", "descriptors"),
        (
            "import os\nfor fd in range(3, 40):\n    try: os.write(fd, b'garbage!' * 10)\n    except OSError: pass",
            {}, "protocol", "descriptors",
        ),
        (
            # A reply of the right form, before there is a question.
            "import os, struct\nreply = b'{\"id\":\"open\",\"ok\":{}}'\nfor fd in range(3, 40):\n"
            "    try: os.write(fd, struct.pack('>I', len(reply)) + reply)\n    except OSError: pass",
            {}, "protocol", "a reply to no request",
        ),
    ],
)  # fmt: skip
def test_a_model_that_cannot_go_on_is_ended_and_says_why(
    started: Start, body: str, limits: dict[str, float], kind: str, said: str
) -> None:
    """The message names the limit, the exit code or the signal; every request after that raises the same error."""
    worker = started(body, **{name: int(v) if name == "memory_bytes" else v for name, v in limits.items()})
    pid = worker.pid
    error = failure(worker)
    assert error.kind == kind
    assert said in error.message
    assert failure(worker) is error
    assert soon(lambda: not alive(pid))


def test_loading_and_all_requests_together_have_limits(started: Start) -> None:
    """load_s and total_s end a model whose every single request is quick enough."""
    with pytest.raises(WorkerError, match="load_s") as caught:
        started("pass", load="import time\ntime.sleep(60)", load_s=0.5)
    assert caught.value.kind == "timeout"
    # Long enough for a start where other programs have the processors.
    worker = started("import time\ntime.sleep(0.05)", total_s=4)
    with pytest.raises(WorkerError, match="total_s") as caught:
        [worker.predict(EXAMPLE) for _ in range(100)]
    assert caught.value.kind == "timeout"


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_a_signal_that_others_send_proves_nothing(started: Start, name: str) -> None:
    """An end by a signal that people and systems end processes with is a kind of its own."""
    worker = started("import time\ntime.sleep(60)")
    threading.Timer(0.2, os.kill, (family(worker)[-1], getattr(signal, name))).start()
    error = failure(worker)
    assert error.kind == "killed"
    assert f"was ended by {name}" in error.message


def test_an_exit_shows_what_was_printed_last(started: Start) -> None:
    """The end of what the model printed comes with the error."""
    error = failure(started("import os\nos.write(2, b'out of cheese\\n')\nos._exit(1)"))
    assert error.detail.endswith("out of cheese")


def test_a_model_that_forks_answers_once(started: Start) -> None:
    """Only the first process answers when predict returns in two."""
    worker = started("import os\nos.fork()\nreturn os.getpid()")
    first = worker.predict(EXAMPLE).output
    assert [worker.predict(EXAMPLE).output for _ in range(2)] == [first] * 2


def test_all_that_a_model_started_dies_with_its_worker(started: Start) -> None:
    """Children in sessions of their own and orphans, whether the worker is closed or the model crashes."""
    body = """
        import os, subprocess
        if example["statement"] == "exit": os._exit(1)
        children = [subprocess.Popen(["sleep", "60"], start_new_session=new).pid for new in (False, True)]
        orphan = subprocess.check_output(["sh", "-c", "setsid sleep 60 >/dev/null & echo $!"])
        return [*children, int(orphan)]
    """
    for crash in (False, True):
        worker = started(body)
        left = [on_host(worker, one) for one in worker.predict(EXAMPLE).output]
        assert all(map(alive, left))
        if crash:
            assert failure(worker, "exit").kind == "exited"
        else:
            worker.close()
        assert soon(lambda left=left: not any(map(alive, left)))  # type: ignore[misc]


def test_a_model_that_kills_its_watcher_is_ended(started: Start) -> None:
    """Where nothing keeps it from killing the process that enforces its limits, a model does not run on."""
    body = """
        import os, subprocess, time
        subprocess.Popen(["sleep", "60"])
        for name in filter(str.isdigit, os.listdir("/proc")):
            try: words = open(f"/proc/{name}/cmdline").read().split("\\0")
            except OSError: continue
            if any(word.endswith("sampler.py") for word in words) and str(os.getpid()) in words:
                os.kill(int(name), 9)
        time.sleep(60)
    """
    worker = started(body, without=EVERY_LAYER)
    pid = worker.pid
    error = failure(worker)
    assert error.kind == "protocol"
    assert "samples the model's memory" in error.message
    assert not alive(pid)


def test_no_descriptor_and_no_process_is_left_behind(handler: Handler) -> None:
    """Failures cost nothing that stays."""

    def left() -> tuple[list[str], list[str]]:
        tasks = Path("/proc/self/task").iterdir()
        children = sorted(child for task in tasks for child in (task / "children").read_text().split())
        return sorted(os.listdir("/proc/self/fd")), children

    before, spec = left(), handler("import os\nos._exit(1)")
    for _ in range(3):
        with Worker(spec) as worker:
            worker.start()
            failure(worker)
    assert left() == before


@pytest.mark.parametrize("portable", [False, True])
def test_memory_is_recorded_by_phase_with_that_of_children(handler: Handler, portable: bool) -> None:
    """Memory taken in a phase shows in that phase, in the peak, and not before; by either sampler."""
    body = """
        import subprocess, sys
        code = "x = b'x' * 100_000_000; print(1, flush=True); input()"
        keep.append(subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        keep.append(b'x' * 50_000_000)
        return keep[0].stdout.readline().decode()
    """
    with Worker(handler(body, load="global keep\nkeep = []"), portable=portable) as worker:
        worker.start()
        worker.predict(EXAMPLE)
        worker.phase("steady")
        time.sleep(0.2)
        use = worker.memory()
    assert use.phases["steady"].mean_rss_bytes - use.phases["loaded"].start_rss_bytes > 145_000_000
    assert use.phases["steady"].ticks > 2
    assert use.peak_bytes >= use.phases["steady"].mean_rss_bytes
    assert (use.phases["steady"].mean_pss_bytes is None) is portable


def test_pages_that_processes_share_count_once_for_the_cap(handler: Handler) -> None:
    """A model that forks is not killed for memory it does not use."""
    body = """
        import os, time
        global held
        held = b"x" * 150_000_000
        if os.fork() == 0:
            time.sleep(60)
        time.sleep(0.3)
        return "alive"
    """
    with Worker(handler(body), Limits(memory_bytes=250_000_000)) as worker:
        worker.start()
        assert worker.predict(EXAMPLE).output == "alive"
        assert worker.memory().peak_bytes > 250_000_000


def test_ticks_that_the_sampler_misses_are_counted(started: Start) -> None:
    """A sampler that was held up says how many samples it could not take."""
    worker = started("return 1")
    watcher = watcher_of(worker)
    os.kill(watcher, signal.SIGSTOP)
    time.sleep(0.5)
    os.kill(watcher, signal.SIGCONT)
    time.sleep(0.1)
    assert worker.memory().phases["loaded"].missed_ticks >= 15


PARENT = """
import sys
from pathlib import Path
from evaluator.measure.worker import ModelToLoad, Worker
worker = Worker(ModelToLoad("handler", Path(sys.argv[1]), {}, "sentiment", ("negative", "positive")))
worker.start()
print(worker.pid, worker.predict({"statement": sys.argv[2]}).output, flush=True)
worker.predict({"statement": "hang"})
"""


def test_everything_dies_with_a_killed_parent(handler: Handler, tmp_path: Path) -> None:
    """When the parent is killed outright, a hanging worker and its detached child end too."""
    seconds = str(100_000 + os.getpid())
    handler("""
        import subprocess, time
        if example["statement"] == "hang": time.sleep(600)
        subprocess.Popen(["sleep", example["statement"]], start_new_session=True)
    """)
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path), seconds], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert parent.stdout is not None
    worker = int(parent.stdout.readline().split()[0])
    child = running(lambda words: words[:2] == ["sleep", seconds], f"nothing sleeps for {seconds} seconds")
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    assert soon(lambda: not alive(worker) and not alive(child))


UNPRIVILEGED = """
import ctypes, sys
PR_CAPBSET_DROP, CAP_SYS_ADMIN = 24, 21
ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN)
from pathlib import Path
from evaluator.measure.worker import ModelToLoad, Worker
with Worker(ModelToLoad("handler", Path(sys.argv[1]), {}, "sentiment", ("negative", "positive"))) as worker:
    print({*worker.start().isolation.layers} == set(sys.argv[2].split()), worker.predict({"statement": "x"}).output)
"""


def test_a_worker_without_privileges_is_confined_too(handler: Handler, tmp_path: Path) -> None:
    """Without the rights of root a worker is kept in by what still works, and stays who it was."""
    handler("import os\nreturn os.getuid()")
    layers = " ".join(probe().names)
    run = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, str(tmp_path), layers], capture_output=True, text=True, cwd=ROOT
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == f"True {os.getuid()}"
