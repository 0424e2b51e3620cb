"""`steelyard evaluate` as a maintainer runs it: real processes, killed and started again."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from forked_command import run as steelyard
from small_boards import judged, small_board, small_model

from evaluator.data.tasks import Prediction
from evaluator.measure.run import Unit, plan
from evaluator.measure.run.asking import AnswerReader
from evaluator.measure.run.unit import run_folder, why_kept
from evaluator.records.base import SCHEMA_VERSION
from evaluator.records.board import load_boards
from evaluator.records.measurement import Measurement
from evaluator.records.result import Result
from evaluator.records.store import Store

GOLDEN = Result.model_validate_json(
    (Path(__file__).parents[1] / "golden" / "result.json").read_bytes()
).measurement
assert GOLDEN is not None
ROWS = 40
BOARD = small_board(
    "accuracy",
    "throughput",
    dataset="show_text = true",
    measure={"repeats": 1, "seconds": 0.001},
    limits={"load_s": 30, "request_s": 1, "memory_gb": 0.3},
)
GOOD = """
def load(directory):
    pass

def predict(example):
    return {"label": "positive" if "good" in example["statement"] else "negative", "confidence": 0.75}
"""
MOODY = """
import random

def load(directory):
    pass

def predict(example):
    return random.choice(["positive", "negative"])
"""
# Ways to go wrong: what the handler does, and what the result must say about it.
FAILURES = {
    "hangs": ("import time; time.sleep(60)", r"no answer came within 1 s"),
    "exits": ("import os; os._exit(3)", r"exited with code 3"),
    "allocates": ("x = []\n    while True: x.append(bytearray(100_000_000))", r"the cap is 0\.30 GB"),
    "nan": ("return {'label': 'positive', 'confidence': float('nan')}", r"(?i)nan"),
    "wrong-label": ("return 'fantastic'", r"'fantastic'"),
    "wrong-type": ("return 7", r"7 is an int"),
}


def add_model(folder: Path, name: str, source: str) -> None:
    (folder / name).mkdir()
    (folder / name / "handler.py").write_text(source)
    with (folder / "board.toml").open("a") as file:
        file.write(small_model(name))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a board file and 40 examples, half of them right by the word 'good'."""
    (tmp_path / "board.toml").write_text(BOARD)
    rows = [
        f"{'good' if i % 2 else 'bad'} number {i}\t{'positive' if i % 4 else 'negative'}" for i in range(ROWS)
    ]
    (tmp_path / "d.tsv").write_text("\n".join(rows))
    return tmp_path


def result_of(project: Path, model: str) -> Result:
    found = Store(project / "results").find("sentiment", "d", model)
    assert found is not None
    return found


def test_an_invalid_answer_of_a_model_is_wrong_and_keeps_its_confidence() -> None:
    """What is no label says nothing but how sure the model was; the journal keeps that too."""
    reader = AnswerReader("sentiment", ("negative", "positive"), show_text=True)
    entry = reader.checked({"label": "dunno", "confidence": 0.6})
    assert entry.answer == Prediction(confidence=0.6)
    assert entry.failure is not None
    assert entry.failure[0] == "invalid-answer"


def test_a_model_is_measured_and_stored(project: Path) -> None:
    """A handler's predictions, scores, timing and fingerprint end up in its result file."""
    add_model(project, "m", GOOD)
    done = steelyard("evaluate", cwd=project)
    assert done.returncode == 0, done.stderr
    result = result_of(project, "m")
    predictions = Store(project / "results").predictions(result)
    assert result.scores["accuracy"].value == 75.0
    assert predictions.predicted == tuple(i % 2 for i in range(ROWS))
    assert set(predictions.exact_confidence or ()) == {0.75}
    assert result.measurement is not None
    assert result.scores["throughput"].value == result.measurement.throughput
    assert result.scores["memory"].value == result.measurement.memory_bytes / 1e9
    assert result.measurement.overhead_ns > 0
    assert not list((project / ".steelyard" / "runs").iterdir())
    for path in (project / "results").rglob("*.json"):
        assert str(project) not in path.read_text(), "no path of this machine is published"
        assert json.loads(path.read_bytes())["schema_version"] == SCHEMA_VERSION


