"""What a page sends and receives: prompts, texts for the models in the loop, and right answers.

Each model is in a worker of its own, isolated as in `evaluate`, and asked one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter_ns
from types import TracebackType

from pydantic import ValidationError

from evaluator.measure.models.prepared import Prepared
from evaluator.measure.run.answers import AnswerReader
from evaluator.measure.run.asking import Predictor
from evaluator.measure.run.loading import board_prepared, worker_limits
from evaluator.measure.worker import ModelToLoad, Placement, WorkerError
from evaluator.records.base import describe_errors
from evaluator.records.board import Boards
from evaluator.records.errors import UserError
from evaluator.rounds.collection import FREE, Collection, Try, open_collection
from evaluator.rounds.events import WRITTEN, Asked, Judged, LineFile, ModelAnswer
from evaluator.score.answers import Entry


class Loop:
    """The models of a collection, loaded. Use as a context manager.

    Any thread may ask: questions wait for one another, as a model answers one at a time. A model that
    cannot go on fails every later question, and says why in its answer.
    """

    def __init__(self, collection: Collection, work: Path) -> None:
        """Prepare all models and load them; `work` is where prepared ones are.

        Raises `UserError`, `MissingPackage`, and `WorkerError` for a model that does not load.
        """
        self._members = [_Member(collection, name, work) for name in collection.spec.models]
        try:
            for loading in [member.load() for member in self._members]:
                loading.result()
        except BaseException:
            self.close()
            raise

    def ask(self, inputs: Mapping[str, str]) -> tuple[ModelAnswer, ...]:
        """What each model answers, in the order of the board file; all are asked at the same time."""
        return tuple(asked.result() for asked in [member.ask(inputs) for member in self._members])

    @property
    def revisions(self) -> dict[str, str]:
        """The hash of each model, by its id."""
        return {member.name: member.prepared.revision for member in self._members}

    def close(self) -> None:
        """End all models."""
        for member in self._members:
            member.close()

    def __enter__(self) -> Loop:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Member:
    """One model. All is done in one thread of its own, as a worker dies with the thread that started it."""

    def __init__(self, collection: Collection, name: str, work: Path) -> None:
        spec, boards = collection.boards.model(name), collection.boards
        assert spec is not None
        self.name, self.labels = name, collection.labels
        self.prepared: Prepared = board_prepared(spec, boards, collection.root, collection.data, work)
        to_load = ModelToLoad(
            self.prepared.adapter,
            self.prepared.directory,
            self.prepared.options,
            collection.spec.task,
            self.labels,
        )
        reader = AnswerReader(collection.spec.task, self.labels, show_text=True)
        # People think for as long as they like, so a worker's whole life has no limit.
        limits = replace(worker_limits(boards.limits), total_s=None)
        self._predictor = Predictor(to_load, reader, limits, Placement())
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    def load(self) -> Future[object]:
        return self._thread.submit(self._predictor.load)

    def ask(self, inputs: Mapping[str, str]) -> Future[ModelAnswer]:
        return self._thread.submit(self._answer, dict(inputs))

    def close(self) -> None:
        self._thread.submit(self._predictor.close)
        self._thread.shutdown()

    def _answer(self, inputs: dict[str, str]) -> ModelAnswer:
        began = perf_counter_ns()
        try:
            entry = self._predictor.entry(inputs)
        except WorkerError as error:
            entry = Entry(failure=(error.kind, error.message))
        answer, shares = entry.answer, entry.answer.probabilities
        given = answer.text if not self.labels else self.labels[answer.label]
        return ModelAnswer(
            model=self.name,
            revision=self.prepared.revision,
            answer=None if entry.failure else given,
            confidence=answer.confidence,
            probabilities=dict(zip(self.labels, shares, strict=True)) if shares else None,
            ms=(perf_counter_ns() - began) / 1e6,
            failure=": ".join(entry.failure) if entry.failure else None,
        )


#: The most bytes of what is sent; an issue of GitHub's has 65,536 characters at the most.
MOST = 1_000_000
BEGIN, END = "```jsonl", "```"

#: A line with its number, from 1.
Numbered = tuple[int, Asked | Judged]


@dataclass(frozen=True)
class Received:
    """What was received: `added` tries are new in the writer's file `path`, `known` ones were there."""

    collection: Collection
    writer: str
    path: Path
    added: int
    known: int


def receive(source: Path, boards: Boards, root: Path, data: Path) -> Received:
    """Add the tries of a file to the writer's own; the same file a second time adds nothing.

    `root` and `data` are as in `open_collection`. Raises `UserError` that names the line, and then nothing
    was added.
    """
    lines = _read(source)
    tries = _tries(lines, source)
    first = tries[0].asked
    collection = open_collection(boards, first.collection, root, data)
    if not collection.spec.site:
        fix = "set site = true in its table of the board file, or take no tries for it"
        raise UserError(f"{source}: collection: {first.collection} has no page on the site; {fix}")
    path = collection.tries_file(first.writer)
    numbers = {line.id: number for number, line in lines if isinstance(line, Asked)}
    for one in tries:
        if problem := _problem(collection, one, first):
            raise UserError(f"{source}:{numbers[one.id]}: {problem}")
    there = {one.id: one for one in _there(collection)}
    new = [one for one in tries if not _is_known(one, there, f"{source}:{numbers[one.id]}")]
    _check_count(collection, [*there.values(), *(one for one in new if one.id not in there)], first.writer)
    _add(path, new, there)
    return Received(collection, first.writer, path, len(new), len(tries) - len(new))


