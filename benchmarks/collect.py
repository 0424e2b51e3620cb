"""How long it takes to merge 10,000 tries that 30 validators answered, five responses each and all of them.

python benchmarks/collect.py
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("tests/rounds", "tests")]
from collect_world import collection_at, keep_checked, response, write_lines, write_project, written_try

from evaluator.rounds.collection import Collection
from evaluator.rounds.merging import merge

TRIES, WRITERS, VALIDATORS = 10_000, 100, 30
LABELS = ("negative", "positive")


def written(folder: Path) -> Collection:
    """A collection whose tries are written and checked."""
    collection = collection_at(write_project(folder))
    for writer in range(WRITERS):
        lines = [
            line
            for number in range(writer, TRIES, WRITERS)
            for line in written_try(number, f"w{writer}", f"Text number {number}.", LABELS[number % 2])
        ]
        write_lines(collection.folder / "tries" / f"w{writer}.jsonl", lines)
    keep_checked(collection)
    return collection


def respond(collection: Collection, each: int) -> None:
    """`each` responses to each try, one in ten of them wrong."""
    for validator in range(VALIDATORS):
        lines = [
            response(number, f"v{validator}", LABELS[(number + ((number * 7 + validator) % 10 == 0)) % 2])
            for number in range(TRIES)
            if (validator - number) % VALIDATORS < each
        ]
        write_lines(collection.folder / "responses" / f"v{validator}.jsonl", lines)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        collection = written(Path(folder))
        for each in (5, VALIDATORS):
            respond(collection, each)
            wall, cpu = time.perf_counter(), time.process_time()
            merged = merge(collection)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            validated = sum(one.validated for one in merged.tries)
            print(
                f"{TRIES} tries, {VALIDATORS} validators, {each} responses a try:"
                f" {wall:.1f} s, {cpu:.1f} s of CPU time ({validated} validated)"
            )


if __name__ == "__main__":
    main()
