"""Sequence classifiers of transformers that are trained here: a small BERT from scratch, and how."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import need
from evaluator.measure.models.encoders import pair_tokens
from evaluator.measure.models.prepared import Options, Recipe, Training

# Sums are split among threads, so that their number decides the last bits of the weights.
THREADS = 2
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def repeatable(seed: int) -> None:
    """Let torch give the same weights whenever it is trained with this seed."""
    torch = need("torch")
    torch.set_num_threads(THREADS)
    torch.use_deterministic_algorithms(True)
    need("transformers").set_seed(seed)


def _build_bert(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Train tokeniser and classifier and save both with save_pretrained."""
    transformers = need("transformers")
    repeatable(seed)
    vocabulary = _vocabulary(training.texts, options["vocabulary"])
    tokenizer = transformers.BertTokenizerFast(vocab=vocabulary, model_max_length=options["max_length"])
    network = transformers.BertForSequenceClassification(_config(tokenizer, training.labels, options))
    train(network, tokenizer, training, options, seed)
    tokenizer.save_pretrained(directory)
    network.save_pretrained(directory)
    return {}


def _vocabulary(texts: list[str], size: int) -> dict[str, int]:
    """A WordPiece vocabulary of at most `size` pieces, unless there are more characters than that.

    The trainer numbers the pieces ``##x`` as it meets them, in an order that changes from run to run,
    and settles ties by these numbers. Named beforehand, in order, they make it repeatable.
    """
    wordpiece = need("tokenizers").BertWordPieceTokenizer(lowercase=True)
    characters = sorted({char for text in texts for char in wordpiece.normalizer.normalize_str(text)})
    wordpiece.train_from_iterator(
        texts,
        vocab_size=size,
        min_frequency=2,
        special_tokens=[*SPECIAL, *(f"##{char}" for char in characters)],
        show_progress=False,
    )
    return dict(sorted(wordpiece.get_vocab().items(), key=lambda item: item[1]))


def _config(tokenizer: Any, labels: tuple[str, ...], options: Options) -> Any:
    return need("transformers").BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=options["hidden"],
        num_hidden_layers=options["layers"],
        num_attention_heads=options["heads"],
        intermediate_size=options["hidden"] * 4,
        max_position_embeddings=options["max_length"],
        hidden_dropout_prob=options["dropout"],
        attention_probs_dropout_prob=options["dropout"],
        pad_token_id=tokenizer.pad_token_id,
        id2label=dict(enumerate(labels)),
        label2id={label: index for index, label in enumerate(labels)},
    )


def train(network: Any, tokenizer: Any, training: Training, options: Options, seed: int) -> None:
    """AdamW under a linear schedule with warm-up over the first tenth of the steps.

    `options` has `batch_size`, `epochs`, `lr`, `max_length` in tokens and `weight_decay`.
    """
    torch, size, rng = need("torch"), options["batch_size"], random.Random(seed)
    steps = options["epochs"] * math.ceil(len(training.texts) / size)
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=options["lr"], weight_decay=options["weight_decay"]
    )
    schedule = need("transformers").get_linear_schedule_with_warmup(optimizer, steps // 10, steps)
    rows = _rows(tokenizer, training, options["max_length"])
    network.train()
    done = 0
    for _ in range(options["epochs"]):
        for batch in _batches([len(row["input_ids"]) for row in rows], size, rng):
            training.progress(done, steps)
            done += 1
            inputs = tokenizer.pad([rows[i] for i in batch], return_tensors="pt")
            gold = torch.tensor([training.gold[i] for i in batch])
            network(**inputs, labels=gold).loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
    network.eval()


def _rows(tokenizer: Any, training: Training, max_length: int) -> list[dict[str, list[int]]]:
    """What the network reads of each example: two input fields are a pair, as they are when it is asked."""
    pairs = [tuple(example.values()) for example in training.examples]
    if pairs and len(pairs[0]) == 2:
        return [dict(pair_tokens(tokenizer, pair[0], pair[1], max_length)) for pair in pairs]
    encoded = tokenizer(training.texts, truncation=True, max_length=max_length)
    return [{"input_ids": ids} for ids in encoded["input_ids"]]


def _batches(lengths: list[int], size: int, rng: random.Random) -> Iterator[list[int]]:
    """Every index once, in batches of about equal length, so that little is padding; shuffled."""
    order = sorted(range(len(lengths)), key=lambda i: (lengths[i] + rng.uniform(-2, 2), rng.random()))
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    rng.shuffle(batches)
    yield from batches


SMALL = Recipe(
    "transformers",
    _build_bert,
    options={
        "vocabulary": 5000,
        "hidden": 128,
        "layers": 2,
        "heads": 4,
        "dropout": 0.2,
        "max_length": 128,
        "epochs": 6,
        "batch_size": 32,
        "lr": 5e-4,
        "weight_decay": 0.01,
    },
    packages={"torch": "torch", "transformers": "transformers", "tokenizers": "tokenizers"},
    fields=2,
)
