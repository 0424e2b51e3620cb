"""`steelyard check` refuses what evaluate, import and build would, before any of them runs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from measured_world import checked
from publishing_world import steelyard

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "examples" / "demo"
SUITES = """
[[suites]]
id = "mine"
kind = "robustness"
transformations = ["Typo"]
"""
LABELS = """
[[predictions]]
dataset = "reviews"
path = "predictions.csv"
model = "theirs"
"""
HANDLER = """
[[models]]
id = "handler"
label = "H"
task = "sentiment"
adapter = "handler"
directory = "model"
"""
METRICS = "metrics = [\n"
HUB = """
[[models]]
id = "hub"
label = "H"
task = "sentiment"
adapter = "transformers"
options = { model = "someone/something", revision = "main" }
"""


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """The demo board with its data, and a model's folder."""
    folder = Path(shutil.copytree(DEMO, tmp_path / "demo"))
    shutil.copytree(ROOT / "examples" / "my-model", folder / "model")
    with (folder / "board.toml").open("a", encoding="utf-8") as file:
        file.write(LABELS + HANDLER)
    return folder


def broken(folder: Path, old: str, new: str) -> list[str]:
    """The problems of the demo board after a change of its file."""
    path = folder / "board.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return checked(folder).problems


def test_the_demo_board_has_no_problems(demo: Path) -> None:
    """A sound board is looked up in full: nothing is left out."""
    found = checked(demo)
    assert (found.problems, found.notes) == ([], [])


TASK, COLUMNS, LICENCE = 'task = "sentiment"\nbase', 'columns = { statement = "sentence"', "licence"
FILE, LABELLED, FOLDER = 'path = "data/test.tsv"', 'labels = ["negative", "positive"]', 'directory = "model"'
MISSPELT = '{ name = "memry", label = "M", unit = "GB" },'
UNKNOWN_WAY = '{ name = "brier", label = "B", unit = "" },'

#: What is replaced by what in the board file, and the message.
BROKEN = [
    (TASK, 'task = "nlu"\nbase', ": .*'reviews' is of the task sentiment"),
    ('format = "tsv"', 'format = "tvs"', ": datasets: reviews: format: 'tvs' is not a format; .*mean tsv?"),
    (COLUMNS, 'columns = { text = "sentence"', ": datasets: reviews: columns"),
    (COLUMNS, 'columns = { statement = "words"', "data/test.tsv:1: .*'words'"),
    (LABELLED, 'labels = ["bad", "good"]', ": datasets: reviews: labels: "),
    (LICENCE, 'label_map = { x = "neutral" }\nlicence', ": datasets: reviews: label_map.x: 'neutral' is not"),
    (LICENCE, 'label_map = { x = "positive" }\nlicence', "tsv:2: label: 'negative' is not in label_map"),
    (LICENCE, f'sha256 = "{64 * "0"}"\nlicence', "data/test.tsv: sha256: the file has"),
    (LICENCE, "options = { subset = 1 }\nlicence", ": datasets: reviews: options.subset: tsv has no such"),
    (LICENCE, 'suites = ["mine"]\nlicence', ": datasets: reviews: suites: 'mine' is none of"),
    (FILE, 'path = "data/tset.tsv"', ": datasets: reviews: path: data/tset.tsv: no such file"),
    ('recipe = "vader"', 'recipe = "vadar"', ": models: vader: recipe: 'vadar' is none of .*mean vader?"),
    ('recipe = "majority"\ntrain', 'recipe = "majority"\n#', ": models: majority: train: missing"),
    ('recipe = "fasttext"', 'recipe = "fasttext"\noptions = { dept = 3 }', ": models: fasttext: options.dept"),
    ('adapter = "handler"', 'adapter = "handlers"', ": models: handler: adapter: .*mean handler?"),
    (FOLDER, "", ": models: handler: directory: missing"),
    (FOLDER, 'directory = "modle"', ": models: handler: directory: modle is no folder"),
    (FOLDER, 'directory = "."', ": models: handler: directory: . holds the results"),
    (FOLDER, 'directory = "data"', ": models: handler: directory: data holds the data"),
    (HANDLER, HANDLER + HUB, ": models: hub: options.revision: 'main' does not pin"),
    ('name = "accuracy", label', 'name = "acuracy", label', ": .*'accuracy' is none of acuracy"),
    (METRICS, METRICS + MISSPELT, ": boards: demo: metrics: memry: nothing computes it.*mean memory?"),
    (METRICS, METRICS + UNKNOWN_WAY, ": boards: demo: metrics: brier: direction: "),
    (LABELS, LABELS + SUITES, ": suites: mine: transformations: 'Typo' is none of .*mean Typos?"),
    (LABELS, LABELS.replace('"predictions.csv"', '"data/none.csv"'),
     ": predictions: data/none.csv: path: data/none.csv: no such file"),
    (LABELS, LABELS.replace("predictions.csv", "board.toml"), ": .*format: 'toml' is none of csv"),
    (LABELS, LABELS + 'columns = { answr = "label" }\n', ": predictions: predictions.csv: columns: "),
    (LABELS, LABELS + 'label_map = { positive = "fine" }\n', "csv: label_map.positive: 'fine' is not a label"),
    (LABELS, LABELS.replace('"theirs"', '"human"'), "model: 'human' stands for people"),
    ("[measure]", 'results = "README.md"\n[measure]', ": results: README.md is no folder"),
    ('id = "demo"', 'id = "assets"', ": boards: assets: id: the site has a folder"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), BROKEN)
def test_a_broken_board_is_a_problem(demo: Path, old: str, new: str, message: str) -> None:
    """What a board file gets wrong is named by file, line, table and key, or by the file it is about."""
    problems = broken(demo, old, new)
    pattern = message.replace("?", "[?]")
    assert any(re.search(pattern, problem) for problem in problems), problems


def test_data_that_is_elsewhere_is_no_problem(demo: Path) -> None:
    """A file of a dataset with results, which was read once, or a whole folder that cannot be published: that is said,
    and nothing else."""
    assert steelyard("import", cwd=demo).returncode == 0
    (demo / "data/test.tsv").unlink()
    found = checked(demo)
    assert (found.problems, found.notes[0]) == ([], "not here, so not looked into: reviews (data/test.tsv)")
    shutil.rmtree(demo / "results")
    shutil.rmtree(demo / "data")
    found = checked(demo)
    away = "not here, so not looked into: reviews (data/test.tsv), reviews-train (data/train.tsv)"
    assert (found.problems, found.notes) == ([], [away])


def test_a_result_that_came_about_otherwise_is_in_the_way(demo: Path) -> None:
    """A model cannot be evaluated under the id of one whose predictions were imported."""
    path = demo / "board.toml"
    path.write_text(path.read_text().replace('model = "theirs"', 'model = "handler"'))
    assert steelyard("import", cwd=demo).returncode == 0
    [problem] = checked(demo).problems
    assert re.search("models: handler: id: .*handler.json holds a result that is predictions", problem)


def test_evaluate_refuses_a_model_that_holds_the_results(demo: Path) -> None:
    """What `check` says of a model's folder `evaluate` says too, before anything runs."""
    broken(demo, 'directory = "model"', 'directory = "."')
    done = steelyard("evaluate", "--model", "handler", cwd=demo)
    assert done.returncode == 1
    assert "models: handler: directory: . holds the results" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("board", ["board.toml", "examples/demo/board.toml"])
def test_our_own_boards_are_sound(board: str) -> None:
    """The repository's boards pass, with the data or without."""
    done = steelyard("check", "--board", board, cwd=ROOT)
    assert done.returncode == 0, done.stdout
