"""A decoder and its prompt: examples as tokens, which of these are the answer's, and what it answers.

Prompt and answer are tokenised together, and all tokens after as many as the prompt alone has are the
answer's. White space at the end of a prompt counts as the answer's, since most tokenisers begin a word with
it. Both are as in lm-evaluation-harness (Gao et al. 2021), version 0.4.

For a task of labels each label has words, and the model chooses among them: by ``log-likelihood``, the
words that it finds the likeliest after the prompt, or by ``generation``, writing word by word what it finds
the likeliest among what begins one of the answers. For a task of texts it writes freely, greedily. How likely
an answer is, is a natural log of a probability.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from evaluator.data.tasks import get_task
from evaluator.measure.models.base import (
    BatchModel,
    Model,
    known_options,
    likeliest,
    one_of,
    whole_number,
)
from evaluator.measure.models.prompting import PROMPT_OPTIONS, Prompt, read_prompt
from evaluator.measure.models.written import AnswerFinder
from evaluator.records.errors import UserError

TokenIds = list[int]
TokenSequence = Sequence[int]
Scores = list[list[list[float]]]

USUAL_NEW_TOKENS, MOST_NEW_TOKENS, LEAST_LENGTH = 64, 4096, 8
#: How to choose a label, and what a sum of log-probabilities is divided by; and the options that a task of
#: labels, or of texts, adds to those of all prompts.
SCORING = ("log-likelihood", "generation")
NORMALISE = ("none", "tokens", "characters")
OWN_OPTIONS = {
    "label": ("answers", "scoring", "normalise"),
    "text": ("max_new_tokens", "stop", "pattern", "unanswerable"),
}


class Network(Protocol):
    """A network that continues texts, with its tokeniser.

    `written` says of the text written last how many tokens were computed, the one that ends it included, and
    the share of all work that was done at the first; None where several were written at once.
    """

    written: tuple[int, float] | None

    @property
    def directory(self) -> Path:
        """Where its files are."""
        ...

    @property
    def start(self) -> tuple[int, ...]:
        """The tokens that the tokeniser puts before every text."""
        ...

    @property
    def beginning(self) -> int | None:
        """What stands for a prompt without a token, as in lm-evaluation-harness; None where nothing can."""
        ...

    @property
    def has_chat(self) -> bool:
        """Whether there is a chat template."""
        ...

    def encode(self, words: str) -> TokenIds:
        """The tokens of a text, and no others."""
        ...

    def conversation(self, messages: Sequence[Mapping[str, str]], options: Mapping[str, Any]) -> str:
        """The text that the chat template makes of messages. Raises what the template does."""
        ...

    def log_probabilities(
        self, prompts: Sequence[TokenSequence], answers: Sequence[Sequence[TokenSequence]]
    ) -> Scores:
        """The log-probability of each token of each answer to each prompt: prompts x answers x tokens.

        `answers` has the answers to every prompt; all are token ids, none empty.
        """
        ...

    def write(self, prompts: Sequence[TokenIds], new_tokens: int, stop: Sequence[str]) -> list[str]:
        """What follows each prompt, always the likeliest token, until one of the `stop` texts or the end."""
        ...


class WritingWork:
    """Counts the tokens of a text while it is written, and the work that went into the first and into all: in
    CPU time of this process, which waits for nobody."""

    def __init__(self) -> None:
        self.tokens, self._began = 0, time.process_time_ns()
        self._first = self._began

    def count(self) -> None:
        """One more token is there."""
        if not self.tokens:
            self._first = time.process_time_ns()
        self.tokens += 1

    def done(self) -> tuple[int, float]:
        """How many there are, and the share of the work that was done at the first."""
        whole = max(1, time.process_time_ns() - self._began)
        return self.tokens, min(1.0, (self._first - self._began) / whole)


@dataclass(frozen=True)
class Decoder:
    """A network and its prompt.

    A prompt longer than `max_length` tokens, its answer included, is cut at its beginning.
    """

    network: Network
    prompt: Prompt
    max_length: int

    def pairs(self, example: Mapping[str, Any]) -> tuple[TokenIds, list[TokenIds]]:
        """The tokens of the prompt, and those of each label's words after it.

        Raises `UserError` where words have no tokens of their own there.
        """
        whole = self.render(example) + self.prompt.delimiter
        context = whole.rstrip()
        before = self.encode(context)
        after = [self.encode(whole + words)[len(before) :] for words in self.prompt.answers.values()]
        for label, tokens in zip(self.prompt.answers, after, strict=True):
            if not tokens:
                raise UserError(
                    f"options.answers.{label}",
                    f"{self.prompt.answers[label]!r} has no tokens of its own after the prompt",
                    "end the template otherwise, or set options.delimiter",
                )
        return self.cut(before, max(map(len, after)) - 1), after

    def render(self, example: Mapping[str, Any]) -> str:
        """The whole prompt as the network reads it, with the marks of a chat template."""
        if not self.prompt.chat:
            return self.prompt.text(example)
        return self.network.conversation(self.prompt.messages(example), self.prompt.chat_options)

    def encode(self, words: str) -> TokenIds:
        """The tokens of a text. A chat template writes the first ones itself."""
        ids = self.network.encode(words)
        return ids if self.prompt.chat else [*self.network.start, *ids]

    def cut(self, tokens: TokenIds, room: int) -> TokenIds:
        """The last tokens of a prompt, so many that `room` more fit; one that stands for none, if need be.

        Raises `UserError` if no token is left.
        """
        if room >= self.max_length:
            raise UserError(
                "options.max_length",
                f"{self.max_length} tokens leave none to a prompt before {room} of an answer",
                "give more, or shorter answers",
            )
        if not tokens and self.network.beginning is None:
            what = (
                "the prompt is empty, and the tokeniser has no token for the beginning or the end of a text"
            )
            raise UserError(self.network.directory, what, "put words into options.template")
        return (tokens or [int(self.network.beginning or 0)])[-(self.max_length - room) :]


def check_chat(decoder: Decoder) -> None:
    """Raise `UserError` unless the tokeniser's chat template takes the prompt, where one is wanted."""
    if not decoder.prompt.chat:
        return
    where = decoder.network.directory
    if not decoder.network.has_chat:
        raise UserError(
            "options.chat",
            f"the tokeniser in {where} has no chat template",
            "leave chat out, or save the tokeniser of a model that has learnt to follow instructions",
        )
    try:
        decoder.render(dict.fromkeys(decoder.prompt.fields, "text"))
    # A template may refuse a message in ways of its own; some take none of the system's.
    except Exception as error:
        raise UserError(
            "options.chat",
            f"the chat template in {where} does not take the prompt: {error}",
            "if it is about the system, put options.instruction into options.template",
        ) from None


