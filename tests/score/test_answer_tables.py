"""Tables with the answers of several models, several runs of each, and numbers beside the answers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import forked_command
import pytest
from small_boards import results_by_model as stored

from evaluator.notebook.predictions import ModelPredictions
from evaluator.records.board import load_boards
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_board, sampled

GOLD = {"q1": "yes", "q2": "no", "q3": "yes", "q4": "no", "q5": "yes", "q6": "no"}
BOARD = """
title = "T"

[[datasets]]
id = "quiz"
label = "Quiz"
task = "classification"
path = "quiz.csv"
format = "csv"
columns = { id = "id", text = "text", label = "gold" }
labels = ["no", "yes"]
show_gold = true

[[boards]]
id = "b"
title = "B"
task = "classification"
base = "accuracy"
datasets = ["quiz"]
weights = { accuracy = 1 }
metrics = [
  { name = "accuracy", label = "Accuracy", unit = "%" },
  { name = "cost", label = "Cost", unit = "USD", direction = "lower", cap = "max" },
]
"""
HEAD = "model,run,id,answer,cost_usd"
#: What each model answers in each of three runs, and what an answer costs.
SAID = {
    "Big (2026)": (["yes no yes no yes no", "yes no no no yes no", "yes no yes no yes yes"], 0.5),
    "Small": (["yes yes yes no no no", "no no yes yes no no", "yes no no no no no"], 0.25),
}

Run = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "board.toml").write_text(BOARD)
    rows = "".join(f"{id_},Is {id_} so?,{gold}\n" for id_, gold in GOLD.items())
    (tmp_path / "quiz.csv").write_text(f"id,text,gold\n{rows}")
    return tmp_path


@pytest.fixture
def steelyard(folder: Path) -> Run:
    """Run a command in the folder; what it printed."""

    def run(*arguments: str, code: int = 0) -> str:
        done = forked_command.run(*arguments, cwd=folder)
        assert done.returncode == code, f"{done.stdout}{done.stderr}"
        return f"{done.stdout}{done.stderr}"

    return run


def rows_of(said: dict[str, tuple[list[str], float]] = SAID) -> list[str]:
    return [
        f"{model},{run},{id_},{answer},{cost}"
        for model, (runs, cost) in said.items()
        for run, answers in enumerate(runs, 1)
        for id_, answer in zip(GOLD, answers.split(), strict=True)
    ]


def write(folder: Path, rows: Iterable[str], head: str = HEAD) -> str:
    path = folder / "answers.csv"
    path.write_text("".join(f"{row}\n" for row in [head, *rows]))
    return str(path)


def certainty(folder: Path) -> dict[str, Any]:
    boards, store = load_boards(folder / "board.toml"), Store(folder / "results")
    return sampled(assemble_board(boards.boards[0], boards, store, store.results()), store)["quiz"]


def test_one_command_scores_all_models_and_keeps_what_each_answer_cost(folder: Path, steelyard: Run) -> None:
    """Runs are trials of their examples: accuracy is the mean over runs, and costs are means of examples."""
    printed = steelyard("import", write(folder, rows_of()))
    assert "the mean of 3 runs of each example" in printed
    found = stored(folder)
    assert {model: one.model.label for model, one in found.items()} == {
        "Big-2026": "Big (2026)",
        "Small": "Small",
    }
    shares = {"Big-2026": (6 + 5 + 5) / 18, "Small": (4 + 3 + 4) / 18}
    for model, one in found.items():
        assert (one.provenance, one.dataset.examples) == ("predictions", 6)
        assert one.scores["accuracy"].value == pytest.approx(100 * shares[model])
        assert one.scores["accuracy"].version == "accuracy-1"
    assert {model: one.scores["cost"].value for model, one in found.items()} == {
        "Big-2026": 0.5,
        "Small": 0.25,
    }
    kept = Store(folder / "results").predictions(found["Small"])
    assert (kept.trials, kept.examples, len(kept.predicted or ())) == (3, 6, 18)
    assert certainty(folder)["examples"] == 6
    assert "0 problems" in steelyard("check")


def test_a_board_file_says_how_the_table_is_read_again(folder: Path, steelyard: Run) -> None:
    """Without a file the same table is read, and a file that says nothing new changes nothing."""
    steelyard("import", write(folder, rows_of()))
    before = {path: path.read_bytes() for path in (folder / "results").rglob("*.json")}
    [spec] = load_boards(folder / "board.toml").predictions
    assert (spec.dataset, spec.path, spec.models, spec.values) == (
        "quiz",
        "answers.csv",
        {},
        {"cost": "cost_usd"},
    )
    text = (folder / "board.toml").read_bytes()
    assert steelyard("import").count("unchanged") == 2
    assert steelyard("import", str(folder / "answers.csv")).count("unchanged") == 2
    assert {path: path.read_bytes() for path in (folder / "results").rglob("*.json")} == before
    assert (folder / "board.toml").read_bytes() == text
    write(folder, [row.replace("Small", "Tiny") for row in rows_of()])
    assert "its file of predictions changed" in steelyard("check")
    assert "Tiny on quiz: imported" in steelyard("import")


def test_costs_that_no_board_shows_become_columns_of_it(folder: Path, steelyard: Run) -> None:
    """Seconds and tokens are costs by their names; a number that says nothing of itself is left out."""
    head = "model,trial,question_id,response,seconds,tokens_out,difficulty"
    rows = [f"m,{run},{id_},yes,{run},20,0.5" for run in (1, 2) for id_ in GOLD]
    printed = steelyard("import", write(folder, rows, head))
    assert "columns that are not used: 'difficulty'" in printed
    metrics = {one.name: one for one in load_boards(folder / "board.toml").boards[0].metrics}
    assert [*metrics] == ["accuracy", "cost", "seconds", "tokens_out"]
    assert (metrics["seconds"].unit, metrics["seconds"].direction, metrics["seconds"].cap) == (
        "s",
        "lower",
        "max",
    )
    assert {name: one.value for name, one in stored(folder)["m"].scores.items() if name in metrics} == {
        "accuracy": 50.0,
        "seconds": 1.5,
        "tokens_out": 20.0,
    }


@pytest.mark.parametrize("runs", [2, 3, 5])
def test_equal_runs_count_as_one(folder: Path, steelyard: Run, runs: int) -> None:
    """K runs with the same answers give the scores and the rank sets of one of them, to the last bit."""
    one = {model: (said[:1], cost) for model, (said, cost) in SAID.items()}
    steelyard("import", write(folder, rows_of(one)))
    alone, sure = stored(folder), certainty(folder)
    steelyard("import", write(folder, rows_of({m: (said * runs, cost) for m, (said, cost) in one.items()})))
    again = stored(folder)
    assert {model: found.scores for model, found in again.items()} == {m: r.scores for m, r in alone.items()}
    assert certainty(folder) == sure
    assert {found.model.made_from["runs"] for found in again.values()} == {runs}


def test_runs_are_no_further_examples(folder: Path, steelyard: Run) -> None:
    """The variance of a difference is that of the examples' mean differences, over six examples."""
    steelyard("import", write(folder, rows_of()))
    share = {
        model: [
            sum(run.split()[at] == gold for run in runs) / len(runs) for at, gold in enumerate(GOLD.values())
        ]
        for model, (runs, _) in SAID.items()
    }
    apart = [a - b for a, b in zip(*share.values(), strict=True)]
    mean = math.fsum(apart) / 6
    variance = 100**2 * math.fsum((value - mean) ** 2 for value in apart) / (6 * 5)
    [found] = [one for one in certainty(folder)["covariances"] if one[:2] == ["accuracy", "accuracy"]]
    assert found[2] * found[3][0] == pytest.approx(variance, rel=1e-3)


