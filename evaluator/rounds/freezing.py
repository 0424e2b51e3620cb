"""A round made of what was merged: data in a format that the readers know, described, and on the board."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit

from evaluator.rank.formats import counted
from evaluator.records.base import Count, Digest, Record, Slug, file_sha256
from evaluator.records.board import CollectedSpec, load_boards
from evaluator.records.board.specs import UNLIKE
from evaluator.records.errors import UserError
from evaluator.records.scratch import scratch_folder, write_atomic
from evaluator.rounds.checking import read_checked
from evaluator.rounds.collection import Collection, Try
from evaluator.rounds.merging import MergedTry, merge
from evaluator.rounds.splitting import SplitPiece, split
from evaluator.score.scores import now

#: What a round's own file is called, and the format of its parts.
FILE, FORMAT = "round.json", "jsonl"
#: Where a table of a board file begins, and one of the tables of boards.
_HEAD, _BOARDS = re.compile(r"^\[", re.MULTILINE), re.compile(r"\[\[ *boards *\]\]")
#: What the columns of the data are, in words.
COLUMNS = {
    "id": "the try's id, also in the writers' and validators' files",
    "label": "what more than half of the validators chose, which is what the writer meant",
    "votes": "the validators' answers",
    "answers": "the writer's answer and those of validators that agree; none where there is no answer",
    "validated": "whether validators confirmed the right answer: always true here",
    "writer": "the writer's pseudonym",
    "prompt": "the id of what it was written for",
    "fooled": "the models in the loop that it fooled",
}
SHARE = "{:.1f} % of all tries"


class FrozenRound(Record):
    """What a round is: how it was collected, what is in it, and what was left out, by reason.

    Of all `tries`, `fooled` fooled a model in the loop, and `validated` of these are validated. The rates are
    shares of `tries`, by model in the loop and for any of them.
    """

    collection: Slug
    number: Count
    created: str
    models: dict[str, Digest]
    writers: Count
    validators: Count
    annotators: str = ""
    tries: Count
    fooled: Count
    validated: Count
    error_rate: dict[str, float]
    validated_error_rate: dict[str, float]
    parts: dict[str, dict[str, Count]]
    files: dict[str, str]
    left_out: dict[str, Count]


def freeze(
    collection: Collection, number: int, shares: Mapping[str, float], board_file: Path
) -> tuple[Path, FrozenRound, list[str]]:
    """Make round `number` of all validated tries, and add it to the board file.

    Returns its folder, what it is, and the ids of its datasets. Nothing is written unless all of it can be.
    Raises `UserError` where the collection is frozen already, something is wrong with its files, or too
    little is validated.
    """
    tries = {one.id: one for one in collection.judged_tries()}
    merged = merge(collection)
    target = collection.data / collection.spec.id / f"round-{number}"
    for frozen in (*target.parent.glob(f"round-*/{FILE}"), *target.parent.glob(target.name)):
        fix = "start a new table [[collect]] for the next round, or remove the folder and its datasets"
        raise UserError(frozen, "the collection is frozen already", fix)
    kept: list[tuple[Try, MergedTry]] = []
    left_out = Counter[str]()
    for one in merged.tries:
        if one.problems:
            left_out["repeated, known already, or personal (see checked.json)"] += 1
        elif one.flags:
            left_out["flagged by a validator"] += 1
        elif not one.validated:
            left_out["not validated"] += 1
        else:
            kept.append((tries[one.id], one))
    pieces = [
        SplitPiece(
            one.asked.writer, one.asked.prompt, one.right if collection.labels else "", bool(each.fooled)
        )
        for one, each in kept
    ]
    parts, unused = split(pieces, collection.labels, shares, seed=0)
    rows = {part: [_row(collection, *kept[at]) for at in ats] for part, ats in parts.items() if ats}
    with scratch_folder(target) as folder:
        for part, each in rows.items():
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in each)
            (folder / f"{part}.{FORMAT}").write_text(lines, encoding="utf-8", newline="\n")
        record = FrozenRound(
            collection=collection.spec.id,
            number=number,
            created=now(),
            models=read_checked(collection).models,
            writers=merged.writers,
            validators=len(merged.validators),
            annotators=collection.spec.annotators,
            tries=len(merged.tries),
            fooled=merged.error_rate["any"].count,
            validated=merged.validated_error_rate["any"].count,
            error_rate={name: rate.share for name, rate in merged.error_rate.items()},
            validated_error_rate={name: rate.share for name, rate in merged.validated_error_rate.items()},
            parts={
                # Where answers are texts, how many examples there are.
                part: dict(sorted(Counter(str(row.get("label", "examples")) for row in each).items()))
                for part, each in rows.items()
            },
            files={part: file_sha256(folder / f"{part}.{FORMAT}") for part in rows},
            left_out={**left_out, **unused},
        )
        described = _sheet(collection, record, next(iter(rows.values()))[0])
        (folder / "README.md").write_text(described, encoding="utf-8")
        (folder / FILE).write_text(record.model_dump_json(indent=2) + "\n", encoding="utf-8")
        folder.rename(target)
    tables = [_table(collection, record, part, each) for part, each in rows.items() if part != "dev"]
    try:
        add_datasets(board_file, tables, collection.spec.board, f"{collection.spec.id}-r{number}")
    except UserError:
        shutil.rmtree(target)
        raise
    return target, record, [str(table["id"]) for table in tables]


def _tags(collection: Collection) -> list[str]:
    return sorted({name for prompt in collection.prompts.values() for name in prompt.tags})


def _row(collection: Collection, one: Try, merged: MergedTry) -> dict[str, Any]:
    """An example as the reader of JSON lines takes it; tags are null where the example lacks them."""
    right: dict[str, Any] = {"label": merged.majority, "votes": list(merged.votes)}
    if not collection.labels:
        # The writer's answer and those of validators that agree, each once; none for "no answer".
        agreeing = [vote for vote in merged.votes if collection.agrees(vote, one.right)]
        right = {"answers": list(dict.fromkeys([one.right, *agreeing])) if one.right else []}
    return {
        "id": one.id,
        **one.asked.inputs,
        **right,
        "validated": True,
        "writer": one.asked.writer,
        "prompt": one.asked.prompt,
        "fooled": list(merged.fooled),
        **{f"tag.{name}": one.asked.tags.get(name) for name in _tags(collection)},
    }


def _sheet(collection: Collection, record: FrozenRound, columns: Iterable[str]) -> str:
    """The datasheet, after Datasheets for Datasets (Gebru et al. 2021); `columns` are those of the data."""
    spec = collection.spec
    words = COLUMNS | {name: f"the {name} of the example" for name in collection.task.fields}
    labels, when = ".", f"the token F1 of its answer is under {UNLIKE:g}"
    if collection.labels:
        labels, when = ", each label equally often.", "its answer is not the right one"
    parts = {
        part: ", ".join(f"{count} {label}" for label, count in counts.items())
        for part, counts in record.parts.items()
    }
    paragraphs = [
        f"# {_line(spec.label)}, round {record.number}",
        "## Why it was made",
        f"To find what models get wrong. Writers were asked: {_line(spec.goal)}",
        "## What is in it",
        f"Examples of the task {spec.task}. Parts share no writer, no prompt and no near-duplicates.",
        _rows_of("part", parts),
        f"The test and dev parts hold only what fooled a model{labels}",
        _rows_of("column", {name: words.get(name, "a tag of the prompt") for name in columns}),
        "## How it was collected",
        f"{counted(record.writers, 'writer')} made {record.tries} tries, under pseudonyms."
        + (f"\nWriters and validators: {_line(spec.annotators)}." if spec.annotators else "")
        + f"\nA model is fooled where {when}.",
        _rows_of("model in the loop", {name: f"`{hash_}`" for name, hash_ in record.models.items()}),
        _rows_of("fooled", {name: SHARE.format(100 * rate) for name, rate in record.error_rate.items()}),
        _rows_of(
            "fooled, validated (vMER)",
            {name: SHARE.format(100 * rate) for name, rate in record.validated_error_rate.items()},
        ),
        "## How it was validated",
        f"{counted(record.validators, 'validator')} answered blind, {spec.responses} or more each try."
        " Kept is what more than half of the responses confirm and nobody flagged.",
        _rows_of("left out", {reason: str(count) for reason, count in record.left_out.items()}),
        "## Licence",
        f"{_line(spec.licence)}, to which the writers agreed on the page.",
        "## What to mind",
        "It is made to be hard for the models in the loop: how hard it is for them says nothing of how"
        " often they err elsewhere, and models unlike them may find it easier.",
    ]
    return "\n\n".join(filter(None, paragraphs)) + "\n"


def _rows_of(title: str, rows: Mapping[str, str]) -> str:
    cells = [
        "| " + " | ".join(_line(text).replace("|", "\\|") for text in row) + " |" for row in rows.items()
    ]
    return "\n".join([f"| {title} | |", "|---|---|", *cells]) if cells else ""


def _line(text: str) -> str:
    """A text on one line, in which nothing begins a tag."""
    return " ".join(text.split()).replace("<", "&lt;")


def _table(
    collection: Collection, record: FrozenRound, part: str, rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The table of the board file that reads a part: test is ranked, train is for recipes."""
    spec, number, ranked = collection.spec, record.number, part == "test"
    right = ("label", "votes") if collection.labels else ("answers",)
    tags = [f"tag.{name}" for name in _tags(collection)]
    found: dict[str, Any] = {
        "id": f"{spec.id}-r{number}" if ranked else f"{spec.id}-r{number}-{part}",
        "label": f"{spec.label}, round {number}" + ("" if ranked else f", {part}"),
        "task": spec.task,
        "role": "scoring" if ranked else "training",
        "round": number,
        "path": f"{spec.id}/round-{number}/{part}.{FORMAT}",
        "format": FORMAT,
        "columns": {name: name for name in (*collection.task.fields, *right, "id", "validated", *tags)},
        "sha256": record.files[part],
        "licence": spec.licence,
    }
    # Examples of one writer hang together; where there is one only, those of a prompt do.
    for source in ("prompt", "writer"):
        if len({row[source] for row in rows}) > 1:
            found["cluster"] = source
    if ranked:
        stated = {name: getattr(record, name) for name in CollectedSpec.model_fields}
        found["collected"] = {name: value for name, value in stated.items() if value != ""}
    return found | ({"labels": list(collection.labels)} if collection.labels else {})


