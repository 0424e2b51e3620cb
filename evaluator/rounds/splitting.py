"""Splits examples into parts, with no writer and no prompt in two of them, and labels equally frequent.

Writers are dealt to the parts, and a prompt goes with most of those who wrote for it; what others wrote for
it is left out. Of the parts that models are measured on, each label keeps as many examples as the rarest
one has, so that guessing is at chance. Many deals are tried, and the one is taken that keeps most.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluator.rounds.errors import CollectError

#: The parts; those that models are measured on; and how many deals are tried.
PARTS = ("train", "dev", "test")
MEASURED = ("dev", "test")
DEALS = 300


@dataclass(frozen=True)
class SplitPiece:
    """An example to be put into a part. Only what is `hard`, having fooled a model, may be measured on.

    `label` is its right answer, "" where answers are texts and nothing is balanced.
    """

    writer: str
    prompt: str | None
    label: str
    hard: bool


@dataclass(frozen=True)
class RoundSplit:
    """The numbers of the pieces in each part, in order, and how many were left out for which reason."""

    parts: dict[str, list[int]]
    left_out: dict[str, int] = field(default_factory=dict)


def split(
    pieces: Sequence[SplitPiece], labels: Sequence[str], shares: Mapping[str, float], seed: int
) -> RoundSplit:
    """The pieces in parts; `shares` say how many of all each part should have, in any unit.

    The same pieces, shares and seed give the same parts. Raises `CollectError` where a part that should have
    something would be empty, or lack a label.
    """
    wanted = {part: share for part, share in shares.items() if share > 0}
    chance = random.Random(f"{seed}/split")
    best: tuple[float, RoundSplit] | None = None
    for _ in range(DEALS):
        found = _cut(pieces, labels, _dealt(pieces, wanted, chance), chance)
        worth = min(len(found.parts[part]) / share for part, share in wanted.items())
        if best is None or worth > best[0]:
            best = worth, found
    if best is None or not best[0]:
        raise CollectError(_too_few(pieces, labels, wanted))
    return best[1]


def _dealt(
    pieces: Sequence[SplitPiece], shares: Mapping[str, float], chance: random.Random
) -> list[str | None]:
    """The part of each piece; None where its prompt is in another part than its writer."""
    of_writer = _writers(pieces, shares, chance)
    votes: dict[str, Counter[str]] = {}
    for piece in pieces:
        if piece.prompt is not None:
            votes.setdefault(piece.prompt, Counter())[of_writer[piece.writer]] += 1
    of_prompt = {prompt: max(sorted(each), key=each.__getitem__) for prompt, each in votes.items()}
    parts = [of_writer[piece.writer] for piece in pieces]
    return [
        part if piece.prompt is None or of_prompt[piece.prompt] == part else None
        for piece, part in zip(pieces, parts, strict=True)
    ]


def _writers(
    pieces: Sequence[SplitPiece], shares: Mapping[str, float], chance: random.Random
) -> dict[str, str]:
    """A part for each writer, in an order of chance: the one that lacks most."""
    counts = Counter(piece.writer for piece in pieces)
    order = sorted(counts)
    chance.shuffle(order)
    total = sum(shares.values())
    lacking = {part: share / total * len(pieces) for part, share in shares.items()}
    found = {}
    for writer in order:
        found[writer] = max(lacking, key=lambda part: lacking[part])
        lacking[found[writer]] -= counts[writer]
    return found


def _cut(
    pieces: Sequence[SplitPiece], labels: Sequence[str], dealt: Sequence[str | None], chance: random.Random
) -> RoundSplit:
    """The parts of a deal, those that are measured on balanced; and what is left out."""
    parts: dict[str, list[int]] = {part: [] for part in PARTS}
    left_out = Counter[str]()
    for number, (piece, part) in enumerate(zip(pieces, dealt, strict=True)):
        if part is None:
            left_out["the prompt is in another part"] += 1
        elif part in MEASURED and not piece.hard:
            left_out["fooled no model, in a part that is measured on"] += 1
        else:
            parts[part].append(number)
    for part in MEASURED if labels else ():
        kept = _balanced(pieces, labels, parts[part], chance)
        left_out["more than the rarest label has"] += len(parts[part]) - len(kept)
        parts[part] = kept
    return RoundSplit(parts, {reason: count for reason, count in sorted(left_out.items()) if count})


def _balanced(
    pieces: Sequence[SplitPiece], labels: Sequence[str], numbers: Sequence[int], chance: random.Random
) -> list[int]:
    of_label = {label: [number for number in numbers if pieces[number].label == label] for label in labels}
    fewest = min(map(len, of_label.values()))
    return sorted(number for one in of_label.values() for number in chance.sample(one, fewest))


def _too_few(pieces: Sequence[SplitPiece], labels: Sequence[str], shares: Mapping[str, float]) -> str:
    writers = len({piece.writer for piece in pieces})
    hard = Counter(piece.label for piece in pieces if piece.hard)
    counts = ", ".join(f"{hard[label]} {label}" for label in labels) or str(hard.total())
    have = f"{len(pieces)} validated tries of {writers} writers, of which fooled a model: {counts}"
    fix = "collect more, from more writers, or ask for fewer parts, such as --share train=0 --share dev=0"
    return f"no split into {', '.join(shares)} has some of each label in each part; there are {have}; {fix}"
