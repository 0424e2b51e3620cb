"""`steelyard rank` of any table: what it prints, what it reads, what it refuses."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
Run = Callable[..., tuple[int, str, str]]
PUBLISHED = ROOT / "tests" / "published"
TABLE = "model,perf,memory\nA,70,10\nB,60,4\nC,50,2\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


def test_rank_prints_json_in_its_documented_shape(run: Run, table: Path) -> None:
    """`rank --json` gives models with rank, score and contributions, exchange rates, and notes."""
    _, said, _ = run(
        "rank", table, "--base", "perf", "--weight", "perf=4", "--weight", "memory=1",
        "--lower-is-better", "memory", "--cap", "memory=32", "--json",
    )  # fmt: skip
    report = json.loads(said)
    assert [(row["model"], row["rank"]) for row in report["models"]] == [("A", 1), ("B", 2), ("C", 3)]
    assert report["models"][0]["contributions"] == {"perf": 56.0, "memory": pytest.approx(22 / 0.4 / 5)}
    assert report["exchange_rates"]["memory"]["rate"] == pytest.approx(0.4)
    assert report["notes"] == ["memory: 75 % of the exchange rate depends on one pair: A and B"]


def test_rank_prints_a_table(run: Run, table: Path) -> None:
    """Without --json, the verdict, a table, exchange rates and notes are printed; with --quiet the table alone."""
    verdict, *lines = run("rank", table, "--cap", "memory=32")[1].splitlines()
    assert verdict.startswith("B leads at these weights. A leads if memory counts ")
    assert verdict.endswith("% of all weightings.")
    assert run("--quiet", "rank", table, "--cap", "memory=32")[1].splitlines() == lines[:4]
    assert lines[0].split() == ["rank", "model", "Dynascore", "perf", "memory"]
    assert lines[1].split() == ["1", "B", "65.00", "60.00", "4.00"]
    assert "Exchange rates: units that trade for 1 unit of perf" in lines


def test_rank_says_how_far_exchange_rates_may_be_off(run: Run, table: Path) -> None:
    """B is 2.5 before A: 5 behind by perf and 7.5 ahead by memory, which 1.5 times its rate makes 5."""
    call = ("rank", table, "--cap", "memory=32")
    report = json.loads(run(*call, "--json")[1])
    found = report["rate_factor"]
    assert (found["factor"], found["rival"]) == (2.0, "A")
    assert found["break_factor"] == pytest.approx(1.5)
    line = "The leader stays first while the exchange rates are right within a factor of 1.5."
    assert found["about"] == line
    assert [row["ranks_within_factor"] for row in report["models"]] == [[1, 3]] * 3
    assert f"note: t{line[1:-1]}" in run(*call)[1].splitlines()
    assert "rate_factor" not in json.loads(run(*call, "--by", "z-score", "--json")[1])


def test_rank_by_z_score(run: Run, table: Path) -> None:
    """--by z-score ranks by the mean z-score, which then has a column; equal Dynascores need not tie."""
    lines = run("rank", table, "--cap", "memory=32", "--by", "z-score")[1].splitlines()[1:]
    assert lines[0].split() == ["rank", "model", "Dynascore", "z-score", "perf", "memory"]
    rows = [line.split() for line in lines[1:4]]
    assert [row[:3] for row in rows] == [["1", "B", "65.00"], ["2", "A", "62.50"], ["3", "C", "62.50"]]
    assert [row[3] for row in rows] == ["0.20", "-0.07", "-0.12"]


def test_the_absolute_threshold_can_be_given(run: Run) -> None:
    """--epsilon-absolute leaves near-equal pairs out, as the hate speech board needs."""
    table = str(PUBLISHED / "hate-speech.csv")
    weights = [
        f"--weight={name}" for name in ("perf=4", "throughput=1", "memory=1", "fairness=1", "robustness=1")
    ]
    rank = ["rank", table, "--base", "perf", *weights, "--cap", "memory=32", "--json"]
    kept, left_out = (json.loads(run(*rank, *more)[1]) for more in ([], ["--epsilon-absolute", "0.011"]))
    assert (kept["exchange_rates"]["memory"]["pairs"], left_out["exchange_rates"]["memory"]["pairs"]) == (
        6,
        5,
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "table.csv: is empty"),
        ("name,perf\nA,1\n", 'table.csv:1: the header must be "model"'),
        ("model,perf,perf\nA,1,2\n", "table.csv:1: header: has 'perf' twice"),
        ("model,perf\n", "table.csv: no models"),
        ("model,perf\nA,1\nB\n", "table.csv:3: row: ['B'] has 1 columns, not 2"),
        ("model,perf\nA,1\nA,2\n", "table.csv:3: model: 'A' is on line 2 too"),
    ],
)
def test_a_bad_table_exits_1_and_names_the_cell(run: Run, table: Path, content: str, message: str) -> None:
    """A malformed table is a problem found: exit 1, one message."""
    table.write_text(content)
    code, _, said = run("rank", table)
    assert (code, message in said) == (1, True), said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--weight", "perf"], "write it as name=number"),
        (["--weight", "speed=1"], "the board has no such metric; there are perf, memory"),
        (["--weight", "momery=1"], "the board has no such metric; did you mean memory?"),
        (["--weight", "perf=-1"], "-1.0 is not a finite number of at least 0"),
        (["--base", "speed"], "'speed': {table} has no such column"),
        (["--cap", "speed=1"], "'speed': {table} has no such column"),
        (["--higher-is-better", "speed"], "'speed': {table} has no such column"),
        (
            ["--higher-is-better", "memory", "--lower-is-better", "memory"],
            "--lower-is-better says the opposite",
        ),
        (["--higher-is-better", "memory", "--cap", "memory=32"], "--cap says the opposite; give one"),
        (["--epsilon", "1", "--epsilon-absolute", "1"], "give one of them"),
        (["--epsilon", "x"], "'x' is not a valid float"),
    ],
)
def test_a_wrong_call_exits_2(run: Run, table: Path, arguments: list[str], message: str) -> None:
    """A call that makes no sense exits 2 and says what was expected."""
    code, _, said = run("rank", table, *arguments)
    assert (code, message.format(table=table) in said) == (2, True), said


@pytest.mark.parametrize(
    "content",
    [
        TABLE.encode(),
        TABLE.replace(",", "\t").encode(),
        TABLE.replace(",", ";").replace("70", "70,0").encode(),
        TABLE.encode("utf-16"),
        "\ufeff".encode() + TABLE.encode(),
        gzip.compress(TABLE.encode()),
    ],
    ids=["commas", "tabs", "semicolons", "utf-16", "bom", "gzip"],
)
def test_a_table_comes_in_many_forms(
    run: Run, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All rank alike, from a file of any name and from standard input."""
    (tmp_path / "plain.csv").write_text(TABLE)
    expected = run("rank", tmp_path / "plain.csv", "--json")[1]
    path = tmp_path / "other.table"
    path.write_bytes(content)
    assert run("rank", path, "--json")[1] == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert run("rank", "-", "--json")[1] == expected


