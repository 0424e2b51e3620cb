"""Names what a model tried to reach on the network; `evaluator.measure.isolation` is what refuses it."""

from __future__ import annotations

import sys
from typing import Any

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


def refuse_network() -> None:
    """From now on refuse, in this process, every use of the network by Python code."""
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    position = _ADDRESS.get(event)
    if position is None:
        return
    address = arguments[position]
    local = position == 1 and (address is None or isinstance(address, (str, bytes)))
    if not local:
        raise NetworkRefused(_name(arguments[position:]))


def _name(rest: tuple[Any, ...]) -> str:
    """``host:port`` from the arguments of an event, from its address on."""
    parts = rest[0] if isinstance(rest[0], tuple) else rest[:2]
    return ":".join(str(part) for part in parts[:2] if part is not None)
