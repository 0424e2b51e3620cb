"""Perplexity of the answers under a causal language model, whatever the references say.

That of a text is exp of the mean negative log-likelihood of its tokens (Jelinek et al. 1977), each given
those before it and the token that begins a text; the value is the mean over texts, as in the package
evaluate. An empty answer has no tokens: it counts as one of tokens drawn at random, whose perplexity is the
size of the vocabulary, and so does any that is less probable than that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evaluator.score.metrics.base import Floats, MetricError, Scored
from evaluator.score.metrics.neural.checkpoint import Checkpoint, token_room
from evaluator.score.metrics.neural.network import Scorer
from evaluator.score.metrics.texts import Texts


class Perplexity:
    """Perplexity by one network; it has no options."""

    settings = ""

    def __init__(self, checkpoint: Checkpoint) -> None:
        checkpoint.check_options(())
        self.scores = Scorer(lambda: _Reader(checkpoint).perplexity)

    def __call__(self, items: Texts) -> Scored:
        """Mean over items; the least of several predictions."""
        own = self.scores(items.form(str.strip)[: len(items.predictions)])[0]
        each = items.reduced(own[items.left], lower=True)[0]
        return Scored(float(each.mean()), each)


class _Reader:
    def __init__(self, checkpoint: Checkpoint) -> None:
        found = checkpoint.read("AutoModelForCausalLM")
        self.torch, self.tokenizer, self.network = found.torch, found.tokenizer, found.network
        self.room = token_room(found.network.config, found.tokenizer)
        if found.tokenizer.bos_token_id is None:
            raise MetricError(f"perplexity: {found.directory}: its tokeniser has no token to begin a text")

    def perplexity(self, texts: list[str]) -> Floats:
        """Perplexities (1, p) of p texts, 1 to the size of the vocabulary."""
        ids, counted = self._tokens(texts)
        with self.torch.inference_mode():
            logits = self.network(input_ids=ids, attention_mask=counted.long()).logits[:, :-1]
        each = logits.float().log_softmax(dim=-1).gather(2, ids[:, 1:, None])[:, :, 0]
        counted = counted[:, 1:]
        mean = (each * counted).sum(dim=1) / counted.sum(dim=1)
        found, most = (-mean).exp().double().numpy()[None], float(logits.shape[-1])
        perplexities: Floats = np.minimum(np.nan_to_num(found, nan=most), most)
        return perplexities

    def _tokens(self, texts: list[str]) -> tuple[Any, Any]:
        """The ids (p, tokens), the one that begins a text first, and which of them there are."""
        begin = self.tokenizer.bos_token_id
        rows = self.tokenizer(texts, add_special_tokens=False, truncation=True, max_length=self.room - 1)[
            "input_ids"
        ]
        tensors = [self.torch.tensor([begin, *row]) for row in rows]
        pad = self.torch.nn.utils.rnn.pad_sequence
        there = [self.torch.ones(len(tensor), dtype=bool) for tensor in tensors]
        return pad(tensors, batch_first=True, padding_value=begin), pad(there, batch_first=True)
