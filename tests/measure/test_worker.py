"""What a worker is given, what it answers, and what it survives: everything that one running worker can show."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from worker_processes import EVERY_LAYER

from evaluator.measure.worker import Limits, ModelToLoad, Placement, Worker, WorkerError
from evaluator.measure.worker.protocol import ProtocolError, read_reply
from evaluator.measure.worker.spawn import environment

NULL = ModelToLoad("null", Path("/nowhere"), {}, "sentiment", ("negative", "positive"))
EXAMPLE = {"statement": "A film to see twice."}
GOLD = "gold-label-that-no-worker-may-see"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """One worker for all that a model may do and go on living: it runs what it is asked."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "handler.py").write_text(
        "import os\nSEEN = dict(os.environ)\ndef load(directory): pass\n"
        "def predict(example):\n"
        "    scope = {'SEEN': SEEN}\n"
        "    exec('def run():\\n    ' + example['statement'].replace('\\n', '\\n    '), scope)\n"
        "    return scope['run']()\n"
        "def predict_batch(examples): return [predict(one) for one in examples][:3]\n"
    )
    spec = ModelToLoad("handler", folder, {}, "sentiment", ("negative", "positive"))
    cpu = max(os.sched_getaffinity(0))
    with Worker(spec, placement=Placement(threads=3, cpus=(cpu,))) as worker:
        worker.start()
        yield worker


def failure(worker: Worker, code: str) -> WorkerError:
    with pytest.raises(WorkerError) as caught:
        worker.predict({"statement": code})
    assert not caught.value.fatal, caught.value.message
    return caught.value


def test_the_null_model_answers_and_what_holds_is_on_record() -> None:
    """It needs no directory; the worker says which limits hold, and what keeps the model in or why it does not."""
    with Worker(NULL, Limits(memory_bytes=2_000_000_000, total_s=60)) as worker:
        loaded = worker.start()
        assert worker.predict(EXAMPLE).output == {"label": "negative"}
    assert loaded.load_ns > 0
    assert not loaded.batches
    isolation = loaded.isolation
    assert isolation is not None
    assert {*isolation.layers, *isolation.missing} == EVERY_LAYER
    assert (isolation.landlock_abi is None) == ("landlock" in isolation.missing)
    assert loaded.sandbox == {
        "memory": "2000000000 bytes, sampled every 25 ms",
        "limits": "300 s to load, 30 s a request, 60 s in all",
    }


def test_gold_labels_never_reach_the_worker(running: Worker) -> None:
    """A model that searches the whole memory of its process finds its input and no gold label."""
    # The brackets keep the patterns from finding themselves.
    code = """
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
return found
# input-it-may-see"""
    gold, given = running.predict({"id": GOLD, "statement": code, "label": GOLD, "gold": GOLD}).output
    assert gold == 0
    assert given > 0


def test_limits_and_switches_are_set_before_imports_and_the_worker_is_pinned(running: Worker) -> None:
    """A handler sees them while it is imported; the parent stays where it was."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    switches = ("TOKENIZERS_PARALLELISM", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "PYTHONHASHSEED")
    code = f"import os\nreturn [[SEEN[name] for name in {names + switches!r}], list(os.sched_getaffinity(0))]"
    cpu = max(os.sched_getaffinity(0))
    assert running.predict({"statement": code}).output == [["3"] * 4 + ["false", "1", "1", "0"], [cpu]]


def test_a_worker_loads_neither_records_nor_tables_nor_datasets(running: Worker) -> None:
    """They would weigh on the model's measured memory, and datasets hold gold labels."""
    code = "import sys\nreturn [n for n in sys.modules if n.startswith(('pydantic', 'pandas', 'evaluator.data.datasets'))]"
    assert running.predict({"statement": code}).output == []


def test_secrets_and_what_leads_home_are_not_inherited() -> None:
    """Home, temporary files and caches are those of the worker, whatever its parent has; the rest is kept."""
    secrets = ("HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY")
    homes = ("HOME", "TMPDIR", "TEMP", "TMP", "PWD")
    caches = ("XDG_CACHE_HOME", "HF_HOME", "TORCHINDUCTOR_CACHE_DIR", "TRANSFORMERS_CACHE", "MPLCONFIGDIR")
    given = {**dict.fromkeys([*secrets, *homes, *caches], "/home/x"), "LANG": "C"}
    found = environment(given, Placement(), "/scratch")
    assert found["LANG"] == "C"
    assert {found[name] for name in homes} == {"/scratch"}
    assert not found.keys() & {*secrets, *caches}


def test_an_answer_comes_back_as_it_was_given(running: Worker) -> None:
    """Unchanged, with the time it took; nothing is an answer too: whether it is valid is the task's business."""
    answer = {"label": "positive", "confidence": 0.75, "why": "né ✓"}
    reply = running.predict({"statement": f"return {answer!r}"})
    assert reply.output == answer
    assert reply.elapsed_ns > 0
    assert running.predict({"statement": "return None"}).output is None


def test_a_batch_is_answered_in_order_and_one_of_the_wrong_length_is_refused(running: Worker) -> None:
    """One answer an example; the message says both counts."""
    ask = [{"statement": f"return {number}"} for number in range(4)]
    assert running.predict_batch(ask[:3]) == [0, 1, 2]
    with pytest.raises(WorkerError, match="3 answers for 4 examples") as caught:
        running.predict_batch(ask)
    assert (caught.value.kind, caught.value.fatal) == ("bad-batch", False)


