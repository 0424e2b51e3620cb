"""Our side of TextFlint, held to a small real process that speaks its protocol and misbehaves on demand."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from evaluator.cli import group
from evaluator.cli.perturb import command
from evaluator.data.suites import BACKENDS
from evaluator.data.suites.base import Edit, Span, Transformation, apply, each_text
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
    transformations,
)
from evaluator.textflint.compare import BackendComparison, compare, damaged, perturb_with
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


def test_the_first_variant_that_differs_is_taken(environment: Make) -> None:
    """Where there is none it is None; any text passes the pipe."""
    with TextFlint(environment()) as backend:
        assert backend.perturb("Typos", ["fine", "SAME", "nothing"]) == ["FINE", None, None]
        for text in ("\ud800 alone", 'quoted "', "line\nbreak", "é 漢字 🙂", "x" * 300_000):
            assert backend.ask("Typos", text, 0).variants[0] == text
        assert backend.name == "textflint 0.1.0"
        assert not any(backend.failures.values())


def test_a_text_gets_a_seed_of_its_own(environment: Make) -> None:
    """The seed depends on the run's seed, the transformation and the text, and not on what came before."""
    folder = environment()
    with TextFlint(folder) as one, TextFlint(folder, seed=1) as other:
        [first] = one.perturb("OCR", ["seed"])
        assert str(first).startswith("Ocr ")
        assert one.perturb("OCR", ["fine", "seed", "seed"]) == ["FINE", first, first]
        assert other.perturb("OCR", ["seed"]) != [first]
        assert one.perturb("Typos", ["seed"])[0] != str(first).replace("Ocr", "Typos")


def test_the_process_has_a_fixed_hash_seed(environment: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """TextFlint's process gets the hash seed 0 and none of the Python settings of ours."""
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    with TextFlint(environment()) as backend:
        assert backend.perturb("Typos", ["environment"]) == ["0 and no path"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fail", "ValueError: cannot"),
        ("die", "the TextFlint process ended with exit status 3: out of luck"),
        ("babble", "the TextFlint process wrote b'not JSON\\n' instead of an answer"),
        ("hang", "the TextFlint process gave no answer within 3 s"),
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


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        (MANIFEST, None, "TextFlint is not installed there; run: steelyard perturb --install-textflint"),
        (MANIFEST, "not JSON", "JSONDecodeError"),
        (MANIFEST, "[]", "TypeError"),
        ("resources/spelling.txt", "other", "spelling.txt: missing, or not as installed"),
    ],
)
def test_an_environment_that_is_not_whole_is_not_used(
    environment: Make, file: str, content: str | None, said: str
) -> None:
    """A manifest or a resource that is not as installed is an error before anything is perturbed."""
    folder = environment()
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(content)
    with pytest.raises(UserError, match=said):
        TextFlint(folder)


def test_the_process_ends_with_its_client(environment: Make) -> None:
    """No process stays behind, even of a program that ends without closing."""
    code = (
        "import sys; from evaluator.textflint.backend import TextFlint\n"
        "from pathlib import Path\n"
        "backend = TextFlint(Path(sys.argv[1])); backend.perturb('Typos', ['fine'])\n"
        "print(backend._process.pid, flush=True); import os; os._exit(0)"
    )
    command = [sys.executable, "-c", code, str(environment())]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert _ended(int(done.stdout))


