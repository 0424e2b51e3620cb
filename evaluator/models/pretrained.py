"""Networks and tokenisers saved with save_pretrained: opening them, and refusing what is not whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.models.base import ModelError, need
from evaluator.models.hub import hub_directory

# What every adapter takes that opens such a network.
OPTIONS = ("model", "revision", "max_length")
LONGEST = 512
_MANY = 10**9


@dataclass(frozen=True)
class Pretrained:
    """A network ready to answer and its tokeniser; `directory` is where their files are."""

    torch: Any
    tokenizer: Any
    network: Any
    directory: Path


def open_pretrained(head: str, directory: Path, options: Mapping[str, Any]) -> Pretrained:
    """Load the network in `directory`, or the hub's `model` at `revision`, with the `head` it answers by.

    `head` is what follows ``AutoModelFor`` in transformers. Code that comes with a model is not run.
    Raises `ModelError` if a file is missing or broken or the weights of the head are; a hub model that
    is neither cached nor reachable is an error within seconds.
    """
    if "model" in options:
        directory = hub_directory(options["model"], options.get("revision"))
    _check_files(directory)
    torch, transformers = need("torch"), need("transformers")
    transformers.utils.logging.disable_progress_bar()
    opener = getattr(transformers, f"AutoModelFor{head}")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(directory, local_files_only=True)
        network, report = opener.from_pretrained(directory, local_files_only=True, output_loading_info=True)
    # What the libraries raise for broken files has no base of its own.
    except Exception as error:
        why = str(error).partition("\n")[0] or type(error).__name__
        raise ModelError(f"{directory}: {why}; save model and tokeniser with save_pretrained") from error
    if report["missing_keys"]:
        missing = ", ".join(sorted(report["missing_keys"])[:3])
        raise ModelError(
            f"{directory}: its weights lack {missing}, which {type(network).__name__} needs;"
            " save a model that was trained for this task"
        )
    _mark_segments(tokenizer, network)
    return Pretrained(torch, tokenizer, network.eval(), directory)


def _mark_segments(tokenizer: Any, network: Any) -> None:
    """Tell ALBERT which of two texts a token is from: it was trained with that.

    Version 4 of transformers did so, version 5 does not.
    """
    names = tokenizer.model_input_names
    if network.config.model_type == "albert" and "token_type_ids" not in names:
        tokenizer.model_input_names = [*names, "token_type_ids"]


def _check_files(directory: Path) -> None:
    """Without its files transformers would make up an empty tokeniser."""
    if not (directory / "config.json").is_file():
        raise ModelError(f"{directory / 'config.json'}: no such file; save the model with save_pretrained")
    if not any(found for name in ("tokenizer*", "vocab*", "*.model") for found in directory.glob(name)):
        raise ModelError(
            f"{directory / 'tokenizer.json'}: no such file; save the tokeniser with save_pretrained"
        )


def token_limit(options: Mapping[str, Any], model: Pretrained, least: int, usual: int = LONGEST) -> int:
    """The option `max_length`: how many tokens the network gets at most, so that it has room for all.

    `usual`, or what the model allows if that is less, unless the option says otherwise. Where the
    tokeniser states no limit of its own, 512 is the most: the position table alone may promise too much.
    """
    stated = model.tokenizer.model_max_length
    positions = getattr(model.network.config, "max_position_embeddings", None) or 0
    allowed = min(stated if stated < _MANY else LONGEST, positions if positions > 0 else _MANY)
    return whole_number(options, "max_length", least, allowed, min(usual, allowed))


def whole_number(options: Mapping[str, Any], name: str, least: int, most: int, usual: int) -> int:
    """The option `name`, `usual` if it is not given. Raises `ModelError` unless it is in the range."""
    value = options.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ModelError(
            f"options.{name}: {value!r} is not a whole number from {least} to {most}; correct it"
        )
    return value
