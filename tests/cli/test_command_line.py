"""The command line as its users meet it: suggestions, completion, colours, tables, --quiet and --json."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import forked_command
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from evaluator.cli import _colour, group
from evaluator.cli.printing import by_file, print_table
from evaluator.measure.models import ADAPTERS

ROOT = Path(__file__).parents[2]
Run = Callable[..., tuple[int, str, str]]
DEMO = ROOT / "examples" / "demo" / "board.toml"
MODEL = ROOT / "examples" / "my-model"
TABLE = "model,acc,memory\nA,70,10\nB,60,4\nC,50,2\n"


def steelyard(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    return forked_command.run(*arguments, cwd=cwd, env=os.environ | environment)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


def test_the_only_board_needs_no_name(run: Run, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`rank` without a table ranks it; of several, it asks which."""
    assert run("init", table.parent / "mine", "--results", table, "--higher-is-better", "acc")[0] == 0
    monkeypatch.chdir(table.parent / "mine")
    assert run("rank")[1] == run("rank", "mine")[1]
    code, _, said = run("rank", "--board", ROOT / "board.toml")
    assert code == 2
    assert "TABLE: missing; name a board: swe-bench" in said


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (["rnak"], "Did you mean 'rank'?"),
        (["collect", "chek", "notes"], "Did you mean 'check'?"),
        (["rank", "domo", "--board", DEMO], "did you mean demo?"),
        (["rank", "demo", "--board", DEMO, "--base", "acuracy"], "did you mean accuracy?"),
        (["evaluate", "--dataset", "review", "--board", DEMO], "did you mean reviews?"),
        (["perturb", "reviews", "--suite", "robustnes", "--board", DEMO], "did you mean robustness?"),
        (
            ["difficulty", "reviews", "--train", "review-train", "--board", DEMO],
            "did you mean reviews-train?",
        ),
        (["try", "tfidf-logres", "x", "--board", DEMO], "did you mean tfidf-logreg?"),
        (["try", MODEL, "--task", "sentimnt", "x"], "did you mean sentiment?"),
        (["check", MODEL, "--labels", "positve"], "use negative, positive or "),
        (["rank", "demo", "--rate", "ration"], "did you mean ratio?"),
    ],
)
def test_a_misspelt_word_is_suggested(run: Run, arguments: list[str], suggestion: str) -> None:
    """Of commands, options and every kind of id; the call was wrong, so it exits 2."""
    code, _, said = run(*arguments)
    assert (code, suggestion in said) == (2, True), said


@pytest.mark.parametrize(
    ("before", "start", "expected"),
    [
        ([], "ra", ["rank"]),
        ([], "--ver", ["--verbose", "--version"]),
        (["rank"], "--js", ["--json"]),
        (["try", "--board", str(DEMO)], "va", ["vader"]),
        (["check", "--board", str(DEMO)], "re", ["reviews", "reviews-train"]),
        (["rank", "--board", str(DEMO)], "de", ["demo"]),
        (["rank", "--board", "no such file"], "de", ["de"]),
    ],
)
def test_tab_completes(before: list[str], start: str, expected: list[str]) -> None:
    """Commands, options and ids of the board file; without one, the shell is asked for files."""
    found = ShellComplete(group, {}, "steelyard", "_STEELYARD_COMPLETE").get_completions(before, start)
    assert [item.value for item in found] == expected
    assert {item.type for item in found} == {"file" if expected == ["de"] else "plain"}


