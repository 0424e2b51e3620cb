import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from evaluator.data.tasks import ASKED
from evaluator.measure.models import ADAPTERS, open_model
from evaluator.measure.models.base import MissingPackage, need
from evaluator.measure.models.pretrained import HubUnreached, hub_directory
from evaluator.records.errors import UserError

LABELS = ("negative", "positive")
TERNARY = ("negative", "neutral", "positive")
HEAVY = {"pydantic", "numpy", "sklearn", "torch", "transformers", "floret"}


def label(text: str, labels: tuple[str, ...] = LABELS, **options: Any) -> str:
    model = open_model("lexicon", Path(), options, "sentiment", labels)
    answer: str = model.predict({"statement": text})["label"]
    return answer


def test_majority_answers_with_the_most_frequent_label(tmp_path: Path) -> None:
    """The majority model gives the label counted most, with all shares."""
    (tmp_path / "majority.json").write_text('{"counts": {"positive": 3, "negative": 1}}')
    model = open_model("majority", tmp_path, {}, "sentiment", LABELS)
    assert model.predict({"statement": "any"}) == {
        "label": "positive",
        "probabilities": {"negative": 0.25, "positive": 0.75},
    }


LABELS_OF = {
    "sentiment": LABELS,
    "hate-speech": ("not-hateful", "hateful"),
    "nli": ("entailed", "neutral", "contradictory"),
    "classification": ("x", "y"),
    "qa": (),
    "generation": (),
}
ALL_LABEL = ("sentiment", "hate-speech", "nli", "classification")
ONE_TEXT = ("sentiment", "hate-speech", "classification")
SERVES = {
    "majority": ALL_LABEL,
    "sklearn": ALL_LABEL,
    "transformers": ALL_LABEL,
    "fasttext": ONE_TEXT,
    "embeddings": ONE_TEXT,
    "onnx": ALL_LABEL,
    "lexicon": ("sentiment",),
    "whole-context": ("qa",),
    "transformers-qa": ("qa",),
    "transformers-text2text": ASKED,
    "transformers-causal": ASKED,
    "handler": ASKED,
    "endpoint": ASKED,
    "gguf": ASKED,
}


#: Those of transformers need it even to say so.
EVERY_ADAPTER = [
    pytest.param(name, marks=pytest.mark.slow if name.startswith("transformers") else ()) for name in ADAPTERS
]


@pytest.mark.parametrize("adapter", EVERY_ADAPTER)
@pytest.mark.parametrize("task", ASKED)
def test_an_adapter_says_which_tasks_are_not_for_it(adapter: str, task: str, tmp_path: Path) -> None:
    """A task that an adapter cannot serve is refused by name before any file is looked for."""
    opening = (adapter, tmp_path, {}, task, LABELS_OF[task])
    if task not in SERVES[adapter]:
        with pytest.raises(UserError, match=f"^task {task}: .*{adapter}.*; use "):
            open_model(*opening)
    elif adapter in ("lexicon", "whole-context"):
        assert open_model(*opening)
    elif adapter == "endpoint":
        with pytest.raises(UserError, match=r"options\.endpoint: missing"):
            open_model(*opening)
    else:
        with pytest.raises(UserError, match=r"no such file|no file whose name ends with \.gguf"):
            open_model(*opening)


@pytest.mark.parametrize("text", ["", "[]", '{"counts": 3}', '{"counts": {"x": 3}}', '{"counts": {}}'])
def test_a_wrong_majority_file_is_a_model_error(text: str, tmp_path: Path) -> None:
    """A majority file that counts no labels of the task is refused with its name."""
    (tmp_path / "majority.json").write_text(text)
    with pytest.raises(UserError, match=r"majority\.json"):
        open_model("majority", tmp_path, {}, "sentiment", LABELS)


def test_vader_ternary_has_a_neutral_band() -> None:
    """With three labels a text VADER has no opinion on is neutral."""
    assert label("the table is made of wood", TERNARY) == "neutral"
    assert label("I love this wonderful place", TERNARY) == "positive"
    assert label("this is a terrible disaster", TERNARY) == "negative"


