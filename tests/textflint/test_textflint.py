"""Our side of TextFlint, held to a small real process that speaks its protocol and misbehaves on demand."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from evaluator.cli import group
from evaluator.cli.perturb import command
from evaluator.data.suites import BACKENDS
from evaluator.data.suites.base import apply
from evaluator.data.suites.make import Counts, Definition, make
from evaluator.data.suites.robustness.letters import NEIGHBOURS
from evaluator.data.suites.robustness.spelling import misspellings
from evaluator.records.errors import UserError
from evaluator.textflint.backend import (
    MANIFEST,
    NAMES,
    RESOURCES,
    TextFlint,
    edits_between,
    sha256,
)
from evaluator.textflint.compare import damaged
from evaluator.textflint.install import install, write_resources

ROOT = Path(__file__).parents[2]
VERSIONS = {"textflint": "0.1.0", "spacy": "3.8.0"}
SOURCES = [{"package": "codespell", "version": "2.4.3", "licence": "CC BY-SA 3.0"}]

# Answers with the text's letters in capitals and with the seed, and does what some texts say.
SERVER = """
import json, os, sys, time
print(json.dumps(READY), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    text, variants, error = request["text"], [], None
    if text == "die":
        print("out of luck", file=sys.stderr, flush=True)
        os._exit(3)
    if text == "hang":
        time.sleep(60)
    if text == "babble":
        print("not JSON", flush=True)
        continue
    if text == "fail":
        error = "ValueError: cannot"
    elif text != "nothing":
        variants = [text, text.upper(), text.upper() + "?"] if text != "SAME" else [text]
    if text == "seed":
        variants = [f"{request['name']} {request['seed']}"]
    if text == "environment":
        variants = [os.environ.get("PYTHONHASHSEED", "unset") + os.environ.get("PYTHONPATH", " and no path")]
    print(json.dumps({"variants": variants, "error": error, "elapsed_ns": 5}), flush=True)
"""

Make = Callable[..., Path]


@pytest.fixture
def environment(tmp_path: Path) -> Make:
    """Makes an environment whose interpreter always runs the process above, whatever its arguments."""

    def environment_that_says(ready: object = {"versions": VERSIONS}, server: str = SERVER) -> Path:
        folder = tmp_path / "textflint"
        for name in ("bin", "resources"):
            (folder / name).mkdir(parents=True)
        (folder / "server.py").write_text(server.replace("READY", repr(ready)))
        python = folder / "bin" / "python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{folder}/server.py"\n')
        python.chmod(0o755)
        for name in RESOURCES:
            (folder / "resources" / name).write_text("{}")
        hashes = {name: sha256(folder, name) for name in RESOURCES}
        manifest = {"versions": VERSIONS, "resources": hashes, "sources": SOURCES}
        (folder / MANIFEST).write_text(json.dumps(manifest))
        return folder

    return environment_that_says


def test_the_first_variant_that_differs_is_taken(environment: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is none it is None; any text passes the pipe. The process has the hash seed 0 and none of the Python
    settings of ours, and nothing that is printed in it is an answer."""
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    with TextFlint(environment()) as backend:
        assert backend.perturb("Typos", ["fine", "SAME", "nothing"]) == ["FINE", None, None]
        for text in ("\ud800 alone", 'quoted "', "line\nbreak", "é 漢字 🙂", "x" * 300_000):
            assert backend.ask("Typos", text, 0).variants[0] == text
        assert backend.name == "textflint 0.1.0"
        assert backend.perturb("Typos", ["environment"]) == ["0 and no path"]
        assert not any(backend.failures.values())


def test_a_text_gets_a_seed_of_its_own(environment: Make) -> None:
    """The seed depends on the transformation and the text, and not on what came before."""
    with TextFlint(environment()) as backend:
        [first] = backend.perturb("OCR", ["seed"])
        assert str(first).startswith("OCR ")
        assert backend.perturb("OCR", ["fine", "seed", "seed"]) == ["FINE", first, first]
        assert backend.perturb("Typos", ["seed"])[0] != str(first).replace("OCR", "Typos")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fail", "ValueError: cannot"),
        ("die", "the TextFlint process ended with exit status 3: out of luck"),
        ("babble", "the TextFlint process wrote b'not JSON\\n' instead of an answer"),
        pytest.param("hang", "the TextFlint process gave no answer within 3 s", marks=pytest.mark.slow),
    ],
)
def test_what_goes_wrong_costs_one_text_and_is_counted(environment: Make, text: str, message: str) -> None:
    """An error inside, a death, a babble or no answer in time: the texts after it are asked in a new process."""
    with TextFlint(environment(), timeout=3) as backend:
        assert backend.perturb("Typos", ["fine", text, "fine"]) == ["FINE", None, "FINE"]
        assert backend.failures["Typos"] == {message: 1}
        assert not backend.failures["OCR"]


