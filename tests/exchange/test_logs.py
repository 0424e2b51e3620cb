"""`steelyard import` on files that evaluation tools wrote: examples are stored, numbers are checked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from interchange_world import steelyard, tree
from logs_world import REAL, imported, lighteval_folder, only, write_board

from evaluator.data.datasets import read_dataset
from evaluator.records.board import assemble, load_boards
from evaluator.records.errors import UserError
from evaluator.records.result import Score
from evaluator.records.store import Store
from evaluator.score.examples import dataset_source
from evaluator.score.importing import import_variants
from evaluator.score.prediction_rows import PredictionsFile
from evaluator.score.suites import perturbed, planned_suites, suite_of

MEALS: dict[str, object] = {"tasks": {"meals": "meals"}, "metrics": {"acc": "accuracy"}}
HARNESS = next((REAL / "lm-eval").glob("results_*.json"))


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return write_board(tmp_path)


@pytest.fixture
def harness(tmp_path: Path) -> Path:
    """A copy of the harness's folder, to be changed."""
    shutil.copytree(REAL / "lm-eval", tmp_path / "lm-eval")
    return tmp_path / "lm-eval" / HARNESS.name


def change_samples(log: Path, task: str, line: int, **changes: object) -> None:
    """Change keys of one row of the examples of a task."""
    path = next(log.parent.glob(f"samples_{task}_*.jsonl"))
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    rows[line - 1] |= changes
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_answers_of_the_harness_are_stored_and_give_the_number_that_it_published(world: Path) -> None:
    """Of each example the answer is stored, the data file is made of the log, and the scores are the same; without the
    file the error says how to make it."""
    with pytest.raises(UserError, match=r"meals\.jsonl: is missing; .* --write-data"):
        imported(world, HARNESS, **{**MEALS, "write_data": False})
    done = only(imported(world, HARNESS, **MEALS))
    published = json.loads(HARNESS.read_text())["results"]["meals"]["acc,none"]
    assert (done.status, done.result.provenance) == ("imported", "predictions")
    assert done.result.scores["accuracy"].value == pytest.approx(100 * published, abs=1e-12)
    assert [pair.words for pair in done.compared] == ["accuracy: stored examples imply 40, published 40"]
    store = Store(world / "results")
    assert len(store.predictions(done.result).predicted or ()) == 15
    first = json.loads((world / "data" / "meals.jsonl").read_text().splitlines()[0])
    assert first == {"id": "0", "text": "The soup was warm and fresh.", "label": "positive"}
    before = tree(world)
    again = only(imported(world, HARNESS, **MEALS))
    assert again.status == "unchanged"
    assert tree(world) == before


def test_a_suite_is_kept_when_the_log_is_imported_again(world: Path) -> None:
    """Imported answers are compared with answers to perturbed texts, until other answers take their place."""
    result = only(imported(world, HARNESS, **MEALS)).result
    boards, store = load_boards(world / "board.toml"), Store(world / "results")
    spec, suite = boards.dataset("meals"), boards.known_suites["robustness"]
    dataset = read_dataset(dataset_source(spec, world / "data"))
    said = dict(zip(dataset.ids, store.predictions(result).predicted or (), strict=True))
    [planned] = planned_suites([suite], dataset, world)
    rows = perturbed(dataset, suite_of(planned, dataset, world)).examples
    answers = world / "answers.csv"
    lines = (f"{row['id']},{dataset.labels[said[row['id'].split('#')[0]]]}\n" for row in rows)
    answers.write_text("id,label\n" + "".join(lines))
    import_variants(PredictionsFile(answers), "mine", suite, spec, dataset, store, world)

    again = only(imported(world, HARNESS, **MEALS))
    assert (again.status, again.result.scores["robustness"].value, again.lost) == ("unchanged", 100, ())
    none = only(imported(world, HARNESS, **MEALS, examples="none", write_data=False))
    assert (none.status, none.result.provenance, none.lost) == ("imported", "reported", ("robustness",))
    assert none.result.scores.keys() == {"accuracy"}


def test_two_models_with_examples_have_covariances_and_share_a_column(world: Path, harness: Path) -> None:
    """Imported answers give what rank sets need, for harness logs of two models."""
    imported(world, HARNESS, "first", **MEALS)
    turn_one_answer(harness)
    imported(world, harness, "second", **MEALS)
    boards, store = load_boards(world / "board.toml"), Store(world / "results")
    revision = store.find("classification", "meals", "first").dataset.revision  # type: ignore[union-attr]
    kept = store.covariances("classification", "meals", str(revision))
    assert kept is not None
    assert kept.right == {"accuracy": (6, 7)}
    assert kept.apart == {"accuracy": (1,)}
    values = assemble(boards.boards[0], boards, store.results()).data["values"]["meals"]["accuracy"]
    assert values == [pytest.approx(40.0), pytest.approx(100 * 7 / 15)]


