"""What a worker is given, how it lives, and that it never outlives its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from worker_processes import EVERY_LAYER, alive, running, soon, watcher_of

from evaluator.measure.isolation.probing import probe
from evaluator.measure.worker import Limits, ModelToLoad, Placement, Worker, WorkerError
from evaluator.measure.worker.spawn import environment

ROOT = Path(__file__).resolve().parents[2]
NULL = ModelToLoad("null", Path("/nowhere"), {}, "sentiment", ("negative", "positive"))
EXAMPLE = {"statement": "A film to see twice."}
GOLD = "gold-label-that-no-worker-may-see"
Handler = Callable[..., ModelToLoad]


def gone(pid: int) -> bool:
    return soon(lambda: not alive(pid))


def test_the_null_model_answers_with_the_first_label() -> None:
    """The null model needs no directory and looks at nothing."""
    with Worker(NULL) as worker:
        loaded = worker.start()
        assert worker.predict(EXAMPLE).output == {"label": "negative"}
    assert loaded.spawn_ns > 0
    assert loaded.load_ns > 0
    assert not loaded.batches


def test_the_sandbox_is_on_record() -> None:
    """A loaded worker says which limits hold, and what keeps the model in or why it does not."""
    with Worker(NULL, Limits(memory_bytes=2_000_000_000, total_s=60)) as worker:
        loaded = worker.start()
    sandbox, isolation = loaded.sandbox, loaded.isolation
    assert {*isolation.layers, *isolation.missing} == EVERY_LAYER
    assert (isolation.landlock_abi is None) == ("landlock" in isolation.missing)
    assert sandbox["memory"] == "2000000000 bytes, sampled every 25 ms"
    assert sandbox["limits"] == "300 s to load, 30 s a request, 60 s in all"


def test_gold_labels_never_reach_the_worker(handler: Handler) -> None:
    """A model that searches the whole memory of its process finds its input and no gold label."""
    # The brackets keep the patterns from finding themselves.
    body = """
        import re
        gold, given = re.compile(rb"gold[-]label[-]that"), re.compile(rb"input[-]it[-]may[-]see")
        found = [0, 0]
        for line in open("/proc/self/maps").readlines():
            span, mode = line.split()[:2]
            start, end = (int(edge, 16) for edge in span.split("-"))
            if "r" not in mode or "[v" in line: continue
            with open("/proc/self/mem", "rb") as memory:
                memory.seek(start)
                try: block = memory.read(end - start)
                except OSError: continue
            found = [found[0] + len(gold.findall(block)), found[1] + len(given.findall(block))]
        return [sorted(example), *found]
    """
    with Worker(handler(body)) as worker:
        worker.start()
        example = {"id": GOLD, "statement": "input-it-may-see", "label": GOLD, "gold": GOLD}
        fields, gold, given = worker.predict(example).output
    assert fields == ["statement"]
    assert gold == 0
    assert given > 0


def test_thread_counts_and_offline_switches_are_set_before_imports(handler: Handler) -> None:
    """A handler sees the thread limits and offline switches while it is imported."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    switches = ("TOKENIZERS_PARALLELISM", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "PYTHONHASHSEED")
    body = f"import os\nreturn [os.environ[name] for name in {names + switches!r}]"
    with Worker(handler(body), placement=Placement(threads=3)) as worker:
        worker.start()
        assert worker.predict(EXAMPLE).output == ["3"] * 4 + ["false", "1", "1", "0"]


def test_torch_keeps_to_the_thread_count(handler: Handler) -> None:
    """The environment alone holds torch to the asked number of threads."""
    pytest.importorskip("torch")
    body = "import torch\nreturn torch.get_num_threads()"
    with Worker(handler(body), placement=Placement(threads=1)) as worker:
        worker.start()
        assert worker.predict(EXAMPLE).output == 1


def test_the_worker_is_pinned(handler: Handler) -> None:
    """Affinity is set in the worker and leaves the parent where it was."""
    before = os.sched_getaffinity(0)
    cpu = max(before)
    with Worker(
        handler("import os\nreturn list(os.sched_getaffinity(0))"), placement=Placement(1, (cpu,))
    ) as worker:
        worker.start()
        assert worker.predict(EXAMPLE).output == [cpu]
    assert os.sched_getaffinity(0) == before


