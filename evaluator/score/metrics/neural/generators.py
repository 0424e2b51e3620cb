"""BARTScore, Prism and perplexity: how probable a network that writes finds a text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from evaluator.records.errors import UserError
from evaluator.score.metrics.base import Floats, Scored, mean_of
from evaluator.score.metrics.checkpoints import Checkpoint
from evaluator.score.metrics.neural.network import Made, Network, Scorer, limited, stripped_pairs, with_parts
from evaluator.score.metrics.texts import Texts


def bartscore(checkpoint: Checkpoint) -> Made:
    """BARTScore (Yuan et al. 2021, equation 2 with equal weights) in nats a token; no options.

    The mean log-probability of the tokens of one text given the other, those that begin and end it included.
    Precision is of the answer given the reference, recall of the reference given the answer, and the value is
    their mean, the paper's F-score. The package Jury reports recall alone.
    """
    checkpoint.check_options()
    return _both_ways(checkpoint, None)


def prism(checkpoint: Checkpoint) -> Made:
    """Prism (Thompson and Post 2020, section 3.1) in nats a token.

    The option `language` is that of the texts, as the tokeniser calls it. The same mean of both directions as
    `bartscore` with a paraphraser, which is a translation model that is told to write the language it reads.
    The token that names the language is given, so its probability is left out. What is read is a folder in
    transformers' form (M2M100, NLLB or another whose tokeniser knows languages); the authors' own checkpoint
    is fairseq's and has to be converted.
    """
    checkpoint.check_options(language=str)
    if "language" not in checkpoint.options:
        raise UserError("prism: options.language", "missing", 'name the language of the texts, such as "en"')
    return _both_ways(checkpoint, checkpoint.options["language"])


def _both_ways(checkpoint: Checkpoint, language: str | None) -> Made:
    score = Scorer(lambda: _Writer(checkpoint, language).both)

    def compute(items: Texts) -> Scored:
        left, right = stripped_pairs(items)
        precision, recall, at_random = score(left, right)
        both = limited((precision + recall) / 2, left, float(at_random[0]))
        return with_parts(*items.reduced(both, precision, recall))

    return f"-{language}" if language else "", compute


class _Writer(Network):
    def __init__(self, checkpoint: Checkpoint, language: str | None) -> None:
        super().__init__(checkpoint, "AutoModelForSeq2SeqLM")
        #: Tokens of a target that are given, not written: the one that names the language.
        self.given = 0 if language is None else 1
        if language is not None:
            self._set_language(language)

    def _set_language(self, language: str) -> None:
        try:
            self.tokenizer.src_lang = self.tokenizer.tgt_lang = language
            first = self.tokenizer.convert_ids_to_tokens(self.tokenizer(text_target="a")["input_ids"][0])
        except (KeyError, ValueError, AttributeError):
            first = ""
        if language not in first:
            raise self.refuse(f"options.language: the tokeniser knows no language {language!r}")

    def both(self, left: list[str], right: list[str]) -> Floats:
        """Log-probabilities (3, p) in nats a token: left given right, the reverse, and tokens at random."""
        at_random = -math.log(self.network.config.vocab_size)
        return np.stack([self._of(right, left), self._of(left, right), np.full(len(left), at_random)])

    def _of(self, sources: list[str], targets: list[str]) -> Floats:
        """The mean log-probability (p,) of the tokens of each target given its source."""
        given, target = self.tokens(sources), self.tokens(text_target=targets)
        labels, counted = target["input_ids"], target["attention_mask"].bool()
        with self.torch.inference_mode():
            logits = self.network(
                input_ids=given["input_ids"],
                attention_mask=given["attention_mask"],
                labels=labels.masked_fill(~counted, -100),
            ).logits
        counted[:, : self.given] = False
        return _mean_log_probability(logits, labels, counted)


def _mean_log_probability(logits: Any, ids: Any, counted: Any) -> Floats:
    """The mean log-probability (p,) in nats of the counted tokens (p, tokens); NaN where none is counted."""
    each = logits.float().log_softmax(dim=-1).gather(2, ids[:, :, None])[:, :, 0]
    mean: Floats = ((each * counted).sum(dim=1) / counted.sum(dim=1)).double().numpy()
    return mean


def perplexity(checkpoint: Checkpoint) -> Made:
    """Perplexity of the answers under a causal language model, whatever the references say; no options.

    That of a text is exp of the mean negative log-likelihood of its tokens (Jelinek et al. 1977), each given
    those before it and the token that begins a text; the value is the mean over texts, as in the package
    evaluate, and the least of several predictions counts. An empty answer has no tokens: it counts as one of
    tokens drawn at random, whose perplexity is the size of the vocabulary, and so does any that is less
    probable than that.
    """
    checkpoint.check_options()
    read = Scorer(lambda: _Reader(checkpoint).perplexity)

    def compute(items: Texts) -> Scored:
        own = read(items.form(str.strip)[: len(items.predictions)])[0]
        return mean_of(items.reduced(own[items.left], lower=True)[0])

    return "", compute


class _Reader(Network):
    def __init__(self, checkpoint: Checkpoint) -> None:
        super().__init__(checkpoint, "AutoModelForCausalLM")
        if self.tokenizer.bos_token_id is None:
            raise self.refuse("its tokeniser has no token to begin a text")

    def perplexity(self, texts: list[str]) -> Floats:
        """Perplexities (1, p) of p texts, 1 to the size of the vocabulary."""
        begin, pad = self.tokenizer.bos_token_id, self.torch.nn.utils.rnn.pad_sequence
        cut = self.tokenizer(texts, add_special_tokens=False, truncation=True, max_length=self.room - 1)
        rows = [self.torch.tensor([begin, *row]) for row in cut["input_ids"]]
        ids = pad(rows, batch_first=True, padding_value=begin)
        counted = pad([self.torch.ones(len(row), dtype=bool) for row in rows], batch_first=True)
        with self.torch.inference_mode():
            logits = self.network(input_ids=ids, attention_mask=counted.long()).logits[:, :-1]
        most = float(logits.shape[-1])
        found = np.exp(-_mean_log_probability(logits, ids[:, 1:], counted[:, 1:]))
        perplexities: Floats = np.minimum(np.nan_to_num(found, nan=most), most)[None]
        return perplexities
