"""In words: how often a model was run, and how much of the noise of its numbers is its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evaluator.rank.formats import counted, listed
from evaluator.records.datasets import Covariances
from evaluator.records.result import Result
from evaluator.score.covariances import source

#: What a share under half a per cent, which is not 0, is shown as.
UNDER = "under 1"


def runs_of(results: Iterable[Result]) -> str:
    """How often a model was run: ``5 runs``, ``1 to 5 runs``; empty where it was run once on each dataset."""
    counts = sorted({result.predictions.trials for result in results if result.predictions})
    if not counts or counts[-1] == 1:
        return ""
    return counted(counts[-1], "run") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} runs"


def noise_of(kept: Covariances | None, result: Result) -> dict[str, float]:
    """By metric what share of the variance of a result's numbers, 0 to 1, is the model's own; empty where it
    has one run, or nothing is kept of these predictions."""
    several = result.predictions is not None and result.predictions.trials > 1
    if kept is None or not several or kept.models.get(result.model.id) != source(result):
        return {}
    place = list(kept.models).index(result.model.id)
    return {
        name: column[place]
        for name, column in kept.within.items()
        if result.model.id not in kept.unknown.get(name, {}) and name in result.scores
    }


def run_sentences(result: Result, noise: Mapping[str, float], labels: Mapping[str, str]) -> list[str]:
    """What is said of a result's runs beside its scores. `labels` are those of the board's metrics."""
    if result.same_again:
        examples = counted(result.same_again, "example")
        return [f"Asked once, as it always answers the same: {examples} that were asked again showed it."]
    if result.predictions is None or result.predictions.trials == 1:
        return []
    found = [f"Means of {counted(result.predictions.trials, 'run')} of each example."]
    shares = [f"{_percent(share)} % for {labels[name]}" for name, share in noise.items() if name in labels]
    if shares:
        found.append(
            f"The model's own share of the variance is {listed(shares)}: what changes when it is run again on"
            " the same examples. The rest is the choice of examples."
        )
    return found


def _percent(share: float) -> str:
    whole = round(100.0 * share)
    return UNDER if whole == 0 < share else str(whole)
