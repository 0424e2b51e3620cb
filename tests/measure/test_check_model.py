"""`steelyard check MODEL`: how many of the difficult inputs a model answers as its task asks."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import forked_command
import pytest

SOUND = "def load(directory):\n    pass\n\ndef predict(example):\n    return 'positive'\n"


def check(folder: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "handler.py").write_text(source)
    return forked_command.run("check", str(folder), *options, cwd=folder)


@pytest.mark.parametrize(
    ("source", "answered", "where"),
    [
        (SOUND, 38, None),
        (SOUND.replace("pass", "raise OSError('no weights')"), 0, "(loading)"),
        ("this is no Python", 0, "(loading)"),
        (SOUND.replace("return 'positive'", "import os; os._exit(3)"), 0, "{"),
        (SOUND.replace("'positive'", "'fine'"), 0, "{"),
    ],
)
def test_only_answers_are_counted(tmp_path: Path, source: str, answered: int, where: str | None) -> None:
    """A model that cannot load, or dies, answered none of the inputs that it was not asked any more."""
    done = check(tmp_path, source)
    assert done.returncode == (0 if answered == 38 else 1)
    assert done.stdout.endswith(f"{tmp_path}: {answered} of 38 inputs answered as sentiment asks\n"), (
        done.stdout
    )
    found = json.loads(check(tmp_path, source, "--json").stdout)
    assert (found["asked"], found["answered"]) == (38, answered)
    assert all(problem["input"].startswith(where or "") for problem in found["problems"])


def test_a_model_that_dies_half_way_keeps_what_it_answered(tmp_path: Path) -> None:
    """What was answered before is counted, the rest is not."""
    source = SOUND.replace("pass", "import itertools; example_numbers.append(itertools.count())").replace(
        "return 'positive'",
        "return 'positive' if next(example_numbers[0]) < 5 else __import__('os')._exit(1)",
    )
    done = check(tmp_path, "example_numbers = []\n\n" + source)
    assert "5 of 38 inputs answered" in done.stdout, done.stdout


@pytest.mark.parametrize(("share", "code"), [(0.2, 1), (0.8, 0)])
def test_labels_against_the_models_own_probabilities_are_a_problem(
    tmp_path: Path, share: float, code: int
) -> None:
    """Such as where the probabilities of two labels are swapped."""
    answer = {"label": "positive", "probabilities": {"positive": share, "negative": 1 - share}}
    done = check(tmp_path, SOUND.replace("'positive'", repr(answer)))
    said = "unlikely-labels: labels that are not the most probable class: 38 of 38; "
    assert (done.returncode, done.stdout.startswith(said)) == (code, bool(code)), done.stdout
