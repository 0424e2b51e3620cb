"""The child's side: ``python -P -m evaluator.measure.worker.child FD`` opens one model and serves it.

FD is the private socket. What keeps the model in is in place before this runs: see `measure.isolation`.
The audit hook here only gives a name to what a model tried to reach.
"""

from __future__ import annotations

import json
import math
import os
import signal
import socket
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from evaluator.measure.worker.protocol import (
    DETAIL_CHARS,
    MESSAGE_CHARS,
    Frames,
    frame,
    pack,
    printable,
    unpack,
)

# Address first or second among the arguments of each audit event, by the event's name.
_ADDRESS = {
    "socket.connect": 1,
    "socket.bind": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
    "socket.gethostbyaddr": 0,
}


class NetworkRefused(PermissionError):  # noqa: N818
    """The model tried to use the network. An OSError, so that libraries that can do without, do."""


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    position = _ADDRESS.get(event)
    if position is None:
        return
    address = arguments[position]
    local = position == 1 and (address is None or isinstance(address, (str, bytes)))
    if not local:
        # ``host:port`` from the arguments of the event, from its address on.
        parts = address if isinstance(address, tuple) else arguments[position : position + 2]
        raise NetworkRefused(":".join(str(part) for part in parts[:2] if part is not None))


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def success(token: str, output: Any, limit: int, written: tuple[int, float] | None = None) -> bytes:
    """The frame that carries `output`, and what was counted while it was `written`; a failure's frame if it
    is no JSON or over `limit` bytes."""
    try:
        body = _ENCODER.encode(output).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return failure(token, *_fault(output, error))
    if len(body) > limit:
        message = f"the answer is {len(body):,} bytes of JSON, at most {limit:,} are allowed; return less"
        return failure(token, "too-large", message)
    counted = b"" if written is None else b',"written":' + _ENCODER.encode(written).encode()
    return frame(b'{"id":"%s","ok":%s%s}' % (token.encode(), body, counted))


def failure(token: str, kind: str, message: str, detail: str = "") -> bytes:
    """The frame that carries an error, cut to a bounded size."""
    error = {
        "kind": kind,
        "message": printable(message)[:MESSAGE_CHARS],
        "detail": printable(detail)[-DETAIL_CHARS:],
    }
    return pack({"id": token, "error": error})


def raised(token: str, error: BaseException, stage: str) -> bytes:
    """The frame for an exception out of the model's code, in `stage` ``"load"`` or ``"predict"``."""
    kind, message = _classify(error, stage)
    try:
        trace = "".join(traceback.format_exception(error))
    except Exception:
        trace = "(a traceback that cannot be printed)"
    return failure(token, kind, message, trace)


def _classify(error: BaseException, stage: str) -> tuple[str, str]:
    for link in _chain(error):
        if isinstance(link, NetworkRefused):
            return "network", (
                f"the model tried to use the network ({link}), which is cut off;"
                " put every file it needs into its directory"
            )
    # A dotted name is a module that an installed package lacks: pip cannot fix that.
    if isinstance(error, ModuleNotFoundError) and error.name and "." not in error.name:
        from evaluator.measure.models.base import EXTRAS, MissingPackage

        package = f"'steelyard[{EXTRAS[error.name]}]'" if error.name in EXTRAS else error.name
        what = f"the package {error.name} is not installed where the model runs; run: pip install {package}"
        return "missing-package", str(error) if isinstance(error, MissingPackage) else what
    if stage == "load":
        return "load-failed", f"the model could not be loaded: {_sentence(error)}"
    return "raised", f"predict raised {_sentence(error)}"


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        yield link
        seen.add(id(link))
        link = link.__cause__ or link.__context__


