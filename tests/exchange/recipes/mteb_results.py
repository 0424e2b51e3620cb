"""Makes the files of tests/exchange/real/mteb: ``python mteb_results.py OUTPUT``, with mteb 2.26.24.

The texts are those of `little_data.py`, and the model counts characters.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mteb
import numpy as np
from datasets import Dataset, DatasetDict
from little_data import meals
from mteb.abstasks import AbsTaskClassification
from mteb.abstasks.task_metadata import TaskMetadata
from mteb.models import ModelMeta


class Meals(AbsTaskClassification):
    """The mood of a sentence."""

    metadata = TaskMetadata(
        name="Meals",
        description="The mood of sentences about meals.",
        reference=None,
        dataset={"path": "little/meals", "revision": "1"},
        type="Classification",
        category="t2c",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="accuracy",
        date=None,
        domains=None,
        task_subtypes=None,
        license=None,
        annotations_creators=None,
        dialect=None,
        sample_creation=None,
        bibtex_citation=None,
    )
    samples_per_label = 2

    def load_data(self, **_: object) -> None:
        """The same sentences to learn from and to be asked about."""
        rows = Dataset.from_list([{"text": row["text"], "label": row["label"]} for row in meals()])
        self.dataset = DatasetDict({"train": rows, "test": rows})
        self.data_loaded = True


class Counter:
    """A vector of how often each letter is in a text."""

    mteb_model_meta = ModelMeta(
        loader=None, name="little/counter", revision="1", release_date=None, languages=None, n_parameters=None,
        memory_usage_mb=None, max_tokens=None, embed_dim=26, license=None, open_weights=None,
        public_training_code=None, public_training_data=None, framework=[], similarity_fn_name="cosine",
        use_instructions=False, training_datasets=None,
    )  # fmt: skip

    def encode(self, inputs: object, **_: object) -> np.ndarray:
        texts = [text for batch in inputs for text in batch["text"]]
        return np.array(
            [[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], dtype=np.float32
        )

    def similarity(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return first @ second.T

    def similarity_pairwise(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return (first * second).sum(axis=1)


if __name__ == "__main__":
    [result] = mteb.evaluate(Counter(), Meals(), cache=None).task_results
    result.to_disk(Path(sys.argv[1]) / "Meals.json")