def test_what_is_up_to_date_is_not_repeated(project: Path) -> None:
    """A second run asks the model nothing and changes no byte; a changed model is measured again."""
    add_model(project, "m", GOOD)
    steelyard("evaluate", cwd=project)
    before = {path: path.read_bytes() for path in (project / "results").rglob("*.json")}
    assert steelyard("evaluate", cwd=project).stdout == "1 unchanged\n"
    assert {path: path.read_bytes() for path in (project / "results").rglob("*.json")} == before
    (project / "m" / "handler.py").write_text(GOOD.replace("good", "number"))
    assert steelyard("evaluate", cwd=project).stdout == "1 measured\n"


@pytest.mark.slow
def test_a_new_card_needs_no_inference(project: Path) -> None:
    """A changed name or card in board.toml reaches the result; the measurement stays."""
    add_model(project, "m", GOOD)
    steelyard("evaluate", cwd=project)
    old = result_of(project, "m")
    board = project / "board.toml"
    board.write_text(board.read_text().replace('label = "m"', 'label = "Em"\ncard = { licence = "MIT" }'))
    assert steelyard("evaluate", cwd=project).stdout == "1 updated\n"
    new = result_of(project, "m")
    assert (new.model.label, new.model.card.licence) == ("Em", "MIT")
    assert (new.measurement, new.created) == (old.measurement, old.created)


@pytest.mark.slow
def test_a_timing_that_fails_keeps_what_there_was(project: Path) -> None:
    """When a model fails while it is timed again, its result is not changed and the failure is reported."""
    add_model(project, "m", GOOD.replace("    return", "    import time; time.sleep(0.02)\n    return"))
    assert steelyard("evaluate", cwd=project).returncode == 0
    old = result_of(project, "m")
    board = project / "board.toml"
    board.write_text(board.read_text().replace("request_s = 1", "request_s = 0.01"))
    done = steelyard("evaluate", "--remeasure", "--model", "m", "--dataset", "d", cwd=project)
    assert done.returncode == 1
    assert "no answer came within 0.01 s" in done.stderr
    assert result_of(project, "m") == old


@pytest.mark.slow
def test_a_result_that_cannot_be_read_is_not_overwritten(project: Path) -> None:
    """A result file that is malformed, or newer than this program, stops the run before it begins."""
    add_model(project, "m", GOOD)
    steelyard("evaluate", cwd=project)
    path = project / "results" / "sentiment" / "d" / "m.json"
    for content, message in (("{", "not a JSON record"), (newer(path), "upgrade steelyard")):
        path.write_text(content)
        done = steelyard("evaluate", cwd=project)
        assert done.returncode == 1
        assert "m.json" in done.stderr
        assert message in done.stderr
        assert path.read_text() == content


def newer(path: Path) -> str:
    return json.dumps(json.loads(path.read_bytes()) | {"schema_version": 99})


@pytest.mark.slow
def test_a_timing_asked_for_again_is_made_again(project: Path) -> None:
    """Timings of an interrupted run are not used in place of new ones."""
    add_model(project, "m", GOOD)
    steelyard("evaluate", cwd=project)
    old = judged(project / "results", "invalid")
    assert old.measurement is not None
    [unit] = units_of(project)
    run = run_folder(unit, project / ".steelyard")
    run.mkdir(parents=True)
    (run / "measurement.json").write_text(json.dumps(old.measurement.plain()))
    assert steelyard("evaluate", "--remeasure", cwd=project).stdout == "1 measured\n"
    assert result_of(project, "m").measurement != old.measurement


