"""`steelyard import` as a submitter runs it: real files, real processes, exact messages."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import forked_command
import pytest

from evaluator.data.datasets import Dataset, read_dataset
from evaluator.records.board import load_boards
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.answers import texts
from evaluator.score.examples import dataset_source
from evaluator.score.importing import Imported, import_predictions, submission
from evaluator.score.predictions import PredictionsFile

BOARD = """
title = "T"

[[datasets]]
id = "reviews"
label = "Reviews"
task = "sentiment"
path = "reviews.jsonl"
format = "jsonl"
columns = { id = "id", statement = "text", label = "label", "tag.length" = "length" }
labels = ["negative", "positive"]
label_map = { neg = "negative", pos = "positive" }

[[datasets]]
id = "bridges"
label = "Bridges"
task = "qa"
path = "bridges.json"
format = "squad"

[[datasets]]
id = "pairs"
label = "Pairs"
task = "nli"
path = "pairs.jsonl"
format = "hans"

[[datasets]]
id = "winogender"
label = "Winogender"
task = "nli"
path = "winogender.jsonl"
format = "ax-g"

[[datasets]]
id = "threefold"
label = "Threefold"
task = "nli"
path = "threefold.jsonl"
format = "anli"

[[datasets]]
id = "voted"
label = "Voted"
task = "sentiment"
path = "voted.jsonl"
format = "jsonl"
columns = { id = "id", statement = "text", label = "label", votes = "votes" }
labels = ["negative", "positive"]

[[models]]
id = "known"
label = "A model with a card"
task = "sentiment"
card = { licence = "MIT" }

