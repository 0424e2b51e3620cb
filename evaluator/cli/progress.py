"""How far the work is: bars on a terminal, plain lines in a log."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from evaluator.cli.printing import is_quiet

if TYPE_CHECKING:
    from tqdm import tqdm

#: Seconds after which a log gets another line about the phase that is under way.
SILENCE_S = 30.0


class TerminalProgress:
    """A phase of the work at a time; `title` is written before each."""

    def __init__(self) -> None:
        self.title = ""
        self._bar: tqdm[None] | None = None
        self._line, self._of = "", ""
        self._done, self._written = 0, 0.0

    def phase(self, text: str, total: int | None = None, done: int = 0) -> None:
        """Begin a phase of `total` steps, of which some may be `done`; None: not known."""
        self.close()
        line = f"{self.title}: {text}" if self.title else text
        if is_quiet():
            return
        if sys.stderr.isatty() and total is not None:
            from tqdm import tqdm

            self._bar = tqdm(total=total, initial=done, desc=line, leave=False)
        else:
            resumed = f" ({done} of {total} already done)" if done else ""
            click.echo(f"{line}{resumed}", err=True)
            self._line, self._of = line, "" if total is None else f" of {total:,}"
            self._done, self._written = done, time.monotonic()

    def advance(self, done: int = 1) -> None:
        """Count that many more steps as done."""
        if self._bar is not None:
            self._bar.update(done)
        elif self._line:
            self._done += done
            if time.monotonic() - self._written >= SILENCE_S:
                click.echo(f"{self._line}: {self._done:,}{self._of}", err=True)
                self._written = time.monotonic()

    def close(self) -> None:
        """End the phase, if there is one."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        self._line = ""