def _ended(pid: int) -> bool:
    """Whether the process has ended within 10 seconds, or is a zombie that no parent waits for."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_what_the_server_prints_elsewhere_stays_out_of_its_answers() -> None:
    """Standard output carries answers alone; prints of libraries, even of C code, go to standard error."""
    code = (
        "import os; from evaluator.textflint import server\n"
        "answers = server._own_stdout(); print('a print', flush=True); os.write(1, b'from C')\n"
        "server._write(answers, {'variants': ['\\ud800']})"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == '{"variants": ["\\ud800"]}\n'
    assert "a print" in done.stderr
    assert "from C" in done.stderr


def test_as_transformations_of_a_suite(environment: Make) -> None:
    """TextFlint's variants enter a suite as edits, identical ones counted, protected spans left alone."""
    texts = ["so fine", "SAME", "nothing"]
    examples = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    protected = [{"text": [(3, 7)]}, {}, {}]
    definition = Definition("theirs", "robustness", transformations(environment().parent))
    suite = make(definition, "data", "sha256:" + "0" * 64, ("text",), examples, protected)
    assert [variant.texts["text"] for variant in suite.variants] == ["SO fine"] * len(NAMES)
    assert suite.counts == dict.fromkeys(NAMES, Counts(made=1, unchanged=1, not_applicable=1))
    for transformation in suite.spec["transformations"]:
        assert transformation["backend"] == "textflint 0.1.0"
        assert transformation["options"]["versions"] == VERSIONS
        assert transformation["options"]["sources"] == SOURCES
        assert set(transformation["options"]["resources"]) == set(RESOURCES)


def test_the_suites_generator_decides(environment: Make) -> None:
    """As a transformation the only chance is the generator that it is given."""
    one = next(t for t in transformations(environment().parent) if t.name == "Typos")
    texts = {"premise": "seed", "hypothesis": "seed"}
    first, again, other = (
        {name: apply(texts[name], edits) for name, edits in found.items()}
        for found in (one.edit(texts, random.Random(seed), {}) for seed in (1, 1, 2))
    )
    assert first == again != other
    assert first["premise"] != first["hypothesis"]


def test_the_command_line_hands_it_to_the_suites(environment: Make) -> None:
    """A board file's backend "textflint" is known once a command runs, and to nobody below."""
    CliRunner().invoke(group, ["doctor", "--help"])
    names = [one.name for one in BACKENDS["textflint"](environment().parent)]
    assert names == list(NAMES)


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