[[predictions]]
dataset = "reviews"
path = "both.csv"
models = { "Model A!" = "a", "Model B" = "b" }
columns = { id = "example", label = "said", model = "system" }
source = { citation = "Somebody 2020" }

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "accuracy"
datasets = ["reviews"]
metrics = [{ name = "accuracy", label = "Accuracy", unit = "%" }]
"""
REVIEWS = [("r1", "neg", "short"), ("r2", "pos", "short"), ("r3", "pos", "long"), ("r4", "neg", "long")]
CONTEXT = "The bridge was opened in 1932 by the mayor, and closed again in 1951."
BRIDGES = {
    "version": "1.1",
    "data": [
        {
            "title": "Bridge",
            "paragraphs": [
                {
                    "context": CONTEXT,
                    "qas": [
                        {
                            "id": "q1",
                            "question": "When was it opened?",
                            "answers": [
                                {"text": "1932", "answer_start": 25},
                                {"text": "in 1932", "answer_start": 22},
                            ],
                        },
                        {
                            "id": "q2",
                            "question": "Who opened it?",
                            "answers": [{"text": "the mayor", "answer_start": 33}],
                        },
                        {
                            "id": "q3",
                            "question": "When was it closed?",
                            "answers": [{"text": "1951", "answer_start": 64}],
                        },
                    ],
                }
            ],
        }
    ],
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "board.toml").write_text(BOARD)
    rows = [{"id": i, "text": f"text {i}", "label": label, "length": size} for i, label, size in REVIEWS]
    write_rows(tmp_path, "reviews.jsonl", rows)
    (tmp_path / "bridges.json").write_text(json.dumps(BRIDGES))
    hans = [
        {
            "gold_label": gold,
            "sentence1": "The judge saw the actor.",
            "sentence2": text,
            "pairID": f"ex{number}",
            "heuristic": "lexical_overlap",
            "subcase": "ln_subject/object_swap",
            "template": "temp1",
        }
        for number, (gold, text) in enumerate(
            [("entailment", "The judge saw the actor."), ("non-entailment", "The actor saw the judge.")]
        )
    ]
    write_rows(tmp_path, "pairs.jsonl", hans)
    pair = {"premise": "He left.", "hypothesis": "The cook left."}
    write_rows(
        tmp_path,
        "winogender.jsonl",
        [{"idx": 0, "label": "entailment", **pair}, {"idx": 1, "label": "not_entailment", **pair}],
    )
    pair = {"context": "It rains.", "hypothesis": "It is wet."}
    write_rows(tmp_path, "threefold.jsonl", [{"uid": label, "label": label, **pair} for label in "enc"])
    votes = [("v1", "negative"), ("v2", "positive")]
    write_rows(
        tmp_path,
        "voted.jsonl",
        [{"id": i, "text": f"Soup {i}", "label": gold, "votes": [gold, gold]} for i, gold in votes],
    )
    return tmp_path


def steelyard(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return forked_command.run("import", *arguments, cwd=cwd)


def write(project: Path, name: str, content: str) -> str:
    (project / name).write_text(content)
    return name


def lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def write_rows(project: Path, name: str, rows: Iterable[Mapping[str, Any]]) -> str:
    return write(project, name, lines(rows))


def take(
    project: Path, name: str, content: str, dataset_id: str = "reviews", model: str = "m", **read: Any
) -> Imported:
    """Import one file in this process; `read` is how to read it, as `PredictionsFile` has it."""
    file = PredictionsFile(project / write(project, name, content), **read)
    asked = submission(load_boards(project / "board.toml"), file, dataset_id, model)
    return import_predictions(asked, dataset(project, dataset_id), Store(project / "results"))


def predictions(project: Path, imported: Imported) -> PredictionSet:
    return Store(project / "results").predictions(imported.result)


def one(project: Path, *arguments: str) -> Result:
    """Import one file, which must succeed, and return the stored result."""
    done = steelyard(*arguments, "--json", cwd=project)
    assert done.returncode == 0, done.stderr
    [imported] = json.loads(done.stdout)["results"]
    return Result.model_validate(imported["result"])


def accuracy(result: Result) -> float:
    return result.scores["accuracy"].value


def dataset(project: Path, name: str) -> Dataset:
    return read_dataset(dataset_source(load_boards(project / "board.toml").dataset(name), project))


def stored(project: Path) -> list[Path]:
    return sorted((project / "results").rglob("*.json"))


FORMS: dict[str, tuple[str, Callable[[], str]]] = {
    "csv": ("p.csv", lambda: "id,label\nr1,negative\nr2,positive\nr3,negative\nr4,negative\n"),
    "tsv": ("p.tsv", lambda: "label\tid\nneg\tr1\npos\tr2\nneg\tr3\nneg\tr4\n"),
    "jsonl": (
        "p.jsonl",
        lambda: "".join(
            json.dumps({"uid": uid, "prediction": label, "extra": 1}) + "\n"
            for uid, label in (("r4", "neg"), ("r3", "neg"), ("r2", "pos"), ("r1", "neg"))
        ),
    ),
    "json": ("p.json", lambda: json.dumps({"r1": "neg", "r2": "pos", "r3": "neg", "r4": "neg"})),
    "list": (
        "p.json",
        lambda: json.dumps([{"id": f"r{n}", "pred": "pos" if n == 2 else "neg"} for n in (1, 2, 3, 4)]),
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_gives_the_same_scores(project: Path, form: str) -> None:
    """CSV, TSV, JSON lines and one JSON object say the same, in any order, in the dataset's words or the file's."""
    name, content = FORMS[form]
    result = one(
        project,
        write(project, name, content()),
        "--dataset",
        "reviews",
        "--model",
        "m",
    )
    assert accuracy(result) == 75.0
    assert result.provenance == "predictions"
    assert result.measurement is None
    assert set(result.scores).isdisjoint({"throughput", "memory"})
    assert result.tags["length"]["long"].scores["accuracy"] == 50.0
    assert result.tags["length"]["short"].examples == 2


def test_what_is_stored_is_found_with_its_predictions(project: Path) -> None:
    """A result and its predictions are in the store and can be read again; a second import changes no byte."""
    name = write(project, "p.csv", "id,label,confidence\nr1,neg,0.9\nr2,pos,0.123456\nr3,neg,1\nr4,neg,0.5\n")
    arguments = (name, "--dataset", "reviews", "--model", "known")
    result = one(project, *arguments)
    store = Store(project / "results")
    assert list(store.results()) == [result]
    assert store.predictions(result).exact_confidence == (0.9, 0.123456, 1.0, 0.5)
    assert (result.model.label, result.model.card.licence) == ("A model with a card", "MIT")
    before = {path: path.read_bytes() for path in stored(project)}
    done = steelyard(*arguments, cwd=project)
    assert done.stdout.startswith("known on reviews: unchanged: ")
    assert {path: path.read_bytes() for path in stored(project)} == before


def test_probabilities_come_as_object_list_or_columns(project: Path) -> None:
    """Probabilities as a JSON object, as a list in the labels' order, and as a column a label are the same."""
    rows = [("r1", 0.75), ("r2", 0.25), ("r3", 0.5), ("r4", 0.125)]
    objects = "".join(
        json.dumps({"id": i, "label": "negative", "probs": {"neg": p, "positive": 1 - p}}) + "\n"
        for i, p in rows
    )
    lists = "".join(json.dumps({"id": i, "label": "negative", "probs": [p, 1 - p]}) + "\n" for i, p in rows)
    columns = "id,label,p0,p1\n" + "".join(f"{i},negative,{p},{1 - p}\n" for i, p in rows)
    found: list[PredictionSet] = []
    for name, content, more in (
        ("objects.jsonl", objects, ()),
        ("lists.jsonl", lists, ()),
        (
            "columns.csv",
            columns,
            ("--column", "probabilities.negative=p0", "--column", "probabilities.positive=p1"),
        ),
    ):
        result = one(project, write(project, name, content), "--dataset", "reviews", "--model", "m", *more)
        found.append(Store(project / "results").predictions(result))
        assert {"brier", "calibration-error"} <= set(result.scores)
    assert found[0] == found[1] == found[2]
    assert found[0].probabilities == {"negative": (750000, 250000, 500000, 125000)}


