"""What each column that is no name says: a metric, what stands beside one, a tag, a fact of a model, or
nothing that a board shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from evaluator.exchange.results.beside import PLUS_MINUS, Beside, columns_beside, labels_beside
from evaluator.exchange.results.example_values import BEFORE, fact_texts, is_times
from evaluator.exchange.results.judging import Judge, JudgedColumn, ids_of
from evaluator.exchange.results.naming import parameters, tokens
from evaluator.exchange.results.numbers import Numbers, numbers
from evaluator.exchange.results.reading import FIRST, CellTable
from evaluator.exchange.results.taking import check_numbers
from evaluator.exchange.results.told import Told, Unsure
from evaluator.exchange.results.words import (
    CARD_NUMBERS,
    CARDS,
    COUNTS_OF_EXAMPLES,
    INTERVALS,
    RANKS,
    ROLES,
    direction_in,
    ends_as,
    is_called,
    last_words,
    unit_in,
    words,
)
from evaluator.records.base import slug
from evaluator.records.errors import UserError

#: What columns are called that are the mean of others.
MEANS = ("avg", "average", "mean", "overall", "avg score", "average score", "macro avg", "total score")
#: Columns of texts that say nothing by which models can be filtered.
NO_TAGS = ("note", "notes", "comment", "comments")
#: What examples are from, or what kind they are of.
KINDS_TOO = ("group", "source", "template", "question")
#: A tag has at least two values and at most so many; dates may have any number.
MOST_VALUES = 50
#: Of a column that is about examples, so many of these must have one value for all models.
NEARLY_ALWAYS = 0.95


class ColumnReader:
    """Reads the columns of a table that have no role yet, those in `used` apart.

    After `read`: `left_out` columns with the reason, `tags`, `card`, `cluster`, `examples` (how many a number
    is from), `free` texts, `weightless` metrics, and what is `unsure`.
    """

    def __init__(self, table: CellTable, spec: Mapping[str, Any], told: Told, used: frozenset[str]) -> None:
        self.table, self.spec, self.told = table, spec, told
        self.frame = table.frame
        self.is_examples = spec["rows"] == "examples"
        self.names = [name for name in self.frame.columns if name not in used]
        self.left_out: dict[str, str] = {}
        self.tags: dict[str, str] = {}
        self.card: dict[str, str] = {}
        self.cluster: str | None = told.columns.get("cluster")
        self.examples: str | None = told.columns.get("examples")
        self.free: list[str] = []
        self.weightless: set[str] = set()
        self.unsure: list[Unsure] = []
        self.found: dict[str, Numbers] = {}

    def read(self) -> list[JudgedColumn]:
        """The metrics, in the order of their columns. Raises `UserError`."""
        self._told()
        for name in self._open():
            found = self._numbers(name)
            if self._is_number(name, found):
                self.found[name] = found
            else:
                self._text(name)
        beside = self._beside()
        for name in self.found:
            if name not in beside.used and (why := self._no_metric(name)):
                self.left_out[name] = why
        self._groups()
        metrics = [name for name in self.found if name not in self.left_out and name not in beside.used]
        for name in self._averages(metrics):
            metrics.remove(name)
            self.left_out[name] = "the mean of the others, which the board makes at the visitor's weights"
        for role in (*self.tags.values(), *self.card.values(), self.cluster, self.examples):
            self.left_out.pop(str(role), None)
        ids = ids_of(metrics, self.told, self.table.where)
        judge = Judge(self.table, self.told, self.is_examples, self.unsure, self.weightless)
        return [
            judge.judged(name, ids[name], self.found[name], beside.columns.get(name, {})) for name in metrics
        ]

    def _beside(self) -> Beside:
        """Columns beside metrics. Of single examples these are what people said in place of a judge."""
        names = list(self.found)
        spreads = [
            name
            for name in names
            if self.found[name].spread is not None and f"{name}{PLUS_MINUS}" not in self.told.leave_out
        ]
        if self.is_examples:
            partial = [name for name in names if len(self.found[name].known) < len(self.frame)]
            labels = labels_beside(names, self.told.columns, partial)
            found = Beside({judge: {"human": people} for judge, people in labels.items()})
        else:
            found = columns_beside(names, self.told.metrics, spreads)
        self.left_out |= found.left_out
        self.unsure += found.unsure
        return found

    def _averages(self, metrics: list[str]) -> list[str]:
        """Columns that are the mean of all others."""
        found = []
        for name in metrics:
            others = [
                one
                for one in metrics
                if one != name and not is_called(one, MEANS) and direction_in(one, unit_in(one)) != "lower"
            ]
            if len(others) > 1 and is_called(name, MEANS) and name not in self.told.metrics:
                mean = np.mean([self.found[one].values for one in others], axis=0)
                apart = np.abs(mean - self.found[name].values)
                if (apart[~np.isnan(apart)] <= 0.06 * max(1.0, float(np.nanmax(np.abs(mean))) / 100)).all():
                    found.append(name)
        return found

    def _numbers(self, name: str) -> Numbers:
        return numbers(self.frame[name], self.table.style, self.told.missing)

    def _told(self) -> None:
        for role, column in self.told.columns.items():
            kind, _, name = role.partition(":")
            if kind == "tag":
                (self.tags if self.is_examples else self.card)[
                    name if self.is_examples else f"tags.{name}"
                ] = column
            elif kind == "card":
                self.card[name] = column
        for name in self.told.leave_out & set(map(str, self.frame.columns)):
            self.left_out[name] = "as asked"

    def _open(self) -> Iterator[str]:
        closed = {self.cluster, self.examples, *self.tags.values(), *self.card.values(), *self.left_out}
        return (name for name in self.names if name not in closed)

    def _is_number(self, name: str, found: Numbers) -> bool:
        """Whether a column is one of numbers. Raises `UserError` for a text among them."""
        if name in self.told.metrics or len(found.known) > found.bad.sum():
            if not len(found.known):
                raise UserError(self.table.where, f"{name!r} has no numbers", "name another column")
            said = {str(cell).strip().lower() for cell in self.frame[name] if cell is not None}
            if found.words and not self.is_examples and not said <= {"0", "1"}:
                return False
            check_numbers(self.table, name, found)
            return True
        return False

    def _text(self, name: str) -> None:
        """A column of texts: a tag, a fact of the model, or nothing."""
        texts = fact_texts(name, self.frame[name])
        said = sorted(set(texts) - {""})
        if not said:
            if not any(other.startswith(f"{name}.") for other in self.frame.columns):
                self.left_out[name] = "is empty"
        elif direction_in(name, unit_in(name)) and self._has_numbers(name, said):
            check_numbers(self.table, name, self._numbers(name))
        elif self.is_examples:
            self._fact(name, texts)
        else:
            self._card(name, texts, said)

    def _has_numbers(self, name: str, said: list[str]) -> bool:
        """Whether a column that is a metric by its name has some numbers, or 80-85 or 1.2k in all cells."""
        if any(re.match(r"\d{4}-\d\d", text) for text in said):
            return False
        some = bool(len(self._numbers(name).known)) and not self._numbers(name).words
        return some or all(re.match(r"[<>~≈]?\s*\d", text) for text in said)

    def _card(self, name: str, texts: pd.Series[Any], said: list[str]) -> None:
        field = next((one for one, usual in CARDS.items() if is_called(name, usual)), None)
        is_link = all(text.startswith(("https://", "http://")) for text in said)
        is_short = all(len(text) <= 40 for text in said)
        self.free += [name] if is_short else []
        if (field in ("link", "paper") and not is_link) or (field == "effort" and not is_short):
            field = None
        if field in CARD_NUMBERS:
            read = parameters if field == "parameters" else tokens
            field = None if None in map(read, said) else field
        if field and field not in self.card:
            self.card[field] = name
        elif (
            "." not in name
            and not is_called(name, NO_TAGS)
            and ends_as(name, INTERVALS) is None
            and 1 < len(set(texts)) <= min(12, max(2, len(texts) // 3))
            and is_short
        ):
            self.card[f"tags.{tag_name(name)}"] = name
        else:
            self.left_out[name] = "a text" if len(said) > 1 else f"the same for all: {said[0][:40]!r}"

    @cached_property
    def _example(self) -> pd.Series[Any]:
        """Which example of which dataset each row is about."""
        datasets = self.spec.get("datasets")
        example = self.frame[str(self.spec["example"])].map(str)
        return example if datasets is None else self.frame[datasets.column].map(str) + "\n" + example

    def _fact(self, name: str, texts: pd.Series[Any]) -> None:
        """What is the same for all models on an example: a tag, or what examples are from."""
        if not self._is_of_example(texts):
            self.left_out[name] = "differs between models, and is no number of theirs"
            return
        values = len(set(texts) - {""})
        examples = self._example.nunique()
        is_group = 1 < values < examples and is_called(name, ROLES["cluster"])
        is_kind = is_called(name, KINDS_TOO) and values <= MOST_VALUES // 2
        is_date = all(re.fullmatch(r"\d{4}-\d\d(-\d\d)?", text) for text in set(texts) - {""})
        if is_group and not is_kind and self.cluster is None:
            self.cluster = name
        elif values > 1 and (is_date or values <= min(MOST_VALUES, max(2, examples // 2))):
            self.tags[tag_name(name)] = name
        else:
            reason = "the same for all" if values < 2 else "of each example, with too many values for a tag"
            self.left_out[name] = reason

    def _groups(self) -> None:
        """What stands before a mark in all ids, such as astropy in astropy__astropy-1, as a tag."""
        if not self.is_examples or any(BEFORE in column for column in self.tags.values()):
            return
        example = str(self.spec["example"])
        ids = sorted(set(self.frame[example].map(str)))
        for mark in ("__", "::", "/"):
            groups = {one.partition(mark)[0] for one in ids}
            if all(mark in one for one in ids) and 1 < len(groups) <= min(MOST_VALUES, len(ids) // 2):
                self.tags["group"] = f"{example}{BEFORE}{mark}"
                return

    def _is_of_example(self, texts: pd.Series[Any]) -> bool:
        """Whether a column is the same for all models on nearly every example; clocks may differ."""
        if 2 * self._example.nunique() > len(texts):
            return texts.nunique() <= len(texts) // 2 and not texts.map(_is_plain_number).all()
        return bool((texts.groupby(self._example).nunique() <= 1).mean() >= NEARLY_ALWAYS)

    def _no_metric(self, name: str) -> str | None:
        """Why a column of numbers is no metric; None where it may be one."""
        if name in self.told.metrics:
            return None
        found, cells = self.found[name], self.frame[name]
        known = found.known
        texts = fact_texts(name, cells)
        if is_called(name, RANKS) or words(name)[:1] == ["rank"]:
            return "a rank, which is computed here"
        if self._is_index(name, found):
            return "a number of the row"
        for field, what in CARD_NUMBERS.items():
            if not self.is_examples and is_called(name, CARDS[field]):
                self.card.setdefault(field, name)
                return f"{what}, in the model's card"
        if is_times(name, cells.map(lambda cell: "" if cell is None else str(cell).strip())):
            if self.is_examples:
                self._fact(name, texts)
                return self.left_out.get(name) or "a date, taken as a tag"
            self.card.setdefault("released", name)
            return "a date, kept with the model"
        is_score = direction_in(name, unit_in(name)) is not None
        compared = self.is_examples and len(set(self.frame[self.spec["model"]])) > 1 and not is_score
        if compared and len(set(known)) > 1 and self._is_of_example(texts):
            self._fact(name, texts)
            return self.left_out.get(name) or "the same for all models on an example, taken as a tag"
        if len(known) > 2 and len(set(known)) == 1 and not self.is_examples:
            if is_called(name, COUNTS_OF_EXAMPLES) and float(known[0]).is_integer() and self.examples is None:
                self.examples = name
                return "how many examples the numbers are from"
            return f"the same for all: {known[0]:g}"
        return self._count(name, found)

    def _is_index(self, name: str, found: Numbers) -> bool:
        values = found.values
        unnamed = name == FIRST or is_called(name, ("index", "unnamed 0", "id", "idx", "#", "row"))
        return (
            unnamed and len(values) > 1 and not np.isnan(values).any() and bool((np.diff(values) == 1).all())
        )

    def _count(self, name: str, found: Numbers) -> str | None:
        """Whether a column counts what a rate is from; how many examples there were is kept."""
        own, known = last_words(name), found.known
        whole = bool((known == np.round(known)).all() and (known >= 0).all())
        if not whole or self.is_examples:
            return None
        if is_called(name, COUNTS_OF_EXAMPLES):
            if self.examples is None:
                self.examples = name
                return "how many examples the numbers are from"
            return "a count"
        if own[0] in ("n", "num", "count", "number", "#") or own[-1] in ("count", "counts", "total"):
            return "a count that rates are from"
        has_total = any(is_called(other, COUNTS_OF_EXAMPLES) for other in self.names)
        if own[-1] == "votes":
            return "a count"
        is_count = own[-1] in ("correct", "wins", "losses", "ties", "draws", "passed", "failed", "solved")
        return "a count that rates are from" if is_count and has_total and known.max() > 1 else None


def _is_plain_number(text: str) -> bool:
    return not text or bool(re.fullmatch(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?", text))


def tag_name(name: str) -> str:
    """The name of a tag from that of its column."""
    own = last_words(name)
    kept = [word for word in own if word not in ("ms", "id")]
    return slug("-".join(kept or own)).lower().replace("_", "-")
