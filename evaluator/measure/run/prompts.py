"""What a result says of the prompt that its model was asked by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluator.measure.models.prompting import Prompt
from evaluator.measure.models.shots import PROMPTED
from evaluator.measure.models.transformers_causal import (
    NORMALISE,
    SCORING,
    USUAL_NEW_TOKENS,
    check_options,
    stop_strings,
)
from evaluator.measure.run.plan import Unit
from evaluator.records.board import Boards
from evaluator.records.canonical import digest
from evaluator.records.references import PromptRecord, ShownExample


def prompt_record(unit: Unit, boards: Boards) -> PromptRecord | None:
    """The prompt of a unit's model, None where it reads none.

    Examples drawn from a training set are in it only if the texts and gold labels of that may be published.
    Raises `UserError` if the model's template file is gone.
    """
    model = unit.model
    if model.adapter not in PROMPTED:
        return None
    options = model.options
    prompt = check_options(options, unit.directory or Path(), model.task, unit.dataset.labels)
    train = boards.dataset(model.train[0]) if model.train else None
    shown = _shown(prompt)
    return PromptRecord(
        template=prompt.source,
        instruction=prompt.instruction,
        separator=prompt.separator,
        delimiter=prompt.delimiter,
        chat=prompt.chat,
        chat_options=dict(prompt.chat_options),
        answers=dict(prompt.answers),
        examples=len(shown),
        drawn_from=train.id if train else None,
        seed=model.seed if train else None,
        shown=tuple(shown) if train is None or (train.show_text and train.show_gold) else (),
        sha256=digest([example.plain() for example in shown]),
        **(_label_settings(options) if prompt.answers else _text_settings(options)),
    )


def _shown(prompt: Prompt) -> list[ShownExample]:
    return [ShownExample(inputs=dict(shot.inputs), answer=shot.answer) for shot in prompt.shots]


def _label_settings(options: Any) -> dict[str, Any]:
    return {
        "scoring": options.get("scoring", SCORING[0]),
        "normalise": options.get("normalise", NORMALISE[0]),
    }


def _text_settings(options: Any) -> dict[str, Any]:
    return {
        "scoring": "generation",
        "max_new_tokens": options.get("max_new_tokens", USUAL_NEW_TOKENS),
        "stop": stop_strings(options),
        "pattern": options.get("pattern"),
        "unanswerable": options.get("unanswerable", ""),
    }
