"""What a reply of the child must look like. A model can reach the connection, so nothing in it is trusted."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, cast, get_args

from evaluator.measure.worker.answers import printable
from evaluator.measure.worker.errors import AnswerErrorKind
from evaluator.measure.worker.protocol import ProtocolError, unpack

Fault = tuple[AnswerErrorKind, str, str]
#: What only the parent can say of a worker.
_OURS = {"timeout", "memory", "killed", "exited", "protocol", "closed"}
_KINDS = frozenset(get_args(AnswerErrorKind)) - _OURS
_FAULT = {"kind", "message", "detail"}


class ChildReply(NamedTuple):
    """The request that a reply is to, and the answer or the kind, message and detail of a failure."""

    token: str
    output: Any
    fault: Fault | None


def read_reply(body: bytes) -> ChildReply:
    """The reply in a frame's body; `ProtocolError` unless it is exactly of the form that a child writes."""
    reply = unpack(body)
    token = reply.get("id")
    if isinstance(token, str) and len(reply) == 2:
        if "ok" in reply:
            _check_text(body, reply["ok"])
            return ChildReply(token, reply["ok"], None)
        if "error" in reply:
            return ChildReply(token, None, _fault(reply["error"]))
    raise ProtocolError("a reply of the wrong form")


def _fault(error: object) -> Fault:
    if (
        not isinstance(error, dict)
        or error.keys() != _FAULT
        or not all(isinstance(part, str) for part in error.values())
        or error["kind"] not in _KINDS
    ):
        raise ProtocolError("a failure of the wrong form")
    return cast(AnswerErrorKind, error["kind"]), printable(error["message"]), printable(error["detail"])


def _check_text(body: bytes, output: Any) -> None:
    """Refuse halves of characters, which JSON can only carry as escapes, and no file can hold."""
    if b"\\u" not in body:
        return
    try:
        json.dumps(output, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        raise ProtocolError("text that is no Unicode") from None
