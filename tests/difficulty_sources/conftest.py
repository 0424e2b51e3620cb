"""A small encoder for tests: two random layers, of the real architecture."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """A folder with a tiny BERT, its vocabulary a few words."""
    import transformers

    folder = tmp_path / "tiny-encoder"
    folder.mkdir()
    pieces = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "good",
        "bad",
        "film",
        "not",
        "very",
        "dull",
        "kind",
    ]
    transformers.set_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=24,
        initializer_range=0.5,
    )
    transformers.BertModel(config).save_pretrained(folder)
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    transformers.BertTokenizerFast(vocab=vocabulary).save_pretrained(folder)
    return folder
