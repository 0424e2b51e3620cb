"""Added tokens of the library tokenizers, described for `evaluator.tryit.added`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evaluator.tryit.characters_export import spaces
from evaluator.tryit.errors import NotInBrowserError
from evaluator.tryit.normalising import Normalise


def added(tokens: Iterable[Mapping[str, Any]], normalise: Normalise) -> dict[str, Any]:
    """The added tokens of ``tokenizer.json``: `typed` and `normalized` ones, and the `spaces` they may take.

    Raises `NotInBrowserError` where one must be a word by itself, or cannot be told from another.
    """
    found: dict[bool, dict[str, list[Any]]] = {False: {}, True: {}}
    for token in tokens:
        name, is_normalised = token["content"], token["normalized"]
        text = normalise(name) if is_normalised else name
        if token["single_word"]:
            raise NotInBrowserError(f"its tokeniser has the added token {name} with single_word")
        if not text or text in found[is_normalised]:
            raise NotInBrowserError(
                f"its tokeniser has the added token {name}, which is not told from others"
            )
        found[is_normalised][text] = [text, token["id"], token["lstrip"], token["rstrip"]]
    return {"typed": [*found[False].values()], "normalized": [*found[True].values()], "spaces": spaces()}
