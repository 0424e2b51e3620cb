"""A decoder and its prompt: examples as tokens, which of these are the answer's, and how likely answers are.

Prompt and answer are tokenised together, and all tokens after as many as the prompt alone has are the
answer's. White space at the end of a prompt counts as the answer's, since most tokenisers begin a word with
it. Both are as in lm-evaluation-harness (Gao et al. 2021), version 0.4.

How likely an answer is, is a natural log of a probability. The prompt goes through the network once. Its keys
and values are kept and serve every answer; a network whose memory of a prompt cannot be shared among
answers, such as Mamba's, reads prompt and answer as one.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.measure.models.prompting import Prompt
from evaluator.records.errors import UserError
from evaluator.score.pretrained import Pretrained

TokenIds = list[int]


@dataclass(frozen=True)
class Decoder:
    """A network and its prompt. `start` are the tokens that its tokeniser puts before every text.

    A prompt longer than `max_length` tokens, its answer included, is cut at its beginning.
    """

    model: Pretrained
    prompt: Prompt
    start: tuple[int, ...]
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
        rendered: str = self.model.tokenizer.apply_chat_template(
            self.prompt.messages(example),
            tokenize=False,
            add_generation_prompt=True,
            **self.prompt.chat_options,
        )
        return rendered

    def encode(self, words: str) -> TokenIds:
        """The tokens of a text. A chat template writes the first ones itself."""
        ids: TokenIds = self.model.tokenizer(words, add_special_tokens=False)["input_ids"]
        return ids if self.prompt.chat else [*self.start, *ids]

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
        return (tokens or [_beginning(self.model)])[-(self.max_length - room) :]


def check_chat(decoder: Decoder) -> None:
    """Raise `UserError` unless the tokeniser's chat template takes the prompt, where one is wanted."""
    if not decoder.prompt.chat:
        return
    tokenizer, where = decoder.model.tokenizer, decoder.model.directory
    if not tokenizer.chat_template:
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


def first_tokens(model: Pretrained) -> tuple[int, ...]:
    """The token that begins every text, if the tokeniser was made to put one there."""
    begin = model.tokenizer.bos_token_id
    return (begin,) if begin is not None and model.tokenizer("a")["input_ids"][:1] == [begin] else ()


def filler(model: Pretrained) -> int:
    """The token that fills up rows, and follows an answer that has ended: one that is not written out."""
    for name in ("pad_token_id", "eos_token_id"):
        if (found := getattr(model.tokenizer, name)) is not None:
            return int(found)
    return 0


def _beginning(model: Pretrained) -> int:
    """What stands for a prompt without a token, as in lm-evaluation-harness."""
    for name in ("bos_token_id", "eos_token_id"):
        if (found := getattr(model.tokenizer, name)) is not None:
            return int(found)
    raise UserError(
        model.directory,
        "the prompt is empty, and the tokeniser has no token for the beginning or the end of a text",
        "put words into options.template",
    )


#: Answers that go through the network at once: each needs a copy of its prompt's keys and values.
ANSWERS_AT_ONCE = 32
#: How far the two ways may be apart, in natural logs, on the trial that decides between them.
TOLERANCE = 1e-3
#: For the token that fills up rows: whichever it is, no other token sees it.
FILLER = 0

TokenSequence = Sequence[int]
AnswerTokens = Sequence[Sequence[TokenSequence]]
Scores = list[list[list[float]]]


