"""Small sets of examples with difficulties, as hypothesis draws them and as tests write them down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from evaluator.rank.difficulty import Samples

MODELS = ("calm", "bold", "wild")

#: As records of difficulty keep it: to 9 decimals, so that 1 / B is a number wherever B is not 0.
kept = st.floats(0, 1).map(lambda value: round(value, 9))
difficulty = st.one_of(st.none(), st.sampled_from([0.0, 0.125, 0.25, 0.5, 0.75, 1.0]), kept)
sureness = st.one_of(st.none(), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), kept)
example = st.tuples(difficulty, st.lists(st.tuples(st.booleans(), sureness), min_size=3, max_size=3))
#: Rows of a difficulty and, for each model, whether it is right and how sure it is.
rows = st.lists(example, min_size=1, max_size=25)


def documents(
    values: Sequence[float | None],
    right: dict[str, Sequence[bool]],
    sure: dict[str, Sequence[float | None]] | None = None,
) -> dict[str, Any]:
    """Plain records of examples that all have the gold label "yes", and of models' answers."""
    examples = {
        "dataset": "made",
        "ids": [f"x{at}" for at in range(len(values))],
        "labels": ["yes", "no"],
        "gold": [0] * len(values),
    }
    predictions = {
        model: {
            "labels": ["no", "yes"],
            "predicted": [int(one) for one in answers],
            **({"exact_confidence": list(sure[model])} if sure else {}),
        }
        for model, answers in right.items()
    }
    difficulties = [{"name": "wsbias-1", "values": list(values)}]
    return {"examples": examples, "predictions": predictions, "difficulties": difficulties}


def drawn(found: Sequence[Any]) -> dict[str, Any]:
    """The records of `rows` as they were drawn."""
    right = {model: [answers[at][0] for _, answers in found] for at, model in enumerate(MODELS)}
    sure = {model: [answers[at][1] for _, answers in found] for at, model in enumerate(MODELS)}
    return documents([value for value, _ in found], right, sure)


def samples_of(records: dict[str, Any]) -> Samples:
    return Samples.read(records["examples"], records["predictions"], records["difficulties"])
