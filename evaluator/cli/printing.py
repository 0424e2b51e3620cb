"""What several commands print: JSON, tables, numbers, notes, text that is not ours, and how far work is.

Click leaves colours out where the output is no terminal; `main` does where NO_COLOR is set. Progress is bars
on a terminal and plain lines in a log.
"""

from __future__ import annotations

import json
import math
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import click

from evaluator.records.errors import alike, together

if TYPE_CHECKING:
    from tqdm import tqdm

    from evaluator.records.board.cells import DoubtfulTiming

#: Where the root context keeps how much is printed: 1 with --verbose, -1 with --quiet.
VERBOSITY = "evaluator.cli.verbosity"
#: Good news, doubt and bad news.
GOOD, DOUBT, BAD = "green", "yellow", "red"
#: More models than this are not named in a command that takes all of them anyway.
FEW_MODELS = 3
NUMBER = r"\d+(?:\.\d+)?"


def is_quiet() -> bool:
    """Whether --quiet was given."""
    return _verbosity() < 0


def is_verbose() -> bool:
    """Whether --verbose was given."""
    return _verbosity() > 0


def _verbosity() -> int:
    context = click.get_current_context(silent=True)
    return 0 if context is None else int(context.meta.get(VERBOSITY, 0))


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


def report(as_json: bool, document: Any, lines: Iterable[str]) -> None:
    """Print what a command has done: the document with --json, else the lines, of which --quiet has none."""
    if as_json:
        print_json(document)
        return
    for line in lines:
        summarise(line)


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
    kinds = [(*one, 1) for one in found] if is_verbose() else together(found)
    for about, message, times in kinds:
        count = f"{times} {what}s, the first: " if times > 1 else f"{what}: "
        yield f"{message} ({count}{about})"


def by_file(messages: Iterable[str]) -> Iterator[str]:
    """Messages that begin with a file's name; those that say the same as one line, with a count.

    With --verbose every one has its own line.
    """
    lines = [line for message in messages for line in message.splitlines()]
    if is_verbose():
        yield from lines
        return
    yield from alike(lines)


def timing_lines(found: Sequence[tuple[str, str, DoubtfulTiming]]) -> Iterator[str]:
    """A line for all suspect timings and one for the invalid: why most of them are, and what to run.

    `found` are timings with the id and the label of their model. With --verbose each has a line too, with
    all its reasons.
    """
    for verdict, what in (("suspect", "suspect"), ("invalid", "invalid and counts as missing")):
        mine = [one for one in found if one[2].verdict == verdict]
        if not mine:
            continue
        if is_verbose():
            yield from (f"{label}: {timing}" for _, label, timing in mine)
        models = {id_: label for id_, label, _ in mine}
        who = next(iter(models.values())) if len(models) == 1 else f"{len(models)} models"
        reason, is_all = _usual_reason([timing for *_, timing in mine])
        more = "" if is_all or is_verbose() else "; --verbose says more"
        only = "".join(f" --model {id_}" for id_ in models) if len(models) <= FEW_MODELS else ""
        again = f"run: steelyard evaluate --remeasure{only}"
        yield f"the timing of {who} is {what}: {reason}{more}; {again}"


def _usual_reason(timings: Sequence[DoubtfulTiming]) -> tuple[str, bool]:
    """The reason that most timings have, with its largest number, and whether there is no other."""
    reasons = [reason for timing in timings for reason in timing.reasons or (timing.why,)]
    kinds = Counter(re.sub(NUMBER, "", reason) for reason in reasons)
    [(usual, _)] = kinds.most_common(1)
    same = [reason for reason in reasons if re.sub(NUMBER, "", reason) == usual]
    worst = max(same, key=lambda reason: float((re.findall(NUMBER, reason) or [0])[0]))
    return worst, len(set(reasons)) == 1


#: In a log, a phase says how far it is after so many seconds, and again after twice as many.
EVERY_S = 30.0
#: A phase of which nobody knows how long it takes says nothing if it is over sooner than this.
SHORT_S = 5.0
BAR = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}{postfix}"


class TerminalProgress:
    """A phase of the work at a time: a bar on a terminal, lines in a log; `title` is written before each."""

    def __init__(self) -> None:
        self.title = ""
        self._bar: tqdm[None] | None = None
        self._over = Event()
        self._total: int | None = None
        self._done = self._new = 0
        self._began = 0.0

    def phase(self, text: str, total: int | None = None, done: int = 0) -> None:
        """Begin a phase of `total` steps, of which some may be `done`; None: not known."""
        self.close()
        self._total, self._done, self._new, self._began = total, done, 0, time.monotonic()
        line = f"{self.title}: {text}" if self.title else text
        if is_quiet():
            return
        if total and sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=total, initial=done, desc=line, leave=False, bar_format=BAR)
            return
        if total is not None:
            click.echo(f"{line} ({done:,} of {total:,} already done)" if done else line, err=True)
        self._over = Event()
        Thread(target=self._report, args=(line, self._over), daemon=True).start()

    def advance(self, done: int = 1) -> None:
        """Count so many more steps as done."""
        self._done, self._new = self._done + done, self._new + done
        if self._bar is not None:
            self._bar.set_postfix_str(self._left(), refresh=False)
            self._bar.update(done)

    def say(self, line: str) -> None:
        """Write a line beside the phase, which goes on."""
        if self._bar is not None:
            self._bar.clear()
        click.echo(line, err=True)
        if self._bar is not None:
            self._bar.refresh()

    def close(self) -> None:
        """End the phase, if there is one."""
        self._over.set()
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _left(self) -> str:
        """About how long the rest takes, by the pace so far; empty if nothing is known of it."""
        if self._total is None or self._done >= self._total or not self._new:
            return ""
        seconds = (self._total - self._done) * (time.monotonic() - self._began) / self._new
        return f"about {duration(seconds)} left"

    def _report(self, line: str, over: Event) -> None:
        """Say now and then how far the phase is; the thread sleeps between."""
        if self._total is None:
            if over.wait(SHORT_S):
                return
            click.echo(line, err=True)
        wait = EVERY_S
        while not over.wait(wait):
            wait *= 2
            of = f"{self._done:,} of {self._total:,}" if self._total else ""
            ran = f"{duration(time.monotonic() - self._began)} so far"
            click.echo(f"{line}: {', '.join(filter(None, (of, ran, self._left())))}", err=True)


def duration(seconds: float) -> str:
    """A length of time in words, in whole seconds, minutes or hours, rounded up."""
    for size, unit in ((1, "s"), (60, "min")):
        if seconds <= 99 * size:
            return f"{max(1, math.ceil(seconds / size))} {unit}"
    return f"{math.ceil(seconds / 3600)} h"
