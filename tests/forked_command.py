"""Commands of `steelyard` in processes of their own, forked from one in which their modules are loaded.

A command started anew spends more time on imports than on its work, and tests start hundreds. Here one process
for each process of tests imports what commands need and does nothing else; it is forked for each command, which
gets the arguments, folder, environment and pipes that it would get from a shell.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[1]
#: What commands import when they run. No model library: those belong to workers.
LOADED = (
    *(f"evaluator.cli.{name}" for name in ("check", "evaluate", "import_", "rank", "snapshot")),
    "evaluator.exchange.importing",
    "evaluator.measure.run",
    "evaluator.score.importing",
    "evaluator.score.recomputing",
    "evaluator.publish.snapshots.freezing",
    "evaluator.publish.snapshots.verifying",
    "numpy",
    "pandas",
    "site_src.generator.build",
)


def run(
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    text: str | None = None,
    module: str = "evaluator.cli",
) -> subprocess.CompletedProcess[str]:
    """Run ``steelyard ARGUMENTS`` in a folder, `text` being its standard input; see `subprocess.run`.

    `module`: the one whose ``main`` is called; such as `unkept`, which does what the command line does.
    """
    environment = dict(os.environ if env is None else env)
    request = {"arguments": arguments, "cwd": str(cwd), "env": environment, "module": module}
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write((text or "").encode())
        given.seek(0)
        code = _ask(request, [given, out, err])
        return subprocess.CompletedProcess(["steelyard", *arguments], code, _content(out), _content(err))


def finished(*arguments: str, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """The same of a command that must end with this exit status."""
    done = run(*arguments, cwd=cwd)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def _content(file: IO[bytes]) -> str:
    """What was written, with line ends as in `text` mode."""
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")


def _ask(request: Mapping[str, Any], files: list[IO[bytes]]) -> int:
    connection = _prepared()
    message = json.dumps(request).encode()
    socket.send_fds(connection, [len(message).to_bytes(8, "big")], [file.fileno() for file in files])
    connection.sendall(message)
    return int.from_bytes(connection.recv(4), "big", signed=True)


@functools.cache
def _prepared() -> socket.socket:
    """The connection to this process's own prepared process, which ends when the connection does."""
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()], cwd=ROOT
    )
    theirs.close()
    atexit.register(lambda: (ours.close(), process.wait()))
    return ours


def _serve(connection: socket.socket) -> None:
    sys.path[0] = str(ROOT)
    for module in LOADED:
        importlib.import_module(module)
    while True:
        head, files, _, _ = socket.recv_fds(connection, 8, 3)
        if not head:
            return
        request = json.loads(_receive(connection, int.from_bytes(head, "big")))
        child = os.fork()
        if not child:
            _become(request, files, connection)
        for file in files:
            os.close(file)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        connection.sendall(code.to_bytes(4, "big", signed=True))


def _receive(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        found += connection.recv(size - len(found))
    return found


def _become(request: Mapping[str, Any], files: list[int], connection: socket.socket) -> None:
    """Be the process of the command until its end."""
    code = 1
    try:
        connection.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.environ.clear()
        os.environ.update(request["env"])
        os.chdir(request["cwd"])
        others = request["env"].get("PYTHONPATH", "")
        sys.path[:1] = [request["cwd"], *filter(None, others.split(os.pathsep))]
        sys.path.append(str(ROOT / "tests" / "measure"))
        sys.argv = ["steelyard", *request["arguments"]]
        importlib.import_module(request["module"]).main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
