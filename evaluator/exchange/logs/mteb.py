"""Reads results of MTEB, version 1.11 and later: one JSON file a task, aggregates without examples.

The format is `mteb.results.TaskResult`: ``task_name``, ``mteb_version``, ``dataset_revision`` and, by split,
``scores``: a list with an entry for each ``hf_subset``, with ``main_score`` and the metrics by name. MTEB
gives no standard errors. ``model_meta.json``, if it is beside the file, names the model.

A split and a subset is a task here: ``NAME`` where there is only one, else ``NAME/SPLIT/SUBSET``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.exchange.logs import checks
from evaluator.exchange.logs.base import EvaluationLog, LoggedTask

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


def is_log(document: Mapping[str, Any]) -> bool:
    """Whether a JSON file is of MTEB."""
    return "task_name" in document and "scores" in document


def read(path: Path, content: bytes, document: dict[str, Any]) -> EvaluationLog:
    """The log in a file of that content. Raises `UserError`."""
    name = checks.text(path, "task_name", document.get("task_name"))
    entries = dict(_entries(path, name, document))
    model = _model(path.with_name("model_meta.json"))
    return EvaluationLog(
        path=path,
        sha256=checks.hash_of(content),
        tool=TOOL,
        home=HOME,
        tool_version=checks.word_if_any(document.get("mteb_version")) or "of unknown version",
        tasks=tuple(entries),
        read_task=partial(_task, entries, checks.word_if_any(document.get("dataset_revision"))),
        shares=SHARES,
        model_arguments={"model": checks.public(model)} if model else {},
    )


def _model(path: Path) -> Any:
    """The model's name and revision, as MTEB keeps them beside the results."""
    if not path.is_file():
        return None
    return checks.mapping(path, "the whole", checks.parsed(path, path.read_bytes(), checks.AGAIN)).get("name")


def _entries(path: Path, task: str, document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    splits = checks.mapping(path, "scores", document.get("scores"))
    found: dict[str, dict[str, Any]] = {}
    for split, rows in splits.items():
        for place, row in enumerate(checks.list_(path, f"scores.{split}", rows)):
            entry = checks.mapping(path, f"scores.{split}.{place}", row)
            subset = checks.text(path, f"scores.{split}.{place}.hf_subset", entry.get("hf_subset"))
            name = f"{task}/{split}/{subset}"
            if name in found:
                raise checks.wrong(
                    path, f"scores.{split}.{place}.hf_subset", subset, "is there already", checks.AGAIN
                )
            found[name] = entry
    if not found:
        raise checks.wrong(path, "scores", splits, "has no numbers", checks.AGAIN)
    yield from [(task, next(iter(found.values())))] if len(found) == 1 else found.items()


def _task(entries: Mapping[str, dict[str, Any]], revision: str | None, name: str) -> LoggedTask:
    """The numbers of one split and subset; the revision of its data decides them, and so is its version."""
    values = {key: value for key, value in entries[name].items() if key not in FACTS}
    return LoggedTask(name=name, values=values, version=revision)
