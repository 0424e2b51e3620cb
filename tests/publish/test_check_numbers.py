"""`steelyard check` computes stored numbers again: an edited one is found, locally and in a pull request."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from measured_world import checked, edited, measured, swap_predictions
from publishing_world import git, steelyard

from evaluator.records.base import digest
from evaluator.records.measurement import Measurement

pytestmark = pytest.mark.slow

D, Q = "results/sentiment/d/m.json", "results/qa/q/asked.json"
LATER = "2031-01-01T00:00:00Z"
CROWDED, PEOPLE = "results/sentiment/crowd/crowded.json", "results/sentiment/crowd/human.json"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board with real results, to be copied."""
    return measured(tmp_path_factory.mktemp("measured") / "board")


@pytest.fixture
def world(board: Path, tmp_path: Path) -> Path:
    """A copy of that board, to be spoilt."""
    return Path(shutil.copytree(board, tmp_path / "board"))


def test_honest_results_have_no_problems(board: Path) -> None:
    """Everything comes out again as it is stored, and nothing is left out."""
    found = checked(board)
    assert (found.problems, found.notes, found.results) == ([], [], 4)


GONE = object()


def lie(path: Path, place: str, value: object) -> None:
    """Put another value, or what a function makes of the old one, into a place of a JSON file."""
    with edited(path) as document:
        *above, last = place.split(".")
        for name in above:
            document = document[int(name) if name.isdigit() else name]
        last = int(last) if last.isdigit() else last
        if value is GONE:
            del document[last]
        else:
            document[last] = value(document[last]) if callable(value) else value


def twice(value: float) -> float:
    return value * 2


#: What is edited, and the message. These are found without the data, as far as the store keeps gold labels.
KEPT = [
    (D, "scores.accuracy.value", 99.0, "scores: accuracy: 99.0 is stored, but recomputed it is [0-9.]+"),
    (D, "scores.throughput.value", twice, "scores: throughput: [0-9.]+ is stored, but recomputed it is"),
    (D, "scores.robustness.value", 100.0, "scores: robustness: is 100.0, its suite has "),
    (Q, "scores.f1.value", twice, "scores: f1: "),
]
LIES = [
    *KEPT,
    (D, "scores.memory.value", twice, "scores: memory: [0-9.]+ is stored, but recomputed it is [0-9.]+"),
    (D, "measurement.repeats.0.throughput", twice, "measurement: latency: mean_ns: "),
    (D, "measurement.repeats.0.time_ns", twice, "measurement: repeats: 0: throughput: .*, but its times give"),
    (D, "scores.throughput.interval", GONE, "scores: throughput: interval: low: no number is stored, but"),
    (D, "scores.throughput.interval", [1.0, 1e9], "scores: throughput: interval: low: 1.0 is stored, but "),
    (D, "measurement.latency.requests", twice, "measurement: latency: requests: "),
    (D, "measurement", GONE, "scores: throughput: no measurement is stored that gives it"),
    (D, "suites", GONE, "scores: robustness: no suite is stored that gives it"),
    (D, "status", "failed", "scores: a run that failed has none"),
    (D, "scores.brier", {"value": 0.0, "unit": "", "version": "brier-1"},
     "scores: brier: neither predictions nor data have what it needs"),
    (CROWDED, "dataset.examples", 600, "dataset: examples: 600, but there are 6 predictions"),
    (CROWDED, "failures", [], "failures: 0 are counted, but 3 predictions are no answer"),
    (D, "suites.robustness.worst", 99.5, "suites: robustness: worst: 99.5 is stored, but recomputed it is "),
    (D, "suites.robustness.transformations.Typos.score", 12.5, "suites: robustness: Typos: score: 12.5 is "),
    (D, "suites.robustness.score", 12.5, "suites: robustness: score: 12.5 is stored, but recomputed it is "),
    (D, "tags.kind.a.scores.accuracy", 100.0, "tags: kind: a: accuracy: 100.0 is stored, but recomputed it is "),
    (D, "tags.kind", lambda kinds: kinds | {"c": kinds["a"]}, "tags: kind: c: examples: 3.0 is stored, but"),
    (Q, "scores.best-f1.threshold", 0.5, "scores: best-f1: threshold: 0.5 is stored, but recomputed it is 0.2"),
    (CROWDED, "scores.accuracy.value", 99.0, "scores: accuracy: 99.0 is stored, but recomputed it is "),
    (PEOPLE, "scores.accuracy.value", 1.0, "scores: accuracy: 1.0 is stored, but recomputed it is "),
]  # fmt: skip


@pytest.mark.parametrize(("path", "place", "value", "message"), LIES)
def test_an_edited_number_is_found(world: Path, path: str, place: str, value: object, message: str) -> None:
    """The file, the metric, what is stored and what comes out are named."""
    lie(world / path, place, value)
    problems = checked(world).problems
    assert any(
        re.match(f"{path}: {message}.*; restore the file, or remove it and ", one) for one in problems
    ), problems


