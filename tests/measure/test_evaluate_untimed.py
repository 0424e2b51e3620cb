"""What `evaluate` asks without timing it: batches, all cores, answers kept by content; forecasts and conditions."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import forked_command
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_boards import small_board, small_model

from evaluator.data.tasks import Prediction
from evaluator.measure.run.answers import AnswerReader, Journal
from evaluator.measure.run.untimed import BUDGET, SIZE, Questions, ask, compare, in_batches
from evaluator.measure.timing.machine import own_cpus
from evaluator.measure.worker import Limits, ModelToLoad
from evaluator.records.errors import UserError
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.answers import Entry
from evaluator.score.conditions import Condition

TEXTS = [f"Sentence {number} is {'fine and good' if number % 3 else 'a mess'}." for number in range(90)]
#: Writes down by which process and how many at once it was asked what.
MODEL = """
import json, os, time
from importlib.metadata import PackageNotFoundError
from pathlib import Path

HERE = Path({here!r})
def load(directory):
    pass

def note(texts):
    with (HERE / "calls.jsonl").open("a") as file:
        file.write(json.dumps([os.getpid(), texts]) + "\\n")

def answer(example):
    return {{"label": "positive" if "good" in example["statement"] else "negative"}}

def predict(example):
    note([example["statement"]])
    return answer(example)
"""
BATCHES = """
def predict_batch(examples):
    note([example["statement"] for example in examples])
    return [answer(example) for example in examples]
"""


def steelyard(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return forked_command.run(*arguments, cwd=project, module="unkept")


def make_project(folder: Path, source: str, role: str = "scoring", suites: str = "") -> Path:
    line = f'role = "{role}"\nsuites = [{suites}]'
    measure = {"repeats": 1, "seconds": 0.001}
    (folder / "board.toml").write_text(
        small_board("accuracy", dataset=line, measure=measure) + small_model("m")
    )
    rows = [f"{text}\t{'positive' if number % 4 else 'negative'}\n" for number, text in enumerate(TEXTS)]
    (folder / "d.tsv").write_text("".join(rows))
    (folder / "m").mkdir(exist_ok=True)
    (folder / "m" / "handler.py").write_text(source.format(here=str(folder)))
    return folder


def calls(project: Path) -> list[tuple[int, list[str]]]:
    """The process and the texts of every call."""
    path = project / "calls.jsonl"
    return [tuple(json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []


def result_of(project: Path) -> Result:
    [result] = Store(project / "results").results()
    return result


def test_a_dataset_that_is_only_shown_is_not_timed(tmp_path: Path) -> None:
    """Its texts are asked in batches, each once but for the sample; the result says that batches answer alike."""
    project = make_project(tmp_path, MODEL + BATCHES, role="evaluation")
    done = steelyard(project, "evaluate")
    assert done.returncode == 0, done.stderr
    result = result_of(project)
    assert result.measurement is None
    assert "throughput" not in result.scores
    assert result.scores["accuracy"].value == expected_accuracy()
    assert result.batches is not None
    assert (result.batches.sample, result.batches.differing) == (32, 0)
    asked = Counter(text for _, texts in calls(project) for text in texts)
    assert sorted(asked) == sorted(TEXTS)
    assert sum(asked.values()) == len(TEXTS) + 32
    assert max(len(texts) for _, texts in calls(project)) == 32
    assert steelyard(project, "evaluate").stdout == "1 unchanged\n"


def expected_accuracy() -> float:
    right = [("good" in text) == bool(number % 4) for number, text in enumerate(TEXTS)]
    return pytest.approx(100 * sum(right) / len(right))


@pytest.mark.slow
def test_a_text_is_asked_once_for_all_datasets(tmp_path: Path) -> None:
    """What a model was asked for one dataset is not asked again for another, in this run or a later one."""
    project = make_project(tmp_path, MODEL, role="evaluation")
    board = (project / "board.toml").read_text()
    assert steelyard(project, "evaluate").returncode == 0
    second = board[board.index("[[datasets]]") : board.index("[[boards]]")].replace('id = "d"', 'id = "e"')
    (project / "board.toml").write_text(board + second)
    done = steelyard(project, "evaluate")
    assert done.returncode == 0, done.stderr
    assert len(list(Store(project / "results").results())) == 2
    assert set(Counter(text for _, texts in calls(project) for text in texts).values()) == {1}


def workers() -> Iterator[psutil.Process]:
    """The processes that this one runs models in."""
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "evaluator.measure.worker.child" in process.cmdline():
                yield process


#: Slow; says on which core it runs as how sure it is.
PINNED = """
import os, time

