"""Natural language inference: does the context entail the hypothesis, contradict it, or neither?"""

from __future__ import annotations

from evaluator.data.tasks.base import Task, label_metrics
from evaluator.data.tasks.mock import mock_maker

LABELS = ("entailed", "neutral", "contradictory")
#: What published data and models call them (SNLI, MultiNLI, ANLI, models of the hub), in any case.
WORDS = {
    written: label
    for label, words in zip(
        LABELS,
        (("entailment", "entails", "e"), ("n",), ("contradiction", "contradicts", "c")),
        strict=True,
    )
    for word in (label, *words)
    for written in (word, word.capitalize(), word.upper())
}

TASK = Task(
    name="nli",
    fields=("context", "hypothesis"),
    kind="classification",
    label_sets=(LABELS,),
    words=WORDS,
    metrics=label_metrics("accuracy"),
    perturbable=("context", "hypothesis"),
    mock_examples=mock_maker("context", "hypothesis"),
)
