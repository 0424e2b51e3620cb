"""What a model answered, example by example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from evaluator.records.base import (
    SCHEMA_VERSION,
    Count,
    Digest,
    Record,
    Share,
    Slug,
    Version,
    is_empty,
)

AnswerPiece = int | str | tuple[int, int, Literal["lower", "upper"]]


class PredictionSet(Record):
    """Per-example predictions as columns, in the dataset's own order: of labels or of texts.

    `predicted` holds indices into `labels`, -1 where the model gave no valid answer. Probabilities
    count in parts of `resolution`: `probabilities` has a column for every label but the last, whose
    share is the rest. `exact_confidence` is how sure the model is of its own answer, as it said, also
    where that is no valid one: rankings by it must not depend on rounding.

    `answers` holds texts, None where there is no answer, in pieces: two numbers are the start and the
    end, in characters, of a quotation from the input fields `quoted`, joined by newlines; with "lower"
    or "upper" the quotation is in that case; a string stands for itself. So a text that quotes the
    dataset is kept without a word of the dataset (DESIGN, invariant 8).

    `scores` holds how right each text is by some metrics, in parts of `resolution`, and only where the
    dataset's gold answers may be published: whoever sees the scores may guess at the answers.
    """

    schema_version: Version = Field(default=SCHEMA_VERSION, description="of this record")
    kind: Literal["predictions"] = Field(default="predictions", description="which record this is")
    task: Slug = Field(description="the task")
    model: Slug = Field(description="the model's id")
    dataset: Slug = Field(description="the dataset's id")
    dataset_revision: Digest = Field(description="which examples")
    suite: Digest | None = Field(
        default=None, description="the suite whose variants these are predictions of"
    )
    ids_sha256: Digest = Field(description="canonical hash of the list of example ids, in order")
    labels: tuple[str, ...] = Field(default=(), exclude_if=is_empty, description="what predicted points into")
    predicted: tuple[int, ...] | None = Field(
        default=None, description="the answers, as places in labels; -1: no valid answer"
    )
    resolution: Annotated[int, Field(ge=1)] = Field(
        description="how much a probability of 1 is in the columns: 1000 for thousandths"
    )
    quoted: tuple[str, ...] = Field(
        default=(), exclude_if=is_empty, description="input fields that pieces of answers quote"
    )
    answers: tuple[tuple[AnswerPiece, ...] | None, ...] | None = Field(
        default=None, description="answers in words, in pieces; null: no answer"
    )
    exact_confidence: tuple[Share | None, ...] | None = Field(
        default=None, description="of its own answer, 0 to 1, as the model gave it"
    )
    probabilities: dict[str, tuple[Count | None, ...]] | None = Field(
        default=None, description="of each label but the last"
    )
    no_answer: tuple[float, ...] | None = Field(
        default=None, description="how likely each question has no answer, as given"
    )
    scores: dict[Slug, tuple[Count, ...]] | None = Field(
        default=None, description="how right each answer is, by metric"
    )

    @property
    def examples(self) -> int:
        """How many examples there are predictions for."""
        return len(self._column)

    @property
    def _column(self) -> tuple[Any, ...]:
        return (self.predicted if self.predicted is not None else self.answers) or ()

    @model_validator(mode="after")
    def _columns_fit(self) -> PredictionSet:
        if (self.predicted is None) == (self.answers is None):
            raise ValueError("predicted/answers: give exactly one of them")
        for index, value in enumerate(self.predicted or ()):
            if not -1 <= value < len(self.labels):
                raise ValueError(f"predicted[{index}]: {value} is not -1 or an index into {self.labels}")
        columns: dict[str, Sequence[int | None]] = {}
        columns |= {f"probabilities.{name}": col for name, col in (self.probabilities or {}).items()}
        columns |= {f"scores.{name}": col for name, col in (self.scores or {}).items()}
        for name in ("exact_confidence", "no_answer"):
            given = getattr(self, name)
            if given is not None and len(given) != self.examples:
                raise ValueError(f"{name}: {len(given)} values for {self.examples} examples")
        for name, column in columns.items():
            if len(column) != self.examples:
                raise ValueError(f"{name}: {len(column)} values for {self.examples} examples")
            if max((value for value in column if value is not None), default=0) > self.resolution:
                raise ValueError(f"{name}: has values over resolution, which is {self.resolution}")
        return self
