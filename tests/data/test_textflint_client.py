"""Our side of TextFlint, held to a small real process that speaks its protocol and misbehaves on demand."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.suites.edits import apply
from evaluator.data.suites.errors import SuiteError
from evaluator.data.suites.make import Counts, Definition, make
from evaluator.data.suites.robustness.keyboard import NEIGHBOURS
from evaluator.data.suites.robustness.spelling import misspellings
from evaluator.textflint import TextFlint, edits_between, install, textflint
from evaluator.textflint.client import NAMES
from evaluator.textflint.environment import MANIFEST, RESOURCES, Environment, sha256
from evaluator.textflint.resources import keyboard_rules, spelling_rules, write_resources

ROOT = Path(__file__).parent.parent.parent
VERSIONS = {"textflint": "0.1.0", "spacy": "3.8.0"}
SOURCES = ({"package": "codespell", "version": "2.4.3", "licence": "CC BY-SA 3.0"},)

# Answers with the text's letters in capitals and with the seed, and does what some texts say.
SERVER = """
import json, os, sys, time
folder = os.path.dirname(os.path.abspath(__file__))
print(json.dumps(READY), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    text, variants, error = request["text"], [], None
    if text == "die":
        print("out of luck", file=sys.stderr, flush=True)
        os._exit(3)
    if text == "die once" and not os.path.exists(folder + "/died"):
        open(folder + "/died", "w").close()
        os._exit(3)
    if text == "hang":
        time.sleep(60)
    if text == "babble":
        print("not JSON", flush=True)
        continue
    if text == "half":
        print('{"variants": []}', flush=True)
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
        folder = tmp_path / "environment"
        for name in ("bin", "resources"):
            (folder / name).mkdir(parents=True)
        (folder / "server.py").write_text(server.replace("READY", repr(ready)))
        python = folder / "bin" / "python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{folder}/server.py"\n')
        python.chmod(0o755)
        for name in RESOURCES:
            (folder / "resources" / name).write_text("{}")
        hashes = {name: sha256(folder / "resources" / name) or "" for name in RESOURCES}
        Environment(folder, VERSIONS, hashes, SOURCES).save()
        return folder

    return environment_that_says


def test_the_first_variant_that_differs_is_taken(environment: Make) -> None:
    """Of several variants the first that is not the text itself counts; where there is none it is None."""
    with TextFlint(environment()) as backend:
        assert backend.perturb("Typos", ["fine", "SAME", "nothing"]) == ["FINE", None, None]
        assert backend.ask("Typos", "SAME", 0).variants == ("SAME",)
        assert backend.backend == "textflint 0.1.0"
        assert not any(backend.failures.values())


def test_a_text_gets_a_seed_of_its_own(environment: Make) -> None:
    """The seed depends on the run's seed, the transformation and the text, and not on what came before."""
    folder = environment()
    with TextFlint(folder) as one, TextFlint(folder, seed=1) as other:
        [first] = one.perturb("OCR", ["seed"])
        assert first is not None
        assert first.startswith("Ocr ")
        assert one.perturb("OCR", ["fine", "seed", "seed"]) == ["FINE", first, first]
        assert other.perturb("OCR", ["seed"]) != [first]
        assert one.perturb("Typos", ["seed"])[0] != first.replace("Ocr", "Typos")


def test_the_process_has_a_fixed_hash_seed(environment: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """TextFlint's process gets the hash seed 0 and none of the Python settings of ours."""
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    with TextFlint(environment()) as backend:
        assert backend.perturb("Typos", ["environment"]) == ["0 and no path"]


@pytest.mark.parametrize("text", ["\ud800 alone", 'quoted "', "line\nbreak", "é 漢字 🙂", "x" * 300_000])
def test_any_text_passes_the_pipe(environment: Make, text: str) -> None:
    """What a text holds, or how long it is, does not matter to the protocol."""
    with TextFlint(environment()) as backend:
        assert backend.ask("Typos", text, 0).variants[0] == text


def test_an_error_for_one_text_is_counted(environment: Make) -> None:
    """An error inside TextFlint costs that text its variant, and is counted with its message."""
    with TextFlint(environment()) as backend:
        assert backend.perturb("Keyboard", ["fail", "fine", "fail"]) == [None, "FINE", None]
        assert backend.failures["Keyboard"] == {"ValueError: cannot": 2}
        assert not backend.failures["Typos"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("die", "the TextFlint process ended with exit status 3: out of luck"),
        ("babble", "the TextFlint process wrote b'not JSON\\n' instead of an answer"),
        ("half", "the TextFlint process answered {'variants': []}"),
    ],
)
def test_a_text_that_takes_the_process_down_is_counted(environment: Make, text: str, message: str) -> None:
    """The texts after one that kills the process, or makes it babble, are asked in a new process."""
    with TextFlint(environment()) as backend:
        assert backend.perturb("Typos", ["fine", text, "fine"]) == ["FINE", None, "FINE"]
        assert backend.failures["Typos"] == {message: 1}


def test_a_death_by_chance_costs_nothing(environment: Make) -> None:
    """A text whose process died once is asked again in a new one."""
    with TextFlint(environment()) as backend:
        assert backend.perturb("Typos", ["die once"]) == ["DIE ONCE"]
        assert not backend.failures["Typos"]


def test_a_text_that_hangs_is_counted(environment: Make) -> None:
    """A text without an answer in time is given up; the process is replaced."""
    with TextFlint(environment(), timeout=2.0) as backend:
        assert backend.perturb("Typos", ["hang", "fine"]) == [None, "FINE"]
        assert backend.failures["Typos"] == {"the TextFlint process gave no answer within 2 s": 1}


@pytest.mark.parametrize(
    ("ready", "server", "said"),
    [
        ({"fatal": "no spaCy"}, SERVER, "no spaCy"),
        ({"versions": {**VERSIONS, "spacy": "4.0.0"}}, SERVER, "spacy is 4.0.0, installed was 3.8.0"),
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
        pytest.raises(SuiteError, match=f"{folder}: {said}.*steelyard textflint install --into"),
    ):
        backend.perturb("Typos", ["fine"])


def test_without_textflint_the_mend_is_named(tmp_path: Path) -> None:
    """Where nothing is installed, the error is the command that installs it."""
    with pytest.raises(SuiteError, match=r"not installed there; run: steelyard textflint install --into"):
        textflint(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        (MANIFEST, "not JSON", "JSONDecodeError"),
        (MANIFEST, "[]", "TypeError"),
        (MANIFEST, '{"layout": 0, "versions": {}, "resources": {}, "sources": []}', "layout 0, not 1"),
        ("resources/spelling.txt", "other", "missing, or not as installed"),
    ],
)
def test_an_environment_that_is_not_whole_is_not_used(
    environment: Make, file: str, content: str, said: str
) -> None:
    """A manifest or a resource that is not as installed is an error before anything is perturbed."""
    folder = environment()
    (folder / file).write_text(content)
    with pytest.raises(SuiteError, match=said):
        TextFlint(folder)


def test_the_process_ends_with_its_client(environment: Make) -> None:
    """No process stays behind, even of a program that ends without closing."""
    code = (
        "import sys, evaluator.textflint as t\n"
        "from pathlib import Path\n"
        "backend = t.TextFlint(Path(sys.argv[1])); backend.perturb('Typos', ['fine'])\n"
        "print(backend._process._process.pid, flush=True); import os; os._exit(0)"
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
    assert json.loads(done.stdout) == {"variants": ["\ud800"]}
    assert "a print" in done.stderr
    assert "from C" in done.stderr


def test_as_transformations_of_a_suite(environment: Make) -> None:
    """TextFlint's variants enter a suite as edits, identical ones counted, protected spans left alone."""
    examples = [
        {"id": str(number), "text": text} for number, text in enumerate(["so fine", "SAME", "nothing"])
    ]
    protected = [{"text": [(3, 7)]}, {}, {}]
    definition = Definition("theirs", "robustness", textflint(environment()))
    suite = make(definition, "data", "sha256:" + "0" * 64, ("text",), examples, protected)
    assert [variant.texts["text"] for variant in suite.variants] == ["SO fine"] * len(NAMES)
    assert suite.counts == dict.fromkeys(NAMES, Counts(made=1, unchanged=1, not_applicable=1))
    for transformation in suite.spec["transformations"]:
        assert transformation["backend"] == "textflint 0.1.0"
        assert transformation["options"]["versions"] == VERSIONS
        assert transformation["options"]["sources"] == list(SOURCES)
        assert set(transformation["options"]["resources"]) == set(RESOURCES)


def test_the_suites_generator_decides(environment: Make) -> None:
    """As a transformation the only chance is the generator that it is given."""
    one = next(t for t in textflint(environment()) if t.name == "Typos")
    texts = {"premise": "seed", "hypothesis": "seed"}
    first, again, other = (
        {name: apply(texts[name], edits) for name, edits in found.items()}
        for found in (one.edit(texts, random.Random(seed), {}) for seed in (1, 1, 2))
    )
    assert first == again != other
    assert first["premise"] != first["hypothesis"]


@given(st.text(), st.text())
def test_edits_give_the_variant(original: str, variant: str) -> None:
    """The edits between two texts make the one of the other, and no word has two."""
    edits = edits_between(original, variant)
    assert apply(original, edits) == variant
    assert edits == sorted(edits)
    for before, after in pairwise(edits):
        assert before.end < after.start
        assert any(character.isspace() for character in original[before.start : after.end])


@given(st.text())
def test_equal_texts_have_no_edits(text: str) -> None:
    """Nothing is edited where nothing changed."""
    assert edits_between(text, text) == []


def test_edits_are_words() -> None:
    """What changed inside one word is one edit, and what stayed in other words is none of it."""
    edits = edits_between("it is believable , really", "it is bleeivable, really")
    assert [(edit.start, edit.end) for edit in edits] == [(7, 11), (16, 17)]


def test_a_failing_pip_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an index to install from the error names pip, the package and the fix; nothing is left."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    with pytest.raises(SuiteError, match=r"pip could not install .*textflint==0\.1\.0.*check the network"):
        install(tmp_path / "made" / "textflint")
    assert list((tmp_path / "made").iterdir()) == []


def test_without_pip_the_mend_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a Python without pip, as some tools make them, the error says how to install pip; nothing is left behind."""
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(SuiteError, match=r"has no pip; run: .* -m ensurepip"):
        install(tmp_path / "made" / "textflint")
    assert list((tmp_path / "made").iterdir()) == []


def test_installing_again_without_success_keeps_what_was_there(
    environment: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An environment that needs to be made anew stays as it is until the new one works."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    folder = environment({"fatal": "broken"})
    with pytest.raises(SuiteError, match="pip could not install"):
        install(folder)
    assert (folder / "server.py").exists()
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_a_folder_of_someone_else_is_not_replaced(tmp_path: Path) -> None:
    """A folder with anything else in it is refused and stays; so is a file."""
    (tmp_path / "thesis.txt").write_text("all of it")
    for into in (tmp_path, tmp_path / "thesis.txt"):
        with pytest.raises(SuiteError, match=r"not empty and no TextFlint environment; name another folder"):
            install(into)
    assert (tmp_path / "thesis.txt").read_text() == "all of it"


def test_the_environment_that_works_is_kept(environment: Make) -> None:
    """Installing where TextFlint works already says so and installs nothing."""
    said: list[str] = []
    found = install(environment(), said.append)
    assert found.versions == VERSIONS
    assert len(said) == 1
    assert "installed already, and works" in said[0]


def test_rules_in_textflints_format() -> None:
    """Keyboard takes a list for each small letter, SpellingError a line for each word."""
    assert json.loads(keyboard_rules({"b": "vn", "a": "s", "A": "S"})) == {"a": ["s"], "b": ["v", "n"]}
    assert spelling_rules({"who": ("woh",), "a": ("aa", "ab")}) == "a aa ab\nwho woh\n"


def test_the_rules_are_those_of_our_own_transformations(tmp_path: Path) -> None:
    """Both backends slip to the same keys and misspell alike, so that a comparison is of what they do."""
    write_resources(tmp_path / "resources")
    keyboard = json.loads((tmp_path / "resources" / "keyboard.json").read_text())
    assert set(keyboard["g"]) == set(NEIGHBOURS["g"])
    assert len(keyboard) == 26
    lines = (tmp_path / "resources" / "spelling.txt").read_text().splitlines()
    assert {line.split()[0]: tuple(line.split()[1:]) for line in lines} == misspellings()
