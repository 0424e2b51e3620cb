"""How numbers came about, in words, and from whom."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from evaluator.records.references import Source
from evaluator.records.result import Result
from site_src.generator.views import formats

#: Every provenance that a result may have, and what it means.
MEANINGS = {
    "measured": "run here, on the machine described on the model's page",
    "predictions": "scored here from predictions made elsewhere; the model was not run, so nothing was timed",
    "reported": "published elsewhere and copied from there",
    "human": "people, estimated from the annotators' responses; shown beside the models and never ranked",
}


@dataclass(frozen=True)
class Origin:
    """One way in which numbers of a page came about, with all the sources named for it."""

    kind: str
    meaning: str
    sources: tuple[Source, ...]


def origins(results: Iterable[Result]) -> tuple[Origin, ...]:
    """Every provenance among `results`, in the order of `MEANINGS`."""
    found = list(results)
    return tuple(
        Origin(kind, meaning, _sources(result for result in found if result.provenance == kind))
        for kind, meaning in MEANINGS.items()
        if any(result.provenance == kind for result in found)
    )


def summary(results: Iterable[Result]) -> str:
    """Provenance in a few words: how the numbers came here, and from whom."""
    found = origins(results)
    citations = {short(source.citation) for origin in found for source in origin.sources}
    kinds = ", ".join(origin.kind for origin in found)
    return " · ".join([kinds, "; ".join(sorted(citations))] if citations else [kinds])


def short(citation: str) -> str:
    """The authors and year of a citation, or its first words."""
    found = re.match(r".{1,60}?\b(19|20)\d\d\b", citation)
    return found[0] if found else formats.shortened(citation, 60)


def _sources(results: Iterable[Result]) -> tuple[Source, ...]:
    """Sources without repetitions, by citation."""
    found = {(source.citation, source.link or ""): source for source in (r.source for r in results) if source}
    return tuple(found[key] for key in sorted(found))
