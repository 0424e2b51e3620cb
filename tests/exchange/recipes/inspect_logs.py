"""Makes the files of tests/exchange/real/inspect: ``python inspect_logs.py OUTPUT``, with inspect_ai 0.3.285.

The model is Inspect's own mock, which answers every third sentence wrongly, so that no network is asked.
"""

from __future__ import annotations

import sys
from pathlib import Path

import inspect_ai
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import choice, match
from inspect_ai.solver import generate, multiple_choice
from little_data import meals, sums


@task
def mood() -> Task:
    """Which of two words fits a sentence."""
    samples = [
        Sample(
            input=row["text"], choices=["negative", "positive"], target="AB"[row["label"]], id=f"meal-{place}"
        )
        for place, row in enumerate(meals())
    ]
    return Task(dataset=MemoryDataset(samples), solver=multiple_choice(), scorer=choice())


@task
def adding() -> Task:
    """Sums."""
    samples = [Sample(input=row["question"], target=row["answer"]) for row in sums()]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=match(location="exact"))


def wrong_every_third(answers: list[str], wrong: list[str]) -> list[ModelOutput]:
    said = [
        bad if place % 3 == 2 else good for place, (good, bad) in enumerate(zip(answers, wrong, strict=True))
    ]
    # Tokens are counted here, since Inspect would fetch a tokeniser for it.
    usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in said]
    return [output.model_copy(update={"usage": usage}) for output in outputs]


if __name__ == "__main__":
    moods = wrong_every_third(
        [f"ANSWER: {'AB'[row['label']]}" for row in meals()],
        [f"ANSWER: {'BA'[row['label']]}" for row in meals()],
    )
    totals = wrong_every_third([row["answer"] for row in sums()], ["none"] * len(sums()))
    for made, outputs, form in ((mood, moods, "json"), (adding, totals, "eval")):
        model = get_model("mockllm/model", custom_outputs=outputs)
        inspect_ai.eval(
            made(), model=model, log_dir=str(Path(sys.argv[1])), log_format=form, display="none", max_connections=1,
            max_samples=1,
        )  # fmt: skip
