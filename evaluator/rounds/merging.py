"""What responses confirm of the tries: votes, majorities, error rates, and how far people agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from evaluator.records.base import Count, Record, Share, Slug
from evaluator.records.errors import UserError
from evaluator.rounds.checking import CheckedTry, read_checked
from evaluator.rounds.collection import Collection, Try
from evaluator.rounds.events import Response, TryId
from evaluator.score.certainty import wilson
from evaluator.score.metrics.annotators import (
    Agreement,
    HumanPerformance,
    fleiss_kappa,
    human_performance,
    krippendorff_alpha,
)

FILE = "merged.json"


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


class Rate(Record):
    """A share as a count of how many, with its 95 % interval by Wilson."""

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
    fleiss_kappa: Agreement | None
    krippendorff_alpha: Agreement | None
    validators: tuple[ValidatorReport, ...]
    people: HumanPerformance | None


def merge(collection: Collection) -> Merged:
    """All responses put together. Raises `UserError` where a file is wrong, or nothing was checked."""
    tries = collection.judged_tries()
    checked = {one.id: one for one in read_checked(collection).tries}
    responses = collection.responses()
    unknown = {id_ for given in responses.values() for id_ in given} - checked.keys() - collection.gold.keys()
    if unknown:
        wrong = [f"{collection.folder}: id: {id_} is no try; delete its responses" for id_ in sorted(unknown)]
        raise UserError("\n".join(wrong))
    merged, votes = [], []
    for one in tries:
        # Nobody validates themselves.
        given = {
            name: each[one.id]
            for name, each in responses.items()
            if one.id in each and name != one.asked.writer
        }
        merged.append(_merged(collection, one, checked[one.id], list(given.values())))
        votes.append(_comparable(collection, one, given))
    ballots = [list(each.values()) for each in votes]
    return Merged(
        collection=collection.spec.id,
        tries=tuple(merged),
        writers=len({one.asked.writer for one in tries}),
        error_rate=_rates(collection, merged, only_validated=False),
        validated_error_rate=_rates(collection, merged, only_validated=True),
        fleiss_kappa=fleiss_kappa(ballots),
        krippendorff_alpha=krippendorff_alpha(ballots),
        validators=tuple(_reports(collection, responses, votes)),
        people=_people(collection, merged),
    )


def _merged(
    collection: Collection, one: Try, checked: CheckedTry, responses: Sequence[Response]
) -> MergedTry:
    votes = tuple(response.answer for response in responses if response.answer is not None)
    flags = tuple(response.reason for response in responses if response.mark == "flag")
    if collection.labels:
        [(favourite, count)] = Counter(votes).most_common(1) or [("", 0)]
    else:
        favourite, count = one.right, sum(collection.agrees(vote, one.right) for vote in votes)
    majority = favourite if 2 * count > len(responses) else None
    enough = len(responses) >= collection.spec.responses
    return MergedTry(
        id=one.id,
        votes=votes,
        unsure=sum(response.mark == "unsure" for response in responses),
        flags=flags,
        majority=majority,
        validated=enough and majority == one.right and not flags,
        fooled=checked.fooled,
        problems=checked.problems,
    )


def _comparable(collection: Collection, one: Try, given: Mapping[str, Response]) -> dict[str, str]:
    """Each validator's answer to a try; where it is a text, whether it is the writer's."""
    answers = {name: response.answer for name, response in given.items() if response.answer is not None}
    if collection.labels:
        return answers
    return {
        name: "correct" if collection.agrees(answer, one.right) else "incorrect"
        for name, answer in answers.items()
    }


def _rates(collection: Collection, tries: Sequence[MergedTry], only_validated: bool) -> dict[str, Rate]:
    counted = [one.fooled for one in tries if one.validated or not only_validated]
    rates = {model: sum(model in fooled for fooled in counted) for model in collection.spec.models}
    rates["any"] = sum(bool(fooled) for fooled in counted)
    return {name: _rate(count, len(tries)) for name, count in rates.items()}


def _rate(count: int, of: int) -> Rate:
    return Rate(count=count, of=of, share=count / of, interval=wilson(count, of))


def _reports(
    collection: Collection,
    responses: Mapping[str, Mapping[str, Response]],
    votes: Sequence[Mapping[str, str]],
) -> Iterator[ValidatorReport]:
    agreed: dict[str, list[bool]] = {}
    for each in votes:
        counts = Counter(each.values())
        for validator, own in each.items():
            # What more than half of the others say; without it there is nothing to compare with.
            majority = [x for x, count in counts.items() if 2 * (count - (x == own)) > len(each) - 1]
            if majority:
                agreed.setdefault(validator, []).append(own in majority)
    for validator, given in responses.items():
        marks = [response.mark for response in given.values()]
        known = [
            response.answer is not None and collection.agrees(response.answer, collection.gold[id_].answer)
            for id_, response in given.items()
            if id_ in collection.gold
        ]
        yield ValidatorReport(
            validator=validator,
            responses=len(given),
            unsure=marks.count("unsure"),
            flags=marks.count("flag"),
            agreement=_rate_of(agreed.get(validator, [])),
            gold=_rate_of(known),
        )


def _rate_of(found: Sequence[bool]) -> Rate | None:
    return _rate(sum(found), len(found)) if found else None


def _people(collection: Collection, tries: Sequence[MergedTry]) -> HumanPerformance | None:
    """What a person reaches on the validated tries; None for texts, and where there are too few responses."""
    kept = [one for one in tries if one.validated and len(one.votes) >= 2]
    gold = [one.majority for one in kept if one.majority is not None]
    if not collection.labels or len(set(gold)) < 2:
        return None
    return human_performance([one.votes for one in kept], gold, collection.labels, seed=0)