def test_missing_predictions_are_wrong_and_reported(project: Path) -> None:
    """An example without a prediction counts as wrong, and the result says which."""
    done = steelyard(
        write(project, "p.csv", "id,label\nr1,neg\nr2,pos\n"),
        "--dataset",
        "reviews",
        "--model",
        "m",
        cwd=project,
    )
    assert done.returncode == 0
    assert "accuracy 50 %" in done.stdout
    assert "2 missing, counted as wrong" in done.stdout
    assert "(first: r3, r4)" in done.stdout
    [result] = Store(project / "results").results()
    assert Store(project / "results").predictions(result).predicted == (0, 1, -1, -1)
    [failure] = result.failures
    assert (failure.kind, failure.count, failure.first_ids) == ("missing", 2, ("r3", "r4"))


def test_invalid_labels_are_wrong_and_reported(project: Path) -> None:
    """An answer that is no label counts as wrong; the message says where it is and what would be one."""
    name = write(project, "p.csv", "id,label\nr1,neg\nr2,9\nr3,pos\nr4,neg\n")
    done = steelyard(name, "--dataset", "reviews", "--model", "m", cwd=project)
    assert done.returncode == 0
    assert "accuracy 75 %" in done.stdout
    assert (
        "1 invalid-answer, counted as wrong: line 3: label: '9' is not a label;"
        " give one of negative, positive (first: r2)"
    ) in done.stdout


def test_an_invalid_answer_that_quotes_the_text_is_not_repeated(project: Path) -> None:
    """What is no label is repeated in the result only if the dataset's text does not hold it."""
    write(project, "p.csv", "id,label\nr1,TEXT R1\nr2,pos\nr3,pos\nr4,pos\n")
    done = steelyard("p.csv", "--dataset", "reviews", "--model", "m", cwd=project)
    assert "1 invalid-answer, counted as wrong: line 2: not a valid answer (first: r1)" in done.stdout
    assert not any("TEXT R1" in path.read_text() for path in stored(project))


