"""BERTScore over a tiny encoder that is made here."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from evaluator.metrics.bertscore import bertscore
from transformers import BertConfig, BertModel, BertTokenizer

from evaluator.metrics import MetricError, Value, report

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "dog",
    "ran",
    "##s",
]


def save(folder: Path, seed: int) -> Path:
    """A two-layer encoder with random weights."""
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
    )
    BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("bertscore") / "tiny", 0)


def score(encoder: Path, predictions: list, references: list, layer: int = -1) -> Value:
    return report(predictions, references, "generation", [bertscore(encoder, layer)]).scores["bertscore"]


def vectors(encoder: Path, text: str, layer: int) -> np.ndarray:
    """Unit vectors of one text's tokens, the special ones first and last."""
    tokens = BertTokenizer.from_pretrained(encoder)(text, return_tensors="pt")
    with torch.no_grad():
        hidden = (
            BertModel.from_pretrained(encoder)
            .eval()(**tokens, output_hidden_states=True)
            .hidden_states[layer][0]
        )
    return (hidden / hidden.norm(dim=1, keepdim=True)).numpy()


@pytest.mark.parametrize("layer", [-1, 1])
def test_scores_are_the_definitions(encoder: Path, layer: int) -> None:
    """Each item's F1 equals greedy matching of its tokens one text at a time, without batches or padding."""
    pairs = [("the cat sat on a mat", "a cat sat"), ("dogs ran", "the dog ran on the mat"), ("cat", "cat")]
    expected = []
    for text, other in pairs:
        alike = vectors(encoder, text, layer) @ vectors(encoder, other, layer).T
        precision, recall = alike.max(axis=1)[1:-1].mean(), alike.max(axis=0)[1:-1].mean()
        expected.append(100 * 2 * precision * recall / (precision + recall))
    found = score(encoder, *map(list, zip(*pairs, strict=True)), layer)
    assert found.per_item == pytest.approx(expected, abs=1e-3)
    assert found.value == pytest.approx(np.mean(expected), abs=1e-3)


def test_the_best_reference_counts_and_nothing_is_wrong(encoder: Path) -> None:
    """Of several references the most similar counts; an empty answer scores 0 and is kept."""
    found = score(encoder, ["the cat", "", None], [["dogs ran", "the cat"], ["the cat"], ["cat", "dog"]])
    assert found.per_item == pytest.approx([100.0, 0.0, 0.0], abs=1e-3)


def test_more_pairs_than_a_portion_are_all_scored(encoder: Path) -> None:
    """Processing in batches leaves no item out and changes no score."""
    texts = ["the cat sat", "a dog", "dogs ran on the mat"] * 30
    found = score(encoder, texts, texts[::-1])
    assert found.per_item is not None
    assert found.per_item.shape == (90,)
    assert found.per_item[:3] == pytest.approx(found.per_item[87:][::-1], abs=1e-3)


def test_other_weights_are_another_version(encoder: Path, tmp_path: Path) -> None:
    """The version names the weights and the layer, and only them."""
    other = save(tmp_path / "other", 1)
    versions = [bertscore(encoder).version, bertscore(encoder, 1).version, bertscore(other).version]
    assert len(set(versions)) == 3
    assert bertscore(save(tmp_path / "same", 0)).version == versions[0]


def test_what_is_missing_is_named(encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without a model or weights, a layer that is not there and a missing package are errors."""
    with pytest.raises(MetricError, match=r"holds no model \(no config.json\)"):
        bertscore(tmp_path)
    with pytest.raises(MetricError, match="bertscore: layer 3 of a model with 2"):
        score(encoder, ["cat"], ["cat"], 3)
    (tmp_path / "config.json").write_bytes((encoder / "config.json").read_bytes())
    with pytest.raises(MetricError, match="bertscore: "):
        score(tmp_path, ["cat"], ["cat"])
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MetricError, match=r"pip install 'steelyard\[transformers\]'"):
        score(encoder, ["cat"], ["cat"])