@pytest.mark.parametrize(
    "options", [{"positive_from": "high"}, {"positive_from": 2}, {"negative_to": 0.1, "positive_from": 0.05}]
)
def test_impossible_thresholds_are_refused(options: dict[str, Any]) -> None:
    """Thresholds outside [-1, 1] or crossing each other are refused."""
    with pytest.raises(UserError, match=r"options\."):
        label("x", TERNARY, **options)


def test_a_pipeline_may_map_its_classes(tmp_path: Path) -> None:
    """A scikit-learn model with classes 0 and 1 serves through a label map, and without one is refused."""
    import joblib
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import BernoulliNB
    from sklearn.pipeline import make_pipeline

    fitted = make_pipeline(CountVectorizer(), BernoulliNB()).fit(["good one", "bad one"], [1, 0])
    joblib.dump(fitted, tmp_path / "model.joblib")
    options = {"label_map": {"0": "negative", "1": "positive"}}
    model = open_model("sklearn", tmp_path, options, "sentiment", LABELS)
    assert model.predict({"statement": "a good day"})["label"] == "positive"
    with pytest.raises(UserError, match="its classes 0, 1 do not stand for the labels negative, positive"):
        open_model("sklearn", tmp_path, {}, "sentiment", LABELS)


def test_a_pipeline_without_probabilities_gives_a_label(tmp_path: Path) -> None:
    """A scikit-learn model without predict_proba answers with the label alone."""
    import joblib
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    fitted = make_pipeline(CountVectorizer(), LinearSVC()).fit(["good", "bad"], ["positive", "negative"])
    joblib.dump(fitted, tmp_path / "model.joblib")
    model = open_model("sklearn", tmp_path, {}, "sentiment", LABELS)
    assert model.predict({"statement": "bad"}) == {"label": "negative"}


@pytest.mark.parametrize(
    ("adapter", "file"),
    [
        ("majority", "majority.json"),
        ("sklearn", "model.joblib"),
        ("fasttext", "model.bin"),
        pytest.param("transformers", "config.json", marks=pytest.mark.slow),
        ("embeddings", "head.npz"),
    ],
)
def test_a_missing_file_is_named(adapter: str, file: str, tmp_path: Path) -> None:
    """An adapter whose file is not in the directory names the file and how to make it."""
    with pytest.raises(UserError, match=f"{file}: no such file; "):
        open_model(adapter, tmp_path, {}, "sentiment", LABELS)


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is not installed is an error that says which extra brings it."""
    monkeypatch.setitem(sys.modules, "floret", None)
    with pytest.raises(
        MissingPackage, match=r"floret is not installed; run: pip install 'steelyard\[fasttext\]'"
    ):
        need("floret")


def test_a_hub_model_must_be_pinned(tmp_path: Path) -> None:
    """A hub id without a full commit hash is refused."""
    with pytest.raises(UserError, match=r"options\.revision: 'main' does not pin org/model"):
        open_model("transformers", tmp_path, {"model": "org/model", "revision": "main"}, "sentiment", LABELS)


@pytest.mark.slow
def test_an_unreachable_hub_is_an_error_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that does not answer is an error within seconds that says how to fetch the model."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    start = time.monotonic()
    with pytest.raises(HubUnreached, match=r"is not reached .* run: hf download org/model --revision 0000"):
        hub_directory("org/model", "0" * 40)
    assert time.monotonic() - start < 5


def test_opening_a_light_model_stays_light() -> None:
    """A model that needs no library loads none."""
    code = (
        "import sys, json; from pathlib import Path; from evaluator.measure.models import open_model\n"
        "open_model('whole-context', Path(), {}, 'qa', ()); print(json.dumps(sorted(sys.modules)))"
    )
    loaded = json.loads(subprocess.check_output([sys.executable, "-c", code]))
    assert "evaluator.measure.models.baselines" in loaded
    assert not HEAVY & set(loaded)
