"""Whether this machine isolates models as the board file requires."""

from __future__ import annotations

from evaluator.measure.isolation.probing import Layers, probe
from evaluator.records.board import MeasureSettings
from evaluator.score.errors import PlanError


def check_isolation(settings: MeasureSettings, layers: Layers | None = None) -> None:
    """Raise `PlanError` if all layers are required and one of `layers`, those that work here, is missing."""
    if settings.isolation != "required":
        return
    missing = (layers or probe()).missing
    if missing:
        reasons = "\n".join(f"  {layer}: {why}" for layer, why in missing.items())
        raise PlanError(
            'measure.isolation: "required", but on this machine models cannot be isolated by'
            f' {", ".join(missing)}:\n{reasons}\nmake these work, or say isolation = "best" in the board file'
        )
