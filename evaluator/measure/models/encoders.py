"""Encoders: sequence classifiers of transformers, embeddings with a logistic head, extractive readers.

A sequence classifier reads one text, or two as a pair: the first field of the task, then the second. An
embedding is the mean of the last layer over a text's tokens, scaled to length 1 (Reimers & Gurevych 2019,
"Sentence-BERT"). Its model is ``encoder/``, a transformers model, and ``head.npz``, which holds `weights`
(labels x dimensions), `bias` (labels) and `labels`; probabilities are the softmax of
``weights @ embedding + bias``.

A reader answers questions by scoring starts and ends of answers. A context longer than the network reads is
cut into windows that overlap. The answer is the span of highest start plus end logit over all windows (Devlin
et al. 2019, "BERT", section 4.2), and its text is cut out of the context itself: the tokeniser only says at
which characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.measure.models.base import (
    BatchModel,
    Model,
    SequenceClassifier,
    known_options,
    label_fields,
    likeliest,
    map_labels,
    need,
    number,
    whole_number,
)
from evaluator.measure.models.pretrained import OPTIONS, open_pretrained, token_limit
from evaluator.records.errors import UserError
from evaluator.score.pretrained import Pretrained, read_pretrained

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Classifier(SequenceClassifier):
    """A classifier of transformers."""

    model: Pretrained

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        if len(self.fields) == 2:
            pairs = [(example[self.fields[0]], example[self.fields[1]]) for example in examples]
            rows = [pair_tokens(self.model.tokenizer, *pair, self.max_length) for pair in pairs]
            batch = self.model.tokenizer.pad(rows, return_tensors="pt")
        else:
            texts = [example[self.fields[0]] for example in examples]
            batch = self.model.tokenizer(
                texts, padding=True, truncation=True, max_length=self.max_length, return_tensors="pt"
            )
        with self.model.torch.inference_mode():
            logits = self.model.network(**batch).logits
        shares = logits.double().softmax(-1).tolist()
        return [likeliest(self.labels, self.classes, row) for row in shares]


def pair_tokens(tokenizer: Any, first: str, second: str, max_length: int) -> Any:
    """A pair of texts as tokens; the first is cut to `max_length`, unless the second leaves it no room."""
    taken = len(tokenizer(second, add_special_tokens=False)["input_ids"])
    fits = taken + tokenizer.num_special_tokens_to_add(pair=True) < max_length
    return tokenizer(
        first, second, truncation="only_first" if fits else "longest_first", max_length=max_length
    )


def open_classifier(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load the classifier in `directory`, or the hub's `model` at `revision`, a full commit hash.

    Further options: `label_map` from the names in the model's ``id2label`` to the task's labels, and
    `max_length` in tokens (default: what the model allows, at most 512). Raises `UserError` as
    `open_pretrained` does, if the classes are not the task's labels, and for a task of other answers.
    """
    known_options("transformers", options, (*OPTIONS, "label_map"))
    fields = label_fields("transformers", task, most=2)
    model = open_pretrained("SequenceClassification", directory, options)
    config = model.network.config
    names = [config.id2label[index] for index in range(config.num_labels)]
    classes = map_labels(str(model.directory / "config.json"), names, options, task, labels)
    special = model.tokenizer.num_special_tokens_to_add(pair=len(fields) == 2)
    length = token_limit(options, model, special + len(fields))
    return Classifier(fields, tuple(labels), classes, length, model)


@dataclass(frozen=True)
class Encoder(Pretrained):
    """A transformers encoder with its tokeniser; texts are cut to `max_length` tokens."""

    max_length: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One embedding of length 1 a text: texts x dimensions."""
        return self.embed_tokens(self.tokens(texts))

    def tokens(self, texts: Sequence[str]) -> Any:
        """What `embed_tokens` takes, padded to the longest text. One thread at a time may do this."""
        return self.tokenizer(
            list(texts), padding=True, truncation=True, max_length=self.max_length, return_tensors="pt"
        )

    def embed_tokens(self, batch: Any) -> NDArray[np.float32]:
        """As `embed`, from tokens; several threads may do this at once."""
        with self.torch.inference_mode():
            states = self.network(**batch).last_hidden_state
        embeddings: NDArray[np.float32] = self.pooled(states, batch["attention_mask"]).numpy()
        return embeddings

    def pooled(self, states: Any, mask: Any) -> Any:
        """The mean of a batch's last layer over the tokens that `mask` marks, scaled to length 1."""
        shares = mask.unsqueeze(-1)
        mean = (states * shares).sum(1) / shares.sum(1)
        return self.torch.nn.functional.normalize(mean, dim=-1)


