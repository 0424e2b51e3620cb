"""What results are about and come from: models, cards, prompts, datasets, sources, predictions by example."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from evaluator.rank.formats import counted
from evaluator.records.base import (
    SCHEMA_VERSION,
    Count,
    Digest,
    Link,
    Record,
    Share,
    Slug,
    Version,
    is_empty,
    is_none,
)


class ShownExample(Record):
    """An example that a prompt showed: its input fields, and the words of its answer."""

    inputs: dict[Slug, str] = Field(description="input field = its text")
    answer: str = Field(description="the words of its right answer, as the prompt had them")


class PromptRecord(Record):
    """The prompt that a decoder was asked by, and how its answer was found.

    `shown` is left out where the training set's texts or gold labels may not be published; `sha256` says of
    what they were all the same.
    """

    template: str = Field(description="the Jinja template that puts an example into words")
    instruction: str = Field(default="", exclude_if=is_empty, description="what stands before all examples")
    separator: str = Field(description="between examples; not used with chat")
    delimiter: str = Field(description="between an example and its answer")
    chat: bool = Field(default=False, description="whether the tokeniser's chat template was used")
    chat_options: dict[str, Any] = Field(
        default={}, exclude_if=is_empty, description="variables of the chat template"
    )
    answers: dict[str, str] = Field(
        default={}, exclude_if=is_empty, description="label = its words; none where texts are asked for"
    )
    scoring: Literal["log-likelihood", "generation", "found"] = Field(
        description="how a label was chosen; generation: written, for labels among their words only; found:"
        " written freely, and the label found in it"
    )
    normalise: Literal["none", "tokens", "characters"] = Field(
        default="none", description="what log-likelihoods were divided by"
    )
    max_new_tokens: Count | None = Field(default=None, description="of a text that is written freely")
    stop: tuple[str, ...] = Field(default=(), exclude_if=is_empty, description="what ends such a text")
    pattern: str | None = Field(default=None, description="the regular expression that finds its answer")
    unanswerable: str = Field(
        default="", exclude_if=is_empty, description="the words that mean that there is no answer"
    )
    examples: Count = Field(default=0, description="how many were shown")
    drawn_from: Slug | None = Field(default=None, description="the training set that they were drawn from")
    seed: Count | None = Field(default=None, description="of the drawing")
    shown: tuple[ShownExample, ...] = Field(
        default=(), exclude_if=is_empty, description="the examples, where they may be published"
    )
    sha256: Digest = Field(description="canonical hash of the examples")


class Parity(Record):
    """A model beside the one that it was exported from, on the same texts."""

    source: Digest = Field(description="hash of every file of the model that it was exported from")
    texts: Count = Field(description="how many both answered")
    dataset: Slug = Field(description="the dataset that they are from")
    same_label: Count = Field(description="on how many of them both gave the same label")
    largest_difference: Share = Field(description="of a label's probability, over all texts and labels")


#: Characters of a word for how hard a model thinks.
LONGEST_EFFORT = 40


class ModelCard(Record):
    """What a submitter says about a model, after Mitchell et al. 2019, "Model Cards for Model Reporting".

    A field left out is shown as missing. `paper` is a link to where the model is described, `link` to
    where it can be had.
    """

    description: str | None = Field(default=None, description="what it is, in a sentence")
    intended_use: str | None = Field(default=None, description="what it is made for")
    training_data: str | None = Field(default=None, description="what it learnt from")
    parameters: Count | None = Field(default=None, description="how many it has")
    quantisation: str | None = Field(
        default=None, exclude_if=is_empty, description="as what its weights are stored, such as Q4_K_M"
    )
    languages: tuple[str, ...] = Field(default=(), description="which it was made for, as codes such as en")
    licence: str | None = Field(default=None, description="of the model")
    paper: Link | None = Field(default=None, description="a link to where it is described")
    link: Link | None = Field(default=None, description="where it can be had")
    released: datetime.date | None = Field(
        default=None, exclude_if=is_empty, description="the day on which it came out"
    )
    effort: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_EFFORT)] | None = Field(
        default=None, exclude_if=is_none, description="how hard it was asked to think, such as high"
    )
    thinking_budget: Count | None = Field(
        default=None, exclude_if=is_none, description="the most tokens that it may think in"
    )
    context: Count | None = Field(
        default=None, exclude_if=is_none, description="the tokens that it takes in at once, answer included"
    )
    tags: tuple[Slug, ...] = Field(
        default=(), exclude_if=is_empty, description="words to filter models by, such as transformer"
    )


class Removal(Record):
    """That a model was removed from the boards that it was on, and why."""

    reason: Annotated[str, StringConstraints(min_length=1)] = Field(
        description="why, in a sentence for visitors"
    )
    date: datetime.date = Field(description="the day on which it was removed")

    @property
    def words(self) -> str:
        """``removed on 2026-11-01: its licence forbids publication``."""
        return f"removed on {self.date}: {self.reason}"


def left(label: str, removal: Removal | None) -> str:
    """A sentence about a model that is no longer there; `removal` is None where nothing is known of it."""
    return f"{label} left; no reason is given" if removal is None else f"{label} was {removal.words}"


class ModelInputs(Record):
    """What decides a model, as the board file and its folders gave it when the model was asked."""

    recipe: str | None = Field(default=None, description="what made it")
    version: Count | None = Field(default=None, description="of the recipe")
    adapter: str | None = Field(default=None, description="what opened it, if no recipe made it")
    options: dict[str, Any] = Field(default={}, description="of the recipe or the adapter")
    seed: Count = Field(default=0, description="of the recipe, or of the drawing of examples")
    train: Digest | None = Field(
        default=None, description="revision of what it learnt from, or of what examples were drawn from"
    )
    files: Digest | None = Field(default=None, description="hash of every file in its folder")


class ModelRef(Record):
    """Which model: its id on the board, the name people read, and what exactly was run."""

    id: Slug = Field(description="its id on the board")
    label: str = Field(description="its name for people")
    adapter: str | None = Field(
        default=None, description="what opened it; null for predictions from elsewhere"
    )
    revision: Digest | None = Field(default=None, description="hash of every file in the model's directory")
    made_from: dict[str, Any] = Field(
        default={}, description="recipe, options, seed, training set, libraries, origin, what weights say"
    )
    inputs: ModelInputs | None = Field(
        default=None, description="what decided it; left out where it was not run"
    )
    prompt: PromptRecord | None = Field(default=None, description="how it was asked, if by a prompt")
    parity: Parity | None = Field(
        default=None, description="how it compares with the model that it was exported from"
    )
    card: ModelCard = Field(default=ModelCard(), description="what its author says of it")

    def known_as(self, label: str, card: ModelCard) -> ModelRef:
        """The model by the name and the card that the board file has now. Where the card is silent, what was
        read from the file of its weights stands."""
        weights = self.made_from.get("weights", {})
        own = {name: weights.get(name) for name in ("parameters", "quantisation", "context")}
        missing = {name: value for name, value in own.items() if value and getattr(card, name) is None}
        card = card.model_copy(update=missing) if missing else card
        return self.model_copy(update={"label": label, "card": card})

    @property
    def encoder(self) -> str | None:
        """Name of what turns texts into numbers for the model's own classifier; None where not known."""
        if self.made_from.get("recipe") == "tfidf-logreg":
            return "tfidf"
        return encoder_name(self.made_from.get("options"))


