"""What is asked of an import: whose numbers they are, and what theirs are called here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from evaluator.data.tasks import is_text, show
from evaluator.exchange.errors import InterchangeError
from evaluator.rank.dynascore import LARGEST
from evaluator.records.base import HUMAN, Slug
from evaluator.records.names import name_problem

#: What of each example is stored: the model's answer, whether the tool found it right, or nothing.
ExampleUse = Literal["answers", "verdicts", "none"]


@dataclass(frozen=True)
class ImportRequest:
    """How to import what a tool wrote.

    `tasks` maps the tool's tasks to datasets, `metrics` its metrics (with or without ``,filter``) to those
    of boards; empty ones mean equal names. A number is multiplied by the entry in `scales` for its board
    metric. `citation` replaces the one that names the tool, task and metrics. `examples` says what is
    stored of each example where the tool kept them and the board has the data. With `accept_differences`
    a number that is not what the examples imply is taken, and marked. With `write_data` the data file of
    a dataset is made of the log's own examples where it is missing.
    """

    model: str
    label: str | None = None
    tasks: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    scales: Mapping[str, float] = field(default_factory=dict)
    citation: str | None = None
    link: str | None = None
    examples: ExampleUse = "answers"
    accept_differences: bool = False
    write_data: bool = False

    def __post_init__(self) -> None:
        try:
            TypeAdapter(Slug).validate_python(self.model)
        except ValidationError:
            fix = "give 1 to 100 of A-Z, a-z, 0-9, '.', '_' and '-', of which the first is a letter or digit"
            raise InterchangeError(f"model: {show(self.model)} is not an id; {fix}") from None
        if self.model == HUMAN:
            raise InterchangeError(f"model: {HUMAN!r} stands for people; choose another id")
        if problem := name_problem(self.model):
            raise InterchangeError(f"model: {problem}")
        for name, scale in self.scales.items():
            if not 0 < scale <= LARGEST:
                raise InterchangeError(
                    f"scale {name}: {scale} is not a number above 0; give one, such as 100"
                )
        for name, text in (("label", self.label), ("citation", self.citation), ("link", self.link)):
            if text is not None and not (text and is_text(text)):
                raise InterchangeError(f"{name}: {show(text)} is not text; give valid UTF-8, or leave it out")