@pytest.mark.parametrize(
    ("ready", "server", "said"),
    [
        ({"fatal": "no spaCy"}, SERVER, "no spaCy"),
        ({"versions": {**VERSIONS, "spacy": "4.0.0"}}, SERVER, "spacy: not the version that was installed"),
        ({}, "raise SystemExit('broken libc')", "does not start: .* exit status 1: broken libc"),
    ],
)
def test_a_process_that_does_not_start_says_the_mend(
    environment: Make, ready: object, server: str, said: str
) -> None:
    """An environment that no longer works names itself, what is wrong and the command that fixes it."""
    folder = environment(ready, server)
    with (
        TextFlint(folder) as backend,
        pytest.raises(UserError, match=f"{folder}: {said}.*; run: steelyard perturb --install-textflint"),
    ):
        backend.perturb("Typos", ["fine"])


def test_as_transformations_of_a_suite(environment: Make) -> None:
    """TextFlint's variants enter a suite as edits, identical ones counted, protected spans left alone; the command line
    hands them to the suites, and the only chance is the generator that they are given."""
    CliRunner().invoke(group, ["doctor", "--help"])
    texts = ["so fine", "SAME", "nothing"]
    examples = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    protected = [{"text": [(3, 7)]}, {}, {}]
    definition = Definition("theirs", "robustness", BACKENDS["textflint"](environment().parent))
    suite = make(definition, "data", "sha256:" + "0" * 64, ("text",), examples, protected)
    assert [variant.texts["text"] for variant in suite.variants] == ["SO fine"] * len(NAMES)
    assert suite.counts == dict.fromkeys(NAMES, Counts(made=1, unchanged=1, not_applicable=1))
    for transformation in suite.spec["transformations"]:
        assert transformation["backend"] == "textflint 0.1.0"
        assert transformation["options"]["versions"] == VERSIONS
        assert transformation["options"]["sources"] == SOURCES
        assert set(transformation["options"]["resources"]) == set(RESOURCES)
    typos = next(one for one in definition.transformations if one.name == "Typos")
    first, again, other = (
        typos.edit({"a": "seed", "b": "seed"}, random.Random(seed), {}) for seed in (1, 1, 2)
    )
    assert first == again != other
    assert first["a"] != first["b"]


@given(st.text(), st.text())
def test_edits_give_the_variant(original: str, variant: str) -> None:
    """The edits between two texts make the one of the other, and no word has two."""
    edits = edits_between(original, variant)
    assert apply(original, edits) == variant
    assert edits_between(original, original) == []
    for before, after in pairwise(edits):
        assert before.end < after.start
        assert any(character.isspace() for character in original[before.start : after.end])


# Installing


@pytest.mark.slow
def test_a_failing_pip_leaves_all_as_it_was(
    environment: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an index the error names pip, the package and the fix; nothing new is left, and nothing old goes."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    folder = environment({"fatal": "broken"})
    for into in (folder, tmp_path / "made" / "textflint"):
        with pytest.raises(UserError, match=r"pip could not install .*textflint==0\.1\.0.*check the network"):
            install(into)
    assert (folder / "server.py").exists()
    assert list((tmp_path / "made").iterdir()) == []


def test_a_folder_of_someone_else_is_not_replaced(tmp_path: Path) -> None:
    """A folder with anything else in it is refused and stays; so is a file."""
    (tmp_path / "thesis.txt").write_text("all of it")
    for into in (tmp_path, tmp_path / "thesis.txt"):
        with pytest.raises(UserError, match=r"not empty and no TextFlint environment; name another"):
            install(into)
    assert (tmp_path / "thesis.txt").read_text() == "all of it"


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        (MANIFEST, "not JSON", "JSONDecodeError"),
        (MANIFEST, "[]", "TypeError"),
        ("resources/spelling.txt", "other", "spelling.txt: missing, or not as installed"),
    ],
)
def test_an_environment_that_works_is_kept_and_another_not_used(
    environment: Make, file: str, content: str, said: str
) -> None:
    """Installing where TextFlint works already says so and installs nothing; a manifest or a resource that is not as
    installed is an error before anything is perturbed."""
    folder = environment()
    done = CliRunner().invoke(command, ["--install-textflint", "--work", str(folder.parent)])
    assert "installed already, and works" in done.output
    assert f"{folder}: textflint 0.1.0, spacy 3.8.0" in done.output
    (folder / file).write_text(content)
    with pytest.raises(UserError, match=said):
        TextFlint(folder)
    with pytest.raises(
        UserError, match="TextFlint is not installed there; run: steelyard perturb --install-textflint"
    ):
        TextFlint(folder / "elsewhere")