@pytest.mark.slow
def test_without_pip_the_mend_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a Python without pip, as some tools make them, the error says how to install pip."""
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(UserError, match=r"has no pip; run: .* -m ensurepip"):
        install(tmp_path / "made" / "textflint")
    assert list((tmp_path / "made").iterdir()) == []


def test_a_folder_of_someone_else_is_not_replaced(tmp_path: Path) -> None:
    """A folder with anything else in it is refused and stays; so is a file."""
    (tmp_path / "thesis.txt").write_text("all of it")
    for into in (tmp_path, tmp_path / "thesis.txt"):
        with pytest.raises(UserError, match=r"not empty and no TextFlint environment; name another"):
            install(into)
    assert (tmp_path / "thesis.txt").read_text() == "all of it"


def test_the_environment_that_works_is_kept(environment: Make) -> None:
    """Installing where TextFlint works already says so and installs nothing."""
    work = environment().parent
    done = CliRunner().invoke(command, ["--install-textflint", "--work", str(work)])
    assert done.exit_code == 0, done.output
    assert "installed already, and works" in done.output
    assert f"{work / 'textflint'}: textflint 0.1.0, spacy 3.8.0" in done.output


def test_the_rules_are_those_of_our_own_transformations(tmp_path: Path) -> None:
    """Both backends slip to the same keys and misspell alike, so that a comparison is of what they do."""
    write_resources(tmp_path / "resources")
    keyboard = json.loads((tmp_path / "resources" / "keyboard.json").read_text())
    assert set(keyboard["g"]) == set(NEIGHBOURS["g"])
    assert len(keyboard) == 26
    lines = (tmp_path / "resources" / "spelling.txt").read_text().splitlines()
    assert {line.split()[0]: tuple(line.split()[1:]) for line in lines} == misspellings()


# Comparing

TEXTS = ["a good film", "a bad film", "no"]


def careless(name: str, texts: Sequence[str]) -> list[str | None]:
    """Loses the spaces of one text, leaves one as it is, gives up on one."""
    return [texts[0].replace(" ", ""), texts[1], None]


def test_a_row_for_each_transformation_and_backend() -> None:
    """Shares and means are over what they say: all texts, or the variants that differ from theirs."""
    loud, silent = (lambda name, texts: [t.upper() for t in texts]), (lambda name, texts: [None] * 3)
    rows = compare(TEXTS, {"loud": loud, "careless": careless, "silent": silent})
    assert [row.transformation for row in rows[::3]] == list(NAMES)
    assert rows[-3:] == [
        BackendComparison("WordCase", "loud", 3, 1.0, (9 + 8 + 2) / 3, 0.0),
        BackendComparison("WordCase", "careless", 3, 1 / 3, 2.0, 1.0),
        BackendComparison("WordCase", "silent", 3, 0.0, None, None),
    ]


@pytest.mark.parametrize(
    ("name", "text", "variant"),
    [
        ("Typos", "a fine film!", "a fnie film!"),
        ("Keyboard", "in fact, fine", "in fact, gine"),
        ("Contraction", "He's gone and she is not", "He has gone and she isn't"),
        ("Contraction", "it ca n't help , it 's odd", "it cannot help , it is odd"),
        ("Punctuation", "It is fun.", "{ It is fun... }"),
        ("Punctuation", 'He said "go."', '(He said "go.");'),
        ("WordCase", "Straße, İzmir, ok", "STRASSE, İZMIR, OK"),
        ("Typos", "left alone", "left alone"),
    ],
)
def test_what_a_transformation_is_for_is_no_damage(name: str, text: str, variant: str) -> None:
    """The change that a transformation means to make does not count against it."""
    assert not damaged(name, text, variant)


@pytest.mark.parametrize(
    ("name", "text", "variant"),
    [
        ("Typos", "$5.00!!! a fine film", "$ 5.00! !! a fnie film"),
        ("Keyboard", "in fact , a fine film", "in fact, a gine film"),
        ("SpellingError", "``believe''", '"beleive"'),
        ("OCR", "a well-known film!", "a well known film!"),
        ("Typos", "so fine!", "so fien"),
        ("Contraction", "It isn't good", "It's good"),
        ("Contraction", "Why is it", "why's it"),
        ("Contraction", "It is $5.00!", "It's $ 5.00!"),
        ("Punctuation", 'He said "go."', '{ He said " go... }'),
        ("WordCase", "so fine", "SO  FINE"),
    ],
)
def test_damage_is_seen(name: str, text: str, variant: str) -> None:
    """A change beside the meant one counts, be it a space, a quote or a negation."""
    assert damaged(name, text, variant)


def one_letter(text: str, rng: random.Random, protected: Sequence[Span]) -> list[Edit]:
    place = rng.randrange(len(text))
    return [Edit(place, place + 1, "x")]


def test_our_transformations_as_a_backend() -> None:
    """A text's generator depends on the seed, the transformation and the text; equal variants are none."""
    ours = [Transformation(name, 1, each_text(one_letter)) for name in ("Typos", "OCR")]
    texts = ["a long enough text", "x", "a long enough text"]
    made = perturb_with(ours)("Typos", texts)
    assert made[0] == made[2] != texts[0]
    assert made[1] is None
    others = [perturb_with(ours, seed)(name, texts[:1]) for seed in range(9) for name in ("Typos", "OCR")]
    assert any(other != made[:1] for other in others)


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
    assert first == "2 texts of d, seed 0"
    assert head.split() == ["changed", "distance", "damaged"]
    rows = json.loads(CliRunner().invoke(command, [*arguments, "--json"]).output)
    assert [row["backend"] for row in rows] == ["steelyard", "textflint 0.1.0"] * len(NAMES)
    assert len(lines) == len(rows)
    assert lines[-1].split() == ["WordCase", "textflint", "0.1.0", "100.00", "%", "6.50", "0.00", "%"]
