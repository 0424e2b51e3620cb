"""How fast texts are perturbed: each transformation, and a whole suite, on one core.

python benchmarks/perturb.py [--sentences 10000] [--runs 5] [--textflint ENVIRONMENT]

Sentences are made up. Each has 15 words: common words, contractions, negations, names and gendered words. The
time of a sentence includes seeding its random generator, its edits and its new text, as when a suite is made.
Figures are medians of the runs, in sentences a second; TextFlint's come from the same run, on the same core.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from evaluator.data.suites.base import Transformation, UndecidedError, apply
from evaluator.data.suites.fairness import fairness, neutral, placebo
from evaluator.data.suites.make import Definition, make
from evaluator.data.suites.robustness import robustness

WORDS = """
the the the a a of of and and to to is is in that it it's with for its an this our but on not as from be are
film movie story characters director scenes performance dialogue moments comedy drama ending screenplay music
funny moving dull charming beautiful predictable brilliant tired honest surprising different interesting
never isn't don't can't because something without through which always really believe remember beginning
makes takes feels becomes watching acting I've they'd would have will they 1999 two-hour
"""
#: Three sentences in ten have a word about a person; in SST-2 it is about two in ten.
PEOPLE = "Anna Ben Maria Emily Connor he she his her man woman actress mother"
ABOUT_SOMEBODY = 0.3


def made_up(count: int) -> list[str]:
    """Sentences of 15 words, with a comma or semicolon inside and, most of them, a mark at the end."""
    rng, words, people = random.Random(0), WORDS.split(), PEOPLE.split()
    sentences = []
    for _ in range(count):
        chosen = rng.choices(words, k=15)
        if rng.random() < ABOUT_SOMEBODY:
            chosen[rng.randrange(15)] = rng.choice(people)
        chosen[rng.randrange(4, 10)] += rng.choice(",,;")
        sentences.append(" ".join(chosen) + rng.choice(("", ".", ".", ".", "!", "?")))
    return sentences


def perturb(transformation: Transformation, sentences: Sequence[str]) -> None:
    """Perturb each sentence with its own random seed, as `make` does."""
    rng = random.Random()
    for seed, sentence in enumerate(sentences):
        rng.seed(seed)
        with contextlib.suppress(UndecidedError):
            edits = transformation.edit({"text": sentence}, rng, {})
            apply(sentence, edits.get("text", []))


def a_suite(sentences: Sequence[str]) -> None:
    """Make a suite of all robustness transformations, as `steelyard perturb` does."""
    definition = Definition("robustness", "robustness", robustness())
    examples = [{"id": str(place), "text": sentence} for place, sentence in enumerate(sentences)]
    make(definition, "made-up", "0", ["text"], examples, [{}] * len(examples))


def seconds(job: Callable[[], None], runs: int) -> float:
    """The median time of a job in seconds; the first run is not counted."""
    times = []
    for _ in range(runs + 1):
        began = time.perf_counter()
        job()
        times.append(time.perf_counter() - began)
    return statistics.median(times[1:])


def ours(sentences: Sequence[str], runs: int) -> dict[str, float]:
    """Sentences a second for each of our transformations, of every kind of suite."""
    everything = (*robustness(), *fairness({}), *placebo({}), *neutral({}))
    return {
        each.name: len(sentences) / seconds(functools.partial(perturb, each, sentences), runs)
        for each in everything
    }


def textflint(environment: Path, sentences: Sequence[str]) -> dict[str, float]:
    """Sentences a second for each transformation of TextFlint; the pipe to its process is not counted.

    Each is warmed up first. Raises `UserError` if TextFlint is not installed in `environment`, and ValueError
    if it failed on a sentence, because a call that fails early would look fast.
    """
    from evaluator.textflint.backend import NAMES, TextFlint

    found = {}
    with TextFlint(environment) as backend:
        for name in NAMES:
            for seed, sentence in enumerate(sentences[:20]):
                backend.ask(name, sentence, seed)
            answers = [backend.ask(name, sentence, seed) for seed, sentence in enumerate(sentences)]
            if backend.failures[name]:
                raise ValueError(
                    f"TextFlint: {name} failed on some sentences: {dict(backend.failures[name])}"
                )
            found[name] = 1e9 * len(sentences) / sum(answer.elapsed_ns for answer in answers)
    return found


def table(mine: dict[str, float], theirs: dict[str, float] | None) -> Iterator[str]:
    """A Markdown table: a row for each transformation, and how many times faster ours is than TextFlint's."""
    yield "| sentences/s | steelyard |" + ("" if theirs is None else " textflint |")
    yield "|---|---|" + ("" if theirs is None else "---|")
    for name, rate in mine.items():
        cells = [name, f"{rate:,.0f}"]
        if theirs is not None:
            cells += [f"{theirs[name]:,.0f} (ours {rate / theirs[name]:.0f} x)" if name in theirs else "-"]
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--textflint", type=Path, metavar="ENVIRONMENT", help="compare with TextFlint there")
    given = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    sentences = made_up(given.sentences)
    mine = ours(sentences, given.runs)
    # Of a tenth of the sentences, because it is slower.
    few = sentences[: max(1, len(sentences) // 10)]
    print(*table(mine, textflint(given.textflint, few) if given.textflint else None), sep="\n")
    took = seconds(lambda: a_suite(sentences), 1)
    print(f"a suite of {len(sentences):,} x {len(robustness())}: {took:.2f} s")


if __name__ == "__main__":
    main()
