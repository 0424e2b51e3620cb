"""The published forms of data that can be read, by name."""

from __future__ import annotations

from evaluator.data.datasets.formats import generic, huggingface, nli, qa, statements
from evaluator.data.datasets.formats.base import Format

__all__ = ["FORMATS", "Format"]

FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        generic.TSV,
        generic.CSV,
        generic.JSONL,
        generic.JSON,
        generic.PARQUET,
        generic.GOLD,
        statements.TREES,
        statements.GLUE,
        statements.DYNASENT,
        statements.REVIEWS,
        statements.LFTW,
        statements.HATECHECK,
        huggingface.HUGGINGFACE,
        nli.SNLI,
        nli.MNLI,
        nli.NLI_STRESS,
        nli.ANLI,
        nli.HANS,
        nli.AX_G,
        nli.WINOGENDER,
        qa.SQUAD,
        qa.ADVERSARIAL_QA,
        qa.MRQA,
    )
}
