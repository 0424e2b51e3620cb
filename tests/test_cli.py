"""The command line: `rank` over tables, exit codes, help and messages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import forked_command
import pytest

from evaluator.cli import COMMANDS

ROOT = Path(__file__).parent.parent
PUBLISHED = ROOT / "tests" / "published"
TABLE = "model,perf,memory\nA,70,10\nB,60,4\nC,50,2\n"


def steelyard(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    return forked_command.run(*arguments, cwd=cwd, env=os.environ | environment)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


def test_rank_prints_json_in_its_documented_shape(table: Path) -> None:
    """`rank --json` gives models with rank, score and contributions, exchange rates, and notes."""
    done = steelyard(
        "rank", str(table), "--base", "perf", "--weight", "perf=4", "--weight", "memory=1",
        "--lower-is-better", "memory", "--cap", "memory=32", "--json",
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert [(row["model"], row["rank"]) for row in report["models"]] == [("A", 1), ("B", 2), ("C", 3)]
    assert report["models"][0]["contributions"] == {"perf": 56.0, "memory": pytest.approx(22 / 0.4 / 5)}
    assert report["exchange_rates"]["memory"]["rate"] == pytest.approx(0.4)
    assert report["notes"] == ["memory: 75 % of the exchange rate depends on one pair: A and B"]


def test_rank_prints_a_table(table: Path) -> None:
    """Without --json, a table, exchange rates and notes are printed."""
    lines = steelyard("rank", str(table), "--cap", "memory=32").stdout.splitlines()
    assert lines[0].split() == ["rank", "model", "Dynascore", "perf", "memory"]
    assert lines[1].split() == ["1", "B", "65.00", "60.00", "4.00"]
    assert "Exchange rates: units that trade for 1 unit of perf" in lines


def test_rank_by_z_score(table: Path) -> None:
    """--by z-score ranks by the mean z-score, which then has a column; equal Dynascores need not tie."""
    lines = steelyard("rank", str(table), "--cap", "memory=32", "--by", "z-score").stdout.splitlines()
    assert lines[0].split() == ["rank", "model", "Dynascore", "z-score", "perf", "memory"]
    rows = [line.split() for line in lines[1:4]]
    assert [row[:3] for row in rows] == [["1", "B", "65.00"], ["2", "A", "62.50"], ["3", "C", "62.50"]]
    assert [row[3] for row in rows] == ["0.20", "-0.07", "-0.12"]


def test_the_absolute_threshold_can_be_given() -> None:
    """--epsilon-absolute leaves near-equal pairs out, as the hate speech board needs."""
    table = str(PUBLISHED / "hate-speech.csv")
    weights = [
        f"--weight={name}" for name in ("perf=4", "throughput=1", "memory=1", "fairness=1", "robustness=1")
    ]
    rank = ["rank", table, "--base", "perf", *weights, "--cap", "memory=32", "--json"]
    kept, left_out = (
        json.loads(steelyard(*rank, *more).stdout) for more in ([], ["--epsilon-absolute", "0.011"])
    )
    assert (kept["exchange_rates"]["memory"]["pairs"], left_out["exchange_rates"]["memory"]["pairs"]) == (
        6,
        5,
    )


def test_all_zero_weights_are_a_result(table: Path) -> None:
    """All-zero weights are no error: ranks are null and a note says why."""
    done = steelyard("rank", str(table), "--weight", "perf=0", "--json")
    assert done.returncode == 0
    assert [row["rank"] for row in json.loads(done.stdout)["models"]] == [None, None, None]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "table.csv: is empty; give it at least one row"),
        ("name,perf\nA,1\n", 'table.csv:1: the header must be "model"'),
        ("model,perf,perf\nA,1,2\n", "table.csv:1: header: has 'perf' twice; give every column"),
        ("model,perf\n", "table.csv: no models"),
        ("model,perf\nA,1\nB,high\n", "table.csv:3: perf: 'high' is not a number"),
        ("model,perf\nA,1\nB,nan\n", "table.csv:3: perf: 'nan' is not a finite number"),
        ("model,perf\nA,1\nB\n", "table.csv:3: row: ['B'] has 1 columns, not 2; give every row"),
        ("model,perf\nA,1\nA,2\n", "table.csv:3: model: 'A' is on line 2 too"),
    ],
)
def test_a_bad_table_exits_1_and_names_the_cell(table: Path, content: str, message: str) -> None:
    """A malformed table is a problem found: exit 1, one message, no traceback."""
    table.write_text(content)
    done = steelyard("rank", str(table))
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--weight", "perf"], "write it as name=number"),
        (["--weight", "speed=1"], "the board has no such metric; there are perf, memory"),
        (["--weight", "momery=1"], "the board has no such metric; did you mean memory?"),
        (["--weight", "perf=-1"], "-1.0 is not a finite number of at least 0"),
        (["--base", "speed"], "'speed': {table} has no such column"),
        (["--cap", "speed=1"], "'speed': {table} has no such column"),
        (["--epsilon", "1", "--epsilon-absolute", "1"], "give one of them"),
        (["--epsilon", "x"], "'x' is not a valid float"),
    ],
)
def test_a_wrong_call_exits_2(table: Path, arguments: list[str], message: str) -> None:
    """A call that makes no sense exits 2 and says what was expected."""
    done = steelyard("rank", str(table), *arguments)
    assert done.returncode == 2
    assert message.format(table=table) in done.stderr


def test_a_missing_cell_is_shown_as_missing(table: Path) -> None:
    """An empty cell prints as a dash and its model has no rank."""
    table.write_text("model,perf,memory\nA,70,\nB,60,4\nC,50,2\n")
    done = steelyard("rank", str(table), "--cap", "memory=32")
    assert ["-", "A", "-", "70.00", "-"] in [line.split() for line in done.stdout.splitlines()]
    assert "note: A is not ranked: no value for memory" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str) -> None:
    """`--help` of each command shows an example."""
    done = steelyard(command, "--help")
    assert done.returncode == 0
    assert "Example" in done.stdout
    assert f"steelyard {command}" in done.stdout


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
    """`doctor --json` lists every requirement with its version or the way to get it."""
    findings = {entry["name"]: entry for entry in json.loads(steelyard("doctor", "--json").stdout)}
    assert findings["pydantic"]["found"]
    assert findings["floret"]["fix"] == "pip install 'steelyard[fasttext]'"
    assert {"git", "node", "npm", "chromium"} <= set(findings)


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


def test_rank_names_a_table_that_cannot_be_read(table: Path) -> None:
    """Bytes that are not UTF-8, and a cell without end, are named with the file."""
    table.write_bytes(b"model,perf\nA,\xff\n")
    assert (
        "table.csv:2: row: 'A,\\udcff' has bytes that are not UTF-8;" in steelyard("rank", str(table)).stderr
    )
    table.write_text("model,perf\nA," + "1" * 200_000 + "\n")
    assert f"{table}:2: perf: '1111" in steelyard("rank", str(table)).stderr
