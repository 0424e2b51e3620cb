"""Tries checked before they are merged: what models really answer, what is repeated, known or personal.

Two texts are near-duplicates where the sets of their stretches of five letters, case and punctuation aside,
have a Jaccard index of `NEAR` or more. Only texts that share a rare stretch are compared: the prefix filter
(Chaudhuri, Ganti and Kaushik 2006; Bayardo, Ma and Srikant 2007), which misses nothing.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from pydantic import ValidationError

from evaluator.data.datasets import read_dataset
from evaluator.records.base import Digest, Record, Slug, digest, file_sha256
from evaluator.records.errors import UserError
from evaluator.rounds.collection import Collection, Try
from evaluator.rounds.events import ModelAnswer, TryId
from evaluator.rounds.loop import Loop
from evaluator.score.examples import dataset_source

FILE = "checked.json"
#: The least Jaccard index of near-duplicates, and the letters of a stretch.
NEAR, LETTERS = 0.7, 5

#: The common core of addresses (RFC 5322 allows more, which nobody types).
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}")
#: Digits with the signs that people group them by.
_DIGITS = re.compile(r"(?<![\w.])\+?\(?\d[\d\s()/.-]{5,}\d(?!\w)")
_DATE = re.compile(r"\d{4}[-./]\d\d?[-./]\d\d?|\d\d?[-./]\d\d?[-./]\d{4}")
_YEARS = re.compile(r"\d{4}\s?-\s?\d{4}")


class CheckedTry(Record):
    """A try with what the models really answer, and which of them it fools.

    `notes` say where the file says something else of a model, `problems` why the try cannot be kept.
    """

    id: TryId
    answers: tuple[ModelAnswer, ...]
    fooled: tuple[Slug, ...]
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class CheckedTries(Record):
    """All judged tries, in order of writers and time; `tries_hash` says of which lines."""

    collection: Slug
    tries_hash: Digest
    models: dict[str, Digest]
    tries: tuple[CheckedTry, ...]


def check_tries(
    collection: Collection, loop: Loop, progress: Callable[[], None] = lambda: None
) -> CheckedTries:
    """Ask the models again about all judged tries, and look for what cannot be kept.

    `progress` is called after each try. Raises `UserError` where lines of the files are wrong, and
    `DatasetError`.
    """
    tries = collection.judged_tries()
    problems = _problems(collection, tries)
    checked = []
    for one in tries:
        answers = loop.ask(one.asked.inputs)
        progress()
        checked.append(
            CheckedTry(
                id=one.id,
                answers=answers,
                fooled=tuple(answer.model for answer in answers if collection.fooled(one, answer)),
                notes=tuple(_untrue(one, answers)),
                problems=tuple(problems.get(one.id, ())),
            )
        )
    return CheckedTries(
        collection=collection.spec.id,
        tries_hash=tries_hash(collection),
        models=loop.revisions,
        tries=tuple(checked),
    )


def tries_hash(collection: Collection) -> str:
    """The hash of all that was written: what was checked is of these very lines."""
    files = sorted((collection.folder / "tries").glob("*.jsonl"))
    return digest({path.name: file_sha256(path) for path in files})


def read_checked(collection: Collection) -> CheckedTries:
    """What was checked. Raises `UserError` if it is missing, or tries were written since."""
    path = collection.folder / FILE
    fix = f"run: steelyard collect check {collection.spec.id}"
    try:
        found = CheckedTries.model_validate_json(path.read_bytes(), strict=True)
    except (FileNotFoundError, ValidationError):
        raise UserError(path, "does not say what was checked", fix) from None
    if found.tries_hash != tries_hash(collection):
        raise UserError(path, "tries_hash: tries were added or changed since", fix)
    return found


def _untrue(one: Try, answers: Iterable[ModelAnswer]) -> Iterator[str]:
    """Where the file says something else of a model than the model itself."""
    stated = {answer.model: answer for answer in one.asked.answers}
    for answer in answers:
        known = stated.get(answer.model)
        if answer.failure:
            yield f"{answer.model} fails on it: {answer.failure}"
        elif known is None:
            yield f"{answer.model} was not asked"
        elif known.revision != answer.revision:
            yield f"{answer.model} was another revision when it was asked"
        elif known.answer != answer.answer:
            yield f"{answer.model} answers {answer.answer!r}, not what the file says, {known.answer!r}"


def _problems(collection: Collection, tries: Sequence[Try]) -> dict[str, list[str]]:
    """Why tries cannot be kept, by id: repeated, known already, or leading to a person."""
    texts = [_written_text(collection, one) for one in tries]
    index = NearTexts(texts)
    found: dict[str, list[str]] = {}
    for later, text in enumerate(texts):
        for earlier in index.near(text):
            if earlier < later:
                what = "the same as" if _plain(texts[earlier]) == _plain(text) else "nearly the same as"
                found.setdefault(tries[later].id, []).append(f"is {what} the earlier try {tries[earlier].id}")
    own = f"{collection.spec.id}/"
    for spec in collection.boards.datasets:
        if not spec.readable or spec.task != collection.spec.task or (spec.path or own).startswith(own):
            continue
        dataset = read_dataset(replace(dataset_source(spec, collection.data), skip_malformed=True))
        known: dict[int, str] = {}
        for example in dataset.examples if dataset.has_inputs else ():
            for name in collection.task.fields:
                for number in index.near(example[name]):
                    known.setdefault(number, example["id"])
        for number, id_ in known.items():
            found.setdefault(tries[number].id, []).append(f"is nearly in {spec.id}, as example {id_}")
    for one, text in zip(tries, texts, strict=True):
        found.setdefault(one.id, []).extend(f"has {kind}" for kind, _ in personal(text))
    return found


def _written_text(collection: Collection, one: Try) -> str:
    """What the writer wrote of a try: the fields that the prompt does not give, a line each."""
    given = collection.prompts[one.asked.prompt].inputs if one.asked.prompt else {}
    return "\n".join(text for name, text in one.asked.inputs.items() if name not in given)


def personal(text: str) -> Iterator[tuple[str, str]]:
    """What leads to a person, such as ``an e-mail address``, and the letters that are one."""
    for match in _EMAIL.finditer(text):
        yield "an e-mail address", match.group()
    for match in _DIGITS.finditer(text):
        found = match.group().strip()
        # A number that can be dialled has 7 digits, a local one, to 15, the longest of E.164.
        dialled = 7 <= sum(char.isdigit() for char in found) <= 15
        if dialled and not (_DATE.fullmatch(found) or _YEARS.fullmatch(found)):
            yield "a telephone number", found


def _plain(text: str) -> str:
    """The words of a text in lower case, with one space between them, as texts are compared."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(char if char.isalnum() else " " for char in folded).split())


