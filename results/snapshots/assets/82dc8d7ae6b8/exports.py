"""What a board's page shows as text for other programs: CSV, JSON, LaTeX, Markdown and HTML.

Standard library only. Names come from results, so whatever they hold stays text in the program that opens it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.rank.certainty_sentences import rank_set_words
from evaluator.rank.dynascore import Column
from evaluator.rank.formats import escaped_invisible, fixed, not_formula, visible
from evaluator.rank.prices import BOXES
from evaluator.rank.score_sentences import NAMES, Shown, known, terms
from evaluator.rank.significance import CONFIDENCE

WARNING = (
    "A Dynascore is relative to the models on its board, changes as models are added and is not comparable"
    " across tasks."
)
TRADES_WARNING = (
    "A score by trade-offs depends on no other model, and compares with those of other boards only by the"
    " same trade-offs on the same data."
)
#: The head of the column with the ranks that a model may hold.
SET = f"{round(100 * CONFIDENCE)} % set"
_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
}


@dataclass(frozen=True)
class ExportColumn:
    """A column with the values of all models, NaN where one is missing; `metric` is None for a score."""

    title: str
    decimals: int
    values: Column
    metric: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ExportRow:
    """A model's row: its numbers as the page shows them but in plain digits, None where one is missing."""

    rank: int | None
    ranks: Sequence[int] | None
    id: str
    label: str
    numbers: tuple[str | None, ...]


