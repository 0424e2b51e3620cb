"""The one error for what a person can put right."""

from __future__ import annotations

from pathlib import Path


class UserError(ValueError):
    """Something that a person gave is wrong, and the program ran as it should.

    `place` is where: a file, with its line, row or field where there is one, or a command's option. `value`
    says what is there and why it cannot be used, `fix` what to do about it. The message is
    ``place: value; fix``, without the parts that are empty.
    """

    def __init__(self, place: str | Path, value: str = "", fix: str = "") -> None:
        self.place, self.value, self.fix = str(place), value, fix
        said = "; ".join(part for part in (value, fix) if part)
        super().__init__(": ".join(part for part in (self.place, said) if part))