def load(directory):
    pass

def predict(example):
    time.sleep(0.02)
    return {{"label": "positive", "confidence": min(os.sched_getaffinity(0)) / 1000}}
"""


LABELS = ("negative", "positive")


def questions(project: Path, inputs: dict[str, dict[str, str]]) -> Questions:
    """What the project's model is asked, on its own: the model's revision is of no matter."""
    spec = ModelToLoad("handler", project / "m", {}, "sentiment", LABELS)
    reader = AnswerReader("sentiment", LABELS, show_text=True)
    return Questions("m", "sha256:0", spec, reader, Limits(), inputs)


def numbered(count: int) -> dict[str, dict[str, str]]:
    return {f"{number:05}": {"statement": f"{number:05}"} for number in range(count)}


class Listening:
    """Counts the answers as they come, and may stop listening."""

    def __init__(self, until: int | None = None) -> None:
        self.answers, self.until = 0, until

    def phase(self, text: str, total: int | None = None, done: int = 0) -> None:
        self.answers = done

    def advance(self, done: int = 1) -> None:
        self.answers += done
        if self.until is not None and self.answers >= self.until:
            raise KeyboardInterrupt


@pytest.mark.slow
def test_every_core_has_a_worker_and_who_stops_listening_leaves_none(tmp_path: Path) -> None:
    """A slow model with much to do is asked on all cores at once; what was answered by then is kept."""
    project, cores = make_project(tmp_path, PINNED), sorted(own_cpus())
    asked = questions(project, numbered(20_000))
    with pytest.raises(KeyboardInterrupt):
        list(ask([asked], project, Listening(until=300)))
    with Journal[str](project / asked.file, lambda key: True) as journal:
        kept = journal.entries
    assert 300 <= len(kept) < len(asked.inputs)
    assert {entry.answer.confidence for entry in kept.values()} == {core / 1000 for core in cores}
    assert not list(workers())


def test_only_what_was_not_answered_is_asked(tmp_path: Path) -> None:
    """What went wrong in an earlier run is asked again; a model that has answered everything is not even loaded."""
    project = make_project(tmp_path, PINNED)
    asked = questions(project, {"a": {"statement": "good"}, "b": {"statement": "bad"}})
    with Journal[str](project / asked.file, lambda key: True) as journal:
        journal.extend([("a", Entry(failure=("timeout", "no answer came"))), ("b", Entry(Prediction(1)))])
    [(_, answers)] = ask([asked], project, Listening())
    assert answers.entries["b"] == Entry(Prediction(1))
    assert answers.entries["a"].failure is None
    (project / "m" / "handler.py").write_text("raise ValueError('it was loaded')")
    [(_, answers)] = ask([asked], project, Listening())
    assert answers.error is None


def test_a_model_that_does_not_load_says_why(tmp_path: Path) -> None:
    """The one error of all its workers is the answer."""
    project = make_project(tmp_path, "raise ValueError('no weights')")
    [(_, answers)] = ask([questions(project, numbered(100))], project, Listening())
    assert "no weights" in str(answers.error)
    assert not answers.entries


#: Ends its own process at some of the texts.
DIES = """
import os

def load(directory):
    pass

def predict(example):
    if int(example["statement"]) > 100 and example["statement"].endswith("7"):
        os._exit(3)
    return "positive"