class Export:
    """A table to export: these rows, this order, these columns.

    `models` are those shown, in their order; `certainty` has their ``sets`` [best, worst] (None: unknown),
    by model which numbers these take as exact (``given``, in words), its ``words`` and the smallest ``gap``;
    `address` is that of the view.
    """

    def __init__(
        self,
        shown: Shown,
        view: Mapping[str, Any],
        models: Sequence[int],
        certainty: Mapping[str, Any],
        provenance: Sequence[str],
        address: str,
    ) -> None:
        self.shown, self.view, self.models = shown, view, models
        self.certainty, self.provenance, self.address = certainty, provenance, address
        self.warning = WARNING if shown.trades is None else TRADES_WARNING
        self.columns = self._columns()
        self.rows = [self._row(*pair) for pair in zip(models, certainty["sets"], strict=True)]
        about = shown.about
        certain = ("How sure ranks are", certainty["words"] or "unknown")
        self.facts = [
            ("Board", about["title"]),
            ("Results of", about["updated"] or "no results yet"),
            *terms(shown, view),
            certain,
        ]

    def _columns(self) -> list[ExportColumn]:
        found, unit = self.shown.columns, self.shown.metric(self.view["base"])["unit"]
        name = NAMES["dynascore" if found.by == "z_score" else found.by]
        name = name[0].upper() + name[1:]
        columns = [ExportColumn(_with_unit(name, unit), 2, found.scores)]
        if found.z_scores is not None:
            columns.insert(0, ExportColumn("Mean z-score", 2, found.z_scores))
        nothing = [math.nan] * len(self.shown.board.models)
        for metric in self.shown.metrics:
            if metric["name"] not in self.view["hidden"]:
                title = _with_unit(metric["label"], metric["unit"])
                values = found.scale.values.get(metric["name"], nothing)
                columns.append(ExportColumn(title, metric["decimals"], values, metric))
        return columns

    def _row(self, model: int, ranks: Sequence[int] | None) -> ExportRow:
        numbers = [(known(column.values, model), column.decimals) for column in self.columns]
        texts = tuple(None if value is None else fixed(value, decimals) for value, decimals in numbers)
        return ExportRow(
            self._rank(model), ranks, self.shown.board.models[model], self.shown.label(model), texts
        )

    def _rank(self, model: int) -> int | None:
        rank = known(self.shown.columns.ranks, model)
        return None if rank is None else int(rank)

    def record(self) -> dict[str, Any]:
        """Everything in full precision."""
        about, view = self.shown.about, self.view
        shown = ("sort", "search", "filters", "limits", "pinned", "hidden")
        metrics = [column.metric for column in self.columns if column.metric]
        return {
            "board": {"id": about["id"], "title": about["title"]},
            "results_of": about["updated"],
            "address": self.address,
            "warning": self.warning,
            "ranked_by": view["by"],
            **self._weights(),
            **self._prices(),
            "base": view["base"],
            "threshold": view["threshold"],
            "exchange_rates": view["rate"],
            "shown": {**{name: view[name] for name in shown}, "ranked_among": view["among"]},
            "rank_sets": {
                "confidence": CONFIDENCE,
                "about": self.certainty["words"],
                "smallest_gap": self.certainty["gap"],
            },
            "columns": [
                {
                    **{name: metric[name] for name in ("name", "label", "unit")},
                    "less_is_better": metric["cost"],
                }
                for metric in metrics
            ],
            "models": [
                self._model(*both) for both in zip(self.models, self.rows, self.provenance, strict=True)
            ],
        }

    def _weights(self) -> dict[str, Any]:
        """Those of metrics, or the trade-offs where these play no part."""
        trades, datasets = self.shown.trades, self.view["datasets"]
        if trades is None:
            return {"weights": {"metrics": self.view["metrics"], "datasets": datasets}}
        declared = {name: trade.plain for name, trade in trades.items()}
        return {"trades": declared, "weights": {"datasets": datasets}}

    def _prices(self) -> dict[str, Any]:
        """Those of a million tokens that are other than the day's, by model."""
        given = self.view.get("prices")
        return (
            {"prices": {m: dict(zip(BOXES, one, strict=True)) for m, one in given.items()}} if given else {}
        )

    def _model(self, model: int, row: ExportRow, provenance: str) -> dict[str, Any]:
        columns = self.shown.columns
        given = self.certainty["given"].get(str(model))
        z_score = {} if columns.z_scores is None else {"mean_z_score": known(columns.z_scores, model)}
        parts = {m["name"]: columns.contributions.get(m["name"]) for m in self.shown.metrics}
        return {
            "rank": row.rank,
            "rank_set": row.ranks,
            **({"rank_set_given": given} if given else {}),
            "model": row.id,
            "label": row.label,
            "provenance": provenance,
            "dynascore": known(columns.scores, model),
            **z_score,
            "values": {c.metric["name"]: known(c.values, model) for c in self.columns if c.metric},
            "contributions": {
                # A metric without weight adds nothing to a rank that there is.
                name: known(part, model) if part else None if row.rank is None else 0.0
                for name, part in parts.items()
            },
        }


def _with_unit(label: str, unit: str) -> str:
    return f"{label} ({unit})" if unit else label


def export_csv(table: Export) -> str:
    """Rows of one shape, so that every reader takes it; the terms are in columns of their own."""
    facts = [*table.facts, ("Address", table.address), ("Note", table.warning)]
    head = ["Rank", "Best possible rank", "Worst possible rank", "Model", "Id"]
    head += [*(column.title for column in table.columns), *(name for name, _ in facts)]
    about = [not_formula(text) for _, text in facts]
    lines = [[not_formula(title) for title in head]]
    for row in table.rows:
        ranks = [*map(str, row.ranks)] if row.ranks else ["", ""]
        names = [not_formula(row.label), not_formula(row.id)]
        numbers = ["" if text is None else text for text in row.numbers]
        lines.append(["" if row.rank is None else str(row.rank), *ranks, *names, *numbers, *about])
    return _csv(lines)


def examples_csv(rows: Sequence[Sequence[str]]) -> str:
    """Examples and answers under the heads of their columns; no spreadsheet takes a cell for a formula."""
    return _csv([[not_formula(text) for text in row] for row in rows])


def _csv(lines: Sequence[Sequence[str]]) -> str:
    return "".join(f"{','.join(map(_csv_cell, line))}\r\n" for line in lines)