def test_the_rules_are_those_of_our_own_transformations(tmp_path: Path) -> None:
    """Both backends slip to the same keys and misspell alike, so that a comparison is of what they do."""
    write_resources(tmp_path / "resources")
    keyboard = json.loads((tmp_path / "resources" / "keyboard.json").read_text())
    assert set(keyboard["g"]) == set(NEIGHBOURS["g"])
    assert len(keyboard) == 26
    lines = (tmp_path / "resources" / "spelling.txt").read_text().splitlines()
    assert {line.split()[0]: tuple(line.split()[1:]) for line in lines} == misspellings()


# Comparing


@pytest.mark.parametrize(
    ("name", "text", "variant", "expected"),
    [
        ("Typos", "a fine film!", "a fnie film!", False),
        ("Keyboard", "in fact, fine", "in fact, gine", False),
        ("Contraction", "He's gone and she is not", "He has gone and she isn't", False),
        ("Contraction", "it ca n't help , it 's odd", "it cannot help , it is odd", False),
        ("Punctuation", "It is fun.", "{ It is fun... }", False),
        ("Punctuation", 'He said "go."', '(He said "go.");', False),
        ("WordCase", "Straße, İzmir, ok", "STRASSE, İZMIR, OK", False),
        ("Typos", "$5.00!!! a fine film", "$ 5.00! !! a fnie film", True),
        ("SpellingError", "``believe''", '"beleive"', True),
        ("OCR", "a well-known film!", "a well known film!", True),
        ("Typos", "so fine!", "so fien", True),
        ("Contraction", "It isn't good", "It's good", True),
        ("Contraction", "Why is it", "why's it", True),
        ("Punctuation", 'He said "go."', '{ He said " go... }', True),
        ("WordCase", "so fine", "SO  FINE", True),
    ],
)
def test_damage_is_what_a_transformation_is_not_for(
    name: str, text: str, variant: str, expected: bool
) -> None:
    """A change beside the meant one counts, be it a space, a quote or a negation; the meant one does not."""
    assert damaged(name, text, variant) is expected


BOARD = """
title = "T"

[[datasets]]
id = "d"
label = "D"
task = "sentiment"
path = "d.tsv"
format = "tsv"
columns = { statement = 0, label = 1 }
labels = ["negative", "positive"]

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "accuracy"
datasets = ["d"]
metrics = [{ name = "accuracy", label = "Accuracy", unit = "%" }]
"""


def test_the_command_to_compare(environment: Make) -> None:
    """A row for each of the seven and both backends, as a table or as JSON."""
    root = environment().parent
    (root / "board.toml").write_text(BOARD)
    (root / "d.tsv").write_text("It is fine\tpositive\nIt is bad\tnegative\n")
    arguments = ["d", "--compare", "--board", str(root / "board.toml"), "--work", str(root)]
    first, head, *lines = CliRunner().invoke(command, arguments).output.splitlines()
    assert first == "2 texts of d"
    assert head.split() == ["changed", "distance", "damaged"]
    rows = json.loads(CliRunner().invoke(command, [*arguments, "--json"]).output)
    assert [row["backend"] for row in rows] == ["steelyard", "textflint 0.1.0"] * len(NAMES)
    assert len(lines) == len(rows)
    assert lines[-1].split() == ["WordCase", "textflint", "0.1.0", "100.00", "%", "6.50", "0.00", "%"]
