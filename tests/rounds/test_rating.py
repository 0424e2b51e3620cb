"""People label answers that a judge rated: examples drawn at random, blind, and imported as labels."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluator.records.board import load_boards
from evaluator.records.errors import UserError
from evaluator.records.store import Store
from evaluator.rounds.desks import LabelBench
from evaluator.rounds.rating import Rating, open_rating

MODELS, EXAMPLES = ("Large", "Small", "Tiny"), 12
BOARD = """
title = "T"

[[datasets]]
id = "chats"
label = "Chats"
task = "scored"

[[imports]]
path = "chats.csv"
rows = "examples"
model = "model"
dataset = "chats"
example = "id"
[imports.metrics]
quality = {{ column = "judge", scale = {scale} }}

[[boards]]
id = "b"
title = "B"
task = "scored"
base = "quality"
datasets = ["chats"]
metrics = [{{ name = "quality", label = "Quality", unit = "{unit}"{more} }}]
"""

Call = Callable[..., tuple[int, str, str]]


def verdict(model: str, at: int) -> int:
    return int((at + MODELS.index(model)) % 3 > 0)


def project(
    folder: Path,
    verdicts: Callable[[str, int], Any] = verdict,
    scale: float = 100,
    unit: str = "%",
    more: str = "",
    extra: str = "",
) -> Path:
    (folder / "board.toml").write_text(BOARD.format(scale=scale, unit=unit, more=more), "utf-8")
    lines = [
        f"{model},q{at},What is {at} + 1?,It is {at + 1 + (model == 'Tiny')}.,{verdicts(model, at)}"
        for model in MODELS
        for at in range(EXAMPLES)
    ]
    (folder / "chats.csv").write_text("\n".join(["model,id,question,answer,judge", *lines, extra]), "utf-8")
    return folder


def rating(folder: Path, **more: Any) -> Rating:
    boards = load_boards(folder / "board.toml")
    return open_rating(boards, "chats", folder, folder, **{"shown": ("question", "answer"), **more})


@pytest.fixture
def run(run: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Calls the program in the project's folder; gives its exit code, stdout and stderr."""
    monkeypatch.chdir(project(tmp_path))
    return run


def label_all(bench: LabelBench, person: str) -> list[dict[str, str]]:
    """Answer as anybody would who can add; give what was shown."""
    seen = []
    while (item := bench.next(person)["item"]) is not None:
        question, answer = item["inputs"]["question"], item["inputs"]["answer"]
        is_right = int(question.split()[2]) + 1 == int(answer.rstrip(".").split()[-1])
        bench.respond(validator=person, id=item["id"], answer="right" if is_right else "wrong")
        seen.append(item)
    return seen


def test_labels_correct_the_judge(run: Call, tmp_path: Path) -> None:
    """From the page to the score: what people say of all answers of the drawn examples is imported."""
    assert run("import")[0] == 0
    before = {model: score(tmp_path, model) for model in MODELS}
    label_all(LabelBench(rating(tmp_path, number=EXAMPLES)), "ann")
    code, out, _ = run("collect", "merge", "chats")
    assert (code, out.splitlines()[0]) == (0, "36 answers of 36 labelled: collect/chats/labels.csv")
    assert "next: steelyard import collect/chats/labels.csv --dataset chats --metric human=quality" in out
    arguments = ["collect/chats/labels.csv", "--dataset", "chats", "--metric", "human=quality"]
    assert run("import", *arguments)[0] == 0
    assert {model: before[model].judged for model in MODELS} == dict.fromkeys(MODELS)
    # All answers are labelled, so that the labels alone decide.
    assert [score(tmp_path, model).value for model in MODELS] == pytest.approx([100.0, 100.0, 0.0])
    assert run("import")[0] == 0
    assert run("check")[0] == 0


def score(folder: Path, model: str) -> Any:
    store = Store(folder / "results")
    return store.load(store.path("scored", "chats", model)).scores["quality"]


def test_people_see_neither_the_model_nor_the_verdict(tmp_path: Path) -> None:
    """Only the columns that are shown, under an id that says nothing."""
    bench = LabelBench(rating(project(tmp_path)))
    routes = bench.routes()
    said = json.dumps([routes["/api/state"](), label_all(bench, "ann")])
    assert not any(word in said for word in (*MODELS, "judge", "quality", "verdict"))
    assert '"What is 3 + 1?"' in said


def test_examples_are_drawn_at_random_and_more_are_added_at_the_end(tmp_path: Path) -> None:
    """All answers to an example together; not the first of the file; whoever asks for more gets these too."""
    few, many = rating(project(tmp_path), number=4), rating(tmp_path, number=8)
    assert many.order[: len(few.order)] == few.order
    examples = [few.answers[id_].example for id_ in few.order]
    assert examples == [one for one in dict.fromkeys(examples) for _ in MODELS]
    assert set(examples) != {f"q{at}" for at in range(4)}
    whose = [tuple(few.answers[id_].model for id_ in few.order[at : at + 3]) for at in range(0, 12, 3)]
    assert len(set(whose)) > 1


