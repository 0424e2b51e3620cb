"""One request to an endpoint, and what came back: an answer with what it took, or why there is none.

The answer is streamed, so that the time to its first token is known. What fails is of four kinds: `Again`, to
be sent again later (too many requests, an error of the server, a stream that was cut, an answer in no known
form, no answer in time); `Refused`, an input that the server does not take; and `Stopped`, which no other
input would change (no such address, a wrong key, an unknown model).
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from evaluator.measure.models.base import need
from evaluator.records.board import EndpointSpec
from evaluator.records.errors import UserError

#: Characters of a server's own words that are kept.
LONGEST = 300


@dataclass(frozen=True)
class Said:
    """An answer. Tokens are None where the server does not count them; `finish` is its own word for how the
    answer ended. Seconds are from the sending of the request; `at` is the UTC day of it."""

    text: str
    finish: str
    served: str
    at: str
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    first_token_s: float | None
    answer_s: float


class Again(Exception):  # noqa: N818
    """It may be sent again, after `seconds` if the server says so."""

    def __init__(self, why: str, seconds: float | None = None) -> None:
        super().__init__(why)
        self.seconds = seconds


class Refused(Exception):  # noqa: N818
    """The server does not take this input."""


class Stopped(UserError):  # noqa: N818
    """No input of this model can be answered, as things are."""


class Client:
    """Sends requests to one endpoint. An async context manager. Raises `Stopped` where its key is missing,
    `MissingPackage` without the package openai."""

    def __init__(self, spec: EndpointSpec) -> None:
        self.spec, self._openai = spec, need("openai")
        self._where = f"endpoints: {spec.id}"
        self._key = os.environ.get(spec.key, "") if spec.key else ""
        if spec.key and not self._key:
            raise Stopped(f"{self._where}: key", f"the environment has no {spec.key}", "set it to the key")
        if not (self._key.isascii() and self._key.isprintable()):
            what = f"{spec.key} in the environment holds a character that no key has, such as a line's end"
            raise Stopped(f"{self._where}: key", what, "set it to the key alone")
        # Retries are ours: each one is a request that a budget counts.
        self._client = self._openai.AsyncOpenAI(
            base_url=spec.url,
            api_key=self._key or "none",
            max_retries=0,
            timeout=spec.request_s,
            # Nothing of the environment but the key that the board file names.
            organization="",
            project="",
        )

    async def __aenter__(self) -> Client:
        # The package loads much of itself, and of what it waits with, when it is first used: a fifth of a
        # second that would be in the seconds of all answers that are asked for first.
        self._chat = self._client.chat.completions
        await need("anyio").sleep(0)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._client.close()

    async def send(
        self, model: str, messages: Sequence[Mapping[str, str]], settings: Mapping[str, Any]
    ) -> Said:
        """One answer. Raises `Again`, `Refused` and `Stopped`."""
        at = datetime.now(UTC).date().isoformat()
        begun = time.monotonic()
        # The client's own limit is of each piece; a server may send one now and then for ever.
        with self._failures(model):
            async with asyncio.timeout(self.spec.request_s):
                stream = await self._chat.create(
                    model=model,
                    messages=list(messages),
                    stream=True,
                    stream_options={"include_usage": True},
                    **settings,
                )
                async with stream:
                    return await self._read(stream, begun, at)

    async def _read(self, stream: Any, begun: float, at: str) -> Said:
        texts: list[str] = []
        first: float | None = None
        finish, served, usage = "", "", None
        async for chunk in stream:
            now = time.monotonic() - begun
            served = served or chunk.model or ""
            usage = chunk.usage or usage
            for choice in chunk.choices or ():
                delta = choice.delta
                thought = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
                if first is None and (delta.content or thought):
                    first = now
                texts.append(delta.content or "")
                finish = choice.finish_reason or finish
        end = time.monotonic() - begun
        if not finish:
            raise Again("the answer was cut off")
        return Said(
            "".join(texts),
            finish,
            served,
            at,
            _count(usage, "prompt_tokens"),
            _count(usage, "prompt_tokens_details", "cached_tokens"),
            _count(usage, "completion_tokens"),
            _count(usage, "completion_tokens_details", "reasoning_tokens"),
            first,
            end,
        )

    @contextmanager
    def _failures(self, model: str) -> Iterator[None]:
        """What the client raises, as one of the kinds of failure, in words without the key."""
        openai = self._openai
        try:
            yield
        except (Again, Refused, Stopped):
            raise
        except (TimeoutError, openai.APITimeoutError):
            raise Again(f"no answer in {self.spec.request_s:g} s") from None
        except openai.APIConnectionError as error:
            raise Again(f"not reached: {self._words(error.__cause__ or error)}") from None
        except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
            named = f"the key in {self.spec.key}" if self.spec.key else "a request without a key"
            fix = "correct it" if self.spec.key else "name the environment variable that holds its key (key)"
            raise Stopped(f"{self._where}: key", f"{named} is refused: {self._words(error)}", fix) from None
        except openai.NotFoundError as error:
            what = f"it knows no model {model!r} at {self.spec.url}: {self._words(error)}"
            raise Stopped(
                f"{self._where}: url", what, "correct the model's options.model, or the url"
            ) from None
        except openai.RateLimitError as error:
            if "quota" in self._words(error).casefold():  # no waiting gives money back
                raise Stopped(self._where, self._words(error), "pay, or ask elsewhere") from None
            raise Again(self._words(error), _seconds(error.response.headers)) from None
        except openai.APIStatusError as error:
            if error.status_code in (408, 409, 425) or error.status_code >= 500:
                raise Again(self._words(error), _seconds(error.response.headers)) from None
            raise Refused(self._words(error)) from None
        # A body that is no JSON, a stream that breaks off, an error within a stream: each has a class of its
        # own somewhere below the client.
        except Exception as error:
            raise Again(f"no answer in a known form: {type(error).__name__}: {self._words(error)}") from None

    def _words(self, error: BaseException) -> str:
        """What a server or the client says, without the key, on one line."""
        said = " ".join(str(error).split())
        if self._key:
            said = said.replace(self._key, "(the key)")
        return said[:LONGEST]


def _count(usage: Any, *names: str) -> int | None:
    found = usage
    for name in names:
        found = getattr(found, name, None)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def _seconds(headers: Mapping[str, str]) -> float | None:
    """How long the server asks to wait, if it says so in seconds."""
    try:
        return max(0.0, float(headers["retry-after"]))
    except (KeyError, ValueError):
        return None