def stretches(text: str) -> frozenset[str]:
    """All stretches of `LETTERS` letters of a text as it is compared; a shorter text is one."""
    words = _plain(text)
    return frozenset(words[at : at + LETTERS] for at in range(max(1, len(words) - LETTERS + 1)))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The Jaccard index of two sets of stretches, 0 to 1."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


class NearTexts:
    """Texts to compare others with, by number."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._sets = [stretches(text) for text in texts]
        self._frequency = Counter(stretch for one in self._sets for stretch in one)
        self._with: dict[str, list[int]] = {}
        for number, one in enumerate(self._sets):
            for stretch in self._rarest(one):
                self._with.setdefault(stretch, []).append(number)

    def near(self, text: str) -> list[int]:
        """The numbers of the texts that are near-duplicates of `text`, in order."""
        one = stretches(text)
        found = {number for stretch in self._rarest(one) for number in self._with.get(stretch, ())}
        return [number for number in sorted(found) if likeness(one, self._sets[number]) >= NEAR]

    def _rarest(self, one: frozenset[str]) -> list[str]:
        """As many of the rarest stretches that a near-duplicate has one of them among its own rarest."""
        order = sorted(one, key=lambda stretch: (self._frequency[stretch], stretch))
        # The index is at least NEAR only if that share of the stretches is common; of the same order.
        return order[: len(one) - math.ceil(NEAR * len(one) - 1e-9) + 1]
