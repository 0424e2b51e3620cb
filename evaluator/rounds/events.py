"""The lines of a collection's files: what was asked, what the writer says of it, what validators answer.

A page without a server can write the same lines. `docs/collect.md` describes them for other programs.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, TypeAdapter, model_validator

from evaluator.records.base import Digest, Moment, Record, Share, Slug

#: The most characters of an input, and of a reason.
MOST_TEXT, MOST_REASON = 5_000, 1_000

TryId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
Text = Annotated[str, StringConstraints(max_length=MOST_TEXT)]
Reason = Annotated[str, StringConstraints(max_length=MOST_REASON)]
Milliseconds = Annotated[float, Field(ge=0)]


class ModelAnswer(Record):
    """What a model in the loop answered: a label or a text, or why it gave none.

    `revision` hashes all of the model. `probabilities` are by label; `place` is where the model ran.
    """

    model: Slug
    revision: Digest
    answer: Text | None = None
    confidence: Share | None = None
    probabilities: dict[str, Share] | None = None
    ms: Milliseconds
    failure: str | None = None
    place: Literal["worker", "browser"] = "worker"


class Asked(Record):
    """A text that models were asked about, written down before their answers are shown.

    `prompt` is the id of what it was written for; `seconds` is how long the writer took.
    """

    event: Literal["asked"] = "asked"
    version: Literal[1] = 1
    id: TryId
    collection: Slug
    writer: Slug
    prompt: Slug | None = None
    inputs: dict[str, Text]
    tags: dict[str, Text] = {}
    answers: Annotated[tuple[ModelAnswer, ...], Field(min_length=1)]
    seconds: Annotated[float, Field(ge=0)]
    at: Moment


class Judged(Record):
    """The right answer in the writer's eyes; of several about one try the last counts.

    `fooled` is the writer's word, where the collection asks for it.
    """

    event: Literal["judged"] = "judged"
    version: Literal[1] = 1
    id: TryId
    answer: Text
    fooled: bool | None = None
    reason: Reason = ""
    at: Moment


class Response(Record):
    """What a validator says of a try, without having seen the writer's answer; the last of several counts.

    Either an answer or a mark: unsure, or flag for what should not be in the data at all.
    """

    event: Literal["response"] = "response"
    version: Literal[1] = 1
    id: Slug
    collection: Slug
    validator: Slug
    answer: Text | None = None
    mark: Literal["unsure", "flag"] | None = None
    reason: Reason = ""
    at: Moment

    @model_validator(mode="after")
    def _one_of_both(self) -> Response:
        if (self.answer is None) == (self.mark is None):
            raise ValueError("answer/mark: give exactly one of them")
        return self


#: A line of a writer's file.
Written = Asked | Judged
WRITTEN: TypeAdapter[Written] = TypeAdapter(Annotated[Written, Field(discriminator="event")])
RESPONSE: TypeAdapter[Response] = TypeAdapter(Response)
