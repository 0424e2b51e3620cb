"""What a judge was worth, and which models it favours, in words of pages and of the command line."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluator.rank.formats import count, number
from evaluator.rank.significance import CONFIDENCE, Evidence, level
from evaluator.records.board import Assembled, MetricSpec
from evaluator.records.result import Judged
from evaluator.score.timing_variances import OF_MEDIAN

TAIL = (1.0 - CONFIDENCE) / 2.0
#: Models that a sentence names of those that a judge favours.
NAMED = 3


@dataclass(frozen=True)
class Excess:
    """By how much a judge's verdicts of a model are over the labels of people, with its 95 % interval.

    `usual` is the same of the median model, or of the other one of two; None of one alone, as a judge that is
    as kind to all favours none. `clear` says that the two differ by more than chance: 1, the judge favours
    the model, -1, it is hard on it, or 0.
    """

    value: float
    low: float
    high: float
    usual: float | None
    clear: int


@dataclass(frozen=True)
class JudgedMetric:
    """A metric on a dataset that a judge gives: what stands behind each model's score, by its id."""

    dataset: str
    metric: MetricSpec
    models: Mapping[str, Judged]
    labels: Mapping[str, str]

    @property
    def unit(self) -> str:
        """What a difference is in, as it stands behind a number."""
        return " points" if self.metric.unit == "%" else f" {self.metric.unit}".rstrip()

    def excess(self, model: str) -> Excess:
        """Of one model. Beyond chance is corrected for the number of models, after Bonferroni."""
        own = self.models[model]
        freedom = min(one.labels for one in self.models.values()) - 1
        reach = level(TAIL, 1, Evidence(freedom=own.labels - 1)) * own.excess_error
        usual, squares = None, own.excess_error**2
        if len(self.models) == 2:
            [other] = [one for id_, one in self.models.items() if id_ != model]
            usual, squares = other.excess, squares + other.excess_error**2
        elif len(self.models) > 2:
            usual = statistics.median(one.excess for one in self.models.values())
            # How errors of two models go together is not kept; taken as if they did not.
            each = [one.excess_error**2 for one in self.models.values()]
            squares += OF_MEDIAN * math.fsum(each) / len(each) ** 2
        needed = level(TAIL, len(self.models), Evidence(freedom=freedom)) * math.sqrt(squares)
        gap = (own.excess - (usual or 0.0)) * (1 if self.metric.direction == "higher" else -1)
        clear = (gap > needed) - (gap < -needed)
        found = own.excess - reach, own.excess + reach
        return Excess(own.excess, *found, usual, clear)

    def worth(self) -> str:
        """How many labels there are, and of how many the numbers are worth, as a sentence."""
        counts = sorted(one.labels for one in self.models.values())
        labels = count(counts[0]) if counts[0] == counts[-1] else f"{count(counts[0])} to {count(counts[-1])}"
        each = " for each model" if len(self.models) > 1 else ""
        about = f"{labels} labels of people{each}"
        known = [one.worth for one in self.models.values() if one.worth is not None]
        if not known:
            return f"A judge's verdicts are corrected by {about}."
        worth, own = statistics.median(known), statistics.median(counts)
        more = count(round(worth)) if round(worth) > round(own) else "no more"
        return f"With the judge, {about} are worth {more}."

    def favours(self) -> Iterator[str]:
        """Sentences about the models that the judge favours, and those that it is hard on."""
        found = {model: self.excess(model) for model in self.models}
        for sign, says in ((1, "The judge favours"), (-1, "The judge is hard on")):
            if sign < 0 and len(self.models) == 2:  # of two models that has been said
                continue
            chosen = [model for model, one in found.items() if one.clear == sign]
            chosen.sort(key=lambda model: -abs(found[model].value - (found[model].usual or 0.0)))
            told = [f"{self.labels[one]}, {self.compared(found[one])}" for one in chosen[:NAMED]]
            more = f"; and {count(len(chosen) - NAMED)} more" if len(chosen) > NAMED else ""
            if told:
                yield f"{says} {'; '.join(told)}{more}."

    def compared(self, excess: Excess) -> str:
        """What a judge gives a model, against people: ``to which it gives 14.5 points more than people``."""
        low, high = sorted((abs(excess.low), abs(excess.high)))
        interval = f"{number(low, self.decimals)} to {number(high, self.decimals)}"
        if (excess.low < 0) != (excess.high < 0):
            interval = f"{number(excess.low, self.decimals)} to {number(excess.high, self.decimals)}"
        said = f"to which it gives {self._than(excess.value)} than people do ({interval})"
        if excess.usual is None:
            return said
        usual = "other" if len(self.models) == 2 else "median model"
        return f"{said}, and the {usual} {self._than(excess.usual)}"

    def of_model(self, model: str) -> str:
        """What is said of one model's score, as sentences."""
        own, excess = self.models[model], self.excess(model)
        worth = "" if own.worth is None else f", together worth {count(round(own.worth))} labels"
        label = self.metric.label
        first = f"{label}: a judge's verdicts, corrected by {count(own.labels)} labels of people{worth}."
        unit = " %" if self.metric.unit == "%" else self.unit
        alone = f"The judge alone says {number(own.judge, self.metric.decimals)}{unit}"
        ends = {1: "; it favours this model", -1: "; it is hard on this model"}.get(excess.clear, "")
        compared = self.compared(excess).removeprefix("to which it gives ")
        return f"{first} {alone}. On the labelled answers it gives {compared}{ends}."

    @property
    def decimals(self) -> int:
        """How many decimals a difference is shown with."""
        return min(1, self.metric.decimals) if self.unit == " points" else self.metric.decimals

    def _than(self, value: float) -> str:
        """``14.5 points more``."""
        return f"{number(abs(value), self.decimals)}{self.unit} {'less' if value < 0 else 'more'}"


