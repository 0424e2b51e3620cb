"""Ids and cards of models, and ids of datasets and metrics, from what files call them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd
from pydantic import ValidationError

from evaluator.records.base import slug
from evaluator.records.errors import UserError
from evaluator.records.references import ModelCard

#: What a cell says that has a fact, or has it not.
YES, NO = ("yes", "true", "y", "1"), ("no", "false", "n", "0", "")
_SIZE = re.compile(r"([\d.,]+)\s*([KMBT])?(?:illion|n|illiarden)?", re.IGNORECASE)
#: The fewest parameters that are believed.
FEWEST = 1000
_TIMES = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}


def plain_name(text: str) -> str:
    """A name without the link around it: ``[Name](address)`` and ``<a href="address">Name</a>``."""
    without = re.sub(r"<[^<>]+>", "", text)
    return re.sub(r"\[([^\[\]]+)\]\([^()\s]*\)", r"\1", without).strip() or text


def model_ids(names: pd.Series[Any]) -> dict[str, str]:
    """The id of each name. Raises `UserError` for two names that become one."""
    found: dict[str, str] = {}
    taken: dict[str, str] = {}
    first = names[~names.duplicated()]
    for place, name in first.items():
        id_ = slug(name)
        other = taken.setdefault(id_.casefold(), name)
        if other != name:
            where = first.index[first == other][0]
            problem = f"{name!r} and {other!r} of {where} differ in capitals, spaces or marks only"
            fix = "write the same name for one model, or another for another"
            raise UserError(f"{place}: {names.name}", problem, fix)
        found[name] = id_
    return found


def card_of(said_of: Mapping[str, str], place: str) -> tuple[ModelCard, dict[str, Any]]:
    """A model's card, and further facts of it, from what the row at `place` says by field. `UserError`."""
    said: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    tags: list[str] = []
    for field, text in said_of.items():
        if not text:
            continue
        if field.startswith("tags."):
            tags += tag_of(field.removeprefix("tags."), text)
        elif field == "parameters":
            said |= {"parameters": size} if (size := parameters(text)) is not None else {}
        elif field in ("thinking_budget", "context"):
            said |= {field: count} if (count := tokens(text)) is not None else {}
        elif field == "languages":
            said["languages"] = tuple(re.split(r"[,;\s]+", text))
        elif field in ModelCard.model_fields:
            said[field] = text
        else:
            facts[field] = text
    try:
        return ModelCard(**said, tags=tuple(dict.fromkeys(tags))), facts
    except ValidationError as error:
        raise UserError(place, f"its card cannot be used ({error.errors()[0]['msg']})") from None


def tag_of(tag: str, text: str) -> list[str]:
    """The tag of a model whose column `tag` says `text`: the column's name for yes, nothing for no."""
    if text.lower() in YES:
        return [slug(tag).lower()]
    if text.lower() in NO:
        return []
    return [slug(f"{tag}-{text}" if not re.search(r"[A-Za-z]{3}", text) else text).lower()]


def parameters(text: str) -> int | None:
    """A number of parameters, as in 7B, 1.5 B or 350M; None for anything else."""
    number = _counted(text)
    # No model has so few: the number counts thousands or more of something that nobody says.
    return None if number is None or number < FEWEST else number


def tokens(text: str) -> int | None:
    """A number of tokens, as in 131,072, 128k, or 1M tokens; None for anything else."""
    return _counted(re.sub(r"\s*tokens?$", "", text.strip(), flags=re.IGNORECASE))


def _counted(text: str) -> int | None:
    found = _SIZE.fullmatch(text.strip())
    try:
        return round(float(found[1].replace(",", "")) * _TIMES[(found[2] or "").upper()]) if found else None
    except ValueError:
        return None
