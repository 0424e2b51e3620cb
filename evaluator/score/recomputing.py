"""Whether stored scores are what the stored predictions give: computed again, by what computed them.

Where the right answers are not at hand nothing can be computed; such scores are counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task
from evaluator.records.base import TIMING
from evaluator.records.board import Boards
from evaluator.records.canonical import digest
from evaluator.records.datasets import Covariances, Examples
from evaluator.records.errors import UserError
from evaluator.records.measurement import Measurement
from evaluator.records.predictions import PredictionSet
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.agreement import VERSION as AGREEMENT
from evaluator.score.difficulty_scores import difficulty_scores, is_by_difficulty
from evaluator.score.examples import dataset_of, with_scores
from evaluator.score.metrics import METRICS, definition, get_metric, names_for
from evaluator.score.people import estimate
from evaluator.score.recomputed import BROKEN, TOLERANCE, Recomputed
from evaluator.score.recomputing_covariances import recompute_covariances
from evaluator.score.recomputing_suites import Suites
from evaluator.score.scores import metric_names, score, score_tags

#: What metrics need of a dataset that is not kept beside its results.
ONLY_IN_FILE = frozenset({"distributions", "validated", "sources"})
#: How far a mean latency may be from the one that throughputs give: it is rounded to a nanosecond.
ROUNDED_NS = 1.0


def recompute(
    store: Store, boards: Boards, datasets: Mapping[str, Dataset], trusted: bool = True
) -> Recomputed:
    """Compute every score of the store again, as far as that can be done.

    `datasets` are those whose files are at hand, by id; of others gold labels are used that the store
    keeps. Unless the board file is `trusted`, suites with options, which may name files, are left out.
    Files that cannot be read are passed over, since `stored_problems` names them.
    """
    again = _Again(store, boards, datasets, trusted)
    for path in store.paths():
        try:
            again.result(path)
        except UserError:
            continue
        except BROKEN as error:
            again.found.wrong(path, f"nothing can be computed again: {error}")
    recompute_covariances(store, boards, again.suites.remade, again.dataset, again.found)
    return again.found


class _Again:
    """The results of a store, one after the other."""

    def __init__(self, store: Store, boards: Boards, datasets: Mapping[str, Dataset], trusted: bool) -> None:
        self.store, self.datasets = store, datasets
        self.found = Recomputed()
        self.suites = Suites(store, boards, self.found, trusted)
        self._examples = cache(store.examples)

    def result(self, path: Path) -> None:
        """One result. Raises `UserError` if one of its files cannot be read."""
        result = self.store.load(path)
        if result.provenance == "human":
            self._people(path, result)
        elif result.status == "failed" and result.scores:
            self.found.wrong(path, "scores: a run that failed has none")
        elif result.provenance != "reported" and result.status == "complete":
            _timing(path, result, self.found)
            self._predicted(path, result, self.store.predictions(result))

    def _people(self, path: Path, result: Result) -> None:
        """What people reach is estimated from the dataset's own file."""
        dataset = self._file(result)
        people = estimate(dataset, seed=int(result.model.made_from.get("seed", 0))) if dataset else None
        if people is None:
            self.found.leave(
                f"no annotators' responses of {result.dataset.id} here", path, len(result.scores)
            )
            return
        kept = [name for name in result.scores if not self._is_other_version(path, name, result.scores[name])]
        self._compare(path, result, kept, people.scores)

    def _predicted(self, path: Path, result: Result, predictions: PredictionSet) -> None:
        _invalid(path, result, predictions, self.found)
        names = self._quality(path, result)
        dataset = self._file(result)
        whole = dataset is not None
        if dataset is None:
            dataset = self._kept(result, predictions)
        if dataset is None:
            self._without_gold(path, result, predictions, names)
        elif problem := _misfit(dataset, predictions):
            self.found.wrong(path, f"predictions: {problem}")
            return
        else:
            self._with_gold(path, result, predictions, dataset, names, whole)
        self.suites.of(path, result, predictions, dataset if whole else None)

    def dataset(self, kept: Covariances) -> Dataset | None:
        """The dataset that covariances are about, from its file or as far as the store keeps it."""
        about = kept.task, kept.dataset, kept.revision
        dataset = self.datasets.get(kept.dataset)
        if dataset and (dataset.task, dataset.revision) == (kept.task, kept.revision):
            return dataset
        examples: Examples | None = self._examples(*about)
        if examples is None or examples.gold is None:
            return None
        results = self.store.results_on(kept.task, kept.dataset)
        mine = [r for r in results if r.dataset.revision == kept.revision and r.predictions is not None]
        return dataset_of(examples, self.store.predictions(mine[0]).labels) if mine else None

    def _file(self, result: Result) -> Dataset | None:
        """The dataset from its own file, if that has the revision which the result is about."""
        dataset = self.datasets.get(result.dataset.id)
        about = result.task, result.dataset.revision
        return dataset if dataset and (dataset.task, dataset.revision) == about else None

    def _kept(self, result: Result, predictions: PredictionSet) -> Dataset | None:
        """The dataset as far as the store keeps it: ids and gold labels; None without these."""
        if result.dataset.revision is None:
            return None
        kept: Examples | None = self._examples(result.task, result.dataset.id, result.dataset.revision)
        return dataset_of(kept, predictions.labels) if kept is not None and kept.gold is not None else None

    def _quality(self, path: Path, result: Result) -> list[str]:
        """The metrics that are computed from predictions, by the versions that are here."""
        known = names_for(get_task(result.task).kind)
        names = []
        for name, stored in result.scores.items():
            if name in result.suites or name in TIMING or is_by_difficulty(stored):
                continue
            if stored.version.startswith(f"{AGREEMENT}/"):
                self.found.wrong(path, f"scores: {name}: no suite is stored that gives it")
            elif name not in known:
                self.found.leave(f"nothing here computes {name}", path)
            elif not self._is_other_version(path, name, stored):
                names.append(name)
        return names

    def _is_other_version(self, path: Path, name: str, stored: Score) -> bool:
        try:
            here = get_metric(name).version
        except UserError as error:  # its weights are not on this machine
            self.found.leave(str(error), path)
            return True
        if stored.version != here:
            reason = f"{name} was computed by another version, {stored.version}; here is {here}"
            self.found.leave(reason, path)
        return stored.version != here

    def _with_gold(
        self,
        path: Path,
        result: Result,
        predictions: PredictionSet,
        dataset: Dataset,
        names: Sequence[str],
        whole: bool,
    ) -> None:
        """Compare scores, those by difficulty, and, where the `whole` dataset is here, those of tags."""
        if not whole:
            kept_back = [name for name in names if ONLY_IN_FILE.intersection(definition(name).needs)]
            self.found.leave(f"no file of {dataset.id} here, only its labels", path, len(kept_back))
            self.found.leave(f"no file of {dataset.id} here, so no tags", path, _count_tags(result))
            names = [name for name in names if name not in kept_back]
        possible = metric_names(dataset, predictions, names)
        for name in set(names).difference(possible):
            self.found.wrong(path, f"scores: {name}: neither predictions nor data have what it needs")
        names = [name for name in names if name in possible]
        self._compare(path, result, names, self._scores(path, dataset, predictions, names))
        self._difficulties(path, result, predictions, dataset)
        if whole:
            again = result.model_copy(update={"tags": score_tags(dataset, predictions)})
            self.found.compare(path, "tags: ", _tag_values(result), _tag_values(again))
            _by_example(path, dataset, predictions, self.found)

    def _scores(
        self, path: Path, dataset: Dataset, predictions: PredictionSet, names: Sequence[str]
    ) -> dict[str, Score]:
        """All at once, or one by one where one of them cannot be computed here."""
        try:
            return score(dataset, predictions, list(names)) if names else {}
        except UserError as error:
            if len(names) > 1:
                alone = [self._scores(path, dataset, predictions, [name]) for name in names]
                return {name: value for found in alone for name, value in found.items()}
            self.found.leave(str(error), path)
            return {}

    def _compare(self, path: Path, result: Result, names: Sequence[str], again: Mapping[str, Score]) -> None:
        for name in (name for name in names if name in again):
            within = METRICS[name].tolerance if name in METRICS else TOLERANCE
            stored, recomputed = (_numbers({name: one[name]}) for one in (result.scores, again))
            self.found.compare(path, "scores: ", stored, recomputed, within)

    def _difficulties(self, path: Path, result: Result, predictions: PredictionSet, dataset: Dataset) -> None:
        names = [name for name, stored in result.scores.items() if is_by_difficulty(stored)]
        again = difficulty_scores(dataset, predictions, self.store, result.scores) if names else {}
        same = [n for n in names if n in again and again[n].version == result.scores[n].version]
        self.found.leave("the difficulties that they are by are not here", path, len(names) - len(same))
        self._compare(path, result, same, again)

    def _without_gold(
        self, path: Path, result: Result, predictions: PredictionSet, names: Sequence[str]
    ) -> None:
        """Without right answers: what each answer scored, if that is kept, gives the mean."""
        kept = predictions.scores or {}
        answers = get_task(result.task).answer
        known = [name for name in names if name in kept and get_task(result.task).kind == "qa"]
        for name in known:
            mean = 100 * sum(kept[name]) / predictions.resolution / max(1, predictions.examples)
            if abs(mean - result.scores[name].value) > 50 / predictions.resolution + 1e-9:
                self.found.compare(path, "scores: ", {name: result.scores[name].value}, {name: mean})
        by_difficulty = [name for name, stored in result.scores.items() if is_by_difficulty(stored)]
        count = len(names) - len(known) + len(by_difficulty) + _count_tags(result)
        what = "gold labels" if answers == "label" else "right answers"
        self.found.leave(f"no {what} of {result.dataset.id} here", path, count)


