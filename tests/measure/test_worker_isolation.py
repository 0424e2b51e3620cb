"""What a model must not see, reach or hide, tried by real models behind each layer that should hold them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from worker_processes import EVERY_LAYER, alive, family, watcher_of

from evaluator.measure.isolation.probing import probe
from evaluator.measure.worker import Limits, ModelToLoad, Placement, Worker, WorkerError

LAYERS_WORK = pytest.mark.skipif(bool(probe().missing), reason=f"not all work here: {probe().missing}")
pytestmark = [pytest.mark.slow, LAYERS_WORK]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = {"statement": "A film to see twice."}
Handler = Callable[..., ModelToLoad]
Start = Callable[..., Worker]

ALL, FALLBACK = frozenset[str](), frozenset({"pid", "mount", "network", "ipc"})
#: Two ways to be kept in that should do for most attacks: all layers; and Landlock and seccomp alone.
WAYS = pytest.mark.parametrize("without", [ALL, FALLBACK], ids=["all", "fallback"])


@pytest.fixture(
    scope="module",
    params=[ALL, frozenset({"landlock"}), FALLBACK],
    ids=["all", "spaces", "fallback"],
)
def prisoner(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """A model behind all layers, namespaces alone, or Landlock and seccomp, which runs what it is asked."""
    folder = tmp_path_factory.mktemp("prisoner")
    secret = tmp_path_factory.mktemp("data") / "test.tsv"
    secret.write_text("gold\n")
    (folder / "weights").symlink_to(secret)
    (folder / "handler.py").write_text(
        "def load(directory):\n    global FOLDER\n    FOLDER = directory\n"
        "def predict(example):\n"
        "    scope = {'FOLDER': FOLDER}\n"
        "    exec('def run():\\n    ' + example['statement'].replace('\\n', '\\n    '), scope)\n"
        "    return scope['run']()\n"
    )
    spec = ModelToLoad("handler", folder, {}, "sentiment", ("negative", "positive"))
    with Worker(spec, without=request.param) as worker:
        worker.start()
        yield worker


def answer(worker: Worker, text: str = "x") -> object:
    return worker.predict({"statement": text}).output


def refused(worker: Worker, code: str) -> str:
    """The message with which the model was refused, and it goes on living."""
    with pytest.raises(WorkerError) as caught:
        worker.predict({"statement": code})
    assert not caught.value.fatal, caught.value.message
    return caught.value.message


# --- Files -------------------------------------------------------------------------------------------


def test_a_model_cannot_read_what_is_not_its_own(
    prisoner: Worker, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Data, the project, other models and processes are not there, or may not be opened, by path or by link."""
    data = tmp_path_factory.mktemp("data") / "test.tsv"
    data.write_text("gold\n")
    places = [data, ROOT / "pyproject.toml", ROOT / "evaluator" / ".." / "board.toml", "/etc/shadow"]
    places += [
        f"/proc/{os.getpid()}/{name}" for name in ("environ", "cmdline", "mem", "fd/0", "root/etc/passwd")
    ]
    for code in [
        *(f"open({str(place)!r}, 'rb').read(9)" for place in places),
        "(FOLDER / 'weights').read_text()",
    ]:
        said = refused(prisoner, code)
        assert "FileNotFoundError" in said or "PermissionError" in said


