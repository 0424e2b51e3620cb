"""Byte pair encodings of the library tokenizers, described for `evaluator.tryit.bpe`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluator.tryit.errors import NotInBrowserError
from evaluator.tryit.vocabularies import has_bytes, vocabulary

#: What is left out where it is as usual, and what that is.
USUAL = {"dropout": (None, 0.0), "continuing_subword_prefix": (None, ""), "end_of_word_suffix": (None, "")}


def described(model: Mapping[str, Any]) -> dict[str, Any]:
    """The model of ``tokenizer.json``; `merged` has the pieces that merges make, in the order of their ranks,
    and `lengths` how many characters of each are the left part.

    Raises `NotInBrowserError` where it does more than merge.
    """
    for name, usual in USUAL.items():
        if model.get(name) not in usual:
            raise NotInBrowserError(f"its tokeniser has the model BPE with {name} = {model[name]!r}")
    numbers = model["vocab"]
    merges = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
    return {
        "type": "BPE",
        "vocabulary": vocabulary(numbers),
        "unknown": model["unk_token"],
        "fuses_unknown": model["fuse_unk"],
        "bytes": model["byte_fallback"] and has_bytes(numbers),
        "knows_words": model["ignore_merges"],
        "merged": [numbers[left + right] for left, right in merges],
        "lengths": [len(left) for left, _ in merges],
    }