@pytest.mark.parametrize(("path", "place", "value", "message"), KEPT)
def test_an_edited_number_is_found_without_the_data(
    world: Path, path: str, place: str, value: object, message: str
) -> None:
    """Gold labels that the store keeps are enough, as are scores of single answers and measurements."""
    shutil.rmtree(world / "data")
    lie(world / path, place, value)
    assert any(re.match(f"{path}: {message}", problem) for problem in checked(world).problems)


@pytest.mark.parametrize(
    ("path", "place", "value"),
    [
        (D, "task", "nonsense"),
        (PEOPLE, "model.made_from.seed", ["x"]),
        (D, "measurement.repeats", []),
        (D, "measurement.repeats.0.throughput", 5e-324),
    ],
)
def test_nonsense_is_a_problem_and_no_crash(world: Path, path: str, place: str, value: object) -> None:
    """Whatever a file says, the check goes on to the next."""
    lie(world / path, place, value)
    assert any(path in problem for problem in checked(world).problems)


def test_what_cannot_be_computed_is_counted(world: Path) -> None:
    """Without a dataset's file its tags and suites are left, without its gold labels all its scores."""
    shutil.rmtree(world / "data")
    found = checked(world)
    assert found.problems == []
    names = (
        "d (data/d.tsv)",
        "q (data/q.jsonl)",
        "crowd (data/crowd.jsonl)",
        "answers.json (data/answers.json)",
    )
    more = ("na_prob.json (data/na_prob.json)", "labels.csv (data/labels.csv)")
    assert found.notes == [
        "not here, so not looked into: " + ", ".join(names + more),
        "4 scores of 1 result not recomputed: no annotators' responses of crowd here",
        "4 scores of 1 result not recomputed: no file of d here, so no tags",
        "3 scores of 1 result not recomputed: no gold labels of crowd here",
        "4 scores of 1 result not recomputed: no right answers of q here",
        "1 score of 1 result not recomputed: no texts of d here, so no suites of it",
    ]


def test_a_number_by_another_version_is_no_lie(world: Path) -> None:
    """It cannot be computed here, which is said; boards do not compare it with others either."""
    lie(world / D, "scores.accuracy", lambda score: score | {"value": 12.5, "version": "accuracy-0"})
    found = checked(world)
    assert found.problems == []
    reason = "accuracy was computed by another version, accuracy-0; here is accuracy-1"
    assert f"1 score of 1 result not recomputed: {reason}" in found.notes


@pytest.mark.parametrize(
    ("key", "note"),
    [("seed = 9", "was made by other rules"), ('backend = "textflint"', "robustness is made by textflint")],
)
def test_a_suite_that_cannot_be_made_as_it_was_is_not_recomputed(world: Path, key: str, note: str) -> None:
    """The board file defines it otherwise now, or another program makes it: a check starts no program."""
    with (world / "board.toml").open("a") as file:
        file.write(f'\n[[suites]]\nid = "robustness"\nkind = "robustness"\n{key}\n')
    found = checked(world)
    assert found.problems == []
    assert any(note in one for one in found.notes)


def test_predictions_of_variants_are_of_their_suite(world: Path) -> None:
    """The answers to the variants say whose they are; those of others are not taken."""
    [path] = (world / D).parent.glob("*.variants.json")
    lie(path, "model", "other")
    name = digest(json.loads(path.read_bytes()))
    lie(world / D, "suites.robustness.predictions.sha256", name)
    path.rename(path.with_name(f"m.{name.removeprefix('sha256:')[:12]}.variants.json"))
    assert any("suites: robustness: predictions: are about" in one for one in checked(world).problems)


def test_the_command_exits_with_1_and_names_the_number(world: Path) -> None:
    """An edited accuracy fails the command, and the pull request's check with it."""
    git(world, "checkout", "--quiet", "-b", "change")
    lie(world / D, "scores.accuracy.value", 99.0)
    for options in ([], ["--against", "main", "--comment", "../comment.md"], ["--data", "data"]):
        done = steelyard("check", *options, cwd=world)
        assert done.returncode == 1
        assert f"{D}: scores: accuracy: 99.0 is stored" in done.stdout
    assert "scores: accuracy: 99.0 is stored" in (world.parent / "comment.md").read_text()


def test_data_from_elsewhere_is_read_where_it_is_named(world: Path) -> None:
    """`--data` says where the files are, as it does for evaluate."""
    shutil.move(world / "data", world.parent / "elsewhere")
    assert checked(world).notes != []
    assert checked(world, data=world.parent / "elsewhere").notes == []
    assert checked(world, "main", world.parent / "elsewhere").notes == []


@pytest.mark.parametrize(
    ("name", "called"), [("d.tsv", "d"), ("answers.json", "answers.json"), ("na_prob.json", "na_prob.json")]
)
def test_a_change_of_a_stranger_reads_no_file_elsewhere(world: Path, name: str, called: str) -> None:
    """Under --against no link is followed out of the folder, by data or by predictions, which an error would quote."""
    git(world, "checkout", "--quiet", "-b", "change")
    (world / "data" / name).unlink()
    (world / "data" / name).symlink_to(world.parent / "secret")
    (world.parent / "secret").write_text("password")
    found = checked(world, "main")
    assert not any("secret" in line or "password" in line for line in [*found.problems, *found.notes])
    assert any(f"{called} (outside" in note for note in found.notes)