def test_metrics_of_the_whole_are_the_mean_over_runs(folder: Path, steelyard: Run) -> None:
    """Macro-F1 is computed of each run, and its influence values are the mean of theirs; a rank set is known."""
    board = (
        (folder / "board.toml")
        .read_text()
        .replace('{ name = "cost"', '{ name = "macro-f1", label = "F1", unit = "%" },\n  { name = "cost"')
    )
    (folder / "board.toml").write_text(board)
    each = []
    for run in range(3):
        steelyard("import", write(folder, rows_of({"Small": ([SAID["Small"][0][run]], 0.25)})))
        each.append(stored(folder)["Small"].scores["macro-f1"].value)
    steelyard("import", write(folder, rows_of()))
    assert stored(folder)["Small"].scores["macro-f1"].value == pytest.approx(math.fsum(each) / 3)
    assert certainty(folder)["unknown"]["macro-f1"] == []


def test_all_of_several_runs_may_have_to_be_right(folder: Path, steelyard: Run) -> None:
    """pass^k of answers: computed at import, kept if nothing changed, made again of other answers, checked."""
    board = (folder / "board.toml").read_text()
    metric = '{ name = "all-2", label = "pass^2", unit = "%", trials = { of = "accuracy", all = 2 } }'
    (folder / "board.toml").write_text(board.replace('{ name = "cost"', f'{metric},\n  {{ name = "cost"'))
    steelyard("import", write(folder, rows_of()))
    for model, (runs, _) in {"Big-2026": SAID["Big (2026)"], "Small": SAID["Small"]}.items():
        answers = zip(GOLD.values(), *(run.split() for run in runs), strict=True)
        counts = [own.count(gold) for gold, *own in answers]
        pairs = [{0: 0, 1: 0, 2: 1, 3: 3}[count] / 3 for count in counts]
        assert stored(folder)[model].scores["all-2"].value == pytest.approx(100 * math.fsum(pairs) / 6)
    assert certainty(folder)["unknown"]["all-2"] == []
    assert "0 problems" in steelyard("check")
    assert steelyard("import").count("unchanged") == 2
    steelyard("import", write(folder, [row for row in rows_of() if ",3," not in row]))
    assert stored(folder)["Big-2026"].scores["all-2"].value == pytest.approx(100 * 5 / 6)
    assert "0 problems" in steelyard("check")
    assert "pass^2" in steelyard("rank", "b")


