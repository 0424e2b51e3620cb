"""Boards as they are ranked: with the models that are no better than a constant answer named."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_sets import Certainty
from evaluator.records.board import Assembled, Boards, BoardSpec, assemble
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.certainty import sampled


def assemble_floored(board: BoardSpec, boards: Boards, store: Store, results: Iterable[Result]) -> Assembled:
    """`assemble`, with the models that do not beat the board's floor, which its data name as "floored".

    A model beats it if its base metric, at the board's dataset weights, is separated from that of the
    floor's model, one-sided at 0.95; or simply higher, where it is not known how the numbers vary. Models
    without a number are left alone. Raises `evaluator.records.store.UserError` at a bad file.
    """
    assembled = assemble(board, boards, results)
    floor = boards.floor_of(board)
    if floor not in assembled.entries:
        return assembled
    return replace(assembled, data={**assembled.data, "floored": _floored(assembled, store, floor)})


def _floored(assembled: Assembled, store: Store, floor: str) -> list[str]:
    ranked = Board.from_dict(assembled.data)
    question = Question({assembled.board.base: 1.0}, assembled.dataset_weights)
    known = [
        row.model for row in ranked.rank(question.metrics, question.datasets).rows if row.rank is not None
    ]
    if floor not in known:
        return []
    better = Certainty.from_dict(ranked, sampled(assembled, store)).better_than(floor, question)
    return [model for model in ranked.models if model in known and model not in better]
