"""A board whose columns are metrics that ask a network: imported, ranked, rescored, checked and built."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import tiny_networks as tiny

from evaluator.cli import main
from evaluator.records.board import CheckpointSpec, load_boards
from evaluator.records.errors import UserError
from evaluator.records.store import Store
from evaluator.score.metrics import use_checkpoints

pytestmark = pytest.mark.slow

BOARD = """
title = "Neural"

[[datasets]]
id = "pets"
label = "Pets"
task = "generation"
path = "pets.tsv"
format = "tsv"
columns = { text = "source", answers = "target" }

[[checkpoints]]
metric = "bertscore"
path = "weights/bert"
options = { layer = 1 }

[[checkpoints]]
metric = "comet"
path = "weights/comet"

[[checkpoints]]
metric = "perplexity"
path = "weights/gpt"

[[boards]]
id = "translation"
title = "Translation"
task = "generation"
base = "bertscore"
datasets = ["pets"]
metrics = [
  { name = "bertscore", label = "BERTScore", unit = "%" },
  { name = "comet", label = "COMET", unit = "" },
  { name = "perplexity", label = "Perplexity", unit = "", direction = "lower", cap = 16.0 },
]
"""
COLUMNS = ("bertscore", "comet", "perplexity")
Run = Callable[..., str]


def steelyard(*arguments: str) -> int:
    """Run a command in the current folder; its exit status."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    use_checkpoints(())
    return int(ended.value.code or 0)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the board, its data, its weights, and three models' answers imported."""
    folder = tmp_path_factory.mktemp("neural") / "board"
    folder.mkdir()
    (folder / "board.toml").write_text(BOARD)
    for make, name in ((tiny.bert, "bert"), (tiny.comet, "comet"), (tiny.gpt, "gpt")):
        make(folder / "weights" / name)
    chance = random.Random(0)
    texts = [" ".join(chance.choices(tiny.WORDS, k=chance.randint(2, 9))) for _ in range(40)]
    (folder / "pets.tsv").write_text("source\ttarget\n" + "".join(f"{t}\t{t} .\n" for t in texts))
    with contextlib.chdir(folder):
        for model in ("one", "two", "three"):
            answers = [chance.choice(texts) if chance.random() < 0.5 else text for text in texts]
            rows = [json.dumps({"id": f"{i}", "answer": a}) for i, a in enumerate(answers)]
            Path("answers.jsonl").write_text("\n".join(rows))
            assert steelyard("import", "answers.jsonl", "--dataset", "pets", "--model", model) == 0
    return folder


@pytest.fixture
def run(
    imported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """What runs commands in a copy of that folder, and gives what they print."""
    monkeypatch.chdir(shutil.copytree(imported, tmp_path / "board"))

    def command(*arguments: str, code: int = 0) -> str:
        status = steelyard(*arguments)
        printed = capsys.readouterr()
        assert status == code, printed.out + printed.err
        return printed.out + printed.err

    return command


def results() -> dict[str, dict[str, float]]:
    found = Store(Path("results")).results()
    return {r.model.id: {name: score.value for name, score in r.scores.items()} for r in found}


def test_its_columns_are_ranked_checked_and_built(run: Run) -> None:
    """Every model has a number and a rank set; stored scores are computed again. Where the weights are missing
    they are left, and the site needs none."""
    assert all(set(COLUMNS) <= set(scores) for scores in results().values())
    ranked = json.loads(run("rank", "translation", "--json"))["models"]
    assert all(row["rank_set"] for row in ranked)
    checked = run("check")
    assert "0 problems in 3 results" in checked
    assert checked.count("not recomputed") == checked.count("asks a network, and no two machines") == 3
    Path("weights").rename("elsewhere")
    assert "bertscore: weights/bert: no such folder; put its weights there" in run("check")
    run("build", "--output", "site")
    assert "BERTScore" in Path("site/translation/index.html").read_text()


def test_other_weights_are_scored_again(run: Run) -> None:
    """Rescoring notes that the weights are others, by their hash; with the same ones nothing changes."""
    before = results()
    assert "everything is up to date" in run("evaluate")
    tiny.bert(Path("weights/bert"), seed=1)
    assert "3 updated" in run("evaluate")
    after = results()
    assert all(after[model]["bertscore"] != before[model]["bertscore"] for model in before)
    assert all(after[model]["comet"] == before[model]["comet"] for model in before)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('metric = "bertscore"', "path/model: give exactly one of them: where are the weights"),
        ('metric = "bertscore"\npath = "a"\nmodel = "b/c"', "path/model: give exactly one of them"),
        ('metric = "bertscore"\nmodel = "b/c"', "revision: goes with model, which may change without it"),
        ('metric = "bertscore"\nmodel = "b/c"\nrevision = "main"', "revision"),
        ('metric = "bertscore"\npath = "a"\nsize = 3', "size"),
        ('metric = "comet"\npath = "a"\n[[checkpoints]]\nmetric = "comet"\npath = "b"', "metric"),
    ],
)
def test_what_a_board_file_says_wrongly_is_named(tmp_path: Path, lines: str, message: str) -> None:
    """Weights are in one place, those of the hub are pinned, and each metric has one set."""
    plain = BOARD[: BOARD.index("[[checkpoints]]")] + BOARD[BOARD.index("[[boards]]") :]
    (tmp_path / "board.toml").write_text(f"{plain}\n[[checkpoints]]\n{lines}\n")
    with pytest.raises(UserError, match=f"checkpoints.*{message}"):
        load_boards(tmp_path / "board.toml")


def test_weights_of_a_metric_that_reads_none_are_an_error() -> None:
    """The message names those that read some."""
    with pytest.raises(UserError, match="checkpoints: 'wer' is none of bertscore, bleurt"):
        use_checkpoints([CheckpointSpec(metric="wer", path="a")])
