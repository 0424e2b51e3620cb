"""`steelyard evaluate`, `try` and `check` on every task, with models that are folders of code."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import forked_command
import pytest

from evaluator.data.datasets import read_dataset
from evaluator.data.tasks import TASKS
from evaluator.records.board import load_boards
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.answers import texts
from evaluator.score.examples import dataset_source

pytestmark = pytest.mark.slow

#: By task, how its file is read.
DATASETS = {
    "nli": 'path = "d.jsonl"\nformat = "mnli"',
    "qa": 'path = "d.json"\nformat = "squad"',
    "hate-speech": 'path = "d.csv"\nformat = "hatecheck"',
    "classification": 'path = "d.tsv"\nformat = "tsv"\ncolumns = { text = "text", label = "topic" }\n'
    'labels = ["art", "sport", "weather"]',
    "generation": 'path = "d.tsv"\nformat = "tsv"\ncolumns = { text = "source", answers = "target" }',
    "sentiment": 'path = "d.tsv"\nformat = "glue-sst2"',
}
BOARD = """
title = "T"

[measure]
repeats = 1
seconds = 0.0001

[[datasets]]
id = "d"
label = "D"
task = "{task}"
{dataset}

[[models]]
id = "m"
label = "M"
task = "{task}"
adapter = "handler"
directory = "m"

