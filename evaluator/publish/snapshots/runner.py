"""Runs pinned scorers in a process of its own: ``python -I -S runner.py FOLDER LIMIT``.

Reads ``{"sources": {file name: text}, "boards": [[data, metric weights, dataset weights, certainty], ...]}``
from standard input, where `certainty` is null or ``[how the cells vary, confidence]``. Writes for each board
``[ranking, rank sets]``, as ``Ranking.to_dict`` and ``Certainty.summary`` give them, to standard output, a
file of at most LIMIT bytes. The scorer may be anybody's code. Before it runs, this process gives up
network and files (FOLDER, which is empty, becomes its root) where the system lets it, and its limits are
set. It imports nothing of the project.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sys
import types
from typing import Any

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_PR_SET_NO_NEW_PRIVS = 38
#: What a scorer may import: once it runs there is no file left to import from.
_AT_HAND = (
    *("bisect", "collections", "collections.abc", "dataclasses", "decimal", "enum", "fractions", "functools"),
    *("heapq", "itertools", "json", "math", "numbers", "operator", "re", "statistics", "string", "struct"),
    "random",
    "typing",
)
_REFUSED = ("ctypes.", "open", "os.", "pty.", "shutil.", "signal.", "socket.", "subprocess.", "tempfile.")
CPU_S, MEMORY_BYTES = 120, 4 * 10**9


def main(folder: str, limit: int) -> None:
    """Rank what standard input describes; anything that the scorer prints is dropped."""
    job = json.load(sys.stdin.buffer)
    for name in _AT_HAND:
        __import__(name)
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    _confine(folder, limit)
    modules = {name: _module(name, source) for name, source in job["sources"].items()}
    found = [_ranked(modules, *board) for board in job["boards"]]
    remaining = memoryview(json.dumps(found, allow_nan=False).encode())
    while remaining:
        remaining = remaining[os.write(answers, remaining) :]


def _module(name: str, source: str) -> Any:
    """A module of the project, which those that follow may import."""
    module = types.ModuleType(f"evaluator.rank.{name.removesuffix('.py')}")
    sys.modules[module.__name__] = module
    exec(compile(source, name, "exec"), module.__dict__)
    return module


def _ranked(modules: dict[str, Any], data: Any, metrics: Any, datasets: Any, certainty: Any) -> list[Any]:
    board = modules["dynascore.py"].Board.from_dict(data)
    ranking = board.rank(metrics, datasets).to_dict()
    if certainty is None:
        return [ranking, None]
    sampled, confidence = certainty
    sure = modules["rank_sets.py"].Certainty.from_dict(board, sampled)
    return [ranking, sure.summary(metrics, datasets, confidence)]


def _confine(folder: str, limit: int) -> None:
    for what, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, CPU_S),
        (resource.RLIMIT_FSIZE, limit),
        (resource.RLIMIT_AS, MEMORY_BYTES),
    ):
        resource.setrlimit(what, (value, value))
    if sys.platform == "linux":
        _leave(folder)
    sys.addaudithook(_refuse)


def _leave(folder: str) -> None:
    """Enter an empty network and an empty folder as root; without the right to, only the hook is left."""
    libc = ctypes.CDLL(None)
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0 and libc.unshare(_CLONE_NEWNET) != 0:
        return
    try:
        os.chroot(folder)
    except OSError:
        return
    os.chdir("/")
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event.startswith(_REFUSED):
        raise PermissionError(f"a scorer does not do this: {event}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
