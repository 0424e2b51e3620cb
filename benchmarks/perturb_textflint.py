"""TextFlint's own rate for each transformation, for `benchmarks/perturb.py --against textflint`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def rates(environment: Path, sentences: Sequence[str]) -> dict[str, float]:
    """Sentences a second of TextFlint itself; the pipe to its process is not counted.

    One process, one core, one sentence after another; each transformation is warmed up first. Raises
    `UserError` if TextFlint is not installed in `environment`, and ValueError if it
    failed on a sentence, because a call that fails early would look fast.
    """
    from evaluator.textflint.backend import NAMES, TextFlint

    found = {}
    with TextFlint(environment) as backend:
        for name in NAMES:
            for seed, sentence in enumerate(sentences[:20]):
                backend.ask(name, sentence, seed)
            answers = [backend.ask(name, sentence, seed) for seed, sentence in enumerate(sentences)]
            if backend.failures[name]:
                raise ValueError(
                    f"TextFlint: {name} failed on some sentences: {dict(backend.failures[name])}"
                )
            found[name] = 1e9 * len(sentences) / sum(answer.elapsed_ns for answer in answers)
    return found
