"""A board's ``score``: every dataset by its main metric, in per cent where units differ, so that datasets of
several tasks can be put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from evaluator.records.base import Slug
from evaluator.records.board.pages import BoardSpec
from evaluator.records.board.specs import DatasetSpec
from evaluator.records.errors import UserError
from evaluator.records.result import Result, Score, TagScores

#: The name of the metric.
SCORE = "score"


@dataclass(frozen=True)
class MainMetric:
    """What a dataset counts by in a score: the metric `name`, whose value `ends[0]` is 0 and `ends[1]` 100.

    Without ends its values are taken as they are.
    """

    dataset: str
    name: str
    ends: tuple[float, float] | None

    @property
    def factor(self) -> float:
        """What one unit of the metric is worth in the score's; under 0 where less of it is better."""
        return 1.0 if self.ends is None else 100.0 / (self.ends[1] - self.ends[0])

    def scored(self, value: float) -> float:
        """A value as the score has it, correctly rounded."""
        if self.ends is None:
            return value
        worst, best = map(Fraction, self.ends)
        return float(100 * (Fraction(value) - worst) / (best - worst))


def canonical_metric(spec: DatasetSpec, results: Iterable[Result]) -> str | None:
    """The main metric of a dataset: the board file's, else a "score" that results have, else its task's."""
    own = SCORE if any(SCORE in one.scores for one in results) else None
    return spec.main or own or spec.main_metric


def main_metrics(specs: Sequence[DatasetSpec], results: Sequence[Result]) -> dict[str, MainMetric]:
    """The main metric of each dataset that has one, as a board of these datasets and results takes it.

    Values are taken as they are where all are in one unit and no dataset has a range. Raises `UserError` for
    a dataset whose unit is none that can be put together with the others', and for a value outside its range.
    """
    by_dataset = {spec.id: [one for one in results if one.dataset.id == spec.id] for spec in specs}
    names = {spec.id: canonical_metric(spec, by_dataset[spec.id]) for spec in specs}
    found: dict[str, MainMetric] = {}
    units = {
        one.scores[name].unit for id_, name in names.items() for one in by_dataset[id_] if name in one.scores
    }
    as_they_are = len(units) < 2 and all(spec.range is None for spec in specs)
    for spec in specs:
        name = names[spec.id]
        if name is not None:
            having = [one for one in by_dataset[spec.id] if name in one.scores]
            if not as_they_are:
                _check_fits(spec, name, having)
            found[spec.id] = MainMetric(spec.id, name, spec.range)
    return found


def _check_fits(spec: DatasetSpec, name: str, results: Iterable[Result]) -> None:
    low, high = sorted(spec.range or (0.0, 0.0))
    for one in results:
        value, unit = one.scores[name].value, one.scores[name].unit
        if spec.range is None and unit != "%":
            problem = f"its main metric {name} is in {unit or 'no unit'}, which other datasets' are not"
            fix = f"give range = [WORST, BEST], the values of {name} that count as 0 and as 100"
            raise UserError(f"datasets: {spec.id}: range", problem, fix)
        if spec.range is not None and not low <= value <= high:
            problem = f"{name} of {one.model.label} is {value:g}, outside {low:g} to {high:g}"
            raise UserError(f"datasets: {spec.id}: range", problem, "correct the range, or the result")


def with_score(result: Result, main: MainMetric | None) -> Result:
    """A result with its score beside the other metrics, also by tags; none where it lacks the main one."""
    if main is None or (main.name == SCORE and main.ends is None):
        return result
    if main.name not in result.scores:
        others = {name: score for name, score in result.scores.items() if name != SCORE}
        return result.model_copy(update={"scores": others})
    whole, error = result.scores[main.name], result.scores[main.name].standard_error
    score = Score(
        value=main.scored(whole.value),
        unit=whole.unit if main.ends is None else "%",
        version=whole.version if main.name == SCORE else f"{main.name} {whole.version}",
        interval=_interval(whole, main),
        standard_error=None if error is None else error * abs(main.factor),
        settings=whole.settings,
    )
    tags = {
        tag: {value: _with_part(one, main) for value, one in values.items()}
        for tag, values in result.tags.items()
    }
    return result.model_copy(update={"scores": {**result.scores, SCORE: score}, "tags": tags})


def _with_part(one: TagScores, main: MainMetric) -> TagScores:
    if main.name not in one.scores:
        return one
    return one.model_copy(update={"scores": {**one.scores, SCORE: main.scored(one.scores[main.name])}})


def _interval(score: Score, main: MainMetric) -> tuple[float, float] | None:
    if score.interval is None:
        return None
    low, high = sorted(map(main.scored, score.interval))
    return low, high


def default_dataset_weights(board: BoardSpec, scoring: Sequence[Slug]) -> dict[str, float]:
    """The default weights of a board's scoring datasets: the board's own, else each group weighs 1, which its
    datasets share. A dataset in no group is one of its own."""
    if board.dataset_weights:
        return dict(board.dataset_weights)
    groups = [[name for name in group if name in scoring] for group in board.groups.values()]
    sizes = {name: len(group) for group in groups for name in group}
    return {name: 1.0 / sizes.get(name, 1) for name in scoring}
