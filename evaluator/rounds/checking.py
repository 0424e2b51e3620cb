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
from pathlib import Path

from pydantic import ValidationError

from evaluator.data.datasets import Dataset, read_dataset
from evaluator.measure.models.prepared import file_sha256
from evaluator.records.base import Digest, Record, Slug, describe_errors
from evaluator.records.canonical import digest
from evaluator.records.errors import UserError
from evaluator.records.scratch import write_atomic
from evaluator.rounds.collection import Collection, Try, known_data
from evaluator.rounds.events import ModelAnswer, TryId
from evaluator.rounds.receiving import Loop
from evaluator.score.examples import dataset_source

#: The least Jaccard index of near-duplicates, and the letters of a stretch.
NEAR, LETTERS = 0.7, 5

Stretches = frozenset[str]


def plain(text: str) -> str:
    """The words of a text in lower case, with one space between them, as texts are compared."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(char if char.isalnum() else " " for char in folded).split())


def stretches(text: str) -> Stretches:
    """All stretches of `LETTERS` letters of a text as it is compared; a shorter text is one."""
    words = plain(text)
    return frozenset(words[at : at + LETTERS] for at in range(max(1, len(words) - LETTERS + 1)))


def likeness(one: Stretches, other: Stretches) -> float:
    """The Jaccard index of two sets, 0 to 1."""
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

    def near(self, text: str) -> Iterator[tuple[int, float]]:
        """The numbers of the texts that are near-duplicates of `text`, in order, with their likeness."""
        one = stretches(text)
        found = {number for stretch in self._rarest(one) for number in self._with.get(stretch, ())}
        for number in sorted(found):
            alike = likeness(one, self._sets[number])
            if alike >= NEAR:
                yield number, alike

    def pairs(self, texts: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Pairs of numbers of these very `texts` that are near-duplicates, the smaller number first."""
        for number, text in enumerate(texts):
            yield from ((other, number) for other, _ in self.near(text) if other < number)

    def _rarest(self, one: Stretches) -> list[str]:
        """As many of the rarest stretches that a near-duplicate has one of them among its own rarest."""
        order = sorted(one, key=lambda stretch: (self._frequency[stretch], stretch))
        # The index is at least NEAR only if that share of the stretches is common; of the same order.
        return order[: len(one) - math.ceil(NEAR * len(one) - 1e-9) + 1]


#: The common core of addresses (RFC 5322 allows more, which nobody types).
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}")
#: Digits with the signs that people group them by.
_DIGITS = re.compile(r"(?<![\w.])\+?\(?\d[\d\s()/.-]{5,}\d(?!\w)")
_DATE = re.compile(r"\d{4}[-./]\d\d?[-./]\d\d?|\d\d?[-./]\d\d?[-./]\d{4}")
_YEARS = re.compile(r"\d{4}\s?-\s?\d{4}")
#: How many digits a number has that can be dialled: a local one to the longest of E.164.
FEWEST, MOST = 7, 15


def personal(text: str) -> Iterator[tuple[str, str]]:
    """What was found: ``e-mail address`` or ``telephone number``, and the letters that are one."""
    for match in _EMAIL.finditer(text):
        yield "e-mail address", match.group()
    for match in _DIGITS.finditer(text):
        found = match.group().strip()
        digits = sum(char.isdigit() for char in found)
        is_time = _DATE.fullmatch(found) or _YEARS.fullmatch(found)
        if FEWEST <= digits <= MOST and not is_time:
            yield "telephone number", found


