"""A transformers decoder, asked by a prompt: a base model or one that was taught to follow instructions.

For a task of labels each label has words, and the model chooses among them: by ``log-likelihood``, the
words that it finds the likeliest after the prompt, or by ``generation``, writing word by word what it finds
the likeliest among what begins one of the answers. For a task of texts it writes freely, greedily.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import (
    BatchModel,
    Model,
    known_options,
    likeliest,
    one_of,
    whole_number,
)
from evaluator.measure.models.decoder import (
    Decoder,
    TokenIds,
    check_chat,
    filler,
    first_tokens,
    score_answers,
)
from evaluator.measure.models.pretrained import (
    MANY,
    OPTIONS,
    hub_directory,
    open_pretrained,
    token_limit,
)
from evaluator.measure.models.prompting import PROMPT_OPTIONS, Prompt, check_renders, read_prompt
from evaluator.measure.models.written import AnswerFinder
from evaluator.records.errors import UserError

USUAL_NEW_TOKENS, MOST_NEW_TOKENS, LEAST_LENGTH = 64, 4096, 8
#: How to choose a label, what a sum of log-probabilities is divided by, as what weights are read; and the
#: options that a task of labels, or of texts, adds to those of all prompts.
SCORING = ("log-likelihood", "generation")
NORMALISE = ("none", "tokens", "characters")
DTYPES = ("float32", "stored")
OWN_OPTIONS = {
    "label": ("answers", "scoring", "normalise"),
    "text": ("max_new_tokens", "stop", "pattern", "unanswerable"),
}


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
        for answers, logs in zip(rows, score_answers(self.decoder.model, prompts, rows), strict=True):
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
        return [math.fsum(logs) for logs in score_answers(self.decoder.model, [prompt], [answers])[0]]


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

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        prompts = [self._prompt(example) for example in examples]
        return [{"answer": self.finder.answer(written)} for written in self._write(prompts)]

    def _prompt(self, example: Mapping[str, Any]) -> TokenIds:
        whole = (self.decoder.render(example) + self.decoder.prompt.delimiter).rstrip(" ")
        return self.decoder.cut(self.decoder.encode(whole), self.new_tokens)

    def _write(self, prompts: Sequence[TokenIds]) -> list[str]:
        model = self.decoder.model
        torch, width, pad = model.torch, max(map(len, prompts)), filler(model)
        ids = torch.tensor([[*[pad] * (width - len(row)), *row] for row in prompts])
        mask = torch.tensor([[*[0] * (width - len(row)), *[1] * len(row)] for row in prompts])
        stop = list(self.finder.stop)
        stopping = {"stop_strings": stop, "tokenizer": model.tokenizer} if stop else {}
        written = model.network.generate(
            input_ids=ids,
            attention_mask=mask,
            max_new_tokens=self.new_tokens,
            num_beams=1,
            do_sample=False,
            pad_token_id=pad,
            **stopping,
        )
        texts: list[str] = model.tokenizer.batch_decode(written[:, width:], skip_special_tokens=True)
        return texts


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
    decoder = Decoder(model, prompt, first_tokens(model), length)
    check_chat(decoder)
    if prompt.answers:
        scoring, measure = _scoring(options)
        _, answers = decoder.pairs(dict.fromkeys(prompt.fields, "text"))
        if scoring == "generation":
            _check_ends(answers)
        return PromptChooser(decoder, tuple(labels), scoring, measure)
    most = min(MOST_NEW_TOKENS, length - 1)
    new_tokens = whole_number(options, "max_new_tokens", 1, most, min(USUAL_NEW_TOKENS, most))
    return PromptWriter(decoder, new_tokens, AnswerFinder.of(options))


def check_options(options: Mapping[str, Any], directory: Path, task: str, labels: Sequence[str]) -> Prompt:
    """The prompt of `options`, all of which are checked as far as that goes without opening the model.

    Nothing is rendered. Raises `UserError`.
    """
    from evaluator.data.tasks import get_task

    definition = get_task(task)
    shared = [name for name in PROMPT_OPTIONS if name not in ("answers", "unanswerable")]
    known_options(
        "transformers-causal", options, (*OPTIONS, "dtype", *shared, *OWN_OPTIONS[definition.answer])
    )
    _dtype(options)
    if "model" in options and "template_file" in options:
        raise UserError(
            "options.template_file",
            f"{options['template_file']!r} is for a model in a folder",
            "for one of the hub give options.template",
        )
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


def _dtype(options: Mapping[str, Any]) -> str:
    """As what weights are read, in the words of transformers."""
    return {"float32": "float32", "stored": "auto"}[one_of(options, "dtype", DTYPES)]


def _softmax(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    return [power / math.fsum(powers) for power in powers]
