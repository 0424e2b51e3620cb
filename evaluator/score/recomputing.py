"""Whether stored scores are what the stored predictions give: computed again, by what computed them.

Where the right answers are not at hand nothing can be computed; such scores are counted.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task
from evaluator.rank.formats import counted
from evaluator.records.base import TIMING, digest
from evaluator.records.board import Boards
from evaluator.records.datasets import Covariances, Examples, TagParts
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result, Score, SuiteScores, TagScores
from evaluator.records.store import COVARIANCES, TAG_PARTS, Store
from evaluator.score.covariances import TOGETHER, TOLERANCE, derive, differences
from evaluator.score.difficulty import difficulty_scores, is_by_difficulty
from evaluator.score.examples import answered, dataset_of, is_whole
from evaluator.score.groups import Groups
from evaluator.score.judges import JUDGED, judge_weights, value_score, value_tags
from evaluator.score.means import MEAN, by_example, by_trial, mean_of, mean_settings
from evaluator.score.metrics import METRICS, definition, get_metric, names_for
from evaluator.score.parts import derive_parts, same_means
from evaluator.score.passes import is_of_trials, pass_score, version_of
from evaluator.score.rescoring import estimate
from evaluator.score.scores import metric_names, score, score_tags, with_scores
from evaluator.score.suites import (
    AGREEMENT,
    RemadeSuites,
    agreement_score,
    perturbed,
    rows_of,
    suite_scores,
)

#: What metrics need of a dataset that is not kept beside its results.
ONLY_IN_FILE = frozenset({"distributions", "validated", "sources"})
#: How far a mean latency may be from the one that throughputs give: it is rounded to a nanosecond.
ROUNDED_NS = 1.0
#: How far a block's throughput may be from the one that its times give, which are rounded too, of itself.
ROUNDED_BLOCK = 1e-3
#: What is kept beside a judge's score is rounded; libraries of another version may round the last digit else.
ROUNDED_DIGITS = 1e-5
#: What computing raises over files that read well and yet make no sense, which anyone may have written.
BROKEN = (ValueError, TypeError, LookupError, ArithmeticError)

#: Every number of something under a name each.
Numbers = Mapping[str, float | None]


def recompute(
    store: Store, boards: Boards, datasets: Mapping[str, Dataset], trusted: bool = True
) -> Recomputed:
    """Compute every score of the store again, as far as that can be done.

    `datasets` are those whose files are at hand, by id; of others gold labels are used that the store
    keeps. Unless the board file is `trusted`, suites with options, which may name files, are left out.
    Files that cannot be read are passed over, since `stored_problems` names them.
    """
    again = Recomputed(store, boards, datasets, trusted)
    for paths, recomputed in (
        (store.paths(), again.result),
        (store.record_paths(COVARIANCES), again.covariances),
        (store.record_paths(TAG_PARTS), again.parts),
    ):
        for path in paths:
            try:
                recomputed(path)
            except UserError:
                continue
            except BROKEN as error:
                again.wrong(path, f"nothing can be computed again: {error}")
    return again


class Recomputed:
    """The files of a store computed again, one after the other.

    `problems` say what is wrong, a line each; `left` has by reason the files whose scores were left, once for
    each score.
    """

    def __init__(self, store: Store, boards: Boards, datasets: Mapping[str, Dataset], trusted: bool) -> None:
        self.store, self.boards, self.datasets = store, boards, datasets
        self.suites = RemadeSuites(boards, trusted)
        self.problems: list[str] = []
        self.left: dict[str, list[Path]] = {}
        #: What makes the file again that is looked at.
        self._again = ""
        self._examples = cache(store.examples)
        self._carded: set[str] = set()
        self._judge_weights: dict[str, dict[str, float]] = {}

    @property
    def notes(self) -> list[str]:
        """A line for each reason to leave scores: how many, of how many results."""
        return [
            f"{counted(len(paths), 'score')} of {counted(len(set(paths)), 'result')} not recomputed: {reason}"
            for reason, paths in sorted(self.left.items())
        ]

    def leave(self, reason: str, path: Path, scores: int = 1) -> None:
        """Count `scores` of a file that are not computed again for a reason."""
        if scores:
            self.left.setdefault(reason, []).extend([path] * scores)

    def wrong(self, path: Path, problem: str) -> None:
        """Report what is wrong with a file."""
        again = f", or remove it and {self._again}" if self._again else ""
        self.problems.append(f"{path}: {problem}; restore the file{again}")

    def compare(
        self, path: Path, where: str, stored: Numbers, again: Numbers, within: float = TOLERANCE
    ) -> None:
        """Report each stored number, by its name, that is not what comes out again, except for `within`."""
        for name, value in stored.items():
            other = again.get(name)
            if value is None or other is None:
                same = value is other
            else:
                same = math.isclose(value, other, rel_tol=within, abs_tol=within)
            if not same:
                shown = ["no number" if one is None else repr(one) for one in (value, other)]
                self.wrong(path, f"{where}{name}: {shown[0]} is stored, but recomputed it is {shown[1]}")

    def result(self, path: Path) -> None:
        """One result. Raises `UserError` if one of its files cannot be read."""
        self._again = ""
        result = self.store.load(path)
        self._again = result.made_again_by
        if result.provenance == "human":
            self._people(path, result)
        elif result.status == "failed" and result.scores:
            self.wrong(path, "scores: a run that failed has none")
        elif result.provenance == "reported" and result.predictions is not None:
            self._values(path, result, self.store.predictions(result))
        elif result.provenance != "reported" and result.status == "complete":
            self._timing(path, result)
            self._predicted(path, result, self.store.predictions(result))

    def _values(self, path: Path, result: Result, predictions: PredictionSet) -> None:
        """Means of values that a source gave by example; its other numbers are what it says."""
        about = result.task, result.dataset.id, result.dataset.revision
        dataset = self._kept(*about, ())
        problem = _misfit(dataset, predictions) if dataset else "its examples are not kept"
        if dataset is None or problem:
            self.wrong(path, f"predictions: {problem}")
            return
        self._means(path, result, predictions)
        self._judges(path, result, predictions, dataset)
        self._passes(path, result, predictions, dataset)
        tags = value_tags(dataset, predictions, result.scores, self.boards)
        self.compare(path, "tags: ", _numbers(result.tags), _numbers(tags))

    def _judges(self, path: Path, result: Result, predictions: PredictionSet, dataset: Dataset) -> None:
        """Scores that are a judge's verdicts, corrected at its weight over all models of the dataset."""
        for name, stored in result.scores.items():
            spec = self.boards.metric_of(dataset.id, name)
            if stored.version != JUDGED or spec is None:
                self.leave(f"no board shows {name}", path, stored.version == JUDGED)
                continue
            if name not in predictions.human:
                self.wrong(path, f"scores: {name}: no labels are stored that give it")
                continue
            weight = self._weights(dataset)[name]
            again = value_score(predictions, name, spec, weight, Groups.of(dataset))
            self.compare(path, "scores: ", {name: stored.value}, {name: again.value if again else None})
            said, here = (one.judged.model_dump() if one and one.judged else {} for one in (stored, again))
            self.compare(path, f"scores: {name}: judged: ", said, here, ROUNDED_DIGITS)

    def _weights(self, dataset: Dataset) -> dict[str, float]:
        """The weights of judges over all models of a dataset."""
        if dataset.revision not in self._judge_weights:
            own = {one.model.id: self.store.predictions(one) for one in answered(dataset, self.store)}
            self._judge_weights[dataset.revision] = judge_weights(own)
        return self._judge_weights[dataset.revision]

    def _means(self, path: Path, result: Result, predictions: PredictionSet) -> None:
        """Scores that are means of values by example."""
        for name, stored in result.scores.items():
            if stored.version != MEAN:
                continue
            if name not in (predictions.values or {}):
                self.wrong(path, f"scores: {name}: no values are stored that give it")
                continue
            each = by_example(by_trial(predictions, name))
            again = None if np.isnan(each).all() else mean_of(each)
            self.compare(path, "scores: ", {name: stored.value}, {name: again})
            said, here = (one.get("examples", "all") for one in (stored.settings, mean_settings(each)))
            if said != here:
                self.wrong(path, f"scores: {name}: is said to be of {said} examples, but it is of {here}")

    def _passes(self, path: Path, result: Result, predictions: PredictionSet, dataset: Dataset) -> None:
        """Scores of several trials, all or any of which must be right."""
        for name, stored in result.scores.items():
            if not is_of_trials(stored.version):
                continue
            spec = self.boards.metric_of(dataset.id, name)
            if spec is None or spec.trials is None or version_of(spec.trials) != stored.version:
                self.leave(f"no board shows {name}, as it was", path)
                continue
            again = pass_score(dataset, result, predictions, spec, self.boards)
            self.compare(path, "scores: ", {name: stored.value}, {name: again.value if again else None})

    def _people(self, path: Path, result: Result) -> None:
        """What people reach is estimated from the dataset's own file."""
        dataset = self._whole(result.task, result.dataset.id, result.dataset.revision)
        people = estimate(dataset, seed=int(result.model.made_from.get("seed", 0))) if dataset else None
        if people is None:
            self.leave(f"no annotators' responses of {result.dataset.id} here", path, len(result.scores))
            return
        kept = [name for name in result.scores if self._is_ours(path, name, result.scores[name])]
        self._compare(path, result, kept, people.scores)

    def _timing(self, path: Path, result: Result) -> None:
        """Throughput and memory are those of the measurement, whose own parts fit one another."""
        measurement = result.measurement
        stored = {name: result.scores[name] for name in sorted(TIMING) if name in result.scores}
        if measurement is None or not measurement.repeats:
            for name in stored:
                self.wrong(path, f"scores: {name}: no measurement is stored that gives it")
            return
        values = {name: one.value for name, one in stored.items()}
        self.compare(path, "scores: ", values, measurement.timings)
        for name, one in stored.items():
            if one.version != f"protocol-{measurement.protocol}":
                what = f"is by {one.version}, the measurement by protocol {measurement.protocol}"
                self.wrong(path, f"scores: {name}: {what}")
        for name, one in stored.items():
            said, here = (
                dict(zip(("low", "high"), ends or (None, None), strict=True))
                for ends in (one.interval, measurement.interval(name))
            )
            self.compare(path, f"scores: {name}: interval: ", said, here)
        for number, block in enumerate(measurement.repeats):
            again = block.speed(measurement.fingerprint.reference_ns)
            if abs(again - block.throughput) > ROUNDED_BLOCK * again:
                what = f"{block.throughput}, but its times give {again:.6g}"
                self.wrong(path, f"measurement: repeats: {number}: throughput: {what}")
        latency, repeats = measurement.latency, measurement.repeats
        requests = sum(repeat.requests for repeat in repeats)
        mean = 1e9 * sum(one.requests / one.throughput for one in repeats) / max(1, requests)
        if requests != latency.requests:
            what = f"{latency.requests}, but its passes have {requests}"
            self.wrong(path, f"measurement: latency: requests: {what}")
        elif abs(mean - latency.mean_ns) > ROUNDED_NS + mean * 1e-9:
            what = f"{latency.mean_ns}, but its passes have {mean:.0f} on average"
            self.wrong(path, f"measurement: latency: mean_ns: {what}")

    def _predicted(self, path: Path, result: Result, predictions: PredictionSet) -> None:
        if result.dataset.examples not in (None, predictions.examples):
            what = f"{result.dataset.examples}, but there are {predictions.examples} predictions"
            self.wrong(path, f"dataset: examples: {what}")
        none = (predictions.predicted or ()).count(-1) + (predictions.answers or ()).count(None)
        failed = sum(failure.count for failure in result.failures if failure.stage == "predicting")
        if none != failed:
            self.wrong(path, f"failures: {failed} are counted, but {none} predictions are no answer")
        self._means(path, result, predictions)
        names, about = self._quality(path, result), (result.task, result.dataset.id, result.dataset.revision)
        whole = self._whole(*about)
        dataset = whole or self._kept(*about, predictions.labels)
        if dataset is None:
            self._without_gold(path, result, predictions, names)
        elif problem := _misfit(dataset, predictions):
            self.wrong(path, f"predictions: {problem}")
            return
        else:
            if whole is None:  # only metrics that need no more of the dataset than its labels
                needy = [name for name in names if ONLY_IN_FILE.intersection(definition(name).needs)]
                self.leave(f"no file of {dataset.id} here, only its labels", path, len(needy))
                self.leave(f"no file of {dataset.id} here, so no tags", path, _count_tags(result))
                names = [name for name in names if name not in needy]
            self._with_gold(path, result, predictions, dataset, names)
            self._passes(path, result, predictions, dataset)
            if whole is not None:
                tags = _numbers(score_tags(whole, predictions))
                self.compare(path, "tags: ", _numbers(result.tags), tags)
                self._by_example(path, whole, predictions)
        for name, stored in result.suites.items():
            self._suite(path, result, name, stored, predictions, whole)

    def _whole(self, task: str, id_: str, revision: str | None) -> Dataset | None:
        """The dataset from its own file, if that has this revision."""
        dataset = self.datasets.get(id_)
        return dataset if dataset and (dataset.task, dataset.revision) == (task, revision) else None

    def _kept(self, task: str, id_: str, revision: str | None, labels: Sequence[str]) -> Dataset | None:
        """The dataset as far as the store keeps it; None without right answers, where it has any."""
        kept: Examples | None = self._examples(task, id_, revision) if revision else None
        return dataset_of(kept, labels) if kept is not None and is_whole(kept) else None

    def _quality(self, path: Path, result: Result) -> list[str]:
        """The metrics that are computed from predictions, by the versions that are here."""
        known = names_for(get_task(result.task).kind)
        names = []
        for name, stored in result.scores.items():
            if name in result.suites or name in TIMING or is_by_difficulty(stored):
                continue
            if stored.version in (MEAN, JUDGED) or is_of_trials(stored.version):
                continue  # which `_means`, `_judges` and `_passes` compare
            if stored.version.startswith(f"{AGREEMENT}/"):
                self.wrong(path, f"scores: {name}: no suite is stored that gives it")
            elif name not in known:
                self.leave(f"nothing here computes {name}", path)
            elif self._is_ours(path, name, stored):
                names.append(name)
        return names

    def _is_ours(self, path: Path, name: str, stored: Score) -> bool:
        """Whether a score is by the version that is here; if not, it is left."""
        try:
            here = get_metric(name).version
        except UserError as error:  # its weights are not on this machine
            self.leave(str(error), path)
            return False
        if stored.version != here:
            reason = f"{name} was computed by another version, {stored.version}; here is {here}"
            self.leave(reason, path)
        return stored.version == here

    def _with_gold(
        self, path: Path, result: Result, predictions: PredictionSet, dataset: Dataset, names: Sequence[str]
    ) -> None:
        """Compare the scores by metrics and by difficulty."""
        possible = metric_names(dataset, predictions, names)
        for name in set(names).difference(possible):
            self.wrong(path, f"scores: {name}: neither predictions nor data have what it needs")
        names = [name for name in names if name in possible]
        self._compare(path, result, names, self._scores(path, dataset, predictions, names))
        names = [name for name, stored in result.scores.items() if is_by_difficulty(stored)]
        again = difficulty_scores(dataset, predictions, self.store, result.scores) if names else {}
        same = [n for n in names if n in again and again[n].version == result.scores[n].version]
        self.leave("the difficulties that they are by are not here", path, len(names) - len(same))
        self._compare(path, result, same, again)

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
            self.leave(str(error), path)
            return {}

    def _compare(
        self, path: Path, result: Result, names: Collection[str], again: Mapping[str, Score]
    ) -> None:
        for name in (name for name in names if name in again):
            within = METRICS[name].tolerance if name in METRICS else TOLERANCE
            stored, new = result.scores[name], again[name]
            self.compare(path, "scores: ", {name: stored.value}, {name: new.value}, within)
            if stored.threshold is not None:
                key = f"{name}: threshold"
                self.compare(path, "scores: ", {key: stored.threshold}, {key: new.threshold}, within)

    def _by_example(self, path: Path, dataset: Dataset, predictions: PredictionSet) -> None:
        """What single answers in words score, where that is kept; shares are rounded: one part may differ."""
        again = with_scores(dataset, predictions, show_gold=True).scores or {}
        for name, column in (predictions.scores or {}).items():
            for row, (stored, value) in enumerate(zip(column, again.get(name, column), strict=True)):
                if abs(stored - value) > 1:
                    what = f"{stored} is stored, but recomputed it is {value}"
                    self.wrong(path, f"predictions: scores: {name}: of row {row}: {what}")
                    break

    def _without_gold(
        self, path: Path, result: Result, predictions: PredictionSet, names: Sequence[str]
    ) -> None:
        """Without right answers: what each answer scored, if that is kept, gives the mean."""
        kept, task = predictions.scores or {}, get_task(result.task)
        known = [name for name in names if name in kept and task.kind == "qa"]
        for name in known:
            mean = 100 * sum(kept[name]) / predictions.resolution / max(1, len(kept[name]))
            if abs(mean - result.scores[name].value) > 50 / predictions.resolution + 1e-9:
                self.compare(path, "scores: ", {name: result.scores[name].value}, {name: mean})
        by_difficulty = sum(map(is_by_difficulty, result.scores.values()))
        what = "gold labels" if task.answer == "label" else "right answers"
        count = len(names) - len(known) + by_difficulty + _count_tags(result)
        self.leave(f"no {what} of {result.dataset.id} here", path, count)

    def _suite(
        self,
        path: Path,
        result: Result,
        name: str,
        stored: SuiteScores,
        original: PredictionSet,
        dataset: Dataset | None,
    ) -> None:
        """The agreement of a suite, and that boards rank by it; `dataset` is None without its file."""
        column, agreement = result.scores.get(name), agreement_score(stored)
        if column is not None and column.version != agreement.version:
            self.wrong(path, f"scores: {name}: is by {column.version}, its suite by {agreement.version}")
        elif column is not None and not math.isclose(
            column.value, agreement.value, rel_tol=TOLERANCE, abs_tol=TOLERANCE
        ):
            self.wrong(path, f"scores: {name}: is {column.value}, its suite has {agreement.value}")
        variants, where = self.store.variants(result, name), f"suites: {name}: "
        about = variants.task, variants.model, variants.dataset, variants.dataset_revision, variants.suite
        theirs = result.task, result.model.id, result.dataset.id, result.dataset.revision, stored.suite
        if about != theirs:
            self.wrong(path, f"{where}predictions: are about {', '.join(map(str, about))}")
            return
        if variants.examples != stored.variants:
            what = f"has {counted(variants.examples, 'row')} for {counted(stored.variants, 'variant')}"
            self.wrong(path, f"{where}predictions: {what}")
            return
        if dataset is None or not dataset.has_inputs:
            self.leave(f"no texts of {result.dataset.id} here, so no suites of it", path)
            return
        metric = result.scores.get(stored.metric)
        if metric is None or metric.version != get_metric(stored.metric).version:
            self.leave(f"{stored.metric} of suites was computed by another version", path)
            return
        suite = self.suites.suite(name, dataset, stored.suite)
        if isinstance(suite, str):
            self.leave(suite, path)
            return
        shown = perturbed(dataset, suite)
        if variants.ids_sha256 != digest(shown.ids):
            self.wrong(path, f"{where}predictions: are not of the variants of this suite")
            return
        card = self.store.suite_card(result.task, result.dataset.id, name)
        if card is not None and card.suite == suite.hash and suite.hash not in self._carded:
            self._carded.add(suite.hash)
            if card.rows != rows_of(suite):
                problem = "rows: are not those that the variants are of"
                self.wrong(self.store.record_path(card), problem)
        again = suite_scores(suite, (dataset, original), (shown, variants), stored.failures)
        self.compare(path, where, _suite_numbers(stored), _suite_numbers(again))

    def covariances(self, path: Path) -> None:
        """One file of covariances, derived again. Raises `UserError` if it cannot be read."""
        self._again = "run: steelyard evaluate"
        kept: Covariances = self.store.load_record(COVARIANCES, path)
        labels = self._labels(kept)
        if labels is None:
            self.leave("no result is of these data any more; run steelyard evaluate, which removes it", path)
            return
        dataset = self._whole(kept.task, kept.dataset, kept.revision)
        dataset = dataset or self._kept(kept.task, kept.dataset, kept.revision, labels)
        if dataset is None:
            self.leave(f"no right answers of {kept.dataset} here to tell {TOGETHER}", path)
        elif kept.sources and not (dataset.clusters or dataset.has_inputs):
            self.leave(f"no data of {kept.dataset} here to say what its examples are from", path)
        else:
            wrong, left = differences(kept, derive(dataset, self.boards, self.store, self.suites))
            for problem in wrong:
                self.wrong(path, problem)
            for reason in left:
                self.leave(reason, path)

    def _labels(self, kept: Covariances | TagParts) -> Sequence[str] | None:
        """What models answered with on a revision of a dataset; None where no result is of it."""
        results = self.store.results_on(kept.task, kept.dataset)
        mine = [one for one in results if one.dataset.revision == kept.revision and one.predictions]
        return self.store.predictions(mine[0]).labels if mine else None

    def parts(self, path: Path) -> None:
        """One file of a dataset's parts, derived again. Raises `UserError` if it cannot be read."""
        self._again = "run: steelyard evaluate"
        kept: TagParts = self.store.load_record(TAG_PARTS, path)
        if kept.tag not in self.boards.splits_of(kept.dataset):
            self.leave(
                "no board is split by this tag any more; run steelyard evaluate, which removes it", path
            )
            return
        dataset = self._whole(kept.task, kept.dataset, kept.revision)
        dataset = dataset or self._kept(kept.task, kept.dataset, kept.revision, self._labels(kept) or ())
        again = derive_parts(dataset, kept.tag, self.boards, self.store) if dataset else None
        if again is None:
            self.leave(f"no right answers of {kept.dataset} here to divide it", path)
            return
        if [part.values for part in kept.parts] != [part.values for part in again.parts]:
            self.wrong(path, f"parts: are not those by {kept.tag}")
            return
        for at, (part, other) in enumerate(zip(kept.parts, again.parts, strict=True)):
            wrong, _ = differences(part.varies, other.varies)
            if not wrong and not same_means(part, other):
                wrong = ["means: are not those of the examples"]
            for problem in wrong:
                self.wrong(path, f"parts.{at}: {problem}")


