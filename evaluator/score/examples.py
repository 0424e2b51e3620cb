"""The examples of a board file's dataset: how they are read, and what is kept of them beside the results.

What is kept is ids, and what else may be published. With them a page can say on which examples a model errs,
and whether two models err on the same ones. An answer in words is not compared with a gold label: there, each
example's own scores are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset, DatasetError, DatasetSource
from evaluator.data.tasks import get_task, show
from evaluator.data.tasks.known import SCORED
from evaluator.rank.formats import count, counted
from evaluator.records.board import Boards, DatasetSpec, ModelSpec
from evaluator.records.datasets import Examples
from evaluator.records.errors import UserError
from evaluator.records.result import Result
from evaluator.records.store import Store

#: As long as the longest hash that is used as an id, SHA-512 in hex.
LONGEST_ID = 128
#: Characters of an example's texts that are kept, where they may be published: enough to recognise it.
EXCERPT = 280


def dataset_source(spec: DatasetSpec, data: Path) -> DatasetSource:
    """How to read a dataset of the board file. Raises `UserError` if it does not say."""
    if spec.format is None:
        raise UserError(f"dataset {spec.id}: has no format; give path and format in board.toml")
    return DatasetSource(
        id=spec.id,
        task=spec.task,
        path=None if spec.path is None else data / spec.path,
        format=spec.format,
        columns=spec.columns,
        label_map=spec.label_map,
        labels=spec.labels,
        sha256=spec.sha256,
        options=spec.options,
        tags=spec.all_tags,
        cluster=spec.cluster,
        skip_malformed=spec.skip_malformed,
    )


def training_source(boards: Boards, model: ModelSpec, data: Path) -> DatasetSource | None:
    """How to read what a model is trained on, all of it together; None if it is not. Raises `UserError`."""
    sources = [dataset_source(boards.dataset(name), data) for name in model.train]
    return replace(sources[0], also=tuple(sources[1:])) if sources else None


def examples_of(dataset: Dataset, show_gold: bool, show_text: bool = False) -> Examples:
    """The ids of the examples; if `show_gold` and the answers are labels, the gold labels; if `show_text`,
    how their texts begin, where they have any, and their tags."""
    fields: dict[str, Any] = {}
    if show_gold and get_task(dataset.task).answer == "label":
        places = {label: place for place, label in enumerate(dataset.gold_labels)}
        fields["labels"], fields["merge"] = dataset.gold_labels, dict(dataset.merge)
        fields["gold"] = tuple(places[label] for label in dataset.gold)
    names = get_task(dataset.task).fields
    if show_text and all(name in example for example in dataset.examples for name in names):
        texts = ["\n".join(str(example[name]) for name in names) for example in dataset.examples]
        fields["texts"] = tuple(one if len(one) <= EXCERPT else f"{one[: EXCERPT - 1]}…" for one in texts)
        tags = dict.fromkeys(name for own in dataset.tags for name in own)
        fields["tags"] = {name: tuple(own.get(name, "") for own in dataset.tags) for name in tags}
    fields["clusters"], fields["same_text"] = dataset.clusters, dataset.same_text
    ids = tuple(dataset.ids)
    return Examples(task=dataset.task, dataset=dataset.id, revision=dataset.revision, ids=ids, **fields)


def dataset_of(kept: Examples, labels: Sequence[str]) -> Dataset:
    """The dataset as far as examples say, without texts; `labels` are what models answered with.

    Its gold labels are those kept. ValueError if none are, unless its task has none.
    """
    if kept.task == SCORED.name:
        return scored_dataset(kept)
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
        clusters=kept.clusters,
        same_text=kept.same_text,
    )


def scored_dataset(kept: Examples) -> Dataset:
    """A dataset of the task "scored": ids, tags and clusters are all that there is of it."""
    names = list(kept.tags)
    rows = zip(*kept.tags.values(), strict=True)
    return Dataset(
        kept.dataset,
        kept.task,
        (),
        tuple({"id": id_} for id_ in kept.ids),
        (),
        kept.revision,
        tags=tuple({name: value for name, value in zip(names, row, strict=True) if value} for row in rows),
        clusters=kept.clusters,
    )


def answered(dataset: Dataset, store: Store) -> list[Result]:
    """The results that keep predictions of this revision of a dataset. Raises `UserError`."""
    found = store.results_on(dataset.task, dataset.id)
    return [one for one in found if one.dataset.revision == dataset.revision and one.predictions is not None]


def kept_dataset(result: Result, store: Store) -> Dataset | None:
    """What a result is about, as far as the store keeps it; None where it has gold labels that are not
    published."""
    kept = store.examples(result.task, result.dataset.id, result.dataset.revision or "")
    if kept is None or not is_whole(kept):
        return None
    return dataset_of(kept, store.predictions(result).labels)


def is_whole(kept: Examples) -> bool:
    """Whether what is kept of a dataset is enough to compute scores from, texts apart."""
    return kept.gold is not None or kept.task == SCORED.name


def keep_examples(dataset: Dataset, spec: DatasetSpec, store: Store) -> None:
    """Bring the stored examples of this revision up to date."""
    store.save_record(examples_of(dataset, spec.show_gold, spec.show_text))


def repeats_line(kept: Examples | None) -> str | None:
    """That rows have the text of others, in a sentence; None where none have."""
    if kept is None or not kept.same_text:
        return None
    rows, texts = kept.repeats
    as_many = counted(texts, "example")
    return f"{count(rows)} rows have the text of another: they count as {as_many} for how sure a rank is"


def repeat_notes(datasets: Iterable[tuple[str, str, str | None]], store: Store) -> list[str]:
    """A line for each dataset (task, id, revision) some of whose rows have the text of others.

    Raises `UserError`.
    """
    about = [(name, store.examples(task, name, revision or "")) for task, name, revision in {*datasets}]
    return sorted(f"{name}: {line}" for name, kept in about if (line := repeats_line(kept)))


def check_ids(dataset: Dataset, spec: DatasetSpec) -> None:
    """Raise `DatasetError` if an id may be text of a dataset whose text may not be shown.

    Ids are published. Most are row numbers, or those of the published file, but a board file may name any
    column for them. An id is refused if it is more than one word, longer than any hash, or all that a
    field of its example says; digits alone are no text.
    """
    if spec.show_text:
        return
    for example in dataset.examples:
        id_, texts = example["id"], [text for name, text in example.items() if name != "id"]
        if is_no_id(id_) or (id_ in texts and not id_.isdigit()):
            fix = "name a column of ids, or none to number the rows; or allow it by show_text = true"
            problem = f"{show(id_)} may be text of the dataset, which is not to be published"
            raise DatasetError(f"dataset {dataset.id}: columns.id: {problem}; {fix}")


def is_no_id(id_: str) -> bool:
    """Whether an id looks like text: it is more than one word, or longer than any hash."""
    return len(id_) > LONGEST_ID or (not id_.isalnum() and len(id_.split()) > 1)