"""


@pytest.mark.slow
def test_what_a_model_answered_before_its_last_end_is_kept(tmp_path: Path) -> None:
    """A model that ends its workers three times is not asked on; its answers, and the first two failures, stay."""
    asked = questions(make_project(tmp_path, DIES), numbered(500))
    listening = Listening()
    [(_, answers)] = ask([asked], tmp_path, listening)
    assert "exited with code 3" in str(answers.error)
    assert listening.answers == len(answers.entries) >= 2
    assert [entry.failure[0] for entry in answers.entries.values() if entry.failure] == ["exited"] * 2


@given(st.dictionaries(st.text(min_size=1), st.text(max_size=3 * BUDGET // 32), max_size=90))
def test_batches_hold_every_input_once_within_the_budget(texts: dict[str, str]) -> None:
    """No batch has more than `SIZE` inputs, or, unless it is a single one, more characters than the budget."""
    batches = in_batches({key: {"statement": text} for key, text in texts.items()}, list(texts))
    assert Counter(key for batch in batches for key in batch) == Counter(list(texts))
    for batch in batches:
        assert len(batch) <= SIZE
        assert len(batch) == 1 or len(batch) * max(len(texts[key]) for key in batch) <= BUDGET


@pytest.mark.parametrize(("far", "differing"), [(5e-5, 0), (2e-4, 1)])
def test_probabilities_may_differ_by_the_tolerance(far: float, differing: int) -> None:
    """An equal label with a probability further off than the tolerance is another answer."""
    alone = Entry(Prediction(0, probabilities=(0.75, 0.25)))
    together = Entry(Prediction(0, probabilities=(0.75 + far, 0.25 - far)))
    check = compare([alone, alone], [alone, together])
    assert (check.sample, check.differing, check.passed) == (2, differing, not differing)
    assert check.largest_difference == pytest.approx(far)


def test_a_dry_run_writes_nothing_and_says_how_long(tmp_path: Path) -> None:
    """Before a model was ever timed that is not known; afterwards it is, for what is new."""
    project = make_project(tmp_path, MODEL)
    before = sorted(project.rglob("*"))
    first = steelyard(project, "evaluate", "--dry-run")
    assert first.stdout == "m on d: time (how long is not known yet)\n1 of 1 unit would run\n"
    assert sorted(project.rglob("*")) == before
    assert steelyard(project, "evaluate").returncode == 0
    assert steelyard(project, "evaluate", "--dry-run").stdout == "0 of 1 unit would run\n"
    named = ("--remeasure", "--model", "m", "--dataset", "d")
    again = json.loads(steelyard(project, "evaluate", "--dry-run", *named, "--json").stdout)
    [unit] = again["units"]
    assert (unit["model"], unit["dataset"], unit["steps"]) == ("m", "d", ["time"])
    assert unit["seconds"] > 0
    assert (unit["reasons"], again["stale"]) == ([], [])


@pytest.mark.slow
def test_a_dry_run_says_why_a_model_is_asked_again(tmp_path: Path) -> None:
    """What changed since its result was made stands beside the step, and in the JSON; an evaluation settles it."""
    project = make_project(tmp_path, MODEL)
    assert steelyard(project, "evaluate").returncode == 0
    [handler] = project.rglob("handler.py")
    handler.write_text(handler.read_text() + "# another\n")
    [line, _] = steelyard(project, "evaluate", "--dry-run").stdout.splitlines()
    assert line.startswith("m on d: time (about ")
    assert line.endswith("); stale: its files changed")
    found = json.loads(steelyard(project, "evaluate", "--dry-run", "--json").stdout)
    assert found["units"][0]["reasons"] == ["its files changed"]
    assert found["stale"][0]["fix"] == "run steelyard evaluate --model m"
    assert steelyard(project, "evaluate").returncode == 0
    assert steelyard(project, "evaluate", "--dry-run").stdout == "0 of 1 unit would run\n"


@pytest.mark.slow
def test_a_score_that_got_worse_fails_the_run(tmp_path: Path) -> None:
    """--fail-on exits 1 and says from what to what; a smaller change passes."""
    project = make_project(tmp_path, MODEL)
    assert steelyard(project, "evaluate").returncode == 0
    good = result_of(project).scores["accuracy"].value
    make_project(project, MODEL.replace('if "good"', 'if "mess"'))
    done = steelyard(project, "evaluate", "--fail-on", "accuracy drops by 1")
    assert done.returncode == 1
    now = result_of(project).scores["accuracy"].value
    change = f"m on d: accuracy fell from {good:.4g} to {now:.4g} % (--fail-on: accuracy drops by 1)"
    assert done.stdout == f"1 measured\n{change}\n"
    below = steelyard(project, "evaluate", "--quiet", "--fail-on", "accuracy below 101")
    assert (below.returncode, "accuracy is" in below.stdout) == (1, True), "--quiet keeps what is wrong"
    make_project(project, MODEL)
    assert steelyard(project, "evaluate", "--fail-on", "accuracy drops by 99").returncode == 0


def test_a_condition_on_a_metric_that_nothing_computes_is_a_wrong_call(tmp_path: Path) -> None:
    """A misspelt metric would never be met, so it is refused, with the one that may be meant."""
    done = steelyard(make_project(tmp_path, MODEL), "evaluate", "--fail-on", "acuracy drops by 1")
    assert done.returncode == 2
    assert "--fail-on: 'acuracy drops by 1': nothing computes acuracy; did you mean accuracy" in done.stderr


def test_a_condition_that_cannot_be_read_is_a_wrong_call(tmp_path: Path) -> None:
    """It says how a condition is written, before anything runs."""
    done = steelyard(make_project(tmp_path, MODEL), "evaluate", "--fail-on", "accuracy is bad")
    assert done.returncode == 2
    assert "'accuracy is bad' is no condition; write METRIC drops by N" in done.stderr
    with pytest.raises(UserError, match="only a change can be in per cent"):
        Condition.parse("accuracy below 80 %", ["accuracy"])


@given(st.floats(1, 100), st.floats(-50, 50), st.floats(0.01, 50), st.booleans())
def test_a_drop_counts_from_the_limit_on(before: float, change: float, limit: float, relative: bool) -> None:
    """A score that fell by the limit or more meets the condition, whatever it was before; one that rose never."""
    text = f"accuracy drops by {limit:.4f}{' %' if relative else ''}"
    old, new = scored(before), scored(before + change)
    allowed = float(f"{limit:.4f}") * (before / 100 if relative else 1)
    fell = before - new.scores["accuracy"].value
    condition = Condition.parse(text, ["accuracy"])
    assert (condition.failed_by(old, new) is not None) == (fell > 0 and fell >= allowed)


@pytest.mark.parametrize(
    ("condition", "old", "new", "why"),
    [
        ("accuracy drops by 1", None, 80.0, "before, there was no number"),
        ("accuracy below 1", 80.0, None, "there is no number"),
        ("accuracy rises by 1 %", 80.0, "accuracy/2", "it was computed by accuracy/1 and now by accuracy/2"),
    ],
)
def test_a_condition_that_cannot_be_judged_fails(
    condition: str, old: float | None, new: float | str | None, why: str
) -> None:
    """Neither a missing number nor one by another definition passes in silence."""
    parsed = Condition.parse(condition, ["accuracy"])
    assert parsed.failed_by(scored(old), scored(new)) == f"accuracy cannot be judged: {why}"


def scored(value: float | str | None) -> Result:
    """A result with an accuracy, that is not known, or by another version."""
    version = value if isinstance(value, str) else "accuracy/1"
    number = 80.0 if isinstance(value, str) else value
    found = {} if number is None else {"accuracy": Score(value=number, unit="%", version=version)}
    return Result.model_construct(scores=found)
