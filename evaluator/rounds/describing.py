"""What people and programs should know of a frozen round: a datasheet, and Croissant 1.0.

The datasheet is after Datasheets for Datasets (Gebru et al. 2021).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    sections = {
        "Why it was made": [f"To find what models get wrong. Writers were asked: {_line(spec.goal)}"],
        "What is in it": _content(collection, record, columns),
        "How it was collected": _collected(collection, record),
        "How it was validated": _validated(collection, record),
        "Licence": [f"{_line(spec.licence)}, to which the writers agreed on the page."],
        "What to mind": [
            "It is made to be hard for the models in the loop: how hard it is for them says nothing of how"
            " often they err elsewhere, and models unlike them may find it easier.",
        ],
    }
    lines = [f"# {_line(spec.label)}, round {record.number}", ""]
    for title, body in sections.items():
        lines += [f"## {title}", "", *body, ""]
    return "\n".join(lines)


def _content(collection: Collection, record: FrozenRound, columns: Mapping[str, str]) -> list[str]:
    equally = ", each label equally often." if collection.labels else "."
    return [
        f"Examples of the task {collection.spec.task}. "
        "Parts share no writer, no prompt and no near-duplicates.",
        "",
        *_table("part", {part: _counts(counts) for part, counts in record.parts.items()}),
        "",
        f"The test and dev parts hold only what fooled a model{equally}",
        "",
        *_table("column", columns),
    ]


def _collected(collection: Collection, record: FrozenRound) -> list[str]:
    spec = collection.spec
    when = _WHEN[collection.fooled_by].format(threshold=UNLIKE)
    return [
        f"{counted(record.writers, 'writer')} made {record.tries} tries, under pseudonyms.",
        *([f"Writers and validators: {_line(spec.annotators)}."] if spec.annotators else []),
        f"A model is fooled where {when}.",
        "",
        *_table("model in the loop", {name: f"`{hash_}`" for name, hash_ in record.models.items()}),
        "",
        *_table("fooled", _shares(record.error_rate)),
        "",
        *_table("fooled, validated (vMER)", _shares(record.validated_error_rate)),
    ]


def _validated(collection: Collection, record: FrozenRound) -> list[str]:
    return [
        f"{counted(record.validators, 'validator')} answered blind,"
        f" {collection.spec.responses} or more each try."
        " Kept is what more than half of the responses confirm and nobody flagged.",
        "",
        *_table("left out", {reason: str(count) for reason, count in record.left_out.items()}),
    ]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {label}" for label, count in counts.items())


def _shares(rates: Mapping[str, float]) -> dict[str, str]:
    return {name: f"{100 * rate:.1f} % of all tries" for name, rate in rates.items()}


def _table(title: str, rows: Mapping[str, str]) -> list[str]:
    cells = [f"| {_cell(name)} | {_cell(text)} |" for name, text in rows.items()]
    return [f"| {title} | |", "|---|---|", *cells] if cells else []


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")


def _line(text: str) -> str:
    """A text on one line, in which nothing begins a tag."""
    return " ".join(text.split()).replace("<", "&lt;")


def description(
    about: Mapping[str, Any],
    files: Mapping[str, tuple[int, str]],
    columns: Mapping[str, str],
    repeated: Sequence[str],
) -> dict[str, Any]:
    """The document; `about` are properties of the whole, such as name, license and citeAs.

    `files` has by part the number of bytes and the SHA-256 of ``PART.jsonl``, `columns` by name what each
    holds in words; those in `repeated` are lists of texts, ``validated`` is true or false, all others texts.
    """
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": VERSION,
        **about,
        "distribution": [_file(part, size, sha256) for part, (size, sha256) in files.items()],
        "recordSet": [_records(part, columns, repeated) for part in files],
    }


def _file(part: str, size: int, sha256: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": f"{part}.jsonl",
        "name": f"{part}.jsonl",
        "contentUrl": f"{part}.jsonl",
        "contentSize": f"{size} B",
        "encodingFormat": "application/jsonlines",
        "sha256": sha256,
    }


def _records(part: str, columns: Mapping[str, str], repeated: Sequence[str]) -> dict[str, Any]:
    fields = [_field(part, name, about, name in repeated) for name, about in columns.items()]
    return {"@type": "cr:RecordSet", "@id": part, "name": part, "field": fields}


def _field(part: str, name: str, about: str, repeated: bool) -> dict[str, Any]:
    found = {
        "@type": "cr:Field",
        "@id": f"{part}/{name}",
        "name": name,
        "description": about,
        "dataType": "sc:Boolean" if name == "validated" else "sc:Text",
        "source": {"fileObject": {"@id": f"{part}.jsonl"}, "extract": {"column": name}},
    }
    return {**found, "repeated": True} if repeated else found