REFUSED = [
    ("p.csv", "id,label\nr1,neg\nr1,pos\n", "3: id: 'r1' has a prediction on line 2 already; give one an example"),
    ("p.csv", "id,label\nr9,neg\n", "2: id: 'r9' is no example of reviews; give ids of reviews, such as 'r1'"),
    ("p.csv", "id,label,confidence\nr1,neg,1.5\n", "2: confidence: 1.5 is outside 0 to 1"),
    ("p.csv", "id,label,confidence\nr1,bad,1.5\nr2,neg,1\n", "2: confidence: 1.5 is outside 0 to 1"),
    ("p.csv", "id,label\n", " has no predictions"),
    ("p.csv", "id,label\nr1,bad\nr2,x\n", "2: no answer is valid, the first being that of 'r1': label: 'bad'"),
    ("p.jsonl", '{"id": "r1", "label": "neg", "probs": [0.5, 0.6]}\n', "1: probabilities: they sum to 1.1, not to 1;"),
    ("p.json", '{"r1": "neg", "r1": "pos"}', "1: document: has the key 'r1' twice in one object"),
    ("p.txt", "id,label\nr1,neg\n", " format: 'txt' is none of csv, tsv, jsonl, json, parquet; name one"),
    ("p.csv", "id,model,label\nr1,x,neg\nr1,y,neg\n", " model: has rows of 'x', 'y', none of 'm'; import it as one"),
    ("p.csv", "id,model,label\nr1,m,neg\nr2,,neg\n", "3: model: missing, where other rows name one; name the"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), REFUSED)
def test_a_file_that_cannot_be_taken_changes_nothing(
    project: Path, name: str, content: str, message: str
) -> None:
    """Each thing wrong with a file is reported with file, line, field, value and fix; nothing is stored."""
    with pytest.raises(UserError) as refused:
        take(project, name, content)
    assert str(refused.value).startswith(f"{project / name}:{message}")
    assert stored(project) == []


def test_the_dataset_is_the_one_that_has_the_ids(project: Path) -> None:
    """Left out, it is found; a file that may answer two, or none, is not guessed."""
    answers = write(project, "answers.json", json.dumps({"q1": "in 1932"}))
    assert one(project, answers, "--model", "m").dataset.id == "bridges"
    done = steelyard(write(project, "p.csv", "id,label\nr9,neg\n"), "--model", "m", cwd=project)
    assert "--dataset: no dataset here has all ids of p.csv; say which dataset it answers" in done.stderr
    assert done.returncode == 2


def test_many_problems_are_listed_and_counted(project: Path) -> None:
    """The first ten problems are named, and how many more there are."""
    rows = "".join(f"x{number},neg\n" for number in range(25))
    done = steelyard(
        write(project, "p.csv", "id,label\n" + rows), "--dataset", "reviews", "--model", "m", cwd=project
    )
    assert done.stderr.count("is no example of reviews") == 10
    assert "and 15 more" in done.stderr


def test_a_measured_result_is_never_overwritten(project: Path) -> None:
    """Predictions do not replace what was measured here."""
    result = one(
        project, write(project, "p.csv", "id,label\nr1,neg\n"), "--dataset", "reviews", "--model", "m"
    )
    store = Store(project / "results")
    store.save(result.model_copy(update={"provenance": "measured"}), store.predictions(result))
    done = steelyard("p.csv", "--dataset", "reviews", "--model", "m", cwd=project)
    assert done.returncode == 1
    assert "provenance: holds a result that is measured; import under another model id" in done.stderr
    assert next(store.results()).provenance == "measured"


def write_both(project: Path) -> None:
    """The file of two models' answers that the board file declares."""
    rows = [("r1", "neg", "pos"), ("r2", "pos", "pos"), ("r3", "pos", "pos"), ("r4", "neg", "neg")]
    lines = [f"{i},Model A!,{a}\n{i},Model B,{b}\n" for i, a, b in rows]
    write(project, "both.csv", "example,system,said\n" + "".join(lines))


