"""Tokenisers of the library tokenizers, described for `evaluator.tryit.subwords`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evaluator.tryit import bpe_export, normalising_export, splitting_export, unigram_export
from evaluator.tryit.added_export import added
from evaluator.tryit.assembling_export import templates
from evaluator.tryit.errors import NotInBrowserError

#: What describes the models, by their type in ``tokenizer.json``.
MODELS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "BPE": bpe_export.described,
    "Unigram": unigram_export.described,
}


def described(tokenizer: Any, spec: Mapping[str, Any]) -> dict[str, Any]:
    """A `tokenizers.Tokenizer` as JSON, by its ``tokenizer.json``.

    Raises `NotInBrowserError` where a page could not do exactly the same.
    """
    normalizer = tokenizer.normalizer
    normalise = normalizer.normalize_str if normalizer else lambda text: text
    split = list(splitting_export.described(spec["pre_tokenizer"]))
    if normalizer and any(step.get("prepends") == "first" for step in split):
        raise NotInBrowserError("its tokeniser has the pre-tokenizer Metaspace with first, and a normalizer")
    return {
        "normalizer": list(normalising_export.described(spec["normalizer"])),
        "pre_tokenizer": split,
        "model": MODELS[spec["model"]["type"]](spec["model"]),
        "added": added(spec["added_tokens"], normalise),
        **templates(spec["post_processor"]),
    }