[[boards]]
id = "b"
title = "B"
task = "{task}"
base = "{metric}"
datasets = ["d"]
metrics = [{{ name = "{metric}", label = "Score", unit = "%" }}]
"""
CONTEXT = "The ferry leaves at noon and comes back at six."


def pair(number: int, gold: str, text: str, genre: str) -> str:
    """A line of MNLI."""
    given = {"gold_label": gold, "sentence1": "A dog sleeps on a mat.", "sentence2": text, "genre": genre}
    return json.dumps({**given, "pairID": f"p{number}", "promptID": "1", "annotator_labels": [gold]}) + "\n"


def asked(id_: str, question: str, *answers: str) -> dict[str, object]:
    """A question of SQuAD about the context."""
    found = [{"text": text, "answer_start": CONTEXT.index(text)} for text in answers]
    return {"id": id_, "question": question, "answers": found}


ASKED = [
    asked("q1", "When does it leave?", "noon"),
    asked("q2", "When does it come back?", "six", "at six"),
]
PAIRS = [
    ("entailment", "An animal sleeps.", "fiction"),
    ("contradiction", "The dog runs.", "fiction"),
    ("neutral", "The dog is old.", "travel"),
    ("-", "The mat is red.", "travel"),
]
HATECHECK = (
    ",functionality,case_id,test_case,label_gold,target_ident,direction,focus_words,focus_lemma,"
    "ref_case_id,ref_templ_id,templ_id,case_templ\n"
    "0,profanity_nh,1,What a damn fine day.,non-hateful,,,,,,,1,x\n"
    "1,derog_neg_emote_h,2,I cannot stand those people.,hateful,people,general,,,,,2,x\n"
)
#: By task, the content of its file.
DATA = {
    "nli": "".join(pair(number, *one) for number, one in enumerate(PAIRS)),
    "qa": json.dumps({"data": [{"title": "Ferry", "paragraphs": [{"context": CONTEXT, "qas": ASKED}]}]}),
    "hate-speech": HATECHECK,
    "classification": "text\ttopic\nrain tomorrow\tweather\na goal\tsport\na painting\tart\n",
    "generation": "source\ttarget\nein Hund\ta dog\neine Katze\ta cat\n",
    "sentiment": "sentence\tlabel\na fine film\t1\na waste\t0\n",
}
# A model for each task that is right on the first example, and asserts what it is shown.
MODELS = {
    "nli": "assert set(e) == {'context', 'hypothesis'}; return 'entailed'",
    "qa": "assert set(e) == {'context', 'question'}; return {'answer': 'noon', 'confidence': 0.5}",
    "hate-speech": "assert set(e) == {'statement'}; return 'not-hateful'",
    "classification": "assert set(e) == {'text'}; return {'label': 'weather', 'probabilities': {'art': 0.25, 'sport': 0.25, 'weather': 0.5}}",
    "generation": "assert set(e) == {'text'}; return 'a dog'",
    "sentiment": "assert set(e) == {'statement'}; return 'positive'",
}


def steelyard(*arguments: str, cwd: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return forked_command.run(*arguments, cwd=cwd, text=text)


def make(folder: Path, task: str, answer: str | None = None) -> Path:
    """A folder with a board of one task, its data, and a model of code, which may give another `answer`."""
    board = BOARD.format(task=task, dataset=DATASETS[task], metric=TASKS[task].metric)
    (folder / "board.toml").write_text(board)
    name = DATASETS[task].split('"')[1]
    (folder / name).write_text(DATA[task])
    (folder / "m").mkdir()
    body = MODELS[task] if answer is None else answer
    (folder / "m" / "handler.py").write_text(f"def load(d):\n    pass\n\n\ndef predict(e):\n    {body}\n")
    return folder


def evaluated(folder: Path, model: str = "m") -> Result:
    done = steelyard("evaluate", "--model", model, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    [result] = [r for r in Store(folder / "results").results() if r.model.id == model]
    return result


@pytest.mark.parametrize("task", [name for name, task in TASKS.items() if task.answer != "none"])
def test_every_task_is_evaluated(tmp_path: Path, task: str) -> None:
    """A model of any task gets its canonical metric, timing and stored predictions; then nothing is left to do."""
    folder = make(tmp_path, task)
    result = evaluated(folder)
    assert result.failures == ()
    assert {TASKS[task].metric, "throughput", "memory"} <= set(result.scores)
    assert 0 < result.scores[TASKS[task].metric].value < 100
    assert Store(folder / "results").predictions(result).examples == result.dataset.examples
    assert steelyard("evaluate", cwd=folder).stdout == "1 unchanged\n"


def test_examples_without_a_gold_label_are_counted(tmp_path: Path) -> None:
    """What MNLI says is not to be scored is left out, counted, and genres get scores of their own."""
    result = evaluated(make(tmp_path, "nli"))
    assert result.dataset.examples == 3
    assert result.dataset.dropped == {"no gold label": 1}
    assert result.tags["genre"]["fiction"].scores["accuracy"] == 50.0
    assert result.tags["genre"]["travel"].examples == 1


def test_the_whole_context_is_a_floor_for_qa(tmp_path: Path) -> None:
    """The baseline that returns the context has low F1, no exact match, and is stored without a word of it."""
    folder = make(tmp_path, "qa")
    with (folder / "board.toml").open("a") as file:
        file.write('\n[[models]]\nid = "floor"\nlabel = "Floor"\ntask = "qa"\nrecipe = "whole-context"\n')
    result = evaluated(folder, "floor")
    assert result.scores["exact-match"].value == 0.0
    assert 0 < result.scores["f1"].value < 40
    store = Store(folder / "results")
    assert store.predictions(result).answers == ((0, len(CONTEXT)), (0, len(CONTEXT)))
    boards = load_boards(folder / "board.toml")
    dataset = read_dataset(dataset_source(boards.dataset("d"), folder))
    assert texts(dataset, store.predictions(result)) == [CONTEXT, CONTEXT]
    assert not any("ferry" in path.read_text() for path in store.root.rglob("*.json"))


def test_try_takes_one_text_for_each_field(tmp_path: Path) -> None:
    """`try` puts texts into the task's fields in order, from arguments or from lines with tabs."""
    folder = make(tmp_path, "nli", "return 'entailed' if e['hypothesis'] in e['context'] else 'neutral'")
    done = steelyard("try", "m", "--task", "nli", "it rains a lot", "it rains", "dry", "wet", cwd=folder)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["entailed", "neutral"]
    done = steelyard("try", "m", "--task", "nli", cwd=folder, text="it rains a lot\tit rains\n")
    assert done.stdout.startswith("entailed")
    for call, text in ((("one",), None), ((), "no tab\n")):
        done = steelyard("try", "m", "--task", "nli", *call, cwd=folder, text=text)
        assert done.returncode == 2
        assert "context, hypothesis" in done.stderr


