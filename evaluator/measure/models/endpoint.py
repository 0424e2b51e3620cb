"""A model behind an endpoint: how it is asked, and how its answers are read.

It is not opened as others are. `steelyard evaluate` asks it, outside the sandbox (`measure.endpoint`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.data.tasks import get_task
from evaluator.measure.models.base import Model, known_options, number, text, whole_number
from evaluator.measure.models.prompting import Prompt, read_prompt
from evaluator.measure.models.written import AnswerFinder, label_in, without_thoughts
from evaluator.records.errors import UserError

#: The options, besides those that a task of labels, or of texts, adds.
OPTIONS = (
    *("endpoint", "model", "template", "template_file", "instruction", "shots", "examples"),
    *("temperature", "effort", "max_new_tokens", "extra", "stop", "pattern"),
)
OWN_OPTIONS = {"label": ("answers",), "text": ("unanswerable",)}
#: The most tokens of an answer, where nothing is said; what a model thinks counts.
USUAL_NEW_TOKENS, MOST_NEW_TOKENS = 1024, 1_000_000
#: What requests have themselves.
OURS = ("model", "messages", "stream", "stream_options", "n")


@dataclass(frozen=True)
class EndpointModel:
    """A model as it is asked: the id of its endpoint, what it is called there, its prompt, and `settings`,
    what each request has besides. `labels` is whether an answer is a label."""

    endpoint: str
    served: str
    prompt: Prompt
    finder: AnswerFinder
    settings: Mapping[str, Any]
    new_tokens: int
    labels: bool

    @classmethod
    def of(
        cls, options: Mapping[str, Any], directory: Path, task: str, labels: Sequence[str]
    ) -> EndpointModel:
        """As the options say. Nothing is rendered, nobody is asked. Raises `UserError`."""
        definition = get_task(task)
        known_options("endpoint", options, (*OPTIONS, *OWN_OPTIONS[definition.answer]))
        for name in ("endpoint", "model"):
            if not text(options, name, ""):
                fix = {
                    "endpoint": "name one of [[endpoints]]",
                    "model": "give the name that the endpoint knows the model by",
                }
                raise UserError(f"options.{name}", "missing", fix[name])
        chat = {name: value for name, value in options.items() if name in _OF_PROMPTS} | {"chat": True}
        if definition.answer == "label" and not {"template", "template_file"} & set(options):
            chat["template"] = _asking_for_a_label(definition.fields)
        new_tokens = whole_number(options, "max_new_tokens", 1, MOST_NEW_TOKENS, USUAL_NEW_TOKENS)
        finder = AnswerFinder.of({**options, "chat": True})
        return cls(
            text(options, "endpoint", ""),
            text(options, "model", ""),
            read_prompt(chat, directory, definition.fields, labels),
            finder,
            _settings(options, new_tokens, finder.stop),
            new_tokens,
            definition.answer == "label",
        )

    def messages(self, example: Mapping[str, Any]) -> list[dict[str, str]]:
        """The conversation that asks about an example. Raises `jinja2.TemplateError`."""
        return self.prompt.messages(example)

    def output(self, written: str) -> Any:
        """What was written, as an output of a model of the task."""
        answer = self.finder.answer(without_thoughts(written))
        if not self.labels:
            return {"answer": answer}
        return {"label": label_in(answer, self.prompt.answers) or answer}


_OF_PROMPTS = ("template", "template_file", "instruction", "shots", "examples", "answers", "unanswerable")


def _asking_for_a_label(fields: Sequence[str]) -> str:
    """A template that says what may be answered: nothing else tells the model."""
    lines = [f"{name.capitalize()}: {{{{ {name} }}}}" for name in fields]
    return "\n".join([*lines, "Answer with one of: {{ answers | join(', ') }}."])


def _settings(options: Mapping[str, Any], new_tokens: int, stop: Sequence[str]) -> dict[str, Any]:
    """What each request has besides model and messages."""
    extra = options.get("extra", {})
    if not isinstance(extra, Mapping) or set(extra).intersection(OURS):
        wanted = f"a table of other fields of a request than {', '.join(OURS)}"
        raise UserError("options.extra", f"{extra!r} is not {wanted}", "correct it")
    settings: dict[str, Any] = {}
    if "effort" in options:
        # Models that think take no temperature, and count thoughts among the tokens of this other field.
        settings |= {
            "reasoning_effort": text(options, "effort", ""),
            "max_completion_tokens": new_tokens,
        }
    else:
        settings["max_tokens"] = new_tokens
    if "temperature" in options or "effort" not in options:
        settings["temperature"] = number(options, "temperature", 0.0, 0.0, 10.0)
    if stop:
        settings["stop"] = list(stop)
    return settings | ({"extra_body": dict(extra)} if extra else {})


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Raises `UserError`: there is nothing here to open.

    Options: `endpoint`, one of [[endpoints]], and `model`, its name there; those of a prompt, which is always
    a conversation; `temperature` (default 0), `effort` of a model that thinks (then no temperature is sent
    unless it is given), `max_new_tokens` of an answer with what is thought (default 1024), `stop`, `pattern`,
    and `extra`, other fields of a request. For a task of labels `answers`, the words of each; for a task of
    texts `unanswerable`.
    """
    EndpointModel.of(options, directory, task, labels)
    raise UserError("adapter", "a model behind an endpoint cannot be loaded", "steelyard evaluate asks it")
