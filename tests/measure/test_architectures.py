"""The architectures of the board of costs: their sizes, their files, and that adapters answer as the library does.

The networks are the same ones, made small.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import pytest

from evaluator.measure.models import open_model
from evaluator.records.board import load_boards

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "architectures"
sys.path.insert(0, str(FOLDER))

from make_models import head, make  # noqa: E402
from make_texts import LABELS, demo  # noqa: E402
from sizes import ARCHITECTURES, Architecture  # noqa: E402

pytestmark = pytest.mark.slow

#: Parameters of the published networks without a head; of T5 with the head that it was published with.
PUBLISHED = {
    "bert-base": 109_482_240,
    "bert-large": 335_141_888,
    "roberta-base": 124_645_632,
    "roberta-large": 355_359_744,
    "distilbert-base": 66_362_880,
    "albert-base": 11_683_584,
    "deberta-v3-base": 183_831_552,
    "electra-base": 108_891_648,
    "minilm": 22_713_216,
    "t5-small": 60_506_624,
    "t5-base": 222_903_552,
}
#: One of each family.
FAMILIES = (
    "bert-base",
    "roberta-base",
    "distilbert-base",
    "albert-base",
    "deberta-v3-base",
    "electra-base",
    "t5-small",
)
ENCODERS = FAMILIES[:-1]
#: Those that are told which of two texts a token is from.
SEGMENTED = ("bert-base", "albert-base", "electra-base")
BOARD = load_boards(FOLDER / "board.toml")
#: The usual 0.02 leaves so small a network all but blind to its input.
WIDE = {"initializer_range": 0.5}
QUESTION = "Who came late to the evening with the kind staff?"
CONTEXT = " ".join(text for text, _ in demo()[:40])


def small(name: str) -> Architecture:
    """The architecture with two narrow layers and a vocabulary just large enough."""
    full = ARCHITECTURES[name]
    settings = {**full.settings, **({"d_kv": 8} if full.family == "T5" else {})}
    if "embedding_size" in settings:
        settings["embedding_size"] = 16
    rows = 4200 + (full.embeddings - full.pieces if full.embeddings else 0)
    return dataclasses.replace(
        full, pieces=4200, width=16, layers=2, heads=2, inner=32, embeddings=rows, settings=settings
    )


def saved(folder: Path, name: str, task: str) -> Path:
    settings = {} if name.startswith("t5") else WIDE
    make(small(name), folder / name, task, **settings)
    return folder / name


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small classifier of each family."""
    folder = tmp_path_factory.mktemp("classifiers")
    return {name: saved(folder, name, "classification") for name in FAMILIES}


def loaded(folder: Path, auto: str) -> tuple[Any, Any]:
    """Tokeniser and network, as the library opens them."""
    import transformers

    network = getattr(transformers, auto).from_pretrained(folder).eval()
    return transformers.AutoTokenizer.from_pretrained(folder), network


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_network_has_as_many_parameters_as_the_published_one(name: str) -> None:
    """Every one of them, so no size is wrong; the card has those of the head too."""
    import torch
    import transformers

    architecture = ARCHITECTURES[name]
    body = "ForConditionalGeneration" if architecture.family == "T5" else "Model"
    with torch.device("meta"):
        bare, whole = (
            getattr(transformers, kind)(architecture.config())
            for kind in (architecture.family + body, head(architecture.family))
        )
    assert sum(weights.numel() for weights in bare.parameters()) == PUBLISHED[name]
    model = BOARD.model(f"random-{name}")
    assert model is not None
    assert model.card.parameters == sum(weights.numel() for weights in whole.parameters())


@pytest.mark.parametrize("name", ENCODERS)
def test_a_classifier_answers_as_the_library_does(name: str, folders: dict[str, Path]) -> None:
    """The softmax of the logits of a direct call, for texts of any length."""
    import torch

    model = open_model("transformers", folders[name], {}, "sentiment", LABELS)
    tokenizer, network = loaded(folders[name], "AutoModelForSequenceClassification")
    seen = set()
    for text in ("good", demo()[0][0], CONTEXT, CONTEXT * 3, "😀 żółw 日本"):
        batch = tokenizer(text, truncation=True, max_length=512, return_tensors="pt")
        with torch.inference_mode():
            expected = network(**batch).logits.softmax(-1)[0].tolist()
        answer = model.predict({"statement": text})
        assert [answer["probabilities"][label] for label in LABELS] == pytest.approx(expected, abs=1e-6)
        seen.add(round(expected[0], 4))
    assert len(seen) > 2


@pytest.mark.parametrize("name", ENCODERS)
def test_a_pair_of_texts_is_given_as_the_network_learnt_it(name: str, folders: dict[str, Path]) -> None:
    """The second text is marked as such, which transformers 5 itself forgets for ALBERT."""
    import torch

    labels = ("neutral", "entailed")
    model = open_model(
        "transformers", folders[name], {"label_map": dict(zip(LABELS, labels, strict=True))}, "nli", labels
    )
    tokenizer, network = loaded(folders[name], "AutoModelForSequenceClassification")
    segmented = name in SEGMENTED
    batch = tokenizer(CONTEXT, QUESTION, return_token_type_ids=segmented, return_tensors="pt")
    assert batch["input_ids"].shape[1] < 512
    assert not segmented or {0, 1} == set(batch["token_type_ids"][0].tolist())
    with torch.inference_mode():
        expected = network(**batch).logits.softmax(-1)[0].tolist()
    answer = model.predict({"context": CONTEXT, "hypothesis": QUESTION})
    assert [answer["probabilities"][label] for label in labels] == pytest.approx(expected, abs=1e-6)
