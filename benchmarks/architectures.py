"""Adapters at full size: that they answer as transformers does, network by network.

python benchmarks/architectures.py [--pipeline PYTHON] FOLDER [ARCHITECTURE ...]

Makes each network of examples/architectures in FOLDER, to classify and to find answers, and compares its
adapter's answers with direct calls of the library. With --pipeline, the windows over long contexts are also
compared with the question-answering pipeline of transformers 4, which version 5 no longer has: PYTHON is an
interpreter with that, torch and numpy.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import transformers

from evaluator.measure.models import open_model

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "examples" / "architectures"))

from make_models import make  # noqa: E402
from make_texts import LABELS, demo, reviews  # noqa: E402
from sizes import ARCHITECTURES  # noqa: E402

PIPELINE = Path(__file__).with_name("architectures_pipeline.py")
#: Reviews that are classified: every tenth, so of all lengths.
TEXTS = [text for text, _ in reviews()][::10]
SETTINGS = {"max_length": 384, "stride": 128, "max_answer_tokens": 30}


def questions() -> Iterator[dict[str, str]]:
    """Three questions, each over a context of about 750 words."""
    sentences = [text for text, _ in demo()]
    for number in range(3):
        context = " ".join(sentences[number * 100 : number * 100 + 80])
        yield {"question": f"What is said of {sentences[number * 7].lower()}", "context": context}


def classified(folder: Path) -> float:
    """The largest difference between a probability and that of a direct call."""
    model = open_model("transformers", folder, {}, "sentiment", LABELS)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    largest = 0.0
    for text in TEXTS:
        batch = tokenizer(text, truncation=True, max_length=512, return_tensors="pt")
        with torch.inference_mode():
            expected = network(**batch).logits.double().softmax(-1)[0].tolist()
        given = model.predict({"statement": text})["probabilities"]
        largest = max(largest, *(abs(given[label] - expected[place]) for place, label in enumerate(LABELS)))
    return largest


def chosen(folder: Path) -> float:
    """The same for T5, whose probabilities are those of the strings "0" and "1"."""
    model = open_model("transformers-text2text", folder, {}, "sentiment", LABELS)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    largest = 0.0
    for text in TEXTS:
        batch = tokenizer(f"statement: {text}", truncation=True, max_length=512, return_tensors="pt")
        zero, one = (_log_likelihood(network, batch, tokenizer(string).input_ids) for string in "01")
        given = model.predict({"statement": text})["probabilities"]["positive"]
        largest = max(largest, abs(given - 1 / (1 + math.exp(zero - one))))
    return largest


def _log_likelihood(network: Any, batch: Any, target: list[int]) -> float:
    with torch.inference_mode():
        logits = network(**batch, labels=torch.tensor([target])).logits[0].double().log_softmax(-1)
    return sum(float(logits[place, token]) for place, token in enumerate(target))


def read(folder: Path) -> list[dict[str, Any]]:
    """For each question our answer, and the best span of each window by a direct call and all its spans."""
    model = open_model("transformers-qa", folder, SETTINGS, "qa", ())
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForQuestionAnswering.from_pretrained(folder).eval()
    return [
        {"answer": model.predict(example)["answer"], "windows": _windows(tokenizer, network, **example)}
        for example in questions()
    ]


def _windows(tokenizer: Any, network: Any, question: str, context: str) -> list[dict[str, Any]]:
    # By itself transformers 5 does not give ALBERT the segments that it was trained with.
    segments = getattr(network.config, "type_vocab_size", 0) > 1
    encoded = tokenizer(
        question,
        context,
        truncation="only_second",
        max_length=SETTINGS["max_length"],
        stride=SETTINGS["stride"],
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
        return_token_type_ids=segments,
    )
    inputs = ("input_ids", "attention_mask", *(("token_type_ids",) if segments else ()))
    windows = []
    for number, ids in enumerate(encoded["input_ids"]):
        batch = {name: torch.tensor([encoded[name][number]]) for name in inputs}
        with torch.inference_mode():
            output = network(**batch)
        starts, ends = output.start_logits[0].tolist(), output.end_logits[0].tolist()
        sequence = encoded.sequence_ids(number)
        score, first, last = _best(starts, ends, sequence)
        places = encoded["offset_mapping"][number]
        text = context[places[first][0] : places[last][1]].strip()
        alone = math.exp(score - _log_total(starts, sequence) - _log_total(ends, sequence))
        windows.append({"ids": ids, "score": score, "answer": text, "alone": alone})
    return windows


def _log_total(logits: list[float], sequence: list[int | None]) -> float:
    """The log of what the pipeline divides a window's exponentials by: its context and its first token."""
    return float(torch.tensor(logits).double()[[0, *_context(sequence)]].logsumexp(0))