def _read(source: Path) -> list[Numbered]:
    """The lines of the one block of an issue, or of a whole file without any."""
    if source.stat().st_size > MOST:
        raise UserError(f"{source}: has more than {MOST:,} bytes; send fewer tries at once")
    try:
        text = source.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{source}: is no UTF-8 ({error.reason}); send it as it was exported") from None
    # Only these end a line: others are letters within a text. GitHub ends lines as Windows does.
    rows = [(number, row.removesuffix("\r")) for number, row in enumerate(text.split("\n"), start=1)]
    return [_line(row, f"{source}:{number}", number) for number, row in _inside(rows, source) if row]


def _inside(rows: list[tuple[int, str]], source: Path) -> list[tuple[int, str]]:
    begins = [at for at, (_, row) in enumerate(rows) if row == BEGIN]
    if not begins:
        return rows
    ends = [at for at, (_, row) in enumerate(rows) if row == END and at > begins[0]]
    if len(begins) > 1 or len(ends) != 1:
        fix = "send it as the page made it"
        raise UserError(f"{source}: has no single block from {BEGIN} to {END}; {fix}")
    return rows[begins[0] + 1 : ends[0]]


def _line(row: str, where: str, number: int) -> Numbered:
    try:
        return number, WRITTEN.validate_json(row, strict=True)
    except ValidationError as error:
        fix = "send the issue or the file as the page made it"
        raise UserError(f"{describe_errors(error, where)}; {fix}") from None


def _tries(lines: list[Numbered], source: Path) -> list[Try]:
    """The tries in their order, each asked once and judged once at the most, by one writer."""
    found: dict[str, Try] = {}
    for number, line in lines:
        known = found.get(line.id)
        if isinstance(line, Asked) is (known is not None) or (known and known.judged):
            fix = "send each try as it was exported: asked, then judged"
            raise UserError(f"{source}:{number}: id: {line.id} is {line.event} out of order; {fix}")
        found[line.id] = Try(line) if isinstance(line, Asked) else Try(found[line.id].asked, line)
    if not found:
        raise UserError(f"{source}: has no tries; send what the page exported")
    return list(found.values())


def _problem(collection: Collection, one: Try, first: Asked) -> str | None:
    """Why the page cannot have written a try; None if it can."""
    asked, judged = one.asked, one.judged
    problem = collection.line_problem(asked, first.writer, {}) or _asked_problem(collection, asked)
    if problem is None and judged is not None:
        problem = collection.line_problem(judged, first.writer, {one.id: asked})
        if problem is None and collection.fooled_by == "writer" and judged.fooled is None:
            problem = "fooled: missing; say whether the model was fooled"
    return problem


def _asked_problem(collection: Collection, asked: Asked) -> str | None:
    if (asked.prompt is None) is not (collection.spec.prompts is None):
        return "prompt: is not one of this collection; send the try as it was exported"
    if asked.tags != collection.prompts[asked.prompt or FREE.id].tags:
        return "tags: are not those of the prompt; send the try as it was exported"
    models = [answer.model for answer in asked.answers]
    if len(set(models)) < len(models) or not set(models) <= set(collection.spec.models):
        return f"answers: are not of {', '.join(collection.spec.models)}, each once; send the try as exported"
    if any(answer.place != "browser" for answer in asked.answers):
        return "answers.place: is not browser; send what the page of the site exported"
    blank = [name for name, text in asked.inputs.items() if not text.strip()]
    return f"inputs.{blank[0]}: is empty; write something" if blank else None


def _there(collection: Collection) -> list[Try]:
    """What is in the files of all writers. Raises `UserError` where one of them is wrong."""
    read = collection.read_tries()
    if read.problems:
        raise UserError("\n".join(read.problems))
    return read.tries


def _is_known(one: Try, there: dict[str, Try], where: str) -> bool:
    """Whether a try is in a file already; a right answer may be added to one that has none."""
    known = there.get(one.id)
    if known is None:
        return False
    if known.asked != one.asked or (known.judged and one.judged and known.judged != one.judged):
        raise UserError(f"{where}: id: {one.id} is there already, and otherwise; what is there stays")
    return known.judged is not None or one.judged is None


def _check_count(collection: Collection, tries: list[Try], writer: str) -> None:
    made = Counter(one.asked.prompt or FREE.id for one in tries if one.asked.writer == writer)
    for prompt, count in made.items():
        if count > collection.spec.tries:
            fix = f"send {collection.spec.tries} at the most"
            raise UserError(f"prompt: {writer} has {count} tries for {prompt!r}; {fix}")


def _add(path: Path, tries: list[Try], there: dict[str, Try]) -> None:
    with LineFile(path) as file:
        for line in _missing(tries, there):
            file.add(line)


def _missing(tries: list[Try], there: dict[str, Try]) -> Iterator[Asked | Judged]:
    for one in tries:
        if one.id not in there:
            yield one.asked
        if one.judged is not None:
            yield one.judged
