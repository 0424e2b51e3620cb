"""Everything a model can do wrong, done by a real model in a real process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from worker_processes import EVERY_LAYER, alive, family, on_host, soon

from evaluator.measure.worker import ModelToLoad, Worker, WorkerError

EXAMPLE = {"statement": "A film to see twice."}
Start = Callable[..., Worker]


def failure(worker: Worker, text: str = "A film to see twice.") -> WorkerError:
    with pytest.raises(WorkerError) as caught:
        worker.predict({"statement": text})
    return caught.value


def load_failure(spec: ModelToLoad) -> WorkerError:
    with Worker(spec) as worker, pytest.raises(WorkerError) as caught:
        worker.start()
    return caught.value


def test_an_answer_comes_back_as_it_was_given(started: Start) -> None:
    """A handler's answer reaches the parent unchanged, with the time it took."""
    reply = started("return {'label': 'positive', 'confidence': 0.75, 'why': 'né ✓'}").predict(EXAMPLE)
    assert reply.output == {"label": "positive", "confidence": 0.75, "why": "né ✓"}
    assert reply.elapsed_ns > 0


def test_raising_is_reported_and_survived(started: Start) -> None:
    """An exception names its type and message, and the next request is answered."""
    worker = started(
        "if 'bad' in example['statement']: raise KeyError('no such word')\nreturn {'label': 'positive'}"
    )
    error = failure(worker, "bad")
    assert (error.kind, error.fatal) == ("raised", False)
    assert "KeyError: 'no such word'" in error.message
    assert "Traceback" in error.detail
    assert error.elapsed_ns is not None
    assert worker.predict(EXAMPLE).output == {"label": "positive"}


def test_an_exception_that_cannot_be_printed_is_reported(started: Start) -> None:
    """An exception whose str() raises is still one failure of one request."""
    error = failure(started("class E(Exception):\n    def __str__(self): raise ValueError\nraise E"))
    assert (error.kind, error.fatal) == ("raised", False)


def test_a_hang_is_ended_by_the_time_limit(started: Start) -> None:
    """A model that never answers is killed at request_s, and the message says which limit to raise."""
    worker = started("while True: pass", request_s=0.3)
    pid = worker.pid
    error = failure(worker)
    assert (error.kind, error.fatal) == ("timeout", True)
    assert "request_s" in error.message
    assert not alive(pid)


def test_a_hang_with_the_interpreter_held_is_ended(started: Start) -> None:
    """A model that never lets go of the interpreter is killed too, whatever the size of the question."""
    worker = started("import re\nre.match('(a+)+$', 'a' * 60 + 'b')", request_s=0.3)
    assert failure(worker, "x" * 5_000_000).kind == "timeout"


def test_the_total_limit_spans_requests(started: Start) -> None:
    """total_s ends a worker whose every single request is quick enough."""
    # Long enough for a start where other programs have the processors.
    worker = started("import time\ntime.sleep(0.05)", total_s=4)
    errors = []
    for _ in range(100):
        try:
            worker.predict(EXAMPLE)
        except WorkerError as error:
            errors.append(error)
            break
    assert [error.kind for error in errors] == ["timeout"]
    assert "total_s" in errors[0].message