def test_what_the_board_file_declares_is_imported_at_once(project: Path) -> None:
    """Without a file, everything under [[predictions]] is imported, each model's rows as its own."""
    write_both(project)
    done = steelyard(cwd=project)
    assert done.returncode == 0, done.stderr
    found = {result.model.id: result for result in Store(project / "results").results()}
    assert {name: accuracy(result) for name, result in found.items()} == {"a": 100.0, "b": 75.0}
    assert all(r.source is not None and r.source.citation == "Somebody 2020" for r in found.values())


def test_predictions_of_a_removed_model_are_left_out(project: Path) -> None:
    """Of what the board file declares, silently; where they are asked for, with the reason and the fix."""
    entry = 'removed = { reason = "its author withdrew it", date = 2026-11-01 }'
    text = (project / "board.toml").read_text()
    gone = f'[[models]]\nid = "a"\nlabel = "A"\ntask = "sentiment"\n{entry}\n\n[[predictions]]'
    (project / "board.toml").write_text(text.replace("[[predictions]]", gone))
    write_both(project)
    done = steelyard(cwd=project)
    assert done.returncode == 0, done.stderr
    assert {result.model.id for result in Store(project / "results").results()} == {"b"}
    done = steelyard("both.csv", "--dataset", "reviews", "--model", "a", cwd=project)
    assert done.returncode == 2
    assert "--model: a was removed on 2026-11-01: its author withdrew it; delete `removed`" in done.stderr


def test_squad_answers_are_scored_and_kept_without_their_words(project: Path) -> None:
    """SQuAD's {id: answer} is scored against all references, and stored as places in the context."""
    answers = {"q1": "in 1932", "q2": "by the mayor", "q3": "unknown"}
    name = write(project, "answers.json", json.dumps(answers))
    result = one(project, name, "--dataset", "bridges", "--model", "m")
    assert result.scores["exact-match"].value == pytest.approx(100 / 3)
    assert result.scores["f1"].value == pytest.approx((100 + 2 / 3 * 100 + 0) / 3)
    predictions = Store(project / "results").predictions(result)
    assert predictions.answers == ((22, 29), (30, 42), ("unknown",))
    assert texts(dataset(project, "bridges"), predictions) == list(answers.values())
    assert not any("mayor" in path.read_text() for path in stored(project))


def version_2(project: Path) -> None:
    """The bridges as SQuAD v2 has questions: the last has no answer."""
    document = copy.deepcopy(BRIDGES)
    for question in document["data"][0]["paragraphs"][0]["qas"]:  # type: ignore[index]
        last = question["id"] == "q3"
        question |= {"is_impossible": last, **({"answers": []} if last else {})}
    write(project, "bridges.json", json.dumps(document))


def test_questions_without_an_answer_are_scored_apart_and_at_the_best_threshold(project: Path) -> None:
    """SQuAD v2: an empty answer is right where there is none; a file of na_prob gives the best thresholds."""
    version_2(project)
    name = write(project, "answers.json", json.dumps({"q1": "in 1932", "q2": "the mayor", "q3": "1951"}))
    sure = write(project, "na_prob.json", json.dumps({"q2": 0.2, "q1": 0.1, "q3": 0.9}))
    arguments = (name, "--dataset", "bridges", "--model", "m")
    result = one(project, *arguments)
    assert result.tags["answers"]["HasAns"].scores == {"f1": 100.0, "exact-match": 100.0}
    assert result.tags["answers"]["NoAns"].scores == {"f1": 0.0, "exact-match": 0.0}
    assert "best-f1" not in result.scores
    result = one(project, *arguments, sure)
    assert {n: (s.value, s.threshold) for n, s in result.scores.items() if n.startswith("best-")} == {
        "best-f1": (100.0, 0.2),
        "best-exact-match": (100.0, 0.2),
    }
    assert result.scores["f1"].value == pytest.approx(200 / 3)
    write(project, name, json.dumps({"q1": "in 1932", "q2": "the mayor", "q3": ""}))
    assert one(project, *arguments).scores["f1"].value == 100.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"q1": 1, "q2": 0}', "lacks 'q3'; give a number for every example"),
        ('{"q1": 1, "q2": 0, "q3": "x"}', "na_prob.json:3: 'q3': 'x' is not a finite number; give one"),
    ],
)
def test_a_broken_file_of_na_prob_changes_nothing(project: Path, content: str, message: str) -> None:
    """It is named with the entry, the value and the fix."""
    name = write(project, "answers.json", json.dumps({"q1": "in 1932"}))
    sure = write(project, "na_prob.json", content)
    done = steelyard(name, "--dataset", "bridges", "--model", "m", sure, cwd=project)
    assert done.returncode == 1
    assert message in done.stderr
    assert stored(project) == []


