"""A decoder and its prompt: examples as tokens, which of these are the answer's, and how likely answers are.

Prompt and answer are tokenised together, and all tokens after as many as the prompt alone has are the
answer's. White space at the end of a prompt counts as the answer's, since most tokenisers begin a word with
it. Both are as in lm-evaluation-harness (Gao et al. 2021), version 0.4.

How likely an answer is, is a natural log of a probability.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.measure.models.prompting import Prompt
from evaluator.records.errors import UserError
from evaluator.score.pretrained import Pretrained

TokenIds = list[int]
TokenSequence = Sequence[int]
Scores = list[list[list[float]]]
#: Texts that go through the network at once, at most.
TEXTS_AT_ONCE = 32


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


def score_answers(
    model: Pretrained, prompts: Sequence[TokenSequence], answers: Sequence[Sequence[TokenSequence]]
) -> Scores:
    """The log-probability of each token of each answer to each prompt: prompts x answers x tokens.

    `answers` has the answers to every prompt; all are token ids, none empty. A prompt whose answers
    are single tokens is read once, another with each answer anew. Texts of one length go through the network
    together: filling up is not what every network takes.
    """
    torch, network = model.torch, model.network
    texts: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for at, rows in enumerate(answers):
        for number, row in enumerate(rows):
            texts.setdefault((*prompts[at], *row[:-1]), []).append((at, number))
    scores: Scores = [[[] for _ in rows] for rows in answers]
    can_keep = "logits_to_keep" in inspect.signature(network.forward).parameters
    for _, same in itertools.groupby(sorted(texts, key=len), key=len):
        group = list(same)
        for start in range(0, len(group), TEXTS_AT_ONCE):
            batch = group[start : start + TEXTS_AT_ONCE]
            longest = max(len(answers[at][number]) for text in batch for at, number in texts[text])
            # Where only the last logits are computed, a long prompt takes far less memory.
            kept = {"logits_to_keep": longest} if can_keep else {}
            with torch.inference_mode():
                output = network(input_ids=torch.tensor(batch), use_cache=False, **kept)
                logs = output.logits[:, -longest:].double().log_softmax(-1)
            for row_logs, text in zip(logs, batch, strict=True):
                for at, number in texts[text]:
                    tokens = answers[at][number]
                    places = range(-len(tokens), 0)
                    scores[at][number] = [
                        row_logs[place, token].item() for place, token in zip(places, tokens, strict=True)
                    ]
    return scores
