"""``[[imports]]`` of a board file: how files of results are read, so that they can be read again."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from evaluator.records.base import Count, Record, Slug
from evaluator.records.board.mistakes import MisfitError
from evaluator.records.board.specs import _listed
from evaluator.records.references import Source


class MetricColumn(Record):
    """The column that a metric is read from, or of labels of people that correct a judge's."""

    column: str = Field(
        default="",
        description="its name; keys within keys have dots between, and * is the dataset's; of rows that are"
        " values: what the metric's column says; left out where the file has labels of people alone",
    )
    human: str | None = Field(
        default=None,
        description="of rows that are examples: the column of what people said of some of these; column has"
        " a judge's verdicts, in this file or another, which it corrects",
    )
    scale: float = Field(default=1, description="what its numbers are multiplied by, such as 100 from shares")
    standard_error: str | None = Field(default=None, description="the column of its standard error")
    interval: tuple[str, str] | None = Field(
        default=None, description="or those of the ends of its 95 % interval"
    )
    half_width: bool = Field(
        default=False, description="whether standard_error has half of a 95 % interval in its place"
    )


class DatasetColumn(Record):
    """The column that says which dataset a row is about."""

    column: str = Field(description="its name; * for the key in place of the * of the metrics' columns")
    ids: dict[str, Slug] = Field(default={}, description="what it says = the dataset's id")


class ImportSpec(Record):
    """Files of results: what a row of them is, and what each column says."""

    path: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        description="a file or a folder, or a list of them, from the data folder"
    )
    rows: Literal["models", "values", "examples", "logs"] = Field(
        description="a row is a model, a number of a model, or an example that a model was asked; or the"
        " files are logs of evaluation tools, which say all that the other keys do"
    )
    model: str = Field(
        default="",
        description="the column of the model's name, empty for one without a heading; (file) for the file's"
        " name, (key) for a document's key",
    )
    label: tuple[str, ...] = Field(
        default=(), description="columns that make its name for people, where that is another"
    )
    dataset: Slug | None = Field(default=None, description="the dataset that all rows are about")
    datasets: DatasetColumn | None = Field(default=None, description="or the column that says which")
    metric: str | None = Field(default=None, description="of rows that are values: the metric's column")
    value: str | None = Field(default=None, description="of rows that are values: the number's column")
    example: str | None = Field(default=None, description="the column of the example's id")
    trial: str | None = Field(default=None, description="the column that tells repeats apart")
    cluster: str | None = Field(
        default=None, description="the column of what examples are from, such as a passage"
    )
    examples: str | dict[Slug, Count] | None = Field(
        default=None,
        description="the column of how many examples a number is from; or dataset = how many it has, where"
        " no column says it",
    )
    tags: dict[Slug, str] = Field(
        default={},
        description="tag = the column of its value on each example; COLUMN^MARK: what is before the mark",
    )
    card: dict[str, str] = Field(
        default={}, description="field of the model's card = column; tags.NAME for tags of the model"
    )
    missing: tuple[str, ...] = Field(
        default=(), description="what cells say where there is no number, such as -1"
    )
    metrics: dict[Slug, MetricColumn] = Field(default={}, description="metric = how it is read")
    accept_differences: bool = Field(
        default=False,
        description="whether published numbers are stored that differ from what examples imply",
    )
    source: Source | None = Field(default=None, description="where the numbers were published")

    @model_validator(mode="after")
    def _fits_together(self) -> ImportSpec:
        if self.dataset is not None and self.datasets is not None:
            raise MisfitError(("datasets",), "dataset is given too; leave one of them out")
        if "model" not in self.model_fields_set and self.rows != "logs":
            raise MisfitError(("model",), "is missing; name the column of the model's name")
        if self.rows == "values" and (self.metric is None or self.value is None):
            raise MisfitError(("rows",), "a row is a value, so metric and value must name its columns")
        errors = {one.standard_error for one in self.metrics.values()} - {None}
        if self.rows == "values" and len(errors) > 1:
            problem = (
                f"a row is a value with one standard error, and {' and '.join(sorted(map(str, errors)))}"
            )
            raise MisfitError(("metrics",), f"{problem} are named; name one column for all metrics")
        for name, one in self.metrics.items():
            if not one.column and one.human is None:
                raise MisfitError(("metrics", name, "column"), "is missing; name the metric's column")
            if one.human is not None and self.rows != "examples":
                problem = "labels of people are by example"
                raise MisfitError(
                    ("metrics", name, "human"), f'{problem}; say rows = "examples", or leave it out'
                )
        if self.rows == "examples" and self.example is None:
            raise MisfitError(("rows",), "a row is an example, so example must name the column of its id")
        return self