def test_a_metric_that_no_model_has_is_named_with_what_computes_it(steelyard: Run, folder: Path) -> None:
    """A board's new metric is empty until stored answers are scored again."""
    steelyard("import", write(folder, rows_of()))
    board = folder / "board.toml"
    added = '  { name = "micro-f1", label = "Micro-F1", unit = "%" },\n'
    board.write_text(board.read_text().replace("metrics = [\n", f"metrics = [\n{added}"))
    note = "note: no model has Micro-F1: steelyard evaluate computes what stored answers give"
    assert note in steelyard("rank", "b")
    steelyard("evaluate")
    assert "note: no model has" not in steelyard("rank", "b")


def test_a_missing_answer_is_wrong_and_a_missing_cost_is_missing(folder: Path, steelyard: Run) -> None:
    """Of a run that lacks an example its answer is wrong; its cost is the mean of the other runs."""
    rows = [row for row in rows_of() if row != "Small,2,q3,yes,0.25"]
    rows = [
        row.removesuffix("0.25") + ("9" if row.startswith("Small,1,q3") else "0.25")
        if "Small" in row
        else row
        for row in rows
    ]
    printed = steelyard("import", write(folder, rows))
    assert "1 missing, counted as wrong" in printed
    assert "cost: 1 of 18 numbers are missing" in printed
    small = stored(folder)["Small"]
    assert small.scores["accuracy"].value == pytest.approx(100 * (4 + 2 + 4) / 18)
    assert small.scores["cost"].value == pytest.approx((5 * 0.25 + (9 + 0.25) / 2) / 6)
    assert small.scores["cost"].settings == {}
    rows = [row.removesuffix("0.5") if ",q1," in row and "Big" in row else row for row in rows_of()]
    steelyard("import", write(folder, rows))
    assert stored(folder)["Big-2026"].scores["cost"].settings["examples"] == "5 of 6"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("Small,3,q2,no,0.25", "Small,3,q2,no,cheap"), "answers.csv:33: cost_usd: 'cheap' is not a number; write a"),
        (("Small,3,q2,no,0.25", "Small,3,q2,no,-1"), "answers.csv:33: cost_usd: -1 is under 0; leave the cell empty"),
        (("Small,3,q2,no,0.25", "Small,3,q1,no,0.25"), "answers.csv:33: id: 'q1' has a prediction of '3' on line 32"),
        (("Small,3,q2,no,0.25", "Small,3,q9,no,0.25"), "answers.csv:33: id: 'q9' is no example of quiz"),
        (("Small,3,q2,no,0.25", "Small,,q2,no,0.25"), "answers.csv:33: run: '' names no run; name the run of"),
        (("Small,3,q2,no,0.25", ",3,q2,no,0.25"), "answers.csv:33: model: missing, where other rows name one"),
        (("Small,3,q2,", "small,3,q2,"), "answers.csv:33: model: 'small' and 'Small' of line 20 would both have the id"),
        (("Small,3,q2,", "Big 2026,3,q2,"), "'Big 2026' and 'Big (2026)' of line 2 would both have the id Big-2026"),
    ],
)  # fmt: skip
def test_a_bad_row_is_named_and_nothing_is_stored(
    folder: Path, steelyard: Run, change: tuple[str, str], message: str
) -> None:
    """The message names file, row, column and value; no model of the file is stored."""
    rows = [row.replace(*change) for row in rows_of()]
    text = (folder / "board.toml").read_bytes()
    assert message in steelyard("import", write(folder, rows), code=1)
    assert stored(folder) == {}
    assert (folder / "board.toml").read_bytes() == text


