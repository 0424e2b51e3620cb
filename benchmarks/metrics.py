"""How fast metrics are: ours and, in the same run, those of other libraries in separate environments.

python benchmarks/metrics.py [--pairs 10000] [--runs 3] [--against LIBRARY=PYTHON ...]

Each PYTHON is the interpreter of an environment with the library, jury or torchmetrics; this file runs
itself there. All score the same made-up sentence pairs on one core, one after another; figures are medians.
METEOR needs WordNet (its error says where to get it). Metrics that a library cannot compute here are listed
and left out.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import random
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

ROUGE = ("rouge-1", "rouge-2", "rouge-l", "rouge-lsum")
ELEVEN = ("bleu", "sacrebleu", "chrf", "ter", "rouge", "meteor", "wer", "cer")  # rouge is four
LABELS = ("accuracy", "precision", "recall", "f1")
LABELLED = 1_000_000  # items for our classification metrics; other libraries get a tenth

Pairs = tuple[list[str], list[str]]
Job = Callable[[], Any]


def sentences(count: int) -> Pairs:
    """Predictions and references of 5 to 25 made-up words, some replaced, some moved."""
    rng = random.Random(0)
    letters = "etaoinshrdlu"
    vocabulary = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(5000)]
    predictions, references = [], []
    for _ in range(count):
        words = [vocabulary[int(rng.paretovariate(0.5)) % 5000] for _ in range(rng.randint(5, 25))]
        mine = [word if rng.random() > 0.25 else rng.choice(vocabulary) for word in words]
        if rng.random() < 0.5:
            mine.insert(rng.randrange(len(mine)), mine.pop(rng.randrange(len(mine))))
        predictions.append(" ".join(mine) + ".")
        references.append(" ".join(words) + ".")
    return predictions, references


def labels(count: int) -> tuple[list[int], list[int]]:
    """Predicted and gold labels, of three labels; about four in five predictions are right."""
    rng = random.Random(1)
    gold = rng.choices(range(3), k=count)
    return [label if rng.random() < 0.8 else rng.randrange(3) for label in gold], gold


def ours(pairs: Pairs) -> dict[str, Job]:
    """Steelyard's jobs, by name."""
    import numpy as np

    from evaluator.score.metrics import report

    def text(*names: str) -> Job:
        return lambda: report(*pairs, "generation", names)

    predicted, gold = (np.array(column) for column in labels(LABELLED))
    jobs = {name: text(*(ROUGE if name == "rouge" else (name,))) for name in ELEVEN}
    jobs["all"] = text(*(each for name in ELEVEN for each in (ROUGE if name == "rouge" else (name,))))
    jobs["labels"] = lambda: report(predicted, gold, "classification", LABELS, labels="abc")
    return jobs


