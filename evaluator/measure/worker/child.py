"""The child's side: ``python -P -m evaluator.measure.worker.child FD`` opens one model and serves it.

FD is the private socket. What keeps the model in is in place before this runs: see `measure.isolation`.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.measure.worker import answers
from evaluator.measure.worker.network import refuse_network
from evaluator.measure.worker.protocol import Frames, pack, unpack

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
    refuse_network()
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
        link.sendall(answers.raised(token, error, "load"))
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
        return answers.raised(token, error, "predict")
    return answers.success(token, output, limit)


def _batch(model: Any, token: str, examples: list[Any], limit: int) -> bytes:
    outputs = model.predict_batch(examples)
    count = len(outputs) if isinstance(outputs, (list, tuple)) else None
    if count != len(examples):
        got = type(outputs).__name__ if count is None else f"{count} answers"
        message = f"predict_batch returned {got} for {len(examples)} examples; return one answer for each"
        return answers.failure(token, "bad-batch", message)
    return answers.success(token, outputs, limit * len(examples))


if __name__ == "__main__":
    main(sys.argv[1:])
