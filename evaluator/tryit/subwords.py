"""Tokenisers that split words into pieces by what was learnt from texts; standard library only.

They give the numbers that the library tokenizers gives: added tokens are found, what stands between them is
normalised, split into words and these into pieces. What they know of characters was read off that library
when the copy was made, so that the library's version of Unicode decides and not Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from evaluator.tryit.added import AddedTokens
from evaluator.tryit.assembling import assembled
from evaluator.tryit.bpe import BytePairs
from evaluator.tryit.normalising import normalising
from evaluator.tryit.splitting import splitting
from evaluator.tryit.unigram import Unigram

#: The models by their name in descriptions.
MODELS: Mapping[str, Callable[[Mapping[str, Any]], BytePairs | Unigram]] = {
    "BPE": BytePairs,
    "Unigram": Unigram,
}


class Subwords:
    """A tokeniser of the description that `subwords_export.described` makes."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.added = AddedTokens(spec["added"])
        self.normalise = normalising(spec["normalizer"])
        self.split = splitting(spec["pre_tokenizer"])
        self.model = MODELS[spec["model"]["type"]](spec["model"])
        self.templates = {1: spec["single"], 2: spec["pair"]}

    def encode(self, texts: Sequence[str], most: int) -> dict[str, list[int]]:
        """As `assembling.Tokenizer` says."""
        numbers = [list(self._numbers(text)) for text in texts]
        return assembled(numbers, self.templates[len(texts)], most)

    def _numbers(self, text: str) -> Iterator[int]:
        for part in self.added.parts(text, self.normalise):
            if isinstance(part, int):
                yield part
            else:
                for word in self.split(part):
                    yield from self.model.of_word(word.text)
