"""The tables [[endpoints]] and [[prices]] of board.toml: where models are asked over a network, and what a
token costs there."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from evaluator.records.base import Count, Record, Slug
from evaluator.records.board.mistakes import MisfitError
from evaluator.records.references import LONGEST_EFFORT

#: The adapter of models behind endpoints.
ENDPOINT = "endpoint"
#: What the models behind an endpoint take per answer, as metrics of a board: its unit and its name.
TAKEN = {
    "input_tokens": ("tokens", "tokens that the model was sent"),
    "cached_tokens": ("tokens", "those of them that the server had kept from before"),
    "output_tokens": ("tokens", "tokens that the model wrote, with those it thought in"),
    "reasoning_tokens": ("tokens", "those of them that it thought in"),
    "first_token_s": ("s", "seconds from the request to the first token"),
    "answer_s": ("s", "seconds from the request to the end of the answer"),
    "cut_off": ("share", "1 where the answer ended at the limit of tokens, else 0"),
}

#: What endpoints call the most tokens that a model may think in; some say it within "reasoning".
BUDGETS = ("thinking_budget", "budget_tokens", "max_thinking_tokens")

Positive = Annotated[float, Field(gt=0)]


def asked_facts(options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a model's card that the options of the adapter say: its effort and thinking budget."""
    effort, budget = options.get("effort"), _budget(options.get("extra"))
    said: dict[str, Any] = {}
    if isinstance(effort, str) and 0 < len(effort) <= LONGEST_EFFORT:
        said["effort"] = effort
    return said if budget is None else {**said, "thinking_budget": budget}


def _budget(extra: object, within: str = "") -> int | None:
    """The thinking budget among other fields of a request, however deep it stands there."""
    if not isinstance(extra, Mapping):
        return None
    for name, value in extra.items():
        is_budget = name in BUDGETS or (within, name) == ("reasoning", "max_tokens")
        found = value if is_budget and type(value) is int and value >= 0 else _budget(value, str(name))
        if found is not None:
            return found
    return None


class EndpointSpec(Record):
    """An address that speaks as OpenAI's does: a provider, or a server of one's own.

    What it may cost is bounded over all that evaluations have asked there from one work folder.
    """

    id: Slug = Field(description="the name that models call it by (options.endpoint), and pages show")
    url: str = Field(description="where its API begins, such as http://localhost:8080/v1")
    key: str | None = Field(
        default=None,
        description="the environment variable that holds its key, never the key itself; left out: it wants"
        " none",
    )
    region: str | None = Field(default=None, description="where it runs, if that is known")
    provider: str | None = Field(
        default=None, description="its name in the list of prices, genai-prices; left out: found by the url"
    )
    concurrency: Annotated[int, Field(ge=1, le=256)] = Field(default=4, description="requests at once")
    requests_per_minute: Positive | None = Field(default=None, description="how many may be sent")
    request_s: Positive = Field(default=120.0, description="seconds until an answer must have ended")
    retries: Count = Field(
        default=5, description="how often a request is sent again that failed for no fault of its own"
    )
    max_requests: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="the most requests in all; evaluate stops before there are more"
    )
    max_usd: Positive | None = Field(
        default=None, description="the most that it may cost in all; evaluate stops before it costs more"
    )

    @model_validator(mode="after")
    def _can_be_asked(self) -> EndpointSpec:
        if not _is_address(self.url):
            fix = "must be where its API begins, such as http://localhost:8080/v1, without ? and #"
            raise MisfitError(("url",), f"{fix} (got {self.url!r})")
        # A key that was written here in place of its name is in no message: logs of others would have it.
        if self.key is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", self.key):
            fix = "must be the name of an environment variable, such as API_KEY, and never the key itself"
            raise MisfitError(("key",), fix)
        return self


def _is_address(url: str) -> bool:
    try:
        # Asking for the port checks it.
        return bool(re.fullmatch(r"https?://[^\s?#\"'<>]+", url) and urlsplit(url).port != 0)
    except ValueError:
        return False


class PriceSpec(Record):
    """What tokens of a model cost from a day on, where the list of prices is wrong or silent."""

    endpoint: Slug = Field(description="at which of [[endpoints]]")
    model: str = Field(description="the model, as the endpoint calls it")
    since: datetime.date | None = Field(default=None, description="the first day; left out: always")
    input: Annotated[float, Field(ge=0)] = Field(description="of a million tokens that are sent")
    output: Annotated[float, Field(ge=0)] = Field(description="of a million tokens that are written")
    cached: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="of a million sent tokens that were kept from before; left out: as input"
    )
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = Field(
        default="USD", description="as three letters; a cost in another unit than its metric's is unknown"
    )
