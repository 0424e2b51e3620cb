"""A transformers model that reads a text and writes one, such as T5.

For a task of labels each label is a string that the model was trained to write; in the recipe of the
Dynaboard paper's T5 (Ma et al. 2021) "0", "1", "2". By default the model chooses among these strings: the
one whose tokens, its end included, are the likeliest after the input. Their probabilities are scaled to
sum to 1. With ``free`` it writes any text, greedily, as it does for a task of texts.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import BatchModel, Model, flag, known_options, likeliest, whole_number
from evaluator.measure.models.pretrained import OPTIONS, open_pretrained, token_limit
from evaluator.measure.models.prompting import label_words
from evaluator.records.errors import UserError
from evaluator.score.pretrained import Pretrained

USUAL_NEW_TOKENS, MOST_NEW_TOKENS = 64, 4096


@dataclass(frozen=True)
class Text2Text:
    """A network between texts. An input is an example put into `template`, cut at its end."""

    model: Pretrained
    template: str
    max_length: int

    def encode(self, examples: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Token ids and attention mask of the inputs, padded: examples x tokens."""
        texts = [self.template.format(**example) for example in examples]
        batch = self.model.tokenizer(
            texts, padding=True, truncation=True, max_length=self.max_length, return_tensors="pt"
        )
        return {"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"]}

    def write(self, examples: Sequence[dict[str, Any]], new_tokens: int) -> list[str]:
        """What the model writes for each example, in at most `new_tokens` tokens, greedily.

        Other settings in the model's ``generation_config.json``, such as a least length, hold.
        """
        written = self.model.network.generate(
            **self.encode(examples), max_new_tokens=new_tokens, num_beams=1, do_sample=False
        )
        texts: list[str] = self.model.tokenizer.batch_decode(written, skip_special_tokens=True)
        return [text.strip() for text in texts]

    def log_likelihoods(self, examples: Sequence[dict[str, Any]], answers: Sequence[Sequence[int]]) -> Any:
        """The natural log of each answer's probability after each input: examples x answers."""
        torch, network = self.model.torch, self.model.network
        longest = max(len(ids) for ids in answers)
        # -100 is how transformers marks the places after a shorter answer.
        rows = torch.tensor([[*ids, *[-100] * (longest - len(ids))] for ids in answers])
        rows = rows.repeat(len(examples), 1)
        batch = self.encode(examples)
        with torch.inference_mode():
            encoded = network.get_encoder()(**batch)
            encoded.last_hidden_state = encoded.last_hidden_state.repeat_interleave(len(answers), 0)
            mask = batch["attention_mask"].repeat_interleave(len(answers), 0)
            logits = network(encoder_outputs=encoded, attention_mask=mask, labels=rows).logits
        each = logits.double().log_softmax(-1).gather(-1, rows.clamp(min=0).unsqueeze(-1)).squeeze(-1)
        return each.masked_fill(rows < 0, 0.0).sum(-1).reshape(len(examples), len(answers))


@dataclass(frozen=True)
class Chooser(BatchModel):
    """Answers with the label whose string is the likeliest; `answers` are the strings' tokens."""

    reader: Text2Text
    labels: tuple[str, ...]
    answers: tuple[tuple[int, ...], ...]

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        shares = self.reader.log_likelihoods(examples, self.answers).softmax(-1).tolist()
        return [likeliest(self.labels, self.labels, row) for row in shares]


@dataclass(frozen=True)
class Speller(BatchModel):
    """Answers with the label whose string the model writes freely, else with what it wrote."""

    reader: Text2Text
    labels: Mapping[str, str]
    new_tokens: int

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        return [self.labels.get(text, text) for text in self.reader.write(examples, self.new_tokens)]


@dataclass(frozen=True)
class Writer(BatchModel):
    """Answers with the text that the model writes; no confidence is given."""

    reader: Text2Text
    new_tokens: int

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        return [{"answer": text} for text in self.reader.write(examples, self.new_tokens)]


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load the model in `directory`, or the hub's `model` at `revision`, a full commit hash.

    Further options: `template`, the input with the task's fields in braces (default: each field after
    its name, the last field first, so that a long context is what is cut), and `max_length` of the
    input in tokens (default: what the model allows, at most 512). For a task of labels: `answers`, a
    table from each label to its string (default: its index), and `free` (default false). For a task of
    texts: `max_new_tokens` (default 64). Raises `UserError` as `open_pretrained` does, and for a
    template or answers that do not fit task and tokeniser.
    """
    from evaluator.data.tasks import get_task

    definition = get_task(task)
    own = ("answers", "free") if definition.answer == "label" else ("max_new_tokens",)
    known_options("transformers-text2text", options, (*OPTIONS, "template", *own))
    template = _template(options, definition.fields)
    strings = label_words(options, labels, {label: str(index) for index, label in enumerate(labels)})
    new_tokens = whole_number(options, "max_new_tokens", 1, MOST_NEW_TOKENS, USUAL_NEW_TOKENS)
    model = open_pretrained("Seq2SeqLM", directory, options)
    reader = Text2Text(model, template, token_limit(options, model, 3))
    if definition.answer == "text":
        return Writer(reader, new_tokens)
    answers = _tokens(strings, model.tokenizer)
    if flag(options, "free", False):
        return Speller(reader, {text: label for label, text in strings.items()}, max(map(len, answers)))
    return Chooser(reader, tuple(labels), answers)


def _template(options: Mapping[str, Any], fields: Sequence[str]) -> str:
    """The option `template`. Raises `UserError` unless its braces hold fields of the task, and one does."""
    template = options.get("template", " ".join(f"{name}: {{{name}}}" for name in reversed(fields)))
    fix = f"put {' and '.join(f'{{{name}}}' for name in fields)} where the texts go"
    if not isinstance(template, str):
        raise UserError("options.template", f"{template!r} is not a text", fix)
    try:
        parts = [tuple(part) for _, *part in string.Formatter().parse(template) if part[0] is not None]
    except ValueError as error:
        raise UserError(
            "options.template", f"{template!r}: {error}", f"write {{{{ for a brace, {fix}"
        ) from None
    for name, layout, conversion in parts:
        if name not in fields or layout or conversion:
            raise UserError(
                "options.template", f"{{{name}}} is none of the fields {', '.join(fields)} alone", fix
            )
    if not parts:
        raise UserError("options.template", f"{template!r} has no field", fix)
    return template


def _tokens(strings: Mapping[str, str], tokenizer: Any) -> tuple[tuple[int, ...], ...]:
    """The tokens of each string and of its end. Raises `UserError` if the tokeniser cannot write one."""
    written: dict[str, tuple[int, ...]] = {}
    for label, text in strings.items():
        ids = tuple(tokenizer(text_target=text)["input_ids"])
        end = () if tokenizer.eos_token_id in (None, *ids[-1:]) else (tokenizer.eos_token_id,)
        if tokenizer.unk_token_id in ids or (ids + end) in written.values():
            raise UserError(
                f"options.answers.{label}",
                f"the tokeniser has no tokens of its own for {text!r}",
                "use a string the model was trained to write",
            )
        written[label] = ids + end
    return tuple(written.values())