def test_an_empty_answer_is_wrong_and_not_dropped(project: Path) -> None:
    """An empty answer is an answer, and wrong; an absent one is missing, and wrong."""
    name = write(project, "answers.json", json.dumps({"q1": "1932", "q2": ""}))
    result = one(project, name, "--dataset", "bridges", "--model", "m")
    assert result.scores["exact-match"].value == pytest.approx(100 / 3)
    assert Store(project / "results").predictions(result).answers == ((25, 29), (), None)
    assert [failure.kind for failure in result.failures] == ["missing"]


def test_three_way_answers_are_scored_against_two_way_labels(project: Path) -> None:
    """On HANS, neutral and contradictory both count as not entailed."""
    name = write(project, "p.csv", "id,label\nex0,entailed\nex1,neutral\n")
    assert accuracy(one(project, name, "--dataset", "pairs", "--model", "m")) == 100.0
    write(project, "p.csv", "id,label\nex0,contradictory\nex1,contradictory\n")
    assert accuracy(one(project, name, "--dataset", "pairs", "--model", "m")) == 50.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("p.csv", "--dataset", "nosuch", "--model", "m"),
            "--dataset 'nosuch': the board file has no such dataset to read",
        ),
        (("p.csv", "--dataset", "reviews"), "--model: missing; say whose answers FILE has"),
        (
            ("p.csv", "--dataset", "reviews", "--model", "m", "--metric", "a=b"),
            "--metric: is for the log of",
        ),
        (
            ("p.csv", "--dataset", "reviews", "--dataset", "pairs", "--model", "m"),
            "--dataset 'pairs': name one",
        ),
        (("--model", "nosuch"), "FILE: missing, and the board file has no such [[predictions]]"),
        (
            ("p.csv", "--dataset", "reviews", "--model", "human"),
            "--model: 'human' stands for people; choose another id",
        ),
        (
            (
                "p.csv",
                "--dataset",
                "reviews",
                "--model",
                "m",
                "--source",
                "Me, https://me:secret@example.org/",
            ),
            "'--source': 'https://me:secret@example.org/': holds a name or a password before its host",
        ),
        (
            ("p.csv", "--dataset", "reviews", "--model", "m", "--column", "labels=label"),
            "--column: 'labels' is not a field of a prediction for sentiment;"
            " did you mean label? There are id, label, confidence, model, probabilities, probabilities.LABEL",
        ),
    ],
)
def test_wrong_calls_exit_2(project: Path, arguments: tuple[str, ...], message: str) -> None:
    """A wrong call is answered with what would be right, and exit code 2."""
    write(project, "p.csv", "id,label\nr1,neg\n")
    done = steelyard(*arguments, cwd=project)
    assert done.returncode == 2
    assert message in done.stderr
    assert stored(project) == []


def test_an_id_that_differs_from_a_stored_one_in_capitals_only(project: Path) -> None:
    """On Windows and macOS its file would replace the other; nothing is written."""
    write(project, "p.csv", "id,label\nr1,neg\n")
    assert steelyard("p.csv", "--dataset", "reviews", "--model", "mine", cwd=project).returncode == 0
    before = stored(project)
    done = steelyard("p.csv", "--dataset", "reviews", "--model", "MINE", cwd=project)
    assert done.returncode == 1
    assert "MINE.json: 'MINE' is 'mine' on file systems that do not tell capitals apart" in done.stderr
    assert stored(project) == before


