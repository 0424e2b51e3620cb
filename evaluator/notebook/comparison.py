"""Two models of a ranking beside one another: by how much their scores differ, on what, and how surely."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator.notebook import markup
from evaluator.notebook.content import BoardContent
from evaluator.notebook.packages import required
from evaluator.rank.dynascore import Question, Ranking
from evaluator.rank.rank_sets import Certainty, Comparison
from evaluator.score.certainty import Sure

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class MetricComparison:
    """Two models on one metric: their values in `unit`, and what each adds to its score in points.

    `first_only` and `second_only` count the examples that one of the two alone got right, and `p_value` is
    that of McNemar's exact test; None where the metric or the data do not allow it.
    """

    metric: str
    unit: str
    first: float | None
    second: float | None
    first_points: float
    second_points: float
    first_only: int | None = None
    second_only: int | None = None
    p_value: float | None = None


@dataclass(frozen=True)
class ModelComparison:
    """Whether one model of a ranking is really above another.

    `difference` is the first's score less the second's, `interval` its interval at `confidence` (0.5 to 1),
    of this pair alone; None where it is unknown how the numbers vary. `separated` says whether the pair is
    told apart when all pairs of the ranking are tested at once (Holm 1979); None where that is unknown.
    """

    first: str
    second: str
    labels: tuple[str, str]
    difference: float
    interval: tuple[float, float] | None
    confidence: float
    separated: bool | None
    metrics: tuple[MetricComparison, ...]

    @property
    def sentence(self) -> str:
        """The answer in words."""
        one, other = self.labels
        more = "more" if self.difference >= 0 else "less"
        gap = f"{one} scores {abs(self.difference):.2f} {more} than {other}"
        if self.interval is None:
            return f"{gap}. How sure that is, is unknown."
        low, high = self.interval
        interval = f"{100 * self.confidence:.4g} % interval {low:.2f} to {high:.2f}"
        return f"{gap} ({interval}). {self._verdict(low, high)}"

    def _verdict(self, low: float, high: float) -> str:
        if self.separated:
            return "These examples tell the two apart, also when all pairs are tested at once."
        if low > 0 or high < 0:
            return "These examples tell this pair apart by itself, but not when all pairs are tested at once."
        return "These examples do not tell the two apart."

    def to_pandas(self) -> DataFrame:
        """One row a metric."""
        return required("pandas").DataFrame([vars(row) for row in self.metrics]).set_index("metric")

    def __repr__(self) -> str:
        return f"<ModelComparison: {self.sentence}>"

    def _repr_html_(self) -> str:
        header = ["metric", *self.labels, "points of the first", "points of the second"]
        rows = [
            (
                markup.with_unit(row.metric, row.unit),
                *(markup.figure(value) for value in (row.first, row.second)),
                *(markup.figure(value) for value in (row.first_points, row.second_points)),
            )
            for row in self.metrics
        ]
        return markup.table(" and ".join(self.labels), header, rows, [self.sentence])


def compared(
    content: BoardContent,
    certainty: Certainty,
    question: Question,
    ranking: Ranking,
    sure: Sure,
    pair: tuple[str, str],
) -> ModelComparison:
    """The comparison of two models that are ranked, by the ids in `pair`."""
    found = certainty.compare(*pair, question, sure.confidence)
    separated = bool({pair, pair[::-1]} & set(sure.separated))
    return ModelComparison(
        first=pair[0],
        second=pair[1],
        labels=(content.label(pair[0]), content.label(pair[1])),
        difference=found.difference,
        interval=found.interval,
        confidence=sure.confidence,
        separated=None if found.interval is None else separated,
        metrics=tuple(_metrics(content, ranking, found, pair)),
    )


def _metrics(
    content: BoardContent, ranking: Ranking, found: Comparison, pair: tuple[str, str]
) -> Iterator[MetricComparison]:
    rows = {row.model: row for row in ranking.rows}
    one, other = (rows[model] for model in pair)
    for metric in content.metrics:
        first_only, second_only = found.alone.get(metric.name, (None, None))
        yield MetricComparison(
            metric.name,
            metric.unit,
            one.values[metric.name],
            other.values[metric.name],
            one.contributions.get(metric.name, 0.0),
            other.contributions.get(metric.name, 0.0),
            first_only,
            second_only,
            found.p_values.get(metric.name),
        )
