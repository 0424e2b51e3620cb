"""The reference pages, generated from the code itself: commands, board.toml, records, metrics and formats.

Nothing in them is written by hand, so nothing in them can be out of date. Commands are read as click
knows them, keys and fields as pydantic does; what has no description is found by a test.
"""

from __future__ import annotations

import datetime
import inspect
import json
import re
import types
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import click
from pydantic.fields import FieldInfo

from evaluator.cli import group
from evaluator.data.datasets import FORMATS
from evaluator.data.datasets.formats import Format
from evaluator.data.tasks import TASKS
from evaluator.records.base import Digest, Moment, Record, Slug
from evaluator.records.board import Boards
from evaluator.records.store import RECORDS
from evaluator.score.metrics import KINDS, METRICS, Metric, MetricKind
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
#: Sections of board.toml that may be there many times.
LISTS = (tuple, list)


@cache
def pages() -> dict[str, str]:
    """The Markdown of each page, by file name."""
    return {name: page() for name, page in PAGES.items()}


def commands_page() -> str:
    """Every command with its help, its options and its examples."""
    return _joined(
        "# Commands",
        "What `steelyard COMMAND --help` says, of every command. A command exits 0 when all went well, 1 when"
        " it found a problem and 2 when it was called wrongly.",
        *(part for name, command in commands() for part in _command(name, command)),
    )


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command by the words it is called with, groups before what is in them."""
    yield "steelyard", group
    yield from _within("steelyard", group)


def _within(name: str, parent: click.Group) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(parent)
    for word in parent.list_commands(context):
        command = parent.get_command(context, word)
        assert command is not None, word
        yield f"{name} {word}", command
        if isinstance(command, click.Group):
            yield from _within(f"{name} {word}", command)


def _command(name: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=name)
    yield f"## {name}"
    about, examples = help_of(command)
    yield _prose(about)
    yield _fenced(" ".join([name, *command.collect_usage_pieces(context)]), "text")
    records = options(command)
    rows = [[_code(written), _escaped(re.sub(r"\s+", " ", meaning))] for written, meaning in records]
    if rows:
        yield _table(("option", "meaning"), rows)
    if examples:
        yield _fenced("\n".join(f"$ {line}" for line in examples), "console")


def help_of(command: click.Command) -> tuple[str, list[str]]:
    """What a command's help says, and the lines of its examples."""
    about, _, examples = inspect.cleandoc(command.help or "").partition("\b\n")
    lines = examples.splitlines()[1:]
    return about.strip(), [line.strip() for line in lines if line.strip()]


def options(command: click.Command) -> list[tuple[str, str]]:
    """Each option as it is written and what its help says."""
    context = click.Context(command)
    records = (
        parameter.get_help_record(context)
        for parameter in command.params
        if isinstance(parameter, click.Option)
    )
    return [record for record in records if record is not None]


def board_page() -> str:
    """Every key of board.toml, table by table."""
    sections = [
        _section(_code(title) if "[" in title else title, record, "key", lambda _: TABLE)
        for title, record in board_tables()
    ]
    return _joined(
        "# board.toml",
        "Every key there is. `[name]` is a table, `[[name]]` one of many of that name. A key that is not here"
        " is an error that names the file, the key and what would fit.",
        *sections,
    )


def board_tables() -> list[tuple[str, type[Record]]]:
    """The tables of board.toml as they are headed, the file itself first."""
    return [("The file itself", Boards), *_tables("", Boards)]


def _tables(above: str, record: type[Record]) -> Iterator[tuple[str, type[Record]]]:
    for name, annotation in _annotations(record).items():
        for inner in _records(annotation):
            many = any(get_origin(part) in LISTS for part in _parts(annotation))
            title = f"[[{above}{name}]]" if many else f"[{above}{name}]"
            yield title, inner
            yield from _tables(f"{above}{name}.", inner)


