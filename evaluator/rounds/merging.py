"""What responses confirm of the tries: votes, majorities, error rates, and how far people agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from evaluator.records.base import Count, Record, Share, Slug
from evaluator.records.errors import UserError
from evaluator.rounds.checking import CheckedTry, read_checked
from evaluator.rounds.collection import Collection, Try
from evaluator.rounds.events import Response, TryId
from evaluator.score.metrics.annotators import Agreement, krippendorff_alpha

FILE = "merged.json"


class MergedTry(Record):
    """What validators say of a try. `votes` are their answers, in order of their names.

    `majority` is what more than half of all responses say, unsure ones counted among them; None without
    any. `validated`: enough responses, a majority that is the writer's own answer, and no flag.
    """

    id: TryId
    votes: tuple[str, ...]
    flags: tuple[str, ...]
    majority: str | None
    validated: bool
    fooled: tuple[Slug, ...]
    problems: tuple[str, ...]


class Rate(Record):
    """How many of how many, and their share."""

    count: Count
    of: Count
    share: Share


class ValidatorReport(Record):
    """What one validator did; `gold` are the right answers to gold questions, None without any."""

    validator: Slug
    responses: Count
    unsure: Count
    flags: Count
    gold: Rate | None


class Merged(Record):
    """The tries in order, and what is true of them together.

    `error_rate` is the share of all tries that fool a model (MER), `validated_error_rate` the share that
    fool it and are validated (vMER, Dynabench: Kiela et al. 2021); by model, and "any" for one or more.
    """

    tries: tuple[MergedTry, ...]
    writers: Count
    error_rate: dict[str, Rate]
    validated_error_rate: dict[str, Rate]
    krippendorff_alpha: Agreement | None
    validators: tuple[ValidatorReport, ...]


def merge(collection: Collection) -> Merged:
    """All responses put together. Raises `UserError` where a file is wrong, or nothing was checked."""
    tries = collection.judged_tries()
    checked = {one.id: one for one in read_checked(collection).tries}
    responses = collection.responses()
    for validator, given in responses.items():
        for id_ in given.keys() - checked.keys() - collection.gold.keys():
            path = collection.file_of("responses", validator)
            raise UserError(path, f"id: {id_} is no try", "delete its responses")
    merged = []
    for one in tries:
        # Nobody validates themselves.
        mine = [
            each[one.id] for name, each in responses.items() if one.id in each and name != one.asked.writer
        ]
        merged.append(_merged(collection, one, checked[one.id], mine))
    # Where answers are texts, two agree that both are the writer's, or both are not.
    ballots = [
        list(
            each.votes
            if collection.labels
            else (str(collection.agrees(vote, one.right)) for vote in each.votes)
        )
        for one, each in zip(tries, merged, strict=True)
    ]
    return Merged(
        tries=tuple(merged),
        writers=len({one.asked.writer for one in tries}),
        error_rate=_rates(collection, merged, only_validated=False),
        validated_error_rate=_rates(collection, merged, only_validated=True),
        krippendorff_alpha=krippendorff_alpha(ballots),
        validators=tuple(_report(collection, name, given) for name, given in responses.items()),
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
        flags=flags,
        majority=majority,
        validated=enough and majority == one.right and not flags,
        fooled=checked.fooled,
        problems=checked.problems,
    )


def _rates(collection: Collection, tries: Sequence[MergedTry], only_validated: bool) -> dict[str, Rate]:
    counted = [one.fooled for one in tries if one.validated or not only_validated]
    rates = {model: sum(model in fooled for fooled in counted) for model in collection.spec.models}
    rates["any"] = sum(bool(fooled) for fooled in counted)
    of = len(tries)
    return {name: Rate(count=count, of=of, share=count / of) for name, count in rates.items()}


def _report(collection: Collection, validator: str, given: Mapping[str, Response]) -> ValidatorReport:
    marks = [response.mark for response in given.values()]
    known = [
        response.answer is not None and collection.agrees(response.answer, collection.gold[id_].answer)
        for id_, response in given.items()
        if id_ in collection.gold
    ]
    gold = Rate(count=sum(known), of=len(known), share=sum(known) / len(known)) if known else None
    return ValidatorReport(
        validator=validator,
        responses=len(given),
        unsure=marks.count("unsure"),
        flags=marks.count("flag"),
        gold=gold,
    )