def test_scores_of_answers_are_kept_as_long_as_gold_may_be_published(tmp_path: Path) -> None:
    """Answers in words come with their scores under show_gold, and lose them with it; timings stay."""
    folder = make(tmp_path, "qa")
    board, store = folder / "board.toml", Store(folder / "results")
    closed = board.read_text()
    board.write_text(closed.replace('format = "squad"', 'format = "squad"\nshow_gold = true'))
    evaluated(folder)
    [first] = store.results()
    scores = store.predictions(first).scores
    assert scores is not None
    for name, column in scores.items():
        assert sum(column) / len(column) / 10 == pytest.approx(first.scores[name].value, abs=0.05)
    board.write_text(closed)
    assert steelyard("evaluate", cwd=folder).stdout == "1 updated\n"
    [second] = store.results()
    assert store.predictions(second).scores is None
    assert (second.scores, second.measurement, second.created) == (
        first.scores,
        first.measurement,
        first.created,
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "raise ValueError('cannot read ' + e['statement'])",
            "predict raised ValueError; its words are not kept",
        ),
        ("return e['statement']", "output: not what the task asks for; return one of negative, positive"),
        ("return {'label': e['statement']}", "output.label: not what the task asks for"),
    ],
)
@pytest.mark.parametrize("shown", [False, True])
def test_failures_quote_a_text_only_where_it_may_be_shown(
    tmp_path: Path, body: str, said: str, shown: bool
) -> None:
    """What a model says when it fails is stored only where the dataset's text may be shown."""
    folder = make(tmp_path, "sentiment", body)
    (folder / "d.tsv").write_text("sentence\tlabel\nzebra crossing\t1\nzebra farm\t0\n")
    if shown:
        board = (folder / "board.toml").read_text()
        (folder / "board.toml").write_text(
            board.replace('format = "glue', 'show_text = true\nformat = "glue')
        )
    steelyard("evaluate", cwd=folder)
    stored = "".join(path.read_text() for path in (folder / "results").rglob("*.json"))
    assert ("zebra" in stored) is shown
    if not shown:
        assert said in stored


@pytest.mark.parametrize(
    "answer", ["e['context'].upper()", "e['question']", "e['question'].lower() + ' - why?'"]
)
def test_no_answer_in_words_is_stored_with_the_words_of_the_dataset(tmp_path: Path, answer: str) -> None:
    """Context or question, in any case: what an answer quotes is kept by its place."""
    folder = make(tmp_path, "qa", f"return {answer}")
    result = evaluated(folder)
    stored = "".join(path.read_text().lower() for path in (folder / "results").rglob("*.json"))
    for word in ("ferry", "leaves", "noon", "when", "does", "leave"):
        assert word not in stored
    boards = load_boards(folder / "board.toml")
    dataset = read_dataset(dataset_source(boards.dataset("d"), folder))
    given = [eval(answer, {"e": example}) for example in dataset.examples]
    assert texts(dataset, Store(folder / "results").predictions(result)) == given


def test_a_result_that_was_not_measured_is_never_overwritten(tmp_path: Path) -> None:
    """A model that has imported predictions under its id is not evaluated over them."""
    folder = make(tmp_path, "sentiment")
    (folder / "p.csv").write_text("id,label\n0,positive\n1,positive\n")
    assert steelyard("import", "p.csv", "--dataset", "d", "--model", "m", cwd=folder).returncode == 0
    before = {path: path.read_bytes() for path in (folder / "results").rglob("*.json")}
    done = steelyard("evaluate", cwd=folder)
    assert done.returncode == 1
    assert "m.json: provenance: holds a result that is predictions; give the model another id" in done.stderr
    assert {path: path.read_bytes() for path in (folder / "results").rglob("*.json")} == before
