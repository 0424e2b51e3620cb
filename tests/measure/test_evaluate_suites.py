"""Suites in `evaluate`: variants asked, agreement computed, kept, resumed; and `steelyard perturb`."""

from __future__ import annotations

import ast
import json
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import forked_command
import pytest
from small_boards import judged, small_board, small_model

from evaluator.data.suites.make import Suite
from evaluator.measure.run.untimed import input_key
from evaluator.records.base import digest
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.suites import MARK

BOARD = small_board(
    "accuracy",
    "robustness",
    dataset='suites = ["robustness"]',
    measure={"repeats": 1, "seconds": 0.001},
) + small_model("m")
SENTENCES = [
    "The bridge over the river was opened by the mayor in spring.",
    "Nobody liked the second half, and the ending wasn't funny at all.",
    "It's a warm and clever film about growing old together.",
    "The acting is wooden but the music saves many scenes.",
    "We'll never get these two hours of our lives back.",
    "A quiet masterpiece; every frame looks like a painting.",
]
# Answers by the number of one small letter: deterministic, and moved by some perturbations.
FICKLE = """
def load(directory):
    pass

def predict(example):
    text = example["statement"]
    return "positive" if text.count("e") > 4 else "negative"
"""
COUNTING = """
from pathlib import Path

log = []

def load(directory):
    log.append(directory / "calls.txt")

def predict(example):
    with log[0].open("a") as file:
        file.write(repr(example["statement"]) + "\\n")
    return "positive"
"""


SLOW = (
    COUNTING.replace(
        '    return "positive"\n',
        """    time.sleep(0.05)
    return "positive" if example["statement"].count("e") > 4 else "negative"
""",
    )
    .replace("from pathlib", "import time\nfrom pathlib")
    .replace("directory /", "directory.parent /")
)
#: The command line with models that can write down what they are asked.
UNKEPT = str(Path(__file__).parent.joinpath("unkept.py"))