@pytest.mark.parametrize("cell", ["nan", "inf", "-1e999", "null", "high", "1,5x"])
def test_a_cell_that_is_no_number_is_named_with_its_line(run: Run, cell: str, tmp_path: Path) -> None:
    """File, line, column and cell, as they are in the file."""
    path = tmp_path / "bad.tsv"
    path.write_text(f"model\tacc\nA\t1\n\nB\t{cell}\n")
    code, _, said = run("rank", path)
    assert code == 1
    assert said.startswith(f"steelyard: {path}:4: acc: {cell!r} is not a ")


def test_an_empty_cell_and_a_dash_are_missing(run: Run, tmp_path: Path) -> None:
    """Neither is 0, and neither is an error."""
    path = tmp_path / "gaps.csv"
    path.write_text("model,acc,memory\nA,70,\nB,60,-\nC,50,2\n")
    ranking = json.loads(run("rank", path, "--json")[1])
    assert [(row["model"], row["rank"]) for row in ranking["models"]] == [("C", 1), ("A", None), ("B", None)]


@pytest.mark.parametrize(
    ("name", "cost"),
    [
        *(
            (name, True)
            for name in ("latency_ms", "cost_usd", "memory", "error", "loss", "perplexity", "wer")
        ),
        *(
            (name, True)
            for name in (
                "WER (%)",
                "evalLoss",
                "p95-latency",
                "Peak RAM",
                "memoryGB",
                "brier_score",
                "runtime",
                "TTFT",
            )
        ),
        *((name, False) for name in ("glossary", "accuracy", "terse", "memorability", "lossless", "answer")),
        *(
            (name, False)
            for name in ("error_correction", "memory_saved", "accuracy_per_cost", "perplexity_gain")
        ),
    ],
)
def test_a_column_is_a_cost_by_the_words_of_its_name(run: Run, tmp_path: Path, name: str, cost: bool) -> None:
    """The model with the lower number is first then, and one line says so; a part of a word says nothing."""
    path = tmp_path / "results.csv"
    path.write_text(f"model,{name}\nA,1\nB,2\n")
    document = json.loads(run("rank", path, "--json")[1])
    assert document["models"][0]["model"] == ("A" if cost else "B")
    said = f"lower is taken as better, by the name: {name}; --higher-is-better overrules"
    assert (said in document["notes"]) is cost
    assert (f"note: {said}\n" in run("rank", path)[1]) is cost


def test_what_a_call_says_of_a_column_goes_before_its_name(run: Run, table: Path) -> None:
    """--higher-is-better makes a good of it; --lower-is-better says what was guessed, so no line does."""
    for option, first in (("--higher-is-better", "A"), ("--lower-is-better", "C")):
        document = json.loads(run("rank", table, option, "memory", "--weight", "memory=1", "--json")[1])
        assert document["models"][0]["model"] == first
        assert not any("by the name" in line for line in document["notes"])
