"""What a page asks in words once a weight has moved, many things at once: JSON in, JSON out.

Standard library only. One message has the board's question, what its parts are called, and what is asked:
``{"question": {...}, "about": {...}, "asks": {name: {...}}}``; the answer has the same names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from evaluator.rank.certainty_sentences import first_place, leaving_lines, pairs_compared
from evaluator.rank.chart_sentences import (
    agreement,
    answers_unknown,
    bars_caption,
    front_found,
    moves_found,
    strengths_found,
    window_found,
    winners_found,
)
from evaluator.rank.citations import view_cited
from evaluator.rank.coverage import coverage, ranks_lost
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.exports import WRITERS, Export, examples_csv, frame_html
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.rate_factor import factor_words
from evaluator.rank.score_sentences import (
    Shown,
    Text,
    found_sentences,
    leaders,
    orders_compared,
    pair_rule,
    rates_explained,
    score_explained,
    terms,
)
from evaluator.rank.trade_sentences import trades_offered
from evaluator.rank.verdict_sentences import chosen_lead, copied, verdict


def say(opened: Board | Certainty, text: str) -> str:
    """The words for a page that has opened a board, with or without how its values vary."""
    certainty = opened if isinstance(opened, Certainty) else None
    board = opened.board if isinstance(opened, Certainty) else opened
    given = json.loads(text)
    shown = Shown(board, Question(**given["question"]), given["about"])
    found = {name: ASKS[name](shown, certainty, asked) for name, asked in given["asks"].items()}
    return json.dumps(found, allow_nan=False)


def _export(shown: Shown, _: Certainty | None, asked: Mapping[str, Any]) -> str:
    table = Export(
        shown, asked["view"], asked["models"], asked["certainty"], asked["provenance"], asked["address"]
    )
    return WRITERS[asked["format"]](table)


def _leaving(shown: Shown, _: Certainty | None, asked: Mapping[str, Any]) -> list[Text]:
    return leaving_lines(shown, {int(model): moves for model, moves in asked["moves"].items()})


def _terms(shown: Shown, _: Certainty | None, asked: Mapping[str, Any]) -> str:
    """One line under a saved chart; the weight of a single dataset says nothing."""
    view = asked["view"]
    left_out = "Weights of datasets" if len(view["datasets"]) == 1 else None
    return ". ".join(f"{name}: {text}" for name, text in terms(shown, view) if name != left_out)


def coverage_words(
    board: Board, metrics: Mapping[str, float], weights: Mapping[str, float]
) -> dict[str, Any]:
    """What stands above a table with gaps: a sentence, and the buttons of views by what models have."""
    found = coverage(board, metrics, weights)
    views = [{"label": view.label, "weights": view.weights} for view in found.views]
    return {"line": f"{found.line}." if found.line else "", "views": views}


#: What can be asked, by name.
ASKS: Mapping[str, Callable[[Shown, Certainty | None, Mapping[str, Any]], Any]] = {
    "score": lambda shown, _, asked: score_explained(shown, asked["model"]),
    "rates": lambda shown, _, asked: rates_explained(shown, asked["model"]),
    "coverage": lambda shown, _, asked: coverage_words(shown.board, shown.counting, asked["weights"]),
    "lost": lambda shown, _, asked: ranks_lost(shown.board, shown.question, shown.columns, asked["before"]),
    "verdict": lambda shown, _, asked: verdict(shown, asked["sets"], asked["found"]),
    "verdict_copied": lambda shown, _, asked: copied(shown, **asked),
    "leaders": lambda shown, _, asked: leaders(shown, asked["sets"]),
    "factor": lambda shown, _, asked: factor_words(shown.board, shown.question, shown.columns, asked["thin"]),
    "orders": lambda shown, _, __: orders_compared(shown),
    "found": lambda shown, _, asked: found_sentences(
        shown, asked["limits"], asked["among"], asked["shown"], asked["left"], asked["filtered"]
    ),
    "pair_rule": lambda shown, _, asked: pair_rule(shown, asked["threshold"]),
    "terms": _terms,
    "trades": lambda shown, _, __: trades_offered(shown),
    "pairs": lambda shown, certainty, asked: {
        **pairs_compared(shown, certainty, asked["models"]),
        "lead": chosen_lead(shown, certainty, asked["models"]),
    },
    "first_place": lambda shown, _, asked: first_place(shown, asked["found"]),
    "leaving": _leaving,
    "bars": lambda shown, _, asked: bars_caption(shown, **asked),
    "unknown": lambda shown, _, asked: answers_unknown(shown, **asked),
    "agreement": lambda shown, _, asked: agreement(shown, **asked),
    "examples": lambda _, __, asked: examples_csv(asked["rows"]),
    "scatter": lambda shown, _, asked: front_found(shown, **asked),
    "window": lambda shown, _, asked: window_found(shown, **asked),
    "parallel": lambda shown, _, asked: strengths_found(shown, **asked),
    "slope": lambda shown, _, asked: moves_found(shown, **asked),
    "triangle": lambda shown, _, asked: winners_found(shown, **asked),
    "citation": lambda shown, _, asked: view_cited(shown, **asked),
    "export": _export,
    "frame": lambda shown, _, asked: frame_html(asked["address"], shown.about["title"]),
}
