"""What was sent to an endpoint and what it cost, on disk before it is sent, so that no budget is exceeded.

Each request reserves the most that it can cost before it is sent, and is settled with what it did cost. What
was reserved and never settled (an answer that was cut off, a process that was killed) counts in full: it may
have been paid for.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from pydantic import RootModel, ValidationError

from evaluator.records.errors import UserError


class OverBudget(UserError):  # noqa: N818
    """The next request could exceed what the board file allows."""


class _Line(RootModel[tuple[int, float | None]]):
    """The number of a request, and the most that it can cost, or what it did; null without a price."""


@dataclass(frozen=True)
class Budget:
    """The most requests and US dollars in all; None where nothing is said.

    `where` names the board file's table.
    """

    where: str
    max_requests: int | None = None
    max_usd: float | None = None


class Ledger:
    """The requests to one endpoint, from one work folder. Use as a context manager.

    One evaluation at a time holds a work folder, and asks from one thread. Raises `UserError` for a file that
    is none.
    """

    def __init__(self, path: Path, budget: Budget) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.budget = path, budget
        self._costs: dict[int, float] = {}
        whole = 0
        for line in path.read_bytes().splitlines(keepends=True) if path.exists() else []:
            if not line.endswith(b"\n"):  # the line that a process was killed at: nothing was sent for it
                break
            try:
                number, usd = _Line.model_validate_json(line, strict=True).root
            except ValidationError:
                fix = "restore it, or remove it if what was spent so far is not to count"
                raise UserError(path, f"byte {whole}: is no line of requests", fix) from None
            self._costs[number] = usd or 0.0
            whole += len(line)
        self._file = path.open("ab")
        self._file.truncate(whole)

    @property
    def requests(self) -> int:
        """How many were sent, in all."""
        return len(self._costs)

    @property
    def usd(self) -> float:
        """What they cost at most, as far as prices are known."""
        return math.fsum(self._costs.values())

    def reserve(self, most: float | None) -> int:
        """Note a request that is about to be sent and costs at most so many dollars, None where that is
        unknown; gives its number. Raises `OverBudget`, and then nothing is to be sent."""
        budget = self.budget
        if budget.max_requests is not None and self.requests >= budget.max_requests:
            what = f"{self.requests:,} requests were sent, the most that it allows"
            raise OverBudget(f"{budget.where}: max_requests", what, "allow more, and evaluate again")
        if budget.max_usd is not None:
            if most is None:
                fix = "give its price under [[prices]], or leave max_usd out"
                raise OverBudget(f"{budget.where}: max_usd", "no price of the model is known", fix)
            if self.usd + most > budget.max_usd:
                what = (
                    f"{self.usd:.4f} USD are spent or may be, and the next answer could cost {most:.4f}:"
                    f" together more than {budget.max_usd:g}"
                )
                raise OverBudget(f"{budget.where}: max_usd", what, "allow more, and evaluate again")
        number = len(self._costs)
        self._note(number, most)
        return number

    def settle(self, number: int, usd: float | None) -> None:
        """Note what a request did cost; what was reserved for it stands where that is None."""
        if usd is not None:
            self._note(number, usd)

    def _note(self, number: int, usd: float | None) -> None:
        self._costs[number] = usd or 0.0
        self._file.write(json.dumps([number, usd]).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