def jury(pairs: Pairs) -> dict[str, Job]:
    """Jury's jobs, by name. Its BLEU and METEOR download data, so they work only with network."""
    from jury import Jury, load_metric

    def job(*names: str) -> Job:
        made = cache(lambda: Jury(metrics=list(names), run_concurrent=False))
        return lambda: made()(predictions=pairs[0], references=pairs[1])

    predicted, gold = labels(LABELLED // 10)
    tasks = [load_metric(name, task="sequence-classification") for name in LABELS]
    scorer = Jury(metrics=tasks, run_concurrent=False)
    return {name: job(name) for name in ELEVEN} | {
        "labels": lambda: scorer(predictions=predicted, references=gold, reduce_fn="max")
    }


def torchmetrics(pairs: Pairs) -> dict[str, Job]:
    """torchmetrics' jobs, by name; it has no METEOR, and its ROUGE-Lsum would download data."""
    import torch
    from torchmetrics.functional import classification, text

    torch.set_num_threads(1)
    predictions, references = pairs
    several = [[reference] for reference in references]
    predicted, gold = (torch.tensor(column) for column in labels(LABELLED // 10))
    three: dict[str, Any] = {"num_classes": 3, "average": "macro"}
    keys = ("rouge1", "rouge2", "rougeL")
    return {
        "bleu": lambda: text.bleu_score(predictions, several),
        "sacrebleu": lambda: text.sacre_bleu_score(predictions, several),
        "chrf": lambda: text.chrf_score(predictions, several, n_word_order=0),
        "ter": lambda: text.translation_edit_rate(predictions, several),
        "rouge": lambda: text.rouge_score(predictions, references, rouge_keys=keys),
        "wer": lambda: text.word_error_rate(predictions, references),
        "cer": lambda: text.char_error_rate(predictions, references),
        "labels": lambda: [
            getattr(classification, f"multiclass_{name}{'_score' if name == 'f1' else ''}")(
                predicted, gold, **three
            )
            for name in LABELS
        ],
    }


def seconds(jobs: dict[str, Job], runs: int) -> Iterator[tuple[str, float | str]]:
    """Each job's median seconds, or why it cannot run here; the first run is not counted."""
    for name, job in jobs.items():
        times = []
        try:
            for _ in range(runs + 1):
                began = time.perf_counter()
                job()
                times.append(time.perf_counter() - began)
        except Exception as error:  # another library may fail in any way
            yield name, (str(error).strip() or type(error).__name__).splitlines()[0][:100]
        else:
            yield name, statistics.median(times[1:])


SIDES: dict[str, tuple[Callable[[Pairs], dict[str, Job]], tuple[str, ...]]] = {
    "steelyard": (ours, ("steelyard", "numpy", "rapidfuzz", "nltk", "sacrebleu")),
    "jury": (jury, ("jury", "evaluate", "sacrebleu", "rouge-score", "jiwer", "scikit-learn")),
    "torchmetrics": (torchmetrics, ("torchmetrics", "torch")),
}


def measure(side: str, pairs: int, runs: int) -> dict[str, Any]:
    """Times of one library, and the versions of its packages."""
    make, packages = SIDES[side]
    return {
        "versions": {name: importlib.metadata.version(name) for name in packages},
        "seconds": dict(seconds(make(sentences(pairs)), runs)),
    }


def elsewhere(python: str, side: str, pairs: int, runs: int) -> dict[str, Any]:
    """Like `measure`, run by another interpreter."""
    command = [python, __file__, "--side", side, "--pairs", str(pairs), "--runs", str(runs)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def table(found: dict[str, dict[str, Any]], pairs: int) -> Iterator[str]:
    """A Markdown table of seconds for each metric and library, others also as multiples of ours."""
    mine = found["steelyard"]["seconds"]
    yield f"| {pairs:,} pairs, seconds | " + " | ".join(found) + " |"
    yield "|---" * (len(found) + 1) + "|"
    for name in (*ELEVEN, "all"):
        cells = []
        for side in found:
            took = found[side]["seconds"].get(name)
            if not isinstance(took, float):
                cells.append("-")
            elif side == "steelyard":
                cells.append(f"{took:.3f}")
            else:
                cells.append(f"{took:.2f} ({took / mine[name]:.0f} x)")
        yield f"| {name} | " + " | ".join(cells) + " |"
    for name, items in (("wer", pairs), ("cer", pairs), ("labels", LABELLED)):
        yield f"{name}: ours {items / mine[name]:,.0f} items/s" + "".join(
            f", {side} {(items // 10 if name == 'labels' else items) / took:,.0f}"
            for side in found
            if side != "steelyard" and isinstance(took := found[side]["seconds"].get(name), float)
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--against", action="append", default=[], metavar="LIBRARY=PYTHON")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    if given.side:
        print(json.dumps(measure(given.side, given.pairs, given.runs)))
        return
    found = {"steelyard": measure("steelyard", given.pairs, given.runs)}
    for side, _, python in (each.partition("=") for each in given.against):
        found[side] = elsewhere(python, side, given.pairs, given.runs)
    print(*table(found, given.pairs), sep="\n")
    for side, result in found.items():
        print(f"{side}: " + ", ".join(f"{name} {version}" for name, version in result["versions"].items()))
        for name, took in result["seconds"].items():
            if isinstance(took, str):
                print(f"  {name} left out: {took}")


if __name__ == "__main__":
    main()
