"""Verdicts of a judge and labels of people in files of results: found, put together, stored, or refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from results_world import plan_of, write

from evaluator.records.board import load_boards
from evaluator.records.store import Store

#: What people and the judge say of eight answers of each of two models; people were asked about some.
JUDGE = {"A": [1, 1, 0, 1, 1, 0, 1, 1], "B": [1, 1, 1, 1, 0, 1, 1, 1]}
PEOPLE: dict[str, list[int | None]] = {
    "A": [1, 1, 0, None, 1, None, None, 1],
    "B": [0, 1, 1, None, 0, None, None, 0],
}

Run = Callable[..., tuple[int, str, str]]


def csv(*columns: str, judge: str = "", human: str = "", only_asked: bool = False) -> str:
    """Rows of an answer each, with a verdict, a label or both."""
    lines = [",".join(["model", "id", *filter(None, (judge, human))])]
    for model, verdicts in JUDGE.items():
        for at, (verdict, label) in enumerate(zip(verdicts, PEOPLE[model], strict=True)):
            if not only_asked or label is not None:
                cells = [str(verdict)] * bool(judge) + ["" if label is None else str(label)] * bool(human)
                lines.append(",".join([model, f"q{at}", *cells]))
    return "\n".join([*lines, *columns]) + "\n"


def metrics(plan: Any) -> list[dict[str, tuple[str, str | None]]]:
    return [
        {name: (one.column, one.human) for name, one in each.spec.metrics.items()} for each in plan.understood
    ]


@pytest.mark.parametrize(
    ("judge", "human", "name"),
    [
        ("judge", "human", "judge"),
        ("quality_judge", "quality_human", "quality"),
        ("helpful (LLM judge)", "helpful (annotators)", "helpful"),
        ("auto_score", "expert_score", "auto-score"),
        ("quality", "quality_human", "quality"),
    ],
)
def test_labels_are_found_by_their_name(tmp_path: Path, judge: str, human: str, name: str) -> None:
    """A column that is called after people is of what the one says that is called after a judge."""
    plan = plan_of(tmp_path, "chats.csv", csv(judge=judge, human=human))
    assert metrics(plan) == [{name: (judge, human)}]
    assert [(one.name, one.unit) for one in plan.metrics] == [(name, "%")]


def test_labels_are_found_where_they_are_told(tmp_path: Path) -> None:
    """Any column may be told to be what people said of another, or of the only other."""
    text = csv(judge="grade", human="truth")
    assert metrics(plan_of(tmp_path, "chats.csv", text)) == [
        {"grade": ("grade", None), "truth": ("truth", None)}
    ]
    for role in ("human", "human:grade"):
        found = plan_of(tmp_path, "chats.csv", text, columns={role: "truth"})
        assert metrics(found) == [{"grade": ("grade", "truth")}]


def test_two_numbers_of_people_are_no_judge_and_labels(tmp_path: Path) -> None:
    """Where no column is called after a judge and none has gaps, each is a metric of its own."""
    text = "model,id,human_clarity,human_style\n" + "".join(
        f"{m},q{at},{(m < 'B') * at % 2},{(m > 'A') * at // 2}\n" for m in "AB" for at in range(4)
    )
    assert [set(one) for one in metrics(plan_of(tmp_path, "chats.csv", text))] == [
        {"human-clarity", "human-style"}
    ]


def board(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> Path:
    """A board of these files in its own folder, in which the program runs from now on."""
    files = [part for name in names for part in ("--results", f"board/{name}")]
    assert run("init", "board", *files, "--author", "me")[0] == 0
    monkeypatch.chdir(tmp_path / "board")
    return tmp_path / "board"


def scores(folder: Path, dataset: str, metric: str) -> list[Any]:
    store = Store(folder / "results")
    return [store.load(store.path("scored", dataset, model)).scores[metric] for model in "AB"]


def corrected(weight: float) -> list[float]:
    """By hand, in per cent."""
    found = []
    for model, verdicts in JUDGE.items():
        asked = [at for at, label in enumerate(PEOPLE[model]) if label is not None]
        rest = [float(PEOPLE[model][at] or 0) - weight * verdicts[at] for at in asked]
        found.append(100 * (weight * float(np.mean(verdicts)) + float(np.mean(rest))))
    return found


@pytest.mark.parametrize("apart", [False, True])
def test_labels_beside_verdicts_or_in_a_file_of_their_own(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, apart: bool
) -> None:
    """Both make the same board of corrected scores, which `steelyard import` alone reads again."""
    if apart:
        write(tmp_path, "board/chats.csv", csv(judge="judge"))
        write(tmp_path, "board/people.csv", csv(human="human", only_asked=True))
        folder = board(run, tmp_path, monkeypatch, "chats.csv", "people.csv")
    else:
        write(tmp_path, "board/chats.csv", csv(judge="judge", human="human"))
        folder = board(run, tmp_path, monkeypatch, "chats.csv")
    found = scores(folder, "chats", "judge")
    weight = found[0].judged.weight
    assert [one.value for one in found] == pytest.approx(corrected(weight))
    assert [one.judged.labels for one in found] == [5, 5]
    assert run("import")[:2] == (0, "2 models on 1 dataset: 2 unchanged\n")
    assert run("check")[0] == 0
    assert (
        "note: Judge: with the judge, 5 labels of people for each model are worth" in run("rank", "board")[1]
    )


def test_a_ranking_as_json_says_what_is_behind_a_judge_s_score(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each model: labels, the judge's weight, the judge alone, its excess over people and what it is worth."""
    write(tmp_path, "board/chats.csv", csv(judge="judge", human="human"))
    folder = board(run, tmp_path, monkeypatch, "chats.csv")
    found = {row["model"]: row["judged"] for row in json.loads(run("rank", "board", "--json")[1])["models"]}
    kept = dict(zip("AB", scores(folder, "chats", "judge"), strict=True))
    assert found == {model: {"chats": {"judge": one.judged.model_dump()}} for model, one in kept.items()}
    assert set(found["A"]["chats"]["judge"]) == {
        "labels",
        "weight",
        "judge",
        "excess",
        "excess_error",
        "worth",
    }


