"""Broken files for every reader: each must be read, or refused by an error of the project that names it.

    python tests/adversary/fuzz.py --seed 1 --cases 10000       many cases, and what they found as JSON
    python tests/adversary/fuzz.py --seed 1 --case 4711         one of them again, with its file and traceback

Case N of a seed is the same whatever else runs. A case that takes more than `SECONDS`, or makes the process
larger than `MEMORY`, is a failure too.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from readers import Reader, readers

SECONDS = 10
#: Bytes that the process may grow by: far below what a small file could ask for.
MEMORY = 2 * 10**9


class TooLongError(BaseException):
    """A reader that did not come to an end; no reader may take it for one of its own errors."""


@dataclass(frozen=True)
class Broken:
    """A case that went wrong: how to run it again, and what happened."""

    seed: int
    case: int
    reader: str
    problem: str


def fuzz(seed: int, cases: range, folder: Path) -> tuple[list[Broken], Counter[str]]:
    """What went wrong, and how many cases were read and refused."""
    known = readers(folder)
    failures, counts = [], Counter[str]()
    for case in cases:
        reader, path, random = prepared(known, seed, case, folder)
        problem = outcome(reader, path, random)
        counts[problem if problem in ("read", "refused") else "wrong"] += 1
        if problem not in ("read", "refused"):
            failures.append(Broken(seed, case, reader.name, problem))
    return failures, counts


def prepared(known: list[Reader], seed: int, case: int, folder: Path) -> tuple[Reader, Path, Random]:
    """The reader of a case, and its broken file."""
    random = Random(f"{seed}:{case}")
    reader = known[case % len(known)]
    path = folder / reader.file
    path.write_bytes(reader.broken(random))
    return reader, path, random


def outcome(reader: Reader, path: Path, random: Random) -> str:
    """``read``, ``refused``, or what is wrong."""
    try:
        with limited():
            reader.read(path, random)
    except reader.errors as error:
        said = str(error)
        return "refused" if reader.named(said, path) else f"names no file: {said[:200]}"
    except TooLongError:
        return f"took more than {SECONDS} s"
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    return "read"


@contextmanager
def limited() -> Iterator[None]:
    """An end to whatever does not end."""

    def stop(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def limit_memory() -> None:
    """From now on a reader that asks for far too much gets a MemoryError, which is no error of the project."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--case", type=int)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        if given.case is not None:
            return again(given.seed, given.case, Path(folder))
        limit_memory()
        failures, counts = fuzz(given.seed, range(given.start, given.start + given.cases), Path(folder))
    json.dump({"counts": counts, "failures": [asdict(one) for one in failures]}, sys.stdout)
    return 1 if failures else 0


def again(seed: int, case: int, folder: Path) -> int:
    """One case, shown."""
    reader, path, random = prepared(readers(folder), seed, case, folder)
    print(f"{reader.name}: {path.read_bytes()[:2000]!r}")
    try:
        with limited():
            print(repr(reader.read(path, random))[:2000])
    except BaseException:
        traceback.print_exc()
    return 0


if __name__ == "__main__":
    sys.exit(main())
