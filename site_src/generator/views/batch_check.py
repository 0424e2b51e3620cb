"""How a model was asked for the answers that were not timed, in a sentence."""

from __future__ import annotations

from evaluator.records.result import BatchCheck


def batch_sentence(check: BatchCheck | None) -> str | None:
    """Whether the model answered in batches, and how that was decided; None where nothing is known of it."""
    if check is None:
        return None
    if not check.passed:
        return (
            f"Asked one by one: in a batch, {check.differing} of {check.sample} examples had another answer."
        )
    off = check.largest_difference
    allowed = f"({check.tolerance:g} is allowed)"
    close = "" if off is None else f", with probabilities at most {off:.1g} apart {allowed}"
    return f"Asked in batches: {check.sample} examples asked both ways had the same answers{close}."
