"""Predictions made elsewhere: what a file of them may look like, what is stored, and what is refused.

A file is imported in this process; the command line's own part is tested in processes.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import forked_command
import pytest
from imported import (
    QUESTIONS,
    REVIEWS,
    dataset,
    files,
    make_project,
    store,
    take,
    write_board,
    write_questions,
)

from evaluator.data.tasks import get_task
from evaluator.records.errors import UserError
from evaluator.records.result import Score
from evaluator.score.answers import texts
from evaluator.score.prediction_rows import Given, PredictionRows, PredictionsFile, RowProblem

LABELS = ("entailed", "neutral", "contradictory")
NLI = get_task("nli")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path)


def steelyard(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return forked_command.run("import", *arguments, cwd=cwd)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.csv", "id,label\nr1,negative\nr2,positive\nr3,negative\nr4,negative\n"),
        ("p.tsv", "label\tid\nneg\tr1\npos\tr2\nneg\tr3\nneg\tr4\n"),
        ("p.jsonl", [{"uid": f"r{n}", "prediction": "pos" if n == 2 else "neg", "x": 1} for n in (4, 3, 2, 1)]),
        ("p.json", {"r1": "neg", "r2": "pos", "r3": "neg", "r4": "neg"}),
        ("p.json", '[{"id": "r1", "pred": "neg"}, {"id": "r2", "pred": "pos"}, {"id": "r4", "pred": "neg"}]'),
    ],
)  # fmt: skip
def test_each_form_gives_the_same_scores(project: Path, name: str, content: Any) -> None:
    """CSV, TSV, JSON lines and JSON, in any order, in the dataset's words or the file's; nothing is timed."""
    result = take(project, name, content).result
    assert (result.scores["accuracy"].value, result.provenance, result.measurement) == (
        75,
        "predictions",
        None,
    )
    assert set(result.scores).isdisjoint({"throughput", "memory"})
    assert result.tags["length"]["long"].scores["accuracy"] == 50.0


@pytest.mark.parametrize(
    ("cells", "output"),
    [
        ({"said": "yes"}, {"label": "entailed"}),
        ({"said": 0}, {"label": "contradictory"}),
        ({"said": "maybe", "confidence": "0.5"}, {"label": "neutral", "confidence": 0.5}),
        ({"said": "yes", "confidence": "", "probabilities": None}, {"label": "entailed"}),
        (
            {"said": "entailed", "probs": {"0": 0, "n": 0.25, "yes": 0.75}},
            {"label": "entailed", "probabilities": {"contradictory": 0, "neutral": 0.25, "entailed": 0.75}},
        ),
        (
            {"said": "entailed", "probabilities": "[0.5, 0.5, 0]"},
            {"label": "entailed", "probabilities": {"entailed": 0.5, "neutral": 0.5, "contradictory": 0}},
        ),
        (
            {"said": "yes", "other": 0, "no": 1},
            {"label": "entailed", "probabilities": {"neutral": 1, "contradictory": 0}},
        ),
        ({"said": {"label": "yes"}}, {"label": {"label": "yes"}}),
        ({"said": "yes", "uid": True}, "id: True is not an id; give a string or a whole number"),
        ({"said": "yes", "uid": "\ud800"}, "id: '\\ud800' is not an id"),
        ({"said": "yes", "confidence": "high"}, "confidence: 'high' is not a number"),
        ({"said": "yes", "probabilities": [1]}, "probabilities: [1] does not fit the labels; give one number"),
        ({"said": "yes", "probabilities": "{"}, "probabilities: '{' is not JSON ("),
        ({"said": "yes", "probabilities": '{"n": 1, "n": 0}'}, "has the key 'n' twice in one object"),
        ({"said": "yes", "probabilities": {"n": 1, "maybe": 0}}, "'n' and 'maybe' both mean 'neutral'"),
    ],
)  # fmt: skip
def test_a_row_says_what_a_model_would_have(
    cells: dict[str, Any], output: dict[str, Any] | str, tmp_path: Path
) -> None:
    """In the words of a file, numbers as CSV and JSON have them; or what is wrong with it, and the fix."""
    (tmp_path / "p.jsonl").write_text(json.dumps({"uid": "r1", "by": "me", **cells}))
    columns = {"id": "uid", "label": "said", "model": "by"}
    if "other" in cells:
        columns |= {"probabilities.contradictory": "other", "probabilities.neutral": "no"}
    label_map = {"yes": "entailed", "maybe": "n", "0": "contradictory"}
    file = PredictionsFile(tmp_path / "p.jsonl", columns=columns, label_map=label_map)
    [row] = PredictionRows.read(file, NLI, LABELS, NLI.words)
    if isinstance(output, str):
        assert isinstance(row, RowProblem)
        assert output in str(row.error)
    else:
        assert row == Given(1, "r1", "me", output)


@pytest.mark.parametrize(
    ("names", "label_map"),
    [
        ("negative,positive", {}),
        ("pos,neg", {}),
        ("probabilities.negative,probabilities.positive", {}),
        ("0,1", {"0": "negative", "1": "positive"}),
    ],
)
def test_columns_named_after_all_labels_are_the_probabilities(
    project: Path, names: str, label_map: dict[str, str]
) -> None:
    """By the words of the dataset or of the call; a row may leave them empty."""
    turned = names.startswith("pos")
    rows = [("r1", "neg", ["0.9", "0.1"]), ("r2", "pos", ["0.25", "0.75"]), ("r3", "neg", ["", ""])]
    lines = [",".join([id_, said, *(reversed(shares) if turned else shares)]) for id_, said, shares in rows]
    done = take(project, "p.csv", "\n".join([f"id,label,{names}", *lines]), label_map=label_map)
    found = store(project).predictions(done.result)
    assert found.probabilities == {"negative": (900000, 250000, None, None)}
    assert "brier" in done.result.scores
    assert done.unused == ()


def test_columns_that_are_not_used_are_named(project: Path) -> None:
    """Such as that of one label alone, or one whose name means nothing; also where nothing has changed."""
    (project / "p.csv").write_text("id,label,positive,score,answer\nr1,neg,0.1,7,neg\n")
    for status in ("imported", "unchanged"):
        done = steelyard("p.csv", "--dataset", "reviews", "--model", "m", cwd=project)
        assert done.stdout.startswith(f"m on reviews: {status}: ")
        assert "  columns that are not used: 'positive', 'score', 'answer'\n" in done.stdout
    shown = json.loads(
        steelyard("p.csv", "--dataset", "reviews", "--model", "m", "--json", cwd=project).stdout
    )
    assert shown["results"][0]["unused_columns"] == ["positive", "score", "answer"]


#: The labels of a file whose columns of probabilities are swapped, or whose confidence is that of one class.
PROBABLE = {"r1": 0.1, "r2": 0.9, "r3": 0.9, "r4": 0.1}


@pytest.mark.parametrize("kind", ["probabilities", "confidence"])
def test_labels_that_are_mostly_not_the_most_probable_stop_an_import(project: Path, kind: str) -> None:
    """The message counts them and names what confirms it, an option or a key of the board file, which takes them
    and says so; columns that are told the right way round are taken without a word."""
    labels = {one: "negative" if share > 0.5 else "positive" for one, share in PROBABLE.items()}
    header = {"probabilities": "id,label,negative,positive", "confidence": "id,label,confidence"}[kind]
    shares = {one: f"{1 - share:.1f},{share}" for one, share in PROBABLE.items()}
    cells = shares if kind == "probabilities" else dict.fromkeys(PROBABLE, "0.1")
    file = header + "\n" + "".join(f"{one},{labels[one]},{cells[one]}\n" for one in PROBABLE)
    message = "m.csv: labels that are not the most probable class: 4 of 4; .*--accept-differences"
    with pytest.raises(UserError, match=message):
        take(project, "m.csv", file)
    assert not files(project)
    assert (
        take(project, "m.csv", file, accept_differences=True).unlikely
        == "labels that are not the most probable class: 4 of 4"
    )
    if kind == "probabilities":
        swapped = {"probabilities.negative": "positive", "probabilities.positive": "negative"}
        assert take(project, "m.csv", file, columns=swapped).unlikely == ""


def test_the_board_file_confirms_labels_that_are_not_the_most_probable(project: Path) -> None:
    """Without it `import` says what to do and exits 1; with it the count is printed."""
    (project / "m.csv").write_text("id,label,confidence\nr1,negative,0.2\n")
    table = '[[predictions]]\ndataset = "reviews"\npath = "m.csv"\nmodel = "known"\n'
    board = project / "board.toml"
    before = board.read_text()
    board.write_text(before + table)
    done = steelyard("--model", "known", cwd=project)
    assert (done.returncode, "accept_differences = true" in done.stderr) == (1, True)
    board.write_text(before + table + "accept_differences = true\n")
    done = steelyard("--model", "known", cwd=project)
    assert (done.returncode, done.stdout.splitlines()[1]) == (
        0,
        "  labels that are not the most probable class: 1 of 1",
    )


def test_a_few_labels_that_are_not_the_most_probable_are_counted(project: Path) -> None:
    """Half of them may be a threshold; even shares, and rows without any, say nothing."""
    rows = "r1,negative,0.4,0.6\nr2,positive,0.5,0.5\nr3,positive,,\nr4,negative,0.9,0.1\n"
    done = take(project, "m.csv", "id,label,negative,positive\n" + rows)
    assert done.unlikely == "labels that are not the most probable class: 1 of 3"


def test_classes_that_count_as_one_are_as_probable_as_both(project: Path) -> None:
    """A label is the most probable one by the dataset's classes or by the file's."""
    row = {"label": "neutral", "probabilities": {"entailed": 0.4, "neutral": 0.3, "contradictory": 0.3}}
    done = take(project, "m.jsonl", [{"id": "ex0", **row}, {"id": "ex1", **row}], "pairs")
    assert done.unlikely == ""


def test_what_is_stored_is_found_with_its_predictions(project: Path) -> None:
    """A result and its predictions can be read again; a second import changes no byte."""
    content = "id,label,confidence\nr1,neg,0.9\nr2,pos,0.123456\nr3,neg,1\nr4,neg,0.5\n"
    result = take(project, "p.csv", content, model="known").result
    assert list(store(project).results()) == [result]
    assert store(project).predictions(result).exact_confidence == (0.9, 0.123456, 1.0, 0.5)
    assert (result.model.label, result.model.card.licence) == ("A model with a card", "MIT")
    before = files(project)
    done = steelyard("p.csv", "--dataset", "reviews", "--model", "known", cwd=project)
    assert done.stdout.startswith("known on reviews: unchanged: ")
    assert files(project) == before


def test_what_is_no_answer_is_wrong_and_reported(project: Path) -> None:
    """An example without a prediction, and an answer that is no label; its text is not repeated if the
    dataset has it. What was said of how sure the model is stays."""
    rows: list[dict[str, Any]] = [
        {"id": "r1", "label": "TEXT R1", "confidence": 0.123456789012345},
        {"id": "r2", "label": "dunno", "probs": {"neg": 0.25, "pos": 0.75}},
        {"id": "r3", "label": "pos", "probs": {"neg": 0.1234567891, "pos": 0.8765432109}},
    ]
    result = take(project, "p.jsonl", rows).result
    found = store(project).predictions(result)
    assert found.predicted == (-1, -1, 1, -1)
    assert found.exact_confidence == (0.123456789012345, 0.75, 0.8765432109, None)
    assert found.probabilities == {"negative": (None, None, 123457, None)}
    kinds = {failure.kind: (failure.count, failure.first_ids) for failure in result.failures}
    assert kinds == {"invalid-answer": (2, ("r1", "r2")), "missing": (1, ("r4",))}
    assert not any(b"TEXT R1" in content for content in files(project).values())
    said = steelyard("p.jsonl", "--dataset", "reviews", "--model", "other", cwd=project).stdout
    assert "2 invalid-answer, counted as wrong: line 1: not a valid answer (first: r1, r2)" in said
    (project / "p.csv").write_text("id,label\nr1,neg\nr2,9\n")
    said = steelyard("p.csv", "--dataset", "reviews", "--model", "other", cwd=project).stdout
    assert "line 3: label: '9' is not a label; give one of negative, positive (first: r2)" in said


REFUSED = [
    ("p.csv", "id,label\nr1,neg\nr1,pos\n", "3: id: 'r1' has a prediction on line 2 already; give one an example"),
    ("p.csv", "id,label\nr9,neg\n", "2: id: 'r9' is no example of reviews; give ids of reviews, such as 'r1'"),
    ("p.csv", "id,label,confidence\nr1,neg,1.5\n", "2: confidence: 1.5 is outside 0 to 1"),
    ("p.csv", "id,label,confidence\nr1,bad,1.5\nr2,neg,1\n", "2: confidence: 1.5 is outside 0 to 1"),
    ("p.csv", "id,label,pos,neg\nr1,neg,0.5,0.6\n", "2: probabilities: they sum to 1.1, not to 1; columns named after"
     " the labels are its probabilities; normalise or rename them"),
    ("p.csv", "id,label,pos,neg\nr1,neg,-2.5,3.5\n", "2: probabilities.negative: 3.5 is outside 0 to 1; columns named"),
    ("p.csv", "id,label,pos,neg\nr1,neg,nan,1\n", "2: probabilities.positive: NaN is not a number; columns named"),
    ("p.csv", "id,label,pos,neg\nr1,neg,,1\n", "2: probabilities.positive: missing; columns named"),
    ("p.csv", "id,label,pos,neg\nr1,neg,high,1\n", "2: probabilities: 'high' is not a number"),
    ("p.csv", "id,label,neg,negative,pos\nr1,neg,0,0,1\n", "2: probabilities: 'neg' and 'negative' both mean"),
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
    assert not files(project)


def test_many_problems_are_listed_and_counted(project: Path) -> None:
    """The first ten kinds are named, and how many rows more there are; of one kind, the first row is."""
    with pytest.raises(UserError) as refused:
        take(project, "p.csv", "id,label\n" + "".join(f"x{number},neg\n" for number in range(25)))
    assert "p.csv:2: id: 'x0' is no example of reviews; " in str(refused.value)
    assert str(refused.value).endswith(" (and 24 more rows)")
    rows = "".join(f"x{number},neg,{number}%\n" for number in range(25))
    with pytest.raises(UserError) as refused:
        take(project, "p.csv", f"id,label,confidence\n{rows}")
    assert str(refused.value).count("is not a number") == 10
    assert str(refused.value).endswith("and 15 more")


def test_answers_to_rows_that_were_left_out_are_no_mistake(project: Path) -> None:
    """Whoever answered the whole file answered the rows without a label, too; no score counts them."""
    with (project / "reviews.jsonl").open("a") as file:
        file.write(json.dumps({"id": "r5", "text": "?", "label": "-", "length": "short"}) + "\n")
    write_board(project, **{"label_map = { ": 'label_map = { "-" = "", '})
    answers = [{"id": id_, "label": label} for id_, label, _ in REVIEWS]
    done = take(project, "all.jsonl", [*answers, {"id": "r5", "label": "pos"}])
    assert done.result.scores["accuracy"].value == 100
    assert (done.result.dataset.examples, done.result.dataset.left_out) == (4, "1 no gold label")


def test_a_column_that_no_row_has_is_refused(project: Path) -> None:
    """The message lists the existing ones."""
    with pytest.raises(UserError, match=r"confidence: no row has 'sure'; it has 'id', 'label'; say"):
        take(project, "p.csv", "id,label\nr1,neg\n", columns={"confidence": "sure"})


def test_a_measured_result_is_never_overwritten(project: Path) -> None:
    """Predictions do not replace what was measured here."""
    result = take(project, "p.csv", "id,label\nr1,neg\n").result
    measured = result.model_copy(update={"provenance": "measured"})
    store(project).save(measured, store(project).predictions(result))
    with pytest.raises(UserError, match="provenance: holds a result that is measured; import under another"):
        take(project, "p.csv", "id,label\nr1,neg\n")
    assert list(store(project).results()) == [measured]


def test_scores_that_were_added_by_hand_stay_with_their_answers(project: Path) -> None:
    """The same answers keep them; other answers are refused, with the fix, as the scores would be of others."""
    old = take(project, "p.json", {"r1": "neg"}).result
    added = {"style": Score(value=7.0, unit="", version="by hand")}
    store(project).save(old.model_copy(update={"scores": old.scores | added}))
    before = files(project)
    again = take(project, "p.json", {"r1": "neg"})
    assert (again.status, again.result.scores["style"]) == ("unchanged", added["style"])
    known = take(project, "p.csv", "id,label\nr1,neg\n").result
    assert known.scores == old.scores | added
    with pytest.raises(
        UserError, match=r"m.json: scores: style: added .* by hand, .*; remove them from the file, or"
    ):
        take(project, "p.json", {"r1": "pos"})
    assert files(project).keys() == before.keys()
    assert store(project).find("sentiment", "reviews", "m") == known


def test_an_id_that_differs_from_a_stored_one_in_capitals_only_is_refused(project: Path) -> None:
    """On Windows and macOS its file would replace the other."""
    take(project, "p.csv", "id,label\nr1,neg\n", model="mine")
    before = files(project)
    with pytest.raises(UserError, match=r"MINE.json: 'MINE' is 'mine' on file systems that do not tell capi"):
        take(project, "p.csv", "id,label\nr1,neg\n", model="MINE")
    assert files(project) == before


def test_what_the_board_file_declares_is_imported_at_once(project: Path) -> None:
    """Without a file, everything under [[predictions]], each model's rows as its own; but none of a removed
    model, which is refused with the reason where it is asked for."""
    rows = [("r1", "neg", "pos"), ("r2", "pos", "pos"), ("r3", "pos", "pos"), ("r4", "neg", "neg")]
    lines = [f"{i},Model A!,{a}\n{i},Model B,{b}\n" for i, a, b in rows]
    (project / "both.csv").write_text("example,system,said\n" + "".join(lines))
    assert steelyard(cwd=project).returncode == 0
    found = {result.model.id: result for result in store(project).results()}
    assert {name: one.scores["accuracy"].value for name, one in found.items()} == {"a": 100.0, "b": 75.0}
    assert all(r.source is not None and r.source.citation == "Somebody 2020" for r in found.values())
    for path in files(project):
        path.unlink()
    gone = 'removed = { reason = "its author withdrew it", date = 2026-11-01 }'
    write_board(project, **{'id = "known"': f'id = "a"\n{gone}'})
    assert steelyard(cwd=project).returncode == 0
    assert {result.model.id for result in store(project).results()} == {"b"}
    done = steelyard("both.csv", "--dataset", "reviews", "--model", "a", cwd=project)
    assert done.returncode == 2
    assert "--model: a was removed on 2026-11-01: its author withdrew it; delete `removed`" in done.stderr


def test_answers_in_words_are_scored_and_kept_without_their_words(project: Path) -> None:
    """SQuAD's {id: answer} is scored against all references, and stored as places in the context; an empty
    answer is an answer, an absent one is missing, and both are wrong."""
    answers = {"q1": "in 1932", "q2": "by the mayor", "q3": "unknown"}
    result = take(project, "answers.json", answers, "bridges").result
    assert result.scores["exact-match"].value == pytest.approx(100 / 3)
    assert result.scores["f1"].value == pytest.approx((100 + 2 / 3 * 100 + 0) / 3)
    predictions = store(project).predictions(result)
    assert predictions.answers == ((22, 29), (30, 42), ("unknown",))
    assert texts(dataset(project, "bridges"), predictions) == list(answers.values())
    assert not any(b"mayor" in content for content in files(project).values())
    result = take(project, "answers.json", {"q1": "1932", "q2": ""}, "bridges").result
    assert result.scores["exact-match"].value == pytest.approx(100 / 3)
    assert store(project).predictions(result).answers == ((25, 29), (), None)
    assert [failure.kind for failure in result.failures] == ["missing"]


def test_answers_in_which_no_words_are_found_are_counted_where_scores_are_printed(project: Path) -> None:
    """As F1 splits at spaces, which Chinese does not write."""
    (project / "p.json").write_text(json.dumps({"q1": "在一九三二年", "q2": "the mayor", "q3": "1951"}))
    said = steelyard("p.json", "--dataset", "bridges", "--model", "m", cwd=project).stdout
    assert "f1: no words are found in 1 of 7 texts; chrf and cer compare characters\n" in said


def test_questions_without_an_answer_are_scored_apart_and_at_the_best_threshold(project: Path) -> None:
    """SQuAD v2: an empty answer is right where there is none; a file of na_prob gives the best thresholds."""
    write_questions(project, "q3")
    given = {"q1": "in 1932", "q2": "the mayor", "q3": "1951"}
    result = take(project, "answers.json", given, "bridges").result
    assert result.tags["answers"]["HasAns"].scores == {"f1": 100.0, "exact-match": 100.0}
    assert result.tags["answers"]["NoAns"].scores == {"f1": 0.0, "exact-match": 0.0}
    assert "best-f1" not in result.scores
    assert result.scores["f1"].value == pytest.approx(200 / 3)
    (project / "na_prob.json").write_text(json.dumps({"q2": 0.2, "q1": 0.1, "q3": 0.9}))
    arguments = ("answers.json", "--dataset", "bridges", "--model", "m", "na_prob.json")
    assert steelyard(*arguments, cwd=project).returncode == 0
    [result] = store(project).results()
    best = {name: (one.value, one.threshold) for name, one in result.scores.items() if "best-" in name}
    assert best == {"best-f1": (100.0, 0.2), "best-exact-match": (100.0, 0.2)}
    assert take(project, "answers.json", given | {"q3": ""}, "bridges").result.scores["f1"].value == 100.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"q1": 1, "q2": 0}, "lacks 'q3'; give a number for every example"),
        ({"q1": 1, "q2": 0, "q3": "x"}, "na_prob.json:3: 'q3': 'x' is not a finite number; give one"),
        ({**dict.fromkeys(QUESTIONS, 0), "q4": 0}, "na_prob.json: 'q4' is no example of the dataset; leave"),
        ([1], "na_prob.json: is not a JSON object; write {id: number}"),
    ],
)
def test_a_broken_file_of_na_prob_changes_nothing(project: Path, content: Any, message: str) -> None:
    """It is named with the entry, the value and the fix."""
    (project / "na_prob.json").write_text(json.dumps(content))
    with pytest.raises(UserError) as refused:
        take(project, "answers.json", {"q1": "1932"}, "bridges", no_answer=project / "na_prob.json")
    assert message in str(refused.value)
    assert not files(project)


@pytest.mark.parametrize(
    ("about", "answers", "accuracy"),
    [
        ("pairs", "entailment non-entailment", 100),
        ("pairs", "entailed not-entailed", 100),
        ("pairs", "entailment contradiction", 100),
        ("pairs", "entailed neutral", 100),
        ("pairs", "contradictory contradictory", 50),
        ("threefold", "entailment neutral contradiction", 100),
        ("threefold", "e n contradictory", 100),
    ],
)
def test_the_words_of_a_file_are_understood(project: Path, about: str, answers: str, accuracy: int) -> None:
    """The dataset's own words for its gold labels, the usual ones of inference, and labels that count as one."""
    rows = [f"{i},{said}\n" for i, said in zip(dataset(project, about).ids, answers.split(), strict=True)]
    result = take(project, "p.csv", "id,label\n" + "".join(rows), about).result
    assert result.scores["accuracy"].value == accuracy


