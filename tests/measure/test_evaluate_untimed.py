"""What `evaluate` asks without timing it: batches, all cores, answers kept by content; forecasts and conditions."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from threading import Barrier, Semaphore

import forked_command
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_boards import small_board, small_model

from evaluator.cli.progress import TerminalProgress
from evaluator.data.tasks import Prediction
from evaluator.measure.run.batching import BUDGET, compare, in_batches, length
from evaluator.measure.run.forecast import forecast
from evaluator.measure.run.job import Job, Timed
from evaluator.measure.run.journal import Journal
from evaluator.measure.run.lanes import asking_all
from evaluator.measure.run.plan import plan
from evaluator.measure.run.predict import AnswerReader, Predictor
from evaluator.measure.run.regressions import Condition, ConditionError
from evaluator.measure.timing.machine import own_cpus
from evaluator.measure.worker import Limits, Loaded, ModelToLoad
from evaluator.records.board import load_boards
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.entry import Entry

#: The command line with models that can write down what they are asked.
UNKEPT = str(Path(__file__).parents[1].joinpath("unkept.py"))
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
    measure = {"repeats": 1, "min_requests": 1, "min_duration_s": 0.001}
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


def test_every_core_has_a_worker_where_that_saves_time(tmp_path: Path) -> None:
    """A slow model with much to do is asked on all cores; who stops listening leaves no worker behind."""
    project = make_project(tmp_path, PINNED)
    spec = ModelToLoad("handler", project / "m", {}, "sentiment", ("negative", "positive"))
    reader = AnswerReader("sentiment", spec.labels, show_text=True)
    inputs = {f"{number:05}": {"statement": f"{number}"} for number in range(20_000)}
    cores = sorted(own_cpus())
    with Journal[str](project / "answers.jsonl", lambda key: True) as journal:
        job = Job(spec, reader, Limits(), journal, cores)
        job.give(inputs)
        seen = set()
        with asking_all([job], cores) as told:
            for _ in told:
                seen = {entry.answer.confidence for entry in list(journal.entries.values())}
                if len(seen) == len(cores):
                    break
        assert seen == {core / 1000 for core in cores}
        assert len(journal.entries) < len(inputs)
    assert not list(workers())


QUICK = """
def load(directory):
    pass

def predict(example):
    return {{"label": "positive"}}
"""


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Semaphore:
    """Released once for each worker that has loaded its model."""
    loaded, load = Semaphore(0), Predictor.load

    def noted(predictor: Predictor) -> Loaded:
        found = load(predictor)
        loaded.release()
        return found

    monkeypatch.setattr(Predictor, "load", noted)
    return loaded


def quick_job(project: Path, journal: Journal[str], timed: Timed | None = None) -> Job:
    spec = ModelToLoad("handler", project / "m", {}, "sentiment", ("negative", "positive"))
    reader = AnswerReader("sentiment", spec.labels, show_text=True)
    return Job(spec, reader, Limits(), journal, [0, 1], timed)


#: Two inputs take it longer than to load, so they are worth two workers.
SLOW = Timed(seconds=10, load_s=1, peak_bytes=50_000_000)
TWO_INPUTS = {"a": {"statement": "good"}, "b": {"statement": "bad"}}


def test_a_model_is_loaded_while_its_inputs_are_in_the_making(tmp_path: Path, loads: Semaphore) -> None:
    """By one worker, which has loaded it before anybody knows what is asked."""
    project = make_project(tmp_path, QUICK)
    with Journal[str](project / "answers.jsonl", lambda key: True) as journal:
        job = quick_job(project, journal)
        with asking_all([job], [min(own_cpus()), max(own_cpus())]) as told:
            assert loads.acquire(timeout=60)
            job.give(TWO_INPUTS)
            assert sum(count for _, count in told if count is not None) == len(TWO_INPUTS)
        assert journal.entries.keys() == TWO_INPUTS.keys()
    assert not loads.acquire(blocking=False)


def test_workers_load_a_model_side_by_side_where_its_speed_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second does not wait for the first."""
    both, load = Barrier(2, timeout=60), Predictor.load

    def together(predictor: Predictor) -> Loaded:
        both.wait()
        return load(predictor)

    monkeypatch.setattr(Predictor, "load", together)
    project = make_project(tmp_path, QUICK)
    with Journal[str](project / "answers.jsonl", lambda key: True) as journal:
        job = quick_job(project, journal, SLOW)
        with asking_all([job], [min(own_cpus()), max(own_cpus())]) as told:
            job.give(TWO_INPUTS)
            assert list(told)[-1] == (job, None)
        assert journal.entries.keys() == TWO_INPUTS.keys()


