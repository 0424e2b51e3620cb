"""Tries checked before they are merged: what models really answer, what is repeated, known or personal.

Two texts are near-duplicates where the sets of their stretches of five letters, case and punctuation aside,
have a Jaccard index of `NEAR` or more.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

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
#: A day, or a range of years.
_DATE = re.compile(r"\d{4}[-./]\d\d?[-./]\d\d?|\d\d?[-./]\d\d?[-./]\d{4}|\d{4}\s?-\s?\d{4}")


class CheckedTry(Record):
    """A try with what the models really answer, which of them it fools, and why it cannot be kept, if so."""

    id: TryId
    answers: tuple[ModelAnswer, ...]
    fooled: tuple[Slug, ...]
    problems: tuple[str, ...] = ()


class CheckedTries(Record):
    """All judged tries, in order of writers and time; `tries_hash` says of which lines."""

    tries_hash: Digest
    models: dict[str, Digest]
    tries: tuple[CheckedTry, ...]


def check_tries(
    collection: Collection, loop: Loop, progress: Callable[[], None] = lambda: None
) -> CheckedTries:
    """Ask the models again about all judged tries, `progress` after each, and look for what cannot be kept.

    Raises `UserError` where a line of a file is wrong, and `DatasetError`.
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
                problems=tuple(problems.get(one.id, ())),
            )
        )
    return CheckedTries(tries_hash=tries_hash(collection), models=loop.revisions, tries=tuple(checked))


def tries_hash(collection: Collection) -> str:
    """The hash of all that was written: what was checked is of these very lines."""
    files = sorted((collection.folder / "tries").glob("*.jsonl"))
    return digest({path.name: file_sha256(path) for path in files})


def read_checked(collection: Collection) -> CheckedTries:
    """What was checked. Raises `UserError` if it is missing, or tries were written or changed since."""
    path = collection.folder / FILE
    with suppress(FileNotFoundError, ValidationError):
        found = CheckedTries.model_validate_json(path.read_bytes(), strict=True)
        if found.tries_hash == tries_hash(collection):
            return found
    fix = f"run: steelyard collect check {collection.spec.id}"
    raise UserError(path, "does not say what was checked of these tries", fix)


def _problems(collection: Collection, tries: Sequence[Try]) -> dict[str, list[str]]:
    """Why tries cannot be kept, by id: repeated, known already, or leading to a person."""
    texts = []
    for one in tries:
        # What the writer wrote: the fields that the prompt does not give, a line each.
        given = collection.prompts[one.asked.prompt].inputs if one.asked.prompt else {}
        texts.append("\n".join(text for name, text in one.asked.inputs.items() if name not in given))
    index = NearTexts(texts)
    found: dict[str, list[str]] = {}
    for later, text in enumerate(texts):
        for earlier in index.near(text):
            if earlier < later:
                problem = f"is the same, or nearly, as the earlier try {tries[earlier].id}"
                found.setdefault(tries[later].id, []).append(problem)
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
        found.setdefault(one.id, []).extend(f"has {kind}" for kind in personal(text))
    return found


def personal(text: str) -> Iterator[str]:
    """What of a text leads to a person: ``an e-mail address``, ``a telephone number``."""
    if _EMAIL.search(text):
        yield "an e-mail address"
    # A number that can be dialled has 7 digits, a local one, to 15, the longest of E.164.
    numbers = (match.group().strip() for match in _DIGITS.finditer(text))
    if any(7 <= sum(map(str.isdigit, one)) <= 15 and not _DATE.fullmatch(one) for one in numbers):
        yield "a telephone number"


def stretches(text: str) -> frozenset[str]:
    """All stretches of `LETTERS` letters of a text, case and punctuation aside; a shorter text is one."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = " ".join("".join(char if char.isalnum() else " " for char in folded).split())
    return frozenset(words[at : at + LETTERS] for at in range(max(1, len(words) - LETTERS + 1)))


class NearTexts:
    """Texts to compare others with, by number."""

    def __init__(self, texts: Sequence[str]) -> None:
        sets = [stretches(text) for text in texts]
        self._sizes = [len(one) for one in sets]
        self._with: dict[str, list[int]] = {}
        for number, one in enumerate(sets):
            for stretch in one:
                self._with.setdefault(stretch, []).append(number)

    def near(self, text: str) -> list[int]:
        """The numbers of the texts that are near-duplicates of `text`, in order."""
        one = stretches(text)
        shared = Counter(chain.from_iterable(self._with.get(stretch, ()) for stretch in one))
        return sorted(
            number
            for number, count in shared.items()
            if count / (len(one) + self._sizes[number] - count) >= NEAR
        )