def _misfit(dataset: Dataset, predictions: PredictionSet) -> str | None:
    """Why predictions are not about these examples and labels."""
    if predictions.ids_sha256 != digest(dataset.ids):
        return f"ids_sha256: is not that of the examples of {dataset.id}"
    if predictions.examples != len(dataset.examples):
        return f"has {predictions.examples} rows for {len(dataset.examples)} examples"
    if predictions.has_answers == (get_task(dataset.task).answer == "none"):
        return f"values: are not what the task {dataset.task} asks for"
    if predictions.labels != dataset.labels:
        return f"labels: {', '.join(predictions.labels)} are not those of {dataset.id}"
    if (predictions.predicted is not None) != (get_task(dataset.task).answer == "label"):
        return f"answers: are not what the task {dataset.task} asks for"
    return None


def _suite_numbers(scores: SuiteScores) -> Numbers:
    names = ("examples", "without", "variants", "agreement", "worst", "score")
    return {name: getattr(scores, name) for name in names} | _numbers(scores.transformations)


def _numbers(tree: Any) -> dict[str, float | None]:
    """The numbers of tables within tables, named by all their keys, except for `scores` of a tag."""
    found: dict[str, float | None] = {}
    for name, value in tree.items() if isinstance(tree, Mapping) else tree:
        if isinstance(value, int | float | None):
            found[name] = None if value is None else float(value)
        else:
            begin = "" if isinstance(tree, TagScores) else f"{name}: "
            found |= {f"{begin}{key}": number for key, number in _numbers(value).items()}
    return found


def _count_tags(result: Result) -> int:
    """How many scores of tags there are."""
    return sum(len(one.scores) for values in result.tags.values() for one in values.values())