@pytest.mark.slow
def test_only_timings_that_are_not_well_known_are_made_again_unless_one_is_named(project: Path) -> None:
    """--remeasure leaves a narrow timing of this machine alone; with --model and --dataset it does not."""
    add_model(project, "m", GOOD)
    steelyard("evaluate", cwd=project)

    def timed_again(measurement: Measurement, *options: str) -> bool:
        Store(project / "results").save(result.model_copy(update={"measurement": measurement}))
        done = steelyard("evaluate", "--remeasure", "--dry-run", "--json", *options, cwd=project)
        [unit] = json.loads(done.stdout)["units"]
        return unit["steps"] == ["time"]

    result = result_of(project, "m")
    assert result.measurement is not None
    well = spread(result.measurement, 0.01)
    assert not timed_again(well)
    assert not timed_again(well, "--model", "m")
    assert timed_again(well, "--model", "m", "--dataset", "d")
    elsewhere = well.fingerprint.model_copy(update={"cpu": "another"})
    for doubtful in (
        spread(result.measurement, 0.1),
        judged_as(well, "suspect"),
        judged_as(well, "invalid"),
        well.model_copy(update={"fingerprint": elsewhere}),
        well.model_copy(update={"protocol": "1"}),
    ):
        assert timed_again(doubtful)


@pytest.mark.slow
def test_an_invalid_timing_takes_the_place_of_none_that_can_be_used(project: Path) -> None:
    """A model that answers otherwise each time is timed invalidly: the earlier timing stays, with a word."""
    add_model(project, "m", MOODY)
    steelyard("evaluate", cwd=project)
    old = judged(project / "results", "suspect", "too short")
    done = steelyard("evaluate", "--remeasure", cwd=project)
    assert (done.stdout, done.returncode) == ("1 unchanged\n", 0)
    assert "kept the earlier timing, as the new one is invalid (" in done.stderr
    again = "run: steelyard evaluate --remeasure --model m\n"
    assert f"note: the timing of m is suspect: too short; {again}" in done.stderr
    assert result_of(project, "m") == old


@pytest.mark.parametrize(
    ("earlier", "new", "elsewhere", "kept"),
    [
        (("ok", 0.02), ("ok", 0.03), False, True),
        (("ok", 0.02), ("ok", 0.03), True, False),
        (("ok", 0.03), ("ok", 0.02), False, False),
        (("suspect", 0.02), ("ok", 0.03), False, True),
        (("ok", 0.1), ("invalid", 0.01), True, True),
        (("suspect", 0.1), ("invalid", 0.01), False, True),
        (("invalid", 0.01), ("ok", 0.1), False, False),
        (("invalid", 0.01), ("invalid", 0.1), False, False),
        (("ok", None), ("ok", 0.5), False, False),
        (("ok", 0.5), ("ok", None), False, True),
    ],
)
def test_the_better_of_two_timings_is_kept(
    earlier: tuple[str, float | None], new: tuple[str, float | None], elsewhere: bool, kept: bool
) -> None:
    """What can be used is never replaced by an invalid one, nor by one that can be compared and is known less
    well: by its interval, or because it has none."""
    first, second = (judged_as(spread(GOLDEN, wide), verdict) for verdict, wide in (earlier, new))
    if elsewhere:
        machine = first.fingerprint.model_copy(update={"cpu": "another"})
        first = first.model_copy(update={"fingerprint": machine})
    assert bool(why_kept(first, second)) == kept


def judged_as(measurement: Measurement, verdict: str) -> Measurement:
    noise = measurement.noise.model_copy(update={"verdict": verdict})
    return measurement.model_copy(update={"noise": noise})


def spread(measurement: Measurement, wide: float | None) -> Measurement:
    """A measurement of blocks that differ by so much of their speed; of one block for None."""
    block = measurement.repeats[0].model_copy(update={"time_ns": 10, "waited_ns": 0, "reference_ns": 1})
    speeds = [100.0] if wide is None else [100.0, 100.0 * (1 - wide), 100.0 * (1 + wide)] * 4
    blocks = tuple(block.model_copy(update={"throughput": speed}) for speed in speeds)
    return measurement.model_copy(update={"repeats": blocks})