def test_the_shell_asks_the_program(tmp_path: Path) -> None:
    """Completion is click's own: the script for a shell is printed where a variable asks for it."""
    done = subprocess.run(
        [sys.executable, "-c", "from evaluator.cli import main; main([])"],
        env={**os.environ, "_STEELYARD_COMPLETE": "bash_source"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "_steelyard_completion" in done.stdout


def test_colours_are_for_terminals(monkeypatch: pytest.MonkeyPatch, table: Path) -> None:
    """The leader's rank is coloured on a terminal, and not in a file; NO_COLOR and dumb terminals have none."""
    on_terminal = CliRunner().invoke(group, ["rank", str(table)], color=True)
    assert "\x1b[32m" in on_terminal.output
    assert click.unstyle(on_terminal.output) == CliRunner().invoke(group, ["rank", str(table)]).output
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert _colour() is None
    monkeypatch.setenv("TERM", "dumb")
    assert _colour() is False
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert _colour() is False


def test_a_coloured_column_keeps_its_width(capsys: pytest.CaptureFixture[str]) -> None:
    """Escapes take no room, so columns stand where they stand without colours."""
    rows = [["rank", "model"], ["1", "A"], ["10", "B"]]
    print_table(rows, {1}, {0: ["", "green", None]})
    assert click.unstyle(capsys.readouterr().out) == "rank  model\n   1  A\n  10  B\n"


@pytest.mark.parametrize("place", ["before", "after"])
def test_quiet_leaves_what_was_asked_for(run: Run, table: Path, place: str) -> None:
    """The ranking, without exchange rates and notes; wherever the option stands."""
    rank = ("rank", table)
    code, shown, said = run("--quiet", *rank) if place == "before" else run(*rank, "-q")
    assert (code, said) == (0, "")
    assert [line.split()[1] for line in shown.splitlines()] == ["model", "B", "A", "C"]


def test_verbose_says_how_long_it_took(run: Run, table: Path) -> None:
    """On stderr, so that what is piped stays the same; both at once make no sense."""
    _, shown, said = run("rank", table, "--verbose")
    assert said.startswith("steelyard rank: ")
    assert run("rank", table)[1] == shown
    assert run("-q", "rank", table, "-v")[0] == 2


@pytest.mark.slow
def test_try_asks_a_model_of_the_board(run: Run, tmp_path: Path) -> None:
    """By its id, with the board's task and labels; as JSON with what it said itself."""
    code, shown, _ = run(
        "try", "vader", "a fine film", "dreadful", "--board", DEMO, "--work", tmp_path, "--json"
    )
    replies: list[dict[str, Any]] = json.loads(shown)
    assert (code, [reply["answer"] for reply in replies]) == (0, ["positive", "negative"])
    assert replies[0]["input"] == {"statement": "a fine film"}


def test_the_board_says_how_its_models_are_opened(run: Run) -> None:
    """Another task beside an id would contradict it."""
    assert "vader is a model of sentiment" in run("try", "vader", "x", "--board", DEMO, "--task", "nli")[2]


@pytest.mark.slow
def test_check_says_once_what_is_wrong_with_all_answers(run: Run, tmp_path: Path) -> None:
    """One line for all inputs; with --verbose one for each."""
    (tmp_path / "handler.py").write_text("def load(d): pass\ndef predict(e): return 'fine'\n")
    shown = run("check", tmp_path)[1]
    assert shown.count("'fine' is not a label") == 1
    assert "38 inputs, the first: " in shown
    assert run("check", tmp_path, "--verbose")[1].count("'fine' is not a label") == 38


def test_messages_about_several_files_are_one_line() -> None:
    """The first stands for all, with a count of files, or of places where some are in one file."""
    lines = ["a.json: is old; migrate it\nb.json: is old; migrate it", "c.json: is broken", "alone"]
    lines += ["d.csv:2: is empty", "d.csv:3: is empty", "e.csv:2: is empty", "twice", "twice"]
    assert list(by_file(lines)) == [
        "a.json: is old; migrate it (and in 1 more file)",
        "c.json: is broken",
        "alone",
        "d.csv:2: is empty (and in 2 more places)",
        "twice (and in 1 more place)",
    ]


def test_help_imports_nothing_heavy() -> None:
    """`--help` answers without pydantic, numpy or any model library."""
    code = (
        "import sys; from evaluator.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'numpy', 'pydantic', 'torch', 'sklearn', 'jinja2', 'tqdm'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_an_unknown_board_lists_the_known_ones() -> None:
    """Asking for a board that does not exist names those that do."""
    done = steelyard("rank", "nosuch")
    assert done.returncode == 2
    assert "sst-2, sst-2-dev, anli, xquad-en, hatecheck, architectures, sentences, nli, qa" in done.stderr


def test_debug_shows_the_traceback(table: Path) -> None:
    """`--debug` shows where an error came from."""
    table.write_text("")
    assert "Traceback" in steelyard("--debug", "rank", str(table)).stderr


def test_doctor_says_what_is_missing_and_how_to_get_it() -> None:
    """`doctor --json` lists every requirement with its version or the way to get it, and says of each adapter
    whether it can run here."""
    findings = {entry["name"]: entry for entry in json.loads(steelyard("doctor", "--json").stdout)}
    assert findings["pydantic"]["found"]
    assert findings["floret"]["fix"] == "pip install 'steelyard[fasttext]'"
    assert {"git", "node", "npm", "chromium"} <= set(findings)
    assert {f"adapter: {name}" for name in ADAPTERS} <= set(findings)
    assert findings["adapter: handler"]["found"] == "can run"
    here = findings["adapter: gguf"]
    assert (here["found"] is None) == (here["fix"] == "pip install 'steelyard[gguf]'")


@pytest.mark.slow
def test_doctor_says_who_else_is_called_evaluator(tmp_path: Path) -> None:
    """Another distribution with a package of the public API's name is named."""
    other = tmp_path / "other_judge-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: other-judge\nVersion: 1.0\n")
    (other / "top_level.txt").write_text("evaluator\n")
    for path, found in ((None, "steelyard's own"), (tmp_path, None)):
        done = steelyard("doctor", "--json", **({"PYTHONPATH": str(path)} if path else {}))
        [finding] = [one for one in json.loads(done.stdout) if one["name"] == "import evaluator"]
        assert finding["found"] == found
    assert "other-judge has it too" in finding["fix"]
