"""How a model was asked by a prompt, and how a model compares with the one that it was exported from."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from evaluator.records.base import Count, Digest, Record, Share, Slug, is_empty, is_missing


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
    max_new_tokens: Count | None = Field(
        default=None, exclude_if=is_missing, description="of a text that is written freely"
    )
    stop: tuple[str, ...] = Field(default=(), exclude_if=is_empty, description="what ends such a text")
    pattern: str | None = Field(
        default=None, exclude_if=is_missing, description="the regular expression that finds its answer"
    )
    unanswerable: str = Field(
        default="", exclude_if=is_empty, description="the words that mean that there is no answer"
    )
    examples: Count = Field(default=0, description="how many were shown")
    drawn_from: Slug | None = Field(
        default=None, exclude_if=is_missing, description="the training set that they were drawn from"
    )
    seed: Count | None = Field(default=None, exclude_if=is_missing, description="of the drawing")
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
