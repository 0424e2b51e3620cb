"""Networks that answer: opened from a folder or from the hub, and how many tokens they take."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import ModelError, need
from evaluator.measure.models.hub import hub_directory
from evaluator.records.errors import UserError
from evaluator.score.pretrained import Pretrained, read_pretrained

# What every adapter takes that opens such a network.
OPTIONS = ("model", "revision", "max_length")
LONGEST = 512
#: More tokens than any text has.
MANY = 10**9


def open_pretrained(
    head: str, directory: Path, options: Mapping[str, Any], dtype: str = "auto"
) -> Pretrained:
    """Load the network in `directory`, or the hub's `model` at `revision`, with the `head` it answers by.

    `head` is what follows ``AutoModelFor`` in transformers, `dtype` as what weights are read. Code that
    comes with a model is not run. Raises `ModelError` if a file is missing or broken or the weights of the
    head are; a hub model that is neither cached nor reachable is an error within seconds.
    """
    if "model" in options:
        directory = hub_directory(options["model"], options.get("revision"))
    for package in ("torch", "transformers"):
        need(package)
    try:
        return read_pretrained(f"AutoModelFor{head}", directory, dtype=dtype)
    except UserError as error:
        raise ModelError(str(error)) from error


def token_limit(
    options: Mapping[str, Any],
    model: Pretrained,
    least: int,
    usual: int = LONGEST,
    unstated: int = LONGEST,
) -> int:
    """The option `max_length`: how many tokens the network gets at most, so that it has room for all.

    `usual`, or what the model allows if that is less, unless the option says otherwise. Where the
    tokeniser states no limit of its own, `unstated` is the most: an encoder's position table alone may
    promise too much.
    """
    positions = getattr(model.network.config, "max_position_embeddings", None) or 0
    return token_limit_of(options, model.tokenizer.model_max_length, positions, least, usual, unstated)


def token_limit_of(
    options: Mapping[str, Any],
    stated: int,
    positions: int,
    least: int,
    usual: int = LONGEST,
    unstated: int = LONGEST,
) -> int:
    """As `token_limit`, by what the tokeniser has `stated` and the network's `positions`, 0 for any."""
    allowed = min(stated if stated < MANY else unstated, positions if positions > 0 else MANY)
    return whole_number(options, "max_length", least, allowed, min(usual, allowed))


def whole_number(options: Mapping[str, Any], name: str, least: int, most: int, usual: int) -> int:
    """The option `name`, `usual` if it is not given. Raises `ModelError` unless it is in the range."""
    value = options.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ModelError(
            f"options.{name}: {value!r} is not a whole number from {least} to {most}; correct it"
        )
    return value
