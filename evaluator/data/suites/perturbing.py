"""One example under one transformation; standard library only, as a page perturbs a visitor's text, too."""

from __future__ import annotations

import hashlib
import random

from evaluator.data.suites.base import FieldTexts, Protected, Transformation
from evaluator.data.suites.edits import apply, touches


def changed_texts(
    transformation: Transformation, texts: FieldTexts, rng: random.Random, protected: Protected
) -> dict[str, str] | None:
    """The fields whose text is another one afterwards; None where the transformation does not apply.

    Raises `UndecidedError` where the texts do not show whether it does, and ValueError if it breaks its
    promise: edits that overlap or touch what is `protected`.
    """
    edits = transformation.edit(texts, rng, protected)
    if not any(edits.values()):
        return None
    for name, spans in protected.items():
        if any(touches(edit, spans) for edit in edits.get(name, ())):
            raise ValueError(f"{transformation.name}: {name}: an edit touches what must stay")
    after = {name: apply(texts[name], found) for name, found in edits.items() if found}
    return {name: text for name, text in after.items() if text != texts[name]}


def seed_of(seed: int, transformation: str, example: str) -> int:
    """The seed of one example's chances, by the suite's seed and what it is a variant of."""
    content = f"{seed}\0{transformation}\0{example}".encode()
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest())
