"""How far the work is: bars on a terminal, plain lines in a log."""

from __future__ import annotations

import math
import sys
import time
from threading import Event, Thread
from typing import TYPE_CHECKING

import click

from evaluator.cli.printing import is_quiet

if TYPE_CHECKING:
    from tqdm import tqdm

#: In a log, a phase says how far it is after so many seconds, and again.
EVERY_S = 30.0
BAR = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}{postfix}"


class TerminalProgress:
    """A phase of the work at a time; `title` is written before each."""

    def __init__(self) -> None:
        self.title = ""
        self._phase: _Phase | None = None

    def phase(self, text: str, total: int | None = None, done: int = 0) -> None:
        """Begin a phase of `total` steps, of which some may be `done`; None: not known."""
        self.close()
        if not is_quiet():
            line = f"{self.title}: {text}" if self.title else text
            self._phase = (
                _Bar(line, total, done) if total and sys.stderr.isatty() else _Lines(line, total, done)
            )

    def advance(self, done: int = 1) -> None:
        """Count so many more steps as done."""
        if self._phase is not None:
            self._phase.advance(done)

    def say(self, line: str) -> None:
        """Write a line beside the phase, which goes on."""
        if self._phase is not None:
            self._phase.say(line)
        else:
            click.echo(line, err=True)

    def close(self) -> None:
        """End the phase, if there is one."""
        if self._phase is not None:
            self._phase.close()
            self._phase = None


class _Phase:
    """One phase under way."""

    def __init__(self, line: str, total: int | None, done: int) -> None:
        self.line, self.total, self.done = line, total, done
        self._before, self._began = done, time.monotonic()

    def advance(self, done: int) -> None:
        self.done += done

    def say(self, line: str) -> None:
        click.echo(line, err=True)

    def close(self) -> None:
        """Remove the bar from the terminal."""

    @property
    def left(self) -> str:
        """About how long the rest takes, by the pace so far; empty if nothing is known of it."""
        new = self.done - self._before
        if self.total is None or self.done >= self.total or not new:
            return ""
        seconds = (self.total - self.done) * (time.monotonic() - self._began) / new
        return f"about {duration(seconds)} left"


class _Bar(_Phase):
    """A bar on a terminal."""

    def __init__(self, line: str, total: int | None, done: int) -> None:
        super().__init__(line, total, done)
        from tqdm import tqdm

        self._bar: tqdm[None] = tqdm(total=total, initial=done, desc=line, leave=False, bar_format=BAR)

    def advance(self, done: int) -> None:
        super().advance(done)
        self._bar.set_postfix_str(self.left, refresh=False)
        self._bar.update(done)

    def say(self, line: str) -> None:
        self._bar.clear()
        super().say(line)
        self._bar.refresh()

    def close(self) -> None:
        self._bar.close()


class _Lines(_Phase):
    """A line in a log when the phase begins, and others while it lasts, written by a thread that sleeps."""

    def __init__(self, line: str, total: int | None, done: int) -> None:
        super().__init__(line, total, done)
        click.echo(f"{line} ({done:,} of {total:,} already done)" if done else line, err=True)
        self._over = Event()
        self._thread = Thread(target=self._report, daemon=True)
        self._thread.start()

    def _report(self) -> None:
        while not self._over.wait(EVERY_S):
            of = f"{self.done:,} of {self.total:,}" if self.total else ""
            ran = f"{duration(time.monotonic() - self._began)} so far"
            click.echo(f"{self.line}: {', '.join(filter(None, (of, ran, self.left)))}", err=True)

    def close(self) -> None:
        self._over.set()
        self._thread.join()


def duration(seconds: float) -> str:
    """A length of time in words, in whole seconds, minutes or hours, rounded up."""
    for size, unit in ((1, "s"), (60, "min")):
        if seconds <= 99 * size:
            return f"{max(1, math.ceil(seconds / size))} {unit}"
    return f"{math.ceil(seconds / 3600)} h"
