"""A BERT with two tiny random layers and a vocabulary of a few words, saved as transformers saves one."""

from __future__ import annotations

from pathlib import Path


def save(
    directory: Path,
    classes: tuple[str, ...] = ("LABEL_0", "LABEL_1"),
    architecture: str = "BertForSequenceClassification",
    words: tuple[str, ...] = ("good", "bad", "film", "##s", "not"),
    positions: int = 24,
) -> None:
    """Save the network and its tokeniser in `directory`; both are the same every time."""
    import transformers

    directory.mkdir(exist_ok=True)
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    transformers.set_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=positions,
        # The usual 0.02 leaves so small a network all but blind to its input.
        initializer_range=0.5,
        id2label=dict(enumerate(classes)),
        label2id={name: index for index, name in enumerate(classes)},
    )
    getattr(transformers, architecture)(config).save_pretrained(directory)
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    transformers.BertTokenizerFast(vocab=vocabulary).save_pretrained(directory)
