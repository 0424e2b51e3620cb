"""Which models logs are of: an id for each, made of what the tool calls it unless the board file knows it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.exchange.hub import hub_model
from evaluator.exchange.logs.base import EvaluationLog
from evaluator.records.base import slug
from evaluator.records.board import ModelSpec
from evaluator.records.errors import UserError

#: How a name begins that is a place on somebody's machine.
_PLACE = re.compile(r"[/~.\\]|[A-Za-z]:[\\/]|file:")


@dataclass(frozen=True)
class NamedModel:
    """A model by its id on the board, and what people read."""

    id: str
    label: str


def named_models(
    logs: Sequence[EvaluationLog], known: Sequence[ModelSpec], model: str | None
) -> list[NamedModel]:
    """The model of each log: `model`, if it is given. `known` are those of the board file.

    Raises `UserError` for a log that does not name its model, where two names have one id, and where `model`
    is given and the logs name several models.
    """
    if model is not None:
        names = {log.model: log for log in logs if log.model is not None}
        if len(names) > 1:
            (one, first), (other, second) = list(names.items())[:2]
            problem = f"is one, and {first.path} is of {label_of(one)}, {second.path} of {label_of(other)}"
            raise UserError(f"--model {model}", problem, "leave it out, or import the logs of each alone")
        return [NamedModel(model, model)] * len(logs)
    found: dict[str, tuple[str, EvaluationLog]] = {}
    named = []
    for log in logs:
        if log.model is None:
            raise UserError(log.path, "does not say which model it is of", "import it alone, with --model")
        mine = _named(log.model, known)
        name, first = found.setdefault(mine.id.casefold(), (log.model, log))
        if name != log.model:
            problem = f"{mine.label} would have the id {mine.id}, and so has {label_of(name)}"
            raise UserError(log.path, f"{problem} of {first.path}", "import one of them alone, with --model")
        named.append(mine)
    return named


def _named(name: str, known: Sequence[ModelSpec]) -> NamedModel:
    """The model that the board file calls so, or whose card links to it on the Hub, else a new one."""
    label = label_of(name)
    for spec in known:
        if spec.label == label or hub_model(spec.card.link) == name:
            return NamedModel(spec.id, spec.label)
    return NamedModel(slug(label), label)


def label_of(name: str) -> str:
    """What people read of a tool's name for a model: of a place on a machine its last part only."""
    return re.split(r"[\\/]", name.rstrip("\\/"))[-1] if _PLACE.match(name) else name
