"""What all neural metrics share: a network that is opened once, and texts scored in batches."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evaluator.records.errors import UserError
from evaluator.score.metrics.base import Floats, Scored, package
from evaluator.score.metrics.checkpoints import Checkpoint
from evaluator.score.metrics.texts import Texts
from evaluator.score.pretrained import read_pretrained

#: What a maker makes: the settings that are part of the metric's version, and its function.
Made = tuple[str, Callable[[Texts], Scored]]
#: Texts asked at once.
AT_ONCE = 32
#: The longest input, in tokens, of networks that state no limit of their own.
LONGEST = 512
_MANY = 10**9
#: Networks whose positions are counted from the one after that of padding.
_SHIFTED = ("roberta", "camembert", "longformer", "mpnet", "esm")


class Network:
    """The network of a checkpoint, read with the `head` it answers by, and its tokeniser.

    Inputs are cut off after `room` tokens. Raises `UserError` where the files or a package are missing or
    broken.
    """

    def __init__(
        self, checkpoint: Checkpoint, head: str, may_lack: Sequence[str] = (), **options: Any
    ) -> None:
        self.checkpoint = checkpoint
        for name in ("torch", "transformers"):
            package(name, checkpoint.metric, "transformers")
        try:
            found = read_pretrained(head, checkpoint.directory, may_lack, **options)
        except UserError as error:
            raise UserError(f"{checkpoint.metric}: {error.place}", error.value, error.fix) from None
        self.torch, self.tokenizer, self.network = found.torch, found.tokenizer, found.network
        self.room = _token_room(found.network.config, found.tokenizer)

    def refuse(self, why: str) -> UserError:
        """What to raise for a network that cannot give this metric."""
        return UserError(f"{self.checkpoint.metric}: {self.checkpoint.directory}", why)

    def tokens(self, *texts: list[str], **options: Any) -> Any:
        """The texts' tokens as tensors, padded to the longest."""
        return self.tokenizer(
            *texts, padding=True, truncation=True, max_length=self.room, return_tensors="pt", **options
        )


def _token_room(config: Any, tokenizer: Any) -> int:
    """How many tokens a network takes, special ones included."""
    positions = getattr(config, "max_position_embeddings", None) or 0
    if any(name in config.model_type for name in _SHIFTED):
        positions -= (config.pad_token_id or 0) + 1
    known = [limit for limit in (tokenizer.model_max_length, positions) if 0 < limit < _MANY]
    return min(known, default=LONGEST)


class Scorer:
    """The network that `make` opens when it is first asked, and what it has answered.

    The same texts are asked once in a process: a board needs their scores, and how far each moves the mean.
    """

    def __init__(self, make: Callable[[], Callable[..., Floats]]) -> None:
        self._make = make
        self._network: Callable[..., Floats] | None = None
        self._known: dict[str, Floats] = {}

    def __call__(self, *columns: list[str]) -> Floats:
        """The scores (k, n) of n rows of texts: k numbers of each."""
        key = hashlib.sha256(json.dumps(columns).encode()).hexdigest()
        if key not in self._known:
            self._network = self._network or self._make()
            self._known[key] = in_batches(self._network, *columns)
        return self._known[key]


def in_batches(network: Callable[..., Floats], *columns: list[str], size: int = AT_ONCE) -> Floats:
    """The scores (k, n) of n rows of texts, rows of similar length together and the longest first."""
    lengths = [max(map(len, row)) for row in zip(*columns, strict=True)]
    order = np.argsort(lengths, kind="stable")[::-1]
    found = [
        network(*([column[row] for row in order[at : at + size]] for column in columns))
        for at in range(0, len(order), size)
    ]
    scores: Floats = np.concatenate(found, axis=1)
    return scores[:, np.argsort(order)]


def stripped_pairs(items: Texts) -> tuple[list[str], list[str]]:
    """The prediction and the reference of each pair, without white space around them."""
    left, right = items.pair_sequences(items.form(str.strip))
    return left, right


def limited(scores: Floats, predictions: list[str], most: float) -> Floats:
    """The scores of pairs (p,), where that of an empty prediction is `most` at most.

    A network may find nothing better than something wrong; nobody gains by not answering.
    """
    empty = np.array([not text for text in predictions])
    return np.where(empty, np.minimum(scores, most), scores)


def with_parts(each: Floats, precision: Floats, recall: Floats) -> Scored:
    """The mean over items, with those of precision and recall as parts."""
    parts = {"precision": float(precision.mean()), "recall": float(recall.mean())}
    return Scored(float(each.mean()), each, parts)
