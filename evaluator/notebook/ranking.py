"""A ranking with its rank sets, as a table, frame or plot, and two of its models beside one another.

The numbers are those of ``steelyard rank``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from evaluator.notebook import markup
from evaluator.rank.dynascore import Question, Ranking, RankingRow
from evaluator.rank.formats import visible
from evaluator.rank.published import FROM_PUBLISHED, exact_words, given_words, published_words
from evaluator.rank.significance import set_words
from evaluator.records.errors import UserError, or_one_of
from evaluator.score.certainty import BoardRankSets, Doubts, ranking_document, target_of
from evaluator.score.rates_off import rates_off

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from evaluator.notebook.board import OpenBoard

#: Of a line in a drawing, in inches, and the blue of the site's charts.
LINE, COLOUR = 0.3, "#2b5c8a"
#: Columns of a ranking's frame that have no numbers.
TEXTS = ("label", "rank_set_unknown", "not_ranked")


@dataclass(frozen=True)
class ModelComparison:
    """Whether one model of a ranking is really above another.

    `difference` is the first's score less the second's, `interval` its interval at `confidence` (0.5 to 1),
    of this pair alone; None where it is unknown how the numbers vary. `separated` says whether the pair is
    told apart when all pairs of the ranking are tested at once (Holm 1979); None where that is unknown.
    `published`: the interval is from published numbers, at least as wide as that of examples would be.
    `given` are the numbers that it takes as exact, such as "the published cost".
    `metrics` has a row a metric, as `to_pandas` says.
    """

    first: str
    second: str
    labels: tuple[str, str]
    difference: float
    interval: tuple[float, float] | None
    confidence: float
    separated: bool | None
    published: bool
    given: tuple[str, ...]
    metrics: pd.DataFrame = field(repr=False)

    @property
    def sentence(self) -> str:
        """The answer in words."""
        one, other = self.labels
        more = "more" if self.difference >= 0 else "less"
        gap = f"{one} scores {abs(self.difference):.2f} {more} than {other}"
        if self.interval is None:
            return f"{gap}. How sure that is, is unknown."
        low, high = self.interval
        these = "These numbers" if self.published else "These examples"
        if self.separated:
            verdict = f"{these} tell the two apart, also when all pairs are tested at once."
        elif low > 0 or high < 0:
            alone = f"{these} tell this pair apart by itself"
            verdict = f"{alone}, but not when all pairs are tested at once."
        else:
            verdict = f"{these} do not tell the two apart."
        by = "".join(f", {words}" for words in self._source)
        return f"{gap} ({100 * self.confidence:.4g} % interval {low:.2f} to {high:.2f}{by}). {verdict}"

    @property
    def _source(self) -> list[str]:
        """What the interval is from, where that is not only examples."""
        return [*([FROM_PUBLISHED] if self.published else []), *filter(None, [exact_words(self.given)])]

    def to_pandas(self) -> pd.DataFrame:
        """One row a metric: both models' values in ``unit``, and the points that it adds to their scores.

        ``first_only`` and ``second_only`` count the examples that one of the two alone got right, and
        ``p_value`` is that of McNemar's exact test; missing where the metric or the data do not allow it.
        """
        return self.metrics.copy()

    def __repr__(self) -> str:
        return f"<ModelComparison: {self.sentence}>"

    def _repr_html_(self) -> str:
        header = ["metric", *self.labels, "points of the first", "points of the second"]
        columns = ["first", "second", "first_points", "second_points"]
        rows = [
            (
                markup.with_unit(metric, row["unit"]),
                *(markup.figure(None if pd.isna(row[name]) else row[name]) for name in columns),
            )
            for metric, row in self.metrics.iterrows()
        ]
        return markup.table(" and ".join(self.labels), header, rows, [self.sentence])


@dataclass(frozen=True, eq=False, repr=False)
class BoardRanking:
    """The models of a board ranked by `question`, and how sure that is.

    `ranking` has ranks, scores, contributions, exchange rates and notes; `summary` has rank sets and who is
    told apart, under other examples from the same source. Make one with `OpenBoard.rank`.
    """

    source: OpenBoard = field(repr=False)
    question: Question
    ranking: Ranking
    summary: BoardRankSets

    @property
    def rank_sets(self) -> dict[str, tuple[int, int] | None]:
        """By model, the best and the worst rank that it may hold; None where that is unknown."""
        return {row.model: self.summary.sets[row.model] for row in self.ranking.rows}

    @property
    def exchange_rates(self) -> dict[str, float | None]:
        """By metric, how many of its units trade for one of the base metric; None where that is undefined."""
        return {name: rate.rate for name, rate in self.ranking.exchange_rates.items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader has to know: of exchange rates, weights, missing ranks, and numbers in doubt."""
        doubts = (
            f"{self._label(model)}: {line}"
            for model, found in self.source.doubts.items()
            for line in (*found.reasons, *found.warnings)
        )
        return (*self.ranking.notes, *doubts)

    def _label(self, model: str) -> str:
        return self.source.models[model]

    def __iter__(self) -> Iterator[RankingRow]:
        """The rows by rank, ties by id, models without a rank last."""
        return iter(self.ranking.rows)

    def to_dict(self) -> dict[str, Any]:
        """What ``steelyard rank BOARD --json`` prints.

        Of a published site, the timings that are in doubt are sentences.
        """
        board, asked = self.source.cells, self.question
        off = rates_off(board, asked, board.columns(asked), self.source.certainty, self.summary.confidence)
        return ranking_document(board, self.ranking, self.summary, self.source.doubts, off)

    def to_pandas(self) -> pd.DataFrame:
        """One row a model, by rank, with its id as the index.

        ``rank``, ``best_rank`` and ``worst_rank`` are missing where there is none; ``rank_set_unknown`` says
        why. ``dynascore`` and ``points/METRIC`` (what a metric adds to it) are in units of the base metric,
        the columns ``METRIC (UNIT)`` in their own. ``leads`` is a share of draws, from 0 to 1.
        """
        frame = pd.DataFrame([self._row(row) for row in self.ranking.rows]).set_index("model")
        kinds = dict.fromkeys(frame.columns, "float64")
        kinds |= dict.fromkeys(("rank", "best_rank", "worst_rank", "suspect_timings"), "Int64")
        return frame.astype({name: kind for name, kind in kinds.items() if name not in TEXTS})

    def _row(self, row: RankingRow) -> dict[str, Any]:
        best, worst = self.summary.sets[row.model] or (None, None)
        leads = self.summary.leads
        doubts = self.source.doubts.get(row.model) or Doubts([], [], [])
        units = {metric.name: markup.with_unit(metric.name, metric.unit) for metric in self.source.metrics}
        return {
            "model": row.model,
            "label": self._label(row.model),
            "rank": row.rank,
            "best_rank": best,
            "worst_rank": worst,
            "leads": None if best is None or not leads else leads.get(row.model, 0.0),
            "dynascore": row.dynascore,
            "mean_z_score": row.mean_z_score,
            **{units[name]: row.values[name] for name in units},
            **{f"points/{name}": row.contributions.get(name) for name in units},
            "rank_set_unknown": self.summary.reasons.get(row.model),
            "not_ranked": "; ".join(doubts.reasons),
            "suspect_timings": len(doubts.suspect),
        }

    def compare(self, first: str, second: str) -> ModelComparison:
        """Whether the model `first` is really above `second`, both by id.

        Raises `UserError` for a model that the board does not have, and ValueError for one that has no
        rank in this ranking.
        """
        rows = {row.model: row for row in self.ranking.rows}
        for model in (first, second):
            if model not in rows:
                raise UserError(
                    f"{self.source.where}: model", f"{model!r} is not there{or_one_of(model, rows)}"
                )
            if rows[model].rank is None:
                fix = "choose ranked models, or other weights and limits"
                raise ValueError(f"{self.source.where}: model: {model!r} has no rank here; {fix}")
        found = self.source.certainty.compare(first, second, self.question, self.summary.confidence)
        one, other = rows[first], rows[second]
        metrics = []
        for metric in self.source.metrics:
            first_only, second_only = found.alone.get(metric.name, (None, None))
            metrics.append(
                {
                    "metric": metric.name,
                    "unit": metric.unit,
                    "first": one.values[metric.name],
                    "second": other.values[metric.name],
                    "first_points": one.contributions.get(metric.name, 0.0),
                    "second_points": other.contributions.get(metric.name, 0.0),
                    "first_only": first_only,
                    "second_only": second_only,
                    "p_value": found.p_values.get(metric.name),
                }
            )
        told_apart = bool({(first, second), (second, first)} & set(self.summary.separated))
        return ModelComparison(
            first=first,
            second=second,
            labels=(self._label(first), self._label(second)),
            difference=found.difference,
            interval=found.interval,
            confidence=self.summary.confidence,
            separated=None if found.interval is None else told_apart,
            published=found.published,
            given=found.given,
            metrics=pd.DataFrame(metrics).set_index("metric"),
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw each model's rank as a dot and its rank set as a line, the first on top; needs matplotlib.

        An open dot has no known rank set. Models without a rank are left out. Returns the axes, those in `ax`
        if given. Raises ImportError where matplotlib is not installed.
        """
        try:
            from matplotlib import pyplot
            from matplotlib.ticker import MaxNLocator
        except ImportError as error:
            install = "pip install 'steelyard[notebook]'"
            raise ImportError(f"matplotlib: cannot be imported ({error}); {install}") from error
        rows = [(row.model, row.rank) for row in self if row.rank is not None]
        if ax is None:
            size = (7.0, 1.2 + LINE * max(1, len(rows)))
            _, ax = pyplot.subplots(figsize=size, layout="constrained")
        for place, (model, rank) in enumerate(rows):
            found = self.rank_sets[model]
            if found is not None:
                ax.hlines(place, *found, color=COLOUR, linewidth=2)
            ax.plot(rank, place, "o", color=COLOUR, markerfacecolor=COLOUR if found else "none")
        # A dollar sign in a name is a dollar sign, not the start of a formula.
        names = [visible(self._label(model)) for model, _ in rows]
        ax.set_yticks(range(len(names)), names, parse_math=False)
        ax.set_ylim(max(0, len(names) - 1) + 0.5, -0.5)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlim(0.5, max(1, len(names)) + 0.5)
        ax.set_xlabel(f"rank, with the ranks that the model may hold ({100 * self.summary.confidence:.4g} %)")
        ax.set_title(visible(self.source.title), parse_math=False, loc="left")
        return ax

    def __repr__(self) -> str:
        columns = ["rank", "best_rank", "worst_rank", "dynascore"]
        return f"{self.source.title}, ranked\n{self.to_pandas()[columns].to_string(na_rep='-')}"

    def _repr_html_(self) -> str:
        metrics, rates = self.source.metrics, self.exchange_rates
        header = ["model", "rank", f"{100 * self.summary.confidence:.4g} % set", "score"]
        header += [markup.with_unit(metric.label, metric.unit) for metric in metrics]
        rows = [
            [
                self._label(row.model),
                markup.figure(row.rank, 0),
                "-" if row.rank is None else set_words(self.summary.sets[row.model]),
                markup.figure(row.mean_z_score if self.question.by == "z_score" else row.dynascore),
                *(markup.figure(row.values[metric.name], metric.decimals) for metric in metrics),
            ]
            for row in self.ranking.rows
        ]
        notes = [f"Rank sets: the ranks that a model may hold, for {target_of(self.ranking.by)}."]
        known = sum(found is not None for found in self.summary.sets.values())
        published = [self._label(model) for model in self.summary.published]
        exact = [(self._label(model), words.values()) for model, words in self.summary.given.items()]
        notes += filter(None, [published_words(published, known), given_words(exact, known)])
        base = self.question.base or self.source.cells.base
        amounts = [
            f"{metric.label} {markup.figure(rates[metric.name], 4)} {metric.unit}".rstrip()
            for metric in metrics
            if metric.name != base and rates.get(metric.name) is not None
        ]
        if amounts and self.ranking.by in ("dynascore", "z_score"):
            unit = self.source.cells.metric_label(base)
            notes.append(f"Exchange rates for 1 unit of {unit}: {', '.join(amounts)}.")
        return markup.table(self.source.title, header, rows, [*notes, *self.notes])
