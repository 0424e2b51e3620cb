"""The description of a frozen round in Croissant 1.0 (MLCommons), for programs that look for data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.exchange.croissant import CONTEXT, VERSION


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
