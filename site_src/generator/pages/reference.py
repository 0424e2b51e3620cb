"""The reference pages, generated from the code itself: board.toml, records, metrics and formats.

Nothing in them is written by hand, so nothing in them can be out of date. Keys and fields are read as
pydantic knows them; what has no description is found by a test. The command line describes the commands.
"""

from __future__ import annotations

import datetime
import inspect
import json
import re
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic.fields import FieldInfo

from evaluator.data.datasets import FORMATS
from evaluator.data.datasets.formats import Format
from evaluator.data.tasks import ASKED, get_task
from evaluator.records.base import Digest, Moment, Record, Slug
from evaluator.records.board import Boards
from evaluator.records.store import RECORDS
from evaluator.score.metrics import KINDS, METRICS
from evaluator.score.metrics.neural import NEURAL

#: Types that have a name of their own in `evaluator.records`.
NAMED: list[tuple[Any, str]] = [(Slug, "id"), (Digest, "hash"), (Moment, "time")]
PLAIN: dict[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    Any: "anything",
    datetime.date: "date",
}
#: What a record is called where it is a table of a file.
TABLE = "table"
#: What a record in a record is called.
Called = Callable[[type[Record]], str]


def board_page() -> str:
    """Every key of board.toml, table by table."""
    return joined(
        "# board.toml",
        "Every key there is. `[name]` is a table, `[[name]]` one of many of that name. A key that is not here"
        " is an error that names the file, the key and what would fit.",
        *(_section(title, record, "key", lambda _: TABLE) for title, record in board_tables()),
    )


def board_tables() -> list[tuple[str, type[Record]]]:
    """The tables of board.toml as they are headed, the file itself first."""
    return [("The file itself", Boards), *_tables("", Boards)]


def _tables(above: str, record: type[Record]) -> Iterator[tuple[str, type[Record]]]:
    for name, annotation in _annotations(record).items():
        for inner in _records(annotation):
            many = any(get_origin(part) in (tuple, list) for part in _parts(annotation))
            yield f"`[[{above}{name}]]`" if many else f"`[{above}{name}]`", inner
            yield from _tables(f"{above}{name}.", inner)


def records_page() -> str:
    """Every record, and every record in one, field by field."""
    return joined(
        "# Records",
        "Every file in `results/` is one of these, as JSON, with the version of its schema. Fields that are"
        " null are left out. The JSON Schemas of the"
        " same lie in `evaluator/records/schemas/`.",
        *(
            _section(record.__name__, record, "field", _link, 2 if record in RECORDS.values() else 3)
            for record in all_records()
        ),
    )


def all_records() -> list[type[Record]]:
    """The kinds of records, each followed by what is in it and was not in one before."""
    found: dict[type[Record], None] = {}

    def collect(record: type[Record]) -> None:
        if record not in found:
            found[record] = None
            for annotation in _annotations(record).values():
                for inner in _records(annotation):
                    collect(inner)

    for record in RECORDS.values():
        collect(record)
    return list(found)


def metrics_page() -> str:
    """Every metric of the registry, under each kind of task it fits."""
    header = ("name", "what it is", "number", "needs", "version")
    parts = [
        "# Metrics by name",
        "What boards may show besides what is [timed](../measurement.md) and the suites of their datasets."
        " How they are computed, and what they equal, is in [metrics](../metrics.md).",
    ]
    for kind in KINDS:
        rows = [
            [
                code(metric.name),
                escaped(metric.description),
                f"{metric.unit or 'no unit'}, {metric.better} is better",
                ", ".join([*metric.needs, *(["weights"] if metric.name in NEURAL else [])]),
                code(metric.version),
            ]
            for metric in METRICS.values()
            if kind in metric.tasks
        ]
        parts += [f"## For {kind}", table(header, rows)]
    return joined(*parts)


def formats_page() -> str:
    """Every format that datasets are read from, and every task with what columns must hold for it."""
    tasks = [
        [code(task.name), _codes(task.fields), _labels(task.label_sets), _codes(task.metrics)]
        for task in map(get_task, ASKED)
    ]
    return joined(
        "# Formats",
        "What `format` may be in a `[[datasets]]` table, and what is read of such a file.",
        "## Tasks",
        table(("task", "fields", "labels", "metrics, the canonical one first"), tasks),
        *(part for form in FORMATS.values() for part in _format(form)),
    )


def _labels(sets: Sequence[Sequence[str]] | None) -> str:
    if sets is None:
        return "the dataset's own"
    return "; or ".join(map(_codes, sets)) or "none: it asks for texts"