def _numbers(scores: Mapping[str, Score]) -> dict[str, float | None]:
    """The value of each score and, where it has one, the threshold that gives it."""
    values: dict[str, float | None] = {name: score.value for name, score in scores.items()}
    thresholds = {f"{name}: threshold": score.threshold for name, score in scores.items()}
    return values | {name: value for name, value in thresholds.items() if value is not None}


def _tag_values(result: Result) -> dict[str, float | None]:
    """Every score of every tag, and how many examples have it, under one name each."""
    found: dict[str, float | None] = {}
    for tag, values in result.tags.items():
        for value, scores in values.items():
            found[f"{tag}: {value}: examples"] = float(scores.examples)
            found |= {f"{tag}: {value}: {name}": number for name, number in scores.scores.items()}
    return found


def _count_tags(result: Result) -> int:
    """How many scores of tags there are."""
    return sum(len(one.scores) for values in result.tags.values() for one in values.values())


def _misfit(dataset: Dataset, predictions: PredictionSet) -> str | None:
    """Why predictions are not about these examples and labels."""
    if predictions.ids_sha256 != digest([example["id"] for example in dataset.examples]):
        return f"ids_sha256: is not that of the examples of {dataset.id}"
    if predictions.examples != len(dataset.examples):
        return f"has {predictions.examples} rows for {len(dataset.examples)} examples"
    if predictions.labels != dataset.labels:
        return f"labels: {', '.join(predictions.labels)} are not those of {dataset.id}"
    if (predictions.predicted is not None) != (get_task(dataset.task).answer == "label"):
        return f"answers: are not what the task {dataset.task} asks for"
    return None


