"""`steelyard rank --trade`: a table or a board ranked by trade-offs in the terminal."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]
READABLE = Path(__file__).parents[2] / "examples" / "readable" / "board.toml"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text("model,perf,speed,memory\nA,70,100,10\nB,60,400,4\nC,50,100,2\n")
    return path


def test_a_table_is_ranked_by_what_one_unit_of_its_base_metric_is_worth(run: Run, table: Path) -> None:
    trades = ["--trade", "speed=10 %", "--trade", "memory=0.5"]
    code, said, _ = run("rank", table, *trades, "--json")
    report = json.loads(said)
    assert code == 0
    assert (report["by"], report["trades"]) == ("trades", {"speed": "10 %", "memory": 0.5})
    found = scores(report)
    expected = [(70, 100, 10), (60, 400, 4), (50, 100, 2)]
    assert list(found) == ["B", "A", "C"]
    assert [found[model] for model in "ABC"] == pytest.approx(
        [perf + math.log(speed) / math.log(1.1) - memory / 0.5 for perf, speed, memory in expected]
    )
    assert report["notes"] == [
        "lower is taken as better, by the name: memory; --higher-is-better overrules",
        "ranked by declared trade-offs: 1 of perf is worth 10 % of speed and 0.5 of memory; no score depends on"
        " other models",
    ]


def test_the_terminal_has_scores_and_no_exchange_rates(run: Run, table: Path) -> None:
    _, said, notes = run("rank", table, "--lower-is-better", "memory", "--trade", "memory=0.5")
    verdict, *lines = said.splitlines()
    assert verdict == "B leads by these trade-offs. A leads if 1 of perf is worth 0.601 of memory (now 0.5)."
    assert lines[0].split() == ["rank", "model", "score", "perf", "speed", "memory"]
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["1", "B", "52.00"],
        ["2", "A", "50.00"],
        ["3", "C", "46.00"],
    ]
    assert not any("Exchange rates" in line for line in lines)
    assert "1 of perf is worth 0.5 of memory" in said + notes


def test_an_amount_of_a_board_may_be_in_another_unit(run: Run) -> None:
    """Its rank sets are those of the trade-offs."""
    asked = ["rank", "sentences", "--board", READABLE, "--json"]
    small, large = (
        json.loads(run(*asked, "--trade", f"memory={amount}", "--trade", "throughput=20 %")[1])
        for amount in ("100 MB", "0.1")
    )
    assert small == large
    assert small["trades"] == {"throughput": "20 %", "memory": 0.1}
    assert all(row["rank_set"] for row in small["models"])
    assert small["models"] != json.loads(run(*asked)[1])["models"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--trade", "memory=1", "--trade", "memory=2"], "'memory' is given twice; give it once"),
        (["--weight", "memory=1", "--weight", "memory=2"], "'memory' is given twice; give it once"),
        (["--trade", "memory"], "'memory': write it as name=amount, such as memory=\"100 MB\""),
        (["--trade", "memry=1"], "--trade 'memry': the board has no such metric; did you mean memory?"),
        (
            ["--trade", "memory=much"],
            '--trade memory: \'much\' is no amount; write it as "0.5", or as "10 %"',
        ),
        (["--trade", "memory=1 GB"], "--trade memory: '1 GB' is in 'GB', the metric in no unit"),
        (["--trade", "memory=0"], "--trade memory: '0' is not above 0"),
        (
            ["--trade", "perf=1"],
            "--trade perf: is the base metric, of which one unit is what others are worth",
        ),
        (["--trade", "memory=1", "--by", "mean"], "--trade and --by mean: trade-offs rank by themselves"),
        (
            ["--trade", "memory=1", "--weight", "perf=1"],
            "--weight: is for other scores, and this ranks by trade-offs",
        ),
        (
            ["--trade", "memory=1", "--rate", "ratio"],
            "--rate: is for other scores, and this ranks by trade-offs",
        ),
        (["--by", "trades"], '--by trades: none are declared; give some, such as --trade memory="100 MB"'),
    ],
)
def test_what_cannot_be_traded_is_said(run: Run, table: Path, options: list[str], said: str) -> None:
    code, _, error = run("rank", table, *options)
    assert code == 2
    assert said in " ".join(error.split())


def test_a_boards_own_trade_offs_rank_it(run: Run, tmp_path: Path) -> None:
    before, board, after = READABLE.read_text().partition('base = "accuracy"\n')
    own = 'by = "trades"\ntrades = { memory = "100 MB", throughput = "20 %" }\n'
    (tmp_path / "board.toml").write_text(before + own + board + after)
    results = READABLE.parents[2] / "results"
    options = ["--board", tmp_path / "board.toml", "--results", results, "--json"]
    found = json.loads(run("rank", "sentences", *options)[1])
    trades = ["--trade", "throughput=20 %", "--trade", "memory=0.1"]
    given = json.loads(run("rank", "sentences", "--board", READABLE, "--json", *trades)[1])
    assert scores(found) == scores(given)
    assert found["trades"] == {"throughput": "20 %", "memory": 0.1}
    assert json.loads(run("rank", "sentences", *options, "--by", "dynascore")[1])["exchange_rates"]
    code, _, error = run("rank", "sentences", *options, "--weight", "accuracy=1")
    assert (code, "--weight: is for other scores" in error) == (2, True)


def scores(report: dict[str, Any]) -> dict[str, float]:
    return {row["model"]: row["dynascore"] for row in report["models"]}
