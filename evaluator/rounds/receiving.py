"""Tries that visitors wrote on the site: what they exported, or sent as an issue, is added to their files."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from evaluator.records.base import Record, describe_errors
from evaluator.records.board import Boards
from evaluator.records.errors import UserError
from evaluator.rounds.collection import FREE, Collection, Try, open_collection
from evaluator.rounds.events import WRITTEN, Asked, Written, add_lines

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
    sent: dict[str, Try] = {}
    for place, line in lines:
        collection.take(line, first.writer, sent, place)
        if isinstance(line, Asked):
            _check_page(collection, line, place)
    there = {one.id: one for one in collection.tries()}
    new, added = 0, list[Record]()
    for one in sent.values():
        known = there.get(one.id, Try(one.asked))
        if known.asked != one.asked or (known.judged and one.judged and known.judged != one.judged):
            raise UserError(source, f"id: {one.id} is there already, and otherwise", "what is there stays")
        missing: list[Record] = [] if one.id in there else [one.asked]
        missing += [one.judged] if one.judged and not known.judged else []
        new += bool(missing)
        added += missing
    mine = [one for one in (there | sent).values() if one.asked.writer == first.writer]
    for prompt, count in Counter(one.asked.prompt or FREE.id for one in mine).items():
        if count > collection.spec.tries:
            fix = f"send {collection.spec.tries} at the most"
            raise UserError(source, f"prompt: {first.writer} has {count} tries for {prompt!r}", fix)
    add_lines(path, added)
    return Received(collection.spec.id, first.writer, path, new, len(sent) - new)


def _read(source: Path) -> list[tuple[str, Written]]:
    """The lines, and where they are, of the one block of an issue, or of a whole file without any."""
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
        place = f"{source}:{number}"
        try:
            found += [(place, WRITTEN.validate_json(row, strict=True))] if row else []
        except ValidationError as error:
            fix = "send the issue or the file as the page made it"
            raise UserError(describe_errors(error, place), fix=fix) from None
    return found


def _check_page(collection: Collection, asked: Asked, place: str) -> None:
    """Raise `UserError` for what the page of the site cannot have written, beside what no file can have."""
    fix = "send the try as it was exported"
    if (asked.prompt is None) is not (collection.spec.prompts is None):
        raise UserError(place, "prompt: is not one of this collection", fix)
    if asked.tags != collection.prompts[asked.prompt or FREE.id].tags:
        raise UserError(place, "tags: are not those of the prompt", fix)
    models = [answer.model for answer in asked.answers]
    if len(set(models)) < len(models) or not set(models) <= set(collection.spec.models):
        raise UserError(place, f"answers: are not of {', '.join(collection.spec.models)}, each once", fix)
    if any(answer.place != "browser" for answer in asked.answers):
        raise UserError(place, "answers.place: is not browser", fix)
    for name, text in asked.inputs.items():
        if not text.strip():
            raise UserError(f"{place}: inputs.{name}", "is empty", "write something")
