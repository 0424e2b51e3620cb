"""A share of the units of an evaluation, for several machines that need not know of one another."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.measure.run.plan import Unit
from evaluator.records.errors import UserError


@dataclass(frozen=True)
class Share:
    """The share `number` of `of`, from 1. All shares together have every unit once."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Share:
        """``3/8``. Raises `UserError`."""
        found = re.fullmatch(r"(\d+)/(\d+)", text.strip())
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise UserError("--share", f"{text!r} is no share", "write it as 3/8: the third of eight")
        return cls(int(found[1]), int(found[2]))

    def units(self, units: Sequence[Unit]) -> list[Unit]:
        """The units of this share, by a hash of their model's and dataset's ids: the same on every machine,
        and whatever else is evaluated."""
        return [unit for unit in units if self._holds(f"{unit.model.id}\0{unit.dataset.id}")]

    def _holds(self, name: str) -> bool:
        return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) % self.of == self.number - 1
