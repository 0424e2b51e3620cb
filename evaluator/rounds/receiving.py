"""Tries that visitors wrote on the site: what they exported, or sent as an issue, is added to their files."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from evaluator.records.base import describe_errors
from evaluator.records.board import Boards
from evaluator.records.errors import UserError
from evaluator.rounds.collection import FREE, Collection, Try, open_collection
from evaluator.rounds.events import WRITTEN, Asked, LineFile, Written

#: The most bytes of what is sent; an issue of GitHub's has 65,536 characters at the most.
MOST = 1_000_000
BEGIN, END = "```jsonl", "```"


@dataclass(frozen=True)
class Received:
    """What was received: `added` tries are new in the writer's file `path`, `known` ones were there."""

    collection: str
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
    first = next((line for _, line in lines if isinstance(line, Asked)), None)
    if first is None:
        raise UserError(source, "has no tries", "send what the page exported")
    collection = open_collection(boards, first.collection, root, data)
    if not collection.spec.site:
        fix = "set site = true in its table of the board file, or take no tries for it"
        raise UserError(source, f"collection: {first.collection} has no page on the site", fix)
    path = collection.file_of("tries", first.writer)
    problems: list[str] = []
    sent = collection.tries_in(lines, source, first.writer, problems)
    there = {one.id: one for one in collection.tries()}
    new = []
    for number, line in lines:
        if isinstance(line, Asked) and line.id in sent:
            one, known = sent[line.id], there.get(line.id)
            if problem := _page_problem(collection, one) or _conflict(one, known):
                problems.append(f"{source}:{number}: {problem}")
            elif known is None or (known.judged is None and one.judged is not None):
                new.append(one)
    mine = [one for one in (there | sent).values() if one.asked.writer == first.writer]
    for prompt, count in Counter(one.asked.prompt or FREE.id for one in mine).items():
        if count > collection.spec.tries:
            fix = f"send {collection.spec.tries} at the most"
            problems.append(f"{source}: prompt: {first.writer} has {count} tries for {prompt!r}; {fix}")
    if problems:
        raise UserError("\n".join(problems))
    with LineFile(path) as file:
        for one in new:
            if one.id not in there:
                file.add(one.asked)
            if one.judged is not None:
                file.add(one.judged)
    return Received(collection.spec.id, first.writer, path, len(new), len(sent) - len(new))


def _read(source: Path) -> list[tuple[int, Written]]:
    """The numbered lines of the one block of an issue, or of a whole file without any."""
    if source.stat().st_size > MOST:
        raise UserError(source, f"has more than {MOST:,} bytes", "send fewer tries at once")
    try:
        text = source.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise UserError(source, f"is no UTF-8 ({error.reason})", "send it as it was exported") from None
    # Only these end a line: others are letters within a text. GitHub ends lines as Windows does.
    rows = [row.removesuffix("\r") for row in text.split("\n")]
    begin, end = 0, len(rows)
    if BEGIN in rows:
        begin = rows.index(BEGIN) + 1
        ends = [at for at, row in enumerate(rows) if row == END and at >= begin]
        if rows.count(BEGIN) > 1 or len(ends) != 1:
            fix = "send it as the page made it"
            raise UserError(source, f"has no single block from {BEGIN} to {END}", fix)
        end = ends[0]
    found = []
    for number, row in enumerate(rows[begin:end], start=begin + 1):
        try:
            found += [(number, WRITTEN.validate_json(row, strict=True))] if row else []
        except ValidationError as error:
            fix = "send the issue or the file as the page made it"
            raise UserError(describe_errors(error, f"{source}:{number}"), fix=fix) from None
    return found


def _page_problem(collection: Collection, one: Try) -> str | None:
    """Why the page of the site cannot have written a try, beside what no file can have; None if it can."""
    asked, spec = one.asked, collection.spec
    if (asked.prompt is None) is not (spec.prompts is None):
        return "prompt: is not one of this collection; send the try as it was exported"
    if asked.tags != collection.prompts[asked.prompt or FREE.id].tags:
        return "tags: are not those of the prompt; send the try as it was exported"
    models = [answer.model for answer in asked.answers]
    if len(set(models)) < len(models) or not set(models) <= set(spec.models):
        return f"answers: are not of {', '.join(spec.models)}, each once; send the try as exported"
    if any(answer.place != "browser" for answer in asked.answers):
        return "answers.place: is not browser; send what the page of the site exported"
    if blank := [name for name, text in asked.inputs.items() if not text.strip()]:
        return f"inputs.{blank[0]}: is empty; write something"
    if one.judged is not None and collection.fooled_by == "writer" and one.judged.fooled is None:
        return "fooled: missing; say whether the model was fooled"
    return None


def _conflict(one: Try, known: Try | None) -> str | None:
    """What differs from the same try as it is in a file; a right answer may be added to one that has none."""
    if known is None:
        return None
    if known.asked != one.asked or (known.judged and one.judged and known.judged != one.judged):
        return f"id: {one.id} is there already, and otherwise; what is there stays"
    return None
