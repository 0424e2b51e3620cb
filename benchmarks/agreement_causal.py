"""Log-likelihoods of labels' words against lm-evaluation-harness on the same prompts.

Run from the repository, where lm-eval is installed: python benchmarks/agreement_causal.py [--inputs 50]
Every decoder is a tiny one with random weights, asked the mock examples of two tasks and random texts, with
words of one token and of several, prompts with and without examples, and a chat template. The harness gets
the text of each prompt and the words; it tokenises, batches and scores by its own code. Printed is, for each
kind of decoder, the largest difference of a log-likelihood over prompts that fit, and on how many of all
prompts both choose the same label: by the sum, and by the sum over the number of characters, which the
harness calls acc_norm. Prompts that are too long are counted: the harness cuts each for every label by
itself, so that a label of fewer tokens sees more of the text, and here all labels see the same.
"""

from __future__ import annotations

import argparse
import logging
import math
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from tiny_decoders import CHAT, FAMILIES, SENTENCES, save_decoder

from evaluator.data.tasks import get_task
from evaluator.measure.models import open_model
from evaluator.measure.models.decoder import PromptChooser

SEED, INPUTS = 0, 50
LABELS = {"sentiment": ("negative", "positive"), "nli": ("entailed", "neutral", "contradictory")}
SHOWN = [
    {"statement": "a lovely film", "label": "positive"},
    {"statement": "rude staff", "label": "negative"},
]
#: Ways to ask, by task: the options of the adapter.
WAYS: list[tuple[str, dict[str, Any]]] = [
    ("sentiment", {}),
    ("sentiment", {"answers": {"negative": "x", "positive": "a very lovely film"}, "examples": SHOWN}),
    ("sentiment", {"template": "{{ statement }} is ", "delimiter": "", "instruction": "Rate films."}),
    ("sentiment", {"chat": True, "instruction": "Rate films.", "examples": SHOWN}),
    ("nli", {}),
]


@dataclass
class Difference:
    """What was found so far of one kind of decoder."""

    prompts: int = 0
    cut: int = 0
    largest: float = 0.0
    same: int = 0
    same_normalised: int = 0


def examples(task: str, count: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    """The task's mock examples, nasty as they are, and random texts."""
    fields, words = get_task(task).fields, " ".join(SENTENCES).split()
    yield from ({name: mock[name] for name in fields} for mock in get_task(task).mock_examples(SEED))
    for _ in range(count):
        yield {name: " ".join(chance.choices(words, k=chance.randint(1, 20))) for name in fields}


def theirs(harness: HFLM, prompts: list[str], words: list[str], delimiter: str) -> list[list[float]]:
    """The harness's log-likelihoods of all words after each prompt: prompts x words."""
    asked = [
        Instance("loglikelihood", {}, (prompt, delimiter + word), number, ("m", 0, 1))
        for number, prompt in enumerate(prompts)
        for word in words
    ]
    found = [score for score, _ in harness.loglikelihood(asked, disable_tqdm=True)]
    return [found[start : start + len(words)] for start in range(0, len(found), len(words))]


def compare(folder: Path, count: int) -> Difference:
    """One kind of decoder, asked in all ways."""
    difference, chance = Difference(), random.Random(SEED)
    harness = HFLM(pretrained=str(folder), device="cpu", dtype="float32", batch_size=4, max_length=256)
    for task, options in WAYS:
        model = open_model("transformers-causal", folder, options, task, LABELS[task])
        normalised = open_model(
            "transformers-causal", folder, options | {"normalise": "characters"}, task, LABELS[task]
        )
        assert isinstance(model, PromptChooser)
        words = list(model.decoder.prompt.answers.values())
        rows = list(examples(task, count, chance))
        prompts = [model.decoder.render(row) for row in rows]
        scores = theirs(harness, prompts, words, model.decoder.prompt.delimiter)
        for row, expected in zip(rows, scores, strict=True):
            own = model.log_likelihoods(row)
            difference.prompts += 1
            if _is_cut(model, row):
                difference.cut += 1
            else:
                apart = max(abs(one - other) for one, other in zip(own, expected, strict=True))
                difference.largest = max(difference.largest, apart)
            divided = [score / len(word) for score, word in zip(expected, words, strict=True)]
            labels = LABELS[task]
            difference.same += model.predict(row)["label"] == labels[_best(expected)]
            difference.same_normalised += normalised.predict(row)["label"] == labels[_best(divided)]
    return difference


def _is_cut(model: PromptChooser, row: dict[str, Any]) -> bool:
    decoder = model.decoder
    whole = decoder.encode((decoder.render(row) + decoder.prompt.delimiter).rstrip())
    return len(whole) > len(decoder.pairs(row)[0])


def _best(scores: list[float]) -> int:
    assert all(math.isfinite(score) for score in scores)
    return scores.index(max(scores))


def main() -> None:
    """Print a line for each kind of decoder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--inputs", type=int, default=INPUTS, help="random texts of each way to ask")
    count = parser.parse_args().inputs
    logging.disable(logging.WARNING)
    print(
        "| decoder | prompts | of these cut | largest difference | same label | same label, by characters |"
    )
    print("|---|---|---|---|---|---|")
    for family in FAMILIES:
        with tempfile.TemporaryDirectory() as root:
            folder = save_decoder(Path(root) / family, family, family != "gpt2", CHAT)
            found = compare(folder, count)
        print(
            f"| {family} | {found.prompts} | {found.cut} | {found.largest:.1e} | {found.same}"
            f" | {found.same_normalised} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
