from pathlib import Path

import pytest

from evaluator.measure.models import open_model
from evaluator.measure.models.base import BatchModel, Model
from evaluator.records.errors import UserError

LABELS = ("negative", "positive")
LOAD = "def load(directory):\n    pass\n"
PREDICT = "def predict(example):\n    return 'positive'\n"


def handler(directory: Path, code: str) -> Model:
    (directory / "handler.py").write_text(code, encoding="utf-8")
    return open_model("handler", directory, {}, "sentiment", LABELS)


def test_load_gets_the_directory_as_a_path(tmp_path: Path) -> None:
    """`load` is called once with a pathlib.Path before any example."""
    (tmp_path / "label.txt").write_text("negative")
    code = (
        "def load(directory):\n    global label\n    label = (directory / 'label.txt').read_text()\n"
        "def predict(example):\n    return {'label': label}\n"
    )
    assert handler(tmp_path, code).predict({"statement": "x"}) == {"label": "negative"}


def test_a_handler_imports_its_neighbours(tmp_path: Path) -> None:
    """A handler can import modules that are in its directory."""
    (tmp_path / "neighbour_of_handler.py").write_text("ANSWER = 'negative'\n")
    code = f"from neighbour_of_handler import ANSWER\n{LOAD}def predict(example):\n    return ANSWER\n"
    assert handler(tmp_path, code).predict({"statement": "x"}) == "negative"


def test_predict_batch_is_offered_where_it_exists(tmp_path: Path) -> None:
    """A handler is a batch model exactly if it defines `predict_batch`."""
    assert not isinstance(handler(tmp_path, LOAD + PREDICT), BatchModel)
    batch = "def predict_batch(examples):\n    return ['negative'] * len(examples)\n"
    model = handler(tmp_path, LOAD + PREDICT + batch)
    assert isinstance(model, BatchModel)
    assert model.predict_batch([{}, {}]) == ["negative", "negative"]


@pytest.mark.parametrize(("code", "missing"), [(LOAD, "predict"), (PREDICT, "load"), ("load = 3\n", "load")])
def test_missing_function_is_named(code: str, missing: str, tmp_path: Path) -> None:
    """For a handler without one of its two functions the error names the missing one."""
    with pytest.raises(UserError, match=rf"has no function {missing}; add `def {missing}\("):
        handler(tmp_path, code)


def test_syntax_error_names_the_line(tmp_path: Path) -> None:
    """A handler that does not parse is reported with file and line."""
    with pytest.raises(UserError, match=r"handler\.py:3: .*fix the syntax error"):
        handler(tmp_path, "import os\n\ndef load(directory:\n")