def test_labels_may_come_later_and_stay(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Into a board of verdicts; when these are imported again by themselves, the labels are not lost."""
    write(tmp_path, "board/chats.csv", csv(judge="judge"))
    folder = board(run, tmp_path, monkeypatch, "chats.csv")
    assert scores(folder, "chats", "judge")[0].judged is None
    write(folder, "people.csv", csv(human="human", only_asked=True))
    assert run("import", "people.csv", "--metric", "human=judge", "--dataset", "chats")[0] == 0
    after = scores(folder, "chats", "judge")
    assert [one.value for one in after] == pytest.approx(corrected(after[0].judged.weight))
    write(folder, "chats.csv", csv(judge="judge").replace("A,q3,1", "A,q3,0"))
    assert run("import", "chats.csv")[0] == 0
    again = scores(folder, "chats", "judge")
    assert [one.judged.labels for one in again] == [5, 5]
    assert again[0].value < after[0].value


def test_a_table_of_published_numbers_leaves_labels_as_they_are(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers of other metrics that come beside a judged one do not undo its correction."""
    write(tmp_path, "board/chats.csv", csv(judge="judge", human="human"))
    folder = board(run, tmp_path, monkeypatch, "chats.csv")
    before = scores(folder, "chats", "judge")
    text = (folder / "board.toml").read_text("utf-8")
    (folder / "board.toml").write_text(text.replace(', human = "human"', ""), "utf-8")
    write(folder, "costs.csv", "model,cost_usd\nA,1.5\nB,2.5\n")
    assert run("import", "costs.csv", "--dataset", "chats")[0] == 0
    assert scores(folder, "chats", "judge") == before
    assert [one.value for one in scores(folder, "chats", "cost")] == [1.5, 2.5]


def test_several_people_of_one_answer_are_one_label(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a file of their own, told apart as repeats are: the label is their mean."""
    write(tmp_path, "board/chats.csv", csv(judge="judge"))
    lines = ["model,id,annotator_run,human"]
    lines += [
        f"{model},q{at},{who},{who % 2 if at == 0 else 1}"
        for model in "AB"
        for at in (0, 1, 2)
        for who in (1, 2)
    ]
    write(tmp_path, "board/people.csv", "\n".join(lines) + "\n")
    files = ("--results", "board/chats.csv", "--results", "board/people.csv")
    assert run("init", "board", *files, "--author", "me", "--column", "trial=annotator_run")[0] == 0
    store = Store(tmp_path / "board/results")
    kept = store.predictions(store.load(store.path("scored", "chats", "A")))
    assert kept.human["judge"][:3] == (50.0, 100.0, 100.0)


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("A,q99,1", "A has a label of 'q99', and no verdict of a judge"),
        ("C,q1,1", "C has labels of people on chats, and no verdicts of a judge"),
        ("A,q3,7", "7 is outside 0 to 1"),
    ],
)
def test_labels_that_fit_nothing_are_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, label: str, message: str
) -> None:
    """Of an answer or a model that no judge saw, or out of the range: nothing is written."""
    write(tmp_path, "board/chats.csv", csv(judge="judge"))
    write(tmp_path, "board/people.csv", csv(human="human", only_asked=True))
    folder = board(run, tmp_path, monkeypatch, "chats.csv", "people.csv")
    before = {path: path.read_bytes() for path in folder.rglob("*.json")}
    write(folder, "people.csv", csv(label, human="human", only_asked=True))
    code, _, err = run("import")
    assert (code, message in err) == (1, True), err
    assert "people.csv" in err
    assert {path: path.read_bytes() for path in folder.rglob("*.json")} == before


def test_a_board_file_says_where_labels_are(tmp_path: Path) -> None:
    """A metric has a column, or labels alone; these are of rows that are examples."""
    text = 'title = "T"\n[[imports]]\npath = "x.csv"\nrows = "{}"\nmodel = "m"\nexample = "i"\n[imports.metrics]\nq = {{{}}}\n'
    for rows, said, message in (
        ("examples", "scale = 2", "metrics: q: column: is missing"),
        ("models", 'column = "j", human = "h"', "metrics: q: human: labels of people are by example"),
    ):
        path = write(tmp_path, "board.toml", text.format(rows, said))
        with pytest.raises(Exception, match=message):
            load_boards(path)
