"""Prompts: an example put into words by a template, after an instruction and examples with their answers.

Without a chat template the parts follow one another as text, as in lm-evaluation-harness: the instruction,
each example with its answer, the example that is asked. With one they are the messages of a conversation.
"""

from __future__ import annotations

import functools
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.data.tasks import get_task
from evaluator.measure.models.base import flag, text, whole_number
from evaluator.records.errors import UserError

# Jinja is imported where a template is read: every evaluation imports this module, few have a prompt.
if TYPE_CHECKING:
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    from evaluator.data.datasets import Dataset

#: The options that make a prompt; `shots` is among them, though only `with_examples` reads it.
PROMPT_OPTIONS = (
    *("template", "template_file", "instruction", "shots", "examples", "separator", "delimiter"),
    *("chat", "chat_options", "answers", "unanswerable"),
)
#: What stands between the parts of a prompt, and between an example and its answer.
SEPARATOR, DELIMITER = "\n\n", " "
#: What a template may name besides the fields of the task: the words of all labels, in their order.
ANSWERS = "answers"

#: How many examples there may be.
MOST_SHOTS = 1000
#: Characters of a template file, at most.
LONGEST_TEMPLATE = 100_000


@dataclass(frozen=True)
class Shot:
    """An example shown in the prompt: its input fields, and the words of its answer."""

    inputs: Mapping[str, str]
    answer: str


@dataclass(frozen=True)
class Prompt:
    """How an example becomes a prompt.

    `template` is one of Jinja over the task's `fields` and `answers`, the words of each label (empty where
    the task asks for a text); `source` is its text. `delimiter` stands between an example and its answer.
    With `chat` the tokeniser's chat template is used, with `chat_options` as its variables.
    """

    fields: tuple[str, ...]
    source: str
    template: jinja2.Template
    instruction: str
    shots: tuple[Shot, ...]
    answers: Mapping[str, str]
    separator: str
    delimiter: str
    chat: bool
    chat_options: Mapping[str, Any]

    @property
    def key(self) -> str:
        """What the answer of an example is called among the options."""
        return "label" if self.answers else "answer"

    @functools.cached_property
    def _turns(self) -> list[tuple[str, str]]:
        """The shots, in the words of the template, and their answers."""
        return [(self.ask(shot.inputs), shot.answer) for shot in self.shots]

    def ask(self, example: Mapping[str, Any]) -> str:
        """One example in the words of the template. Raises `jinja2.TemplateError`."""
        values = {name: example[name] for name in self.fields}
        return self.template.render(values, **{ANSWERS: list(self.answers.values())})

    def text(self, example: Mapping[str, Any]) -> str:
        """The whole prompt as text, for a model without a chat template."""
        shown = [question + self.delimiter + answer for question, answer in self._turns]
        return self.separator.join([*filter(None, [self.instruction]), *shown, self.ask(example)])

    def messages(self, example: Mapping[str, Any]) -> list[dict[str, str]]:
        """The whole prompt as a conversation: the instruction is the system's, answers the assistant's."""
        turns = [("system", self.instruction)] if self.instruction else []
        for question, answer in self._turns:
            turns += [("user", question), ("assistant", answer)]
        turns.append(("user", self.ask(example)))
        return [{"role": role, "content": content} for role, content in turns]


def read_prompt(
    options: Mapping[str, Any], directory: Path, fields: Sequence[str], labels: Sequence[str]
) -> Prompt:
    """The prompt that `options` describe; `directory`, the model's own, holds the `template_file`.

    Nothing of the model is opened but that file, and nothing is rendered: a template may come with a
    stranger's model and never end. Raises `UserError` that names the option, its value and the fix.
    """
    if "shots" in options:
        raise UserError(
            "options.shots",
            f"{options['shots']!r} examples are drawn only for a model of the board file,"
            " from the dataset that its train names",
            "here give options.examples",
        )
    answers = label_words(options, labels, {label: label for label in labels})
    chat = flag(options, "chat", False)
    source = _source(options, directory, fields)
    prompt = Prompt(
        fields=tuple(fields),
        source=source,
        template=_template(source, fields),
        instruction=text(options, "instruction", ""),
        shots=(),
        answers=answers,
        separator=text(options, "separator", SEPARATOR),
        delimiter=text(options, "delimiter", "" if chat else DELIMITER),
        chat=chat,
        chat_options=_chat_options(options, chat),
    )
    return replace(prompt, shots=tuple(_shots(options, prompt)))


def _source(options: Mapping[str, Any], directory: Path, fields: Sequence[str]) -> str:
    """The template, given or in a file; without either each field after its name, and ``Answer:``."""
    if "template_file" in options:
        if "template" in options:
            raise UserError("options.template_file", "options.template is given too", "leave one of them out")
        return _from_file(text(options, "template_file", ""), directory)
    lines = [f"{name.capitalize()}: {{{{ {name} }}}}" for name in fields]
    return text(options, "template", "\n".join([*lines, "Answer:"]))


