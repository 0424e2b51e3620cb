"""What several commands print: JSON, tables, numbers, notes, colours, and text that is not ours.

Click leaves colours out where the output is no terminal; `main` does where NO_COLOR is set.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

#: Where the root context keeps how much is printed: 1 with --verbose, -1 with --quiet.
VERBOSITY = "evaluator.cli.verbosity"
#: Good news, doubt and bad news.
GOOD, DOUBT, BAD = "green", "yellow", "red"


def is_quiet() -> bool:
    """Whether --quiet was given."""
    return _verbosity() < 0


def is_verbose() -> bool:
    """Whether --verbose was given."""
    return _verbosity() > 0


def _verbosity() -> int:
    context = click.get_current_context(silent=True)
    return 0 if context is None else int(context.meta.get(VERBOSITY, 0))


def printable(text: str) -> str:
    """Text from elsewhere with everything unprintable escaped, so that no terminal takes it for a command."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def decimal(value: float | None, decimals: int = 2) -> str:
    """A number with that many decimals; "-" for None."""
    return "-" if value is None else f"{value:.{decimals}f}"


def in_colour(text: str, colour: str | None) -> str:
    """A text in a colour, in bold as well, so that it stands out without seeing colours."""
    return click.style(text, fg=colour, bold=True) if colour else text


def summarise(text: str) -> None:
    """Print what a command has done; not with --quiet."""
    if not is_quiet():
        click.echo(text)


def note(text: str) -> None:
    """Print something worth knowing; not with --quiet."""
    summarise(f"{in_colour('note:', DOUBT)} {text}")


def detail(text: str) -> None:
    """Print to stderr what only --verbose asks for."""
    if is_verbose():
        click.echo(text, err=True)


def print_json(document: Any) -> None:
    """Print plain data as JSON; NaN and infinities are errors."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(
    rows: Sequence[Sequence[str]], left: set[int], colours: Mapping[int, Sequence[str | None]] | None = None
) -> None:
    """Print rows of equal length as a table; the columns whose numbers are in `left` are aligned left.

    `colours` has for some columns the colour of each row's cell, or None.
    """
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) * (-1 if at in left else 1) for at, column in enumerate(columns)]
    template = "  ".join(f"%{width}s" for width in widths)
    for at, painted in (colours or {}).items():
        # Escapes have no width, so cells are filled up before they are coloured.
        filled = [f"%{widths[at]}s" % cell for cell in columns[at]]
        columns[at] = tuple(map(in_colour, filled, painted))
    click.echo("\n".join((template % row).rstrip() for row in zip(*columns, strict=True)))


def grouped(found: Iterable[tuple[str, str]], what: str) -> Iterator[str]:
    """One line a message, however often it was said, with what it was first said about.

    `found` are pairs of what a message is about, called `what`, such as input, and the message.
    With --verbose every one has its own line.
    """
    from evaluator.records.errors import together

    kinds = [(*one, 1) for one in found] if is_verbose() else together(found)
    for about, message, times in kinds:
        count = f"{times} {what}s, the first: " if times > 1 else f"{what}: "
        yield f"{message} ({count}{about})"


def by_file(messages: Iterable[str]) -> Iterator[str]:
    """Messages that begin with a file's name; those that say the same of several files as one line.

    With --verbose every one has its own line.
    """
    from evaluator.records.errors import together

    lines = [line for message in messages for line in message.splitlines()]
    if is_verbose():
        yield from lines
        return
    for start, rest, times in together((line.partition(": ")[0], line.partition(": ")[2]) for line in lines):
        more = f" (and in {times - 1} more file{'' if times == 2 else 's'})" if times > 1 else ""
        yield f"{start}: {rest}{more}" if rest else start
