"""How much faster an exported classifier is than its source: a ratio, both in one run.

Run from the repository: python benchmarks/exported.py [--layers 6] [--rounds 5] [--requests 40] [--threads 1]
A network of DistilBERT's sizes with random weights (Sanh et al. 2019: 6 layers, 768 dimensions, 12 heads) is
saved, exported by the recipe onnx, and both are opened in workers as `steelyard evaluate` opens them. Rounds
take turns, so that a busy machine slows both; each asks texts of a sentence one at a time. Printed are the
median over rounds of the ratio of throughputs, their range, the ratio of the processor time of all rounds,
which other work on the machine hardly changes, and the most memory that both took.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path

import psutil

from evaluator.data.datasets import Dataset
from evaluator.measure.models.preparing import prepare
from evaluator.measure.worker import Limits, ModelToLoad, Placement, Worker

LABELS = ("negative", "positive")
WORDS = [f"word{number}" for number in range(5000)]


def save(folder: Path, layers: int) -> None:
    """A DistilBERT with random weights, and a tokeniser of whole words."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocabulary = {word: place for place, word in enumerate([*special, *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        model_max_length=512,
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)
    transformers.set_seed(0)
    config = transformers.DistilBertConfig(
        n_layers=layers,
        id2label=dict(enumerate(LABELS)),
        label2id={name: at for at, name in enumerate(LABELS)},
    )
    transformers.DistilBertForSequenceClassification(config).save_pretrained(folder)


def texts(count: int) -> list[str]:
    """Sentences of 5 to 40 words, as in SST-2."""
    chance = random.Random(0)
    return [" ".join(chance.choices(WORDS, k=chance.randint(5, 40))) for _ in range(count)]


def throughput(worker: Worker, asked: list[str]) -> float:
    """Texts a second, one at a time."""
    begin = time.perf_counter()
    for text in asked:
        worker.predict({"statement": text})
    return len(asked) / (time.perf_counter() - begin)


def processor_time(worker: Worker) -> float:
    """Seconds of processor time that the worker's processes have taken so far."""
    first = psutil.Process(worker.pid)
    times = [process.cpu_times() for process in [first, *first.children(recursive=True)]]
    return float(sum(one.user + one.system for one in times))


def main() -> None:
    """Print the ratio, the memory, and how both answers compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--layers", type=int, default=6, help="of the network")
    parser.add_argument("--rounds", type=int, default=5, help="of each model, in turns")
    parser.add_argument("--requests", type=int, default=40, help="of each round")
    parser.add_argument("--threads", type=int, default=1, help="of each worker")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        source = Path(root) / "source"
        save(source, arguments.layers)
        rows = tuple({"id": str(at), "statement": text} for at, text in enumerate(texts(100)))
        train = Dataset("texts", "sentiment", LABELS, rows, (LABELS * 50)[:100], "sha256:" + "0" * 64)
        prepared = prepare("onnx", {}, train, 0, Path(root) / "models", source)
        print("parity:", prepared.details["origin"]["parity"])
        ratio(source, prepared.directory, arguments)


def ratio(source: Path, exported: Path, arguments: argparse.Namespace) -> None:
    """Print how the throughputs of the two folders compare."""
    asked = texts(arguments.requests)
    placement, found = Placement(threads=arguments.threads), []
    models = [("transformers", source), ("onnx", exported)]
    workers = [
        Worker(ModelToLoad(adapter, folder, {}, "sentiment", LABELS), Limits(), placement)
        for adapter, folder in models
    ]
    for worker in workers:
        worker.start()
        throughput(worker, asked[:5])
    before = [processor_time(worker) for worker in workers]
    for _ in range(arguments.rounds):
        slow, fast = (throughput(worker, asked) for worker in workers)
        found.append(fast / slow)
        print(f"transformers {slow:.1f}/s, onnx {fast:.1f}/s: {fast / slow:.2f} times", flush=True)
    print(f"median {statistics.median(found):.2f} times, from {min(found):.2f} to {max(found):.2f}")
    slow, fast = (processor_time(worker) - began for worker, began in zip(workers, before, strict=True))
    print(f"processor time: {slow:.2f} s and {fast:.2f} s, {slow / fast:.2f} times")
    for (adapter, _), worker in zip(models, workers, strict=True):
        print(f"{adapter}: {worker.memory().peak_bytes / 1e9:.2f} GB at the most")
        worker.close()


if __name__ == "__main__":
    main()
