"""`steelyard check` computes stored numbers again: an edited one is found, locally and in a pull request."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from measured_world import checked, edited, measured, swap_predictions
from publishing_world import git, steelyard

from evaluator.records.base import digest

D, Q = "results/sentiment/d/m.json", "results/qa/q/asked.json"
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


def accuracy(result: Any) -> None:
    result["scores"]["accuracy"]["value"] = 99.0


def throughput(result: Any) -> None:
    result["scores"]["throughput"]["value"] *= 2


def memory(result: Any) -> None:
    result["scores"]["memory"]["value"] /= 2


def one_pass(result: Any) -> None:
    result["measurement"]["repeats"][0]["throughput"] *= 3


def requests(result: Any) -> None:
    result["measurement"]["latency"]["requests"] += 1


def no_measurement(result: Any) -> None:
    del result["measurement"]


def robustness(result: Any) -> None:
    result["scores"]["robustness"]["value"] = 100.0


def agreement(result: Any) -> None:
    result["suites"]["robustness"]["agreement"] = result["scores"]["robustness"]["value"] = 99.5


def worst(result: Any) -> None:
    result["suites"]["robustness"]["worst"] = 99.5


def transformation(result: Any) -> None:
    result["suites"]["robustness"]["transformations"]["Typos"]["score"] = 12.5


def suite_metric(result: Any) -> None:
    result["suites"]["robustness"]["score"] = 12.5


def no_suite(result: Any) -> None:
    del result["suites"]


def tag(result: Any) -> None:
    result["tags"]["kind"]["a"]["scores"]["accuracy"] = 100.0


def made_up_tag(result: Any) -> None:
    result["tags"]["kind"]["c"] = result["tags"]["kind"]["a"]


def probabilities(result: Any) -> None:
    result["scores"]["brier"] = {"value": 0.0, "unit": "", "version": "brier-1"}


def failed(result: Any) -> None:
    result["status"] = "failed"


def f1(result: Any) -> None:
    result["scores"]["f1"]["value"] += 5


def threshold(result: Any) -> None:
    result["scores"]["best-f1"]["threshold"] = 0.5


def unanswered(result: Any) -> None:
    result["failures"] = []


def more_examples(result: Any) -> None:
    result["dataset"]["examples"] = 600


def people(result: Any) -> None:
    result["scores"]["accuracy"]["value"] = 1.0


LIES = [
    (D, accuracy, "scores: accuracy: 99.0 is stored, but recomputed it is [0-9.]+"),
    (D, throughput, "scores: throughput: [0-9.]+ is stored, but recomputed it is [0-9.]+"),
    (D, memory, "scores: memory: [0-9.]+ is stored, but recomputed it is [0-9.]+"),
    (D, one_pass, "measurement: latency: mean_ns: "),
    (D, requests, "measurement: latency: requests: "),
    (D, no_measurement, "scores: throughput: no measurement is stored that gives it"),
    (D, robustness, "scores: robustness: is 100.0, its suite has "),
    (D, no_suite, "scores: robustness: no suite is stored that gives it"),
    (D, failed, "scores: a run that failed has none"),
    (D, probabilities, "scores: brier: neither predictions nor data have what it needs"),
    (Q, f1, "scores: f1: "),
    (CROWDED, more_examples, "dataset: examples: 600, but there are 6 predictions"),
    (CROWDED, unanswered, "failures: 0 are counted, but 3 predictions are no answer"),
]
LIES_WITH_DATA = [
    (D, agreement, "suites: robustness: agreement: 99.5 is stored, but recomputed it is "),
    (D, worst, "suites: robustness: worst: 99.5 is stored, but recomputed it is "),
    (D, transformation, "suites: robustness: Typos: score: 12.5 is stored, but recomputed it is "),
    (D, suite_metric, "suites: robustness: score: 12.5 is stored, but recomputed it is "),
    (D, tag, "tags: kind: a: accuracy: 100.0 is stored, but recomputed it is "),
    (D, made_up_tag, "tags: kind: c: examples: 3.0 is stored, but recomputed it is no number"),
    (Q, threshold, "scores: best-f1: threshold: 0.5 is stored, but recomputed it is 0.2"),
    (CROWDED, accuracy, "scores: accuracy: 99.0 is stored, but recomputed it is "),
    (PEOPLE, people, "scores: accuracy: 1.0 is stored, but recomputed it is "),
]


def is_found(found: list[str], path: str, message: str) -> bool:
    return any(re.match(f"{path}: {message}.*; restore the file, or evaluate", problem) for problem in found)


@pytest.mark.parametrize(("path", "lie", "message"), [*LIES, *LIES_WITH_DATA])
def test_an_edited_number_is_found(world: Path, path: str, lie: Callable[[Any], None], message: str) -> None:
    """The file, the metric, what is stored and what comes out are named."""
    with edited(world / path) as result:
        lie(result)
    problems = checked(world).problems
    assert is_found(problems, path, message), problems


@pytest.mark.parametrize(("path", "lie", "message"), [LIES[0], LIES[1], LIES[6], LIES[10]])
def test_an_edited_number_is_found_without_the_data(
    world: Path, path: str, lie: Callable[[Any], None], message: str
) -> None:
    """Gold labels that the store keeps are enough, as are scores of single answers and measurements."""
    shutil.rmtree(world / "data")
    with edited(world / path) as result:
        lie(result)
    problems = checked(world).problems
    assert is_found(problems, path, message), problems


def test_what_cannot_be_computed_is_counted(world: Path) -> None:
    """Without a dataset's file its tags and suites are left, without its gold labels all its scores."""
    shutil.rmtree(world / "data")
    found = checked(world)
    assert found.problems == []
    assert found.notes == [
        "not here, so not looked into: d, q, crowd, answers.json, na_prob.json, labels.csv",
        "4 scores of 1 result not recomputed: no annotators' responses of crowd here",
        "4 scores of 1 result not recomputed: no file of d here, so no tags",
        "3 scores of 1 result not recomputed: no gold labels of crowd here",
        "4 scores of 1 result not recomputed: no right answers of q here",
        "1 score of 1 result not recomputed: no texts of d here, so no suites of it",
    ]


