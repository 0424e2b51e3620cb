"""What responses confirm of the tries, and its parts: no writer and no prompt in two of them.

Writers are dealt to the parts, and a prompt goes with most of those who wrote for it; what others wrote for
it is left out. Of the parts that models are measured on, each label keeps as many examples as the rarest
one has, so that guessing is at chance. Many deals are tried, and the one is taken that keeps most.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evaluator.records.base import Count, Record, Share, Slug
from evaluator.records.board.specs import UNLIKE
from evaluator.records.errors import UserError
from evaluator.records.scratch import write_atomic
from evaluator.rounds.checking import CheckedTry, read_checked, sound_tries
from evaluator.rounds.collection import Collection, Try
from evaluator.rounds.events import Response, TryId
from evaluator.rounds.validating import GoldQuestion, read_gold
from evaluator.score.certainty import wilson
from evaluator.score.metrics import human_performance
from evaluator.score.metrics.annotators import Agreement, fleiss_kappa, krippendorff_alpha
from evaluator.score.metrics.squad_pair import token_f1

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

    The same pieces, shares and seed give the same parts. Raises `UserError` where a part that should have
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
        raise UserError(_too_few(pieces, labels, wanted))
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


FILE = "merged.json"
#: What a vote on a text says of the writer's answer, where it is counted like a label.
CORRECT, INCORRECT = "correct", "incorrect"


class MergedTry(Record):
    """What validators say of a try. `votes` are their answers, in order of their names.

    `majority` is what more than half of all responses say, unsure ones counted among them; None without
    any. `validated`: enough responses, a majority that is the writer's own answer, and no flag.
    """

    id: TryId
    votes: tuple[str, ...]
    unsure: Count
    flags: tuple[str, ...]
    majority: str | None
    validated: bool
    fooled: tuple[Slug, ...]
    problems: tuple[str, ...]


class Coefficient(Record):
    """Agreement beyond chance with its 95 % interval, over so many tries."""

    value: float
    interval: tuple[float, float]
    tries: Count


class Rate(Record):
    """So many of all tries, as a share with its 95 % interval (Wilson 1927)."""

    count: Count
    of: Count
    share: Share
    interval: tuple[Share, Share]


class ValidatorReport(Record):
    """How one validator did. `agreement`: answers that are the majority of the others' answers to the try."""

    validator: Slug
    responses: Count
    unsure: Count
    flags: Count
    agreement: Rate | None
    gold: Rate | None


class Merged(Record):
    """The tries in order, and what is true of them together.

    `error_rate` is the share of all tries that fool a model (MER), `validated_error_rate` the share that
    fool it and are validated (vMER, Dynabench: Kiela et al. 2021); by model, and "any" for one or more.
    `people` is what a person would reach on the validated tries, by the rule of DynaSent.
    """

    collection: Slug
    tries: tuple[MergedTry, ...]
    writers: Count
    error_rate: dict[str, Rate]
    validated_error_rate: dict[str, Rate]
    fleiss_kappa: Coefficient | None
    krippendorff_alpha: Coefficient | None
    validators: tuple[ValidatorReport, ...]
    people: dict[str, Any] | None


def merge(collection: Collection) -> Merged:
    """All responses put together. Raises `UserError` where a file is wrong, or nothing was checked."""
    tries = sound_tries(collection)
    checked = {one.id: one for one in read_checked(collection).tries}
    responses, problems = collection.read_responses()
    gold = read_gold(collection)
    unknown = {id_ for one in responses.values() for id_ in one} - checked.keys() - gold.keys()
    problems += [f"{collection.folder}: id: {id_} is no try; delete its responses" for id_ in sorted(unknown)]
    if problems:
        raise UserError("\n".join(problems))
    by_try = _by_try(responses)
    merged = [_merged(collection, one, checked[one.id], by_try.get(one.id, {})) for one in tries]
    votes = [_counted(collection, one, by_try.get(one.id, {})) for one in tries]
    return Merged(
        collection=collection.spec.id,
        tries=tuple(merged),
        writers=len({one.asked.writer for one in tries}),
        error_rate=_rates(collection, merged, only_validated=False),
        validated_error_rate=_rates(collection, merged, only_validated=True),
        fleiss_kappa=_coefficient(fleiss_kappa([list(each.values()) for each in votes])),
        krippendorff_alpha=_coefficient(krippendorff_alpha([list(each.values()) for each in votes])),
        validators=tuple(_reports(collection, responses, votes, gold)),
        people=_people(collection, merged),
    )


def keep(collection: Collection, merged: Merged) -> Path:
    """Write what was merged into the collection's folder; return where."""
    path = collection.folder / FILE
    write_atomic(path, (merged.model_dump_json(indent=1) + "\n").encode())
    return path


def _by_try(responses: Mapping[str, Mapping[str, Response]]) -> dict[str, dict[str, Response]]:
    """The responses to each try, by validator, in the order of their names."""
    found: dict[str, dict[str, Response]] = {}
    for validator, given in sorted(responses.items()):
        for id_, response in given.items():
            found.setdefault(id_, {})[validator] = response
    return found


