"""A round made of what was merged: data in a format that the readers know, described, and on the board."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import InlineTable

from evaluator.measure.models.prepared import file_sha256
from evaluator.records.base import Count, Digest, Record, Slug
from evaluator.records.board import CollectedSpec, load_boards
from evaluator.records.errors import UserError
from evaluator.records.scratch import scratch_folder, write_atomic
from evaluator.rounds.checking import read_checked, sound_tries
from evaluator.rounds.collection import Collection, Try
from evaluator.rounds.describing import columns_of, description, sheet
from evaluator.rounds.merging import Merged, MergedTry, RoundSplit, SplitPiece, agrees, merge, split
from evaluator.score.scores import now

#: What a round's own file is called, and the format of its parts.
FILE, FORMAT = "round.json", "jsonl"
#: Where a table of a board file begins, and one of the tables of boards.
_HEAD, _BOARDS = re.compile(r"^\[", re.MULTILINE), re.compile(r"\[\[ *boards *\]\]")


class FrozenRound(Record):
    """What a round is: how it was collected, what is in it, and what was left out, by reason.

    Of all `tries`, `fooled` fooled a model in the loop, and `validated` of these are validated.

    `error_rate` and `validated_error_rate` are shares of `tries`, by model in the loop and for any of them.
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


@dataclass(frozen=True)
class StoredRound:
    """Where a round is, what it is, and the ids of the datasets that the board file has of it."""

    folder: Path
    round: FrozenRound
    datasets: tuple[str, ...]


def freeze(collection: Collection, number: int, shares: Mapping[str, float], board_file: Path) -> StoredRound:
    """Make round `number` of all validated tries, and add it to the board file.

    Nothing is written unless all of it can be. Raises `UserError` where the collection is frozen already,
    something is wrong with its files, or too little is validated.
    """
    tries = sound_tries(collection)
    merged = merge(collection)
    _check_new(collection, number)
    kept, left_out = _kept(merged)
    by_id = {one.id: one for one in tries}
    pieces = [_piece(collection, by_id[one.id], one) for one in kept]
    found = split(pieces, collection.labels, shares, seed=0)
    rows = {
        part: [_row(collection, by_id[kept[at].id], kept[at]) for at in numbers]
        for part, numbers in found.parts.items()
        if numbers
    }
    target = collection.data / collection.spec.id / f"round-{number}"
    with scratch_folder(target) as folder:
        files = {part: _write(folder / f"{part}.{FORMAT}", each) for part, each in rows.items()}
        record = _record(collection, number, merged, rows, files, left_out, found)
        _describe(folder, collection, record, rows)
        tables = [_table(collection, record, part, each) for part, each in rows.items() if part != "dev"]
        folder.rename(target)
    try:
        add_datasets(board_file, tables, collection.spec.board, f"{collection.spec.id}-r{number}")
    except UserError:
        shutil.rmtree(target)
        raise
    return StoredRound(target, record, tuple(str(table["id"]) for table in tables))


def _check_new(collection: Collection, number: int) -> None:
    folder = collection.data / collection.spec.id
    frozen = sorted(folder.glob(f"round-*/{FILE}"))
    if frozen or (folder / f"round-{number}").exists():
        fix = "start a new table [[collect]] for the next round, or remove the folder and its datasets"
        raise UserError(f"{frozen[0] if frozen else folder}: the collection is frozen already; {fix}")
    taken = [
        one.id for one in collection.boards.datasets if one.id.startswith(f"{collection.spec.id}-r{number}")
    ]
    if taken:
        raise UserError(f"board.toml: datasets: {taken[0]!r} is there already; choose another --round")


def _kept(merged: Merged) -> tuple[list[MergedTry], Counter[str]]:
    """The tries that may be in the round, and how many may not, by reason."""
    kept, left_out = [], Counter[str]()
    for one in merged.tries:
        if one.problems:
            left_out["repeated, known already, or personal (see checked.json)"] += 1
        elif one.flags:
            left_out["flagged by a validator"] += 1
        elif not one.validated:
            left_out["not validated"] += 1
        else:
            kept.append(one)
    return kept, left_out


def _piece(collection: Collection, one: Try, merged: MergedTry) -> SplitPiece:
    label = merged.majority if collection.labels and merged.majority else ""
    return SplitPiece(one.asked.writer, one.asked.prompt, label, bool(merged.fooled))


def _row(collection: Collection, one: Try, merged: MergedTry) -> dict[str, Any]:
    """An example as the reader of JSON lines takes it; tags are null where the example lacks them."""
    assert one.judged is not None
    names = sorted({name for prompt in collection.prompts.values() for name in prompt.tags})
    right: dict[str, Any] = {"label": merged.majority, "votes": list(merged.votes)}
    if not collection.labels:
        right = {"answers": _references(collection, one.judged.answer, merged.votes)}
    return {
        "id": one.id,
        **one.asked.inputs,
        **right,
        "validated": True,
        "writer": one.asked.writer,
        "prompt": one.asked.prompt,
        "fooled": list(merged.fooled),
        **{f"tag.{name}": one.asked.tags.get(name) for name in names},
    }


