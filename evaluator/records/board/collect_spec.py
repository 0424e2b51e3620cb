"""The table ``[[collect]]`` of ``board.toml``: what people write to fool models, and how it is judged."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from evaluator.records.base import Count, Record, Share, Slug
from evaluator.records.board.mistakes import MisfitError, check_once

#: Commands of ``steelyard collect``, which no collection may be called.
COMMANDS = ("check", "freeze", "merge", "open", "receive")


class CollectedSpec(Record):
    """How a dataset was collected from people who tried to fool models.

    Of `tries`, `fooled` fooled a model in the loop, and `validated` of these were confirmed by others.
    """

    tries: Annotated[int, Field(ge=1)] = Field(description="texts that were written")
    fooled: Count = Field(description="those that fooled a model in the loop")
    validated: Count = Field(description="those of them that validators confirmed")
    writers: Annotated[int, Field(ge=1)] = Field(description="people who wrote")
    validators: Annotated[int, Field(ge=1)] = Field(description="people who validated")
    annotators: str = Field(
        default="", description="who they are, if not people as the word is meant; pages say it in its place"
    )

    @model_validator(mode="after")
    def _add_up(self) -> CollectedSpec:
        if not self.validated <= self.fooled <= self.tries:
            raise ValueError("validated/fooled/tries: each must be part of the next; correct the numbers")
        return self


class CollectSpec(Record):
    """A collection: people write texts, the models in the loop answer at once, others validate.

    `fooled` says when a model was fooled: ``label``, its answer is not the writer's; ``f1``, the token F1 of
    its text and the writer's is under `threshold`; ``writer``, the writer says so.
    """

    id: Slug = Field(description="its name in commands and folders")
    label: str = Field(description="its name for people")
    task: Slug = Field(description="one of the tasks; it decides what is written")
    labels: tuple[str, ...] = Field(
        default=(), description="what may be answered, in order; left out: the task's first labels"
    )
    models: Annotated[tuple[Slug, ...], Field(min_length=1)] = Field(
        description="the models in the loop, which answer every try"
    )
    goal: str = Field(description="what writers are asked to do, in a sentence")
    prompts: str | None = Field(
        default=None, description="a file of prompts or contexts, JSON lines, from the data folder"
    )
    fooled: Literal["label", "f1", "writer"] | None = Field(
        default=None,
        description="when a model was fooled: label (its answer is not the right one), f1 (that of its"
        " words is under threshold) or writer (the writer says so); left out: label, or f1 for texts",
    )
    threshold: Share = Field(default=0.4, description="of f1, as a share of 1")
    tries: Annotated[int, Field(ge=1)] = Field(
        default=10, description="how often one writer may try each prompt"
    )
    reason: bool = Field(default=False, description="whether writers say why the model was fooled")
    responses: Annotated[int, Field(ge=2)] = Field(
        default=3, description="how many validators must have answered before a try can be kept"
    )
    seed: Annotated[int, Field(ge=0)] = Field(default=0, description="of every order and split")
    gold_questions: str | None = Field(
        default=None,
        description="a file of questions with known answers, JSON lines, that validators get, too",
    )
    board: Slug | None = Field(default=None, description="the board that its rounds join; left out: none")
    site: bool = Field(
        default=False,
        description="whether the board's site has a page on which visitors write, for the models of"
        " [site] browser_models; its prompts are then published",
    )
    licence: str = Field(description="under which the writers give their texts, such as CC0-1.0")
    annotators: str = Field(
        default="",
        description="who writers and validators are, such as the students of a class; left out: people",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> CollectSpec:
        check_once(("models",), self.models, key="")
        if self.id in COMMANDS:
            raise MisfitError(("id",), f"{self.id!r} is a command of steelyard collect; choose another id")
        if self.site and self.board is None:
            raise MisfitError(("site",), "it has no board whose site could have its page; give it a board")
        return self
