"""The process in which a node does one errand: what one machine runs, and nothing of Dask.

``python -m evaluator.fleet.child FOLDER PARENT [MODEL]`` reads FOLDER/errand, which asks the model in the
folder MODEL, and writes FOLDER/answer. It dies with the thread of the process PARENT that started it.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from pathlib import Path

from evaluator.isolation.libc import PR_SET_PDEATHSIG, prctl


def main(folder: str, parent: str, model: str = "") -> None:
    """Do the errand."""
    if sys.platform == "linux":
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):
        sys.exit("the process that wanted this is gone")
    place = Path(folder)
    errand = pickle.loads((place / "errand").read_bytes())
    (place / "work").mkdir()
    answer = errand.carry_out(place / "work", Path(model))
    (place / "answer").write_bytes(pickle.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