def test_a_slow_load_is_ended_by_its_own_limit(handler: Callable[..., ModelToLoad], started: Start) -> None:
    """A model that takes longer than load_s to load is a timeout that names load_s."""
    with pytest.raises(WorkerError, match="load_s") as caught:
        started("pass", load="import time\ntime.sleep(60)", load_s=0.5)
    assert caught.value.kind == "timeout"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("import sys\nsys.exit(3)", "exited with code 3"),
        ("import os\nos._exit(4)", "exited with code 4"),
        ("import ctypes\nctypes.string_at(0)", "SIGSEGV"),
        ("import os\nos.abort()", "SIGABRT"),
        ("import os\nos.kill(os.getpid(), 40)", "signal 40"),
        ("import os, time\nif os.fork() == 0: time.sleep(60)\nos._exit(5)", "exited with code 5"),
    ],
)
def test_an_exit_says_how_the_process_ended(started: Start, body: str, said: str) -> None:
    """Exits and crashes are fatal and name the exit code or the signal."""
    error = failure(started(body))
    assert (error.kind, error.fatal) == ("exited", True)
    assert said in error.message


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_that_others_send_proves_nothing(
    started: Start, name: str, request: pytest.FixtureRequest
) -> None:
    """An end by a signal that people and systems end processes with is a kind of its own."""
    # Children ignore what this process ignores, such as SIGHUP under nohup.
    before = signal.getsignal(getattr(signal, name))
    if before is signal.SIG_IGN:
        signal.signal(getattr(signal, name), signal.SIG_DFL)
        request.addfinalizer(lambda: signal.signal(getattr(signal, name), before))
    worker = started("import time\ntime.sleep(60)")
    model = family(worker)[-1]
    threading.Timer(0.2, os.kill, (model, getattr(signal, name))).start()
    error = failure(worker)
    assert (error.kind, error.fatal) == ("killed", True)
    assert f"was ended by {name}" in error.message


def test_an_exit_shows_what_was_printed_last(started: Start) -> None:
    """The end of what the model printed comes with the error."""
    error = failure(started("import os\nos.write(2, b'out of cheese\\n')\nos._exit(1)"))
    assert error.detail.endswith("out of cheese")


def test_a_fatal_error_stays(started: Start) -> None:
    """Every request after a fatal error raises that error again."""
    worker = started("import os\nos._exit(1)")
    assert failure(worker) is failure(worker)


def test_memory_without_end_is_ended_at_the_cap(started: Start) -> None:
    """A model that allocates for ever is killed at memory_bytes, and the message says both numbers."""
    body = "hoard = []\nwhile True: hoard.append(b'x' * 10_000_000)"
    error = failure(started(body, memory_bytes=300_000_000))
    assert (error.kind, error.fatal) == ("memory", True)
    assert "cap is 0.30 GB" in error.message


def test_memory_of_children_counts(started: Start) -> None:
    """The cap holds for the model and its children together."""
    body = """
        import subprocess, sys, time
        for _ in range(2):
            subprocess.Popen([sys.executable, "-c", "import time; x = b'x' * 120_000_000; time.sleep(60)"])
        time.sleep(60)
    """
    assert failure(started(body, memory_bytes=200_000_000)).kind == "memory"


def test_printing_does_no_harm(started: Start) -> None:
    """A model may print megabytes of garbage to both streams and still answers."""
    body = """
        import os, sys
        for _ in range(100):
            os.write(1, os.urandom(65536)); os.write(2, b"{}" * 4096)
        print("\\x00\\x00\\x00\\x02{}", flush=True); sys.stderr.write("noise")
        return "fine"
    """
    worker = started(body)
    assert [worker.predict(EXAMPLE).output for _ in range(3)] == ["fine"] * 3


def test_writing_to_every_descriptor_is_a_clear_error(started: Start) -> None:
    """Garbage on the worker's own connection ends that worker with a message about descriptors."""
    body = """
        import os
        for fd in range(3, 40):
            try: os.write(fd, b"garbage!" * 10)
            except OSError: pass
    """
    error = failure(started(body))
    assert (error.kind, error.fatal) == ("protocol", True)
    assert "descriptors" in error.message


def test_replies_cannot_be_written_before_the_questions(started: Start) -> None:
    """A well-formed reply that answers no request is refused."""
    body = """
        import os, struct
        reply = b'{"id":"open","ok":{"label":"positive"}}'
        for fd in range(3, 40):
            try: os.write(fd, struct.pack(">I", len(reply)) + reply)
            except OSError: pass
    """
    assert failure(started(body)).kind == "protocol"


def test_closing_every_descriptor_is_a_clear_error(started: Start) -> None:
    """A model that closes the worker's connection and runs on is ended."""
    worker = started("import os, time\nos.closerange(3, 100)\ntime.sleep(60)")
    assert failure(worker).kind == "protocol"