def test_a_number_by_another_version_is_no_lie(world: Path) -> None:
    """It cannot be computed here, which is said; boards do not compare it with others either."""
    with edited(world / D) as result:
        result["scores"]["accuracy"] |= {"value": 12.5, "version": "accuracy-0"}
    found = checked(world)
    assert found.problems == []
    reason = "accuracy was computed by another version, accuracy-0; here is accuracy-1"
    assert f"1 score of 1 result not recomputed: {reason}" in found.notes


def test_a_suite_by_other_rules_is_not_recomputed(world: Path) -> None:
    """A suite that the board file defines otherwise now cannot be made as it was."""
    with (world / "board.toml").open("a") as file:
        file.write('\n[[suites]]\nid = "robustness"\nkind = "robustness"\nseed = 9\n')
    found = checked(world)
    assert found.problems == []
    assert any("the suite robustness of d was made by other rules" in note for note in found.notes)


def test_a_suite_of_another_program_is_not_run(world: Path) -> None:
    """TextFlint's suites are not made again: a check starts no program."""
    with (world / "board.toml").open("a") as file:
        file.write('\n[[suites]]\nid = "robustness"\nkind = "robustness"\nbackend = "textflint"\n')
    assert any("robustness is made by textflint" in note for note in checked(world).notes)


def test_predictions_of_variants_are_of_their_suite(world: Path) -> None:
    """The answers to the variants say whose they are; those of others are not taken."""
    [path] = (world / D).parent.glob("*.variants.json")
    with edited(path) as variants:
        variants["model"] = "other"
    with edited(path) as variants:
        name = digest(variants)
    with edited(world / D) as result:
        result["suites"]["robustness"]["predictions"]["sha256"] = name
    path.rename(path.with_name(f"m.{name.removeprefix('sha256:')[:12]}.variants.json"))
    assert any("suites: robustness: predictions: are about" in one for one in checked(world).problems)


def test_the_command_exits_with_1_and_names_the_number(world: Path) -> None:
    """An edited accuracy fails the command, and the pull request's check with it."""
    git(world, "checkout", "--quiet", "-b", "change")
    with edited(world / D) as result:
        accuracy(result)
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


