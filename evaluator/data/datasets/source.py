"""Where a dataset is and how to read it: what a caller declares before anything is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluator.records.errors import UserError


class DatasetError(UserError):
    """A dataset that cannot be read, which is not a model's fault: file, line, field, value and fix."""


@dataclass(frozen=True)
class DatasetSource:
    """One file in a known format (`evaluator.data.datasets.FORMATS`).

    `columns` is for the formats that need it: it maps the task's input fields, ``label`` (for tasks that
    ask for texts: ``answers``) and, if the file has them, ``id``, ``votes``, ``validated`` and
    ``tag.NAME`` to header names (or JSON keys), or all of them to 0-based column numbers of a file
    without a header. `label_map` maps what the file says to one of `labels`; a JSON number or boolean
    counts as it is written. `cluster` is one more such column: what each example is from. Where `labels`
    or `label_map` are empty, the format's own are used, and where it has none, labels stand for
    themselves. `options` go to the format, `tags` to every example. `sha256` pins the file as it is on
    disk: 64 hex digits, or None to take it as it is. `path` is None only for a format that fetches its
    data by `options`. `also` are sources of the same task and labels, whose examples follow: training sets
    of which a model is made together.
    """

    id: str
    task: str
    path: Path | None
    format: str
    columns: Mapping[str, str | int] = field(default_factory=dict)
    label_map: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    sha256: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    cluster: str | int | None = None
    also: tuple[DatasetSource, ...] = ()

    @property
    def where(self) -> str:
        """What messages call it: its path, or its id where there is none."""
        return f"dataset {self.id}" if self.path is None else str(self.path)
