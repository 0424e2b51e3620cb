"""Columns that stand beside a metric: standard errors, ends of intervals, deviations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from evaluator.exchange.results.arranging import shown
from evaluator.exchange.results.told import Unsure
from evaluator.exchange.results.words import (
    DEVIATIONS,
    HIGHS,
    INTERVALS,
    JUDGES,
    LOWS,
    PEOPLE,
    STANDARD_ERRORS,
    VERDICTS,
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


def labels_beside(names: Sequence[str], told: Mapping[str, str], partial: Collection[str]) -> dict[str, str]:
    """Of columns about single examples those of a judge = the one of what people said of some of them.

    By their names, such as ``judge`` and ``human_label``, or ``quality_judge`` and ``quality_human``, or as
    ``told`` by a column's role: ``human`` where there is one other, ``human:JUDGE`` of several. `partial` are
    columns that are empty in places: only of those a name without a judge's word may be the judge's column.
    """
    said = {role: column for role, column in told.items() if role.partition(":")[0] == "human"}
    found = {role.partition(":")[2]: column for role, column in said.items() if column in names}
    if "" in found:
        others = [name for name in names if name not in said.values()]
        found = {others[0]: found[""]} if len(others) == 1 else {}
    for name in names:
        if name in (*found, *found.values()) or not PEOPLE & set(words(name)):
            continue
        same = [one for one in names if one not in (name, *found) and _judged_as(one) == _judged_as(name)]
        judges = [one for one in same if JUDGES & set(words(one))]
        plain = [one for one in same if not (JUDGES | PEOPLE) & set(words(one))] if name in partial else []
        if len(judges or plain) == 1:
            found[(judges or plain)[0]] = name
    return found


def _judged_as(name: str) -> str:
    """What is judged: a name without the words for who does it."""
    return " ".join(word for word in words(name) if word not in PEOPLE | JUDGES | VERDICTS)


def judged_name(name: str) -> str | None:
    """The metric that a judge's column gives, where its name says that besides; None where it does not."""
    return _judged_as(name) or None if JUDGES & set(words(name)) else None


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