def _by_example(path: Path, dataset: Dataset, predictions: PredictionSet, found: Recomputed) -> None:
    """What single answers in words score, where that is kept; shares are rounded, so one part may differ."""
    again = with_scores(dataset, predictions, show_gold=True).scores or {}
    for name, column in (predictions.scores or {}).items():
        for row, (stored, value) in enumerate(zip(column, again.get(name, column), strict=True)):
            if abs(stored - value) > 1:
                what = f"{stored} is stored, but recomputed it is {value}"
                found.wrong(path, f"predictions: scores: {name}: of row {row}: {what}")
                break


def _invalid(path: Path, result: Result, predictions: PredictionSet, found: Recomputed) -> None:
    """Check that every invalid answer is counted as a failure, and that every example has an answer."""
    if result.dataset.examples not in (None, predictions.examples):
        what = f"{result.dataset.examples}, but there are {predictions.examples} predictions"
        found.wrong(path, f"dataset: examples: {what}")
    labels, texts = predictions.predicted or (), predictions.answers or ()
    none = labels.count(-1) + texts.count(None)
    failed = sum(failure.count for failure in result.failures if failure.stage == "predicting")
    if none != failed:
        found.wrong(path, f"failures: {failed} are counted, but {none} predictions are no answer")


def _timing(path: Path, result: Result, found: Recomputed) -> None:
    """Throughput and memory are those of the measurement, whose own parts fit one another."""
    measurement = result.measurement
    stored = {name: result.scores[name] for name in sorted(TIMING) if name in result.scores}
    if measurement is None or not measurement.repeats:
        for name in stored:
            found.wrong(path, f"scores: {name}: no measurement is stored that gives it")
        return
    measured = {"throughput": measurement.throughput, "memory": measurement.memory_bytes / 1e9}
    found.compare(path, "scores: ", {name: one.value for name, one in stored.items()}, measured)
    for name, one in stored.items():
        if one.version != f"protocol-{measurement.protocol}":
            what = f"is by {one.version}, the measurement by protocol {measurement.protocol}"
            found.wrong(path, f"scores: {name}: {what}")
    if problem := _torn(measurement):
        found.wrong(path, f"measurement: {problem}")


def _torn(measurement: Measurement) -> str | None:
    """Why the latencies of a measurement are not those of its passes."""
    requests = sum(repeat.requests for repeat in measurement.repeats)
    if requests != measurement.latency.requests:
        return f"latency: requests: {measurement.latency.requests}, but its passes have {requests}"
    seconds = sum(repeat.requests / repeat.throughput for repeat in measurement.repeats)
    mean = 1e9 * seconds / max(1, requests)
    if abs(mean - measurement.latency.mean_ns) > ROUNDED_NS + mean * 1e-9:
        return f"latency: mean_ns: {measurement.latency.mean_ns}, but its passes have {mean:.0f} on average"
    return None