def test_a_coarse_word_means_the_first_label_that_counts_as_it(project: Path) -> None:
    """What HANS calls non-entailment is stored as neutral, also where the file's own map leads to it."""
    mapped = {"yes": "entailed", "no": "not-entailed"}
    found = take(project, "p.csv", "id,label\nex0,yes\nex1,no\n", "pairs", label_map=mapped)
    assert store(project).predictions(found.result).predicted == (0, 1)


@pytest.mark.parametrize("damage", [None, b"{}"])
def test_predictions_that_are_not_whole_are_written_again(project: Path, damage: bytes | None) -> None:
    """An import counts as unchanged only if the stored predictions are there as they were written."""
    content = "id,label\nr1,neg\n"
    [_, path] = take(project, "p.csv", content).written
    before = path.read_bytes()
    assert take(project, "p.csv", content).status == "unchanged"
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
    assert take(project, "p.csv", content).status == "imported"
    assert path.read_bytes() == before


def test_what_decides_an_import_is_kept_with_it(project: Path) -> None:
    """Its format and, where rows were picked, by which name; other answers have a later date, so that `check`
    does not take them for an edit."""
    content = "id\tlabel\tmodel\nr1\tneg\tm\n"
    named = take(project, "p.tsv", content).result
    assert (named.model.made_from["format"], named.model.made_from["model"]) == ("tsv", "m")
    whole = take(project, "p.tsv", content.replace("neg\tm\n", "pos\t\n"), format="tsv").result
    assert "model" not in whole.model.made_from
    assert whole.inputs != named.inputs
    assert whole.created > named.created


