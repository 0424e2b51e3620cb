"""Reads results of MTEB: one JSON file a task, aggregates without examples.

The format is `mteb.results.TaskResult`: ``task_name``, ``mteb_version``, ``dataset_revision`` and, by split,
``scores``: a list with an entry for each ``hf_subset``, with ``main_score`` and the metrics by name. MTEB
gives no standard errors. ``model_meta.json``, if it is beside the file, names the model.

Before 1.11 the splits stand in the document itself, beside ``mteb_dataset_name`` and the other two, which
the first versions leave out: there the file's name is the task's. A split has ``evaluation_time`` and its
metrics, those of a similarity in an object (``cos_sim``), or it has an object for each subset.

A split and a subset is a task here, ``NAME/SPLIT/SUBSET``; ``NAME`` alone will do for a file that has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluator.data.nodes import Node
from evaluator.exchange.logs.base import AGAIN, EvaluationLog, LoggedTask, document
from evaluator.exchange.logs.published import name_if_any, public, word_if_any

TOOL = "MTEB"
HOME = "https://github.com/embeddings-benchmark/mteb"
#: Metrics that are shares of one, cut-offs and the like aside.
SHARES = frozenset({
    "main_score", "accuracy", "f1", "f1_weighted", "ap", "ap_weighted", "v_measure", "map", "ndcg_at_10",
    "map_at_10", "mrr_at_10", "recall_at_10", "precision_at_10", "cosine_spearman", "cosine_pearson",
    "spearman", "pearson", "cosine_ap", "max_ap",
})  # fmt: skip
#: What an entry says beside numbers.
FACTS = ("hf_subset", "languages", "mteb_version", "scores_per_experiment")

#: What a document before 1.11 says beside splits.
ABOUT = {"mteb_dataset_name", "mteb_version", "dataset_revision"}
#: The objects of a split before 1.11 that are no subset, and how their metrics have begun since.
GROUPS = {
    "cos_sim": "cosine", "manhattan": "manhattan", "euclidean": "euclidean", "dot": "dot", "max": "max",
    "similarity": "similarity", "v_measures": "v_measures",
}  # fmt: skip


def is_log(whole: Node) -> bool:
    """Whether a JSON file is of MTEB."""
    return (whole.has("task_name") and whole.has("scores")) or _is_before_1_11(whole)


def _is_before_1_11(whole: Node) -> bool:
    """Whether all that it has beside a few facts are splits."""
    splits = [value for name, value in whole.value.items() if name not in ABOUT]
    return bool(splits) and all(isinstance(split, dict) and "evaluation_time" in split for split in splits)


def _as_now(whole: Node, name: str) -> Node:
    """A document of before 1.11 as later ones write it; `name` is the task's where the document has none."""
    value: dict[str, Any] = {key: whole.get(key) for key in ("mteb_version", "dataset_revision")}
    scores = {}
    for split in [key for key in whole.value if key not in ABOUT]:
        numbers = {key: one for key, one in whole.part(split).value.items() if key != "evaluation_time"}
        subsets = {key: one for key, one in numbers.items() if isinstance(one, dict) and key not in GROUPS}
        subsets = subsets or {"default": numbers}
        scores[split] = [{"hf_subset": key, **_flat(one)} for key, one in subsets.items()]
    value |= {"task_name": whole.get("mteb_dataset_name") or name, "scores": scores}
    return Node(value, where=whole.where)


def _flat(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a subset, those in groups as MTEB names them since."""
    found: dict[str, Any] = {}
    for key, value in numbers.items():
        if key in GROUPS and isinstance(value, dict):
            found |= {f"{GROUPS[key]}_{name}": number for name, number in value.items()}
        else:
            found[key] = value
    return found


def read(path: Path, whole: Node) -> EvaluationLog:
    """The log in a file. Raises `UserError`."""
    if _is_before_1_11(whole):
        whole = _as_now(whole, path.stem)
    entries = _entries(whole.text("task_name"), whole)
    meta = path.with_name("model_meta.json")
    model = document(meta).get("name") if meta.is_file() else None
    # The revision of its data decides the numbers of a task, and so is its version.
    revision = word_if_any(whole.get("dataset_revision"))

    def task(name: str) -> LoggedTask:
        values = {key: value for key, value in entries[name].value.items() if key not in FACTS}
        # Where models follow instructions, the main score is p-MRR, which is in per cent.
        shares = SHARES - ({"main_score"} if "p-MRR" in values else set())
        return LoggedTask(name=name, values=values, version=revision, shares=shares)

    return EvaluationLog(
        path=path,
        tool=TOOL,
        home=HOME,
        tool_version=word_if_any(whole.get("mteb_version")),
        tasks=tuple(entries),
        read_task=task,
        model=name_if_any(model),
        short={whole.text("task_name"): next(iter(entries))} if len(entries) == 1 else {},
        model_arguments={"model": public(model)} if model else {},
    )


def _entries(task: str, whole: Node) -> dict[str, Node]:
    splits = whole.part("scores")
    found: dict[str, Node] = {}
    for split in splits.value:
        for entry in splits.entries(split):
            name = f"{task}/{split}/{entry.text('hf_subset')}"
            if name in found:
                raise entry.wrong("hf_subset", "is there already", AGAIN)
            found[name] = entry
    if not found:
        raise whole.wrong("scores", "has no numbers", AGAIN)
    return found
