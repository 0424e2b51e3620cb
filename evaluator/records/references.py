"""What results are about and where they come from: models, cards, prompts, datasets, sources."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import PurePath
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from evaluator.records.base import Count, Digest, Link, Record, Share, Slug, is_empty


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
    scoring: Literal["log-likelihood", "generation"] = Field(
        description="how a label was chosen; generation: written, for labels among their words only"
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


class ModelCard(Record):
    """What a submitter says about a model, after Mitchell et al. 2019, "Model Cards for Model Reporting".

    A field left out is shown as missing. `paper` is a link to where the model is described, `link` to
    where it can be had.
    """

    description: str | None = Field(default=None, description="what it is, in a sentence")
    intended_use: str | None = Field(default=None, description="what it is made for")
    training_data: str | None = Field(default=None, description="what it learnt from")
    parameters: Count | None = Field(default=None, description="how many it has")
    languages: tuple[str, ...] = Field(default=(), description="which it was made for, as codes such as en")
    licence: str | None = Field(default=None, description="of the model")
    paper: Link | None = Field(default=None, description="a link to where it is described")
    link: Link | None = Field(default=None, description="where it can be had")
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


class ModelRef(Record):
    """Which model: its id on the board, the name people read, and what exactly was run."""

    id: Slug = Field(description="its id on the board")
    label: str = Field(description="its name for people")
    adapter: str | None = Field(
        default=None, description="what opened it; null for predictions from elsewhere"
    )
    revision: Digest | None = Field(default=None, description="hash of every file in the model's directory")
    made_from: dict[str, Any] = Field(
        default={}, description="recipe, options, seed, training set, libraries, origin"
    )
    prompt: PromptRecord | None = Field(default=None, description="how it was asked, if by a prompt")
    parity: Parity | None = Field(
        default=None, description="how it compares with the model that it was exported from"
    )
    card: ModelCard = Field(default=ModelCard(), description="what its author says of it")

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


class PredictionsRef(Record):
    """The sibling file with the predictions, and its canonical hash."""

    sha256: Digest = Field(description="canonical hash of the file's record")
    examples: Count = Field(description="how many it has")


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
