"""The processes in which a node does assignments: what one machine runs, and nothing of Dask.

``python -m evaluator.cluster.child PARENT`` reads a line of JSON an assignment, ``[folder, model]``, and
forks a process that asks the model in the folder `model` as the file `assignment` in `folder` says, and
writes `answer` there. When that ends it prints the exit code. Modules are imported, and what this machine
can do is found out, once. All die with the thread of the process PARENT that started the first.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import traceback
from pathlib import Path
from typing import NoReturn

import evaluator.cluster.assignment  # noqa: F401  # what assignments are made of, before anything is forked
from evaluator.measure.isolation.libc import PR_SET_PDEATHSIG, prctl
from evaluator.measure.isolation.probing import common, probe


def main(parent: str) -> None:
    """Do assignments until the input ends."""
    _die_with(int(parent))
    probe()
    common()
    for line in sys.stdin:
        folder, model = json.loads(line)
        own = os.getpid()
        process = os.fork()
        if process == 0:
            _die_with(own)
            _do(Path(folder), Path(model))
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the process that wanted this is gone")


def _do(folder: Path, model: Path) -> NoReturn:
    """Do one assignment; what is printed goes to the file `log`."""
    code = 1
    try:
        log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        assignment = pickle.loads((folder / "assignment").read_bytes())
        (folder / "work").mkdir()
        (folder / "answer").write_bytes(pickle.dumps(assignment.carry_out(folder / "work", model)))
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
