"""The tasks that models are measured on, and nasty texts as examples of each, which no model may choke on."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from evaluator.data.tasks.task import Task

NASTY = (
    "",
    " ",
    " \t \u00a0\u3000 ",
    "\n",
    "Two lines,\r\nthe second one bad.",
    "?",
    "...",
    "a",
    "before\x00after",
    "bell \x07 escape \x1b[31m delete \x7f",
    "Das Frühstück war köstlich, ça va très bien, żółć!",
    "この映画は本当に素晴らしかったです。",
    "الخدمة كانت سيئة للغاية",
    "mixed \u202eright to left\u202c and back",
    "cafe\u0301 with a combining accent, zero\u200bwidth space",
    "\ufeffstarts with a byte order mark",
    "loved it 😍👍🏽 the 👩‍👩‍👧 too 🇸🇪",
    "𝖒𝖆𝖙𝖍 letters beyond the basic plane",
    "<b>Great</b> &amp; <script>alert('no')</script>",
    "She said \"never again\", \\ and 'left', 100% sure.",
    "tab\tseparated\tlooking, comma, separated",
    '{"label": "positive"}',
    "null",
    "NaN",
    "-0.0",
    "word" * 5000,
    "not bad at all , " * 2000,
    "!" * 10000,
)


def mock_maker(*fields: str) -> Callable[[int], list[dict[str, Any]]]:
    """A task's `mock_examples`: valid examples with these fields, as many as there are nasty texts and ten.

    The same seed gives the same examples. Every field holds every nasty text once, in an order of its
    own, so that empty meets long and right-to-left meets left-to-right.
    """

    def mock_examples(seed: int) -> list[dict[str, Any]]:
        rng = random.Random(seed)
        columns = [_shuffled(rng) for _ in fields]
        return [dict(zip(fields, texts, strict=True)) for texts in zip(*columns, strict=True)]

    return mock_examples


def _shuffled(rng: random.Random) -> list[str]:
    texts = [*NASTY, *(_random_text(rng) for _ in range(10))]
    rng.shuffle(texts)
    return texts


def _random_text(rng: random.Random) -> str:
    """Up to 200 characters from anywhere in Unicode, surrogates left out: they are not text."""
    points = (rng.randrange(0x110000) for _ in range(rng.randrange(200)))
    return "".join(chr(point) for point in points if not 0xD800 <= point <= 0xDFFF)


def label_metrics(canonical: str) -> tuple[str, ...]:
    """The metrics of a task that asks for labels, `canonical` first."""
    rest = ("accuracy", "macro-f1", "mcc", "calibration-error", "brier")
    crowd = ("cross-entropy", "js-divergence", "vmer")
    return (canonical, *(name for name in (*rest, *crowd) if name != canonical))


NLI_LABELS = ("entailed", "neutral", "contradictory")
#: What published data and models call them (SNLI, MultiNLI, ANLI, models of the hub), in any case.
NLI_WORDS = {
    written: label
    for label, words in zip(
        NLI_LABELS,
        (("entailment", "entails", "e"), ("n",), ("contradiction", "contradicts", "c")),
        strict=True,
    )
    for word in (label, *words)
    for written in (word, word.capitalize(), word.upper())
}

#: Does the context entail the hypothesis, contradict it, or neither?
NLI = Task(
    name="nli",
    fields=("context", "hypothesis"),
    kind="classification",
    label_sets=(NLI_LABELS,),
    words=NLI_WORDS,
    metrics=label_metrics("accuracy"),
    perturbable=("context", "hypothesis"),
    mock_examples=mock_maker("context", "hypothesis"),
)
#: Extractive question answering: the words of the context that answer the question.
QA = Task(
    name="qa",
    fields=("context", "question"),
    kind="qa",
    label_sets=(),
    metrics=(
        "f1",
        "exact-match",
        "has-ans-f1",
        "has-ans-exact-match",
        "no-ans-f1",
        "no-ans-exact-match",
        "best-f1",
        "best-exact-match",
    ),
    # The answers must stay where they are, so a question is never touched and a context with care.
    perturbable=("context",),
    mock_examples=mock_maker("context", "question"),
)
#: Is a statement negative, (neutral) or positive?
SENTIMENT = Task(
    name="sentiment",
    fields=("statement",),
    kind="classification",
    label_sets=(("negative", "positive"), ("negative", "neutral", "positive")),
    metrics=label_metrics("macro-f1"),
    perturbable=("statement",),
    mock_examples=mock_maker("statement"),
)
#: Is a statement hateful?
HATE_SPEECH = Task(
    name="hate-speech",
    fields=("statement",),
    kind="classification",
    label_sets=(("not-hateful", "hateful"),),
    metrics=label_metrics("macro-f1"),
    perturbable=("statement",),
    mock_examples=mock_maker("statement"),
)
#: Classification of one text by labels that the dataset brings.
CLASSIFICATION = Task(
    name="classification",
    fields=("text",),
    kind="classification",
    label_sets=None,
    metrics=label_metrics("accuracy"),
    perturbable=("text",),
    mock_examples=mock_maker("text"),
)
#: Generation of a text from a text: translation, summaries, answers in words of one's own.
GENERATION = Task(
    name="generation",
    fields=("text",),
    kind="generation",
    label_sets=(),
    metrics=("chrf", "sacrebleu", "rouge-l", "exact-match"),
    perturbable=("text",),
    mock_examples=mock_maker("text"),
)

#: Numbers that come from elsewhere: examples, if there are any, are known by their ids, and what each
#: scored is given. There are no texts and no right answers, and no model is run on it.
SCORED = Task(
    name="scored",
    fields=(),
    kind="scored",
    label_sets=(),
    metrics=(),
    perturbable=(),
    mock_examples=mock_maker(),
)

TASKS: dict[str, Task] = {
    task.name: task for task in (NLI, QA, SENTIMENT, HATE_SPEECH, CLASSIFICATION, GENERATION, SCORED)
}
#: The tasks that a model can be asked, whose datasets are read from files.
ASKED = tuple(name for name, task in TASKS.items() if task.answer != "none")