def _merged(
    collection: Collection, one: Try, checked: CheckedTry, responses: Mapping[str, Response]
) -> MergedTry:
    assert one.judged is not None
    others = [response for validator, response in responses.items() if validator != one.asked.writer]
    votes = tuple(response.answer for response in others if response.answer is not None)
    majority = _majority(collection, one, votes, len(others))
    flags = tuple(response.reason for response in others if response.mark == "flag")
    agreed = majority is not None and majority == one.judged.answer
    return MergedTry(
        id=one.id,
        votes=votes,
        unsure=sum(response.mark == "unsure" for response in others),
        flags=flags,
        majority=majority,
        validated=len(others) >= collection.spec.responses and agreed and not flags,
        fooled=checked.fooled,
        problems=checked.problems,
    )


def _majority(collection: Collection, one: Try, votes: Sequence[str], responses: int) -> str | None:
    """What more than half of the responses say; of texts, the writer's answer if so many agree with it."""
    assert one.judged is not None
    if not collection.labels:
        agreeing = sum(agrees(collection, vote, one.judged.answer) for vote in votes)
        return one.judged.answer if 2 * agreeing > responses else None
    [(label, times)] = Counter(votes).most_common(1) or [("", 0)]
    return label if 2 * times > responses else None


def agrees(collection: Collection, answer: str, right: str) -> bool:
    """Whether a text says what the right one does, by the rule that holds for models."""
    return token_f1(answer, right) >= UNLIKE


def _counted(collection: Collection, one: Try, responses: Mapping[str, Response]) -> dict[str, str]:
    """Each validator's answer to a try; where it is a text, whether it is the writer's."""
    assert one.judged is not None
    answers = {name: response.answer for name, response in responses.items() if response.answer is not None}
    answers.pop(one.asked.writer, None)
    if collection.labels:
        return answers
    right = one.judged.answer
    return {
        name: CORRECT if agrees(collection, answer, right) else INCORRECT for name, answer in answers.items()
    }


def _rates(collection: Collection, tries: Sequence[MergedTry], only_validated: bool) -> dict[str, Rate]:
    counted = [one.fooled for one in tries if one.validated or not only_validated]
    rates = {model: sum(model in fooled for fooled in counted) for model in collection.spec.models}
    rates["any"] = sum(bool(fooled) for fooled in counted)
    return {name: _rate(count, len(tries)) for name, count in rates.items()}


def _rate(count: int, of: int) -> Rate:
    return Rate(count=count, of=of, share=count / of, interval=wilson(count, of))


def _coefficient(found: Agreement | None) -> Coefficient | None:
    if found is None:
        return None
    return Coefficient(value=found.value, interval=found.interval, tries=found.items)


def _reports(
    collection: Collection,
    responses: Mapping[str, Mapping[str, Response]],
    votes: Sequence[Mapping[str, str]],
    gold: Mapping[str, GoldQuestion],
) -> Iterable[ValidatorReport]:
    compared: dict[str, list[bool]] = {}
    for each in votes:
        counts = Counter(each.values())
        # Once an answer, as there are far fewer of them than of validators.
        agreeing = {answer: _with_others(counts, answer) for answer in counts}
        for validator, answer in each.items():
            agrees = agreeing[answer]
            if agrees is not None:
                compared.setdefault(validator, []).append(agrees)
    for validator, given in sorted(responses.items()):
        known = [_right(collection, given[id_], gold[id_]) for id_ in gold.keys() & given.keys()]
        marks = [response.mark for response in given.values()]
        yield ValidatorReport(
            validator=validator,
            responses=len(given),
            unsure=marks.count("unsure"),
            flags=marks.count("flag"),
            agreement=_rate_of(compared.get(validator, [])),
            gold=_rate_of(known),
        )


def _with_others(counts: Counter[str], answer: str) -> bool | None:
    """Whether an answer is that of more than half of the others; None where these have no such answer."""
    others = counts.total() - 1
    own = counts[answer] - 1
    most = max((count for other, count in counts.items() if other != answer), default=0)
    return True if 2 * own > others else False if 2 * most > others else None


def _right(collection: Collection, response: Response, gold: GoldQuestion) -> bool:
    if response.answer is None or collection.labels:
        return response.answer == gold.answer
    return agrees(collection, response.answer, gold.answer)


def _rate_of(found: Sequence[bool]) -> Rate | None:
    return _rate(sum(found), len(found)) if found else None


def _people(collection: Collection, tries: Sequence[MergedTry]) -> dict[str, Any] | None:
    """What a person reaches on the validated tries; None for texts, and where there are too few responses."""
    kept = [one for one in tries if one.validated and len(one.votes) >= 2]
    gold = [one.majority for one in kept if one.majority is not None]
    if not collection.labels or len(set(gold)) < 2:
        return None
    found = human_performance([one.votes for one in kept], gold, collection.labels, seed=0)
    return asdict(found)