@pytest.mark.slow
def test_a_failure_of_several_models_is_said_once_with_a_count(project: Path) -> None:
    """Each has its line, which names the first; --quiet leaves these out, --verbose says each in full."""
    for name in ("a", "b", "c"):
        add_model(project, name, GOOD.replace("pass", "raise ValueError('no vocabulary')"))
    said = "failed: the model could not be loaded: ValueError: no vocabulary"
    done = steelyard("evaluate", cwd=project)
    assert (done.returncode, done.stdout) == (1, "3 failed\n")
    lines = done.stderr.splitlines()
    assert [line for line in lines if said in line] == [
        f"[1/3] a on d: {said}",
        f"{said} (3 units, the first: a on d)",
    ]
    assert "[3/3] c on d: failed, as a on d" in lines
    assert steelyard("--quiet", "evaluate", cwd=project).stderr.count("failed") == 2
    assert steelyard("--verbose", "evaluate", cwd=project).stderr.count(said) == 4


@pytest.mark.slow
def test_every_failure_is_named_and_the_run_goes_on(project: Path) -> None:
    """Each way a model can go wrong has its own message in the result, and the next model is measured."""
    for name, (body, _) in FAILURES.items():
        add_model(project, name, f"def load(directory): pass\n\ndef predict(example):\n    {body}\n")
    add_model(project, "fine", GOOD)
    done = steelyard("evaluate", cwd=project)
    assert done.returncode == 1
    messages = {}
    for name, (_, expected) in FAILURES.items():
        failures = result_of(project, name).failures
        messages[name] = " ".join(failure.message for failure in failures)
        assert re.search(expected, messages[name], re.DOTALL), (name, messages[name])
    assert len(set(messages.values())) == len(FAILURES)
    assert result_of(project, "fine").scores["accuracy"].value == 75.0


def test_wrong_answers_count_as_wrong(project: Path) -> None:
    """Invalid answers are counted, with the first examples, and score as wrong."""
    add_model(
        project,
        "m",
        GOOD.replace('"confidence": 0.75', '"confidence": 0.75 if "1" in example["statement"] else 2'),
    )
    assert steelyard("evaluate", cwd=project).returncode == 0
    result = result_of(project, "m")
    wrong = sum("1" not in str(i) for i in range(ROWS))
    assert result.failures[0].count == wrong
    assert len(result.failures[0].first_ids) == 5
    assert Store(project / "results").predictions(result).predicted.count(-1) == wrong


