"""Answers to perturbed texts that were given elsewhere: models that cannot be asked here have suites too."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_boards import small_board

from evaluator.cli import main
from evaluator.records.board import load_boards
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_board

BRIDGES = """
[[datasets]]
id = "bridges"
label = "Bridges"
task = "qa"
path = "bridges.jsonl"
format = "jsonl"
columns = { id = "id", context = "context", question = "question", answers = "answers" }
suites = ["robustness"]
"""
TEXTS = ["The soup was cold", "What a lovely evening", "I would come again", "The waiter had gone home"]
GOLD = ["negative", "positive", "positive", "negative"]
OTHER = {"negative": "positive", "positive": "negative"}
CONTEXT = "The bridge was opened in 1932 by the mayor and closed again in 1951."

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls the program in a folder with two datasets; gives its exit code, stdout and stderr."""
    board = small_board("accuracy", "robustness", dataset='suites = ["robustness"]')
    (tmp_path / "board.toml").write_text(board + BRIDGES)
    lines = (f"{text}\t{label}\n" for text, label in zip(TEXTS, GOLD, strict=True))
    (tmp_path / "d.tsv").write_text("".join(lines))
    question = {"id": "q", "context": CONTEXT, "question": "When was it closed?", "answers": ["1951"]}
    (tmp_path / "bridges.jsonl").write_text(json.dumps(question) + "\n")
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        done = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, done.out, done.err

    return call


def answers(path: str, given: dict[str, str]) -> str:
    """A file of answers by id; its name."""
    Path(path).write_text("id,label\n" + "".join(f"{id_},{label}\n" for id_, label in given.items()))
    return path


def own(wrong: int = 0) -> dict[str, str]:
    """Right answers to the reviews, but for the first few."""
    return {str(row): OTHER[label] if row < wrong else label for row, label in enumerate(GOLD)}


def variants(run: Run, dataset: str = "d") -> list[dict[str, Any]]:
    """What `perturb` hands out to be answered elsewhere."""
    assert run("perturb", dataset, "--variants", "variants.jsonl")[0] == 0
    return [json.loads(line) for line in Path("variants.jsonl").read_text().splitlines()]


def imported(run: Run, file: str, model: str, *options: str, dataset: str = "d") -> str:
    code, shown, said = run("import", file, "--dataset", dataset, "--model", model, *options)
    assert code == 0, said
    return shown


def test_imported_models_have_suites_and_rank_sets(run: Run) -> None:
    """Agreement is the mean over examples of the share of unchanged answers, a missing answer being a changed one."""
    rows = variants(run)
    assert {tuple(row) for row in rows} == {("id", "statement")}
    for model, wrong in (("one", 0), ("two", 1)):
        first = own(wrong)
        imported(run, answers("own.csv", first), model)
        said = {row["id"]: first[row["id"].split("#")[0]] for row in rows}
        changed = [*said][::3]
        given = {id_: OTHER[label] if id_ in changed else label for id_, label in said.items()}
        del given[rows[-1]["id"]]
        shown = imported(run, answers("tried.csv", given), model, "--suite", "robustness")
        assert "1 missing, counted as wrong" in shown
        same = defaultdict(list)
        for id_, label in said.items():
            same[id_.split("#")[0]].append(given.get(id_) == label)
        expected = 100 * sum(sum(one) / len(one) for one in same.values()) / len(same)
        result = Store(Path("results")).find("sentiment", "d", model)
        assert result is not None
        assert result.scores["robustness"].value == pytest.approx(expected)
        assert result.suites["robustness"].variants == len(rows)
    assert run("check")[1].endswith(": 0 problems in 2 results\n")
    ranking = json.loads(run("rank", "b", "--weight", "robustness=1", "--json")[1])
    assert [row["rank_set"] for row in ranking["models"]] == [[1, 2], [1, 2]]


def test_a_model_that_answers_everything_alike_is_known_by_its_answers(run: Run) -> None:
    """However it was made: nothing changes its answer. One that says another thing of a variant is none such."""
    rows = variants(run)
    for model, turned in (("steady", False), ("turned", True)):
        imported(run, answers("own.csv", dict.fromkeys(own(), "positive")), model)
        given = {row["id"]: "positive" for row in rows} | ({rows[0]["id"]: "negative"} if turned else {})
        imported(run, answers("tried.csv", given), model, "--suite", "robustness")
    imported(run, answers("own.csv", own()), "right")
    given = {row["id"]: own()[row["id"].split("#")[0]] for row in rows}
    imported(run, answers("tried.csv", given), "right", "--suite", "robustness")
    boards, store = load_boards(Path("board.toml")), Store(Path("results"))
    assembled = assemble_board(boards.boards[0], boards, store, store.results())
    assert [*assembled.entries] == ["right", "steady", "turned"]
    assert assembled.one_answer == {"robustness": [1]}


def test_a_suite_stays_with_the_answers_that_it_was_compared_with(run: Run) -> None:
    """The same answers again keep it; others lose it, and the import says so."""
    imported(run, answers("own.csv", own()), "one")
    given = {row["id"]: GOLD[int(row["id"].split("#")[0])] for row in variants(run)}
    for said in ("imported", "unchanged"):
        shown = imported(run, answers("tried.csv", given), "one", "--suite", "robustness")
        assert (": unchanged: " in shown) == (said == "unchanged")
    again = imported(run, "own.csv", "one")
    assert ": unchanged: " in again
    assert "robustness 100 %" in again
    assert "robustness was about other answers" in imported(run, answers("own.csv", own(1)), "one")
    assert not list(Path("results").rglob("*.variants.json"))


def test_answers_in_words_are_compared_by_their_words(run: Run) -> None:
    """Of questions, agreement is the overlap with the model's own answer."""
    rows = variants(run, "bridges")
    Path("own.jsonl").write_text(json.dumps({"id": "q", "answer": "again in 1951"}) + "\n")
    imported(run, "own.jsonl", "one", dataset="bridges")
    said = (json.dumps({"id": row["id"], "answer": "in 1951"}) + "\n" for row in rows)
    Path("tried.jsonl").write_text("".join(said))
    shown = imported(run, "tried.jsonl", "one", "--suite", "robustness", dataset="bridges")
    # Two words of the first's three, and both of the second's.
    assert f"robustness 80 % of {len(rows)} variants" in shown
    assert run("check")[1].endswith(": 0 problems in 1 result\n")


def test_what_is_no_answer_to_a_variant_is_refused(run: Run) -> None:
    """Whatever is wrong, nothing is written and the message says what to do."""
    answers("own.csv", own())
    answers("none.csv", {"0#Nothing": "positive"})
    about, tried = ["--dataset", "d", "--model", "one"], ["--suite", "robustness"]
    code, _, said = run("import", "none.csv", *about, *tried)
    assert (code, "import what one answers to d first, without --suite" in said) == (1, True)
    imported(run, "own.csv", "one")
    before = {path: path.read_bytes() for path in Path("results").rglob("*.*")}
    for call, exits, message in (
        (["none.csv", *about, *tried], 1, "none.csv:2: id: '0#Nothing' is no example of d"),
        (["own.csv", *about, "--suite", "robust"], 2, "did you mean robustness?"),
        (["own.csv", *about, *tried, "--source", "x"], 2, "--source: is for a model's own answers"),
        ([*about, *tried], 2, "--suite: give one FILE, --dataset and --model"),
    ):  # fmt: skip
        code, _, said = run("import", *call)
        assert (code, message in said) == (exits, True), said
    assert {path: path.read_bytes() for path in Path("results").rglob("*.*")} == before