def _csv_cell(text: str) -> str:
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if re.search(r'[",\r\n]', text) else text


def export_json(table: Export) -> str:
    """The view and its numbers in full precision."""
    return escaped_invisible(json.dumps(table.record(), indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def export_latex(table: Export) -> str:
    """A tabular that needs no package."""
    facts = [*table.facts, ("Address", table.address), ("Note", table.warning)]
    rows = [
        [
            "--" if row.rank is None else str(row.rank),
            rank_set_words(row.ranks).replace("–", "--") if row.ranks else "--",
            _tex(row.label),
            *("--" if text is None else text.replace("-", "$-$") for text in row.numbers),
        ]
        for row in table.rows
    ]
    head = ["Rank", _tex(SET), "Model", *(_tex(column.title) for column in table.columns)]
    lines = [
        *(f"% {visible(name)}: {visible(text)}" for name, text in facts),
        f"\\begin{{tabular}}{{rrl{'r' * len(table.columns)}}}",
        "\\hline",
        _latex_line(head),
        "\\hline",
        *map(_latex_line, rows),
        "\\hline",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _latex_line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _tex(text: str) -> str:
    return re.sub(r"[\\{}$&#%_^~<>|]", lambda found: _LATEX[found[0]], visible(text))


def export_markdown(table: Export) -> str:
    """A table after the terms that it must not be parted from."""
    (_, title), *facts = table.facts
    head = ["Rank", SET, "Model", *(_markdown(column.title) for column in table.columns)]
    lines = [
        f"**{_markdown(title)}**",
        "",
        *(f"- {_markdown(name)}: {_markdown(text)}" for name, text in facts),
        f"- Address: <{table.address}>",
        "",
        _markdown_line(head),
        _markdown_line(["---:", "---:", "---", *("---:" for _ in table.columns)]),
        *(_markdown_line([*cells[:2], _markdown(cells[2]), *cells[3:]]) for cells in map(_cells, table.rows)),
        "",
        table.warning,
    ]
    return "\n".join(lines) + "\n"


def _cells(row: ExportRow) -> list[str]:
    """A row's texts; empty where something is missing."""
    rank = "" if row.rank is None else str(row.rank)
    ranks = rank_set_words(row.ranks) if row.ranks else ""
    return [rank, ranks, row.label, *("" if text is None else text for text in row.numbers)]


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown(text: str) -> str:
    marked = re.sub(r"[\\`*_{}[\]()#+!|~$:@]", lambda found: f"\\{found[0]}", visible(text))
    return marked.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def export_html(table: Export) -> str:
    """A table for a page elsewhere, whose look is left to that page."""
    heads = ["Rank", SET, "Model", *(column.title for column in table.columns)]
    facts = ". ".join(f"{_html(name)}: {_html(text)}" for name, text in table.facts)
    rows = ["".join(f"<td>{_html(text)}</td>" for text in _cells(row)) for row in table.rows]
    lines = [
        "<table>",
        f'<caption>{facts}. <a href="{_html(table.address)}">This view</a>. {table.warning}</caption>',
        "<thead><tr>" + "".join(f'<th scope="col">{_html(text)}</th>' for text in heads) + "</tr></thead>",
        "<tbody>",
        *(f"<tr>{cells}</tr>" for cells in rows),
        "</tbody>",
        "</table>",
    ]
    return "\n".join(lines) + "\n"


def frame_html(address: str, title: str) -> str:
    """A frame for a page elsewhere that shows the table at an address."""
    size = 'width="100%" height="480" loading="lazy"'
    return f'<iframe src="{_html(address)}" title="{_html(title)}" {size}></iframe>'


def _html(text: str) -> str:
    text = visible(text)
    for sign, entity in (("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, entity)
    return text


#: How a table is written, by format.
WRITERS: Mapping[str, Callable[[Export], str]] = {
    "csv": export_csv,
    "json": export_json,
    "tex": export_latex,
    "md": export_markdown,
    "html": export_html,
}