def _format(form: Format) -> Iterator[str]:
    yield f"## {form.name}"
    yield escaped(f"{form.about[:1].upper()}{form.about[1:]}.")
    facts = {"tasks": form.tasks, "labels": form.labels, "options": form.options}
    lines = [f"* {name}: {_codes(values)}" for name, values in facts.items() if values]
    if form.label_map:
        words = (f"{code(theirs)} is {ours}" for theirs, ours in form.label_map.items())
        lines.append(f"* what the file says of labels: {', '.join(words)}")
    if form.merge:
        merged = (f"{answer} as {label}" for answer, label in form.merge.items())
        lines.append(f"* answers count as gold labels: {', '.join(merged)}")
    yield "\n".join(lines)
    rows = [[code(place), escaped(what)] for place, what in form.columns.items()]
    yield table(("place", "what it is"), rows)


def _link(record: type[Record]) -> str:
    return f"[{record.__name__}](#{record.__name__.lower()})"


def _section(title: str, record: type[Record], what: str, called: Called, level: int = 2) -> str:
    """A heading, what the record is, and a table of its fields; records in it are `called` something.

    What a record takes over from another is a table of its own under it, so that none is long.
    """
    types = _annotations(record)
    parts = [f"{'#' * level} {title}"]
    for part in record.__mro__[: record.__mro__.index(Record)]:
        rows = [
            [code(name), escaped(field.description or ""), _type(types[name], called), _default(field)]
            for name, field in record.model_fields.items()
            if name in inspect.get_annotations(part)
        ]
        parts += [prose(inspect.getdoc(part) or ""), table((what, "meaning", "type", "default"), rows)]
    return joined(*parts)


def _annotations(record: type[Record]) -> dict[str, Any]:
    hints = get_type_hints(record, include_extras=True)
    return {name: hints[name] for name in record.model_fields}


def _parts(annotation: Any) -> Iterator[Any]:
    """An annotation and everything in it."""
    yield annotation
    for part in get_args(annotation):
        yield from _parts(part)


def _records(annotation: Any) -> list[type[Record]]:
    return [part for part in _parts(annotation) if isinstance(part, type) and issubclass(part, Record)]


def _type(annotation: Any, called: Called) -> str:
    """An annotation in words, as Markdown."""
    for known, name in NAMED:
        if annotation == known:
            return name
    if annotation in PLAIN:
        return PLAIN[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return called(annotation)
    return _compound(get_origin(annotation), get_args(annotation), called)


def _compound(origin: Any, arguments: tuple[Any, ...], called: Called) -> str:
    if origin is Annotated:
        return _type(arguments[0], called) + "".join(map(_bound, arguments[1:]))
    if origin is Literal:
        return " or ".join(code(_json(value)) for value in arguments)
    words = [_type(part, called) for part in arguments if part not in (type(None), ...)]
    if origin in (Union, types.UnionType):
        return " or ".join(words)
    if origin is dict:
        return f"table of {words[0]} = {words[1]}"
    if origin is tuple and ... in arguments:
        return "tables" if words == [TABLE] else f"list of {words[0]}"
    if origin is tuple:
        return f"list of {len(words)}: {', '.join(words)}"
    raise TypeError(f"{origin}: reference.py has no words for this type; add them")


def _bound(constraint: Any) -> str:
    """What a constraint adds in words; patterns say it by the errors they give."""
    words = {"ge": "from", "gt": "over", "le": "to"}
    bounds = constraint.metadata if isinstance(constraint, FieldInfo) else ()
    lines = [
        f" {word} {getattr(bound, name):g}"
        for bound in bounds
        for name, word in words.items()
        if hasattr(bound, name)
    ]
    return "".join(lines)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.default
    if value is None or isinstance(value, Record) or value in ((), {}, ""):
        return ""
    return code(_json(value))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def prose(text: str) -> str:
    """A docstring as Markdown: what is in backquotes is code, and nothing else means anything."""
    parts = re.split(r"(``.+?``|`[^`]+`)", text)
    return "".join(code(part.strip("`")) if at % 2 else escaped(part) for at, part in enumerate(parts))


def escaped(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]#|])", r"\\\1", text)


def code(text: str) -> str:
    return f"`{text}`"


def _codes(texts: Sequence[str]) -> str:
    return ", ".join(map(code, texts))


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows] if rows else []
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


#: What makes each page, by file name, in reading order after that of the commands.
PAGES: dict[str, Callable[[], str]] = {
    "reference/board-toml.md": board_page,
    "reference/records.md": records_page,
    "reference/every-metric.md": metrics_page,
    "reference/formats.md": formats_page,
}
