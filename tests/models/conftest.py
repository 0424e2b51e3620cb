from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_bert import save

from evaluator.data.datasets import Dataset, DatasetSource, read_dataset

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
    return save
