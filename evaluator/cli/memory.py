"""How a command that holds long columns keeps its memory small."""

from __future__ import annotations

import ctypes
from contextlib import suppress

#: A parameter of mallopt(3): blocks of at least so many bytes are the system's, and go back to it when freed.
M_MMAP_THRESHOLD = -3
LARGE = 2**20


def return_large_blocks() -> None:
    """Have the C library give every block of a megabyte back to the system as soon as it is freed.

    GNU's library else raises that size as it goes, to 32 MB, and columns of a million numbers, 8 MB each,
    leave holes between them: a quarter of what an import of a million predictions held. Other C libraries
    have no such setting, and nothing is done.
    """
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE)