def test_a_second_file_of_predictions_is_checked_before_it_is_imported(world: Path) -> None:
    """What import would refuse, check names: once the file has changed, it is read."""
    (world / "data/na_prob.json").write_text('{"0": 0.5}')
    assert any("na_prob.json: lacks '1', '2', '3', '4'" in one for one in checked(world).problems)


# What a change of results says of itself --------------------------------------------------------------


@pytest.fixture
def change(world: Path) -> Path:
    """The board on a branch."""
    git(world, "checkout", "--quiet", "-b", "change")
    return world


@pytest.mark.parametrize("kind", ["score", "predictions", "predictions removed"])
def test_what_was_edited_is_counted_as_changed(change: Path, kind: str) -> None:
    """Also where it is a problem, or nothing but white space."""
    [predictions] = (change / D).parent.glob("m.*.predictions.json")
    if kind == "score":
        lie(change / D, "scores.accuracy.value", 99.0)
    elif kind == "predictions":
        predictions.write_bytes(predictions.read_bytes() + b"\n")
    else:
        predictions.unlink()
    found = checked(change, "main")
    assert bool(found.problems) == (kind != "predictions")
    assert (found.new, found.changed) == (0, 1)


def test_an_honest_second_run_is_fine(change: Path) -> None:
    """A model that is timed again has a new measurement, and nothing to explain."""
    # Any new timing takes the place of one that is invalid, however busy the machine is now.
    lie(change / D, "measurement.noise.verdict", "invalid")
    git(change, "commit", "--quiet", "--all", "--message", "A busy day")
    git(change, "branch", "--force", "main")
    done = steelyard("evaluate", "--remeasure", cwd=change)
    assert done.returncode == 0, done.stderr
    found = checked(change, "main")
    assert (found.problems, found.changed) == ([], 1)


@pytest.mark.parametrize(
    ("created", "messages"),
    [
        (None, ["measurement changed, but not `created`", "scores: throughput changed, but not `created`"]),
        (LATER, ["measurement: 2 of its passes are those of the measurement before"]),
    ],
)
def test_a_measurement_that_was_edited(change: Path, created: str | None, messages: list[str]) -> None:
    """A measured number may only change with a measurement that is new as a whole, however consistent it is."""
    for at in range(2):
        lie(change / D, f"measurement.repeats.{at}.throughput", twice)
        lie(change / D, f"measurement.repeats.{at}.reference_ns", twice)
    found = Measurement.model_validate(json.loads((change / D).read_text("utf-8"))["measurement"])
    lie(change / D, "scores.throughput.interval", found.interval("throughput"))
    lie(change / D, "measurement.latency.mean_ns", lambda value: round(value / 2))
    lie(change / D, "scores.throughput.value", twice)
    lie(change / D, "created", lambda old: created or old)
    assert checked(change).problems == []
    problems = checked(change, "main").problems
    assert [any(one.startswith(f"{D}: {said}") for one in problems) for said in messages] == [True] * len(
        messages
    )


def flip(predictions: Any) -> None:
    predictions["predicted"] = [1 - label for label in predictions["predicted"]]


@pytest.mark.parametrize(
    ("created", "message"),
    [
        (None, "predictions changed, but not `created`"),
        (LATER, "predictions: changed, but the measurement did not"),
    ],
)
def test_predictions_that_were_edited(change: Path, created: str | None, message: str) -> None:
    """Other answers without a new run are an error, however well the scores fit them."""
    swap_predictions(change, D, flip)
    with edited(change / D) as result:
        moment = created or result["created"]
        for name in ("suites", "tags"):
            del result[name]
        result["scores"] = {}
    assert steelyard("evaluate", cwd=change).returncode == 0
    lie(change / D, "created", moment)
    problems = checked(change, "main").problems
    assert any(problem.startswith(f"{D}: {message}") for problem in problems), problems


def other_gold(path: Path) -> None:
    lie(path, "gold", lambda gold: [1 - label for label in gold])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (other_gold, "ids or gold labels changed, but not the revision"),
        (Path.unlink, "was removed, but results"),
    ],
)
def test_gold_labels_that_scores_were_made_to_fit(
    change: Path, spoil: Callable[[Path], None], message: str
) -> None:
    """The labels that the store keeps are those of a revision, and stay as long as results are about it."""
    [path] = (change / D).parent.glob("*.examples.json")
    spoil(path)
    assert any(message in problem for problem in checked(change, "main").problems)


def test_a_result_does_not_change_its_provenance(change: Path) -> None:
    """A measured number cannot become a reported one, which nobody could compute again."""
    with edited(change / D) as result:
        result |= {"provenance": "reported", "source": {"citation": "P"}, "scores": {}}
    problems = checked(change, "main").problems
    assert any(f"{D}: provenance: was measured and is reported" in problem for problem in problems), problems
