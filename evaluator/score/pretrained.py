"""Networks and tokenisers saved with save_pretrained: reading them, and refusing what is not whole.

Needs torch and transformers, which are imported when something is read. Code that comes with a network is
not run, and nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.records.errors import UserError


@dataclass(frozen=True)
class Pretrained:
    """A network ready to answer and its tokeniser; `directory` is where their files are."""

    torch: Any
    tokenizer: Any
    network: Any
    directory: Path


def read_pretrained(
    head: str, directory: Path, may_lack: Sequence[str] = (), dtype: str = "auto", **tokenizer_options: Any
) -> Pretrained:
    """Read the network in `directory` with the `head` it answers by, and its tokeniser.

    `head` is the name of one of transformers' Auto classes. Weights whose names contain one of `may_lack`
    may be missing. They are read as `dtype`, a name of torch's, by default as they were saved. Raises
    `UserError` if a file is missing or broken or other weights are, and ModuleNotFoundError without
    torch or transformers.
    """
    # Without its files transformers would make up an empty tokeniser.
    for what, name, patterns in (
        ("model", "config.json", ("config.json",)),
        ("tokeniser", "tokenizer.json", ("tokenizer*", "vocab*", "*.model")),
    ):
        if not any(found for pattern in patterns for found in directory.glob(pattern)):
            raise UserError(directory / name, "no such file", f"save the {what} with save_pretrained")
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    opener = getattr(transformers, head)
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            directory, local_files_only=True, **tokenizer_options
        )
        network, report = opener.from_pretrained(
            directory, local_files_only=True, output_loading_info=True, dtype=dtype
        )
    # What the libraries raise for broken files has no base of its own.
    except Exception as error:
        why = str(error).partition("\n")[0] or type(error).__name__
        raise UserError(directory, why, "save model and tokeniser with save_pretrained") from error
    lacking = [key for key in sorted(report["missing_keys"]) if not any(part in key for part in may_lack)]
    if lacking:
        what = f"its weights lack {', '.join(lacking[:3])}, which {type(network).__name__} needs"
        raise UserError(directory, what, "save a model that was trained for this task")
    names = tokenizer.model_input_names
    if network.config.model_type == "albert" and "token_type_ids" not in names:
        # ALBERT was trained with which of two texts a token is from; version 5 of transformers leaves it out.
        tokenizer.model_input_names = [*names, "token_type_ids"]
    return Pretrained(torch, tokenizer, network.eval(), directory)