def test_two_columns_that_may_be_the_answers_are_not_guessed(folder: Path, steelyard: Run) -> None:
    """One may well have the right answers: the import stops until --column says which."""
    head, rows = f"{HEAD},label", [f"{row},yes" for row in rows_of()]
    printed = steelyard("import", write(folder, rows, head), code=1)
    assert "label: may be 'label', 'answer'; say which with --column label=NAME" in printed
    steelyard("import", str(folder / "answers.csv"), "--column", "label=answer")
    assert stored(folder)["Small"].scores["accuracy"].value == pytest.approx(1100 / 18)


def test_what_a_column_says_may_be_told(folder: Path, steelyard: Run) -> None:
    """A metric of another name, and the runs of one model's own file."""
    head = "model,attempt_no,id,answer,usd_total"
    told = ("--metric", "usd_total=cost", "--column", "trial=attempt_no")
    steelyard("import", write(folder, rows_of(), head), *told)
    assert stored(folder)["Small"].scores["cost"].value == 0.25
    [spec] = load_boards(folder / "board.toml").predictions
    assert (spec.columns, spec.values) == ({"trial": "attempt_no"}, {"cost": "usd_total"})
    mine = [row.partition(",")[2] for row in rows_of() if row.startswith("Small")]
    path = write(folder, mine, "run,id,answer,cost_usd")
    own = ("--model", "mine", "--dataset", "quiz", "--column", "label=answer")
    assert "say which column tells runs apart with --column trial=NAME" in steelyard(
        "import", path, *own, code=1
    )
    steelyard("import", path, *own, "--column", "trial=run")
    assert stored(folder)["mine"].model.made_from["runs"] == 3


def test_new_metrics_need_no_file(folder: Path, steelyard: Run) -> None:
    """Answers of all runs are kept: a metric that the board comes to show is computed from them."""
    path = Path(write(folder, rows_of()))
    steelyard("import", str(path))
    path.unlink()
    board = (folder / "board.toml").read_text()
    recall = '{ name = "macro-recall", label = "Recall", unit = "%" },\n  { name = "cost"'
    (folder / "board.toml").write_text(board.replace('{ name = "cost"', recall, 1))
    steelyard("evaluate", "--dataset", "quiz")
    small = stored(folder)["Small"]
    assert small.scores["macro-recall"].value == pytest.approx(1100 / 18)
    assert small.scores["cost"].value == 0.25
    assert "0 problems" in steelyard("check")