def test_what_is_asked_is_kept(tmp_path: Path) -> None:
    """Who opens the page again need not say it again, and people go on where they were."""
    first = rating(project(tmp_path), number=2)
    label_all(LabelBench(first), "ann")
    boards = load_boards(tmp_path / "board.toml")
    again = open_rating(boards, "chats", tmp_path, tmp_path)
    assert again.plan == first.plan
    assert LabelBench(again).next("ann") == {"item": None, "done": 6, "left": 0}


def test_two_people_do_not_label_the_same_answer(tmp_path: Path) -> None:
    """What one has before them another does not get; what one is unsure of another does."""
    bench = LabelBench(rating(project(tmp_path), number=1))
    mine, theirs = bench.next("ann")["item"], bench.next("bob")["item"]
    assert mine["id"] != theirs["id"]
    bench.respond(validator="ann", id=mine["id"], mark="unsure")
    label_all(bench, "ann")
    bench.respond(validator="bob", id=theirs["id"], answer="right")
    assert bench.next("bob")["item"]["id"] == mine["id"]


@pytest.mark.parametrize(
    ("verdicts", "more", "labels"),
    [
        (lambda model, at: ("fail", "pass")[at % 2], "", ("right", "wrong")),
        (lambda model, at: 2 + at % 3, "", ("2", "3", "4")),
        (lambda model, at: 2 + at % 3, ", range = [1, 5]", ("1", "2", "3", "4", "5")),
        (lambda model, at: 0.5 + at, "", ()),
        (lambda model, at: 10 * at, "", ()),
    ],
)
def test_people_answer_as_the_judge_does(
    tmp_path: Path, verdicts: Callable[[str, int], Any], more: str, labels: tuple[str, ...]
) -> None:
    """Right or wrong, one of a few whole numbers, or any number."""
    words = verdicts("Large", 0) == "fail"
    folder = project(tmp_path, verdicts, 100 if words else 1, "%" if words else "", more)
    found = rating(folder)
    assert found.labels == labels
    bench = LabelBench(found)
    item = bench.next("ann")["item"]
    with pytest.raises(UserError, match=r"answer: 'good' is no (label|number)"):
        bench.respond(validator="ann", id=item["id"], answer="good")
    bench.respond(validator="ann", id=item["id"], answer=labels[0] if labels else "2.5")
    _, said = found.keep_labels()
    assert said == [[1.0 if words else float(labels[0]) if labels else 2.5]]


@pytest.mark.parametrize(
    ("shown", "message"),
    [
        ((), "--show: is missing; name the columns that people see; there are id, question, answer"),
        (("model",), "--show: 'model' says whose the answer is, or what others said of it"),
        (("answer", "judge"), "--show: 'judge' says whose the answer is"),
        (("(file)",), r"--show: '\(file\)' says whose the answer is"),
        (("answers",), "has no column 'answers'; did you mean answer?"),
    ],
)
def test_what_is_shown_gives_nothing_away(tmp_path: Path, shown: tuple[str, ...], message: str) -> None:
    """Columns with the model, the verdict or labels are refused, and so is showing nothing."""
    with pytest.raises(UserError, match=message.replace("?", r"\?")):
        rating(project(tmp_path), shown=shown)
    assert not (tmp_path / "collect").exists()


def test_several_answers_of_a_model_to_an_example_are_refused(tmp_path: Path) -> None:
    """A label would be of one of them, and nobody could say of which."""
    folder = project(tmp_path, extra="Large,q3,What is 3 + 1?,It is 5.,0")
    with pytest.raises(UserError, match="Large has answered 'q3' several times"):
        rating(folder)


def test_labels_of_answers_that_are_gone_are_named(tmp_path: Path) -> None:
    """The file changed since people labelled it."""
    label_all(LabelBench(rating(project(tmp_path), number=12)), "ann")
    text = (tmp_path / "chats.csv").read_text("utf-8")
    (tmp_path / "chats.csv").write_text(text.replace("Tiny,q3", "Tiny,q33"), "utf-8")
    with pytest.raises(UserError, match=r"ann.jsonl:\d+: id: \w+ is no answer of chats"):
        rating(tmp_path).responses()


def test_options_of_a_dataset_are_not_for_a_collection(run: Call) -> None:
    """A name that is neither is said to be no collection."""
    assert "--show: notes is no dataset" in run("collect", "validate", "notes", "--show", "answer")[2]
    assert "'notes': the board file has no such collection" in run("collect", "validate", "notes")[2]
    assert run("collect", "merge", "chats")[0] == 1
