"""A whole board as CSV (RFC 4180), one row a model, for people with a spreadsheet and for pandas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from evaluator.exchange.ranked_board import RankedBoard
from evaluator.records.board import Assembled, BoardEntry
from evaluator.records.invisible import visible

# Where a cell may begin: at the start of a text, and after a semicolon where these part cells. A formula or a
# command would begin there with a sign (a small or full-width one, too), after quotes, separators or spaces,
# which some programs skip. site_src/assets/parts/exports.js has the same rule.
_SIGNS = r"=+\-@|%\u2212\ufe62\ufe63\ufe66\ufe6a\ufe6b\uff05\uff0b\uff0d\uff1d\uff20\uff5c"
_FORMULA = re.compile(rf"""(?:^|(?<=;))(?=[ "'`,;|]*[{_SIGNS}])""")


def board_csv(ranked: RankedBoard) -> str:
    """The models of a board in the order of their ranks; people, who are never ranked, are left out.

    Columns: rank, the best and the worst rank that a model may hold at 95 % and why these are unknown, model,
    label, provenance, dynascore; for each metric its name (the mean over the scoring datasets) and
    ``contribution/<metric>``; ``<dataset>/<metric>`` for all datasets, also those that do not count for
    ranking; sources and reasons for empty cells; then what is the same in every row. Numbers are in the
    board's units and full precision, a missing one is an empty cell. A text that a spreadsheet would take for
    a formula has an apostrophe before it.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(_header(ranked.assembled))
    writer.writerows(_rows(ranked))
    return text.getvalue()


def words(text: str) -> str:
    """One line of text that no spreadsheet takes for a formula."""
    clean = visible(text)
    return _FORMULA.sub("'", clean)


def _header(assembled: Assembled) -> list[str]:
    board = assembled.board
    names = [metric.name for metric in board.metrics]
    means = [column for name in names for column in (name, f"contribution/{name}")]
    cells = [f"{dataset}/{name}" for dataset in board.datasets for name in names]
    ends = ["sources", "reasons", "board", "results_of", "metric_weights", "dataset_weights"]
    ranks = ["rank", "best_rank", "worst_rank", "rank_set_unknown"]
    return [*ranks, "model", "label", "provenance", "dynascore", *means, *cells, *ends]


def _rows(ranked: RankedBoard) -> Iterable[list[object]]:
    assembled, sure = ranked.assembled, ranked.sure
    board, data = assembled.board, assembled.data
    names = [metric.name for metric in board.metrics]
    about = [words(board.id), assembled.timestamp or "", *map(_weights, _both(assembled))]
    for row in ranked.ranking.rows:
        entry, place = assembled.entries[row.model], data["models"].index(row.model)
        yield [
            row.rank,
            *(sure.sets[row.model] or ("", "")),
            words(sure.reasons.get(row.model, "")),
            words(entry.id),
            words(entry.label),
            _joined(result.provenance for result in entry.results.values()),
            row.dynascore,
            *(value for name in names for value in (row.values.get(name), row.contributions.get(name))),
            *(data["values"][dataset][name][place] for dataset in board.datasets for name in names),
            _sources(entry),
            words("; ".join([*entry.failures, *entry.kept_apart])),
            *about,
        ]


def _both(assembled: Assembled) -> tuple[dict[str, float], dict[str, float]]:
    return assembled.metric_weights, assembled.dataset_weights


def _weights(weights: dict[str, float]) -> str:
    return words(" ".join(f"{name}={weight!r}" for name, weight in weights.items()))


def _sources(entry: BoardEntry) -> str:
    cited = [result.source for result in entry.results.values() if result.source]
    return _joined(" ".join(filter(None, [source.citation, source.link])) for source in cited)


def _joined(texts: Iterable[str]) -> str:
    return words("; ".join(dict.fromkeys(texts)))
