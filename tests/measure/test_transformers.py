"""The adapter for sequence classifiers: pairs of texts, and files that are not whole."""

import itertools
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluator.data.tasks import get_task
from evaluator.measure.models import open_model
from evaluator.records.errors import UserError

pytestmark = pytest.mark.slow

SaveBert = Callable[..., None]
NLI = ("entailed", "neutral", "contradictory")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory, save_bert: SaveBert) -> Path:
    """The folder of a tiny random classifier of pairs with room for 24 tokens."""
    folder = tmp_path_factory.mktemp("nli")
    save_bert(folder, NLI)
    return folder


@pytest.fixture(scope="module")
def nli(saved: Path) -> Any:
    return open_model("transformers", saved, {}, "nli", NLI)


def shares(model: Any, context: str, hypothesis: str) -> list[float]:
    answer = model.predict({"context": context, "hypothesis": hypothesis})
    return [answer["probabilities"][label] for label in NLI]


def test_a_long_context_is_cut_and_the_hypothesis_is_not(nli: Any) -> None:
    """Context beyond the maximum length has no effect; the hypothesis still has one."""
    long = "good " * 40
    assert shares(nli, long + "film", "not bad") == shares(nli, long + "bad", "not bad")
    assert shares(nli, long, "not bad") != pytest.approx(shares(nli, long, "film"), abs=1e-3)


def test_a_hypothesis_that_fills_the_room_is_answered(nli: Any) -> None:
    """A hypothesis as long as the room, and longer, gets a valid answer beside any context."""
    for context, count in itertools.product(("", "good", "good film " * 30), (20, 21, 22, 500)):
        answer = nli.predict({"context": context, "hypothesis": "bad " * count})
        get_task("nli").check_output(answer, NLI)


def test_a_model_of_two_classes_serves_three_labels(tmp_path: Path, save_bert: SaveBert) -> None:
    """A label that the model has no class for gets the probability 0, and answers are valid."""
    ternary = ("negative", "neutral", "positive")
    save_bert(tmp_path, ("negative", "positive"))
    answer = open_model("transformers", tmp_path, {}, "sentiment", ternary).predict({"statement": "good"})
    assert answer["probabilities"]["neutral"] == 0.0
    assert get_task("sentiment").check_output(answer, ternary).label != 1


def test_the_length_may_be_what_the_tokeniser_states(tmp_path: Path, save_bert: SaveBert) -> None:
    """A long model whose tokeniser states its limit may read more than 512 tokens; 512 is the default."""
    from transformers import BertTokenizerFast

    save_bert(tmp_path, NLI, positions=1000)
    opened: Any = open_model("transformers", tmp_path, {}, "nli", NLI)
    assert opened.max_length == 512
    with pytest.raises(UserError, match=r"max_length: 600 is not a whole number from 5 to 512"):
        open_model("transformers", tmp_path, {"max_length": 600}, "nli", NLI)
    BertTokenizerFast.from_pretrained(tmp_path, model_max_length=800).save_pretrained(tmp_path)
    opened = open_model("transformers", tmp_path, {"max_length": 600}, "nli", NLI)
    assert opened.max_length == 600


def test_a_wrong_label_map_is_refused(tmp_path: Path, save_bert: SaveBert) -> None:
    """A label map that is no table, names no class or no label is answered with classes and labels."""
    save_bert(tmp_path, ("LABEL_0", "LABEL_1", "LABEL_2"))
    for wrong in ("negative", {"LABEL_7": "neutral"}, {"LABEL_0": "no"}, {"LABEL_0": []}):
        with pytest.raises(
            UserError, match=r"options\.label_map: .* from the classes LABEL_0, LABEL_1, LABEL_2"
        ):
            open_model("transformers", tmp_path, {"label_map": wrong}, "nli", NLI)


def test_weights_without_a_head_are_refused(tmp_path: Path, save_bert: SaveBert) -> None:
    """An encoder without a classifier is refused, where transformers would make up a random one."""
    save_bert(tmp_path, NLI, architecture="BertModel")
    with pytest.raises(UserError, match=r"its weights lack classifier\.bias, classifier\.weight, which"):
        open_model("transformers", tmp_path, {}, "nli", NLI)


@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "tokenizer.json"])
def test_broken_files_are_model_errors(file: str, saved: Path, tmp_path: Path) -> None:
    """If a model's files have wrong contents, the error names the folder."""
    folder = Path(shutil.copytree(saved, tmp_path / "model"))
    for content in (b"", b"{", b"{}", b"[]", b"\x00" * 64):
        (folder / file).write_bytes(content)
        with pytest.raises(UserError, match=str(folder)):
            open_model("transformers", folder, {}, "nli", NLI)
