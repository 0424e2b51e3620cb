"""What people and programs should know of a frozen round: a datasheet, and Croissant 1.0.

The datasheet is after Datasheets for Datasets (Gebru et al. 2021).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from evaluator.exchange.croissant import CONTEXT, VERSION
from evaluator.rank.formats import counted
from evaluator.records.board.specs import UNLIKE
from evaluator.rounds.collection import Collection

if TYPE_CHECKING:
    from evaluator.rounds.freezing import FrozenRound


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
#: When a model is fooled.
_WHEN = {
    "label": "its answer is not the right one",
    "f1": "the token F1 of its answer is under {threshold:g}",
    "writer": "the writer says so",
}


def columns_of(collection: Collection, names: Iterable[str]) -> dict[str, str]:
    """What these columns of a round's data are, in words."""
    fields = {name: f"the {name} of the example" for name in collection.task.fields}
    return {name: {**COLUMNS, **fields}.get(name, "a tag of the prompt") for name in names}


def sheet(collection: Collection, record: FrozenRound, columns: Mapping[str, str]) -> str:
    """The datasheet, in Markdown; `columns` are those of the data, each in words."""
    spec = collection.spec
    labels = ", each label equally often." if collection.labels else "."
    when = _WHEN[collection.fooled_by].format(threshold=UNLIKE)
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
        _table("part", parts),
        f"The test and dev parts hold only what fooled a model{labels}",
        _table("column", columns),
        "## How it was collected",
        f"{counted(record.writers, 'writer')} made {record.tries} tries, under pseudonyms."
        + (f"\nWriters and validators: {_line(spec.annotators)}." if spec.annotators else "")
        + f"\nA model is fooled where {when}.",
        _table("model in the loop", {name: f"`{hash_}`" for name, hash_ in record.models.items()}),
        _table("fooled", _shares(record.error_rate)),
        _table("fooled, validated (vMER)", _shares(record.validated_error_rate)),
        "## How it was validated",
        f"{counted(record.validators, 'validator')} answered blind, {spec.responses} or more each try."
        " Kept is what more than half of the responses confirm and nobody flagged.",
        _table("left out", {reason: str(count) for reason, count in record.left_out.items()}),
        "## Licence",
        f"{_line(spec.licence)}, to which the writers agreed on the page.",
        "## What to mind",
        "It is made to be hard for the models in the loop: how hard it is for them says nothing of how"
        " often they err elsewhere, and models unlike them may find it easier.",
    ]
    return "\n\n".join(filter(None, paragraphs)) + "\n"


def croissant(
    collection: Collection, record: FrozenRound, columns: Mapping[str, str], sizes: Mapping[str, int]
) -> dict[str, Any]:
    """The Croissant description; `columns` are as in `sheet`, `sizes` the bytes of each ``PART.jsonl``."""
    spec, name = collection.spec, f"{collection.spec.label}, round {record.number}"
    files = [
        {
            "@type": "cr:FileObject",
            "@id": f"{part}.jsonl",
            "name": f"{part}.jsonl",
            "contentUrl": f"{part}.jsonl",
            "contentSize": f"{size} B",
            "encodingFormat": "application/jsonlines",
            "sha256": record.files[part],
        }
        for part, size in sizes.items()
    ]
    records = [
        {
            "@type": "cr:RecordSet",
            "@id": part,
            "name": part,
            "field": [_field(part, *column) for column in columns.items()],
        }
        for part in sizes
    ]
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": VERSION,
        "name": f"{spec.id}-round-{record.number}",
        "description": f"{name}: {spec.goal}",
        "license": spec.licence,
        "datePublished": record.created[:10],
        "version": f"{record.number}.0.0",
        "citeAs": name,
        "isLiveDataset": False,
        "distribution": files,
        "recordSet": records,
    }


def _field(part: str, name: str, about: str) -> dict[str, Any]:
    found = {
        "@type": "cr:Field",
        "@id": f"{part}/{name}",
        "name": name,
        "description": about,
        "dataType": "sc:Boolean" if name == "validated" else "sc:Text",
        "source": {"fileObject": {"@id": f"{part}.jsonl"}, "extract": {"column": name}},
    }
    return {**found, "repeated": True} if name in ("votes", "answers", "fooled") else found


def _shares(rates: Mapping[str, float]) -> dict[str, str]:
    return {name: f"{100 * rate:.1f} % of all tries" for name, rate in rates.items()}


def _table(title: str, rows: Mapping[str, str]) -> str:
    cells = [
        "| " + " | ".join(_line(text).replace("|", "\\|") for text in row) + " |" for row in rows.items()
    ]
    return "\n".join([f"| {title} | |", "|---|---|", *cells]) if cells else ""


def _line(text: str) -> str:
    """A text on one line, in which nothing begins a tag."""
    return " ".join(text.split()).replace("<", "&lt;")