def _context(sequence: list[int | None]) -> list[int]:
    return [place for place, part in enumerate(sequence) if part == 1]


def _by_shares(windows: list[dict[str, Any]]) -> str:
    """The answer as the pipeline chooses it among windows: each has shares of its own, equal texts add up."""
    shares: Counter[str] = Counter()
    for window in windows:
        shares[window["answer"]] += window["alone"]
    return shares.most_common(1)[0][0]


def _best(starts: list[float], ends: list[float], sequence: list[int | None]) -> tuple[float, int, int]:
    """The span of highest start plus end logit, by trying all."""
    return max(
        (starts[first] + ends[last], first, last)
        for first in range(len(sequence))
        for last in range(first, min(first + SETTINGS["max_answer_tokens"], len(sequence)))
        if sequence[first] == 1 == sequence[last]
    )


def report_reader(name: str, folder: Path, pipeline: str | None) -> None:
    found = read(folder)
    windows = sum(len(one["windows"]) for one in found)
    best = [max(one["windows"], key=lambda window: window["score"])["answer"] for one in found]
    same = sum(one["answer"] == expected for one, expected in zip(found, best, strict=True))
    print(f"{name}: {same} of {len(found)} answers over {windows} windows equal a direct call's", flush=True)
    if pipeline is None:
        return
    asked = json.dumps({"questions": list(questions()), **SETTINGS})
    done = subprocess.run(
        [pipeline, str(PIPELINE), str(folder)], input=asked, capture_output=True, text=True, check=True
    )
    theirs = json.loads(done.stdout.splitlines()[-1])
    pairs = [
        (ours, window)
        for one, other in zip(found, theirs, strict=True)
        for ours, window in zip(one["windows"], other["windows"], strict=True)
    ]
    ids = sum(ours["ids"] == window["ids"] for ours, window in pairs)
    spans = sum(ours["answer"] == window["answer"] for ours, window in pairs)
    whole = sum(one["answer"] == other["answer"] for one, other in zip(found, theirs, strict=True))
    ruled = sum(
        _by_shares(one["windows"]) == other["answer"] for one, other in zip(found, theirs, strict=True)
    )
    print(f"{name}: {ids} windows have the pipeline's tokens, {spans} its span", flush=True)
    print(f"{name}: {whole} answers are the pipeline's, and {ruled} if chosen among windows as it does")


def check(name: str, folder: Path, pipeline: str | None) -> None:
    writes = ARCHITECTURES[name].family == "T5"
    make(ARCHITECTURES[name], folder / name)
    difference = chosen(folder / name) if writes else classified(folder / name)
    print(f"{name}: probabilities differ from a direct call's by at most {difference:.1e}", flush=True)
    if not writes:
        make(ARCHITECTURES[name], folder / name, "qa")
        report_reader(name, folder / name, pipeline)
    shutil.rmtree(folder / name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="where networks are made, one after the other")
    parser.add_argument("architecture", nargs="*", help="only these; left out: all")
    parser.add_argument("--pipeline", metavar="PYTHON", help="an interpreter with transformers 4")
    arguments = parser.parse_args()
    for name in arguments.architecture or ARCHITECTURES:
        check(name, arguments.folder, arguments.pipeline)


if __name__ == "__main__":
    main()
