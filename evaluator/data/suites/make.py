"""A suite made: every transformation of every example, at most one variant each, and what became of each.

The same dataset revision, spec and seed give the same suite, in any order, process and
hash seed: each variant has a generator of its own, seeded by what it is a variant of.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from evaluator.data.suites.base import (
    Protected,
    Span,
    SuiteKind,
    Transformation,
    UndecidedError,
    changed_texts,
    places,
    seed_of,
)
from evaluator.data.suites.reading import read
from evaluator.records.base import digest
from evaluator.records.errors import UserError

#: Changes whenever the same transformations would make other variants. 1 cut words at combining marks, soft
#: hyphens and the like; where no text has any, its variants are today's, and its numbers stay comparable.
VERSION, PLAIN_VERSION = 2, 1

_encoded = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True)
class Definition:
    """What a suite is before it meets a dataset."""

    name: str
    kind: SuiteKind
    transformations: tuple[Transformation, ...]
    seed: int = 0
    version: int = VERSION

    def spec(self) -> dict[str, Any]:
        """What decides its variants, as JSON data."""
        return {
            "version": self.version,
            "kind": self.kind,
            "transformations": [transformation.spec() for transformation in self.transformations],
        }

    def hash(self, revision: str) -> str:
        """Identity of the suite on a dataset revision, known before it is made."""
        return digest({"spec": self.spec(), "seed": self.seed, "dataset": revision})


def version_for(fields: Sequence[str], examples: Iterable[Mapping[str, Any]]) -> int:
    """The version of a suite of these examples, of which the `fields` are perturbed."""
    odd = any(read(example.get(name, "")) for example in examples for name in fields)
    return VERSION if odd else PLAIN_VERSION


@dataclass(frozen=True)
class Counts:
    """What became of the examples under one transformation."""

    made: int = 0
    unchanged: int = 0
    not_applicable: int = 0
    undecided: int = 0


@dataclass(frozen=True)
class Variant:
    """One perturbed example: the `row` of its original, and the texts of the fields that changed."""

    row: int
    transformation: str
    texts: dict[str, str]


@dataclass(frozen=True)
class Suite:
    """All variants, example by example, and the counts of each transformation."""

    hash: str
    name: str
    kind: SuiteKind
    spec: dict[str, Any]
    seed: int
    dataset: str
    revision: str
    counts: dict[str, Counts]
    variants: tuple[Variant, ...]

    def dump(self) -> str:
        """The suite as JSON lines: its card, then a variant a line."""
        lines = [self.card(), *map(vars, self.variants)]
        return "".join(f"{_encoded(line)}\n" for line in lines)

    def card(self) -> dict[str, Any]:
        """What it is and what became of the examples, without a word of them."""
        fields = {name: value for name, value in vars(self).items() if name not in ("variants", "counts")}
        return fields | {"counts": {name: asdict(counts) for name, counts in self.counts.items()}}

    @classmethod
    def parse(cls, text: str) -> Suite:
        """The suite that `dump` wrote. Raises ValueError for anything else."""
        # A line ends at a newline only: other ends of lines are data.
        card, *lines = (json.loads(line) for line in text.removesuffix("\n").split("\n"))
        if not isinstance(card, dict):
            raise ValueError("its first line is no card of a suite")
        suite = TypeAdapter(cls).validate_python({**card, "variants": lines})
        if any(variant.row < 0 for variant in suite.variants):
            raise ValueError("a row is counted from 0")
        return suite

    @classmethod
    def read(cls, path: Path) -> Suite:
        """The suite in a file that `dump` wrote. Raises `UserError` for any other file."""
        try:
            return cls.parse(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            why = (str(error).splitlines() or [""])[0]
            raise UserError(path, f"is no suite ({why})", "remove the file, and it is made again") from None


def make(
    definition: Definition,
    dataset: str,
    revision: str,
    fields: Sequence[str],
    examples: Sequence[Mapping[str, Any]],
    protected: Sequence[Protected],
) -> Suite:
    """Perturb the `fields` of every example; `protected` says, example by example, what must stay.

    Raises ValueError if a transformation breaks its promise: edits that overlap or touch what is protected.
    """
    counts: dict[str, Counts] = {}
    found: list[Variant] = []
    for transformation in definition.transformations:
        variants, counts[transformation.name] = _all_of(
            transformation, definition.seed, fields, examples, protected
        )
        found += variants
    order = {transformation.name: place for place, transformation in enumerate(definition.transformations)}
    found.sort(key=lambda variant: (variant.row, order[variant.transformation]))
    return Suite(
        hash=definition.hash(revision),
        name=definition.name,
        kind=definition.kind,
        spec=definition.spec(),
        seed=definition.seed,
        dataset=dataset,
        revision=revision,
        counts=counts,
        variants=tuple(found),
    )


def _all_of(
    transformation: Transformation,
    seed: int,
    fields: Sequence[str],
    examples: Sequence[Mapping[str, Any]],
    protected: Sequence[Protected],
) -> tuple[list[Variant], Counts]:
    variants, unchanged, not_applicable, undecided = [], 0, 0, 0
    # Seeded anew for every example, which is as good as a generator of its own, and quicker.
    rng = random.Random()
    for row, example in enumerate(examples):
        texts = {name: example[name] for name in fields}
        rng.seed(seed_of(seed, transformation.name, example["id"]))
        try:
            changed = changed_texts(transformation, texts, rng, protected[row])
        except UndecidedError:
            undecided += 1
            continue
        if changed is None:
            not_applicable += 1
        elif changed:
            variants.append(Variant(row, transformation.name, changed))
        else:
            unchanged += 1
    return variants, Counts(len(variants), unchanged, not_applicable, undecided)


def occurrences(words: Iterable[str], text: str) -> list[Span]:
    """Where any of `words` is a whole word in `text`; if it nowhere is, where it is part of a longer one."""
    spans: set[Span] = set()
    for word in words:
        found = list(places(word, text))
        spans.update([span for span in found if _stands_alone(span, text)] or found)
    return sorted(spans)


def _stands_alone(span: Span, text: str) -> bool:
    start, end = span
    before = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    after = end < len(text) and text[end].isalnum() and text[end - 1].isalnum()
    return not (before or after)