def open_encoder(directory: Path, max_length: int) -> Encoder:
    """Load the encoder in `directory`. Raises `UserError` if there is none."""
    need("torch")
    need("transformers")
    found = read_pretrained("AutoModel", directory, may_lack=("pooler",), dtype="float32")
    return Encoder(**vars(found), max_length=min(max_length, found.network.config.max_position_embeddings))


@dataclass(frozen=True)
class EmbeddingClassifier(BatchModel):
    """An encoder and the logistic head on it."""

    encoder: Encoder
    weights: FloatArray
    bias: FloatArray
    field: str
    labels: tuple[str, ...]
    classes: tuple[str, ...]

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        embeddings = self.encoder.embed([example[self.field] for example in examples])
        return [self._answer(row) for row in embeddings @ self.weights.T + self.bias]

    def _answer(self, logits: FloatArray) -> dict[str, Any]:
        powers = np.exp(logits - logits.max())
        return likeliest(self.labels, self.classes, (powers / powers.sum()).tolist())


def open_embeddings(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load ``directory/encoder`` and ``directory/head.npz``.

    Options: `max_length` in tokens (default 256), and `label_map` from the head's labels to the
    task's. Raises `UserError` if a file is missing or the head does not fit.
    """
    known_options("embeddings", options, ("max_length", "label_map"))
    (field,) = label_fields("embeddings", task)
    file = directory / "head.npz"
    if not file.is_file():
        raise UserError(file, "no such file", "make it with the recipe minilm-logreg")
    with np.load(file, allow_pickle=False) as head:
        weights, bias, names = head["weights"], head["bias"], [str(name) for name in head["labels"]]
    encoder = open_encoder(directory / "encoder", options.get("max_length", 256))
    classes = map_labels(str(file), names, options, task, labels)
    return EmbeddingClassifier(encoder, weights, bias, field, tuple(labels), classes)


# The usual settings of fine-tuning on SQuAD; `max_answer_tokens` and `stride` likewise.
USUAL_LENGTH, USUAL_STRIDE, USUAL_ANSWER = 384, 128, 30
LEAST_LENGTH = 16
WINDOWS_AT_ONCE = 16


@dataclass(frozen=True)
class AnswerSpan:
    """The best span of a window: its characters, its score, and the log of the sum over all spans."""

    start: int
    end: int
    score: float
    log_total: float


@dataclass(frozen=True)
class Reader(BatchModel):
    """An extractive model. `question_tokens` is how much of a question is read.

    `no_answer` is by how much the score of no answer must exceed that of the best span; None: never answered.
    """

    model: Pretrained
    max_length: int
    stride: int
    max_answer_tokens: int
    question_tokens: int
    no_answer: float | None

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        """One answer for each example; windows of several examples share a padded batch."""
        windows = self._windows(examples)
        owners = windows.pop("overflow_to_sample_mapping").tolist()
        offsets = windows.pop("offset_mapping").tolist()
        found: list[list[AnswerSpan]] = [[] for _ in examples]
        nothing = [np.inf] * len(examples)
        first = (windows["input_ids"] == self.model.tokenizer.cls_token_id).int().argmax(dim=1).tolist()
        for at, (start, end) in enumerate(self._logits(windows)):
            owner = owners[at]
            nothing[owner] = min(nothing[owner], float(start[first[at]] + end[first[at]]))
            # The characters of each token of the context; None for any other token.
            pairs = zip(offsets[at], windows.sequence_ids(at), strict=True)
            places = [(begin, finish) if sequence == 1 else None for (begin, finish), sequence in pairs]
            found[owner] += best_span(start, end, places, examples[owner]["context"], self.max_answer_tokens)
        return [
            _answer(example["context"], spans, silence, self.no_answer)
            for example, spans, silence in zip(examples, found, nothing, strict=True)
        ]

    def _windows(self, examples: Sequence[dict[str, Any]]) -> Any:
        return self.model.tokenizer(
            [self._clipped(example["question"]) for example in examples],
            [example["context"] for example in examples],
            truncation="only_second",
            max_length=self.max_length,
            stride=self.stride,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            padding=True,
            return_tensors="pt",
        )

    def _clipped(self, question: str) -> str:
        """The beginning of a question that would leave too little room for the context."""
        tokenizer, most = self.model.tokenizer, self.question_tokens
        while True:
            encoded = tokenizer(question, add_special_tokens=False, return_offsets_mapping=True)
            places = encoded["offset_mapping"]
            if len(places) <= most:
                return question
            question = question[: min(places[most - 1][1], len(question) - 1)]

    def _logits(self, windows: Mapping[str, Any]) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Start and end logits of each window, a few windows at a time."""
        for first in range(0, len(windows["input_ids"]), WINDOWS_AT_ONCE):
            batch = {name: rows[first : first + WINDOWS_AT_ONCE] for name, rows in windows.items()}
            with self.model.torch.inference_mode():
                output = self.model.network(**batch)
            starts, ends = output.start_logits.double().numpy(), output.end_logits.double().numpy()
            yield from zip(starts, ends, strict=True)


def best_span(
    starts: FloatArray,
    ends: FloatArray,
    places: Sequence[tuple[int, int] | None],
    context: str,
    longest: int,
) -> list[AnswerSpan]:
    """The best span of a window, if it has any, from the logits and characters of its tokens.

    A span begins and ends at a token that has a place in `context`, does not end before it begins, has at
    most `longest` tokens, and not only white space; its score is the sum of its two logits.
    """
    usable = np.array([place is not None for place in places])
    near = np.triu(np.tril(np.ones((len(places), len(places)), dtype=bool), longest - 1))
    # A token may be white space alone, as some of RoBERTa's are: it may begin or end an answer, not be one.
    seen = np.array([place is not None and bool(context[slice(*place)].strip()) for place in places]).cumsum()
    before = np.concatenate(([0], seen[:-1]))
    allowed = near & usable[:, None] & usable & (seen > before[:, None])
    if not allowed.any():
        return []
    scores = np.where(allowed, starts[:, None] + ends, -np.inf)
    first, last = divmod(int(scores.argmax()), len(places))
    begin, finish = places[first], places[last]
    assert begin is not None
    assert finish is not None
    top = float(scores[first, last])
    return [AnswerSpan(begin[0], finish[1], top, top + float(np.log(np.exp(scores - top).sum())))]


def _answer(
    context: str, spans: Sequence[AnswerSpan], nothing: float, margin: float | None
) -> dict[str, Any]:
    """The best span; "" where there is none, or where no answer has a score over it by more than `margin`.

    `nothing` is that score, the least over all windows of the logits of the first token (Devlin et al. 2019,
    section 4.3).
    """
    if not spans:
        return {"answer": ""}
    best = max(spans, key=lambda span: span.score)
    silence = [] if margin is None else [nothing]
    total = np.logaddexp.reduce([*(span.log_total for span in spans), *silence])
    if margin is not None and nothing - best.score > margin:
        return {"answer": "", "confidence": min(1.0, float(np.exp(nothing - total)))}
    end = best.end
    # A tokeniser that drops accents leaves them outside the token they belong to.
    while end < len(context) and unicodedata.category(context[end]).startswith("M"):
        end += 1
    return {
        "answer": context[best.start : end].strip(),
        "confidence": min(1.0, float(np.exp(best.score - total))),
    }


def open_reader(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load the model in `directory`, or the hub's `model` at `revision`, a full commit hash.

    Further options, in tokens: `max_length` of a window (default 384), `stride`, by which neighbouring
    windows overlap (default 128), both less if the model allows less, and `max_answer_tokens` (default
    30). Of a question at most half a window is read. With `no_answer`, a number, the answer is "" where no
    answer scores higher than the best span by more than that number, as for SQuAD v2. Raises `UserError` as
    `open_pretrained` does, for another task than qa, and for a tokeniser that does not say which characters
    its tokens come from.
    """
    known_options("transformers-qa", options, (*OPTIONS, "stride", "max_answer_tokens", "no_answer"))
    if task != "qa":
        raise UserError(f"task {task}", "transformers-qa answers qa only", "use another adapter")
    model = open_pretrained("QuestionAnswering", directory, options)
    if not model.tokenizer.is_fast:
        raise UserError(
            model.directory,
            f"a {type(model.tokenizer).__name__} does not give the characters of a token",
            "save a fast tokeniser, which has a tokenizer.json",
        )
    length = token_limit(options, model, LEAST_LENGTH, USUAL_LENGTH)
    half = (length - model.tokenizer.num_special_tokens_to_add(pair=True)) // 2
    stride = whole_number(options, "stride", 0, half - 1, min(USUAL_STRIDE, length // 3))
    longest = whole_number(options, "max_answer_tokens", 1, length, min(USUAL_ANSWER, length))
    margin = number(options, "no_answer", 0.0) if "no_answer" in options else None
    return Reader(model, length, stride, longest, half, margin)
