"""How far the work is: bars on a terminal, plain lines in a log."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from evaluator.cli.printing import is_quiet

if TYPE_CHECKING:
    from tqdm import tqdm


class TerminalProgress:
    """A phase of the work at a time; `title` is written before each."""

    def __init__(self) -> None:
        self.title = ""
        self._bar: tqdm[None] | None = None

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

    def advance(self, done: int = 1) -> None:
        """Count that many more steps as done."""
        if self._bar is not None:
            self._bar.update(done)

    def close(self) -> None:
        """End the phase, if there is one."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
