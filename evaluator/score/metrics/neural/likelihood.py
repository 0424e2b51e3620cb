"""BARTScore and Prism: how probable an encoder-decoder finds one text given another.

BARTScore (Yuan et al. 2021, equation 2 with equal weights) is the mean log-probability of the tokens of
one text given the other, those that begin and end it included. Precision is of the answer given the
reference, recall of the reference given the answer, and the value is their mean, the paper's F-score.
The package Jury reports recall alone.

Prism (Thompson and Post 2020, section 3.1) is the same mean of both directions with a paraphraser, which
is a translation model that is told to write the language it reads. The token that names the language is
given, so its probability is left out. What is read here is a folder in transformers' form (M2M100, NLLB or
another whose tokeniser knows languages); the authors' own checkpoint is fairseq's and has to be converted.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from evaluator.score.metrics.base import Floats, MetricError, Scored
from evaluator.score.metrics.neural.checkpoint import Checkpoint, token_room
from evaluator.score.metrics.neural.network import Scorer, floored, stripped_pairs
from evaluator.score.metrics.texts import Texts


class BothWays:
    """The mean log-probability in nats a token, both ways, by one network."""

    def __init__(self, checkpoint: Checkpoint, language: str | None = None) -> None:
        self.settings = f"-{language}" if language else ""
        self.scores = Scorer(lambda: _Writer(checkpoint, language).both)

    def __call__(self, items: Texts) -> Scored:
        """Mean over items, with the best reference; `parts` are precision and recall of those pairs.

        An empty answer is no more probable than one of tokens drawn at random.
        """
        left, right = stripped_pairs(items)
        precision, recall, floor = self.scores(left, right)
        both = floored((precision + recall) / 2, left, float(floor[0]))
        each, precise, recalled = items.reduced(both, precision, recall)
        return Scored(
            float(each.mean()), each, {"precision": float(precise.mean()), "recall": float(recalled.mean())}
        )


def bartscore(checkpoint: Checkpoint) -> BothWays:
    """BARTScore; it has no options."""
    checkpoint.check_options(())
    return BothWays(checkpoint)


def prism(checkpoint: Checkpoint) -> BothWays:
    """Prism, with the option `language`: that of the texts, as the tokeniser calls it."""
    checkpoint.check_options(("language",))
    language = checkpoint.option("language", str, None)
    if language is None:
        raise MetricError('prism: options.language: missing; name the language of the texts, such as "en"')
    return BothWays(checkpoint, language)


class _Writer:
    def __init__(self, checkpoint: Checkpoint, language: str | None) -> None:
        found = checkpoint.read("AutoModelForSeq2SeqLM")
        self.torch, self.tokenizer, self.network = found.torch, found.tokenizer, found.network
        self.room = token_room(found.network.config, found.tokenizer)
        self.given = 0
        if language is not None:
            self._set_language(checkpoint.metric, language)

    def _set_language(self, metric: str, language: str) -> None:
        """Both sides are in that language, whose token comes first."""
        try:
            self.tokenizer.src_lang = self.tokenizer.tgt_lang = language
            first = self.tokenizer.convert_ids_to_tokens(self.tokenizer(text_target="a")["input_ids"][0])
        except (KeyError, ValueError, AttributeError):
            first = ""
        if language not in first:
            raise MetricError(f"{metric}: options.language: the tokeniser knows no language {language!r}")
        self.given = 1

    def both(self, left: list[str], right: list[str]) -> Floats:
        """Log-probabilities (3, p) in nats a token: left given right, the reverse, and tokens at random."""
        random = -math.log(self.network.config.vocab_size)
        return np.stack([self._of(right, left), self._of(left, right), np.full(len(left), random)])

    def _of(self, sources: list[str], targets: list[str]) -> Floats:
        """The mean log-probability (p,) of the tokens of each target given its source."""
        given = self._tokens(text=sources)
        target = self._tokens(text_target=targets)
        labels, counted = target["input_ids"], target["attention_mask"].bool()
        with self.torch.inference_mode():
            logits = self.network(
                input_ids=given["input_ids"],
                attention_mask=given["attention_mask"],
                labels=labels.masked_fill(~counted, -100),
            ).logits
        counted[:, : self.given] = False
        each = logits.float().log_softmax(dim=-1).gather(2, labels[:, :, None])[:, :, 0]
        mean: Floats = ((each * counted).sum(dim=1) / counted.sum(dim=1)).double().numpy()
        return mean

    def _tokens(self, **texts: list[str]) -> Any:
        return self.tokenizer(
            **texts, padding=True, truncation=True, max_length=self.room, return_tensors="pt"
        )
