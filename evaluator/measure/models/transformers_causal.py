"""A transformers decoder, asked by a prompt: a base model or one that was taught to follow instructions."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import Model, one_of
from evaluator.measure.models.decoder import (
    LEAST_LENGTH,
    Decoder,
    Scores,
    TokenIds,
    TokenSequence,
    WritingWork,
    answering,
    checked_prompt,
)
from evaluator.measure.models.pretrained import (
    MANY,
    OPTIONS,
    hub_directory,
    open_pretrained,
    token_limit,
)
from evaluator.measure.models.prompting import Prompt, check_renders
from evaluator.records.errors import UserError
from evaluator.score.pretrained import Pretrained

#: As what weights are read.
DTYPES = ("float32", "stored")
#: Texts that go through the network at once, at most.
TEXTS_AT_ONCE = 32


@dataclass
class TransformersNetwork:
    """A network of transformers that continues texts; see `Network`."""

    model: Pretrained
    written: tuple[int, float] | None = None

    @property
    def directory(self) -> Path:
        """Where its files are."""
        return self.model.directory

    @cached_property
    def start(self) -> tuple[int, ...]:
        """The token that begins every text, if the tokeniser was made to put one there."""
        begin = self.model.tokenizer.bos_token_id
        if begin is None or self.model.tokenizer("a")["input_ids"][:1] != [begin]:
            return ()
        return (begin,)

    @cached_property
    def beginning(self) -> int | None:
        """What stands for a prompt without a token, as in lm-evaluation-harness."""
        return self._token("bos_token_id", "eos_token_id")

    @property
    def has_chat(self) -> bool:
        """Whether the tokeniser has a chat template."""
        return bool(self.model.tokenizer.chat_template)

    def encode(self, words: str) -> TokenIds:
        """The tokens of a text, and no others."""
        ids: TokenIds = self.model.tokenizer(words, add_special_tokens=False)["input_ids"]
        return ids

    def conversation(self, messages: Sequence[Mapping[str, str]], options: Mapping[str, Any]) -> str:
        """The text that the chat template makes of messages. Raises what the template does."""
        rendered: str = self.model.tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True, **options
        )
        return rendered

    def log_probabilities(
        self, prompts: Sequence[TokenSequence], answers: Sequence[Sequence[TokenSequence]]
    ) -> Scores:
        """The log-probability of each token of each answer to each prompt: prompts x answers x tokens.

        A prompt whose answers are single tokens is read once, another with each answer anew. Texts of one
        length go through the network together: filling up is not what every network takes.
        """
        torch, network = self.model.torch, self.model.network
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

    def write(self, prompts: Sequence[TokenIds], new_tokens: int, stop: Sequence[str]) -> list[str]:
        """What follows each prompt, always the likeliest token, until one of the `stop` texts or the end."""
        torch, width = self.model.torch, max(map(len, prompts))
        # The token that fills up rows, and follows an answer that has ended, is not written out.
        pad = self._token("pad_token_id", "eos_token_id") or 0
        ids = torch.tensor([[*[pad] * (width - len(row)), *row] for row in prompts])
        mask = torch.tensor([[*[0] * (width - len(row)), *[1] * len(row)] for row in prompts])
        stopping = {"stop_strings": list(stop), "tokenizer": self.model.tokenizer} if stop else {}
        work = _Streamed()
        written = self.model.network.generate(
            input_ids=ids,
            attention_mask=mask,
            max_new_tokens=new_tokens,
            num_beams=1,
            do_sample=False,
            pad_token_id=pad,
            streamer=work if len(prompts) == 1 else None,
            **stopping,
        )
        self.written = work.done() if len(prompts) == 1 else None
        texts: list[str] = self.model.tokenizer.batch_decode(written[:, width:], skip_special_tokens=True)
        return texts

    def _token(self, *names: str) -> int | None:
        """The first of these tokens that the tokeniser has."""
        found = (getattr(self.model.tokenizer, name) for name in names)
        return next((int(token) for token in found if token is not None), None)


class _Streamed(WritingWork):
    """Counts what transformers writes, whose first piece is the prompt."""

    def __init__(self) -> None:
        super().__init__()
        self._is_prompt = True

    def put(self, piece: Any) -> None:
        """Take the prompt, or a token."""
        if not self._is_prompt:
            self.count()
        self._is_prompt = False

    def end(self) -> None:
        """All is written."""


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load the model in `directory`, or the hub's `model` at `revision`, a full commit hash.

    Further options: those of `measure.models.prompting`, `max_length` of prompt and answer in tokens
    (default: what the model allows), and `dtype`, float32 (default) or stored, as what the weights are read.
    For a task of labels `scoring`, log-likelihood (default) or generation, and `normalise`, what a
    log-likelihood is divided by: none (default), tokens or characters of the label's words. For a task of
    texts `max_new_tokens` (default 64), `stop`, strings that end an answer (default: the end of the line, and
    none with `chat`), `pattern`, a regular expression that finds the answer in what was written, and
    `unanswerable`, the words for no answer. Raises `UserError` as `open_pretrained` does, and for options
    that do not fit task and tokeniser.
    """
    if "model" in options:
        directory = hub_directory(options["model"], options.get("revision"))
    prompt = check_options(options, directory, task, labels)
    check_renders(prompt)
    model = open_pretrained("CausalLM", directory, options, dtype=_dtype(options))
    length = token_limit(options, model, LEAST_LENGTH, MANY, unstated=MANY)
    return answering(Decoder(TransformersNetwork(model), prompt, length), options, labels)


def check_options(options: Mapping[str, Any], directory: Path, task: str, labels: Sequence[str]) -> Prompt:
    """The prompt of `options`, all of which are checked as far as that goes without opening the model.

    Nothing is rendered. Raises `UserError`.
    """
    prompt = checked_prompt("transformers-causal", options, (*OPTIONS, "dtype"), directory, task, labels)
    _dtype(options)
    if "model" in options and "template_file" in options:
        raise UserError(
            "options.template_file",
            f"{options['template_file']!r} is for a model in a folder",
            "for one of the hub give options.template",
        )
    return prompt


def _dtype(options: Mapping[str, Any]) -> str:
    """As what weights are read, in the words of transformers."""
    return {"float32": "float32", "stored": "auto"}[one_of(options, "dtype", DTYPES)]