def test_a_worker_that_still_loads_when_all_is_answered_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for it."""
    project, asleep, load = make_project(tmp_path, QUICK), tmp_path / "asleep", Predictor.load
    asleep.mkdir()
    (asleep / "handler.py").write_text("import time\ndef load(directory):\n    time.sleep(3600)\n")
    first = Semaphore(1)

    def sleepy(predictor: Predictor) -> Loaded:
        if not first.acquire(blocking=False):
            predictor.spec = replace(predictor.spec, directory=asleep)
        return load(predictor)

    monkeypatch.setattr(Predictor, "load", sleepy)
    with Journal[str](project / "answers.jsonl", lambda key: True) as journal:
        job = quick_job(project, journal, SLOW)
        with asking_all([job], [min(own_cpus()), max(own_cpus())]) as told:
            job.give(TWO_INPUTS)
            assert list(told)[-1] == (job, None)
        assert (job.error, journal.entries.keys()) == (None, TWO_INPUTS.keys())
    assert not list(workers())


def test_a_model_that_has_answered_everything_is_not_loaded(tmp_path: Path, loads: Semaphore) -> None:
    """Its answers are there before anybody knows what is asked."""
    project = make_project(tmp_path, QUICK)
    with Journal[str](project / "answers.jsonl", lambda key: True) as journal:
        journal.append("a", Entry(Prediction(1)))
        job = quick_job(project, journal, SLOW)
        with asking_all([job], sorted(own_cpus())) as told:
            job.give({"a": {"statement": "good"}})
            assert list(told) == [(job, None)]
    assert not loads.acquire(blocking=False)


def test_who_stops_before_the_inputs_are_there_leaves_no_worker(tmp_path: Path, loads: Semaphore) -> None:
    """As where a suite cannot be made."""
    project = make_project(tmp_path, QUICK)
    with Journal[str](project / "answers.jsonl", lambda key: True) as journal:
        with asking_all([quick_job(project, journal)], sorted(own_cpus())):
            assert loads.acquire(timeout=60)
        assert not journal.entries
    assert not list(workers())


def test_what_is_left_is_not_counted_anew_for_every_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model without batches that is asked much has each input measured once, not once an answer."""
    monkeypatch.setattr("evaluator.measure.run.job.TRIAL_S", 0)
    monkeypatch.setattr("evaluator.measure.run.job.WORTH_A_TRIAL", 1e9)
    measured: Counter[str] = Counter()

    def counted(inputs: dict[str, str]) -> int:
        measured[inputs["statement"]] += 1
        return length(inputs)

    for module in ("batching", "job"):
        monkeypatch.setattr(f"evaluator.measure.run.{module}.length", counted)
    project = make_project(tmp_path, QUICK)
    spec = ModelToLoad("handler", project / "m", {}, "sentiment", ("negative", "positive"))
    reader = AnswerReader("sentiment", spec.labels, show_text=True)
    inputs = {f"{number:05}": {"statement": f"{number}"} for number in range(500)}
    with Journal[str](project / "answers.jsonl", lambda key: True) as journal:
        job = Job(spec, reader, Limits(), journal, [0, 1])
        job.give(inputs)
        with asking_all([job], sorted(own_cpus())) as told:
            answered = sum(count for _, count in told if count is not None)
        assert answered == len(journal.entries) == len(inputs)
    assert set(measured.values()) == {1}
    assert len(measured) == len(inputs)


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