@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        ("raise KeyError('no such word')", "raised", "KeyError: 'no such word'"),
        ("raise ValueError('bad \\ud800')", "raised", r"bad \ud800"),
        ("class E(Exception):\n    def __str__(self): raise E\n    __repr__ = __str__\nraise E", "raised", "E"),
        ("return float('nan')", "not-a-number", "the answer is nan"),
        ("import numpy\nreturn {'p': numpy.float32(1)}", "not-json", "the answer['p'] is a numpy.float32"),
        ("return {b'label': 1}", "not-json", "a key of the answer is a bytes"),
        ("return '\\ud800'", "not-json", "surrogates not allowed"),
        ("x = []\nx.append(x)\nreturn x", "not-json", "Circular reference"),
        ("x = []\nfor _ in range(100_000): x = [x]\nreturn x", "not-json", "nested too deeply"),
        ("return 'x' * 1_000_000", "too-large", "1,000,002 bytes"),
        ("import socket\nsocket.create_connection(('192.0.2.1', 80), 1)", "network", ":80)"),
        ("import socket\nsocket.socket().bind(('127.0.0.1', 80))", "network", ":80)"),
    ],
)  # fmt: skip
def test_what_goes_wrong_with_one_request_is_named_and_survived(
    running: Worker, code: str, kind: str, said: str
) -> None:
    """Exceptions, answers that are no JSON data, no number or too large, and the network: the next is answered."""
    error = failure(running, code)
    assert error.kind == kind
    assert said in error.message
    assert error.elapsed_ns is not None
    error.message.encode()
    assert running.predict({"statement": "return 1"}).output == 1


def test_printing_and_local_sockets_do_no_harm(running: Worker) -> None:
    """A model may print megabytes of garbage to both streams; sockets that stay on this machine are no network."""
    code = """
import multiprocessing.connection, os, sys, tempfile, threading
for _ in range(100):
    os.write(1, os.urandom(65536)); os.write(2, b"{}" * 4096)
print("\\x00\\x00\\x00\\x02{}", flush=True); sys.stderr.write("noise")
with multiprocessing.connection.Listener(tempfile.mktemp(), "AF_UNIX") as listener:
    thread = threading.Thread(target=lambda: listener.accept().send("hello"))
    thread.start()
    return multiprocessing.connection.Client(listener.address).recv()"""
    assert running.predict({"statement": code}).output == "hello"


@pytest.mark.parametrize("top", ["def written(): pass", "written = []", "written = True"])
def test_names_of_a_handler_are_its_author_s(top: str, handler: Callable[..., ModelToLoad]) -> None:
    """Some adapters say in an attribute what they wrote; a handler's of that name says nothing."""
    with Worker(handler("return {'label': 'negative'}", top=top)) as worker:
        worker.start()
        reply = worker.predict({"statement": "a"})
    assert (reply.output, reply.written) == ({"label": "negative"}, None)


def test_nothing_is_written_beside_the_handler(running: Worker) -> None:
    """Running a model leaves its directory as it was, so that its hash stays."""
    assert [path.name for path in running.spec.directory.iterdir()] == ["handler.py"]


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        '{"id": 1, "ok": 1}',
        '{"id": ["TOKEN"], "ok": 1}',
        '{"id": "TOKEN"}',
        '{"id": "TOKEN", "ok": 1, "error": null}',
        '{"id": "TOKEN", "error": null}',
        '{"id": "TOKEN", "error": {"kind": "raised"}}',
        '{"id": "TOKEN", "error": {"kind": "no such kind", "message": "", "detail": ""}}',
        '{"id": "TOKEN", "error": {"kind": "killed", "message": "", "detail": ""}}',
        '{"id": "TOKEN", "ok": NaN}',
        '{"id": "TOKEN", "ok": 1, "written": [0, 0.5]}',
        '{"id": "TOKEN", "ok": 1, "written": [5, 1.5]}',
        '{"id": "TOKEN", "ok": 1, "written": true}',
        '{"id": "TOKEN", "ok": {"label": "\\ud800"}}',
        '{"id": "TOKEN", "ok": ' + "9" * 5000 + "}",
        "[" * 100_000,
    ],
)
def test_a_reply_that_no_child_writes_is_refused(body: str) -> None:
    """A model can reach the connection, so nothing in a reply is trusted."""
    with pytest.raises(ProtocolError):
        read_reply(body.encode())


def test_half_a_character_in_a_failure_is_escaped() -> None:
    """A message of the right form that no file could hold is made printable."""
    body = b'{"id": "T", "error": {"kind": "raised", "message": "\\ud800", "detail": "\\ud800"}}'
    assert read_reply(body).fault == ("raised", "\\ud800", "\\ud800")


def test_a_worker_that_was_not_started_says_so() -> None:
    """A request before the start is an error that names the fix."""
    with Worker(NULL) as worker, pytest.raises(WorkerError, match="call start first"):
        worker.predict(EXAMPLE)


@pytest.mark.parametrize(
    ("load", "kind", "said"),
    [
        ("raise OSError('weights.bin is truncated')", "load-failed", "weights.bin is truncated"),
        ("import no_such_package_at_all.part", "missing-package", "pip install no_such_package_at_all"),
        ("import sys; sys.exit(7)", "exited", "code 7 while loading"),
    ],
)
def test_a_model_that_does_not_load_says_why(
    handler: Callable[..., ModelToLoad], load: str, kind: str, said: str
) -> None:
    """An exception, a package that is missing, an exit: all are fatal."""
    with Worker(handler("pass", load=load)) as worker, pytest.raises(WorkerError) as caught:
        worker.start()
    assert (caught.value.kind, caught.value.fatal) == (kind, True)
    assert said in caught.value.message