FILE = "checked.json"
#: Answers that differ less than this in probability are the same: machines differ in the last digits.
SAME = 1e-4


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

    `told` is called after each try. Raises `UserError` where lines of the files are wrong, and
    `DatasetError`.
    """
    tries = sound_tries(collection)
    again = [_ask_again(loop, one, progress) for one in tries]
    found = _problems(collection, tries)
    checked = (
        CheckedTry(
            id=one.id,
            answers=answers,
            fooled=tuple(answer.model for answer in answers if collection.fooled(one, answer)),
            notes=tuple(_untrue(one, answers)),
            problems=tuple(found.get(one.id, ())),
        )
        for one, answers in zip(tries, again, strict=True)
    )
    return CheckedTries(
        collection=collection.spec.id,
        tries_hash=tries_hash(collection),
        models=loop.revisions,
        tries=tuple(checked),
    )


def sound_tries(collection: Collection) -> list[Try]:
    """The judged tries. Raises `UserError` with every line that is wrong, and where there are none."""
    read = collection.read_tries()
    if read.problems:
        raise UserError("\n".join(read.problems))
    if not read.judged:
        fix = f"write some with: steelyard collect {collection.spec.id}"
        raise UserError(f"{collection.folder}: has no tries with a right answer yet; {fix}")
    return read.judged


def tries_hash(collection: Collection) -> str:
    """The hash of all that was written: what was checked is of these very lines."""
    files = sorted((collection.folder / "tries").glob("*.jsonl"))
    return digest({path.name: file_sha256(path) for path in files})


def keep(collection: Collection, checked: CheckedTries) -> Path:
    """Write what was checked into the collection's folder; return where."""
    path = collection.folder / FILE
    write_atomic(path, (checked.model_dump_json(indent=1, exclude_none=True) + "\n").encode())
    return path


def read_checked(collection: Collection) -> CheckedTries:
    """What was checked. Raises `UserError` if it is missing, or tries were written since."""
    path = collection.folder / FILE
    fix = f"run: steelyard collect check {collection.spec.id}"
    if not path.is_file():
        raise UserError(f"{path}: no such file; {fix}")
    try:
        found = CheckedTries.model_validate_json(path.read_bytes(), strict=True)
    except ValidationError as error:
        raise UserError(f"{describe_errors(error, str(path))}; {fix}") from None
    if found.tries_hash != tries_hash(collection):
        raise UserError(f"{path}: tries_hash: tries were added or changed since; {fix}")
    return found


def _ask_again(loop: Loop, one: Try, progress: Callable[[], None]) -> tuple[ModelAnswer, ...]:
    answers = loop.ask(one.asked.inputs)
    progress()
    return answers


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
        elif not _alike(known, answer):
            yield f"{answer.model} has other probabilities than the file says"


def _alike(one: ModelAnswer, other: ModelAnswer) -> bool:
    """Whether stated probabilities are the same; those that were not stated are no claim."""
    if not one.probabilities or not other.probabilities:
        return True
    if one.probabilities.keys() != other.probabilities.keys():
        return False
    return all(abs(share - other.probabilities[label]) <= SAME for label, share in one.probabilities.items())


def _problems(collection: Collection, tries: Sequence[Try]) -> dict[str, list[str]]:
    """Why tries cannot be kept, by id: repeated, known already, or leading to a person."""
    texts = [written_text(collection, one) for one in tries]
    index = NearTexts(texts)
    found: dict[str, list[str]] = {}
    for earlier, later in index.pairs(texts):
        what = "the same as" if plain(texts[earlier]) == plain(texts[later]) else "nearly the same as"
        found.setdefault(tries[later].id, []).append(f"is {what} the earlier try {tries[earlier].id}")
    for spec in known_data(collection):
        dataset = read_dataset(dataset_source(spec, collection.data), skip_malformed=True)
        for number, id_ in _known(collection, tries, dataset, index):
            found.setdefault(tries[number].id, []).append(f"is nearly in {spec.id}, as example {id_}")
    for one, text in zip(tries, texts, strict=True):
        for kind, _ in personal(text):
            found.setdefault(one.id, []).append(f"has {'an' if kind[0] == 'e' else 'a'} {kind}")
    return found


def _known(
    collection: Collection, tries: Sequence[Try], dataset: Dataset, index: NearTexts
) -> Iterator[tuple[int, str]]:
    """The numbers of tries whose texts a dataset has, each once, with the id of the example."""
    if not dataset.has_inputs:
        return
    seen: set[int] = set()
    for example in dataset.examples:
        for name in collection.task.fields:
            for number, _ in index.near(example[name]):
                if number not in seen:
                    seen.add(number)
                    yield number, example["id"]


def written_text(collection: Collection, one: Try) -> str:
    """What the writer wrote of a try: the fields that the prompt does not give, a line each."""
    given = collection.prompts[one.asked.prompt].inputs if one.asked.prompt else {}
    return "\n".join(text for name, text in one.asked.inputs.items() if name not in given)
