"""TextFlint 0.1.0 itself, installed once for these tests: that it works, repeats, and what is wrong with it.

Its faults are asserted as they are. They are why the suites have transformations of our own; a test that
fails here says that TextFlint, or a library under it, behaves differently now.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.textflint.backend import NAMES, SERVER, TextFlint, python_of
from evaluator.textflint.compare import damaged
from evaluator.textflint.install import install

pytestmark = pytest.mark.slow

TEXTS = [
    "It is a believable story and I definitely liked those 60 minutes.",
    "We were not sure whether they would receive it.",
    "A film that they really believe in, because the language is their own.",
]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TextFlint in a virtual environment of its own, as the command makes it."""
    folder = tmp_path_factory.mktemp("textflint") / "environment"
    install(folder)
    return folder


@pytest.fixture(scope="module")
def backend(environment: Path) -> Iterator[TextFlint]:
    with TextFlint(environment) as running:
        yield running


def variants(backend: TextFlint, name: str, text: str) -> set[str]:
    """The variants of a text under twenty seeds."""
    return {variant for seed in range(20) for variant in backend.ask(name, text, seed).variants}


def test_it_runs_in_a_world_of_its_own(environment: Path, backend: TextFlint) -> None:
    """TextFlint and its libraries are in its process and environment; neither is ours."""
    assert backend.name == "textflint 0.1.0"
    assert set(backend.manifest["versions"]) == {"textflint", "spacy", "nltk", "python"}
    assert backend.perturb("WordCase", ["quiet"]) == ["QUIET"]
    assert "textflint" not in sys.modules
    assert str(environment) not in " ".join(sys.path)


@pytest.fixture(scope="module")
def elsewhere(environment: Path) -> dict[str, list[str | None]]:
    """What another process makes of the texts in another order, with another hash seed around it."""
    code = (
        "import json, sys; from pathlib import Path; from evaluator.textflint.backend import TextFlint\n"
        "names, texts = json.loads(sys.argv[2])\n"
        "with TextFlint(Path(sys.argv[1])) as backend:\n"
        "    print(json.dumps({name: backend.perturb(name, texts) for name in names}))"
    )
    command = [sys.executable, "-c", code, str(environment), json.dumps([[*NAMES][::-1], TEXTS[::-1]])]
    root = Path(__file__).parents[2]
    around = {**os.environ, "PYTHONHASHSEED": "5"}
    done = subprocess.run(command, cwd=root, env=around, capture_output=True, text=True, check=True)
    made: dict[str, list[str | None]] = json.loads(done.stdout)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_each_transformation_repeats(
    backend: TextFlint, elsewhere: dict[str, list[str | None]], name: str
) -> None:
    """Another process, in another order and with another hash seed around it, gives the same variants."""
    ours = backend.perturb(name, TEXTS)
    assert any(ours)
    assert elsewhere[name] == ours[::-1]


def test_nothing_is_downloaded(environment: Path, tmp_path: Path) -> None:
    """Without its rules TextFlint says what it would download, at once, and starts nothing."""
    python = str(python_of(environment))
    done = subprocess.run(
        [python, "-P", "-s", str(SERVER), str(tmp_path)], capture_output=True, text=True, input=""
    )
    assert json.loads(done.stdout)["fatal"].endswith(
        f"TextFlint wants to download {tmp_path / 'keyboard.json'}, which this backend does not allow"
    )


def test_an_error_inside_is_a_message(backend: TextFlint) -> None:
    """An error within TextFlint is reported by its cause, not by TextFlint's request to report it."""
    assert backend.perturb("Typos", ["\ud800 alone"]) == [None]
    [message] = backend.failures["Typos"]
    assert message.startswith("UnicodeEncodeError: ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It isn't good", {"It's good"}),  # the negation is left out: the label turns round
        ("I won't", set()),  # the last two tokens are not looked at
        ("It's been fun.", {"It is been fun."}),  # every "'s" is "is", and every "'d" is "would"
        ("She'd left early.", {"She would left early."}),
        ("Why is it here?", {"why's it here?"}),  # capitals are lost
    ],
)
def test_fault_contractions(backend: TextFlint, text: str, expected: set[str]) -> None:
    """They damage negations, tenses and capitals."""
    assert variants(backend, "Contraction", text) == expected


def test_fault_punctuation_strips_closing_quotes(backend: TextFlint) -> None:
    """It takes closing quotes and brackets off with the full stop, and leaves the opening ones."""
    made = variants(backend, "Punctuation", 'He said "go."')
    assert len(made) > 1
    for variant in made:
        inside = variant.strip("\"'`{}[]()【】 .,;")
        assert inside == 'He said " go'
    assert all(damaged("Punctuation", 'He said "go."', variant) for variant in made)


@pytest.mark.parametrize("name", ["OCR", "SpellingError", "Typos"])
def test_fault_other_text_changes(backend: TextFlint, name: str) -> None:
    """Tokenising and putting tokens together again moves white space that no transformation meant."""
    text = "It costs $5.00!!! I definitely believe it"
    made = variants(backend, name, text)
    assert len(made) > 1
    for variant in made:
        assert "$ " in variant
        assert "! !!" in variant
        assert damaged(name, text, variant)


def test_fault_variants_hang_on_the_hash_seed(environment: Path) -> None:
    """Without the hash seed that we give it, the same seed gives other misspellings in another process."""
    requests = [{"name": "SpellingError", "text": text, "seed": seed} for text in TEXTS for seed in range(10)]
    assert _raw(environment, requests, "0") != _raw(environment, requests, "1")


def _raw(environment: Path, requests: list[dict[str, object]], hash_seed: str) -> str:
    """The variants that the server gives under a hash seed."""
    done = subprocess.run(
        [str(python_of(environment)), "-P", "-s", str(SERVER), str(environment / "resources")],
        input="".join(json.dumps(request) + "\n" for request in requests),
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()[1:]]
    assert len(lines) == len(requests)
    return json.dumps([line["variants"] for line in lines])