def _sentence(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = "an exception that cannot be printed"
    own = type(error).__module__.startswith("evaluator.")
    return text if own else f"{type(error).__name__}: {text}" if text else type(error).__name__


def _fault(output: Any, error: Exception) -> tuple[str, str]:
    """Name what JSON cannot carry in an answer, and where it is."""
    if isinstance(error, RecursionError):
        return "not-json", "the answer is nested too deeply for JSON; return plain dicts, lists and text"
    for path, value in _walk(output, "the answer", 20):
        if isinstance(value, float) and not math.isfinite(value):
            return "not-a-number", f"{path} is {value}, not a finite number; return numbers JSON can carry"
        if not isinstance(value, (str, int, float, type(None), dict, list, tuple)):
            kind = type(value)
            name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
            return "not-json", f"{path} is a {name}, not JSON data; return dicts, lists, text and numbers"
    return "not-json", f"the answer cannot be written as JSON ({error}); return plain dicts, lists and text"


def _walk(value: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    yield path, value
    if depth and isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(key, f"a key of {path}", 0)
            yield from _walk(item, f"{path}[{key!r}]", depth - 1)
    elif depth and isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _walk(item, f"{path}[{index}]", depth - 1)


_REQUEST_BYTES = 2**32


@dataclass(frozen=True)
class Null:
    """The model that does nothing: the zero of the measuring instrument."""

    label: str

    def predict(self, example: dict[str, Any]) -> Any:
        """The same answer to every example."""
        return {"label": self.label}


def main(arguments: list[str]) -> None:
    """Open the model the parent names, answer until the parent hangs up."""
    (descriptor,) = arguments
    sys.addaudithook(_refuse)  # No Python code uses the network from now on.
    # An interrupt from outside must end the process, not look like an exception of the model's.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.set_inheritable(int(descriptor), False)
    link = socket.socket(fileno=int(descriptor))
    frames = Frames(lambda: link.recv(65536))
    link.sendall(pack({"id": "hello", "ok": {}}))
    try:
        _serve(link, frames)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        os._exit(0)


def _serve(link: socket.socket, frames: Frames) -> None:
    request = unpack(frames.next(_REQUEST_BYTES))
    token, limit = request["id"], request["reply_bytes"]
    try:
        model = _open(request["spec"])
    except SystemExit:
        raise
    except BaseException as error:
        link.sendall(raised(token, error, "load"))
        return
    link.sendall(pack({"id": token, "ok": {"batches": hasattr(model, "predict_batch")}}))
    own = os.getpid()
    while True:
        reply = _answer(model, unpack(frames.next(_REQUEST_BYTES)), limit)
        if os.getpid() != own:
            # A model that forked comes back twice; only the first process may answer.
            os._exit(0)
        link.sendall(reply)


def _open(spec: dict[str, Any]) -> Any:
    if spec["adapter"] == "null":
        return Null(spec["labels"][0])
    from evaluator.measure.models import open_model

    return open_model(
        spec["adapter"], Path(spec["directory"]), spec["options"], spec["task"], tuple(spec["labels"])
    )


def _answer(model: Any, request: dict[str, Any], limit: int) -> bytes:
    token = request["id"]
    try:
        if "examples" in request:
            return _batch(model, token, request["examples"], limit)
        output = model.predict(request["example"])
    except SystemExit:
        raise
    except BaseException as error:
        return raised(token, error, "predict")
    # A handler is a module, whose names are its author's.
    written = None if isinstance(model, ModuleType) else getattr(model, "written", None)
    return success(token, output, limit, written)


def _batch(model: Any, token: str, examples: list[Any], limit: int) -> bytes:
    outputs = model.predict_batch(examples)
    count = len(outputs) if isinstance(outputs, (list, tuple)) else None
    if count != len(examples):
        got = type(outputs).__name__ if count is None else f"{count} answers"
        message = f"predict_batch returned {got} for {len(examples)} examples; return one answer for each"
        return failure(token, "bad-batch", message)
    return success(token, outputs, limit * len(examples))


if __name__ == "__main__":
    main(sys.argv[1:])
