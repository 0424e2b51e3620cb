"""Tables of numbers: models in the first column, metrics in the others."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from evaluator.data.tables import FORMS, content, decoded, form_of, read_table
from evaluator.data.tasks import show
from evaluator.rank.dynascore import LARGEST
from evaluator.records.errors import UserError

#: What stands for standard input, and what messages call it.
STDIN, STDIN_NAME = "-", "standard input"
#: What may be between cells; the one that is most frequent in the header is.
DELIMITERS = ",\t;"
#: What a cell without a number may say in place of nothing.
MISSING = ("", "-", "–", "—")
#: Words of the names of numbers that are better when lower.
COSTS = "latency delay duration time runtime elapsed seconds ttft p50 p90 p95 p99 cost costs price memory ram"
COSTS += (
    " vram flops macs energy emissions co2 error errors loss losses perplexity ppl bpb nll entropy wer cer"
)
COSTS += " ter eer fpr fnr mae mse rmse mape fid distance ece brier toxicity hallucination hallucinations"
COSTS += " calls retries"
#: Words that make such a name that of a good, as in "memory_saved" or "accuracy_per_cost".
GOODS = "accuracy acc f1 precision recall auc auroc bleu rouge success detection correction reduction saved"
GOODS += " saving savings gain less efficiency effectiveness throughput free"


def is_cost_by_name(name: str) -> bool:
    """Whether the words of a column's name say that lower is better: ``latency_ms``, ``evalLoss``."""
    words = {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*", name)}
    return bool(words & set(COSTS.split())) and not words & set(GOODS.split())


def read_numbers(source: str) -> tuple[str, list[str], dict[str, list[float | None]]]:
    """The table in a file, or in standard input for ``-``: what messages call it, the models in its first
    column, and for each metric their numbers, None where a cell is empty.

    Commas, tabs or semicolons are between the cells of texts; a number beside semicolons may have a comma for
    the decimal point, as in much of the world. Raises `UserError` naming file, line and column.
    """
    where = STDIN_NAME if source == STDIN else source
    file = sys.stdin.buffer.read() if source == STDIN else Path(source)
    form, delimiter = form_of(source), ","
    if form not in FORMS or form == "tsv":
        form = "csv"
    if form == "csv":
        header = decoded(content(file, where), where).partition("\n")[0]
        delimiter = max(DELIMITERS, key=header.count)
    table = read_table(file, form, where, delimiter=delimiter)
    table.refuse_bad()
    frame = table.frame.rename(columns=lambda name: str(name).strip())
    names = list(frame.columns)
    if len(names) < 2 or names[0].lower() != "model":
        found = ", ".join(map(repr, names)) or "nothing"
        raise UserError(f"{where}:1", f'the header must be "model" and at least one metric, not {found}')
    if "" in names:
        raise UserError(f"{where}:1", "a column has no name", "give every column one")
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise UserError(f"{where}:1", f"column {repeated!r} occurs more than once", "give each its own name")
    if frame.empty:
        raise UserError(where, "no models", "give it at least one row under the header")
    models = frame[names[0]].map(str)
    for line, model in models.items():
        if not model.strip():
            raise UserError(f"{where}:{line}: model", "missing", "give every row a name")
    for line, model in models[models.duplicated()].items():
        first = models.index[models == model][0]
        raise UserError(f"{where}:{line}: model", f"{model!r} is on line {first} too", "keep one of them")
    columns = {
        name: [
            _number(cell, delimiter == ";", f"{where}:{line}: {name}") for line, cell in frame[name].items()
        ]
        for name in names[1:]
    }
    return where, models.tolist(), columns


def _number(cell: Any, has_commas: bool, place: str) -> float | None:
    if cell is None or cell is pd.NA or (isinstance(cell, str) and cell.strip() in MISSING):
        return None
    try:
        value = float(cell.replace(",", ".") if has_commas and isinstance(cell, str) else cell)
    except (TypeError, ValueError):
        raise UserError(place, f"{show(cell)} is not a number", "leave a missing value empty") from None
    if math.isnan(value) or not abs(value) <= LARGEST:
        problem = f"{show(cell)} is not a finite number up to {LARGEST:g}"
        raise UserError(place, problem, "correct it or leave it empty")
    return value