def test_a_model_that_forks_answers_once(started: Start) -> None:
    """Only the first process answers when predict returns in two."""
    worker = started("import os\nos.fork()\nreturn os.getpid()")
    first = worker.predict(EXAMPLE).output
    assert [worker.predict(EXAMPLE).output for _ in range(2)] == [first] * 2


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ("return float('nan')", "not-a-number", "the answer is nan"),
        ("return {'p': [0.5, float('inf')]}", "not-a-number", "the answer['p'][1] is inf"),
        ("return {1, 2}", "not-json", "the answer is a set"),
        ("return {'label': object()}", "not-json", "the answer['label'] is a object"),
        ("import numpy\nreturn {'p': numpy.float32(1)}", "not-json", "the answer['p'] is a numpy.float32"),
        ("return {b'label': 1}", "not-json", "a key of the answer is a bytes"),
        ("return '\\ud800'", "not-json", "surrogates not allowed"),
        ("x = []\nx.append(x)\nreturn x", "not-json", "Circular reference"),
        ("x = []\nfor _ in range(100_000): x = [x]\nreturn x", "not-json", "nested too deeply"),
        ("return 'x' * 1_000_000", "too-large", "1,000,002 bytes"),
    ],
)
def test_a_bad_answer_is_named_and_survived(started: Start, body: str, kind: str, said: str) -> None:
    """An answer that is no JSON data, no number or too large is one failed request that says where."""
    worker = started(body)
    for _ in range(2):
        error = failure(worker)
        assert (error.kind, error.fatal) == (kind, False)
        assert said in error.message


def test_nothing_is_an_answer(started: Start) -> None:
    """None passes through: whether it is a valid answer is the task's business."""
    assert started("return None").predict(EXAMPLE).output is None


def test_a_batch_is_answered_in_order(handler: Callable[..., ModelToLoad], tmp_path: Path) -> None:
    """predict_batch gives one answer an example, in order."""
    spec = handler("return example['statement']")
    with (tmp_path / "handler.py").open("a") as file:
        file.write("\ndef predict_batch(examples): return [predict(e) for e in examples]\n")
    with Worker(spec) as worker:
        assert worker.start().batches
        assert worker.predict_batch([{"statement": "a"}, {"statement": "b"}]) == ["a", "b"]


def test_a_batch_of_the_wrong_length_is_refused(handler: Callable[..., ModelToLoad], tmp_path: Path) -> None:
    """predict_batch that drops an example is one failed request with both counts."""
    spec = handler("return 1")
    with (tmp_path / "handler.py").open("a") as file:
        file.write("\ndef predict_batch(examples): return [1]\n")
    with Worker(spec) as worker:
        worker.start()
        with pytest.raises(WorkerError, match="1 answers for 2 examples") as caught:
            worker.predict_batch([EXAMPLE, EXAMPLE])
    assert (caught.value.kind, caught.value.fatal) == ("bad-batch", False)


def test_a_failed_load_is_fatal(handler: Callable[..., ModelToLoad]) -> None:
    """An exception in load says so, with its traceback."""
    error = load_failure(handler("pass", load="raise OSError('weights.bin is truncated')"))
    assert (error.kind, error.fatal) == ("load-failed", True)
    assert "weights.bin is truncated" in error.message
    assert "Traceback" in error.detail


def test_a_missing_package_names_what_to_install(handler: Callable[..., ModelToLoad]) -> None:
    """An import of something that is not installed says what to run."""
    error = load_failure(handler("pass", load="import no_such_package_at_all.part"))
    assert (error.kind, error.fatal) == ("missing-package", True)
    assert "pip install no_such_package_at_all" in error.message


def test_an_exit_while_loading_is_fatal(handler: Callable[..., ModelToLoad]) -> None:
    """sys.exit in load is an exit, not a load that never ends."""
    error = load_failure(handler("pass", load="import sys\nsys.exit(7)"))
    assert error.kind == "exited"
    assert "code 7 while loading" in error.message


