"""The browser's Python gives the same bits: the same questions, answered in Pyodide and here."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import test_published
import test_rank_sets
import test_rate_factor
import test_what_if
from difficulty_cases import documents
from in_pyodide import RANK, in_pyodide

from evaluator.rank.difficulty import answer_json, noise_json, open_samples, points_json
from evaluator.rank.own_predictions import add_json

#: What each says of many random boards has one hash on every Python.
HASHED = (test_rank_sets, test_rate_factor, test_published, test_what_if)
#: Runs programs one after the other, as Python takes a while to start.
ALL = """
import json
for program, text in json.loads(text):
    exec(program, {"text": text})
"""
DIFFICULTY = """
import json
from evaluator.rank.difficulty import answer_json, noise_json, open_samples, points_json
from evaluator.rank.own_predictions import add_json
asked = json.loads(text)
samples = open_samples(json.dumps(asked["samples"]))
print(add_json(samples, json.dumps(asked["own"])))
for question in asked["questions"]:
    print(answer_json(samples, json.dumps(question)))
    print(points_json(samples, json.dumps(question)))
    print(noise_json(samples, json.dumps(question)))
"""


def asked() -> dict[str, Any]:
    chance = random.Random(5)
    values = [chance.choice([None, 0.0, round(chance.random(), 2), chance.random()]) for _ in range(300)]
    right = {model: [chance.random() < 0.7 for _ in values] for model in ("a", "b", "c", "d")}
    sure = {model: [chance.choice([None, chance.randrange(1001) / 1000]) for _ in values] for model in right}
    terms = [
        {"kind": "equal"},
        {"kind": "equal", "ties": "stable", "scale": "logarithmic", "case": 4},
        {"kind": "thresholds", "case": None, "reward": 0.7, "penalty": -0.3, "factor": "confidence"},
        {"kind": "continuous", "factor": "difficulty"},
        {"kind": "continuous", "zeros": "clip"},
    ]
    own = "id,label,confidence\n" + "".join(
        f"x{at},{chance.choice(['yes', 'no'])},{chance.random()}\n" for at in range(290)
    )
    return {
        "samples": documents(values, right, sure),
        "own": {"model": "own", "text": own, "name": "own.csv"},
        "questions": [{"metric": metric, **one} for metric in ("wsbias-1", "wmprob") for one in terms],
    }


@pytest.mark.slow
def test_bits_are_the_same_in_the_browser(tmp_path: Path) -> None:
    """Rank sets, also within a factor and of published numbers, what other weights would do, and all that is said of
    difficulty come out equal, to the last character.
    """
    given = asked()
    samples = open_samples(json.dumps(given["samples"]))
    expected = [*(module.GOLDEN for module in HASHED), add_json(samples, json.dumps(given["own"]))]
    for question in given["questions"]:
        expected.append(answer_json(samples, json.dumps(question)))
        expected.append(points_json(samples, json.dumps(question)))
        expected.append(noise_json(samples, json.dumps(question)))
    programs = [*((module.in_the_browser(), "") for module in HASHED), (DIFFICULTY, json.dumps(given))]
    printed = in_pyodide(ALL, RANK, tmp_path, json.dumps(programs))
    assert printed.splitlines() == expected
