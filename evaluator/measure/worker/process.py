"""The parent's side of a worker: start it, ask it, end it."""

from __future__ import annotations

import os
import secrets
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from evaluator.data.tasks import get_task
from evaluator.measure.isolation.probing import Layers, probe
from evaluator.measure.models import COUNTING
from evaluator.measure.worker.protocol import (
    FAILURE_BYTES,
    AnswerErrorKind,
    ChildReply,
    Limits,
    Loaded,
    MemoryUse,
    ModelToLoad,
    Placement,
    ProtocolError,
    Reply,
    WorkerError,
    pack,
    read_reply,
)
from evaluator.measure.worker.spawn import INTERVAL_MS, Processes, needs_portable, spawn

if TYPE_CHECKING:
    from evaluator.records.measurement import Isolation

_ENVELOPE_BYTES = 1024
_EXIT_WAIT_S = 2.0
# How long to wait for a stopped process to stop, and how often to look.
_STOP_WAIT_S, _STOP_POLL_S = 1.0, 0.001
# Signals that people and systems end processes with. A model may send them to itself: it is asked again.
_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_STOPPED_PARENT = (
    "the process that runs the model was stopped while nothing here kept the model from doing so; the model"
    " must leave processes that it did not start alone"
)


class Worker:
    """One model in a process of its own, behind all layers of `evaluator.measure.isolation` that work here.

    A context manager that leaves no process and no file behind. A worker dies with the *thread* that
    started it, so start it from one that lives as long.
    """

    def __init__(
        self,
        spec: ModelToLoad,
        limits: Limits | None = None,
        placement: Placement | None = None,
        *,
        without: frozenset[str] = frozenset(),
        portable: bool | None = None,
    ) -> None:
        """Nothing runs before `start`. Raises `FieldError` if `spec.task` is unknown.

        Layers named in `without` are left out, as where they do not work; `portable` chooses the sampler
        that works without /proc, which is used anyhow where there is none.
        """
        self.spec = spec
        self.limits = limits or Limits()
        self.placement = placement or Placement()
        self._without = without
        self._portable = needs_portable() if portable is None else portable
        self._task = get_task(spec.task)
        self._processes: Processes | None = None
        self._failure: WorkerError | None = None
        self._born = 0.0

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The id of the process that ends as the model does: the model's own, or the one that waits for it.

        WorkerError ``closed`` if there is none.
        """
        return self._running().child.pid

    def start(self) -> Loaded:
        """Start the process and load the model. A `WorkerError` here is always fatal."""
        self._born = began = time.monotonic()
        layers = probe().without(self._without)
        self._processes = spawn(self.spec, self.placement, self.limits.memory_bytes, layers, self._portable)
        self._wait_for_start(began + self.limits.load_s)
        loading = time.perf_counter_ns()
        opened = self._open(began + self.limits.load_s)
        load_ns = time.perf_counter_ns() - loading
        self.phase("loaded")
        return Loaded(
            load_ns=load_ns,
            sandbox=self._held_in(),
            batches=opened,
            isolation=isolation(layers),
        )

    def predict(self, example: Mapping[str, Any]) -> Reply:
        """Ask for one answer. Only the task's input fields of `example` are sent.

        Raises KeyError if `example` lacks one, `WorkerError` if the model failed.
        """
        request = {"example": self._task.inputs(example)}
        return self._request(request, self.limits.request_s, self.limits.reply_bytes)

    def predict_batch(self, examples: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Ask for answers to all `examples` at once, if `Loaded.batches`; one bad answer fails them all.

        The limits of time and size are those of one request times the number of examples.
        """
        request = {"examples": [self._task.inputs(example) for example in examples]}
        count = len(examples)
        reply = self._request(request, self.limits.request_s * count, self.limits.reply_bytes * count)
        if not isinstance(reply.output, list) or len(reply.output) != count:
            raise self._broken("a reply of the wrong form")
        return reply.output

    def phase(self, name: str) -> None:
        """Begin a phase of the memory record, which has ``load`` and ``loaded`` from `start`.

        Raises a fatal `WorkerError` if the process that samples is gone, as does `memory`.
        """
        try:
            self._running().sampler.phase(name)
        except EOFError:
            raise self._unsampled() from None

    def memory(self) -> MemoryUse:
        """The memory of the process tree so far."""
        try:
            return self._running().sampler.report()
        except EOFError:
            raise self._unsampled() from None

    def processes(self) -> set[int]:
        """The ids of the model's processes now; empty where the system does not tell."""
        return self._running().sampler.members()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Keep the model from running meanwhile, so that it slows nothing that others do."""
        held: set[int] = set()
        try:
            # What is not stopped yet may start more.
            while new := self.processes() - held:
                _signal(new, signal.SIGSTOP)
                held |= new
            _wait_until_stopped(held)
            yield
        finally:
            _signal(held, signal.SIGCONT)

    def close(self) -> None:
        """Kill the process and all it started. Harmless when there is none."""
        if self._processes is not None:
            self._processes.end()
            self._processes = None

    def _running(self) -> Processes:
        if self._failure is not None:
            raise self._failure
        if self._processes is None:
            raise WorkerError("closed", "the worker is not running; call start first", fatal=True)
        return self._processes

    def _held_in(self) -> dict[str, str]:
        limits, cap = self.limits, self.limits.memory_bytes
        total = f", {limits.total_s:g} s in all" if limits.total_s is not None else ""
        return {
            "memory": f"{cap} bytes, sampled every {INTERVAL_MS} ms" if cap else "no cap",
            "limits": f"{limits.load_s:g} s to load, {limits.request_s:g} s a request{total}",
        }

    def _wait_for_start(self, deadline: float) -> None:
        """Wait until the interpreter runs behind its layers."""
        try:
            self._converse(b"", "hello", "starting", deadline)
        except WorkerError as error:
            if error.kind == "isolation" and not error.fatal:
                message = (
                    f"isolation worked when it was tried, but not for this model: {error.message}; run"
                    " steelyard doctor to see what works now, and try again"
                )
                raise self._end("isolation", message) from None
            raise

    def _open(self, deadline: float) -> bool:
        """Load the model; whether it takes batches."""
        spec = self.spec
        opened_as = {
            "adapter": spec.adapter,
            # Its working directory is another one, and only the real path is sure to be there.
            "directory": str(spec.directory.resolve()),
            "options": dict(spec.options),
            "task": spec.task,
            "labels": list(spec.labels),
        }
        message = {"id": "open", "spec": opened_as, "reply_bytes": self.limits.reply_bytes}
        try:
            opened = self._converse(pack(message), "open", "loading", deadline)
        except WorkerError as error:
            if not error.fatal:
                raise self._end(error.kind, error.message, error.detail) from None
            raise
        if not (isinstance(opened, dict) and isinstance(opened.get("batches"), bool)):
            raise self._broken("a reply of the wrong form")
        return bool(opened["batches"])

    def _request(self, content: dict[str, Any], seconds: float, size: int) -> Reply:
        self._running()
        token = secrets.token_hex(8)
        request = pack({"id": token, **content})
        deadline = time.monotonic() + seconds
        began = time.perf_counter_ns()
        body = self._exchange(request, "answering", deadline, size)
        elapsed = time.perf_counter_ns() - began
        reply = self._content(body, token, elapsed)
        return Reply(reply.output, elapsed, reply.written if self.spec.adapter in COUNTING else None)

    def _converse(self, request: bytes, token: str, stage: str, deadline: float) -> Any:
        return self._content(self._exchange(request, stage, deadline, 0), token, None).output

    def _exchange(self, request: bytes, stage: str, deadline: float, size: int) -> bytes:
        """Send `request`, return the body of the reply; every way this can fail ends the worker."""
        link, limits = self._running().link, self.limits
        last = self._born + limits.total_s if limits.total_s is not None else deadline
        try:
            return link.ask(request, min(deadline, last), max(size, FAILURE_BYTES) + _ENVELOPE_BYTES)
        except TimeoutError:
            raise self._end("timeout", self._lateness(stage, last < deadline)) from None
        except EOFError:
            raise self._gone(stage) from None
        except ProtocolError as error:
            raise self._broken(str(error)) from None

    def _content(self, body: bytes, token: str, elapsed: int | None) -> ChildReply:
        """What a reply carries; a `WorkerError` that is not fatal if it carries an error."""
        try:
            reply = read_reply(body)
        except ProtocolError as error:
            raise self._broken(str(error)) from None
        # The token is random: a model cannot write its replies before the questions.
        if reply.token != token:
            raise self._broken("a reply to no request")
        if reply.fault is not None:
            kind, message, detail = reply.fault
            raise WorkerError(kind, message, fatal=False, detail=detail, elapsed_ns=elapsed)
        return reply

    def _lateness(self, stage: str, total: bool) -> str:
        limits = self.limits
        if total:
            return f"the model took more than {limits.total_s:g} s in all; make it faster or raise total_s"
        if stage == "answering":
            return f"no answer came within {limits.request_s:g} s; make the model faster or raise request_s"
        return f"the model did not load within {limits.load_s:g} s; make it smaller or raise load_s"

    def _gone(self, stage: str) -> WorkerError:
        """End a worker whose connection closed, and say how its process ended."""
        if not self._running().sampler.running():
            return self._unsampled()
        status = self._running().link.exit_status(_EXIT_WAIT_S)
        if status is None:
            return self._broken("its end, though the model's process still runs")
        message = f"the model's process {_ending(status)} while {stage}; see what it printed last"
        return self._end("killed" if -status in _FROM_OUTSIDE else "exited", message)

    def _unsampled(self) -> WorkerError:
        return self._end(
            "protocol",
            "the process that samples the model's memory is gone; the model must leave processes that it did"
            " not start alone",
        )

    def _broken(self, what: str) -> WorkerError:
        return self._end(
            "protocol",
            f"over the worker's connection came {what}; the model must leave descriptors that it did not"
            " open alone",
        )

    def _end(self, kind: AnswerErrorKind, message: str, detail: str = "") -> WorkerError:
        """Kill everything; the fatal error that this and every later request raises."""
        ended = self._running().end()
        self._processes = None
        if ended.woke_parent:
            kind, message = "protocol", _STOPPED_PARENT
        if ended.killed_at is not None:
            kind = "memory"
            message = (
                f"the model used {ended.killed_at / 1e9:.2f} GB of memory, the cap is"
                f" {(self.limits.memory_bytes or 0) / 1e9:.2f} GB; use a smaller model or raise memory_bytes"
            )
        self._failure = WorkerError(kind, message, fatal=True, detail=detail or ended.log.strip())
        return self._failure


def isolation(layers: Layers) -> Isolation:
    """What `layers` are, as it is stored with a measurement."""
    from evaluator.records.measurement import Isolation

    found = {"layers": layers.names, "landlock_abi": layers.landlock or None, "missing": layers.missing}
    return Isolation.model_validate(found)


def _signal(processes: set[int], number: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def _wait_until_stopped(processes: set[int]) -> None:
    """Wait until none runs any more: on a busy machine one stops only once it has its turn."""
    ends = time.monotonic() + _STOP_WAIT_S
    while any(map(_runs, processes)) and time.monotonic() < ends:
        time.sleep(_STOP_POLL_S)


def _runs(process: int) -> bool:
    """Whether a thread of it runs or waits for a CPU; not known, so no, without /proc."""
    for task in Path(f"/proc/{process}/task").glob("*/stat"):
        with suppress(OSError):
            if task.read_text().rpartition(")")[2].split()[0] == "R":
                return True
    return False


def _ending(status: int) -> str:
    if status >= 0:
        return f"exited with code {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    hint = " (perhaps the system ran out of memory)" if name == "SIGKILL" else ""
    return f"was ended by {name}{hint}"