def test_a_model_cannot_write_outside_its_scratch(
    prisoner: Worker, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Its own folder, others' folders, the libraries and the system's temporary folder stay as they are."""
    other, own = tmp_path_factory.mktemp("other"), prisoner.spec.directory
    for place in (own, other, "/tmp", "/usr/lib", ROOT / "evaluator", "/dev", "/proc/sys/kernel"):
        said = refused(prisoner, f"open({str(place)!r} + '/left', 'w')")
        assert any(word in said for word in ("Read-only", "No such file", "Permission denied"))
    assert not list(other.iterdir())
    assert sorted(path.name for path in own.iterdir()) == ["handler.py", "weights"]


def test_what_honest_models_need_works(prisoner: Worker) -> None:
    """Libraries, programs, child processes, threads and temporary files work."""
    code = """
import ctypes, multiprocessing, subprocess, sys, tempfile, threading
import numpy
with tempfile.TemporaryFile() as file:
    file.write(b"x")
ours, theirs = multiprocessing.Pipe()
process = multiprocessing.get_context("fork").Process(target=theirs.send, args=["hello"])
process.start()
assert ours.recv() == "hello"
process.join()
said = subprocess.run(["sh", "-c", "echo one; ls /usr/bin | head -1"], capture_output=True, text=True)
assert said.stdout.startswith("one"), said
code = "import json, ssl; print(json.dumps(1))"
assert subprocess.check_output([sys.executable, "-c", code]) == b"1\\n"
thread = threading.Thread(target=numpy.linalg.inv, args=[numpy.eye(300)])
thread.start(); thread.join()
ctypes.CDLL(None).getpid()
open("/proc/self/status").read(); open("/proc/meminfo").read(); open("/dev/null", "w").write("x")
return float(numpy.random.default_rng(0).random())"""
    assert answer(prisoner, code) == pytest.approx(0.6369616873214543)


def test_shared_memory_works_in_a_file_system_of_its_own(started: Start) -> None:
    """Where the worker has its own files, POSIX shared memory and semaphores are among them."""
    body = """
        import multiprocessing
        from multiprocessing import shared_memory
        block = shared_memory.SharedMemory(create=True, size=1000)
        block.buf[0] = 7
        value = block.buf[0]
        block.close(); block.unlink()
        with multiprocessing.get_context("fork").Pool(2) as pool:
            return [value, *pool.map(abs, [-1, -2])]
    """
    assert answer(started(body)) == [7, 1, 2]


@WAYS
def test_a_model_loads_from_a_folder_named_with_dots(handler: Handler, without: frozenset[str]) -> None:
    """The folders that a path goes through and back are not there for the model."""
    spec = handler("return folder.is_dir()", "global folder\nfolder = directory")
    spec = replace(spec, directory=spec.directory / "beside" / "..")
    (spec.directory.parent).mkdir()
    with Worker(spec, without=without) as worker:
        worker.start()
        assert answer(worker) is True


@WAYS
def test_scratch_is_empty_at_the_start_and_gone_in_the_end(handler: Handler, without: frozenset[str]) -> None:
    """Home, temporary folder and working directory are one folder, which no other worker ever sees."""
    body = """
        import os, tempfile
        from pathlib import Path
        places = {os.getcwd(), str(Path.home()), tempfile.gettempdir()}
        before = os.listdir(".")
        Path("cache").mkdir(); Path("cache/answers").write_text("x"); os.chmod("cache", 0)
        return [sorted(places), before]
    """
    for _ in range(2):
        with Worker(handler(body), without=without) as worker:
            worker.start()
            places, before = answer(worker)  # type: ignore[misc]
        assert len(places) == 1
        assert before == []
        assert not Path(places[0]).exists()


def test_a_folder_nested_without_end_is_removed_too(handler: Handler) -> None:
    """What is left in a scratch folder on disk goes, however deep it is."""
    body = """
        import os
        for _ in range(2200):
            os.mkdir("d"); os.chdir("d")
        return os.environ["HOME"]
    """
    with Worker(handler(body), without=FALLBACK) as worker:
        worker.start()
        scratch = answer(worker)
    assert not Path(str(scratch)).parent.exists()


# --- Other processes -----------------------------------------------------------------------------------


def test_a_model_sees_and_signals_no_other_process(prisoner: Worker) -> None:
    """The parent, the sampler and what keeps the model in can neither be looked at nor stopped nor killed."""
    for pid in (os.getpid(), watcher_of(prisoner), *family(prisoner)[:-1]):
        said = refused(prisoner, f"import os, signal\nos.kill({pid}, signal.SIGSTOP)")
        assert "ProcessLookupError" in said or "PermissionError" in said
        assert ") T " not in Path(f"/proc/{pid}/stat").read_text()


@pytest.mark.parametrize(
    "call",
    [
        "os.memfd_create('hoard')",
        "check(libc.shmget(0, 4096, 0o1600))",
        "mmap.mmap(-1, 4096)",
        "check(libc.ptrace(16, os.getppid(), 0, 0))",
        "check(libc.process_vm_readv(os.getppid(), 0, 0, 0, 0, 0))",
        "check(libc.unshare(0x10000000))",
        "check(libc.mount(b'none', b'/proc', b'tmpfs', 0, 0))",
        "check(libc.syscall(425, 8, 0))",
        "check(libc.syscall(250, 0, 0))",
        "check(libc.syscall(435, 0, 0))",
        "os.sched_setaffinity(0, {0, 1, 2, 3})",
        "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
        "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))",
        "os.chroot('.')",
    ],
)
def test_calls_that_would_hide_or_reach_are_refused(prisoner: Worker, call: str) -> None:
    """Memory that nobody counts, other processes' memory, new namespaces, other CPUs: not for models."""
    code = f"""
import ctypes, mmap, os, resource
libc = ctypes.CDLL(None, use_errno=True)
def check(result):
    if result == -1: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
{call}"""
    said = refused(prisoner, code)
    assert "not permitted" in said or "not implemented" in said


def test_there_is_no_network_for_compiled_code_and_child_processes(prisoner: Worker) -> None:
    """Where no socket can be refused by name, there is none, or it leads nowhere."""
    code = """
import subprocess, sys
code = "import _socket; _socket.socket(_socket.AF_INET, KIND).connect(('192.0.2.1', 9))"
run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
return run.stderr.splitlines()[-1]"""
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        said = str(answer(prisoner, code.replace("KIND", str(int(kind)))))
        assert "unreachable" in said or "Permission denied" in said


def test_a_pinned_model_stays_pinned(handler: Handler) -> None:
    """A model does not get to the CPUs that others are measured on, its children neither."""
    body = """
        import os, subprocess, sys
        try: os.sched_setaffinity(0, range(64))
        except PermissionError: pass
        code = "import os\\ntry: os.sched_setaffinity(0, range(64))\\nexcept OSError: print(os.sched_getaffinity(0))"
        return [sorted(os.sched_getaffinity(0)), subprocess.check_output([sys.executable, "-c", code], text=True)]
    """
    cpu = max(os.sched_getaffinity(0))
    with Worker(handler(body), placement=Placement(1, (cpu,))) as worker:
        worker.start()
        assert answer(worker) == [[cpu], f"{{{cpu}}}\n"]


PARENT = """
import os, sys
from pathlib import Path
from evaluator.measure.worker import ModelToLoad, Worker, WorkerError
worker = Worker(
    ModelToLoad("handler", Path(sys.argv[1]), {}, "sentiment", ("negative", "positive")),
    without=frozenset(sys.argv[2].split()),
)
worker.start()
print(worker.pid, flush=True)
try:
    print(worker.predict({"statement": str(os.getpid())}).output)
except WorkerError as error:
    print(error.kind, error.message)
worker.close()
"""


def run_parent(folder: Path, without: frozenset[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PARENT, str(folder), " ".join(without)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
    )
    return done.stdout + done.stderr


def test_a_parent_that_was_stopped_is_woken(handler: Handler, tmp_path: Path) -> None:
    """Where nothing keeps a model from stopping its parent, it is ended for it and the run goes on."""
    handler("import os, signal, time\nos.kill(int(example['statement']), signal.SIGSTOP)\ntime.sleep(60)")
    said = run_parent(tmp_path, EVERY_LAYER).splitlines()[1]
    assert said.startswith("protocol the process that runs the model was stopped")


def test_a_parent_that_a_user_stops_stays_stopped(handler: Handler, tmp_path: Path) -> None:
    """Where the model cannot have done it, nobody fights the user."""
    # It ends by itself, whether or not the parent was stopped before it could ask.
    handler(
        "time.sleep(60)",
        load="global time\nimport os, threading, time\nthreading.Timer(2, os._exit, [3]).start()",
    )
    command = [sys.executable, "-c", PARENT, str(tmp_path), ""]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:
        try:
            assert parent.stdout is not None
            launcher = int(parent.stdout.readline())
            parent.send_signal(signal.SIGSTOP)
            state = Path(f"/proc/{parent.pid}/stat")
            while ") T " not in state.read_text():
                pass
            # Meanwhile the sampler looks tens of times.
            while alive(launcher):
                pass
            assert ") T " in state.read_text()
            parent.send_signal(signal.SIGCONT)
            assert parent.communicate()[0].startswith("exited the model's process exited with code 3")
        finally:
            # A stopped process never ends by itself, and nobody would learn what went wrong.
            parent.kill()


# --- Memory --------------------------------------------------------------------------------------------

HOARDS = {
    "file": "open('hoard', 'wb').write(b'x' * 100_000_000)",
    "deleted file": "keep.append(open('h', 'wb')); os.unlink('h'); keep[0].write(b'x' * 100_000_000)",
    "many small files": "[open(f'h{n}', 'wb').write(b'x' * 1_000_000) for n in range(100)]",
}


@WAYS
def test_memory_in_files_is_memory(handler: Handler, without: frozenset[str]) -> None:
    """What a model keeps in files counts as its memory, files that it deleted and holds open too."""
    body = f"import os\nexec({HOARDS!r}[example['statement']], {{'keep': keep, 'os': os}})\nreturn 1"
    with Worker(handler(body, load="global keep\nkeep = []"), without=without) as worker:
        worker.start()
        before = worker.memory().phases["loaded"].start_rss_bytes
        for hoard in HOARDS:
            worker.predict({"statement": hoard})
            worker.phase(hoard)
            use = worker.memory()
            assert use.phases[hoard].start_rss_bytes - before > 95_000_000
            before = use.phases[hoard].start_rss_bytes
        assert use.peak_bytes > 295_000_000


@pytest.mark.parametrize("without", [ALL, FALLBACK], ids=["all", "fallback"])
def test_the_cap_holds_for_files_too(started: Start, without: frozenset[str]) -> None:
    """A model cannot pass its cap by way of its scratch folder."""
    body = """
        import time
        with open("hoard", "wb") as file:
            for _ in range(30):
                file.write(b"x" * 10_000_000)
        time.sleep(30)
    """
    worker = started(body, without=without, memory_bytes=200_000_000)
    with pytest.raises(WorkerError) as caught:
        worker.predict(EXAMPLE)
    # With a file system of its own the file does not even fit.
    assert caught.value.kind == "memory" or "No space left" in caught.value.message


def test_anonymous_files_count_where_they_are_not_refused(handler: Handler) -> None:
    """Without seccomp a file in memory is found among the open ones."""
    body = "import os\nkeep.append(os.memfd_create('x'))\nos.write(keep[0], b'x' * 150_000_000)\nreturn 1"
    with Worker(handler(body, load="global keep\nkeep = []"), without=EVERY_LAYER) as worker:
        worker.start()
        worker.predict(EXAMPLE)
        worker.phase("steady")
        use = worker.memory()
    assert use.phases["steady"].start_rss_bytes - use.phases["loaded"].start_rss_bytes > 145_000_000


LEAVES = """
    import os, time
    reads, writes = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, writes)
            hoard = b"x" * 150_000_000
            os.write(writes, b".")
            time.sleep(600)
        os._exit(0)
    os.wait()
    os.read(reads, 1)
    return 1
"""


@WAYS
def test_a_process_that_left_the_tree_counts(handler: Handler, without: frozenset[str]) -> None:
    """A daemon without a parent, in a session of its own, is still the model's memory, and dies with it."""
    with Worker(handler(LEAVES), Limits(request_s=60), without=without) as worker:
        worker.start()
        worker.predict(EXAMPLE)
        worker.phase("steady")
        use = worker.memory()
        daemons = family(worker)
    assert use.phases["steady"].start_rss_bytes - use.phases["loaded"].start_rss_bytes > 145_000_000
    assert not any(map(alive, daemons))


def test_what_keeps_the_namespace_is_not_the_models_memory(handler: Handler) -> None:
    """A model that does nothing is as large behind all layers as behind none."""
    sizes = []
    for without in (ALL, EVERY_LAYER):
        with Worker(handler("return 1"), without=without) as worker:
            worker.start()
            sizes.append(worker.memory().phases["loaded"].start_rss_bytes)
    assert sizes[0] == pytest.approx(sizes[1], rel=0.03)


# --- Where layers do not work ----------------------------------------------------------------------------

LIKE_A_CONTAINER = """
import sys
from pathlib import Path
from evaluator.measure.isolation.namespaces import drop_rights
from evaluator.measure.isolation.probing import probe
from evaluator.measure.isolation.restrictions import refuse_calls, restrict_files
{before}
found = probe()
{after}
from evaluator.measure.worker import ModelToLoad, Worker, WorkerError
with Worker(ModelToLoad("handler", Path(sys.argv[1]), {{}}, "sentiment", ("negative", "positive"))) as worker:
    try:
        loaded = worker.start()
        print(*loaded.isolation.layers, worker.predict({{"statement": "x"}}).output)
        print(*loaded.isolation.missing.values(), sep="\\n")
    except WorkerError as error:
        print(error.kind, error.message)
"""


def in_a_container(folder: Path, before: str = "", after: str = "") -> list[str]:
    code = LIKE_A_CONTAINER.format(before=before, after=after)
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, cwd=ROOT, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_container_that_forbids_namespaces_is_enough(handler: Handler, tmp_path: Path) -> None:
    """Where the calls are refused, the model runs behind what is left, which says what was missing."""
    handler("import os\nreturn os.getuid()")
    first, *missing = in_a_container(tmp_path, before="refuse_calls(network=True)")
    assert first == f"landlock seccomp {os.getuid()}"
    assert all("not permitted" in why and "docker run" in why for why in missing)


def test_a_host_where_uid_map_may_not_be_written_is_enough(handler: Handler, tmp_path: Path) -> None:
    """A user namespace that cannot be made one's own is given up before it costs the worker anything."""
    handler("import os\nreturn os.getuid()")
    # Rules for files may be handed down once more, and forbid both the map and mounting.
    rules = "drop_rights(); restrict_files(['/'], ['/tmp', '/dev'])"
    first, *missing = in_a_container(tmp_path, before=rules)
    assert "landlock" in first
    assert "seccomp" in first
    assert "pid" not in first.split()
    assert missing


def test_a_layer_that_fails_after_all_is_a_clear_error(handler: Handler, tmp_path: Path) -> None:
    """A worker does not start with less than was found to work, and says what failed."""
    handler("return 1")
    said = in_a_container(tmp_path, after="refuse_calls(network=True)")
    assert said[0].startswith("isolation isolation worked when it was tried")
    assert "namespaces: unshare: Operation not permitted" in said[0]
