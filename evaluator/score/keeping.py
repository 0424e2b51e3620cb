"""What is kept beside the results of a dataset, brought up to date: how its numbers vary, and its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator.data.datasets import Dataset
from evaluator.data.tasks.known import SCORED
from evaluator.records.board import Boards
from evaluator.records.datasets import Covariances
from evaluator.records.errors import UserError
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.covariances import OTHER, compares, derive, shown_metrics, source
from evaluator.score.examples import answered
from evaluator.score.groups import Groups
from evaluator.score.judges import judge_weights, value_score, value_tags
from evaluator.score.means import MEAN
from evaluator.score.parts import derive_parts
from evaluator.score.passes import is_of_trials, pass_score
from evaluator.score.suites import RemadeSuites


def keep_covariances(dataset: Dataset, boards: Boards, store: Store) -> None:
    """Bring what is stored of this revision up to date, as far as the dataset and the board file allow.

    So are scores of judges, whose weight is that of all models together, metrics of several trials, and the
    parts that boards split the dataset into. What is kept of it for no result any more is removed.
    """
    results = _corrected(dataset, answered(dataset, store), boards, store)
    results = _with_passes(dataset, results, boards, store)
    try:
        kept = store.covariances(dataset.task, dataset.id, dataset.revision)
    except UserError:
        kept = None
    shown = shown_metrics(boards, dataset, results)
    if len(results) > 1 and (kept is None or not _is_current(kept, dataset, results, shown)):
        store.save_record(derive(dataset, boards, store, RemadeSuites(boards, trusted=True)))
    elif kept is not None and len(results) < 2:
        store.record_path(kept).unlink()
    _keep_parts(dataset, boards, store)
    store.remove_outdated(dataset.task, dataset.id, dataset.revision)


def _corrected(dataset: Dataset, results: Sequence[Result], boards: Boards, store: Store) -> list[Result]:
    """The results, with what judges say corrected at the weights that they have over all of them."""
    if not any(score.judged for result in results for score in result.scores.values()):
        return list(results)
    predictions = {result.model.id: store.predictions(result) for result in results}
    weights = judge_weights(predictions)
    groups, found = Groups.of(dataset), []
    for result in results:
        own, scores = predictions[result.model.id], dict(result.scores)
        for name, old in result.scores.items():
            spec = boards.metric_of(dataset.id, name)
            if old.judged and spec and (new := value_score(own, name, spec, weights[name], groups)):
                scores[name] = new.model_copy(update={"settings": {**old.settings, **new.settings}})
        tags = value_tags(dataset, own, scores, boards)
        new_result = result.model_copy(update={"scores": scores, "tags": tags})
        if new_result != result:
            store.save(new_result, own)
        found.append(new_result)
    return found


def _with_passes(dataset: Dataset, results: Sequence[Result], boards: Boards, store: Store) -> list[Result]:
    """The results, with the metrics of several trials that boards show, and no others."""
    specs = [boards.metric_of(dataset.id, name) for name in boards.metrics_of(dataset.id)]
    wanted = [spec for spec in specs if spec and spec.trials]
    found = []
    for result in results:
        scores = {name: one for name, one in result.scores.items() if not is_of_trials(one.version)}
        if wanted or len(scores) < len(result.scores):
            try:
                predictions = store.predictions(result)
            except UserError:
                found.append(result)
                continue
            new = {spec.name: pass_score(dataset, result, predictions, spec, boards) for spec in wanted}
            scores |= {name: one for name, one in new.items() if one is not None}
            if scores != result.scores:
                result = result.model_copy(update={"scores": scores})
                store.save(result, predictions)
        found.append(result)
    return found


def _is_current(
    kept: Covariances, dataset: Dataset, results: Sequence[Result], shown: Mapping[str, str]
) -> bool:
    left_out = {(name, model) for name, of in kept.unknown.items() for model in of if of[model] == OTHER}
    lacking = {(name, r.model.id) for r in results for name in shown if not compares(r, name, shown[name])}
    if dataset.task == SCORED.name or MEAN in shown.values():  # the board file may have changed its range
        return False
    if not kept.own and any(one.predictions and one.predictions.trials > 1 for one in results):
        return False
    return (
        kept.versions == shown
        and kept.models == {result.model.id: source(result) for result in results}
        and left_out == lacking
        and kept.sources == Groups.of(dataset).sources
    )


def _keep_parts(dataset: Dataset, boards: Boards, store: Store) -> None:
    """Bring the stored parts of this revision up to date: those that boards split it by, and no others."""
    tags = boards.splits_of(dataset.id)
    for kept in store.parts(dataset.task, dataset.id, dataset.revision):
        if kept.tag not in tags:
            store.record_path(kept).unlink()
    for tag in tags:
        parts = derive_parts(dataset, tag, boards, store)
        if parts is not None:
            store.save_record(parts)