class DatasetRef(Record):
    """Which examples: `revision` hashes the source file's bytes together with how they were read."""

    id: Slug = Field(description="its id in board.toml")
    revision: Digest | None = Field(
        default=None, description="hash of its file and of how it was read; null where numbers are reported"
    )
    examples: Count | None = Field(default=None, description="examples scored")
    skipped: Count = Field(default=0, description="malformed rows left out at the user's request")
    dropped: dict[str, Count] = Field(
        default={},
        exclude_if=is_empty,
        description="rows that the format itself says are not to be scored, by reason",
    )

    @property
    def left_out(self) -> str:
        """The rows that were not scored, in words; "" if all were."""
        counts = [f"{count} {reason}" for reason, count in self.dropped.items()]
        return ", ".join([*counts, *([counted(self.skipped, "malformed row")] if self.skipped else [])])


class PredictionsRef(Record):
    """The sibling file with the predictions, and its canonical hash."""

    sha256: Digest = Field(description="canonical hash of the file's record")
    examples: Count = Field(description="how many it has")
    trials: Annotated[int, Field(ge=1)] = Field(
        default=1, exclude_if=lambda trials: trials == 1, description="how often each example was asked"
    )


class Source(Record):
    """Where numbers that were not measured here come from."""

    citation: str = Field(description="as in a list of references")
    link: Link | None = Field(default=None, description="where to find it")
    note: str | None = Field(default=None, description="what else there is to say, such as the table")


def encoder_name(settings: object) -> str | None:
    """The name of the encoder that settings mention, without its folder; None where they mention none."""
    named = settings.get("encoder") if isinstance(settings, Mapping) else None
    named = named.get("name") if isinstance(named, Mapping) else named
    return PurePath(named).name or None if isinstance(named, str) else None


AnswerPiece = int | str | tuple[int, int, Literal["lower", "upper"]]