def test_a_change_of_a_stranger_reads_no_file_elsewhere(world: Path) -> None:
    """Under --against a path that leaves the folder is not followed, also where a link does."""
    git(world, "checkout", "--quiet", "-b", "change")
    shutil.move(world / "data/d.tsv", world.parent / "secret.tsv")
    (world / "data/d.tsv").symlink_to(world.parent / "secret.tsv")
    (world.parent / "secret.tsv").write_text("password")
    found = checked(world, "main")
    assert not any("secret" in line or "password" in line for line in [*found.problems, *found.notes])
    assert any("d (outside" in note for note in found.notes)


@pytest.mark.parametrize("name", ["answers.json", "na_prob.json"])
def test_a_change_of_a_stranger_reads_no_predictions_elsewhere(world: Path, name: str) -> None:
    """Neither of the two files that a table of predictions names, whose words an error would quote."""
    git(world, "checkout", "--quiet", "-b", "change")
    (world / "data" / name).unlink()
    (world / "data" / name).symlink_to(world.parent / "secret.json")
    (world.parent / "secret.json").write_text("password")
    found = checked(world, "main")
    assert not any("secret" in line or "password" in line for line in [*found.problems, *found.notes])
    assert any(f"{name} (outside" in note for note in found.notes)


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


@pytest.mark.slow
def test_an_honest_second_run_is_fine(change: Path) -> None:
    """A model that is timed again has a new measurement, and nothing to explain."""
    done = steelyard("evaluate", "--remeasure", cwd=change)
    assert done.returncode == 0, done.stderr
    found = checked(change, "main")
    assert (found.problems, found.changed) == ([], 1)


def consistent(result: Any) -> None:
    """Twice as fast, in every place that is computed from others."""
    for one in result["measurement"]["repeats"]:
        one["throughput"] *= 2
    result["measurement"]["latency"]["mean_ns"] = round(result["measurement"]["latency"]["mean_ns"] / 2)
    result["scores"]["throughput"]["value"] *= 2


def later(result: Any) -> None:
    consistent(result)
    result["created"] = "2031-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("lie", "message"),
    [
        (consistent, "measurement changed, but not `created`"),
        (consistent, "scores: throughput changed, but not `created`"),
        (later, "measurement: 2 of its passes are those of the measurement before"),
    ],
)
def test_a_measurement_that_was_edited(change: Path, lie: Callable[[Any], None], message: str) -> None:
    """A measured number may only change with a measurement that is new as a whole."""
    with edited(change / D) as result:
        lie(result)
    assert checked(change).problems == []
    problems = checked(change, "main").problems
    assert any(problem.startswith(f"{D}: {message}") for problem in problems), problems


def flip(predictions: Any) -> None:
    predictions["predicted"] = [1 - label for label in predictions["predicted"]]


@pytest.mark.parametrize(
    ("created", "message"),
    [
        (None, "predictions changed, but not `created`"),
        ("2031-01-01T00:00:00Z", "predictions: changed, but the measurement did not"),
    ],
)
def test_predictions_that_were_edited(change: Path, created: str | None, message: str) -> None:
    """Other answers without a new run are an error, however well the scores fit them."""
    swap_predictions(change, D, flip)
    with edited(change / D) as result:
        moment = created or result["created"]
        for name in ("suites", "tags", "scores"):
            del result[name]
        result["scores"] = {}
    assert steelyard("evaluate", cwd=change).returncode == 0
    with edited(change / D) as result:
        result["created"] = moment
        timing = result["measurement"]["repeats"]
        assert timing
    problems = checked(change, "main").problems
    assert any(problem.startswith(f"{D}: {message}") for problem in problems), problems


def other_gold(path: Path) -> None:
    with edited(path) as examples:
        examples["gold"] = [1 - label for label in examples["gold"]]


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


def unknown_task(result: Any) -> None:
    result["task"] = "nonsense"


def strange_seed(result: Any) -> None:
    result["model"]["made_from"]["seed"] = ["x"]


def no_repeats(result: Any) -> None:
    result["measurement"]["repeats"] = []


def slow(result: Any) -> None:
    result["measurement"]["repeats"][0]["throughput"] = 5e-324


@pytest.mark.parametrize(
    ("path", "lie"), [(D, unknown_task), (PEOPLE, strange_seed), (D, no_repeats), (D, slow)]
)
def test_nonsense_is_a_problem_and_no_crash(world: Path, path: str, lie: Callable[[Any], None]) -> None:
    """Whatever a file says, the check goes on to the next."""
    with edited(world / path) as result:
        lie(result)
    assert any(path in problem for problem in checked(world).problems)
