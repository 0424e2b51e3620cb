"""The published forms of data that can be read, by name."""

from __future__ import annotations

from evaluator.data.datasets.formats import (
    anli,
    dynasent,
    generic,
    gold,
    hans,
    hate,
    huggingface,
    mrqa,
    reviews,
    snli,
    squad,
    sst,
    winogender,
)
from evaluator.data.datasets.formats.base import Format, Item, Left, PlainItems

__all__ = ["FORMATS", "Format", "Item", "Left", "PlainItems"]

FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        generic.TSV,
        generic.CSV,
        generic.JSONL,
        gold.GOLD,
        sst.TREES,
        sst.GLUE,
        dynasent.DYNASENT,
        reviews.REVIEWS,
        hate.LFTW,
        hate.HATECHECK,
        huggingface.HUGGINGFACE,
        snli.SNLI,
        snli.MNLI,
        snli.NLI_STRESS,
        anli.ANLI,
        hans.HANS,
        winogender.AX_G,
        winogender.WINOGENDER,
        squad.SQUAD,
        squad.ADVERSARIAL_QA,
        mrqa.MRQA,
    )
}