def test_a_changed_mean_is_found(folder: Path, steelyard: Run) -> None:
    """Means over runs, and of numbers beside answers, are computed again by check."""
    steelyard("import", write(folder, rows_of()))
    [path] = (folder / "results").rglob("Small.json")
    for name, value in (("cost", 0.125), ("accuracy", 51.0)):
        document = json.loads(path.read_text())
        before = document["scores"][name]["value"]
        document["scores"][name]["value"] = value
        path.write_text(json.dumps(document))
        assert f"scores: {name}: {value} is stored, but recomputed it is" in steelyard("check", code=1)
        document["scores"][name]["value"] = before
        path.write_text(json.dumps(document))


def test_a_rank_set_of_costs_is_from_the_answers(folder: Path, steelyard: Run) -> None:
    """Costs by example vary together with right answers: nothing is unknown of either."""
    steelyard("import", write(folder, rows_of()))
    boards, store = load_boards(folder / "board.toml"), Store(folder / "results")
    assembled = assemble_board(boards.boards[0], boards, store, store.results())
    found = sampled(assembled, store)
    assert found["quiz"]["unknown"] == {"accuracy": [], "cost": []}
    assert ["accuracy", "cost"] in [one[:2] for one in found["quiz"]["covariances"]]


def test_by_difficulty_several_runs_are_left_out_and_named(folder: Path, steelyard: Run) -> None:
    """A model that answered once is ranked by what is hard; of the others no single answer is right or wrong."""
    steelyard("import", write(folder, rows_of()))
    rows = [f"{id_},yes,0.{at}" for at, id_ in enumerate(GOLD, 2)]
    (folder / "once.csv").write_text("\n".join(["id,label,confidence", *rows]))
    steelyard("import", "once.csv", "--model", "once")
    steelyard("difficulty", "quiz", "--algorithm", "wmprob")
    printed = steelyard("rank", "b", "--by", "wmprob")
    assert "no single answer of several runs is right or wrong: Big-2026, Small" in printed
    assert "0 problems" in steelyard("check")


def test_a_frame_has_a_row_for_each_run(folder: Path, steelyard: Run) -> None:
    """In Python, answers of several runs are told apart by the column run."""
    steelyard("import", write(folder, rows_of()))
    results = Store(folder / "results")
    small = stored(folder)["Small"]
    kept = results.examples("classification", "quiz", small.dataset.revision or "")
    frame = ModelPredictions(results.predictions(small), kept).to_pandas()
    assert frame.groupby("run").correct.sum().to_dict() == {1: 4, 2: 3, 3: 4}
    assert list(frame[frame.run == 2].predicted) == SAID["Small"][0][1].split()


def test_texts_are_scored_run_by_run(folder: Path, steelyard: Run) -> None:
    """Answers in words keep how right each of them is, and an example's value is the mean over its runs."""
    board = (
        (folder / "board.toml")
        .read_text()
        .replace("classification", "generation")
        .replace("accuracy", "exact-match")
    )
    board = board.replace('label = "gold" }\nlabels = ["no", "yes"]', 'answers = "gold" }')
    (folder / "board.toml").write_text(board)
    steelyard("import", write(folder, rows_of()))
    small = stored(folder)["Small"]
    assert small.scores["exact-match"].value == pytest.approx(1100 / 18)
    exact = (Store(folder / "results").predictions(small).scores or {})["exact-match"]
    assert (len(exact), sum(map(bool, exact))) == (18, 11)
    assert certainty(folder)["unknown"] == {"exact-match": [], "cost": []}
    assert "0 problems" in steelyard("check")