@pytest.mark.parametrize(
    "body",
    [
        "import socket\nsocket.create_connection(('192.0.2.1', 80), 1)",
        "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 80))",
        "import urllib.request\nurllib.request.urlopen('http://192.0.2.1:80/')",
        "import socket\nsocket.socket().bind(('127.0.0.1', 80))",
    ],
)
def test_the_network_is_refused_by_name(started: Start, body: str) -> None:
    """A connection from Python is refused, and the message names host and port."""
    error = failure(started(body))
    assert (error.kind, error.fatal) == ("network", False)
    assert ":80)" in error.message


def test_looking_up_a_name_is_refused(started: Start) -> None:
    """Even asking for an address is use of the network."""
    error = failure(started("import socket\nsocket.getaddrinfo('example.org', 443)"))
    assert error.kind == "network"
    assert "example.org:443" in error.message


def test_local_sockets_work(started: Start) -> None:
    """Sockets that never leave the machine's file system are no network."""
    body = """
        import multiprocessing.connection, tempfile, threading
        with multiprocessing.connection.Listener(tempfile.mktemp(), "AF_UNIX") as listener:
            thread = threading.Thread(target=lambda: listener.accept().send("hello"))
            thread.start()
            return multiprocessing.connection.Client(listener.address).recv()
    """
    assert started(body).predict(EXAMPLE).output == "hello"


def test_a_child_process_has_no_network_either(handler: Callable[..., ModelToLoad]) -> None:
    """Where namespaces work, a program the model starts sees no interface but a dead loopback."""
    body = """
        import subprocess, sys
        code = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        return run.stderr.splitlines()[-1]
    """
    with Worker(handler(body)) as worker:
        if "network" not in worker.start().isolation.layers:
            pytest.skip("this system allows no network namespaces")
        said = worker.predict(EXAMPLE).output
        assert "unreachable" in said or "Permission denied" in said


def test_children_die_with_the_worker(started: Start) -> None:
    """Processes a model started end when the worker is closed, even those in sessions of their own."""
    body = """
        import subprocess
        return [subprocess.Popen(["sleep", "60"], start_new_session=new).pid for new in (False, True)]
    """
    worker = started(body)
    children = [on_host(worker, child) for child in worker.predict(EXAMPLE).output]
    assert all(map(alive, children))
    worker.close()
    assert not any(map(alive, children))


def test_orphans_die_with_the_worker(started: Start) -> None:
    """A grandchild whose parent has gone, in a session of its own, does not outlive the worker."""
    body = """
        import subprocess
        return int(subprocess.check_output(["sh", "-c", "setsid sleep 60 >/dev/null & echo $!"]))
    """
    worker = started(body)
    orphan = on_host(worker, worker.predict(EXAMPLE).output)
    assert alive(orphan)
    worker.close()
    assert not alive(orphan)


def test_children_die_when_the_model_crashes(started: Start) -> None:
    """A child in a session of its own does not outlive a model that exits."""
    body = """
        import os, subprocess, time
        if example["statement"] == "exit": os._exit(1)
        child = subprocess.Popen(["sleep", "60"], start_new_session=True).pid
        time.sleep(0.2)
        return child
    """
    worker = started(body)
    child = on_host(worker, worker.predict(EXAMPLE).output)
    assert failure(worker, "exit").kind == "exited"
    assert soon(lambda: not alive(child))


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
    assert (error.kind, error.fatal) == ("protocol", True)
    assert "samples the model's memory" in error.message
    assert not alive(pid)


def test_no_descriptor_and_no_process_is_left_behind(handler: Callable[..., ModelToLoad]) -> None:
    """Failures cost nothing that stays."""
    before = sorted(os.listdir("/proc/self/fd")), children()
    spec = handler("import os\nos._exit(1)")
    for _ in range(5):
        with Worker(spec) as worker:
            worker.start()
            failure(worker)
    assert (sorted(os.listdir("/proc/self/fd")), children()) == before


def children() -> list[str]:
    """The ids of this process's children, those included that ended and were not waited for."""
    tasks = Path("/proc/self/task").iterdir()
    return sorted(child for task in tasks for child in (task / "children").read_text().split())
