"""The board that a set of logs makes: each task a dataset, numbers whose meaning is known its metrics."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluator.exchange.logs.base import EvaluationLog, LoggedTask
from evaluator.exchange.matching import NAMES
from evaluator.rank.dynascore import LARGEST
from evaluator.records.base import slug
from evaluator.records.board import MetricSpec
from evaluator.records.errors import UserError

#: Metrics by which a dataset counts, the first of these that it has.
MAIN = ("accuracy", "exact-match", "main-score", "pass", "f1", "macro-f1", "value")
#: Metrics of which more is better, wherever a tool does not say so.
HIGHER = (*MAIN, "micro-f1", "bleu", "rouge-1", "rouge-2", "rouge-l", "mcc", "recall", "precision", "auroc")
#: Units that names of metrics end in, which their labels do not need.
IN_NAMES = ("ms", "USD")
#: Keys of TOML that need no quotes.
_BARE = re.compile(r"[A-Za-z0-9_-]+")
#: Where a tool has one number for all, its others are parts of it.
SUMMARY = "main_score"
#: Datasets that fewer of the models have are not ranked by, at first.
MOST_HAVE = 0.9
SCORE = MetricSpec(name="score", label="Score", unit="%")


@dataclass
class LogsBoard:
    """The datasets by the tasks of logs, the metrics, and the metric by which each dataset counts.

    `keys` are by task the tool's metrics and what they are called here. `left_out` are the tool's metrics
    that are not taken, by task. `cells` are the models that have a metric on a dataset, and `tools` by
    dataset and model the tool whose numbers they are.
    """

    datasets: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, MetricSpec] = field(default_factory=dict)
    main: dict[str, str] = field(default_factory=dict)
    keys: dict[str, dict[str, str]] = field(default_factory=dict)
    left_out: dict[str, list[str]] = field(default_factory=dict)
    cells: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    tools: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def base(self) -> str:
        """The metric that the board ranks by: that of all datasets, else their score, in per cent."""
        mains = Counter(self.main.values())
        if len(mains) > 1 and any(self.metrics[name].unit == "%" for name in mains):
            return SCORE.name
        return mains.most_common(1)[0][0]

    def counts(self, dataset: str) -> bool:
        """Whether a dataset can be ranked by: its main metric is the base, or in per cent as its score is."""
        main = self.main[dataset]
        return self.metrics[main].unit == "%" if self.base == SCORE.name else main == self.base

    def having(self, dataset: str, metric: str) -> int:
        """How many models have a metric on a dataset."""
        return len(self.cells.get((dataset, metric), ()))

    def ranked(self) -> list[str]:
        """The datasets that are ranked by: all if most models have all, else as many as leave most numbers.

        On a dataset numbers of one tool alone are ranked together: those of the tool that has most models.
        """
        having = {}
        for dataset, tools in self.tools.items():
            if not self.counts(dataset):
                continue
            [(most, _)] = Counter(tools.values()).most_common(1)
            having[dataset] = {model for model, tool in tools.items() if tool == most}
        models = set().union(*having.values())
        if len(set.intersection(*having.values())) >= MOST_HAVE * len(models):
            return list(having)
        chosen = _most_numbers(having)
        return [name for name in having if name in chosen]

    def weights(self) -> dict[str, float]:
        """Those of the metrics that all models have on all datasets; empty where all are such."""
        having = {name: sum(self.having(dataset, name) for dataset in self.main) for name in self.metrics}
        most = sum(self.having(dataset, name) for dataset, name in self.main.items() if self.counts(dataset))
        heavy = [name for name, count in having.items() if name != self.base and count == most]
        if len(heavy) + (self.base in self.metrics) == len(self.metrics):
            return {}
        heavy = heavy if self.base in self.metrics else []
        return {self.base: float(len(heavy) or 1), **dict.fromkeys(heavy, 1.0)}


def _most_numbers(having: Mapping[str, set[str]]) -> list[str]:
    """Datasets that many models have all of: from each in turn, those that keep most models are added."""
    best: list[str] = []
    most = -1
    for start in having:
        chosen, common, rest = [start], having[start], [name for name in having if name != start]
        while True:
            if len(chosen) * (len(common) - 1) > most:
                best, most = list(chosen), len(chosen) * (len(common) - 1)
            if not rest or len(common) < 2:
                break
            closest = max(rest, key=lambda name: len(common & having[name]))
            rest.remove(closest)
            chosen.append(closest)
            common = common & having[closest]
    return best


def board_of_logs(logs: Sequence[EvaluationLog], models: Sequence[str]) -> LogsBoard:
    """What logs of `models` hold, in the order of the logs.

    Raises `UserError` where two tasks or metrics have one id, where no number can be taken, and where one
    number is a share in one log and in per cent in another.
    """
    found = LogsBoard()
    values: dict[tuple[str, str], list[tuple[float, Path]]] = {}
    for log, model in zip(logs, models, strict=True):
        for name in log.tasks:
            if name in log.summaries and len(log.tasks) > 1:
                found.left_out.setdefault(name, ["all, which are means over other tasks"])
                continue
            task = log.read_task(name)
            chosen = dict(_chosen(task))
            if not chosen:
                found.left_out.setdefault(name, list(task.values))
                continue
            dataset = _dataset(found, name, log)
            for key, metric in chosen.items():
                _add_metric(found, metric, log, name)
                found.keys.setdefault(name, {})[key] = metric.name
                found.cells.setdefault((dataset, metric.name), set()).add(model)
                values.setdefault((name, key), []).append((float(task.values[key]), log.path))
            found.tools.setdefault(dataset, {})[model] = log.tool
            others = [key for key in task.values if key not in chosen]
            known = found.left_out.setdefault(name, [])
            known += [key for key in others if key not in known]
    if not found.datasets:
        raise UserError(logs[0].path, "has no number whose unit or direction is known", "give it as a table")
    for (name, key), numbers in values.items():
        _check_scale(name, key, found.metrics[found.keys[name][key]], numbers)
    for dataset in dict.fromkeys(found.datasets.values()):
        names = [name for name, id_ in found.datasets.items() if id_ == dataset]
        own = dict.fromkeys(metric for name in names for metric in found.keys[name].values())
        having = [found.metrics[one] for one in own]
        having.sort(key=lambda one: (one.unit != "%", one.direction != "higher", _place(one.name)))
        found.main[dataset] = having[0].name
    return found


def keys_of(log: EvaluationLog, shown: Collection[str]) -> dict[str, dict[str, str]]:
    """By task the metrics of a log that a board shows = what they are called there; no task without any."""
    found = {
        name: {key: one.name for key, one in _chosen(log.read_task(name)) if one.name in shown}
        for name in log.tasks
    }
    return {name: keys for name, keys in found.items() if keys}


def _place(name: str) -> int:
    return MAIN.index(name) if name in MAIN else len(MAIN)


def _dataset(found: LogsBoard, name: str, log: EvaluationLog) -> str:
    id_ = slug(name).lower()
    # Tools write the name of a task in several ways, and tell their numbers apart by other means.
    other = next((task for task in log.tasks if task != name and slug(task).lower() == id_), None)
    if other is not None:
        problem = f"task {name!r} has the id {id_!r}, and so has {other!r}"
        raise UserError(
            log.path, problem, "make the board file by hand, and import with --dataset TASK=DATASET"
        )
    return found.datasets.setdefault(name, id_)


def _add_metric(found: LogsBoard, metric: MetricSpec, log: EvaluationLog, task: str) -> None:
    known = found.metrics.setdefault(metric.name, metric)
    if (known.unit, known.direction) != (metric.unit, metric.direction):
        units = f"in {metric.unit or 'no unit'}, and in {known.unit or 'no unit'} in another log"
        fix = "make the board file by hand, and import with --metric THEIRS=OURS"
        raise UserError(f"{log.path}: {task}: {metric.name}", f"is {units}", fix)


def _chosen(task: LoggedTask) -> Iterator[tuple[str, MetricSpec]]:
    """The finite numbers of a task whose unit and direction are known, the first of each name."""
    names: set[str] = set()
    keys = [key for key in task.values if key.partition(",")[0] == SUMMARY] or list(task.values)
    for key in keys:
        value = task.values[key]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not abs(value) <= LARGEST:
            continue
        theirs = key.partition(",")[0]
        ours = NAMES.get(theirs, re.sub("[ _()-]+", "-", theirs).strip("-"))
        name = slug(ours).lower()
        is_share = key in task.shares and 0 <= value <= 1
        unit = "%" if is_share or key in task.percents else task.units.get(key, "")
        higher = task.higher.get(theirs, True if unit == "%" or name in HIGHER else None)
        if name in names or higher is None:
            continue
        names.add(name)
        direction: Any = "higher" if higher else "lower"
        label = re.sub("(_ms|_usd)$", "", theirs, flags=re.IGNORECASE) if unit in IN_NAMES else ours
        label = re.sub("[_-]", " ", label)
        cap: Any = None if higher else "max"
        yield (
            key,
            MetricSpec(
                name=name, label=label[:1].upper() + label[1:], unit=unit, direction=direction, cap=cap
            ),
        )


def _check_scale(name: str, key: str, metric: MetricSpec, numbers: Sequence[tuple[float, Path]]) -> None:
    """Raise `UserError` for numbers without a unit that look like shares here and per cent there."""
    small = [path for value, path in numbers if 0 < value < 1]
    large = [path for value, path in numbers if 1 < value <= 100]
    if metric.unit == "" and metric.name in HIGHER and small and large:
        problem = f"{key} of {name} is under 1 there, and over 1 in {large[0]}: shares and per cent"
        raise UserError(small[0], problem, "write all in one way")


def tables_of(board: LogsBoard, id_: str, title: str, paths: Sequence[str] = ()) -> str:
    """The tables of a board file, and of the logs in `paths`, which `steelyard import` alone reads again."""
    lines: list[str] = []
    for path in paths:
        lines += ["[[imports]]", f"path = {_text(path)}", 'rows = "logs"', ""]
    labels = {dataset: name for name, dataset in reversed(board.datasets.items())}
    for dataset, name in reversed(labels.items()):
        lines += ["[[datasets]]", f"id = {_text(dataset)}", f"label = {_text(name)}", 'task = "scored"']
        if not board.counts(dataset):
            lines.append(
                'role = "evaluation"                     # shown, not ranked by: its unit is another'
            )
        elif board.base == SCORE.name:
            lines.append(f"main = {_text(board.main[dataset])}")
        lines.append("")
    metrics = [*([SCORE] if board.base == SCORE.name else []), *board.metrics.values()]
    lines += ["[[boards]]", f"id = {_text(id_)}", f"title = {_text(title)}", 'task = "scored"']
    lines += [f"base = {_text(board.base)}", 'rate = "ratio"']
    lines.append(f"datasets = [{', '.join(map(_text, board.main))}]")
    ranked = board.ranked()
    if len(ranked) < sum(map(board.counts, board.main)):
        lines.append("# Those that most models have; a model without a number on one of them has no rank.")
        lines.append(f"dataset_weights = {_inline(dict.fromkeys(ranked, '1'))}")
    if weights := board.weights():
        lines.append(f"weights = {_inline({name: f'{weight:g}' for name, weight in weights.items()})}")
    rows = (_inline({key: _text(str(value)) for key, value in one.written.items()}) for one in metrics)
    lines += ["metrics = [", *(f"  {row}," for row in rows), "]", ""]
    return "\n".join(lines)


def _inline(values: Mapping[str, str]) -> str:
    pairs = (f"{key if _BARE.fullmatch(key) else _text(key)} = {value}" for key, value in values.items())
    return f"{{ {', '.join(pairs)} }}"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)