class PredictionSet(Record):
    """Per-example predictions as columns, in the dataset's own order: of labels or of texts. Or, where a
    source gives numbers in place of answers or beside them, its values.

    `predicted` holds indices into `labels`, -1 where the model gave no valid answer. Probabilities
    count in parts of `resolution`: `probabilities` has a column for every label but the last, whose
    share is the rest. `exact_confidence` is how sure the model is of its own answer, as it said, also
    where that is no valid one: rankings by it must not depend on rounding.

    `answers` holds texts, None where there is no answer, in pieces: two numbers are the start and the
    end, in characters, of a quotation from the input fields `quoted`, joined by newlines; with "lower"
    or "upper" the quotation is in that case; a string stands for itself. So a text that quotes the
    dataset is kept without a word of the dataset.

    `scores` holds how right each text is by some metrics, in parts of `resolution`, and only where the
    dataset's gold answers may be published: whoever sees the scores may guess at the answers.

    `values` holds a number an example and trial by metric, in the metric's unit: all that there is of the
    task "scored", and beside answers what each of them cost. None is missing. Where examples were answered
    several times, all columns have `trials` entries an example: that of trial t of example e is at
    e * trials + t. Where `values` are the verdicts of a judge, `human` has what people said of some of these.
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
    trials: Annotated[int, Field(ge=1)] = Field(
        default=1, exclude_if=lambda trials: trials == 1, description="answers or values of each example"
    )
    values: dict[Slug, tuple[float | None, ...]] | None = Field(
        default=None, description="metric = the number of each trial of each example; null: missing"
    )
    human: dict[Slug, tuple[float | None, ...]] = Field(
        default={},
        exclude_if=is_empty,
        description="metric whose values are a judge's verdicts = what people said in their place, of some;"
        " null: they were not asked",
    )

    @property
    def examples(self) -> int:
        """How many examples there are predictions, or values, for."""
        return len(self._column) // self.trials

    @property
    def has_answers(self) -> bool:
        """Whether it has what a model answered, rather than values alone."""
        return self.predicted is not None or self.answers is not None

    @property
    def one_answer(self) -> bool:
        """Whether several examples have the same answer, each of them, in every trial."""
        return self.has_answers and self.examples > 1 and len(set(self._column)) == 1

    def runs(self) -> list[PredictionSet]:
        """The answers of each trial on their own, without values; itself where there is one trial."""
        if self.trials == 1:
            return [self]
        return [self._run(trial) for trial in range(self.trials)]

    def _run(self, trial: int) -> PredictionSet:
        changes: dict[str, Any] = {}
        for name in ("predicted", "answers", "exact_confidence"):
            column = getattr(self, name)
            changes[name] = None if column is None else column[trial :: self.trials]
        for name in ("probabilities", "scores"):
            columns = getattr(self, name)
            changes[name] = columns and {key: col[trial :: self.trials] for key, col in columns.items()}
        return self.model_copy(update={**changes, "trials": 1, "values": None, "human": {}})

    @property
    def _column(self) -> tuple[Any, ...]:
        if self.has_answers:
            return (self.predicted if self.predicted is not None else self.answers) or ()
        return next(iter((self.values or {}).values()), ())

    @model_validator(mode="after")
    def _columns_fit(self) -> PredictionSet:
        if self.predicted is not None and self.answers is not None:
            raise ValueError("predicted/answers: give exactly one of them")
        if not self.has_answers and self.values is None:
            raise ValueError("predicted/answers/values: give one of them")
        if self.no_answer is not None and self.trials > 1:
            raise ValueError("no_answer: is for one trial an example")
        rows = len(self._column)
        if rows % self.trials:
            raise ValueError(f"trials: {rows} rows are not {self.trials} of each example")
        for index, value in enumerate(self.predicted or ()):
            if not -1 <= value < len(self.labels):
                raise ValueError(f"predicted[{index}]: {value} is not -1 or an index into {self.labels}")
        parts: dict[str, Sequence[int | None]] = {}
        parts |= {f"probabilities.{name}": col for name, col in (self.probabilities or {}).items()}
        parts |= {f"scores.{name}": col for name, col in (self.scores or {}).items()}
        columns: dict[str, Sequence[Any] | None] = {**parts}
        columns |= {f"values.{name}": col for name, col in (self.values or {}).items()}
        columns |= {f"human.{name}": col for name, col in self.human.items()}
        columns |= {name: getattr(self, name) for name in ("exact_confidence", "no_answer")}
        for name, column in columns.items():
            if column is not None and len(column) != rows:
                wanted = f"{self.examples} examples" + f" of {self.trials} trials" * (self.trials > 1)
                raise ValueError(f"{name}: {len(column)} values for {wanted}")
        for name, part in parts.items():
            if max((value for value in part if value is not None), default=0) > self.resolution:
                raise ValueError(f"{name}: has values over resolution, which is {self.resolution}")
        for name in self.human.keys() - (self.values or {}).keys():
            raise ValueError(f"human.{name}: has no verdicts beside it in values")
        return self