def judged_metrics(
    assembled: Assembled, named: Callable[[str], str] = lambda label: label
) -> list[JudgedMetric]:
    """The metrics of a board's datasets that a judge gives, in the board's order.

    Models have their labels as `named` has them in a sentence.
    """
    found = []
    for dataset in assembled.board.datasets:
        results = {id_: entry.results.get(dataset) for id_, entry in assembled.entries.items()}
        for metric in _metrics(assembled, dataset):
            scores = {id_: one.scores.get(metric.name) for id_, one in results.items() if one}
            models = {id_: score.judged for id_, score in scores.items() if score and score.judged}
            if models:
                labels = {id_: named(assembled.entries[id_].label) for id_ in models}
                found.append(JudgedMetric(dataset, metric, models, labels))
    return found


def _metrics(assembled: Assembled, dataset: str) -> list[MetricSpec]:
    """The board's own, and what a score of several datasets is made of on this one."""
    metrics, main = list(assembled.board.metrics), assembled.mains.get(dataset)
    if main is not None and main.name not in {metric.name for metric in metrics}:
        results = (entry.results[dataset] for entry in assembled.entries.values() if dataset in entry.results)
        unit = next((one.scores[main.name].unit for one in results if main.name in one.scores), "")
        label = main.name.replace("-", " ").capitalize()
        lower = {"direction": "lower", "cap": "max"} if main.factor < 0 else {}
        about = {"name": main.name, "label": label, "unit": unit, **lower}
        metrics.append(MetricSpec.model_validate(about))
    return metrics


def judge_lines(found: Sequence[JudgedMetric], datasets: Mapping[str, str]) -> list[str]:
    """A line for each metric that a judge gives; `datasets` are the names of a board's datasets by id."""
    lines = []
    for one in found:
        place = f" on {datasets[one.dataset]}" if len(datasets) > 1 else ""
        worth = one.worth()
        lines.append(" ".join([f"{one.metric.label}{place}: {worth[0].lower()}{worth[1:]}", *one.favours()]))
    return lines