def add_datasets(path: Path, datasets: Sequence[Mapping[str, Any]], board: str | None, joins: str) -> None:
    """Add tables ``[[datasets]]`` at the end of the board file at `path`, and `joins` to the list of `board`.

    The file is only replaced by one that can be read. Raises `UserError` where the result could not be.
    """
    text = path.read_bytes().decode()
    if board is not None:
        text = with_dataset(text, board, joins)
    if not text.endswith("\n"):
        text += "\n"
    for dataset in datasets:
        # Tables within it are on one line, as people write them.
        table = tomlkit.table()
        for key, value in dataset.items():
            if isinstance(value, Mapping):
                inline = tomlkit.inline_table()
                inline.update(value)
                value = inline
            table[key] = value
        tables = tomlkit.aot()
        tables.append(table)
        text += f"\n{tomlkit.dumps({'datasets': tables})}"
    with scratch_folder(path) as folder:
        trial = folder / path.name
        trial.write_bytes(text.encode())
        load_boards(trial)
    write_atomic(path, text.encode())


def with_dataset(text: str, board: str, dataset: str) -> str:
    """The text of a valid board file with `dataset` at the end of the list of the board of that id.

    tomlkit would move tables of one name together, so it sees the table of that board alone. Raises
    `UserError` where more than the list would change, as where a text of several lines has such a header.
    """
    whole = tomllib.loads(text)
    number = next(at for at, one in enumerate(whole["boards"]) if one["id"] == board)
    heads = [match.start() for match in _HEAD.finditer(text)] + [len(text)]
    start = [at for at in heads[:-1] if _BOARDS.match(text, at)][number]
    end = next(at for at in heads if at > start)
    table = tomlkit.parse(text[start:end])
    table["boards"][0]["datasets"].append(dataset)
    changed = text[:start] + tomlkit.dumps(table) + text[end:]
    whole["boards"][number]["datasets"].append(dataset)
    if tomllib.loads(changed) != whole:
        raise UserError(
            "board file", f"the list of datasets of board {board} was not found", "add it by hand"
        )
    return changed
