"""The numbers of a model on a dataset, and what they are from."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from evaluator.records.base import (
    EVALUATED,
    SCHEMA_VERSION,
    Count,
    Digest,
    Moment,
    Provenance,
    Record,
    Slug,
    Version,
    is_empty,
)
from evaluator.records.measurement import Measurement
from evaluator.records.references import DatasetRef, ModelRef, PredictionsRef, Source


class Judged(Record):
    """What stands behind a score that is a judge's verdicts, corrected by what people said of some of them.

    The score is `weight` x the mean of all verdicts + the mean, over the labels, of label - `weight` x
    verdict. All numbers but `labels`, `weight` and `worth` are in the unit of the metric.
    """

    labels: Count = Field(description="examples that people were asked about")
    weight: Annotated[float, Field(ge=0, le=1)] = Field(
        description="of the judge: the same for all models of a dataset"
    )
    judge: float = Field(description="what the judge alone says: the mean of all its verdicts")
    excess: float = Field(description="by how much its verdicts are over the labels, on average")
    excess_error: Annotated[float, Field(ge=0)] = Field(description="the standard error of that")
    worth: Annotated[float, Field(ge=0)] | None = Field(
        default=None,
        description="of how many labels, without a judge, the number would vary as little; null: not known",
    )


class Score(Record):
    """One number of a board: `value` in `unit`, computed by `version` of its definition."""

    value: float = Field(description="the number")
    unit: str = Field(description="its unit; % for shares in per cent")
    version: str = Field(description="of the definition; it changes whenever numbers would")
    interval: tuple[float, float] | None = Field(
        default=None, description="the 95 % interval of a timing, or of an estimate of people"
    )
    standard_error: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="of a reported number, as its source gives it, in the same unit"
    )
    threshold: float | None = Field(default=None, description="for a best value over thresholds: at which")
    settings: dict[str, str] = Field(
        default={},
        exclude_if=is_empty,
        description="of a tool's number: all that decided it, by name; equal ones are ranked together",
    )
    judged: Judged | None = Field(
        default=None,
        exclude_if=lambda judged: judged is None,
        description="of a judge's verdicts that labels of people correct; left out of all others",
    )


class TagScores(Record):
    """The examples that carry one tag: how many, and their scores in the units of the whole."""

    examples: Annotated[int, Field(ge=1)] = Field(description="how many carry the tag")
    scores: dict[Slug, float] = Field(description="metric = value, in the unit of the whole")


class TransformationScores(Record):
    """One transformation of a suite: what it made of the examples, and what the model made of that.

    Shares are in per cent, of unchanged predictions; `score` is the task's canonical metric over the
    variants, `original` the same over the examples they were made of.
    """

    made: Count = Field(description="variants made")
    unchanged: Count = Field(description="variants that came out equal to their original, left out")
    not_applicable: Count = Field(description="examples that the transformation found nothing to change in")
    undecided: Count = Field(
        default=0,
        exclude_if=is_empty,
        description="examples left out because their text does not show what a word is",
    )
    agreement: float | None = Field(
        default=None, description="share of predictions that stay the same, in per cent"
    )
    score: float | None = Field(default=None, description="the task's metric over the variants")
    original: float | None = Field(
        default=None, description="the same over the examples that the variants were made of"
    )


#: What was being done: predictions made, the model timed, or its answers to a suite's variants collected.
Stage = Literal["predicting", "timing", "suites"]


class Failure(Record):
    """One kind of thing that went wrong, how often, and on which examples first.

    A failure of the stage "suites" names its `suite`, and no other does.
    """

    kind: str = Field(description="a word for it, such as invalid-answer")
    message: str = Field(description="what was said, of the first")
    count: Annotated[int, Field(ge=1)] = Field(description="how often")
    first_ids: tuple[str, ...] = Field(default=(), description="the first examples it happened on")
    stage: Stage = Field(
        default="predicting",
        exclude_if=lambda stage: stage == "predicting",
        description="what was being done; left out where predictions were made",
    )
    suite: Slug | None = Field(default=None, description="which suite the stage was about, for suites")

    @model_validator(mode="after")
    def _suite_is_of_its_stage(self) -> Failure:
        if (self.suite is not None) != (self.stage == "suites"):
            raise ValueError("suite: name the suite where the stage is suites, and nowhere else")
        return self

    @property
    def full_message(self) -> str:
        """The message after the stage that it is about, if that is not the predictions."""
        stages = {"predicting": "", "timing": "while timing: ", "suites": f"while trying {self.suite}: "}
        return stages[self.stage] + self.message


class BatchCheck(Record):
    """A sample of inputs asked one by one and at once, before answers that are not timed came in batches.

    If the two said something else, or gave probabilities further apart than the `tolerance`, for any input
    of the sample, everything was asked one by one.
    """

    sample: Annotated[int, Field(ge=1)] = Field(description="inputs asked both ways")
    differing: Count = Field(description="those with answers that are not the same")
    tolerance: Annotated[float, Field(gt=0)] = Field(description="how far a probability may be off")
    largest_difference: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None, description="of a probability; left out where there are none"
    )

    @property
    def passed(self) -> bool:
        """Whether the model was asked in batches."""
        return not self.differing


class SuiteScores(Record):
    """A model under perturbation: does it say the same of a text and of its variants?

    `agreement` is the share of unchanged predictions, in per cent, against the model's own on the
    original, averaged over the variants of an example and then over examples; `worst` the share of
    examples all of whose variants keep the prediction (for answers in words: the least token F1).
    """

    suite: Digest = Field(description="hash of spec, seed and dataset revision")
    kind: str = Field(description="robustness, fairness, placebo or neutral")
    seed: int = Field(description="of the suite")
    spec: dict[str, Any] = Field(
        description="what decided the variants: transformations, versions, options, sources"
    )
    examples: Count = Field(description="examples with a variant")
    without: Count = Field(description="examples without any, left out of the shares")
    variants: Count = Field(description="variants the model was asked about")
    agreement: Annotated[float, Field(ge=0, le=100)] = Field(
        description="share of predictions that stay the same, in per cent"
    )
    worst: Annotated[float, Field(ge=0, le=100)] = Field(
        description="share of examples all of whose variants keep the prediction, in per cent"
    )
    metric: Slug = Field(description="the task's canonical metric")
    score: float = Field(description="the metric over all variants")
    transformations: dict[Slug, TransformationScores] = Field(description="the same for each transformation")
    failures: tuple[Failure, ...] = Field(
        default=(), exclude_if=is_empty, description="what went wrong on variants"
    )
    predictions: PredictionsRef = Field(description="the sibling file with the answers to the variants")
    batches: BatchCheck | None = Field(
        default=None, description="whether batches gave the same answers; left out where none were tried"
    )
    node_class: str | None = Field(
        default=None, description="the kind of a cluster's node that asked; left out where none did"
    )


class Result(Record):
    """One model on one dataset of one task. ``results/<task>/<dataset>/<model>.json``.

    `provenance` says how the numbers came about: measured here, recorded where a model was asked at an
    endpoint and scored here, scored here from predictions made elsewhere, reported by a source, or estimated
    for the humans who annotated the dataset.
    """

    schema_version: Version = Field(default=SCHEMA_VERSION, description="of this record")
    kind: Literal["result"] = Field(default="result", description="which record this is")
    task: Slug = Field(description="the task")
    model: ModelRef = Field(description="which model")
    dataset: DatasetRef = Field(description="which examples")
    inputs: Digest | None = Field(default=None, description="hash of all that decides the predictions")
    provenance: Provenance = Field(description="how the numbers came about")
    status: Literal["complete", "failed"] = Field(
        default="complete", description="failed: the model did not get to the end, and has no scores"
    )
    scores: dict[Slug, Score] = Field(description="the numbers, by metric")
    tags: dict[str, dict[str, TagScores]] = Field(
        default={}, exclude_if=is_empty, description="scores of the examples with each value of each tag"
    )
    suites: dict[Slug, SuiteScores] = Field(
        default={}, exclude_if=is_empty, description="the model under perturbation, by suite"
    )
    failures: tuple[Failure, ...] = Field(
        default=(), exclude_if=is_empty, description="what went wrong, and counts as wrong"
    )
    measurement: Measurement | None = Field(
        default=None, description="how it was timed; measured results only"
    )
    predictions: PredictionsRef | None = Field(
        default=None, description="the sibling file with the predictions"
    )
    same_again: Count = Field(
        default=0,
        exclude_if=is_empty,
        description="examples that were asked again and all answered the same: the model is deterministic, so"
        " that it was asked once where others were asked several times",
    )
    batches: BatchCheck | None = Field(
        default=None,
        description="of answers not timed: whether batches gave the same; left out where none were tried",
    )
    node_class: str | None = Field(
        default=None,
        description="the kind of a cluster's node that timed, or asked untimed; left out where none did",
    )
    source: Source | None = Field(default=None, description="where numbers or predictions were published")
    created: Moment = Field(description="when, in UTC")
    tool: str = Field(description="name and version of what wrote this file")

    @property
    def made_again_by(self) -> str:
        """What makes the result again where its file is gone, as part of a sentence."""
        if self.provenance == "predictions":
            return "import the file of its predictions again"
        if self.provenance == "reported":
            return "import its numbers again"
        model = f" --model {self.model.id}" if self.provenance in EVALUATED else ""
        return f"run: steelyard evaluate{model} --dataset {self.dataset.id}"

    @model_validator(mode="after")
    def _provenance_is_backed(self) -> Result:
        if self.provenance == "reported" and self.source is None:
            raise ValueError("source: missing; a reported number must cite where it was published")
        kept = self.provenance in (*EVALUATED, "predictions") and self.status == "complete"
        if kept and self.predictions is None:
            raise ValueError("predictions: missing; such a result keeps its per-example predictions")
        return self
