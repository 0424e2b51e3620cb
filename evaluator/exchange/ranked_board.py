"""What every export of a board starts from: its cells, its ranking at its own weights, how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.exchange.errors import InterchangeError
from evaluator.rank.dynascore import Board, Question, Ranking
from evaluator.rank.rank_sets import Certainty
from evaluator.records.board import Assembled, Boards, BoardSpec
from evaluator.records.store import Store
from evaluator.score.certainty import sampled
from evaluator.score.floor import assemble_floored
from evaluator.score.sure import Sure, sure_of

#: Of the rank sets that exports have.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class RankedBoard:
    """A board of a board file with its stored results, ranked."""

    boards: Boards
    assembled: Assembled
    ranking: Ranking
    sure: Sure
    store: Store

    @property
    def spec(self) -> BoardSpec:
        """Its table in the board file."""
        return self.assembled.board

    @property
    def title(self) -> str:
        """The site's and the board's: ``Steelyard: SST-2``."""
        return f"{self.boards.title}: {self.spec.title}"

    @property
    def ranked(self) -> int:
        """How many of its models have a rank."""
        return sum(row.rank is not None for row in self.ranking.rows)

    def rank_words(self, model: str) -> str:
        """``rank 2 (95 % set 1-3) of 6 on Steelyard: SST-2``; empty for a model without a rank."""
        rank = next((row.rank for row in self.ranking.rows if row.model == model), None)
        if rank is None:
            return ""
        found = self.sure.sets[model]
        known = f"{100 * self.sure.confidence:.4g} % set {found[0]}-{found[1]}" if found else "set unknown"
        return f"rank {rank} ({known}) of {self.ranked} on {self.title}"


def ranked_board(spec: BoardSpec, boards: Boards, store: Store) -> RankedBoard:
    """The board at its own weights. Raises `InterchangeError` without results, `StoreError` at a bad one."""
    found = [result for dataset in spec.datasets for result in store.results_on(spec.task, dataset)]
    assembled = assemble_floored(spec, boards, store, found)
    if not assembled.entries:
        raise InterchangeError(f"board {spec.id} has no results in {store.root}; run: steelyard evaluate")
    board = Board.from_dict(assembled.data)
    question = Question(assembled.metric_weights, assembled.dataset_weights)
    certainty = Certainty.from_dict(board, sampled(assembled, store))
    sure = sure_of(certainty, question, board.columns(question), CONFIDENCE)
    return RankedBoard(boards, assembled, board.ranking(question), sure, store)