def test_what_any_row_says_is_found(project: Path) -> None:
    """Columns are looked for in all rows; a row without confidence or probabilities gives none."""
    rows: list[dict[str, Any]] = [
        {"id": "r1", "label": "neg"},
        {"id": "r2", "label": "pos", "probs": {"neg": 0.25, "pos": 0.75}},
        {"id": "r3", "label": "pos", "probs": None},
    ]
    found = predictions(project, take(project, "p.jsonl", lines(rows)))
    assert found.probabilities == {"negative": (None, 250000, None, None)}
    rows = [{"id": "r1", "label": "neg"}, {"id": "r2", "label": "pos", "confidence": 0.5}]
    found = predictions(project, take(project, "p.jsonl", lines(rows)))
    assert found.exact_confidence == (None, 0.5, None, None)


def test_an_invalid_answer_keeps_its_confidence(project: Path) -> None:
    """As stated, or that of the likeliest label; such an answer has no probabilities, and a missing one
    nothing."""
    rows: list[dict[str, Any]] = [
        {"id": "r1", "label": "dunno", "confidence": 0.123456789012345},
        {"id": "r2", "label": "dunno", "probs": {"neg": 0.25, "pos": 0.75}},
        {"id": "r3", "label": "pos", "probs": {"neg": 0.1234567891, "pos": 0.8765432109}},
    ]
    imported = take(project, "p.jsonl", lines(rows))
    found = predictions(project, imported)
    assert found.predicted == (-1, -1, 1, -1)
    assert found.exact_confidence == (0.123456789012345, 0.75, 0.8765432109, None)
    assert found.probabilities == {"negative": (None, None, 123457, None)}
    assert {failure.kind: failure.count for failure in imported.result.failures} == {
        "invalid-answer": 2,
        "missing": 1,
    }


def test_a_column_that_no_row_has_is_refused(project: Path) -> None:
    """A requested column that does not exist is an error that lists the existing ones."""
    with pytest.raises(UserError, match=r"confidence: no row has 'sure'; it has 'id', 'label'; say"):
        take(project, "p.csv", "id,label\nr1,neg\n", columns={"confidence": "sure"})
    with pytest.raises(UserError, match=r"p.csv: column: 'answers' is not a field of a prediction for"):
        take(project, "p.csv", "id,label\nr1,neg\n", columns={"answers": "label"})


@pytest.mark.parametrize(
    ("dataset_id", "content"),
    [
        ("pairs", "id,label\nex0,entailment\nex1,non-entailment\n"),
        ("pairs", "id,label\nex0,entailed\nex1,not-entailed\n"),
        ("pairs", "id,label\nex0,entailment\nex1,contradiction\n"),
        ("winogender", "id,label\n0,entailment\n1,not_entailment\n"),
        ("threefold", "id,label\ne,entailment\nn,neutral\nc,contradiction\n"),
        ("threefold", "id,label\ne,e\nn,n\nc,contradictory\n"),
    ],
)
def test_the_words_of_a_file_are_understood(project: Path, dataset_id: str, content: str) -> None:
    """The dataset's own words for its gold labels, and the usual ones of inference, are answers."""
    assert accuracy(take(project, "p.csv", content, dataset_id).result) == 100.0


def test_a_coarse_word_means_the_first_label_that_counts_as_it(project: Path) -> None:
    """What HANS calls non-entailment is stored as neutral, also where the file's own map leads to it."""
    found = take(project, "p.csv", "id,label\nex0,entailment\nex1,non-entailment\n", "pairs")
    assert predictions(project, found).predicted == (0, 1)
    mapped = {"yes": "entailed", "no": "not-entailed"}
    found = take(project, "p.csv", "id,label\nex0,yes\nex1,no\n", "pairs", label_map=mapped)
    assert predictions(project, found).predicted == (0, 1)