@dataclass(frozen=True)
class PromptChooser(BatchModel):
    """Answers with a label, by its words; `measure` is what sums of log-probabilities are divided by."""

    decoder: Decoder
    labels: tuple[str, ...]
    scoring: str
    measure: Callable[[str, TokenIds], int]

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        prompts, rows = zip(*map(self.decoder.pairs, examples), strict=True)
        words, found = self.decoder.prompt.answers.values(), []
        for answers, logs in zip(rows, self.decoder.network.log_probabilities(prompts, rows), strict=True):
            if self.scoring == "generation":
                at, shares = constrained(answers, logs)
                chances = dict(zip(self.labels, shares, strict=True))
                found.append({"label": self.labels[at], "probabilities": chances})
            else:
                each = zip(words, answers, logs, strict=True)
                scores = [math.fsum(row) / self.measure(text, tokens) for text, tokens, row in each]
                found.append(likeliest(self.labels, self.labels, _softmax(scores)))
        return found

    def log_likelihoods(self, example: dict[str, Any]) -> list[float]:
        """The natural log of the probability of each label's words after the prompt, not divided."""
        prompt, answers = self.decoder.pairs(example)
        return [math.fsum(logs) for logs in self.decoder.network.log_probabilities([prompt], [answers])[0]]


def constrained(answers: Sequence[TokenIds], logs: Sequence[Sequence[float]]) -> tuple[int, list[float]]:
    """The place of the answer that is written greedily where only tokens of an answer may follow.

    At each token the choice is among those that continue an answer; an answer's share of 1 is the product,
    over its tokens, of their shares among that choice. Raises `UserError` if one answer begins another:
    then nothing would end it.
    """
    _check_ends(answers)
    shares = [1.0] * len(answers)
    left, place = list(range(len(answers))), 0
    for number, tokens in enumerate(answers):
        for depth in range(len(tokens)):
            rivals = {
                row[depth]: logs[at][depth] for at, row in enumerate(answers) if row[:depth] == tokens[:depth]
            }
            shares[number] *= dict(zip(rivals, _softmax(list(rivals.values())), strict=True))[tokens[depth]]
    while len(left) > 1:
        best = max(left, key=lambda at: logs[at][place])
        left = [at for at in left if answers[at][place] == answers[best][place]]
        place += 1
    return left[0], shares


