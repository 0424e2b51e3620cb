"""The prompt that a model was asked by, in words."""

from __future__ import annotations

import json
from dataclasses import dataclass

from evaluator.records.references import PromptRecord
from site_src.generator.views import formats

Named = tuple[str, str]

_NORMALISED = {
    "none": "not normalised",
    "tokens": "divided by the number of their tokens",
    "characters": "divided by the number of their characters",
}


@dataclass(frozen=True)
class PromptView:
    """What a page shows of a prompt: facts, and texts by their names.

    `texts` are the template and what stands beside it, `words` those of each label, `examples` the texts of
    each example that was shown and may be published.
    """

    facts: tuple[Named, ...]
    texts: tuple[Named, ...]
    words: tuple[Named, ...]
    examples: tuple[tuple[Named, ...], ...]


def prompt_view(prompt: PromptRecord | None) -> PromptView | None:
    """A prompt as its page shows it; None where the model reads none."""
    if prompt is None:
        return None
    instruction = [("Instruction", prompt.instruction)] if prompt.instruction else []
    return PromptView(
        facts=tuple(_facts(prompt)),
        texts=(*instruction, ("Template", prompt.template)),
        words=tuple(prompt.answers.items()),
        examples=tuple((*shot.inputs.items(), ("Answer", shot.answer)) for shot in prompt.shown),
    )


def _facts(prompt: PromptRecord) -> list[Named]:
    facts = [
        ("How it answers", _scoring(prompt)),
        ("Ends an answer", ", ".join(map(_quoted, prompt.stop))),
        ("Finds the answer", prompt.pattern or ""),
        ("Words for no answer", prompt.unanswerable),
        ("Chat template", _chat(prompt)),
        ("Examples shown", _examples(prompt)),
        ("Between examples", _quoted(prompt.separator) if prompt.examples and not prompt.chat else ""),
        ("Before an answer", _quoted(prompt.delimiter) if prompt.delimiter else ""),
        ("Hash of the examples", prompt.sha256 if prompt.examples else ""),
    ]
    return [(name, value) for name, value in facts if value]


def _scoring(prompt: PromptRecord) -> str:
    if not prompt.answers:
        most = formats.count(prompt.max_new_tokens or 0)
        return f"it writes freely, the likeliest token each time, at most {most} tokens"
    if prompt.scoring == "generation":
        return "it writes the likeliest token each time, among those that continue the words of a label"
    normalised = _NORMALISED[prompt.normalise]
    return f"with the label whose words have the highest log-likelihood after the prompt, {normalised}"


def _chat(prompt: PromptRecord) -> str:
    if not prompt.chat:
        return "none: the prompt is plain text"
    given = ", ".join(f"{name} = {json.dumps(value)}" for name, value in sorted(prompt.chat_options.items()))
    return "the tokeniser's own" + (f", with {given}" if given else "")


def _examples(prompt: PromptRecord) -> str:
    if not prompt.examples:
        return "none"
    if prompt.drawn_from is None:
        return f"{formats.count(prompt.examples)}, written in the board file; none of them is in this dataset"
    source = f"drawn from {prompt.drawn_from} with seed {prompt.seed}"
    kept = "" if prompt.shown else "; their texts may not be published"
    return f"{formats.count(prompt.examples)}, {source}; none of them is in this dataset{kept}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