def test_secrets_are_not_inherited() -> None:
    """Variables named like secrets are left out of the worker's environment; the rest is kept."""
    given = {"HF_TOKEN": "a", "AWS_SECRET_ACCESS_KEY": "b", "OPENAI_API_KEY": "c", "LANG": "C"}
    kept = environment(given, Placement(), "/scratch")
    assert kept["LANG"] == "C"
    assert not {"HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY"} & kept.keys()


def test_what_leads_home_is_not_inherited() -> None:
    """Home, temporary files and caches are those of the worker, whatever its parent has."""
    names = ("HOME", "TMPDIR", "TEMP", "TMP", "PWD")
    caches = ("XDG_CACHE_HOME", "HF_HOME", "TORCHINDUCTOR_CACHE_DIR", "TRANSFORMERS_CACHE", "MPLCONFIGDIR")
    found = environment(dict.fromkeys([*names, *caches], "/home/x"), Placement(), "/scratch")
    assert {found[name] for name in names} == {"/scratch"}
    assert not found.keys() & set(caches)


def test_nothing_is_written_beside_the_handler(handler: Handler, tmp_path: Path) -> None:
    """Running a model leaves its directory as it was, so that its hash stays."""
    (tmp_path / "neighbour.py").write_text("ANSWER = 1\n")
    with Worker(handler("import neighbour\nreturn neighbour.ANSWER")) as worker:
        worker.start()
        assert worker.predict(EXAMPLE).output == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["handler.py", "neighbour.py"]


def test_a_worker_that_was_not_started_says_so() -> None:
    """A request before the start is an error that names the fix."""
    with Worker(NULL) as worker, pytest.raises(WorkerError, match="call start first"):
        worker.predict(EXAMPLE)


def test_memory_is_recorded_by_phase(handler: Handler) -> None:
    """Memory taken in a phase shows in that phase, in the peak, and not before."""
    spec = handler("keep.append(b'x' * 100_000_000)\nreturn 1", load="global keep\nkeep = []")
    with Worker(spec) as worker:
        worker.start()
        worker.predict(EXAMPLE)
        worker.phase("steady")
        time.sleep(0.2)
        use = worker.memory()
    assert use.phases["steady"].mean_rss_bytes - use.phases["loaded"].start_rss_bytes > 95_000_000
    assert use.phases["steady"].ticks > 2
    assert use.peak_bytes >= use.phases["steady"].mean_rss_bytes


def test_memory_counts_children(handler: Handler) -> None:
    """The memory of a process the model started is the model's."""
    body = """
        import subprocess, sys
        code = "x = b'x' * 100_000_000; print(1, flush=True); input()"
        global child
        child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return child.stdout.readline().decode()
    """
    with Worker(handler(body)) as worker:
        worker.start()
        worker.predict(EXAMPLE)
        worker.phase("steady")
        use = worker.memory()
    grown = use.phases["steady"].start_rss_bytes - use.phases["loaded"].start_rss_bytes
    assert grown > 95_000_000


def test_pages_that_processes_share_count_once_for_the_cap(handler: Handler) -> None:
    """A model that forks is not killed for memory it does not use."""
    body = """
        import os, time
        global held
        held = b"x" * 150_000_000
        child = os.fork()
        if child == 0:
            time.sleep(60)
        time.sleep(0.3)
        return "alive"
    """
    with Worker(handler(body), Limits(memory_bytes=250_000_000)) as worker:
        worker.start()
        assert worker.predict(EXAMPLE).output == "alive"
        assert worker.memory().peak_bytes > 250_000_000


def test_ticks_that_the_sampler_misses_are_counted() -> None:
    """A sampler that was held up says how many samples it could not take."""
    with Worker(NULL) as worker:
        worker.start()
        watcher = watcher_of(worker)
        os.kill(watcher, signal.SIGSTOP)
        time.sleep(0.5)
        os.kill(watcher, signal.SIGCONT)
        time.sleep(0.1)
        assert worker.memory().phases["loaded"].missed_ticks >= 15


PARENT = """
import sys, time
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
    assert gone(worker)
    assert gone(child)


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