def test_a_bad_file_leaves_people_unwritten(project: Path) -> None:
    """What people do on a dataset is stored with the first import that is taken, not by one that is not."""
    with pytest.raises(UserError):
        take(project, "p.csv", "id,label\nv1,bad\n", "voted")
    assert not files(project)
    take(project, "p.csv", "id,label\nv1,negative\n", "voted")
    assert "human.json" in [path.name for path in files(project)]


def test_the_dataset_is_the_one_that_has_the_ids(project: Path) -> None:
    """Left out, it is found; a file that may answer two, or none, is not guessed."""
    (project / "answers.json").write_text(json.dumps({"q1": "in 1932"}))
    assert steelyard("answers.json", "--model", "m", cwd=project).returncode == 0
    [result] = store(project).results()
    assert result.dataset.id == "bridges"
    (project / "p.csv").write_text("id,label\nr9,neg\n")
    done = steelyard("p.csv", "--model", "m", cwd=project)
    assert "--dataset: no dataset here has all ids of p.csv; say which dataset it answers" in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "p.csv --dataset nosuch --model m",
            "--dataset 'nosuch': the board file has no such dataset to read",
        ),
        ("p.csv --dataset reviews", "--model: missing; say whose answers FILE has"),
        ("p.csv --dataset reviews --dataset pairs --model m", "--dataset 'pairs': name one"),
        ("--model nosuch", "FILE: missing, and the board file has no such [[predictions]]"),
        ("p.csv --dataset reviews --model human", "--model: 'human' stands for people; choose another id"),
        (
            "p.csv --dataset reviews --model m --source 'Me, https://me:secret@example.org/'",
            "'--source': 'https://me:secret@example.org/': holds a name or a password before its host",
        ),
        (
            "p.csv --dataset reviews --model m --column labels=label",
            "--column: 'labels' is not a field of a prediction for sentiment;"
            " did you mean label? There are id, label, confidence, model, trial, probabilities, probabilities.LABEL",
        ),
    ],
)
def test_wrong_calls_exit_2(project: Path, arguments: str, message: str) -> None:
    """A wrong call is answered with what would be right, and exit code 2."""
    (project / "p.csv").write_text("id,label\nr1,neg\n")
    done = steelyard(*shlex.split(arguments), cwd=project)
    assert done.returncode == 2
    assert message in done.stderr
    assert not files(project)
