"""A ranking with its rank sets, for notebooks: the numbers of ``steelyard rank``, as a table, frame or
plot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evaluator.notebook import markup
from evaluator.notebook.comparison import ModelComparison, compared
from evaluator.notebook.content import BoardContent, NotThereError
from evaluator.notebook.packages import required
from evaluator.rank.dynascore import Board, Question, Ranking, RankingRow
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.significance import set_words
from evaluator.score.certainty import TARGET, Doubts, Sure, ranking_document, sure_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

NOTHING = Doubts([], [], [])
#: Columns of a ranking's frame that have no numbers.
TEXTS = ("label", "rank_set_unknown", "not_ranked")


@dataclass(frozen=True, eq=False, repr=False)
class SureRanking:
    """The models of a board ranked by `question`, and how sure that is.

    `ranking` has ranks, scores, contributions, exchange rates and notes; `sure` has rank sets and who is told
    apart, under other examples from the same source. Make one with `OpenBoard.rank`.
    """

    content: BoardContent
    question: Question
    ranking: Ranking
    sure: Sure
    board: Board = field(repr=False)
    certainty: Certainty = field(repr=False)

    @property
    def rank_sets(self) -> dict[str, tuple[int, int] | None]:
        """By model, the best and the worst rank that it may hold; None where that is unknown."""
        return {row.model: self.sure.sets[row.model] for row in self.ranking.rows}

    @property
    def exchange_rates(self) -> dict[str, float | None]:
        """By metric, how many of its units trade for one of the base metric; None where that is undefined."""
        return {name: rate.rate for name, rate in self.ranking.exchange_rates.items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader has to know: of exchange rates, weights, missing ranks, and numbers in doubt."""
        doubts = (
            f"{self.content.label(model)}: {line}"
            for model, found in self.content.doubts.items()
            for line in (*found.reasons, *found.warnings)
        )
        return (*self.ranking.notes, *doubts)

    def __len__(self) -> int:
        """How many models there are, ranked or not."""
        return len(self.ranking.rows)

    def __iter__(self) -> Iterator[RankingRow]:
        """The rows by rank, ties by id, models without a rank last."""
        return iter(self.ranking.rows)

    def to_dict(self) -> dict[str, Any]:
        """What ``steelyard rank BOARD --json`` prints.

        Of a published site, the timings that are in doubt are sentences.
        """
        return ranking_document(self.board, self.ranking, self.sure, self.content.doubts)

    def to_pandas(self) -> DataFrame:
        """One row a model, by rank, with its id as the index.

        ``rank``, ``best_rank`` and ``worst_rank`` are missing where there is none; ``rank_set_unknown`` says
        why. ``dynascore`` and ``points/METRIC`` (what a metric adds to it) are in units of the base metric,
        the columns ``METRIC (UNIT)`` in their own. ``leads`` is a share of draws, from 0 to 1.
        """
        pandas = required("pandas")
        frame = pandas.DataFrame([self._row(row) for row in self.ranking.rows]).set_index("model")
        kinds = dict.fromkeys(frame.columns, "float64")
        kinds |= dict.fromkeys(("rank", "best_rank", "worst_rank", "suspect_timings"), "Int64")
        return frame.astype({name: kind for name, kind in kinds.items() if name not in TEXTS})

    def _row(self, row: RankingRow) -> dict[str, Any]:
        best, worst = self.sure.sets[row.model] or (None, None)
        doubts = self.content.doubts.get(row.model, NOTHING)
        units = {metric.name: markup.with_unit(metric.name, metric.unit) for metric in self.content.metrics}
        return {
            "model": row.model,
            "label": self.content.label(row.model),
            "rank": row.rank,
            "best_rank": best,
            "worst_rank": worst,
            "leads": None if best is None else self.sure.leads.get(row.model, 0.0),
            "dynascore": row.dynascore,
            "mean_z_score": row.mean_z_score,
            **{units[name]: row.values[name] for name in units},
            **{f"points/{name}": row.contributions.get(name) for name in units},
            "rank_set_unknown": self.sure.reasons.get(row.model),
            "not_ranked": "; ".join(doubts.reasons),
            "suspect_timings": len(doubts.suspect),
        }

    def compare(self, first: str, second: str) -> ModelComparison:
        """Whether the model `first` is really above `second`, both by id.

        Raises `NotThereError` for a model that the board does not have, and ValueError for one that has no
        rank in this ranking.
        """
        ranks = {row.model: row.rank for row in self.ranking.rows}
        for model in (first, second):
            if model not in ranks:
                raise NotThereError(self.content.where, "model", model, ranks)
            if ranks[model] is None:
                fix = "choose ranked models, or other weights and limits"
                raise ValueError(f"{self.content.where}: model: {model!r} has no rank here; {fix}")
        pair = first, second
        return compared(self.content, self.certainty, self.question, self.ranking, self.sure, pair)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw each model's rank as a dot and its rank set as a line, the first on top; needs matplotlib.

        An open dot has no known rank set. Models without a rank are left out. Returns the axes, those in `ax`
        if given.
        """
        from evaluator.notebook.plotting import draw_ranks

        return draw_ranks(self, ax)

    def __repr__(self) -> str:
        rows = [f"{row.rank or '-':>4}  {self._set(row):>9}  {row.model}" for row in self.ranking.rows]
        return "\n".join([f"{self.content.title}, ranked", "rank   rank set  model", *rows])

    def _set(self, row: RankingRow) -> str:
        return "-" if row.rank is None else set_words(self.sure.sets[row.model])

    def _repr_html_(self) -> str:
        metrics = self.content.metrics
        header = ["model", "rank", f"{100 * self.sure.confidence:.4g} % set", "score"]
        header += [markup.with_unit(metric.label, metric.unit) for metric in metrics]
        rows = [
            [
                self.content.label(row.model),
                markup.figure(row.rank, 0),
                self._set(row),
                markup.figure(self._score(row)),
                *(markup.figure(row.values[metric.name], metric.decimals) for metric in metrics),
            ]
            for row in self.ranking.rows
        ]
        about = f"Rank sets: the ranks that a model may hold, for {TARGET}."
        return markup.table(self.content.title, header, rows, [about, *self._traded(), *self.notes])

    def _traded(self) -> Iterator[str]:
        """The exchange rates in a sentence, if there are any."""
        base, rates = self.question.base or self.board.base, self.exchange_rates
        amounts = [
            f"{metric.label} {markup.figure(rates[metric.name], 4)} {metric.unit}".rstrip()
            for metric in self.content.metrics
            if metric.name != base and rates.get(metric.name) is not None
        ]
        if amounts:
            yield f"Exchange rates for 1 unit of {self.board.metric_label(base)}: {', '.join(amounts)}."

    def _score(self, row: RankingRow) -> float | None:
        return row.mean_z_score if self.question.by == "z_score" else row.dynascore


def ranked(
    content: BoardContent, board: Board, certainty: Certainty, question: Question, confidence: float
) -> SureRanking:
    """Rank a board. Raises ValueError for an unknown name, and for a value that is no number."""
    columns = board.columns(question, z_scores=True)
    sure = sure_of(certainty, question, columns, confidence)
    return SureRanking(content, question, board.ranking(question), sure, board, certainty)