def _from_file(name: str, directory: Path) -> str:
    file = directory / name
    if not name or not file.resolve().is_relative_to(directory.resolve()):
        raise UserError(
            "options.template_file", f"{name!r} is not in the model's folder {directory}", "put it there"
        )
    try:
        with file.open(encoding="utf-8") as opened:
            source = opened.read(LONGEST_TEMPLATE + 1)
    except FileNotFoundError:
        raise UserError("options.template_file", f"{file}: no such file", "correct the name") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError("options.template_file", f"{file}: {error}", "save it as UTF-8 text") from None
    if len(source) > LONGEST_TEMPLATE:
        raise UserError("options.template_file", f"{file}: over {LONGEST_TEMPLATE} characters", "shorten it")
    return source


@functools.cache
def _environment() -> ImmutableSandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    # Not optimized: to work out what is constant while a template is read may take for ever.
    return ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False, optimized=False)


def _template(source: str, fields: Sequence[str]) -> jinja2.Template:
    """Raise `UserError` unless the source is a template, names only what there is, and shows a field."""
    from jinja2 import TemplateSyntaxError
    from jinja2.meta import find_undeclared_variables

    fix = f"put {' and '.join(f'{{{{ {name} }}}}' for name in fields)} where the texts go"
    known = [*fields, ANSWERS]
    try:
        names = find_undeclared_variables(_environment().parse(source))
        template = _environment().from_string(source)
    except TemplateSyntaxError as error:
        raise UserError("options.template", f"line {error.lineno}: {error.message}", fix) from None
    if unknown := sorted(names.difference(known)):
        raise UserError("options.template", f"{{{{ {unknown[0]} }}}} is none of {', '.join(known)}", fix)
    if not names.intersection(fields):
        raise UserError("options.template", f"{source!r} shows no field of the task", fix)
    return template


def check_renders(prompt: Prompt) -> None:
    """Raise `UserError` unless the template makes a text of an example."""
    try:
        prompt.text(dict.fromkeys(prompt.fields, "text"))
    # A template may call what fails in ways of its own, such as a division by zero.
    except Exception as error:
        raise UserError("options.template", f"{prompt.source!r}: {error}", "correct it") from None


def label_words(
    options: Mapping[str, Any], labels: Sequence[str], usual: Mapping[str, str]
) -> dict[str, str]:
    """The option `answers`: the words of each label, by default the `usual` ones.

    Raises `UserError` unless each label has words of its own.
    """
    given = options.get("answers", usual)
    fix = f"give each of the labels {', '.join(labels)} words of its own"
    if not labels and "answers" in options:
        raise UserError("options.answers", f"{given!r}: the task asks for a text", "leave it out")
    if not isinstance(given, Mapping) or set(given) != set(labels):
        raise UserError("options.answers", f"{given!r} is not a table of the labels", fix)
    for label, words in given.items():
        if not isinstance(words, str) or not words.strip() or words != words.strip():
            raise UserError(f"options.answers.{label}", f"{words!r} is not a text without space around", fix)
    if len(set(given.values())) != len(given):
        raise UserError("options.answers", f"{given!r} has the same words twice", fix)
    return {label: given[label] for label in labels}


def _shots(options: Mapping[str, Any], prompt: Prompt) -> Iterator[Shot]:
    """The option `examples`: input fields, and ``label`` or ``answer``. Raises `UserError`."""
    given, silence = options.get("examples", []), text(options, "unanswerable", "")
    fix = f"give a list of tables with the texts {', '.join([*prompt.fields, prompt.key])}"
    if not isinstance(given, list):
        raise UserError("options.examples", f"{given!r} is not a list", fix)
    for place, example in enumerate(given):
        _check_example(f"options.examples[{place}]", example, prompt, fix)
        answer = example[prompt.key]
        inputs = {name: example[name] for name in prompt.fields}
        yield Shot(inputs, prompt.answers[answer] if prompt.answers else answer or silence)


def _check_example(where: str, example: Any, prompt: Prompt, fix: str) -> None:
    if not isinstance(example, Mapping) or set(example) != {*prompt.fields, prompt.key}:
        raise UserError(where, f"{example!r} does not have just what it needs", fix)
    for name, value in example.items():
        if not isinstance(value, str):
            raise UserError(f"{where}.{name}", f"{value!r} is not a text", fix)
    if prompt.answers and example[prompt.key] not in prompt.answers:
        known = ", ".join(prompt.answers)
        raise UserError(f"{where}.{prompt.key}", f"{example[prompt.key]!r} is none of {known}", "use one")