def _references(collection: Collection, right: str, votes: Sequence[str]) -> list[str]:
    """The writer's answer and those of validators that agree with it, each once; none for "no answer"."""
    agreeing = [vote for vote in votes if agrees(collection, vote, right)]
    return list(dict.fromkeys([right, *agreeing])) if right else []


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> str:
    """Write the rows as JSON lines; the SHA-256 of the file."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8", newline="\n")
    return file_sha256(path)


def _record(
    collection: Collection,
    number: int,
    merged: Merged,
    rows: Mapping[str, Sequence[Mapping[str, Any]]],
    files: Mapping[str, str],
    left_out: Counter[str],
    found: RoundSplit,
) -> FrozenRound:
    left_out.update(found.left_out)
    right = "label" if collection.labels else "validated"
    return FrozenRound(
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
        parts={part: _counts(each, right) for part, each in rows.items()},
        files=dict(files),
        left_out=dict(left_out),
    )


def _counts(rows: Sequence[Mapping[str, Any]], right: str) -> dict[str, int]:
    """How many examples each label has; where answers are texts, how many there are."""
    if right == "label":
        return dict(sorted(Counter(str(row["label"]) for row in rows).items()))
    return {"examples": len(rows)}


def _describe(
    folder: Path, collection: Collection, record: FrozenRound, rows: Mapping[str, Sequence[Mapping[str, Any]]]
) -> None:
    """Write what says what the data is: for people, for programs, and for this one."""
    columns = columns_of(collection, next(iter(rows.values()))[0])
    (folder / "README.md").write_text(sheet(collection, record, columns), encoding="utf-8")
    (folder / FILE).write_text(record.model_dump_json(indent=2) + "\n", encoding="utf-8")
    lists = [name for name in ("votes", "answers", "fooled") if name in columns]
    sizes = {
        part: ((folder / f"{part}.{FORMAT}").stat().st_size, hash_) for part, hash_ in record.files.items()
    }
    about = {
        "name": f"{collection.spec.id}-round-{record.number}",
        "description": f"{collection.spec.label}, round {record.number}: {collection.spec.goal}",
        "license": collection.spec.licence,
        "datePublished": record.created[:10],
        "version": f"{record.number}.0.0",
        "citeAs": f"{collection.spec.label}, round {record.number}",
        "isLiveDataset": False,
    }
    document = description(about, sizes, columns, lists)
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    (folder / "croissant.json").write_text(text, encoding="utf-8")


def _table(
    collection: Collection, record: FrozenRound, part: str, rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The table of the board file that reads a part: test is ranked, train is for recipes."""
    spec, number = collection.spec, record.number
    id_ = f"{spec.id}-r{number}"
    names = sorted({name for prompt in collection.prompts.values() for name in prompt.tags})
    right = ("label", "votes") if collection.labels else ("answers",)
    columns = [*collection.task.fields, *right, "id", "validated", *(f"tag.{name}" for name in names)]
    found: dict[str, Any] = {
        "id": id_ if part == "test" else f"{id_}-{part}",
        "label": f"{spec.label}, round {number}" + ("" if part == "test" else f", {part}"),
        "task": spec.task,
        "role": "scoring" if part == "test" else "training",
        "round": number,
        "path": f"{spec.id}/round-{number}/{part}.{FORMAT}",
        "format": FORMAT,
        "columns": {name: name for name in columns},
        "sha256": record.files[part],
        "licence": spec.licence,
    }
    if (source := _source(rows)) is not None:
        found["cluster"] = source
    if part == "test":
        stated = {name: getattr(record, name) for name in CollectedSpec.model_fields}
        found["collected"] = {name: value for name, value in stated.items() if value != ""}
    return found | ({"labels": list(collection.labels)} if collection.labels else {})


def _source(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The column that says what each example is from; None where all are from the same.

    It is the writer. Of a single writer it is the prompt, as one group has nothing to be compared with.
    """
    several = (name for name in ("writer", "prompt") if len({row[name] for row in rows}) > 1)
    return next(several, None)


def add_datasets(path: Path, datasets: Sequence[Mapping[str, Any]], board: str | None, joins: str) -> None:
    """Add tables ``[[datasets]]`` at the end of the board file at `path`, and `joins` to the list of `board`.

    The file is only replaced by one that can be read. Raises `UserError` where the result could not be.
    """
    text = path.read_bytes().decode()
    if board is not None:
        text = with_dataset(text, board, joins)
    if not text.endswith("\n"):
        text += "\n"
    text += "".join(f"\n{_written(one)}" for one in datasets)
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


def _written(dataset: Mapping[str, Any]) -> str:
    """A table ``[[datasets]]``; tables within it are on one line, as people write them."""
    table = tomlkit.table()
    for key, value in dataset.items():
        table[key] = _inline(value) if isinstance(value, Mapping) else value
    tables = tomlkit.aot()
    tables.append(table)
    return tomlkit.dumps({"datasets": tables})


def _inline(values: Mapping[str, Any]) -> InlineTable:
    table = tomlkit.inline_table()
    table.update(values)
    return table