def test_what_a_model_answered_before_its_last_end_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quick answers come many at a time; those before the one that a model ended at for good are kept, too."""
    answered, entry = set(), Predictor.entry

    def noted(predictor: Predictor, example: dict[str, str]) -> Entry:
        found = entry(predictor, example)
        answered.add(example["statement"])
        return found

    monkeypatch.setattr(Predictor, "entry", noted)
    project = make_project(tmp_path, DIES)
    inputs = {f"{number:05}": {"statement": f"{number:05}"} for number in range(500)}
    with Journal[str](project / "answers.jsonl", lambda key: True) as journal:
        job = quick_job(project, journal)
        job.give(inputs)
        with asking_all([job], [0]) as told:
            counted = sum(count for _, count in told if count is not None)
        assert job.error is not None
        assert counted == len(journal.entries)
        assert journal.entries.keys() == answered


def heed_interrupts() -> None:
    """What a shell runs in the background ignores them, and so does all that this starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_an_interrupt_stops_every_worker_and_keeps_the_answers(tmp_path: Path) -> None:
    """After Ctrl-C nothing runs on, nothing is broken, and the next run goes on."""
    source = MODEL.replace("    note([example", "    time.sleep(0.2)\n    note([example")
    project = make_project(tmp_path, source, role="evaluation")
    command = [sys.executable, UNKEPT, "evaluate"]
    running = subprocess.Popen(
        command, cwd=project, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    )
    while len(calls(project)) < 5:
        assert running.poll() is None
        time.sleep(0.01)
    workers = psutil.Process(running.pid).children(recursive=True)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert (running.returncode, errors.splitlines()[-1]) == (1, "steelyard: stopped")
    assert psutil.wait_procs(workers, timeout=60)[1] == []
    done = calls(project)
    assert len(done) < len(TEXTS)
    assert steelyard(project, "evaluate").stdout == "1 measured\n"
    again = Counter(text for _, texts in calls(project) for text in texts)
    # What was in flight is asked once more.
    assert sum(again.values()) <= len(TEXTS) + len(own_cpus())


def test_a_log_says_how_far_a_phase_is_while_it_lasts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a terminal a phase writes a line when it begins, and others with the time that is left."""
    monkeypatch.setattr("evaluator.cli.progress.EVERY_S", 0.001)
    progress, said = TerminalProgress(), ""
    progress.phase("asking", 4)
    progress.advance(3, 90.0)
    while "3 of 4" not in said:
        said += capsys.readouterr().err
    progress.close()
    assert said.startswith("asking\n")
    assert "asking: 3 of 4, 1 s so far, about 90 s left\n" in said


def test_an_answer_that_failed_is_asked_again(tmp_path: Path) -> None:
    """What went wrong in one run is not taken for the model's answer in the next."""
    project = make_project(tmp_path, MODEL, role="evaluation")
    with Journal[str](project / "answers.jsonl", lambda key: True) as journal:
        journal.append("a", Entry(failure=("timeout", "no answer came")))
        journal.append("b", Entry(Prediction(1)))
        spec = ModelToLoad("handler", project / "m", {}, "sentiment", ("negative", "positive"))
        reader = AnswerReader("sentiment", spec.labels, show_text=True)
        inputs = {"a": {"statement": "good"}, "b": {"statement": "bad"}}
        job = Job(spec, reader, Limits(), journal, [0])
        job.give(inputs)
        assert job.todo == ["a"]


