"""Datasets of a board as Croissant 1.0, the metadata that search engines and loaders of data sets read.

Specification: https://docs.mlcommons.org/croissant/docs/croissant-spec-1.0.html (Akhtar et al. 2024,
arXiv:2403.19546). What is described are the files of examples that Steelyard publishes beside results: ids,
and gold labels, beginnings of texts and tags as far as `show_gold` and `show_text` allow. The source itself
is a link, since its licence decides where it may be had. Rounds of a dynamic benchmark are one record set
each.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluator.data.tasks.known import SCORED
from evaluator.exchange.tables import Exported, ExportedFiles
from evaluator.records.base import dump
from evaluator.records.board import Boards, DatasetSpec
from evaluator.records.datasets import Examples

if TYPE_CHECKING:
    # What ranks boards takes a while to import, and a site that is built describes datasets without it.
    from evaluator.exchange.tables import RankedBoard

VERSION = "http://mlcommons.org/croissant/1.0"
#: The document's name among the files that it describes.
DOCUMENT = "croissant.json"
#: Terms of the vocabulary, for the context that every document has.
TERMS = [
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet",
    "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet",
    "references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField",
    "transform",
]  # fmt: skip
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in TERMS},
}
#: Names that a path of JSON may have without quotes.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class DescribedFile:
    """The examples of a dataset and the file that has them: its address from the document, and its bytes.

    `published` is the day on which the newest result on the dataset was made, such as 2026-11-20.
    """

    spec: DatasetSpec
    examples: Examples
    address: str
    content: bytes
    published: str


def croissant_files(board: RankedBoard, datasets: Sequence[str]) -> ExportedFiles:
    """The document of these datasets of a board, and the files that it describes, beside it."""
    found = list(_described(board, datasets))
    made = croissant(found, board.boards, board.spec.title if len(datasets) > 1 else None)
    known = {one.spec.id for one in found}
    missing = tuple(f"{id_}: no examples are kept of it" for id_ in datasets if id_ not in known)
    files = {one.address: one.content for one in found}
    document = {DOCUMENT: text_of(made.document).encode()} if found else {}
    return ExportedFiles(document | files, (*missing, *made.left_out))


def croissant(files: Sequence[DescribedFile], boards: Boards, title: str | None = None) -> Exported:
    """One document about all `files`, which is called by `title` or by its only dataset."""
    specs = [one.spec for one in files]
    document: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": VERSION,
        "name": title or ", ".join(spec.label for spec in specs),
        "description": _description(specs, boards.title),
        **_known("license", (spec.licence for spec in specs)),
        **_known("url", [next(filter(None, [boards.site.url, *(spec.link for spec in specs)]), None)]),
        **_known("citeAs", ["; ".join(dict.fromkeys(spec.citation for spec in specs if spec.citation))]),
        **_known("isBasedOn", (spec.link for spec in specs)),
        "creator": {"@type": "sc:Organization", "name": boards.title},
        "datePublished": max((one.published for one in files), default=""),
        "version": _version(files),
        "keywords": sorted(
            {spec.task for spec in specs} | {f"round {spec.round}" for spec in specs if spec.round}
        ),
        "distribution": [_file(one) for one in files],
        "recordSet": [record for one in files for record in _record_sets(one)],
    }
    return Exported(document, tuple(line for one in files for line in _left_out(one)))


def text_of(document: Any) -> str:
    """A document as the text of a file."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _described(board: RankedBoard, datasets: Iterable[str]) -> Iterator[DescribedFile]:
    """The examples of the revision that most results on a dataset are about."""
    for id_ in datasets:
        entries = board.assembled.entries.values()
        results = [entry.results[id_] for entry in entries if id_ in entry.results]
        revisions = [result.dataset.revision for result in results if result.dataset.revision]
        if not revisions:
            continue
        revision = max(revisions, key=lambda one: (revisions.count(one), one))
        examples = board.store.examples(board.boards.dataset(id_).task, id_, revision)
        if examples is not None:
            published = max(r.created for r in results if r.dataset.revision == revision)[:10]
            spec, content = board.boards.dataset(id_), dump(examples.plain())
            yield DescribedFile(spec, examples, f"{id_}.examples.json", content, published)