@pytest.mark.parametrize("damage", ["delete", "change"])
def test_predictions_that_are_not_whole_are_written_again(project: Path, damage: str) -> None:
    """An import counts as unchanged only if the stored predictions are there as they were written."""
    content = "id,label\nr1,neg\n"
    [_, path] = take(project, "p.csv", content).written
    before = path.read_bytes()
    assert take(project, "p.csv", content).status == "unchanged"
    if damage == "delete":
        path.unlink()
    else:
        path.write_bytes(before.replace(b"0", b"1", 1))
    assert take(project, "p.csv", content).status == "imported"
    assert path.read_bytes() == before


def test_two_imports_never_have_one_time(project: Path) -> None:
    """Other answers at once after the first have a later date, so that `check` does not take them for an edit."""
    first, second = (take(project, "p.csv", f"id,label\nr1,{label}\n").result for label in ("neg", "pos"))
    assert second.scores != first.scores
    assert second.created > first.created


def test_what_decides_an_import_is_kept_with_it(project: Path) -> None:
    """A result says in which format its file was read and, where rows were picked, by which name."""
    content = "id\tlabel\tmodel\nr1\tneg\tm\n"
    named = take(project, "p.tsv", content)
    assert named.result.model.made_from["format"] == "tsv"
    assert named.result.model.made_from["model"] == "m"
    whole = take(project, "p.tsv", content.replace("\tm\n", "\t\n"), format="tsv")
    assert "model" not in whole.result.model.made_from
    as_csv = take(project, "p.tsv", "id,label\nr1,neg\n", format="csv")
    assert as_csv.result.model.made_from["format"] == "csv"
    assert len({found.result.inputs for found in (named, whole, as_csv)}) == 3


def test_a_bad_file_leaves_people_unwritten(project: Path) -> None:
    """What people do on a dataset is stored with the first import that is taken, not by one that is not."""
    with pytest.raises(UserError):
        take(project, "p.csv", "id,label\nv1,bad\n", "voted")
    assert stored(project) == []
    take(project, "p.csv", "id,label\nv1,negative\n", "voted")
    assert "human.json" in [path.name for path in stored(project)]


def test_messages_are_for_the_reader_of_a_file(project: Path) -> None:
    """Files give answers, models return them; texts have no labels to map; a broken header is called one."""
    with pytest.raises(UserError) as refused:
        take(project, "p.json", '{"q1": 3, "q2": null}', "bridges")
    assert str(refused.value).endswith(
        "p.json:1: no answer is valid, the first being that of 'q1': answer: 3 is an int, not a string;"
        " give a string"
    )
    found = take(project, "p.json", '{"q1": null, "q2": "the mayor"}', "bridges").result
    assert found.failures[0].message == "line 1: answer: nothing is given; give a string"
    with pytest.raises(UserError) as refused:
        take(project, "p.csv", "id,label,confidence\nr1,neg,7\n")
    assert "leave confidence out or give a number from 0 to 1" in str(refused.value)
    (project / "p.csv").write_bytes(b"id,label,\xff\nr1,neg,1\n")
    done = steelyard("p.csv", "--dataset", "reviews", "--model", "m", cwd=project)
    assert "p.csv:1: header: 'id,label,\\udcff' has bytes that are not UTF-8; save the file as" in done.stderr


@pytest.mark.slow
def test_new_metrics_need_neither_model_nor_file(project: Path) -> None:
    """`evaluate` gives imported results the metrics that boards have come to show, from what is stored."""
    one(project, write(project, "p.csv", FORMS["csv"][1]()), "--dataset", "reviews", "--model", "m")
    (project / "p.csv").unlink()
    board = (project / "board.toml").read_text()
    more = board.replace('unit = "%" }]', 'unit = "%" }, { name = "weighted-f1", label = "W", unit = "%" }]')
    assert more != board
    (project / "board.toml").write_text(more)
    command = [sys.executable, "-m", "evaluator.cli", "evaluate"]
    for expected in ("1 updated\n", "everything is up to date\n"):
        done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
        assert done.stdout.endswith(expected)
    [result] = Store(project / "results").results()
    assert result.scores["weighted-f1"].value == pytest.approx(100 * (2 * 0.8 + 2 * 2 / 3) / 4)
