"""A decoder on a board: its prompt is drawn, hashed, asked in a worker, and told in the result."""

from __future__ import annotations

import subprocess
from pathlib import Path

import forked_command
import pytest
from small_boards import small_board
from tiny_decoders import save_decoder

from evaluator.measure.models import open_model
from evaluator.measure.run import plan
from evaluator.records.board import load_boards
from evaluator.records.errors import UserError
from evaluator.records.result import Result
from evaluator.records.store import Store

pytestmark = pytest.mark.slow

BOARD = small_board("accuracy", measure={"repeats": 1, "seconds": 0.001})
TRAIN = """
[[datasets]]
id = "train"
label = "Train"
task = "sentiment"
role = "training"
path = "train.tsv"
format = "tsv"
columns = { statement = 0, label = 1 }
labels = ["negative", "positive"]
PUBLISHED
"""
MODEL = """
[[models]]
id = "llama"
label = "Llama"
task = "sentiment"
adapter = "transformers-causal"
directory = "models/llama"
train = "train"
seed = 3
options = { template = "{{ statement }} ->", shots = 2, answers = { negative = "bad", positive = "good" } }
"""
PUBLISHED = "show_text = true\nshow_gold = true"
TEST = ["a fine film\tpositive", "an awful film\tnegative", "good food\tpositive", "rude staff\tnegative"]
SHARED = "an awful film\tnegative"
OWN = ["we loved it\tpositive", "we hated it\tnegative"]


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_decoder(tmp_path_factory.mktemp("decoder") / "llama")


@pytest.fixture
def project(tmp_path: Path, decoder: Path) -> Path:
    """A board with a tiny Llama; one of three training examples is in the test as well."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "llama").symlink_to(decoder)
    write_board(tmp_path)
    (tmp_path / "d.tsv").write_text("\n".join(TEST), encoding="utf-8")
    (tmp_path / "train.tsv").write_text(
        "\n".join([SHARED.upper().replace("NEGATIVE", "negative"), *OWN]), encoding="utf-8"
    )
    return tmp_path


def write_board(project: Path, train: str = TRAIN, model: str = MODEL, published: str = PUBLISHED) -> None:
    board = BOARD.replace("[[boards]]", f"{train.replace('PUBLISHED', published)}\n[[boards]]", 1)
    (project / "board.toml").write_text(board + model, encoding="utf-8")


def steelyard(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return forked_command.run(*arguments, cwd=project)


def result_of(project: Path) -> Result:
    found = Store(project / "results").find("sentiment", "d", "llama")
    assert found is not None
    return found


def inputs_of(project: Path) -> str:
    [unit] = plan(load_boards(project / "board.toml"), project, project)
    return unit.inputs


def test_a_decoder_is_evaluated_with_examples_drawn_from_a_training_set(project: Path) -> None:
    """The result has the prompt with its examples, none of the test, and answers as the adapter gives alone."""
    done = steelyard(project, "evaluate")
    assert done.returncode == 0, done.stderr
    result = result_of(project)
    prompt = result.model.prompt
    assert prompt is not None
    assert (prompt.template, prompt.examples, prompt.drawn_from, prompt.seed) == (
        "{{ statement }} ->",
        2,
        "train",
        3,
    )
    shown = [(example.inputs["statement"], example.answer) for example in prompt.shown]
    assert sorted(shown) == [("we hated it", "bad"), ("we loved it", "good")]
    labels = {"good": "positive", "bad": "negative"}
    examples = [{"statement": text, "label": labels[words]} for text, words in shown]
    options = {"template": prompt.template, "answers": dict(prompt.answers), "examples": examples}
    alone = open_model(
        "transformers-causal", project / "models" / "llama", options, "sentiment", ("negative", "positive")
    )
    predictions = Store(project / "results").predictions(result)
    expected = [alone.predict({"statement": line.split("\t")[0]})["label"] for line in TEST]
    assert [("negative", "positive")[place] for place in predictions.predicted or ()] == expected
    again = steelyard(project, "evaluate")
    assert again.returncode == 0, again.stderr
    assert result_of(project) == result


def test_texts_that_may_not_be_published_are_not_in_the_result(project: Path) -> None:
    """Of a training set whose texts or labels stay private, the result has only the hash of the examples."""
    write_board(project, published="show_text = true")
    done = steelyard(project, "evaluate")
    assert done.returncode == 0, done.stderr
    prompt = result_of(project).model.prompt
    assert prompt is not None
    assert (prompt.examples, prompt.shown) == (2, ())
    files = [path.read_text(encoding="utf-8") for path in (project / "results").rglob("*.json")]
    assert files
    assert not any("we loved it" in text for text in files)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{{ statement }} ->", "{{ statement }}:"),
        ("seed = 3", "seed = 4"),
        ("shots = 2", 'shots = 2, normalise = "tokens"'),
    ],
)
def test_whatever_changes_the_prompt_changes_the_hash(old: str, new: str, project: Path) -> None:
    """Template, examples, seed, words and scoring are all part of what a result is up to date with."""
    before = inputs_of(project)
    assert inputs_of(project) == before
    assert old in MODEL
    write_board(project, model=MODEL.replace(old, new))
    assert inputs_of(project) != before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("shots = 2", "shots = 3", "options.shots: 3 is more than the 2 examples of train that may be shown"),
        ("shots = 2", "shot = 2", "train: train is given, but options.shots says to draw none"),
        (
            "shots = 2",
            'examples = [{ statement = "GOOD FOOD", label = "positive" }]',
            "options.examples[0]: it is an example of d, on which the model is tested",
        ),
    ],
)
def test_a_wrong_prompt_is_refused_before_anything_is_measured(
    old: str, new: str, message: str, project: Path
) -> None:
    """Planning and `steelyard check` name model, option and fix."""
    model = MODEL.replace(old, new)
    write_board(project, model=model.replace('train = "train"\n', "") if "examples" in new else model)
    with pytest.raises(UserError) as caught:
        plan(load_boards(project / "board.toml"), project, project)
    assert f"models: llama: {message}" in str(caught.value)
    done = steelyard(project, "check")
    assert done.returncode == 1
    assert f"models: llama: {message}" in done.stdout + done.stderr
    assert not (project / "results").exists()


def test_a_decoder_of_the_board_can_be_tried(project: Path) -> None:
    """`steelyard try` asks with the same kind of prompt, its examples drawn likewise."""
    done = steelyard(project, "try", "llama", "a lovely film")
    assert done.returncode == 0, done.stderr
    assert "positive" in done.stdout
