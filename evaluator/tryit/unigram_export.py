"""Unigram models of the library tokenizers, described for `evaluator.tryit.unigram`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluator.tryit.errors import NotInBrowserError
from evaluator.tryit.vocabularies import has_bytes

#: What a model in ``tokenizer.json`` has.
KNOWN = {"type", "unk_id", "vocab", "byte_fallback"}


def described(model: Mapping[str, Any]) -> dict[str, Any]:
    """The model of ``tokenizer.json``: the pieces and their `scores`, natural logarithms, by number.

    Raises `NotInBrowserError` where it has no unknown piece, the same one twice, or something not known.
    """
    more = [name for name, value in model.items() if name not in KNOWN and value is not None]
    if more:
        raise NotInBrowserError(f"its tokeniser has the model Unigram with {more[0]} = {model[more[0]]!r}")
    pieces = [piece for piece, _ in model["vocab"]]
    if model["unk_id"] is None or len(set(pieces)) < len(pieces):
        raise NotInBrowserError("its tokeniser has the model Unigram without unk_id, or with a piece twice")
    return {
        "type": "Unigram",
        "vocabulary": pieces,
        "scores": [score for _, score in model["vocab"]],
        "unknown": model["unk_id"],
        "bytes": bool(model["byte_fallback"]) and has_bytes(set(pieces)),
    }
