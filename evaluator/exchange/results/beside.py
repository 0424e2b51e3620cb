"""Columns that stand beside a metric: standard errors, ends of intervals, deviations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluator.exchange.results.arranging import shown
from evaluator.exchange.results.told import Unsure
from evaluator.exchange.results.words import (
    DEVIATIONS,
    HIGHS,
    INTERVALS,
    LOWS,
    STANDARD_ERRORS,
    bare,
    ends_as,
    initials_of,
    words,
)

#: What a column beside a metric may be, by what its name ends in.
KINDS = {"low": LOWS, "high": HIGHS, "error": STANDARD_ERRORS, "half": INTERVALS, "spread": DEVIATIONS}
#: What stands after a number, in the name of a column that is not in the file.
PLUS_MINUS = " ±"


@dataclass
class Beside:
    """By metric the columns beside it and what each is (`KINDS`); columns that are about none; guesses."""

    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    unsure: list[Unsure] = field(default_factory=list)

    @property
    def used(self) -> set[str]:
        """The columns that are no metrics."""
        return {name for kinds in self.columns.values() for name in kinds.values()} | set(self.left_out)


def columns_beside(names: Sequence[str], told: Mapping[str, object], with_spread: Sequence[str]) -> Beside:
    """What stands beside metrics, of columns in their order. Those in `told` are metrics.

    `with_spread` are columns whose cells have a second number after ±.
    """
    found = Beside()
    kinds = {name: _kind(name) for name in names if name not in told}
    metrics = [name for name in names if kinds.get(name) is None]
    for name, kind in kinds.items():
        if kind is None:
            continue
        about = _about(name, kind[1], metrics, names)
        if about is None:
            found.left_out[name] = "beside no column that is here"
        elif kind[0] == "spread":
            found.left_out[name] = "a deviation, which is no standard error"
        else:
            found.columns.setdefault(about, {})[kind[0]] = name
    for name in with_spread:
        beside = f"{name}{PLUS_MINUS}"
        found.columns.setdefault(name, {}).setdefault("error", beside)
        options = (f"--leave-out {shown(beside)}", "--yes")
        found.unsure.append(Unsure(f"{name}: what stands after ±", "a standard error", options))
    for name, own in found.columns.items():
        if "half" in own and "error" not in own:
            options = (f"--leave-out {shown(own['half'])}", "--yes")
            about = f"half of the 95 % interval of {name}"
            found.unsure.append(Unsure(f"{own['half']}: which interval", about, options))
    return found


def _kind(name: str) -> tuple[str, str] | None:
    """What a column beside a metric is, and what its name says besides; None for one that is a metric."""
    for kind, usual in KINDS.items() if words(name)[:1] != ["rank"] else ():
        stem = ends_as(name, usual)
        if stem is not None:
            return kind, stem
    return None


def _about(name: str, stem: str, metrics: Sequence[str], names: Sequence[str]) -> str | None:
    """The metric that a column is about: by its name, by initials, else the one before it."""
    before = [one for one in names[: names.index(name)] if one in metrics]
    if not stem:
        return before[-1] if before else (metrics[0] if len(metrics) == 1 else None)
    own = stem.split()
    same = [one for one in metrics if own in (words(one), words(bare(one)))]
    part = [one for one in metrics if set(own) <= set(words(one))]
    short = [one for one in metrics if initials_of(stem, one)]
    for fitting in (same, part, short):
        if fitting:
            return next((one for one in reversed(before) if one in fitting), fitting[0])
    return None
