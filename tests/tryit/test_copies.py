"""Browser copies of models: the same answers from exported weights, and only what a page can run."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.measure.models import open_model
from evaluator.measure.models.base import Model
from evaluator.measure.models.prepared import Training
from evaluator.measure.models.recipes import RECIPES
from evaluator.measure.worker import ModelToLoad
from evaluator.records.browser import find_copy
from evaluator.records.errors import UserError
from evaluator.tryit import answering, linear
from evaluator.tryit.copies import export_weights, make_copy
from site_src.generator.browser_copies import LISTS, MODULES

ROOT = Path(__file__).parents[2]
TERNARY = ("negative", "neutral", "positive")
WORDS = [
    "good",
    "bad",
    "so-so",
    "n't",
    "Great!",
    "film",
    "naïve",
    "映画",
    "не",
    "a",
    "!",
    "</s>",
    "__label__x",
]
TEXTS = [(f"{WORDS[at % 5]} {WORDS[at % 7]} {WORDS[at % 11]} number {at}", at * at % 3) for at in range(60)]
#: Texts of the words that models know, of any others, and of what fastText parts words at.
ANY_TEXT = st.lists(st.sampled_from(WORDS) | st.text(max_size=12), max_size=12).map(" ".join)


@pytest.fixture(
    scope="module",
    params=[
        ("tfidf-logreg", TERNARY, {}),
        ("tfidf-logreg", ("negative", "positive"), {"ngrams": 3}),
        ("fasttext", TERNARY, {"split_words": True}),
        ("fasttext", ("negative", "positive"), {"split_words": False}),
    ],
    ids=lambda param: f"{param[0]}-{len(param[1])}",
)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Model]:
    """A trained model, and its copy made of exported weights."""
    recipe, labels, options = request.param
    folder = tmp_path_factory.mktemp("linear")
    small = {"buckets": 500, "dim": 5, "passes": 600} if recipe == "fasttext" else {}
    made = RECIPES[recipe]
    (folder / "model").mkdir()
    gold = [label % len(labels) for _, label in TEXTS]
    training = Training([text for text, _ in TEXTS], gold, labels)
    made.build(training, {**made.options, **options, **small}, 0, folder / "model")
    serving = {name: options[name] for name in made.serving}
    model = open_model(made.adapter, folder / "model", serving, "sentiment", labels)
    export_weights(model, folder)
    return model, linear.open_model(folder, {}, "sentiment", labels)


@given(text=ANY_TEXT)
def test_exported_weights_answer_as_the_model_does(pair: tuple[Model, Model], text: str) -> None:
    """Whatever the text: the probability of the model's answer, and so the answer unless two are level."""
    model, copy = pair
    said = model.predict({"statement": text})
    shares = copy.predict({"statement": text})["probabilities"]
    sure = said["confidence"] if "confidence" in said else said["probabilities"][said["label"]]
    # fastText adds 1e-5 to every probability.
    assert shares[said["label"]] == pytest.approx(sure, abs=2e-5)
    assert max(shares.values()) - shares[said["label"]] < 2e-5
    assert sum(shares.values()) == pytest.approx(1)


def test_weights_hold_no_word_of_the_training_texts(pair: tuple[Model, Model], tmp_path: Path) -> None:
    """Words stand there as hashes, so that texts which may not be shown are not shown by their words."""
    export_weights(pair[0], tmp_path)
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not [word for word in ("Great", "naïve", "film", "number") if word.encode() in content]


HANDLER = "from neighbour import ANSWER\ndef load(directory): pass\ndef predict(example): return ANSWER\n"


def handler(folder: Path, answer: str, code: str = HANDLER) -> ModelToLoad:
    """A submitter's model with a module of its own beside it."""
    folder.mkdir()
    (folder / "handler.py").write_text(code)
    (folder / "neighbour.py").write_text(f"ANSWER = {answer!r}\n")
    return ModelToLoad("handler", folder, {}, "sentiment", ("negative", "positive"))


def opened(models: answering.OpenModels, id_: str, folder: Path, adapter: str = "handler") -> None:
    spec = {"model": id_, "folder": str(folder), "adapter": adapter, "options": {}, "labels": TERNARY}
    answering.add_json(models, json.dumps(spec))


def asked(models: answering.OpenModels, model: str, text: str) -> dict[str, Any]:
    question = {"model": model, "examples": [{"statement": text}]}
    answers: list[dict[str, Any]] = json.loads(answering.ask_json(models, json.dumps(question)))
    return answers[0]