def _known(name: str, values: Iterable[str | None]) -> dict[str, Any]:
    """A property with its value, or with all different ones; left out where there is none."""
    found = [value for value in dict.fromkeys(values) if value]
    return {name: found[0] if len(found) == 1 else found} if found else {}


def _description(specs: Iterable[DatasetSpec], site: str) -> str:
    parts = [spec.label + (f" (round {spec.round})" if spec.round else "") for spec in specs]
    return f"Examples of {', '.join(parts)}, as models are scored on them on the leaderboard {site}."


def _version(files: Sequence[DescribedFile]) -> str:
    """Croissant wants three numbers: the schema's own, which says how the files are laid out."""
    return f"{max((one.examples.schema_version for one in files), default=1)}.0.0"


def _file(one: DescribedFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": one.spec.id,
        "name": one.spec.id,
        "description": f"{len(one.examples.ids)} examples of {one.spec.label}, {one.examples.revision}",
        "contentUrl": one.address,
        "contentSize": f"{len(one.content)} B",
        "encodingFormat": "application/json",
        "sha256": hashlib.sha256(one.content).hexdigest(),
    }


def _record_sets(one: DescribedFile) -> Iterator[dict[str, Any]]:
    """The labels, if they are published, then the examples; ``gold`` is the place of a label."""
    id_, examples = one.spec.id, one.examples
    if examples.gold is not None:
        yield _labels(f"{id_}/labels", examples.labels)
    record, columns = f"{id_}/examples", dict(_columns(examples))
    fields = [_field(one, f"{record}/{name}", *column) for name, column in columns.items()]
    for field in fields:
        if field["@id"] == f"{record}/gold":
            field["references"] = {"field": {"@id": f"{id_}/labels/place"}}
    yield {
        "@type": "cr:RecordSet",
        "@id": record,
        "name": record,
        "description": f"The examples of {one.spec.label}, in their order.",
        "key": {"@id": f"{record}/id"},
        "field": fields,
    }


def _labels(record: str, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": record,
        "name": record,
        "description": "What gold labels are places in, from 0.",
        "key": {"@id": f"{record}/place"},
        "field": [
            {"@type": "cr:Field", "@id": f"{record}/{name}", "name": f"{record}/{name}", "dataType": kind}
            for name, kind in (("place", "sc:Integer"), ("label", "sc:Text"))
        ],
        "data": [{f"{record}/place": place, f"{record}/label": label} for place, label in enumerate(labels)],
    }


def _columns(examples: Examples) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The columns of a file of examples: their type, where they are in it, and what they are."""
    yield "id", ("sc:Text", "$.ids[*]", "The example's id.")
    if examples.gold is not None:
        yield "gold", ("sc:Integer", "$.gold[*]", "The place of its gold label.")
    if examples.texts is not None:
        yield "text", ("sc:Text", "$.texts[*]", "How its text begins.")
    for tag in examples.tags:
        if _PLAIN.fullmatch(tag):
            yield f"tag-{tag}", ("sc:Text", f"$.tags.{tag}[*]", f"Its tag {tag}; empty where it has none.")


def _field(one: DescribedFile, id_: str, kind: str, path: str, description: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": id_,
        "name": id_,
        "description": description,
        "dataType": kind,
        "source": {"fileObject": {"@id": one.spec.id}, "extract": {"jsonPath": path}},
    }


def _left_out(one: DescribedFile) -> Iterator[str]:
    """What board.toml keeps back, and tags that a path cannot name."""
    hidden: Mapping[str, object] = {"gold labels": one.examples.gold, "texts": one.examples.texts}
    for what, column in hidden.items():
        if column is None and one.spec.task != SCORED.name:  # which has neither
            yield f"{one.spec.id}: {what}: they are not published with its examples"
    for tag in one.examples.tags:
        if not _PLAIN.fullmatch(tag):
            yield f"{one.spec.id}: tag {tag!r}: only letters, digits, _ and - can stand in a path"
