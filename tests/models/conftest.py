from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.datasets import Dataset, DatasetSource, read_dataset

LABELS = ("negative", "positive")
GOOD = ("a lovely film", "good food and kind staff", "we loved it", "great , simply great", "a good book")
BAD = ("an awful film", "bad food and rude staff", "we hated it", "dull , simply dull", "a bad book")


@pytest.fixture
def train_source(tmp_path: Path) -> DatasetSource:
    """A training file of ten sentences, each three times."""
    file = tmp_path / "train.tsv"
    rows = [f"{text}\t1" for text in GOOD] + [f"{text}\t0" for text in BAD]
    file.write_text("\n".join(rows * 3), encoding="utf-8")
    columns = {"statement": 0, "label": 1}
    return DatasetSource("toy", "sentiment", file, "tsv", columns, {"0": "negative", "1": "positive"}, LABELS)


@pytest.fixture
def train(train_source: DatasetSource) -> Dataset:
    return read_dataset(train_source)


@pytest.fixture(scope="session")
def save_bert() -> Callable[..., None]:
    """Saves a BERT with two tiny random layers and a vocabulary of a few words."""
    return _save_bert


def _save_bert(
    directory: Path,
    classes: tuple[str, ...] = ("LABEL_0", "LABEL_1"),
    architecture: str = "BertForSequenceClassification",
    words: tuple[str, ...] = ("good", "bad", "film", "##s", "not"),
    positions: int = 24,
) -> None:
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