def _chat_options(options: Mapping[str, Any], chat: bool) -> Mapping[str, Any]:
    given = options.get("chat_options", {})
    if not isinstance(given, Mapping):
        raise UserError("options.chat_options", f"{given!r} is not a table of the chat template's variables")
    if given and not chat:
        raise UserError("options.chat_options", f"{dict(given)!r}: only with chat = true", "add that")
    return given


# Examples are drawn from a training set, or written in the board file; never from the test set. This runs
# where gold labels may be seen: a worker gets the drawn examples as the option `examples`, and nothing of the
# dataset that its model is asked.


def with_examples(
    options: Mapping[str, Any], seed: int, train: Dataset | None, asked: Dataset | None
) -> dict[str, Any]:
    """The options with `shots`, a number, replaced by `examples`, drawn from `train`.

    `asked` is the dataset that the model will answer: none of its examples is shown. Raises `UserError`
    if there is nothing to draw from, too little, or an example written by hand is one of `asked`.
    """
    count = whole_number(options, "shots", 0, MOST_SHOTS, 0)
    if count and "examples" in options:
        raise UserError("options.examples", f"options.shots is {count} too", "leave one of them out")
    if count and train is None:
        raise UserError(
            "train", "missing", f"name the training set that the {count} options.shots are drawn from"
        )
    if train is not None and not count:
        raise UserError(
            "train", f"{train.id} is given, but options.shots says to draw none", "give a number or drop it"
        )
    rest = {name: value for name, value in options.items() if name != "shots"}
    if not count or train is None:
        _check_written(rest, asked)
        return rest
    return {**rest, "examples": draw(train, count, seed, asked, bool(options.get("unanswerable")))}


def draw(
    train: Dataset, count: int, seed: int, asked: Dataset | None = None, silence: bool = False
) -> list[dict[str, str]]:
    """`count` examples of a training set: input fields with ``label``, or ``answer`` for a task of texts.

    Each example has a place in a lottery, the SHA-256 of the seed and of its texts, so that equal data and
    seed draw the same whatever the order of the file. Labels take turns, so that no two of them differ by
    more than one example where there are enough. Left out: what `asked` holds too, and questions without
    an answer unless there are words for that (`silence`). Raises `UserError` if fewer are left.
    """
    _check_training_labels(train, asked)
    fields = get_task(train.task).fields
    taken = {_key(example, fields) for example in asked.examples} if asked else set()
    queues: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for example, gold in zip(train.examples, train.gold, strict=True):
        answer = {"label": gold} if isinstance(gold, str) else {"answer": str(gold[0])}
        shown = {name: str(example[name]) for name in fields} | answer
        if _key(example, fields) not in taken and (silence or shown.get("answer") != ""):
            text = "\0".join([str(seed), *(f"{name}\0{value}" for name, value in sorted(shown.items()))])
            queues[shown.get("label", "")][hashlib.sha256(text.encode()).hexdigest()] = shown
    # Which label begins is a matter of the lottery, too.
    order = sorted(
        (sorted(queue.items()) for _, queue in sorted(queues.items())), key=lambda queue: queue[0][0]
    )
    rounds = range(max(map(len, order), default=0))
    lots = [queue[turn] for turn in rounds for queue in order if turn < len(queue)][:count]
    if len(lots) < count:
        raise UserError(
            "options.shots",
            f"{count} is more than the {len(lots)} examples of {train.id} that may be shown",
            "give a smaller number",
        )
    # In the order of the lottery again: labels in turn would be a pattern to repeat.
    return [shown for _, shown in sorted(lots, key=lambda lot: lot[0])]


def _key(example: Mapping[str, Any], fields: Iterable[str]) -> tuple[str, ...]:
    """The same for texts that differ in case and white space only."""
    return tuple(" ".join(str(example[name]).casefold().split()) for name in fields)


def _check_training_labels(train: Dataset, asked: Dataset | None) -> None:
    """Raise `UserError` unless training examples have the labels that the model may answer with."""
    if get_task(train.task).answer == "text":
        return
    wanted = asked.labels if asked else train.labels
    if set(train.gold_labels) != set(wanted):
        raise UserError(
            "train",
            f"{train.id} has the labels {', '.join(train.gold_labels)}, not {', '.join(wanted)}",
            "name a training set with the labels of the dataset that is answered",
        )


def _check_written(options: Mapping[str, Any], asked: Dataset | None) -> None:
    """Raise `UserError` if an example written in the board file is one of the dataset that is answered."""
    given = options.get("examples", [])
    if asked is None or not isinstance(given, list):
        return
    fields = get_task(asked.task).fields
    taken = {_key(example, fields) for example in asked.examples}
    for place, example in enumerate(given):
        # What is not even a table with the fields is refused when the prompt is read.
        whole = isinstance(example, Mapping) and all(name in example for name in fields)
        if whole and _key(example, fields) in taken:
            raise UserError(
                f"options.examples[{place}]",
                f"it is an example of {asked.id}, on which the model is tested",
                "use others",
            )