def test_labels_against_a_models_own_probabilities_are_told(project: Path) -> None:
    """They are counted in a note, and stay as they are."""
    shares = '"probabilities": {"positive": 0.75, "negative": 0.25}}'
    add_model(project, "m", GOOD.replace('"confidence": 0.75}', shares))
    done = steelyard("evaluate", cwd=project)
    assert done.returncode == 0
    assert "note: m on d: labels that are not the most probable class: 20 of 40\n" in done.stdout


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_where_it_was(project: Path) -> None:
    """SIGKILLed again and again, `evaluate` keeps every answer it had and ends with the same result."""
    slow = GOOD.replace("def predict(example):", "def predict(example):\n    import time; time.sleep(0.02)")
    add_model(project, "m", slow)
    add_model(project, "n", GOOD)
    journal = list[str]()
    for more in (1, 9):
        command = [sys.executable, "-m", "evaluator.cli", "evaluate"]
        process = subprocess.Popen(command, cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(kept := journal_of(project, "m")) < len(journal) + more:
            assert process.poll() is None
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert kept[: len(journal)] == journal
        journal = kept
    assert 10 <= len(journal) < ROWS
    done = steelyard("evaluate", cwd=project)
    assert done.returncode == 0, done.stderr
    assert result_of(project, "m").scores["accuracy"].value == 75.0
    assert result_of(project, "n").scores["accuracy"].value == 75.0
    assert steelyard("evaluate", cwd=project).stdout == "2 unchanged\n"


def journal_of(project: Path, model: str) -> list[str]:
    """The whole lines of a model's journal, if its run is still under way."""
    [unit] = [unit for unit in units_of(project) if unit.model.id == model]
    paths = run_folder(unit, project / ".steelyard").glob("*.jsonl")
    lines = [line for path in paths for line in path.read_text().splitlines(keepends=True)]
    return [line for line in lines if line.endswith("\n")]


def units_of(project: Path) -> list[Unit]:
    return plan(load_boards(project / "board.toml"), project, project)


@pytest.mark.slow
def test_two_evaluations_do_not_mix(project: Path) -> None:
    """A second evaluation in the same working directory is refused while the first runs."""
    add_model(project, "m", GOOD.replace("pass", "import time; time.sleep(3)"))
    command = [sys.executable, "-m", "evaluator.cli", "evaluate"]
    first = subprocess.Popen(command, cwd=project, stderr=subprocess.PIPE, text=True)
    assert first.stderr is not None
    first.stderr.readline()
    second = steelyard("evaluate", cwd=project)
    assert second.returncode == 1
    assert "in use by another evaluation" in second.stderr
    first.communicate()
    assert first.returncode == 0


def git(project: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", *arguments],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.slow
def test_commit_takes_the_result_files_and_nothing_else(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--commit commits results with a message that says what was measured; staged work stays staged."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "T")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "t@example.org")
    add_model(project, "m", GOOD)
    (project / ".gitignore").write_text(".steelyard\n")
    git(project, "init", "--quiet")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message", "start")
    (project / "staged.txt").write_text("mine")
    git(project, "add", "staged.txt")
    done = steelyard("evaluate", "--commit", cwd=project)
    assert done.returncode == 0, done.stderr
    names = git(project, "show", "--name-only", "--format=", "HEAD").split()
    assert [re.sub(r"[0-9a-f]{12}\.", "HASH.", name) for name in sorted(names, key=len)] == [
        "results/sentiment/d/m.json",
        "results/sentiment/d/HASH.examples.json",
        "results/sentiment/d/m.HASH.predictions.json",
    ]
    message = git(project, "log", "-1", "--format=%B")
    assert message.startswith("Measure m on d\n")
    assert re.search(r"- m on d: .*accuracy 75 %, .*throughput .* examples/s", message)
    assert git(project, "status", "--porcelain") == "A  staged.txt\n"
    (project / "m" / "handler.py").write_text(GOOD.replace("good", "number"))
    assert steelyard("evaluate", "--commit", cwd=project).returncode == 0
    assert len(git(project, "ls-files", "results").split()) == 3
    assert "nothing to commit" in steelyard("evaluate", "--commit", cwd=project).stdout
    judged(project / "results", "invalid")
    steelyard("evaluate", "--remeasure", cwd=project)
    assert "committed" in steelyard("evaluate", "--commit", cwd=project).stdout
    assert git(project, "status", "--porcelain") == " M m/handler.py\nA  staged.txt\n"


@pytest.mark.slow
def test_commit_outside_a_repository_is_refused_before_measuring(project: Path) -> None:
    """--commit in a folder that is no git repository fails at once."""
    add_model(project, "m", GOOD)
    done = steelyard("evaluate", "--commit", cwd=project)
    assert done.returncode == 1
    assert "is in no git repository; make one there with" in done.stderr
    assert not list((project / "results").rglob("*.json"))


def test_malformed_rows_stop_or_are_counted(project: Path) -> None:
    """A malformed row is an error with file, line and field; --skip-malformed counts it in the result, and from
    then on every command leaves it out, also the next evaluation."""
    add_model(project, "m", GOOD)
    with (project / "d.tsv").open("a") as file:
        file.write("\nfine\tmaybe\n")
    done = steelyard("evaluate", cwd=project)
    assert done.returncode == 1
    assert re.search(r"d\.tsv:41: label: 'maybe' is not in label_map", done.stderr)
    skipped = steelyard("evaluate", "--skip-malformed", cwd=project)
    assert skipped.returncode == 0
    assert "d: left out: 1 malformed row" in skipped.stdout
    assert result_of(project, "m").dataset.skipped == 1
    for command in (("check",), ("check", "d"), ("perturb", "d"), ("evaluate",)):
        read = steelyard(*command, cwd=project)
        assert (read.returncode in (0, 1), read.stderr.count("label_map")) == (True, 0)


def test_a_missing_package_is_not_held_against_the_model(project: Path) -> None:
    """A model that cannot run here for want of a package is reported and not stored as failed."""
    add_model(project, "m", "import surely_not_installed\n" + GOOD)
    done = steelyard("evaluate", cwd=project)
    assert done.returncode == 1
    assert "surely_not_installed" in done.stderr
    assert "1 not run" in done.stdout
    assert not list((project / "results").rglob("*.json"))


@pytest.mark.slow
def test_a_hub_that_is_not_reached_is_not_held_against_the_model(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hub model that is not in the cache, offline, is reported at once with the way to fetch it."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(project / "hub"))
    commit = "0" * 40
    options = f'adapter = "transformers"\noptions = {{ model = "nobody/nothing", revision = "{commit}" }}'
    with (project / "board.toml").open("a") as file:
        file.write(f'\n[[models]]\nid = "hub"\nlabel = "Hub"\ntask = "sentiment"\n{options}\n')
    done = steelyard("evaluate", cwd=project)
    assert done.returncode == 1
    assert f"run: hf download nobody/nothing --revision {commit}" in done.stderr
    assert not list((project / "results").rglob("*.json"))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--model", "nosuch"], 2, "--model 'nosuch': the board file has no such model; there is m"),
        (["--dataset", "nosuch"], 2, "--dataset 'nosuch': the board file has no such dataset; there is d"),
        (["--data", "elsewhere"], 1, r"elsewhere/d\.tsv: no such file"),
        (["--board", "other.toml"], 1, r"other\.toml: no such file"),
    ],
)
def test_what_cannot_be_evaluated_says_why(
    project: Path, arguments: list[str], code: int, message: str
) -> None:
    """Unknown models, datasets and files are refused before anything runs."""
    add_model(project, "m", GOOD)
    done = steelyard("evaluate", *arguments, cwd=project)
    assert done.returncode == code
    assert re.search(message, done.stderr)


@pytest.mark.slow
def test_a_removed_model_is_not_run(project: Path) -> None:
    """It is left out of an evaluation of all, and asking for it says when it was removed, why, and what to do."""
    add_model(project, "m", GOOD)
    add_model(project, "gone", GOOD)
    text = (project / "board.toml").read_text()
    entry = 'removed = { reason = "its author withdrew it", date = 2026-11-01 }\nid = "gone"'
    (project / "board.toml").write_text(text.replace('id = "gone"', entry))
    done = steelyard("evaluate", "--model", "gone", cwd=project)
    assert done.returncode == 1
    assert "model gone: removed on 2026-11-01: its author withdrew it; delete `removed`" in done.stderr
    assert steelyard("evaluate", cwd=project).returncode == 0
    assert [path.stem for path in (project / "results/sentiment").rglob("m.json")] == ["m"]
    assert not list((project / "results").rglob("gone*"))


def test_results_that_cannot_be_written_are_noticed_first(project: Path) -> None:
    """No model is loaded, let alone timed, when its result could not be stored."""
    add_model(project, "m", "open('loaded', 'w')\n" + GOOD)
    (project / "results" / "sentiment").mkdir(parents=True)
    (project / "results" / "sentiment" / "d").write_text("in the way")
    done = steelyard("evaluate", cwd=project)
    assert done.returncode == 1
    assert (
        "results/sentiment/d: nothing can be written there (Not a directory); make it a folder" in done.stderr
    )
    assert "predicting" not in done.stderr
    assert not (project / ".steelyard" / "runs").exists()