def steelyard(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return forked_command.run(*arguments, cwd=cwd, module="unkept")


def make(folder: Path) -> Path:
    (folder / "board.toml").write_text(BOARD)
    rows = [f"{text}\t{'positive' if number % 2 else 'negative'}\n" for number, text in enumerate(SENTENCES)]
    (folder / "d.tsv").write_text("".join(rows))
    model(folder, FICKLE)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make(tmp_path)


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A project that was evaluated, for tests that only look at it, and its result."""
    folder = make(tmp_path_factory.mktemp("tried"))
    return folder, evaluated(folder)


def model(project: Path, source: str) -> None:
    (project / "m").mkdir(exist_ok=True)
    (project / "m" / "handler.py").write_text(source)


def evaluated(project: Path, status: str = "1 measured\n", *options: str) -> Result:
    done = steelyard("evaluate", *options, cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == status
    [result] = Store(project / "results").results()
    return result


def suite_of(project: Path) -> Suite:
    [path] = (project / ".steelyard" / "suites").glob("*.jsonl")
    return Suite.parse(path.read_text())


def fickle(text: str) -> bool:
    return text.count("e") > 4


def test_agreement_is_the_mean_over_examples_of_the_mean_over_variants(tried: tuple[Path, Result]) -> None:
    """Agreement, worst case and each transformation's share are what counting by hand gives."""
    project, result = tried
    found, suite = result.suites["robustness"], suite_of(project)
    same: dict[int, list[bool]] = {}
    of: dict[str, list[bool]] = {}
    for variant in suite.variants:
        kept = fickle(variant.texts["statement"]) == fickle(SENTENCES[variant.row])
        same.setdefault(variant.row, []).append(kept)
        of.setdefault(variant.transformation, []).append(kept)
    assert found.agreement == pytest.approx(
        100 * statistics.mean(statistics.mean(each) for each in same.values())
    )
    assert found.worst == pytest.approx(100 * statistics.mean(all(each) for each in same.values()))
    assert 0 < found.worst <= found.agreement < 100
    assert result.scores["robustness"].value == found.agreement
    assert found.suite in result.scores["robustness"].version
    assert (found.examples, found.without) == (len(same), len(SENTENCES) - len(same))
    assert found.variants == len(suite.variants)
    for name, shares in of.items():
        assert found.transformations[name].agreement == pytest.approx(100 * statistics.mean(shares))
        assert found.transformations[name].made == len(shares)


def test_variants_are_kept_beside_the_result_without_their_text(tried: tuple[Path, Result]) -> None:
    """Predictions on variants are stored, in the suite's order; the suite's card says what it is; no text is in either."""
    project, result = tried
    store = Store(project / "results")
    kept, suite = store.variants(result, "robustness"), suite_of(project)
    assert kept.ids_sha256 == digest([f"{one.row}{MARK}{one.transformation}" for one in suite.variants])
    assert kept.suite == suite.hash == result.suites["robustness"].suite
    assert kept.predicted == tuple(int(fickle(v.texts["statement"])) for v in suite.variants)
    [card] = store.suite_cards()
    assert (card.name, card.suite, card.variants) == ("robustness", suite.hash, len(suite.variants))
    assert card.samples == ()
    everything = "".join(path.read_text() for path in store.root.rglob("*.json"))
    assert "bridge" not in everything
    assert "masterpiece" not in everything


@pytest.mark.slow
def test_what_is_up_to_date_is_not_repeated(project: Path) -> None:
    """A second run does nothing; a new timing asks no variant, and another seed tries the suite and times nothing."""
    before = evaluated(project)
    assert evaluated(project, "1 unchanged\n") == before
    judged(project / "results", "invalid")
    again = evaluated(project, "1 measured\n", "--remeasure")
    assert again.suites == before.suites
    assert again.scores["robustness"] == before.scores["robustness"]
    assert again.measurement != before.measurement
    with (project / "board.toml").open("a") as file:
        file.write('\n[[suites]]\nid = "robustness"\nkind = "robustness"\nseed = 9\n')
    after = evaluated(project, "1 updated\n")
    assert after.suites["robustness"].suite != before.suites["robustness"].suite
    assert after.measurement == again.measurement
    assert len(list((project / "results").rglob("*.variants.json"))) == 1


BATCHED = (
    FICKLE
    + """
def predict_batch(examples):
    with (HERE / "batches.txt").open("a") as file:
        file.write(f"{len(examples)}\\n")
    return [ANSWER for example in examples]
"""
)


@pytest.mark.slow
@pytest.mark.parametrize("honest", [True, False])
def test_batches_are_used_only_where_they_answer_alike(project: Path, honest: bool) -> None:
    """A model that answers a sample alike in a batch is asked in batches; another one by one, with the same scores."""
    source = BATCHED.replace("ANSWER", "predict(example)" if honest else "'negative'")
    model(project, f"from pathlib import Path\nHERE = Path({str(project)!r})\n" + source)
    texts = [f"{text} Part {number}." for text in SENTENCES for number in range(8)]
    (project / "d.tsv").write_text("".join(f"{text}\tpositive\n" for text in texts))
    together = evaluated(project).suites["robustness"]
    batches = [int(line) for line in (project / "batches.txt").read_text().splitlines()]
    assert (len(batches) > 1) is honest
    model(project, FICKLE)
    assert evaluated(project).suites["robustness"].agreement == together.agreement


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(project: Path) -> None:
    """After SIGKILL in the middle of a suite, no variant that was answered is asked again, and the scores are the same."""
    expected = evaluated(project).suites["robustness"].agreement
    for path in (project / "results").rglob("*.json"):
        path.unlink()
    model(project, SLOW)
    command = [sys.executable, UNKEPT, "evaluate"]
    running = subprocess.Popen(command, cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    answers = project / ".steelyard" / "answers"
    earlier = set(answers.iterdir())
    deadline = time.monotonic() + 60
    while not (journal := [p for p in {*answers.iterdir()} - earlier if p.stat().st_size > 200]):
        assert time.monotonic() < deadline
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    lines = journal[0].read_text().splitlines(keepends=True)
    done = {json.loads(line)[0] for line in lines if line.endswith("\n")}
    assert done
    [before] = Store(project / "results").results()
    assert before.suites == {}
    after = evaluated(project, "1 updated\n")
    assert after.suites["robustness"].agreement == expected
    assert after.measurement == before.measurement
    calls = [ast.literal_eval(line) for line in (project / "calls.txt").read_text().splitlines()]
    asked = Counter(input_key({"statement": text}) for text in calls if text not in SENTENCES)
    assert all(asked[key] == 1 for key in done)


@pytest.mark.slow
def test_a_model_that_dies_on_variants_keeps_its_result(project: Path) -> None:
    """A suite that cannot be run is reported; the measured result is kept, and the suite is run again next time."""
    dies = FICKLE.replace(
        "    text =",
        f"    if example['statement'] not in {SENTENCES!r}:\n        import os; os._exit(7)\n    text =",
    )
    model(project, dies)
    steelyard("evaluate", cwd=project)
    [result] = Store(project / "results").results()
    assert result.suites == {}
    assert "throughput" in result.scores
    [failure] = result.failures
    assert (failure.kind, failure.stage, failure.suite) == ("not-tried", "suites", "robustness")
    assert "exited with code 7" in failure.message
    assert failure.full_message == f"while trying robustness: {failure.message}"


FERRY = "The old ferry doesn't leave before noon, and it is back at six. It's run by Ana Ruiz."
ASKED = [
    {"id": f"q{at}", "question": question, "answers": [{"text": text, "answer_start": FERRY.index(text)}]}
    for at, (question, text) in enumerate({"When?": "noon", "Who?": "Ana Ruiz"}.items())
]


@pytest.mark.slow
def test_answers_stay_findable_and_agreement_is_token_f1(project: Path) -> None:
    """In perturbed contexts every answer is still there; a model that returns the context agrees by token F1."""
    paragraph = {"context": FERRY, "qas": ASKED}
    (project / "d.json").write_text(json.dumps({"data": [{"title": "Ferry", "paragraphs": [paragraph]}]}))
    board = BOARD.replace("sentiment", "qa").replace('"accuracy"', '"f1"')
    start, end = board.index('path = "d.tsv"'), board.index("suites = ")
    board = f'{board[:start]}path = "d.json"\nformat = "squad"\n{board[end:]}'
    (project / "board.toml").write_text(
        board.replace('adapter = "handler"\ndirectory = "m"', 'adapter = "whole-context"')
    )
    result = evaluated(project)
    found, suite = result.suites["robustness"], suite_of(project)
    answers = ["noon", "Ana Ruiz"]
    assert suite.variants
    for variant in suite.variants:
        assert set(variant.texts) == {"context"}
        assert answers[variant.row] in variant.texts["context"]
    assert 50 < found.agreement < 100
    assert found.metric == "f1"
    assert "ferry" not in "".join(path.read_text() for path in (project / "results").rglob("*.json"))


@pytest.mark.slow
def test_perturb_counts_and_shows(project: Path) -> None:
    """`perturb` prints what happened to the examples, stores the suite under its hash, and shows the changes."""
    done = steelyard("perturb", "d", "--show", "4", cwd=project)
    assert done.returncode == 0, done.stderr
    suite = suite_of(project)
    assert f"robustness on d: {len(suite.variants)} variants" in done.stdout
    assert suite.hash in done.stdout
    for name, counts in suite.counts.items():
        assert f"{name} " in done.stdout
        assert counts.made + counts.unchanged + counts.not_applicable == len(SENTENCES)
    assert done.stdout.count(", example ") == 4
    assert "{+" in done.stdout
    card = json.loads(steelyard("perturb", "d", "--json", cwd=project).stdout)
    assert (card["hash"], card["seed"]) == (suite.hash, 0)
    assert Path(project / card["file"]).is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nosuch",), "DATASET 'nosuch': the board file has no such dataset to read; there is d"),
        (
            ("d", "--suite", "nosuch"),
            "--suite 'nosuch': the board file has no such suite; there are robustness, fairness, placebo, neutral",
        ),
    ],
)
def test_perturb_called_wrongly_says_what_there_is(
    project: Path, arguments: tuple[str, ...], message: str
) -> None:
    """An unknown dataset or suite is answered with those that are there, and exit code 2."""
    done = steelyard("perturb", *arguments, cwd=project)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('transformations = ["Keyboard", "nosuch"]', "suites: r: transformations: 'nosuch' is none of"),
        ("options = { nosuch = 1 }", "nosuch"),
        ('backend = "textflint"', "steelyard perturb --install-textflint"),
    ],
)
def test_a_suite_that_cannot_be_stops_before_anything_runs(project: Path, line: str, message: str) -> None:
    """A mistake in a suite is named before a model is started."""
    board = (project / "board.toml").read_text().replace('suites = ["robustness"]', 'suites = ["r"]')
    board = board.replace('{ name = "robustness",', '{ name = "r",')
    (project / "board.toml").write_text(board + f'\n[[suites]]\nid = "r"\nkind = "robustness"\n{line}\n')
    done = steelyard("evaluate", cwd=project)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project / "results").exists()
