"""The parts of a round: no writer and no prompt in two of them.

Writers are dealt to the parts, and a prompt goes with most of those who wrote for it; what others wrote for
it is left out. Of the parts that models are measured on, each label keeps as many examples as the rarest
one has, so that guessing is at chance. Many deals are tried, and the one is taken that keeps most.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.records.errors import UserError

PARTS = ("train", "dev", "test")
#: The parts that models are measured on.
MEASURED = ("dev", "test")
#: How many deals are tried.
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


#: The numbers of the pieces in each part, in order, and how many were left out for which reason.
RoundSplit = tuple[dict[str, list[int]], dict[str, int]]


def split(
    pieces: Sequence[SplitPiece], labels: Sequence[str], shares: Mapping[str, float], seed: int
) -> RoundSplit:
    """The pieces in parts; `shares` say how many of all each part should have, in any unit.

    The same pieces, shares and seed give the same parts. Raises `UserError` where a part that should have
    something would be empty, or lack a label.
    """
    wanted = {part: share for part, share in shares.items() if share > 0}
    chance = random.Random(f"{seed}/split")
    best, most = None, 0.0
    for _ in range(DEALS):
        found = _cut(pieces, labels, _dealt(pieces, wanted, chance), chance)
        worth = min(len(found[0][part]) / share for part, share in wanted.items())
        if worth > most:
            best, most = found, worth
    if best is None:
        writers = len({piece.writer for piece in pieces})
        hard = Counter(piece.label for piece in pieces if piece.hard)
        counts = ", ".join(f"{hard[label]} {label}" for label in labels) or str(hard.total())
        have = f"{len(pieces)} validated tries of {writers} writers, of which fooled a model: {counts}"
        fix = "collect more, from more writers, or ask for fewer parts, such as --share train=0 --share dev=0"
        named = ", ".join(wanted)
        raise UserError(f"no split into {named} has some of each label in each part; there are {have}; {fix}")
    return best


def _dealt(
    pieces: Sequence[SplitPiece], shares: Mapping[str, float], chance: random.Random
) -> list[str | None]:
    """The part of each piece; None where its prompt is in another part than its writer.

    Each writer, in an order of chance, goes to the part that lacks most.
    """
    counts = Counter(piece.writer for piece in pieces)
    order = sorted(counts)
    chance.shuffle(order)
    total = sum(shares.values())
    lacking = {part: share / total * len(pieces) for part, share in shares.items()}
    of_writer = {}
    for writer in order:
        of_writer[writer] = max(lacking, key=lambda part: lacking[part])
        lacking[of_writer[writer]] -= counts[writer]
    parts = [of_writer[piece.writer] for piece in pieces]
    votes: dict[str | None, Counter[str]] = {}
    for piece, part in zip(pieces, parts, strict=True):
        votes.setdefault(piece.prompt, Counter())[part] += 1
    of_prompt = {prompt: max(sorted(each), key=each.__getitem__) for prompt, each in votes.items()}
    return [
        part if piece.prompt is None or of_prompt[piece.prompt] == part else None
        for piece, part in zip(pieces, parts, strict=True)
    ]


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
        by_label = [[number for number in parts[part] if pieces[number].label == label] for label in labels]
        fewest = min(map(len, by_label))
        kept = sorted(number for each in by_label for number in chance.sample(each, fewest))
        left_out["more than the rarest label has"] += len(parts[part]) - len(kept)
        parts[part] = kept
    return parts, {reason: count for reason, count in sorted(left_out.items()) if count}