@given(
    st.dictionaries(st.text(min_size=1), st.text(max_size=3 * BUDGET // 32), max_size=90), st.integers(1, 40)
)
def test_batches_hold_every_input_once_within_the_budget(texts: dict[str, str], size: int) -> None:
    """No batch has more than `size` inputs, or, unless it is a single one, more characters than the budget."""
    inputs = {key: {"statement": text} for key, text in texts.items()}
    batches = in_batches(inputs, list(inputs), size)
    assert Counter(key for batch in batches for key in batch.keys) == Counter(list(inputs))
    for batch in batches:
        assert len(batch.keys) <= size
        assert batch.longest == max(len(texts[key]) for key in batch.keys)
        assert len(batch.keys) == 1 or batch.cost <= BUDGET


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
    again = json.loads(steelyard(project, "evaluate", "--dry-run", "--remeasure", "--json").stdout)
    [unit] = again["units"]
    assert (unit["model"], unit["dataset"], unit["steps"]) == ("m", "d", ["time"])
    assert unit["seconds"] > 0


def test_only_what_changed_is_spoken_of(tmp_path: Path) -> None:
    """With --changed-only a unit that is up to date is in no output; a changed one is evaluated."""
    project = make_project(tmp_path, MODEL)
    assert steelyard(project, "evaluate", "--changed-only").stdout == "1 measured\n"
    assert steelyard(project, "evaluate", "--changed-only").stdout == "everything is up to date\n"
    make_project(project, MODEL + "\n# another\n")
    changed = json.loads(steelyard(project, "evaluate", "--changed-only", "--json").stdout)
    assert [outcome["status"] for outcome in changed["outcomes"]] == ["measured"]


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
    make_project(project, MODEL)
    assert steelyard(project, "evaluate", "--fail-on", "accuracy drops by 99").returncode == 0


def test_a_condition_on_a_metric_that_nothing_computes_is_a_wrong_call(tmp_path: Path) -> None:
    """A misspelt metric would never be met, so it is refused, with the one that may be meant."""
    done = steelyard(make_project(tmp_path, MODEL), "evaluate", "--fail-on", "acuracy drops by 1")
    assert done.returncode == 2
    assert "--fail-on: 'acuracy drops by 1': nothing computes acuracy; did you mean accuracy" in done.stderr


def test_an_invalid_timing_meets_no_condition(tmp_path: Path) -> None:
    """It counts as missing everywhere, so a throughput that means nothing fails no run."""
    project = make_project(tmp_path, MODEL)
    assert steelyard(project, "evaluate").returncode == 0
    result = result_of(project)
    assert result.measurement is not None
    for verdict, met in (("ok", True), ("suspect", True), ("invalid", False)):
        noise = result.measurement.noise.model_copy(update={"verdict": verdict})
        measurement = result.measurement.model_copy(update={"noise": noise})
        judged = result.model_copy(update={"measurement": measurement})
        assert bool(Condition.parse("throughput above 0").met_by(None, judged)) == met


def test_a_condition_that_cannot_be_read_is_a_wrong_call(tmp_path: Path) -> None:
    """It says how a condition is written, before anything runs."""
    done = steelyard(make_project(tmp_path, MODEL), "evaluate", "--fail-on", "accuracy is bad")
    assert done.returncode == 2
    assert "'accuracy is bad' is no condition; write METRIC drops by N" in done.stderr
    with pytest.raises(ConditionError, match="only a change can be in per cent"):
        Condition.parse("accuracy below 80 %")


@given(st.floats(1, 100), st.floats(-50, 50), st.floats(0.01, 50), st.booleans())
def test_a_drop_counts_from_the_limit_on(before: float, change: float, limit: float, relative: bool) -> None:
    """A score that fell by the limit or more meets the condition, whatever it was before; one that rose never."""
    text = f"accuracy drops by {limit:.4f}{' %' if relative else ''}"
    old, new = scored(before), scored(before + change)
    allowed = float(f"{limit:.4f}") * (before / 100 if relative else 1)
    fell = before - new.scores["accuracy"].value
    assert (Condition.parse(text).met_by(old, new) is not None) == (fell > 0 and fell >= allowed)
    assert Condition.parse(text).met_by(None, new) is None


def scored(value: float) -> Result:
    score = {"accuracy": Score(value=value, unit="%", version="accuracy/1")}
    return Result.model_construct(scores=score)


def test_a_dry_run_goes_on_where_a_package_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a model is not prepared; the evaluation itself says why it cannot be."""
    project = make_project(tmp_path, MODEL)
    train = small_board("accuracy").split("[[boards]]")[0].split("[[datasets]]")[1]
    train = "[[datasets]]" + train.replace('id = "d"', 'id = "t"\nrole = "training"').replace(
        "d.tsv", "t.tsv"
    )
    (project / "t.tsv").write_text("Lovely.\tpositive\nA mess.\tnegative\n")
    recipe = small_model("r").replace(
        'adapter = "handler"\ndirectory = "r"', 'recipe = "tfidf-logreg"\ntrain = "t"'
    )
    with (project / "board.toml").open("a") as file:
        file.write(train + recipe)

    def lacking(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("evaluator.measure.models.preparing.version", lacking)
    boards, store = load_boards(project / "board.toml"), Store(project / "results")
    [own, made] = forecast(plan(boards, project, project), boards, store, project / ".steelyard")
    assert (own.prepared, made.prepared, made.timed) == (True, False, True)