@dataclass(frozen=True)
class AnswerScorer:
    """Scores answers to prompts; both are token ids, and neither may be empty."""

    model: Pretrained
    cached: bool

    @classmethod
    def of(cls, model: Pretrained, prompts: Sequence[TokenSequence], answers: AnswerTokens) -> AnswerScorer:
        """A scorer that keeps the prompts' keys and values, if that gives the same on a trial."""
        scorer = cls(model, cached=True)
        try:
            kept, whole = scorer.with_cache(prompts, answers), scorer.without_cache(prompts, answers)
        # Networks without such a cache fail in ways of their own.
        except (AttributeError, IndexError, NotImplementedError, RuntimeError, TypeError, ValueError):
            return cls(model, cached=False)
        pairs = zip(_flat(kept), _flat(whole), strict=True)
        return cls(model, cached=all(abs(one - other) <= TOLERANCE for one, other in pairs))

    def score(self, prompts: Sequence[TokenSequence], answers: AnswerTokens) -> Scores:
        """The log-probability of each token of each answer to each prompt: prompts x answers x tokens.

        `answers` has the answers to every prompt.
        """
        return self.with_cache(prompts, answers) if self.cached else self.without_cache(prompts, answers)

    def with_cache(self, prompts: Sequence[TokenSequence], answers: AnswerTokens) -> Scores:
        """As `score`, each prompt read once."""
        torch = self.model.torch
        width = max(map(len, prompts))
        ids = torch.tensor([[*[FILLER] * (width - len(row)), *row] for row in prompts])
        mask = torch.tensor([[*[0] * (width - len(row)), *[1] * len(row)] for row in prompts])
        places = (mask.cumsum(-1) - 1).clamp(min=0)
        with torch.inference_mode():
            output = self._forward(ids, mask, places, 1)
            first = output.logits[:, -1].double().log_softmax(-1)
            scores = [[[first[at, row[0]].item()] for row in rows] for at, rows in enumerate(answers)]
            for group in _groups(answers):
                later = self._later(output[self._cache_name], mask, group, answers)
                for (at, number), values in zip(group, later, strict=True):
                    scores[at][number] += values
        return scores

    def _later(
        self, cache: Any, mask: Any, group: Sequence[tuple[int, int]], answers: AnswerTokens
    ) -> Iterator[list[float]]:
        """The log-probabilities of all tokens but the first, for answers (prompt, number) of `group`."""
        torch = self.model.torch
        rows = [answers[at][number] for at, number in group]
        ids, own = _filled(torch, [row[:-1] for row in rows])
        owners = torch.tensor([at for at, _ in group])
        shared = copy.deepcopy(cache)
        shared.batch_select_indices(owners)
        read = mask[owners]
        places = read.sum(-1, keepdim=True) + torch.arange(ids.shape[1])
        output = self._forward(ids, torch.cat([read, own], -1), places, 0, shared)
        logs = output.logits.double().log_softmax(-1)
        for at, row in enumerate(rows):
            yield [logs[at, place, token].item() for place, token in enumerate(row[1:])]

    def without_cache(self, prompts: Sequence[TokenSequence], answers: AnswerTokens) -> Scores:
        """As `score`, prompt and answer read as one text, each answer anew."""
        scores: Scores = [[[] for _ in rows] for rows in answers]
        places = [(at, number) for at, rows in enumerate(answers) for number in range(len(rows))]
        for start in range(0, len(places), ANSWERS_AT_ONCE):
            group = places[start : start + ANSWERS_AT_ONCE]
            for (at, number), values in zip(group, self._whole(prompts, answers, group), strict=True):
                scores[at][number] = values
        return scores

    def _whole(
        self, prompts: Sequence[TokenSequence], answers: AnswerTokens, group: Sequence[tuple[int, int]]
    ) -> Iterator[list[float]]:
        torch = self.model.torch
        # Filled up at the end, where nothing before it sees it: a mask would only slow this down.
        ids, mask = _filled(torch, [[*prompts[at], *answers[at][number][:-1]] for at, number in group])
        with torch.inference_mode():
            logs = self.model.network(input_ids=ids, attention_mask=mask).logits.double().log_softmax(-1)
        for row, (at, number) in enumerate(group):
            begin = len(prompts[at]) - 1
            yield [logs[row, begin + place, token].item() for place, token in enumerate(answers[at][number])]

    def _forward(self, ids: Any, mask: Any, places: Any, keep: int, cache: Any = None) -> Any:
        """One pass; `keep` is of how many last tokens logits are needed, 0 for all."""
        given = {"position_ids": places, "logits_to_keep": keep, self._cache_name: cache}
        known = {name: value for name, value in given.items() if name in self._takes and value is not None}
        return self.model.network(input_ids=ids, attention_mask=mask, use_cache=True, **known)

    @property
    def _cache_name(self) -> str:
        """What the network calls keys and values: transformers 5.24 gave them another name."""
        return "cache" if "cache" in self._takes else "past_key_values"

    @property
    def _takes(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.model.network.forward).parameters


def _filled(torch: Any, rows: Sequence[TokenSequence]) -> tuple[Any, Any]:
    """Rows filled up at their ends to the longest, and the mask that says which tokens are theirs."""
    width = max(map(len, rows))
    ids = torch.tensor([[*row, *[FILLER] * (width - len(row))] for row in rows])
    return ids, torch.tensor([[*[1] * len(row), *[0] * (width - len(row))] for row in rows])


def _groups(answers: AnswerTokens) -> Iterator[list[tuple[int, int]]]:
    """The places (prompt, number) of answers of several tokens, so many at a time."""
    places = [
        (at, number) for at, rows in enumerate(answers) for number, row in enumerate(rows) if len(row) > 1
    ]
    for start in range(0, len(places), ANSWERS_AT_ONCE):
        yield places[start : start + ANSWERS_AT_ONCE]


def _flat(scores: Scores) -> list[float]:
    return [value for rows in scores for row in rows for value in row]
