"""Metrics of sequence labelling: tokens by their tags, entities by CoNLL's reading of BIO tags; ours.

An entity begins at a B tag, and at an I tag that follows O or another type; it is right where type,
beginning and end are. As the CoNLL-2000 script conlleval (and seqeval's default mode).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from evaluator.records.errors import UserError
from evaluator.score.metrics.base import Integers, Metric, Scored, check_pairs, influence_of_sums, percentage
from evaluator.score.metrics.classification import ConfusionCounts, average, averaged

Entity = tuple[str, int, int]
#: Of one sequence: how often each name is right, predicted and gold.
ByName = tuple[Counter[str], Counter[str], Counter[str]]


@dataclass(frozen=True, eq=False)
class Tagged:
    """n sequences of tags. A sequence that was not answered is all "", which is no tag, and wrong."""

    predictions: list[list[str]]
    references: list[list[str]]

    @cached_property
    def counts(self) -> ConfusionCounts:
        """Right, predicted and gold entities of each type."""
        return _summed(self._entities)

    @cached_property
    def count_rows(self) -> Integers:
        """The same of each sequence (n, 3 k), one after the other."""
        return _rows(self._entities, self.counts.names)

    @cached_property
    def _entities(self) -> list[ByName]:
        return [
            _by_name(found & true, found, true, lambda entity: entity[0])
            for ours, theirs in zip(self.predictions, self.references, strict=True)
            for found, true in [(entities(ours), entities(theirs))]
        ]

    @cached_property
    def token_counts(self) -> ConfusionCounts:
        """Right, predicted and gold tokens of each tag but O."""
        return _summed(self._tokens)

    @cached_property
    def token_count_rows(self) -> Integers:
        """The same of each sequence (n, 3 k), one after the other."""
        return _rows(self._tokens, self.token_counts.names)

    @cached_property
    def _tokens(self) -> list[ByName]:
        found = []
        for ours, theirs in zip(self.predictions, self.references, strict=True):
            right = [our for our, their in zip(ours, theirs, strict=True) if our == their]
            named = [[tag for tag in tags if tag not in ("O", "")] for tags in (right, ours, theirs)]
            found.append(_by_name(named[0], named[1], named[2]))
        return found


def _by_name(
    right: Iterable[Any], predicted: Iterable[Any], gold: Iterable[Any], name: Callable[[Any], str] = str
) -> ByName:
    """Right, predicted and gold ones, counted by name."""
    return Counter(map(name, right)), Counter(map(name, predicted)), Counter(map(name, gold))


def _summed(items: Sequence[ByName]) -> ConfusionCounts:
    columns = [Counter[str]() for _ in range(3)]
    for item in items:
        for column, counts in zip(columns, item, strict=True):
            column.update(counts)
    names = tuple(sorted({*columns[1], *columns[2]}))
    return ConfusionCounts(
        names, *(np.array([column[name] for name in names], dtype=np.int64) for column in columns)
    )


def _rows(items: Sequence[ByName], names: Sequence[str]) -> Integers:
    rows = [[counts[name] for counts in item for name in names] for item in items]
    return np.array(rows, dtype=np.int64).reshape(len(items), 3 * len(names))


def tagged(predictions: Any, references: Any) -> Tagged:
    """The checked inputs: lists of BIO tags; None or an empty list of predictions is no answer."""
    check_pairs(predictions, references)
    gold = [_tags(f"references[{number}]", tags) for number, tags in enumerate(references)]
    if not any(gold):
        raise UserError("references", "no tags to score")
    ours = []
    for number, (tags, true) in enumerate(zip(predictions, gold, strict=True)):
        ours.append(_tags(f"predictions[{number}]", tags) if tags else [""] * len(true))
        if len(ours[-1]) != len(true):
            raise UserError(f"predictions[{number}]", f"{len(ours[-1])} tags for {len(true)} tokens")
    return Tagged(ours, gold)


def _tags(name: str, tags: Any) -> list[str]:
    if isinstance(tags, str) or not isinstance(tags, Sequence | np.ndarray):
        raise UserError(name, f"{tags!r} is not a list of tags")
    for tag in tags:
        if not (isinstance(tag, str) and (tag in ("O", "B", "I") or tag.startswith(("B-", "I-")))):
            raise UserError(name, f"{tag!r} is not a BIO tag (O, B-type or I-type)")
    return list(tags)


def entities(tags: Iterable[str]) -> set[Entity]:
    """(type, first token, token after the last) of the entities. A tag without a type has the type "_"."""
    found: set[Entity] = set()
    begun, kind = 0, ""
    for place, tag in enumerate([*tags, "O"]):
        mark, _, named = tag.partition("-")
        here = (named or "_") if mark in ("B", "I") else ""
        if kind and (mark == "B" or here != kind):
            found.add((kind, begun, place))
        if here and (mark == "B" or here != kind):
            begun = place
        kind = here
    return found


def token_accuracy(items: Tagged) -> Scored:
    """Share of tokens with the right tag, in per cent, over all tokens; `per_item` is each sequence's own."""
    right = np.array(
        [sum(map(str.__eq__, *pair)) for pair in zip(items.predictions, items.references, strict=True)]
    )
    tokens = np.array([len(tags) for tags in items.references])
    return Scored(
        100.0 * float(right.sum()) / int(tokens.sum()),
        100.0 * right / np.maximum(tokens, 1),
        influence=influence_of_sums(np.column_stack([right, tokens]), percentage),
    )


def token_f1(items: Tagged) -> Scored:
    """F1 of tokens with a tag other than O, micro-averaged, in per cent."""
    return averaged(items.token_counts, "f1", "micro", lambda: items.token_count_rows)


METRICS = (
    Metric(
        "token-accuracy",
        "Token accuracy",
        "token-accuracy-1",
        {"sequence-labelling": token_accuracy},
        description="share of tokens with the right tag",
    ),
    Metric(
        "entity-f1",
        "Entity F1",
        "entity-f1-1",
        {"sequence-labelling": average("f1", "micro")},
        description="micro F1 of whole entities, boundaries and type",
    ),
)