def turn_one_answer(harness: Path) -> None:
    """Make the first wrong answer right, in the examples and in the published number."""
    path = next(harness.parent.glob("samples_meals_*.jsonl"))
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    line = next(number for number, row in enumerate(rows, start=1) if not row["acc"])
    replies = list(reversed(rows[line - 1]["filtered_resps"]))
    change_samples(harness, "meals", line, filtered_resps=replies, acc=1.0)
    document = json.loads(harness.read_text())
    document["results"]["meals"]["acc,none"] = 7 / 15
    harness.write_text(json.dumps(document))


def test_a_published_number_that_the_examples_do_not_imply_is_refused_or_marked(
    world: Path, harness: Path
) -> None:
    """The error names file, task, metric and both values; accepted, the result says so."""
    harness.write_text(harness.read_text().replace('"acc,none": 0.4,', '"acc,none": 0.46,'))
    with pytest.raises(UserError) as error:
        imported(world, harness, **MEALS)
    words = "meals: acc,none: accuracy: stored examples imply 40, published 46; find out why"
    assert str(error.value).startswith(f"{harness}: {words}")
    assert not (world / "results").exists()
    done = only(imported(world, harness, accept_differences=True, **MEALS))
    assert done.result.scores["accuracy"].value == 40.0
    assert done.result.source is not None
    marked = "accepted although they differ: accuracy: stored examples imply 40, published 46"
    assert str(done.result.source.note).endswith(marked)
    assert done.result.source.citation.endswith(
        "; acc,none (its examples imply other numbers than it published)"
    )
    with pytest.raises(UserError, match="stored examples imply 40, published 46"):
        imported(world, harness, **{**MEALS, "tasks": {"meals": "elsewhere"}, "write_data": False})


@pytest.mark.parametrize(
    ("line", "changes", "message"),
    [
        (4, {"acc": 1.0}, "example '3' "),
        (4, {"doc_id": 2}, "doc_id: 2 is there already on line 3, with the same filter"),
        (4, {"doc_id": 99}, "answers 14 of 15 examples of meals, not '3'"),
        (
            4,
            {"target": "0"},
            "right answer: ['negative'] is the right answer to '3', but meals has 'positive'",
        ),
        (4, {"target": "7"}, "target: '7' is none of the 2 choices"),
        (
            4,
            {"filtered_resps": [["-1", "False"]]},
            "filtered_resps: [['-1', 'False']] are not as many as the 2 choices",
        ),
        (
            4,
            {"filtered_resps": [["nan", "0"], ["-1", "0"]]},
            "filtered_resps[0]: ['nan', '0'] is not a log-likelihood",
        ),
        (4, {"filter": None}, "filter: null is not a string"),
    ],
)
def test_examples_that_do_not_fit_are_refused(
    world: Path, harness: Path, line: int, changes: dict[str, object], message: str
) -> None:
    """The error names the file, the line and the value, and nothing is stored."""
    imported(world, HARNESS, **MEALS)  # makes the data file
    shutil.rmtree(world / "results")
    change_samples(harness, "meals", line, **changes)
    with pytest.raises(UserError) as error:
        imported(world, harness, **MEALS)
    assert message in str(error.value)
    assert "samples_meals_" in str(error.value)
    assert not (world / "results").exists()


def test_a_task_of_texts_is_taken_by_filter_and_a_judged_one_by_verdicts(world: Path) -> None:
    """An answer is what a filter left of it; a verdict is whether the tool found it right."""
    metrics = {"exact_match,first-digit": "exact-match"}
    done = only(imported(world, HARNESS, tasks={"sums": "sums"}, metrics=metrics))
    assert done.result.scores["exact-match"].value == 0.0
    judged = {"exact_match,whole": "accuracy"}
    done = only(imported(world, HARNESS, tasks={"sums": "judged"}, metrics=judged, examples="verdicts"))
    assert done.result.scores["accuracy"].value == 0.0
    assert Store(world / "results").predictions(done.result).predicted == (1,) * 12


def test_without_data_numbers_are_reported_with_their_standard_errors(world: Path) -> None:
    """A dataset that is not here takes the published number and its standard error, in per cent."""
    asked_for = {"tasks": {"meals": "elsewhere"}, "metrics": {"acc": "accuracy"}, "write_data": False}
    done = only(imported(world, HARNESS, **asked_for))
    score = done.result.scores["accuracy"]
    assert done.result.provenance == "reported"
    assert (score.value, score.standard_error) == (40.0, pytest.approx(13.093073414159542))
    assert done.compared[0].is_same


def test_scores_that_were_added_to_reported_ones_stay(world: Path) -> None:
    """Those of the tool's log are replaced by what is imported now."""
    asked_for = {"tasks": {"meals": "elsewhere"}, "metrics": {"acc": "accuracy"}, "write_data": False}
    first = only(imported(world, HARNESS, **asked_for)).result
    store = Store(world / "results")
    own = {"style": Score(value=7.0, unit="", version="by hand"),
           "f1": Score(value=7.0, unit="%", version="lm-eval meals 1.0 f1,none")}  # fmt: skip
    store.save(first.model_copy(update={"scores": first.scores | own}))
    again = only(imported(world, HARNESS, **asked_for)).result
    assert again.scores == first.scores | {"style": own["style"]}