def records_page() -> str:
    """Every record, and every record in one, field by field."""
    return _joined(
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
    found: list[type[Record]] = []
    for record in RECORDS.values():
        _collect(record, found)
    return found


def _collect(record: type[Record], found: list[type[Record]]) -> None:
    if record in found:
        return
    found.append(record)
    for annotation in _annotations(record).values():
        for inner in _records(annotation):
            _collect(inner, found)


def metrics_page() -> str:
    """Every metric of the registry, under each kind of task it fits."""
    return _joined(
        "# Metrics by name",
        "What boards may show besides `throughput`, `memory` and the suites of their datasets. How they are"
        " computed, and what they equal, is in [metrics](../metrics.md).",
        *(part for kind in KINDS for part in (f"## For {kind}", _metrics(kind))),
    )


def _metrics(kind: MetricKind) -> str:
    header = ("name", "what it is", "number", "needs", "version")
    fitting = [metric for metric in METRICS.values() if kind in metric.tasks]
    return _table(header, [_metric(metric) for metric in fitting])


def _metric(metric: Metric) -> list[str]:
    number = f"{metric.unit or 'no unit'}, {metric.better} is better"
    needs = ", ".join([*metric.needs, *(["weights"] if metric.name in NEURAL else [])])
    return [_code(metric.name), _escaped(metric.description), number, needs, _code(metric.version)]


def formats_page() -> str:
    """Every format that datasets are read from, and every task with what columns must hold for it."""
    tasks = [
        [_code(task.name), _codes(task.fields), _labels(task.label_sets), _codes(task.metrics)]
        for task in TASKS.values()
    ]
    return _joined(
        "# Formats",
        "What `format` may be in a `[[datasets]]` table, and what is read of such a file.",
        "## Tasks",
        _table(("task", "fields", "labels", "metrics, the canonical one first"), tasks),
        *(part for form in FORMATS.values() for part in _format(form)),
    )


def _labels(sets: Sequence[Sequence[str]] | None) -> str:
    if sets is None:
        return "the dataset's own"
    return "; or ".join(map(_codes, sets)) or "none: it asks for texts"


def _format(form: Format) -> Iterator[str]:
    yield f"## {form.name}"
    yield _escaped(f"{form.about[:1].upper()}{form.about[1:]}.")
    facts = {"tasks": form.tasks, "labels": form.labels, "options": form.options}
    lines = [f"* {name}: {_codes(values)}" for name, values in facts.items() if values]
    if form.label_map:
        words = (f"{_code(theirs)} is {ours}" for theirs, ours in form.label_map.items())
        lines.append(f"* what the file says of labels: {', '.join(words)}")
    if form.merge:
        merged = (f"{answer} as {label}" for answer, label in form.merge.items())
        lines.append(f"* answers count as gold labels: {', '.join(merged)}")
    yield "\n".join(lines)
    rows = [[_code(place), _escaped(what)] for place, what in form.columns.items()]
    yield _table(("place", "what it is"), rows)


def _link(record: type[Record]) -> str:
    return f"[{record.__name__}](#{record.__name__.lower()})"


def _section(title: str, record: type[Record], what: str, called: Called, level: int = 2) -> str:
    """A heading, what the record is, and a table of its fields; records in it are `called` something."""
    annotations = _annotations(record)
    rows = [
        [_code(name), _escaped(field.description or ""), _type(annotations[name], called), _default(field)]
        for name, field in record.model_fields.items()
    ]
    heading = f"{'#' * level} {title}"
    table = _table((what, "meaning", "type", "default"), rows)
    return _joined(heading, _prose(inspect.getdoc(record) or ""), table)


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
        return " or ".join(_code(_json(value)) for value in arguments)
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
    return _code(_json(value))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _prose(text: str) -> str:
    """A docstring as Markdown: what is in backquotes is code, and nothing else means anything."""
    parts = re.split(r"(``.+?``|`[^`]+`)", text)
    return "".join(_code(part.strip("`")) if at % 2 else _escaped(part) for at, part in enumerate(parts))


def _escaped(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]#|])", r"\\\1", text)


def _code(text: str) -> str:
    return f"`{text}`"


def _codes(texts: Sequence[str]) -> str:
    return ", ".join(map(_code, texts))


def _fenced(text: str, language: str) -> str:
    return f"```{language}\n{text}\n```"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


#: What makes each page, by file name, in reading order.
PAGES: dict[str, Callable[[], str]] = {
    "reference/commands.md": commands_page,
    "reference/board-toml.md": board_page,
    "reference/records.md": records_page,
    "reference/every-metric.md": metrics_page,
    "reference/formats.md": formats_page,
}