def test_models_with_modules_of_one_name_see_their_own(tmp_path: Path) -> None:
    """Two handlers answer side by side from neighbours of the same name, in either order, and leave none."""
    models = answering.open_models('{"task": "sentiment"}')
    before = list(sys.path)
    late = HANDLER.replace("from neighbour import ANSWER\n", "").replace(
        "return ANSWER", "import neighbour; return neighbour.ANSWER"
    )
    for id_, answer, code in (("one", "negative", HANDLER), ("two", "positive", late)):
        _, folder = make_copy(id_, handler(tmp_path / id_, answer, code), tmp_path / "copies")
        opened(models, id_, folder)
    said = [asked(models, id_, "x")["answer"] for id_ in ("one", "two", "one")]
    assert said == ["negative", "positive", "negative"]
    assert "neighbour" not in sys.modules
    assert all(path.endswith("/packages") for path in sys.path if path not in before)


@pytest.mark.parametrize(
    ("example", "message"),
    [("\ud800", "half a surrogate pair"), ("raise", "ValueError: so there"), ("exit", "SystemExit")],
)
def test_a_model_that_fails_says_so_in_its_answer(tmp_path: Path, example: str, message: str) -> None:
    """Neither a text that is none nor a model that raises or exits stops the others."""
    code = (
        "import sys\ndef load(directory): pass\ndef predict(example):\n"
        "    if example['statement'] == 'exit': sys.exit('bye')\n    raise ValueError('so there')\n"
    )
    models = answering.open_models('{"task": "sentiment"}')
    _, folder = make_copy("m", handler(tmp_path / "m", "negative", code), tmp_path / "copies")
    opened(models, "m", folder)
    assert message in asked(models, "m", example)["error"]


@pytest.mark.parametrize(
    ("adapter", "code", "message"),
    [
        ("transformers-qa", HANDLER, "no page can run models of transformers-qa"),
        (
            "handler",
            HANDLER + "import numpy\n",
            "handler.py: imports numpy; a page has only Python's standard library",
        ),
        ("handler", "from evaluator.measure.models import x\n", "imports evaluator"),
    ],
)
def test_what_no_page_can_run_is_refused(tmp_path: Path, adapter: str, code: str, message: str) -> None:
    """The reason names what it needs, and nothing is left behind."""
    model = handler(tmp_path / "m", "negative", code)
    with pytest.raises(UserError, match=message):
        make_copy(
            "m", ModelToLoad(adapter, model.directory, {}, model.task, model.labels), tmp_path / "copies"
        )
    assert list((tmp_path / "copies").glob("*")) == []


def test_a_copy_that_was_changed_is_not_found(tmp_path: Path) -> None:
    """A copy is known by the hashes of its files: equal models give the same one, a changed file is no copy."""
    first, folder = make_copy("m", handler(tmp_path / "m", "negative"), tmp_path / "copies")
    again, same = make_copy("m", handler(tmp_path / "n", "negative"), tmp_path / "copies")
    assert (again, same) == (first, folder)
    assert find_copy(tmp_path / "copies", "m", first.content_hash()) == first
    (folder / "model" / "neighbour.py").write_text("ANSWER = 'positive'\n")
    assert find_copy(tmp_path / "copies", "m", first.content_hash()) is None


def test_vader_takes_its_licence_along(tmp_path: Path) -> None:
    """Its package is copied whole, with the licence that asks for it."""
    lexicon = ModelToLoad("lexicon", tmp_path, {}, "sentiment", TERNARY)
    copy, folder = make_copy("vader", lexicon, tmp_path / "copies")
    assert any("LICENSE" in name for name in copy.files)
    models = answering.open_models('{"task": "sentiment"}')
    opened(models, "vader", folder, "lexicon")
    assert asked(models, "vader", "a wonderful, lovely film")["answer"] == "positive"


def test_what_runs_models_in_a_page_needs_nothing_else(tmp_path: Path) -> None:
    """The bundle's files alone, with the standard library, open a model, answer and make variants."""
    for name in (*MODULES, *LISTS):
        place = tmp_path / "evaluator" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "evaluator" / name, place)
    spec = {"model": "m", "folder": str(tmp_path), "adapter": "whole-context", "options": {}, "labels": []}
    question = {"model": "m", "examples": [{"context": "All of it.", "question": "What?"}]}
    variants = {"example": {"context": "She asked her uncle.", "question": "Whom?"}}
    program = (
        f"import sys, json; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from evaluator.tryit import answering, linear\n"
        'models = answering.open_models(\'{"task": "qa"}\')\n'
        f"answering.add_json(models, {json.dumps(spec)!r})\n"
        f"print(answering.ask_json(models, {json.dumps(question)!r}))\n"
        f"print(answering.variants_json(models, {json.dumps(variants)!r}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers, made = map(json.loads, done.stdout.splitlines())
    assert answers[0]["answer"] == "All of it."
    texts = {one["name"]: one["example"]["context"] for one in made["variants"]}
    assert texts["gender"] == "He asked his aunt."
