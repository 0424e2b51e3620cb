"""How long the sources of difficulty take: 2,000 test and 7,000 training sentences, all three algorithms.

python benchmarks/sources.py [--tests 2000] [--training 7000] [--encoder minilm] [--words 19]

Sentences are made up and have 19 words, as in SST-2; two words in five are typical of one label. No embedding
is cached. The budget is three minutes on two cores.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.measure.difficulty.making import ALGORITHMS, DifficultyRequest, make
from evaluator.records.base import digest
from evaluator.records.store import Store

BUDGET_S = 180
LABELS = ("negative", "positive")
WORDS = """
the a of and to is in that it with for its an this film movie story plot cast scene
"""
OWN = "dull awful tired bad hollow", "moving great funny good honest"


def made_up(name: str, count: int, words: int, seed: int) -> Dataset:
    """A dataset of `count` sentences of `words` words each, half of them of each label."""
    rng, common, own = random.Random(seed), WORDS.split(), [label.split() for label in OWN]
    examples, gold = [], []
    for row in range(count):
        chosen = [rng.choice(own[row % 2] if rng.random() < 0.4 else common) for _ in range(words)]
        examples.append({"id": str(row), "statement": " ".join(chosen)})
        gold.append(LABELS[row % 2])
    return Dataset(name, "sentiment", LABELS, tuple(examples), tuple(gold), digest([name, count, seed]))


class Lines:
    """Prints how long each phase takes."""

    def __init__(self) -> None:
        self.begun = time.perf_counter()
        self.what = ""

    def phase(self, text: str, total: int) -> None:
        self.end()
        self.what, self.begun = f"{text} ({total})", time.perf_counter()

    def advance(self, done: int) -> None:
        pass

    def end(self) -> None:
        if self.what:
            print(f"{time.perf_counter() - self.begun:8.1f} s  {self.what}")


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, default in (("--tests", 2000), ("--training", 7000), ("--words", 19)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--encoder", default="minilm")
    given = parser.parse_args()
    test = made_up("tests", given.tests, given.words, 0)
    train = made_up("training", given.training, given.words, 1)
    progress, begun = Lines(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for algorithm in ALGORITHMS:
            asked = DifficultyRequest(algorithm, algorithm, encoder=given.encoder)
            make(asked, test, train, Store(Path(folder)), Path(folder), progress)
    progress.end()
    spent = time.perf_counter() - begun
    load = os.getloadavg()[0]
    print(f"{spent:8.1f} s  in all, of {BUDGET_S} s, on {os.cpu_count()} cores at load {load:.1f}")


if __name__ == "__main__":
    main()