def _check_ends(answers: Sequence[TokenIds]) -> None:
    for at, tokens in enumerate(answers):
        for other, row in enumerate(answers):
            if at != other and row[: len(tokens)] == tokens:
                raise UserError(
                    "options.answers",
                    f"the tokens of answer {at + 1} begin answer {other + 1}, and nothing ends the first",
                    'choose other words, or scoring = "log-likelihood"',
                )


@dataclass(frozen=True)
class PromptWriter(BatchModel):
    """Answers with the text that the model writes, as far as `finder` takes it for the answer."""

    decoder: Decoder
    new_tokens: int
    finder: AnswerFinder

    @property
    def written(self) -> tuple[int, float] | None:
        """Of the answer given last, as in `Network`."""
        return self.decoder.network.written

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        prompts = [self._prompt(example) for example in examples]
        found = self.decoder.network.write(prompts, self.new_tokens, self.finder.stop)
        return [{"answer": self.finder.answer(written)} for written in found]

    def _prompt(self, example: Mapping[str, Any]) -> TokenIds:
        whole = (self.decoder.render(example) + self.decoder.prompt.delimiter).rstrip(" ")
        return self.decoder.cut(self.decoder.encode(whole), self.new_tokens)


def answering(decoder: Decoder, options: Mapping[str, Any], labels: Sequence[str]) -> Model:
    """The model that answers by a decoder, as the options say. Raises `UserError`."""
    check_chat(decoder)
    if decoder.prompt.answers:
        scoring, measure = _scoring(options)
        _, answers = decoder.pairs(dict.fromkeys(decoder.prompt.fields, "text"))
        if scoring == "generation":
            _check_ends(answers)
        return PromptChooser(decoder, tuple(labels), scoring, measure)
    most = min(MOST_NEW_TOKENS, decoder.max_length - 1)
    new_tokens = whole_number(options, "max_new_tokens", 1, most, min(USUAL_NEW_TOKENS, most))
    return PromptWriter(decoder, new_tokens, AnswerFinder.of(options))


def checked_prompt(
    adapter: str,
    options: Mapping[str, Any],
    own: Sequence[str],
    directory: Path,
    task: str,
    labels: Sequence[str],
) -> Prompt:
    """The prompt of `options`, all of which are checked as far as that goes without opening the model.

    `own` are the options that the adapter has besides. Nothing is rendered. Raises `UserError`.
    """
    definition = get_task(task)
    shared = [name for name in PROMPT_OPTIONS if name not in ("answers", "unanswerable")]
    known_options(adapter, options, (*own, *shared, *OWN_OPTIONS[definition.answer]))
    if definition.answer == "label":
        _scoring(options)
    else:
        AnswerFinder.of(options)
        whole_number(options, "max_new_tokens", 1, MOST_NEW_TOKENS, USUAL_NEW_TOKENS)
    return read_prompt(options, directory, definition.fields, labels)


def _scoring(options: Mapping[str, Any]) -> tuple[str, Callable[[str, TokenIds], int]]:
    """How a label is chosen, and what its log-likelihood is divided by."""
    scoring = one_of(options, "scoring", SCORING)
    normalise = one_of(options, "normalise", NORMALISE)
    if scoring == "generation" and "normalise" in options:
        raise UserError(
            "options.normalise", f'{normalise!r} is of scoring = "log-likelihood"', "leave one of them out"
        )
    measures: dict[str, Callable[[str, TokenIds], int]] = {
        "none": lambda words, tokens: 1,
        "tokens": lambda words, tokens: len(tokens),
        "characters": lambda words, tokens: len(words),
    }
    return scoring, measures[normalise]


def _softmax(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    return [power / math.fsum(powers) for power in powers]
