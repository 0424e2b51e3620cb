"""What is kept of a dataset's examples beside its results: ids, and what else of them may be published.

With them a page can say on which examples a model errs, and whether two models err on the same ones. An
answer in words is not compared with a gold label: there, each example's own scores are kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from evaluator.data.datasets import Dataset, DatasetError
from evaluator.data.tasks import get_task, show
from evaluator.records.base import parts
from evaluator.records.board import DatasetSpec
from evaluator.records.datasets import Examples
from evaluator.records.predictions import PredictionSet
from evaluator.records.store import Store
from evaluator.score.scores import scores_by_example

#: As long as the longest hash that is used as an id, SHA-512 in hex.
LONGEST_ID = 128
#: Characters of an example's texts that are kept, where they may be published: enough to recognise it.
EXCERPT = 280


def examples_of(dataset: Dataset, show_gold: bool, show_text: bool = False) -> Examples:
    """The ids of the examples; if `show_gold` and the answers are labels, the gold labels; if `show_text`,
    how their texts begin, where they have any, and their tags."""
    fields: dict[str, Any] = {}
    if show_gold and get_task(dataset.task).answer == "label":
        places = {label: place for place, label in enumerate(dataset.gold_labels)}
        fields["labels"], fields["merge"] = dataset.gold_labels, dict(dataset.merge)
        fields["gold"] = tuple(places[label] for label in dataset.gold)
    if show_text and (texts := _excerpts(dataset)):
        fields["texts"], fields["tags"] = texts, _tags(dataset)
    ids = tuple(dataset.ids)
    return Examples(task=dataset.task, dataset=dataset.id, revision=dataset.revision, ids=ids, **fields)


def dataset_of(kept: Examples, labels: Sequence[str]) -> Dataset:
    """The dataset as far as examples say, without texts; `labels` are what models answered with.

    Its gold labels are those kept. ValueError if none are.
    """
    if kept.gold is None:
        raise ValueError(f"gold: of {kept.dataset} is not kept")
    return Dataset(
        kept.dataset,
        kept.task,
        tuple(labels) if kept.merge else kept.labels,
        tuple({"id": id_} for id_ in kept.ids),
        tuple(kept.labels[place] for place in kept.gold),
        kept.revision,
        merge=kept.merge,
    )


def _excerpts(dataset: Dataset) -> tuple[str, ...]:
    """The beginning of each example's fields, a line each; none for a dataset that came without its texts."""
    fields = get_task(dataset.task).fields
    if any(field not in example for example in dataset.examples for field in fields):
        return ()
    texts = ("\n".join(str(example[field]) for field in fields) for example in dataset.examples)
    return tuple(text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1]}…" for text in texts)


def _tags(dataset: Dataset) -> dict[str, tuple[str, ...]]:
    """The value of each tag on each example, empty where it has none."""
    names = dict.fromkeys(name for own in dataset.tags for name in own)
    return {name: tuple(own.get(name, "") for own in dataset.tags) for name in names}


def keep_examples(dataset: Dataset, spec: DatasetSpec, store: Store) -> None:
    """Bring the stored examples of this revision up to date."""
    store.save_examples(examples_of(dataset, spec.show_gold, spec.show_text))


def check_ids(dataset: Dataset, spec: DatasetSpec) -> None:
    """Raise `DatasetError` if an id may be text of a dataset whose text may not be shown.

    Ids are published. Most are row numbers, or those of the published file, but a board file may name any
    column for them. An id is refused if it is more than one word, longer than any hash, or all that a
    field of its example says; digits alone are no text.
    """
    if spec.show_text:
        return
    fields = [name for name in dataset.examples[0] if name != "id"]
    columns = zip(*map(dataset.column, fields), strict=True) if fields else itertools.repeat(())
    for id_, texts in zip(dataset.ids, columns, strict=bool(fields)):
        if is_no_id(id_) or (id_ in texts and not id_.isdigit()):
            fix = "name a column of ids, or none to number the rows; or allow it by show_text = true"
            problem = f"{show(id_)} may be text of the dataset, which is not to be published"
            raise DatasetError(f"dataset {dataset.id}: columns.id: {problem}; {fix}")


def is_no_id(id_: str) -> bool:
    """Whether an id looks like text: it is more than one word, or longer than any hash."""
    return len(id_) > LONGEST_ID or (not id_.isalnum() and len(id_.split()) > 1)


def with_scores(dataset: Dataset, predictions: PredictionSet, show_gold: bool) -> PredictionSet:
    """`predictions` with the scores of each answer in words, if `show_gold`; without any, if not."""
    if not show_gold or get_task(dataset.task).answer == "label":
        return predictions.model_copy(update={"scores": None})
    scores = {
        name: tuple(parts(min(1.0, value), predictions.resolution) for value in shares)
        for name, shares in scores_by_example(dataset, predictions).items()
    }
    return predictions.model_copy(update={"scores": scores or None})