def test_the_command_says_what_the_examples_imply(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints the comparison, also as JSON."""
    asked_for = [str(HARNESS), "--model", "mine", "--dataset", "meals=meals", "--metric", "acc=accuracy"]
    steelyard(world, "import", *asked_for, "--write-data", "--data", str(world / "data"))
    assert "  accuracy: stored examples imply 40, published 40\n" in capsys.readouterr().out
    steelyard(world, "import", *asked_for, "--data", str(world / "data"), "--json")
    [said] = json.loads(capsys.readouterr().out)["results"]
    assert said["status"] == "unchanged"
    assert said["compared"] == [{"metric": "accuracy", "implied": 40.0, "published": 40.0, "same": True}]


def test_answers_of_lighteval_are_found_beside_its_results(world: Path) -> None:
    """The details are of another order than the examples; each is known by its id."""
    log = lighteval_folder(world / "run")
    done = only(imported(world, log, tasks={"meals|0": "meals"}))
    assert [pair.words for pair in done.compared] == ["accuracy: stored examples imply 40, published 40"]
    assert done.result.source is not None
    assert (
        done.result.source.citation
        == "lighteval of unknown version: meals|0 version 1, 0-shot; acc; temperature 0"
    )
    own = only(imported(world, HARNESS, "other", **MEALS))
    store = Store(world / "results")
    mine, theirs = (store.predictions(one.result).predicted for one in (done, own))
    ids = [json.loads(row)["id"] for row in (world / "data" / "meals.jsonl").read_text().splitlines()]
    assert ids != sorted(ids, key=int)
    assert mine == theirs


def test_aggregates_of_mteb_are_reported(world: Path) -> None:
    """A task of MTEB has numbers alone; a metric is one of the board if it is called so or is said to be."""
    log = REAL / "mteb" / "Meals.json"
    done = only(imported(world, log, tasks={"Meals": "elsewhere"}, write_data=False))
    published = json.loads(log.read_text())["scores"]["test"][0]["accuracy"]
    assert done.result.provenance == "reported"
    assert done.result.scores["accuracy"].value == pytest.approx(100 * published)
    assert done.result.source is not None
    assert done.result.source.citation == "MTEB 2.26.24: Meals/test/default version 1; accuracy"
    with pytest.raises(
        UserError, match=r"--write-data: .*Meals\.json keeps no examples of Meals/test/default"
    ):
        imported(world, log, tasks={"Meals": "elsewhere"})


def test_examples_with_other_ids_are_known_by_their_texts(world: Path) -> None:
    """Logs of three tools, which number examples in their own ways, are of one dataset."""
    imported(world, HARNESS, "first", **MEALS)
    made = (world / "data" / "meals.jsonl").read_bytes()
    asked = only(imported(world, REAL / "inspect" / "mood.json", "second", tasks={"mood": "meals"}))
    helm = only(imported(world, REAL / "helm", "third", metrics={"exact_match,test": "accuracy"}))
    store = Store(world / "results")
    assert store.predictions(asked.result).predicted == store.predictions(helm.result).predicted
    assert asked.result.dataset.revision == helm.result.dataset.revision
    (world / "data" / "meals.jsonl").write_bytes(made.replace(b"rice", b"millet"))
    with pytest.raises(UserError, match=r"answers 12 of 15 examples of meals, not '6' .*'meal-0'"):
        imported(world, REAL / "inspect" / "mood.json", "fourth", tasks={"mood": "meals"})
    with pytest.raises(UserError, match="example: '6' has other texts in the log than in the data file"):
        imported(world, HARNESS, "fourth", **MEALS)


@pytest.mark.parametrize(
    ("log", "asked_for", "citation", "metric"),
    [
        ("inspect/mood.json", {"tasks": {"mood": "meals"}}, "Inspect 0.3.285: mood version 0; accuracy,choice", "accuracy"),
        ("inspect/adding.eval", {"tasks": {"adding": "sums"}, "metrics": {"accuracy": "exact-match"}},
         "Inspect 0.3.285: adding version 0; accuracy,match; match.location exact", "exact-match"),
        ("helm", {"metrics": {"exact_match,test": "accuracy"}}, "HELM of unknown version: meals, 0-shot; exact_match,test; max_eval_instances 100, num_train_trials 1, temperature 0,"
         " max_tokens 5", "accuracy"),
    ],
)  # fmt: skip
def test_answers_of_every_tool_give_the_number_that_it_published(
    world: Path, log: str, asked_for: dict[str, object], citation: str, metric: str
) -> None:
    """A log is known by what is in it; its answers are stored, scored, and give its own number."""
    done = only(imported(world, REAL / log, **asked_for))
    assert done.result.provenance == "predictions"
    assert done.result.source is not None
    assert done.result.source.citation == citation
    assert [pair.words for pair in done.compared] == [
        f"{metric}: stored examples imply 66.6667, published 66.6667"
    ]
    assert len(set(Store(world / "results").predictions(done.result).predicted or ("text",))) > 0
