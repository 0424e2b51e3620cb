"""What one model answered to each example of a dataset, as a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task
from evaluator.notebook.packages import required
from evaluator.records.datasets import Examples
from evaluator.records.predictions import PredictionSet
from evaluator.score import columns
from evaluator.score.examples import dataset_of
from evaluator.score.scores import correct, scores_by_example

if TYPE_CHECKING:
    from pandas import DataFrame

#: A column of a frame, by its name.
PredictionColumns = dict[str, Any]


@dataclass(frozen=True)
class ModelPredictions:
    """A model's answers: `predictions` as they are stored, and `examples` as far as they may be published."""

    predictions: PredictionSet
    examples: Examples | None

    def to_pandas(self, dataset: Dataset | None = None) -> DataFrame:
        """One row an example, in the dataset's order.

        ``id`` is the example's. For labels: ``predicted`` (missing: no valid answer), ``confidence`` and
        ``probability/LABEL`` from 0 to 1 where the model gave them, ``gold`` and ``correct`` where the right
        answers may be published. For texts: ``answer``, missing where it quotes a text that is not published,
        and ``METRIC (%)`` where the right answers may be. ``text`` and ``tag/NAME`` where texts may be.

        `dataset`, the one that was answered, fills in all of these, and the input fields, from its own file.
        Raises ValueError for another dataset or revision.
        """
        if dataset is not None:
            self._check(dataset)
        known = self._from_examples() if dataset is None else dataset_columns(dataset)
        answers = self._labels(dataset) if self.predictions.predicted is not None else self._texts(dataset)
        return required("pandas").DataFrame({**known, **answers})

    def _check(self, dataset: Dataset) -> None:
        own = self.predictions.dataset, self.predictions.dataset_revision
        if (dataset.id, dataset.revision) != own:
            fix = "read the dataset that was answered"
            raise ValueError(f"dataset: {dataset.id} {dataset.revision} is not {' '.join(own)}; {fix}")

    def _from_examples(self) -> PredictionColumns:
        """What is known without the dataset's file."""
        kept = self.examples
        if kept is None:
            return {"id": [None] * self.predictions.examples}
        found: PredictionColumns = {"id": kept.ids}
        if kept.texts is not None:
            found["text"] = kept.texts
        found |= {f"tag/{name}": column for name, column in kept.tags.items()}
        if kept.gold is not None:
            found["gold"] = [kept.labels[place] for place in kept.gold]
        return found

    def _labels(self, dataset: Dataset | None) -> PredictionColumns:
        own = self.predictions
        labels = [*own.labels, None]  # the last place is for -1, no valid answer
        found: PredictionColumns = {"predicted": [labels[place] for place in own.predicted or ()]}
        if dataset is None and self.examples is not None and self.examples.gold is not None:
            dataset = dataset_of(self.examples, own.labels)
        if dataset is not None:
            found["correct"] = correct(dataset, own)
        return found | self._confidence() | self._probabilities()

    def _confidence(self) -> PredictionColumns:
        own = self.predictions
        return {} if own.exact_confidence is None else {"confidence": own.exact_confidence}

    def _probabilities(self) -> PredictionColumns:
        shares = columns.probabilities(self.predictions)
        if shares is None:
            return {}
        return {f"probability/{label}": shares[:, at] for at, label in enumerate(self.predictions.labels)}

    def _texts(self, dataset: Dataset | None) -> PredictionColumns:
        own = self.predictions
        answers = columns.texts(dataset, own) if dataset is not None else self._spelt_out()
        return {"answer": answers, **self._scores(dataset), **self._confidence()}

    def _scores(self, dataset: Dataset | None) -> PredictionColumns:
        """How right each text is, in per cent, as it was kept or from the right answers."""
        own = self.predictions
        if dataset is not None:
            shares: Mapping[str, Sequence[float]] = scores_by_example(dataset, own)
        else:
            kept = own.scores or {}
            shares = {name: [value / own.resolution for value in column] for name, column in kept.items()}
        return {f"{name} (%)": [100 * value for value in column] for name, column in shares.items()}

    def _spelt_out(self) -> list[str | None]:
        """The answers that quote nothing."""
        return [
            None
            if pieces is None or any(not isinstance(one, str) for one in pieces)
            else "".join(map(str, pieces))
            for pieces in self.predictions.answers or ()
        ]


def dataset_columns(dataset: Dataset) -> PredictionColumns:
    """Ids, input fields, tags and right answers of a dataset whose texts are at hand."""
    fields = get_task(dataset.task).fields if dataset.has_inputs else ()
    tags = dict.fromkeys(name for own in dataset.tags for name in own)
    return {
        "id": [example["id"] for example in dataset.examples],
        **{field: [example[field] for example in dataset.examples] for field in fields},
        **{f"tag/{name}": [own.get(name) for own in dataset.tags] for name in tags},
        "gold": list(dataset.gold),
    }
